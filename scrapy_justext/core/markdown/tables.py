"""Tables: a pipe table has one line for each row, and HTML says what that cannot.

Cells that reach over several rows or columns, and cells with several blocks, lists, quotes or code in them, are written
in HTML, unless pipe tables are asked for; then the blocks of a cell are joined by a space, and the text of a cell
stands in the first of the places that it reaches over.  A table with too many empty places is in HTML always.
HTML in Markdown ends at an empty line, so none is written in it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import reduce
from html import escape
from itertools import accumulate, chain, groupby
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.core.blocks import BlockTable, DataCells
from scrapy_justext.core.markdown.inline import cell, collapsed_runs
from scrapy_justext.core.markdown.pieces import MOST_COLUMNS, CellPieces, Piece
from scrapy_justext.core.markdown.structure import shared_containers
from scrapy_justext.core.reading.elements_of_code import about_table
from scrapy_justext.core.reading.tables import OpenTable, is_data

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from scrapy_justext.core.markdown.inline import TextRun
    from scrapy_justext.core.markdown.structure import Container
    from scrapy_justext.core.reading.nodes import Nodes


def html_flow(pieces: Sequence[Piece], depth: int) -> str:
    """Return blocks in their lists and quotes; ``depth``: of the containers around all of them."""
    if len(pieces) == 1 and _container(pieces[0], depth) is None:
        return _content(pieces[0])
    parts: list[str] = []
    for _, group in groupby(pieces, lambda piece: _parent(piece, depth)):
        items = [(item, list(inside)) for item, inside in groupby(group, lambda piece: _container(piece, depth))]
        first = items[0][0]
        if first is None:
            contents = (_content(piece) for _, inside in items for piece in inside)
            parts += (one if one.startswith("<pre>") else f"<p>{one}</p>" for one in contents)
        elif not first.parent:
            parts.append(f"<blockquote>{html_flow(items[0][1], depth + 1)}</blockquote>")
        else:
            content = "".join(f"<li>{html_flow(inside, depth + 1)}</li>" for _, inside in items)
            name, start = ("ul", "") if first.number is None else ("ol", f' start="{first.number}"')
            parts.append(f"<{name}{'' if first.number == 1 else start}>{content}</{name}>")
    return "".join(parts)


def _container(piece: Piece, depth: int) -> Container | None:
    containers = piece.surroundings.containers
    return containers[depth] if len(containers) > depth else None


def _parent(piece: Piece, depth: int) -> Container | int | None:
    """Return the list that a piece stands in, or the quote; None without."""
    container = _container(piece, depth)
    return None if container is None else container.parent or container


def _content(piece: Piece) -> str:
    segment = piece.segment
    if piece.source is not None:
        return image_tag(segment.collapsed, piece.source)
    if not segment.keeps_lines:
        return html_line(piece.runs)
    language = f' class="language-{segment.code_language}"' if segment.code_language else ""
    lines = escape(segment.text, quote=False).replace("\n\n", "\n&#10;")
    return f"<pre><code{language}>{lines}</code></pre>"


def html_line(runs: Iterable[TextRun]) -> str:
    """Return runs in HTML.

    >>> from scrapy_justext.core.markdown.inline import TextRun
    >>> html_line([TextRun("1 < 2", is_bold=True), TextRun(" "), TextRun("x", destination="/x")])
    '<strong>1 &lt; 2</strong> <a href="/x">x</a>'
    """
    return "".join(
        _tagged("a", f' href="{_address(destination)}"', _styled(group)) if destination else _styled(group)
        for destination, group in groupby(collapsed_runs(runs), lambda run: run.destination)
    )


def _styled(runs: Iterable[TextRun]) -> str:
    parts = []
    for (bold, italic, code), group in groupby(runs, lambda run: (run.is_bold, run.is_italic, run.is_code)):
        html = "".join(_text(run) for run in group)
        for name, is_wanted in (("code", code), ("em", italic), ("strong", bold)):
            html = _tagged(name, "", html) if is_wanted else html
        parts.append(html)
    return "".join(parts)


def _text(run: TextRun) -> str:
    if run.image is not None:
        return image_tag(run.image.alt, run.image.source)
    if run.text == "\n":
        return "<br>"
    return escape(run.written(), quote=False)


def image_tag(alt: str, source: str) -> str:
    """Return an image in HTML."""
    return f'<img src="{_address(source)}" alt="{escape(alt)}">'


def _tagged(name: str, attributes: str, html: str) -> str:
    return f"<{name}{attributes}>{html}</{name}>"


def _address(destination: str) -> str:
    """Return a destination, as Markdown has it, as HTML has it."""
    return escape(destination.replace("\\", ""))


#: What may be written of a table that a pipe table cannot show.
TABLES = (HTML, PIPES) = ("html", "pipes")
#: Places in a pipe table for each cell that has text, at the most.
SPARSEST = 16


def with_tables(page: Nodes, pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Yield the pieces, with one in place of those in the cells of each table of data.

    This is for pages that were cut into blocks without regard to kinds.
    """
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
    cells = ([one for one in page.children(node) if page.name(one) in ("td", "th")] for node in nodes)
    rows = [[CellPieces.of(page, one, by_cell.get(one, [])) for one in row] for row in cells]
    blocks = BlockTable(piece.segment for row in rows for one in row for piece in one.pieces)
    ends = accumulate(len(one.pieces) for row in rows for one in row)
    # A row ends before one more end is taken.
    spans = [[(0, end - len(one.pieces), end) for one, end in zip(row, ends, strict=False)] for row in rows]
    return rows if is_data(DataCells(blocks, spans), has_heads=known.has_heads) else []


