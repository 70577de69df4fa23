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

from scrapy_justext.core.blocks import BlockTable, Extras, Position
from scrapy_justext.core.code import code_language, code_text, is_code, is_line_numbers, lines_of
from scrapy_justext.core.code_lines import mark_code_lines
from scrapy_justext.core.flattening import flatten
from scrapy_justext.core.formulas.delimiters import mark_formulas
from scrapy_justext.core.kernel.loading import kernel
from scrapy_justext.core.marks import (
    BEGUN,
    BLOCK,
    BREAK,
    CLOSE,
    ENTER,
    FINISHED,
    FIXED_WIDTH,
    INLINE,
    LEAVE,
    LINK,
    MATH,
    SOURCE,
    TAG,
    UNLINK,
    UNMATH,
    UNTAG,
    WHOLE,
    chunks_of,
    has_mark,
    read_formula,
    tag_codes,
    without_styles,
)
from scrapy_justext.core.tables import LINES, PARTS, PRE, TABLE, Tables
from scrapy_justext.core.tags import CODE, FORMULA, HEADING, HEADING_LEVELS, KIND_INSIDE, NUMBERS, TEXT
from scrapy_justext.core.text import collapse, collapse_and_count, visible_length
from scrapy_justext.exceptions import PageLimitError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lxml import etree

    from scrapy_justext.core.blocks import BlockRow
    from scrapy_justext.core.formulas.elements import PageFormulas
    from scrapy_justext.core.kernel.tree import Watcher
    from scrapy_justext.core.tags import TagRules


def segment_tree(root: etree._Element, rules: TagRules) -> BlockTable:
    """Return the blocks below ``root`` in document order; the tree is left as it was."""
    return segment_and_count(root, rules)[0]


def segment_and_count(
    root: etree._Element,
    rules: TagRules,
    most: int | None = None,
    formulas: PageFormulas | None = None,
    watcher: Watcher | None = None,
) -> tuple[BlockTable, int]:
    """Return the blocks below ``root``, and how many block-level elements there are.

    ``formulas``, ``watcher``: as for :func:`~scrapy_justext.core.flattening.flatten`.
    ``most``: how many blocks there may be.  Block-level elements are counted, also empty ones, and each second BR;
    that is done before blocks are made.  There may be as many formulas, and four times as many elements of these and
    marks of inline elements.  Raises :class:`~scrapy_justext.exceptions.PageLimitError` if there are more.
    """
    flat = flatten(root, rules, formulas, watcher, drops_blank=True)
    if most is not None:
        _check_counts(flat, most)
    flat = with_marks(flat, root, rules, most)
    return cut(flat, TreePosition.of_root(str(root.tag), rules))


def _check_counts(flat: str, most: int) -> None:
    blocks, breaks, inline = _count_marks(flat)
    if blocks // 2 + breaks // 2 > most:
        raise PageLimitError("too_many_blocks", f"more blocks than max_blocks allows, {most}")
    if inline > _MARKS_A_BLOCK * most:
        reason = f"more inline elements than max_blocks allows, {_MARKS_A_BLOCK} marks for each of {most} blocks"
        raise PageLimitError("too_many_blocks", reason)


def _count_marks(flat: str) -> tuple[int, int, int]:
    """Return how many marks of block-level elements, of BRs and of inline elements a flattened page has."""
    modules = kernel().modules
    if modules is not None:
        found: tuple[int, int, int] = modules.cut.count_marks(flat)
        return found
    return flat.count(BLOCK), flat.count(_BREAK), flat.count(INLINE)


#: A block costs about as much as so many marks of inline elements.
_MARKS_A_BLOCK = 4


def with_marks(flat: str, root: etree._Element, rules: TagRules, most: int | None = None) -> str:
    """Return a flattened tree with code and formulas in its text marked; ``most``: how many formulas there may be."""
    if not rules.kinds:
        return flat
    return mark_formulas(flat if rules.styled else mark_code_lines(flat, rules), root, rules, most)


def cut(flat: str, position: TreePosition) -> tuple[BlockTable, int]:
    """Return the blocks of a flattened tree, and how many block-level elements it has.

    ``position``: that of its root.
    """
    modules = kernel().modules
    if modules is None:
        return cut_in_python(flat, position)
    reader = _reader_for(position.rules)
    return reader.blocks, modules.cut.Cutter(flat, reader, Tables(), _told).cut(position)


def cut_in_python(flat: str, position: TreePosition) -> tuple[BlockTable, int]:
    """Return what :func:`cut` gives, without compiled code."""
    if not position.rules.styled and has_mark(flat, FIXED_WIDTH):
        flat = without_styles(flat)
    reader = _reader_for(position.rules)
    reader.rows = []
    opened = _cut(flat, position, reader, Tables())
    return reader.all_blocks(), opened


