"""Which texts are the same, which blocks are bad, and which pages a page links to: both sides of each limit."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy import Request
from scrapy.http import HtmlResponse
from scrapy.utils.reactor import install_reactor
from scrapy.utils.test import get_crawler

from scrapy_justext.core.blocks import BAD, BlockTable, Segment
from scrapy_justext.core.extractor import Extractor
from scrapy_justext.crawl.links import MOST_LINKS, PageLinks, links_of, number_of
from scrapy_justext.crawl.parts.site_memory.memory import (
    SIZE,
    Fingerprints,
    find_repeated,
    normalised,
    take_fingerprints,
)
from scrapy_justext.crawl.parts.site_memory.store import Sightings
from scrapy_justext.crawl.session import get_session
from scrapy_justext.crawl.settings import configure
from tests import forked
from tests.builders import make_segment
from tests.crawl.crawling import environment

CONFIGURATION = replace(configure({}), site_memory_pages=10, site_memory_share=0.5, site_memory_count=4)


def blocks_at(indices: Sequence[int], addresses: int = 0) -> Fingerprints:
    return Fingerprints((b"", b""), (), indices, addresses)


@pytest.mark.parametrize(
    ("pages", "held_by", "is_bad"),
    [
        (57, 41, True),
        (9, 9, False),
        (10, 10, True),
        (10, 5, False),
        (10, 6, True),
        (11, 6, True),
        (12, 6, False),
        (0, 0, False),
    ],
)
def test_pages_and_share(pages: int, held_by: int, is_bad: bool) -> None:
    assert bool(find_repeated(blocks_at([0]), Sightings(pages, [held_by]), CONFIGURATION)) is is_bad


@pytest.mark.parametrize(("held_by", "is_bad"), [(3, False), (4, True)])
def test_minimum(held_by: int, is_bad: bool) -> None:
    configuration = replace(CONFIGURATION, site_memory_pages=5, site_memory_share=0.1)
    assert bool(find_repeated(blocks_at([0]), Sightings(5, [held_by]), configuration)) is is_bad


def test_decisions_are_those_of_the_blocks_with_the_indices() -> None:
    found = find_repeated(blocks_at([3, 5, 8]), Sightings(57, [41, 1, 57]), CONFIGURATION)
    assert {i: reason for i, (_, reason) in found.items()} == {
        3: "on 41 of 57 pages of this site",
        8: "on 57 of 57 pages of this site",
    }
    assert {decision.block_class for decision in found.values()} == {BAD}


@pytest.mark.parametrize(
    ("held_by", "linked_by", "is_bad"),
    [(6, 4, False), (7, 4, True), (7, 0, True), (22, 20, False), (23, 20, True), (30, 28, False), (30, 29, True)],
)
def test_a_block_is_safe_on_as_many_pages_as_link_to_its_page_and_two_unless_most_of_the_site_does(
    held_by: int, linked_by: int, is_bad: bool
) -> None:
    configuration = replace(CONFIGURATION, site_memory_share=0.1)
    # It has two addresses, and holds its own.
    sightings = Sightings(56, [held_by, 1, linked_by + 1, 56])
    assert bool(find_repeated(blocks_at([0], addresses=2), sightings, configuration)) is is_bad


def use_redis() -> None:
    """Begin a crawl with site memory at an address of Redis, where the library for it is not installed."""
    cast("dict[str, Any]", sys.modules)["redis"] = None
    install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")
    get_session(get_crawler(settings_dict={"JUSTEXT_SITE_MEMORY": True, "REDIS_URL": sys.argv[1]}))


def test_without_the_library_for_redis_the_error_names_no_password(tmp_path: Path) -> None:
    url = "redis://user:sec/secret@cache:6379/0?password=secret"
    done = forked.run(f"{__name__}:use_redis", ["test", url], folder=tmp_path, environment=environment())
    log = done.stderr.decode()
    assert log.rstrip().endswith(
        "SettingError: REDIS_URL = 'redis://cache:6379/0': redis is not installed; the extra redis of scrapy-justext "
        "brings it: pip install 'redis>=5.0'"
    )
    assert "secret" not in log


# Fingerprints.


def made(*texts: str) -> list[Segment]:
    return [make_segment(text) for text in texts]


def fingerprint(segment: Segment | str) -> bytes:
    """That of a block, or of a paragraph."""
    block = make_segment(segment) if isinstance(segment, str) else segment
    return take_fingerprints(BlockTable([block]), "", 1).blocks[0]


@pytest.mark.parametrize("other", ["Read no more 12", "Read more! 12", "read more 12", "Réad more 12"])
def test_all_but_numbers_counts(other: str) -> None:
    assert fingerprint("Read more 12") == fingerprint("Read more 345") != fingerprint(other)


def test_digits_of_all_scripts_go_and_nothing_else() -> None:
    digits = [c for c in map(chr, range(sys.maxunicode + 1)) if c.isdecimal()]
    assert len(digits) > 600
    assert {normalised(f"ä{digit}b") for digit in digits} == {"äb".encode()}


@given(st.text())
def test_of_any_text_the_digits_go(text: str) -> None:
    expected = "".join(c for c in text if not c.isdecimal())
    assert normalised(text) == expected.encode("utf-8", "surrogatepass")


def test_a_link_is_another_block_than_its_text() -> None:
    [text] = made("A headline of the day")
    link = text._replace(link_characters=len(text.collapsed))
    assert fingerprint(text) != fingerprint(link)
    assert fingerprint(link) == fingerprint(text._replace(link_characters=len(text.collapsed) - 1))


def test_short_blocks_and_images_have_none() -> None:
    image = make_segment("a picture of it", tag="img", image_url="/a.png")
    segments = BlockTable([*made("1234567", "12345678", "123456789"), image])
    found = take_fingerprints(segments, "http://example.com/", 8)
    assert found.indices == [1, 2]
    assert [len(block) for block in found.blocks] == [SIZE, SIZE]


def test_a_page_is_known_by_its_address_and_by_all_its_texts() -> None:
    short, other = (BlockTable(made(text, "a long text")) for text in ("short", "other"))
    first, second, moved = (
        take_fingerprints(BlockTable(segments), url, 8)
        for segments, url in ((short, "/1"), (other, "/1"), (short, "/2"))
    )
    assert first.blocks == second.blocks == moved.blocks
    assert first.page[0] == second.page[0] != moved.page[0]
    assert first.page[1] == moved.page[1] != second.page[1]
    assert len({*first.page, *first.blocks}) == 3


def test_line_feeds_that_a_profile_keeps_are_no_ends_of_blocks() -> None:
    kept, other = (
        Extractor(profile="justext-3.0", language="English").judge_page(f"<p>{text}</p><p>Read the whole of it")
        for text in ("a line\nand another", "another page")
    )
    last, same = (take_fingerprints(page.context.segments, "", 1).blocks[-1] for page in (kept, other))
    assert kept.context.segments.collapsed[0] == "a line\nand another"
    assert last == same


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


NO_LINKS = ["<link href=/a>", "<a name=x>y</a>", "<a href='#x'>y</a>", "<area href=/a>", "<a href"]


def test_other_elements_and_fragments_are_no_links_and_what_is_no_address_leads_to_nothing() -> None:
    assert [html for html in NO_LINKS if links(html).targets] == []
    assert len(links("<a href='http://[x'>y</a><a href='mailto:a@b.c'>y</a>").targets) == 2


def test_a_page_has_the_addresses_that_led_to_it_and_its_canonical_one() -> None:
    request = Request("https://example.org/b", meta={"redirect_urls": ["https://example.org/a"]})
    html = "<link rel='shortcut icon' href=/i><link href='/c' rel='canonical'><a href='/a'>x</a><a href='/d'>x</a>"
    own = frozenset(number_of(url) for url in (URL, *(f"https://example.org/{name}" for name in "abc")))
    assert links(html, request) == PageLinks(own, frozenset([number_of("https://example.org/d")]))


def test_links_are_read_in_any_encoding_and_some_of_very_many() -> None:
    assert links("<a href=/a>x</a>", encoding="utf-16").targets == {number_of("https://example.org/a")}
    assert len(links("".join(f"<a href=/{number}>x</a>" for number in range(2 * MOST_LINKS))).targets) == MOST_LINKS
    assert links("<a " * 100_000 + "<link " * 100_000).targets == set()
