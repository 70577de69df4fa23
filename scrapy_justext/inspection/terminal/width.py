"""How many columns of a terminal a text takes, and text cut or broken to fit.

Widths are those of Unicode's East Asian Width (UAX #11): wide and full-width characters take two columns, marks
that combine with the character before them none.  Terminals differ on sequences (emoji with joiners, presentation
selectors); those are measured as the sum of their parts, so that a line may come out shorter than it had to, never
longer.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

ELLIPSIS = "…"

_NO_COLUMN = frozenset({"Mn", "Me", "Cf"})
_TWO_COLUMNS = frozenset({"W", "F"})
#: Vowels and final consonants of Hangul, which the syllable's first consonant has made room for.
_JAMO = ("\u1160", "\u11ff")
#: Makes an emoji, two columns wide, of a symbol; and what is seen, though it is of category Cf: the soft hyphen,
#: signs that span the digits after them.
_ONE_COLUMN = frozenset("\ufe0f\u00ad\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2")

#: What turns the direction of all that comes after it, also of what is not the page's.
_BIDI = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
#: What moves the cursor or starts a command in a terminal.
_CONTROLS = dict.fromkeys((*range(0x20), *range(0x7F, 0xA0), *_BIDI), "\ufffd")
_CONTROLS_BUT_LINES = {code: mark for code, mark in _CONTROLS.items() if chr(code) not in "\n\t"}


def on_one_line(text: str) -> str:
    r"""``text`` with white space collapsed and nothing in it that a terminal obeys.

    >>> on_one_line("a \n b\x1b[2J"), on_one_line("a\u202eb\u2066c")
    ('a b�[2J', 'a�b�c')
    """
    return " ".join(text.split()).translate(_CONTROLS)


def on_lines(text: str) -> str:
    r"""``text`` with its lines, and nothing in it that a terminal obeys.

    >>> on_lines("a\n\tb\x1b[2J")
    'a\n\tb�[2J'
    """
    return text.translate(_CONTROLS_BUT_LINES)


@lru_cache(maxsize=4096)
def _columns(character: str) -> int:
    if character in _ONE_COLUMN:
        return 1
    if unicodedata.category(character) in _NO_COLUMN or _JAMO[0] <= character <= _JAMO[1]:
        return 0
    return 2 if unicodedata.east_asian_width(character) in _TWO_COLUMNS else 1


def width(text: str) -> int:
    """The columns that ``text`` takes.

    >>> width("naïve"), width("nai\u0308ve"), width("茶館")
    (5, 5, 4)
    """
    return len(text) if text.isascii() else sum(map(_columns, text))


def pad(text: str, columns: int) -> str:
    """``text`` with spaces after it, so that it takes so many columns."""
    return text + " " * (columns - width(text))


def cut(text: str, columns: int) -> str:
    """``text``, or as much of it as fits before an ellipsis.

    >>> cut("in the teahouse", 8), cut("在茶館裡", 6)
    ('in the …', '在茶…')
    """
    end = _fitting(text, columns)
    return text if end == len(text) else text[: _fitting(text, columns - 1)] + ELLIPSIS


def wrap(text: str, columns: int, lines: int | None = None) -> list[str]:
    """``text`` in lines, broken at spaces where there are any; what more than so many ``lines`` would take is cut.

    >>> wrap("one stop word in ten", 9), wrap("one stop word in ten", 9, 2), wrap("茶館裡的人", 5)
    (['one stop', 'word in', 'ten'], ['one stop', 'word in …'], ['茶館', '裡的', '人'])
    """
    broken: list[str] = []
    while text:
        end = _fitting(text, columns)
        if end == len(text) or len(broken) + 1 == lines:
            broken.append(cut(text, columns))
            break
        space = text.rfind(" ", 0, end + 1)
        # One character at the least, however narrow the column.
        stop = space if space > 0 else max(end, 1)
        broken.append(text[:stop].rstrip())
        text = text[stop:].lstrip()
    return broken or [""]


def _fitting(text: str, columns: int) -> int:
    """How many of the characters fit."""
    if text[: columns + 1].isascii():
        return max(min(len(text), columns), 0)
    used = 0
    for place, character in enumerate(text):
        used += _columns(character)
        if used > columns:
            return place
    return len(text)
