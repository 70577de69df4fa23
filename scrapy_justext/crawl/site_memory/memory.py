"""What the pages of a site have in common is boilerplate: blocks that many of them hold are bad.

A block is bad if all of this holds:

1. the site has shown ``pages`` pages or more;
2. more than ``share`` of them held the block;
3. and ``minimum`` of them or more: of few pages, two may say the same by chance;
4. the block has ``length`` characters or more.  Headings such as "Introduction" and lines of dialogue such as "Yes, of
   course." recur without being boilerplate.  Those of a template are among its other blocks, after which the context
   pass judges them.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.core.blocks import BAD, GOOD, Decision
from scrapy_justext.crawl.site_memory.fingerprints import take_fingerprints
from scrapy_justext.exceptions import SettingError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from scrapy.crawler import Crawler

    from scrapy_justext.core.extractor import JudgedPage
    from scrapy_justext.crawl.settings import Configuration
    from scrapy_justext.crawl.site_memory.fingerprints import Fingerprints
    from scrapy_justext.crawl.site_memory.store import Sightings, Store, Table

logger = logging.getLogger(__name__)

#: Sites whose number of pages is at hand.
MOST_SITES = 100_000


class MemoryOptions(NamedTuple):
    """The values of the settings ``site_memory`` (``is_on``) and ``site_memory_*`` (``minimum``: ``_count``)."""

    is_on: bool
    pages: int
    share: float
    minimum: int
    length: int
    look: str
    hold: int
    blocks: int
    all_blocks: int


class SitePage(NamedTuple):
    """A page as it was judged by itself, and the site that it belongs to."""

    site: str
    judged: JudgedPage


def find_repeated(indices: Sequence[int], sightings: Sightings, options: MemoryOptions) -> dict[int, Decision]:
    """Return decisions for the blocks that the site repeats; the sightings are of the blocks with the ``indices``."""
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
    """Return the page with the blocks bad that its site repeats; a block that is bad by itself keeps its own reason."""
    context_free = page.context.context_free
    repeated = {
        i: decision
        for i, decision in find_repeated(fingerprints.indices, sightings, options).items()
        if context_free[i].block_class is not BAD
    }
    return page.with_decisions(repeated) if repeated else page


class SiteMemory:
    """What is known of the sites of a crawl, kept in a store that the crawl's settings choose."""

    def __init__(self, crawler: Crawler, configuration: Configuration, count: Callable[[str, float], None]) -> None:
        self._crawler = crawler
        self._options = configuration.memory
        self._count = count
        self._store: Store | None = None
        # As far as this process knows; others may have seen more.
        self._pages: dict[str, int] = {}

    def open(self) -> Store:
        """Get the store ready.

        Raises :class:`~scrapy_justext.exceptions.SiteMemoryError` if it cannot be read or reached, and
        :class:`~scrapy_justext.exceptions.SettingError` for Redis without its library.
        """
        if self._store is None:
            url = self._crawler.settings.get("REDIS_URL")
            self._store = self._shared_store(url) if url else self._local_store()
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
        """Return whether a site has shown enough pages for its repeated blocks to be bad."""
        return self._pages.get(site, 0) >= configuration.memory.pages

    def first_look(self, page: SitePage, configuration: Configuration) -> JudgedPage:
        """Remember a page, and return it judged with what is known by now."""
        return self._look(page, configuration, adds=True)

    def second_look(self, page: SitePage, configuration: Configuration) -> JudgedPage:
        """Return a page that is remembered, judged with what is known by now."""
        return self._look(page, configuration, adds=False)

    def _look(self, page: SitePage, configuration: Configuration, *, adds: bool) -> JudgedPage:
        judged = page.judged
        fingerprints = take_fingerprints(judged.context.segments, judged.page.url or "", configuration.memory.length)
        store = self.open()
        sightings = (store.visit if adds else store.recall)(page.site, fingerprints)
        self._note_pages(page.site, sightings.pages)
        again = judge_again(judged, fingerprints, sightings, configuration.memory)
        self._count_removed(judged, again)
        return again

    def _note_pages(self, site: str, pages: int) -> None:
        # The order of the sites is that of the last visits.
        self._pages.pop(site, None)
        self._pages[site] = pages
        if len(self._pages) > MOST_SITES:
            del self._pages[next(iter(self._pages))]

    def _count_removed(self, before: JudgedPage, after: JudgedPage) -> None:
        pairs = zip(before.final, after.final, strict=True) if after is not before else ()
        removed = sum(old.block_class is GOOD and new.block_class is not GOOD for old, new in pairs)
        if removed:
            self._count("site_memory/pages", 1)
            self._count("site_memory/blocks", removed)

    def _shared_store(self, url: str) -> Store:
        try:
            from scrapy_justext.crawl.site_memory.shared import SharedStore  # noqa: PLC0415 (an extra's)
        except ImportError as error:
            raise SettingError("REDIS_URL", url, "needs redis: pip install 'scrapy-justext[redis]'") from error
        return SharedStore(url, self._crawler.spidercls.name, self._options.blocks, self._count_lost)

    def _count_lost(self) -> None:
        self._count("site_memory/pages_without_redis", 1)

    def _local_store(self) -> Store:
        # numpy takes a tenth of a second, which most crawls need not spend.
        from scrapy_justext.crawl.site_memory.store import FILE, LocalStore, load, save  # noqa: PLC0415

        folder = self._crawler.settings.get("JOBDIR")
        if not folder:
            return LocalStore(self._options.blocks, self._options.all_blocks)
        path = Path(folder) / FILE

        def save_sites(sites: Mapping[str, Table]) -> None:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                save(path, sites)
            except OSError as error:
                # This is no bug of ours: a traceback would say nothing.
                logger.error("%s: the memory of sites cannot be saved: %s", path, error.strerror or error)  # noqa: TRY400

        return LocalStore(self._options.blocks, self._options.all_blocks, load(path), save_sites)
