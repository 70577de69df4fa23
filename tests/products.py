"""Fewer cases than a full product: every pair of values meets in one of them at least."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, product
from typing import TypeVar

import pytest
from _pytest.mark import ParameterSet

T = TypeVar("T")

#: Whether there are the cases that the default run does not take; ``tests/conftest.py`` says so.
IS_WHOLE = True


def in_turn(rows: Mapping[str, object], columns: Mapping[str, object], every: int = 1) -> list[ParameterSet]:
    """Return the full product by the names of its values; the default run takes each row with one column, in turn.

    Of the rows it takes each ``every``-th.

    >>> [case.id for case in in_turn({"a": 1, "b": 2}, {"x": 3, "y": 4}) if not case.marks]
    ['a-x', 'b-y']
    """
    names = list(columns)

    def is_quick(row: int, column: str) -> bool:
        return row % every == 0 and names[row // every % len(names)] == column

    return [
        pytest.param(row, column, id=f"{row_name}-{name}", marks=() if is_quick(i, name) else pytest.mark.full)
        for i, (row_name, row) in enumerate(rows.items())
        for name, column in columns.items()
        if IS_WHOLE or is_quick(i, name)
    ]


def in_part(cases: Iterable[T], every: int) -> list[ParameterSet]:
    """Return cases of one behaviour, of which the default run takes the first and each ``every``-th behind it.

    >>> [case.values[0] for case in in_part("abcde", 3) if not case.marks]
    ['a', 'd']
    """
    return [
        pytest.param(case, id=str(case), marks=pytest.mark.full if number % every else ())
        for number, case in enumerate(cases)
        if IS_WHOLE or number % every == 0
    ]


def pairs_of(*columns: Sequence[T]) -> Iterable[ParameterSet]:
    """Return the full product; the default run takes the rows of :func:`pairwise`."""
    chosen = set(pairwise(*columns))
    return [pytest.param(*row, marks=() if row in chosen else pytest.mark.full) for row in product(*columns)]


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
