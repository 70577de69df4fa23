"""Blocks to a Markdown document."""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import groupby, islice
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.core.blocks import GOOD
from scrapy_justext.core.markdown.inline import cell, destination, fence_for, heading, image, paragraph, resolver
from scrapy_justext.core.markdown.structure import (
    LEAST_COLUMNS,
    LEAST_ROWS,
    MOST_BLOCKS,
    Grid,
    Lines,
    Position,
    Positions,
    Run,
    Writer,
    good_runs,
    pipe_rows,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from lxml import etree

    from scrapy_justext.core.blocks import Decision, Segment
    from scrapy_justext.core.elements import Elements

#: The class that names the language of code.
_LANGUAGE_CLASS = re.compile(r"(?:^|\s)(?:language|lang)-([A-Za-z0-9+#._-]{1,40})(?=\s|$)")


class Piece(NamedTuple):
    """A good block: where it stands, what it is, and its text in runs."""

    position: Position
    segment: Segment
    runs: Sequence[Run]


def to_markdown(
    elements: Elements | None,
    segments: Sequence[Segment],
    decisions: Sequence[Decision],
    *,
    url: str | None = None,
    data: Iterable[Segment] = (),
) -> str:
    """The good blocks of a page as Markdown, without a line feed at the end; empty where there are none.

    ``url``: the page's, which relative links are resolved against, unless the page has a BASE.
    ``data``: good blocks behind them that stand in no element.
    """
    pieces: list[Piece] = []
    resolve: Callable[[str], str | None] = destination
    if elements is not None:
        good = [decision.block_class is GOOD for decision in decisions]
        pieces += _pieces(elements, segments, good)
        resolve = resolver(elements.root, url)
    pieces += (Piece(Position(), segment, [Run(segment.text)]) for segment in data)
    writer = Writer()
    for lines, position in _written(pieces, resolve):
        writer.add(lines, position.containers)
    return writer.text()


def _pieces(elements: Elements, segments: Sequence[Segment], good: Sequence[bool]) -> Iterator[Piece]:
    if True not in good:
        return
    runs = dict(good_runs(elements.root, elements.rules, segments, good))
    positions = Positions(elements.root)
    for index, (segment, is_good) in enumerate(zip(segments, good, strict=True)):
        if is_good:
            own = runs[index] if segment.image_url is None else ()
            yield Piece(positions.of(elements.nodes[segment.element]), segment, own)


def _written(pieces: Sequence[Piece], resolve: Callable[[str], str | None]) -> Iterator[tuple[Lines, Position]]:
    """The lines of each paragraph, heading, code block and table, and where they stand."""
    tables = _tables(pieces)
    for whole, together in groupby(pieces, lambda piece: _whole(piece, tables)):
        group = list(together)
        if isinstance(whole, Grid):
            yield _table(group, whole, resolve), group[0].position
        elif whole is not None:
            yield _code(group, whole), group[0].position
        else:
            for piece in group:
                if lines := _flow(piece, resolve):
                    yield lines, piece.position


def _whole(piece: Piece, tables: frozenset[Grid]) -> Grid | etree._Element | None:
    """What a piece is written together with its neighbours as: a table, a PRE, or nothing."""
    grid = piece.position.grid
    if grid in tables and piece.position.cell is not None:
        return grid
    return piece.position.preformatted if piece.segment.image_url is None else None


def _tables(pieces: Iterable[Piece]) -> frozenset[Grid]:
    """The grids that are written as tables."""
    by_grid: defaultdict[Grid, list[Piece]] = defaultdict(list)
    for piece in pieces:
        if piece.position.grid is not None and piece.position.cell is not None:
            by_grid[piece.position.grid].append(piece)
    return frozenset(grid for grid, inside in by_grid.items() if _is_table(grid, inside))


def _is_table(grid: Grid, pieces: Sequence[Piece]) -> bool:
    blocks: defaultdict[tuple[int, int], int] = defaultdict(int)
    for position, segment, _ in pieces:
        at = grid.cells.get(position.cell) if position.cell is not None else None
        is_line = position.preformatted is None and not segment.heading_level
        if at is None or not is_line or position.containers != grid.containers:
            return False
        blocks[at] += 1
    rows = {row for row, _ in blocks}
    columns = {column for _, column in blocks}
    return len(rows) >= LEAST_ROWS and len(columns) >= LEAST_COLUMNS and max(blocks.values()) <= MOST_BLOCKS


def _table(pieces: Sequence[Piece], grid: Grid, resolve: Callable[[str], str | None]) -> Lines:
    texts: defaultdict[tuple[int, int], list[str]] = defaultdict(list)
    for piece in pieces:
        if piece.position.cell is not None:
            texts[grid.cells[piece.position.cell]].append(_image(piece, resolve) or cell(piece.runs, resolve))
    return Lines(pipe_rows({at: " ".join(several) for at, several in texts.items()}, grid.headers))


def _code(pieces: Sequence[Piece], preformatted: etree._Element) -> Lines:
    text = "\n".join(piece.segment.text for piece in pieces)
    fence = fence_for(text, 3)
    return Lines([f"{fence}{_code_language(preformatted)}", *text.split("\n"), fence])


def _code_language(preformatted: etree._Element) -> str:
    """The language that a PRE, or the CODE in it, says it is in; empty without."""
    for node in (preformatted, *islice(preformatted, 1)):
        match = _LANGUAGE_CLASS.search(node.get("class") or "")
        if match:
            return match[1]
    return ""


def _flow(piece: Piece, resolve: Callable[[str], str | None]) -> Lines | None:
    level = piece.segment.heading_level
    text = _image(piece, resolve)
    if text is None:
        text = (heading if level else paragraph)(piece.runs, resolve)
    if not text:
        return None
    return Lines([f"{'#' * level} {text}"] if level else text.split("\n"), is_paragraph=True)


def _image(piece: Piece, resolve: Callable[[str], str | None]) -> str | None:
    """The image that a piece is; None for text."""
    if piece.segment.image_url is None:
        return None
    return image(piece.segment.collapsed, resolve(piece.segment.image_url))
