"""Text to words, as the measures over sequences compare them."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_justext.evaluation.measures import split_words

CASES = {
    "nothing": ("", []),
    "only white space": (" \t\n\r\v\f ", []),
    "only punctuation": (string.punctuation, []),
    "lower case": ("One TWO", ["one", "two"]),
    "punctuation parts words": ("it's well-known (a_b)", ["it", "s", "well", "known", "a", "b"]),
    "controls are removed, not replaced": ("con\x00trol\x1c\x7f", ["control"]),
    "line ends part words": ("one\r\ntwo\nthree", ["one", "two", "three"]),
    "digits stay": ("3.14 2nd", ["3", "14", "2nd"]),
    "letters outside ASCII are removed": ("naïve Ελλάδα", ["nave"]),
    "no letter becomes ASCII by lower-casing": ("\u212a\u0130x", ["x"]),
    "the no-break space is white space": ("one\xa0two", ["one", "two"]),
    "dashes and quotes are punctuation": ("“one”—two…", ["one", "two"]),
}

KEPT = {
    "letters stay": ("Naïve ΕΛΛΆΔΑ", ["naïve", "ελλάδα"]),
    "a script without case": ("中文，句子。", ["中文", "句子"]),
    "controls are removed": ("a\x85b c\x9fd", ["a", "b", "cd"]),
    "symbols of ASCII are punctuation": ("a+b=c", ["a", "b", "c"]),
    "no-break space and dash": ("one\xa0two—three", ["one", "two", "three"]),
}


@pytest.mark.parametrize(("text", "words"), CASES.values(), ids=CASES)
def test_words_in_ascii(text: str, words: list[str]) -> None:
    assert split_words(text) == words


@pytest.mark.parametrize(("text", "words"), KEPT.values(), ids=KEPT)
def test_words_in_any_script(text: str, words: list[str]) -> None:
    assert split_words(text, keep_non_ascii=True) == words


@given(st.text())
def test_words_hold_ascii_letters_and_digits_only(text: str) -> None:
    allowed = set(string.ascii_lowercase + string.digits)
    assert all(word and set(word) <= allowed for word in split_words(text))


@given(st.text(alphabet=st.characters(max_codepoint=0x7F)))
def test_both_ways_agree_on_ascii(text: str) -> None:
    assert split_words(text) == split_words(text, keep_non_ascii=True)
