"""Items that wait for a second look at their page, until more is known of its site.

========  ====================================================================================
``none``  no item waits
``hold``  items of a site's first pages wait until the site has shown enough of them
``end``   all items wait
========  ====================================================================================

All items that wait are sent on when the spider has nothing else to do, and when it is stopped.  While too many wait,
further items go on at once.

Items wait outside of the pipelines.  An item that waited in a pipeline would keep its response in Scrapy's scraper.
Then the spider's callback would stop once ``CONCURRENT_ITEMS`` wait, the engine would take no more requests once the
responses are large, and it would never find the spider idle.  So the spider middleware takes items out of the
callback's output.  They go to the pipelines later, with a response without its body, which takes little memory.

This module alone touches Scrapy's engine, and only from the first item that waits:

* the scraper, which brings items to the pipelines, is kept open meanwhile (:func:`_keep_open`);
* the item processor sends the last items before it closes the pipelines (:func:`before_closing`).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, contextmanager
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy import Request, signals
from scrapy.exceptions import DontCloseSpider
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future

from scrapy_justext.crawl.items import is_cleaned
from scrapy_justext.crawl.pages import CleanedPage

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterable, Iterator, Sequence

    from scrapy import Spider
    from scrapy.core.scraper import Scraper
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.internet.defer import Deferred

    from scrapy_justext.crawl.settings import Configuration
    from scrapy_justext.crawl.site_memory.memory import SiteMemory


#: Has the pipeline know which page an item came from, within the context.
Remembering = Callable[[Any, CleanedPage], AbstractContextManager[None]]


class HeldItem(NamedTuple):
    """An item that waits, its page after the first look, and the response without its body."""

    number: int
    """Items are numbered in the order of their arrival."""
    item: Any
    page: CleanedPage
    response: Response


class HeldItems:
    """The items of one crawl that wait for more to be known in ``memory``, at the most ``most`` at the same time.

    ``add_error`` counts an error with the URL of its page.  Within the context manager ``remembering``, the pipeline
    knows which page an item came from.  ``find_repeats`` looks for duplicates in a page that was judged again.
    """

    def __init__(
        self,
        crawler: Crawler,
        memory: SiteMemory,
        most: int,
        add_error: Callable[[Exception, str], None],
        remembering: Remembering,
        find_repeats: Callable[[CleanedPage, str, Request | None], CleanedPage],
    ) -> None:
        self._crawler = crawler
        self.memory = memory
        self._most = most
        self._add_error = add_error
        self._remembering = remembering
        self._find_repeats = find_repeats
        self._arrived = self._waiting = 0
        self._of_site: dict[str, list[HeldItem]] = {}
        # Sites that were visited while items waited, in order.
        self._visited: dict[str, None] = {}
        self._sending: Deferred[None] | None = None
        crawler.signals.connect(self._on_idle, signals.spider_idle)

    def waits_for(self, site: str, configuration: Configuration) -> bool:
        """Return whether the items of a site's pages still have to wait."""
        look = configuration.site_memory_look
        if look == "none" or self.memory.is_lost:
            return False
        return look == "end" or not self.memory.is_ripe(site, configuration)

    def hold(self, item: Any, page: CleanedPage, response: Response) -> bool:
        """Keep an item that has to wait, and return True; return False for one that goes on at once."""
        if page.unfinished is None or self._waiting >= self._most or not is_cleaned(item, page.configuration):
            return False
        if not self._arrived:
            before_closing(self._crawler, self.send_all)
        self._arrived += 1
        self._waiting += 1
        held_item = HeldItem(self._arrived, item, page, response.replace(body=b""))
        self._of_site.setdefault(page.site, []).append(held_item)
        self.note_visit(page.site)
        return True

    def note_visit(self, site: str) -> None:
        """Have the next :meth:`send_due` check the items of a site."""
        if self._waiting:
            self._visited[site] = None

    async def send_due(self) -> None:
        """Send on the items of sites that have shown enough pages; send all if the memory is lost."""
        if self.memory.is_lost:
            await self.send_all()
        while self._visited:
            site = next(iter(self._visited))
            del self._visited[site]
            await self._send(self._take_due(site))

    def send_all(self) -> Coroutine[Any, Any, None]:
        """Return a coroutine that sends on all items that wait; the scraper is kept open from this call on."""
        held = sorted(chain.from_iterable(self._of_site.values()), key=attrgetter("number"))
        self._of_site.clear()
        self._waiting = 0
        return self._send(held)

    def _take_due(self, site: str) -> list[HeldItem]:
        held = self._of_site.pop(site, [])
        due = [held_item for held_item in held if not self.waits_for(site, held_item.page.configuration)]
        if len(due) < len(held):
            self._of_site[site] = [item for item in held if self.waits_for(site, item.page.configuration)]
        self._waiting -= len(due)
        return due

    def _on_idle(self) -> None:
        if self._waiting:
            # Kept, so that the task is not collected as garbage before it ends.
            self._sending = deferred_from_coro(self.send_all())
            raise DontCloseSpider

    def _send(self, held: Sequence[HeldItem]) -> Coroutine[Any, Any, None]:
        rows = ((one.item, self._look_again(one.page, one.response), one.response) for one in held)
        return send_items(self._crawler, rows if held else (), self._remembering)

    def _look_again(self, page: CleanedPage, response: Response) -> CleanedPage:
        """Return a page judged by what is known by now; as it was if that fails."""
        assert page.unfinished is not None
        try:
            judged = self.memory.look(page.site, page.unfinished, page.configuration, page.links, adds=False)
            again = page._replace(extraction=judged.extraction(), unfinished=None, repeats=None)
            again = self._find_repeats(again, response.url, response.request)
            if not again.has_old_markdown:
                return again
            markdown = judged.with_bad(again.bad_blocks).markdown
            return again._replace(extraction=again.extraction.with_markdown(markdown))
        except Exception as error:
            self._add_error(error, page.extraction.url or "")
            return page


