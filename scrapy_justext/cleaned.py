"""A cleaned page as the parts of a crawl hand it on: what was found, and how its items are filled from it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from scrapy_justext.extraction import Extraction
    from scrapy_justext.settings import Configuration
    from scrapy_justext.site_memory.looks import SitePage


class Page(NamedTuple):
    """A cleaned page and what its items get of it."""

    extraction: Extraction
    configuration: Configuration
    seen: SitePage | None = None
    """Where it is to be judged again, when more is known of its site."""

    @property
    def is_good(self) -> bool:
        """Whether the page has enough good content."""
        return self.extraction.good_characters >= self.configuration.min_good_characters


def page_counts(page: Page) -> dict[str, int]:
    """What a page adds to the figures of a crawl."""
    extraction = page.extraction
    counts = {"pages": 1, f"language/{_language_name(page)}": 1}
    counts |= {f"blocks/{kind}": n for kind, n in Counter(b.block_class for b in extraction.blocks).items()}
    facts = {
        "pages_judged_without_stop_words": extraction.language_source == "fallback",
        "pages_cut_at_depth": extraction.is_cut,
        "pages_without_good_content": not page.is_good,
    }
    return counts | {name: 1 for name, is_so in facts.items() if is_so}


def _language_name(page: Page) -> str:
    language = page.configuration.options.library.find(page.extraction.language)
    return language.name if language is not None else page.extraction.language
