"""Cut a page into blocks.

A block ends where a block-level element starts or ends, at two or more consecutive BR, and before and after an image in
profiles that make blocks of images.  Its text is all text in between, with white space collapsed.  Blocks without text
are dropped, but not images.

The tokens of a page (:mod:`.flow`) are read once.  A run is what stands between two ends of blocks.  One of three
writers makes blocks of it:

* as published: one run of text; a character belongs to a link when an A is open around it;
* as the reference reads it (``TagRules.text_nodes``), text node by text node: blank nodes vanish with the space that
  they are, a run of white space with a line break in it becomes a line feed, and any end of A ends all links;
* as the Java port reads it (``TagRules.images``): as published, with images as blocks, and SELECT as an inline element.
"""

from __future__ import annotations

import re
from array import array
from functools import cache
from typing import TYPE_CHECKING

from scrapy_justext.core.blocks import NUMBERS, BlockTable, Extras, Position
from scrapy_justext.core.reading.code import LOOKED_AT, code_language, code_text, is_code, is_line_numbers, lines_of
from scrapy_justext.core.reading.elements_of_code import about_code, about_table, about_whole
from scrapy_justext.core.reading.nodes import MAY_BE_HIDDEN
from scrapy_justext.core.reading.rules import NAMES, level_by_role
from scrapy_justext.core.reading.tables import Tables
from scrapy_justext.core.tags import CODE, FORMULA, HEADING, HEADING_LEVELS, KIND_INSIDE, TEXT
from scrapy_justext.core.text import as_script, collapse, count_links

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import cython

    from scrapy_justext.core.reading.code import CodeText
    from scrapy_justext.core.reading.flow import Flow
    from scrapy_justext.core.reading.rules import TagRules


def cut(flow: Flow, code: Sequence[tuple[int, int]] = ()) -> BlockTable:
    """Return the blocks of a page.

    ``code``: the tokens at which code on lines of its own outside of PREs begins and ends.
    """
    cutter = _ReferenceCutter(flow) if flow.rules.text_nodes else _BlockCutter(flow)
    cutter.read(iter(code))
    return cutter.all_blocks()


class BlockPlace:
    """What a block takes over from the elements around it.

    There are few different places, so nearly all are made once and shared by all pages.

    ``here``: fields of the block; ``preformatted``: one of them.
    ``part``: "pre", or the part of a table that the element is; empty for others.
    ``inside``: the places in elements, by the numbers of their names; None for those that nothing was in so far.
    """

    __slots__ = ("here", "inside", "is_table", "part", "preformatted", "rules")

    def __init__(self, here: Position, rules: TagRules) -> None:
        self.here = here
        self.preformatted = here.preformatted
        self.rules = rules
        self.part = here.tag if rules.kinds and here.tag in ("pre", "table", "tr", "td", "th") else ""
        self.is_table = self.part == "table"
        self.inside: list[BlockPlace | None] = [None] * len(NAMES)

    def within(self, name: str) -> BlockPlace:
        """Return the place inside a block-level element that is here."""
        here = self.here
        level = HEADING_LEVELS.get(name, here.heading_level)
        return _place(
            Position(
                tag=name,
                heading_level=level,
                in_select=here.in_select or "select" in name,
                preformatted=here.preformatted or name == "pre",
                kind=HEADING if level else KIND_INSIDE.get(name, here.kind),
            ),
            self.rules,
        )

    def at_level(self, level: int) -> BlockPlace:
        """Return the place of an element that is a heading of some level by its role; 0: it is none."""
        if not level or self.here.heading_level:
            return self
        return _place(self.here._replace(heading_level=level, kind=HEADING), self.rules)


_place = cache(BlockPlace)
_NOWHERE = Position("", 0, False, False, TEXT)


