"""Context-sensitive classification: SHORT and NEAR_GOOD blocks take after their neighbours.

Runs of SHORT and NEAR_GOOD lie between GOOD and BAD; the edges of the page are BAD.

* between two GOOD: all GOOD;
* between two BAD: all BAD;
* between one of each: the NEAR_GOOD nearest to the BAD side is the border.  It and all from it to the
  GOOD side is GOOD, what lies between it and the BAD side is BAD.  Without a NEAR_GOOD all is BAD.

GOOD and BAD never change here.  The reference scans outwards from every block, which is quadratic; here
every block is looked at once.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from scrapy_justext.core.blocks import BAD, GOOD, NEAR_GOOD, SHORT, BlockClass, Decision

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_justext.core.blocks import Segment
    from scrapy_justext.core.thresholds import Thresholds


def resolve(
    segments: Sequence[Segment],
    context_free: Sequence[Decision],
    decisions: Sequence[Decision],
    thresholds: Thresholds,
) -> list[Decision]:
    """Every decision made GOOD or BAD."""
    resolved: list[Decision] = []
    runs = groupby(decisions, key=lambda decision: decision.block_class in (SHORT, NEAR_GOOD))
    for undecided, group in runs:
        run = list(group)
        if undecided:
            before = resolved[-1].block_class if resolved else BAD
            end = len(resolved) + len(run)
            after = decisions[end].block_class if end < len(decisions) else BAD
            run = _resolve_run(run, before, after)
        resolved += run
    return resolved


def _resolve_run(run: Sequence[Decision], before: BlockClass, after: BlockClass) -> list[Decision]:
    if before is after:
        return _all(run, before, f"between {before} blocks")
    if before is BAD:
        return _resolve_run(run[::-1], after, before)[::-1]
    good = _last_near_good(run) + 1
    if not good:
        return _all(run, BAD, "beside a bad block, no near-good one in between")
    return [
        *_all(run[:good], GOOD, "on the good side of the nearest near-good block"),
        *_all(run[good:], BAD, "on the bad side of the nearest near-good block"),
    ]


def _last_near_good(run: Sequence[Decision]) -> int:
    """The index of the last NEAR_GOOD in a run; -1 without one."""
    for i in range(len(run) - 1, -1, -1):
        if run[i].block_class is NEAR_GOOD:
            return i
    return -1


def _all(run: Sequence[Decision], block_class: BlockClass, why: str) -> list[Decision]:
    return [Decision(block_class, f"{decision.reason}; {why}") for decision in run]
