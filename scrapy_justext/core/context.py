"""What a pass may look at beside the classes so far."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scrapy_justext.core.blocks import Decision, Segment

if TYPE_CHECKING:
    from scrapy_justext.core.elements import Elements
    from scrapy_justext.core.thresholds import Thresholds


@dataclass(frozen=True, slots=True)
class Context:
    """A page as the passes see it.

    ``context_free``: the classes that the blocks' own texts earned, or that the user chose; ``pinned``: the
    indices of the latter, whose class no pass may change; ``elements``: where the blocks stand in the tree.
    """

    segments: Sequence[Segment]
    context_free: Sequence[Decision]
    thresholds: Thresholds
    pinned: frozenset[int] = frozenset()
    elements: Elements | None = None


#: The page and the decisions so far -> decisions.
Pass = Callable[[Context, Sequence[Decision]], list[Decision]]
