"""Where a block's element stands in the page: its XPath and the names above it.

Both cost as much as all the rest together, so they are made only when asked for.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.core.flattening import BLOCK, kept_nodes

if TYPE_CHECKING:
    from lxml import etree

    from scrapy_justext.core.tags import TagRules

#: Names that XPath takes for a name: others (``o:p``, ``foo"bar``) stand as ``*[n]``.
_PLAIN_NAME = re.compile(r"[A-Za-z_][\w.-]*")


class Paths(NamedTuple):
    """``xpath`` selects the element in the whole page, ``dom_path`` names it and all above it."""

    xpath: str
    dom_path: str

    def below(self, name: str, step: str) -> Paths:
        """The paths of a child."""
        return Paths(f"{self.xpath}/{step}", f"{self.dom_path}.{name}")


class _Open(NamedTuple):
    """An element that is being walked through, with how many children of each name it had so far."""

    node: etree._Element
    paths: Paths
    children: Counter[str]


def element_paths(root: etree._Element, rules: TagRules) -> list[Paths]:
    """The paths of ``root`` and of each block-level element of it, as segments number them."""
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
    """The XPath step to the next element ``name``; ``siblings`` counts it."""
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
