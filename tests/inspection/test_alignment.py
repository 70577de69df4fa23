"""Blocks of two profiles beside each other."""

from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given

from scrapy_justext.core.extraction import Block
from scrapy_justext.core.options import Options, make_options
from scrapy_justext.core.parsing import parse_html
from scrapy_justext.core.profiles import PROFILES
from scrapy_justext.inspection.pages import InspectedPage
from scrapy_justext.inspection.terminal import AlignedBlocks, align
from tests.builders import DEMO_PAGES, page_id
from tests.property.strategies import bodies, soups

#: Of each way to cut a page.
NAMES = ("justext", "justext-3.0", "justext-java", "boilerpipe", "learned")
OPTIONS: dict[str, Options] = {name: make_options(profile=name, language="English") for name in NAMES}


def pairs_of(page: str | bytes, left: str, right: str) -> list[AlignedBlocks]:
    """The pairs of a page; every block of both sides begins once, in order."""
    inspected = InspectedPage("page", None, parse_html(page))
    sides = [inspected.inspect(OPTIONS[name]) for name in (left, right)]
    pairs = align(*sides)
    for number, side in enumerate(sides):
        begun = [pair[number] for pair in pairs if pair.begins[number]]
        assert begun == list(side.extraction.blocks)
    return pairs


def shown(page: str, left: str = "justext", right: str = "justext-3.0") -> list[tuple[str | None, str | None]]:
    """The texts of the blocks of each pair; ``…`` where one is continued."""

    def text(block: Block | None, *, begins: bool) -> str | None:
        return None if block is None else block.text if begins else "…"

    return [
        (text(pair.left, begins=pair.begins[0]), text(pair.right, begins=pair.begins[1]))
        for pair in pairs_of(page, left, right)
    ]


def test_a_text_that_a_formula_parts_in_one_profile_alone() -> None:
    whole = rf"{LONG} \[x^2\] {LONG}"
    assert shown(f"<p>{whole}") == [(LONG, whole), ("$$x^2$$", "…"), (LONG, "…")]


def test_the_profiles_are_all_the_ways_to_cut_a_page() -> None:
    assert {PROFILES[name].tags for name in NAMES} == {profile.tags for profile in PROFILES.values()}


LONG = "It was the best of times, it was the worst of times, it was the age of wisdom, it was the age of lamps. " * 2
LONG = LONG.strip()
NUMBERS = "<pre>1\n2\n3</pre>"
CODE = "<pre><code>a\nb\nc</code></pre>"


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (f"<p>one{NUMBERS}{CODE}", [("one", "one"), (None, "1\n2\n3"), ("a\nb\nc", "a\nb\nc")]),
        (f"{NUMBERS}{CODE}<p>one", [(None, "1\n2\n3"), ("a\nb\nc", "a\nb\nc"), ("one", "one")]),
        (f"<p>one{NUMBERS}", [("one", "one"), ("1\n2\n3", "1\n2\n3")]),
        ("<pre><i class=lineno>7</i>one = 1</pre>", [(None, "7one = 1"), ("one = 1", "…")]),
        ("<table><tr><td>1<td>2<tr><td>3<td>4</table>", [("1\t2\n3\t4", "1"), ("…", "2"), ("…", "3"), ("…", "4")]),
    ],
    ids=["numbers of lines", "numbers first", "numbers of nothing", "numbers beside lines", "table"],
)
def test_code_and_tables_stand_beside_their_texts(page: str, expected: list[tuple[str | None, str | None]]) -> None:
    assert shown(page) == expected


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("<p>one<p>two", [("one", "one"), ("two", "two")]),
        ("<p>one <i hidden>two</i> three", [("one three", "one two three")]),
        ("<p>one<i hidden>two</i><p>three", [("one", "onetwo"), ("three", "three")]),
        ("<section>one</section><section>two</section>", [("one", "onetwo"), ("two", "…")]),
        ("<p>one<p hidden>two<p>three", [("one", "one"), (None, "two"), ("three", "three")]),
        ("", []),
        # Read with its NOSCRIPT, as it shows next to nothing.
        (f"<p>Loading<noscript><p>{LONG}<p>two</noscript>", [(text, text) for text in ("Loading", LONG, "two")]),
    ],
    ids=["same", "removed inside", "removed at the end", "finer", "removed", "nothing", "NOSCRIPT"],
)
def test_texts_stand_beside_their_own(page: str, expected: list[tuple[str | None, str | None]]) -> None:
    assert shown(page) == expected


def test_images_stand_before_the_text_that_follows_them() -> None:
    page = "<p>one</p><img src=a.png alt=a><img src=b.png alt=b><p>two"
    assert shown(page, "justext-java", "justext") == [("one", "one"), ("a", None), ("b", None), ("two", "two")]


def test_only_what_one_keeps_and_the_other_does_not_differs() -> None:
    long = "It was the best of times, it was the worst of times. " * 5
    page = f"<p hidden>Home<p>{long}<p hidden>{long}"
    assert [pair.differs for pair in pairs_of(page, "justext", "justext-3.0")] == [False, False, True]


@pytest.mark.parametrize("page", DEMO_PAGES[::4], ids=page_id)
def test_every_block_of_a_page_begins_once(page: Path) -> None:
    body = page.read_bytes()
    for left, right in combinations(NAMES, 2):
        for pair in pairs_of(body, left, right):
            both = (pair.left, pair.right)
            if all(pair.begins) and all(block is not None and block.image_url is None for block in both):
                assert pair.shown.text.split()[0][:1] == min((b.text for b in both if b), key=len).split()[0][:1]


@given(bodies | soups)
def test_every_block_of_any_page_begins_once(page: str) -> None:
    pairs_of(page, "justext", "learned")
    pairs_of(page, "justext-java", "justext-3.0")
