"""Rescuing headings, which are too short to be judged by themselves.

* :func:`promote`, before the context pass: a SHORT heading with a GOOD block not far ahead becomes
  NEAR_GOOD.  It looks at context-free classes, so one heading never promotes another.
* :func:`restore`, after it: a heading that the context made BAD, though its own text had not, becomes
  GOOD when a GOOD block is not far ahead.  It looks at the classes that the context pass left, so
  headings made GOOD here promote no others.

The distance is the summed length of the blocks in between; ``max_heading_distance`` itself still
counts.  In the reference the first of the two is dead (issue 45 of miso-belica/jusText).  The Java port
restores headings whose own text was BAD, which the page that describes it forbids: so do we.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from scrapy_justext.core.blocks import BAD, GOOD, NEAR_GOOD, SHORT, BlockClass, Decision

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_justext.core.blocks import Segment
    from scrapy_justext.core.thresholds import Thresholds


def promote(
    segments: Sequence[Segment],
    context_free: Sequence[Decision],
    decisions: Sequence[Decision],
    thresholds: Thresholds,
) -> list[Decision]:
    """SHORT headings before a GOOD block made NEAR_GOOD."""
    headings = [i for i in _headings(segments, thresholds) if decisions[i].block_class is SHORT]
    return _rescue(headings, NEAR_GOOD, segments, decisions, thresholds)


def restore(
    segments: Sequence[Segment],
    context_free: Sequence[Decision],
    decisions: Sequence[Decision],
    thresholds: Thresholds,
) -> list[Decision]:
    """Headings before a GOOD block made GOOD that are BAD by their context alone."""
    headings = [
        i
        for i in _headings(segments, thresholds)
        if decisions[i].block_class is BAD and context_free[i].block_class is not BAD
    ]
    return _rescue(headings, GOOD, segments, decisions, thresholds)


def _headings(segments: Sequence[Segment], thresholds: Thresholds) -> list[int]:
    """The indices of the blocks that are treated as headings."""
    if thresholds.no_headings:
        return []
    return [i for i, segment in enumerate(segments) if segment.place.heading_level]


def _rescue(
    headings: list[int],
    to: BlockClass,
    segments: Sequence[Segment],
    decisions: Sequence[Decision],
    thresholds: Thresholds,
) -> list[Decision]:
    """``decisions`` with those of ``headings`` that are near enough to a GOOD block made ``to``."""
    rescued = list(decisions)
    distance: float = inf  # from the end of the block at hand to the next GOOD one
    seen = len(segments)
    for heading in reversed(headings):
        for i in range(seen - 1, heading, -1):
            is_good = decisions[i].block_class is GOOD
            distance = 0 if is_good else distance + len(segments[i].collapsed)
        seen = heading + 1
        if distance <= thresholds.max_heading_distance:
            rescued[heading] = Decision(to, f"heading, good block {distance} characters ahead")
    return rescued
