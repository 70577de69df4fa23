"""Notes which item came from which page: a pipeline cannot know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.spidermiddlewares.base import BaseSpiderMiddleware

from scrapy_justext.session import get_session

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response


class JustextSpiderMiddleware(BaseSpiderMiddleware):
    """Belongs at 25: nearest to the engine, so that it sees the items as they go to the pipelines."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._session = get_session(crawler)

    def process_spider_input(self, response: Response) -> None:
        """Extract the page where another component put a new response in the place of the first."""
        self._session.look_at(response, response.request)

    def get_processed_item(self, item: Any, response: Response | None) -> Any:
        """The item, untouched; None for one that waits, and goes to the pipelines later."""
        goes_on = response is None or self._session.note_item(item, response)
        return item if goes_on else None
