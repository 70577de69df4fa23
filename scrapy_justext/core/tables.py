"""Tell tables of data from those that lay out a page, and make one block of each.

Reading cuts the cells of a table into blocks.  At the end of the table, when all is known of it, the blocks of a table
of data become one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_justext.core import tags
from scrapy_justext.core.blocks import DataCell
from scrapy_justext.core.text import collapse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_justext.core.blocks import Segment

#: What reading looks at of a page's elements to find code and tables.
PRE, TABLE, ROW, CELL, LINES = "pre", "table", "tr", "td", "div"
PARTS = {"pre": PRE, "table": TABLE, "tr": ROW, "td": CELL, "th": CELL, "div": LINES, "ol": LINES}

_LAYOUT_ROLES = frozenset(["presentation", "none"])
#: Those of LaTeXML, which writes equations in rows.
_LAYOUT_CLASSES = frozenset(["ltx_equation", "ltx_equationgroup", "ltx_eqn_table"])
#: Rows and columns with text, at the least.
LEAST_ROWS = LEAST_COLUMNS = 2
#: The longest text in a cell and the most blocks, of tables with heads and of others; one with more lays out a page.
LONGEST_WITH_HEADS, LONGEST = 400, 150
MOST_BLOCKS_WITH_HEADS, MOST_BLOCKS = 12, 3
#: Cells for each one that has text, at the most.
SPARSEST = 4


class OpenTable:
    """A table whose end has not come.

    ``about``: what its attributes tell (``tags.ABOUT_TABLE``); ``element``, ``chunk``: as those of a block.
    """

    __slots__ = ("chunk", "element", "has_heads", "lays_out", "rows")

    def __init__(self, about: str, element: int, chunk: int) -> None:
        self.element = element
        self.chunk = chunk
        role, _, rest = about.partition(" ")
        names = frozenset(rest.split())
        #: Whether it says that it lays out the page, or it holds tables.
        self.lays_out = role.lower() in _LAYOUT_ROLES or not names.isdisjoint(_LAYOUT_CLASSES)
        self.has_heads = not names.isdisjoint(_HEADS)
        #: The number of the first block of each cell and that of its element, by rows.
        self.rows: list[list[tuple[int, int]]] = []

    def cells(self, blocks: Sequence[Segment]) -> tuple[tuple[DataCell, ...], ...]:
        """Return the cells by rows; ``blocks``: those of the page so far, up to the table's end."""
        starts = [start for row in self.rows for start, _ in row]
        ends = iter([*starts[1:], len(blocks)])
        return tuple(
            tuple(DataCell(number, tuple(blocks[start : next(ends)])) for start, number in row) for row in self.rows
        )


_HEADS = frozenset(["th", "caption", "thead"])


class Tables:
    """The tables around the text at hand."""

    def __init__(self) -> None:
        self._open: list[OpenTable] = []

    def begin(self, part: str, about: str, element: int, chunk: int, count: int) -> None:
        """Begin a table, or a part of the one at hand.  ``count``: of the blocks so far."""
        if part == TABLE:
            for outer in self._open[-1:]:
                outer.lays_out = True
            self._open.append(OpenTable(about, element, chunk))
        elif part == ROW and self._open:
            self._open[-1].rows.append([])
        elif part == CELL and self._open and self._open[-1].rows:
            self._open[-1].rows[-1].append((count, element))

    def end(self, blocks: list[Segment]) -> None:
        """End the table at hand: of the blocks of a table of data, the last on the page so far, make one."""
        table = self._open.pop()
        if table.lays_out or len(table.rows) < LEAST_ROWS:
            return
        cells = table.cells(blocks)
        if is_data(cells, has_heads=table.has_heads):
            first = next(start for row in table.rows for start, _ in row)
            blocks[first:] = [_as_one(table, cells, blocks[first:])]


def _as_one(table: OpenTable, cells: tuple[tuple[DataCell, ...], ...], inside: Sequence[Segment]) -> Segment:
    """Return a table as one block; ``inside``: the blocks in its cells."""
    text = "\n".join(row_texts(cells))
    return inside[0]._replace(
        text=text,
        collapsed=collapse(text),
        link_characters=sum(one.link_characters for one in inside),
        link_words=sum(one.link_words for one in inside),
        tags_count=sum(one.tags_count for one in inside),
        tag="table",
        element=table.element,
        chunk=table.chunk,
        kind=tags.TABLE,
        code_language="",
        cells=cells,
        formulas=tuple(formula for one in inside for formula in one.formulas),
    )


def is_data(cells: Sequence[Sequence[DataCell]], *, has_heads: bool) -> bool:
    """Return whether a table holds data, by its cells; ``has_heads``: whether some say that they are heads."""
    most, longest = (MOST_BLOCKS_WITH_HEADS, LONGEST_WITH_HEADS) if has_heads else (MOST_BLOCKS, LONGEST)
    filled = [[number for number, cell in enumerate(row) if cell.blocks] for row in cells]
    # A column of bullets is none.
    columns = {number for row in cells for number, cell in enumerate(row) if cell.has_words}
    count = sum(map(len, filled))
    if len(columns) < LEAST_COLUMNS or sum(map(bool, filled)) < LEAST_ROWS or sum(map(len, cells)) > SPARSEST * count:
        return False
    return all(
        len(cell.blocks) <= most
        and not any(one.heading_level for one in cell.blocks)
        and sum(len(one.collapsed) for one in cell.blocks) <= longest
        for row in cells
        for cell in row
    )


def row_texts(cells: Sequence[Sequence[DataCell]]) -> list[str]:
    """Return the texts of a table's rows, with a tab between cells; rows without text are left out."""
    rows = ["\t".join(" ".join(one.collapsed for one in cell.blocks) for cell in row) for row in cells]
    return [row.rstrip("\t") for row in rows if row.strip("\t")]
