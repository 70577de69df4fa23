"""Count how many pages of each site held a block, in the process, and save the counts on disk.

A :class:`LocalStore` has a :class:`Table` for each site: three sorted columns, 16 bytes an entry.  What was
seen longest ago is forgotten first.  A site with too many entries loses those whose last page is the oldest; among
equals, those on the fewest pages.  If all sites together have too many entries, the site that was visited longest ago
is forgotten.  A block of the template is seen all the time, so it stays; one of an article is seen once, so it goes.

On disk the store is one file, replaced as a whole.  A crawl that goes on loads it.

The other store is shared by several processes: :mod:`scrapy_justext.crawl.parts.site_memory.shared`.
"""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from scrapy_justext.exceptions import SiteMemoryError, describe_os_error
from scrapy_justext.files import write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from scrapy_justext.crawl.parts.site_memory.memory import Fingerprints


class Sightings(NamedTuple):
    """How many distinct pages of a site were seen, and how many of these held each block."""

    pages: int
    held_by: Sequence[int]


#: The share of the allowed entries that stay when there are too many, so that entries are seldom dropped.
KEPT = 7 / 8
#: The size of a site beside its entries, counted in entries.
SITE_SIZE = 40

#: The name of the file in JOBDIR.
FILE = "justext-site-memory.npz"
#: Changes with what the file holds, and with what fingerprints are taken of.
VERSION = 5

_KEYS = np.dtype("<u8")
_COUNTS = np.dtype("<u4")


