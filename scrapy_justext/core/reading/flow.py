r"""The text of a page in order, with what begins and ends in it: the one walk over its nodes.

What a profile's rules (:mod:`.rules`) say of an element becomes a token, and so does each text.  A token is a letter in
:attr:`Flow.codes`, with the node that it comes from, and a text, if it has one:

==================  ================================================================================================
``[`` ``]``         a block-level element starts, and ends
``{`` ``]``         one that is code as a whole
``#`` ``]``         one that is line numbers beside code
``t``               text
`` `` (a space)     white space
``<`` ``>``         a link
``~`` ``_``         the link of a heading to itself
``+``, ``-``        another inline element; its end is told only where text is read node by node
``i`` ``b``, ``,``  one in italics, one in bold, the end of either
``\``` ``.``        one in fixed width
``l`` ``e``         one that is a line of code
``(`` ``)``         a SELECT that is no block-level element
``|``               a BR
``!``               an IMG
``^`` ``v``         a SUP or a SUB
``$``               a formula that is an element; its text is TeX between dollars, two on lines of its own
``f``               an element that says once more what a formula beside it says
``x``               one that is removed by its name
``h``               one that is removed since it is hidden
``c``               one that is removed since it stands beside code or text: a label, a line's number, an edit link
==================  ================================================================================================
"""

from __future__ import annotations

from array import array
from functools import lru_cache, reduce
from operator import or_
from typing import TYPE_CHECKING

from scrapy_justext.core.reading.elements_of_code import LABELS, LINE_NUMBERS, WHOLE, is_beside_code, is_emoji, is_line
from scrapy_justext.core.reading.nodes import (
    BEHIND,
    HAS_SPACE,
    HAS_TEXT,
    HAS_UNSEEN,
    INSTRUCTION,
    IS_ADDRESSED,
    IS_BLANK,
    IS_UNQUOTED,
    MAY_BE_HIDDEN,
)
from scrapy_justext.core.reading.rules import (
    NAMES,
    NEVER_HIDDEN,
    SET_ASIDE,
    STANDING_BESIDE,
    is_hidden,
    is_note,
    is_set_aside,
    is_shown_as_block,
    is_sign,
    leads_nowhere,
)
from scrapy_justext.core.reading.signs import BESIDE
from scrapy_justext.core.tags import BOLD, HEADING_LEVELS, ITALIC, MONOSPACE, SCRIPTS
from scrapy_justext.core.text import as_seen, collapse

if TYPE_CHECKING:
    from collections.abc import Mapping, MutableSequence, Sequence

    import cython

    from scrapy_justext.core.blocks import BlockTable
    from scrapy_justext.core.reading.elements_of_code import Lead
    from scrapy_justext.core.reading.formulas.elements import Formula
    from scrapy_justext.core.reading.nodes import Nodes
    from scrapy_justext.core.reading.rules import Removed, TagRules

#: How what is in an element is read: as usual; inside of one in which some stay that are removed elsewhere; in code.
_USUAL, _KEEPING, _IN_CODE = 0, 1, 2
#: Stands for no token.
_NONE = "\0"
#: What ends what starts with a code.
_ENDS = {
    "[": "]", "{": "]", "#": "]", "<": ">", "~": "_", "i": ",", "b": ",", "`": ".", "l": "e", "(": ")",
    "^": "v",
}  # fmt: skip
#: The same where text is read node by node.
_ENDS_OF_TEXT_NODES = {**_ENDS, "+": "-", "|": "-"}


