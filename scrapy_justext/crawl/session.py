"""Clean the pages of one crawl, and know which item came from which page: what the components of the crawl share.

The downloader middleware calls the session to clean a page, before the spider can change the page's tree.  The spider
middleware tells the session which item came from which page.  The pipeline, which sees only items, asks the session.

=========================  ========================================================================================
:class:`Session`           cleans pages, in place or in other processes, and keeps them with their responses
:func:`get_session`        gives the session of a crawl
:func:`get_extraction`     gives a callback its page; :func:`fill` fills an item with it at once
=========================  ========================================================================================

All other features of a crawl are parts: see :mod:`scrapy_justext.crawl.parts.order`.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import sys
import threading
from contextlib import ExitStack, suppress
from contextvars import ContextVar
from functools import cache
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar, cast
from weakref import WeakValueDictionary

from itemadapter import ItemAdapter
from scrapy import signals

from scrapy_justext.core.blocks import GOOD
from scrapy_justext.core.extraction import Extraction
from scrapy_justext.core.extractor import JudgedPage
from scrapy_justext.core.reading.loading import compiled, is_refused
from scrapy_justext.crawl.configurations import Configurations
from scrapy_justext.crawl.items import ItemFields, ItemPages, is_filled, may_be_of_another
from scrapy_justext.crawl.logs import Counts
from scrapy_justext.crawl.pages import (
    CleanedPage,
    Outcome,
    UncleanedPage,
    describe_reason,
    failed_page,
    header_languages,
    keep_page,
    now,
    page_of,
    raw_page,
)
from scrapy_justext.crawl.parts.order import Parts, Visit
from scrapy_justext.crawl.processes import PagePool, RawPage, freeze_objects
from scrapy_justext.crawl.verdicts import find_verdict, take_verdict
from scrapy_justext.exceptions import JustextError, PageTimeout

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response, TextResponse

    from scrapy_justext.crawl.processes import PageTask
    from scrapy_justext.crawl.settings import Configuration

logger = logging.getLogger(__name__)


AnyItem = TypeVar("AnyItem")

#: A page judged by itself; as a judged page it can be judged again with what is known of its site.
Extracted = Extraction | JudgedPage

#: What ``scrapy parse`` adds to each request.
_META_OF_PARSE = frozenset({"_depth", "_callback"})
# The page whose callback runs under that command; None in every other crawl.
_PARSED: ContextVar[Outcome | None] = ContextVar("_PARSED", default=None)


class Session:
    """One crawl: its configurations, its parts, its pages, its items.

    Raises :class:`~scrapy_justext.exceptions.SettingError` for a setting that is not allowed, and the errors of parts
    that cannot be used.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.configurations = Configurations(crawler)
        # There are none before the crawl's components are made.
        assert crawler.stats is not None
        self.counts = Counts(crawler.stats)
        self.items = ItemPages()
        self.item_fields = ItemFields(self.counts.add)
        #: Whether the crawl has the pipeline, which alone takes the marks out of items again.
        self.has_pipeline = False
        self._pool: PagePool[Extracted] | None = None
        self._keeps_judged = any(configuration.site_memory for configuration in self.configurations.in_use)
        self.parts = Parts(self)
        for configuration in self.configurations.in_use:
            self.parts.ask(configuration)
        crawler.signals.connect(self._open, signals.spider_opened)
        crawler.signals.connect(self._close, signals.spider_closed)

    # Pages

    async def outcome_of(self, response: Response, request: Request | None, *, in_place: bool = False) -> Outcome:
        """Return what became of a response, which is cleaned at the first call.

        It is cleaned in another process if the crawl has any, unless ``in_place``.
        """
        page = page_of(response)
        if page is None:
            visit = Visit(response, request, in_place)
            page = await self._keep(await self.judge(visit), visit)
        return page

    async def clean_downloaded(self, response: Response, request: Request) -> Response:
        """Clean the page of a response; return the response, or that whose page is kept in place of it."""
        if page_of(response) is None:
            visit = Visit(response, request)
            page = await self.judge(visit)
            for part in self.parts:
                try:
                    page, visit = await part.page_judged(page, visit)
                except Exception as error:
                    self.counts.add_error(error, response.url)
            await self._keep(page, visit)
            response = visit.response
        for part in self.parts:
            await part.page_done()
        return response

    def clean_now(self, response: Response, request: Request | None) -> None:
        """Clean a response in place, without an event loop."""
        # Nothing is awaited in place, so that the first step is the last.
        with suppress(StopIteration):
            self.outcome_of(response, request, in_place=True).send(None)

    async def judge(self, visit: Visit) -> Outcome:
        """Return the page of a response, judged by itself."""
        configuration = self.configurations.of_site(visit.response.url)
        try:
            configuration, reason = self.configurations.choose(visit.response, visit.request)
            if reason is not None:
                message = describe_reason(reason, visit.response, configuration)
                return UncleanedPage(reason, message, configuration)
            # A request may ask for more than the settings do.
            self.parts.ask(configuration)
            extracted, seconds = await self._extract(_raw(visit), configuration, in_place=visit.in_place)
            return self._finish(extracted, seconds, configuration, visit.response.url)
        except Exception as error:
            return failed_page(error, configuration)

    async def with_documents(self, page: CleanedPage, visit: Visit) -> CleanedPage:
        """Return a page with Markdown and HTML of the blocks that are still good; if that fails, as it was."""
        judged = page.judged
        classes, reasons = map(page.extraction.column, ("block_class", "reason"))
        bad = {i: reasons[i] for i, block_class in enumerate(classes) if block_class is not GOOD}
        try:
            # A page that comes from another process has no tokens to write them from.
            if judged is not None and (judged.page.flow is not None or not visit.response.body):
                documents = judged.with_bad(bad).documents
            else:
                raw = _raw(visit)._replace(bad=bad)
                extracted, _ = await self._extract(raw, page.configuration, in_place=visit.in_place)
                extraction = _extraction_of(extracted)
                documents = {name: getattr(extraction, name) for name in page.configuration.options.documents}
        except Exception as error:
            self.counts.add_error(error, visit.response.url)
            return page
        return page._replace(extraction=page.extraction.with_documents(documents))

    async def clean_html(self, html: str | bytes, configuration: Configuration) -> Outcome:
        """Return the page of HTML from an item's own field."""
        page: Outcome
        try:
            extracted, seconds = await self._extract(RawPage(html), configuration)
            page = self._finish(extracted, seconds, configuration)
        except Exception as error:
            page = failed_page(error, configuration)
            if page.error is None:
                self.counts.add(f"skipped/{page.reason}")
            else:
                self.counts.add_error(error, "an item's HTML")
            return page._replace(error=None)
        self.counts.add_page(page)
        return page

    def enter_callback(self, response: Response) -> None:
        """Clean a response that another component put in place of the downloaded one, before its callback runs.

        The command ``scrapy parse`` sends the callback's items to the pipelines itself, past :meth:`remember_item`.
        Then :meth:`page_of_item` knows them by their callback.
        """
        self.clean_now(response, response.request)
        if response.request is not None and response.meta.keys() >= _META_OF_PARSE:
            _PARSED.set(page_of(response))

    async def _keep(self, page: Outcome, visit: Visit) -> Outcome:
        """Count what became of a response, and keep it for its callback and its items."""
        page = await self.parts.page_kept(page, visit)
        self.counts.add_outcome(page, visit.response, visit.request)
        return keep_page(page, visit.response)

    async def _extract(
        self, page: RawPage, configuration: Configuration, *, in_place: bool = False
    ) -> tuple[Extracted, float]:
        """Return a page judged by itself, and the seconds that it took."""
        # A request may switch site memory on in a crawl whose processes do not give judged pages.
        pool = None if in_place or (configuration.site_memory and not self._keeps_judged) else self._find_pool()
        if pool is not None:
            if not isinstance(page.html, str | bytes):
                page = raw_page(page.html)._replace(bad=page.bad)
            return await pool.do(page, configuration.options, configuration.timeout)
        start = perf_counter()
        extract = page.judge if configuration.site_memory else page.extract
        return extract(configuration.options), perf_counter() - start

    def _finish(
        self, extracted: Extracted, seconds: float, configuration: Configuration, url: str | None = None
    ) -> CleanedPage:
        """Return the page; raise :class:`~scrapy_justext.exceptions.PageTimeout` if it took too long.

        ``url``: None for a page of no site.
        """
        if configuration.timeout is not None and seconds > configuration.timeout:
            raise PageTimeout(configuration.timeout)
        page = CleanedPage(_extraction_of(extracted), configuration, seconds, crawled=now())
        if isinstance(extracted, Extraction) or url is None or not configuration.site_memory:
            return page
        return page._replace(site=self.configurations.site_of(url), judged=extracted)

    # Items

    def page_of_item(self, item: Any) -> Outcome | None:
        """Return the page that an item came from, or None.  It can be asked for as often as it was remembered."""
        known = self.items.take(item) or self.items.take_chosen(item)
        return known if known is not None or find_verdict(item) is not None else _PARSED.get()

    def remember_item(self, item: Any, response: Response) -> bool:
        """Remember which page an item came from; return False for an item that is held and goes on later."""
        chosen = self.items.take_chosen(item)
        page = chosen or page_of(response)
        is_of_another = chosen is None and self.is_filled(item) and may_be_of_another(item, response)
        if page is None or is_of_another:
            return True
        if isinstance(page, CleanedPage):
            if chosen is None:
                self.item_fields.check_url(item, page, response)
            if any(part.item_seen(item, page, response) for part in self.parts):
                return False
        self.items.remember(item, page, response)
        return True

    def is_filled(self, item: Any) -> bool:
        """Return whether an item has what :func:`fill` gives: a mark, or all of a page in this crawl's own fields."""
        if not ItemAdapter.is_item(item):
            return False
        return find_verdict(item) is not None or is_filled(item, self.configurations.of_crawl)

    # The crawl

    def _open(self) -> None:
        self.parts.open()
        if not self.configurations.in_use:
            return
        if is_refused():
            logger.warning("Pages are read in Python, which is slower: %s", compiled().reason)
        self.configurations.warn()
        freeze_objects()
        self._find_pool()

    def _find_pool(self) -> PagePool[Extracted] | None:
        """Return the processes, started at the first call; None in a crawl that has none."""
        configuration = self.configurations.of_crawl
        if self._pool is None and configuration.processes:
            task: PageTask[Any] = RawPage.judge if self._keeps_judged else RawPage.extract
            self._pool = PagePool(configuration.processes, task, configuration.options)
        return self._pool

    def _close(self) -> None:
        # What the crawl leaves behind in cycles would stay for good.
        gc.unfreeze()
        self.items.clear()
        # All are closed, even if one of them raises an error; the stack begins with the last.
        with ExitStack() as stack:
            if self._pool is not None:
                stack.callback(self._pool.close)
            for part in reversed(list(self.parts)):
                stack.callback(part.closed)
            stack.callback(self.counts.close)


