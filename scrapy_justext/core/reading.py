"""Cut a tree into blocks.

A block ends where a block-level element starts or ends, at two or more consecutive BR, and before and after an image in
profiles that make blocks of images.  Its text is all text in between, with white space collapsed.  Blocks without text
are dropped, but not images.

The tree is read as one string (:mod:`.flattening`), which is split at the marks of block-level elements.  The text
between two marks is read in one of three ways:

* as published: one run of text; a character belongs to a link when an A is open around it;
* as the reference reads it (``TagRules.text_nodes``), text node by text node: blank nodes vanish with the space that
  they are, a run of white space with a line break in it becomes a line feed, and any end of A ends all links;
* as the Java port reads it (``TagRules.images``): as published, with images as blocks, and SELECT as an inline element.

A block knows where it is: the number of the element that it stands in, and how much text is before it
(``Segment.start``).  Both are counted here, and nowhere else.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from scrapy_justext.core.blocks import Segment, maker
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
from scrapy_justext.core.text import collapse, collapse_and_count
from scrapy_justext.exceptions import PageLimitError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lxml import etree

    from scrapy_justext.core.tags import TagRules


def segment_tree(root: etree._Element, rules: TagRules) -> list[Segment]:
    """Return the blocks below ``root`` in document order; the tree is left as it was."""
    return segment_and_count(root, rules)[0]


def segment_and_count(root: etree._Element, rules: TagRules, most: int | None = None) -> tuple[list[Segment], int]:
    """Return the blocks below ``root``, and how many block-level elements there are.

    ``most``: how many blocks there may be.  Block-level elements are counted, also empty ones, and each second BR;
    that is done before blocks are made.  Raises :class:`~scrapy_justext.exceptions.PageLimitError` if there are more.
    """
    flat = flat_text(root, rules)
    # Each element has a mark at its start and one at its end.
    count = flat.count(BLOCK) // 2
    if most is not None and count + flat.count(_BREAK) // 2 > most:
        raise PageLimitError("too_many_blocks", f"more blocks than max_blocks allows, {most}")
    return _cut(flat, str(root.tag), rules), count


def flat_text(root: etree._Element, rules: TagRules) -> str:
    """Return the flattened tree with the page's own marks replaced."""
    flat = flatten(root, rules)
    return flatten(root, rules, replace_marks=True) if flat.startswith(OWN_MARKS) else flat


def _cut(flat: str, root_tag: str, rules: TagRules) -> list[Segment]:
    """Return the segments of a flattened tree."""
    reader = _reader_for(rules)
    position = TreePosition(root_tag, HEADING_LEVELS.get(root_tag, 0), "select" in root_tag, root_tag == "pre", rules)
    element = opened = 0
    # The root's own text comes before the first mark, as if an element had just ended there.
    ancestors: Ancestors = [(position, 0)]
    for chunk in f"{CLOSE}{flat}".split(BLOCK):
        code = chunk[0]
        if code == CLOSE:
            position, element = ancestors.pop()
        else:
            ancestors.append((position, element))
            element = opened = opened + 1
            position = position[code]
        if chunk != code and not (body := chunk[1:]).isspace():
            position = reader.read(body, position, element, ancestors)
    return list(map(_new_segment, reader.rows))


_new_segment = maker(Segment)


class TreePosition(dict[str, "TreePosition"]):
    """What a block takes over from the elements around it.

    As a dict, it maps the code of an element, or ``ENTER`` for an inline SELECT, to the position inside that element.
    There are few different positions, so they are made once and shared by all pages.
    """

    __slots__ = ("heading_level", "in_select", "preformatted", "rules", "tag")

    def __init__(self, tag: str, heading_level: int, in_select: bool, preformatted: bool, rules: TagRules) -> None:
        super().__init__()
        self.tag = tag
        self.heading_level = heading_level
        self.in_select = in_select
        self.preformatted = preformatted
        self.rules = rules

    def __missing__(self, code: str) -> TreePosition:
        if code == ENTER:
            inside = TreePosition(self.tag, self.heading_level, True, self.preformatted, self.rules)
        else:
            tag = _names(self.rules)[code]
            inside = _shared_position(
                tag,
                HEADING_LEVELS.get(tag, self.heading_level),
                self.in_select or "select" in tag,
                self.preformatted or tag == "pre",
                self.rules,
            )
        self[code] = inside
        return inside


