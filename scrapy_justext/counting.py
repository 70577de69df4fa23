"""The figures of one crawl in Scrapy's stats: what became of each page, counted once.

What went wrong is said in the log, too, and goes no further: one bad page never ends a crawl.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING
from weakref import WeakSet

from scrapy_justext.cleaned import Page, page_counts
from scrapy_justext.exceptions import JustextError, PageTimeout

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response
    from scrapy.statscollectors import StatsCollector

#: A page, and the seconds that it took.
Extracted = tuple[Page, float]
#: What became of a look at a response; why it is not cleaned; what went wrong.
Looked = Extracted | str | Exception

# Logging is set up by this name, that of the module which takes the pages in.
logger = logging.getLogger("scrapy_justext.session")


class Counts:
    """Adds to the stats, under ``justext/``."""

    def __init__(self, stats: StatsCollector) -> None:
        self._stats = stats
        self._counted: WeakSet[Request] = WeakSet()

    def add(self, name: str, by: float = 1) -> None:
        """Add to one figure."""
        self._stats.inc_value(f"justext/{name}", by)  # type: ignore[arg-type]

    def add_look(self, looked: Looked, response: Response, request: Request | None) -> None:
        """Count what became of a response, if it is the first for its request."""
        # A response that another component put in the place of the first is looked at again, but it is one page.
        is_counted = request is not None and request in self._counted
        if request is not None:
            self._counted.add(request)
        if is_counted:
            return
        if isinstance(looked, str):
            self.add(f"skipped/{looked}")
        elif isinstance(looked, Exception):
            self.add_error(looked, response.url)
        else:
            self.add_page(*looked)

    def add_page(self, page: Page, seconds: float) -> None:
        """Count a cleaned page and the time that it took."""
        self.add("seconds", seconds)
        for name, number in page_counts(page).items():
            self.add(name, number)

    def add_error(self, error: Exception, where: str) -> None:
        """Count and log what went wrong; ``where``: the page as the log names it."""
        if isinstance(error, PageTimeout):
            self.add("timeouts")
            logger.warning("%s: given up: %s", where, error)
            return
        self.add("errors")
        self.add(f"errors/{type(error).__name__}")
        # What the library itself says needs no traceback.
        trace = None if isinstance(error, JustextError) else error
        logger.error("%s: not cleaned: %s", where, error, exc_info=trace)