def _cut(flat: str, position: TreePosition, reader: PublishedReader, tables: Tables) -> int:
    """Give a flattened tree to a reader; return how many block-level elements there are."""
    element = opened = 0
    ancestors: Ancestors = [(position, 0)]
    chunks = iter(chunks_of(flat))
    has_begun = has_mark(flat, BEGUN)
    number = -1
    for chunk in chunks:
        number += 1
        code, body = chunk[0], chunk[1:]
        if code == CLOSE:
            # With the first chunk nothing ends.
            if position.part == TABLE and number:
                tables.end(reader.all_blocks())
            position, element = ancestors.pop()
        else:
            ancestors.append((position, element))
            element = opened = opened + 1
            position = position[code]
            if position.part and (position.part != LINES or _WHOLE in body):
                about, body, is_whole = _told(position.part, body)
                if is_whole:
                    inside, behind = _until_end(chunks)
                    reader.read_code([code + body, *inside], about, position, element, number)
                    opened += sum(one[0] != CLOSE for one in inside)
                    number += len(inside) + 1
                    position, element = ancestors.pop()
                    body = behind
                else:
                    tables.begin(position.part, about, element, number, reader.count_blocks())
        if has_begun and _BEGUN in body and not position.here.heading_level:
            # The text at hand is the last.
            texts = body.split(_BEGUN)[::-1]
            while len(texts) > 1:
                reader.chunk = number
                reader.read(texts.pop(), position, element, ancestors)
                inside, behind = _until_finished(texts.pop(), chunks)
                reader.read_code(inside, "", position, element, number, is_text=True)
                opened += sum(one[0] != CLOSE for one in inside[1:])
                number += len(inside) - 1
                texts += behind.split(_BEGUN)[::-1]
            body = texts.pop()
        if body and not body.isspace():
            reader.chunk = number
            position = reader.read(body, position, element, ancestors)
    return opened


def _told(part: str, body: str) -> tuple[str, str, bool]:
    """Return what the attributes of an element tell, the text behind, and whether the element is code as a whole."""
    if part not in (PRE, TABLE, LINES):
        return "", body, False
    about, _, rest = body.partition(INLINE)
    return about, rest[1:], rest[0] == WHOLE or (part == PRE and is_code(about, rest[1:]))


def _until_end(chunks: Iterator[str]) -> tuple[list[str], str]:
    """Return the chunks up to the end of the element at hand, and the text behind it."""
    inside: list[str] = []
    depth = 1
    for chunk in chunks:
        depth += -1 if chunk[0] == CLOSE else 1
        if not depth:
            return inside, chunk[1:]
        inside.append(chunk)
    raise AssertionError("each element has an end")


def _until_finished(body: str, chunks: Iterator[str]) -> tuple[list[str], str]:
    """Return the chunks of code that begins with ``body``, and the text behind it."""
    inside = [BEGUN + body]
    while _FINISHED not in inside[-1]:
        inside.append(next(chunks))
    inside[-1], _, behind = inside[-1].partition(_FINISHED)
    return inside, behind


class TreePosition(dict[str, "TreePosition"]):
    """What a block takes over from the elements around it.

    As a dict, it maps the code of an element, or ``ENTER`` for an inline SELECT, to the position inside that element.
    There are few different positions, so nearly all are made once and shared by all pages.
    """

    __slots__ = ("here", "part", "place", "rules")

    def __init__(
        self, tag: str, heading_level: int, in_select: bool, preformatted: bool, kind: str, rules: TagRules
    ) -> None:
        super().__init__()
        self.here = Position(tag, heading_level, in_select, preformatted, HEADING if heading_level else kind)
        #: PRE, or the part of a table that the element is; empty for others.
        self.part = PARTS.get(tag, "") if rules.kinds else ""
        self.rules = rules
        #: What compiled code keeps of it.
        self.place: object = None

    @classmethod
    @lru_cache
    def of_root(cls, tag: str, rules: TagRules) -> TreePosition:
        """Return the position inside the root of a tree."""
        kind = KIND_INSIDE.get(tag, TEXT)
        return cls(tag, HEADING_LEVELS.get(tag, 0), "select" in tag, tag == "pre", kind, rules)

    def __missing__(self, code: str) -> TreePosition:
        here = self.here
        if code == ENTER and here.in_select:
            inside = self
        elif code == ENTER:
            inside = TreePosition(here.tag, here.heading_level, True, here.preformatted, here.kind, self.rules)
        else:
            tag = _names(self.rules)[code]
            inside = _shared_position(
                tag,
                HEADING_LEVELS.get(tag, here.heading_level),
                here.in_select or "select" in tag,
                here.preformatted or tag == "pre",
                KIND_INSIDE.get(tag, here.kind),
                self.rules,
            )
        self[code] = inside
        return inside


