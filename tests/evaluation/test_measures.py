"""Every measure: by hand, at its boundaries, and against the formula that its data set published."""

import re
import string
from collections import Counter
from difflib import SequenceMatcher
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_justext.evaluation.datasets.documents import Snippets
from scrapy_justext.evaluation.measures import (
    MEASURES,
    SNIPPET_MEASURE,
    Measure,
    Scores,
    matching_blocks,
    score_sequence,
    split_words,
)

GOLD = "The cat sat on the mat."

#: So many words that are there once.
RARE = {count: " ".join(f"rare{place}" for place in range(count)) for count in (150, 189, 190, 196, 197, 200)}

# gold, retrieved, precision, recall, F1, case
BY_HAND: dict[str, dict[str, tuple[str, str, float | None, float | None, float | None, str]]] = {
    "sequence": {
        "equal": (GOLD, GOLD, 1.0, 1.0, 1.0, "ok"),
        "equal but for case and punctuation": (GOLD, "the CAT (sat) on: the mat", 1.0, 1.0, 1.0, "ok"),
        "half of it": (GOLD, "the cat sat", 1.0, 0.5, 2 / 3, "ok"),
        "twice as much": (GOLD, f"{GOLD} and then some more words here", 0.5, 1.0, 2 / 3, "ok"),
        "in another order": ("a b c d", "c d a b", 0.5, 0.5, 0.5, "ok"),
        "one of three": ("a b c", "x b y", 1 / 3, 1 / 3, 1 / 3, "ok"),
        "relevant empty": ("", "a", 0.0, None, None, "relevant_empty"),
        "relevant without a word": ("— …", "a", 0.0, None, None, "relevant_empty"),
        "retrieved empty": ("a", " \n", None, 0.0, None, "retrieved_empty"),
        "both empty": ("", "", None, None, None, "both_empty"),
        "mismatch": ("a b", "c", 0.0, 0.0, None, "mismatch"),
    },
    "character": {
        "equal": (GOLD, GOLD, 1.0, 1.0, 1.0, "ok"),
        # "cat" and "sat", 6 characters, of the 17 of all words
        "two words": (GOLD, "cat sat", 1.0, 6 / 17, 12 / 23, "ok"),
        "long words weigh more": ("a bcdefghij", "x bcdefghij", 0.9, 0.9, 0.9, "ok"),
        "relevant empty": ("", "abc", 0.0, None, None, "relevant_empty"),
        "retrieved empty": ("abc", "", None, 0.0, None, "retrieved_empty"),
        "both empty": ("", "", None, None, None, "both_empty"),
        "mismatch": ("abc", "abd", 0.0, 0.0, None, "mismatch"),
    },
    "bag": {
        "equal in another order": ("a b c d", "d c B A", 1.0, 1.0, 1.0, "ok"),
        # "the" counts twice: 2 of 3 words retrieved, of 6
        "as often as in both": (GOLD, "the the the", 2 / 3, 2 / 6, 4 / 9, "ok"),
        "other scripts": ("Ελλάδα und Österreich", "ελλάδα", 1.0, 1 / 3, 0.5, "ok"),
        "an underscore is part of a word": ("a_b", "a b", 0.0, 0.0, 0.0, "mismatch"),
        "relevant empty": ("", "a", 0.0, 0.0, 0.0, "relevant_empty"),
        "retrieved empty": ("a", "", 0.0, 0.0, 0.0, "retrieved_empty"),
        "both empty": (" ", "…", 1.0, 1.0, 1.0, "both_empty"),
        "mismatch": ("a", "b", 0.0, 0.0, 0.0, "mismatch"),
    },
    "shingle": {
        "equal": (GOLD, GOLD, 1.0, 1.0, 1.0, "ok"),
        # abcd bcde of abcd bcde cdef
        "two of three": ("a b c d e f", "a b c d e", 1.0, 2 / 3, 0.8, "ok"),
        "each as often as in both": ("a b c d", "a b c d a b c d", 1 / 5, 1.0, 1 / 3, "ok"),
        "fewer than four words are one shingle": ("a b c", "a b c", 1.0, 1.0, 1.0, "ok"),
        "three words are not in four": ("a b c d", "a b c", 0.0, 0.0, None, "mismatch"),
        "case counts": ("A b c d", "a b c d", 0.0, 0.0, None, "mismatch"),
        "relevant empty": ("", "a", 0.0, None, None, "relevant_empty"),
        "retrieved empty": ("a", "", None, 0.0, None, "retrieved_empty"),
        "both empty": ("", "", None, None, None, "both_empty"),
    },
    "edit": {
        "equal": (GOLD, GOLD, 1.0, 1.0, 1.0, "ok"),
        "in another order": ("a b c d", "c d a b", 0.5, 0.5, 0.5, "ok"),
        # "b d f" stay, where matching blocks, which begin with the longest, find "x y" only
        "the longest subsequence, not the longest block": ("b x y d f", "b d f x y", 0.6, 0.6, 0.6, "ok"),
        "a word replaced is one deleted and one inserted": ("a b c", "a x c d", 0.5, 2 / 3, 4 / 7, "ok"),
        "relevant empty": ("", "a", 0.0, None, None, "relevant_empty"),
        "retrieved empty": ("a", "", None, 0.0, None, "retrieved_empty"),
        "both empty": ("", "", None, None, None, "both_empty"),
        "mismatch": ("a", "b", 0.0, 0.0, None, "mismatch"),
    },
}

