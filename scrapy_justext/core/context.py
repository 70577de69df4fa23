"""What a pass may look at beside the classes so far."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scrapy_justext.core.blocks import Decision, Segment

if TYPE_CHECKING:
    from scrapy_justext.core.thresholds import Thresholds


@dataclass(frozen=True, slots=True)
class Context:
    """A page as the passes see it: plain data, from which they can be run again.

    ``context_free``: the classes that the blocks' own texts earned, or that somebody chose; ``pinned``: the
    indices of the latter, whose class no pass may change; ``groups``: for each block the number of its group, where
    the tree filter is asked for.
    """

    segments: Sequence[Segment]
    context_free: Sequence[Decision]
    thresholds: Thresholds
    pinned: frozenset[int] = frozenset()
    groups: Sequence[int] | None = None

    def chosen(self, decisions: Mapping[int, Decision]) -> Context:
        """The same page with other decisions for some blocks; those that are pinned already stay."""
        context_free = list(self.context_free)
        for i, decision in decisions.items():
            if i not in self.pinned:
                context_free[i] = decision
        pinned = self.pinned.union(decisions)
        return Context(self.segments, context_free, self.thresholds, pinned, self.groups)

    def pass_through(self, passes: Sequence[Pass]) -> Sequence[Decision]:
        """The decisions that the passes leave."""
        decisions = self.context_free
        for apply in passes:
            decisions = apply(self, decisions)
        return decisions


#: The page and the decisions so far -> decisions.
Pass = Callable[[Context, Sequence[Decision]], list[Decision]]
