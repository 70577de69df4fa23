"""The settings of the memory of sites: what they mean, and their values together."""

from __future__ import annotations

import io
import json
import logging
import zipfile
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from scrapy_justext.core.blocks import GOOD
from scrapy_justext.crawl.conversion import Converter, boolean, one_of, share, whole_number
from scrapy_justext.crawl.site_memory.fingerprints import take_fingerprints
from scrapy_justext.crawl.site_memory.store import Sightings, judge_again
from scrapy_justext.exceptions import LibraryNotInstalledError, SettingError, SiteMemoryError, require
from scrapy_justext.files import write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray
    from scrapy.crawler import Crawler

    from scrapy_justext.core.extractor import JudgedPage
    from scrapy_justext.crawl.settings import Configuration
    from scrapy_justext.crawl.site_memory.fingerprints import Fingerprints
    from scrapy_justext.crawl.site_memory.store import Store

#: Of each setting the default, the converter and the meaning.
ROWS: Mapping[str, tuple[object, Converter, str]] = MappingProxyType(
    {
        "site_memory": (False, boolean, "blocks that many pages of a site repeat are [bad](docs/sites.md)"),
        "site_memory_pages": (5, whole_number, "pages that a site must have shown before repeated blocks are bad"),
        "site_memory_share": (0.1, share, "share of a site's pages; a block on more of them is bad"),
        "site_memory_count": (4, whole_number, "pages of a site; a block on fewer of them is not bad for that"),
        "site_memory_length": (
            30,
            whole_number,
            "characters; shorter blocks, such as headings and lines of dialogue, may be repeated",
        ),
        "site_memory_look": (
            "none",
            one_of("none", "hold", "end"),
            "which items wait for a second look at their page: none; hold: those of a site's first pages; end: all",
        ),
        "site_memory_hold": (1000, whole_number, "items that wait at the most"),
        "site_memory_blocks": (20_000, whole_number, "blocks of a site that are remembered at the most"),
        "site_memory_all_blocks": (1_000_000, whole_number, "blocks of all sites that are remembered at the most"),
    }
)

#: Of the whole crawl: no site and no request can have them of its own.
OF_THE_CRAWL: tuple[str, ...] = ("site_memory_hold", "site_memory_blocks", "site_memory_all_blocks")


class MemoryOptions(NamedTuple):
    """The values of the settings, named as there after ``site_memory_``."""

    is_on: bool
    pages: int
    share: float
    minimum: int
    length: int
    look: str
    hold: int
    blocks: int
    all_blocks: int


def memory_options(values: Mapping[str, Any]) -> MemoryOptions:
    """Those among the converted values of all settings."""
    return MemoryOptions(*(values[name] for name in ROWS))


# The memory of one process: a table of counts for each site, sorted, 16 bytes an entry.
#
# What was seen longest ago is forgotten first: of a site with too many entries those whose last page is the oldest, and
# of equals those on the fewest pages; of too many entries in all whole sites, the one visited longest ago first.  A
# block of the template is seen all the time, so it stays; one of an article is seen once, so it goes.

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


# The memory of one process on disk: one file, replaced as a whole, which a crawl that goes on loads.

#: The name of the file in JOBDIR.
FILE = "justext-site-memory.npz"
#: Changes with what the file holds, and with what fingerprints are taken of.
VERSION = 1

#: The columns of a table.
_COLUMNS = ("keys", "counts", "seen")
#: What numpy raises for files that are cut, changed, or none of its own.
_UNREADABLE = (ValueError, KeyError, EOFError, zipfile.BadZipFile, TypeError)


def save(path: Path, sites: Mapping[str, Table]) -> None:
    """Write all sites to ``path``; who reads it meanwhile, or after a crash, finds the old file or the new one.

    Raises :class:`OSError`.
    """
    tables = list(sites.values())
    head = {
        "version": VERSION,
        "sites": [[site, table.pages, table.visits, len(table)] for site, table in sites.items()],
    }
    columns = {name: np.concatenate([_EMPTY[name], *(getattr(t, name) for t in tables)]) for name in _COLUMNS}
    content = io.BytesIO()
    described = np.frombuffer(json.dumps(head).encode(), np.uint8)
    np.savez(content, head=described, keys=columns["keys"], counts=columns["counts"], seen=columns["seen"])
    write_whole(path, content.getbuffer())


