"""Collapse white space and cut texts, in linear time."""

from __future__ import annotations

import re
from array import array
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
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
    return collapse_and_count(text)[0]


def collapse_and_count(text: str) -> tuple[str, int]:
    r"""Return what :func:`collapse` returns, and how many words that is.

    >>> collapse_and_count(" to be,\nor")
    ('to be, or', 3)
    """
    words: cython.Py_ssize_t = 0
    # Where the first word begins and the last one ends; whether there is but a space between any two.
    begin: cython.Py_ssize_t = 0
    end: cython.Py_ssize_t = 0
    are_spaced: cython.bint = True
    i: cython.Py_ssize_t
    character: cython.Py_UCS4
    for i, character in enumerate(text):
        if character.isspace():
            continue
        if not words:
            words, begin = 1, i
        elif end < i:
            words += 1
            are_spaced = are_spaced and end == i - 1 and text[end] == " "
        end = i + 1
    if are_spaced:
        # As most are: to split them takes longer.
        return text[begin:end], words
    return " ".join(filter(None, [" ".join(part.split()) for part in in_slices(text)])), words


class WordCounter:
    """Counts the words of texts, and those that are among some in small letters, such as stop words.

    No word is made an object: each has a number, made of its characters, as which it is looked up.
    """

    def __init__(self, words: frozenset[str]) -> None:
        self.last = (1 << (4 * len(words)).bit_length()) - 1
        #: The numbers of the words, each at the first free place from the one that its last bits give; 0 for none.
        self.numbers = array("Q", bytes(8 * (self.last + 1)))
        for word in words:
            number: cython.ulonglong = _FIRST
            for character in word:
                number = self.next_number(number, ord(character))
            self.numbers[self.place(number)] = number

    def next_number(self, number: cython.ulonglong, character: cython.ulonglong) -> int:
        """Return the number of a word with one character more."""
        return (number ^ character) * _FACTOR & _LAST

    def place(self, number: cython.ulonglong) -> int:
        """Return where a number stands, or would stand."""
        at: cython.Py_ssize_t = number & self.last
        while self.numbers[at] != 0 and self.numbers[at] != number:
            at = (at + 1) & self.last
        return at

    def count(self, text: str) -> tuple[int, int]:
        """Return how many words a text has, and how many of them are among the words.

        >>> WordCounter(frozenset(["to", "be"])).count("To be, or not to be")
        (6, 3)
        """
        words: cython.int = 0
        chosen: cython.int = 0
        number: cython.ulonglong = _FIRST
        character: cython.Py_UCS4
        for character in text.lower():
            if not character.isspace():
                number = self.next_number(number, ord(character))
            elif number != _FIRST:
                words += 1
                chosen += self.numbers[self.place(number)] != 0
                number = _FIRST
        if number != _FIRST:
            words += 1
            chosen += self.numbers[self.place(number)] != 0
        return words, chosen


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
