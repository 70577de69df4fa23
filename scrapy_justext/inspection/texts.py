"""Where the texts of a page went: into which block, into which of another profile, or with what was removed.

Two profiles cut a page at different elements and remove different ones, so neither the blocks nor their texts
correspond.  Positions in the page do: those of its texts in document order.  Time and memory are linear in the size of
the page.

Reading notes which elements it removes (:mod:`~scrapy_justext.core.reading.flow`), and does not look into them; this
does, when somebody asks.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from w3lib.html import remove_tags

from scrapy_justext.core.reading.rules import is_hidden
from scrapy_justext.core.text import collapse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_justext.core.blocks import Segment
    from scrapy_justext.core.extraction import Block
    from scrapy_justext.core.reading.flow import Flow
    from scrapy_justext.core.reading.nodes import Nodes
    from scrapy_justext.inspection.pages import Inspection


def texts_in(flow: Flow, segment: Segment) -> Iterator[tuple[int, int]]:
    """Yield the node of each text in a block, and its part where formulas part it; of an image, the element's.

    The number of a node stands for the text before its first child, its complement for the text behind it.
    """
    part = 0
    for i in range(segment.begin, segment.end):
        node = flow.nodes[i]
        part = part + 1 if i and flow.nodes[i - 1] == node else 0
        if segment.image_url is not None or (flow.codes[i] in "t$" and not flow.is_blank(i)):
            yield node, part


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
    rows = []
    for position in sorted({place for side in sides for place in side.beginning}):
        begun = [side.beginning.get(position) for side in sides]
        first, second = (block or side.block_at(position) for block, side in zip(begun, sides, strict=True))
        rows.append(AlignedBlocks(first, second, (begun[0] is not None, begun[1] is not None)))
    pairs = zip_longest(*(side.from_scripts for side in sides))
    return rows + [AlignedBlocks(first, second, (first is not None, second is not None)) for first, second in pairs]


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
            positions = [
                (node, 1, 0, part) if node >= 0 else (flow.page.end[~node], 0, node, part)
                for node, part in texts_in(flow, segment)
            ]
            self.beginning[positions[0]] = block
            self._kept |= dict.fromkeys(positions, block)
        self._places = sorted(self._kept)

    def block_at(self, position: TextPlace) -> Block | None:
        """Return the block that holds the text at a position; None where that was removed."""
        last = bisect_right(self._places, position) - 1
        # A part of a text may be all of it here.
        is_here = last >= 0 and self._places[last][:3] == position[:3]
        return self._kept[self._places[last]] if is_here else None


#: Elements whose text nobody is meant to read.
_NO_PROSE = frozenset({"head", "meta", "script", "style", "title"})

#: Elements that hold markup as text.
_MARKUP = frozenset({"iframe", "noembed", "noframes"})

#: What elements are called that are removed for another reason than their name, by the codes of their tokens.
_REASONS = {"h": "hidden element", "c": "element beside code", "f": "element of a formula"}


def describe_removed(inspection: Inspection) -> str:
    """Return in words which text of a page was removed, by the reason, most of it first; "" where none was.

    Elements inside other removed ones do not count, nor do those without text.
    """
    flow = inspection.flow
    if flow is None:
        return ""
    lengths: defaultdict[str, list[int]] = defaultdict(list)
    for code, node in zip(flow.codes, flow.nodes, strict=True):
        if code in "xhcf" and (length := len(collapse("".join(_texts(flow.page, node))))):
            is_gone = code == "x" and flow.rules.hidden and is_hidden(flow.page, node, flow.rules.hidden)
            lengths[_REASONS.get("h" if is_gone else code) or flow.page.name(node).upper()].append(length)
    removed = [
        f"{len(of_reason):,} {why if len(of_reason) == 1 else why.replace('element', 'elements')}"
        f" ({sum(of_reason):,} characters)"
        for why, of_reason in sorted(lengths.items(), key=lambda item: (-sum(item[1]), item[0]))
    ]
    return f"removed: {', '.join(removed)}" if removed else ""


def _texts(page: Nodes, node: int) -> Iterator[str]:
    """Yield the texts in an element, but for those that nobody is meant to read."""
    end = page.end[node]
    # What stands behind the elements that have ended here, innermost first.
    behind: list[int] = []
    inside = node
    while inside < end:
        while behind and page.end[behind[-1]] == inside:
            yield page.tail(behind.pop())
        name = page.name(inside)
        if name not in _NO_PROSE:
            yield remove_tags(page.text(inside)) if name in _MARKUP else page.text(inside)
        if inside != node:
            behind.append(inside)
        inside = page.end[inside] if name in _NO_PROSE else inside + 1
    while behind:
        yield page.tail(behind.pop())
