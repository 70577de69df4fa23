"""The page as a struct of arrays: the one thing that knows lxml.

A node is a number.  Nodes come in document order, so that inside a node are those from the number behind it up to its
end.  Node 0 is what is around all: the document, or nothing around a part of a tree.  Comments, processing instructions
and entities are nodes without a name, since text stands behind them, too.

:func:`read_in_python` makes nodes of a tree.  Compiled code does the same without a Python object for an element
(:mod:`.walk`), where :mod:`.loading` lets it.
"""

from __future__ import annotations

from array import array
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from lxml import etree

from scrapy_justext.core.text import UNSEEN, collapse, count_links

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Sequence

    import cython

#: What stands for a name in :attr:`Nodes.tag` where there is none.
DOCUMENT, COMMENT, INSTRUCTION, ENTITY = -1, -2, -3, -4
#: Bits of :attr:`Nodes.flags`.
HAS_TEXT, HAS_SPACE, IS_BLANK, MAY_BE_TEX, HAS_UNSEEN = (1 << i for i in range(5))
#: By how much those of the text behind an element are shifted.
BEHIND, ALL_OF_TEXT = 5, (1 << 5) - 1
MAY_BE_HIDDEN, IS_DESCRIBED, IS_ADDRESSED, IS_UNQUOTED = (1 << i for i in range(10, 14))
#: Elements whose text is no text of the page.
SOURCES = frozenset(["script", "style"])
#: The attribute of what search engines are not to quote: notices on cookies, footnotes of offers, authors.
UNQUOTED = "data-nosnippet"
#: How addresses begin that may lead nowhere: to the same page, or to a script.
NEARBY = " #jJ\t\n\r"
#: Characters of a value that is long.
LONG = 1000
#: That of HTML.
WHITE_SPACE = " \t\n\r\f"


class Watched(NamedTuple):
    """What is looked for while nodes are read."""

    names: Sequence[str]
    """The names that have the same numbers on all pages."""
    hiding: frozenset[str]
    """The attributes that may hide an element, whatever their values."""
    hiding_by_value: frozenset[str]
    """Those that may if :attr:`may_hide` says so of the value."""
    may_hide: Callable[[str], bool]
    describing: frozenset[str]
    """Those that say what it is."""
    signs: Callable[[str], int]
    """Returns what a class tells, as bits."""


