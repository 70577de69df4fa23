"""Collapse white space and cut texts, in linear time."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: Characters of a slice.  The words of a longer text fill the processor's cache, and each then costs twice as much.
SLICE = 1 << 15

_WHITE_SPACE = re.compile(r"\s")


def collapse(text: str) -> str:
    r"""Return ``text`` with one space for each run of white space, and none at its ends.

    >>> collapse("  to be,\n\tor not to be ")
    'to be, or not to be'
    """
    if len(text) <= SLICE:
        return " ".join(text.split())
    slices = (" ".join(part.split()) for part in in_slices(text))
    return " ".join(part for part in slices if part)


def collapse_and_count(text: str) -> tuple[str, int]:
    r"""Return what :func:`collapse` returns, and how many words that is.

    >>> collapse_and_count(" to be,\nor")
    ('to be, or', 3)
    """
    if len(text) <= SLICE:
        words = text.split()
        return " ".join(words), len(words)
    collapsed = collapse(text)
    return collapsed, collapsed.count(" ") + bool(collapsed)


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
