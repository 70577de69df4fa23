"""What the pages of a site have in common is boilerplate: blocks that many of them hold are bad.

A block is bad if all of this holds:

1. the site has shown ``site_memory_pages`` pages or more;
2. more than ``site_memory_share`` of them held the block;
3. and ``site_memory_count`` of them or more: of few pages, two may say the same by chance;
4. the block has ``site_memory_length`` characters or more.  Headings such as "Introduction" and lines of dialogue such
   as "Yes, of course." recur without being boilerplate.  Those of a template are among its other blocks, after which
   the context pass judges them.

Front page, listings and feeds of tags have the first paragraph of an article, or all of it, and link to it.  So a block
of a page is not bad if all pages that held it may be such: as many as link to the page, the page itself, and a copy.
Where most of the site links to a page, the links are navigation.
"""

from __future__ import annotations

import logging
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy_justext.core.blocks import BAD, Decision
from scrapy_justext.crawl.parts.site_memory.fingerprints import take_fingerprints
from scrapy_justext.crawl.sites import without_password
from scrapy_justext.exceptions import LibraryNotInstalledError, SettingError, describe_os_error, require

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from scrapy.crawler import Crawler

    from scrapy_justext.core.extractor import JudgedPage
    from scrapy_justext.crawl.links import PageLinks
    from scrapy_justext.crawl.parts.site_memory.fingerprints import Fingerprints
    from scrapy_justext.crawl.parts.site_memory.store import Sightings, Store, Table
    from scrapy_justext.crawl.settings import Configuration

logger = logging.getLogger(__name__)

#: The share of a site's pages up to which links to a page are no navigation.
MOST_LINKED = 0.5
#: The pages that hold the text of an article beside those that link to it: its own, and its print view.
BESIDE_LINKS = 2
#: Sites whose number of pages is kept at the most.
MOST_SITES = 100_000


_REPEATED = re.compile(r"on \d+ of \d+ pages of this site")


def is_repeated(reason: str) -> bool:
    """Return whether this is the reason of a block that its site repeats.

    >>> is_repeated("on 41 of 57 pages of this site"), is_repeated("inside SELECT")
    (True, False)
    """
    return _REPEATED.fullmatch(reason) is not None


def find_repeated(page: Fingerprints, sightings: Sightings, configuration: Configuration) -> dict[int, Decision]:
    """Return decisions for the blocks of a page that the site repeats."""
    pages, held_by = sightings
    if pages < configuration.site_memory_pages:
        return {}
    indices = page.indices
    # The page itself counts among those that hold its address.
    linked = max(held_by[len(indices) : len(indices) + page.addresses], default=1) - 1
    announced = linked + BESIDE_LINKS if 0 < linked <= MOST_LINKED * pages else 0
    least = max(configuration.site_memory_count, announced + 1)
    return {
        i: Decision(BAD, f"on {count} of {pages} pages of this site")
        for i, count in zip(indices, held_by, strict=False)
        if count >= least and count > configuration.site_memory_share * pages
    }


def without_repeated(
    page: JudgedPage, fingerprints: Fingerprints, sightings: Sightings, configuration: Configuration
) -> JudgedPage:
    """Return the page with the blocks that its site repeats made bad; those that were bad keep their reason."""
    context_free = page.context.context_free.classes
    repeated = {
        i: decision
        for i, decision in find_repeated(fingerprints, sightings, configuration).items()
        if context_free[i] != BAD.code
    }
    return page.with_decisions(repeated) if repeated else page


