"""jusText for Scrapy: clean text from every page of a crawl."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from scrapy_justext.core.blocks import Block, BlockClass
from scrapy_justext.exceptions import JustextError
from scrapy_justext.extraction import Extraction, extract

if TYPE_CHECKING:
    from scrapy_justext.addon import Addon
    from scrapy_justext.downloadermiddlewares import JustextDownloaderMiddleware
    from scrapy_justext.pipelines import JustextPipeline
    from scrapy_justext.session import get_extraction
    from scrapy_justext.spidermiddlewares import JustextSpiderMiddleware

__version__ = "0.1.0"

__all__ = [
    "Addon",
    "Block",
    "BlockClass",
    "Extraction",
    "JustextDownloaderMiddleware",
    "JustextError",
    "JustextPipeline",
    "JustextSpiderMiddleware",
    "extract",
    "get_extraction",
]

# What needs Scrapy is imported when it is asked for: the algorithm runs without it.
_SCRAPY_NAMES = {
    "Addon": "addon",
    "JustextDownloaderMiddleware": "downloadermiddlewares",
    "JustextPipeline": "pipelines",
    "JustextSpiderMiddleware": "spidermiddlewares",
    "get_extraction": "session",
}


def __getattr__(name: str) -> object:
    if name in _SCRAPY_NAMES:
        return getattr(import_module(f"scrapy_justext.{_SCRAPY_NAMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
