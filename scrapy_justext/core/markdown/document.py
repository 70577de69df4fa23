"""Good blocks, one below the other, as pieces of a document, and these as Markdown.

Each good block is a piece (:mod:`.pieces`).  A piece is a table (:mod:`.tables`), code, a paragraph or a heading; the
pieces of a PRE are one.  What is written goes into the lists and quotes around it (:mod:`.structure`):
each opens the containers that the one before was not in.
"""

from __future__ import annotations

from itertools import chain, groupby
from typing import TYPE_CHECKING

from scrapy_justext.core.markdown import footnotes, images, pieces, structure
from scrapy_justext.core.markdown.inline import TextRun, fence_for, formula, heading, paragraph
from scrapy_justext.core.markdown.pieces import Piece, good_pieces
from scrapy_justext.core.markdown.structure import Container, Surroundings, shared_containers
from scrapy_justext.core.markdown.tables import HTML, table_lines, with_tables
from scrapy_justext.core.tags import CODE, FORMULA
from scrapy_justext.core.text import is_enumerator

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from scrapy_justext.core.blocks import BlockTable, Decisions, Segment
    from scrapy_justext.core.reading.flow import Flow

#: The attributes that are read after the tree is let go of.
ATTRIBUTES = footnotes.ATTRIBUTES | images.ATTRIBUTES | pieces.ATTRIBUTES | structure.ATTRIBUTES


def good_document(
    flow: Flow,
    segments: BlockTable,
    decisions: Decisions,
    *,
    url: str | None = None,
    data: Iterable[Segment] = (),
    headline: int | None = None,
) -> list[Piece]:
    """Return the good blocks of a page as pieces, in document order, then those of ``data``, which stand in no element.

    ``url``: the page's, for relative links.  ``headline``: the index of a heading that is written whatever its class.
    """
    good = list(map(bool, decisions.are_good))
    if headline is not None:
        good[headline] = True
    pieces: Iterable[Piece] = ()
    if True in good:
        pieces = good_pieces(flow, segments, good, url)
        pieces = pieces if flow.rules.kinds else with_tables(flow.page, pieces)
    of_data = (Piece(segment, Surroundings(), [TextRun(segment.text)]) for segment in data)
    by_pre = groupby(chain(pieces, of_data), _pre_of)
    whole = (_as_code(list(parts)) if isinstance(pre, int) else next(parts) for pre, parts in by_pre)
    return list(_numbered(whole) if flow.rules.kinds else whole)


