"""Enable all components with one line: ``ADDONS = {"scrapy_justext.Addon": 500}``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_justext.crawl.feeds import FEED_EXPORTERS
from scrapy_justext.crawl.logs import ShortLogFormatter
from scrapy_justext.crawl.middlewares import JustextDownloaderMiddleware, JustextSpiderMiddleware
from scrapy_justext.crawl.pipelines import JustextPipeline

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

#: The order of each component; the classes say why.
COMPONENTS: tuple[tuple[str, type, int], ...] = (
    ("DOWNLOADER_MIDDLEWARES", JustextDownloaderMiddleware, 545),
    ("SPIDER_MIDDLEWARES", JustextSpiderMiddleware, 25),
    ("ITEM_PIPELINES", JustextPipeline, 100),
)


class Addon:
    """Adds the middlewares, the pipeline, formats of feeds and short items in the log; what was set by hand stays."""

    def update_settings(self, settings: BaseSettings) -> None:
        """Add the components; Scrapy calls this before it makes them."""
        for name, component, order in COMPONENTS:
            settings.setdefault_in_component_priority_dict(name, component, order)
        settings.set("LOG_FORMATTER", ShortLogFormatter, "addon")
        exporters = settings["FEED_EXPORTERS"]
        for name, exporter in FEED_EXPORTERS.items():
            if name not in exporters:
                exporters.set(name, exporter, "addon")
