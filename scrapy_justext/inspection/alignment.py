"""Which blocks of two extractions of one page hold the same text.

Two profiles cut a page at different elements and remove different ones, so neither blocks nor their texts correspond.
Places in the page do: each visible character has a number, counted over all text of the tree in document order, what
is removed included.  Every block begins at one, and the text of a page's blocks, one after another, is the text that
stays.  Time and memory are linear in the size of the page.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate, zip_longest
from typing import TYPE_CHECKING, NamedTuple

from lxml import etree

from scrapy_justext.core.flattening import kept_nodes, top_elements
from scrapy_justext.core.structured_data import PAGE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_justext.core.blocks import Block
    from scrapy_justext.core.tags import TagRules


class Side(NamedTuple):
    """The blocks that one profile made of a page, and the tags that it cut at."""

    blocks: Sequence[Block]
    tags: TagRules


class Pair(NamedTuple):
    """A stretch of the page, and the block of each profile that holds it; None where a profile has removed it."""

    left: Block | None
    right: Block | None
    begins: tuple[bool, bool]
    """Whether the blocks begin here; else they are continued."""

    @property
    def differs(self) -> bool:
        """Whether one profile keeps the text and the other does not."""
        return _is_kept(self.left) is not _is_kept(self.right)

    @property
    def shown(self) -> Block:
        """The block that tells what is here: that which begins here, the shorter of two."""
        blocks = (self.left, self.right)
        here = [block for block, begins in zip(blocks, self.begins, strict=True) if begins and block is not None]
        return min(here, key=lambda block: block.characters)


def align(root: etree._Element | None, left: Side, right: Side) -> list[Pair]:
    """The pairs of a page in document order; each block of both sides begins in exactly one."""
    pairs: list[Pair] = []
    if root is not None:
        numbers = _number(root)
        maps = [_Map(_spans(root, side.tags, numbers), _of_page(side.blocks)) for side in (left, right)]
        places = sorted({place for one in maps for place in one.beginning})
        pairs += [pair for place in places for pair in _pairs_at(place, *maps)]
    added = [[block for block in side.blocks if block.origin != PAGE] for side in (left, right)]
    return pairs + [_beginning(*both) for both in zip_longest(*added)]


def _beginning(left: Block | None, right: Block | None) -> Pair:
    return Pair(left, right, (left is not None, right is not None))


def _is_kept(block: Block | None) -> bool:
    return block is not None and block.is_good


def _of_page(blocks: Sequence[Block]) -> list[Block]:
    return [block for block in blocks if block.origin == PAGE]


class _Numbers(NamedTuple):
    """The number of the first visible character of each text: those inside nodes, and those after them."""

    texts: dict[etree._Element, int]
    tails: dict[etree._Element, int]


class _Span(NamedTuple):
    """A text that stays: where it begins among those that stay, and in the page; how many characters it has."""

    kept: int
    page: int
    length: int


def _number(root: etree._Element) -> _Numbers:
    numbers = _Numbers({}, {})
    total = 0
    for top in top_elements(root):
        for event, node in etree.iterwalk(top, events=("start", "end", "comment", "pi")):
            if event == "start":
                numbers.texts[node] = total
                total += visible(node.text)
            else:
                numbers.tails[node] = total
                total += visible(node.tail) if node is not top else 0
    return numbers


def _spans(root: etree._Element, tags: TagRules, numbers: _Numbers) -> list[_Span]:
    spans: list[_Span] = []
    total = 0
    for event, node, _ in kept_nodes(root, tags):
        is_text = event == "start"
        is_top = node is root or node.getparent() is None
        length = visible(node.text) if is_text else visible(None if is_top else node.tail)
        if length:
            spans.append(_Span(total, (numbers.texts if is_text else numbers.tails)[node], length))
            total += length
    return spans


def visible(text: str | None) -> int:
    """How many characters of a text are no white space."""
    return len("".join(text.split())) if text else 0


class _Map:
    """Where in the page blocks are.  ``beginning``: those that begin at a number, in order."""

    def __init__(self, spans: Sequence[_Span], blocks: Sequence[Block]) -> None:
        self._spans = spans
        self._kept = [span.kept for span in spans]
        self._page = [span.page for span in spans]
        self._blocks = [block for block in blocks if block.image_url is None]
        # The text of an image's block is an attribute.
        lengths = [0 if block.image_url is not None else visible(block.text) for block in blocks]
        begins = list(accumulate(lengths, initial=0))
        self._begins = [begin for begin, block in zip(begins, blocks, strict=False) if block.image_url is None]
        self.beginning: dict[int, list[Block]] = {}
        for begin, block in zip(begins, blocks, strict=False):
            self.beginning.setdefault(self._place(begin), []).append(block)

    def _place(self, begin: int) -> int:
        """The number in the page of a character of the text that stays, or of the end."""
        found = bisect_right(self._kept, begin) - 1
        return self._spans[found].page + begin - self._spans[found].kept if found >= 0 else 0

    def around(self, place: int) -> Block | None:
        """The block that holds a character of the page; None where that was removed."""
        found = bisect_right(self._page, place) - 1
        if found < 0 or place >= self._spans[found].page + self._spans[found].length:
            return None
        begin = self._spans[found].kept + place - self._spans[found].page
        return self._blocks[bisect_right(self._begins, begin) - 1]


def _pairs_at(place: int, left: _Map, right: _Map) -> Iterator[Pair]:
    """The pairs that begin at a character: images, which take no place, then the text that they stand before."""
    # From the end: texts belong together, before which only one side may have images.
    lefts, rights = (list(reversed(one.beginning.get(place, []))) for one in (left, right))
    rows = list(zip_longest(lefts, rights))
    for both in reversed(rows[1:]):
        yield _beginning(*both)
    first, second = rows[0]
    yield Pair(
        left.around(place) if first is None else first,
        right.around(place) if second is None else second,
        (first is not None, second is not None),
    )
