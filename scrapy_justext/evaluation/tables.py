"""Tables of figures for a terminal, as wide as it is."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

Row = Mapping[str, Any]

#: Stands for a figure that is not defined.
UNDEFINED = "–"
_GAP = "  "
#: The name of an extractor is cut to this many characters before a column of figures is left out.
_SHORTEST_NAME = 16


class Column(NamedTuple):
    """A column of a table; those with the lowest ``weight`` are left out first."""

    title: str
    show: Callable[[Row], str]
    weight: int


def _number(name: str, form: str) -> Callable[[Row], str]:
    return lambda row: UNDEFINED if row[name] is None else format(row[name], form)


def _empty(row: Row) -> str:
    return str(row["retrieved_empty"] + row["both_empty"])


NAME = Column("extractor", lambda row: str(row["extractor"]), 9)

FIGURES = (
    Column("version", lambda row: str(row["version"]), 1),
    Column("precision", _number("precision", ".4f"), 7),
    Column("recall", _number("recall", ".4f"), 7),
    Column("F1", _number("f1", ".4f"), 8),
    Column("sd", _number("f1_sd", ".4f"), 4),
    Column("pages", _number("documents", "d"), 3),
    Column("failed", _number("failed", "d"), 6),
    Column("empty", _empty, 2),
    Column("ms/page", _number("milliseconds", ".1f"), 5),
)


def by_f1(rows: Sequence[Row]) -> list[Row]:
    """The rows, the highest F1 first, those without one last; equal ones by name."""
    return sorted(rows, key=lambda row: (row["f1"] is None, -(row["f1"] or 0.0), row["extractor"]))


def format_table(rows: Sequence[Row], width: int) -> str:
    """A table of rows of ``summary.json`` in at most ``width`` columns, if that can be done with F1 and names left."""
    figures = list(FIGURES)
    cells = _cells(rows, figures)
    while len(figures) > 1 and _width(cells, _SHORTEST_NAME) > width:
        figures.remove(min(figures, key=lambda column: column.weight))
        cells = _cells(rows, figures)
    longest = max(_SHORTEST_NAME, width - _width(cells, 0))
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join(_line(line, widths, longest).rstrip() for line in cells)


def _cells(rows: Sequence[Row], figures: Sequence[Column]) -> list[list[str]]:
    columns = (NAME, *figures)
    return [[column.title for column in columns], *([column.show(row) for column in columns] for row in rows)]


def _width(cells: Sequence[Sequence[str]], longest_name: int) -> int:
    names, *figures = ([len(cell) for cell in column] for column in zip(*cells, strict=True))
    return min(max(names), longest_name) + sum(len(_GAP) + max(column) for column in figures)


def _line(cells: Sequence[str], widths: Sequence[int], longest_name: int) -> str:
    name, *figures = cells
    if len(name) > longest_name:
        name = name[: longest_name - 1] + "…"
    return _GAP.join(
        [
            name.ljust(min(widths[0], longest_name)),
            *(cell.rjust(width) for cell, width in zip(figures, widths[1:], strict=True)),
        ]
    )


def format_columns(lines: Sequence[Sequence[str]], right: Collection[int] = ()) -> str:
    """Cells in columns, each as wide as its widest cell; those numbered in ``right`` set to the right.

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
