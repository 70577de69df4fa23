"""jusText for Scrapy: clean text from every page of a crawl."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from scrapy_justext.core.blocks import Block, BlockClass
from scrapy_justext.exceptions import JustextError
from scrapy_justext.extraction import Extraction, extract

__version__ = "0.1.0"

__all__ = [
    "Block",
    "BlockClass",
    "Extraction",
    "JustextError",
    "__version__",
    "extract",
]
