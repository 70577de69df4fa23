"""Extract pages in a downloader middleware; note in a spider middleware which item came from which page.

A page is extracted as soon as it is downloaded, before the spider can change its tree.  Only a spider middleware sees
an item together with its response; a pipeline sees only the item.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import IgnoreRequest
from scrapy.spidermiddlewares.base import BaseSpiderMiddleware

from scrapy_justext.crawl.pages import CleanedPage, explain_no_content, page_of
from scrapy_justext.crawl.parts.second_requests import MARK
from scrapy_justext.crawl.session import Session, get_session

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self

logger = logging.getLogger(__name__)


class JustextDownloaderMiddleware:
    """Extracts pages; drops those without good content if ``JUSTEXT_DROP`` is ``"response"``.

    Belongs at 545: after decompression, redirects and retries, before the spider.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Begin or join the crawl's session."""
        return cls(get_session(crawler))

    async def process_response(self, request: Request, response: Response) -> Response:
        """Return the response, or a better one to a second request; raise ``IgnoreRequest`` for one that is dropped."""
        if MARK in request.meta:
            # Who asked for it compares its page with the first.
            return response
        response = await self._session.clean_downloaded(response, request)
        page = page_of(response)
        if not isinstance(page, CleanedPage) or page.configuration.drop != "response":
            return response
        why_repeated = page.why_repeated
        if why_repeated is not None or not page.is_good:
            self._session.counts.add("responses_dropped")
            message = why_repeated or explain_no_content(page.extraction, page.configuration)
            logger.info("Dropped %s: %s", response, message)
            raise IgnoreRequest(message)
        return response


class JustextSpiderMiddleware(BaseSpiderMiddleware):
    """Tells the session which item came from which page.

    Belongs at 25: nearest to the engine, so that it sees the items that go to the pipelines.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._session = get_session(crawler)

    def process_spider_input(self, response: Response) -> None:
        """Extract the page of a response that another component put in place of the downloaded one."""
        self._session.enter_callback(response)

    # The last argument of Scrapy's own is deprecated.
    def process_spider_output(self, response: Response, result: Iterable[Any]) -> Iterator[Any]:  # type: ignore[override]
        """Yield what the callback gives, then what parts of the crawl add."""
        try:
            yield from super().process_spider_output(response, result)
        except Exception:
            # What it gave before is not lost.
            yield from self._session.parts.callback_ended(response)
            raise
        yield from self._session.parts.callback_ended(response)

    async def process_spider_output_async(  # type: ignore[override]
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        """Do the same for a callback that is an asynchronous generator."""
        try:
            async for yielded in super().process_spider_output_async(response, result):
                yield yielded
        except Exception:
            for added in self._session.parts.callback_ended(response):
                yield added
            raise
        for added in self._session.parts.callback_ended(response):
            yield added

    def get_processed_request(self, request: Request, response: Response | None) -> Request | None:
        """Return the request unchanged; return None for one that a part of the crawl holds."""
        is_held = response is not None and any(part.request_seen(request, response) for part in self._session.parts)
        return None if is_held else request

    def get_processed_item(self, item: Any, response: Response | None) -> Any:
        """Return the item unchanged; return None for an item that is held and goes to the pipelines later."""
        goes_on = response is None or self._session.remember_item(item, response)
        return item if goes_on else None
