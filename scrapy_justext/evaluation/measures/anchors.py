"""Where two sequences of words may share a run: few places of each, chosen by what stands there.

Of so many pieces in a row the one with the least hash is an anchor ("winnowing").  Equal stretches have equal anchors,
wherever they stand, so that a shared run that is long enough holds one in both sequences.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    #: Words as numbers, or hashes of pieces.
    Codes = npt.NDArray[np.uint32]
    _Places = npt.NDArray[np.int64]

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
