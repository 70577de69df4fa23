"""Context-free classification: each rule on both sides, their order, their words, and how words are counted."""

import sys
from array import array
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scrapy_justext.core.blocks import BAD, GOOD, NEAR_GOOD, SHORT, BlockClass, BlockTable, Decision, Segment
from scrapy_justext.core.context_free import (
    JAVA_RULES,
    KIND_RULES,
    MODERN_RULES,
    PUBLISHED_RULES,
    Rule,
    classify,
    decide_by_kind,
    measure,
    measure_texts,
)
from scrapy_justext.core.parameters import Thresholds
from scrapy_justext.core.tags import CODE, FORMULA, TABLE
from scrapy_justext.core.text import WordCounter, collapse
from tests.builders import make_segment, prose

STOPLIST = frozenset({"the", "è"})

LINKED = "link density {} > 0.2"
SHORT_WORDS = "short ({} < 70 characters)"
GOOD_WORDS = "stop-word density {} >= 0.32, {} > 200 characters"
NEAR_GOOD_WORDS = "stop-word density {} >= 0.32, only {} <= 200 characters"


def row(text: str, links: int = 0, **position: Any) -> Segment:
    return make_segment(text, link_characters=links, **position)


CASES: list[tuple[str, Segment, BlockClass, str]] = [
    ("link density at the limit", row(prose(300, stopwords=8), 60), GOOD, GOOD_WORDS.format(0.4, 300)),
    ("link density above the limit", row(prose(300, stopwords=8), 61), BAD, LINKED.format(0.203)),
    ("a short text of links only", row("Home", 4), BAD, LINKED.format(1)),
    ("copyright sign", row(prose(300, stopwords=8) + " ©"), BAD, "copyright sign"),
    ("copyright sign in a word", row(f"©{prose(300, stopwords=8)}"), BAD, "copyright sign"),
    ("copyright entity left over", row(prose(300, stopwords=8) + " &copy; 2024"), BAD, "copyright sign"),
    ("copyright entity without its end", row("&copy 2024"), BAD, "copyright sign"),
    ("a short copyright is not short", row("© 2024"), BAD, "copyright sign"),
    ("the word copyright", row("copyright 2024"), SHORT, SHORT_WORDS.format(14)),
    ("inside SELECT", row(prose(300, stopwords=8), in_select=True), BAD, "inside SELECT"),
    ("a short option", row("Monday", in_select=True), BAD, "inside SELECT"),
    ("one character", row("x"), SHORT, SHORT_WORDS.format(1)),
    ("69 characters", row(prose(69, stopwords=8)), SHORT, SHORT_WORDS.format(69)),
    ("70 characters", row(prose(70, stopwords=8)), NEAR_GOOD, NEAR_GOOD_WORDS.format(0.4, 70)),
    ("69 characters, one of them a link's", row(prose(69, stopwords=8), 1), BAD,
     SHORT_WORDS.format(69) + " with link characters"),
    ("70 characters, one a link's", row(prose(70, stopwords=8), 1), NEAR_GOOD, NEAR_GOOD_WORDS.format(0.4, 70)),
    ("200 characters", row(prose(200, stopwords=8)), NEAR_GOOD, NEAR_GOOD_WORDS.format(0.4, 200)),
    ("201 characters", row(prose(201, stopwords=8)), GOOD, GOOD_WORDS.format(0.4, 201)),
    ("stop-word density at the high limit", row(prose(500, stopwords=32, words=100)), GOOD,
     GOOD_WORDS.format(0.32, 500)),
    ("stop-word density below the high limit", row(prose(500, stopwords=31, words=100)), NEAR_GOOD,
     "stop-word density 0.31 >= 0.3"),
    ("stop-word density at the low limit", row(prose(500, stopwords=30, words=100)), NEAR_GOOD,
     "stop-word density 0.3 >= 0.3"),
    ("stop-word density below the low limit", row(prose(500, stopwords=29, words=100)), BAD,
     "stop-word density 0.29 < 0.3"),
    ("no stop word at all", row("x" * 500), BAD, "stop-word density 0 < 0.3"),
    ("a heading like any other", row("Title", heading_level=1), SHORT, SHORT_WORDS.format(5)),
    ("links before copyright", row("© Home", 6), BAD, LINKED.format(1)),
    ("links before SELECT", row("Monday", 6, in_select=True), BAD, LINKED.format(1)),
    ("links before length", row("Monday", 2), BAD, LINKED.format(0.333)),
    ("links before stop words", row(prose(300, stopwords=0), 300), BAD, LINKED.format(1)),
    ("copyright before SELECT", row("© 2024", in_select=True), BAD, "copyright sign"),
    ("copyright before length", row("© 2024 by us, all rights", 1), BAD, "copyright sign"),
    ("SELECT before length", row("the longer option", 1, in_select=True), BAD, "inside SELECT"),
    ("length before stop words", row("lamp " * 3), SHORT, SHORT_WORDS.format(15)),
]  # fmt: skip