def load(path: Path) -> dict[str, Table]:
    """The sites in a file; none where there is no file.  Raises :class:`SiteMemoryError` for what is no such file."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as saved:
            head = json.loads(saved["head"].tobytes())
            columns = {name: saved[name].astype(_EMPTY[name].dtype, casting="equiv") for name in _COLUMNS}
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise SiteMemoryError(path, f"cannot be read: {error.strerror or error}") from error
    except _UNREADABLE as error:
        raise SiteMemoryError(path, "is damaged, or no memory of sites; delete it to begin anew") from error
    return _tables(path, head, columns)


_EMPTY: Mapping[str, NDArray[Any]] = {name: getattr(Table.empty(), name) for name in _COLUMNS}


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


# The memory of one crawl: where it is kept, and the looks at a page that it gives.

logger = logging.getLogger(__name__)


class SitePage(NamedTuple):
    """A page as it was judged by itself, and the site that it is of."""

    site: str
    judged: JudgedPage


class SiteMemory:
    """What is known of the sites of a crawl.  Kept where the crawl's settings say, from :meth:`open` on."""

    def __init__(self, crawler: Crawler, configuration: Configuration, count: Callable[[str, float], None]) -> None:
        self._crawler = crawler
        self._configuration = configuration
        self._count = count
        self._store: Store | None = None
        # As far as this process knows; others may have seen more.
        self._pages: dict[str, int] = {}

    def open(self) -> Store:
        """Get the memory ready.

        Raises :class:`~scrapy_justext.exceptions.SiteMemoryError` where it cannot be read or reached, and
        :class:`~scrapy_justext.exceptions.SettingError` for Redis without its library.
        """
        if self._store is None:
            url = self._crawler.settings.get("REDIS_URL")
            self._store = self._shared(url) if url else self._local()
        return self._store

    def close(self) -> None:
        """Keep what was counted."""
        if self._store is not None:
            self._store.close()

    @property
    def is_lost(self) -> bool:
        """Whether nothing more will be known of any site."""
        return self._store is not None and self._store.is_lost

    def is_ripe(self, site: str, configuration: Configuration) -> bool:
        """Whether a site has shown enough pages for its repeated blocks to be bad."""
        return self._pages.get(site, 0) >= configuration.memory.pages

    def first_look(self, page: SitePage, configuration: Configuration) -> JudgedPage:
        """Remember a page; the same, judged with what is known by now."""
        return self._look(page, configuration, adds=True)

    def second_look(self, page: SitePage, configuration: Configuration) -> JudgedPage:
        """A page that is remembered, judged with what is known by now."""
        return self._look(page, configuration, adds=False)

    def _look(self, page: SitePage, configuration: Configuration, *, adds: bool) -> JudgedPage:
        judged = page.judged
        found = take_fingerprints(judged.context.segments, judged.page.url or "", configuration.memory.length)
        store = self.open()
        sightings = (store.visit if adds else store.recall)(page.site, found)
        self._note(page.site, sightings)
        again = judge_again(judged, found, sightings, configuration.memory)
        self._count_removed(judged, again)
        return again

    def _note(self, site: str, sightings: Sightings) -> None:
        # The last visited is the last.
        self._pages.pop(site, None)
        self._pages[site] = sightings.pages
        if len(self._pages) > MOST_SITES:
            del self._pages[next(iter(self._pages))]

    def _count_removed(self, before: JudgedPage, after: JudgedPage) -> None:
        pairs = zip(before.final, after.final, strict=True) if after is not before else ()
        removed = sum(old.block_class is GOOD and new.block_class is not GOOD for old, new in pairs)
        if removed:
            self._count("site_memory/pages", 1)
            self._count("site_memory/blocks", removed)

    def _shared(self, url: str) -> Store:
        try:
            shared = require("scrapy_justext.crawl.site_memory.shared", "redis")
        except LibraryNotInstalledError as error:
            raise SettingError("REDIS_URL", url, f"needs {error.library}: {error.command}") from error
        name = self._crawler.spidercls.name
        store: Store = shared.SharedStore(url, name, self._configuration.memory.blocks, self._count_lost)
        return store

    def _count_lost(self) -> None:
        self._count("site_memory/pages_without_redis", 1)

    def _local(self) -> Store:
        # They need numpy, whose import takes a tenth of a second.

        blocks, all_blocks = self._configuration.memory.blocks, self._configuration.memory.all_blocks
        folder = self._crawler.settings.get("JOBDIR")
        if not folder:
            return LocalStore(blocks, all_blocks)
        path = Path(folder) / FILE
        return LocalStore(blocks, all_blocks, load(path), lambda sites: _save(path, sites))


#: Sites whose number of pages is at hand.
MOST_SITES = 100_000


def _save(path: Path, sites: Mapping[str, Table]) -> None:

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        save(path, sites)
    except OSError as error:
        # No bug of ours: a traceback would say nothing.
        logger.error("%s: the memory of sites cannot be saved: %s", path, error.strerror or error)  # noqa: TRY400
