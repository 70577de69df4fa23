"""Collapse white space and cut texts, in linear time."""

from __future__ import annotations

import re
from array import array
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import cython

#: Characters of a slice.  The words of a longer text fill the processor's cache, and each then costs twice as much.
SLICE = 1 << 15

_WHITE_SPACE = re.compile(r"\s")


def collapse(text: str) -> str:
    r"""Return ``text`` with one space for each run of white space, and none at its ends.

    >>> collapse("  to be,\n\tor not to be ")
    'to be, or not to be'
    """
    text = text.strip()
    # Of all white space, one space can be printed.  Most texts are as they should be, and to split them takes longer.
    if text.isprintable() and "  " not in text:
        return text
    return " ".join(filter(None, [" ".join(part.split()) for part in in_slices(text)]))


class WordCounter:
    """Counts the words of texts, and those that are among some in small letters, such as stop words.

    No word is made an object: each has a number, made of its characters, by which it is looked up.
    """

    def __init__(self, words: frozenset[str]) -> None:
        self.last = (1 << (2 * len(words)).bit_length()) - 1
        #: A hash table: a word's number stands at the place that its last bits give, or at the first free one behind.
        self.numbers = array("Q", bytes(8 * (self.last + 1)))
        for word in words:
            # No text has others as words.
            if word.split() == [word]:
                number = self._number_of(word)
                self.numbers[self._place(number)] = number

    def measure(self, texts: Sequence[str]) -> tuple[array[int], array[int], array[int]]:
        """Return of each text how many characters and words it has, and how many words are among those looked for.

        >>> [list(column) for column in WordCounter(frozenset(["to", "be"])).measure(["To be, or not to be"])]
        [[19], [6], [3]]
        """
        characters, words, chosen = (array("i", bytes(4 * len(texts))) for _ in range(3))
        self._fill(list(texts), characters, words, chosen)
        return characters, words, chosen

    def _fill(self, texts: list[str], characters: array[int], words: array[int], chosen: array[int]) -> None:
        i: cython.Py_ssize_t
        lowered: str
        character: cython.Py_UCS4
        for i in range(len(texts)):
            # The last word ends as all others do.
            lowered = f"{texts[i].lower()} "
            characters[i] = len(texts[i])
            number: cython.ulonglong = _FIRST
            for character in lowered:
                if not character.isspace():
                    number = (number ^ ord(character)) * _FACTOR & _LAST
                elif number != _FIRST:
                    words[i] += 1
                    chosen[i] += self.numbers[self._place(number)] != 0
                    number = _FIRST

    def _number_of(self, word: str) -> int:
        number: cython.ulonglong = _FIRST
        character: cython.Py_UCS4
        for character in word:
            number = (number ^ ord(character)) * _FACTOR & _LAST
        return number

    def _place(self, number: cython.ulonglong) -> int:
        """Return where a number stands, or would stand."""
        at: cython.Py_ssize_t = number & self.last
        while self.numbers[at] != 0 and self.numbers[at] != number:
            at = (at + 1) & self.last
        return at


#: Those of the hash function FNV-1a, in 63 bits: two words have the same number about as seldom as a disk fails.
_FIRST, _FACTOR, _LAST = 0x4BF29CE484222325, 0x100000001B3, (1 << 63) - 1


def visible_length(text: str | None) -> int:
    r"""Return how many characters of ``text`` are not white space.

    >>> visible_length(" to be,\n or")
    7
    """
    return len("".join(text.split())) if text else 0


def in_slices(text: str) -> Iterator[str]:
    """Yield ``text`` in parts of about ``SLICE`` characters, cut before white space, so that no word is broken."""
    start = 0
    while len(text) - start > SLICE:
        space = _WHITE_SPACE.search(text, start + SLICE)
        end = space.start() if space else len(text)
        yield text[start:end]
        start = end
    if start < len(text):
        yield text[start:]


def read_sections(path: Path) -> dict[str, list[str]]:
    """Return the lines of a file of data by the sections that they stand in, whose names are in brackets.

    Lines that are empty, or begin with ``#``, are left out.
    """
    sections: dict[str, list[str]] = {}
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("["):
            sections[line[1:-1]] = []
        elif line and line[0] != "#":
            sections[next(reversed(sections))].append(line)
    return sections
