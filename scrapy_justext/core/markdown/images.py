"""Images of pages whose blocks are text: which of them are written, and where.

An image inside the text of a good block is a run of that block.  One that stands alone is written between two good
blocks, with no other block between them, and in a FIGURE whose caption is good.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import defaultdict
from heapq import merge
from itertools import chain
from typing import TYPE_CHECKING

from scrapy_justext.core.blocks import DataCell, Segment
from scrapy_justext.core.markdown.inline import Image, TextRun, image
from scrapy_justext.core.tags import APART, CAPTION, HIDDEN_SIGNS, IMAGE, SHOWN_SIGNS
from scrapy_justext.core.text import collapse

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lxml import etree

    from scrapy_justext.core.elements import Elements
    from scrapy_justext.core.markdown.inline import Resolve

_SHOWN = str.maketrans(HIDDEN_SIGNS, SHOWN_SIGNS)
_TINY = re.compile(r"\s*0*[0-2](?:\.[0-9]*)?(?:px)?\s*")
#: Files that only hold a place.
_SPACER = re.compile(
    r"(?:.*[/_-])?(?:spacer|blank|pixel|transparent|trans|placeholder|loading|1x1|clear)\.(?:gif|png|svg)"
)
_EMOJI = re.compile(r"\b(?:emoji|emoticon|smiley|smilies)|\bwp-smiley", re.IGNORECASE)
_SIGN = re.compile(r"\b(?:avatar|icon|logo)s?\b", re.IGNORECASE)
#: Of what attributes tell, classes may be long.
_MOST_OF_CLASS = 400
#: How many of the places that an address may stand in hold several, the last ones.
_SETS = 4


def read_image(told: str, *, destination: str | None = None) -> TextRun:
    """Return the run of an image; ``told``: what its attributes tell; without text where the image is not written.

    ``destination``: where the link around it leads.
    """
    alt, names, width, height, *addresses = told.translate(_SHOWN).split(APART)
    alt = collapse(alt)
    names = names[:_MOST_OF_CLASS]
    if _EMOJI.search(names):
        return TextRun(image=Image(alt, "")) if _is_symbol(alt) else TextRun()
    is_sign = _SIGN.search(f"{names} {alt[:_MOST_OF_CLASS]}") is not None
    if _TINY.fullmatch(width) or _TINY.fullmatch(height) or (is_sign and destination is not None):
        return TextRun()
    single, sets = addresses[:-_SETS], addresses[-_SETS:]
    source = next(filter(_is_address, chain(map(str.strip, single), map(_first, sets))), None)
    return TextRun() if source is None else TextRun(destination=destination, image=Image(alt, source, is_sign))


def _is_symbol(text: str) -> bool:
    return 0 < len(text) <= _MOST_OF_EMOJI and all(unicodedata.category(sign) in _OF_EMOJI for sign in text)


#: The categories of an emoji's characters, which may join several.
_OF_EMOJI = frozenset(["So", "Sk", "Cf", "Mn"])
_MOST_OF_EMOJI = 16


def _first(addresses: str) -> str:
    """Return the first address of a SRCSET."""
    return next(iter(addresses.split(maxsplit=1)), "").rstrip(",")


def _is_address(address: str) -> bool:
    path = address.partition("?")[0].lower()
    return bool(address) and not path.startswith("data:") and not _SPACER.fullmatch(path)


def as_text(one: Image, resolve: Resolve) -> TextRun:
    """Return an image as Markdown; no text where it has no destination."""
    if not one.source:
        return TextRun(one.alt)
    source = resolve(one.source)
    if source is None:
        return TextRun()
    return TextRun(image(one.alt, source), is_markup=True, image=Image(one.alt, source))


class ImageSegments:
    """The images of a page that stand alone, as far as they are written."""

    def __init__(
        self,
        apart: Iterable[tuple[int, int, Sequence[TextRun]]],
        elements: Elements,
        segments: Sequence[Segment],
        good: Sequence[bool],
    ) -> None:
        #: Those between blocks, and those in the cells of tables of data, by the cells' elements.
        self._between: list[Segment] = []
        self._in_cells: defaultdict[int, list[Segment]] = defaultdict(list)
        found = [(chunk, element, run.image) for chunk, element, runs in apart for run in runs if run.image]
        if not found:
            return
        nodes = elements.nodes
        chunks = [segment.chunk for segment in segments]
        figure = elements.inherited(lambda node: node if node.tag == "figure" else None)
        captioned: set[etree._Element | None] = set()
        #: The first and the last block in each figure.
        within: dict[etree._Element | None, tuple[int, int]] = {}
        for i, (segment, is_good) in enumerate(zip(segments, good, strict=True)):
            around = figure(nodes[segment.element])
            within[around] = (within.get(around, (i, i))[0], i)
            if is_good and segment.kind == CAPTION:
                captioned.add(around)
        cells = {nodes[cell.element]: cell.element for segment in segments for row in segment.cells for cell in row}
        tables = {nodes[segment.element] for segment in segments if segment.cells}
        special = elements.inherited(
            lambda node: node if node in cells or node in tables or node.tag == "pre" else None
        )
        last = ""
        for chunk, element, one in found:
            # NOSCRIPT repeats the image before it.
            if one.source in ("", last):
                continue
            last = one.source
            segment = _segment(one, element, chunk)
            node: etree._Element | None = special(nodes[element])
            if node is not None:
                if node in cells:
                    self._in_cells[cells[node]].append(segment)
                continue
            behind = bisect_left(chunks, chunk)
            around = figure(nodes[element])
            # What a figure holds beside it does not part it from the blocks around.
            begin, end = (behind, behind - 1) if around is None else within.get(around, (behind, behind - 1))
            is_between = begin > 0 and end + 1 < len(good) and good[begin - 1] and good[end + 1]
            if is_between or (around is not None and around in captioned):
                self._between.append(segment)

    def among(self, kept: Iterable[Segment]) -> Iterable[Segment]:
        """Return good blocks with the images between them."""
        return merge(kept, self._between, key=lambda segment: segment.chunk) if self._between else kept

    def with_those_in(self, cell: DataCell) -> Iterable[Segment]:
        """Return the blocks of a cell, and the images that stand alone there."""
        images = self._in_cells.get(cell.element, ())
        return merge(cell.blocks, images, key=lambda segment: segment.chunk) if images else cell.blocks


def _segment(one: Image, element: int, chunk: int) -> Segment:
    return Segment(one.alt, one.alt, 0, 0, 0, "img", 0, False, False, element, 0, IMAGE, chunk, one.source)