class Flow:
    """The tokens of a page, each with a code, a node and a text.

    ``nodes``: of a text, the element that it begins, or the bitwise inverse of the one that it follows.
    ``own``: by token, texts that are not the page's as a whole: those of formulas and images, and parts.
    """

    def __init__(self, page: Nodes, rules: TagRules, codes: str, nodes: array[int], own: dict[int, str]) -> None:
        self.page = page
        self.rules = rules
        self.codes = codes
        self.nodes = nodes
        self.own = own
        self._elements: array[int] | None = None

    @property
    def elements(self) -> array[int]:
        """Return the nodes of the block-level elements in document order, behind that of the root."""
        if self._elements is None:
            self._elements = array("i", [self.page.root]) * (1 + sum(map(self.codes.count, "[{#")))
            self._put_starts(self._elements)
        return self._elements

    def _put_starts(self, to: array[int]) -> None:
        i: cython.Py_ssize_t
        code: cython.Py_UCS4
        count: cython.Py_ssize_t = 1
        for i, code in enumerate(self.codes):
            if code in "[{#":
                to[count] = self.nodes[i]
                count += 1

    def text(self, i: cython.int) -> str:
        """Return the text of a token; once the page is let go of, a space for white space, and what was kept."""
        code: cython.Py_UCS4 = self.codes[i]
        if self.own and i in self.own:
            return self.own[i]
        if code not in "t ":
            return ""
        node: cython.int = self.nodes[i]
        text: str = self.page.text(node) if node >= 0 else self.page.tail(~node)
        if self.text_flags(i) & HAS_UNSEEN and self.rules.kinds:
            text = as_seen(text)
        return text or (" " if code == " " else "")

    def write(self, i: cython.int, is_linked: cython.bint) -> None:
        """Add the text of a token to what the page has written."""
        if self.own and i in self.own:
            self.page.write_text(self.own[i], is_linked)
        elif self.text_flags(i) & HAS_UNSEEN and self.rules.kinds:
            self.page.write_text(self.text(i), is_linked)
        else:
            self.page.write(self.nodes[i], is_linked)

    def is_blank(self, i: cython.int) -> bool:
        """Return whether a text is white space that HTML takes for text, such as no-break spaces."""
        if self.own and i in self.own:
            return self.own[i].isspace()
        flags: cython.int = self.text_flags(i)
        if flags & HAS_UNSEEN and self.rules.kinds:
            return not self.text(i).strip()
        return bool(flags & IS_BLANK)

    def text_flags(self, i: cython.int) -> int:
        """Return the flags of the text of a token that is the page's: the first ones of :mod:`.nodes`."""
        node: cython.int = self.nodes[i]
        return self.page.flags[node] if node >= 0 else self.page.flags[~node] >> BEHIND

    def let_go(self, names: frozenset[str]) -> None:
        """Let go of the tree; if attributes of some names are to be kept, keep these and all texts."""
        if names:
            self.own |= {i: self.text(i) for i, code in enumerate(self.codes) if code == "t"}
        self.page.let_go(names)

    def place(self, i: cython.int) -> int:
        """Return the innermost node around the text of a token, or the node of another token."""
        node: cython.int = self.nodes[i]
        return node if node >= 0 else self.page.parent[~node]

    def place_of(self, begin: int, end: int) -> int:
        """Return the innermost node around what a block begins with; ``begin``, ``end``: its tokens."""
        for i in range(begin, end):
            is_text = self.codes[i] in "t$" and not self.is_blank(i)
            if is_text or self.codes[i] in "[{#":
                return self.place(i)
        return self.place(begin)


