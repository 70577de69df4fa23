"""Keep what the middlewares and the pipeline of one crawl share.

The downloader middleware calls the session to clean a page, before the spider can change the page's tree.  The spider
middleware tells the session which item came from which page.  The pipeline, which sees only items, asks the session.

=========================  ========================================================================================
:class:`Session`           cleans pages, in place or in other processes, and keeps them with their responses
:class:`Counts`            counts what became of each page
:func:`get_session`        gives the session of a crawl
:func:`get_extraction`     gives a callback its page; :func:`fill` fills an item with it at once
=========================  ========================================================================================
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
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar, cast
from weakref import WeakKeyDictionary, WeakSet, WeakValueDictionary

from itemadapter import ItemAdapter
from scrapy import Request, signals
from scrapy.http import Response

from scrapy_justext.core.extraction import Extraction
from scrapy_justext.core.extractor import Extractor, JudgedPage
from scrapy_justext.core.parts import PARTS
from scrapy_justext.core.reading.loading import compiled, is_refused
from scrapy_justext.crawl.items import ItemFields, ItemPages, is_filled, may_be_of_another
from scrapy_justext.crawl.joining import Joining
from scrapy_justext.crawl.links import NO_LINKS, links_of
from scrapy_justext.crawl.pages import (
    OFF,
    REPEATED,
    CleanedPage,
    Outcome,
    UncleanedPage,
    declared_otherwise,
    describe_limit,
    describe_reason,
    header_languages,
    page_counts,
    raw_page,
    skip_reason,
)
from scrapy_justext.crawl.processes import EXTRACT, JUDGE, PagePool, PageTask, RawPage, freeze_objects
from scrapy_justext.crawl.second_requests import MARK, SecondRequests, is_better, why_again
from scrapy_justext.crawl.settings import (
    KEY,
    OF_CRAWLS,
    Configuration,
    configure,
    from_mapping,
    from_settings,
    from_spider,
    is_enabled,
    keeps_all_languages,
    make_layers,
    named_parts,
    without_effect,
)
from scrapy_justext.crawl.site_memory.held_items import HeldItems
from scrapy_justext.crawl.site_memory.memory import SiteMemory
from scrapy_justext.crawl.sites import host_of, site_name
from scrapy_justext.crawl.verdicts import find_verdict, take_verdict
from scrapy_justext.exceptions import JustextError, PageLimitError, PageTimeout

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from scrapy.crawler import Crawler
    from scrapy.http import TextResponse
    from scrapy.statscollectors import StatsCollector

    from scrapy_justext.crawl.duplicates.detection import Duplicates
    from scrapy_justext.crawl.links import PageLinks
    from scrapy_justext.crawl.site_report import SiteWatch

logger = logging.getLogger(__name__)


AnyItem = TypeVar("AnyItem")

#: A page judged by itself; as a judged page it can be judged again with what is known of its site.
Found = Extraction | JudgedPage
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

    def add_outcome(self, outcome: Outcome | Exception, response: Response, request: Request | None) -> None:
        """Count what became of a response, if it is the first for its request."""
        # A response that another component put in the place of the first is cleaned again, but it is one page.
        if request is not None:
            if request in self._counted:
                return
            self._counted.add(request)
        if isinstance(outcome, UncleanedPage):
            self._add_uncleaned(outcome, response.url)
        elif isinstance(outcome, Exception):
            self.add_error(outcome, response.url)
        else:
            self.add_page(outcome)

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


#: What ``scrapy parse`` adds to each request.
_META_OF_PARSE = frozenset({"_depth", "_callback"})
# The page whose callback runs under that command; None in every other crawl.
_PARSED: ContextVar[Outcome | None] = ContextVar("_PARSED", default=None)

# What became of responses; an entry goes with its response, so that no exception is kept, which would hold it.
_PAGES: WeakKeyDictionary[Response, Outcome] = WeakKeyDictionary()


class Session:
    """One crawl: its configurations, its pages, its items.

    Raises :class:`~scrapy_justext.exceptions.SettingError` for a setting that is not allowed, and
    :class:`~scrapy_justext.exceptions.SiteMemoryError` for a site memory that cannot be used.
    """

    def __init__(self, crawler: Crawler) -> None:
        spider = {} if crawler.spider is None else from_spider(crawler.spider)
        self._layers = make_layers(from_settings(crawler.settings), spider)
        self.configuration = configure(self._layers.given())
        #: False where only sites or requests switch the plugin on.
        self.is_on = is_enabled(self._layers.given())
        sites = self._layers.sites
        self._of_sites = {None: self.configuration} | {site: configure(self._layers.given(site)) for site in sites}
        if crawler.settings.getdict("FEEDS"):
            # Few crawls have feeds that it knows, and many have none at all.
            from scrapy_justext.crawl.feeds import check_feeds  # noqa: PLC0415

            check_feeds(crawler.settings, self.fields_of_lists)
        #: The sites, and None for pages of no site, on which the plugin is on.
        self._on = on = frozenset(site for site in self._of_sites if is_enabled(self._layers.given(site)))
        #: Whether it is on for any page.
        self.is_used = bool(on)
        self._joining: Joining | None = None
        self._site_watch: SiteWatch | None = None
        if self.configuration.site_stats or self.configuration.site_report:
            # Few crawls write one.
            from scrapy_justext.crawl.site_report import SiteWatch  # noqa: PLC0415

            self._site_watch = SiteWatch(crawler.spidercls.name, self.configuration)
        self._uses_memory = any(self._of_sites[site].site_memory for site in on)
        # There are none before the crawl's components are made.
        assert crawler.stats is not None
        self.counts = Counts(crawler.stats)
        self.items = ItemPages()
        self.item_fields = ItemFields(self.counts.add)
        #: Whether the crawl has the pipeline, which alone takes the marks out of items again.
        self.has_pipeline = False
        asks = any(self._of_sites[site].retry_meta for site in on)
        self._second_requests = SecondRequests(crawler, self.counts.add, are_cached=asks)
        self._pool: PagePool[Found] | None = None
        self._crawler = crawler
        #: None in a crawl without site memory.
        self.held_items: HeldItems | None = None
        if self._uses_memory:
            self._open_memory()
        self._duplicates: Duplicates | None = None
        if any(self._of_sites[site].duplicates != "none" for site in on):
            self._open_duplicates()
        crawler.signals.connect(self._open, signals.spider_opened)
        crawler.signals.connect(self._close, signals.spider_closed)

    async def clean(self, response: Response, request: Request | None, *, in_place: bool = False) -> CleanedPage | None:
        """Return the page of a response, cleaned at the first call; None for a response that is not cleaned.

        It is cleaned in another process if the crawl has any, unless ``in_place``.
        """
        page = await self.outcome_of(response, request, in_place=in_place)
        return page if isinstance(page, CleanedPage) else None

    async def outcome_of(self, response: Response, request: Request | None, *, in_place: bool = False) -> Outcome:
        """Return what became of a response, which is cleaned at the first call; see :meth:`clean`."""
        if response not in _PAGES:
            found = await self._clean(response, request, in_place=in_place)
            await self._enter(*found, response, request, in_place=in_place)
        return _PAGES[response]

    async def clean_best(self, response: Response, request: Request) -> Response:
        """Clean the page of a response; return the response, or that of a second request whose page is better."""
        if response in _PAGES:
            return response
        outcome, configuration = await self._clean(response, request, in_place=False)
        if MARK in request.meta:
            # Who asked for it compares it with the first page, and counts one of them.
            _PAGES[response] = self._count_failed(outcome, configuration, response)
            return response
        page = _without_error(outcome, configuration)
        # A request that had the meta already would only be repeated.
        is_other = not configuration.retry_meta.items() <= request.meta.items()
        why = why_again(response, page) if is_other else None
        better = await self._fetch_better(page, request, why) if why is not None else None
        if better is not None:
            return better
        await self._enter(outcome, configuration, response, request)
        return response

    async def _fetch_better(self, first: Outcome, request: Request, why: str) -> Response | None:
        """Return the response to a second request; None if its page is not better than the first."""
        response = await self._second_requests.fetch(request, first.configuration, why)
        if response is None:
            return None
        page = _PAGES.get(response)
        if page is None:
            page = self._count_failed(*await self._clean(response, request, in_place=False), response)
        if not (isinstance(page, CleanedPage) and is_better(page, first)):
            self._count_lost(page)
            self.counts.add("retry/kept_first")
            return None
        self._count_lost(first)
        self._second_requests.keep(response, request)
        self.counts.add("retry/kept_second")
        await self._enter(page._replace(fetched="again"), page.configuration, response, response.request)
        return response

    def _count_failed(self, outcome: Outcome | Exception, configuration: Configuration, response: Response) -> Outcome:
        """Return what became of a second response; count and log an error."""
        if isinstance(outcome, Exception):
            self.counts.add_error(outcome, response.url)
        return _without_error(outcome, configuration)

    def _count_lost(self, page: Outcome) -> None:
        """Count the time that the page took which is not kept."""
        if isinstance(page, CleanedPage):
            self.counts.add("seconds", page.seconds)

    async def _enter(
        self,
        outcome: Outcome | Exception,
        configuration: Configuration,
        response: Response,
        request: Request | None,
        *,
        in_place: bool = False,
    ) -> None:
        """Count what became of a response, and keep it for its callback and its items."""
        if isinstance(outcome, CleanedPage):
            if not outcome.is_remembered:
                outcome = self._remember(outcome, response)
            outcome = self.find_repeats(outcome, response.url, request)
            if outcome.has_old_markdown:
                outcome = await self._with_markdown(outcome, response, in_place=in_place)
        if self._site_watch is not None and not self.counts.has(request):
            self._site_watch.add(outcome, response)
        self.counts.add_outcome(outcome, response, request)
        _PAGES[response] = _without_error(outcome, configuration)

    async def _with_markdown(self, page: CleanedPage, response: Response, *, in_place: bool) -> CleanedPage:
        """Return a page with the Markdown of the blocks that are still good; as it was if that fails."""
        try:
            found, _ = await self._judge(response, page.configuration, in_place=in_place, bad=page.bad_blocks)
        except Exception as error:
            self.counts.add_error(error, response.url)
            return page
        again = found if isinstance(found, Extraction) else found.extraction()
        return page._replace(extraction=page.extraction.with_markdown(again.markdown))

    async def _clean(
        self, response: Response, request: Request | None, *, in_place: bool
    ) -> tuple[Outcome | Exception, Configuration]:
        """Return what became of a response, and the configuration for its items."""
        configuration = self._of_sites[self._layers.site_of(response.url)]
        outcome: Outcome | Exception
        try:
            configuration, reason = self._choose(response, request)
            if reason is not None:
                outcome = UncleanedPage(reason, describe_reason(reason, response, configuration), configuration)
            else:
                found, seconds = await self._judge(response, configuration, in_place=in_place)
                # Of a page and that of its second request, site memory counts the one that is kept.
                adds = not (configuration.retry_meta or (request is not None and MARK in request.meta))
                links = NO_LINKS
                if configuration.site_memory or configuration.duplicates != "none":
                    links = links_of(cast("TextResponse", response), request)
                outcome = self._finish(found, seconds, configuration, response, links, adds=adds)
        except PageLimitError as error:
            outcome = UncleanedPage(error.reason, describe_limit(error), configuration)
        except Exception as error:
            outcome = error
        return outcome, configuration

    def clean_now(self, response: Response, request: Request | None) -> None:
        """Clean a response in place, without an event loop."""
        # Nothing is awaited in place, so that the first step is the last.
        with suppress(StopIteration):
            self.clean(response, request, in_place=True).send(None)

    async def clean_html(self, html: str | bytes, configuration: Configuration) -> Outcome:
        """Return the page of HTML from an item's own field."""
        raw, pool = RawPage(html), self._find_pool()
        try:
            found: Found
            if pool is None:
                start = perf_counter()
                found, seconds = raw.extract(configuration.options), perf_counter() - start
            else:
                found, seconds = await pool.do(raw, configuration.options, configuration.timeout)
            page = self._finish(found, seconds, configuration)
        except PageLimitError as error:
            self.counts.add(f"skipped/{error.reason}")
            return UncleanedPage(error.reason, describe_limit(error), configuration)
        except Exception as error:
            self.counts.add_error(error, "an item's HTML")
            return _without_error(error, configuration)
        self.counts.add_page(page)
        return page

    def enter_callback(self, response: Response) -> None:
        """Clean a response that another component put in place of the downloaded one, before its callback runs.

        The command ``scrapy parse`` sends the callback's items to the pipelines itself, past :meth:`remember_item`.
        Then :meth:`page_of` knows them by their callback.
        """
        self.clean_now(response, response.request)
        if response.request is not None and response.meta.keys() >= _META_OF_PARSE:
            _PARSED.set(_PAGES.get(response))

    @property
    def parts_by_field(self) -> dict[str, str]:
        """The parts of extractions that items get, on whatever site, by the item field that each goes to."""
        return {field: part for each in self._of_sites.values() for part, field in each.fields.items() if field}

    @property
    def fields_of_lists(self) -> frozenset[str]:
        """The item fields that get lists of dicts, though nobody named these in ``JUSTEXT_FIELDS``."""
        unnamed = {name for name, part in PARTS.items() if part.is_nested} - named_parts(self._layers)
        return frozenset(field for field, part in self.parts_by_field.items() if part in unnamed)

    def page_of(self, item: Any) -> Outcome | None:
        """Return the page that an item came from, or None.  It can be asked for as often as it was remembered."""
        known = self.items.take(item) or self.items.take_chosen(item)
        return known if known is not None or find_verdict(item) is not None else _PARSED.get()

    def remember_item(self, item: Any, response: Response) -> bool:
        """Remember which page an item came from; return False for an item that is held and goes on later."""
        chosen = self.items.take_chosen(item)
        page = chosen or _PAGES.get(response)
        is_of_another = chosen is None and self.is_filled(item) and may_be_of_another(item, response)
        if page is None or is_of_another:
            return True
        if chosen is None and isinstance(page, CleanedPage):
            self.item_fields.check_url(item, page, response)
        if chosen is None and self._joining is not None and self._joining.hold(item, response):
            return False
        held_items = self.held_items
        if held_items is not None and isinstance(page, CleanedPage) and held_items.hold(item, page, response):
            self.counts.add("site_memory/items_held")
            return False
        self.items.remember(item, page, response)
        return True

    def is_filled(self, item: Any) -> bool:
        """Return whether an item has what :func:`fill` gives: a mark, or all of a page in this crawl's own fields."""
        return ItemAdapter.is_item(item) and (find_verdict(item) is not None or is_filled(item, self.configuration))

    def requests_of_articles(self, response: Response) -> Iterator[Any]:
        """Yield the request for the page after that of a response, or what was kept back in vain."""
        return iter(()) if self._joining is None else self._joining.requests(response)

    def keep_back(self, request: Request, response: Response) -> bool:
        """Keep a callback's request for a page that may be joined to its own, and return True; else return False."""
        return self._joining is not None and self._joining.keep_back(request, response)

    def _choose(self, response: Response, request: Request | None) -> tuple[Configuration, str | None]:
        """Return the configuration for a response, and why the response is not cleaned; None if it is."""
        site = self._layers.site_of(response.url)
        configuration = self._of_sites[site]
        override = request.meta.get(KEY) if request is not None else None
        if override is None:
            why_off = None if site in self._on else "site" if self.is_on else OFF
            return configuration, why_off or skip_reason(request, response, configuration)
        if isinstance(override, bool):
            override = {"enabled": override}
        asked = from_mapping(override, f"request.meta[{KEY!r}]", but=OF_CRAWLS)
        given = self._layers.given(site) | asked
        if not is_enabled(given):
            return configuration, "request" if "enabled" in asked else "site" if self.is_on else OFF
        if asked.keys() - {"enabled"}:
            configuration = configure(given)
        return configuration, skip_reason(request, response, configuration)

    async def _judge(
        self,
        response: Response,
        configuration: Configuration,
        *,
        in_place: bool,
        bad: Mapping[int, str] = MappingProxyType({}),
    ) -> tuple[Found, float]:
        """Return a page judged by itself, and the seconds that it took.

        ``bad``: blocks that are bad whatever they say, with the reasons by their indices.
        """
        page = cast("TextResponse", response)
        # A request may switch site memory on in a crawl whose processes do not give judged pages.
        pool = None if in_place or (configuration.site_memory and not self._uses_memory) else self._find_pool()
        if pool is None:
            start = perf_counter()
            extractor, languages = Extractor(configuration.options), header_languages(page)
            if not (bad or configuration.site_memory):
                return extractor.extract(page, languages=languages), perf_counter() - start
            judged = extractor.judge_page(page, languages=languages)
            judged = judged.with_bad(bad) if bad else judged
            return judged if configuration.site_memory else judged.extraction(), perf_counter() - start
        return await pool.do(raw_page(page)._replace(bad=dict(bad)), configuration.options, configuration.timeout)

    def _finish(
        self,
        found: Found,
        seconds: float,
        configuration: Configuration,
        response: Response | None = None,
        links: PageLinks = NO_LINKS,
        *,
        adds: bool = True,
    ) -> CleanedPage:
        """Return the page, judged with what is known of its site; ``adds``: whether site memory counts it.

        Raises :class:`~scrapy_justext.exceptions.PageTimeout` if it took too long.
        """
        if configuration.timeout is not None and seconds > configuration.timeout:
            raise PageTimeout(configuration.timeout)
        if isinstance(found, Extraction):
            return CleanedPage(found, configuration, seconds, links=links)
        if response is None or not configuration.site_memory:
            return CleanedPage(found.extraction(), configuration, seconds, links=links)
        site = self._layers.site_of(response.url) or site_name(response.url)
        if adds:
            extraction, unfinished = self._look(site, found, configuration, links)
            return CleanedPage(extraction, configuration, seconds, site, unfinished, links=links)
        recalled = self._open_memory().memory.recall(site, found, configuration, links)
        return CleanedPage(recalled.extraction(), configuration, seconds, site, found, is_remembered=False, links=links)

    def _look(
        self, site: str, page: JudgedPage, configuration: Configuration, links: PageLinks
    ) -> tuple[Extraction, JudgedPage | None]:
        """Have site memory count a page; return it as judged with that, and the page itself if it is judged again."""
        held_items = self._open_memory()
        judged = held_items.memory.look(site, page, configuration, links, adds=True)
        held_items.note_visit(site)
        waits = held_items.waits_for(site, configuration)
        return judged.extraction(), page if waits else None

    def _remember(self, page: CleanedPage, response: Response) -> CleanedPage:
        """Return a page, which site memory counts now; as it was if that fails."""
        assert page.unfinished is not None
        try:
            extraction, unfinished = self._look(page.site, page.unfinished, page.configuration, page.links)
        except Exception as error:
            self.counts.add_error(error, response.url)
            return page._replace(unfinished=None, is_remembered=True)
        return page._replace(extraction=extraction, unfinished=unfinished, is_remembered=True)

    def find_repeats(
        self, page: CleanedPage, url: str, request: Request | None, joined: Sequence[str] = ()
    ) -> CleanedPage:
        """Return a page with what of it is repeated, if duplicates are looked for; as it was if that fails.

        ``joined``: the addresses of all pages of an article.
        """
        choice = page.configuration.duplicates
        if choice == "none":
            return page
        # It needs numpy.
        from scrapy_justext.crawl.duplicates.detection import identify  # noqa: PLC0415

        try:
            extraction = page.extraction
            share = page.configuration.duplicates_share
            repeats = self._open_duplicates().look(
                extraction,
                identify(url, request),
                share,
                page.links.with_own(joined),
                [identify(each, None) for each in joined],
            )
            if choice == "drop-blocks" and repeats.removable:
                extraction = extraction.with_bad(dict.fromkeys(repeats.removable, REPEATED))
            return page._replace(extraction=extraction, repeats=repeats)
        except Exception as error:
            self.counts.add_error(error, url)
            return page

    def _open_duplicates(self) -> Duplicates:
        """Return what the crawl has said, opened at the first call."""
        if self._duplicates is None:
            from scrapy_justext.crawl.duplicates.detection import Duplicates, open_table  # noqa: PLC0415

            self._duplicates = Duplicates(open_table(self._crawler, self.configuration, self.counts.add))
        return self._duplicates

    def _open_memory(self) -> HeldItems:
        """Return the items that wait, with the memory of sites, both made at the first call."""
        if self.held_items is None:
            memory = SiteMemory(self._crawler, self.configuration, self.counts.add)
            most, remembering = self.configuration.site_memory_hold, self.items.remembering
            self.held_items = HeldItems(
                self._crawler, memory, most, self.counts.add_error, remembering, self.find_repeats
            )
        return self.held_items

    def _open(self) -> None:
        if self.is_used:
            if is_refused():
                logger.warning("Pages are read in Python, which is slower: %s", compiled().reason)
            if idle := without_effect(self._layers, self._of_sites.values()):
                profiles = {each.options.profile.name for each in self._of_sites.values()}
                looking = " or ".join(f"the profile {name}" for name in sorted(profiles))
                logger.warning("%s: without effect, as %s does not look at it", ", ".join(idle), looking)
            if any(map(keeps_all_languages, self._of_sites.values())):
                logger.warning(
                    "JUSTEXT_KEEP_LANGUAGES: without effect, as JUSTEXT_LANGUAGE says that all pages are in these "
                    'languages; set that to "auto" to have the language of each page detected'
                )
            self._second_requests.open(self._of_sites[site] for site in self._on)
            freeze_objects()
            self._find_pool()
        if self.is_used and self._crawler.spider is not None:
            self._joining = Joining(
                self._crawler, self.counts.add, self.items, _PAGES.get, self._configuration_of, self.find_repeats
            )
            self._joining.open()

    def _configuration_of(self, request: Request) -> Configuration:
        return self._choose(Response(request.url), request)[0]

    def _find_pool(self) -> PagePool[Found] | None:
        """Return the processes, started at the first call; None in a crawl that has none."""
        if self._pool is None and self.configuration.processes:
            task: PageTask[Any] = JUDGE if self._uses_memory else EXTRACT
            self._pool = PagePool(self.configuration.processes, task, self.configuration.options)
        return self._pool

    def _close(self) -> None:
        # What the crawl leaves behind in cycles would stay for good.
        gc.unfreeze()
        self.items.clear()
        memory = None if self.held_items is None else self.held_items.memory
        shared = (self._joining, self._site_watch, memory, self._duplicates, self._pool)
        closing = (self.counts, self._second_requests, *shared)
        # All are closed, whatever one of them raises; the stack begins with the last.
        with ExitStack() as stack:
            for each in reversed(closing):
                if each is not None:
                    stack.callback(each.close)


