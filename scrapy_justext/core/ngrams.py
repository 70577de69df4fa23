"""The n-grams of a page as 40-bit numbers: of five words or, in scripts without spaces, of about as many characters;
and sketches of them, by which pages that are nearly alike are found later.

Case and punctuation do not count.  The n-grams of a page go on from one block into the next, so that a page of short
lines has some, too.  All of a page are made at once, in columns.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scrapy_justext.core.unsegmented import SCRIPTS, script_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

#: Words of an n-gram.
WORDS = 5
#: Bits of a key: a new n-gram has the key of one of a thousand million others once in a thousand times.
KEY_BITS = 40

_UNSPACED = "".join(script.characters for script in SCRIPTS)
#: Marks that belong to the letter in front of them, and that regular expressions do not count among letters.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u0900-\u0963\u0966-\u0dff"
)
_WORD = re.compile(f"[\\w{_MARKS}]+")
#: In texts without spaces: a character, or a word of another script.
_CHARACTER = re.compile(f"[{_UNSPACED}]|[^\\W{_UNSPACED}]+")

_KEY_SHIFT = np.uint64(64 - KEY_BITS)
_LINE_FEED = 10


class NGrams(NamedTuple):
    """The n-grams of a page in their order."""

    keys: NDArray[np.uint64]
    texts: NDArray[np.intp]
    """For each the index of the text that it is in; -1 for one that goes on in the next text."""


def ngrams_of(texts: Sequence[str]) -> NGrams:
    """Return the n-grams of the texts of a page.

    >>> ngrams_of(["One two, three: four five SIX", "seven"]).texts.tolist()
    [0, 0, -1]
    """
    lengths = [_length(text) for text in texts]
    # Texts of different scripts have n-grams of their own.
    parts = [_of_length(texts, length, [own == length for own in lengths]) for length in sorted(set(lengths))]
    if not parts:
        return NGrams(np.empty(0, np.uint64), np.empty(0, np.intp))
    return NGrams(np.concatenate([part.keys for part in parts]), np.concatenate([part.texts for part in parts]))


def _length(text: str) -> int:
    script = script_of(text)
    return WORDS if script is None else round(WORDS * script.characters_per_word)


def _of_length(texts: Sequence[str], length: int, chosen: Sequence[bool]) -> NGrams:
    pattern = _WORD if length == WORDS else _CHARACTER
    tokens: list[str] = []
    counts: list[int] = []
    for text, is_chosen in zip(texts, chosen, strict=True):
        own = pattern.findall(text.lower()) if is_chosen else []
        tokens += own
        counts.append(len(own))
    if len(tokens) < length:
        return NGrams(np.empty(0, np.uint64), np.empty(0, np.intp))
    hashes = _hash_tokens(tokens)
    count = len(tokens) - length + 1
    factors = _mix(np.arange(1, length + 1, dtype=np.uint64)) | np.uint64(1)
    sums = np.zeros(count, np.uint64)
    for i in range(length):
        sums += hashes[i : i + count] * factors[i]
    of_token = np.repeat(np.arange(len(texts)), counts)
    first, last = of_token[:count], of_token[length - 1 :]
    # 0 is what an empty place in a table holds.
    return NGrams(np.maximum(_mix(sums) >> _KEY_SHIFT, np.uint64(1)), np.where(first == last, first, -1))


def _hash_tokens(tokens: Sequence[str]) -> NDArray[np.uint64]:
    """Return a number for each token: the sum of its bytes, each times a factor of its position."""
    joined = np.frombuffer("\n".join(tokens).encode("utf-8", "surrogatepass") + b"\n", np.uint8)
    ends = np.flatnonzero(joined == _LINE_FEED)
    starts = np.concatenate([[0], ends[:-1] + 1])
    positions = np.arange(len(joined)) - np.repeat(starts, ends - starts + 1)
    factors = _mix(positions.astype(np.uint64) + np.uint64(1))
    return np.add.reduceat(joined.astype(np.uint64) * factors, starts)


def _mix(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return numbers whose bits all depend on all bits of ``values``: the end of SplitMix64 (Steele et al., 2014)."""
    values = values + np.uint64(0x9E3779B97F4A7C15)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


#: Numbers of a MinHash, and n-grams that are looked at together.
PERMUTATIONS, _TOGETHER = 128, 1 << 12
_FACTORS, _TERMS = np.split(_mix(np.arange(2 * PERMUTATIONS, dtype=np.uint64)), 2)
_UPPER = np.uint64(32)


def simhash(texts: Sequence[str]) -> str | None:
    """Return the SimHash of texts (Charikar, 2002): 64 bits, in 16 hexadecimal digits; None for texts without n-grams.

    A bit is 1 if it is 1 in the hashes of most n-grams.  If texts are alike, few bits differ.

    >>> simhash(["Far out in the uncharted backwaters of the unfashionable end"]), simhash(["Read more"])
    ('...', None)
    """
    keys = ngrams_of(texts).keys
    if not len(keys):
        return None
    set_bits = np.zeros(64, np.int64)
    for start in range(0, len(keys), _TOGETHER):
        # Big-endian on every machine.
        hashes = _mix(keys[start : start + _TOGETHER]).astype(">u8").view(np.uint8).reshape(-1, 8)
        set_bits += np.unpackbits(hashes, axis=1).sum(axis=0, dtype=np.int64)
    return np.packbits(2 * set_bits > len(keys)).tobytes().hex()


def minhash(texts: Sequence[str]) -> list[int] | None:
    """Return the MinHash of texts (Broder, 1997): 128 numbers of 32 bits; None for texts without n-grams.

    Each is the least of one hash of all n-grams.  The share of numbers that two texts have in common, at the same
    places, estimates the share of n-grams that they have in common (Jaccard's similarity).

    >>> len(minhash(["Far out in the uncharted backwaters of the unfashionable end"])), minhash(["Read more"])
    (128, None)
    """
    keys = ngrams_of(texts).keys
    if not len(keys):
        return None
    least = np.full(PERMUTATIONS, np.iinfo(np.uint64).max, np.uint64)
    for start in range(0, len(keys), _TOGETHER):
        # Multiply-shift (Dietzfelbinger et al., 1997): the upper half of a product with an odd factor, and a sum.
        hashes = (keys[start : start + _TOGETHER, None] * (_FACTORS | np.uint64(1)) + _TERMS) >> _UPPER
        least = np.minimum(least, hashes.min(axis=0))
    sketch: list[int] = least.tolist()
    return sketch
