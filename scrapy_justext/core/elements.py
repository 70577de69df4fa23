"""Find the elements of a tree that blocks stand in, what is above them, and their paths.

Reading numbers the block-level elements, but does not look at a page's nodes; that makes it fast.  Code that needs the
nodes finds them here by those numbers.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from scrapy_justext.core.flattening import formulas_of, kept_nodes, removed_elements
from scrapy_justext.core.marks import BLOCK
from scrapy_justext.core.parsing import top_elements
from scrapy_justext.core.reading import segment_and_count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from lxml import etree

    from scrapy_justext.core.blocks import BlockTable
    from scrapy_justext.core.formulas.elements import PageFormulas
    from scrapy_justext.core.kernel.elements import ElementReading
    from scrapy_justext.core.tags import TagRules

Own = TypeVar("Own")


class Elements:
    """The block-level elements below a root that are not removed; they are found when first asked for.

    ``count``: how many reading has found, None if unknown.  If the tree has no more, no removed ones are searched.
    ``formulas``: the page's, if somebody keeps them.
    ``reading``: what compiled code has read of them meanwhile, by the same rules.
    """

    def __init__(
        self,
        root: etree._Element,
        rules: TagRules,
        count: int | None = None,
        formulas: PageFormulas | None = None,
        reading: ElementReading | None = None,
    ) -> None:
        self.root = root
        self.rules = rules
        self.formulas = formulas or formulas_of(root)
        self.count = count
        self.reading = reading

    @cached_property
    def nodes(self) -> list[etree._Element]:
        """Return ``root`` and the block-level elements; ``Segment.element`` is an index of this list."""
        found = [node for top in top_elements(self.root) for node in top.iter(*self.rules.block_level)]
        if len(found) != self.count:
            gone = self._gone()
            found = [node for node in found if node not in gone]
        return [self.root, *found]

    def innermost(self, segments: BlockTable, names: frozenset[str]) -> list[etree._Element]:
        """Return for each block the innermost element around its text that is block-level or one of ``names``."""
        if self.rules.block_level >= names:
            return list(map(self.nodes.__getitem__, segments.element))
        # Some of the names split no blocks.  A second cut of the same text, in which they do, finds their elements.
        rules = replace(self.rules, block_level=self.rules.block_level | names)
        finer, count = segment_and_count(self.root, rules, formulas=self.formulas)
        nodes = Elements(self.root, rules, count, self.formulas).nodes
        last = [bisect_right(finer.start, start) - 1 for start in segments.start]
        return [
            nodes[finer.element[i]] if image_url is None else self.nodes[element]
            for element, image_url, i in zip(segments.element, segments.of_extras("image_url"), last, strict=True)
        ]

    def inherited(self, own: Callable[[etree._Element], Own | None]) -> Callable[[etree._Element], Own | None]:
        """Return a function of an element: what ``own`` returns for it, else for the nearest element above it.

        It calls ``own`` once for an element, however many elements are asked for.
        """
        known: dict[etree._Element, Own | None] = {}
        root = self.root

        def nearest(element: etree._Element) -> Own | None:
            passed = []
            node: etree._Element | None = element
            while node is not None and node not in known:
                passed.append(node)
                known[node] = found = own(node)
                if found is not None or node is root:
                    break
                node = node.getparent()
            result = known[node] if node is not None else None
            for below in passed:
                known[below] = result
            return result

        return nearest

    def ancestor(self, element: etree._Element, levels: int) -> etree._Element:
        """Return the element so many levels above; the root where there are fewer."""
        node: etree._Element | None = element
        for _ in range(levels):
            if node is None or node is self.root:
                break
            node = node.getparent()
        return self.root if node is None else node

    def _gone(self) -> set[etree._Element]:
        """Return the removed elements that are block-level or hold others, and all elements inside them.

        So are those that an image holds in a tree of XML, where it is a block.
        """
        images = self.root.iter("img") if self.rules.images else ()
        gone = {node for image in images for node in image.iterdescendants()}
        for node in removed_elements(self.root, self.rules, self.formulas):
            # Most are scripts, which hold nothing.
            if node not in gone and (len(node) or node.tag in self.rules.block_level):
                gone.update(node.iter())
        return gone


#: Names that XPath takes for a name: others (``o:p``, ``foo"bar``) stand as ``*[n]``.
_PLAIN_NAME = re.compile(r"[A-Za-z_][\w.-]*")


class Paths(NamedTuple):
    """Where an element is: ``xpath`` selects it in the whole page, ``dom_path`` names it and all above it.

    Both cost as much as the rest of an extraction, so they are made only when asked for.
    """

    xpath: str | None
    dom_path: str | None

    def below(self, name: str, step: str) -> Paths:
        """Return the paths of a child."""
        return Paths(f"{self.xpath}/{step}", f"{self.dom_path}.{name}" if self.dom_path else name)


#: Those of elements that get none.
NO_PATHS = Paths(None, None)

#: Characters of all paths of a page together; 50 to 100 MB.  Pages that people read stay far below.
MOST_CHARACTERS = 50_000_000


class _Open:
    """An element that has started and not ended yet, with the number of its children so far, by name."""

    __slots__ = ("children", "node", "paths", "step")

    def __init__(self, node: etree._Element | None, step: str, paths: Paths | None = None) -> None:
        self.node = node
        self.step = step
        #: None while nobody has asked for them.
        self.paths = paths
        self.children: Counter[str] = Counter()


def element_paths(root: etree._Element, rules: TagRules, numbers: Iterable[int]) -> dict[int, Paths]:
    """Return the paths of some elements by their numbers, which are those of ``Segment.element``.

    Once the paths of a page have :data:`MOST_CHARACTERS`, the elements that follow get none.
    """
    wanted = set(numbers)
    found: dict[int, Paths] = {}
    open_ = [_around(root)]
    number = 0
    left = MOST_CHARACTERS
    for event, node, marks in kept_nodes(root, rules):
        if not isinstance(node.tag, str):
            continue
        if event == "end":
            if open_[-1].node is node:
                open_.pop()
            else:
                # It was removed, but its later siblings count it.
                _step(open_[-1].children, node.tag)
            continue
        open_.append(_Open(node, _step(open_[-1].children, node.tag)))
        is_block = marks[0].startswith(BLOCK)
        number += is_block
        if (is_block and number in wanted) or node is root:
            left -= _make_paths(open_, left)
            # The root is element 0, and one of those that follow where it is block-level itself.
            here = {number * is_block, 0} if node is root else {number}
            found |= dict.fromkeys(here & wanted, open_[-1].paths or NO_PATHS)
            if left <= 0 or len(found) == len(wanted):
                break
    return found


def _make_paths(open_: Sequence[_Open], most: int) -> int:
    """Give paths to the open elements that have none yet; return how many characters they have.

    It stops when there are ``most``: a long name has as many copies as elements are inside.
    """
    first = next(i for i in range(len(open_) - 1, -1, -1) if open_[i].paths is not None)
    made = 0
    for above, element in pairwise(open_[first:]):
        assert above.paths is not None
        assert element.node is not None
        paths = element.paths = above.paths.below(str(element.node.tag), element.step)
        made += sum(map(len, filter(None, paths)))
        if made >= most:
            break
    return made


def _step(siblings: Counter[str], name: str) -> str:
    """Return the XPath step to the next element ``name``; ``siblings`` counts it."""
    siblings[name] += 1
    siblings["*"] += 1
    return f"{name}[{siblings[name]}]" if _PLAIN_NAME.fullmatch(name) else f"*[{siblings['*']}]"


def _around(root: etree._Element) -> _Open:
    """Return what is around ``root``, with the elements before it counted: its parent, or the document."""
    around = _Open(None, "", Paths("", ""))
    for node in [*reversed(list(root.iterancestors())), root]:
        for sibling in node.itersiblings(preceding=True):
            if isinstance(sibling.tag, str):
                _step(around.children, sibling.tag)
        if node is not root:
            name, paths = str(node.tag), around.paths
            assert paths is not None
            around = _Open(node, "", paths.below(name, _step(around.children, name)))
    return around