class _Rows:
    """What rules say of elements, by the numbers of their names; the last row is for all other names.

    ``starts``: the code of an element that no rule has to look at; ``ends``: by that code, the code of its end.
    ``tests``: which elements a rule has to look at: -1 for all, 0 for none, else those with one of these signs.
    """

    def __init__(self, rules: TagRules) -> None:
        self.rules = rules
        self.starts = "".join([_start(name, rules) for name in (*NAMES, "")])
        ends = _ENDS_OF_TEXT_NODES if rules.text_nodes else _ENDS
        self.ends = bytearray(ord(ends.get(chr(code), _NONE)) for code in range(128))
        self.removed: list[Removed | None] = [None] * len(self.starts)
        for row in rules.removed:
            self.removed[NAMES.index(row.name)] = row
        tests = [self._tests(name, row) for name, row in zip((*NAMES, ""), self.removed, strict=True)]
        self.tests = array("i", tests)
        self.keeps = array("i", [name in rules.keeping for name in (*NAMES, "")])
        self.others = len(NAMES)
        #: Whether code is read as such, and whether images are blocks.
        self.kinds, self.images = rules.kinds, rules.images
        self.image, self.preformatted, self.link = map(NAMES.index, ("img", "pre", "a"))

    def _tests(self, name: str, removed: Removed | None) -> int:
        rules = self.rules
        if removed is not None and (removed.where is not None or removed.kept_inside):
            return -1
        if removed is not None or not rules.kinds:
            return 0
        if name == "a" and not rules.keeping.issuperset(HEADING_LEVELS):
            return -1
        # If headings have a mode of their own, a link outside of modes stands in none.
        leads = [table[name] for table in (LABELS, WHOLE, LINE_NUMBERS) if name in table]
        return -1 if any(not lead.signs for lead in leads) else reduce(or_, (lead.signs for lead in leads), SET_ASIDE)

    def start_of(self, page: Nodes, node: cython.int, mode: cython.int, is_formula: cython.bint) -> str:
        """Return the code of an element, by all rules."""
        number: cython.int = min(page.tag[node], self.others)
        rules = self.rules
        name = page.name(node)
        removed = None if is_formula else self.removed[number]
        if removed is not None and _is_removed(removed, page, node, mode):
            return "x"
        if name in rules.unwrapped or (self.images and name == "img"):
            return self.starts[number]
        removal = _NONE if name in NEVER_HIDDEN else self._removal(page, node, mode, name, is_formula)
        if removal != _NONE:
            return removal
        if is_formula:
            return "$"
        start: str = self._kind_of(page, node, mode, name) if self.kinds else self.starts[number]
        may_be_block = start == "+" and self.kinds and mode != _IN_CODE and page.flags[node] & MAY_BE_HIDDEN
        return "[" if may_be_block and is_shown_as_block(page, node) else start

    def _removal(self, page: Nodes, node: cython.int, mode: cython.int, name: str, is_formula: cython.bint) -> str:
        """Return the code of an element that is removed for where it stands or since it is hidden, or that of none."""
        rules = self.rules
        if self.kinds and not is_formula and _leads(LABELS, name, page, node):
            return "c"
        if rules.set_aside and page.signs[node] & SET_ASIDE and not is_formula and is_set_aside(page, node):
            return "c"
        if rules.hidden and page.flags[node] & MAY_BE_HIDDEN and is_hidden(page, node, rules.hidden):
            return "h"
        return "c" if mode == _IN_CODE and is_beside_code(page, node) else _NONE

    def _kind_of(self, page: Nodes, node: cython.int, mode: cython.int, name: str) -> str:
        """Return the code of an element that stays, by the rules of code and of links."""
        start: str = self.starts[min(page.tag[node], self.others)]
        if _leads(LINE_NUMBERS, name, page, node):
            return "#"
        if _leads(WHOLE, name, page, node):
            return "{"
        if start == "<":
            return _start_of_link(page, node, mode)
        if mode == _IN_CODE and start in ("+", "i", "b") and is_line(page, node):
            return "l"
        if mode == _IN_CODE and (start == "^" or (start == "!" and is_emoji(page, node))):
            return "+"
        return start


def _leads(table: Mapping[str, Lead], name: str, page: Nodes, node: cython.int) -> bool:
    """Return whether the rule of a name in a table holds for an element."""
    lead = table.get(name)
    return lead is not None and (not lead.signs or bool(page.signs[node] & lead.signs)) and lead.rule(page, node)


def _start(name: str, rules: TagRules) -> str:
    """Return the code of elements of a name to which no test applies."""
    codes = (
        ("x", any(row.name == name and row.where is None and not row.kept_inside for row in rules.removed)),
        (_NONE, name in rules.unwrapped),
        ("[", name in rules.block_level),
        ("|", name == "br"),
        ("<", name == "a"),
        ("(", name == "select" or (rules.select_in_name and "select" in name)),
        ("!", name == "img" and rules.kinds),
        ("^", name in SCRIPTS and rules.kinds),
        ("`", name in MONOSPACE),
        ("i", name in ITALIC),
        ("b", name in BOLD),
    )
    return next((code for code, is_so in codes if is_so), "+")


