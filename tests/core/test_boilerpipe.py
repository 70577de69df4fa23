"""Boilerpipe's decision tree: both sides of every limit, and the measurements it looks at."""

from collections.abc import Sequence

import pytest

from scrapy_justext import extract
from scrapy_justext.core.boilerpipe import NO_WORDS, Words, judge

LINKS = Words(9, 6)  # two thirds of it
TEXT = Words(9, 5)  # 0.5555..., just not more than the limit

CASES: list[tuple[str, Words, Words, Words, str, str]] = [
    ("a third of the words in links", NO_WORDS, Words(30, 10), NO_WORDS, "bad", "words in links 0.3333333 > 0.333333"),
    ("less than a third", NO_WORDS, Words(31, 10), NO_WORDS, "good", "31 > 16 words"),
    ("16 words alone", NO_WORDS, Words(16, 0), NO_WORDS, "bad", "only 16 <= 16 words, few around"),
    ("17 words alone", NO_WORDS, Words(17, 0), NO_WORDS, "good", "17 > 16 words"),
    ("15 words ahead", NO_WORDS, Words(1, 0), Words(15, 0), "bad", "only 1 <= 16 words, few around"),
    ("16 words ahead", NO_WORDS, Words(1, 0), Words(16, 0), "good", "16 > 15 words ahead"),
    ("4 words before", Words(4, 0), Words(1, 0), NO_WORDS, "bad", "only 1 <= 16 words, few around"),
    ("5 words before", Words(5, 0), Words(1, 0), NO_WORDS, "good", "5 > 4 words before"),
    ("just not behind links", TEXT, Words(17, 0), NO_WORDS, "good", "17 > 16 words"),
    ("just behind links", Words(25, 14), Words(17, 0), NO_WORDS, "bad",
     "only 17 <= 40 words, few around behind links"),
    ("40 words behind links", LINKS, Words(40, 0), NO_WORDS, "bad", "only 40 <= 40 words, few around behind links"),
    ("41 words behind links", LINKS, Words(41, 0), NO_WORDS, "good", "41 > 40 words behind links"),
    ("17 words ahead of those", LINKS, Words(1, 0), Words(17, 0), "bad", "only 1 <= 40 words, few around behind links"),
    ("18 words ahead of those", LINKS, Words(1, 0), Words(18, 0), "good", "18 > 17 words ahead behind links"),
    ("links ahead count as words", NO_WORDS, Words(1, 0), Words(16, 16), "good", "16 > 15 words ahead"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("before", "here", "after", "expected", "reason"), [c[1:] for c in CASES], ids=[c[0] for c in CASES]
)
def test_the_decision_tree(before: Words, here: Words, after: Words, expected: str, reason: str) -> None:
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