_shared_position = cache(TreePosition)


@lru_cache
def _preformatted(rules: TagRules) -> str:
    return tag_codes(rules)["pre"]


@lru_cache
def _names(rules: TagRules) -> dict[str, str]:
    return {code: name for name, code in tag_codes(rules).items()}


#: The positions around the one at hand, outermost first, each with the number of its element.
Ancestors = list[tuple[TreePosition, int]]


class PublishedReader:
    """Reads text as published, and counts the open links."""

    def __init__(self) -> None:
        self.blocks = BlockTable()
        #: Blocks that wait for :meth:`all_blocks`: to add many at once takes a fifth of the time.  None: none wait.
        self.rows: list[BlockRow] | None = None
        #: The place of the text at hand in the flattened page.
        self.chunk = 0
        #: Characters of the page's text that are read.
        self.start = 0
        #: How many links are open.
        self.links = 0
        # The formulas of the block at hand, and how many more characters of the page they stand for than they have.
        self._formulas: list[str] = []
        self._unread = 0

    def all_blocks(self) -> BlockTable:
        """Return the blocks, also those that wait."""
        if self.rows:
            self.blocks.add_rows(self.rows)
            self.rows.clear()
        return self.blocks

    def count_blocks(self) -> int:
        """Return how many blocks there are, also those that wait."""
        return len(self.blocks) + len(self.rows or ())

    # All readers have one signature, so that they can change places.
    def read(self, body: str, position: TreePosition, element: int, ancestors: Ancestors) -> TreePosition:  # noqa: ARG002
        """Add the blocks in ``body``, which has no block-level mark inside; return the position after it."""
        tags, is_linked = 0, self.links > 0
        if INLINE in body:
            if _MATH in body:
                # A formula on lines of its own is a block, as text between BRs is.
                for part in _DISPLAY.split(body):
                    self._read_pieces(part, 0, position, element)
                return position
            # With BRs in it, the text may be several blocks, each with elements of its own.
            if _BREAK not in body:
                length = len(body)
                body = body.replace(_TAG, "")
                tags = (length - len(body)) // len(_TAG)
            if INLINE in body:
                link = None if position.here.preformatted else _ONE_LINK.fullmatch(body)
                if link is None:
                    self._read_pieces(body, tags, position, element)
                    return position
                # An entry of a menu, as most blocks of a page are.
                body, tags, is_linked = link[1], tags + 1, True
        collapsed, words = collapse_and_count(body)
        if words:
            linked, link_words = (len(collapsed), words) if is_linked else (0, 0)
            text = lines_of(body) if position.here.preformatted else None
            self._add_block(position.here, element, collapsed, linked, link_words, tags, text=text)
            self.start += len(collapsed) - words + 1
        return position

    def read_code(
        self,
        chunks: Sequence[str],
        about: str,
        position: TreePosition,
        element: int,
        chunk: int,
        *,
        is_text: bool = False,
    ) -> None:
        """Add the block that an element of code is.

        ``chunks``: its own and those inside; ``about``: what its attributes tell.
        ``is_text``: whether it is a part of the text of ``element``, where links may be open.
        """
        code = code_text(
            chunks, _preformatted(position.rules), is_preformatted=position.here.preformatted, is_text=is_text,
            is_numbers=about == NUMBERS, links=self.links if is_text else 0,
        )  # fmt: skip
        if is_text:
            self.links = code.links
        text = code.text if about != NUMBERS else "\n".join(" ".join(code.pieces).split())
        collapsed, words = collapse_and_count(text)
        blocks = self.all_blocks()
        before = blocks.text_of(len(blocks) - 1) if blocks and blocks.position[-1].kind == CODE else ""
        if words and not (about == NUMBERS and _numbers_lines(text, before)):
            linked, link_words = count_links(code.pieces, code.inside) if True in code.inside else (0, 0)
            if _numbers_lines(before, text):
                blocks.cut_off(len(blocks) - 1)
            self.chunk = chunk
            self._add_block(
                position.here._replace(kind=CODE), element, collapsed, linked, link_words, code.tags_count, text=text,
                code_language=code_language(about),
            )  # fmt: skip
        self.start += visible_length("".join(code.pieces))

    def _read_pieces(self, body: str, tags: int, position: TreePosition, element: int) -> None:
        """Add the blocks in a text with links and BRs."""
        first, *pieces = body.split(INLINE)
        links = self.links
        texts = [first]
        inside = [links > 0]
        after_break = False
        for piece in pieces:
            code, text = piece[:1], piece[1:]
            if code in _COUNTED:
                tags += 1
                links += code == LINK
                text = self._formula(text) if code == MATH else text
            elif code == UNLINK:
                links = links - 1 if links else 0
            elif code == BREAK and after_break:
                # The BRs of a separator are no elements of the block.
                self._add(texts, inside, tags - 1, position, element)
                texts, inside, tags = [], [], 0
            elif code == BREAK:
                after_break = True
                tags += 1
                text = f"\n{text}"
            if text:
                after_break = after_break and text.isspace()
                texts.append(text)
                inside.append(links > 0)
        self.links = links
        self._add(texts, inside, tags, position, element)

    def _add(self, texts: list[str], inside: list[bool], tags: int, position: TreePosition, element: int) -> None:
        raw = "".join(texts)
        collapsed, words = collapse_and_count(raw)
        if words:
            linked, link_words = count_links(texts, inside) if True in inside else (0, 0)
            read = len(collapsed) - words + 1 + self._unread
            if self._formulas == [collapsed] and position.here.tag in _PARAGRAPHS:
                # A paragraph that is a formula has it on lines of its own.
                collapsed = f"${collapsed}$" if collapsed[1] != "$" else collapsed
                self._formulas = [collapsed]
            text = lines_of(raw) if position.here.preformatted else None
            self._add_block(position.here, element, collapsed, linked, link_words, tags, text=text)
            self.start += read
            self._formulas, self._unread = [], 0

    def _formula(self, marked: str) -> str:
        """Take a formula to the block at hand; return it as it stands there."""
        length, formula = read_formula(marked)
        self._formulas.append(formula)
        self._unread += length - visible_length(formula)
        return formula

    def _add_block(  # noqa: PLR0913 (a block knows so much)
        self,
        position: Position,
        element: int,
        collapsed: str,
        linked: int,
        link_words: int,
        tags: int,
        *,
        text: str | None = None,
        image_url: str | None = None,
        code_language: str = "",
    ) -> None:
        """Add a block; ``text``: None if it is the collapsed one."""
        has_extras = text is not None or image_url is not None or code_language or self._formulas
        if self.rows is not None and not has_extras:
            self.rows.append((collapsed, position, linked, link_words, tags, element, self.start, self.chunk))
            return
        if self._formulas == [collapsed] and collapsed.startswith("$$"):
            position = position._replace(kind=FORMULA)
        self.all_blocks().add(
            collapsed,
            position,
            element=element,
            start=self.start,
            chunk=self.chunk,
            link_characters=linked,
            link_words=link_words,
            tags_count=tags,
            extras=Extras(text, image_url, code_language, (), tuple(self._formulas)) if has_extras else None,
        )


