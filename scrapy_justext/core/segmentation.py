"""Cutting a page into blocks.

A block ends where a block-level element starts or ends, and at two or more consecutive BR.  Its text
is all there is between, white space collapsed; empty blocks are dropped.  Two ways of reading the text
between two block-level marks exist:

* as published: one run of text; a character is a link's when an A is open around it;
* as the reference does (``TagRules.text_nodes``), text node by text node: blank nodes vanish with the
  space that they are, a run of white space with a line break in it becomes a line feed, and an inner
  end of A ends all links.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Protocol

from scrapy_justext.core.blocks import Place, Segment, maker
from scrapy_justext.core.flattening import (
    BLOCK,
    BREAK,
    CLOSE,
    ENTER,
    INLINE,
    LEAVE,
    LINK,
    TAG,
    UNLINK,
    UNTAG,
    flatten,
    tag_codes,
)
from scrapy_justext.core.tags import HEADING_LEVELS
from scrapy_justext.core.text import collapse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lxml import etree

    from scrapy_justext.core.tags import TagRules


def segment(root: etree._Element, rules: TagRules) -> list[Segment]:
    """The blocks below ``root`` in document order; the tree is left as it was."""
    segments = _cut(flatten(root, rules), str(root.tag), rules)
    if segments is None:
        segments = _cut(flatten(root, rules, replace_marks=True), str(root.tag), rules)
    return segments or []


#: A segment as a plain tuple, of which many are made at once.
_Row = tuple[str, str, int, int, Place, int]


class _Step(dict[str, "_Step | None"]):
    """A place; by the code of an element that starts there, the place inside that element.

    There are few different places, so steps are made once and shared by all pages.
    """

    __slots__ = ("place", "rules")

    def __init__(self, place: Place, rules: TagRules) -> None:
        super().__init__()
        self.place = place
        self.rules = rules

    def __missing__(self, code: str) -> _Step | None:
        name = _names(self.rules).get(code)
        if name is None:
            return None
        step = self[code] = _step(descend(self.place, name), self.rules)
        return step


@cache
def _step(place: Place, rules: TagRules) -> _Step:
    return _Step(place, rules)


@lru_cache
def _names(rules: TagRules) -> dict[str, str]:
    return {code: name for name, code in tag_codes(rules).items()}


#: The places around the one at hand, outermost first, each with the number of its element; the
#: first entry, around the root, is none.
_Around = list[tuple["_Step | None", int]]


class _Reader(Protocol):
    """Reads the text between block-level marks; remembers which links are open."""

    rows: list[_Row]
    """The blocks read so far."""

    def read(self, body: str, here: _Step, element: int, around: _Around) -> _Step | None:
        """Add the blocks in ``body``; the place after it, or None where a mark is the page's own."""


def _cut(flat: str, root_tag: str, rules: TagRules) -> list[Segment] | None:
    """The segments of a flattened tree; None where a mark is the page's own."""
    reader: _Reader = ReferenceReader() if rules.text_nodes else PublishedReader()
    here: _Step | None = None
    element = opened = 0
    # The root's own text comes before the first mark, as if an element had just ended there.
    around: _Around = [(None, 0), (_Step(descend(Place(root_tag), root_tag), rules), 0)]
    for chunk in f"{CLOSE}{flat}".split(BLOCK):
        if not chunk:
            return None
        code = chunk[0]
        if code == CLOSE:
            here, element = around.pop()
        elif here is not None:
            around.append((here, element))
            element = opened = opened + 1
            here = here[code]
        if here is not None and chunk != code and not (body := chunk[1:]).isspace():
            here = reader.read(body, here, element, around)
        if here is None:
            return None
    # The page's own marks open more than they close.
    if len(around) != 1:
        return None
    return list(map(_new_segment, reader.rows))


_new_segment = maker(Segment)


def descend(place: Place, tag: str) -> Place:
    """The place inside an element ``tag`` that stands at ``place``.

    >>> descend(descend(Place("body"), "h2"), "div")
    Place(tag='div', heading_level=2, in_select=False, preformatted=False)
    """
    return Place(
        tag,
        HEADING_LEVELS.get(tag, place.heading_level),
        place.in_select or "select" in tag,
        place.preformatted or tag == "pre",
    )


