"""Judge pages with what is known of their sites; hold items until more is known.

========  ====================================================================================
``none``  no item waits
``hold``  items of a site's first pages wait until the site has shown enough of them
``end``   all items wait
========  ====================================================================================

All items that wait are sent on when the spider has nothing else to do, and when it is stopped.  While too many wait,
further items go on at once.
"""

from __future__ import annotations

from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.exceptions import DontCloseSpider
from scrapy.utils.defer import deferred_from_coro

from scrapy_justext.crawl.items import is_cleaned
from scrapy_justext.crawl.links import with_links
from scrapy_justext.crawl.pages import CleanedPage
from scrapy_justext.crawl.parts.late_items import LateItem, before_closing, send_items
from scrapy_justext.crawl.parts.part import Part, Visit
from scrapy_justext.crawl.parts.site_memory.memory import SiteMemory

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence

    from scrapy.http import Response
    from twisted.internet.defer import Deferred

    from scrapy_justext.crawl.pages import Outcome
    from scrapy_justext.crawl.session import Session
    from scrapy_justext.crawl.settings import Configuration


class SiteMemoryPart(Part):
    """The memory of the sites of one crawl, and the items that wait for it.

    Raises the errors of :class:`~scrapy_justext.crawl.parts.site_memory.memory.SiteMemory`.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        configuration = session.configurations.of_crawl
        self._memory = SiteMemory(session.crawler, configuration, session.counts.add)
        #: How many items may wait at the same time.
        self._most = configuration.site_memory_hold
        self._arrived = self._waiting = 0
        # With the numbers of their arrival.
        self._of_site: dict[str, list[tuple[int, LateItem]]] = {}
        # Sites that were visited while items waited, in order.
        self._visited: dict[str, None] = {}
        self._sending: Deferred[None] | None = None
        session.crawler.signals.connect(self._on_idle, signals.spider_idle)

    def closed(self) -> None:
        """Keep what was counted."""
        self._memory.close()

    def page_compared(self, page: CleanedPage, visit: Visit) -> CleanedPage:
        """Return a page as it is judged with its site so far."""
        if page.judged is None:
            return page
        page = with_links(page, visit.response, visit.request)
        assert page.judged is not None
        judged = self._memory.recall(page.site, page.judged, page.configuration, page.links)
        return page._replace(extraction=judged.extraction())

    async def page_kept(self, page: Outcome, visit: Visit) -> Outcome:
        """Count a page, and judge it with its site; let go of the judged page if its items need not wait."""
        if not isinstance(page, CleanedPage) or page.judged is None:
            return page
        page = with_links(page, visit.response, visit.request)
        assert page.judged is not None
        judged = self._memory.visit(page.site, page.judged, page.configuration, page.links)
        self._note_visit(page.site)
        waits = self._waits(page.site, page.configuration)
        return page._replace(extraction=judged.extraction(), judged=page.judged if waits else None)

    def item_seen(self, item: Any, page: CleanedPage, response: Response) -> bool:
        """Hold an item that has to wait, unless too many wait already."""
        if page.judged is None or self._waiting >= self._most or not is_cleaned(item, page.configuration):
            return False
        if not self._arrived:
            before_closing(self._session.crawler, self._send_all)
        self._arrived += 1
        self._waiting += 1
        late = LateItem(item, page, response.replace(body=b""))
        self._of_site.setdefault(page.site, []).append((self._arrived, late))
        self._note_visit(page.site)
        self._session.counts.add("site_memory/items_held")
        return True

    async def page_done(self) -> None:
        """Send on the items of sites that have shown enough pages; send all if the memory is lost."""
        if self._memory.is_lost:
            await self._send_all()
        while self._visited:
            site = next(iter(self._visited))
            del self._visited[site]
            await self._send(self._take_due(site))

    def _waits(self, site: str, configuration: Configuration) -> bool:
        """Return whether the items of a site's pages have to wait."""
        until = configuration.site_memory_look
        if until == "none" or self._memory.is_lost:
            return False
        return until == "end" or not self._memory.is_ripe(site, configuration)

    def _note_visit(self, site: str) -> None:
        """Have the next :meth:`page_done` check the items of a site."""
        if self._waiting:
            self._visited[site] = None

    def _send_all(self) -> Coroutine[Any, Any, None]:
        """Return a coroutine that sends on all items that wait; the scraper is kept open from this call on."""
        held = sorted(chain.from_iterable(self._of_site.values()), key=itemgetter(0))
        self._of_site.clear()
        self._waiting = 0
        return self._send([late for _, late in held])

    def _take_due(self, site: str) -> list[LateItem]:
        held = self._of_site.pop(site, [])
        are_waiting = [self._waits(site, late.page.configuration) for _, late in held]
        if any(are_waiting):
            self._of_site[site] = [row for row, waits in zip(held, are_waiting, strict=True) if waits]
        due = [late for (_, late), waits in zip(held, are_waiting, strict=True) if not waits]
        self._waiting -= len(due)
        return due

    def _on_idle(self) -> None:
        if self._waiting:
            # Kept, so that the task is not collected as garbage before it ends.
            self._sending = deferred_from_coro(self._send_all())
            raise DontCloseSpider

    def _send(self, held: Sequence[LateItem]) -> Coroutine[Any, Any, None]:
        return send_items(self._session.crawler, held, self._session.items.remembering, self._judge_again)

    async def _judge_again(self, late: LateItem) -> CleanedPage:
        """Return the page of an item, judged by what is known by now; as it was if that fails."""
        page = late.page
        assert page.judged is not None
        try:
            judged = self._memory.judge_again(page.site, page.judged, page.configuration, page.links)
        except Exception as error:
            self._session.counts.add_error(error, page.extraction.url or "")
            return page
        again = page._replace(extraction=judged.extraction(), judged=judged, repeats=None)
        visit = Visit(late.response, late.response.request)
        kept = await self._session.parts.page_kept(again, visit, behind=self)
        return kept if isinstance(kept, CleanedPage) else again
