"""Which texts are the same."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_justext.core.blocks import BlockTable
from scrapy_justext.core.extractor import Extractor
from scrapy_justext.crawl.parts.site_memory.store import SIZE, normalised, take_fingerprints
from tests.builders import make_segment

if TYPE_CHECKING:
    from scrapy_justext.core.blocks import Segment


def made(*texts: str) -> list[Segment]:
    return [make_segment(text) for text in texts]


def one(text: str) -> bytes:
    return take_fingerprints(BlockTable(made(text)), "", 1).blocks[0]


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("41 comments", "7 comments"),
        ("Updated 3.5.2024", "Updated 12.11.1999"),
        ("صفحه ۱۲", "صفحه ۳"),
        ("第１２頁", "第３頁"),
        ("पृष्ठ १२", "पृष्ठ ३"),
    ],
)
def test_numbers_do_not_count(text: str, other: str) -> None:
    assert one(text) == one(other)


@pytest.mark.parametrize(
    ("text", "other"), [("Read more", "Read no more"), ("Read more", "Read more!"), ("é", "e"), ("More", "more")]
)
def test_all_else_does(text: str, other: str) -> None:
    assert one(text) != one(other)


def test_digits_of_all_scripts_go() -> None:
    digits = [c for c in map(chr, range(sys.maxunicode + 1)) if c.isdecimal()]
    assert len(digits) > 600
    assert {normalised(f"ä{digit}b") for digit in digits} == {"äb".encode()}


@given(st.text())
def test_digits_go_and_nothing_else(text: str) -> None:
    expected = "".join(c for c in text if not c.isdecimal())
    assert normalised(text) == expected.encode("utf-8", "surrogatepass")


def test_a_link_is_another_block_than_its_text() -> None:
    [text] = made("A headline of the day")
    link = text._replace(link_characters=len(text.collapsed))
    assert one_of(text) != one_of(link)
    assert one_of(link) == one_of(text._replace(link_characters=len(text.collapsed) - 1))


def one_of(segment: Segment) -> bytes:
    return take_fingerprints(BlockTable([segment]), "", 1).blocks[0]


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
    one, other = (
        Extractor(profile="justext-3.0", language="English").judge_page(f"<p>{text}</p><p>Read the whole of it")
        for text in ("a line\nand another", "another page")
    )
    last, same = (take_fingerprints(page.context.segments, "", 1).blocks[-1] for page in (one, other))
    assert one.context.segments.collapsed[0] == "a line\nand another"
    assert last == same
