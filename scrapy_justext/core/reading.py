"""Where in the tree the text at hand stands, while a flattened tree is read."""

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
    OWN_MARKS,
    SOURCE,
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


class Step(dict[str, "Step"]):
    """A place; by the code of an element that starts there, the place inside that element.

    There are few different places, so steps are made once and shared by all pages.
    """

    __slots__ = ("place", "rules")

    def __init__(self, place: Place, rules: TagRules) -> None:
        super().__init__()
        self.place = place
        self.rules = rules

    def __missing__(self, code: str) -> Step:
        step = self[code] = step_at(descend(self.place, _names(self.rules)[code]), self.rules)
        return step

    def in_select(self) -> Step:
        """The place inside a SELECT that is no block-level element."""
        return step_at(self.place._replace(in_select=True), self.rules)


@cache
def step_at(place: Place, rules: TagRules) -> Step:
    """The step of a place."""
    return Step(place, rules)


@lru_cache
def _names(rules: TagRules) -> dict[str, str]:
    return {code: name for name, code in tag_codes(rules).items()}


#: The places around the one at hand, outermost first, each with the number of its element.
Around = list[tuple[Step, int]]


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


# Reading the text between block-level marks.
#
# Three ways exist:
#
# * as published: one run of text; a character is a link's when an A is open around it;
# * as the reference does (``TagRules.text_nodes``), text node by text node: blank nodes vanish with the
#   space that they are, a run of white space with a line break in it becomes a line feed, and an inner
#   end of A ends all links;
# * as the Java port does (``TagRules.images``): as published, with images as blocks, and SELECT as an inline
#   element.

#: A segment as a plain tuple, of which many are made at once.
Row = tuple[str, str, int, int, int, "Place", int, "str | None"]


class Reader(Protocol):
    """Reads the text between block-level marks; remembers which links are open."""

    rows: list[Row]
    """The blocks read so far."""

    def read(self, body: str, here: Step, element: int, around: Around) -> Step:
        """Add the blocks in ``body``; the place after it."""


def reader_for(rules: TagRules) -> Reader:
    """The reader that the rules ask for."""
    if rules.text_nodes:
        return ReferenceReader()
    return JavaReader() if rules.images else PublishedReader()


class PublishedReader:
    """Reads text as published."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self._links = 0

    # One signature for all readers, so that they can change places.
    def read(self, body: str, here: Step, element: int, around: Around) -> Step:  # noqa: ARG002
        """Add the blocks in ``body``, which has no block-level mark inside."""
        place = here.place
        tags = 0
        if INLINE in body:
            # With BRs in it, the text may be several blocks, each with elements of its own.
            if _BREAK not in body and (tags := body.count(_TAG)):
                body = body.replace(_TAG, "")
            if INLINE in body:
                self._read_pieces(body, tags, place, element)
                return here
        if collapsed := collapse(body):
            linked, words = (len(collapsed), collapsed.count(" ") + 1) if self._links else (0, 0)
            text = _lines(body) if place.preformatted else collapsed
            self.rows.append((text, collapsed, linked, words, tags, place, element, None))
        return here

    def _read_pieces(self, body: str, tags: int, place: Place, element: int) -> None:
        """Add the blocks in a text with links and BRs."""
        if not place.preformatted and (link := _ONE_LINK.fullmatch(body)):
            # An entry of a menu, as most blocks of a page are.
            if words := link[1].split():
                text = " ".join(words)
                self.rows.append((text, text, len(text), len(words), tags + 1, place, element, None))
            return
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

    def _add(self, texts: list[str], inside: list[bool], tags: int, place: Place, element: int) -> None:
        raw = "".join(texts)
        if collapsed := collapse(raw):
            linked, words = count_links(texts, inside) if True in inside else (0, 0)
            text = _lines(raw) if place.preformatted else collapsed
            self.rows.append((text, collapsed, linked, words, tags, place, element, None))


_TAG = INLINE + TAG
_BREAK = INLINE + BREAK
_ONE_LINK = re.compile(rf"\s*{INLINE}{LINK}([^{INLINE}]*){INLINE}{UNLINK}\s*")


def count_links(texts: Sequence[str], inside: Sequence[bool]) -> tuple[int, int]:
    """Characters and words of the collapsed text of ``texts`` that stand inside links.

    ``inside`` tells of each text whether a link is open around it.  White space between words counts as
    one character, inside or outside as its first character is.

    >>> count_links(["see ", " the  manual ", "now"], [False, True, False])
    (11, 2)
    """
    linked = link_words = 0
    # Whether the text so far ends inside a link, within a word.
    in_word = False
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
                words = text.split()
                linked += len(" ".join(words))
                link_words += len(words) - (in_word and not text[0].isspace())
            in_word = is_inside and not text[-1].isspace()
            started = True
            space = is_inside if text[-1].isspace() else None
        elif text:
            in_word = False
    return linked, link_words


def _lines(raw: str) -> str:
    """Preformatted text: its lines, without white space at their ends and empty lines around."""
    lines = [line.rstrip() for line in raw.splitlines()]
    while lines and not lines[0]:
        del lines[0]
    while lines and not lines[-1]:
        del lines[-1]
    return "\n".join(lines)


class JavaReader(PublishedReader):
    """Reads text as published, images and inline SELECTs too."""

    def read(self, body: str, here: Step, element: int, around: Around) -> Step:
        """Add the blocks in ``body``, which has no block-level mark inside."""
        if here.place.tag == "img":
            self._add_image(body, here.place, element)
            return here
        if INLINE + ENTER not in body and INLINE + LEAVE not in body:
            return super().read(body, here, element, around)
        # A block is where it begins: text inside a SELECT stands in OPTIONs, which are blocks.
        before_text = _MARKS_FIRST.match(body)
        begins = before_text.end() if before_text else 0
        place = _after_selects(body[:begins], here, element, around)
        plain = body.replace(INLINE + ENTER, _TAG).replace(INLINE + LEAVE, "")
        super().read(plain, place, element, around)
        return _after_selects(body[begins:], place, element, around)

    def _add_image(self, body: str, place: Place, element: int) -> None:
        alt, _, source = body.partition(INLINE + SOURCE)
        text = collapse(alt)
        linked, words = (len(text), len(text.split())) if self._links else (0, 0)
        self.rows.append((text, text, linked, words, 0, place, element, source.strip()))


def _after_selects(body: str, here: Step, element: int, around: Around) -> Step:
    """The place after the starts and ends of SELECTs in a text."""
    after = here
    for mark in _SELECT_MARK.findall(body):
        if mark == INLINE + ENTER:
            around.append((after, element))
            after = after.in_select()
        else:
            after = around.pop()[0]
    return after


_SELECT_MARK = re.compile(f"{INLINE}[{ENTER}{LEAVE}]")
_MARKS_FIRST = re.compile(rf"(?:\s*{INLINE}[{ENTER}{LEAVE}{TAG}{LINK}{UNLINK}])+")


class ReferenceReader:
    """Reads text node by text node, as the reference does."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self._in_link = False
        self._after_break = False

    def read(self, body: str, here: Step, element: int, around: Around) -> Step:
        """Add the blocks in ``body``, which has no block-level mark inside."""
        place = here.place
        after = here
        nodes: list[str] = []
        linked = words = tags = 0
        for piece in f"{UNTAG}{body}".split(INLINE):
            code, text = piece[:1], piece[1:]
            if code == BREAK and self._after_break:
                self._add(nodes, (linked, words, tags - 1), place, element)
                nodes, linked, words, tags = [], 0, 0, 0
            else:
                tags += code in _STARTS
                nodes += " " if code == BREAK else ""
                after = self._step(code, after, element, around)
            if text and not text.isspace():
                nodes.append(_collapse_to_lines(text))
                if self._in_link:
                    linked += len(nodes[-1])
                    words += len(text.split())
                self._after_break = False
        self._add(nodes, (linked, words, tags), place, element)
        return after

    def _step(self, code: str, here: Step, element: int, around: Around) -> Step:
        """The place after an inline mark."""
        if code in _STARTS:
            self._after_break = code == BREAK
        if code in _LINKS:
            self._in_link = code == LINK
        elif code == ENTER:
            around.append((here, element))
            return here.in_select()
        elif code == LEAVE:
            return around.pop()[0]
        return here

    def _add(self, nodes: list[str], counts: tuple[int, int, int], place: Place, element: int) -> None:
        if text := _collapse_to_lines("".join(nodes).strip()):
            self.rows.append((text, text, *counts, place, element, None))


