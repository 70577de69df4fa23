"""The memory of one process: a table of counts for each site, sorted, 16 bytes an entry.

What was seen longest ago is forgotten first: of a site with too many entries those whose last page is the oldest, and
of equals those on the fewest pages; of too many entries in all whole sites, the one visited longest ago first.  A
block of the template is seen all the time, so it stays; one of an article is seen once, so it goes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

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

    def see(self, page: NDArray[np.uint64], blocks: NDArray[np.uint64]) -> NDArray[np.uint32]:
        """Note a page, known by any of the fingerprints ``page``; how many pages held each of its ``blocks``."""
        self.visits += 1
        keys = np.concatenate([page, blocks])
        places, is_known = self._find(keys)
        is_new = not is_known[: len(page)].any()
        self.pages += is_new
        known = places[is_known]
        # An index that stands there twice counts once, as it should: a page may repeat a block.
        self.counts[known] += np.uint32(is_new)
        self.seen[known] = self.visits
        held_by = np.full(len(keys), is_new, _COUNTS)
        held_by[is_known] = self.counts[known]
        # The new blocks of a page that is known, but has changed, are passed over.
        is_added = ~is_known
        is_added[len(page) :] &= is_new
        if is_added.any():
            self._insert(np.unique(keys[is_added]))
        return held_by[len(page) :]

    def _insert(self, keys: NDArray[np.uint64]) -> None:
        """Add entries, in order, that one page held."""
        places = np.searchsorted(self.keys, keys) + np.arange(len(keys))
        is_old = np.ones(len(self) + len(keys), np.bool_)
        is_old[places] = False
        columns: list[NDArray[Any]] = []
        for column, value in ((self.keys, keys), (self.counts, 1), (self.seen, self.visits)):
            merged = np.empty(len(is_old), column.dtype)
            merged[places] = value
            merged[is_old] = column
            columns.append(merged)
        self.keys, self.counts, self.seen = columns

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

    is_lost = False

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
        held_by = table.see(_keys(page.page), _keys(page.blocks)).tolist()
        table.forget(self._blocks)
        self._size += _size(table)
        self._forget_sites()
        self._save_at_times()
        return Sightings(table.pages, held_by)

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