def _numbers_lines(text: str, code: str) -> bool:
    """Return whether a text is the line numbers of the code right beside it, whose last lines may be blank."""
    return is_line_numbers(text) and 0 <= text.count("\n") - code.count("\n") <= _MOST_BLANK


#: Blank lines at the end of code whose numbers are shown.
_MOST_BLANK = 2

_TAG = INLINE + TAG
_BREAK = INLINE + BREAK
_WHOLE = INLINE + WHOLE
_BEGUN, _FINISHED = INLINE + BEGUN, INLINE + FINISHED
#: What counts as an inline element of a block.
_COUNTED = frozenset({TAG, LINK, MATH})
_MATH = INLINE + MATH
_PARAGRAPHS = frozenset(["article", "blockquote", "body", "center", "dd", "div", "figure", "main", "p", "section"])
#: A formula on lines of its own.
_DISPLAY = re.compile(rf"({INLINE}\{MATH}[0-9]+\$\$[^{INLINE}]*{INLINE}\{UNMATH})")


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


class JavaReader(PublishedReader):
    """Reads text as published, images and inline SELECTs too."""

    def read(self, body: str, position: TreePosition, element: int, ancestors: Ancestors) -> TreePosition:
        """Add the blocks in ``body``, which has no block-level mark inside; return the position after it."""
        if position.here.tag == "img":
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
        linked, words = (len(text), len(text.split())) if self.links else (0, 0)
        self._add_block(position.here, element, text, linked, words, 0, image_url=source.strip())


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
            self._add_block(position.here, element, text, linked, link_words, tags)
            self.start += len(text) - len(text.split()) + 1


def _reader_for(rules: TagRules) -> PublishedReader:
    """Return the reader that the rules ask for."""
    if rules.text_nodes:
        return ReferenceReader()
    return JavaReader() if rules.images else PublishedReader()


_STARTS = frozenset({TAG, LINK, ENTER, BREAK})
_LINKS = frozenset({LINK, UNLINK})

#: White space but for single spaces, which stay as they are: most words have nothing else between them.
_WHITE_SPACE_RUN = re.compile(r" \s+|[^\S ]\s*")


def _collapse_to_lines(text: str) -> str:
    return _WHITE_SPACE_RUN.sub(_line_feed_or_space, text)


def _line_feed_or_space(match: re.Match[str]) -> str:
    run = match.group()
    return "\n" if "\n" in run or "\r" in run else " "
