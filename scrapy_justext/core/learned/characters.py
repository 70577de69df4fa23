# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Measure texts by their characters, in any script.

A table tells the kinds of each character: letter, digit, sentence end and so on.  Lengths are in units: one unit is
what a Latin letter says (:mod:`scrapy_justext.core.unsegmented`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING
from unicodedata import category

import numpy as np

from scrapy_justext.core.unsegmented import UNITS

if TYPE_CHECKING:
    import cython
    from numpy.typing import NDArray

#: The kinds of characters.
(
    _STRONG_END, _WEAK_END, _COMMA, _COLON, _BAR, _QUOTE, _COPYRIGHT, _QUESTION, _LETTER, _UPPER, _DIGIT, _SPACE, _MARK,
    _CURRENCY, _UNSPACED, _ENDLESS,
) = (1 << position for position in range(16))  # fmt: skip
#: By kind: characters that are of it.  A strong end ends a sentence wherever it stands; a weak one before a space,
#: a closing quote and the end of the block only: 3.14 has none.
_CHARACTERS = {
    _STRONG_END: "!?…。！？｡．؟۔।॥।፧፨၊။។៕།༎༏՞՜։‼⁇⁈⁉",
    _WEAK_END: ".·",
    _COMMA: ",،、，､;；՝፣၊",
    _COLON: ":：；;፥",
    _BAR: "|•·›»>/¦→←‹«",
    _QUOTE: "\"'»”’)]」』）】›",
    _COPYRIGHT: "\xa9ⓒⒸ",
    _QUESTION: "?？؟",
}
#: By Unicode's general category: the kinds of its characters.  All other punctuation and symbols are marks.
_CATEGORIES = {
    "Lu": _LETTER | _UPPER, "Lt": _LETTER | _UPPER, "Ll": _LETTER, "Lo": _LETTER, "Lm": _LETTER,
    "Nd": _DIGIT, "Sc": _CURRENCY | _MARK, "Zs": _SPACE,
}  # fmt: skip
#: Ranges of scripts that end sentences with a space, if at all: Thai and Lao.
_ENDLESS_RANGES = ((0x0E01, 0x0EDF),)
#: Beginnings of the ranges in :data:`UNITS` whose script has spaces between words: Hangul.
_SPACED = (0xAC00,)

#: Stands for all characters outside the Basic Multilingual Plane; most are Chinese, or pictures.
_BEYOND = 0x10000

_UNITS_OF_WORD = 5.5  # in scripts without spaces
_UNITS_OF_SENTENCE = 100.0  # in scripts without sentence ends


@lru_cache(maxsize=1)
def _character_table() -> tuple[NDArray[np.float32], NDArray[np.uint16]]:
    """Return by code point its units, and its kinds as bits."""
    units = np.ones(_BEYOND + 1, np.float32)
    kinds = np.zeros(_BEYOND + 1, np.uint16)
    names = [category(chr(code)) for code in range(_BEYOND)]
    kinds[:_BEYOND] = [_CATEGORIES.get(name, _MARK if name[0] in "PS" else 0) for name in names]
    for kind, characters in _CHARACTERS.items():
        kinds[[ord(character) for character in characters]] |= kind
    for start, end, value in UNITS:
        units[start : end + 1] = value
        if start not in _SPACED:
            kinds[start : end + 1] |= _UNSPACED
    for start, end in _ENDLESS_RANGES:
        kinds[start : end + 1] |= _ENDLESS
    return units, kinds


class TextMeasurer:
    """Measures texts, each of them on one line; what it tells is of the last one.

    ``words``: by white space; in scripts without it, a word for each 5.5 units.
    ``ends``: sentence ends.  Where a script has none: one for each 100 units.
    ``capitalised``: words that begin with a capital.
    ``ends_sentence``: whether the text closes with a sentence end, or with a quote behind one.
    """

    def __init__(self) -> None:
        units, kinds = _character_table()
        self._units_of = units.data
        self._kinds_of = kinds.data

    # To call a function for each kind would take longer than all the rest.
    def measure(self, text: str) -> None:  # noqa: C901, PLR0912, PLR0915
        """Measure a text."""
        self.characters = len(text)
        self.commas = self.digits = self.upper = self.capitalised = self.letters = self.marks = 0
        self.bars = self.currencies = self.copyrights = self.questions = 0
        units_of, kinds_of = self._units_of, self._kinds_of
        character: cython.Py_UCS4
        code: cython.int
        units: cython.double = 0
        unspaced_units: cython.double = 0
        words: cython.int = 0
        letters: cython.int = 0
        ends: cython.int = 0
        endless: cython.int = 0
        # Beside a text there is space.
        before: cython.int
        kind: cython.int = _SPACE
        first: cython.int = -1
        # Whether what stands before the last character, and the last one, may be a sentence end: "..." is one.
        was_end: cython.bint = False
        is_end: cython.bint = False
        for character in text:
            code = ord(character)
            code = min(code, _BEYOND)
            before = kind
            kind = kinds_of[code]
            units += units_of[code]
            if is_end or before & (_STRONG_END | _WEAK_END):
                was_end = is_end
                is_end = bool(before & _STRONG_END or (before & _WEAK_END and kind & (_SPACE | _QUOTE)))
                if was_end and not is_end:
                    ends += 1
            if first < 0:
                first = kind
            if kind == _LETTER:
                letters += 1
                if before & _SPACE:
                    words += 1
                continue
            if kind & _UNSPACED:
                unspaced_units += units_of[code]
            elif before & _SPACE and not kind & _SPACE:
                words += 1
            if kind == _SPACE:
                continue
            if kind & _LETTER:
                letters += 1
                if kind & _UPPER:
                    self.upper += 1
                    if before & _SPACE:
                        self.capitalised += 1
            if kind & _ENDLESS:
                endless += 1
            if kind & _DIGIT:
                self.digits += 1
            if kind & _MARK:
                self.marks += 1
            if kind & _COMMA:
                self.commas += 1
            if kind & _BAR:
                self.bars += 1
            if kind & _CURRENCY:
                self.currencies += 1
            if kind & _COPYRIGHT:
                self.copyrights += 1
            if kind & _QUESTION:
                self.questions += 1
        was_end = is_end
        is_end = bool(kind & (_STRONG_END | _WEAK_END))
        if is_end or was_end:
            ends += 1
        self.units = units
        self.words = words + unspaced_units / _UNITS_OF_WORD
        self.letters = letters
        self.ends = units / _UNITS_OF_SENTENCE if 2 * endless > letters else ends
        self.ends_sentence = is_end or (was_end and bool(kind & _QUOTE))
        self.ends_colon = bool(kind & _COLON)
        self.begins_upper = first > 0 and bool(first & _UPPER)
        self.begins_digit = first > 0 and bool(first & _DIGIT)
