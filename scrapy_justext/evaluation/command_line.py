"""What the commands share: converters of arguments, progress on a terminal, and tables for one."""

from __future__ import annotations

import math
from argparse import ArgumentTypeError
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

Row = Mapping[str, Any]

#: Stands for a value that is not defined.
UNDEFINED = "–"
_GAP = "  "
#: The name of an extractor is cut to this many characters before a column of values is left out.
_SHORTEST_NAME = 16


def whole_number(least: int) -> Callable[[str], int]:
    """Return a converter for argparse of whole numbers from ``least`` on."""

    def convert(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if number < least:
            raise ArgumentTypeError(
                f"{text!r} is not a whole number {f'of {least} or more' if least != 1 else 'above 0'}"
            )
        return number

    return convert


def seconds(text: str) -> float:
    """Convert an argument to a number of seconds."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return number


class Column(NamedTuple):
    """A column of a table; those with the lowest ``weight`` are left out first."""

    title: str
    show: Callable[[Row], str]
    weight: int


def _number(name: str, form: str) -> Callable[[Row], str]:
    return lambda row: UNDEFINED if row[name] is None else format(row[name], form)


_COLUMNS = (
    Column("extractor", lambda row: str(row["extractor"]), 9),
    Column("version", lambda row: str(row["version"]), 1),
    Column("precision", _number("precision", ".4f"), 7),
    Column("recall", _number("recall", ".4f"), 7),
    Column("F1", _number("f1", ".4f"), 8),
    Column("sd", _number("f1_sd", ".4f"), 4),
    Column("pages", _number("documents", "d"), 3),
    Column("failed", _number("failed", "d"), 6),
    Column("empty", lambda row: str(row["retrieved_empty"] + row["both_empty"]), 2),
    Column("ms/page", _number("milliseconds", ".1f"), 5),
)


def by_f1(rows: Sequence[Row]) -> list[Row]:
    """Return the rows, the highest F1 first, those without one last; equal ones by name."""
    return sorted(rows, key=lambda row: (row["f1"] is None, -(row["f1"] or 0.0), row["extractor"]))


def format_table(rows: Sequence[Row], width: int) -> str:
    """Set rows of ``summary.json`` in at most ``width`` characters, if that can be done with F1 and names left."""
    columns = sorted(_COLUMNS, key=lambda column: column.weight)
    longest = _SHORTEST_NAME
    while True:
        shown = [column for column in _COLUMNS if column in columns]
        cells = [[column.title for column in shown], *([column.show(row) for column in shown] for row in rows)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        others = sum(len(_GAP) + column for column in widths[1:])
        if min(widths[0], longest) + others <= width or len(columns) == 2:
            break
        columns = columns[1:]
    longest = max(longest, width - others)
    for line in cells:
        line[0] = line[0] if len(line[0]) <= longest else line[0][: longest - 1] + "…"
    return format_columns(cells, right=range(1, len(shown)))


def format_columns(lines: Sequence[Sequence[str]], right: Collection[int] = ()) -> str:
    """Set cells in columns, each as wide as its widest cell; those numbered in ``right`` set to the right.

    >>> print(format_columns([("a", "1"), ("bcd", "10")], right=[1]))
    a     1
    bcd  10
    """
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        _GAP.join(
            cell.rjust(width) if place in right else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )
