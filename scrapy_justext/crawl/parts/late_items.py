"""Send items to the pipelines after their callback has ended.

Items wait outside of the pipelines.  An item that waited in a pipeline would keep its response in Scrapy's scraper.
Then the spider's callback would stop once ``CONCURRENT_ITEMS`` wait, the engine would take no more requests once the
responses are large, and it would never find the spider idle.  So the spider middleware takes items out of the
callback's output.  They go to the pipelines later, with a response without its body, which takes little memory.

This module alone touches Scrapy's engine, and only from the first item that waits:

* the scraper, which brings items to the pipelines, is kept open meanwhile (:func:`_keep_open`);
* the item processor sends the last items before it closes the pipelines (:func:`before_closing`).
"""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy import Request
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence

    from scrapy import Spider
    from scrapy.core.scraper import Scraper
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from scrapy_justext.crawl.pages import CleanedPage
    from scrapy_justext.crawl.session import Session


class LateItem(NamedTuple):
    """An item that waited, its page, and the response, which may be without its body."""

    item: Any
    page: CleanedPage
    response: Response


def send_items(
    session: Session, items: Sequence[LateItem], finish: Callable[[LateItem], Awaitable[CleanedPage]] | None = None
) -> Coroutine[Any, Any, None]:
    """Return a coroutine that brings items to the pipelines, one after another, each with its page.

    The scraper is kept open from this call on, if there are any.
    ``finish``: returns the page as it is known when the item goes on.
    """
    open_scraper, crawler = ExitStack(), session.crawler
    if items:
        open_scraper.enter_context(_keep_open(_scraper(crawler)))

    async def send() -> None:
        with open_scraper:
            for late in items:
                page = late.page if finish is None else await finish(late)
                with session.items.remembering(late.item, page):
                    await _scraper(crawler).start_itemproc_async(late.item, response=late.response)

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
