"""Short ways to write pages as a memory sees them."""

from typing import Any

from scrapy_justext.core.blocks import BlockTable
from scrapy_justext.crawl.parts.site_memory.memory import Fingerprints, take_fingerprints
from scrapy_justext.crawl.parts.site_memory.store import Sightings
from tests.builders import make_segment


def seen(texts: str, url: str | None = None) -> Fingerprints:
    """A page of one block for each word; its address is made of its texts, unless it has one of its own."""
    segments = BlockTable(make_segment(text) for text in texts.split())
    return take_fingerprints(segments, f"http://example.com/{texts}" if url is None else url, 1)


def visit_all(store: Any, *pages: str, site: str = "example.com") -> Sightings:
    """Visit pages; what is known at the last one."""
    for page in pages:
        sightings: Sightings = store.visit(site, seen(page))
    return sightings
