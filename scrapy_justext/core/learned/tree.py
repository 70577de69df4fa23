"""Read the block-level elements of a page as numbers: where each stands, and what its names say.

A set of names is an integer with a bit for each of :data:`.names.NAMES`; the different ones of a page are numbered.  An
element has the names of its tag, of the words in its attributes, and of its state.  Inline elements have no number of
their own: their names count for the block-level elements inside them.  The whole tree is read in one pass, from parents
to children.
"""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from scrapy_justext.core.flattening import writer
from scrapy_justext.core.kernel.expressions import EntityError
from scrapy_justext.core.kernel.loading import kernel
from scrapy_justext.core.learned.names import STATES, TAGS, WORDS

if TYPE_CHECKING:
    from collections.abc import Callable

    from lxml import etree
    from numpy.typing import NDArray

    from scrapy_justext.core.elements import Elements
    from scrapy_justext.core.kernel.elements import ElementReader, ElementReading
    from scrapy_justext.core.kernel.loading import Modules
    from scrapy_justext.core.reading.rules import TagRules

    Ints = NDArray[np.intp]

_BITS = {name: 1 << position for position, name in enumerate((*(f"<{tag}>" for tag in TAGS), *WORDS, *STATES))}
_TAG_BITS = {tag: _BITS[f"<{tag}>"] for tag in TAGS}
_NOT_DISPLAYED, _NOT_READ_OUT, _NOT_SHOWN = (_BITS[state] for state in STATES)
#: Bytes of a set of names: as many as compiled code has for it.
SET_SIZE = 24

#: Longer values are made by machines; characters behind are not read.
READ_CHARACTERS = 300
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_INVISIBLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)

_WHOLE_PARTS: dict[str, int] = {}
_INSIDE_PARTS: list[tuple[str, int]] = []
for _word, _patterns in WORDS.items():
    for _pattern in _patterns.split():
        if _pattern.endswith("*"):
            _INSIDE_PARTS.append((_pattern[:-1], _BITS[_word]))
        else:
            _WHOLE_PARTS[_pattern] = _WHOLE_PARTS.get(_pattern, 0) | _BITS[_word]


@lru_cache(maxsize=1 << 14)
def _part_bits(part: str) -> int:
    """Return the words that one part of a value stands for."""
    bits = _WHOLE_PARTS.get(part, 0)
    for pattern, bit in _INSIDE_PARTS:
        if pattern in part:
            bits |= bit
    return bits


@lru_cache(maxsize=1 << 15)
def word_bits(value: str) -> int:
    """Return the words in an attribute's value."""
    bits = 0
    for part in _PART.findall(value):
        bits |= _part_bits(part.lower())
    return bits


@lru_cache(maxsize=1 << 10)
def _style_bits(value: str) -> int:
    return _NOT_DISPLAYED if _INVISIBLE.search(value) else 0


#: By attribute: what gives the names in its value.
_READERS: dict[str, Callable[[str], int]] = {
    "class": word_bits,
    "id": word_bits,
    "role": word_bits,
    "itemprop": word_bits,
    "style": _style_bits,
    "aria-hidden": lambda value: _NOT_READ_OUT if value == "true" else 0,
    # Whatever its value is.
    "hidden": lambda _: _NOT_SHOWN,
}


def read_names(node: etree._Element, tag: str) -> tuple[int, str | None]:
    """Return an element's own names, and its class."""
    bits = _TAG_BITS.get(tag, 0)
    css_class = None
    for attribute, value in cast("list[tuple[str, str]]", node.items()):
        read = _READERS.get(attribute)
        if read is not None:
            bits |= read(value[:READ_CHARACTERS])
            if attribute == "class":
                css_class = value
    return bits, css_class


class ElementColumns(NamedTuple):
    """The block-level elements of a page in document order, a value each.  Element 0 is the root."""

    parents: Ints
    """The number of the nearest block-level ancestor; 0 for the root."""
    ends: Ints
    """The number behind the last element inside it."""
    own_names: Ints
    """Its own names, and those of inline elements between it and its parent: the number of a set."""
    all_names: Ints
    """Its own names, and those of all its ancestors: the number of a set."""
    paths: Ints
    """Equal for equal chains of tags from the root."""
    alike: Ints
    """How many children of its parent have its tag and class."""
    depths: Ints
    """How many block-level ancestors it has."""
    classes: Ints
    """Equal for equal tag and class."""
    name_sets: NDArray[np.uint8]
    """The sets of names, a row each: a bit for each of :data:`.names.NAMES`, packed."""

    def levels(self, element: Ints, block_counts: NDArray[np.float64], most: int) -> Ints:
        """Return for each block its element and ancestors, a row a level, ``most`` of them; the root is the last.

        An ancestor that holds no more blocks than the element below is passed over.
        ``element``: those of the blocks; ``block_counts``: how many blocks there are inside each element.
        """
        outermost = np.where(block_counts[self.parents] > block_counts, np.arange(len(self.parents)), self.parents)
        # Each step doubles how far it leads.
        while not np.array_equal(farther := outermost[outermost], outermost):
            outermost = farther
        next_level = self.parents[outermost]
        found = np.empty((most, len(element)), np.intp)
        found[0] = element
        for level in range(1, most):
            found[level] = next_level[found[level - 1]]
        return found


