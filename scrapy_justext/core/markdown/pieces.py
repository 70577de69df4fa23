"""The good blocks of a page, each with where it stands and its text in runs.

The text is read once more, with marks for links, emphasis and code (:mod:`.styled`), and from there in runs: a run has
one style, and leads to one address.
"""

from __future__ import annotations

from itertools import chain, compress, groupby, islice
from operator import eq
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.core import marks
from scrapy_justext.core.kernel.loading import kernel
from scrapy_justext.core.markdown.footnotes import BACK, find_footnotes, is_reference, without_label
from scrapy_justext.core.markdown.images import Gaps, ImageSegments, as_text, read_image
from scrapy_justext.core.markdown.inline import HARD_BREAK, Resolver, TextRun, image
from scrapy_justext.core.markdown.structure import Container, Surroundings, SurroundingsFinder, says_type
from scrapy_justext.core.markdown.styled import Wanted, read_styled
from scrapy_justext.core.marks import BLOCK, CLOSE, INLINE, read_formula
from scrapy_justext.core.tags import CODE, IMAGE
from scrapy_justext.core.text import visible_length

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from lxml import etree

    from scrapy_justext.core.blocks import BlockTable, DataCell, Segment
    from scrapy_justext.core.elements import Elements
    from scrapy_justext.core.kernel.lines import LineWriter
    from scrapy_justext.core.markdown.inline import Resolve
    from scrapy_justext.core.markdown.styled import Styled

#: Marks of links, styled elements and BRs in good text, at the most: two or three each.  A page with more is
#: written without them.
MOST_MARKS = 1 << 18


class Piece(NamedTuple):
    """A good block, to be written."""

    segment: Segment
    surroundings: Surroundings
    runs: Sequence[TextRun]
    source: str | None = None
    """Where the image that it is comes from."""
    rows: Sequence[Sequence[CellPieces]] = ()
    """The cells of the table that it is, by rows."""
    written: str | None = None
    """Its text as it is written, for most; None where it takes more to write the runs."""

    def line(self, write: Callable[[Iterable[TextRun]], str]) -> str:
        """Return its text as ``write`` gives it, or the image."""
        return write(self.runs) if self.source is None else image(self.segment.collapsed, self.source)


class CellPieces(NamedTuple):
    """A TD or TH with what it holds."""

    node: etree._Element
    pieces: Sequence[Piece]


def good_pieces(elements: Elements, table: BlockTable, good: Sequence[bool], url: str | None) -> Iterator[Piece]:
    """Yield the good blocks of a page in document order."""
    kept = list(table.chosen(good))
    rows = dict(zip(compress(range(len(good)), good), kept, strict=True))
    by_chunk = blocks_by_chunk(table, rows)
    wanted = wanted_of(table, kept, by_chunk)
    styled = read_styled(elements, wanted)
    images = ImageSegments(styled.images, Gaps(table, good, kept, styled.figures), wanted.cells)
    modules = kernel().modules if elements.rules.kinds else None
    is_whole = None if modules is None else modules.lines.is_whole
    texts = read_texts(styled.texts, by_chunk, by_nodes=elements.rules.text_nodes, is_whole=is_whole)
    # With the marks of the elements around them.
    read = sum(len(text) + 2 * len(BLOCK + CLOSE) for text in styled.texts.values())
    resolve = Resolver(elements.root, url, read)
    writer = None if modules is None else modules.lines.LineWriter(resolve, is_reference)
    make = _PieceMaker(elements, kept, styled, texts, images, resolve, writer)
    callout: Container | None = None
    for piece in map(make.piece, images.among(kept)):
        if piece.segment.kind == IMAGE and piece.source is None and elements.rules.kinds:
            continue
        containers = piece.surroundings.containers
        before, callout = callout, next((one for one in containers if one.callout), None) if containers else None
        if callout is None or callout is before or not says_type(piece.segment.text, callout.callout):
            yield piece