class _BlockCutter:
    """Makes blocks of text as published."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self.codes = flow.codes
        self.has_images = flow.rules.images
        self.blocks = BlockTable()
        self.collapsed, self.positions = self.blocks.collapsed, self.blocks.position
        # The numbers of blocks that wait for :meth:`all_blocks`, column by column: an array grows slowly one by one.
        self.waiting = array("i", bytes(4 * _ROWS * len(NUMBERS)))
        self.rows = 0
        self.tables = Tables()
        self.place = _place(_NOWHERE, flow.rules).within(flow.page.name(flow.page.root))
        #: The number of the block-level element at hand, and how many there are so far.
        self.element = self.opened = 0
        #: Those around: places, and numbers; and how many.
        self.places: list[BlockPlace] = []
        self.elements = array("i", bytes(4 * (flow.page.count + 1)))
        self.depth = 0
        #: How many links are open, and the token of the SUP or SUB that has begun and may be raised.
        self.links = 0
        self.script = _NONE
        # What was written before an error.
        flow.page.written()
        # The run at hand: where it begins, how many texts it has, and how many inline elements; its formulas; whether a
        # BR is the last of it; and its place, once it has text.
        self.begin = self.texts = self.tags = 0
        self.formulas: list[str] = []
        self.after_break = False
        self.run_place: BlockPlace | None = None

    def all_blocks(self) -> BlockTable:
        """Return the blocks, all of whose columns are filled."""
        if self.rows:
            self.blocks.add_numbers(array("i", bytes(self.waiting)), self.rows)
            self.rows = 0
        return self.blocks

    def read(self, code: Iterator[tuple[int, int]]) -> None:
        """Read all tokens; ``code``: where code on lines of its own outside of PREs begins and ends."""
        i: cython.Py_ssize_t
        token: cython.Py_UCS4
        count: cython.Py_ssize_t = len(self.codes)
        # The token behind what is read already.
        behind: cython.Py_ssize_t = 0
        begin: cython.Py_ssize_t
        begin, end = next(code, (count, count))
        for i, token in enumerate(self.codes):
            if i == begin:
                # An element that is code as a whole may have such lines in it.
                if i >= behind and not self.place.here.heading_level:
                    behind = self._read_text_of_code(i, end)
                begin, end = next(code, (count, count))
            if i < behind:
                continue
            if token == "t":
                self._add_text(i)
            elif token == " ":
                self._add_space(i)
            elif token in "[{#":
                behind = self._begin(i, token) + 1
            elif token == "]":
                self._end(i)
            else:
                self._add_mark(i, token)
        self._finish(count)

    def _begin(self, i: cython.Py_ssize_t, token: cython.Py_UCS4) -> cython.Py_ssize_t:
        """Begin a block-level element; return the last token of it that is read with it."""
        self._finish(i)
        self.run_place = None
        flow = self.flow
        node: cython.int = flow.nodes[i]
        number: cython.int = flow.page.tag[node]
        self.places.append(self.place)
        self.elements[self.depth] = self.element
        self.depth += 1
        self.opened += 1
        self.element = self.opened
        inside: BlockPlace | None = self.place.inside[number]
        if inside is None:
            inside = self.place.inside[number] = self.place.within(flow.page.name(node))
        if flow.page.flags[node] & MAY_BE_HIDDEN and flow.rules.kinds:
            inside = inside.at_level(level_by_role(flow.page, node))
        self.place = inside
        if inside.part or token != "[":
            return self._begin_part(i, inside.part)
        if self.has_images and inside.here.tag == "img":
            self._add_image(i)
        return i

    def _begin_part(self, i: cython.Py_ssize_t, part: str) -> cython.Py_ssize_t:
        """Begin code or a part of a table."""
        page, node = self.flow.page, self.flow.nodes[i]
        about: str | None = None
        if self.codes[i] == "#":
            about = _NUMBERS
        elif self.codes[i] == "{":
            about = about_whole(page, node)
        elif part == "pre":
            about = about_code(page, node)
            if not is_code(about, _first_text(self.flow, i + 1)):
                return i
        if about is not None:
            return self._read_whole(i, about)
        named = about_table(page, node) if part == "table" else ""
        self.tables.begin(part, named, self.element, i, len(self.collapsed))
        return i

    def _end(self, i: cython.Py_ssize_t) -> None:
        """End the block-level element at hand."""
        self._finish(i)
        self.run_place = None
        if self.place.is_table:
            self.tables.end(self.all_blocks, i + 1)
        self.place = self.places.pop()
        self.depth -= 1
        self.element = self.elements[self.depth]

    def _read_whole(self, i: cython.Py_ssize_t, about: str) -> cython.Py_ssize_t:
        """Read an element that is code as a whole; return its last token."""
        end = _end_of(self.codes, i)
        code = code_text(
            self.flow, i + 1, end, is_preformatted=self.place.preformatted, is_numbers=about == _NUMBERS,
        )  # fmt: skip
        self._add_code(code, about, i, end + 1)
        self.opened += sum(self.codes.count(start, i + 1, end) for start in "[{#")
        self.place = self.places.pop()
        self.depth -= 1
        self.element = self.elements[self.depth]
        self.begin = end + 1
        return end

    def _read_text_of_code(self, begin: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Read code that is shown as text is; return the token behind it."""
        self._finish(begin)
        code = code_text(self.flow, begin, end, is_preformatted=self.place.preformatted, is_text=True, links=self.links)
        self.links = code.links
        self._add_code(code, "", begin, end)
        self.opened += sum(self.codes.count(start, begin, end) for start in "[{#")
        self.begin = end
        return end

    def _add_code(self, code: CodeText, about: str, begin: cython.Py_ssize_t, end: cython.Py_ssize_t) -> None:
        text = code.text if about != _NUMBERS else "\n".join(" ".join(code.pieces).split())
        collapsed = collapse(text)
        blocks = self.all_blocks()
        before = blocks.text_of(len(blocks) - 1) if blocks and blocks.position[-1].kind == CODE else ""
        if not collapsed or (about == _NUMBERS and _numbers_lines(text, before)):
            return
        linked, link_words = count_links(code.pieces, code.inside) if True in code.inside else (0, 0)
        if _numbers_lines(before, text):
            blocks.cut_off(len(blocks) - 1)
        position, extras = self.place.here._replace(kind=CODE), Extras(text, None, code_language(about))
        self._add(collapsed, position, linked, link_words, code.tags_count, begin, end, extras)

    def _add_text(self, i: cython.Py_ssize_t) -> None:
        if self.after_break and not self.flow.is_blank(i):
            self.after_break = False
        if self.run_place is None:
            self.run_place = self.place
        if self.script != _NONE:
            is_raised = self.flow.page.name(self.flow.nodes[self.script]) == "sup"
            text: str = self.flow.text(i)
            script: str = as_script(text, is_raised=is_raised)
            self.flow.page.write_text(script, self.links > 0)
            # What cannot be raised is set apart once.
            if script.strip() == text.strip():
                self.script = _NONE
        else:
            self.flow.write(i, self.links > 0)
        self.texts += 1

    def _add_space(self, i: cython.Py_ssize_t) -> None:
        # At the start of a run it is none of it, but in a PRE.
        if self.texts or self.place.preformatted:
            self.flow.write(i, self.links > 0)
            self.texts += 1

    def _add_mark(self, i: cython.Py_ssize_t, token: cython.Py_UCS4) -> None:
        """Read a token of an inline element."""
        if token in "+ib`!~l":
            self.tags += 1
        elif token == "<":
            self.tags += 1
            self.links += 1
            # A reference to a footnote stays as it is.
            self.script = _NONE
        elif token == "^":
            self.tags += 1
            self.script = i
        elif token == "v":
            self.script = _NONE
        elif token == ">":
            self.links = self.links - 1 if self.links else 0
        elif token == "|":
            self._add_break(i)
        elif token == "$":
            self._add_formula(i, self.flow.text(i))
        elif token == "(":
            self.tags += 1
            self._enter_select()
        elif token == ")":
            self._leave_select()

    def _leave_select(self) -> None:
        self.place = self.places.pop()

    def _enter_select(self) -> None:
        self.places.append(self.place)
        here = self.place.here
        if not here.in_select:
            self.place = _place(here._replace(in_select=True), self.flow.rules)

    def _add_break(self, i: cython.Py_ssize_t) -> None:
        if self.run_place is None:
            self.run_place = self.place
        if self.after_break:
            # The BRs of a separator are no elements of the block.
            self.tags -= 1
            self._finish(i)
            self.begin = i + 1
        else:
            self.tags += 1
            self.flow.page.write_text("\n", self.links > 0)
            self.texts += 1
        self.after_break = True

    def _add_formula(self, i: cython.Py_ssize_t, formula: str) -> None:
        is_display = formula.startswith("$$")
        if is_display:
            # A formula on lines of its own is a block, as text between BRs is.
            self._finish(i)
            self.begin = i
        self.tags += 1
        self._add_text(i)
        self.formulas.append(formula)
        if is_display:
            self._finish(i + 1)
            self.begin = i + 1

    def _finish(self, i: cython.Py_ssize_t) -> None:
        """End the run at hand before a token, and add its block."""
        if self.texts:
            self._add_run(i)
        self.texts = self.tags = 0
        self.after_break = False
        self.begin = i + 1
        self.script = _NONE

    def _add_run(self, i: cython.Py_ssize_t) -> None:
        collapsed, linked, link_words = self.flow.page.written()
        if not collapsed:
            return
        place = self.run_place or self.place
        position, extras = place.here, None
        if self.formulas or place.preformatted:
            if self.formulas == [collapsed] and position.tag in _PARAGRAPHS:
                # A paragraph that is a formula has it on lines of its own.
                collapsed = f"${collapsed}$" if collapsed[1] != "$" else collapsed
                self.formulas = [collapsed]
            if self.formulas == [collapsed] and collapsed.startswith("$$"):
                position = position._replace(kind=FORMULA)
            text = lines_of(self._raw(i)) if place.preformatted else None
            extras = Extras(text, formulas=tuple(self.formulas))
            self.formulas = []
        self._add(collapsed, position, linked, link_words, self.tags, self.begin, i, extras)

    def _raw(self, end: cython.Py_ssize_t) -> str:
        """Return the text of the run as it is in the page."""
        return "".join(["\n" if self.codes[i] == "|" else self.flow.text(i) for i in range(self.begin, end)])

    def _add(  # noqa: PLR0913, PLR0917 (to hand over a tuple takes longer than all this does)
        self,
        collapsed: str,
        position: Position,
        linked: cython.int,
        link_words: cython.int,
        tags: cython.int,
        begin: cython.Py_ssize_t,
        end: cython.Py_ssize_t,
        extras: Extras | None = None,
    ) -> None:
        """Add a block of the element at hand."""
        if extras is not None:
            self.blocks.extras[len(self.collapsed)] = extras
        self.collapsed.append(collapsed)
        self.positions.append(position)
        row: cython.Py_ssize_t = self.rows
        self.waiting[row] = linked
        self.waiting[row + _ROWS] = link_words
        self.waiting[row + 2 * _ROWS] = tags
        self.waiting[row + 3 * _ROWS] = self.element
        self.waiting[row + 4 * _ROWS] = begin
        self.waiting[row + 5 * _ROWS] = end
        self.rows += 1
        if self.rows == _ROWS:
            self.all_blocks()

    def _add_image(self, i: cython.Py_ssize_t) -> None:
        """Add the block of an image, whose text is an attribute and none of the page's text."""
        page, node = self.flow.page, self.flow.nodes[i]
        text = collapse(page.attribute(node, "alt") or "")
        linked = text if self.links else ""
        extras = Extras(image_url=(page.attribute(node, "src") or "").strip())
        self._add(text, self.place.here, len(linked), len(linked.split()), 0, i, i + 1, extras)


