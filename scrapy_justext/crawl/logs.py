"""What a crawl says: items and errors in its log, what became of its pages in its stats.

Scrapy writes each item to the log, with all its text, at the level DEBUG.  Some errors are a page of advice in a frame.
"""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from itemadapter import ItemAdapter
from scrapy.logformatter import LogFormatter

from scrapy_justext.core.reading.loading import compiled
from scrapy_justext.crawl.pages import OFF, CleanedPage, UncleanedPage, declared_otherwise, page_counts
from scrapy_justext.crawl.sites import host_of
from scrapy_justext.exceptions import JustextError, PageTimeout

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.http import Response
    from scrapy.logformatter import LogFormatterResult
    from scrapy.statscollectors import StatsCollector
    from twisted.python.failure import Failure

    from scrapy_justext.crawl.pages import Outcome

#: Characters that are shown of a value, and of an item.
VALUE_CHARACTERS = 50
ITEM_CHARACTERS = 200
#: Characters that are shown of an error.
ERROR_CHARACTERS = 150

#: What frames are drawn with: Unicode's box-drawing characters and block elements.
_FRAMES = re.compile("[\u2500-\u259f]+")


class ShortLogFormatter(LogFormatter):
    """Shows the beginning of each field of an item, in a line."""

    def scraped(self, item: Any, response: Response | Failure | None, spider: Spider) -> LogFormatterResult:
        """Return the entry for an item that passed all pipelines."""
        return _shortened(super().scraped(item, response, spider))

    def dropped(
        self, item: Any, exception: BaseException, response: Response | Failure | None, spider: Spider
    ) -> LogFormatterResult:
        """Return the entry for an item that a pipeline dropped."""
        return _shortened(super().dropped(item, exception, response, spider))

    def item_error(
        self, item: Any, exception: BaseException, response: Response | Failure | None, spider: Spider
    ) -> LogFormatterResult:
        """Return the entry for an item that a pipeline raised an error for."""
        return _shortened(super().item_error(item, exception, response, spider))


def _shortened(entry: LogFormatterResult) -> LogFormatterResult:
    arguments = entry["args"]
    if isinstance(arguments, dict) and ItemAdapter.is_item(arguments.get("item")):
        entry["args"] = {**arguments, "item": show_item(arguments["item"])}
    return entry


def show_item(item: Any) -> str:
    """Return an item in a line.

    >>> show_item({"text": "one two " * 20, "blocks": [{}, {}]})
    "{'text': 'one two one two one two one two one two one two on…' (160 characters), 'blocks': <2 entries>}"
    """
    adapter = ItemAdapter(item)
    shown = ", ".join(f"{name!r}: {_show(adapter[name])}" for name in adapter)
    name = "" if isinstance(item, dict) else type(item).__name__
    return f"{name}{{{shown if len(shown) <= ITEM_CHARACTERS else shown[:ITEM_CHARACTERS] + '…'}}}"


def in_one_line(error: BaseException) -> str:
    r"""Return an error in words, as many as fit into a line.

    >>> in_one_line(ValueError("1 error:\n  too  long")), in_one_line(KeyError())
    ('1 error: too long', 'KeyError')
    >>> in_one_line(OSError("No browser\n╔════╗\n║ Install one. ║\n╚════╝")), in_one_line(ValueError("x" * 151))[-3:]
    ('No browser Install one.', 'xx…')
    """
    words = " ".join(_FRAMES.sub(" ", str(error)).split()) or type(error).__name__
    return words if len(words) <= ERROR_CHARACTERS else words[:ERROR_CHARACTERS] + "…"


def _show(value: object) -> str:
    """Return a value in few characters.

    >>> _show("x" * VALUE_CHARACTERS) == repr("x" * VALUE_CHARACTERS), _show(2**200)
    (True, '16069380442589902755419620923411626025222029937827…')
    """
    if isinstance(value, str):
        is_long = len(value) > VALUE_CHARACTERS
        return f"{value[:VALUE_CHARACTERS] + '…'!r} ({len(value)} characters)" if is_long else repr(value)
    if isinstance(value, list | tuple | dict) and len(value):
        return f"<{len(value)} entries>"
    shown = repr(value)
    return shown if len(shown) <= VALUE_CHARACTERS else shown[:VALUE_CHARACTERS] + "…"


logger = logging.getLogger(__name__)

#: Reasons for which pages are not cleaned though people may miss them; the log has each once for each site.
_LOGGED = frozenset({"too_large", "too_many_blocks", "too_many_attributes"})


class Counts:
    """The stats of one crawl, under ``justext/``: each page is counted once.

    Errors are logged, too, and not raised again: one bad page never ends a crawl.
    """

    def __init__(self, stats: StatsCollector) -> None:
        self._stats = stats
        self._counted: WeakSet[Request] = WeakSet()
        # The stats that the log has told of already, each with whose it is.
        self._logged: set[tuple[str, str]] = set()
        self._declared_otherwise = 0
        self._first_declared = ""

    def add(self, name: str, by: float = 1) -> None:
        """Add to one stat."""
        self._stats.inc_value(f"justext/{name}", by)  # type: ignore[arg-type]

    def add_first(self, name: str, whose: str = "") -> bool:
        """Add to one stat; return whether it is the first time, or the first of a site: then the log says why."""
        self.add(name)
        is_first = (name, whose) not in self._logged
        self._logged.add((name, whose))
        return is_first

    def has(self, request: Request | None) -> bool:
        """Return whether the page of a request was counted."""
        return request is not None and request in self._counted

    def add_outcome(self, outcome: Outcome, response: Response, request: Request | None) -> None:
        """Count what became of a response, if it is the first for its request."""
        # If another component replaces the response, the new one is cleaned again, but it is the same page.
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
        name, site = f"skipped/{page.reason}", host_of(url) or ""
        if page.reason not in _LOGGED:
            self.add(name)
        elif self.add_first(name, site):
            more = f"more such pages of {site} are only counted, as justext/{name}"
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