CASES = {f"{name}, {case}": (name, *values) for name, cases in BY_HAND.items() for case, values in cases.items()}

TEXTS = st.text(alphabet="abc dE.é\n", max_size=60)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_by_hand(case: Any) -> None:
    name, gold, retrieved, *figures, kind = case
    scores = MEASURES[name](gold, retrieved)
    assert scores[:3] == pytest.approx(figures)
    assert scores.case == kind


def test_all_measures_are_tested_by_hand_and_named() -> None:
    assert set(MEASURES) == set(BY_HAND)
    assert all(name == measure.name for name, measure in MEASURES.items())


@pytest.mark.parametrize("name", ["sequence", "character", "edit"])
def test_the_switch_for_other_scripts(name: str) -> None:
    assert MEASURES[name]("Съешь ещё", "ещё").case == "both_empty"
    scores = MEASURES[name]("Съешь ещё", "ещё", keep_non_ascii=True)
    assert (scores.precision, scores.case) == (1.0, "ok")


@pytest.mark.parametrize("name", MEASURES)
@given(gold=TEXTS, retrieved=TEXTS)
def test_figures_are_shares_and_symmetric(name: str, gold: str, retrieved: str) -> None:
    scores, swapped = MEASURES[name](gold, retrieved), MEASURES[name](retrieved, gold)
    assert all(value is None or 0 <= value <= 1 for value in scores[:3])
    if name not in ("sequence", "character"):  # difflib's blocks depend on which is the first
        assert (scores.precision, scores.recall) == (swapped.recall, swapped.precision)
    assert (scores.f1 is None) <= (scores.case != "ok")


@given(st.lists(st.sampled_from("abc"), max_size=300), st.lists(st.sampled_from("abcd"), max_size=300))
def test_autojunk_is_difflibs(gold: list[str], retrieved: list[str]) -> None:
    blocks = SequenceMatcher(None, gold, retrieved).get_matching_blocks()
    texts = " ".join(gold), " ".join(retrieved)
    scores = score_sequence(*texts)
    assert scores.sizes == (len(gold), len(retrieved), sum(block.size for block in blocks))
    assert MEASURES["character"](*texts)[:4] == scores[:4]