_STARTS = frozenset({TAG, LINK, ENTER, BREAK})
_LINKS = frozenset({LINK, UNLINK})

_WHITE_SPACE_RUN = re.compile(r"\s+")


def _collapse_to_lines(text: str) -> str:
    return _WHITE_SPACE_RUN.sub(_line_feed_or_space, text)


def _line_feed_or_space(match: re.Match[str]) -> str:
    run = match.group()
    return "\n" if "\n" in run or "\r" in run else " "


# Cutting a page into blocks.
#
# A block ends where a block-level element starts or ends, at two or more consecutive BR, and around an
# image where images are blocks.  Its text is all there is between, white space collapsed; empty
# blocks of text are dropped.


def segment(root: etree._Element, rules: TagRules) -> list[Segment]:
    """The blocks below ``root`` in document order; the tree is left as it was."""
    return segment_and_count(root, rules)[0]


def segment_and_count(root: etree._Element, rules: TagRules) -> tuple[list[Segment], int]:
    """The blocks, and how many block-level elements there are."""
    flat = flat_text(root, rules)
    # Each has a mark at its start and one at its end.
    return _cut(flat, str(root.tag), rules), flat.count(BLOCK) // 2


def flat_text(root: etree._Element, rules: TagRules) -> str:
    """The flattened tree, the page's own marks replaced."""
    flat = flatten(root, rules)
    return flatten(root, rules, replace_marks=True) if flat.startswith(OWN_MARKS) else flat


def _cut(flat: str, root_tag: str, rules: TagRules) -> list[Segment]:
    """The segments of a flattened tree."""
    reader = reader_for(rules)
    here = Step(descend(Place(root_tag), root_tag), rules)
    element = opened = 0
    # The root's own text comes before the first mark, as if an element had just ended there.
    around: Around = [(here, 0)]
    for chunk in f"{CLOSE}{flat}".split(BLOCK):
        code = chunk[0]
        if code == CLOSE:
            here, element = around.pop()
        else:
            around.append((here, element))
            element = opened = opened + 1
            here = here[code]
        if chunk != code and not (body := chunk[1:]).isspace():
            here = reader.read(body, here, element, around)
    return list(map(_new_segment, reader.rows))


_new_segment = maker(Segment)