#: How many blocks wait at the most.
_ROWS = 256
#: The number of no token.
_NONE = -1
#: What is told of the numbers of lines.
_NUMBERS = "line numbers"
_PARAGRAPHS = frozenset(["article", "blockquote", "body", "center", "dd", "div", "figure", "main", "p", "section"])


def _end_of(codes: str, i: int) -> int:
    """Return the token that ends the block-level element that begins with a token."""
    depth = 1
    while depth:
        i += 1
        if codes[i] in "[{#":
            depth += 1
        elif codes[i] == "]":
            depth -= 1
    return i


def _first_text(flow: Flow, i: int) -> str:
    """Return the text from a token on, up to the next block-level element; not much more than is looked at."""
    parts: list[str] = []
    length = 0
    while length < LOOKED_AT and flow.codes[i] not in "[{#]":
        parts.append(flow.text(i))
        length += len(parts[-1])
        i += 1
    return "".join(parts)


def _numbers_lines(text: str, code: str) -> bool:
    """Return whether a text is the line numbers of the code right beside it; the last lines of code may be blank."""
    return is_line_numbers(text) and 0 <= text.count("\n") - code.count("\n") <= _MOST_BLANK


#: Blank lines at the end of code whose numbers are shown.
_MOST_BLANK = 2


class _ReferenceCutter(_BlockCutter):
    """Makes blocks of text node by text node, as the reference does."""

    def __init__(self, flow: Flow) -> None:
        _BlockCutter.__init__(self, flow)
        self.in_link = False
        self.is_broken = False
        # The text nodes of the run at hand, the parts of the last, and how much of them is in links.
        self.nodes: list[str] = []
        self.parts: list[str] = []
        self.linked = self.link_words = 0

    def _add_text(self, i: cython.Py_ssize_t) -> None:
        self.parts.append(self.flow.text(i))

    def _add_space(self, i: cython.Py_ssize_t) -> None:
        self.parts.append(self.flow.text(i))

    def _add_mark(self, i: cython.Py_ssize_t, token: cython.Py_UCS4) -> None:
        if token in "xhc":
            return
        self._end_node()
        if token == "|" and self.is_broken:
            self.tags -= 1
            self._finish(i)
            return
        if token == "|":
            self.nodes.append(" ")
            self.tags += 1
            self.is_broken = True
        elif token in "<>":
            self.in_link = token == "<"
            self.tags += token == "<"
            self.is_broken = self.is_broken and token == ">"
        elif token in "+ib`(":
            self.tags += 1
            self.is_broken = False
            if token == "(":
                self._enter_select()
        elif token == ")":
            self._leave_select()

    # A run stands where it begins.

    def _enter_select(self) -> None:
        self.run_place = self.run_place or self.place
        _BlockCutter._enter_select(self)

    def _leave_select(self) -> None:
        self.run_place = self.run_place or self.place
        _BlockCutter._leave_select(self)

    def _end_node(self) -> None:
        """End the text node at hand."""
        text = "".join(self.parts)
        self.parts = []
        if text and not text.isspace():
            self.nodes.append(_collapse_to_lines(text))
            if self.in_link:
                self.linked += len(self.nodes[-1])
                self.link_words += len(text.split())
            self.is_broken = False

    def _finish(self, i: cython.Py_ssize_t) -> None:
        if self.parts:
            self._end_node()
        if text := _collapse_to_lines("".join(self.nodes).strip()):
            place = self.run_place or self.place
            self._add(text, place.here, self.linked, self.link_words, self.tags, self.begin, i)
        self.nodes = []
        self.linked = self.link_words = self.tags = 0
        self.begin = i + 1


#: White space but for single spaces, which stay as they are: most words have nothing else between them.
_WHITE_SPACE_RUN = re.compile(r" \s+|[^\S ]\s*")


def _collapse_to_lines(text: str) -> str:
    return _WHITE_SPACE_RUN.sub(_line_feed_or_space, text)


def _line_feed_or_space(match: re.Match[str]) -> str:
    run = match.group()
    return "\n" if "\n" in run or "\r" in run else " "
