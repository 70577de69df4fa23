"""What characters say of a text in any script: counts per block, all blocks of a page at once.

Lengths are in units: one is what a Latin letter says (:mod:`scrapy_justext.core.unsegmented`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import category

import numpy as np

from scrapy_justext.core.unsegmented import UNITS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

#: Marks that end a sentence wherever they stand.
STRONG_ENDS = "!?…。！？｡．؟۔।॥።፧፨၊။។៕།༎༏՞՜։‼⁇⁈⁉"
#: Marks that end one before a space, a closing quote or the block's end only: 3.14 has none.
WEAK_ENDS = ".·"
COMMAS = ",،、，､;；՝፣၊"
COLONS = ":：；;፥"
BARS = "|•·›»>/¦→←‹«"
QUOTES = "\"'»”’)]」』）】›"

#: The beginnings of :data:`UNITS` that are written without spaces between words.
_SPACED = (0xAC00,)
#: Thai and Lao end sentences with a space, if at all.
ENDLESS = ((0x0E01, 0x0EDF),)

_BEYOND = 0x10000
"""All characters outside the Basic Multilingual Plane; most are Chinese, or pictures."""


class _Table(NamedTuple):
    """By code point: units, and whether it is of a kind."""

    units: NDArray[np.float32]
    kinds: NDArray[np.uint16]


_BITS = {
    name: 1 << place
    for place, name in enumerate(
        (
            "letter",
            "upper",
            "digit",
            "space",
            "strong_end",
            "weak_end",
            "comma",
            "colon",
            "bar",
            "quote",
            "unspaced",
            "endless",
            "mark",
            "currency",
            "copyright",
            "question",
        )
    )
}
_OF_CATEGORY = {
    "Lu": ("letter", "upper"),
    "Lt": ("letter", "upper"),
    "Ll": ("letter",),
    "Lo": ("letter",),
    "Lm": ("letter",),
    "Nd": ("digit",),
    "Sc": ("currency", "mark"),
    "Zs": ("space",),
}


@lru_cache(maxsize=1)
def _table() -> _Table:
    kinds = np.zeros(_BEYOND + 1, np.uint16)
    units = np.ones(_BEYOND + 1, np.float32)
    masks = {name: sum(_BITS[one] for one in ones) for name, ones in _OF_CATEGORY.items()}
    marks = _BITS["mark"]
    names = [category(chr(code)) for code in range(_BEYOND)]
    kinds[:_BEYOND] = [masks.get(name, marks if name[0] in "PS" else 0) for name in names]
    for characters, bit in (
        (STRONG_ENDS, "strong_end"),
        (WEAK_ENDS, "weak_end"),
        (COMMAS, "comma"),
        (COLONS, "colon"),
        (BARS, "bar"),
        (QUOTES, "quote"),
        ("\xa9ⓒⒸ", "copyright"),
        ("?？؟", "question"),
    ):
        kinds[[ord(character) for character in characters]] |= _BITS[bit]
    for start, end, value in UNITS:
        units[start : end + 1] = value
        if start not in _SPACED:
            kinds[start : end + 1] |= _BITS["unspaced"]
    for start, end in ENDLESS:
        kinds[start : end + 1] |= _BITS["endless"]
    return _Table(units, kinds)


class Texts(NamedTuple):
    """Figures of texts, an array each with a value a text."""

    units: Floats
    words: Floats
    """By white space; in scripts without it, a word for each 5.5 units."""
    ends: Floats
    """Sentence ends.  Where a script has none: one for each 100 units."""
    commas: Floats
    digits: Floats
    upper: Floats
    capitalised: Floats
    """Words that begin with a capital."""
    letters: Floats
    marks: Floats
    bars: Floats
    currencies: Floats
    copyrights: Floats
    questions: Floats
    ends_sentence: Floats
    """1 where the text closes with a sentence end."""
    ends_colon: Floats
    begins_upper: Floats
    begins_digit: Floats
    characters: Floats


UNITS_OF_WORD = 5.5
UNITS_OF_SENTENCE = 100.0


def measure_texts(texts: Sequence[str]) -> Texts:
    """The figures of texts on one line each."""
    table = _table()
    joined = "\n".join(texts) + "\n"
    codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), np.uint32)
    codes = np.minimum(codes, _BEYOND)
    kinds = table.kinds[codes]
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    stops = np.cumsum(lengths + 1) - 1
    starts = stops - lengths

    owner = np.repeat(np.arange(len(texts)), lengths + 1)

    def count(flags: NDArray[np.bool_]) -> Floats:
        return np.bincount(owner[flags], minlength=len(texts)).astype(np.float64)

    def kind(name: str) -> NDArray[np.bool_]:
        flags: NDArray[np.bool_] = (kinds & _BITS[name]) != 0
        return flags

    of_characters = table.units[codes]
    of_characters[stops] = 0
    units: Floats = np.bincount(owner, of_characters, len(texts)).astype(np.float64)
    space = kind("space")
    space[stops] = True
    after = np.append(space | kind("quote"), [True])[1 : len(codes) + 1]
    is_end = kind("strong_end") | (kind("weak_end") & after)
    # "..." is one end.
    is_end[:-1] &= ~is_end[1:]
    upper = kind("upper")
    first = np.append([True], space[:-1])
    unspaced = kind("unspaced")
    unspaced_units = np.bincount(owner[unspaced], of_characters[unspaced], len(texts))
    endless = count(kind("endless"))
    letters = count(kind("letter"))
    last = np.maximum(stops - 1, starts)
    before_last = np.maximum(stops - 2, starts)
    closes = is_end[last] | (kind("quote")[last] & is_end[before_last])
    return Texts(
        units=units,
        words=count(first & ~space & ~unspaced) + unspaced_units / UNITS_OF_WORD,
        ends=np.where(endless > letters / 2, units / UNITS_OF_SENTENCE, count(is_end)),
        commas=count(kind("comma")),
        digits=count(kind("digit")),
        upper=count(upper),
        capitalised=count(first & upper),
        letters=letters,
        marks=count(kind("mark")),
        bars=count(kind("bar")),
        currencies=count(kind("currency")),
        copyrights=count(kind("copyright")),
        questions=count(kind("question")),
        ends_sentence=closes.astype(np.float64),
        ends_colon=kind("colon")[last].astype(np.float64),
        begins_upper=upper[starts].astype(np.float64),
        begins_digit=kind("digit")[starts].astype(np.float64),
        characters=lengths.astype(np.float64),
    )