def published_wcxb(gold: str, retrieved: str) -> float:
    """WCXB's F1 of a page."""
    expected, actual = Counter(re.findall(r"\w+", gold.lower())), Counter(re.findall(r"\w+", retrieved.lower()))
    if not expected:
        return float(not actual)
    shared = sum(min(count, actual[word]) for word, count in expected.items())
    if not shared:
        return 0.0
    precision, recall = shared / sum(actual.values()), shared / sum(expected.values())
    return 2 * precision * recall / (precision + recall)


def published_shingles(pairs: list[tuple[str, str]]) -> tuple[float, float, float]:
    """The article extraction benchmark's figures of a set: means of precision and recall, and their harmonic mean."""
    precisions, recalls = [], []
    for gold, retrieved in pairs:
        bags = []
        for text in (gold, retrieved):
            tokens = re.findall(r"\w+", text)
            bags.append(Counter(tuple(tokens[i : i + 4]) for i in range(max(1, len(tokens) - 3)) if tokens))
        keys = set(bags[0]) | set(bags[1])
        true_positive = sum(min(bags[0][key], bags[1][key]) for key in keys)
        false_positive = sum(max(0, bags[1][key] - bags[0][key]) for key in keys)
        false_negative = sum(max(0, bags[0][key] - bags[1][key]) for key in keys)
        if true_positive + false_positive:
            precisions.append(true_positive / (true_positive + false_positive))
        if true_positive + false_negative:
            recalls.append(true_positive / (true_positive + false_negative))
    precision, recall = sum(precisions) / len(precisions), sum(recalls) / len(recalls)
    return precision, recall, 2 * precision * recall / (precision + recall)


def published_edits(gold: list[str], retrieved: list[str]) -> int:
    """Words that the fewest insertions and deletions leave, by the textbook's table."""
    row = [0] * (len(retrieved) + 1)
    for word in gold:
        before = row
        row = [0]
        for place, other in enumerate(retrieved):
            row.append(before[place] + 1 if word == other else max(before[place + 1], row[-1]))
    return row[-1]


def counted(measure: Measure, pairs: list[tuple[str, str]]) -> list[Scores]:
    """The scores that are part of the means."""
    return [scores for pair in pairs if (scores := measure(*pair)).case in measure.counted]


@given(gold=TEXTS, retrieved=TEXTS)
def test_bag_is_wcxbs(gold: str, retrieved: str) -> None:
    assert MEASURES["bag"](gold, retrieved).f1 == pytest.approx(published_wcxb(gold, retrieved))


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=8))
def test_shingles_are_the_benchmarks(pairs: list[tuple[str, str]]) -> None:
    pairs = [("a b c d e", "a b c d"), *pairs]
    shingle = MEASURES["shingle"]
    found = shingle.aggregate(counted(shingle, pairs))
    assert found == pytest.approx(published_shingles(pairs))


@given(st.lists(st.sampled_from("abcd"), max_size=30), st.lists(st.sampled_from("abcd"), max_size=30))
def test_edits_are_the_fewest(gold: list[str], retrieved: list[str]) -> None:
    assert MEASURES["edit"](" ".join(gold), " ".join(retrieved)).sizes.common == published_edits(gold, retrieved)


def test_means_leave_boundary_cases_out_where_the_measure_says_so() -> None:
    pairs = [("a b", "a b"), ("a b", "a"), ("", "a"), ("a", ""), ("", ""), ("a", "b")]
    means = {}
    for name, measure in MEASURES.items():
        means[name] = measure.aggregate(counted(measure, pairs))
    for name in ("sequence", "character", "edit"):
        assert means[name] == pytest.approx((1.0, 0.75, (1 + 2 / 3) / 2))
    # 1 for the equal texts and for the two that are both empty
    assert means["bag"] == pytest.approx((3 / 6, 2.5 / 6, (2 + 2 / 3) / 6))
    # of four documents with something retrieved, and of four with a gold standard, one is right
    assert means["shingle"] == pytest.approx((1 / 4, 1 / 4, 1 / 4))
    assert MEASURES["shingle"].aggregate([MEASURES["shingle"]("a", "b")]) == (0.0, 0.0, 0.0)