def wanted_of(table: BlockTable, kept: Sequence[Segment], by_chunk: Mapping[int, Sequence[Segment]]) -> Wanted:
    """Return what is read once more of a page; ``kept``: its good blocks, ``by_chunk``: those in chunks of text."""
    others = {i: extras for i, extras in table.extras.items() if extras.cells or extras.image_url is not None}
    cells = [cell for extras in others.values() for row in extras.cells for cell in row]
    in_text = {number for i, number in enumerate(table.chunk) if i not in others} if others else set(table.chunk)
    in_text.update(segment.chunk for segment in _texts(chain.from_iterable(cell.blocks for cell in cells)))
    return Wanted(
        chunks=by_chunk.keys(),
        elements=set(_numbers(kept)) if cells else {segment.element for segment in kept},
        last=max(segment.chunk for segment in (chain(kept, _texts(kept)) if cells else kept)),
        in_text=in_text,
        tables={table.element[i] for i, extras in others.items() if extras.cells},
        cells={cell.element for cell in cells},
        with_formulas=any(segment.formulas for segments in by_chunk.values() for segment in segments),
    )


class _PieceMaker:
    """Makes pieces of a page's good blocks, which must be given in document order.

    ``writer``: compiled code that writes lines, if it can be used.
    """

    def __init__(
        self,
        elements: Elements,
        kept: Sequence[Segment],
        styled: Styled,
        texts: Texts,
        images: ImageSegments,
        resolve: Resolve,
        writer: LineWriter | None,
    ) -> None:
        runs = texts.runs
        # Tables may be written in HTML, which has no footnotes.
        referring = [id(one) for one in kept] if elements.rules.kinds else ()
        addresses = set(chain.from_iterable(references(runs[key]) for key in referring if key in runs))
        if writer is not None:
            near = (texts.whole[key] for key in referring if _NEAR in texts.whole.get(key, ""))
            addresses.update(chain.from_iterable(map(writer.near_references, near)))
        self._footnotes = find_footnotes(elements, kept, styled.nodes, addresses)
        if writer is not None:
            writer.labels = dict(self._footnotes.labels)
        self._nodes = styled.nodes
        # Footnotes may stand in elements that say nothing by themselves.
        has_footnotes = bool(self._footnotes.containers)
        self._places = styled.nodes if has_footnotes else styled.places
        self._finder = SurroundingsFinder(
            elements.root, self._footnotes.containers, {} if has_footnotes else styled.outer
        )
        self._runs = runs
        self._whole = texts.whole
        self._writer = writer
        self._images = images
        self._resolve = resolve
        #: The footnotes that have begun.
        self._begun: set[str] = set()

    def piece(self, segment: Segment, *, in_cell: bool = False) -> Piece:
        """Return a block as a piece; ``in_cell``: whether it stands in a cell of a table of data."""
        surroundings = self._finder.of(self._places[segment.element])
        if segment.image_url is not None:
            return Piece(segment, surroundings, [TextRun(segment.collapsed)], self._resolve(segment.image_url))
        rows = [list(map(self._cell, row)) for row in segment.cells] if segment.cells else ()
        takes_more = in_cell or rows or segment.kind == CODE
        line = None if takes_more else self._line(segment, surroundings)
        runs = self._text(segment, surroundings) if line is None else ()
        # At a third of the cost of a call.
        return tuple.__new__(Piece, (segment, surroundings, runs, None, rows, line))

    def _cell(self, cell: DataCell) -> CellPieces:
        inside = [self.piece(one, in_cell=True) for one in self._images.with_those_in(cell)]
        return CellPieces(self._nodes[cell.element], inside)

    def _line(self, segment: Segment, surroundings: Surroundings) -> str | None:
        """Return the text of a block outside of tables as it is written; None where it takes more."""
        if surroundings.containers and surroundings.containers[0].label:
            return None
        key = id(segment)
        if self._writer is None or key in self._runs:
            return None
        if (marked := self._whole.get(key)) is None:
            return self._writer.plain_line(segment.collapsed)
        in_heading = segment.heading_level > 0
        return self._writer.line(marked, " " if in_heading else HARD_BREAK, in_heading=in_heading)

    def _text(self, segment: Segment, surroundings: Surroundings) -> Sequence[TextRun]:
        if segment.kind == CODE:
            return [TextRun(segment.collapsed, is_code=True)]
        label = surroundings.containers[0].label if surroundings.containers else ""
        key = id(segment)
        own = read_runs(self._whole[key], [_PLAIN]) if key in self._whole else self._runs.get(key)
        if not own:
            own = [_PLAIN._replace(text=segment.collapsed)]
            if not label:
                return own
        if segment.heading_level:
            own = [run for run in own if run.image is None or not run.image.is_sign]
        if label:
            own = _of_footnote(own, "" if label in self._begun else label)
            self._begun.add(label)
        return resolved(own, self._resolve, self._footnotes.labels)


