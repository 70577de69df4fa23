"""Has pages harm the process that works on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy import signals

from scrapy_justext.crawl import session
from tests.crawl.tasks import HARMED

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class Harm:
    """An extension that makes pages harm their process, see :mod:`tests.crawl.tasks`."""

    patched = "EXTRACT"

    def __init__(self, crawler: Crawler) -> None:
        self.original = getattr(session, self.patched)
        setattr(session, self.patched, HARMED)
        crawler.signals.connect(self.undo, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Harm:
        return cls(crawler)

    def undo(self) -> None:
        setattr(session, self.patched, self.original)