def table_lines(table: Piece, tables: str) -> list[str]:
    """Return the lines of a table; ``tables``: one of :data:`TABLES`."""
    places = list(_places(table.rows))
    depth = len(table.surroundings.containers)
    if not _fits(places) or (tables == HTML and any(_is_more_than_text(place, depth) for place in places)):
        lines = (f"<tr>{''.join(_html_of(one, depth) for one in row)}</tr>" for row in table.rows if row)
        # Code has line feeds, and each line is to stand in the containers.
        return ["<table>", *chain.from_iterable(line.split("\n") for line in lines), "</table>"]
    texts = {
        (place.row, place.column): " ".join(piece.line(cell) for piece in place.cell.pieces)
        for place in places
        if place.cell.pieces
    }
    heads = {number for number, row in enumerate(table.rows) if row and (row[0].is_in_head or _are_heads(row))}
    return pipe_rows(texts, heads)


class CellPlace(NamedTuple):
    """A cell of a table with its first row and column."""

    row: int
    column: int
    cell: CellPieces


def _places(rows: Iterable[Sequence[CellPieces]]) -> Iterator[CellPlace]:
    #: The columns that cells of the rows above reach down into, each with the number of rows from here.
    reaching: dict[int, int] = {}
    for number, row in enumerate(rows):
        below = {column: rows - 1 for column, rows in reaching.items() if rows > 1}
        column = 0
        for one in row:
            while column in reaching:
                column += 1
            yield CellPlace(number, column, one)
            if one.rows > 1:
                below |= dict.fromkeys(range(column, min(column + one.columns, MOST_COLUMNS)), one.rows - 1)
            column += one.columns
        reaching = below


def _fits(places: Iterable[CellPlace]) -> bool:
    """Return whether a pipe table can hold cells in their places."""
    filled = [(place.row, place.column) for place in places if place.cell.pieces]
    columns = {column for _, column in filled}
    return max(columns) < MOST_COLUMNS and len({row for row, _ in filled}) * len(columns) <= SPARSEST * len(filled)


def _is_more_than_text(place: CellPlace, depth: int) -> bool:
    """Return whether a cell holds what a pipe table cannot show; ``depth``: of the containers around the table."""
    pieces = place.cell.pieces
    return (
        place.cell.columns > 1
        or place.cell.rows > 1
        or len(pieces) > 1
        or any(piece.segment.keeps_lines or len(piece.surroundings.containers) > depth for piece in pieces)
    )


def pipe_rows(texts: Mapping[tuple[int, int], str], heads: Iterable[int]) -> list[str]:
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


def _html_of(one: CellPieces, depth: int) -> str:
    spans = (("colspan", one.columns), ("rowspan", one.rows))
    attributes = "".join(f' {name}="{span}"' for name, span in spans if span > 1)
    return f"<{one.name}{attributes}>{html_flow(one.pieces, depth)}</{one.name}>"


def _are_heads(row: Sequence[CellPieces]) -> bool:
    """Return whether a row has heads and nothing else; the corner of a table is mostly an empty TD."""
    return any(one.name == "th" for one in row) and all(one.name == "th" or not one.pieces for one in row)
