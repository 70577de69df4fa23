"""Where blocks stand: the lists, quotes, tables and PREs around them, as far as Markdown has them.

An element has the surroundings of its parent, unless it is a list's item, a quote, a table, a cell or a PRE.  So few
of them are made, and each element of a page is looked at once, however deep it is.

A pipe table has one line for each row.  A table that lays out a page, with other tables or whole articles in its cells,
cannot be written as one; its blocks are then written one after another.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
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
#: Columns of a table at the most; COLSPAN may ask for thousands.
MOST_COLUMNS = 64
#: Rows that a cell reaches over at the most.
MOST_ROWS = 1 << 16

_LISTS = frozenset(["ul", "ol", "menu", "dir"])
_LAYOUT_ROLES = frozenset(["presentation", "none"])
_NUMBER = re.compile(r"\s*([+-]?[0-9]+)")
#: CommonMark's numbers have nine digits at the most.
_MOST_NUMBER = 999_999_999


# Not equal to others with the same values: one quote after another is not the same quote.
@dataclass(frozen=True, slots=True, eq=False)
class Container:
    """A block quote, or an item of a list."""

    parent: etree._Element | None = None
    """The element that the list's items stand in, mostly UL or OL; None for a quote."""
    number: int | None = None
    """The number of an item in an ordered list; None for an item with a bullet."""

    @property
    def width(self) -> int:
        """Return how many characters it puts before each line."""
        return 2 if self.number is None else len(f"{self.number}. ")


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """The cells of a table."""

    containers: Sequence[Container]
    """Those around the table."""
    cells: Mapping[etree._Element, tuple[int, int]]
    """The row and the column of each cell, from 0."""
    headers: frozenset[int]
    """The rows that are headers."""


class Surroundings(NamedTuple):
    """The quotes, list items, table and PRE that a block stands in."""

    containers: tuple[Container, ...] = ()
    """The quotes and items around it, outermost first."""
    grid: Grid | None = None
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
        return self._replace(containers=containers)


class SurroundingsFinder:
    """Finds the surroundings of a page's elements."""

    def __init__(self, root: etree._Element) -> None:
        self._root = root
        self._known: dict[etree._Element, Surroundings] = {}
        #: The item at hand of each list, by the element around its items.
        self._items: dict[etree._Element, Container] = {}
        self._numbers: dict[etree._Element, int] = {}

    def of(self, element: etree._Element) -> Surroundings:
        """Return the surroundings of text in an element; elements must be asked for in document order."""
        passed: list[etree._Element] = []
        node: etree._Element | None = element
        while node is not None and node not in self._known:
            passed.append(node)
            node = None if node is self._root else node.getparent()
        surroundings = Surroundings() if node is None else self._known[node]
        for ancestor in reversed(passed):
            # What a PRE holds is its text.
            if surroundings.preformatted is None:
                surroundings = self._inside(ancestor, surroundings)
            self._known[ancestor] = surroundings
        return surroundings

    def _inside(self, node: etree._Element, surroundings: Surroundings) -> Surroundings:
        """Return the surroundings of what is in an element, which has ``surroundings`` itself."""
        match node.tag:
            case "li":
                surroundings = self._inside_item(node, surroundings)
            case "blockquote":
                surroundings = surroundings.inside(Container())
            case "table":
                surroundings = surroundings._replace(grid=make_grid(node, surroundings.containers), cell=None)
            case "td" | "th" if surroundings.grid is not None:
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


def make_grid(table: etree._Element, containers: Sequence[Container] = ()) -> Grid | None:
    """Return the grid of a TABLE; None where it lays out the page by its role or by tables in it, or is too wide."""
    tables = table.iter("table")
    next(tables)
    if next(tables, None) is not None or table.get("role", "").strip().lower() in _LAYOUT_ROLES:
        return None
    cells: dict[etree._Element, tuple[int, int]] = {}
    headers = set()
    reaching: dict[int, int] = {}
    for number, row in enumerate(table.iter("tr")):
        own = [node for node in row if node.tag in ("td", "th")]
        columns, reaching = _columns(own, reaching)
        if columns and columns[-1] >= MOST_COLUMNS:
            return None
        cells.update((node, (number, column)) for node, column in zip(own, columns, strict=True))
        if own and (all(node.tag == "th" for node in own) or _is_in_head(row)):
            headers.add(number)
    return Grid(containers, cells, frozenset(headers))


def _columns(cells: Sequence[etree._Element], reaching: Mapping[int, int]) -> tuple[list[int], dict[int, int]]:
    """Return the first column of each cell of a row, and what reaches down into the next row.

    ``reaching``: the columns that cells of the rows above reach down into, each with the number of rows from here.
    """
    left = {column: rows - 1 for column, rows in reaching.items() if rows > 1}
    columns = []
    column = 0
    for node in cells:
        while column in reaching:
            column += 1
        columns.append(column)
        rows = _span(node, "rowspan", MOST_ROWS) - 1
        width = _span(node, "colspan", MOST_COLUMNS)
        if rows:
            left |= dict.fromkeys(range(column, min(column + width, MOST_COLUMNS)), rows)
        column += width
    return columns, left


def _span(node: etree._Element, name: str, most: int) -> int:
    value = (node.get(name) or "").strip()
    return max(1, min(int(value), most)) if value.isdecimal() and len(value) < 9 else 1


def _is_in_head(row: etree._Element) -> bool:
    parent = row.getparent()
    return parent is not None and parent.tag == "thead"
