"""Boilerpipe's block classifier: a decision tree over the words and link densities of neighbours.

From Kohlschütter, Fankhauser and Nejdl, "Boilerplate Detection using Shallow Text Features" (WSDM 2010):
the tree over the number of words.  Link density is by words here: words inside A / words.  Outside the
page there are no words and no links.

::

    link density here > 0.333333: boilerplate
    link density before <= 0.555556
        words here > 16: content
        words here <= 16
            words after > 15: content
            words after <= 15
                words before > 4: content
                words before <= 4: boilerplate
    link density before > 0.555556
        words here > 40: content
        words here <= 40
            words after > 17: content
            words after <= 17: boilerplate

As in all profiles with rules, text inside SELECT is boilerplate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.core.blocks import BAD, GOOD, Decision
from scrapy_justext.core.context_free import NOTHING, inside_select

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_justext.core.blocks import Measurements, Segment
    from scrapy_justext.core.parameters import Thresholds

MAX_LINK_DENSITY = 0.333333
MAX_LINK_DENSITY_BEFORE = 0.555556


class WordLimits(NamedTuple):
    """Numbers of words: a block is content if it, the one after or the one before has more.  None: no such test."""

    here: int
    after: int
    before: int | None


BESIDE_TEXT = WordLimits(here=16, after=15, before=4)
BESIDE_LINKS = WordLimits(here=40, after=17, before=None)


def classify(
    segments: Sequence[Segment], measurements: Sequence[Measurements], thresholds: Thresholds
) -> list[Decision]:
    """Decide on each segment, GOOD or BAD, by its own measurements and its neighbours'."""
    befores = [NOTHING, *measurements]
    afters = [*measurements[1:], NOTHING]
    return [
        inside_select(segment, here, thresholds) or judge(before, here, after)
        for segment, before, here, after in zip(segments, befores, measurements, afters, strict=False)
    ]


def judge(before: Measurements, here: Measurements, after: Measurements) -> Decision:
    """Return what the decision tree says of a block, by its measurements and its neighbours'."""
    density = word_link_density(here)
    if density > MAX_LINK_DENSITY:
        return Decision(BAD, f"words in links {density:.7g} > {MAX_LINK_DENSITY}")
    beside_links = word_link_density(before) > MAX_LINK_DENSITY_BEFORE
    limits = BESIDE_LINKS if beside_links else BESIDE_TEXT
    behind = " behind links" if beside_links else ""
    compared = (("", here, limits.here), (" ahead", after, limits.after), (" before", before, limits.before))
    for where, measured, limit in compared:
        if limit is not None and measured.word_count > limit:
            return Decision(GOOD, f"{measured.word_count} > {limit} words{where}{behind}")
    return Decision(BAD, f"only {here.word_count} <= {limits.here} words, few around{behind}")


def word_link_density(measured: Measurements) -> float:
    """Return words inside links / words, from 0 to 1.

    A word that is partly inside a link counts as inside, once for each part, so there can be more of these than words.
    """
    return min(measured.link_words / measured.word_count, 1.0) if measured.word_count else 0.0
