"""Keeps a worker open while others may still find requests for it."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.exceptions import DontCloseSpider

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from typing_extensions import Self


class WaitForOthers:
    """An extension; a spider may be idle for so many ``seconds`` before it is closed."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._idle_since: float | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Connect to the signals of the crawl."""
        waiting = cls(crawler.settings.getfloat("WAIT_FOR_OTHERS"))
        crawler.signals.connect(waiting._work, signals.request_reached_downloader)
        crawler.signals.connect(waiting._wait, signals.spider_idle)
        return waiting

    def _work(self) -> None:
        self._idle_since = None

    def _wait(self) -> None:
        if self._idle_since is None:
            self._idle_since = monotonic()
        if monotonic() - self._idle_since < self._seconds:
            raise DontCloseSpider