def _numbered(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Yield pieces; a piece that only numbers the text behind it is put at the start of that text."""
    number: Piece | None = None
    for piece in pieces:
        is_text = piece.source is None and not piece.rows and not piece.segment.keeps_lines
        joined = piece
        if number is not None and is_text and piece.segment.kind != FORMULA:
            joined = piece._replace(runs=[*number.runs, TextRun(" "), *piece.runs])
        elif number is not None:
            yield number
        number = None
        if is_text and not piece.segment.heading_level and is_enumerator(piece.segment.collapsed):
            number = joined
        else:
            yield joined
    if number is not None:
        yield number


def _pre_of(piece: Piece) -> object:
    """Return the PRE that holds a piece as a part of its text; for code, and all else, a value that equals no other."""
    is_part = piece.surroundings.preformatted and piece.segment.kind != CODE and piece.segment.image_url is None
    return piece.surroundings.preformatted if is_part else object()


def _as_code(parts: Sequence[Piece]) -> Piece:
    text = "\n".join(piece.segment.text for piece in parts)
    return parts[0]._replace(segment=parts[0].segment._replace(text=text, kind=CODE))


def to_markdown(pieces: Iterable[Piece], *, tables: str = HTML) -> str:
    """Return pieces as Markdown, without a line feed at the end; ``tables``: one of :data:`~.tables.TABLES`."""
    writer = MarkdownWriter()
    for piece in pieces:
        containers = piece.surroundings.containers
        if piece.segment.kind == CODE:
            writer.add(_code(piece.segment), containers)
        elif piece.rows:
            writer.add(table_lines(piece, tables), containers)
        else:
            writer.add(_flow(piece), containers, is_paragraph=piece.segment.kind != FORMULA)
    return "\n".join(writer.written)


def _code(segment: Segment) -> list[str]:
    fence = fence_for(segment.text, 3)
    return [f"{fence}{segment.code_language}", *segment.text.split("\n"), fence]


def _flow(piece: Piece) -> list[str]:
    """Return the lines of a paragraph or heading; none where an image has neither text nor a destination."""
    if piece.segment.kind == FORMULA:
        return ["$$", formula(piece.segment.collapsed.removeprefix("$$").removesuffix("$$")), "$$"]
    if level := piece.segment.heading_level:
        text = piece.line(heading)
        return [f"{'#' * level} {text}"] if text else []
    text = piece.line(paragraph)
    return text.split("\n") if text else []


class MarkdownWriter:
    """Puts what is written one below the other, each in its containers; ``written``: the lines."""

    def __init__(self) -> None:
        self.written: list[str] = []
        self._containers: Sequence[Container] = ()
        self._after_paragraph = False
        #: The lists that get the other bullet or delimiter, since a list of their kind is right above.
        self._others: set[int] = set()

    def add(self, lines: Sequence[str], containers: Sequence[Container], *, is_paragraph: bool = False) -> None:
        """Write lines in their containers; ``is_paragraph``: whether an item may follow without a blank line."""
        if not lines:
            return
        shared = len(shared_containers(self._containers, containers))
        depth = next((number for number in range(shared, len(containers)) if containers[number].callout), None)
        if depth is not None:
            sign = f"[!{containers[depth].callout}]"
            if is_paragraph and depth + 1 == len(containers):
                lines = [sign, *lines]
            else:
                self._add([sign], containers[: depth + 1], shared)
                shared = depth + 1
        self._add(lines, containers, shared, is_paragraph=is_paragraph)

    def _add(
        self, lines: Sequence[str], containers: Sequence[Container], shared: int, *, is_paragraph: bool = False
    ) -> None:
        """Write lines; ``shared``: how many containers are those of the lines before."""
        opened = containers[shared:]
        self._tell_apart(shared, opened)
        around = "".join(map(self._indent, containers[:shared]))
        if self.written and not self._is_tight(shared, opened):
            self.written.append(around.rstrip())
        self.written.append(f"{around}{''.join(map(self._marker, opened))}{lines[0]}")
        if len(lines) > 1:
            indent = "".join(map(self._indent, containers))
            self.written += (f"{indent}{line}" if line else indent.rstrip() for line in lines[1:])
        self._containers = containers
        self._after_paragraph = is_paragraph

    def _tell_apart(self, shared: int, opened: Sequence[Container]) -> None:
        """Make two lists, one right below the other, two."""
        if not opened or shared == len(self._containers):
            return
        above, below = self._containers[shared], opened[0]
        if not above.parent or not below.parent or above.parent == below.parent:
            return
        if _are_alike(above, below) and (above.parent in self._others) == (below.parent in self._others):
            self._others ^= {below.parent}

    def _is_tight(self, shared: int, opened: Sequence[Container]) -> bool:
        """Return whether what is written begins an item that needs no blank line before it."""
        if not opened or not opened[0].parent or not self._after_paragraph:
            return False
        item = opened[0]
        if shared < len(self._containers):
            above = self._containers[shared]
            return above.parent == item.parent and _are_alike(above, item)
        # A list inside an item, below its text.  Only 1 begins a list there.
        return shared > 0 and self._containers[-1].parent > 0 and item.number in (None, 1)

    def _marker(self, container: Container) -> str:
        if container.label:
            return f"[^{container.label}]: "
        if not container.parent:
            return "> "
        bullet, behind = ("*", ")") if container.parent in self._others else ("-", ".")
        return f"{bullet} " if container.number is None else f"{container.number}{behind} "

    def _indent(self, container: Container) -> str:
        return " " * container.width if container.parent or container.label else "> "


def _are_alike(item: Container, other: Container) -> bool:
    return (item.number is None) == (other.number is None)
