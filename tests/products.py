"""Fewer cases than a full product: every pair of values meets in one of them at least."""

from __future__ import annotations

from itertools import combinations, product
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

T = TypeVar("T")


def pairwise(*columns: Sequence[T]) -> list[tuple[T, ...]]:
    """Return rows with one value of each column, in which any two values of two columns stand together.

    >>> pairwise("ab", "xy", "12")
    [('a', 'x', '1'), ('a', 'y', '2'), ('b', 'x', '2'), ('b', 'y', '1')]
    """
    rows = list(product(*(range(len(column)) for column in columns)))
    missing = {pair for row in rows for pair in _pairs(row)}
    chosen: list[tuple[int, ...]] = []
    while missing:
        # Of equals, max gives the first, so that the cases are the same in every run.
        best = max(rows, key=lambda row: len(missing.intersection(_pairs(row))))
        missing.difference_update(_pairs(best))
        chosen.append(best)
    return [tuple(column[index] for column, index in zip(columns, row, strict=True)) for row in sorted(chosen)]


def _pairs(row: tuple[int, ...]) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    return list(combinations(enumerate(row), 2))
