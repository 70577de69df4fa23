"""Which pages a page links to, as its source tells."""

from __future__ import annotations

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse

from scrapy_justext.crawl.links import MOST_LINKS, PageLinks, links_of, number_of

URL = "https://www.example.org/news/today"


def links(html: str, request: Request | None = None, encoding: str = "utf-8") -> PageLinks:
    return links_of(HtmlResponse(URL, body=html.encode(encoding), encoding=encoding), request)


@pytest.mark.parametrize(
    ("html", "url"),
    [
        ('<a href="/a">x</a>', "https://example.org/a"),
        ("<A class=x HREF=/a>x</A>", "http://www.example.org/a/"),
        ("<a\n data-x='1'\n href='a#top'>x</a>", "https://example.org/news/a"),
        ('<a href="//other.org/a?b=1&amp;c=2">x</a>', "https://other.org/a?b=1&c=2"),
        ('<base href="/old/"><a href=a>x</a>', "https://example.org/old/a"),
        ('<a href="/größe">x</a>', "https://example.org/gr%C3%B6%C3%9Fe"),
        ('<a href=" https://example.org/a ">x</a>', "https://EXAMPLE.org/a"),
    ],
)
def test_a_page_links_to_an_address_however_it_is_written(html: str, url: str) -> None:
    assert links(html).targets == {number_of(url)}


@pytest.mark.parametrize(
    "html", ["<link href=/a>", "<a name=x>y</a>", "<a href='#x'>y</a>", "<area href=/a>", "<a href"]
)
def test_other_elements_and_fragments_are_no_links(html: str) -> None:
    assert links(html).targets == set()


def test_an_address_that_is_none_is_a_link_to_nothing() -> None:
    assert len(links("<a href='http://[x'>y</a><a href='mailto:a@b.c'>y</a>").targets) == 2


def test_a_page_has_the_addresses_that_led_to_it_and_its_canonical_one() -> None:
    request = Request("https://example.org/b", meta={"redirect_urls": ["https://example.org/a"]})
    html = "<link rel='shortcut icon' href=/i><link href='/c' rel='canonical'><a href='/a'>x</a><a href='/d'>x</a>"
    own = frozenset(number_of(url) for url in (URL, *(f"https://example.org/{name}" for name in "abc")))
    assert links(html, request) == PageLinks(own, frozenset([number_of("https://example.org/d")]))


def test_links_are_read_in_any_encoding() -> None:
    assert links("<a href=/a>x</a>", encoding="utf-16").targets == {number_of("https://example.org/a")}


def test_of_many_links_some_are_looked_at() -> None:
    assert len(links("".join(f"<a href=/{number}>x</a>" for number in range(2 * MOST_LINKS))).targets) == MOST_LINKS


def test_a_page_without_ends_of_tags_takes_no_longer_than_it_is_long() -> None:
    assert links("<a " * 100_000 + "<link " * 100_000).targets == set()
