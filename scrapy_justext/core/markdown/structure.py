"""The lists, quotes, tables and PREs that elements stand in, as far as Markdown has them.

An element has the position of its parent unless it is one of these itself, so that positions are made for few, and
each element of a page is looked at once, however deep it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.core.blocks import maker
from scrapy_justext.core.flattening import (
    BLOCK,
    BOLD,
    BREAK,
    CLOSE,
    CODE,
    INLINE,
    ITALIC,
    LINK,
    PLAIN,
    SOURCE,
    UNLINK,
    tag_codes,
)
from scrapy_justext.core.reading import flat_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from lxml import etree

    from scrapy_justext.core.blocks import Segment
    from scrapy_justext.core.tags import TagRules

# The text of blocks, cut where links, emphasis and code begin and end.
#
# The page is flattened once more, with marks for these, see :mod:`~scrapy_justext.core.flattening`.  Its text is
# that of the blocks, so no block need be cut out again: what stands between two block-level marks is one block, and
# where there are BRs, which may make several, the blocks are told apart by their lengths.


class Style(NamedTuple):
    """How a text is shown: what it links to, as the page has it, and whether in bold, italics, fixed width."""

    href: str | None = None
    is_bold: bool = False
    is_italic: bool = False
    is_code: bool = False


class Run(NamedTuple):
    """A text in one style; ``is_break``: no text, but a BR."""

    text: str
    style: Style = Style()
    is_break: bool = False


_BEGINS: dict[str, Callable[[Style], Style]] = {
    BOLD: lambda style: style._replace(is_bold=True),
    ITALIC: lambda style: style._replace(is_italic=True),
    CODE: lambda style: style._replace(is_code=True),
}
_ENDS = frozenset({UNLINK, PLAIN})
_BEGIN_MARKS = [INLINE + code for code in (LINK, *_BEGINS)]
_END_MARKS = [INLINE + code for code in _ENDS]
_BREAK = INLINE + BREAK
#: A mark, with the HREF of a link.
_MARK = re.compile(f"{INLINE}(?:{LINK}[^{INLINE}]*{INLINE}{SOURCE}|.)", re.DOTALL)

_new_run = maker(Run)


def good_runs(
    root: etree._Element, rules: TagRules, segments: Sequence[Segment], good: Sequence[bool]
) -> Iterator[tuple[int, list[Run]]]:
    """The index and the runs of each block of text that is good, in order; images have none."""
    flat = flat_text(root, replace(rules, styled=True))
    image = tag_codes(rules).get("img")
    last = max((index for index, is_good in enumerate(good) if is_good), default=-1)
    styles = [Style()]
    index = 0
    for chunk in f"{CLOSE}{flat}".split(BLOCK):
        if index > last:
            break
        body = chunk[1:]
        if chunk[0] == image:
            index += 1
        elif INLINE not in body:
            if body and not body.isspace():
                if good[index]:
                    yield index, [_new_run((body, styles[-1], False))]
                index += 1
        elif not good[index] and len(styles) == 1 and _is_closed(body):
            index += bool(_MARK.sub("", body).strip())
        else:
            for block in _blocks(_read(body, styles, rules), segments, index):
                if good[index]:
                    yield index, block
                index += 1


def _is_closed(body: str) -> bool:
    """Whether a text that nothing is open around is at most one block, and leaves nothing open."""
    if _BREAK in body:
        return False
    return sum(map(body.count, _BEGIN_MARKS)) == sum(map(body.count, _END_MARKS))


def _read(body: str, styles: list[Style], rules: TagRules) -> list[Run]:
    """The runs of a text with marks; ``styles``: those open around it, which it may change."""
    first, *pieces = body.split(INLINE)
    runs = [_new_run((first, styles[-1], False))]
    for piece in pieces:
        code, text = piece[:1], piece[1:]
        if code == LINK:
            styles.append(styles[-1]._replace(href=text))
            continue
        if code in _BEGINS:
            styles.append(_BEGINS[code](styles[-1]))
        elif code in _ENDS:
            styles.pop()
        elif code == BREAK:
            runs.append(_new_run(("", styles[-1], True)))
        if text:
            runs.append(_new_run((text, styles[-1], False)))
    # Where text is read node by node, blank nodes vanish with the space that they are.
    return [run for run in runs if run[2] or not run[0].isspace()] if rules.text_nodes else runs


def _blocks(runs: list[Run], segments: Sequence[Segment], index: int) -> Iterator[list[Run]]:
    """The runs of each of the blocks from ``index`` on that they are."""
    if not any(run.is_break for run in runs):
        if any(run.text and not run.text.isspace() for run in runs):
            yield runs
        return
    block: list[Run] = []
    missing = 0
    for run in runs:
        size = len("".join(run.text.split()))
        if size and not missing:
            if block:
                yield block
                index += 1
            block = []
            missing = len("".join(segments[index].collapsed.split()))
        if size or block:
            missing -= size
            block.append(run)
    if block:
        yield block


# Tables: the columns and rows of their cells, and which tables Markdown can have.
#
# A pipe table has one line for each row, so a table that lays out a page, with whole articles in its cells, is none;
# its blocks are then written one after another.

#: Columns at the most; COLSPAN may ask for thousands.
MOST_COLUMNS = 64
#: Rows that a cell reaches over at the most.
MOST_ROWS = 1 << 16
#: Good blocks in a cell, at the most.
MOST_BLOCKS = 3
#: Good rows and columns, at the least.
LEAST_ROWS = LEAST_COLUMNS = 2

_LAYOUT_ROLES = frozenset(["presentation", "none"])


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """The cells of a table without tables in it: row and column of each, from 0; the rows that are headers.

    ``containers``: those around the table.
    """

    containers: Sequence[object]
    cells: Mapping[etree._Element, tuple[int, int]]
    headers: frozenset[int]


def make_grid(table: etree._Element, containers: Sequence[object] = ()) -> Grid | None:
    """The grid of a TABLE; None for one that lays out the page, or is too wide."""
    tables = table.iter("table")
    next(tables)
    if next(tables, None) is not None or table.get("role", "").strip().lower() in _LAYOUT_ROLES:
        return None
    cells: dict[etree._Element, tuple[int, int]] = {}
    headers = set()
    taken = _Taken()
    for number, row in enumerate(table.iter("tr")):
        own = [node for node in row if node.tag in ("td", "th")]
        for node, column in zip(own, taken.columns(own), strict=True):
            if column >= MOST_COLUMNS:
                return None
            cells[node] = number, column
        if own and (all(node.tag == "th" for node in own) or _is_in_head(row)):
            headers.add(number)
    return Grid(containers, cells, frozenset(headers))


def _is_in_head(row: etree._Element) -> bool:
    parent = row.getparent()
    return parent is not None and parent.tag == "thead"


@dataclass(slots=True)
class _Taken:
    """The columns that cells of the rows above reach down into, each with the number of rows."""

    rows: dict[int, int] = field(default_factory=dict)

    def columns(self, cells: Sequence[etree._Element]) -> Iterator[int]:
        """The first column of each cell of the next row; what is beyond the limit has the limit."""
        left = {column: rows - 1 for column, rows in self.rows.items() if rows > 1}
        column = 0
        for node in cells:
            while column in self.rows:
                column += 1
            yield min(column, MOST_COLUMNS)
            rows = _span(node, "rowspan", MOST_ROWS)
            for _ in range(_span(node, "colspan", MOST_COLUMNS)):
                if rows > 1 and column < MOST_COLUMNS:
                    left[column] = rows - 1
                column += 1
        self.rows = left


def _span(node: etree._Element, name: str, most: int) -> int:
    value = (node.get(name) or "").strip()
    return max(1, min(int(value), most)) if value.isdecimal() and len(value) < 9 else 1


def pipe_rows(texts: Mapping[tuple[int, int], str], headers: frozenset[int]) -> list[str]:
    """The lines of a pipe table, of texts by row and column; rows and columns without any are left out.

    The first row is the header where ``headers`` names it, else the header is empty.

    >>> pipe_rows({(0, 0): "a", (0, 2): "b", (3, 2): "c"}, frozenset({0}))
    ['| a | b |', '| --- | --- |', '|  | c |']
    """
    numbers = sorted({row for row, _ in texts})
    columns = sorted({column for _, column in texts})
    rows = [_line(texts.get((row, column), "") for column in columns) for row in numbers]
    delimiters = _line("---" for _ in columns)
    if numbers[0] in headers:
        return [rows[0], delimiters, *rows[1:]]
    return [_line("" for _ in columns), delimiters, *rows]


def _line(cells: Iterator[str]) -> str:
    return f"| {' | '.join(cells)} |"


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


# Lines into lists and block quotes, streamed: each block opens the containers that the one before was not in.


class Lines(NamedTuple):
    """A block of Markdown; ``is_paragraph``: whether the item of a list may follow without a blank line."""

    lines: Sequence[str]
    is_paragraph: bool = False


class Writer:
    """Puts blocks one below the other."""

    def __init__(self) -> None:
        self._written: list[str] = []
        self._containers: Sequence[Container] = ()
        self._after_paragraph = False
        #: The lists that are written with the other bullet or delimiter, since one of their kind is right above.
        self._others: set[ListOf] = set()

    def text(self) -> str:
        """All lines, with no line feed at the end."""
        return "\n".join(self._written)

    def add(self, block: Lines, containers: Sequence[Container]) -> None:
        """Write a block that stands in ``containers``."""
        shared = _shared(self._containers, containers)
        opened = containers[shared:]
        self._tell_apart(shared, opened)
        around = "".join(self._indent(one) for one in containers[:shared])
        if self._written and not self._is_tight(shared, opened):
            self._written.append(around.rstrip())
        first, *rest = block.lines
        self._written.append(f"{around}{''.join(self._marker(one) for one in opened)}{first}")
        indent = around + "".join(self._indent(one) for one in opened)
        self._written += (f"{indent}{line}".rstrip() if not line else f"{indent}{line}" for line in rest)
        self._containers = containers
        self._after_paragraph = block.is_paragraph

    def _tell_apart(self, shared: int, opened: Sequence[Container]) -> None:
        """Make two lists, one right below the other, two."""
        above = self._containers[shared] if shared < len(self._containers) else None
        below = opened[0] if opened else None
        if not isinstance(above, Item) or not isinstance(below, Item) or above.of is below.of:
            return
        if _are_alike(above, below) and (above.of in self._others) == (below.of in self._others):
            self._others ^= {below.of}

    def _is_tight(self, shared: int, opened: Sequence[Container]) -> bool:
        """Whether a block begins an item that needs no blank line before it."""
        if not opened or not isinstance(opened[0], Item) or not self._after_paragraph:
            return False
        item = opened[0]
        if shared < len(self._containers):
            above = self._containers[shared]
            return isinstance(above, Item) and above.of is item.of and _are_alike(above, item)
        # A list inside an item, below its text.  Only 1 begins a list there.
        return shared > 0 and isinstance(self._containers[-1], Item) and item.number in (None, 1)

    def _marker(self, container: Container) -> str:
        if isinstance(container, Quote):
            return "> "
        is_other = container.of in self._others
        if container.number is None:
            return "* " if is_other else "- "
        return f"{container.number}{')' if is_other else '.'} "

    def _indent(self, container: Container) -> str:
        marker = self._marker(container)
        return marker if isinstance(container, Quote) else " " * len(marker)


def _are_alike(one: Item, other: Item) -> bool:
    """Whether both have numbers, or both bullets."""
    return (one.number is None) == (other.number is None)


def _shared(before: Sequence[Container], now: Sequence[Container]) -> int:
    """How many containers two blocks have in common, from the outermost."""
    for i, (one, other) in enumerate(zip(before, now, strict=False)):
        if one is not other:
            return i
    return min(len(before), len(now))