_shared_position = cache(TreePosition)


@lru_cache
def _names(rules: TagRules) -> dict[str, str]:
    return {code: name for name, code in tag_codes(rules).items()}


#: The positions around the one at hand, outermost first, each with the number of its element.
Ancestors = list[tuple[TreePosition, int]]

#: The values of a segment; many of them become segments at once.
SegmentRow = tuple[str, str, int, int, int, str, int, bool, bool, int, int, "str | None"]


class PublishedReader:
    """Reads text as published, and counts the open links."""

    def __init__(self) -> None:
        self.rows: list[SegmentRow] = []
        self._start = 0
        self._links = 0

    # All readers have one signature, so that they can change places.
    def read(self, body: str, position: TreePosition, element: int, ancestors: Ancestors) -> TreePosition:  # noqa: ARG002
        """Add the blocks in ``body``, which has no block-level mark inside; return the position after it."""
        tags = 0
        if INLINE in body:
            # With BRs in it, the text may be several blocks, each with elements of its own.
            if _BREAK not in body and (tags := body.count(_TAG)):
                body = body.replace(_TAG, "")
            if INLINE in body:
                self._read_pieces(body, tags, position, element)
                return position
        collapsed, words = collapse_and_count(body)
        if words:
            linked, link_words = (len(collapsed), words) if self._links else (0, 0)
            text = _lines(body) if position.preformatted else collapsed
            self._add_row(position, element, text, collapsed, linked=linked, link_words=link_words, tags=tags)
            self._start += len(collapsed) - words + 1
        return position

    def _read_pieces(self, body: str, tags: int, position: TreePosition, element: int) -> None:
        """Add the blocks in a text with links and BRs."""
        if not position.preformatted and (link := _ONE_LINK.fullmatch(body)):
            # An entry of a menu, as most blocks of a page are.
            if words := link[1].split():
                text = " ".join(words)
                self._add_row(position, element, text, text, linked=len(text), link_words=len(words), tags=tags + 1)
                self._start += len(text) - len(words) + 1
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
                self._add(texts, inside, tags - 1, position, element)
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
        self._add(texts, inside, tags, position, element)

    def _add(self, texts: list[str], inside: list[bool], tags: int, position: TreePosition, element: int) -> None:
        raw = "".join(texts)
        collapsed, words = collapse_and_count(raw)
        if words:
            linked, link_words = count_links(texts, inside) if True in inside else (0, 0)
            text = _lines(raw) if position.preformatted else collapsed
            self._add_row(position, element, text, collapsed, linked=linked, link_words=link_words, tags=tags)
            self._start += len(collapsed) - words + 1

    def _add_row(  # noqa: PLR0913 (a segment knows so much)
        self,
        position: TreePosition,
        element: int,
        text: str,
        collapsed: str,
        *,
        linked: int,
        link_words: int,
        tags: int,
        image_url: str | None = None,
    ) -> None:
        self.rows.append((
            text, collapsed, linked, link_words, tags, position.tag, position.heading_level, position.in_select,
            position.preformatted, element, self._start, image_url,
        ))  # fmt: skip


_TAG = INLINE + TAG
_BREAK = INLINE + BREAK
_ONE_LINK = re.compile(rf"\s*{INLINE}{LINK}([^{INLINE}]*){INLINE}{UNLINK}\s*")