def _raw(visit: Visit) -> RawPage:
    """Return the page of a response, whose tree is used."""
    response = cast("TextResponse", visit.response)
    return RawPage(response, declared=tuple(header_languages(response)))


def _extraction_of(extracted: Extracted) -> Extraction:
    return extracted if isinstance(extracted, Extraction) else extracted.extraction()


def get_extraction(response: Response) -> Extraction | None:
    """Return the extraction of a response; None for one that was not cleaned.

    Every callback can ask for it: the page was extracted before the callback got it.  A copy of a response, which
    ``response.replace()`` makes, is extracted now.
    """
    if _clean_copy(response) is None and not _SESSIONS:
        _warn_of_no_crawl()
    page = page_of(response)
    if isinstance(page, CleanedPage):
        return page.extraction
    if page is not None and _is_typed_in():
        logger.warning("%s has no extraction: %s", response, page.message)
    return None


def _is_typed_in() -> bool:
    """Return whether the code that calls this module was typed into a shell, so that it is in no file."""
    # The first frames are those of this function, and of the one that asks.
    return sys._getframe(2).f_code.co_filename.startswith("<")


@cache
def _warn_of_no_crawl() -> None:
    """Say once in a process why there is no extraction, above all in a shell outside of a project."""
    logger.warning(
        "No crawl of this process uses scrapy-justext, so get_extraction() returns None. In the settings, or behind "
        '-s: ADDONS={"scrapy_justext.Addon": 500}. Without a crawl, scrapy_justext.extract(response) does the same.'
    )


