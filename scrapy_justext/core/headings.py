"""Rescuing headings, which are too short to be judged by themselves, and the images of the Java port.

* :func:`promote`, before the context pass: a SHORT heading with a GOOD block not far ahead becomes
  NEAR_GOOD.  It looks at context-free classes, so one heading never promotes another.
* :func:`restore`, after it: a heading that the context made BAD, though its own text had not, becomes
  GOOD when a GOOD block is not far ahead.  It looks at the classes that the context pass left, so
  headings made GOOD here promote no others.
* :func:`promote_images`, between the two: an image with a GOOD block not far ahead becomes NEAR_GOOD.

The distance is the summed length of the blocks in between; ``max_heading_distance`` itself still
counts.  In the reference the first of the two is dead (issue 45 of miso-belica/jusText).  The Java port
restores headings whose own text was BAD, which the page that describes it forbids: so do we.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from scrapy_justext.core.blocks import BAD, GOOD, NEAR_GOOD, SHORT, BlockClass, Decision

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_justext.core.blocks import Segment
    from scrapy_justext.core.context import Context

#: Characters of a heading in a path; a longer one is cut, since every block below it carries it.
MOST_IN_PATH = 160


def promote(context: Context, decisions: Sequence[Decision]) -> list[Decision]:
    """SHORT headings before a GOOD block made NEAR_GOOD."""
    headings = [i for i in _headings(context) if decisions[i].block_class is SHORT]
    return rescue(headings, NEAR_GOOD, "heading", context, decisions)


def restore(context: Context, decisions: Sequence[Decision]) -> list[Decision]:
    """Headings before a GOOD block made GOOD that are BAD by their context alone."""
    headings = [
        i
        for i in _headings(context)
        if decisions[i].block_class is BAD and context.context_free[i].block_class is not BAD
    ]
    return rescue(headings, GOOD, "heading", context, decisions)


def promote_images(context: Context, decisions: Sequence[Decision]) -> list[Decision]:
    """Images before a GOOD block made NEAR_GOOD, headings or not; nothing under ``no_images``."""
    if context.thresholds.no_images:
        return list(decisions)
    images = [i for i, segment in enumerate(context.segments) if segment.image_url is not None]
    images = [i for i in images if i not in context.pinned]
    return rescue(images, NEAR_GOOD, "image", context, decisions)


def _headings(context: Context) -> list[int]:
    """The indices of the blocks that are treated as headings."""
    if context.thresholds.no_headings:
        return []
    return [i for i, segment in enumerate(context.segments) if segment.place.heading_level]


def rescue(
    rescued: Sequence[int], to: BlockClass, what: str, context: Context, decisions: Sequence[Decision]
) -> list[Decision]:
    """``decisions`` with those of the blocks ``rescued`` that are near enough to a GOOD one made ``to``."""
    result = list(decisions)
    segments = context.segments
    distance: float = inf  # from the end of the block at hand to the next GOOD one
    seen = len(segments)
    for index in reversed(rescued):
        for i in range(seen - 1, index, -1):
            is_good = decisions[i].block_class is GOOD
            distance = 0 if is_good else distance + len(segments[i].collapsed)
        seen = index + 1
        if distance <= context.thresholds.max_heading_distance:
            result[index] = Decision(to, f"{what}, good block {distance} characters ahead")
    return result


def heading_paths(segments: Sequence[Segment], decisions: Sequence[Decision]) -> Iterator[tuple[str, ...]]:
    """For each block the texts of the GOOD headings above it, by level.

    A heading is above what follows it, down to the next GOOD one of its level or a higher one.
    """
    path: tuple[str, ...] = ()
    above: list[tuple[int, str]] = []
    for segment, decision in zip(segments, decisions, strict=True):
        level = segment.place.heading_level
        if level and decision.block_class is GOOD and segment.collapsed:
            while above and above[-1][0] >= level:
                above.pop()
            yield tuple(text for _, text in above)
            above.append((level, _shortened(segment.collapsed)))
            path = tuple(text for _, text in above)
        else:
            yield path


def _shortened(text: str) -> str:
    return text if len(text) <= MOST_IN_PATH else f"{text[: MOST_IN_PATH - 1].rstrip()}…"
