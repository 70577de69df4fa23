"""The elements that blocks stand in, as numbers: parents, names, spans; in one pass over them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple, cast

from scrapy_justext.learned.names import READERS, TAG_BITS

if TYPE_CHECKING:
    from lxml import etree

    from scrapy_justext.core.elements import Elements


class Tree(NamedTuple):
    """The block-level elements of a page in document order, a value each.

    ``parents``: the number of the block-level element around it, 0 for the root; ``ends``: the number behind the
    last one inside it; ``own``: its names, as bits (inline elements between it and its parent count as
    its own); ``all``: those of it and all around it; ``paths``: equal for
    equal chains of element names from the root; ``alike``: how many of its parent's children have its
    name and class; ``depths``: block-level elements around it; ``classes``: equal for equal name and class.
    """

    parents: list[int]
    ends: list[int]
    own: list[int]
    all: list[int]
    paths: list[int]
    alike: list[int]
    depths: list[int]
    classes: list[int]


def read_tree(elements: Elements) -> Tree:
    """The numbers of a page's block-level elements."""
    nodes = elements.nodes
    # Of block-level elements their number and no names, of inline ones the number around them and names up to there.
    known: dict[etree._Element | None, tuple[int, int]] = {nodes[0]: (0, 0)}
    path_numbers: dict[tuple[int, str], int] = {}
    class_numbers: dict[tuple[str, str | None], int] = {}
    root = nodes[0]
    bits, css = read_names(root, root.tag)
    # One list a figure: a row of them for each element would cost twice the time.
    parents, own, around, paths, depths = [0], [bits], [bits], [0], [0]
    classes = [class_numbers.setdefault((root.tag, css), 0)]
    for number, node in enumerate(nodes[1:], 1):
        tag = node.tag
        bits, css = read_names(node, tag)
        parent, inline = known.get(node.getparent()) or _around(node, known)
        bits |= inline
        known[node] = (number, 0)
        parents.append(parent)
        own.append(bits)
        around.append(bits | around[parent])
        depths.append(depths[parent] + 1)
        paths.append(path_numbers.setdefault((paths[parent], tag), len(path_numbers) + 1))
        classes.append(class_numbers.setdefault((tag, css), len(class_numbers)))
    ends = list(range(1, len(nodes) + 1))
    for number in range(len(nodes) - 1, 0, -1):
        ends[parents[number]] = max(ends[parents[number]], ends[number])
    kin = list(zip(parents, classes, strict=True))
    like = Counter(kin)
    return Tree(parents, ends, own, around, paths, [like[key] for key in kin], depths, classes)


def read_names(node: etree._Element, tag: str) -> tuple[int, str | None]:
    """An element's own names, as bits; and its class."""
    bits = TAG_BITS.get(tag, 0)
    css = None
    for name, value in cast("list[tuple[str, str]]", node.items()):
        read = READERS.get(name)
        if read is not None:
            bits |= read(value)
            if name == "class":
                css = value
    return bits, css


def _around(node: etree._Element, known: dict[etree._Element | None, tuple[int, int]]) -> tuple[int, int]:
    """The number of the nearest block-level element around a node, and the names of inline ones up to there."""
    parent = node.getparent()
    passed = []
    found = None
    while parent is not None and (found := known.get(parent)) is None:
        passed.append(parent)
        parent = parent.getparent()
    number, bits = found or (0, 0)
    for inline in reversed(passed):
        bits |= read_names(inline, str(inline.tag))[0]
        known[inline] = (number, bits)
    return number, bits
