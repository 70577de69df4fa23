"""The matching blocks of ``difflib.SequenceMatcher``, exactly, in a fraction of its time.

difflib takes the longest match of two sequences (the earliest in the first one, then in the second, among equals), then
does the same left and right of it.  It looks at every pair of equal words again in every such window, which is
quadratic in the text and again in the number of windows.  Here each pair of equal neighbours is looked at once:

- Words become characters, so that slices of strings, compared and hashed in C, stand for runs of words.
- Where a run may begin is not looked for at every word, but at anchors: of so many pieces in a row the one with the
  least hash.  Equal stretches have equal anchors, wherever they stand, and there are few of them.
- The maximal runs of words that both sequences share are listed once, and put into a heap, the longest and earliest
  first: at first the long ones, which are few and leave small windows, then in each window those of two words and more.
- A run on top of the heap is the longest match of its window, unless the window has become smaller than the run:
  then what is left of it goes back into the heap.  Runs only ever shrink, so no run below the top can beat it; and
  no run reaches into two windows, for it would have to be longer than the match between them.
- Windows without a run of two words are gone through once from left to right, since left of the first
  match of one word there is none.

``autojunk`` is difflib's: where the second sequence has 200 words or more, those that make up more than one in a
hundred of it, plus one, start no match, but prolong one.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from heapq import heapify, heappop, heappush
from itertools import count
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy.typing as npt

    Codes = npt.NDArray[np.uint32]
    _Places = npt.NDArray[np.int64]

# Where two sequences of words may share a run: few places of each, chosen by what stands there.
#
# Of so many pieces in a row the one with the least hash is an anchor ("winnowing").  Equal stretches have equal
# anchors,
# wherever they stand, so that a shared run that is long enough holds one in both sequences.

#: Spreads the codes of words over all numbers of 32 bits. (Knuth's multiplicative hashing)
_SPREAD = np.uint32(2654435761)
#: Of a table that tells which hashes occur: 64 kB, few of them taken.
_TABLE_BITS = 16


class Grid(NamedTuple):
    """How shared runs are found: by pieces of ``size`` words, of each ``span`` pieces in a row the one of least hash.

    Both are powers of two.
    """

    size: int
    span: int

    @property
    def finds(self) -> int:
        """The length from which on a run holds a whole span, and so an anchor, wherever it begins."""
        return self.size + self.span - 1


class Window(NamedTuple):
    """Where matches may still lie: ``first[a : a_end]`` and ``second[b : b_end]``."""

    a: int
    b: int
    a_end: int
    b_end: int


class Anchors(NamedTuple):
    """Where pieces are compared, in ascending order."""

    a: list[int]
    b: list[int]


def find_anchors(a: Codes, b: Codes, windows: Sequence[Window], grid: Grid) -> Anchors:
    """The anchors in the windows, as far as the other sequence may have an equal one in the same window."""
    a_places, a_keys = _anchors_of(a, [(one.a, one.a_end) for one in windows], grid)
    b_places, b_keys = _anchors_of(b, [(one.b, one.b_end) for one in windows], grid)
    b_kept = _which_occur(b_keys, a_keys)
    a_kept = _which_occur(a_keys, b_keys[b_kept])
    return Anchors(a_places[a_kept].tolist(), b_places[b_kept].tolist())


def _anchors_of(codes: Codes, windows: list[tuple[int, int]], grid: Grid) -> tuple[_Places, Codes]:
    """The anchors in the windows of a text, and numbers that are equal for equal pieces in the same window."""
    hashes = _over_neighbours(codes * _SPREAD, grid.size, lambda left, right: left * _SPREAD ^ right)
    if grid.span == 1:
        places = np.arange(len(hashes))
    else:
        least = _over_neighbours(hashes, grid.span, np.minimum)
        # A piece is an anchor when it is the least one of any span that it is in.
        edge = np.zeros(grid.span - 1, np.uint32)
        around = np.concatenate([edge, least, edge])
        places = np.flatnonzero(_over_neighbours(around, grid.span, np.maximum) == hashes)
    starts, ends = np.array(windows, np.int64).reshape(-1, 2).T
    numbers = np.searchsorted(starts, places, "right") - 1
    inside = (numbers >= 0) & (places + grid.size <= ends[numbers])
    places, numbers = places[inside], numbers[inside]
    return places, (hashes[places] ^ numbers.astype(np.uint32)) * _SPREAD


def _which_occur(keys: Codes, others: Codes) -> npt.NDArray[np.bool_]:
    """Which of the keys are among others; some that are not may be taken for others."""
    table = np.zeros(1 << _TABLE_BITS, np.bool_)
    table[others >> (32 - _TABLE_BITS)] = True
    occur: npt.NDArray[np.bool_] = table[keys >> (32 - _TABLE_BITS)]
    return occur


def _over_neighbours(values: Codes, size: int, combine: Callable[[Codes, Codes], Any]) -> Codes:
    """What ``combine`` makes of each ``size`` neighbours, a power of two."""
    reach = 1
    while reach < size:
        values = combine(values[:-reach], values[reach:])
        reach *= 2
    return values


#: From this many words in the second sequence on, ``autojunk`` drops the frequent ones.  [difflib]
_AUTOJUNK_FROM = 200

# Codes of what starts no match, in the first and in the second sequence: never equal to each other.
_NO_START_A = np.uint32(0)
_NO_START_B = np.uint32(1)
_FIRST_CODE = 2

#: The last one finds what has to be found; those before it only leave it less to look at.  Measured on CleanEval's
#: pages.
_GRIDS = (Grid(8, 8), Grid(4, 4), Grid(2, 1))

#: How many words at a time are compared where many are equal.
_STRIDE = 16


class Match(NamedTuple):
    """``first[a : a + size] == second[b : b + size]``"""

    a: int
    b: int
    size: int


_a_end, _b_end = map(itemgetter, map(Window._fields.index, ("a_end", "b_end")))

#: A run in the heap: its size with a minus sign, its places in both sequences.
_Run = tuple[int, int, int]


class _Strings(NamedTuple):
    """Two sequences as strings, a character a word."""

    a: str
    b: str
    a_starts: str
    """``a`` with what starts no match replaced by a character that ``b_starts`` does not have."""
    b_starts: str
    a_codes: Codes
    """``a_starts`` as numbers."""
    b_codes: Codes


def matching_blocks(first: Sequence[str], second: Sequence[str], *, autojunk: bool = True) -> list[Match]:
    """``SequenceMatcher(None, first, second, autojunk).get_matching_blocks()`` without the empty block at its end.

    >>> matching_blocks("x a b c y d".split(), "a b c d".split())
    [Match(a=1, b=0, size=3), Match(a=5, b=3, size=1)]
    """
    strings = _encode(first, second, autojunk=autojunk)
    matches: list[Match] = []
    windows = [Window(0, 0, len(strings.a), len(strings.b))]
    for grid in _GRIDS:
        if not windows or min(len(first), len(second)) < grid.finds:
            continue
        anchors = find_anchors(strings.a_codes, strings.b_codes, windows, grid)
        windows = [rest for window in windows for rest in _take_runs(strings, window, grid, anchors, matches)]
    for window in windows:
        matches.extend(_single_matches(strings, window))
    return _merged(sorted(matches))


def _encode(first: Sequence[str], second: Sequence[str], *, autojunk: bool) -> _Strings:
    """Words to characters, the same for the same word."""
    codes: defaultdict[str, str] = defaultdict(map(chr, count(_FIRST_CODE)).__next__)
    a, b = "".join(map(codes.__getitem__, first)), "".join(map(codes.__getitem__, second))
    a_codes, b_codes = _to_codes(a), _to_codes(b)
    counts = np.bincount(b_codes, minlength=_FIRST_CODE + len(codes))
    starts = counts > 0
    if autojunk and len(second) >= _AUTOJUNK_FROM:
        starts &= counts <= len(second) // 100 + 1
    is_in_first = np.zeros_like(starts)
    is_in_first[a_codes] = True
    starts &= is_in_first
    a_codes = np.where(starts[a_codes], a_codes, _NO_START_A)
    b_codes = np.where(starts[b_codes], b_codes, _NO_START_B)
    return _Strings(a, b, _to_string(a_codes), _to_string(b_codes), a_codes, b_codes)


def _to_codes(text: str) -> Codes:
    # Codes of surrogates are as good as any here.
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.dtype("<u4")).astype(np.uint32, copy=False)


def _to_string(codes: Codes) -> str:
    return codes.astype("<u4", copy=False).tobytes().decode("utf-32-le", "surrogatepass")


def _take_runs(strings: _Strings, window: Window, grid: Grid, anchors: Anchors, matches: list[Match]) -> list[Window]:
    """Add the matches in a window that hold as many words in a row, which may start one, as ``grid`` finds.

    Returns the windows that are left between them.
    """
    windows = [window]
    heap = [run for run in _runs(strings, window, grid, anchors) if -run[0] >= grid.finds]
    heapify(heap)
    while heap:
        size, a, b = heappop(heap)
        index, skipped, left = _clip(windows, a, b, -size)
        if left == -size:
            match = _prolonged(strings, windows[index], a, b, left)
            matches.append(match)
            windows[index : index + 1] = _around(windows[index], match)
        elif left >= grid.finds:
            heappush(heap, (-left, a + skipped, b + skipped))
    return windows


def _runs(strings: _Strings, window: Window, grid: Grid, anchors: Anchors) -> Iterator[_Run]:
    """The maximal runs of words which may start a match, in a window: all of ``grid.finds`` words and more."""
    a, b, size = strings.a_starts, strings.b_starts, grid.size
    places: dict[str, list[int]] = {}
    for i in _between(anchors.a, window.a, window.a_end - size):
        places.setdefault(a[i : i + size], []).append(i)
    ends: dict[int, int] = {}
    for j in _between(anchors.b, window.b, window.b_end - size):
        for i in places.get(b[j : j + size], ()):
            if ends.get(j - i, 0) <= j:
                before, after = _extent(a, b, window, i, j, size)
                ends[j - i] = j + size + after
                yield -before - size - after, i - before, j - before


def _between(places: list[int], first: int, last: int) -> list[int]:
    return places[bisect_left(places, first) : bisect_right(places, last)]


def _prolonged(strings: _Strings, window: Window, i: int, j: int, size: int) -> Match:
    """A match with the equal words around it, whether they may start a match or not."""
    before, after = _extent(strings.a, strings.b, window, i, j, size)
    return Match(i - before, j - before, before + size + after)


def _extent(a: str, b: str, window: Window, i: int, j: int, size: int) -> tuple[int, int]:
    """How many characters are equal before and behind ``a[i : i + size]`` and ``b[j : j + size]``."""
    a_start, b_start, a_end, b_end = window
    before, limit = 0, min(i - a_start, j - b_start)
    while before + _STRIDE <= limit and a[i - before - _STRIDE : i - before] == b[j - before - _STRIDE : j - before]:
        before += _STRIDE
    while before < limit and a[i - before - 1] == b[j - before - 1]:
        before += 1
    i, j = i + size, j + size
    after, limit = 0, min(a_end - i, b_end - j)
    while after + _STRIDE <= limit and a[i + after : i + after + _STRIDE] == b[j + after : j + after + _STRIDE]:
        after += _STRIDE
    while after < limit and a[i + after] == b[j + after]:
        after += 1
    return before, after


def _clip(windows: list[Window], a: int, b: int, size: int) -> tuple[int, int, int]:
    """The window that a run reaches into, how much of the run lies before it, and how much in it: 0 where none does."""
    index = max(bisect_right(windows, a, key=_a_end), bisect_right(windows, b, key=_b_end))
    while index < len(windows):
        a_start, b_start, a_end, b_end = windows[index]
        skipped = max(0, a_start - a, b_start - b)
        if skipped >= size:
            break
        left = min(size, a_end - a, b_end - b) - skipped
        if left > 0:
            return index, skipped, left
        index += 1
    return index, 0, 0


def _around(window: Window, match: Match) -> list[Window]:
    """What a match leaves of its window, without what is empty in either sequence."""
    left = Window(window.a, window.b, match.a, match.b)
    right = Window(match.a + match.size, match.b + match.size, window.a_end, window.b_end)
    return [part for part in (left, right) if part.a < part.a_end and part.b < part.b_end]


def _single_matches(strings: _Strings, window: Window) -> Iterator[Match]:
    """The matches in a window in which no two neighbours may start one."""
    starting = set(strings.a_starts[window.a : window.a_end])
    starting.intersection_update(strings.b_starts[window.b : window.b_end])
    i = window.a
    while starting and i < window.a_end and window.b < window.b_end:
        j = (
            strings.b_starts.find(strings.a_starts[i], window.b, window.b_end)
            if strings.a_starts[i] in starting
            else -1
        )
        if j < 0:
            i += 1
            continue
        match = _prolonged(strings, window, i, j, 1)
        yield from _opening_match(strings, Window(window.a, window.b, match.a, match.b))
        yield match
        i = match.a + match.size
        window = window._replace(a=i, b=match.b + match.size)
    yield from _opening_match(strings, window)


def _opening_match(strings: _Strings, window: Window) -> Iterator[Match]:
    """What difflib finds where nothing may start a match: the words that both open with."""
    match = _prolonged(strings, window, window.a, window.b, 0)
    if match.size:
        yield match


def _merged(matches: list[Match]) -> list[Match]:
    """Matches that adjoin in both sequences made one."""
    merged: list[Match] = []
    for match in matches:
        last = merged[-1] if merged else None
        if last and last.a + last.size == match.a and last.b + last.size == match.b:
            merged[-1] = last._replace(size=last.size + match.size)
        else:
            merged.append(match)
    return merged
