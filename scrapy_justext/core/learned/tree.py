# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Read the block-level elements of a page as numbers: where each stands, and what its names say.

A set of names is an integer with a bit for each of :data:`.table.NAMES`.  An element has the names of its tag, of the
words in its attributes, and of its state.  Inline elements have no number of their own: their names count for the
block-level elements inside them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_justext.core.learned.sums import INT
from scrapy_justext.core.learned.table import STATES, TAGS, WORDS
from scrapy_justext.core.reading.nodes import IS_DESCRIBED

if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable

    import cython

    from scrapy_justext.core.reading.flow import Flow

_BITS = {name: 1 << position for position, name in enumerate((*(f"<{tag}>" for tag in TAGS), *WORDS, *STATES))}
_TAG_BITS = {tag: _BITS[f"<{tag}>"] for tag in TAGS}
_NOT_DISPLAYED, _NOT_READ_OUT, _NOT_SHOWN = (_BITS[state] for state in STATES)

#: Longer values are made by machines; characters behind are not read.
_READ_CHARACTERS = 300
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_INVISIBLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)

_WHOLE_PARTS: dict[str, int] = {}
_INSIDE_PARTS: list[tuple[str, int]] = []
for _word, _patterns in WORDS.items():
    for _pattern in _patterns.split():
        if _pattern.endswith("*"):
            _INSIDE_PARTS.append((_pattern.rstrip("*"), _BITS[_word]))
        else:
            _WHOLE_PARTS[_pattern] = _WHOLE_PARTS.get(_pattern, 0) | _BITS[_word]


@lru_cache(maxsize=1 << 14)
def _part_bits(part: str) -> int:
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
    lower = value.lower()
    return _NOT_DISPLAYED if ("none" in lower or "hidden" in lower) and _INVISIBLE.search(value) else 0


#: By attribute: what gives the names in its value; that of CLASS is read apart.
_READERS: list[tuple[str, Callable[[str], int]]] = [
    ("id", word_bits),
    ("role", word_bits),
    ("itemprop", word_bits),
    ("style", _style_bits),
    ("aria-hidden", lambda value: _NOT_READ_OUT if value == "true" else 0),
    # Whatever its value is.
    ("hidden", lambda _: _NOT_SHOWN),
]


class ElementColumns(NamedTuple):
    """The block-level elements of a page in document order, a value each.  Element 0 is the root."""

    sets: list[int]
    """The sets of names that there are."""
    groups: int
    """Above the number of any path or class."""
    parents: array[int]
    """The number of the nearest block-level ancestor; 0 for the root."""
    ends: array[int]
    """The number behind the last element inside it."""
    paths: array[int]
    """Equal for equal chains of tags from the root."""
    depths: array[int]
    """How many block-level ancestors it has."""
    classes: array[int]
    """Equal for equal tag and class."""
    alike: array[int]
    """How many children of its parent have its tag and class."""
    own_names: array[int]
    """Its own names, and those of inline elements between it and its parent: a set of :attr:`sets`."""
    all_names: array[int]
    """Its own names, and those of all its ancestors."""


def read_elements(flow: Flow) -> ElementColumns:
    """Read the block-level elements of a page."""
    columns = [INT * len(flow.elements) for _ in range(8)]
    reader = _Reader(flow, columns)
    reader.read()
    return ElementColumns(reader.sets, reader.groups, *columns)


class _Reader:
    def __init__(self, flow: Flow, columns: list[array[int]]) -> None:
        self.page, self.nodes, self.count = flow.page, flow.elements, len(flow.elements)
        self.parents, self.ends, self.paths, self.depths, self.classes, self.alike, self.own, self.all = columns
        #: The sets of names; the number of each; by two numbers, that of both together.  0 is the empty set.
        self.sets, self._numbers = [0], {0: 0}
        self._unions: list[dict[int, int]] = [{}]
        #: By tag, the numbers of its classes; the set of each class; those of inline elements.
        self._classes: list[dict[str | None, int]] = [{} for _ in range(len(self.page.names) + 1)]
        self._sets_of_classes: list[int] = []
        self._inline: dict[int, int] = {}

    def read(self) -> None:
        page = self.page
        around: cython.int = 0
        number: cython.int
        key: cython.ulonglong
        #: By the path of the parent and a tag, the number of a path; by parent and class, the first of a family.
        paths: dict[int, int] = {}
        families: dict[int, int] = {}
        sizes = INT * self.count
        for number in range(self.count):
            node: cython.int = self.nodes[number]
            names: cython.int = self._names(node)
            self.classes[number] = self._class
            if number:
                # A page may have elements beside the root.
                while around and page.end[self.nodes[around]] <= node:
                    self.ends[around] = number
                    around = self.parents[around]
                if page.parent[node] != self.nodes[around]:
                    names = self._union(names, self._inline_names(page.parent[node], self.nodes[around]))
                self.parents[number] = around
                self.depths[number] = self.depths[around] + 1
                key = self.paths[around]
                key = key << 32 | page.tag[node]
                self.paths[number] = paths.setdefault(key, len(paths) + 1)
            key = around
            key = key << 32 | self.classes[number]
            # Until all of a family are counted.
            self.alike[number] = families.setdefault(key, number)
            sizes[self.alike[number]] += 1
            self.own[number] = names
            self.all[number] = self._union(names, self.all[around])
            around = number
        while around:
            self.ends[around] = self.count
            around = self.parents[around]
        self.ends[0] = self.count
        self.groups = max(self.count, len(self._sets_of_classes)) + 1
        for number in range(self.count):
            self.alike[number] = sizes[self.alike[number]]

    def _names(self, node: cython.int) -> int:
        """Return the set of an element's own names; keep the number of its class."""
        page = self.page
        names = 0
        if page.flags[node] & IS_DESCRIBED:
            for name, read in _READERS:
                value = page.attribute(node, name)
                if value is not None:
                    names |= read(value[:_READ_CHARACTERS])
        classes = self._classes[page.tag[node] + 1]
        css_class = page.attribute(node, "class")
        number = classes.get(css_class)
        if number is None:
            number = classes[css_class] = len(self._sets_of_classes)
            words = word_bits(css_class[:_READ_CHARACTERS]) if css_class else 0
            self._sets_of_classes.append(self._number(words | _TAG_BITS.get(page.name(node), 0)))
        self._class = number
        of_class: cython.int = self._sets_of_classes[number]
        return self._union(of_class, self._number(names)) if names else of_class

    def _number(self, names: Any) -> int:
        number = self._numbers.setdefault(names, len(self.sets))
        if number == len(self.sets):
            self.sets.append(names)
            self._unions.append({})
        return number

    def _union(self, left: cython.int, right: cython.int) -> int:
        if left == right or not right:
            return left
        unions = self._unions[left]
        union = unions.get(right)
        if union is None:
            union = unions[right] = self._number(self.sets[left] | self.sets[right])
        return union

    def _inline_names(self, node: cython.int, stop: cython.int) -> int:
        """Return the names of an inline element, and of those around it up to a block-level one."""
        passed = []
        while node > 0 and node != stop and node not in self._inline:
            passed.append(node)
            node = self.page.parent[node]
        names: cython.int = self._inline.get(node, 0)
        for inline in reversed(passed):
            names = self._union(names, self._names(inline))
            self._inline[inline] = names
        return names
