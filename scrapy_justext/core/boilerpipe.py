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

from scrapy_justext.core.blocks import BAD, GOOD, Decision, Decisions

if TYPE_CHECKING:
    from scrapy_justext.core.blocks import BlockTable, Measurements
    from scrapy_justext.core.parameters import Thresholds

MAX_LINK_DENSITY = 0.333333
MAX_LINK_DENSITY_BEFORE = 0.555556

#: Numbers of words, by the words of a reason: a block is content if it, or the block after or before it, has more.
BESIDE_TEXT = {"": 16, " ahead": 15, " before": 4}
BESIDE_LINKS = {"": 40, " ahead": 17}
_OPTION = Decision(BAD, "inside SELECT")


class Words(NamedTuple):
    """What is counted of a block."""

    total: int
    inside_links: int

    @property
    def link_density(self) -> float:
        """Return words inside links / words, at most 1: a word counts once for each part of it that is in a link."""
        return min(self.inside_links / self.total, 1.0) if self.total else 0.0


NO_WORDS = Words(0, 0)


def classify(segments: BlockTable, measured: Measurements, thresholds: Thresholds) -> Decisions:  # noqa: ARG001 (as all that classify)
    """Decide on each block, GOOD or BAD, by its own words and its neighbours'."""
    words = list(map(Words, measured.word_count, measured.link_words))
    rows = zip([NO_WORDS, *words], words, [*words[1:], NO_WORDS], strict=False)
    are_options = segments.of_position("in_select")
    return Decisions(_OPTION if is_option else judge(*row) for is_option, row in zip(are_options, rows, strict=True))


def judge(before: Words, here: Words, after: Words) -> Decision:
    """Return what the decision tree says of a block, by its words and its neighbours'."""
    density = here.link_density
    if density > MAX_LINK_DENSITY:
        return Decision(BAD, f"words in links {density:.7g} > {MAX_LINK_DENSITY}")
    beside_links = before.link_density > MAX_LINK_DENSITY_BEFORE
    limits = BESIDE_LINKS if beside_links else BESIDE_TEXT
    behind = " behind links" if beside_links else ""
    for (where, limit), measured in zip(limits.items(), (here, after, before), strict=False):
        if measured.total > limit:
            return Decision(GOOD, f"{measured.total} > {limit} words{where}{behind}")
    return Decision(BAD, f"only {here.total} <= {limits['']} words, few around{behind}")