def read_elements(elements: Elements) -> ElementColumns:
    """Read the block-level elements of a page."""
    reading, count = elements.reading, elements.count
    read = None if reading is None or count is None else reading.columns(count)
    modules = kernel().modules
    if read is None and count is not None and modules is not None:
        again = _reading(modules, elements.root, elements.rules)
        with suppress(EntityError):
            writer(modules.tree, elements.rules).write(elements.root, watcher=again)
            read = again.columns(count)
    if read is None:
        return read_in_python(elements)
    columns, sets = read
    return ElementColumns._make([*(np.frombuffer(column, np.intp) for column in columns), _rows(sets)])


def element_reading(root: etree._Element, rules: TagRules) -> ElementReading | None:
    """Return what reads a page's elements when compiled code flattens it; None without compiled code."""
    modules = kernel().modules
    return None if modules is None else _reading(modules, root, rules)


def _reading(modules: Modules, root: etree._Element, rules: TagRules) -> ElementReading:
    made: ElementReading = modules.elements.ElementReading(_reader(modules, rules), root)
    return made


@lru_cache
def _reader(modules: Modules, rules: TagRules) -> ElementReader:
    """Return what reads elements with compiled code."""
    # Compiled code finds the parts of a value itself.
    words = [name for name, read in _READERS.items() if read is word_bits]
    readers = _READERS | dict.fromkeys(words, _part_bits)
    made: ElementReader = modules.elements.ElementReader(
        writer(modules.tree, rules), _TAG_BITS, readers, words, READ_CHARACTERS
    )
    return made


def _rows(sets: bytes) -> NDArray[np.uint8]:
    return np.frombuffer(sets, np.uint8).reshape(-1, SET_SIZE)


def read_in_python(elements: Elements) -> ElementColumns:
    """Return what :func:`read_elements` gives, without compiled code."""
    root = elements.nodes[0]
    # By node: the number of the nearest block-level element, and the names of inline elements from there to the node.
    known: dict[etree._Element | None, tuple[int, int]] = {root: (0, 0)}
    path_numbers: dict[tuple[int, str], int] = {}
    class_numbers: dict[tuple[str, str | None], int] = {}
    bits, css_class = read_names(root, root.tag)
    # A list for each column: a row for each element would cost twice the time.
    parents, own_names, all_names, paths, depths = [0], [bits], [bits], [0], [0]
    classes = [class_numbers.setdefault((root.tag, css_class), 0)]
    for number, node in enumerate(elements.nodes[1:], 1):
        tag = node.tag
        bits, css_class = read_names(node, tag)
        parent, inline_bits = known.get(node.getparent()) or _read_inline_ancestors(node, known)
        bits |= inline_bits
        known[node] = (number, 0)
        parents.append(parent)
        own_names.append(bits)
        all_names.append(bits | all_names[parent])
        depths.append(depths[parent] + 1)
        paths.append(path_numbers.setdefault((paths[parent], tag), len(path_numbers) + 1))
        classes.append(class_numbers.setdefault((tag, css_class), len(class_numbers)))
    ends = list(range(1, len(parents) + 1))
    for number in range(len(parents) - 1, 0, -1):
        ends[parents[number]] = max(ends[parents[number]], ends[number])
    families = list(zip(parents, classes, strict=True))
    sizes = Counter(families)
    alike = [sizes[family] for family in families]
    sets: dict[int, int] = {}
    numbers = [sets.setdefault(names, len(sets)) for pair in zip(own_names, all_names, strict=True) for names in pair]
    columns = (parents, ends, numbers[::2], numbers[1::2], paths, alike, depths, classes)
    packed = b"".join([names.to_bytes(SET_SIZE, "little") for names in sets])
    return ElementColumns._make([*(np.array(column, np.intp) for column in columns), _rows(packed)])


def _read_inline_ancestors(
    node: etree._Element, known: dict[etree._Element | None, tuple[int, int]]
) -> tuple[int, int]:
    """Return the number of the nearest block-level ancestor, and the names of inline ancestors below it."""
    ancestor = node.getparent()
    passed = []
    found = None
    while ancestor is not None and (found := known.get(ancestor)) is None:
        passed.append(ancestor)
        ancestor = ancestor.getparent()
    number, bits = found or (0, 0)
    for inline in reversed(passed):
        bits |= read_names(inline, str(inline.tag))[0]
        known[inline] = (number, bits)
    return number, bits