def references(runs: Iterable[TextRun]) -> Iterator[str]:
    """Yield the addresses in the same page that links lead to whose text is that of a reference."""
    for address, group in groupby(runs, lambda run: run.destination):
        is_near = address is not None and address.startswith("#")
        if is_near and is_reference("".join(run.text for run in group)):
            yield address


def blocks_by_chunk(table: BlockTable, kept: Mapping[int, Segment]) -> dict[int, list[Segment]]:
    """Return the blocks of text in each chunk that holds good ones other than code.

    ``kept``: the good ones by their indices; others, and code, come where they share a chunk with one of them.
    """
    found: dict[int, list[Segment]] = {one.chunk: [] for one in _texts(kept.values()) if one.kind != CODE}
    texts: Iterable[Segment] = kept.values()
    if any(map(eq, table.chunk, islice(table.chunk, 1, None))):
        begun = {one.chunk for one in kept.values()}
        texts = (kept.get(i) or table[i] for i, number in enumerate(table.chunk) if number in begun)
    for one in _texts(texts):
        if one.chunk in found:
            found[one.chunk].append(one)
    return found


def _numbers(segments: Iterable[Segment]) -> Iterator[int]:
    """Yield the numbers of the elements of blocks, also of cells and those in them."""
    for segment in segments:
        yield segment.element
        for cell in chain.from_iterable(segment.cells):
            yield cell.element
            yield from _numbers(cell.blocks)


class Texts(NamedTuple):
    """The texts of blocks that are more than their collapsed text, by the blocks' identities."""

    runs: dict[int, list[TextRun]]
    whole: dict[int, str]
    """Those that compiled code can write, with marks."""


def read_texts(
    texts: Mapping[int, str],
    by_chunk: Mapping[int, Sequence[Segment]],
    *,
    by_nodes: bool,
    is_whole: Callable[[str], bool] | None = None,
) -> Texts:
    """Return the texts of blocks.

    ``texts``: chunks with marks, by their numbers; ``by_chunk``: the blocks in each of them.
    ``by_nodes``: whether text is read node by node.
    ``is_whole``: tells of a text with marks whether compiled code can write it.
    """
    found, whole = Texts({}, {})
    if sum(text.count(INLINE) for text in texts.values()) > MOST_MARKS:
        return Texts(found, whole)
    # What is open around the text at hand, innermost last, each a run without text.
    styles = [_PLAIN]
    for number, text in texts.items():
        segments, shown_text = by_chunk[number], text
        if INLINE not in text and len(segments) == len(styles) == 1 and not by_nodes:
            # As most are.
            continue
        if len(styles) == 1 and not by_nodes and _CODE not in text:
            # Elements without a style part nothing but code.
            shown_text = text.replace(_TAG, "")
            if INLINE not in shown_text and len(segments) == 1:
                continue
        if is_whole is not None and len(styles) == len(segments) == 1 and not by_nodes and is_whole(shown_text):
            whole[id(segments[0])] = shown_text
            continue
        runs = read_runs(shown_text, styles)
        # Where text is read node by node, blank nodes vanish with the space that they are.
        shown = [run for run in runs if run.is_break or not run.text.isspace()] if by_nodes else runs
        blocks = _blocks(shown, [segment.start for segment in segments])
        for segment, block in zip(segments, blocks, strict=False):
            found[id(segment)] = block
    return Texts(found, whole)


def _texts(segments: Iterable[Segment]) -> Iterator[Segment]:
    """Yield the blocks of text, also those in the cells of tables."""
    for segment in segments:
        if segment.cells:
            yield from _texts(chain.from_iterable(cell.blocks for row in segment.cells for cell in row))
        elif segment.image_url is None:
            yield segment


