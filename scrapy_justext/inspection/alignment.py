"""Which blocks of two profiles hold the same text of one page.

Two profiles cut a page at different elements and remove different ones, so neither the blocks nor their texts
correspond.  Positions in the page do.  Every visible character of the page has a number, counted over all text of the
tree in document order, removed text included.  ``Segment.start`` counts only the text that a profile keeps; the spans
of kept text translate the one into the other.  Time and memory are linear in the size of the page.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from lxml import etree

from scrapy_justext.core.flattening import kept_nodes
from scrapy_justext.core.parsing import top_elements
from scrapy_justext.core.text import visible_length

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_justext.core.blocks import Segment
    from scrapy_justext.core.extraction import Block
    from scrapy_justext.inspection.pages import Inspection

#: The number of the first visible character of each text: of a node's own (False), and of that after it (True).
_Numbers = dict[tuple[etree._Element, bool], int]


class AlignedBlocks(NamedTuple):
    """A stretch of the page, and the block of each profile that holds it; None where a profile has removed it."""

    left: Block | None
    right: Block | None
    begins: tuple[bool, bool]
    """Whether the blocks begin here; otherwise they began further up."""

    @property
    def differs(self) -> bool:
        """Whether one profile keeps the text and the other does not."""
        is_kept = [block is not None and block.is_good for block in (self.left, self.right)]
        return is_kept[0] is not is_kept[1]

    @property
    def shown(self) -> Block:
        """The block whose text tells what is here: that which begins here, the shorter of two."""
        blocks = (self.left, self.right)
        here = [block for block, begins in zip(blocks, self.begins, strict=True) if begins and block is not None]
        return min(here, key=lambda block: block.characters)


def align(left: Inspection, right: Inspection) -> list[AlignedBlocks]:
    """Align the blocks of a page that was judged twice; each block of both begins in exactly one row.

    Rows are in document order.  Blocks out of the page's scripts come last.
    """
    root = left.page.parsed.root
    numbers = {} if root is None else _number(root)
    sides = [_Side(inspection, numbers) for inspection in (left, right)]
    positions = sorted({position for side in sides for position in side.beginning})
    rows = [row for position in positions for row in _rows_at(position, *sides)]
    return rows + [_both_begin(*pair) for pair in zip_longest(*(side.from_scripts for side in sides))]


def _rows_at(position: int, left: _Side, right: _Side) -> Iterator[AlignedBlocks]:
    """Yield the rows that begin at a position: images, which take no room, then the text that they stand before."""
    # Paired from the end: the texts belong together, and maybe one side alone has images before them.
    lefts, rights = (list(reversed(side.beginning.get(position, []))) for side in (left, right))
    pairs = list(zip_longest(lefts, rights))
    for pair in reversed(pairs[1:]):
        yield _both_begin(*pair)
    first, second = pairs[0]
    yield AlignedBlocks(
        left.block_at(position) if first is None else first,
        right.block_at(position) if second is None else second,
        (first is not None, second is not None),
    )


def _both_begin(left: Block | None, right: Block | None) -> AlignedBlocks:
    return AlignedBlocks(left, right, (left is not None, right is not None))


class _Span(NamedTuple):
    """A text that a profile keeps: its start among the kept text and in the page, and its visible characters."""

    kept: int
    page: int
    length: int


class _Side:
    """The blocks of one profile by their positions.  ``beginning``: those that begin at a position, in order."""

    def __init__(self, inspection: Inspection, numbers: _Numbers) -> None:
        segments, self._blocks = inspection.judged.page.segments, inspection.extraction.blocks
        self._spans = _kept_spans(inspection, numbers)
        self._kept = [span.kept for span in self._spans]
        self._page = [span.page for span in self._spans]
        self.from_scripts = self._blocks[len(segments) :]
        self.beginning: dict[int, list[Block]] = {}
        self._stretches = Stretches(segments)
        for segment, block in zip(segments, self._blocks, strict=False):
            self.beginning.setdefault(self._position(segment.start), []).append(block)

    def _position(self, start: int) -> int:
        """Return the position in the page of a character of the kept text, or of its end."""
        index = bisect_right(self._kept, start) - 1
        return self._spans[index].page + start - self._spans[index].kept if index >= 0 else 0

    def block_at(self, position: int) -> Block | None:
        """Return the block that holds a character of the page; None where that was removed."""
        index = bisect_right(self._page, position) - 1
        if index < 0 or position >= self._spans[index].page + self._spans[index].length:
            return None
        start = self._spans[index].kept + position - self._spans[index].page
        number = self._stretches.find(start)
        return None if number is None else self._blocks[number]


class Stretches:
    """Finds the block that holds a character of the text that a profile keeps.

    Numbers of lines beside code are kept, and in no block.
    """

    def __init__(self, segments: Sequence[Segment]) -> None:
        self._numbers = [number for number, segment in enumerate(segments) if segment.image_url is None]
        self._starts = [segments[number].start for number in self._numbers]
        self._ends = [segments[number].start + visible_length(segments[number].text) for number in self._numbers]

    def find(self, position: int) -> int | None:
        """Return the number of the block that holds the character at a position; None where none does."""
        found = bisect_right(self._starts, position) - 1
        return self._numbers[found] if found >= 0 and position < self._ends[found] else None


def _number(root: etree._Element) -> _Numbers:
    numbers: _Numbers = {}
    total = 0
    for top in top_elements(root):
        for event, node in etree.iterwalk(top, events=("start", "end", "comment", "pi")):
            numbers[node, event != "start"] = total
            total += visible_length(text_at(root, event, node))
    return numbers


def _kept_spans(inspection: Inspection, numbers: _Numbers) -> list[_Span]:
    root = inspection.page.parsed.root
    spans: list[_Span] = []
    total = 0
    for event, node, _ in () if root is None else kept_nodes(root, inspection.rules):
        length = visible_length(text_at(root, event, node))
        if length:
            spans.append(_Span(total, numbers[node, event != "start"], length))
            total += length
    return spans


def text_at(root: etree._Element | None, event: str, node: etree._Element) -> str:
    """Return the text that is read at an event below ``root``: before a node's children, or behind the node."""
    if event == "start":
        return node.text or ""
    is_top = node is root or node.getparent() is None
    return "" if is_top else node.tail or ""
