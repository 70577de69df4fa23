"""Crawls the site that the project brings along: ``scrapy crawl demo -O pages.jsonl``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from demo_site.server import DemoSite
from scrapy import signals

from example.spiders.site import SiteSpider

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from typing_extensions import Self


class DemoSpider(SiteSpider):
    """Serves the demo site on loopback while it crawls it."""

    name = "demo"
    #: The site is on this machine: nobody has to be spared, and its broken page stays broken.
    custom_settings = {"AUTOTHROTTLE_ENABLED": False, "RETRY_ENABLED": False}  # noqa: RUF012
    #: Where on the site to begin.
    path = ""

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Start the site, and see to it that it is stopped with the spider."""
        site = DemoSite()
        site.start()
        spider = super().from_crawler(crawler, *args, url=site.url + cls.path, **kwargs)
        crawler.signals.connect(site.stop, signals.spider_closed, weak=False)
        return spider
