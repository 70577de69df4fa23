"""Images of pages whose blocks are text: which of them are written, and where.

An image inside the text of a good block is a run of that block.  One that stands alone is written between two good
blocks, with no other block between them, and in a FIGURE whose caption is good.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from copy import copy
from heapq import merge
from itertools import compress, islice, takewhile
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.core.blocks import BlockTable, Segment
from scrapy_justext.core.markdown.inline import MARKUP, Image, TextRun, image
from scrapy_justext.core.tags import CAPTION, IMAGE
from scrapy_justext.core.text import collapse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import cython

    from scrapy_justext.core.blocks import DataCell
    from scrapy_justext.core.markdown.inline import Resolve
    from scrapy_justext.core.reading.flow import Flow
    from scrapy_justext.core.reading.nodes import Nodes

_TINY = re.compile(r"\s*0*[0-2](?:\.[0-9]*)?(?:px)?\s*")
#: Files that only hold a place.
_SPACER = re.compile(
    r"(?:.*[/_-])?(?:spacer|blank|pixel|transparent|trans|placeholder|loading|1x1|clear)\.(?:gif|png|svg)"
)
_EMOJI = re.compile(r"\b(?:emoji|emoticon|smiley|smilies)|\bwp-smiley", re.IGNORECASE)
#: The categories of an emoji's characters, which may join several.
_OF_EMOJI = frozenset(["So", "Sk", "Cf", "Mn"])
_MOST_OF_EMOJI = 16
_SIGN = re.compile(r"\b(?:avatar|icon|logo)s?\b", re.IGNORECASE)
#: Where block-level elements start and end.
_BOUNDARY = re.compile(r"[\[{#\]]")
#: Of what attributes tell, classes may be long.
_MOST_OF_CLASS = 400
#: The attributes that may hold the address of an IMG, the best first: those of lazy images, then its own; the
#: attributes that hold several addresses.
_ADDRESS, _SETS = ("data-src", "data-original", "data-lazy-src", "src"), ("srcset", "data-srcset")
#: What is asked of the attributes of images, and of elements beside them.
ATTRIBUTES = frozenset({"alt", "class", "width", "height", *_ADDRESS, *_SETS})


def read_image(page: Nodes, node: int, style: TextRun) -> TextRun:
    """Return the run of an image in a style; without text where the image is not written."""
    destination = style.destination
    alt = collapse(page.attribute(node, "alt") or "")
    names = (page.attribute(node, "class") or "")[:_MOST_OF_CLASS]
    if _EMOJI.search(names):
        return TextRun(is_code=style.is_code, image=Image(alt, "")) if _is_symbol(alt) else TextRun()
    is_sign = _SIGN.search(f"{names} {alt[:_MOST_OF_CLASS]}") is not None
    is_tiny = any(_TINY.fullmatch(page.attribute(node, name) or "") for name in ("width", "height"))
    if is_tiny or (is_sign and destination is not None):
        return TextRun()
    source = next(filter(_is_address, filter(None, _addresses(page, node))), None)
    return TextRun() if source is None else TextRun(destination=destination, image=Image(alt, source, is_sign))


def _is_symbol(text: str) -> bool:
    return 0 < len(text) <= _MOST_OF_EMOJI and all(unicodedata.category(sign) in _OF_EMOJI for sign in text)


def _addresses(page: Nodes, node: int) -> Iterator[str]:
    """Yield what may be the address of an image, the best first; empty for some that it does not have."""
    for name in _ADDRESS:
        yield (page.attribute(node, name) or "").strip()
    behind = page.next(node)
    if behind and page.name(behind) == "noscript":
        inside = (page.attribute(child, "src") for child in page.children(behind) if page.name(child) == "img")
        yield next((address for address in inside if address is not None), "").strip()
    for name in _SETS:
        yield _first(page.attribute(node, name))
    # Parsers that do not know SOURCE put what follows into it.
    source = page.previous(node) or page.parent[node]
    if source > 0 and page.name(source) == "source":
        yield _first(page.attribute(source, "srcset"))


def _first(addresses: str | None) -> str:
    return next(iter((addresses or "").split(maxsplit=1)), "").rstrip(",")


def _is_address(address: str) -> bool:
    path = address.partition("?")[0].lower()
    return not path.startswith("data:") and not _SPACER.fullmatch(path)


def as_text(shown: Image, resolve: Resolve, *, is_code: bool = False) -> TextRun:
    """Return an image as Markdown; no text where it has no destination.  ``is_code``: whether it stands in code."""
    if not shown.source:
        return TextRun(shown.alt, is_code=is_code)
    source = resolve(shown.source)
    if source is None:
        return TextRun()
    return TextRun(image(shown.alt, source), kind=MARKUP, image=Image(shown.alt, source))


class ImagePlace(NamedTuple):
    """An image in the tokens of a page."""

    token: int
    begin: int
    """The token behind the start or end of the block-level element before it."""
    figure: int
    """The token with which the innermost FIGURE around it begins; -1 without."""
    is_linked: bool
    """Whether a link around it begins in the same text."""


def find_images(flow: Flow) -> tuple[list[ImagePlace], dict[int, int]]:
    """Return the images of a page, and the token that ends each FIGURE, by that with which it begins."""
    codes = flow.codes
    figure: cython.int = flow.page.names.index("figure")
    i: cython.Py_ssize_t
    code: cython.Py_UCS4
    begin: cython.Py_ssize_t = 0
    links: cython.int = 0
    places: list[ImagePlace] = []
    figures: dict[int, int] = {}
    open_ = [-1]
    for i, code in enumerate(codes if "!" in codes else ""):
        if code == "!":
            places.append(ImagePlace(i, begin, open_[-1], links > 0))
        elif code in "<~":
            links += 1
        elif code in ">_":
            links = max(links - 1, 0)
        elif code in "[{#]":
            links = 0
            begin = i + 1
            if flow.page.tag[flow.nodes[i]] == figure:
                if code == "[":
                    open_.append(i)
                else:
                    figures[open_.pop()] = i
    return places, figures


def _lead(table: BlockTable, good: Sequence[bool]) -> range:
    """Return the numbers of the blocks from behind the headline to the first good block that is no heading."""
    levels = table.of_position("heading_level")
    kept = compress(range(len(good)), good)
    text = next((number for number in kept if not levels[number]), 0)
    headline = next((number for number in range(text - 1, -1, -1) if levels[number] == 1), None)
    return range(0) if headline is None else range(headline + 1, text + 1)


class LoneImages:
    """The images of a page that stand alone, as blocks as far as they are written; ``kept``: the good blocks."""

    def __init__(self, flow: Flow, table: BlockTable, good: Sequence[bool]) -> None:
        self._flow = flow
        self._places, self._ends = find_images(flow)
        table, alone = _with_images_beside(flow, table, self._places)
        self.kept = list(table.chosen(good))
        self._begins = table.begin
        self._good = good
        self._captions = [segment.begin for segment in self.kept if segment.kind == CAPTION]
        self._lead = _lead(table, good)
        self._between = self._segments(alone, self._is_written)

    def among_blocks(self) -> Iterable[Segment]:
        """Return the good blocks with the images between them."""
        return _merged(self.kept, self._between)

    def in_cell(self, cell: DataCell) -> Iterable[Segment]:
        """Return the blocks of a cell, and the images that stand alone there."""
        node = self._flow.elements[cell.element]
        nodes, end = self._flow.nodes, self._flow.page.end[node]
        first = bisect_left(self._places, node, key=lambda place: nodes[place.token])
        inside = list(takewhile(lambda place: nodes[place.token] < end, islice(self._places, first, None)))
        if not inside:
            return cell.blocks
        alone = _with_images_beside(self._flow, BlockTable(cell.blocks), inside)[1]
        return _merged(cell.blocks, self._segments(alone))

    def _is_written(self, place: ImagePlace, is_sign: bool) -> bool:
        """Return whether an image is written.  ``is_sign``: whether it says that it is an icon or the like.

        It is written between two good blocks, in a FIGURE whose caption is good, and where it leads the text: behind
        the headline, right before the first good block below that.
        """
        is_in_figure = place.figure >= 0
        first = behind = bisect_left(self._begins, place.figure if is_in_figure else place.token)
        if is_in_figure:
            # What a figure holds beside it does not part it from the blocks around.
            end = self._ends[place.figure]
            if bisect_left(self._captions, place.figure) < bisect_left(self._captions, end):
                return True
            behind = bisect_left(self._begins, end)
        if first in self._lead and behind == self._lead.stop - 1 and not is_sign:
            return True
        return first > 0 and behind < len(self._good) and self._good[first - 1] and self._good[behind]

    def _segments(
        self, places: Sequence[ImagePlace], is_written: Callable[[ImagePlace, bool], bool] = lambda *_: True
    ) -> list[Segment]:
        segments: list[Segment] = []
        last, begin = "", 0
        for number, place in enumerate(places):
            # Most are navigation, and not read.
            if not is_written(place, False):
                continue
            sources = (self._image_at(before).source for before in reversed(places[begin:number]))
            last = next(filter(None, sources), last)
            begin = number + 1
            alt, source, is_sign = self._image_at(place)
            # NOSCRIPT repeats the image before it.
            if source in ("", last):
                continue
            last = source
            if is_written(place, is_sign):
                i = place.token
                segments.append(Segment(alt, alt, 0, 0, 0, "img", 0, False, False, 0, i, i + 1, IMAGE, last))
        return segments

    def _image_at(self, place: ImagePlace) -> Image:
        # Links and styles that began before are none of the image's.
        style = TextRun(destination="" if place.is_linked else None)
        return read_image(self._flow.page, self._flow.nodes[place.token], style).image or Image("", "")


def _merged(blocks: Iterable[Segment], images: Sequence[Segment]) -> Iterable[Segment]:
    return merge(blocks, images, key=attrgetter("begin")) if images else blocks


def _with_images_beside(
    flow: Flow, table: BlockTable, places: Sequence[ImagePlace]
) -> tuple[BlockTable, list[ImagePlace]]:
    """Return the blocks with the images beside their text, and the images that stand alone.

    An image between BRs belongs to the block before it, else to that behind, if nothing block-level parts them.
    """
    if not places:
        return table, []
    wide = copy(table)
    begins, ends = wide.begin, wide.end = table.begin[:], table.end[:]
    alone: list[ImagePlace] = []
    begin = end = -1
    for place in places:
        behind = bisect_right(table.begin, place.token)
        if behind and place.token < table.end[behind - 1]:
            continue
        if place.begin != begin:
            begin, match = place.begin, _BOUNDARY.search(flow.codes, place.token)
            end = match.start() if match else len(flow.codes)
        if behind and table.begin[behind - 1] >= begin:
            ends[behind - 1] = place.token + 1
        elif behind < len(table) and table.begin[behind] < end:
            begins[behind] = min(begins[behind], place.token)
        else:
            alone.append(place)
    return wide, alone
