"""What is known of blocks, each in a column of its own, to the rows that blocks are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.core.data import PAGE
from scrapy_justext.core.headings import heading_paths

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_justext.core.blocks import Decision, Figures, Segment
    from scrapy_justext.core.paths import Paths


class Columns(NamedTuple):
    """What is known of blocks, a value each."""

    segments: Sequence[Segment]
    figures: Sequence[Figures]
    context_free: Sequence[Decision]
    decisions: Sequence[Decision]
    probabilities: Sequence[float | None]


def rows(
    columns: Columns, paths: Sequence[Paths], *, start: int = 0, origin: str = PAGE
) -> Iterator[tuple[object, ...]]:
    """What blocks are made of: the values of their fields, in order.  ``start``: the number of the first one."""
    values = enumerate(zip(*columns, heading_paths(columns.segments, columns.decisions), strict=True), start)
    for index, (one, figure, (before, _, _), (final, reason, _), probability, above) in values:
        text, _, link_characters, _, tags_count, (tag, level, _, _), element, image_url = one
        characters, word_count, _, link_density, stopword_density = figure
        xpath, dom_path = paths[element] if paths else (None, None)
        yield (
            text,
            final,
            before,
            reason,
            level > 0,
            level,
            tag,
            link_density,
            stopword_density,
            word_count,
            characters,
            link_characters,
            tags_count,
            index,
            xpath,
            dom_path,
            image_url,
            None if image_url is None else text,
            probability,
            origin,
            above,
        )
