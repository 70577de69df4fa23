# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Sum what blocks have: before each block, and in each element, class and path."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import cython

    from scrapy_justext.core.learned.tree import ElementColumns

#: A zero of each type.  As many of them are quicker made by a product than of bytes.
INT, FLOAT, DOUBLE = array("i", [0]), array("f", [0.0]), array("d", [0.0])


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
    around = INT * len(parents)
    number: cython.int
    for number in range(1, len(parents)):
        parent: cython.int = parents[number]
        around[number] = parent if blocks.inside[parent] > blocks.inside[number] else around[parent]
    return around
