"""White space and words, as Python's own methods have them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scrapy_justext.core.text import WordCounter, collapse

#: Words in several scripts, with letters that change their number in small letters, and all kinds of white space.
PIECES = st.sampled_from(
    ["To", "be", "ÉTÉ", "İstanbul", "ΟΔΟΣ", "ß", "你好", "\xad", " ", "\n", "\t", "\xa0", "\u2028", "\x1c"]
)
TEXTS = st.lists(PIECES, max_size=12).map("".join)


@given(TEXTS)
def test_white_space_is_collapsed_as_by_split_and_join(text: str) -> None:
    assert collapse(text) == " ".join(text.split())


WORDS = st.frozensets(st.sampled_from(["to", "be", "été", "i̇stanbul", "οδος", "ß", "x"]))


@given(st.lists(TEXTS.map(collapse), max_size=4), WORDS)
def test_words_are_counted_as_split_finds_them(texts: list[str], words: frozenset[str]) -> None:
    found = [text.lower().split() for text in texts]
    expected = [len(each) for each in found], [sum(word in words for word in each) for each in found]
    assert [list(column) for column in WordCounter(words).measure(texts)[1:]] == list(expected)


def test_all_stop_words_have_places() -> None:
    words = frozenset(f"word{i}" for i in range(3000))
    assert list(WordCounter(words).measure([" ".join(words), "word3000 no"])[2]) == [3000, 0]


def test_words_that_no_text_can_have_change_no_count() -> None:
    assert list(WordCounter(frozenset(["as well", "x", "", " "])).measure(["well well x"])[2]) == [1]
