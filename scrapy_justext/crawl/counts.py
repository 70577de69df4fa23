"""Count what becomes of pages, in the stats of a crawl and in its log."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING
from weakref import WeakSet

from scrapy_justext.core.reading.loading import compiled
from scrapy_justext.crawl.pages import OFF, CleanedPage, UncleanedPage, declared_otherwise, page_counts
from scrapy_justext.crawl.sites import host_of
from scrapy_justext.exceptions import JustextError, PageTimeout

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response
    from scrapy.statscollectors import StatsCollector

    from scrapy_justext.crawl.pages import Outcome

logger = logging.getLogger(__name__)

#: Why pages are not cleaned that hold what people may miss; the log says it once for each site.
_TOLD = frozenset({"too_large", "too_many_blocks", "too_many_attributes"})


class Counts:
    """The stats of one crawl, under ``justext/``: each page is counted once.

    Errors are logged, too, and not raised again: one bad page never ends a crawl.
    """

    def __init__(self, stats: StatsCollector) -> None:
        self._stats = stats
        self._counted: WeakSet[Request] = WeakSet()
        # What the log was told, and of which site.
        self._told: set[tuple[str, str]] = set()
        self._declared_otherwise = 0
        self._first_declared = ""

    def add(self, name: str, by: float = 1) -> None:
        """Add to one stat."""
        self._stats.inc_value(f"justext/{name}", by)  # type: ignore[arg-type]

    def has(self, request: Request | None) -> bool:
        """Return whether the page of a request was counted."""
        return request is not None and request in self._counted

    def add_outcome(self, outcome: Outcome, response: Response, request: Request | None) -> None:
        """Count what became of a response, if it is the first for its request."""
        # A response that another component put in the place of the first is cleaned again, but it is one page.
        if request is not None:
            if request in self._counted:
                return
            self._counted.add(request)
        if isinstance(outcome, CleanedPage):
            self.add_page(outcome)
        elif outcome.error is not None:
            self.add_error(outcome.error, response.url)
        else:
            self._add_uncleaned(outcome, response.url)

    def _add_uncleaned(self, page: UncleanedPage, url: str) -> None:
        if page.reason == OFF:
            return
        self.add(f"skipped/{page.reason}")
        site = host_of(url) or ""
        if page.reason in _TOLD and (page.reason, site) not in self._told:
            self._told.add((page.reason, site))
            more = f"more such pages of {site} are only counted, as justext/skipped/{page.reason}"
            logger.warning("%s: not cleaned: %s; %s", url, page.message, more)

    def add_page(self, page: CleanedPage) -> None:
        """Count a cleaned page and the time that it took, and tell whether compiled code reads pages."""
        self._stats.set_value("justext/reader", compiled().name)
        self.add("seconds", page.seconds)
        for name, number in page_counts(page).items():
            self.add(name, number)
        declared = declared_otherwise(page)
        if declared is not None:
            self._declared_otherwise += 1
            self._first_declared = self._first_declared or f"{page.extraction.url} declares {declared}"

    def close(self) -> None:
        """Warn of pages that may be in another language than the settings say."""
        if self._declared_otherwise:
            logger.warning(
                "Of the pages judged in the language of JUSTEXT_LANGUAGE, %d declared another one (%s). Set it to "
                '"auto" to have the language of each page detected, and JUSTEXT_KEEP_LANGUAGES to keep only some.',
                self._declared_otherwise,
                self._first_declared,
            )

    def add_error(self, error: Exception, page: str) -> None:
        """Count and log an error.  ``page``: what the log calls the page."""
        if isinstance(error, PageTimeout):
            self.add("timeouts")
            logger.warning("%s: given up: %s", page, error)
            return
        self.add("errors")
        self.add(f"errors/{type(error).__name__}")
        # What the library itself says needs no traceback.
        trace = None if isinstance(error, JustextError) else error
        logger.error("%s: not cleaned: %s", page, error, exc_info=trace)