_BEGINS: dict[str, Callable[[TextRun], TextRun]] = {
    marks.BOLD: lambda style: style._replace(is_bold=True),
    marks.ITALIC: lambda style: style._replace(is_italic=True),
    marks.FIXED_WIDTH: lambda style: style._replace(is_code=True),
}
_ENDS = frozenset({marks.UNLINK, marks.PLAIN})
_PLAIN = TextRun()
#: The beginning of a link in the same page.
_NEAR = f"{INLINE}{marks.LINK}#"
_TAG, _CODE = INLINE + marks.TAG, INLINE + marks.FIXED_WIDTH


def read_runs(body: str, styles: list[TextRun]) -> list[TextRun]:
    """Return the runs of a text with marks; ``styles``, those open before it, become those open after it."""
    first, *pieces = body.split(INLINE)
    runs = [styles[-1]._replace(text=first)] if first else []
    for piece in pieces:
        code, text = piece[:1], piece[1:]
        if code == marks.LINK:
            # The text of the link follows behind another mark.
            styles.append(styles[-1]._replace(destination=text))
            continue
        if code in _BEGINS:
            styles.append(_BEGINS[code](styles[-1]))
        elif code in _ENDS:
            styles.pop()
        elif code == marks.BREAK:
            runs.append(styles[-1]._replace(is_break=True))
        elif code == marks.MATH:
            runs.append(_formula(text, styles[-1]))
            continue
        elif code == marks.IMAGE:
            runs.append(read_image(text, styles[-1]))
            continue
        if text:
            runs.append(styles[-1]._replace(text=text))
    return runs


def _formula(marked: str, style: TextRun) -> TextRun:
    """Return the run of a formula; ``marked``: how much of the page's text it stands for, and its TeX in dollars."""
    length, formula = read_formula(marked)
    is_display = formula.startswith("$$")
    tex = formula[2:-2] if is_display else formula[1:-1]
    return style._replace(text=tex, formula_length=length, is_display=is_display)


def _blocks(runs: Iterable[TextRun], starts: Iterable[int]) -> Iterator[list[TextRun]]:
    """Yield the runs of each of the blocks that a text is: one, or several with BRs or formulas between them.

    ``starts``: how much of the page's text is before each block.
    """
    coming = iter(starts)
    position = next(coming)
    following = next(coming, None)
    if following is None:
        # As most are.
        yield list(runs)
        return
    block: list[TextRun] = []
    breaks = 0
    last: TextRun | None = None
    for run in runs:
        breaks += run.is_break
        if _is_shown(run):
            length = visible_length(run.text) if run.formula_length is None else run.formula_length
            # A formula may stand for no text; then only what is around it tells where it belongs.
            is_apart = length or breaks > 1 or run.is_display or (last is not None and last.is_display)
            if last is not None and position == following and is_apart:
                yield block
                following, block = next(coming, None), []
            position += length
            breaks, last = 0, run
        block.append(run)
    yield block


def _is_shown(run: TextRun) -> bool:
    """Return whether a run is seen: as text, or as a formula."""
    return run.formula_length is not None or not (run.is_break or not run.text or run.text.isspace())


def _of_footnote(runs: Iterable[TextRun], label: str) -> list[TextRun]:
    """Return the runs of a footnote's block without links back, and without the label that it begins with, if any."""
    kept = []
    for run in runs:
        text = run.text
        if run.destination is not None and run.destination.startswith("#"):
            # Where a footnote begins, its links back may be numbers and letters.
            text = "" if BACK.fullmatch(text) or (label and is_reference(text)) else text
        elif label and run.formula_length is None:
            text = without_label(text, label)
        label = "" if text.strip() else label
        kept.append(run._replace(text=text))
    return kept


def resolved(runs: Sequence[TextRun], resolve: Resolve, labels: Mapping[str, str]) -> list[TextRun]:
    """Return runs with the destinations of their addresses; each link asks for its own once.

    ``labels``: those of the footnotes that addresses lead to, whose references stand for themselves.
    """
    if all(run.destination is None and run.image is None for run in runs):
        return list(runs)
    found: list[TextRun] = []
    for address, group in groupby(runs, lambda run: run.destination):
        inside = list(group)
        if address in labels and is_reference("".join(run.text for run in inside)):
            found.append(TextRun(f"[^{labels[address]}]", is_markup=True))
            continue
        destination = resolve(address) if address is not None else None
        found += (
            run._replace(destination=destination)
            if run.image is None
            else as_text(run.image, resolve, is_code=run.is_code)
            for run in inside
        )
    return found
