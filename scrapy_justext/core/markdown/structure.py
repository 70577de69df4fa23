"""Where blocks stand: the lists, quotes, tables and PREs around them, as far as Markdown has them.

An element has the surroundings of its parent, unless it is a list's item, a quote, a table, a cell or a PRE.  So there
are few surroundings, and each element of a page is read once, however deep it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scrapy_justext.core.reading.nodes import Nodes

#: Containers inside one another at the most; deeper ones are left out.  Readers stop somewhere (``markdown-it`` at 20,
#: counting lists twice), and each container costs two characters or more in every line.
DEEPEST = 8
#: Characters that the containers around a line may put before it, at the most: numbers have up to nine digits, and a
#: line of code may have one character.
WIDEST = 24

_LISTS = frozenset(["ul", "ol", "menu", "dir"])
#: What is asked of the attributes of elements.
ATTRIBUTES = frozenset(["class", "data-callout", "start", "reversed", "value"])
_NUMBER = re.compile(r"\s*([+-]?[0-9]+)")
#: CommonMark's numbers have nine digits at the most.
_MOST_NUMBER = 999_999_999


# Not equal to others with the same values: one quote after another is not the same quote.
@dataclass(frozen=True, slots=True, eq=False)
class Container:
    """A block quote, an item of a list, a callout, or a footnote."""

    parent: int = 0
    """The node that the list's items stand in, mostly UL or OL; 0 for all else."""
    number: int | None = None
    """The number of an item in an ordered list; None for an item with a bullet."""
    label: str = ""
    """That of a footnote."""
    callout: str = ""
    """The type of a callout, which is a quote: one of :data:`CALLOUTS`."""

    @property
    def width(self) -> int:
        """Return how many characters it puts before each line."""
        if self.label:
            return 4
        return 2 if self.number is None else len(f"{self.number}. ")


class Surroundings(NamedTuple):
    """The quotes, list items, table and PRE that a block stands in; 0 for a table, cell or PRE that is not there."""

    containers: tuple[Container, ...] = ()
    """The quotes and items around it, outermost first."""
    table: int = 0
    """The node of its table."""
    cell: int = 0
    """That of its cell there."""
    preformatted: int = 0
    """That of its PRE."""

    def inside(self, container: Container) -> Surroundings:
        """Return the same inside a container that begins here."""
        containers = (*self.containers, container)
        if len(containers) > DEEPEST or sum(container.width for container in containers) > WIDEST:
            return self
        return Surroundings(containers, *self[1:])


class SurroundingsFinder:
    """Finds the surroundings of a page's nodes; ``footnotes``: the containers of the nodes that hold one."""

    def __init__(self, page: Nodes, footnotes: Mapping[int, Container]) -> None:
        self._page = page
        self._parents = page.parent
        self._footnotes = footnotes
        self._known = {0: Surroundings()}
        #: The item at hand of each list, by the node around its items.
        self._items: dict[int, Container] = {}
        self._numbers: dict[int, int] = {}

    def of(self, node: int) -> Surroundings:
        """Return the surroundings of what is in an element; elements must be asked for in document order."""
        passed: list[int] = []
        while node not in self._known:
            passed.append(node)
            node = self._parents[node]
        surroundings = self._known[node]
        for inside in reversed(passed):
            # What a PRE holds is its text.
            if not surroundings.preformatted:
                surroundings = self._inside(inside, surroundings)
            self._known[inside] = surroundings
        return surroundings

    def _inside(self, node: int, surroundings: Surroundings) -> Surroundings:
        if node in self._footnotes:
            # A footnote stands in nothing else.
            return Surroundings((self._footnotes[node],))
        name = self._page.name(node)
        if (
            name in _CALLOUT_TAGS
            and (callout := callout_of(self._page, node))
            and not any(around.callout for around in surroundings.containers)
        ):
            return surroundings.inside(Container(callout=callout))
        match name:
            case "li":
                surroundings = self._inside_item(node, surroundings)
            case "blockquote":
                surroundings = surroundings.inside(Container())
            case "table":
                surroundings = surroundings._replace(table=node, cell=0)
            case "td" | "th" if surroundings.table:
                surroundings = surroundings._replace(cell=node)
            case "pre":
                surroundings = surroundings._replace(preformatted=node)
        return surroundings

    def _inside_item(self, node: int, surroundings: Surroundings) -> Surroundings:
        parent = self._parents[node] or node
        if parent not in self._items and self._page.name(parent) == "ol":
            self._numbers |= numbers_of(self._page, parent)
        if (outer := self._item_before(parent)) is not None:
            surroundings = surroundings.inside(outer)
        self._items[parent] = Container(parent, self._numbers.get(node))
        return surroundings.inside(self._items[parent])

    def _item_before(self, node: int) -> Container | None:
        """Return the item that a list right in a list belongs to, as many are written."""
        parent = self._parents[node]
        are_lists = self._page.name(node) in _LISTS and self._page.name(parent) in _LISTS
        return self._items.get(parent) if are_lists else None


