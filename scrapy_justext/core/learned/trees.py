# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Ask boosted trees, all of a page's blocks at once.

Each level of a tree asks the same question of all blocks: is a feature above a border?  So the answers of a block are
the digits of a binary number, which is that of its leaf: no block has to be led down a tree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scrapy_justext.core.learned.sums import FLOAT, INT

if TYPE_CHECKING:
    import cython
    from numpy.typing import NDArray

    Floats32 = NDArray[np.float32]

#: Blocks that are asked about together.
_TOGETHER = 1024


class Trees(NamedTuple):
    """Boosted trees: t of them with d levels."""

    columns: NDArray[np.int16]
    """The feature that each level asks for: t x d."""
    borders: Floats32
    """The value above which the answer is yes: t x d."""
    leaves: Floats32
    """What each leaf adds to the log-odds; the answer of the level i is the bit i of its number: t x 2^d."""

    def log_odds(self, features: Floats32) -> Floats32:
        """Return the log-odds of blocks.  ``features``: a row a feature, a column a block."""
        parts = [_Asked(self, part).log_odds() for part in _parts(features)]
        return np.concatenate(parts) if parts else np.zeros(0, np.float32)

    def weights(self, features: Floats32) -> Floats32:
        """Return how much each feature raised the log-odds: half of what the other answer would have changed."""
        parts = [_Asked(self, part).weights() for part in _parts(features)]
        return np.concatenate(parts, axis=1) if parts else np.zeros_like(features)


def _parts(features: Floats32) -> list[Floats32]:
    return [features[:, start : start + _TOGETHER] for start in range(0, features.shape[1], _TOGETHER)]


class _Asked:
    """Trees that are asked about some blocks; ``reached``: for each tree the leaf of each block."""

    def __init__(self, trees: Trees, features: Floats32) -> None:
        self.rows, self.count = features.shape
        self.trees, self.levels = trees.columns.shape
        if trees.borders.shape != (self.trees, self.levels) or trees.leaves.shape != (self.trees, 1 << self.levels):
            raise ValueError("trees of different sizes")
        if trees.columns.size and not 0 <= trees.columns.min() <= trees.columns.max() < self.rows:
            raise ValueError("features that are not there")
        self.columns, self.borders, self.leaves = [values.reshape(-1).data for values in trees]
        self.features = np.ascontiguousarray(features).reshape(-1).data
        # Not of bytes, which could be anything to a C compiler: it would compare blocks one by one.
        self.reached = INT * (self.trees * self.count)
        self._find()

    def _find(self) -> None:
        features, reached = self.features, self.reached
        tree: cython.Py_ssize_t
        level: cython.Py_ssize_t
        i: cython.Py_ssize_t
        count: cython.Py_ssize_t = self.count
        for tree in range(self.trees):
            at: cython.Py_ssize_t = tree * count
            for level in range(self.levels):
                digit: cython.int = 1 << level
                border: cython.float = self.borders[tree * self.levels + level]
                row: cython.Py_ssize_t = self.columns[tree * self.levels + level] * count
                for i in range(count):
                    reached[at + i] |= digit if features[row + i] > border else 0

    def log_odds(self) -> Floats32:
        result = FLOAT * self.count
        reached, leaves = self.reached, self.leaves
        tree: cython.Py_ssize_t
        i: cython.Py_ssize_t
        count: cython.Py_ssize_t = self.count
        for tree in range(self.trees):
            first: cython.Py_ssize_t = tree << self.levels
            for i in range(count):
                result[i] += leaves[first + reached[tree * count + i]]
        return np.frombuffer(result, np.float32)

    def weights(self) -> Floats32:
        result = FLOAT * (self.rows * self.count)
        reached, leaves = self.reached, self.leaves
        tree: cython.Py_ssize_t
        level: cython.Py_ssize_t
        i: cython.Py_ssize_t
        count: cython.Py_ssize_t = self.count
        for level in range(self.levels):
            for tree in range(self.trees):
                first: cython.Py_ssize_t = tree << self.levels
                row: cython.Py_ssize_t = self.columns[tree * self.levels + level] * count
                for i in range(count):
                    leaf: cython.int = reached[tree * count + i]
                    result[row + i] += (leaves[first + leaf] - leaves[first + (leaf ^ 1 << level)]) / 2
        return np.frombuffer(result, np.float32).reshape(self.rows, -1)
