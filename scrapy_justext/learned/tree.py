"""The elements that blocks stand in, as numbers: parents, names, spans; in one pass over them."""

from __future__ import annotations

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
    known: dict[etree._Element, tuple[int, int]] = {}
    parents: list[int] = []
    own: list[int] = []
    around: list[int] = []
    paths: list[int] = []
    depths: list[int] = []
    classes: list[int] = []
    path_numbers: dict[tuple[int, str], int] = {}
    class_numbers: dict[tuple[str, str | None], int] = {}
    like: dict[tuple[int, int], int] = {}
    kin: list[tuple[int, int]] = []
    for number, node in enumerate(nodes):
        tag = node.tag
        bits = names_of(node, tag)
        parent, inline = _around(node, known) if number else (0, 0)
        bits |= inline
        known[node] = (number, 0)
        parents.append(parent)
        own.append(bits)
        is_root = number == 0
        around.append(bits if is_root else bits | around[parent])
        depths.append(0 if is_root else depths[parent] + 1)
        paths.append(path_numbers.setdefault((0 if is_root else paths[parent], tag), len(path_numbers) + 1))
        kind = class_numbers.setdefault((tag, node.get("class")), len(class_numbers))
        classes.append(kind)
        key = (parent, kind)
        like[key] = like.get(key, 0) + 1
        kin.append(key)
    ends = list(range(1, len(nodes) + 1))
    for number in range(len(nodes) - 1, 0, -1):
        parent = parents[number]
        ends[parent] = max(ends[parent], ends[number])
    return Tree(parents, ends, own, around, paths, [like[key] for key in kin], depths, classes)


def names_of(node: etree._Element, tag: str) -> int:
    """An element's own names, as bits."""
    bits = TAG_BITS.get(tag, 0)
    for name, value in cast("list[tuple[str, str]]", node.items()):
        read = READERS.get(name)
        if read is not None:
            bits |= read(value)
    return bits


def _around(node: etree._Element, known: dict[etree._Element, tuple[int, int]]) -> tuple[int, int]:
    """The number of the nearest block-level element around a node, and the names of inline ones up to there."""
    parent = node.getparent()
    found = None if parent is None else known.get(parent)
    if found is not None:
        return found
    passed = []
    while parent is not None and (found := known.get(parent)) is None:
        passed.append(parent)
        parent = parent.getparent()
    number, bits = found or (0, 0)
    for inline in reversed(passed):
        bits |= names_of(inline, str(inline.tag))
        known[inline] = (number, bits)
    return number, bits
