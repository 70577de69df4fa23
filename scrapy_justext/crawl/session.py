"""What the middlewares and the pipeline of one crawl know together.

The downloader middleware extracts a page before the spider can change its tree; the spider middleware tells
which item came from which page; the pipeline, which sees items only, asks here.
"""

from __future__ import annotations

import logging
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple, cast
from weakref import WeakKeyDictionary, WeakSet, finalize

from scrapy import Request, signals
from scrapy.exceptions import NotConfigured

from scrapy_justext.core.extractor import Extraction, Extractor
from scrapy_justext.core.parsing import is_response, response_encoding
from scrapy_justext.crawl.command_line import end_command
from scrapy_justext.crawl.pages import Page, header_languages, page_counts, raw_page, skip_reason
from scrapy_justext.crawl.processes import EXTRACT, JUDGE, PagePool, RawPage
from scrapy_justext.crawl.settings import (
    KEY,
    OF_CRAWLS,
    Configuration,
    configure,
    from_mapping,
    from_settings,
    from_spider,
    is_enabled,
    make_layers,
)
from scrapy_justext.crawl.site_memory.held_items import HeldItems
from scrapy_justext.crawl.site_memory.memory import SiteMemory, SitePage
from scrapy_justext.crawl.sites import find_domain, host_of, site_of
from scrapy_justext.exceptions import JustextError, PageTimeout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response, TextResponse
    from scrapy.statscollectors import StatsCollector

    from scrapy_justext.core.extractor import JudgedPage

# Which page an item came from, while the item is on its way to the pipeline.
#
# Items cannot tell: many kinds of them have no room for it, and no hash to look them up by.  So they are known by their
# identity, and held, so that no other object gets it meanwhile.  An entry goes when the pipeline takes it, or else with
# the response that the item came from: of a response that is gone, no item is on its way any more.


class _Noted(NamedTuple):
    """``times``: how often the item was noted, less how often it was taken."""

    item: Any
    page: Page
    times: int


class NotedItems:
    """The items of one crawl that are on their way."""

    def __init__(self) -> None:
        self._noted: dict[int, _Noted] = {}
        self._of_response: WeakKeyDictionary[Response, list[int]] = WeakKeyDictionary()

    def __len__(self) -> int:
        return len(self._noted)

    def note(self, item: Any, page: Page, response: Response) -> None:
        """Remember the page of an item, as long as its response is there."""
        if response not in self._of_response:
            self._of_response[response] = []
            # An item that an earlier pipeline dropped or replaced is never asked for.
            finalize(response, self._forget, self._of_response[response], page).atexit = False
        self._of_response[response].append(id(item))
        self._note(item, page)

    @contextmanager
    def noted(self, item: Any, page: Page) -> Iterator[None]:
        """Remember the page of an item within the context."""
        self._note(item, page)
        try:
            yield
        finally:
            self._forget([id(item)], page)

    def take(self, item: Any) -> Page | None:
        """The page of an item, forgotten when it was asked for as often as noted; None without one."""
        noted = self._noted.pop(id(item), None)
        if noted is None:
            return None
        if noted.times > 1:
            self._noted[id(item)] = noted._replace(times=noted.times - 1)
        return noted.page

    def clear(self) -> None:
        """Forget all."""
        self._noted.clear()

    def _note(self, item: Any, page: Page) -> None:
        noted = self._noted.get(id(item))
        times = noted.times if noted is not None and noted.page is page else 0
        self._noted[id(item)] = _Noted(item, page, times + 1)

    def _forget(self, identities: list[int], page: Page) -> None:
        for identity in identities:
            noted = self._noted.get(identity)
            # By now another page's item may have the identity of one that is gone.
            if noted is not None and noted.page is page:
                del self._noted[identity]


# The figures of one crawl in Scrapy's stats: what became of each page, counted once.
#
# What went wrong is said in the log, too, and goes no further: one bad page never ends a crawl.

#: A page, and the seconds that it took.
Extracted = tuple[Page, float]
#: What became of a look at a response; why it is not cleaned; what went wrong.
Looked = Extracted | str | Exception

# Logging is set up by this name, that of the module which takes the pages in.
logger = logging.getLogger("scrapy_justext.crawl.session")


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
            if is_response(response) and response_encoding(response) != response.encoding:
                self.add("pages_read_as_utf8")

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


# Pages that were looked at, None for those that were not cleaned; an entry goes with its response.
_PAGES: WeakKeyDictionary[Response, Page | None] = WeakKeyDictionary()


