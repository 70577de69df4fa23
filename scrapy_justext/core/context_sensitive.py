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

from typing import TYPE_CHECKING

from scrapy_justext.core.blocks import BAD, GOOD, NEAR_GOOD, SHORT, BlockClass, Decision

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_justext.core.context import Context


def resolve(context: Context, decisions: Sequence[Decision]) -> list[Decision]:
    """Every decision made GOOD or BAD."""
    resolved = list(decisions)
    for start, end in _undecided_runs(decisions):
        before = decisions[start - 1].block_class if start else BAD
        after = decisions[end].block_class if end < len(decisions) else BAD
        resolved[start:end] = _resolve_run(decisions[start:end], before, after)
    return resolved


def _undecided_runs(decisions: Sequence[Decision]) -> Iterator[tuple[int, int]]:
    """The bounds of the runs of SHORT and NEAR_GOOD."""
    start = -1
    for i, decision in enumerate(decisions):
        block_class = decision.block_class
        if block_class is SHORT or block_class is NEAR_GOOD:
            start = i if start < 0 else start
        elif start >= 0:
            yield start, i
            start = -1
    if start >= 0:
        yield start, len(decisions)


def _resolve_run(run: Sequence[Decision], before: BlockClass, after: BlockClass) -> list[Decision]:
    if before is after:
        return _all(run, before, "between good blocks" if before is GOOD else "between bad blocks")
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
    return [Decision(block_class, f"{reason}; {why}") for _, reason, _ in run]