def count_links(texts: Sequence[str], inside: Sequence[bool]) -> tuple[int, int]:
    """Count the characters and words of the collapsed text of ``texts`` that stand inside links.

    ``inside`` tells of each text whether a link is open around it.  White space between words counts as one character,
    inside or outside as its first character is.

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
    """Return the lines of preformatted text, without white space at their ends and empty lines around them."""
    return "\n".join(map(str.rstrip, raw.splitlines())).strip("\n")


class JavaReader(PublishedReader):
    """Reads text as published, images and inline SELECTs too."""

    def read(self, body: str, position: TreePosition, element: int, ancestors: Ancestors) -> TreePosition:
        """Add the blocks in ``body``, which has no block-level mark inside; return the position after it."""
        if position.tag == "img":
            self._add_image(body, position, element)
            return position
        if INLINE + ENTER not in body and INLINE + LEAVE not in body:
            return super().read(body, position, element, ancestors)
        # A block is where it begins: text inside a SELECT stands in OPTIONs, which are blocks.
        before_text = _MARKS_FIRST.match(body)
        begins = before_text.end() if before_text else 0
        position = _after_selects(body[:begins], position, element, ancestors)
        plain = body.replace(INLINE + ENTER, _TAG).replace(INLINE + LEAVE, "")
        super().read(plain, position, element, ancestors)
        return _after_selects(body[begins:], position, element, ancestors)

    def _add_image(self, body: str, position: TreePosition, element: int) -> None:
        """Add the block of an image, whose text is an attribute and none of the page's text."""
        alt, _, source = body.partition(INLINE + SOURCE)
        text = collapse(alt)
        linked, words = (len(text), len(text.split())) if self._links else (0, 0)
        self._add_row(position, element, text, text, linked=linked, link_words=words, tags=0, image_url=source.strip())


def _after_selects(body: str, position: TreePosition, element: int, ancestors: Ancestors) -> TreePosition:
    """Return the position after the starts and ends of SELECTs in a text."""
    for mark in _SELECT_MARK.findall(body):
        if mark == INLINE + ENTER:
            ancestors.append((position, element))
            position = position[ENTER]
        else:
            position = ancestors.pop()[0]
    return position


_SELECT_MARK = re.compile(f"{INLINE}[{ENTER}{LEAVE}]")
_MARKS_FIRST = re.compile(rf"(?:\s*{INLINE}[{ENTER}{LEAVE}{TAG}{LINK}{UNLINK}])+")


class ReferenceReader(PublishedReader):
    """Reads text node by text node, as the reference does."""

    def __init__(self) -> None:
        super().__init__()
        self._in_link = False
        self._after_break = False

    def read(self, body: str, position: TreePosition, element: int, ancestors: Ancestors) -> TreePosition:
        """Add the blocks in ``body``, which has no block-level mark inside; return the position after it."""
        after = position
        nodes: list[str] = []
        linked = words = tags = 0
        for piece in f"{UNTAG}{body}".split(INLINE):
            code, text = piece[:1], piece[1:]
            if code == BREAK and self._after_break:
                self._add_nodes(nodes, (linked, words, tags - 1), position, element)
                nodes, linked, words, tags = [], 0, 0, 0
            else:
                tags += code in _STARTS
                nodes += " " if code == BREAK else ""
                after = self._after_mark(code, after, element, ancestors)
            if text and not text.isspace():
                nodes.append(_collapse_to_lines(text))
                if self._in_link:
                    linked += len(nodes[-1])
                    words += len(text.split())
                self._after_break = False
        self._add_nodes(nodes, (linked, words, tags), position, element)
        return after

    def _after_mark(self, code: str, position: TreePosition, element: int, ancestors: Ancestors) -> TreePosition:
        """Return the position after an inline mark."""
        if code in _STARTS:
            self._after_break = code == BREAK
        if code in _LINKS:
            self._in_link = code == LINK
        elif code == ENTER:
            ancestors.append((position, element))
            return position[ENTER]
        elif code == LEAVE:
            return ancestors.pop()[0]
        return position

    def _add_nodes(self, nodes: list[str], counts: tuple[int, int, int], position: TreePosition, element: int) -> None:
        if text := _collapse_to_lines("".join(nodes).strip()):
            linked, link_words, tags = counts
            self._add_row(position, element, text, text, linked=linked, link_words=link_words, tags=tags)
            self._start += len(text) - len(text.split()) + 1


def _reader_for(rules: TagRules) -> PublishedReader:
    """Return the reader that the rules ask for."""
    if rules.text_nodes:
        return ReferenceReader()
    return JavaReader() if rules.images else PublishedReader()


_STARTS = frozenset({TAG, LINK, ENTER, BREAK})
_LINKS = frozenset({LINK, UNLINK})

_WHITE_SPACE_RUN = re.compile(r"\s+")


def _collapse_to_lines(text: str) -> str:
    return _WHITE_SPACE_RUN.sub(_line_feed_or_space, text)


def _line_feed_or_space(match: re.Match[str]) -> str:
    run = match.group()
    return "\n" if "\n" in run or "\r" in run else " "