@pytest.mark.parametrize(("segment", "block_class", "reason"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_the_first_rule_that_applies_decides(segment: Segment, block_class: BlockClass, reason: str) -> None:
    assert decide(segment) == Decision(block_class, reason)


TEXT_200 = prose(200, stopwords=10)
TUNED: list[tuple[str, Segment, dict[str, Any], BlockClass]] = [
    ("length_low lower", row("the lamp"), {"length_low": 8}, NEAR_GOOD),
    ("length_low just above", row("the lamp"), {"length_low": 9}, SHORT),
    ("length_low 0", row("x"), {"length_low": 0}, BAD),
    ("length_high lower", row(TEXT_200), {"length_high": 199}, GOOD),
    ("length_high at the length", row(TEXT_200), {"length_high": 200}, NEAR_GOOD),
    ("stopwords_high above", row(TEXT_200), {"stopwords_high": 0.51, "length_high": 199}, NEAR_GOOD),
    ("stopwords_high at the density", row(TEXT_200), {"stopwords_high": 0.5, "length_high": 199}, GOOD),
    ("stopwords_low at the density", row(TEXT_200), {"stopwords_low": 0.5, "stopwords_high": 0.9}, NEAR_GOOD),
    ("stopwords_low above", row(TEXT_200), {"stopwords_low": 0.51, "stopwords_high": 0.9}, BAD),
    ("max_link_density at the density", row(TEXT_200, 100), {"max_link_density": 0.5}, NEAR_GOOD),
    ("max_link_density below", row(TEXT_200, 100), {"max_link_density": 0.49}, BAD),
    ("max_link_density 1", row(TEXT_200, 200), {"max_link_density": 1.0}, NEAR_GOOD),
]


@pytest.mark.parametrize(("segment", "thresholds", "block_class"), [c[1:] for c in TUNED], ids=[c[0] for c in TUNED])
def test_each_threshold_moves_its_border(segment: Segment, thresholds: dict[str, Any], block_class: BlockClass) -> None:
    assert decide(segment, Thresholds(**thresholds)).block_class is block_class


def of_kind(kind: str, characters: int, links: int = 0, *, text: str = "") -> Segment:
    return row(text.ljust(characters, "x"), links)._replace(kind=kind)


OF_KIND: list[tuple[str, Segment, BlockClass, str]] = [
    ("code of 69 characters", of_kind("code", 69), NEAR_GOOD, "code, only 69 < 70 characters"),
    ("code of 70 characters", of_kind("code", 70), GOOD, "code, 70 >= 70 characters"),
    ("a formula of 69 characters", of_kind("formula", 69), NEAR_GOOD, "formula, only 69 < 70 characters"),
    ("a formula of 70 characters", of_kind("formula", 70), GOOD, "formula, 70 >= 70 characters"),
    ("a table of 200 characters", of_kind("table", 200), NEAR_GOOD, "table, only 200 <= 200 characters"),
    ("a table of 201 characters", of_kind("table", 201), GOOD, "table, 201 > 200 characters"),
    ("link density at the limit", of_kind("code", 100, 20), GOOD, "code, 100 >= 70 characters"),
    ("link density above the limit", of_kind("code", 100, 21), BAD, LINKED.format(0.21)),
    ("links of a table", of_kind("table", 300, 61), BAD, LINKED.format(0.203)),
    ("a link in short code", of_kind("code", 60, 6), NEAR_GOOD, "code, only 60 < 70 characters"),
    ("copyright sign", of_kind("code", 100, text="©"), BAD, "copyright sign"),
    ("any other kind", of_kind("quote", 300), BAD, "stop-word density 0 < 0.3"),
]


@pytest.mark.parametrize(("segment", "block_class", "reason"), [c[1:] for c in OF_KIND], ids=[c[0] for c in OF_KIND])
def test_length_decides_on_what_has_few_stop_words(segment: Segment, block_class: BlockClass, reason: str) -> None:
    assert decide_on_kind(segment, Thresholds()) == Decision(block_class, reason)


@pytest.mark.parametrize(
    ("way", "block_class"), [("length", GOOD), ("context", SHORT), ("keep", GOOD), ("drop", BAD), ("prose", BAD)]
)
@pytest.mark.parametrize(("kind", "name"), [("code", "code"), ("formula", "formulas"), ("table", "tables")])
def test_each_kind_is_judged_as_its_parameter_says(kind: str, name: str, way: str, block_class: BlockClass) -> None:
    segment = of_kind(kind, 300)
    chosen: dict[str, Any] = {name: way}
    thresholds = Thresholds(**chosen)
    assert decide_on_kind(segment, thresholds).block_class is block_class
    assert decide_on_kind(segment._replace(kind="text"), thresholds).block_class is BAD


def decide_on_kind(segment: Segment, thresholds: Thresholds) -> Decision:
    segments = BlockTable([segment])
    measured = measure(segments, STOPLIST)
    decisions = classify(segments, measured, thresholds, rules=PUBLISHED_RULES)
    return decide_by_kind(decisions, segments, lambda: measured, thresholds)[0]


#: Signs of a copyright, their beginnings, and what is like them, in characters of one, two and four bytes.
SIGNS = [
    "©", "&", "&copy", "&copy;", "ⓒ", "Ⓒ", "（c）", "（C） 2024", "（", "版权所有（c）", "a", "the", "é", "狐", "🦊",
    "\xa8",
]  # fmt: skip


@pytest.mark.parametrize("rules", [PUBLISHED_RULES, MODERN_RULES, JAVA_RULES, KIND_RULES])
@given(
    texts=st.lists(st.lists(st.sampled_from(SIGNS), min_size=1, max_size=9).map(" ".join), max_size=40),
    low=st.integers(0, 20),
    data=st.data(),
)
def test_blocks_are_decided_together_as_one_by_one(
    rules: tuple[Rule, ...], texts: list[str], low: int, data: st.DataObject
) -> None:
    segments = BlockTable(
        row(text, data.draw(st.integers(0, len(text))))._replace(
            kind=data.draw(st.sampled_from([CODE, FORMULA, TABLE]))
        )
        for text in texts
    )
    thresholds = Thresholds(length_low=low, length_high=2 * low)

    def decided(blocks: BlockTable) -> list[Decision]:
        return list(classify(blocks, measure(blocks, STOPLIST), thresholds, rules=rules))

    assert decided(segments) == [decision for segment in segments for decision in decided(BlockTable([segment]))]


def test_reasons_show_the_thresholds_in_force() -> None:
    tuned = Thresholds(length_low=10, length_high=20, stopwords_low=0.5, stopwords_high=0.6, max_link_density=0.1)
    shown = [
        decide(segment, tuned).reason
        for segment in (
            row("x" * 9), row("x" * 20, 3), row("the the x lamp"), row("the the the lamp"),
            row("the the the lamplighters"), row("the lamplighter x x"),
        )
    ]  # fmt: skip
    assert shown == [
        "short (9 < 10 characters)", "link density 0.15 > 0.1", "stop-word density 0.5 >= 0.5",
        "stop-word density 0.75 >= 0.6, only 16 <= 20 characters",
        "stop-word density 0.75 >= 0.6, 24 > 20 characters",
        "stop-word density 0.25 < 0.5",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "links", "measurements"),
    [
        ("The lamp", 0, (8, 2, 0, 0.0, 0.5)),
        ("THE the The lamp", 4, (16, 4, 1, 0.25, 0.75)),
        ("È vero", 0, (6, 2, 0, 0.0, 0.5)),
        ("the, lamp.", 0, (10, 2, 0, 0.0, 0.0)),
        ("\U0001f600\U0001f600", 1, (2, 1, 1, 0.5, 0.0)),
    ],
)
def test_measurements_are_shares_of_characters_and_of_words(
    text: str, links: int, measurements: tuple[float, ...]
) -> None:
    assert list(zip(*measure(BlockTable([row(text, links)]), STOPLIST), strict=True)) == [measurements]


def test_measurements_of_preformatted_text_are_those_of_one_line() -> None:
    pre = make_segment("the lamp", tag="pre")._replace(text="the\n    lamp", preformatted=True)
    assert list(zip(*measure(BlockTable([pre]), STOPLIST), strict=True)) == [(8, 2, 0, 0.0, 0.5)]


def decide(segment: Segment, thresholds: Thresholds | None = None) -> Decision:
    segments = BlockTable([segment])
    [decision] = classify(segments, measure(segments, STOPLIST), thresholds or Thresholds(), rules=PUBLISHED_RULES)
    return decision


def counted(texts: list[str], stopwords: frozenset[str]) -> tuple[list[int], list[int]]:
    """How many words the texts have, and how many stop words."""
    _, words, _, densities = measure_texts(texts, array("i", [0] * len(texts)), stopwords)
    return list(words), [round(density * count) for density, count in zip(densities, words, strict=True)]


WORDS = st.text(st.sampled_from("aAbıIİßẞσςΣéÉЖж ©的\u2028\x1f\xa0\u0345"), max_size=12)


@given(texts=st.lists((WORDS | st.text(max_size=20)).map(collapse)), stopwords=st.frozensets(WORDS.map(str.lower)))
@example(["ΟΔΟΣ ΣΟΦΙΑ Σ", "İ I ı"], frozenset({"οδος", "σ", "i̇", "i"}))
@example(["The THE the, " * 9000], frozenset({"the"}))
def test_words_are_counted_alike_by_compiled_code(texts: list[str], stopwords: frozenset[str]) -> None:
    split = [text.lower().split() for text in texts]
    expected = [len(words) for words in split], [sum(word in stopwords for word in words) for words in split]
    assert counted(texts, stopwords) == expected


@pytest.mark.full
def test_small_letters_are_those_of_python() -> None:
    letters = [chr(code) for code in range(sys.maxunicode + 1) if not chr(code).isspace()]
    small = frozenset(letter.lower() for letter in letters)
    assert counted([" ".join(letters)], small) == ([len(letters)], [len(letters)])
    [capitals] = [[letter for letter in letters if letter.lower() != letter]]
    assert counted(capitals, frozenset(capitals))[1] == [letter.lower() in capitals for letter in capitals]


#: Words in several scripts, with letters that change their number in small letters, and all kinds of white space.
PIECES = st.sampled_from(
    ["To", "be", "ÉTÉ", "İstanbul", "ΟΔΟΣ", "ß", "你好", "\xad", " ", "\n", "\t", "\xa0", "\u2028", "\x1c"]
)
SPACED = st.lists(PIECES, max_size=12).map("".join)


@given(SPACED)
def test_white_space_is_collapsed_as_by_split_and_join(text: str) -> None:
    assert collapse(text) == " ".join(text.split())


def test_all_stop_words_have_places_and_those_that_no_text_can_have_change_nothing() -> None:
    words = frozenset(f"word{i}" for i in range(3000))
    assert list(WordCounter(words).measure([" ".join(words), "word3000 no"])[2]) == [3000, 0]
    assert list(WordCounter(frozenset(["as well", "x", "", " "])).measure(["well well x"])[2]) == [1]
