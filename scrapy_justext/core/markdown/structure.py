"""Where blocks stand: the lists, quotes, tables and PREs around them, as far as Markdown has them.

An element has the surroundings of its parent, unless it is a list's item, a quote, a table, a cell or a PRE.  So few
of them are made, and each element of a page is looked at once, however deep it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lxml import etree

#: Containers inside one another at the most; deeper ones are left out.  Readers stop somewhere (``markdown-it`` at 20,
#: counting lists twice), and each container costs two characters or more in every line.
DEEPEST = 8
#: Characters that the containers around a line may put before it, at the most: numbers have up to nine digits, and a
#: line of code may have one character.
WIDEST = 24

_LISTS = frozenset(["ul", "ol", "menu", "dir"])
#: Elements that say by their names where text inside stands; others may be callouts.
PLACES = frozenset(["li", "blockquote", "table", "td", "th", "pre"])
_NUMBER = re.compile(r"\s*([+-]?[0-9]+)")
#: CommonMark's numbers have nine digits at the most.
_MOST_NUMBER = 999_999_999


# Not equal to others with the same values: one quote after another is not the same quote.
@dataclass(frozen=True, slots=True, eq=False)
class Container:
    """A block quote, an item of a list, a callout, or a footnote."""

    parent: etree._Element | None = None
    """The element that the list's items stand in, mostly UL or OL; None for all else."""
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
    """The quotes, list items, table and PRE that a block stands in."""

    containers: tuple[Container, ...] = ()
    """The quotes and items around it, outermost first."""
    table: etree._Element | None = None
    """Its table."""
    cell: etree._Element | None = None
    """Its cell there."""
    preformatted: etree._Element | None = None
    """Its PRE."""

    def inside(self, container: Container) -> Surroundings:
        """Return the same inside a container that begins here."""
        containers = (*self.containers, container)
        if len(containers) > DEEPEST or sum(container.width for container in containers) > WIDEST:
            return self
        return Surroundings(containers, *self[1:])


_NOWHERE = Surroundings()


class SurroundingsFinder:
    """Finds the surroundings of a page's elements.

    ``outer``: of elements, the innermost around each that says something of surroundings, as far as that is known.
    """

    def __init__(
        self,
        root: etree._Element,
        footnotes: Mapping[etree._Element, Container],
        outer: Mapping[etree._Element, etree._Element | None] = MappingProxyType({}),
    ) -> None:
        self._root = root
        self._outer = outer
        #: What the blocks of each footnote stand in, by the element that holds them.
        self._footnotes = footnotes
        self._known: dict[etree._Element, Surroundings] = {}
        #: The item at hand of each list, by the element around its items.
        self._items: dict[etree._Element, Container] = {}
        self._numbers: dict[etree._Element, int] = {}

    def of(self, element: etree._Element | None) -> Surroundings:
        """Return the surroundings of text in an element; elements must be asked for in document order.

        ``element``: the innermost around it that says something of them is enough; None without.
        """
        if element is None:
            return _NOWHERE
        if (known := self._known.get(element)) is not None:
            return known
        passed: list[etree._Element] = []
        node: etree._Element | None = element
        while node is not None and node not in self._known:
            passed.append(node)
            node = self._outer[node] if node in self._outer else None if node is self._root else node.getparent()
        surroundings = _NOWHERE if node is None else self._known[node]
        for ancestor in reversed(passed):
            # What a PRE holds is its text.
            if surroundings.preformatted is None:
                surroundings = self._inside(ancestor, surroundings)
            self._known[ancestor] = surroundings
        return surroundings

    def _inside(self, node: etree._Element, surroundings: Surroundings) -> Surroundings:
        """Return the surroundings of what is in an element, which has ``surroundings`` itself."""
        if node in self._footnotes:
            # A footnote stands in nothing else.
            return Surroundings((self._footnotes[node],))
        tag = node.tag
        if (
            tag in CALLOUT_TAGS
            and (callout := callout_of(node))
            and not any(around.callout for around in surroundings.containers)
        ):
            return surroundings.inside(Container(callout=callout))
        match tag:
            case "li":
                surroundings = self._inside_item(node, surroundings)
            case "blockquote":
                surroundings = surroundings.inside(Container())
            case "table":
                surroundings = surroundings._replace(table=node, cell=None)
            case "td" | "th" if surroundings.table is not None:
                surroundings = surroundings._replace(cell=node)
            case "pre":
                surroundings = surroundings._replace(preformatted=node)
        return surroundings

    def _inside_item(self, node: etree._Element, surroundings: Surroundings) -> Surroundings:
        above = node.getparent()
        parent = node if above is None else above
        if parent not in self._items and parent.tag == "ol":
            self._numbers |= numbers_of(parent)
        if (outer := self._item_before(parent)) is not None:
            surroundings = surroundings.inside(outer)
        self._items[parent] = Container(parent, self._numbers.get(node))
        return surroundings.inside(self._items[parent])

    def _item_before(self, node: etree._Element) -> Container | None:
        """Return the item that a list right in a list belongs to, as many are written."""
        parent = node.getparent() if node.tag in _LISTS else None
        return self._items.get(parent) if parent is not None and parent.tag in _LISTS else None


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
#: Words that say that an element is a callout of the type that another word names, and the elements that may be.
_CALLOUT_WORDS = frozenset(["admonition", "admonitionblock", "callout", "alert", "notecard", "admonish"])
CALLOUT_TAGS = frozenset(["div", "aside", "section", "blockquote", "details", "p", "dl"])
_IN_CALLOUT_WORDS = ("admoni", "callout", "alert", "notecard", "custom")
_WORD = re.compile(r"[a-z]+")


def callout_of(node: etree._Element) -> str:
    """Return the type of the callout that an element of :data:`CALLOUT_TAGS` is; empty for others."""
    names = node.get("class") or ""
    if not names:
        return ""
    words = _words(f"{names} {node.get('data-callout') or ''}")
    return next((_TYPE_OF[word] for word in words if word in _TYPE_OF), "") if _say_callout(words) else ""


def may_be_callout(names: str) -> bool:
    """Return whether an element whose CLASS has some names may be a callout."""
    # Most classes have none of these letters; that is told in a tenth of the time.
    small = names.lower()
    for part in _IN_CALLOUT_WORDS:
        if part in small:
            return _say_callout(_words(names))
    return False


def _words(names: str) -> list[str]:
    return _WORD.findall(names.lower()[:_MOST_OF_CLASS])


def _say_callout(words: Sequence[str]) -> bool:
    return not _CALLOUT_WORDS.isdisjoint(words) or ("custom" in words and "block" in words)


def says_type(text: str, callout: str) -> bool:
    """Return whether a text says nothing but the type of a callout.

    >>> says_type("Warning!", "WARNING"), says_type("Mind the gap", "WARNING")
    (True, False)
    """
    return _TYPE_OF.get(text.strip(" :.!").lower()) == callout


_MOST_OF_CLASS = 400


def numbers_of(ordered: etree._Element) -> dict[etree._Element, int]:
    """Return the numbers that a browser shows before the items of an OL.

    Those that CommonMark cannot write are left out.
    """
    items = [node for node in ordered if node.tag == "li"]
    step = -1 if "reversed" in ordered.attrib else 1
    number = _number(ordered.get("start"), len(items) if step < 0 else 1)
    numbers = {}
    for item in items:
        number = _number(item.get("value"), number)
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
    shared = 0
    for above, one in zip(before, now, strict=False):
        if above is not one:
            break
        shared += 1
    return tuple(now[:shared])
