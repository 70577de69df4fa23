"""The fast matching blocks are difflib's."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrapy_justext.evaluation.matching import matching_blocks

if TYPE_CHECKING:
    import random

Words = list[str]


def difflib_blocks(first: Words, second: Words, autojunk: bool) -> list[tuple[int, int, int]]:
    blocks = SequenceMatcher(None, first, second, autojunk).get_matching_blocks()
    return [(block.a, block.b, block.size) for block in blocks[:-1]]


def assert_equal(first: Words, second: Words) -> None:
    for autojunk in (True, False):
        found = [tuple(block) for block in matching_blocks(first, second, autojunk=autojunk)]
        assert found == difflib_blocks(first, second, autojunk)


def draw_words(chance: random.Random, words: int, alphabet: int, skew: float) -> Words:
    """Words of an alphabet of a size, some of them more frequent the greater ``skew``."""
    weights = [1 / (1 + place) ** skew for place in range(alphabet)]
    return [str(one) for one in chance.choices(range(alphabet), weights, k=words)]


def edit(chance: random.Random, words: Words, edits: int, alphabet: int) -> Words:
    """The words with pieces of them replaced, deleted, moved and doubled."""
    edited = list(words)
    for _ in range(edits):
        start = chance.randrange(len(edited) + 1)
        end = start + chance.randrange(12)
        other = chance.randrange(len(edited) + 1)
        piece = chance.choice([[], edited[other : other + 40], draw_words(chance, 5, alphabet, 0)])
        edited[start:end] = piece
    return edited


CASES = {
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
}


@pytest.mark.parametrize(("first", "second"), CASES.values(), ids=CASES)
def test_small_sequences(first: str, second: str) -> None:
    assert_equal(first.split(), second.split())


def test_blocks_by_hand() -> None:
    found = matching_blocks(list("qabxcd"), list("abycda"))
    assert found == [(1, 0, 2), (4, 3, 2)]


@pytest.mark.parametrize("length", [199, 200, 201])
def test_frequent_words_start_no_match_from_200_words_on(length: int) -> None:
    rare = [f"rare{place}" for place in range(length - 10)]
    second = [*rare, *["the"] * 10]
    first = ["the", "the", "end"]
    assert_equal(first, second)
    assert bool(matching_blocks(first, second)) == (length < 200)


@pytest.mark.parametrize("count", [3, 4])
def test_a_word_is_frequent_above_one_in_a_hundred_plus_one(count: int) -> None:
    second = [*[f"rare{place}" for place in range(200 - count)], *["the"] * count]
    assert_equal(["x", "the", "y"], second)
    assert bool(matching_blocks(["x", "the", "y"], second)) == (count == 3)


def test_frequent_words_prolong_a_match() -> None:
    second = [*["the"] * 50, "cat", *["the"] * 49, *[f"rare{place}" for place in range(150)]]
    first = ["the", "the", "cat", "the", "x", "the"]
    assert_equal(first, second)
    assert matching_blocks(first, second) == [(0, 48, 4)]


def test_sequences_that_open_with_frequent_words() -> None:
    filler = [f"rare{place}" for place in range(200)]
    assert_equal(["the", "the", "x"], ["the", "the", *filler, *["the"] * 20])


@given(st.lists(st.sampled_from("abc"), max_size=40), st.lists(st.sampled_from("abc"), max_size=40))
@settings(max_examples=400)
def test_few_words(first: Words, second: Words) -> None:
    assert_equal(first, second)


@given(
    st.randoms(use_true_random=False),
    st.integers(1, 400),
    st.integers(0, 500),
    st.integers(0, 500),
    st.sampled_from([0.0, 0.7, 1.5]),
)
@settings(max_examples=150)
def test_unrelated_sequences(chance: random.Random, alphabet: int, first: int, second: int, skew: float) -> None:
    assert_equal(draw_words(chance, first, alphabet, skew), draw_words(chance, second, alphabet, skew))


@given(
    st.randoms(use_true_random=False),
    st.integers(1, 600),
    st.integers(1, 700),
    st.integers(0, 25),
    st.sampled_from([0.0, 0.7, 1.5]),
)
@settings(max_examples=200)
def test_edited_sequences(chance: random.Random, alphabet: int, words: int, edits: int, skew: float) -> None:
    first = draw_words(chance, words, alphabet, skew)
    second = edit(chance, first, edits, alphabet)
    assert_equal(first, second)
    assert_equal(second, first)


def test_more_words_than_characters_below_the_surrogates() -> None:
    first = [str(number) for number in range(0xE000)]
    second = [*first[100:], *first[:100]]
    assert matching_blocks(first, second) == [(100, 0, len(first) - 100)]
    assert matching_blocks(second[:200], second[-200:]) == []


@pytest.mark.parametrize("length", range(1, 40))
def test_runs_of_every_length_are_found(length: int) -> None:
    shared = [f"shared{place}" for place in range(length)]
    assert_equal(["x", "y", *shared, "z"], ["u", *shared, "v", "w"])
    assert matching_blocks(["x", "y", *shared, "z"], ["u", *shared, "v", "w"]) == [(2, 1, length)]


def test_long_runs_of_one_word_do_not_take_quadratic_memory_or_time() -> None:
    words = ["a"] * 1500
    assert matching_blocks(words, words, autojunk=False) == [(0, 0, 1500)]
    assert matching_blocks(words, words[:700], autojunk=False) == [(0, 0, 700)]
