"""A page as arrays: what the groups of features share.

"Sentence-like" (prose): at least 70 units long, link density below 0.3, with a sentence end.  No stop words are
looked at, so that it means the same in every language.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scrapy_justext.learned.characters import Texts, measure_texts
from scrapy_justext.learned.tree import Tree, read_tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_justext.core.blocks import Segment
    from scrapy_justext.core.elements import Elements

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

PROSE_UNITS = 70
PROSE_LINK_DENSITY = 0.3


class Page(NamedTuple):
    """Arrays with a value a block, unless they say otherwise."""

    texts: Texts
    link_density: Floats
    link_units: Floats
    is_prose: NDArray[np.bool_]
    prose: Floats
    """The units of sentence-like blocks, 0 for others."""
    level: Ints
    """Of headings; 0 for others."""
    element: Ints
    """The number of the block's element in the tree."""
    tree: Tree


def read_page(segments: Sequence[Segment], elements: Elements) -> Page:
    """The arrays of a page."""
    texts = measure_texts([segment.collapsed for segment in segments])
    linked = np.array([segment.link_characters for segment in segments], np.float64)
    density = np.minimum(linked / np.maximum(texts.characters, 1), 1.0)
    is_prose = (texts.units >= PROSE_UNITS) & (density < PROSE_LINK_DENSITY) & (texts.ends > 0)
    return Page(
        texts,
        density,
        texts.units * density,
        is_prose,
        np.where(is_prose, texts.units, 0.0),
        np.array([segment.place.heading_level for segment in segments], np.int64),
        np.array([segment.element for segment in segments], np.int64),
        read_tree(elements),
    )
