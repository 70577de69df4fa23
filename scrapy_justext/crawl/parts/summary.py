"""Print at the end of a crawl what became of its pages and items, with addresses of pages of which nothing was kept."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from scrapy_justext.crawl.commands import format_sections, on_one_line, rows_of_stats
from scrapy_justext.crawl.pages import OFF, CleanedPage, what_is_missing
from scrapy_justext.crawl.parts.order import CrawlPart

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy_justext.crawl.pages import Outcome
    from scrapy_justext.crawl.parts.order import Visit
    from scrapy_justext.crawl.session import Session

#: Addresses of pages that are named for each reason, reasons that are told apart, and characters of an address.
ADDRESSES, _MOST_REASONS, _WIDTH = 2, 50, 100

_POOR, _UNCLEANED = "No good content, as there is", "Not cleaned because"


class Summary(CrawlPart):
    """Counts why pages have no good content, and prints this with the stats of the crawl, to standard error."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        #: How many pages, and the addresses of the first, by the title of the section and the reason.
        self._counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._addresses: defaultdict[tuple[str, str], list[str]] = defaultdict(list)

    async def page_kept(self, page: Outcome, visit: Visit) -> Outcome:
        """Count a page that nothing is kept of, if it is the first for its request."""
        if not self._session.counts.has(visit.request) and (reason := _why_not(page)) is not None:
            title, why = reason
            if why not in self._counts[title] and len(self._counts[title]) >= _MOST_REASONS:
                why = "other"
            self._counts[title][why] += 1
            addresses = self._addresses[title, why]
            if len(addresses) < ADDRESSES:
                addresses.append(visit.response.url)
        return page

    def closed(self) -> None:
        """Print the summary."""
        crawler = self._session.crawler
        assert crawler.stats is not None
        stats = crawler.stats.get_stats()
        head = f"{crawler.spidercls.name}: {stats.get('justext/pages', 0)} pages cleaned"
        print(f"\n{head}\n\n{self._sections(stats)}", file=sys.stderr)

    def _sections(self, stats: Mapping[str, Any]) -> str:
        seconds, pages = stats.get("justext/seconds", 0.0), stats.get("justext/pages", 0)
        items = [
            (stats.get(f"item_{name}_count", 0), what) for name, what in (("scraped", "kept"), ("dropped", "dropped"))
        ]
        why = {
            title: [self._row(title, *row) for row in self._counts[title].most_common()]
            for title in (_POOR, _UNCLEANED)
        }
        time = [(f"{seconds:.2f}", "seconds"), (f"{1000 * seconds / max(pages, 1):.1f}", "milliseconds a page")]
        groups = {"Blocks": "blocks", "Languages": "language", "Types of pages": "page_type", "Errors": "errors"}
        counted = {title: rows_of_stats(stats, f"justext/{group}/") for title, group in groups.items()}
        return format_sections({"Items": items, **why, **counted, "Time in extraction": time})

    def _row(self, title: str, why: str, count: int) -> tuple[int, str]:
        return count, "\n".join([why, *(on_one_line(url)[:_WIDTH] for url in self._addresses[title, why])])


def _why_not(page: Outcome) -> tuple[str, str] | None:
    """Return the title of a section, and why nothing of a page is kept; None for a page that is kept or not ours."""
    if isinstance(page, CleanedPage):
        if page.why_repeated is not None:
            return _POOR, "what other pages said before"
        return None if page.is_good else (_POOR, what_is_missing(page.extraction, page.configuration))
    if page.reason == OFF:
        return None
    return _UNCLEANED, page.reason if page.error is None else type(page.error).__name__
