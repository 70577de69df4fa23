"""What every memory of sites can do, wherever it is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from scrapy_justext.core.blocks import BAD, Decision

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_justext.core.extractor import JudgedPage
    from scrapy_justext.crawl.site_memory.fingerprints import Fingerprints
    from scrapy_justext.crawl.site_memory.memory import MemoryOptions


class Sightings(NamedTuple):
    """``pages``: distinct pages of the site that were seen; ``held_by``: how many of them held each block."""

    pages: int
    held_by: Sequence[int]


class Store(Protocol):
    """Counts the pages of each site that held a block.

    A page that is known by its address or by its texts counts once.
    """

    is_lost: bool
    """It cannot be reached any more: of what follows nothing will be known."""

    def visit(self, site: str, page: Fingerprints) -> Sightings:
        """Add a page, then tell of its blocks."""

    def recall(self, site: str, page: Fingerprints) -> Sightings:
        """Tell of a page's blocks."""

    def close(self) -> None:
        """Keep what was counted, where it is to be kept."""


# Which blocks of a page are bad, from how many pages of its site held them.
#
# A block is bad when all of this holds:
#
# 1. the site has shown ``pages`` pages or more;
# 2. more than ``share`` of them held the block;
# 3. and ``minimum`` of them or more: of few pages, two may say the same by chance;
# 4. the block has ``length`` characters or more: headings such as "Introduction" and lines of dialogue such as "Yes, of
#    course." recur without being boilerplate, and those of a template stand among its other blocks, after which the
#    context pass judges them.


def find_repeated(indices: Sequence[int], sightings: Sightings, options: MemoryOptions) -> dict[int, Decision]:
    """The decisions for the blocks, of those with the ``indices``, that the site repeats."""
    pages, held_by = sightings
    if pages < options.pages:
        return {}
    return {
        i: Decision(BAD, f"on {count} of {pages} pages of this site")
        for i, count in zip(indices, held_by, strict=True)
        if count >= options.minimum and count > options.share * pages
    }


def judge_again(
    page: JudgedPage, fingerprints: Fingerprints, sightings: Sightings, options: MemoryOptions
) -> JudgedPage:
    """A page with the blocks bad that its site repeats; what is bad by itself keeps its own reason."""
    context_free = page.context.context_free
    repeated = {
        i: decision
        for i, decision in find_repeated(fingerprints.indices, sightings, options).items()
        if context_free[i].block_class is not BAD
    }
    return page.with_decisions(repeated) if repeated else page
