"""Enabling everything with one line: ``ADDONS = {"scrapy_justext.Addon": 500}``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_justext.crawl.middlewares import JustextDownloaderMiddleware, JustextSpiderMiddleware
from scrapy_justext.crawl.pipelines import JustextPipeline
from scrapy_justext.crawl.site_memory.held_items import HOLDING

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

#: Where each component belongs; the classes say why.
COMPONENTS: tuple[tuple[str, type, int], ...] = (
    ("DOWNLOADER_MIDDLEWARES", JustextDownloaderMiddleware, 545),
    ("SPIDER_MIDDLEWARES", JustextSpiderMiddleware, 25),
    ("ITEM_PIPELINES", JustextPipeline, 100),
)


class Addon:
    """Adds the middlewares, the pipeline and what closes pipelines to a project; those set by hand stay."""

    def update_settings(self, settings: BaseSettings) -> None:
        """Called by Scrapy before the crawl's components are made."""
        for name, component, order in COMPONENTS:
            settings.setdefault_in_component_priority_dict(name, component, order)
        settings.set("ITEM_PROCESSOR", HOLDING, priority="addon")