class PublishedReader:
    """Reads text as published."""

    def __init__(self) -> None:
        self.rows: list[_Row] = []
        self._links = 0

    # One signature for both readers, so that they can change places.
    def read(self, body: str, here: _Step, element: int, around: _Around) -> _Step | None:  # noqa: ARG002
        """Add the blocks in ``body``, which has no block-level mark inside."""
        place = here.place
        tags = 0
        if INLINE in body:
            # With BRs in it, the text may be several blocks, each with elements of its own.
            if _BREAK not in body and (tags := body.count(_TAG)):
                body = body.replace(_TAG, "")
            if INLINE in body:
                return here if self._read_pieces(body, tags, place, element) else None
        if collapsed := collapse(body):
            linked = len(collapsed) if self._links else 0
            text = _lines(body) if place.preformatted else collapsed
            self.rows.append((text, collapsed, linked, tags, place, element))
        return here

    def _read_pieces(self, body: str, tags: int, place: Place, element: int) -> bool:
        """Add the blocks in a text with links and BRs; False where a mark is the page's own."""
        if not place.preformatted and (link := _ONE_LINK.fullmatch(body)):
            # An entry of a menu, as most blocks of a page are.
            if collapsed := " ".join(link[1].split()):
                self.rows.append((collapsed, collapsed, len(collapsed), tags + 1, place, element))
            return True
        first, *pieces = body.split(INLINE)
        links = self._links
        texts = [first]
        inside = [links > 0]
        after_break = False
        for piece in pieces:
            code, text = piece[:1], piece[1:]
            if code == TAG:
                tags += 1
            elif code == LINK:
                tags += 1
                links += 1
            elif code == UNLINK:
                links = links - 1 if links else 0
            elif code != BREAK:
                return False
            elif after_break:
                # The BRs of a separator are no elements of the block.
                self._add(texts, inside, tags - 1, place, element)
                texts, inside, tags = [], [], 0
            else:
                after_break = True
                tags += 1
                text = f"\n{text}"
            if text:
                after_break = after_break and text.isspace()
                texts.append(text)
                inside.append(links > 0)
        self._links = links
        self._add(texts, inside, tags, place, element)
        return True

    def _add(self, texts: list[str], inside: list[bool], tags: int, place: Place, element: int) -> None:
        raw = "".join(texts)
        if collapsed := collapse(raw):
            linked = count_link_characters(texts, inside) if True in inside else 0
            text = _lines(raw) if place.preformatted else collapsed
            self.rows.append((text, collapsed, linked, tags, place, element))


_TAG = INLINE + TAG
_BREAK = INLINE + BREAK
_ONE_LINK = re.compile(rf"\s*{INLINE}{LINK}([^{INLINE}]*){INLINE}{UNLINK}\s*")


def count_link_characters(texts: Sequence[str], inside: Sequence[bool]) -> int:
    """Characters of the collapsed text of ``texts`` that stand inside links.

    ``inside`` tells of each text whether a link is open around it.  White space between words counts as
    one character, inside or outside as its first character is.

    >>> count_link_characters(["see ", " the  manual ", "now"], [False, True, False])
    11
    """
    linked = 0
    # Whether the white space at hand began inside a link; None: no white space, or no word before it.
    space: bool | None = None
    started = False
    for text, is_inside in zip(texts, inside, strict=True):
        if started and space is None and text[:1].isspace():
            space = is_inside
        if text and not text.isspace():
            if space:
                linked += 1
            if is_inside:
                linked += len(" ".join(text.split()))
            started = True
            space = is_inside if text[-1].isspace() else None
    return linked


def _lines(raw: str) -> str:
    """Preformatted text: its lines, without white space at their ends and empty lines around."""
    lines = [line.rstrip() for line in raw.splitlines()]
    while lines and not lines[0]:
        del lines[0]
    while lines and not lines[-1]:
        del lines[-1]
    return "\n".join(lines)


class ReferenceReader:
    """Reads text node by text node, as the reference does."""

    def __init__(self) -> None:
        self.rows: list[_Row] = []
        self._in_link = False
        self._after_break = False

    def read(self, body: str, here: _Step, element: int, around: _Around) -> _Step | None:
        """Add the blocks in ``body``, which has no block-level mark inside."""
        place = here.place
        after: _Step | None = here
        nodes: list[str] = []
        linked = tags = 0
        for piece in f"{UNTAG}{body}".split(INLINE):
            code, text = piece[:1], piece[1:]
            if code == BREAK and self._after_break:
                self._add(nodes, linked, tags - 1, place, element)
                nodes, linked, tags = [], 0, 0
            else:
                tags += code in _STARTS
                nodes += " " if code == BREAK else ""
                after = self._step(code, after, element, around)
            if after is None:
                return None
            if text and not text.isspace():
                nodes.append(_collapse_to_lines(text))
                linked += len(nodes[-1]) if self._in_link else 0
                self._after_break = False
        self._add(nodes, linked, tags, place, element)
        return after

    def _step(self, code: str, here: _Step | None, element: int, around: _Around) -> _Step | None:
        """The place after an inline mark; None where the mark is the page's own."""
        if here is None or code not in _REFERENCE_CODES:
            return None
        if code in _STARTS:
            self._after_break = code == BREAK
        if code in _LINKS:
            self._in_link = code == LINK
        elif code == ENTER:
            around.append((here, element))
            return _step(here.place._replace(in_select=True), here.rules)
        elif code == LEAVE:
            return around.pop()[0]
        return here

    def _add(self, nodes: list[str], linked: int, tags: int, place: Place, element: int) -> None:
        if text := _collapse_to_lines("".join(nodes).strip()):
            self.rows.append((text, text, linked, tags, place, element))


_STARTS = frozenset({TAG, LINK, ENTER, BREAK})
_LINKS = frozenset({LINK, UNLINK})
_REFERENCE_CODES = _STARTS | {UNTAG, UNLINK, LEAVE}

_WHITE_SPACE_RUN = re.compile(r"\s+")


def _collapse_to_lines(text: str) -> str:
    return _WHITE_SPACE_RUN.sub(_line_feed_or_space, text)


def _line_feed_or_space(match: re.Match[str]) -> str:
    run = match.group()
    return "\n" if "\n" in run or "\r" in run else " "
