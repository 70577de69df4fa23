"""Items that wait until more is known of the site of their page.

An item that waited *in* a pipeline would hold its response in Scrapy's scraper: the spider's callback would stand still
once ``CONCURRENT_ITEMS`` wait, the engine would take no more requests once the responses are large, and would never
find the spider idle.  So items wait outside: the spider middleware takes them out of the callback's output, and here
they go to the pipelines later, with a response that has lost its body, so that it is light.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from itemadapter import ItemAdapter
from scrapy import signals
from scrapy.exceptions import DontCloseSpider
from scrapy.pipelines import ItemPipelineManager
from scrapy.utils.defer import deferred_from_coro
from scrapy.utils.misc import load_object

from scrapy_justext.exceptions import SettingError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from scrapy.core.scraper import Scraper
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

    from scrapy_justext.crawl.pages import Page
    from scrapy_justext.crawl.settings import Configuration
    from scrapy_justext.crawl.site_memory.memory import SiteMemory


class Held(NamedTuple):
    """An item that waits, the page as its first look left it, and the response without its body."""

    item: Any
    page: Page
    response: Response


class WaitingItems:
    """At most ``most`` of them, in the order of their arrival."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held: dict[int, Held] = {}
        self._of_site: dict[str, list[int]] = {}
        self._arrived = 0

    def __len__(self) -> int:
        return len(self._held)

    def add(self, site: str, held: Held) -> bool:
        """Let an item wait; False where too many do already."""
        if len(self) >= self._most:
            return False
        self._arrived += 1
        self._held[self._arrived] = held
        self._of_site.setdefault(site, []).append(self._arrived)
        return True

    def take(self, site: str, is_due: Callable[[Held], bool]) -> list[Held]:
        """The items of a site that need not wait any longer."""
        numbers = self._of_site.pop(site, [])
        due = [number for number in numbers if is_due(self._held[number])]
        if len(due) < len(numbers):
            self._of_site[site] = [number for number in numbers if number not in set(due)]
        return [self._held.pop(number) for number in due]

    def take_all(self) -> list[Held]:
        """All of them."""
        held = list(self._held.values())
        self._held.clear()
        self._of_site.clear()
        return held


async def send_on(crawler: Crawler, held: Iterable[Held], prepare: Callable[[Held], Callable[[], None]]) -> None:
    """Bring items to the pipelines, one after another.

    ``prepare`` is called before each, and what it returns after.
    """
    assert crawler.engine is not None
    scraper = crawler.engine.scraper
    assert scraper.slot is not None
    # Between two items, too, the spider is neither idle nor done.
    scraper.slot.itemproc_size += 1
    try:
        for one in held:
            after = prepare(one)
            await scraper.start_itemproc_async(one.item, response=one.response)
            after()
    finally:
        scraper.slot.itemproc_size -= 1
        _close_if_done(scraper)


def _close_if_done(scraper: Scraper) -> None:
    """Tell a spider that is closing that it can: Scrapy looks for that after responses, not after items."""
    slot, spider = scraper.slot, scraper.crawler.spider
    if slot is None or slot.closing is None or spider is None:
        return
    if slot.is_idle() and not slot.closing.called:
        slot.closing.callback(spider)


def can_hold(settings: BaseSettings) -> bool:
    """Whether what closes the pipelines sees to it that no item waits any more."""
    return bool(getattr(load_object(settings["ITEM_PROCESSOR"]), "sends_held_items", False))


# Pages that were judged before enough was known of their sites: their items wait for a second look.
#
# ========  ====================================================================================
# ``none``  nothing waits
# ``hold``  items of a site's first pages, until the site has shown enough of them
# ``end``   all items
# ========  ====================================================================================
#
# All that wait are sent on when the spider has nothing else to do, and when it is stopped.  Items that find too many
# waiting already go on as they are.

#: What belongs into ITEM_PROCESSOR.
HOLDING = "scrapy_justext.crawl.site_memory.held_items.HoldingPipelines"


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


# The item pipelines of a crawl, which are closed when no item waits any more.


class HoldingPipelines(ItemPipelineManager):
    """Belongs into ``ITEM_PROCESSOR``; does nothing but wait at the end, however the spider came to it."""

    #: What Session asks for before it lets items wait.
    sends_held_items = True

    async def close_spider_async(self) -> None:
        """Send the items that still wait through the pipelines, then close these."""
        from scrapy_justext.crawl.session import find_session  # noqa: PLC0415

        session = find_session(self.crawler) if self.crawler is not None else None
        if session is not None:
            await session.send_all_items()
        await super().close_spider_async()