def _is_removed(row: Removed, page: Nodes, node: int, mode: int) -> bool:
    return not (row.kept_inside and mode == _KEEPING) and (row.where is None or row.where(page, node))


def _start_of_link(page: Nodes, node: cython.int, mode: cython.int) -> str:
    """Return the code of a link.

    One that leads nowhere is none.  That of a heading to itself, which documentation has, is no navigation; the sign
    that it mostly shows is no text.
    """
    if not page.flags[node] & IS_ADDRESSED and leads_nowhere(page, node):
        return "+"
    around: cython.int = page.parent[node]
    if page.name(around) == "span":
        around = page.parent[around]
    is_in_heading = page.name(around) in HEADING_LEVELS
    if (mode != _KEEPING and not is_in_heading) or not (page.attribute(node, "href") or "").startswith("#"):
        return "<"
    # One character may be the number of a note.
    is_short = page.end[node] == node + 1 and len(collapse(page.text(node))) == 1
    if is_in_heading and (is_short or is_sign(page, node)):
        return "x"
    return "~" if mode == _KEEPING else "<"


_rows = lru_cache(_Rows)


def read_flow(page: Nodes, rules: TagRules, formulas: Mapping[int, Sequence[Formula]]) -> Flow:
    """Return the tokens of a page; ``formulas``: those that are elements, by the nodes that they stand for."""
    return _Walk(page, _rows(rules), formulas).flow()


def find_beside(flow: Flow, blocks: BlockTable) -> bytes:
    """Return for each block 1 if its element stands beside the text, or over it, by its markup; else 0."""
    page, beside, are_beside = flow.page, bytearray(flow.page.count), bytearray(len(blocks))
    for node in page.marked(BESIDE, bytes(map(STANDING_BESIDE.__contains__, page.names)), IS_UNQUOTED):
        if not beside[node] and not is_note(page, node):
            beside[node : page.end[node]] = b"\1" * (page.end[node] - node)
    _take_marks(beside, flow.elements, blocks.element, are_beside)
    return bytes(are_beside)


def _take_marks(by_node: Sequence[int], nodes: array[int], elements: array[int], marks: MutableSequence[int]) -> None:
    """Give each block the mark of the node that its element is."""
    i: cython.Py_ssize_t
    for i in range(len(elements)):
        marks[i] = by_node[nodes[elements[i]]]


