"""The memory of one process: a table of counts for each site, sorted, 16 bytes an entry.

What was seen longest ago is forgotten first: of a site with too many entries those whose last page is the oldest, and
of equals those on the fewest pages; of too many entries in all whole sites, the one visited longest ago first.  A
block of the template is seen all the time, so it stays; one of an article is seen once, so it goes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from scrapy_justext.site_memory.store import Sightings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from scrapy_justext.site_memory.fingerprints import Fingerprints

#: Of the entries of a site that are too many, as many stay, so that forgetting is seldom.
KEPT = 7 / 8
#: A site's own bytes, in entries.
SITE_SIZE = 40

_KEYS = np.dtype("<u8")
_COUNTS = np.dtype("<u4")


@dataclass(slots=True, eq=False)
class Table:
    """What is known of a site.

    ``keys``: fingerprints, in order; ``counts``: how many pages held each; ``seen``: by which visit last, counted
    from 1.  The fingerprints of pages are among them.
    """

    keys: NDArray[np.uint64]
    counts: NDArray[np.uint32]
    seen: NDArray[np.uint32]
    pages: int = 0
    visits: int = 0

    @classmethod
    def empty(cls) -> Table:
        """Of a site that nothing is known of."""
        return cls(np.empty(0, _KEYS), np.empty(0, _COUNTS), np.empty(0, _COUNTS))

    def __len__(self) -> int:
        return len(self.keys)

    def counts_of(self, keys: NDArray[np.uint64]) -> NDArray[np.uint32]:
        """How many pages held each of the ``keys``."""
        places, is_known = self._find(keys)
        counts = np.zeros(len(keys), _COUNTS)
        counts[is_known] = self.counts[places[is_known]]
        return counts

    def see(self, keys: NDArray[np.uint64], *, is_new: bool) -> None:
        """Note that a page held the ``keys``; ``is_new``: a page that was not counted before."""
        self.visits += 1
        self.pages += is_new
        places, is_known = self._find(keys)
        known = places[is_known]
        self.counts[known] += np.uint32(is_new)
        self.seen[known] = self.visits
        if not is_known.all():
            places = places[~is_known]
            self.keys = np.insert(self.keys, places, keys[~is_known])
            self.counts = np.insert(self.counts, places, 1)
            self.seen = np.insert(self.seen, places, self.visits)

    def forget(self, most: int) -> None:
        """Keep as many entries as ``most`` allows."""
        if len(self) > most:
            kept = np.sort(np.lexsort((self.counts, self.seen))[len(self) - int(most * KEPT) :])
            self.keys, self.counts, self.seen = self.keys[kept], self.counts[kept], self.seen[kept]

    def _find(self, keys: NDArray[np.uint64]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """Where the ``keys`` are, or belong, and which are there."""
        places = np.searchsorted(self.keys, keys)
        if not len(self):
            return places, np.zeros(len(keys), np.bool_)
        return places, self.keys[np.minimum(places, len(self) - 1)] == keys


class LocalStore:
    """``blocks``: entries of a site at the most, ``all_blocks``: of all sites; a block is one, a page two.

    ``sites``: what is known already, that of the last visit last.  ``save``: is given the sites every
    ``save_every`` visits, and at the end.
    """

    def __init__(
        self,
        blocks: int,
        all_blocks: int,
        sites: Mapping[str, Table] | None = None,
        save: Callable[[Mapping[str, Table]], None] | None = None,
        save_every: int = 500,
    ) -> None:
        self.sites = dict(sites or {})
        self._blocks = blocks
        self._all_blocks = all_blocks
        self._save = save
        self._save_every = save_every
        self._unsaved = 0
        self._size = sum(map(_size, self.sites.values()))

    def visit(self, site: str, page: Fingerprints) -> Sightings:
        """Add a page, then tell of its blocks."""
        # Behind all others: the order is that of the last visits.
        table = self.sites.pop(site, None) or Table.empty()
        self._size -= _size(table) if table.visits else 0
        self.sites[site] = table
        of_page, of_blocks = _keys(page.page), _keys(page.blocks)
        is_new = not table.counts_of(of_page).any()
        # The blocks of a page that is known, but has changed, are left as they are.
        table.see(np.unique(np.concatenate([of_page, of_blocks]) if is_new else of_page), is_new=is_new)
        sightings = Sightings(table.pages, table.counts_of(of_blocks).tolist())
        table.forget(self._blocks)
        self._size += _size(table)
        self._forget_sites()
        self._save_at_times()
        return sightings

    def recall(self, site: str, page: Fingerprints) -> Sightings:
        """Tell of a page's blocks."""
        table = self.sites.get(site)
        if table is None:
            return Sightings(0, [0] * len(page.blocks))
        return Sightings(table.pages, table.counts_of(_keys(page.blocks)).tolist())

    def close(self) -> None:
        """Save what was counted."""
        if self._save is not None:
            self._save(self.sites)

    def _forget_sites(self) -> None:
        while self._size > self._all_blocks and len(self.sites) > 1:
            self._size -= _size(self.sites.pop(next(iter(self.sites))))

    def _save_at_times(self) -> None:
        self._unsaved += 1
        if self._save is not None and self._unsaved >= self._save_every:
            self._unsaved = 0
            self._save(self.sites)


def _size(table: Table) -> int:
    return len(table) + SITE_SIZE


def _keys(fingerprints: Sequence[bytes]) -> NDArray[np.uint64]:
    return np.frombuffer(b"".join(fingerprints), _KEYS)
