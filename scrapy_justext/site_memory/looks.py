"""The memory of one crawl: where it is kept, and the looks at a page that it gives."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.core.blocks import GOOD
from scrapy_justext.exceptions import SettingError
from scrapy_justext.site_memory.fingerprints import take_fingerprints
from scrapy_justext.site_memory.verdicts import judge_again

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from scrapy.crawler import Crawler

    from scrapy_justext.judged import JudgedPage
    from scrapy_justext.settings import Configuration
    from scrapy_justext.site_memory.local import Table
    from scrapy_justext.site_memory.store import Sightings, Store

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
        found = take_fingerprints(judged.context.segments, judged.url or "", configuration.memory.length)
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
            from scrapy_justext.site_memory.shared import SharedStore  # noqa: PLC0415 (an extra's)
        except ImportError as error:
            raise SettingError("REDIS_URL", url, "needs redis: pip install 'scrapy-justext[redis]'") from error
        name = self._crawler.spidercls.name
        return SharedStore(url, name, self._configuration.memory.blocks, self._count_lost)

    def _count_lost(self) -> None:
        self._count("site_memory/pages_without_redis", 1)

    def _local(self) -> Store:
        # They need numpy, whose import takes a tenth of a second.
        from scrapy_justext.site_memory.files import FILE, load  # noqa: PLC0415
        from scrapy_justext.site_memory.local import LocalStore  # noqa: PLC0415

        blocks, all_blocks = self._configuration.memory.blocks, self._configuration.memory.all_blocks
        folder = self._crawler.settings.get("JOBDIR")
        if not folder:
            return LocalStore(blocks, all_blocks)
        path = Path(folder) / FILE
        return LocalStore(blocks, all_blocks, load(path), lambda sites: _save(path, sites))


#: Sites whose number of pages is at hand.
MOST_SITES = 100_000


def _save(path: Path, sites: Mapping[str, Table]) -> None:
    from scrapy_justext.site_memory.files import save  # noqa: PLC0415 (as above)

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        save(path, sites)
    except OSError as error:
        # No bug of ours: a traceback would say nothing.
        logger.error("%s: the memory of sites cannot be saved: %s", path, error.strerror or error)  # noqa: TRY400
