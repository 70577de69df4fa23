"""Sketches of texts: the same everywhere, and near where the texts are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_justext import extract
from scrapy_justext.core.extraction import part_of
from scrapy_justext.core.ngrams import PERMUTATIONS, minhash, ngrams_of, simhash

WORDS = [f"word{number}" for number in range(12_000)]
TEXT = (
    "Far out in the uncharted backwaters of the unfashionable end of the western spiral arm of the Galaxy lies a sun."
)


def bits(first: str | None, other: str | None) -> int:
    assert first
    assert other
    return (int(first, 16) ^ int(other, 16)).bit_count()


def share(first: list[int] | None, other: list[int] | None) -> float:
    assert first
    assert other
    return sum(map(int.__eq__, first, other)) / PERMUTATIONS


def test_they_are_the_same_on_every_machine_and_in_every_version() -> None:
    assert simhash([TEXT]) == "3349d1bee22cabe6"
    first = minhash([TEXT])
    assert first is not None
    assert (first[:3], sum(first)) == ([617817197, 207718052, 391507950], 33643203159)


@pytest.mark.parametrize("words", [1, 100, 5000])
def test_near_texts_have_near_sketches(words: int) -> None:
    """Some words differ, of 12,000: n-grams are looked at in several parts."""
    other = [*WORDS[:-words], *(f"other{number}" for number in range(words))]
    first, two = [" ".join(WORDS)], [" ".join(other)]
    sets = [set(ngrams_of(texts).keys.tolist()) for texts in (first, two)]
    jaccard = len(sets[0] & sets[1]) / len(sets[0] | sets[1])
    assert share(minhash(first), minhash(two)) == pytest.approx(
        jaccard, abs=3 * np.sqrt(jaccard * (1 - jaccard) / PERMUTATIONS)
    )
    assert bits(simhash(first), simhash(two)) <= {1: 1, 100: 6, 5000: 30}[words]
    assert bits(simhash(first), simhash([" ".join(reversed(WORDS))])) > 16


def test_case_punctuation_and_blocks_do_not_count_and_short_texts_have_none() -> None:
    same = TEXT.upper().replace(".", "!")
    assert (simhash([same]), minhash([same])) == (simhash([TEXT]), minhash([TEXT]))
    assert simhash([TEXT[:50], TEXT[50:]]) == simhash([TEXT[:50] + " " + TEXT[50:]])
    assert (simhash(["one two three four"]), minhash([])) == (None, None)
    assert simhash(["世界上有很多老书，也有很多新书"]) is not None


def test_they_are_made_of_the_good_text() -> None:
    extraction = extract(
        f"<ul><li><a href=/>Home and all other pages of this site</a></ul><p>{TEXT * 3}", language="English"
    )
    assert part_of(extraction, "simhash") == simhash(extraction.paragraphs) != simhash([TEXT])
    assert part_of(extraction, "minhash") == minhash(extraction.paragraphs)
    assert extraction.with_bad({1: "repeated"}).simhash is None


@given(texts=st.lists(st.text(max_size=60), max_size=5))
def test_any_texts_have_both_or_none(texts: list[str]) -> None:
    first, other = simhash(texts), minhash(texts)
    assert (first is None) is (other is None) is (len(ngrams_of(texts).keys) == 0)
    assert first is None or len(first) == 16
    assert other is None or all(0 <= number < 1 << 32 for number in other)