def get_extraction(response: Response) -> Extraction | None:
    """Return the extraction of a response; None for one that was not cleaned.

    Every callback can ask for it: the page was extracted before the callback got it.  A copy of a response, which
    ``response.replace()`` makes, is extracted now.
    """
    if _clean_copy(response) is None and not _SESSIONS:
        _warn_of_no_crawl()
    page = _PAGES.get(response)
    if isinstance(page, CleanedPage):
        return page.extraction
    if page is not None and _is_typed_in():
        logger.warning("%s has no extraction: %s", response, page.message)
    return None


def _is_typed_in() -> bool:
    """Return whether the code that calls a function of this module was typed into a shell: it is in no file."""
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

    Whatever callback yields it later, the pipeline leaves it as it is.  So it can travel to the next callback in
    ``meta`` or ``cb_kwargs``, through JOBDIR and Redis, too, and be copied: what it gets is plain data.  It is dropped
    as any item of its page.  An item of a page that is dropped, or was not cleaned, or has no text, has white space in
    the fields for text until the pipeline gets it.
    """
    session = _clean_copy(response)
    page = _PAGES.get(response)
    if session is not None and page is not None:
        # It may have been filled from another page.
        take_verdict(item)
        if session.has_pipeline:
            session.item_fields.fill_and_mark(item, page)
        elif isinstance(page, CleanedPage):
            session.item_fields.fill(item, page)
        # It does not wait until more is known of the page.
        session.items.choose(item, page._replace(unfinished=None) if isinstance(page, CleanedPage) else page)
    return item


def _clean_copy(response: Response) -> Session | None:
    """Return the session of the crawl that fetched a response, or None; have it clean a copy of a response."""
    session = next((each for each in list(_SESSIONS.values()) if each.counts.has(response.request)), None)
    if session is not None and response not in _PAGES:
        session.clean_now(response, response.request)
    return session


def _without_error(outcome: Outcome | Exception, configuration: Configuration) -> Outcome:
    """Return what became of a page without the exception, which would keep the response."""
    if isinstance(outcome, Exception):
        return UncleanedPage("error", str(outcome) or type(outcome).__name__, configuration)
    return outcome


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
            # What a script shows of the error is a long traceback, or nothing.
            logger.critical("%s", error)
            _end_command()
            raise
    return session


def find_session(crawler: Crawler) -> Session | None:
    """Return the session of a crawl; None if no component has started it."""
    return _SESSIONS.get(id(crawler))


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
    """Return whether asyncio runs this as a task: an exit gets out of nothing else."""
    try:
        return asyncio.current_task() is not None
    except RuntimeError:
        return False
