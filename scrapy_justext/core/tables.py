"""Tell tables of data from those that lay out a page, and make one block of each.

Reading cuts the cells of a table into blocks.  At the end of the table, when all is known of it, the blocks of a table
of data become one.
"""

from __future__ import annotations

from itertools import dropwhile
from typing import TYPE_CHECKING

from scrapy_justext.core import tags
from scrapy_justext.core.blocks import DataCell, maker
from scrapy_justext.core.text import collapse

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scrapy_justext.core.blocks import BlockTable, Segment

#: What reading looks at of a page's elements to find code and tables.
PRE, TABLE, ROW, CELL, LINES = "pre", "table", "tr", "td", "div"
PARTS = {"pre": PRE, "table": TABLE, "tr": ROW, "td": CELL, "th": CELL, "div": LINES, "ol": LINES, "ul": LINES}

_LAYOUT_ROLES = frozenset(["presentation", "none"])
#: Those of LaTeXML, which writes equations in rows.
_LAYOUT_CLASSES = frozenset(["ltx_equation", "ltx_equationgroup", "ltx_eqn_table"])
#: Rows and columns with text, at the least.
LEAST_ROWS = LEAST_COLUMNS = 2
#: The longest text in a cell and the most blocks, of tables with heads and of others; one with more lays out a page.
LONGEST_WITH_HEADS, LONGEST = 400, 150
MOST_BLOCKS_WITH_HEADS, MOST_BLOCKS = 12, 3
#: Of a cell that is an entry of a list: a title, a text, and what to do with it.
LEAST_BLOCKS_OF_ENTRY = 3
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

    def cells(self, inside: Sequence[Segment], first: int) -> tuple[tuple[DataCell, ...], ...]:
        """Return the cells by rows; ``inside``: the blocks in them, the first of which has the index ``first``."""
        starts = [start - first for row in self.rows for start, _ in row]
        ends = iter([*starts[1:], len(inside)])
        return tuple(
            [
                tuple([_new_cell((number, tuple(inside[start - first : next(ends)]))) for start, number in row])
                for row in self.rows
            ]
        )


_new_cell = maker(DataCell)
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

    def end(self, blocks: BlockTable) -> None:
        """End the table at hand: of the blocks of a table of data, the last on the page so far, make one."""
        table = self._open.pop()
        if table.lays_out or len(table.rows) < LEAST_ROWS:
            return
        first = next((start for row in table.rows for start, _ in row), len(blocks))
        inside = list(blocks.rows(first, len(blocks)))
        cells = table.cells(inside, first)
        if is_data(cells, has_heads=table.has_heads):
            as_one = _as_one(table, cells, inside)
            blocks.cut_off(first)
            blocks.append(as_one)


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
    rows = [filled for row in cells if (filled := [cell for cell in row if cell.blocks])]
    count = sum(map(len, rows))
    return (
        len(rows) >= LEAST_ROWS
        and sum(map(len, cells)) <= SPARSEST * count
        and _has_columns(cells, rows, has_heads=has_heads)
        and (has_heads or not all(_is_linked(one) for row in rows for cell in row for one in cell.blocks))
        and 2 * sum(_has_entry(row) for row in rows) <= len(rows)
        and _has_short_cells(rows, has_heads=has_heads)
    )


def _has_columns(cells: Sequence[Sequence[DataCell]], rows: Sequence[Sequence[DataCell]], *, has_heads: bool) -> bool:
    """Return whether the rows of a table have columns in common; ``rows``: the cells with text.

    Two rows have to have text in two columns, and without heads half of all rows.  Where all rows have as many cells,
    it is enough that the first one has: others may have images there.  With heads no row has to.
    """
    full = [_is_row(row) for row in rows]
    least = LEAST_ROWS if has_heads else max(LEAST_ROWS, len(rows) / 2)
    return sum(full) >= least or (
        len({len(row) for row in cells if row}) == 1
        and (full[0] or (has_heads and len(_columns_with_words(cells)) >= LEAST_COLUMNS))
    )


def _columns_with_words(cells: Sequence[Sequence[DataCell]]) -> set[int]:
    return {number for row in cells for number, cell in enumerate(row) if cell.has_words}


def _is_row(filled: Sequence[DataCell]) -> bool:
    """Return whether there is text in two columns; bullets before the text are none."""
    return sum(1 for _ in dropwhile(lambda cell: not cell.has_words, filled)) >= LEAST_COLUMNS


def _is_linked(block: Segment) -> bool:
    """Return whether all text of a block is in links."""
    return block.link_characters >= len(block.collapsed)


def _has_entry(row: Iterable[DataCell]) -> bool:
    """Return whether a cell of a row is like a result of a search: paragraphs of text, and others that are links."""
    return any(
        not all(one.kind == tags.LIST_ITEM for one in blocks) and len(set(map(_is_linked, blocks))) > 1
        for _, blocks in row
        if len(blocks) >= LEAST_BLOCKS_OF_ENTRY
    )


def _has_short_cells(rows: Iterable[Sequence[DataCell]], *, has_heads: bool) -> bool:
    most, longest = (MOST_BLOCKS_WITH_HEADS, LONGEST_WITH_HEADS) if has_heads else (MOST_BLOCKS, LONGEST)
    return all(
        len(blocks) <= most
        # Most cells have one block.
        and sum([len(one.collapsed) for one in blocks]) <= longest
        and not any(one.heading_level for one in blocks)
        for row in rows
        for _, blocks in row
    )


def row_texts(cells: Sequence[Sequence[DataCell]]) -> list[str]:
    """Return the texts of a table's rows, with a tab between cells; rows without text are left out."""
    rows = ["\t".join([" ".join([one.collapsed for one in blocks]) for _, blocks in row]) for row in cells]
    return [row.rstrip("\t") for row in rows if row.strip("\t")]