#: Retrieved texts for the snippets ``("so it goes", "and so on")`` and not ``("menu", "imprint")``, with the scores.
SNIPPET_CASES = {
    "all and nothing else": ("And so: so it goes and so on.", 1.0, 1.0, 1.0, "ok", (2, 2, 2)),
    "white space is alike": ("so\n it\xa0goes", 1.0, 0.5, 2 / 3, "ok", (2, 1, 1)),
    "case counts": ("So it goes", 0.0, 0.0, 0.0, "retrieved_empty", (2, 0, 0)),
    "unwanted ones": ("menu so it goes imprint", 1 / 3, 0.5, 0.4, "ok", (2, 3, 1)),
    "unwanted ones alone": ("menu", 0.0, 0.0, 0.0, "mismatch", (2, 1, 0)),
    "often is once": ("so it goes so it goes", 1.0, 0.5, 2 / 3, "ok", (2, 1, 1)),
}


@pytest.mark.parametrize("case", SNIPPET_CASES.values(), ids=SNIPPET_CASES)
def test_snippets(case: Any) -> None:
    retrieved, *figures, kind, sizes = case
    scores = SNIPPET_MEASURE(Snippets(("so it goes", "and so on"), ("menu", "imprint")), retrieved)
    assert scores[:3] == pytest.approx(figures)
    assert (scores.case, scores.sizes) == (kind, sizes)


def test_a_page_with_unwanted_snippets_alone() -> None:
    snippets = Snippets((), ("menu",))
    assert SNIPPET_MEASURE(snippets, "text")[:4] == (1.0, 1.0, 1.0, "both_empty")
    assert SNIPPET_MEASURE(snippets, "menu")[:4] == (0.0, 0.0, 0.0, "relevant_empty")


SNIPPET_PAGES = st.tuples(st.sets(st.sampled_from("abc")), st.sets(st.sampled_from("xyz")), st.text("abcxyz"))


@given(st.lists(SNIPPET_PAGES, min_size=1, max_size=6))
def test_snippets_of_all_pages_are_counted_together(pages: list[tuple[set[str], set[str], str]]) -> None:
    right = sum(snippet in text for wanted, _, text in pages for snippet in wanted)
    wrong = sum(snippet in text for _, unwanted, text in pages for snippet in unwanted)
    missed = sum(len(wanted) for wanted, _, _ in pages) - right
    found = SNIPPET_MEASURE.aggregate(
        [SNIPPET_MEASURE(Snippets((*wanted,), (*unwanted,)), text) for wanted, unwanted, text in pages]
    )
    precision, recall, f1 = found
    assert precision == pytest.approx(right / (right + wrong) if right + wrong else 0)
    assert recall == pytest.approx(right / (right + missed) if right + missed else 0)
    assert f1 == pytest.approx(2 * right / (2 * right + wrong + missed) if right + wrong + missed else 0)


def test_aggregates_of_nothing() -> None:
    assert SNIPPET_MEASURE.aggregate([]) == (None, None, None)
    for measure in MEASURES.values():
        both_empty = [Scores(None, None, None, "both_empty")] if "both_empty" in measure.counted else []
        assert measure.aggregate([]) == measure.aggregate(both_empty) == (None, None, None)


# Words

