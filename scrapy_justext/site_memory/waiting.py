"""Items that wait until more is known of the site of their page.

An item that waited *in* a pipeline would hold its response in Scrapy's scraper: the spider's callback would stand still
once ``CONCURRENT_ITEMS`` wait, the engine would take no more requests once the responses are large, and would never
find the spider idle.  So items wait outside: the spider middleware takes them out of the callback's output, and here
they go to the pipelines later, with a response that has lost its body, so that it is light.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy.utils.misc import load_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from scrapy.core.scraper import Scraper
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

    from scrapy_justext.cleaned import Page


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
