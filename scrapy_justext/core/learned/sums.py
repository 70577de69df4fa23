# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Sum what blocks have: before each block, and in each element, class and path; number what is equal."""

from __future__ import annotations

from array import array
from os import urandom
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import cython

    from scrapy_justext.core.learned.tree import ElementColumns

#: A zero of each type.  As many of them are quicker made by a product than of bytes.
INT, LONG = array("i", [0]), array("Q", [0])
FLOAT, DOUBLE = array("f", [0.0]), array("d", [0.0])

#: What a key is multiplied by for its place in a table; no page can know it.
_FACTOR = int.from_bytes(urandom(8), "little") | 1
_ALL_BITS = (1 << 64) - 1


class Pairs:
    """The numbers of pairs of numbers, in a table that makes no object for a pair.

    ``most``: how many pairs there are at the most.
    """

    def __init__(self, most: int) -> None:
        bits = most.bit_length() + 1
        self.shift, self.last = 64 - bits, (1 << bits) - 1
        self.keys, self.numbers = LONG * (1 << bits), INT * (1 << bits)

    def number(self, left: cython.int, right: cython.int, new: cython.int) -> int:
        """Return the number of a pair; one that was not there before gets ``new``, which is above 0."""
        key: cython.ulonglong = left
        key = key << 32 | right
        at: cython.ulonglong = (key * _FACTOR & _ALL_BITS) >> self.shift
        while self.numbers[at]:
            if self.keys[at] == key:
                return self.numbers[at]
            at = at + 1 & self.last
        self.keys[at], self.numbers[at] = key, new
        return new


class Sums:
    """The sums of a weight of blocks.

    ``before``: of all blocks before each, and of all of them at the end.
    ``before_elements``: of those in all elements before each, and of all of them at the end.
    ``inside``: of those in each element.  ``of_classes``, ``of_paths``: of those in the elements of one.

    ``weights``: doubles, by block; ``element``: the blocks' elements.
    """

    def __init__(self, weights: Any, element: array[int], columns: ElementColumns) -> None:
        count, groups = len(columns.ends) + 1, columns.groups
        self.before = DOUBLE * (len(weights) + 1)
        self.before_elements, self.inside = DOUBLE * count, DOUBLE * count
        self.of_classes, self.of_paths = DOUBLE * groups, DOUBLE * groups
        self._add(weights, element, columns)

    def _add(self, weights: Any, element: array[int], columns: ElementColumns) -> None:
        classes, paths, ends = columns.classes, columns.paths, columns.ends
        i: cython.int
        for i in range(len(weights)):
            at: cython.int = element[i]
            weight: cython.double = weights[i]
            self.before[i + 1] = self.before[i] + weight
            self.before_elements[at + 1] += weight
            self.of_classes[classes[at]] += weight
            self.of_paths[paths[at]] += weight
        for i in range(len(ends)):
            self.before_elements[i + 1] += self.before_elements[i]
        for i in range(len(ends)):
            self.inside[i] = self.before_elements[ends[i]] - self.before_elements[i]


def holders(parents: array[int], blocks: Sums) -> array[int]:
    """Return for each element the nearest one around it that holds more blocks; ``blocks``: how many there are."""
    found = INT * len(parents)
    number: cython.int
    for number in range(1, len(parents)):
        parent: cython.int = parents[number]
        found[number] = parent if blocks.inside[parent] > blocks.inside[number] else found[parent]
    return found
