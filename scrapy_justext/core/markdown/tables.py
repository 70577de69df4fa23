"""Tables: the columns and rows of their cells, and which tables Markdown can have.

A pipe table has one line for each row, so a table that lays out a page, with whole articles in its cells, is none;
its blocks are then written one after another.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lxml import etree

#: Columns at the most; COLSPAN may ask for thousands.
MOST_COLUMNS = 64
#: Rows that a cell reaches over at the most.
MOST_ROWS = 1 << 16
#: Good blocks in a cell, at the most.
MOST_BLOCKS = 3
#: Good rows and columns, at the least.
LEAST_ROWS = LEAST_COLUMNS = 2

_LAYOUT_ROLES = frozenset(["presentation", "none"])


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """The cells of a table without tables in it: row and column of each, from 0; the rows that are headers.

    ``containers``: those around the table.
    """

    containers: Sequence[object]
    cells: Mapping[etree._Element, tuple[int, int]]
    headers: frozenset[int]


def make_grid(table: etree._Element, containers: Sequence[object] = ()) -> Grid | None:
    """The grid of a TABLE; None for one that lays out the page, or is too wide."""
    tables = table.iter("table")
    next(tables)
    if next(tables, None) is not None or table.get("role", "").strip().lower() in _LAYOUT_ROLES:
        return None
    cells: dict[etree._Element, tuple[int, int]] = {}
    headers = set()
    taken = _Taken()
    for number, row in enumerate(table.iter("tr")):
        own = [node for node in row if node.tag in ("td", "th")]
        for node, column in zip(own, taken.columns(own), strict=True):
            if column >= MOST_COLUMNS:
                return None
            cells[node] = number, column
        if own and (all(node.tag == "th" for node in own) or _is_in_head(row)):
            headers.add(number)
    return Grid(containers, cells, frozenset(headers))


def _is_in_head(row: etree._Element) -> bool:
    parent = row.getparent()
    return parent is not None and parent.tag == "thead"


@dataclass(slots=True)
class _Taken:
    """The columns that cells of the rows above reach down into, each with the number of rows."""

    rows: dict[int, int] = field(default_factory=dict)

    def columns(self, cells: Sequence[etree._Element]) -> Iterator[int]:
        """The first column of each cell of the next row; what is beyond the limit has the limit."""
        left = {column: rows - 1 for column, rows in self.rows.items() if rows > 1}
        column = 0
        for node in cells:
            while column in self.rows:
                column += 1
            yield min(column, MOST_COLUMNS)
            rows = _span(node, "rowspan", MOST_ROWS)
            for _ in range(_span(node, "colspan", MOST_COLUMNS)):
                if rows > 1 and column < MOST_COLUMNS:
                    left[column] = rows - 1
                column += 1
        self.rows = left


def _span(node: etree._Element, name: str, most: int) -> int:
    value = (node.get(name) or "").strip()
    return max(1, min(int(value), most)) if value.isdecimal() and len(value) < 9 else 1


def pipe_rows(texts: Mapping[tuple[int, int], str], headers: frozenset[int]) -> list[str]:
    """The lines of a pipe table, of texts by row and column; rows and columns without any are left out.

    The first row is the header where ``headers`` names it, else the header is empty.

    >>> pipe_rows({(0, 0): "a", (0, 2): "b", (3, 2): "c"}, frozenset({0}))
    ['| a | b |', '| --- | --- |', '|  | c |']
    """
    numbers = sorted({row for row, _ in texts})
    columns = sorted({column for _, column in texts})
    rows = [_line(texts.get((row, column), "") for column in columns) for row in numbers]
    delimiters = _line("---" for _ in columns)
    if numbers[0] in headers:
        return [rows[0], delimiters, *rows[1:]]
    return [_line("" for _ in columns), delimiters, *rows]


def _line(cells: Iterator[str]) -> str:
    return f"| {' | '.join(cells)} |"