#: The types of callouts on GitHub, and the names that pages have for each.
_TYPES = {
    "NOTE": ("note", "info", "information", "abstract", "summary", "seealso", "question", "example", "primary"),
    "TIP": ("tip", "hint", "success", "check", "done"),
    "IMPORTANT": ("important",),
    "WARNING": ("warning", "warn", "attention"),
    "CAUTION": ("caution", "danger", "error", "failure", "bug"),
}
CALLOUTS = frozenset(_TYPES)
_TYPE_OF = {name: callout for callout, names in _TYPES.items() for name in names}
_MOST_OF_CLASS = 400
#: Words for callouts, beside which another word names the type; the elements that may be callouts.
_CALLOUT_WORDS = frozenset(["admonition", "admonitionblock", "callout", "alert", "notecard", "admonish"])
_CALLOUT_TAGS = frozenset(["div", "aside", "section", "blockquote", "details", "p", "dl"])
_WORD = re.compile(r"[a-z]+")


def callout_of(page: Nodes, node: int) -> str:
    """Return the type of the callout that an element of :data:`_CALLOUT_TAGS` is; empty for others."""
    names = page.attribute(node, "class")
    return _callout_of(f"{names} {page.attribute(node, 'data-callout') or ''}"[:_MOST_OF_CLASS]) if names else ""


@lru_cache(maxsize=1 << 12)
def _callout_of(names: str) -> str:
    words = _WORD.findall(names.lower())
    is_callout = not _CALLOUT_WORDS.isdisjoint(words) or ("custom" in words and "block" in words)
    return next((_TYPE_OF[word] for word in words if word in _TYPE_OF), "") if is_callout else ""


def says_type(text: str, callout: str) -> bool:
    """Return whether a text says nothing but the type of a callout.

    >>> says_type("Warning!", "WARNING"), says_type("Mind the gap", "WARNING")
    (True, False)
    """
    return _TYPE_OF.get(text.strip(" :.!").lower()) == callout


def numbers_of(page: Nodes, ordered: int) -> dict[int, int]:
    """Return the numbers that a browser shows before the items of an OL, as far as CommonMark can write them."""
    items = [node for node in page.children(ordered) if page.name(node) == "li"]
    step = -1 if page.attribute(ordered, "reversed") is not None else 1
    number = _number(page.attribute(ordered, "start"), len(items) if step < 0 else 1)
    numbers = {}
    for item in items:
        number = _number(page.attribute(item, "value"), number)
        if 0 <= number <= _MOST_NUMBER:
            numbers[item] = number
        number += step
    return numbers


def _number(attribute: str | None, otherwise: int) -> int:
    match = _NUMBER.match(attribute or "")
    # Longer ones are out of every range, and dear to read.
    return int(match[1]) if match and len(match[1]) < 12 else otherwise


def shared_containers(before: Sequence[Container], now: Sequence[Container]) -> tuple[Container, ...]:
    """Return the containers that two blocks have in common, from the outermost."""
    shared = takewhile(lambda pair: pair[0] is pair[1], zip(before, now, strict=False))
    return tuple(container for _, container in shared)
