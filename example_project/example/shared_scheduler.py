"""The scheduler of `scrapy-redis`, for a Redis that may be lost in the middle of a crawl."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, TypeVar

from redis.exceptions import RedisError
from scrapy import signals
from scrapy.exceptions import CloseSpider
from scrapy_redis.scheduler import Scheduler

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Request
    from scrapy.crawler import Crawler
    from typing_extensions import Self

logger = logging.getLogger(__name__)

#: Why the spider is closed.
LOST = "redis_lost"

Result = TypeVar("Result")


class SharedScheduler(Scheduler):
    """Closes the spider when Redis is lost, once it has finished what it has in hand.

    By itself the crawl would ask for the next request for ever, with a traceback each time.
    """

    is_lost = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Connect to the signals of the crawl."""
        scheduler: Self = super().from_crawler(crawler)
        crawler.signals.connect(scheduler.end, signals.spider_idle)
        return scheduler

    def next_request(self) -> Request | None:
        """Return the next request of the queue; None if the queue is lost."""
        return self._asked(super().next_request, without=None)

    def enqueue_request(self, request: Request) -> bool:
        """Return whether the request is in the queue now."""
        return self._asked(lambda: super(SharedScheduler, self).enqueue_request(request), without=False)

    def has_pending_requests(self) -> bool:
        """Return whether the queue has requests."""
        return self._asked(super().has_pending_requests, without=False)

    def end(self) -> None:
        """Close an idle spider by raising :class:`CloseSpider`."""
        if self.is_lost:
            raise CloseSpider(LOST)

    def _asked(self, ask: Callable[[], Result], *, without: Result) -> Result:
        if not self.is_lost:
            try:
                return ask()
            except RedisError as error:
                self.is_lost = True
                # A traceback would say no more.
                logger.error("Redis is lost (%s): this worker finishes what it has in hand, and ends", error)  # noqa: TRY400
        return without
