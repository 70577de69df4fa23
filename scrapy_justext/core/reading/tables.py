"""Tell tables of data from those that lay out a page, and make one block of each.

Reading cuts the cells of a table into blocks.  At the end of the table, when all is known of it, the blocks of a table
of data become one.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from scrapy_justext.core import tags
from scrapy_justext.core.blocks import DataCells, Extras
from scrapy_justext.core.text import collapse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from scrapy_justext.core.blocks import BlockRow, BlockTable, CellSpan

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

    ``about``: what is known of it (:func:`.elements_of_code.about_table`); ``element``, ``token``: as those of a block.
    """

    __slots__ = ("element", "has_heads", "lays_out", "rows", "token")

    def __init__(self, about: str, element: int, token: int) -> None:
        self.element = element
        self.token = token
        role, _, rest = about.partition(" ")
        names = frozenset(rest.split())
        #: Whether it says that it lays out the page, or it holds tables.
        self.lays_out = role.lower() in _LAYOUT_ROLES or not names.isdisjoint(_LAYOUT_CLASSES)
        self.has_heads = not names.isdisjoint(_HEADS)
        #: The number of the first block of each cell and that of its element, by rows.
        self.rows: list[list[tuple[int, int]]] = []

    def spans(self, first: int, end: int) -> list[list[CellSpan]]:
        """Return where the cells stand in the blocks from ``first`` to ``end``, counted from there, by rows."""
        starts = [start - first for row in self.rows for start, _ in row]
        ends = iter([*starts[1:], end - first])
        return [[(number, start - first, next(ends)) for start, number in row] for row in self.rows]


_HEADS = frozenset(["th", "caption", "thead"])


class Tables:
    """The tables around the text at hand."""

    def __init__(self) -> None:
        self._open: list[OpenTable] = []

    def begin(self, part: str, about: str, element: int, token: int, count: int) -> None:
        """Begin a table, or a part of the one at hand.

        ``part``: the name of the element; ``count``: of the blocks so far.
        """
        if part == "table":
            for outer in self._open[-1:]:
                outer.lays_out = True
            self._open.append(OpenTable(about, element, token))
        elif part == "tr" and self._open:
            self._open[-1].rows.append([])
        elif part in ("td", "th") and self._open and self._open[-1].rows:
            self._open[-1].rows[-1].append((count, element))

    def end(self, all_blocks: Callable[[], BlockTable], token: int) -> None:
        """End the table at hand: of the blocks of a table of data, the last on the page so far, make one.

        ``all_blocks``: returns the blocks of the page so far; ``token``: the one behind the table.
        """
        table = self._open.pop()
        if table.lays_out or len(table.rows) < LEAST_ROWS:
            return
        blocks = all_blocks()
        first = next((start for row in table.rows for start, _ in row), len(blocks))
        cells = DataCells(blocks[first:], table.spans(first, len(blocks)))
        if is_data(cells, has_heads=table.has_heads):
            blocks.cut_off(first)
            if first:
                # A caption is a block before it.
                table.token = max(table.token, blocks.end[first - 1])
            blocks.add(*_table_block(table, cells, token))


def _table_block(table: OpenTable, cells: DataCells, end: int) -> tuple[BlockRow, Extras]:
    """Return a table as one block; ``end``: the token behind it."""
    inside = cells.blocks
    text = "\n".join(row_texts(cells))
    collapsed = collapse(text)
    extras = Extras(
        text=None if text == collapsed else text,
        image_url=inside.of_extras("image_url")[0],
        cells=cells,
        formulas=tuple(chain.from_iterable(inside.of_extras("formulas"))),
    )
    row = (
        collapsed,
        inside.position[0]._replace(tag="table", kind=tags.TABLE),
        sum(inside.link_characters),
        sum(inside.link_words),
        sum(inside.tags_count),
        table.element,
        table.token,
        end,
    )
    return row, extras


def is_data(cells: DataCells, *, has_heads: bool) -> bool:
    """Return whether a table holds data, by its cells; ``has_heads``: whether some say that they are heads."""
    rows = [filled for row in cells.spans if (filled := [cell for cell in row if cell[1] < cell[2]])]
    count = sum(map(len, rows))
    return (
        len(rows) >= LEAST_ROWS
        and sum(map(len, cells.spans)) <= SPARSEST * count
        and _has_short_cells(cells.blocks, rows, has_heads=has_heads)
        and _has_columns(cells, rows, has_heads=has_heads)
        and (has_heads or not all(_are_linked(cells.blocks)))
        and 2 * sum(_has_entry(row, cells.blocks) for row in rows) <= len(rows)
    )


def _has_columns(cells: DataCells, rows: Sequence[Sequence[CellSpan]], *, has_heads: bool) -> bool:
    """Return whether the rows of a table have columns in common; ``rows``: the cells with text.

    Two rows have to have text in two columns, and without heads half of all rows.  Where all rows have as many cells,
    it is enough that the first one has: others may have images there.  With heads no row has to.
    """
    have_words = [any(map(str.isalnum, text)) for text in cells.blocks.collapsed]
    full = [_is_row(row, have_words) for row in rows]
    least = LEAST_ROWS if has_heads else max(LEAST_ROWS, len(rows) / 2)
    return sum(full) >= least or (
        len({len(row) for row in cells.spans if row}) == 1
        and (full[0] or (has_heads and len(_columns_with_words(cells, have_words)) >= LEAST_COLUMNS))
    )


def _columns_with_words(cells: DataCells, have_words: Sequence[bool]) -> set[int]:
    return {i for row in cells.spans for i, (_, first, end) in enumerate(row) if any(have_words[first:end])}


def _is_row(filled: Sequence[CellSpan], have_words: Sequence[bool]) -> bool:
    """Return whether there is text in two columns; bullets before the text are none."""
    for behind, (_, first, end) in enumerate(filled, 1):
        if any(have_words[first:end]):
            return len(filled) - behind + 1 >= LEAST_COLUMNS
    return False


def _are_linked(blocks: BlockTable) -> list[bool]:
    """Return for each block whether all of its text is in links."""
    return [linked >= len(text) for linked, text in zip(blocks.link_characters, blocks.collapsed, strict=True)]


def _has_entry(row: Iterable[CellSpan], blocks: BlockTable) -> bool:
    """Return whether a cell of a row is like a result of a search: paragraphs of text, and others that are links."""
    return any(
        not all(position.kind == tags.LIST_ITEM for position in blocks.position[first:end])
        and len(set(_are_linked(blocks[first:end]))) > 1
        for _, first, end in row
        if end - first >= LEAST_BLOCKS_OF_ENTRY
    )


def _has_short_cells(blocks: BlockTable, rows: Iterable[Sequence[CellSpan]], *, has_heads: bool) -> bool:
    most, longest = (MOST_BLOCKS_WITH_HEADS, LONGEST_WITH_HEADS) if has_heads else (MOST_BLOCKS, LONGEST)
    before = blocks.characters_before()
    are_short = (
        end - first <= most and before[end] - before[first] <= longest for row in rows for _, first, end in row
    )
    return all(are_short) and not any(blocks.of_position("heading_level"))


def row_texts(cells: DataCells) -> list[str]:
    """Return the texts of a table's rows, with a tab between cells; rows without text are left out."""
    texts = cells.blocks.collapsed
    rows = ["\t".join([" ".join(texts[first:end]) for _, first, end in row]) for row in cells.spans]
    return [row.rstrip("\t") for row in rows if row.strip("\t")]