class Nodes:
    """The elements of a page, and what stands between them.  Each of these columns has a value for each node.

    ``tag``: the number of its name in ``names``, which begin with :attr:`Watched.names`.
    ``parent``: the number of the node around it; ``end``: the number behind the last node inside it.
    ``flags``: of the text before its first child, and of that behind it: whether there is any, whether it is white
    space, or white space that HTML takes for text, whether it has a dollar or a backslash, as TeX has, and whether it
    may have characters that are not shown; and whether an element has an attribute that may hide it, or says what it
    is, or has an HREF that leads away.
    ``signs``: what its class tells.

    ``root``: the first element.

    Texts and attributes are read from the tree, until it is let go of: others may change it.
    """

    def __init__(self, columns: tuple[array[int], ...], names: list[str], elements: list[Any]) -> None:
        self.tag, self.parent, self.end, self.flags, self.signs = columns
        self.count = len(columns[0])
        self.names = names
        self._elements = elements
        self._kept: dict[int, dict[str, str]] = {}
        # Values that are long are read once: many elements may ask for that of the one around them.
        self._long: dict[tuple[int, str], str] = {}
        # What is written, and which of it is in links.
        self._parts: list[str] = []
        self._inside: list[bool] = []
        self.root = self.first(0)
        #: If nodes were put elsewhere, those of the page as it stands, and by node its number there.
        self.original: Nodes | None = None
        self.order: Sequence[int] = ()

    def name(self, node: cython.int) -> str:
        """Return the name of an element, with its namespace as lxml has it; empty for another node."""
        number: cython.int = self.tag[node]
        return "" if number < 0 else self.names[number]

    def attribute(self, node: cython.int, name: str) -> str | None:
        """Return the value of an attribute; None for an element without it, and for another node."""
        value: str | None
        if self._long and (node, name) in self._long:
            value = self._long[node, name]
            return value
        value = self._own(node).get(name)
        if value is not None and len(value) > LONG:
            self._long[node, name] = value
        return value

    def items(self, node: cython.int) -> list[tuple[str, str]]:
        """Return the attributes of an element, and their values."""
        return list(self._own(node).items())

    def text(self, node: cython.int) -> str:
        """Return the text of an element before its first child."""
        return "" if self.tag[node] < 0 or not self._elements else self._elements[node].text or ""

    def tail(self, node: cython.int) -> str:
        """Return the text behind a node; a part of a tree has none behind it."""
        return "" if self.parent[node] <= 0 or not self._elements else self._elements[node].tail or ""

    def write(self, node: cython.int, is_linked: cython.bint) -> None:
        """Add the text in an element to what is written; for the inverse of a node, the text behind it."""
        self.write_text(self.text(node) if node >= 0 else self.tail(~node), is_linked)

    def write_text(self, text: str, is_linked: cython.bint) -> None:
        """Add a text that is not the page's own to what is written."""
        self._parts.append(text)
        self._inside.append(is_linked)

    def written(self) -> tuple[str, int, int]:
        """Return the collapsed text of all that was written since the last time.

        Behind it, how many characters and words of it are in links.
        """
        parts, inside, self._parts, self._inside = self._parts, self._inside, [], []
        return collapse("".join(parts)), *(count_links(parts, inside) if any(inside) else (0, 0))

    def comment(self, node: cython.int) -> str:
        """Return the text of a comment; empty for another node."""
        return self.element(node).text or "" if self.tag[node] == COMMENT else ""

    def element(self, node: cython.int) -> Any:
        """Return what lxml has for a node; None for node 0, and once the tree is let go of."""
        return self._elements[node] if self._elements else None

    def let_go(self, names: frozenset[str]) -> None:
        """Let go of the tree, and keep the attributes of some names."""
        for node in range(1, self.count) if names else ():
            kept = {name: value for name, value in self.items(node) if name in names}
            if kept:
                self._kept[node] = kept
        self._elements, self._long, self.original = [], {}, None
        self.written()

    def reordered(self, order: array[int], columns: tuple[array[int], ...]) -> Nodes:
        """Return the same elements with other columns, in another order: by node, its number here."""
        made = Nodes(columns, self.names, [self._elements[node] for node in order])
        made.original, made.order = self, order
        return made

    def numbers(self, elements: Iterable[Any]) -> list[int]:
        """Return the nodes that some of lxml's elements are; 0 for one that is none of them.

        Nodes of texts behind them have no name; that of a text inside comes later.
        """
        numbers = {element: node for node, element in reversed([*enumerate(self._elements)]) if self.tag[node] >= 0}
        return [numbers.get(element, 0) for element in elements]

    def named(self, name: str) -> list[int]:
        """Return the elements of a name."""
        number: cython.int = self.names.index(name) if name in self.names else DOCUMENT
        return [node for node in range(1, self.count) if self.tag[node] == number]

    def marked(self, sign: cython.int, is_named: bytes, flag: cython.int = 0) -> list[int]:
        """Return the elements whose class has a sign, whose name has a mark at its number, or that have a flag."""
        marked = []
        node: cython.int
        for node in range(1, self.count):
            number: cython.int = self.tag[node]
            if self.signs[node] & sign or self.flags[node] & flag or (number >= 0 and is_named[number]):
                marked.append(node)
        return marked

    def nearest(self, chosen: Container[int]) -> list[int]:
        """Return for each node the nearest of some at or around it; 0 where there is none."""
        nearest = [0] * self.count
        node: cython.int
        for node in range(1, self.count):
            nearest[node] = node if node in chosen else nearest[self.parent[node]]
        return nearest

    def _own(self, node: cython.int) -> Any:
        if self.tag[node] < 0:
            return _NOTHING
        return self._elements[node].attrib if self._elements else self._kept.get(node, _NOTHING)

    def first(self, node: cython.int) -> int:
        """Return the first element in a node; 0 if there is none."""
        return self._element_from(node + 1, self.end[node])

    def next(self, node: cython.int) -> int:
        """Return the next element beside a node; 0 if there is none."""
        return self._element_from(self.end[node], self.end[self.parent[node]])

    def _element_from(self, node: cython.int, end: cython.int) -> int:
        """Return a node itself, or the next element beside it before an end; 0 if there is none."""
        while node < end and self.tag[node] < 0:
            node = self.end[node]
        return node if node < end else 0

    def node_before(self, node: cython.int) -> int:
        """Return the node right before one beside it, an element or not; 0 if there is none."""
        around: cython.int = self.parent[node]
        before: cython.int = node - 1
        if before == around:
            return 0
        while self.parent[before] != around:
            before = self.parent[before]
        return before

    def previous(self, node: cython.int) -> int:
        """Return the element before a node beside it; 0 if there is none."""
        node = self.node_before(node)
        while node and self.tag[node] < 0:
            node = self.node_before(node)
        return node

    def children(self, node: cython.int) -> list[int]:
        """Return the elements right in a node."""
        children = []
        inside: cython.int = node + 1
        end: cython.int = self.end[node]
        while inside < end:
            if self.tag[inside] >= 0:
                children.append(inside)
            inside = self.end[inside]
        return children

    def string(self, node: cython.int) -> str:
        """Return all text inside a node, but that of scripts and style sheets in it."""
        parts = [self.text(node)]
        inside: cython.int = node + 1
        around: cython.int = node
        end: cython.int = self.end[node]
        while inside < end or around != node:
            if self.end[around] == inside and around != node:
                if self.flags[around] >> BEHIND & ALL_OF_TEXT:
                    parts.append(self.tail(around))
                around = self.parent[around]
            else:
                if self.flags[inside] & ALL_OF_TEXT:
                    parts.append(self.text(inside))
                around = inside
                inside += 1
        return "".join(parts)