def fill(item: AnyItem, response: Response) -> AnyItem:
    """Fill the fields of an item from the page of ``response`` at once, and return the item.

    The pipeline leaves the item as it is, whatever callback yields it later.  It gets plain data: so it can be copied,
    and travel to the next callback in ``meta`` or ``cb_kwargs``, also through JOBDIR and Redis.  It is dropped like any
    item of its page.  If its page is dropped, was not cleaned or has no text, the fields for text hold white space
    until the pipeline gets the item.
    """
    session = _clean_copy(response)
    page = page_of(response)
    if session is not None and page is not None:
        # It may have been filled from another page.
        take_verdict(item)
        if session.has_pipeline:
            session.item_fields.fill_and_mark(item, page)
        elif isinstance(page, CleanedPage):
            session.item_fields.fill(item, page)
        # It does not wait until more is known of the page.
        session.items.choose(item, page._replace(judged=None) if isinstance(page, CleanedPage) else page)
    return item


def _clean_copy(response: Response) -> Session | None:
    """Return the session of the crawl that fetched a response, or None; have it clean a copy of a response."""
    session = next((session for session in list(_SESSIONS.values()) if session.counts.has(response.request)), None)
    if session is not None and page_of(response) is None:
        session.clean_now(response, response.request)
    return session


# By the id() of their crawlers.  The components of a crawl keep its session, and the session keeps the crawler, so that
# no other crawler gets the same id() while there is an entry.
_SESSIONS: WeakValueDictionary[int, Session] = WeakValueDictionary()


def get_session(crawler: Crawler) -> Session:
    """Return the session of a crawl; the first component that asks starts it."""
    session = _SESSIONS.get(id(crawler))
    if session is None:
        try:
            session = _SESSIONS[id(crawler)] = Session(crawler)
        except JustextError as error:
            # A script shows a long traceback of the error, or nothing.
            logger.critical("%s", error)
            _end_command()
            raise
    return session


def _end_command() -> None:
    """End a command of Scrapy with exit status 2; do nothing in a script.

    An error that a component raises ends a command, too, but with status 1 and a hundred lines of tracebacks.  A script
    may have other crawls in its process, which must go on.
    """
    # The exit waits for threads that are no daemons, and those may not end without an event loop.
    others = (thread for thread in threading.enumerate() if thread is not threading.current_thread())
    if "scrapy.cmdline" in sys.modules and all(thread.daemon for thread in others) and _is_in_task():
        raise SystemExit(2)


def _is_in_task() -> bool:
    """Return whether asyncio runs this as a task: only from there an exit ends the process."""
    try:
        return asyncio.current_task() is not None
    except RuntimeError:
        return False