class _Walk:
    """Goes over the nodes of a page, and writes tokens.

    ``around``: the innermost element that is open, 0 without; ``end``: the node behind the last inside it.
    """

    def __init__(self, page: Nodes, rows: _Rows, formulas: Mapping[int, Sequence[Formula]]) -> None:
        self.page = page
        self.rows = rows
        self.formulas = formulas
        self.removes_hidden = bool(rows.rules.hidden)
        self.is_by_node = rows.rules.text_nodes
        self.starts = rows.starts
        if rows.rules.select_in_name:
            self.starts = rows.starts[:-1] + "".join([_start(name, rows.rules) for name in page.names[len(NAMES) :]])
        # An element has a start, a text, an end and a text behind it; a sign in code has one more.
        most = 5 * page.count + sum(map(len, formulas.values()))
        self.codes = bytearray(most)
        self.nodes = array("i", [0]) * most
        self.own: dict[int, str] = {}
        self.count = 0
        self.around = 0
        self.end = page.count
        self.mode = _USUAL
        # Of the elements that are open: their codes, and how text was read outside.
        self.open = bytearray(page.count + 1)
        self.modes = bytearray(page.count + 1)
        self.depth = 0

    def flow(self) -> Flow:
        """Return the tokens of the page."""
        node: cython.int = 1
        count: cython.int = self.page.count
        while True:
            while node == self.end and self.around:
                self._leave()
            if node == count:
                break
            node = self._enter(node)
        codes = bytes(self.codes[: self.count]).decode("ascii")
        return Flow(self.page, self.rows.rules, codes, self.nodes[: self.count], self.own)

    def _enter(self, node: cython.int) -> int:
        """Write what there is of a node; return the next one."""
        page = self.page
        number: cython.int = page.tag[node]
        if number < 0:
            if number == INSTRUCTION and self.is_by_node:
                self._add("-", node)
            self._add_tail(node)
            return page.end[node]
        rows = self.rows
        code: cython.Py_UCS4 = self._start(node, number)
        if code == "$":
            self._add_formulas(node)
            return page.end[node]
        if code != _NONE:
            self._add(code, node)
        if number == rows.image and code == "[" and rows.images:
            # It is what its attributes tell, whatever it holds in a tree of XML.
            self._add("]", node)
            code = "x"
        elif number == rows.image and code == "+" and rows.kinds:
            self._add_own("t", node, as_seen(page.attribute(node, "alt") or ""))
        if code in "xhc":
            self._add_tail(node)
            return page.end[node]
        self._open(node, number, code)
        return node + 1

    def _start(self, node: cython.int, number: cython.int) -> str:
        """Return the code of an element."""
        rows = self.rows
        row: cython.int = min(number, rows.others)
        tests: cython.int = rows.tests[row]
        is_formula: cython.bint = bool(self.formulas) and node in self.formulas
        is_tested: cython.bint = tests != 0 and (tests < 0 or (tests & self.page.signs[node]) != 0)
        flags: cython.int = self.page.flags[node]
        is_hiding: cython.bint = self.removes_hidden and (flags & MAY_BE_HIDDEN) != 0
        is_nowhere: cython.bint = number == rows.link and rows.kinds and not flags & IS_ADDRESSED
        # A heading has rules of its own for links, beside those that are always asked.
        is_inside: cython.bint = self.mode == _IN_CODE or (self.mode == _KEEPING and number == rows.link)
        if is_tested or is_formula or is_hiding or is_nowhere or is_inside:
            return rows.start_of(self.page, node, self.mode, is_formula)
        return self.starts[number if number < len(self.starts) else row]

    def _open(self, node: cython.int, number: cython.int, code: cython.Py_UCS4) -> None:
        """Write the text at the start of an element, and keep in mind that it is open."""
        rows = self.rows
        self._add_text(node, self.page.flags[node])
        self.open[self.depth] = ord(code)
        self.modes[self.depth] = self.mode
        self.depth += 1
        if code == "{" or (number == rows.preformatted and rows.kinds):
            self.mode = _IN_CODE
        elif self.mode != _IN_CODE and rows.keeps[min(rows.others, number)]:
            self.mode = _KEEPING
        self.around = node
        self.end = self.page.end[node]

    def _leave(self) -> None:
        """Write the end of the innermost open element, and the text behind it."""
        node: cython.int = self.around
        self.depth -= 1
        code: cython.uchar = self.rows.ends[self.open[self.depth]]
        self.mode = self.modes[self.depth]
        if code != ord(_NONE):
            self._put(code, node)
        self.around = self.page.parent[node]
        self.end = self.page.end[self.around]
        self._add_tail(node)

    def _add_tail(self, node: cython.int) -> None:
        self._add_text(~node, self.page.flags[node] >> BEHIND)

    def _add_text(self, node: cython.int, flags: cython.int) -> None:
        if flags & HAS_TEXT:
            self._add("t", node)
        elif flags & HAS_SPACE:
            self._add(" ", node)

    def _add_formulas(self, node: cython.int) -> None:
        """Write the formulas that an element stands for, and the text behind it."""
        formulas = self.formulas[node]
        if not formulas:
            self._add("f", node)
        for formula in formulas:
            dollars = "$$" if formula.is_display else "$"
            self._add_own("$", node, f"{dollars}{formula.tex}{dollars}")
        self._add_tail(node)

    def _add_own(self, code: cython.Py_UCS4, node: cython.int, text: str) -> None:
        self.own[self.count] = text
        self._add(code, node)

    def _add(self, code: cython.Py_UCS4, node: cython.int) -> None:
        self._put(ord(code), node)

    def _put(self, code: cython.uchar, node: cython.int) -> None:
        self.codes[self.count] = code
        self.nodes[self.count] = node
        self.count += 1
