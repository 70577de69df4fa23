"""Pages that were judged before enough was known of their sites: their items wait for a second look.

========  ====================================================================================
``none``  nothing waits
``hold``  items of a site's first pages, until the site has shown enough of them
``end``   all items
========  ====================================================================================

All that wait are sent on when the spider has nothing else to do, and when it is stopped.  Items that find too many
waiting already go on as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter
from scrapy import signals
from scrapy.exceptions import DontCloseSpider
from scrapy.utils.defer import deferred_from_coro

from scrapy_justext.exceptions import SettingError
from scrapy_justext.site_memory.waiting import Held, WaitingItems, can_hold, send_on

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from scrapy_justext.cleaned import Page
    from scrapy_justext.settings import Configuration
    from scrapy_justext.site_memory.looks import SiteMemory

#: What belongs into ITEM_PROCESSOR.
HOLDING = "scrapy_justext.site_memory.pipelines.HoldingPipelines"


class SecondLooks:
    """``look_again``: gives a page as it is judged by now; ``note``: tells an item's page, and returns what forgets
    it again.
    """

    def __init__(
        self,
        crawler: Crawler,
        memory: SiteMemory,
        most: int,
        look_again: Callable[[Page], Page],
        note: Callable[[Any, Page], Callable[[], None]],
    ) -> None:
        self._crawler = crawler
        self._memory = memory
        self._waiting = WaitingItems(most)
        self._look_again = look_again
        self._note = note
        self._can_hold = can_hold(crawler.settings)
        # A dict for its order.
        self._due: dict[str, None] = {}
        crawler.signals.connect(self._on_idle, signals.spider_idle)

    def is_wanted(self, site: str, configuration: Configuration) -> bool:
        """Whether a page that was just judged is to be judged again."""
        look = configuration.memory.look
        if not self._can_hold or look == "none" or self._memory.is_lost:
            return False
        return look == "end" or not self._memory.is_ripe(site, configuration)

    def hold(self, item: Any, page: Page, response: Response) -> bool:
        """Let an item wait, if it is to."""
        if page.seen is None or not _is_cleaned(item, page.configuration):
            return False
        is_held = self._waiting.add(page.seen.site, Held(item, page, response.replace(body=b"")))
        self.mark(page.seen.site)
        return is_held

    def mark(self, site: str) -> None:
        """Note that it is worth looking whether items of a site are due."""
        if len(self._waiting):
            self._due[site] = None

    async def send_due(self) -> None:
        """Send on the items of sites that have shown enough pages; all, where no more can be known."""
        if self._memory.is_lost:
            await self.send_all()
        while self._due:
            site = next(iter(self._due))
            del self._due[site]
            await self._send(self._waiting.take(site, self._is_due))

    async def send_all(self) -> None:
        """Send on whatever waits."""
        await self._send(self._waiting.take_all())

    def _is_due(self, held: Held) -> bool:
        page = held.page
        if page.seen is None or page.configuration.memory.look == "end":
            return False
        return self._memory.is_ripe(page.seen.site, page.configuration)

    async def _send(self, held: Sequence[Held]) -> None:
        if held:
            await send_on(self._crawler, held, lambda one: self._note(one.item, self._look_again(one.page)))

    def _on_idle(self) -> None:
        if len(self._waiting):
            deferred_from_coro(self.send_all())
            raise DontCloseSpider


def begin(crawler: Crawler, memory: SiteMemory, configurations: Iterable[Configuration]) -> None:
    """Find out now what would go wrong at the first page of one of the ``configurations``.

    Raises :class:`~scrapy_justext.exceptions.SettingError` where items could not wait, and what
    :meth:`SiteMemory.open` raises.
    """
    asked = [one for one in configurations if one.memory.is_on]
    if any(one.memory.look != "none" for one in asked) and not can_hold(crawler.settings):
        value = crawler.settings["ITEM_PROCESSOR"]
        raise SettingError("ITEM_PROCESSOR", value, f"must be {HOLDING!r} where JUSTEXT_SITE_MEMORY_LOOK is set")
    if asked:
        memory.open()


def _is_cleaned(item: Any, configuration: Configuration) -> bool:
    classes = configuration.item_classes
    return ItemAdapter.is_item(item) and (not classes or isinstance(item, classes))
