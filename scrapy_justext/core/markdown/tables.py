"""Tables: a pipe table has one line for each row, and HTML says what that cannot.

Cells that reach over several rows or columns, and cells with several blocks, lists, quotes or code in them, are written
in HTML, unless pipe tables are asked for; then the blocks of a cell are joined by a space, and the text of a cell
stands in the first of the places that it reaches over.  A table with too many empty places is in HTML always.
HTML in Markdown ends at an empty line, so none is written in it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import reduce
from itertools import accumulate, chain, groupby
from typing import TYPE_CHECKING

from scrapy_justext.core.blocks import BlockTable, DataCells
from scrapy_justext.core.markdown.html import HtmlWriter
from scrapy_justext.core.markdown.inline import cell
from scrapy_justext.core.markdown.pieces import MOST_COLUMNS, CellPieces, Piece
from scrapy_justext.core.markdown.structure import shared_containers
from scrapy_justext.core.reading.elements_of_code import about_table
from scrapy_justext.core.reading.tables import OpenTable, is_data

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from scrapy_justext.core.reading.nodes import Nodes

    #: The first row and column of a cell.
    Place = tuple[int, int]

#: What may be written of a table that a pipe table cannot show.
TABLES = (HTML, PIPES) = ("html", "pipes")
_HTML_WRITER = HtmlWriter(in_markdown=True)
#: Places in a pipe table for each cell that has text, at the most.
SPARSEST = 16


def with_tables(page: Nodes, pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Yield the pieces of a page cut without regard to kinds, with a single one for each table of data."""
    # Pieces in a table are those in its cells.
    around = groupby(pieces, lambda piece: piece.surroundings.table if piece.surroundings.cell else 0)
    groups = [(table, list(group)) for table, group in around]
    parts = Counter(table for table, _ in groups)
    for table, inside in groups:
        # Where text stands between the cells, the blocks would change places.
        rows = _data_rows(page, table, inside) if table and parts[table] == 1 else []
        if rows:
            containers = reduce(shared_containers, (piece.surroundings.containers for piece in inside))
            yield Piece(inside[0].segment, inside[0].surroundings._replace(containers=containers), [], rows=rows)
        else:
            yield from inside


def _data_rows(page: Nodes, table: int, inside: Iterable[Piece]) -> list[list[CellPieces]]:
    """Return the cells of a table with the pieces inside, by rows; none for a table that lays out the page."""
    known = OpenTable(about_table(page, table), 0, 0)
    below = range(table + 1, page.end[table])
    if known.lays_out or any(page.name(node) == "table" for node in below):
        return []
    by_cell: defaultdict[int, list[Piece]] = defaultdict(list)
    for piece in inside:
        by_cell[piece.surroundings.cell].append(piece)
    nodes = (node for node in below if page.name(node) == "tr")
    cells = ([td for td in page.children(node) if page.name(td) in ("td", "th")] for node in nodes)
    rows = [[CellPieces.of(page, td, by_cell.get(td, [])) for td in row] for row in cells]
    blocks = BlockTable(piece.segment for row in rows for td in row for piece in td.pieces)
    ends = accumulate(len(td.pieces) for row in rows for td in row)
    # A row ends before one more end is taken.
    spans = [[(0, end - len(td.pieces), end) for td, end in zip(row, ends, strict=False)] for row in rows]
    return rows if is_data(DataCells(blocks, spans), has_heads=known.has_heads) else []


def table_lines(table: Piece, tables: str) -> list[str]:
    """Return the lines of a table; ``tables``: one of :data:`TABLES`."""
    cells = dict(_places(table.rows))
    filled = [place for place, td in cells.items() if td.pieces]
    depth = len(table.surroundings.containers)
    if not _fits(filled) or (tables == HTML and any(_is_more_than_text(td, depth) for td in cells.values())):
        lines = _HTML_WRITER.rows(table.rows, depth)
        # Code has line feeds, and each line is to stand in the containers.
        return ["<table>", *chain.from_iterable(line.split("\n") for line in lines), "</table>"]
    texts = {place: " ".join(piece.line(cell) for piece in cells[place].pieces) for place in filled}
    heads = {number for number, row in enumerate(table.rows) if row and (row[0].is_in_head or _are_heads(row))}
    return pipe_rows(texts, heads)


def _places(rows: Iterable[Sequence[CellPieces]]) -> Iterator[tuple[Place, CellPieces]]:
    #: The columns that cells of the rows above reach down into, with the number of rows that are left.
    reaching: dict[int, int] = {}
    for number, row in enumerate(rows):
        below = {column: rows - 1 for column, rows in reaching.items() if rows > 1}
        column = 0
        for td in row:
            while column in reaching:
                column += 1
            yield (number, column), td
            if td.rows > 1:
                below |= dict.fromkeys(range(column, min(column + td.columns, MOST_COLUMNS)), td.rows - 1)
            column += td.columns
        reaching = below


def _fits(filled: Sequence[Place]) -> bool:
    columns = {column for _, column in filled}
    return max(columns) < MOST_COLUMNS and len({row for row, _ in filled}) * len(columns) <= SPARSEST * len(filled)


def _is_more_than_text(td: CellPieces, depth: int) -> bool:
    """Return whether a cell holds what a pipe table cannot show; ``depth``: of the containers around the table."""
    if max(td.columns, td.rows, len(td.pieces)) > 1:
        return True
    return any(piece.segment.keeps_lines or len(piece.surroundings.containers) > depth for piece in td.pieces)


def pipe_rows(texts: Mapping[Place, str], heads: Iterable[int]) -> list[str]:
    """Return the lines of a pipe table, of texts by row and column; rows and columns without any are left out.

    The first row is the header where it is one of ``heads``, else the header is empty.

    >>> pipe_rows({(0, 0): "a", (0, 2): "b", (3, 2): "c"}, {0})
    ['| a | b |', '| --- | --- |', '|  | c |']
    """
    numbers = sorted({row for row, _ in texts})
    columns = sorted({column for _, column in texts})
    rows = [[texts.get((row, column), "") for column in columns] for row in numbers]
    if numbers[0] not in heads:
        rows.insert(0, [""] * len(columns))
    rows.insert(1, ["---"] * len(columns))
    return [f"| {' | '.join(row)} |" for row in rows]


def _are_heads(row: Sequence[CellPieces]) -> bool:
    """Return whether a row has heads and nothing else; the corner of a table is mostly an empty TD."""
    return any(td.name == "th" for td in row) and all(td.name == "th" or not td.pieces for td in row)
