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

from scrapy_justext.core.blocks import Place, Segment
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


#: Text that makes one block: ``text, collapsed, link_characters, tags_count`` of its segment.
Run = tuple[str, str, int, int]


class _Reader(Protocol):
    """Reads the text between two block-level marks; remembers which links are open."""

    def read(self, body: str, steps: list[_Step]) -> list[Run] | None:
        """The blocks in ``body``; None where a mark is the page's own.

        ``steps``: the elements that are open, outermost first.
        """


class _Step:
    """A place, with the places inside it that were seen so far, by the name of the element.

    There are few different places, so steps are made once and shared by all pages.
    """

    __slots__ = ("inside", "place")

    def __init__(self, place: Place) -> None:
        self.place = place
        self.inside: dict[str, _Step] = {}

    def into(self, tag: str) -> _Step:
        """The place inside an element that stands here."""
        step = self.inside[tag] = _step(descend(self.place, tag))
        return step


@cache
def _step(place: Place) -> _Step:
    return _Step(place)


def _cut(flat: str, root_tag: str, rules: TagRules) -> list[Segment] | None:
    """The segments of a flattened tree; None where a mark is the page's own."""
    names = _names(rules)
    reader: _Reader = ReferenceReader() if rules.text_nodes else PublishedReader()
    segments: list[Segment] = []
    # The outermost entry is never closed: a page's own marks may close more than they open.
    here = _Step(descend(Place(root_tag), root_tag))
    steps = [here]
    elements = [0]
    opened = 0
    # The root's own text comes before the first mark, as if an element had just ended there.
    for chunk in f"{CLOSE}{flat}".split(BLOCK):
        code = chunk[:1]
        if code != CLOSE:
            name = names.get(code)
            if name is None:
                return None
            opened += 1
            elements.append(opened)
            here = here.inside.get(name) or here.into(name)
            steps.append(here)
        elif opened and len(steps) > 1:
            del steps[-1], elements[-1]
            here = steps[-1]
        if len(chunk) == 1 or (body := chunk[1:]).isspace():
            continue
        runs = reader.read(body, steps)
        if runs is None:
            return None
        for text, collapsed, linked, tags in runs:
            segments.append(Segment(text, collapsed, linked, tags, here.place, elements[-1]))
        here = steps[-1]
    return segments


@lru_cache
def _names(rules: TagRules) -> dict[str, str]:
    return {code: name for name, code in tag_codes(rules).items()}


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
        self._links = 0

    def read(self, body: str, steps: list[_Step]) -> list[Run] | None:
        """The blocks in ``body``, which has no block-level mark inside."""
        is_pre = steps[-1].place.preformatted
        tags = 0
        if INLINE in body:
            tags = body.count(_TAG)
            body = body.replace(_TAG, "")
            if INLINE in body:
                return self._read_pieces(body, tags, is_pre)
        collapsed = " ".join(body.split())
        if not collapsed:
            return []
        linked = len(collapsed) if self._links else 0
        return [(_lines(body) if is_pre else collapsed, collapsed, linked, tags)]

    def _read_pieces(self, body: str, tags: int, is_pre: bool) -> list[Run] | None:
        """The blocks in a text with links and BRs."""
        if not is_pre and (link := _ONE_LINK.fullmatch(body)):
            # An entry of a menu, as most blocks of a page are.
            collapsed = " ".join(link[1].split())
            return [(collapsed, collapsed, len(collapsed), tags + 1)] if collapsed else []
        runs: list[Run] = []
        pieces = body.split(INLINE)
        links = self._links
        texts = [pieces[0]]
        inside = [links > 0]
        after_break = False
        for piece in pieces[1:]:
            code, text = piece[:1], piece[1:]
            if code == LINK:
                tags += 1
                links += 1
            elif code == UNLINK:
                links = links - 1 if links else 0
            elif code != BREAK:
                return None
            elif after_break:
                # The BRs of a separator are no elements of the block.
                _add_run(runs, texts, inside, tags - 1, is_pre)
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
        _add_run(runs, texts, inside, tags, is_pre)
        return runs


_TAG = INLINE + TAG
_ONE_LINK = re.compile(rf"\s*{INLINE}{LINK}([^{INLINE}]*){INLINE}{UNLINK}\s*")


def _add_run(runs: list[Run], texts: list[str], inside: list[bool], tags: int, is_pre: bool) -> None:
    raw = "".join(texts)
    if collapsed := " ".join(raw.split()):
        linked = count_link_characters(texts, inside) if True in inside else 0
        runs.append((_lines(raw) if is_pre else collapsed, collapsed, linked, tags))


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
        words = text.split()
        if started and space is None and text[:1].isspace():
            space = is_inside
        if words:
            if space:
                linked += 1
            if is_inside:
                linked += len(" ".join(words))
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
        self._in_link = False
        self._after_break = False

    def read(self, body: str, steps: list[_Step]) -> list[Run] | None:
        """The blocks in ``body``, which has no block-level mark inside."""
        runs: list[Run] = []
        nodes: list[str] = []
        linked = tags = 0
        for piece in f"{UNTAG}{body}".split(INLINE):
            code, text = piece[:1], piece[1:]
            if code not in _REFERENCE_CODES:
                return None
            if code == BREAK and self._after_break:
                _add_reference_run(runs, nodes, linked, tags - 1)
                nodes, linked, tags = [], 0, 0
            elif code in _STARTS:
                tags += 1
                self._start(code, nodes, steps)
            elif code in _ENDS:
                self._end(code, steps)
            if text and not text.isspace():
                nodes.append(_collapse_to_lines(text))
                linked += len(nodes[-1]) if self._in_link else 0
                self._after_break = False
        _add_reference_run(runs, nodes, linked, tags)
        return runs

    def _start(self, code: str, nodes: list[str], steps: list[_Step]) -> None:
        self._after_break = code == BREAK
        if code == BREAK:
            nodes.append(" ")
        elif code == LINK:
            self._in_link = True
        elif code == ENTER:
            steps.append(_Step(descend(steps[-1].place, "select")))

    def _end(self, code: str, steps: list[_Step]) -> None:
        if code == UNLINK:
            self._in_link = False
        elif code == LEAVE and len(steps) > 1:
            steps.pop()


_STARTS = frozenset({TAG, LINK, ENTER, BREAK})
_ENDS = frozenset({UNTAG, UNLINK, LEAVE})
_REFERENCE_CODES = _STARTS | _ENDS

_WHITE_SPACE_RUN = re.compile(r"\s+")


def _add_reference_run(runs: list[Run], nodes: list[str], linked: int, tags: int) -> None:
    if text := _collapse_to_lines("".join(nodes).strip()):
        runs.append((text, text, linked, tags))


def _collapse_to_lines(text: str) -> str:
    return _WHITE_SPACE_RUN.sub(_line_feed_or_space, text)


def _line_feed_or_space(match: re.Match[str]) -> str:
    run = match.group()
    return "\n" if "\n" in run or "\r" in run else " "