WORDS = {
    "nothing": ("", []), "only white space": (" \t\n\r\v\f ", []), "only punctuation": (string.punctuation, []),
    "lower case": ("One TWO", ["one", "two"]),
    "punctuation parts words": ("it's well-known (a_b)", ["it", "s", "well", "known", "a", "b"]),
    "controls are removed, not replaced": ("con\x00trol\x1c\x7f", ["control"]),
    "line ends part words": ("one\r\ntwo\nthree", ["one", "two", "three"]),
    "digits stay": ("3.14 2nd", ["3", "14", "2nd"]), "letters outside ASCII are removed": ("naïve Ελλάδα", ["nave"]),
    "no letter becomes ASCII by lower-casing": ("\u212a\u0130x", ["x"]),
    "the no-break space is white space": ("one\xa0two", ["one", "two"]),
    "dashes and quotes are punctuation": ("“one”—two…", ["one", "two"]),
}  # fmt: skip

WORDS_KEPT = {
    "letters stay": ("Naïve ΕΛΛΆΔΑ", ["naïve", "ελλάδα"]),
    "a script without case": ("中文，句子。", ["中文", "句子"]),
    "controls are removed": ("a\x85b c\x9fd", ["a", "b", "cd"]),
    "symbols of ASCII are punctuation": ("a+b=c", ["a", "b", "c"]),
    "no-break space and dash": ("one\xa0two—three", ["one", "two", "three"]),
}


@pytest.mark.parametrize(("text", "words"), WORDS.values(), ids=WORDS)
def test_words_in_ascii(text: str, words: list[str]) -> None:
    assert split_words(text) == words


@pytest.mark.parametrize(("text", "words"), WORDS_KEPT.values(), ids=WORDS_KEPT)
def test_words_in_any_script(text: str, words: list[str]) -> None:
    assert split_words(text, keep_non_ascii=True) == words


# Matching blocks

BLOCKS = {
    "nothing": ("", ""),
    "nothing retrieved": ("a b", ""),
    "equal": ("a b c", "a b c"),
    "nothing shared": ("a b c", "d e f"),
    "the longest first, not the first": ("a x b c d", "b c d a"),
    "of equal ones the earliest in the first": ("a b x c d", "c d y a b"),
    "of equal ones the earliest in the second": ("a b", "a b x a b"),
    "one word each": ("a x b y c", "c a z b"),
    "adjoining blocks become one": ("a b c d e", "a b c d e"),
    "a word on the way to another": ("a b a b a", "b a b"),
    # From 200 words on, a word that is more than one in a hundred, plus one, starts no match.
    "frequent words of few": ("the the end", f"{RARE[189]} {'the ' * 10}"),
    "frequent words of many": ("the the end", f"{RARE[190]} {'the ' * 10}"),
    "just not frequent": ("x the y", f"{RARE[197]} {'the ' * 3}"),
    "just frequent": ("x the y", f"{RARE[196]} {'the ' * 4}"),
    "frequent words prolong a match": ("the the cat the x the", f"{'the ' * 50} cat {'the ' * 49} {RARE[150]}"),
    "frequent words at the start": ("the the x", f"the the {RARE[200]} {'the ' * 20}"),
}


@pytest.mark.parametrize("autojunk", [True, False])
@pytest.mark.parametrize(("first", "second"), BLOCKS.values(), ids=BLOCKS)
def test_matching_blocks_are_difflibs(first: str, second: str, autojunk: bool) -> None:
    words = first.split(), second.split()
    blocks = SequenceMatcher(None, *words, autojunk).get_matching_blocks()
    assert matching_blocks(*words, autojunk=autojunk) == blocks[:-1]


def test_frequent_words_start_no_match_from_200_words_on() -> None:
    matched = {name: bool(matching_blocks(*(text.split() for text in BLOCKS[name]))) for name in BLOCKS}
    assert (matched["frequent words of few"], matched["frequent words of many"]) == (True, False)
    assert (matched["just not frequent"], matched["just frequent"]) == (True, False)


def test_many_different_words() -> None:
    first = [str(number) for number in range(0xE000)]
    second = [*first[100:], *first[:100]]
    assert matching_blocks(first, second) == [(100, 0, len(first) - 100)]
    assert matching_blocks(second[:200], second[-200:]) == []