def send_items(
    crawler: Crawler, rows: Iterable[tuple[Any, CleanedPage, Response]], remembering: Remembering
) -> Coroutine[Any, Any, None]:
    """Return a coroutine that brings items to the pipelines, one after another, each with its page and its response.

    The scraper is kept open from this call on, if there may be any.  ``remembering``: see :class:`HeldItems`.
    """
    open_scraper = ExitStack()
    if rows:
        open_scraper.enter_context(_keep_open(_scraper(crawler)))

    async def send() -> None:
        with open_scraper:
            for item, page, response in rows:
                with remembering(item, page):
                    await _scraper(crawler).start_itemproc_async(item, response=response)

    return send()


def _scraper(crawler: Crawler) -> Scraper:
    # There is one as long as there are items.
    assert crawler.engine is not None
    return crawler.engine.scraper


@contextmanager
def _keep_open(scraper: Scraper) -> Iterator[None]:
    """Have Scrapy neither find the spider idle nor close the pipelines, as while it works on a response."""
    slot = scraper.slot
    assert slot is not None
    request = Request("data:,")
    slot.active.add(request)
    try:
        yield
    finally:
        slot.active.discard(request)
        # Scrapy itself checks only after a response whether a spider that is closing can be closed.
        spider = scraper.crawler.spider
        if spider is not None and slot.closing is not None and not slot.closing.called and slot.is_idle():
            slot.closing.callback(spider)


def before_closing(crawler: Crawler, send_all: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Have the running item processor send all items on before it closes the pipelines.

    No signal would do: Scrapy sends ``spider_closed`` after it closed the pipelines.  An item processor has an
    asynchronous method that closes them, or one that returns a Deferred, or both.
    """
    processor: Any = _scraper(crawler).itemproc
    if hasattr(processor, "close_spider_async"):
        close_async = processor.close_spider_async

        async def send_and_close_async() -> None:
            await send_all()
            await close_async()

        processor.close_spider_async = send_and_close_async
    if hasattr(processor, "close_spider"):
        close = processor.close_spider

        async def send_and_close(spider: Spider) -> None:
            await send_all()
            await maybe_deferred_to_future(close(spider))

        processor.close_spider = lambda spider: deferred_from_coro(send_and_close(spider))
