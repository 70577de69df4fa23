"""The good blocks of a page, each with where it stands and its text in runs.

The page is flattened once more, with marks for links, emphasis and code (:mod:`~scrapy_justext.core.flattening`).  A
block knows the place of its text in the flattened page.  Its text is read from there in runs: a run has one style, and
leads to one address.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import chain, groupby
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.core import flattening
from scrapy_justext.core.flattening import CLOSE, INLINE, SOURCE, WHOLE, chunks_of, read_formula, tag_codes
from scrapy_justext.core.markdown.footnotes import BACK, find_footnotes, is_reference, without_label
from scrapy_justext.core.markdown.images import Gaps, ImagePlace, ImageSegments, as_text, read_image
from scrapy_justext.core.markdown.inline import Resolver, TextRun, image
from scrapy_justext.core.markdown.structure import Container, Surroundings, SurroundingsFinder, says_type
from scrapy_justext.core.tags import CODE, IMAGE
from scrapy_justext.core.text import visible_length

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set

    from lxml import etree

    from scrapy_justext.core.blocks import BlockTable, Segment
    from scrapy_justext.core.elements import Elements
    from scrapy_justext.core.markdown.inline import Image, Resolve
    from scrapy_justext.core.tags import TagRules

#: Marks of links, styled elements and BRs in a flattened page, at the most: two or three each.  A page with more is
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

    def line(self, write: Callable[[Iterable[TextRun]], str]) -> str:
        """Return its text as ``write`` gives it, or the image."""
        return write(self.runs) if self.source is None else image(self.segment.collapsed, self.source)


class CellPieces(NamedTuple):
    """A TD or TH with what it holds."""

    node: etree._Element
    pieces: Sequence[Piece]


def good_pieces(elements: Elements, table: BlockTable, good: Sequence[bool], url: str | None) -> Iterator[Piece]:
    """Yield the good blocks of a page in document order."""
    row = cache(table.__getitem__)
    kept = [row(i) for i, is_good in enumerate(good) if is_good]
    numbers = set(_numbers(kept))
    flat, nodes = elements.styled(min(numbers), max(numbers))
    resolve = Resolver(elements.root, url, flat)
    chunks = chunks_of(flat) if flat.count(INLINE) <= MOST_MARKS else []
    with_good = {segment.chunk for segment in kept}
    texts = _texts(row(i) for i, number in enumerate(table.chunk) if number in with_good)
    runs = text_runs(chunks, texts, kept, by_nodes=elements.rules.text_nodes) if chunks else {}
    # Tables may be written in HTML, which has no footnotes.
    referring = kept if elements.rules.kinds else ()
    addresses = {run.destination or "" for segment in referring for run in runs.get(id(segment), ())}
    footnotes = find_footnotes(elements, kept, addresses)
    finder = SurroundingsFinder(elements.root, footnotes.containers)
    images = lone_images(chunks if _IMAGE in flat else [], table, good, elements.rules)
    written = list(images.among(kept))
    nodes = _with_numbers(nodes, images.elements, elements)
    begun: set[str] = set()

    def text_of(segment: Segment, surroundings: Surroundings) -> list[TextRun]:
        if id(segment) not in runs:
            return [TextRun(segment.collapsed, is_code=segment.kind == CODE)]
        label = surroundings.containers[0].label if surroundings.containers else ""
        own = runs[id(segment)]
        if segment.heading_level:
            own = [run for run in own if run.image is None or not run.image.is_sign]
        if label:
            own = _of_footnote(own, "" if label in begun else label)
            begun.add(label)
        return _resolved(own, resolve, footnotes.labels)

    def piece_of(segment: Segment) -> Piece:
        surroundings = finder.of(nodes[segment.element])
        if segment.image_url is not None:
            return Piece(segment, surroundings, [TextRun(segment.collapsed)], resolve(segment.image_url))
        rows = [
            [CellPieces(nodes[cell.element], [piece_of(one) for one in images.with_those_in(cell)]) for cell in row]
            for row in segment.cells
        ]
        return Piece(segment, surroundings, text_of(segment, surroundings), rows=rows)

    callout: Container | None = None
    for piece in map(piece_of, written):
        if piece.segment.kind == IMAGE and piece.source is None and elements.rules.kinds:
            continue
        before, callout = callout, next((one for one in piece.surroundings.containers if one.callout), None)
        if callout is None or callout is before or not says_type(piece.segment.text, callout.callout):
            yield piece


def _with_numbers(
    nodes: Mapping[int, etree._Element], numbers: Set[int], elements: Elements
) -> Mapping[int, etree._Element]:
    """Return elements by their numbers with all of ``numbers`` among them."""
    missing = numbers - nodes.keys()
    return {**nodes, **elements.styled(min(missing), max(missing))[1]} if missing else nodes


def _numbers(segments: Iterable[Segment]) -> Iterator[int]:
    """Yield the numbers of the elements of blocks, also of cells and those in them."""
    for segment in segments:
        yield segment.element
        for cell in chain.from_iterable(segment.cells):
            yield cell.element
            yield from _numbers(cell.blocks)


def text_runs(
    chunks: Sequence[str], texts: Iterable[Segment], kept: Iterable[Segment], *, by_nodes: bool
) -> dict[int, list[TextRun]]:
    """Return the runs of the blocks of text in the flattened page, by the blocks' identities.

    ``chunks``: the flattened page; ``texts``: its blocks of text; ``kept``: the blocks that are wanted; others, and
    code, come where they share a text with one of them.
    ``by_nodes``: whether text is read node by node.
    """
    by_chunk: dict[int, list[Segment]] = {segment.chunk: [] for segment in _texts(kept) if segment.kind != CODE}
    for segment in texts:
        if segment.chunk in by_chunk:
            by_chunk[segment.chunk].append(segment)
    found = {}
    for number, runs in _runs_by_chunk(chunks, by_chunk):
        # Where text is read node by node, blank nodes vanish with the space that they are.
        shown = [run for run in runs if run.is_break or not run.text.isspace()] if by_nodes else runs
        blocks = _blocks(shown, [segment.start for segment in by_chunk[number]])
        for segment, block in zip(by_chunk[number], blocks, strict=False):
            found[id(segment)] = block
    return found


def _texts(segments: Iterable[Segment]) -> Iterator[Segment]:
    """Yield the blocks of text, also those in the cells of tables."""
    for segment in segments:
        if segment.cells:
            yield from _texts(chain.from_iterable(cell.blocks for row in segment.cells for cell in row))
        elif segment.image_url is None:
            yield segment


def lone_images(chunks: Sequence[str], table: BlockTable, good: Sequence[bool], rules: TagRules) -> ImageSegments:
    """Return the images that stand in no text, as far as they are written.

    ``chunks``: of the flattened page; ``table``: its blocks.
    """
    others = {i: extras for i, extras in table.extras.items() if extras.cells or extras.image_url is not None}
    cells = [cell for extras in others.values() for row in extras.cells for cell in row]
    in_cells = frozenset(cell.element for cell in cells)
    holders = in_cells.union(table.element[i] for i, extras in others.items() if extras.cells)
    in_text = {number for i, number in enumerate(table.chunk) if i not in others}
    in_text.update(segment.chunk for segment in _texts(chain.from_iterable(cell.blocks for cell in cells)))
    of_figure, of_pre = map(tag_codes(rules).get, ("figure", "pre"))
    coming = (number for number, chunk in enumerate(chunks) if _IMAGE in chunk and number not in in_text)
    following = next(coming, None)
    places: list[ImagePlace] = []
    ends: dict[int, int] = {}
    opened = 0
    # The numbers of the open elements; the open FIGUREs and holders, each with how many elements are open in it.
    # The first chunk is read as if an element had just ended.
    elements, figures, held = [0, 0], [(0, 0)], [(0, -1)]
    # With fewer open elements than this, a FIGURE or holder ends.
    least = 0
    for number, chunk in enumerate(chunks):
        code = chunk[0]
        if code == CLOSE:
            elements.pop()
            if len(elements) < least:
                if len(elements) < figures[-1][0]:
                    ends[figures.pop()[1]] = number
                else:
                    held.pop()
                least = max(figures[-1][0], held[-1][0])
        else:
            opened += 1
            elements.append(opened)
            if code in (of_figure, of_pre) or opened in holders:
                if code == of_figure:
                    figures.append((len(elements), number))
                else:
                    held.append((len(elements), opened))
                least = len(elements)
        if number == following:
            following = next(coming, None)
            places.append(ImagePlace(number, elements[-1], figures[-1][1], held[-1][1] if len(held) > 1 else None))
        if following is None and len(figures) == 1:
            break

    def images_at(place: ImagePlace) -> Iterator[Image]:
        chunk = chunks[place.chunk]
        # Links and styles that began before are none of the image's.
        runs = _read(chunk[1:], [TextRun()] * (chunk.count(INLINE) + 1))
        return (run.image for run in runs if run.image)

    return ImageSegments(places, images_at, Gaps(table, good, ends), in_cells)


_IMAGE = INLINE + flattening.IMAGE

_BEGINS: dict[str, Callable[[TextRun], TextRun]] = {
    flattening.BOLD: lambda style: style._replace(is_bold=True),
    flattening.ITALIC: lambda style: style._replace(is_italic=True),
    flattening.CODE: lambda style: style._replace(is_code=True),
}
_ENDS = frozenset({flattening.UNLINK, flattening.PLAIN})
#: Finds the codes of what begins and ends.
_BEGINS_OR_ENDS = re.compile(rf"{INLINE}([{''.join([flattening.LINK, *_BEGINS, *sorted(_ENDS)])}])")


def _runs_by_chunk(chunks: Sequence[str], wanted: Iterable[int]) -> Iterator[tuple[int, list[TextRun]]]:
    """Yield the runs of the wanted chunks of the flattened page, each with its number."""
    # What is open around the text at hand, innermost last, each a run without text.
    styles = [TextRun()]
    begin = 0
    for number in sorted(wanted):
        _pass(chunks[begin:number], styles)
        yield number, _read(chunks[number][1:], styles)
        begin = number + 1


def _pass(chunks: Sequence[str], styles: list[TextRun]) -> None:
    """Make ``styles``, those open before some chunks, those open behind them."""
    text = "".join(chunks)
    if len(styles) > 1 or (INLINE in text and _leaves_open(text)):
        for chunk in chunks:
            if INLINE in chunk:
                _read(chunk[1:], styles)


def _leaves_open(text: str) -> bool:
    """Return whether something begins in a text that does not end there; nothing is open before it."""
    codes = _BEGINS_OR_ENDS.findall(text)
    return 2 * sum(map(codes.count, _ENDS)) != len(codes)


def _read(body: str, styles: list[TextRun]) -> list[TextRun]:
    """Return the runs of a text with marks; ``styles``, those open before it, become those open after it."""
    first, *pieces = body.split(INLINE)
    if pieces and pieces[0][0] in (SOURCE, WHOLE):
        # What attributes tell stands before the text.
        first = pieces.pop(0)[1:]
    runs = [styles[-1].with_text(first)] if first else []
    for piece in pieces:
        code, text = piece[:1], piece[1:]
        if code == flattening.LINK:
            # The text of the link follows behind another mark.
            styles.append(styles[-1].with_destination(text))
            continue
        if code in _BEGINS:
            styles.append(_BEGINS[code](styles[-1]))
        elif code in _ENDS:
            styles.pop()
        elif code == flattening.BREAK:
            runs.append(styles[-1]._replace(is_break=True))
        elif code == flattening.MATH:
            runs.append(_formula(text, styles[-1]))
            continue
        elif code == flattening.IMAGE:
            runs.append(read_image(text, styles[-1]))
            continue
        if text:
            runs.append(styles[-1].with_text(text))
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
        kept.append(run.with_text(text))
    return kept


def _resolved(runs: Sequence[TextRun], resolve: Resolve, labels: Mapping[str, str]) -> list[TextRun]:
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
            run.with_destination(destination) if run.image is None else as_text(run.image, resolve, is_code=run.is_code)
            for run in inside
        )
    return found
