"""Ask boosted trees, all of a page's blocks at once.

Each level of a tree asks the same question of all blocks: is a feature above a border?  So the answers of a block are
the digits of a binary number, which is that of its leaf: no block has to be led down a tree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scrapy_justext.core.kernel.loading import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats32 = NDArray[np.float32]

#: Answers that are worked out together.
_ANSWERS_TOGETHER = 1 << 19


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
        modules = kernel().modules
        if modules is None:
            return self.log_odds_in_python(features)
        return np.frombuffer(modules.second.log_odds(np.ascontiguousarray(features), *self), np.float32)

    def log_odds_in_python(self, features: Floats32) -> Floats32:
        """Return what :meth:`log_odds` gives, without compiled code."""
        result = np.empty(features.shape[1], np.float32)
        for blocks in self._parts(len(result)):
            found = self._found(features[:, blocks])
            result[blocks] = self._values(found).sum(axis=0)
        return result

    def weights(self, features: Floats32) -> Floats32:
        """Return how much each feature raised the log-odds of each block: a row a feature, a column a block.

        An answer counts half of what the other answer would have changed.
        """
        modules = kernel().modules
        if modules is None:
            return self.weights_in_python(features)
        found = modules.second.weights(np.ascontiguousarray(features), *self)
        return np.frombuffer(found, np.float32).reshape(features.shape)

    def weights_in_python(self, features: Floats32) -> Floats32:
        """Return what :meth:`weights` gives, without compiled code."""
        result = np.zeros(features.shape, np.float32)
        for blocks in self._parts(features.shape[1]):
            found = self._found(features[:, blocks])
            value = self._values(found)
            for level, columns in enumerate(self.columns.T):
                other = self._values(found ^ np.uint8(1 << level))
                np.add.at(result[:, blocks], columns, (value - other) / 2)
        return result

    def _values(self, leaves: NDArray[np.uint8]) -> Floats32:
        """Return what the leaves of blocks add."""
        # Places in all trees' leaves together are found in a third of the time of places in each tree's.
        first = np.arange(len(self.leaves))[:, None] * self.leaves.shape[1]
        values: Floats32 = self.leaves.reshape(-1).take(leaves + first)
        return values

    def _found(self, features: Floats32) -> NDArray[np.uint8]:
        """Return the leaf of each block (column) in each tree (row)."""
        found = np.zeros((len(self.columns), features.shape[1]), np.uint8)
        for level, (columns, borders) in enumerate(zip(self.columns.T, self.borders.T, strict=True)):
            found |= (features[columns] > borders[:, None]).view(np.uint8) << np.uint8(level)
        return found

    def _parts(self, count: int) -> list[slice]:
        size = max(_ANSWERS_TOGETHER // max(len(self.columns), 1), 1)
        return [slice(start, start + size) for start in range(0, count, size)]
