"""The features of what is around blocks: elements that hold them, and neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scrapy_justext.learned.table import LEVELS, OFFSETS, WINDOWS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_justext.learned.page import Page

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

#: What neighbours may have in common with a block; the other rows of them are figures.
_COMPARED = slice(3, 5)


def tree_features(page: Page) -> Floats:
    """Of the element of each block, and of those around it: a row a feature, a column a block."""
    tree = page.tree
    count = len(tree.parents)
    starts, ends = np.arange(count), np.array(tree.ends, np.int64)
    so_far = _in_elements(
        page, page.texts.units, np.ones(len(page.element)), page.link_units, page.prose, np.minimum(page.level, 1)
    )
    inside = np.maximum(so_far[:, ends] - so_far[:, starts], 0.0)
    units, blocks, links, prose, headings = inside
    before = so_far[0, starts]
    total, prose_total = max(units[0], 1.0), max(prose[0], 1.0)
    at_least = np.maximum(units, 1)
    of_elements = np.array(
        [
            units,
            units / total,
            links / at_least,
            blocks,
            prose / prose_total,
            prose / at_least,
            headings / np.maximum(blocks, 1),
            tree.alike,
        ]
    )
    at = _levels(page, tree.parents, blocks)
    so_far_of_blocks = np.cumsum(page.texts.units) - page.texts.units
    place = np.clip((so_far_of_blocks - before[at]) / at_least[at], 0.0, 1.0)
    return np.concatenate([of_elements[:, at].reshape(-1, at.shape[1]), place, before[at] / total])


def _in_elements(page: Page, *weights: NDArray[np.generic]) -> Floats:
    """For each kind of weight, the sums over the blocks of all elements before one, in document order."""
    count = len(page.tree.parents)
    sums = np.zeros((len(weights), count + 1))
    for row, one in zip(sums, weights, strict=True):
        row[1:] = np.bincount(page.element, one, count)
    return np.cumsum(sums, axis=1)


def _levels(page: Page, parents: Sequence[int], blocks: Floats) -> Ints:
    """For each block its element, and those around it that hold more blocks than the one inside, up to the root."""
    counts = blocks.tolist()
    wider = [0] * len(parents)
    for number, parent in enumerate(parents):
        wider[number] = parent if counts[parent] > counts[number] else wider[parent]
    step = np.array(wider, np.int64)
    at = np.empty((LEVELS, len(page.element)), np.int64)
    at[0] = page.element
    for level in range(1, LEVELS):
        at[level] = step[at[level - 1]]
    return at


def neighbour_features(page: Page) -> Floats:
    """Of the blocks before and behind each: a row a feature, a column a block."""
    # From 1 on, as 0 stands for what is outside the page.
    same = np.array([page.tree.classes, page.tree.parents], np.int64)[:, page.element] + 1
    units = page.texts.units
    rows = np.concatenate(
        [
            [units, page.link_density, page.texts.ends],
            same,
            [np.minimum(page.level, 1), page.is_prose],
        ]
    )
    shifted = np.stack([_shifted(rows, offset) for offset in OFFSETS], axis=1)
    shifted[_COMPARED] = shifted[_COMPARED] == same[:, None]
    sums = [_windows(np.array([page.prose, page.link_units, units]), size) for size in WINDOWS]
    sizes = 2 * np.array(WINDOWS) + 1
    prose, links, lengths = np.stack(sums, axis=1)
    at_least = np.maximum(lengths, 1)
    return np.concatenate(
        [
            shifted.reshape(-1, len(units)),
            prose / at_least,
            links / at_least,
            lengths / sizes[:, None],
        ]
    )


def _shifted(rows: Floats, offset: int) -> Floats:
    """The values of the neighbours; 0 outside the page."""
    result = np.zeros(rows.shape)
    if abs(offset) >= rows.shape[1]:
        return result
    if offset < 0:
        result[:, -offset:] = rows[:, :offset]
    else:
        result[:, :-offset] = rows[:, offset:]
    return result


def _windows(rows: Floats, size: int) -> Floats:
    """Sums over ``size`` neighbours on each side and the block itself."""
    count = rows.shape[1]
    sums = np.zeros((len(rows), count + 1))
    np.cumsum(rows, axis=1, out=sums[:, 1:])
    index = np.arange(count)
    stops, starts = np.minimum(index + size + 1, count), np.maximum(index - size, 0)
    total: Floats = np.maximum(sums[:, stops] - sums[:, starts], 0.0)
    return total
