"""The lists, quotes, tables and PREs that elements stand in, as far as Markdown has them.

An element has the position of its parent unless it is one of these itself, so that positions are made for few, and
each element of a page is looked at once, however deep it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from scrapy_justext.core.markdown.tables import Grid, make_grid

if TYPE_CHECKING:
    from collections.abc import Callable

    from lxml import etree

#: Containers inside one another; deeper ones are left out.  Readers stop somewhere (``markdown-it`` at 20, counting
#: lists twice), and each costs two characters or more in every line.
DEEPEST = 8

_LISTS = frozenset(["ul", "ol", "menu", "dir"])
_NUMBER = re.compile(r"\s*([+-]?[0-9]+)")
#: CommonMark's numbers have nine digits at the most.
_MOST = 999_999_999


# Not equal to others with the same values: one quote after another is not the same quote.
@dataclass(frozen=True, slots=True, eq=False)
class Quote:
    """A block quote."""


@dataclass(slots=True, eq=False)
class ListOf:
    """The items of one element; ``numbers``: those of an ordered list's, by their elements."""

    numbers: dict[etree._Element, int] | None
    last: Item | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Item:
    """An item of a list, and its number in an ordered one."""

    of: ListOf
    number: int | None


Container = Quote | Item


@dataclass(frozen=True, slots=True, eq=False)
class Position:
    """Where a block stands: the containers around it, outermost first; its table, and its cell there; its PRE."""

    containers: tuple[Container, ...] = ()
    grid: Grid | None = None
    cell: etree._Element | None = None
    preformatted: etree._Element | None = None

    def inside(self, container: Container) -> Position:
        """The position in a container that begins here."""
        if len(self.containers) >= DEEPEST:
            return self
        return replace(self, containers=(*self.containers, container))


class Positions:
    """The positions of a page's elements."""

    def __init__(self, root: etree._Element) -> None:
        self._root = root
        self._known: dict[etree._Element, Position] = {}
        self._lists: dict[etree._Element | None, ListOf] = {}
        self._opens: dict[str, Callable[[etree._Element, Position], Position]] = {
            "blockquote": lambda _, around: around.inside(Quote()),
            "li": self._item,
            "table": lambda node, around: replace(around, grid=make_grid(node, around.containers), cell=None),
            "td": _cell,
            "th": _cell,
            "pre": lambda node, around: replace(around, preformatted=node),
        }

    def of(self, element: etree._Element) -> Position:
        """The position of text in an element; to be asked for in document order."""
        passed: list[etree._Element] = []
        node: etree._Element | None = element
        while node is not None and node not in self._known:
            passed.append(node)
            node = None if node is self._root else node.getparent()
        position = Position() if node is None else self._known[node]
        for one in reversed(passed):
            opens = self._opens.get(one.tag)
            # What a PRE holds is its text.
            if opens is not None and position.preformatted is None:
                position = opens(one, position)
            self._known[one] = position
        return position

    def _item(self, node: etree._Element, around: Position) -> Position:
        parent = node.getparent()
        if parent not in self._lists:
            is_ordered = parent is not None and parent.tag == "ol"
            self._lists[parent] = ListOf(numbers_of(parent) if parent is not None and is_ordered else None)
        items = self._lists[parent]
        outer = self._item_before(parent)
        items.last = Item(items, (items.numbers or {}).get(node))
        return (around if outer is None else around.inside(outer)).inside(items.last)

    def _item_before(self, node: etree._Element | None) -> Item | None:
        """The item that a list right in a list belongs to, as many are written."""
        parent = node.getparent() if node is not None and node.tag in _LISTS else None
        if parent is None or parent.tag not in _LISTS or parent not in self._lists:
            return None
        return self._lists[parent].last


def _cell(node: etree._Element, around: Position) -> Position:
    return around if around.grid is None else replace(around, cell=node)


def numbers_of(ordered: etree._Element) -> dict[etree._Element, int]:
    """The numbers that a browser shows before the items of an OL; those that CommonMark cannot write are left out."""
    items = [node for node in ordered if node.tag == "li"]
    step = -1 if "reversed" in ordered.attrib else 1
    number = _number(ordered.get("start"), len(items) if step < 0 else 1)
    numbers = {}
    for item in items:
        number = _number(item.get("value"), number)
        if 0 <= number <= _MOST:
            numbers[item] = number
        number += step
    return numbers


def _number(attribute: str | None, otherwise: int) -> int:
    match = _NUMBER.match(attribute or "")
    # Longer ones are out of every range, and dear to read.
    return int(match[1]) if match and len(match[1]) < 12 else otherwise
