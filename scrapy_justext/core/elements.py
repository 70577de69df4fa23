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
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from scrapy_justext.core.flattening import BLOCK, kept_nodes, removed_elements, top_elements
from scrapy_justext.core.reading import segment_and_count

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lxml import etree

    from scrapy_justext.core.blocks import Segment
    from scrapy_justext.core.tags import TagRules

Own = TypeVar("Own")


class Elements:
    """The block-level elements below a root that are not removed; they are found when first asked for.

    ``count``: how many reading has found, None if unknown.  If the tree has no more, no removed ones are searched.
    """

    def __init__(self, root: etree._Element, rules: TagRules, count: int | None = None) -> None:
        self.root = root
        self.rules = rules
        self._count = count

    @cached_property
    def nodes(self) -> list[etree._Element]:
        """Return ``root`` and the block-level elements; ``Segment.element`` is an index of this list."""
        found = [node for top in top_elements(self.root) for node in top.iter(*self.rules.block_level)]
        if len(found) != self._count:
            gone = _gone(self.root, self.rules)
            found = [node for node in found if node not in gone]
        return [self.root, *found]

    def innermost(self, segments: Sequence[Segment], names: frozenset[str]) -> list[etree._Element]:
        """Return for each block the innermost element around its text that is block-level or one of ``names``."""
        if self.rules.block_level >= names:
            return [self.nodes[segment.element] for segment in segments]
        # Some of the names split no blocks.  A second cut of the same text, in which they do, finds their elements.
        rules = replace(self.rules, block_level=self.rules.block_level | names)
        finer, count = segment_and_count(self.root, rules)
        nodes = Elements(self.root, rules, count).nodes
        starts = [segment.start for segment in finer]
        last = [bisect_right(starts, segment.start) - 1 for segment in segments]
        return [
            self.nodes[segment.element] if segment.image_url is not None else nodes[finer[i].element]
            for segment, i in zip(segments, last, strict=True)
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


def _gone(root: etree._Element, rules: TagRules) -> set[etree._Element]:
    """Return the removed elements that are block-level or hold others, and all elements inside them."""
    gone: set[etree._Element] = set()
    for node in removed_elements(root, rules):
        # Most are scripts, which hold nothing.
        if node not in gone and (len(node) or node.tag in rules.block_level):
            gone.update(node.iter())
    return gone


#: Names that XPath takes for a name: others (``o:p``, ``foo"bar``) stand as ``*[n]``.
_PLAIN_NAME = re.compile(r"[A-Za-z_][\w.-]*")


class Paths(NamedTuple):
    """Where an element is: ``xpath`` selects it in the whole page, ``dom_path`` names it and all above it.

    Both cost as much as the rest of an extraction, so they are made only when asked for.
    """

    xpath: str
    dom_path: str

    def below(self, name: str, step: str) -> Paths:
        """Return the paths of a child."""
        return Paths(f"{self.xpath}/{step}", f"{self.dom_path}.{name}")


class _Open(NamedTuple):
    """An element that has started and not ended yet, with the number of its children so far, by name."""

    node: etree._Element
    paths: Paths
    children: Counter[str]


def element_paths(root: etree._Element, rules: TagRules) -> list[Paths]:
    """Return the paths of ``root`` and of each block-level element of it, as segments number them."""
    found: list[Paths] = []
    open_: list[_Open] = []
    for event, node, marks in kept_nodes(root, rules):
        if not isinstance(node.tag, str):
            continue
        if event == "end":
            if open_ and open_[-1].node is node:
                open_.pop()
            elif open_:
                # It was removed, but its later siblings count it.
                _step(open_[-1].children, node.tag)
            continue
        paths = _child(open_[-1], node.tag) if open_ else _root_paths(node)
        open_.append(_Open(node, paths, Counter()))
        if not found or marks[0].startswith(BLOCK):
            found.append(paths)
    if found and root.tag in rules.block_level:
        found.insert(0, found[0])
    return found


def _child(parent: _Open, name: str) -> Paths:
    return parent.paths.below(name, _step(parent.children, name))


def _step(siblings: Counter[str], name: str) -> str:
    """Return the XPath step to the next element ``name``; ``siblings`` counts it."""
    siblings[name] += 1
    siblings["*"] += 1
    return f"{name}[{siblings[name]}]" if _PLAIN_NAME.fullmatch(name) else f"*[{siblings['*']}]"


def _root_paths(root: etree._Element) -> Paths:
    paths = Paths("", "")
    for node in [*reversed(list(root.iterancestors())), root]:
        siblings: Counter[str] = Counter()
        for sibling in node.itersiblings(preceding=True):
            if isinstance(sibling.tag, str):
                _step(siblings, sibling.tag)
        name = str(node.tag)
        paths = paths.below(name, _step(siblings, name))
    return Paths(paths.xpath, paths.dom_path.removeprefix("."))
