"""Good blocks, one below the other, as a Markdown document.

Each good block is a piece: where it stands (:mod:`.structure`), and its text in runs (:mod:`.inline`).  The pieces of a
table are written together, and so are those of a PRE; each other piece is a paragraph or a heading.  What is written
goes into the lists and quotes around it: each opens the containers that the one before was not in.
"""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import groupby, islice, takewhile
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.core.blocks import GOOD
from scrapy_justext.core.flattening import INLINE
from scrapy_justext.core.markdown.inline import (
    Resolver,
    TextRun,
    cell,
    fence_for,
    good_runs,
    heading,
    image,
    paragraph,
    styled_text,
)
from scrapy_justext.core.markdown.structure import Container, Grid, Surroundings, SurroundingsFinder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from lxml import etree

    from scrapy_justext.core.blocks import Decision, Segment
    from scrapy_justext.core.elements import Elements

#: Good blocks in a cell of a table, at the most.
MOST_BLOCKS = 3
#: Good rows and columns of a table, at the least.
LEAST_ROWS = LEAST_COLUMNS = 2
#: Marks of links, styled elements and BRs in a flattened page, at the most: two or three each.  A page with more is
#: written without them.
MOST_MARKS = 1 << 18
#: Cells of a table for each that has text, at the most; what is emptier is written one block after another.
SPARSEST = 16

#: The class that names the language of code.
_LANGUAGE_CLASS = re.compile(r"(?:^|\s)(?:language|lang)-([A-Za-z0-9+#._-]{1,40})(?=\s|$)")


class Piece(NamedTuple):
    """A good block, to be written."""

    segment: Segment
    surroundings: Surroundings
    runs: Sequence[TextRun]
    image: str | None = None
    """The image that it is, in Markdown."""

    def line(self, write: Callable[[Iterable[TextRun]], str]) -> str:
        """Return its text as ``write`` gives it, or the image."""
        return self.image or write(self.runs)


def to_markdown(
    elements: Elements | None,
    segments: Sequence[Segment],
    decisions: Sequence[Decision],
    *,
    url: str | None = None,
    data: Iterable[Segment] = (),
) -> str:
    """Return the good blocks of a page as Markdown, without a line feed at the end; empty where there are none.

    ``url``: the page's, which relative links are resolved against, unless the page has a BASE.
    ``data``: good blocks behind them that stand in no element.
    """
    good = [decision.block_class is GOOD for decision in decisions]
    pieces = list(_pieces(elements, segments, good, url)) if elements is not None and True in good else []
    pieces += (Piece(segment, Surroundings(), [TextRun(segment.text)]) for segment in data)
    tables = _tables(pieces)
    writer = MarkdownWriter()
    for whole, group in groupby(pieces, lambda piece: _whole(piece, tables)):
        together = list(group)
        if isinstance(whole, Grid):
            writer.add(_table(together, whole), whole.containers)
        elif whole is not None:
            writer.add(_code(together, whole), together[0].surroundings.containers)
        else:
            for piece in together:
                writer.add(_flow(piece), piece.surroundings.containers, is_paragraph=True)
    return writer.text()


def _pieces(elements: Elements, segments: Sequence[Segment], good: Sequence[bool], url: str | None) -> Iterator[Piece]:
    flat = styled_text(elements)
    resolve = Resolver(elements.root, url, flat)
    is_plain = flat.count(INLINE) > MOST_MARKS
    runs = {} if is_plain else dict(good_runs(flat, elements.rules, segments, good, resolve))
    finder = SurroundingsFinder(elements.root)
    for index, (segment, is_good) in enumerate(zip(segments, good, strict=True)):
        if not is_good:
            continue
        surroundings = finder.of(elements.nodes[segment.element])
        if segment.image_url is None:
            yield Piece(segment, surroundings, [TextRun(segment.collapsed)] if is_plain else runs[index])
        else:
            destination = resolve(segment.image_url)
            own = image(segment.collapsed, destination) if destination is not None else None
            yield Piece(segment, surroundings, [TextRun(segment.collapsed)], own)


def _whole(piece: Piece, tables: frozenset[Grid]) -> Grid | etree._Element | None:
    """Return what a piece is written together with its neighbours as: a table, a PRE, or nothing."""
    grid = piece.surroundings.grid
    if grid in tables and piece.surroundings.cell is not None:
        return grid
    return piece.surroundings.preformatted if piece.segment.image_url is None else None


def _tables(pieces: Iterable[Piece]) -> frozenset[Grid]:
    """Return the grids that are written as tables."""
    by_grid: defaultdict[Grid, list[Piece]] = defaultdict(list)
    for piece in pieces:
        if piece.surroundings.grid is not None and piece.surroundings.cell is not None:
            by_grid[piece.surroundings.grid].append(piece)
    return frozenset(grid for grid, inside in by_grid.items() if _is_table(grid, inside))


def _is_table(grid: Grid, pieces: Sequence[Piece]) -> bool:
    blocks: defaultdict[tuple[int, int], int] = defaultdict(int)
    for piece in pieces:
        surroundings = piece.surroundings
        at = grid.cells.get(surroundings.cell) if surroundings.cell is not None else None
        is_line = surroundings.preformatted is None and not piece.segment.heading_level
        if at is None or not is_line or surroundings.containers != grid.containers:
            return False
        blocks[at] += 1
    rows = {row for row, _ in blocks}
    columns = {column for _, column in blocks}
    is_filled = len(rows) * len(columns) <= SPARSEST * len(blocks)
    return (
        is_filled and len(rows) >= LEAST_ROWS and len(columns) >= LEAST_COLUMNS and max(blocks.values()) <= MOST_BLOCKS
    )


