"""Which blocks of two profiles hold the same text of one page.

Two profiles cut a page at different elements and remove different ones, so neither the blocks nor their texts
correspond.  Positions in the page do: those of its texts in document order.  Time and memory are linear in the size of
the page.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_justext.core.blocks import Segment
    from scrapy_justext.core.extraction import Block
    from scrapy_justext.core.reading.flow import Flow
    from scrapy_justext.inspection.pages import Inspection

#: Where a text stands: before the first child of a node, or behind the node, where those inside come first; then its
#: part, where formulas part it.
TextPlace = tuple[int, int, int, int]


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
    sides = [_Side(inspection) for inspection in (left, right)]
    rows = [_row_at(position, *sides) for position in sorted({place for side in sides for place in side.beginning})]
    pairs = zip_longest(*(side.from_scripts for side in sides))
    return rows + [AlignedBlocks(one, other, (one is not None, other is not None)) for one, other in pairs]


def _row_at(position: TextPlace, *sides: _Side) -> AlignedBlocks:
    begin = [side.beginning.get(position) for side in sides]
    left, right = (block or side.block_at(position) for block, side in zip(begin, sides, strict=True))
    return AlignedBlocks(left, right, (begin[0] is not None, begin[1] is not None))


class _Side:
    """The blocks of one profile by their positions.  ``beginning``: those that begin at a position."""

    def __init__(self, inspection: Inspection) -> None:
        segments, blocks = inspection.judged.page.segments, inspection.extraction.blocks
        self.from_scripts = blocks[len(segments) :]
        self.beginning: dict[TextPlace, Block] = {}
        #: Those of all texts in blocks, and the blocks.
        self._kept: dict[TextPlace, Block] = {}
        flow = inspection.flow
        for segment, block in zip(segments, blocks, strict=False):
            assert flow is not None
            positions = list(_positions(flow, segment))
            self.beginning[positions[0]] = block
            self._kept |= dict.fromkeys(positions, block)
        self._places = sorted(self._kept)

    def block_at(self, position: TextPlace) -> Block | None:
        """Return the block that holds the text at a position; None where that was removed."""
        found = bisect_right(self._places, position) - 1
        # A part of a text may be all of it here.
        is_here = found >= 0 and self._places[found][:3] == position[:3]
        return self._kept[self._places[found]] if is_here else None


def _positions(flow: Flow, segment: Segment) -> Iterator[TextPlace]:
    """Yield the positions of the texts in a block; that of an image is its element's."""
    part = 0
    for i in range(segment.begin, segment.end):
        node = flow.nodes[i]
        part = part + 1 if i and flow.nodes[i - 1] == node else 0
        if segment.image_url is not None or (flow.codes[i] in "t$" and not flow.text(i).isspace()):
            yield (node, 1, 0, part) if node >= 0 else (flow.page.end[~node], 0, node, part)
