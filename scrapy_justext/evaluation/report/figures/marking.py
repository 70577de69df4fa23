"""Where a retrieved text differs from the gold standard: both as runs of words that are equal or not.

Words are compared by case-folded runs of letters and digits, in scripts without spaces by single characters; what lies
between words belongs to the word before it.  Equal runs are found as in the measure ``sequence``, without autojunk.
"""

from __future__ import annotations

import re
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.evaluation.measures.matching import matching_blocks

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Words of a run that are shown: when there are more, its middle is cut out.
SHOWN_EQUAL, SHOWN_DIFFERENT = 40, 160
#: Words of a text that are shown.
SHOWN_WORDS = 700
#: Characters of a word, with what follows it, that are shown.
_SHOWN_CHARACTERS = 120
#: Words of a text that are compared; the rest is cut off.
COMPARED_WORDS = 20_000

_DENSE = "\u2e80-\u31ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
_WORD = re.compile(rf"[{_DENSE}]|[^\W{_DENSE}]+")
#: What a page must not send to a terminal or a browser: controls, and marks that turn the direction of text.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")

#: Empty lines, and how a line is set in, say nothing here.
_BREAK = re.compile(r"\s*[\r\n]\s*")

EQUAL, CUT = "equal", "cut"
EXTRA = "extra"
MISSED_FIRST, MISSED_SECOND, MISSED_BOTH = "missed-first", "missed-second", "missed-both"

_MISSED = {(True, True): EQUAL, (False, True): MISSED_FIRST, (True, False): MISSED_SECOND, (False, False): MISSED_BOTH}


class TextRun(NamedTuple):
    """Words that stand together and are of one kind; of kind ``cut``: a note on what is left out."""

    kind: str
    text: str


class Marked(NamedTuple):
    """A gold text and what two extractors retrieved, side by side."""

    gold: tuple[TextRun, ...]
    first: tuple[TextRun, ...]
    second: tuple[TextRun, ...]


class _Words(NamedTuple):
    """A text cut before each word, and the words to compare."""

    pieces: list[str]
    keys: list[str]
    left_out: int


def mark(gold: str, first: str, second: str) -> Marked:
    """The differences of both retrieved texts."""
    relevant, one, other = (_split(text) for text in (gold, first, second))
    found_one, kept_one = _compare(relevant, one)
    found_other, kept_other = _compare(relevant, other)
    return Marked(
        _to_runs(relevant, [_MISSED[both] for both in zip(found_one, found_other, strict=True)]),
        _to_runs(one, [EQUAL if kept else EXTRA for kept in kept_one]),
        _to_runs(other, [EQUAL if kept else EXTRA for kept in kept_other]),
    )


def _split(text: str) -> _Words:
    """A text's words; what stands before the first one goes with it."""
    text = _UNSAFE.sub("\N{REPLACEMENT CHARACTER}", _BREAK.sub("\n", text.strip()))
    starts = [match.start() for match in _WORD.finditer(text)]
    starts, left_out = starts[:COMPARED_WORDS], max(0, len(starts) - COMPARED_WORDS)
    end = len(text) if not left_out else starts[-1] + _SHOWN_CHARACTERS
    edges = [0, *starts[1:], end]
    pieces = [text[low:high] for low, high in pairwise(edges)]
    return _Words(pieces, [_key(piece) for piece in pieces], left_out) if starts else _Words([], [], 0)


def _key(piece: str) -> str:
    found = _WORD.search(piece)
    return found.group().casefold() if found else ""


def _compare(relevant: _Words, retrieved: _Words) -> tuple[list[bool], list[bool]]:
    """Which words of each are in both."""
    found, kept = [False] * len(relevant.keys), [False] * len(retrieved.keys)
    for match in matching_blocks(relevant.keys, retrieved.keys, autojunk=False):
        found[match.a : match.a + match.size] = [True] * match.size
        kept[match.b : match.b + match.size] = [True] * match.size
    return found, kept


def _to_runs(words: _Words, kinds: Sequence[str]) -> tuple[TextRun, ...]:
    runs: list[TextRun] = []
    shown = start = 0
    for kind, group in groupby(kinds):
        end = start + len(list(group))
        if shown >= SHOWN_WORDS:
            break
        room = min(SHOWN_EQUAL if kind == EQUAL else SHOWN_DIFFERENT, SHOWN_WORDS - shown)
        runs += _shorten(words.pieces[start:end], kind, room)
        shown += min(room, end - start)
        start = end
    rest = len(words.pieces) - start + words.left_out
    return (*runs, _cut(rest)) if rest else tuple(runs)


def _shorten(pieces: Sequence[str], kind: str, room: int) -> list[TextRun]:
    """A run of words, its middle cut out where it is longer than there is room for."""
    if len(pieces) <= room:
        return [TextRun(kind, _join(pieces))]
    head = (room + 1) // 2
    tail = room - head
    parts = [TextRun(kind, _join(pieces[:head])), _cut(len(pieces) - room)]
    return [*parts, TextRun(kind, _join(pieces[-tail:]))] if tail else parts


def _join(pieces: Sequence[str]) -> str:
    return "".join(
        piece if len(piece) <= _SHOWN_CHARACTERS else piece[: _SHOWN_CHARACTERS - 1] + "… " for piece in pieces
    )


def _cut(words: int) -> TextRun:
    return TextRun(CUT, f"[{words:,} {'word' if words == 1 else 'words'} left out]")
