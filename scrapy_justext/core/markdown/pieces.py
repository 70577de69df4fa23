"""The good blocks of a page, each with where it stands and its text in runs."""

from __future__ import annotations

from itertools import chain, groupby
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.core.markdown.footnotes import BACK, find_footnotes, is_reference, without_label
from scrapy_justext.core.markdown.images import LoneImages
from scrapy_justext.core.markdown.inline import MARKUP, Resolver, TextRun, image
from scrapy_justext.core.markdown.runs import RunReader, resolved
from scrapy_justext.core.markdown.structure import Container, Surroundings, SurroundingsFinder, says_type
from scrapy_justext.core.reading.code import code_language
from scrapy_justext.core.reading.elements_of_code import about_code
from scrapy_justext.core.tags import CODE, FORMULA, IMAGE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from scrapy_justext.core.blocks import BlockTable, DataCell, Segment
    from scrapy_justext.core.reading.flow import Flow
    from scrapy_justext.core.reading.nodes import Nodes

#: What is asked of the attributes of cells and of PREs, and of tables where reading has not told which hold data.
ATTRIBUTES = frozenset([
    "colspan", "rowspan", "class", "role", "data-language", "data-lang", "data-canonical-lang", "lang",
    "data-syntaxhighlighter-params",
])  # fmt: skip
#: Columns of a pipe table, and of a cell, and rows of a cell at the most; COLSPAN may ask for thousands.
MOST_COLUMNS, _MOST_ROWS = 64, 1 << 16


class Piece(NamedTuple):
    """A good block, to be written."""

    segment: Segment
    surroundings: Surroundings
    runs: Sequence[TextRun]
    source: str | None = None
    """Where the image that it is comes from."""
    rows: Sequence[Sequence[CellPieces]] = ()
    """The cells of the table that it is, by rows."""

    def line(self, write: Callable[[Iterable[TextRun]], str]) -> str:
        """Return its text as ``write`` gives it, or the image."""
        return write(self.runs) if self.source is None else image(self.segment.collapsed, self.source)


class CellPieces(NamedTuple):
    """A TD or TH with what it holds."""

    name: str
    columns: int
    rows: int
    """How many columns and rows it reaches over."""
    is_in_head: bool
    """Whether it stands in a THEAD."""
    pieces: Sequence[Piece]

    @classmethod
    def of(cls, page: Nodes, node: int, pieces: Sequence[Piece]) -> CellPieces:
        """Return a cell of a page."""
        columns = _span(page.attribute(node, "colspan"), MOST_COLUMNS)
        rows = _span(page.attribute(node, "rowspan"), _MOST_ROWS)
        row = page.parent[node]
        return cls(page.name(node), columns, rows, row > 0 and page.name(page.parent[row]) == "thead", pieces)


def _span(value: str | None, most: int) -> int:
    value = (value or "").strip()
    return max(1, min(int(value), most)) if value.isdecimal() and len(value) < 9 else 1


def good_pieces(flow: Flow, table: BlockTable, good: Sequence[bool], url: str | None) -> Iterator[Piece]:
    """Yield the good blocks of a page in document order."""
    images = LoneImages(flow, table, good)
    maker = _PieceMaker(flow, images, url)
    callout: Container | None = None
    for piece in map(maker.piece, images.among_blocks()):
        is_unseen = piece.source is None or piece.surroundings.preformatted
        if piece.segment.kind == IMAGE and is_unseen and flow.rules.kinds:
            continue
        containers = piece.surroundings.containers
        before, callout = callout, next((around for around in containers if around.callout), None)
        if callout is None or callout is before or not says_type(piece.segment.text, callout.callout):
            yield piece


class _PieceMaker:
    """Makes pieces of a page's good blocks, which must be given in document order."""

    def __init__(self, flow: Flow, images: LoneImages, url: str | None) -> None:
        kept = images.kept
        reader = RunReader(flow)
        #: The runs of blocks that are more than their collapsed text, by the blocks' first and last tokens.
        self._runs = {
            (text.begin, text.end): runs
            for text in _texts(kept)
            if text.kind != CODE and (runs := reader.runs(text.begin, text.end))
        }
        # Tables may be written in HTML, which has no footnotes.
        referring = (self._runs.get((segment.begin, segment.end), ()) for segment in kept if flow.rules.kinds)
        self._footnotes = find_footnotes(flow, kept, set(chain.from_iterable(map(_references, referring))))
        self._finder = SurroundingsFinder(flow.page, self._footnotes.containers)
        self._flow = flow
        self._images = images
        self._resolve = Resolver(flow.page, url, reader.read + sum(len(segment.collapsed) for segment in kept))
        #: The footnotes that have begun.
        self._begun: set[str] = set()

    def piece(self, segment: Segment) -> Piece:
        surroundings = self._finder.of(self._flow.place_of(segment.begin, segment.end))
        if segment.image_url is not None:
            return Piece(segment, surroundings, [TextRun(segment.collapsed)], self._resolve(segment.image_url))
        if segment.cells is not None:
            return Piece(segment, surroundings, (), rows=[list(map(self._cell, row)) for row in segment.cells.rows()])
        runs = self._text(segment, surroundings)
        if surroundings.preformatted and segment.kind != CODE:
            language = code_language(about_code(self._flow.page, surroundings.preformatted))
            segment = segment._replace(code_language=language)
        return Piece(segment, surroundings, runs)

    def _cell(self, cell: DataCell) -> CellPieces:
        inside = [self.piece(segment) for segment in self._images.in_cell(cell)]
        return CellPieces.of(self._flow.page, self._flow.elements[cell.element], inside)

    def _text(self, segment: Segment, surroundings: Surroundings) -> Sequence[TextRun]:
        own = self._runs.get((segment.begin, segment.end))
        if own is None:
            own = [TextRun(segment.collapsed, is_code=segment.kind == CODE)]
        if segment.heading_level:
            own = [run for run in own if run.image is None or not run.image.is_sign]
        label = surroundings.containers[0].label if surroundings.containers else ""
        if label and segment.kind != CODE:
            own = _of_footnote(own, "" if label in self._begun else label)
            self._begun.add(label)
        return resolved(own, self._resolve, self._footnotes.labels)


def _texts(segments: Iterable[Segment]) -> Iterator[Segment]:
    for segment in segments:
        if segment.cells is not None:
            yield from _texts(chain.from_iterable(cell.blocks for row in segment.cells.rows() for cell in row))
        elif segment.image_url is None:
            yield segment


def _references(runs: Iterable[TextRun]) -> Iterator[str]:
    """Yield the addresses in the same page of the links that read like references."""
    for address, group in groupby(runs, lambda run: run.destination):
        is_near = address is not None and address.startswith("#")
        if is_near and is_reference(group):
            yield address


def _of_footnote(runs: Iterable[TextRun], label: str) -> list[TextRun]:
    """Return the runs of a footnote's block without links back, and without the label that it begins with, if any."""
    kept: list[TextRun] = []
    for run in runs:
        text = run.text
        if run.kind == MARKUP:
            if kept and kept[-1].kind == MARKUP and text.startswith("</"):
                # What was raised is gone.
                kept.pop()
            else:
                kept.append(run)
            continue
        if run.destination is not None and run.destination.startswith("#"):
            # Where a footnote begins, its links back may be numbers and letters.
            text = "" if BACK.fullmatch(text) or (label and is_reference([run])) else text
        elif label and run.kind != FORMULA:
            text = without_label(text, label)
        label = "" if text.strip() else label
        if text or not run.text:
            kept.append(run.with_text(text))
    return kept