def get_extraction(response: Response) -> Extraction | None:
    """The extraction of a response; None for one that was not cleaned.

    Every callback can ask for it: the page was extracted before the callback got it.
    """
    page = _PAGES.get(response)
    return None if page is None else page.extraction


class Session:
    """One crawl: its configuration, its pages, and which page each item on its way came from.

    Raises :class:`~scrapy_justext.exceptions.SettingError` for a setting that is not allowed,
    :class:`~scrapy_justext.exceptions.SiteMemoryError` for a memory of sites that is not to be had, and Scrapy's
    ``NotConfigured`` when the plugin is switched off.
    """

    def __init__(self, crawler: Crawler) -> None:
        spider = {} if crawler.spider is None else from_spider(crawler.spider)
        self._layers = make_layers(from_settings(crawler.settings), spider)
        self.configuration = configure(self._layers.given())
        if not is_enabled(self._layers.given()):
            raise NotConfigured
        self._configurations: dict[str | None, Configuration] = {None: self.configuration}
        # There is none before the crawl's components are made.
        assert crawler.stats is not None
        self._counts = Counts(crawler.stats)
        self._items = NotedItems()
        self._pool: PagePool[Extraction] | PagePool[JudgedPage] | None = None
        self._judges_in_pool = False
        self._memory = SiteMemory(crawler, self.configuration, self.count)
        self._held_items = HeldItems(
            crawler, self._memory, self.configuration.memory.hold, self._look_again, self._items.noted
        )
        if any(configuration.memory.is_on for configuration in self._all_configurations()):
            self._memory.open()
        crawler.signals.connect(self._open_pool, signals.spider_opened)
        crawler.signals.connect(self._close, signals.spider_closed)

    def look_at(self, response: Response, request: Request | None) -> Page | None:
        """The page of a response, extracted at the first look; None for one that is not cleaned."""
        if response in _PAGES:
            return _PAGES[response]
        looked: Looked
        try:
            found = self._configuration_or_reason(response, request)
            looked = found if isinstance(found, str) else self._extract_here(response, found)
        except Exception as error:
            looked = error
        return self._keep(looked, response, request)

    async def receive(self, response: Response, request: Request) -> Page | None:
        """Like :meth:`look_at`, but in the pool, where there is one."""
        if self._pool is None or response in _PAGES:
            return self.look_at(response, request)
        looked: Looked
        try:
            found = self._configuration_or_reason(response, request)
            if isinstance(found, str):
                looked = found
            else:
                looked = await self._extract_there(response, found)
        except Exception as error:
            looked = error
        return self._keep(looked, response, request)

    async def send_due_items(self) -> None:
        """Send on the items that waited for more pages of their site, which have been seen by now."""
        await self._held_items.send_due()

    def note_item(self, item: Any, response: Response) -> bool:
        """Remember that an item came from a response; False where it goes on later."""
        page = _PAGES.get(response)
        if page is None:
            return True
        if self._held_items.hold(item, page, response):
            self.count("site_memory/items_held")
            return False
        self._items.note(item, page, response)
        return True

    def take_page(self, item: Any) -> Page | None:
        """The page that an item came from, forgotten when it was asked for as often as noted; None without one."""
        return self._items.take(item)

    async def extract_html(self, html: str | bytes) -> Page | None:
        """The page in an item's own field; None where it cannot be extracted."""
        raw, configuration = RawPage(html), self.configuration
        try:
            if self._pool is None:
                page, seconds = _timed(lambda: raw.judge(configuration.options).extraction(), configuration)
            else:
                found, seconds = await self._pool.do(raw, configuration.options, configuration.timeout)
                page, seconds = _checked(_extraction(found), seconds, configuration)
        except Exception as error:
            self._counts.add_error(error, "an item's HTML")
            return None
        self._counts.add_page(page, seconds)
        return page

    def count(self, name: str, by: float = 1) -> None:
        """Add to a figure of the crawl's stats."""
        self._counts.add(name, by)

    def _keep(self, looked: Looked, response: Response, request: Request | None) -> Page | None:
        """The page of a response, counted and remembered; None for one that is not cleaned."""
        self._counts.add_look(looked, response, request)
        page = _PAGES[response] = looked[0] if isinstance(looked, tuple) else None
        return page

    def _configuration_or_reason(self, response: Response, request: Request | None) -> Configuration | str:
        """How a response is cleaned, or why it is not."""
        override = request.meta.get(KEY) if request is not None else None
        if override is False:
            return "request"
        site = find_domain(host_of(response.url), self._layers.sites)
        if override is not None:
            given = self._layers.given(site) | from_mapping(override, f"request.meta[{KEY!r}]", but=OF_CRAWLS)
            if not is_enabled(given):
                return "request"
            configuration = configure(given)
        elif not is_enabled(self._layers.given(site)):
            return "site"
        else:
            configuration = self._configuration_of(site)
        return skip_reason(request, response, configuration) or configuration

    def _extract_here(self, response: Response, configuration: Configuration) -> Extracted:
        start = perf_counter()
        extractor = Extractor(configuration.options)
        languages = header_languages(response)
        judged = extractor.judge(extractor.read(cast("TextResponse", response), languages=languages))
        found = judged if configuration.memory.is_on else judged.extraction()
        return self._looked_at(found, perf_counter() - start, response, configuration)

    async def _extract_there(self, response: Response, configuration: Configuration) -> Extracted:
        assert self._pool is not None
        if configuration.memory.is_on and not self._judges_in_pool:
            return self._extract_here(response, configuration)
        raw = raw_page(cast("TextResponse", response))
        found, seconds = await self._pool.do(raw, configuration.options, configuration.timeout)
        return self._looked_at(found, seconds, response, configuration)

    def _looked_at(
        self, found: Extraction | JudgedPage, seconds: float, response: Response, configuration: Configuration
    ) -> Extracted:
        if isinstance(found, Extraction) or not configuration.memory.is_on:
            return _checked(_extraction(found), seconds, configuration)
        _check_time(seconds, configuration)
        host = host_of(response.url)
        page = SitePage(find_domain(host, self._layers.sites) or site_of(host), found)
        return self._first_look(page, configuration), seconds

    def _first_look(self, page: SitePage, configuration: Configuration) -> Page:
        judged = self._memory.first_look(page, configuration)
        self._held_items.note_visit(page.site)
        is_wanted = self._held_items.waits_for(page.site, configuration)
        return Page(judged.extraction(), configuration, page if is_wanted else None)

    def _look_again(self, page: Page) -> Page:
        """A page as it is judged by now; as it was where that fails."""
        assert page.unfinished is not None
        try:
            judged = self._memory.second_look(page.unfinished, page.configuration)
            return Page(judged.extraction(), page.configuration)
        except Exception as error:
            self._counts.add_error(error, page.extraction.url or "")
            return page

    def _open_pool(self) -> None:
        processes, options = self.configuration.processes, self.configuration.options
        self._judges_in_pool = any(one.memory.is_on for one in self._all_configurations())
        if processes and self._judges_in_pool:
            self._pool = PagePool(processes, JUDGE, options)
        elif processes:
            self._pool = PagePool(processes, EXTRACT, options)

    def _all_configurations(self) -> list[Configuration]:
        return [self._configuration_of(site) for site in (None, *self._layers.sites)]

    def _close(self) -> None:
        self._items.clear()
        self._memory.close()
        if self._pool is not None:
            self._pool.close()

    def _configuration_of(self, site: str | None) -> Configuration:
        if site not in self._configurations:
            self._configurations[site] = configure(self._layers.given(site))
        return self._configurations[site]


def _extraction(found: Extraction | JudgedPage) -> Extraction:
    return found if isinstance(found, Extraction) else found.extraction()


def _timed(extract: Callable[[], Extraction], configuration: Configuration) -> Extracted:
    start = perf_counter()
    return _checked(extract(), perf_counter() - start, configuration)


def _checked(extraction: Extraction, seconds: float, configuration: Configuration) -> Extracted:
    """A page that was extracted in time; raises :class:`PageTimeout` for another."""
    _check_time(seconds, configuration)
    return Page(extraction, configuration), seconds


def _check_time(seconds: float, configuration: Configuration) -> None:
    if configuration.timeout is not None and seconds > configuration.timeout:
        raise PageTimeout(configuration.timeout)


_SESSIONS: WeakKeyDictionary[Crawler, Session] = WeakKeyDictionary()


def get_session(crawler: Crawler) -> Session:
    """The session of a crawl, begun by whichever component asks first."""
    if crawler not in _SESSIONS:
        try:
            _SESSIONS[crawler] = Session(crawler)
        except JustextError as error:
            end_command(error)
            raise
    return _SESSIONS[crawler]