_NOTHING: dict[str, str] = {}


def read_in_python(root: Any, watched: Watched) -> Nodes:
    """Return the nodes of a tree, or of the part of one at and below ``root``; the tree is left as it was."""
    names = list(watched.names)
    numbers: dict[Any, int] = {name: number for number, name in enumerate(names)} | _CODES
    elements: list[Any] = [None]
    tag, parent, end, flags, signs = [DOCUMENT], [-1], [0], [0], [0]
    around = [0]
    signs_of = _remembering(watched.signs)
    for event, element in _events(root):
        if event == "end":
            end[around.pop()] = len(tag)
            continue
        name = element.tag
        if name not in numbers:
            numbers[name] = len(names)
            names.append(name)
        is_element = numbers[name] >= 0
        flag = _text_flags(element.text) if is_element and name not in SOURCES else 0
        flag |= _text_flags(element.tail) << BEHIND if around[-1] else 0
        attributes = element.keys() if is_element else ()
        values = (element.get(name) for name in watched.hiding_by_value.intersection(attributes))
        if not watched.hiding.isdisjoint(attributes) or any(map(watched.may_hide, values)):
            flag |= MAY_BE_HIDDEN
        if not watched.describing.isdisjoint(attributes):
            flag |= IS_DESCRIBED
        if UNQUOTED in attributes:
            flag |= IS_UNQUOTED
        if "href" in attributes and (element.get("href") or " ")[0] not in NEARBY:
            flag |= IS_ADDRESSED
        flags.append(flag)
        css_class = element.get("class") if "class" in attributes else ""
        signs.append(signs_of(css_class) if len(css_class) <= LONG else watched.signs(css_class))
        elements.append(element)
        tag.append(numbers[name])
        parent.append(around[-1])
        end.append(len(tag))
        if event == "start":
            around.append(len(tag) - 1)
    end[0] = len(tag)
    columns = tuple(array("i", column) for column in (tag, parent, end, flags, signs))
    return Nodes(columns, names, elements)


@lru_cache
def _remembering(signs: Callable[[str], int]) -> Callable[[str], int]:
    """Return a function that returns the same, but remembers it by class: many elements of many pages share one."""
    return lru_cache(maxsize=1 << 15)(signs)


_CODES = {etree.Comment: COMMENT, etree.ProcessingInstruction: INSTRUCTION, etree.Entity: ENTITY}


def _text_flags(text: str | None) -> int:
    if not text:
        return 0
    if text.isspace():
        return HAS_TEXT | IS_BLANK if text.strip(WHITE_SPACE) else HAS_SPACE
    flags = HAS_TEXT | MAY_BE_TEX if "$" in text or "\\" in text else HAS_TEXT
    return flags | HAS_UNSEEN if any(sign in text for sign in UNSEEN) else flags


def _events(root: Any) -> Iterator[tuple[str, Any]]:
    """Return where each element starts, where it ends, and what else there is, in document order."""
    first = root.getroottree().getroot()
    tops = [] if first is None else [*reversed(list(first.itersiblings(preceding=True))), first, *first.itersiblings()]
    # What was cut out of a tree has no parent either, and may have siblings.
    return chain.from_iterable(
        etree.iterwalk(top, events=("start", "end", "comment", "pi")) if isinstance(top.tag, str) else [("pi", top)]
        for top in (tops if root in tops else [root])
    )
