"""Read what Markdown needs of a page beside its blocks: their text with styles, the images, and where blocks stand.

The tree is read once more, with marks for links, emphasis and code (:mod:`~scrapy_justext.core.flattening`).  A block
knows the chunk of the flattened page that its text stands in.  Compiled code writes only the chunks that are wanted.
Where nothing is compiled, or there are formulas among the text, the page is flattened as a whole.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.core import marks
from scrapy_justext.core.flattening import flatten, writer
from scrapy_justext.core.kernel.expressions import EntityError
from scrapy_justext.core.kernel.loading import kernel
from scrapy_justext.core.markdown.structure import CALLOUT_TAGS, PLACES, may_be_callout
from scrapy_justext.core.marks import CLOSE, INLINE, LINK, SOURCE, WHOLE, chunks_of, tag_codes
from scrapy_justext.core.old_reading import with_marks

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence, Set

    from lxml import etree

    from scrapy_justext.core.elements import Elements
    from scrapy_justext.core.kernel.loading import Modules
    from scrapy_justext.core.kernel.styles import StyleReader
    from scrapy_justext.core.reading.rules import TagRules


class ImagePlace(NamedTuple):
    """An image that is in no text, with its place in the flattened page."""

    chunk: int
    element: int
    """The number of the innermost block-level element around it."""
    figure: int
    """The chunk in which the innermost FIGURE begins; 0 without."""
    holder: int | None
    """The number of the innermost PRE, table of data, or cell of one; None without."""
    told: str
    """What its attributes tell."""
    is_linked: bool
    """Whether a link around it begins in its chunk."""


class Wanted(NamedTuple):
    """What is wanted of a page."""

    chunks: Collection[int]
    """The numbers of the chunks whose text is wanted."""
    elements: Collection[int]
    """The numbers of the block-level elements that are wanted."""
    last: int
    """The last chunk that matters."""
    in_text: Collection[int]
    """The numbers of all chunks that have text: images there are none that stand alone."""
    tables: Set[int]
    """The numbers of the elements that are tables of data, in which no images stand alone."""
    cells: Set[int]
    """The numbers of their cells, which have images of their own."""
    with_formulas: bool
    """Whether there are formulas among the text."""


class Styled(NamedTuple):
    """What was read of a page."""

    texts: Mapping[int, str]
    """The text of each wanted chunk with marks, in their order.  What began before and is still open begins in it."""
    images: Sequence[ImagePlace]
    """The images that stand in no text, up to the last chunk that matters; there may be more."""
    figures: Mapping[int, int]
    """The chunk in which each FIGURE ends, by that in which it begins."""
    nodes: Mapping[int, etree._Element] | Sequence[etree._Element]
    """The elements that are wanted, by their numbers."""
    places: Mapping[int, etree._Element | None] | Sequence[etree._Element]
    """The same, and those around images; or of each the innermost at or around it that says where its text stands, None
    without."""
    outer: Mapping[etree._Element, etree._Element | None]
    """Of elements that say so, the innermost around each that does, as far as that is known."""


def read_styled(elements: Elements, wanted: Wanted) -> Styled:
    """Return what is wanted of a page."""
    modules = kernel().modules
    if modules is not None and not wanted.with_formulas and not (elements.rules.kinds and elements.formulas.found):
        with suppress(EntityError):
            return read_tree(modules, elements, wanted)
    return read_flat(elements, wanted)


def read_tree(modules: Modules, elements: Elements, wanted: Wanted) -> Styled:
    """Return what is wanted of a page without formulas; ``modules``: compiled code."""
    texts, images, figures, nodes, places, outer = _reader(modules, elements.rules).read(
        elements.root, wanted.chunks, wanted.in_text, wanted.elements, wanted.tables | wanted.cells, wanted.last
    )
    return Styled(
        dict(zip(sorted(wanted.chunks), texts, strict=True)),
        list(map(ImagePlace._make, images)),
        figures,
        nodes,
        places,
        outer,
    )


@lru_cache
def _reader(modules: Modules, rules: TagRules) -> StyleReader:
    made: StyleReader = modules.styles.StyleReader(
        writer(modules.tree, replace(rules, styled=True)), PLACES, CALLOUT_TAGS, may_be_callout
    )
    return made


def read_flat(elements: Elements, wanted: Wanted) -> Styled:
    """Return what is wanted of a page, from all of it."""
    rules = replace(elements.rules, styled=True)
    flat = flatten(elements.root, rules, elements.formulas)
    if wanted.with_formulas:
        flat = with_marks(flat, elements.root, rules)
    chunks = chunks_of(flat)
    has_images = marks.has_mark(flat, marks.IMAGE)
    images, figures = _lone_images(chunks, wanted, rules) if has_images else ([], {})
    return Styled(dict(_texts(chunks, wanted.chunks)), images, figures, elements.nodes, elements.nodes, {})


_ENDS = marks.UNLINK + marks.PLAIN
_BEGINNINGS = LINK + marks.BOLD + marks.ITALIC + marks.FIXED_WIDTH
#: Finds the codes of what begins and ends.
_BEGINS_OR_ENDS = re.compile(f"{INLINE}([{_BEGINNINGS}{_ENDS}])")
#: Finds the marks, with the addresses of links.
_STYLE = re.compile(f"{INLINE}(?:{LINK}[^{INLINE}]*{INLINE}{SOURCE}|[{_BEGINNINGS[1:]}{_ENDS}])")
_STYLE_OR_IMAGE = re.compile(f"{INLINE}([{_BEGINNINGS}{_ENDS}{marks.IMAGE}])([^{INLINE}]*)")


def _texts(chunks: Sequence[str], wanted: Collection[int]) -> Iterator[tuple[int, str]]:
    """Yield the wanted chunks of a flattened page with what is open there, each with its number."""
    begin = depth = 0
    for number in sorted(wanted):
        between, text = "".join(chunks[begin:number]), _without_told(chunks[number][1:])
        changed = _balance(between)
        open_here = "".join(_STYLE.findall(between)) if depth or changed else ""
        depth += changed + _balance(text)
        yield number, open_here + text
        begin = number + 1


def _balance(text: str) -> int:
    """Return how many styles begin in a text beyond those that end there."""
    codes = _BEGINS_OR_ENDS.findall(text) if INLINE in text else ()
    return len(codes) - 2 * sum(map(codes.count, _ENDS))


def _without_told(body: str) -> str:
    """Return the text of a chunk without what the attributes of its element tell."""
    _, mark, rest = body.partition(INLINE)
    return rest[1:] if mark and rest[0] in (SOURCE, WHOLE) else body


def _lone_images(
    chunks: Sequence[str], wanted: Wanted, rules: TagRules
) -> tuple[Sequence[ImagePlace], Mapping[int, int]]:
    """Return the images that stand alone, and where FIGUREs end."""
    holders = wanted.tables | wanted.cells
    of_figure, of_pre = map(tag_codes(rules).get, ("figure", "pre"))
    mark = INLINE + marks.IMAGE
    coming = (number for number, chunk in enumerate(chunks) if mark in chunk and number not in wanted.in_text)
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
            holder = held[-1][1] if len(held) > 1 else None
            places += (
                ImagePlace(number, elements[-1], figures[-1][1], holder, told, is_linked)
                for told, is_linked in _images_in(chunk)
            )
        if following is None and len(figures) == 1:
            break
    return places, ends


def _images_in(chunk: str) -> Iterator[tuple[str, bool]]:
    """Yield what the attributes of images tell, and whether a link around each begins in the chunk."""
    are_links: list[bool] = []
    for code, told in _STYLE_OR_IMAGE.findall(chunk):
        if code == marks.IMAGE:
            yield told, True in are_links
        elif code in _BEGINNINGS:
            are_links.append(code == LINK)
        elif are_links:
            are_links.pop()
