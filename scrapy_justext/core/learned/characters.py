"""Measure texts by their characters, in any script, all blocks of a page at once.

A table tells the kinds of each character: letter, digit, sentence end and so on.  The page is one array of code points;
flags of characters are counted by the text that they stand in.  Lengths are in units: one unit is what a Latin letter
says (:mod:`scrapy_justext.core.unsegmented`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import category

import numpy as np

from scrapy_justext.core.unsegmented import UNITS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    from numpy.typing import NDArray

    from scrapy_justext.core.kernel.features import TextMeasurer

    Floats = NDArray[np.float64]

#: By kind: characters that are of it.  A strong end ends a sentence wherever it stands; a weak one before a space,
#: a closing quote and the end of the block only: 3.14 has none.
_CHARACTERS = {
    "strong_end": "!?…。！？｡．؟۔।॥።፧፨၊။។៕།༎༏՞՜։‼⁇⁈⁉",
    "weak_end": ".·",
    "comma": ",،、，､;；՝፣၊",
    "colon": ":：；;፥",
    "bar": "|•·›»>/¦→←‹«",
    "quote": "\"'»”’)]」』）】›",
    "copyright": "\xa9ⓒⒸ",
    "question": "?？؟",
}
#: By Unicode's general category: the kinds of its characters.  All other punctuation and symbols are marks.
_CATEGORIES = {
    "Lu": ("letter", "upper"),
    "Lt": ("letter", "upper"),
    "Ll": ("letter",),
    "Lo": ("letter",),
    "Lm": ("letter",),
    "Nd": ("digit",),
    "Sc": ("currency", "mark"),
    "Zs": ("space",),
}
#: Ranges of scripts that end sentences with a space, if at all: Thai and Lao.
_ENDLESS = ((0x0E01, 0x0EDF),)
#: Beginnings of the ranges in :data:`UNITS` whose script has spaces between words: Hangul.
_SPACED = (0xAC00,)
_KINDS = (*_CHARACTERS, "letter", "upper", "digit", "space", "mark", "currency", "unspaced", "endless")
_BITS = {kind: 1 << position for position, kind in enumerate(_KINDS)}

#: Stands for all characters outside the Basic Multilingual Plane; most are Chinese, or pictures.
_BEYOND = 0x10000

UNITS_OF_WORD = 5.5  # in scripts without spaces
UNITS_OF_SENTENCE = 100.0  # in scripts without sentence ends


@lru_cache(maxsize=1)
def _character_table() -> tuple[NDArray[np.float32], NDArray[np.uint16]]:
    """Return by code point its units, and its kinds as bits."""
    units = np.ones(_BEYOND + 1, np.float32)
    kinds = np.zeros(_BEYOND + 1, np.uint16)
    masks = {name: sum(_BITS[kind] for kind in row) for name, row in _CATEGORIES.items()}
    names = [category(chr(code)) for code in range(_BEYOND)]
    kinds[:_BEYOND] = [masks.get(name, _BITS["mark"] if name[0] in "PS" else 0) for name in names]
    for kind, characters in _CHARACTERS.items():
        kinds[[ord(character) for character in characters]] |= _BITS[kind]
    for start, end, value in UNITS:
        units[start : end + 1] = value
        if start not in _SPACED:
            kinds[start : end + 1] |= _BITS["unspaced"]
    for start, end in _ENDLESS:
        kinds[start : end + 1] |= _BITS["endless"]
    return units, kinds


class TextMeasurements(NamedTuple):
    """Measurements of texts: an array each, with a value for each text."""

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
    """1 where the text closes with a sentence end, or with a quote behind one."""
    ends_colon: Floats
    begins_upper: Floats
    begins_digit: Floats
    characters: Floats


@lru_cache(maxsize=1)
def measurer(module: ModuleType) -> TextMeasurer:
    """Return what measures texts with compiled code."""
    made: TextMeasurer = module.TextMeasurer(*_character_table(), _BITS, UNITS_OF_WORD, UNITS_OF_SENTENCE)
    return made


def measure_in_python(texts: Sequence[str]) -> TextMeasurements:
    """Measure texts, each of them on one line."""
    units_of, kinds_of = _character_table()
    # A line feed behind each text keeps it apart from the next one.
    joined = "\n".join(texts) + "\n"
    codes = np.minimum(np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), np.uint32), _BEYOND)
    kinds = kinds_of[codes]
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    stops = np.cumsum(lengths + 1) - 1
    starts = stops - lengths
    last, last_but_one = np.maximum(stops - 1, starts), np.maximum(stops - 2, starts)
    owner = np.repeat(np.arange(len(texts)), lengths + 1)

    def count(flags: NDArray[np.bool_]) -> Floats:
        return np.bincount(owner[flags], minlength=len(texts)).astype(np.float64)

    def is_kind(kind: str) -> NDArray[np.bool_]:
        flags: NDArray[np.bool_] = (kinds & _BITS[kind]) != 0
        return flags

    character_units = units_of[codes]
    character_units[stops] = 0
    units: Floats = np.bincount(owner, character_units, len(texts)).astype(np.float64)

    space, quote = is_kind("space"), is_kind("quote")
    space[stops] = True
    begins_word = np.append([True], space[:-1])
    unspaced = is_kind("unspaced")
    unspaced_units = np.bincount(owner[unspaced], character_units[unspaced], len(texts))

    letters = count(is_kind("letter"))
    before_space = np.append(space | quote, [True])[1:]
    is_end = is_kind("strong_end") | (is_kind("weak_end") & before_space)
    # "..." is one end.
    is_end[:-1] &= ~is_end[1:]
    is_endless = count(is_kind("endless")) > letters / 2
    upper, digit = is_kind("upper"), is_kind("digit")
    return TextMeasurements(
        units=units,
        words=count(begins_word & ~space & ~unspaced) + unspaced_units / UNITS_OF_WORD,
        ends=np.where(is_endless, units / UNITS_OF_SENTENCE, count(is_end)),
        commas=count(is_kind("comma")),
        digits=count(digit),
        upper=count(upper),
        capitalised=count(begins_word & upper),
        letters=letters,
        marks=count(is_kind("mark")),
        bars=count(is_kind("bar")),
        currencies=count(is_kind("currency")),
        copyrights=count(is_kind("copyright")),
        questions=count(is_kind("question")),
        ends_sentence=(is_end[last] | (quote[last] & is_end[last_but_one])).astype(np.float64),
        ends_colon=is_kind("colon")[last].astype(np.float64),
        begins_upper=upper[starts].astype(np.float64),
        begins_digit=digit[starts].astype(np.float64),
        characters=lengths.astype(np.float64),
    )
