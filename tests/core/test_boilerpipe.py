"""Boilerpipe's decision tree: both sides of every limit, and the measurements it looks at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scrapy_justext import extract
from scrapy_justext.core.blocks import Measurements
from scrapy_justext.core.boilerpipe import judge
from scrapy_justext.core.context_free import NOTHING

if TYPE_CHECKING:
    from collections.abc import Sequence


def measured(words: int, linked: int = 0) -> Measurements:
    return Measurements(6 * words, words, linked, 0.0, 0.0)


LINKS = measured(9, 6)  # two thirds of it
TEXT = measured(9, 5)  # 0.5555..., just not more than the limit

CASES: list[tuple[str, Measurements, Measurements, Measurements, str, str]] = [
    ("a third of the words in links", NOTHING, measured(30, 10), NOTHING, "bad", "words in links 0.3333333 > 0.333333"),
    ("less than a third", NOTHING, measured(31, 10), NOTHING, "good", "31 > 16 words"),
    ("16 words alone", NOTHING, measured(16), NOTHING, "bad", "only 16 <= 16 words, few around"),
    ("17 words alone", NOTHING, measured(17), NOTHING, "good", "17 > 16 words"),
    ("15 words ahead", NOTHING, measured(1), measured(15), "bad", "only 1 <= 16 words, few around"),
    ("16 words ahead", NOTHING, measured(1), measured(16), "good", "16 > 15 words ahead"),
    ("4 words before", measured(4), measured(1), NOTHING, "bad", "only 1 <= 16 words, few around"),
    ("5 words before", measured(5), measured(1), NOTHING, "good", "5 > 4 words before"),
    ("just not behind links", TEXT, measured(17), NOTHING, "good", "17 > 16 words"),
    ("just behind links", measured(25, 14), measured(17), NOTHING, "bad",
     "only 17 <= 40 words, few around behind links"),
    ("40 words behind links", LINKS, measured(40), NOTHING, "bad", "only 40 <= 40 words, few around behind links"),
    ("41 words behind links", LINKS, measured(41), NOTHING, "good", "41 > 40 words behind links"),
    ("17 words ahead of those", LINKS, measured(1), measured(17), "bad", "only 1 <= 40 words, few around behind links"),
    ("18 words ahead of those", LINKS, measured(1), measured(18), "good", "18 > 17 words ahead behind links"),
    ("links ahead count as words", NOTHING, measured(1), measured(16, 16), "good", "16 > 15 words ahead"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("before", "here", "after", "expected", "reason"), [c[1:] for c in CASES], ids=[c[0] for c in CASES]
)
def test_the_decision_tree(
    before: Measurements, here: Measurements, after: Measurements, expected: str, reason: str
) -> None:
    assert judge(before, here, after)[:2] == (expected, reason)


def words(*counts: int) -> str:
    return "".join(f"<p>{'word ' * count}</p>" for count in counts)


@pytest.mark.parametrize(
    ("counts", "classes"),
    [((1, 1, 1), "bbb"), ((1, 16, 1), "gbg"), ((17, 1, 4, 1), "ggbb"), ((5, 1, 1), "bgb"), ((), ""), ((17,), "g")],
)
def test_outside_the_page_are_no_words(counts: Sequence[int], classes: str) -> None:
    found = extract(words(*counts), language="English", profile="boilerpipe")
    assert "".join(b.block_class.value[0] for b in found.blocks) == classes
    assert all(b.block_class is b.context_free_class for b in found.blocks)


@pytest.mark.parametrize(
    ("inner", "expected"),
    [
        ("<a>one two</a> " + "word " * 20, "good"),
        ("<a>" + "one " * 10 + "</a>" + "word " * 10, "bad"),
        # Characters do not count: a third of the words, far more than half of the characters.
        ("<a>" + "incomprehensibilities " * 7 + "</a>" + "a " * 15, "good"),
        ("<a>" + "a " * 15 + "</a>" + "incomprehensibilities " * 7, "bad"),
        ("<a>one<b>two</b></a>three " + "word " * 20, "good"),
        # A word in parts is one, whether or not there is a BR.
        ("word " * 14 + "<a>o<b>n</b>e t<b>w</b>o t<b>h</b>ree</a> x", "good"),
        ("word " * 14 + "<a>o<b>n</b>e t<b>w</b>o t<b>h</b>ree</a><br>x", "good"),
        ("word " * 20 + "<a>(one)</a><a>two</a>", "good"),
    ],
)
def test_link_density_is_by_words(inner: str, expected: str) -> None:
    [block] = extract(f"<p>{inner}</p>", language="English", profile="boilerpipe").blocks
    assert block.block_class.value == expected


def test_a_select_is_boilerplate() -> None:
    [block] = extract("<select><option>" + "word " * 20, language="English", profile="boilerpipe").blocks
    assert (block.block_class.value, block.reason) == ("bad", "inside SELECT")