@dataclass(slots=True, eq=False)
class Table:
    """What is known of a site.

    The ``keys`` are fingerprints in ascending order, those of pages among them.  ``counts`` tells how many pages held
    each, and ``seen`` which visit was the last to do so, counted from 1.
    """

    keys: NDArray[np.uint64]
    counts: NDArray[np.uint32]
    seen: NDArray[np.uint32]
    pages: int = 0
    visits: int = 0

    @classmethod
    def empty(cls) -> Table:
        """Return the table of a site that nothing is known of."""
        return cls(np.empty(0, _KEYS), np.empty(0, _COUNTS), np.empty(0, _COUNTS))

    def __len__(self) -> int:
        return len(self.keys)

    def counts_of(self, keys: NDArray[np.uint64]) -> NDArray[np.uint32]:
        """Return how many pages held each of the ``keys``."""
        positions, is_known = self._find(keys)
        counts = np.zeros(len(keys), _COUNTS)
        counts[is_known] = self.counts[positions[is_known]]
        return counts

    def see(self, page: NDArray[np.uint64], blocks: NDArray[np.uint64]) -> NDArray[np.uint32]:
        """Add a page, and return how many pages held each of its ``blocks``.

        The page is a known one if any of the fingerprints ``page`` is known.
        """
        self.visits += 1
        keys = np.concatenate([page, blocks])
        positions, is_known = self._find(keys)
        is_new = not is_known[: len(page)].any()
        self.pages += is_new
        known = positions[is_known]
        # A page may repeat a block: a position that is there twice counts once.
        self.counts[known] += np.uint32(is_new)
        self.seen[known] = self.visits
        held_by = np.full(len(keys), is_new, _COUNTS)
        held_by[is_known] = self.counts[known]
        # The new blocks of a known page that has changed are not added.
        is_added = ~is_known
        is_added[len(page) :] &= is_new
        if is_added.any():
            self._insert(np.unique(keys[is_added]))
        return held_by[len(page) :]

    def _insert(self, keys: NDArray[np.uint64]) -> None:
        """Add entries of one page, in ascending order."""
        positions = np.searchsorted(self.keys, keys) + np.arange(len(keys))
        is_old = np.ones(len(self) + len(keys), np.bool_)
        is_old[positions] = False
        columns: list[NDArray[Any]] = []
        for column, value in ((self.keys, keys), (self.counts, 1), (self.seen, self.visits)):
            merged = np.empty(len(is_old), column.dtype)
            merged[positions] = value
            merged[is_old] = column
            columns.append(merged)
        self.keys, self.counts, self.seen = columns

    def forget(self, most: int) -> None:
        """Drop entries if there are more than ``most``."""
        if len(self) > most:
            kept = np.sort(np.lexsort((self.counts, self.seen))[len(self) - int(most * KEPT) :])
            self.keys, self.counts, self.seen = self.keys[kept], self.counts[kept], self.seen[kept]

    def _find(self, keys: NDArray[np.uint64]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """Return the positions at which the ``keys`` are or belong, and which of them are there."""
        positions = np.searchsorted(self.keys, keys)
        if not len(self):
            return positions, np.zeros(len(keys), np.bool_)
        return positions, self.keys[np.minimum(positions, len(self) - 1)] == keys


#: Visits after which the memory of one process is saved again.
SAVE_EVERY = 500


class LocalStore:
    """Counts the pages of each site that held a block, in the memory of one process.

    A page that comes again, by its address or by its texts, counts once.
    ``blocks`` and ``all_blocks``: the most entries of a site and of all sites; a block is one entry, a page two.
    ``sites``: what is known already, in the order of the last visits.  ``save`` is called with the sites every
    :data:`SAVE_EVERY` visits, and at the end.
    """

    #: Whether the store can no longer be reached; then it knows nothing.
    is_lost = False

    def __init__(
        self,
        *,
        blocks: int,
        all_blocks: int,
        sites: Mapping[str, Table] | None = None,
        save: Callable[[Mapping[str, Table]], None] | None = None,
    ) -> None:
        self.sites = dict(sites or {})
        self._blocks = blocks
        self._all_blocks = all_blocks
        self._save = save
        self._unsaved = 0
        self._size = sum(map(_size, self.sites.values()))

    def visit(self, site: str, page: Fingerprints) -> Sightings:
        """Add a page, and return what is known of its blocks."""
        # The order of the sites is that of the last visits.
        table = self.sites.pop(site, None) or Table.empty()
        self._size -= _size(table) if table.visits else 0
        self.sites[site] = table
        held_by = table.see(_keys(page.page), _keys(page.blocks)).tolist()
        table.forget(self._blocks)
        self._size += _size(table)
        while self._size > self._all_blocks and len(self.sites) > 1:
            self._size -= _size(self.sites.pop(next(iter(self.sites))))
        self._unsaved += 1
        if self._save is not None and self._unsaved >= SAVE_EVERY:
            self._unsaved = 0
            self._save(self.sites)
        return Sightings(table.pages, held_by)

    def recall(self, site: str, page: Fingerprints) -> Sightings:
        """Return what is known of a page's blocks."""
        table = self.sites.get(site)
        if table is None:
            return Sightings(0, [0] * len(page.blocks))
        return Sightings(table.pages, table.counts_of(_keys(page.blocks)).tolist())

    def close(self) -> None:
        """Save what was counted."""
        if self._save is not None:
            self._save(self.sites)


def _size(table: Table) -> int:
    return len(table) + SITE_SIZE


def _keys(fingerprints: Sequence[bytes]) -> NDArray[np.uint64]:
    return np.frombuffer(b"".join(fingerprints), _KEYS)


#: The columns of a table, empty.
_COLUMNS: Mapping[str, NDArray[Any]] = {name: getattr(Table.empty(), name) for name in ("keys", "counts", "seen")}
#: What numpy raises for a file that is cut, changed, or not one of its own.
_UNREADABLE = (ValueError, KeyError, EOFError, zipfile.BadZipFile, TypeError)


def save(path: Path, sites: Mapping[str, Table]) -> None:
    """Write all sites to a file, which is replaced as a whole; raise :class:`OSError`."""
    tables = list(sites.values())
    head = {
        "version": VERSION,
        "sites": [[site, table.pages, table.visits, len(table)] for site, table in sites.items()],
    }
    columns = {
        name: np.concatenate([empty, *(getattr(table, name) for table in tables)]) for name, empty in _COLUMNS.items()
    }
    content = io.BytesIO()
    described = np.frombuffer(json.dumps(head).encode(), np.uint8)
    np.savez(content, head=described, keys=columns["keys"], counts=columns["counts"], seen=columns["seen"])
    write_whole(path, content.getbuffer())


def load(path: Path) -> dict[str, Table]:
    """Return the sites in a file; none if there is no file.

    Raises :class:`SiteMemoryError` for a file that :func:`save` did not write.
    """
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as saved:
            head = json.loads(saved["head"].tobytes())
            columns = {name: saved[name].astype(empty.dtype, casting="equiv") for name, empty in _COLUMNS.items()}
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise SiteMemoryError(path, f"cannot be read: {describe_os_error(error)}") from error
    except _UNREADABLE as error:
        raise SiteMemoryError(path, "is damaged, or no memory of sites; delete it to begin anew") from error
    return _tables(path, head, columns)


def _tables(path: Path, head: dict[str, Any], columns: dict[str, NDArray[Any]]) -> dict[str, Table]:
    if head.get("version") != VERSION:
        raise SiteMemoryError(path, "is of another version of scrapy-justext; delete it to begin anew")
    sites: dict[str, Table] = {}
    start = 0
    for site, pages, visits, size in head["sites"]:
        own = slice(start, start + size)
        keys, counts, seen = (columns[name][own].copy() for name in _COLUMNS)
        sites[site] = Table(keys, counts, seen, pages, visits)
        start += size
    return sites
