"""What a page declares about itself."""

import json
import sys
from time import process_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_justext import extract
from scrapy_justext.core.extraction import Extraction, part_of
from scrapy_justext.core.parts import NO_METADATA, PARTS, Metadata
from scrapy_justext.exceptions import ParameterError

URL = "https://example.org/news/most?ref=x"
JSON_LD = "<script type='application/ld+json'>{}</script>"


def declared(html: str, **choices: Any) -> dict[str, str]:
    """What is not None."""
    found = extract(html, url=URL, metadata=True, **choices).metadata
    return {name: value for name, value in found._asdict().items() if value is not None}


def of_things(*things: object) -> str:
    return JSON_LD.format(json.dumps([*things]))


PAGES: dict[str, tuple[str, dict[str, str]]] = {
    "Open Graph": (
        "<meta property=article:published_time content=2024-02-29T12:30:00.5+0100>"
        "<meta property=article:modified_time content='2024-03-01 08:00'>"
        "<meta property=og:site_name content=' The  Courier '>"
        "<meta property=og:image content=/a.png><meta property=og:description content=Boats>",
        {"published": "2024-02-29T12:30:00+01:00", "modified": "2024-03-01T08:00:00", "site_name": "The Courier",
         "image": "https://example.org/a.png", "description": "Boats"},
    ),
    "plain names": ("<meta name=Author content='Ada'><meta name=date content=20240229>",
        {"author": "Ada", "published": "2024-02-29"}),
    "several authors": ("<meta name=citation_author content=Ada><meta name=citation_author content=Bob>",
        {"author": "Ada, Bob"}),
    "the most telling": ("<meta name=date content=2020-01-01><meta name=dc.date content=2021-01-01>",
        {"published": "2021-01-01"}),
    "links": ("<base href=/x/><link rel=canonical href=most><a rel='nofollow license' href=https://cc.example/by>CC</a>",
        {"canonical_url": "https://example.org/x/most", "license": "https://cc.example/by"}),
    "time": ("<p>By<time class=entry-date datetime=2024-02-29>x</time><time datetime=2025-01-01>y</time>",
        {"published": "2024-02-29"}),
    "words of rights": ("<meta name=dc.rights content='All rights reserved'>", {"license": "All rights reserved"}),
    "JSON-LD": (
        "<meta name=author content=Editors>"
        + of_things({"@graph": [
            {"@type": "WebPage", "datePublished": "2020-01-01", "description": "Of the page"},
            {"@type": "WebSite", "name": "Courier"},
            {"@type": ["NewsArticle"], "datePublished": "2024-02-29", "author": [{"@id": "#ada"}, "Bob"],
             "image": [{"url": "/b.png"}, "/c.png"], "license": {"@id": "https://cc.example/by"}},
            {"@type": "Person", "@id": "#ada", "name": "Ada"},
            {"@type": "Comment", "author": "Eve", "dateCreated": "2025-01-01"},
        ]}),
        {"published": "2024-02-29", "author": "Ada, Bob", "site_name": "Courier", "description": "Of the page",
         "image": "https://example.org/b.png", "license": "https://cc.example/by"},
    ),
    "no dates": ("<meta name=date content=yesterday><meta name=pubdate content=2024-13-41>", {}),
    "mail's way": ("<meta name=date content='Thu, 29 Feb 2024 12:30:00 GMT'>",
        {"published": "2024-02-29T12:30:00+00:00"}),
    "no addresses": ("<meta name=author content=https://example.org/ada><link rel=canonical href='javascript:x()'>"
        "<meta name=og:image content='data:image/png;x'>", {}),
    "broken JSON": (JSON_LD.format("{"), {}),
}  # fmt: skip


@pytest.mark.parametrize(("html", "expected"), PAGES.values(), ids=PAGES)
def test_what_is_declared_is_read(html: str, expected: dict[str, str]) -> None:
    assert declared(html) == expected


def test_it_is_off_unless_asked_for_and_survives_json() -> None:
    html, expected = PAGES["Open Graph"]
    assert extract(html).metadata == NO_METADATA
    found = extract(html, url=URL, metadata=True)
    assert Extraction.from_dict(json.loads(json.dumps(found.to_dict()))) == found
    assert {part: part_of(found, part) for part in expected} == expected
    assert Metadata._fields == tuple(part for part in PARTS if part in Metadata._fields)


def test_what_json_ld_declares_and_its_text_are_both_read() -> None:
    text = "It was the best of times, it was the worst of times. " * 6
    article = of_things({"@type": "Article", "author": "Ada", "articleBody": text})
    extraction = extract(article, profile="learned", metadata=True)
    assert (extraction.metadata.author, extraction.text) == ("Ada", text.strip())


def test_dates_that_nothing_declares_are_guessed_where_asked_for() -> None:
    html = "<html><body><h1>Boats</h1><p class='date'>Published on 29 February 2024</p><p>It was the best of times."
    assert declared(html) == {}
    assert declared(html, guess_dates=True) == {"published": "2024-02-29"}
    assert declared(f"<meta name=date content=2020-01-01>{html}", guess_dates=True) == {"published": "2020-01-01"}
    assert declared("<p>It was the best of times.", guess_dates=True) == {}


def test_without_htmldate_the_choice_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "htmldate", None)
    with pytest.raises(ParameterError, match=r"guess_dates = True: .*pip install"):
        extract("", guess_dates=True)


VALUES = st.recursive(
    st.none() | st.integers() | st.text(max_size=8) | st.sampled_from(["NewsArticle", "2024-01-01", "#a"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["@type", "@id", "@graph", "author", "datePublished", "image", "name", "url"]), inner
        )
    ),
    max_leaves=12,
)


def test_things_that_name_one_large_thing_take_no_longer() -> None:
    many = {"@type": "Person", "@id": "#big", "name": [1] * 100_000}
    start = process_time()
    assert (
        declared(of_things(many, *({"@type": "Article", "author": [{"@id": "#big"}] * 50} for _ in range(1_900)))) == {}
    )
    assert process_time() - start < 5


@given(value=VALUES)
def test_any_json_ld_gives_texts_or_nothing(value: object) -> None:
    assert all(isinstance(text, str) for text in declared(of_things(value)).values())
