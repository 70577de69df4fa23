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
from itertools import chain, compress
from typing import TYPE_CHECKING

from scrapy_justext.core.blocks import DataCell, Segment
from scrapy_justext.core.markdown.inline import Image, TextRun, image
from scrapy_justext.core.tags import APART, CAPTION, IMAGE
from scrapy_justext.core.text import collapse

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from scrapy_justext.core.blocks import BlockTable
    from scrapy_justext.core.markdown.inline import Resolve
    from scrapy_justext.core.markdown.styled import ImagePlace

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


def read_image(told: str, style: TextRun) -> TextRun:
    """Return the run of an image; ``told``: what its attributes tell; without text where the image is not written.

    ``style``: that of the text around it.
    """
    destination = style.destination
    alt, names, width, height, *addresses = told.split(APART)
    alt = collapse(alt)
    names = names[:_MOST_OF_CLASS]
    if _EMOJI.search(names):
        return TextRun(is_code=style.is_code, image=Image(alt, "")) if _is_symbol(alt) else TextRun()
    is_sign = _SIGN.search(f"{names} {alt[:_MOST_OF_CLASS]}") is not None
    if _TINY.fullmatch(width) or _TINY.fullmatch(height) or (is_sign and destination is not None):
        return TextRun()
    single, sets = addresses[:-_SETS], addresses[-_SETS:]
    # Most of the places have none.
    given = filter(None, chain(map(str.strip, single), map(_first, filter(None, sets))))
    source = next(filter(_is_address, given), None)
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
    return not path.startswith("data:") and not _SPACER.fullmatch(path)


def as_text(one: Image, resolve: Resolve, *, is_code: bool = False) -> TextRun:
    """Return an image as Markdown; no text where it has no destination.  ``is_code``: whether it stands in code."""
    if not one.source:
        return TextRun(one.alt, is_code=is_code)
    source = resolve(one.source)
    if source is None:
        return TextRun()
    return TextRun(image(one.alt, source), is_markup=True, image=Image(one.alt, source))


class Gaps:
    """The places between the blocks of a page.

    ``kept``: the good blocks.
    ``ends``: the chunk in which each FIGURE ends, by that in which it begins.
    """

    def __init__(
        self, table: BlockTable, good: Sequence[bool], kept: Iterable[Segment], ends: Mapping[int, int]
    ) -> None:
        self._chunks = table.chunk
        self._good = good
        self._ends = ends
        self._captions = sorted(segment.chunk for segment in kept if segment.kind == CAPTION)
        self._lead = _lead(table, good)

    def take(self, place: ImagePlace, *, is_sign: bool = False) -> bool:
        """Return whether an image is written.

        ``is_sign``: whether it says that it is an icon or the like.
        It is where it stands between two good blocks, or in a FIGURE whose caption is good, or leads the text: behind
        the headline, right before the first good block below it.
        """
        first = behind = bisect_left(self._chunks, place.figure or place.chunk)
        if place.figure:
            # What a figure holds beside it does not part it from the blocks around.
            end = self._ends[place.figure]
            if bisect_left(self._captions, place.figure) < bisect_left(self._captions, end):
                return True
            behind = bisect_left(self._chunks, end)
        if first in self._lead and behind == self._lead.stop - 1 and not is_sign:
            return True
        return first > 0 and behind < len(self._good) and self._good[first - 1] and self._good[behind]


def _lead(table: BlockTable, good: Sequence[bool]) -> range:
    """Return the numbers of the blocks from behind the headline to the first good block that is no heading."""
    levels = table.of_position("heading_level")
    kept = compress(range(len(good)), good)
    text = next((number for number in kept if not levels[number]), 0)
    headline = next((number for number in range(text - 1, -1, -1) if levels[number] == 1), None)
    return range(0) if headline is None else range(headline + 1, text + 1)


class ImageSegments:
    """The images of a page that stand alone, as far as they are written, as blocks.

    ``places``: all that there are.
    ``cells``: the numbers of the elements that are cells of tables of data.
    """

    def __init__(self, places: Sequence[ImagePlace], gaps: Gaps, cells: Collection[int]) -> None:
        self._between: list[Segment] = []
        self._in_cells: defaultdict[int, list[Segment]] = defaultdict(list)
        last, begin = "", 0
        for number, place in enumerate(places):
            in_cell = place.holder in cells
            # Most are navigation, and not read.
            if not in_cell and (place.holder is not None or not gaps.take(place)):
                continue
            last = next(filter(None, map(_source_of, reversed(places[begin:number]))), last)
            begin = number + 1
            one = _image_at(place)
            # NOSCRIPT repeats the image before it.
            if one is None or one.source in ("", last):
                continue
            last = one.source
            if in_cell:
                assert place.holder is not None
                self._in_cells[place.holder].append(_segment(one, place))
            elif gaps.take(place, is_sign=one.is_sign):
                self._between.append(_segment(one, place))

    def among(self, kept: Iterable[Segment]) -> Iterable[Segment]:
        """Return good blocks with the images between them."""
        return merge(kept, self._between, key=lambda segment: segment.chunk) if self._between else kept

    def with_those_in(self, cell: DataCell) -> Iterable[Segment]:
        """Return the blocks of a cell, and the images that stand alone there."""
        images = self._in_cells.get(cell.element, ())
        return merge(cell.blocks, images, key=lambda segment: segment.chunk) if images else cell.blocks


def _image_at(place: ImagePlace) -> Image | None:
    """Return the image of a place; None where it is not written."""
    # Links and styles that began before are none of the image's.
    return read_image(place.told, TextRun(destination="" if place.is_linked else None)).image


def _source_of(place: ImagePlace) -> str:
    """Return where the image of a place comes from; empty where none says so."""
    one = _image_at(place)
    return "" if one is None else one.source


def _segment(one: Image, place: ImagePlace) -> Segment:
    alt, source = one.alt, one.source
    return Segment(alt, alt, 0, 0, 0, "img", 0, False, False, place.element, 0, IMAGE, place.chunk, source)
