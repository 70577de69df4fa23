"""Prints what became of a crawl's pages when it ends."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from scrapy import signals

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy import Spider
    from scrapy.crawler import Crawler
    from typing_extensions import Self


class Summary:
    """An extension; it reads the stats that scrapy-justext counts."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._reasons: Counter[str] = Counter()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Connect to the signals of the crawl."""
        summary = cls(crawler)
        crawler.signals.connect(summary._note_drop, signals.item_dropped)
        crawler.signals.connect(summary._print, signals.spider_closed)
        return summary

    def _note_drop(self, exception: Exception) -> None:
        self._reasons[str(exception)] += 1

    def _print(self, spider: Spider) -> None:
        assert self._crawler.stats is not None
        stats = self._crawler.stats.get_stats()
        print(f"\n{spider.name}: {stats.get('justext/pages', 0)} pages cleaned")
        for title, rows in summarise(stats, self._reasons):
            print(f"\n{title}")
            for count, what in rows:
                print(f"{count:>7}  {what}")


def summarise(stats: Mapping[str, Any], reasons: Mapping[str, int]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return titles with rows of a number and what it counts; titles without rows are left out."""
    seconds = stats.get("justext/seconds", 0.0)
    pages = stats.get("justext/pages", 0)
    sections = [
        ("Items", [(stats.get("item_scraped_count", 0), "kept"), (sum(reasons.values()), "dropped")]),
        ("Dropped because", [(count, why) for why, count in Counter(reasons).most_common()]),
        ("Not cleaned because", _rows(stats, "justext/skipped/")),
        ("Blocks", _rows(stats, "justext/blocks/")),
        ("Languages", _rows(stats, "justext/language/")),
        ("Errors", _rows(stats, "justext/errors/")),
        (
            "Time in extraction",
            [(f"{seconds:.2f}", "seconds"), (f"{1000 * seconds / max(pages, 1):.1f}", "milliseconds a page")],
        ),
    ]
    return [(title, [(str(count), what) for count, what in rows]) for title, rows in sections if rows]


def _rows(stats: Mapping[str, Any], prefix: str) -> list[tuple[Any, str]]:
    """Return the stats whose names start with ``prefix``, the highest first."""
    rows = [(value, name.removeprefix(prefix)) for name, value in stats.items() if name.startswith(prefix)]
    return sorted(rows, key=lambda row: (-row[0], row[1]))