def _table(pieces: Sequence[Piece], grid: Grid) -> list[str]:
    texts: defaultdict[tuple[int, int], list[str]] = defaultdict(list)
    for piece in pieces:
        if piece.surroundings.cell is not None:
            texts[grid.cells[piece.surroundings.cell]].append(piece.line(cell))
    return pipe_rows({at: " ".join(several) for at, several in texts.items()}, grid.headers)


def pipe_rows(texts: Mapping[tuple[int, int], str], headers: frozenset[int]) -> list[str]:
    """Return the lines of a pipe table, of texts by row and column; rows and columns without any are left out.

    The first row is the header where ``headers`` names it, else the header is empty.

    >>> pipe_rows({(0, 0): "a", (0, 2): "b", (3, 2): "c"}, frozenset({0}))
    ['| a | b |', '| --- | --- |', '|  | c |']
    """
    numbers = sorted({row for row, _ in texts})
    columns = sorted({column for _, column in texts})
    rows = [[texts.get((row, column), "") for column in columns] for row in numbers]
    if numbers[0] not in headers:
        rows.insert(0, [""] * len(columns))
    rows.insert(1, ["---"] * len(columns))
    return [f"| {' | '.join(row)} |" for row in rows]


def _code(pieces: Sequence[Piece], preformatted: etree._Element) -> list[str]:
    text = "\n".join(piece.segment.text for piece in pieces)
    fence = fence_for(text, 3)
    return [f"{fence}{_code_language(preformatted)}", *text.split("\n"), fence]


def _code_language(preformatted: etree._Element) -> str:
    """Return the language that a PRE, or the CODE in it, says it is in; empty without."""
    for node in (preformatted, *islice(preformatted, 1)):
        match = _LANGUAGE_CLASS.search(node.get("class") or "")
        if match:
            return match[1]
    return ""


def _flow(piece: Piece) -> list[str]:
    """Return the lines of a paragraph or heading; none where an image has neither text nor a destination."""
    if level := piece.segment.heading_level:
        text = piece.line(heading)
        return [f"{'#' * level} {text}"] if text else []
    text = piece.line(paragraph)
    return text.split("\n") if text else []


class MarkdownWriter:
    """Puts what is written one below the other, each in its containers."""

    def __init__(self) -> None:
        self._written: list[str] = []
        self._containers: Sequence[Container] = ()
        self._after_paragraph = False
        #: The lists that are written with the other bullet or delimiter, since one of their kind is right above.
        self._others: set[etree._Element] = set()

    def text(self) -> str:
        """Return all lines, with no line feed at the end."""
        return "\n".join(self._written)

    def add(self, lines: Sequence[str], containers: Sequence[Container], *, is_paragraph: bool = False) -> None:
        """Write lines that stand in ``containers``.

        ``is_paragraph``: whether the item of a list may follow without a blank line.
        """
        if not lines:
            return
        shared = _shared(self._containers, containers)
        opened = containers[shared:]
        self._tell_apart(shared, opened)
        around = "".join(map(self._indent, containers[:shared]))
        if self._written and not self._is_tight(shared, opened):
            self._written.append(around.rstrip())
        self._written.append(f"{around}{''.join(map(self._marker, opened))}{lines[0]}")
        indent = "".join(map(self._indent, containers))
        self._written += (f"{indent}{line}" if line else indent.rstrip() for line in lines[1:])
        self._containers = containers
        self._after_paragraph = is_paragraph

    def _tell_apart(self, shared: int, opened: Sequence[Container]) -> None:
        """Make two lists, one right below the other, two."""
        if not opened or shared == len(self._containers):
            return
        above, below = self._containers[shared], opened[0]
        if above.parent is None or below.parent is None or above.parent is below.parent:
            return
        if _are_alike(above, below) and (above.parent in self._others) == (below.parent in self._others):
            self._others ^= {below.parent}

    def _is_tight(self, shared: int, opened: Sequence[Container]) -> bool:
        """Return whether what is written begins an item that needs no blank line before it."""
        if not opened or opened[0].parent is None or not self._after_paragraph:
            return False
        item = opened[0]
        if shared < len(self._containers):
            above = self._containers[shared]
            return above.parent is item.parent and _are_alike(above, item)
        # A list inside an item, below its text.  Only 1 begins a list there.
        return shared > 0 and self._containers[-1].parent is not None and item.number in (None, 1)

    def _marker(self, container: Container) -> str:
        if container.parent is None:
            return "> "
        is_other = container.parent in self._others
        if container.number is None:
            return "* " if is_other else "- "
        return f"{container.number}{')' if is_other else '.'} "

    def _indent(self, container: Container) -> str:
        marker = self._marker(container)
        return marker if container.parent is None else " " * len(marker)


def _are_alike(item: Container, other: Container) -> bool:
    """Return whether both have numbers, or both bullets."""
    return (item.number is None) == (other.number is None)


def _shared(before: Sequence[Container], now: Sequence[Container]) -> int:
    """Return how many containers two blocks have in common, from the outermost."""
    pairs = zip(before, now, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1], pairs))
