"""jusText for Scrapy: clean text from every page of a crawl."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from scrapy_justext.core import __version__
from scrapy_justext.core.blocks import BlockClass
from scrapy_justext.core.extraction import Block, Extraction
from scrapy_justext.core.extractor import Extractor, extract
from scrapy_justext.exceptions import JustextError

if TYPE_CHECKING:
    from scrapy_justext.crawl.addon import Addon
    from scrapy_justext.crawl.feeds import FEED_EXPORTERS
    from scrapy_justext.crawl.middlewares import JustextDownloaderMiddleware, JustextSpiderMiddleware
    from scrapy_justext.crawl.pipelines import JustextPipeline
    from scrapy_justext.crawl.session import fill, get_extraction

__all__ = [
    "FEED_EXPORTERS",
    "Addon",
    "Block",
    "BlockClass",
    "Extraction",
    "Extractor",
    "JustextDownloaderMiddleware",
    "JustextError",
    "JustextPipeline",
    "JustextSpiderMiddleware",
    "__version__",
    "extract",
    "fill",
    "get_extraction",
]

# What needs Scrapy is imported when it is asked for: the algorithm runs without it.
_SCRAPY_NAMES = {
    "Addon": "crawl.addon",
    "FEED_EXPORTERS": "crawl.feeds",
    "JustextDownloaderMiddleware": "crawl.middlewares",
    "JustextPipeline": "crawl.pipelines",
    "JustextSpiderMiddleware": "crawl.middlewares",
    "get_extraction": "crawl.session",
    "fill": "crawl.session",
}


def __getattr__(name: str) -> object:
    if name in _SCRAPY_NAMES:
        return getattr(import_module(f"scrapy_justext.{_SCRAPY_NAMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
