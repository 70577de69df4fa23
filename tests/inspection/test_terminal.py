"""What listings look like."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import width

from scrapy_justext.core.options import make_options
from scrapy_justext.core.parsing import parse_html
from scrapy_justext.inspection.pages import InspectedPage
from scrapy_justext.inspection.terminal import NARROWEST, Style, cut, list_blocks, pad, wrap
from scrapy_justext.printing import on_one_line
from tests.builders import DEMO_PAGES, page_id

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_justext.inspection.pages import Inspection


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("", 0),
        ("kettle", 6),
        ("naïve", 5),
        ("nai\u0308ve", 5),
        ("茶館", 4),
        ("ﾃｨｰ", 3),
        ("１２", 4),
        ("한글", 4),
        ("\u1112\u1161\u11ab", 2),
        ("قهوة", 4),
        ("ق\u064e", 1),
        ("हि", 2),
        ("😀", 2),
        ("a\u200bb", 2),
        ("co\u00adop", 5),
    ],
)
def test_columns_that_a_text_takes(text: str, columns: int) -> None:
    assert width(text) == columns


texts = st.text(st.sampled_from("ab 茶館 é\u0301한قَ😀"), max_size=80).map(on_one_line)


@given(texts, st.integers(2, 30))
def test_a_cut_text_fits_and_is_the_beginning(text: str, columns: int) -> None:
    shorter = cut(text, columns)
    assert width(shorter) <= columns
    assert shorter == text or text.startswith(shorter.removesuffix("…"))
    assert width(pad(shorter, columns)) == columns


@given(texts, st.integers(2, 30))
def test_a_broken_text_fits_and_is_whole(text: str, columns: int) -> None:
    lines = wrap(text, columns)
    assert all(width(line) <= columns for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert len(wrap(text, columns, 2)) <= 2


def inspect(page: str | bytes, language: str = "English", profile: str = "justext") -> Inspection:
    """A page as it is listed."""
    return InspectedPage("page", None, parse_html(page)).inspect(make_options(language=language, profile=profile))


@pytest.mark.parametrize("columns", [NARROWEST, 80, 120, 200])
@pytest.mark.parametrize("page", DEMO_PAGES[::6], ids=page_id)
def test_listings_fit(page: Path, columns: int) -> None:
    inspection = inspect(page.read_bytes(), language="auto")
    listed = list_blocks(inspection, Style(columns))
    assert max(map(width, listed.splitlines())) <= columns
    for block in inspection.extraction.blocks:
        assert re.search(rf"^ *{block.index}  {block.block_class} ", listed, re.MULTILINE)


def test_pages_cannot_command_the_terminal() -> None:
    page = "<title>a\x1b]0;x\x07</title><p>b\x1b[2J\x9bc" + " d\u202ee" * 3
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", list_blocks(inspect(page), Style(80)))


def test_images_are_listed_by_their_address() -> None:
    inspection = inspect("<img src=/a.png alt='A kettle'>", profile="justext-java")
    assert "[image /a.png] A kettle" in list_blocks(inspection, Style())


def test_trained_models_show_their_probability_in_place_of_stop_words() -> None:
    listed = list_blocks(inspect("<p>Home", profile="learned"), Style())
    titles, row = listed.splitlines()[3:5]
    assert titles.split()[3] == "prob."
    assert re.fullmatch(r"0\.\d\d", row.split()[3])


PARTS = "<script>x</script><p hidden>two <b hidden>three</b></p><noscript>four</noscript><p hidden>five<p>six"


def test_the_last_line_tells_what_was_removed() -> None:
    listed = list_blocks(inspect(f"<p>one{PARTS}"), Style())
    assert listed.endswith("characters\nremoved: 2 hidden elements (13 characters), 1 NOSCRIPT (4 characters)")
    assert "removed" not in list_blocks(inspect("<p>one<script>x</script><svg></svg>"), Style())