class SiteMemory:
    """What is known of the sites of a crawl, kept in a store that the crawl's settings choose.

    Raises :class:`~scrapy_justext.exceptions.SiteMemoryError` if the store cannot be read or reached, and
    :class:`~scrapy_justext.exceptions.SettingError` for Redis without its library.
    """

    def __init__(self, crawler: Crawler, configuration: Configuration, count: Callable[[str, float], None]) -> None:
        self._count = count
        # As far as this process knows; others may have seen more.
        self._pages: dict[str, int] = {}
        url = crawler.settings.get("REDIS_URL")
        self._store = self._shared_store(url, crawler, configuration) if url else _local_store(crawler, configuration)

    def close(self) -> None:
        """Keep what was counted."""
        self._store.close()

    @property
    def is_lost(self) -> bool:
        """Whether nothing more will be known of any site."""
        return self._store.is_lost

    def is_ripe(self, site: str, configuration: Configuration) -> bool:
        """Return whether a site has shown enough pages for its repeated blocks to be bad."""
        return self._pages.get(site, 0) >= configuration.site_memory_pages

    def visit(self, site: str, page: JudgedPage, configuration: Configuration, links: PageLinks) -> JudgedPage:
        """Remember a page; return it judged by what is known of its site.

        ``page``: as it was judged by itself.
        """
        judged = self._judge(site, page, configuration, links, self._store.visit)
        self._count_removed(page, judged)
        return judged

    def judge_again(self, site: str, page: JudgedPage, configuration: Configuration, links: PageLinks) -> JudgedPage:
        """Return a page that is remembered, judged by what is known of its site by now."""
        judged = self._judge(site, page, configuration, links, self._store.recall)
        self._count_removed(page, judged)
        return judged

    def recall(self, site: str, page: JudgedPage, configuration: Configuration, links: PageLinks) -> JudgedPage:
        """Return a page judged by what is known of its site, for a page that may not be kept: nothing is counted."""
        return self._judge(site, page, configuration, links, self._store.recall)

    def _judge(
        self,
        site: str,
        page: JudgedPage,
        configuration: Configuration,
        links: PageLinks,
        ask: Callable[[str, Fingerprints], Sightings],
    ) -> JudgedPage:
        length, read = configuration.site_memory_length, page.page
        fingerprints = take_fingerprints(page.context.segments, read.url or "", length, read.title, links)
        sightings = ask(site, fingerprints)
        self._note_pages(site, sightings.pages)
        return without_repeated(page, fingerprints, sightings, configuration)

    def _note_pages(self, site: str, pages: int) -> None:
        # The order of the sites is that of the last visits.
        self._pages.pop(site, None)
        self._pages[site] = pages
        if len(self._pages) > MOST_SITES:
            del self._pages[next(iter(self._pages))]

    def _count_removed(self, before: JudgedPage, after: JudgedPage) -> None:
        pairs = zip(before.final.are_good, after.final.are_good, strict=True) if after is not before else ()
        removed = sum(old > new for old, new in pairs)
        if removed:
            self._count("site_memory/pages", 1)
            self._count("site_memory/blocks", removed)

    def _shared_store(self, url: str, crawler: Crawler, configuration: Configuration) -> Store:
        try:
            shared: Any = require("scrapy_justext.crawl.parts.site_memory.shared", "redis")
        except LibraryNotInstalledError as error:
            raise SettingError("REDIS_URL", without_password(url), str(error)) from error
        on_lost = partial(self._count, "site_memory/pages_without_redis", 1)
        store: Store = shared.SharedStore(url, crawler.spidercls.name, configuration.site_memory_blocks, on_lost)
        return store


def _local_store(crawler: Crawler, configuration: Configuration) -> Store:
    # numpy takes a tenth of a second, which most crawls need not spend.
    from scrapy_justext.crawl.parts.site_memory.store import FILE, LocalStore, load, save  # noqa: PLC0415

    blocks, all_blocks = configuration.site_memory_blocks, configuration.site_memory_all_blocks
    make_store = partial(LocalStore, blocks=blocks, all_blocks=all_blocks)
    folder = crawler.settings.get("JOBDIR")
    if not folder:
        return make_store()
    path = Path(folder) / FILE

    def save_sites(sites: Mapping[str, Table]) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            save(path, sites)
        except OSError as error:
            # This is no bug of ours: a traceback would say nothing.
            logger.error("%s: the memory of sites cannot be saved: %s", path, describe_os_error(error))  # noqa: TRY400

    return make_store(sites=load(path), save=save_sites)
