"""What every memory of sites can do, wherever it is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_justext.site_memory.fingerprints import Fingerprints


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
