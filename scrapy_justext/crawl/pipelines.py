"""Write the clean text into items; drop the items of pages without good content, and of uncleaned pages if asked."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter
from scrapy.exceptions import DropItem

from scrapy_justext.crawl import verdicts
from scrapy_justext.crawl.items import TEXTS, find_targets, is_cleaned, is_empty
from scrapy_justext.crawl.pages import OFF, SWITCHED_OFF, CleanedPage, UncleanedPage, explain_no_content
from scrapy_justext.crawl.session import Session, get_session
from scrapy_justext.crawl.settings import earlier_pipelines
from scrapy_justext.crawl.verdicts import take_verdict

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from typing_extensions import Self

    from scrapy_justext.crawl.pages import Outcome

logger = logging.getLogger(__name__)

#: Marks of items whose pages were not cleaned.
_UNCLEANED = frozenset({verdicts.UNWANTED, verdicts.UNCLEANED, verdicts.OFF})


class NoGoodContent(DropItem):
    """The item's page has no good content; the message says what it lacks."""

    def __init__(self, message: str) -> None:
        # The default level is WARNING, with the whole item in the log.
        super().__init__(message, log_level="INFO")


class RepeatedPage(DropItem):
    """The item's page repeats other pages of the crawl; the message names the first of them."""

    def __init__(self, message: str) -> None:
        super().__init__(message, log_level="INFO")


class NotCleaned(DropItem):
    """The item's page could not be cleaned; the message says why."""

    def __init__(self, message: str) -> None:
        super().__init__(f"not cleaned: {message}", log_level="INFO")


class JustextPipeline:
    """Fills the fields of items.

    Belongs at 100: before pipelines that validate or store.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        session.has_pipeline = True

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Begin or join the crawl's session; warn of pipelines that get items before this one fills them."""
        session = get_session(crawler)
        earlier = earlier_pipelines(crawler.settings, cls) if session.configurations.in_use else ""
        if earlier and session.configurations.of_crawl.html_field is None:
            logger.warning(
                "These pipelines get items without text: %s. If one of them needs the text, give it a higher number in "
                "ITEM_PIPELINES.",
                earlier,
            )
        return cls(session)

    async def process_item(self, item: Any) -> Any:
        """Return the item with its fields filled; raise :class:`NoGoodContent` or :class:`NotCleaned` for one that is
        dropped.
        """
        if not ItemAdapter.is_item(item):
            return item
        page = self._session.page_of_item(item)
        is_filled = page is None and self._session.is_filled(item)
        verdict = take_verdict(item)
        if page is None and verdict in _UNCLEANED:
            page = self._page_of_verdict(verdict)
        elif is_filled:
            self._check_filled(item, verdict)
            return item
        if not isinstance(page, CleanedPage):
            page = await self._page_in_field(item, page) or page
        if isinstance(page, CleanedPage):
            self._fill(item, page)
        else:
            self._count_uncleaned(item, page)
        return item

    def _page_of_verdict(self, verdict: str) -> UncleanedPage:
        """Return the page, not cleaned, that an item was filled from before it was copied, stored or sent."""
        is_unwanted = verdict == verdicts.UNWANTED
        configuration = replace(self._session.configurations.of_crawl, drop_uncleaned=is_unwanted)
        reason = ("request" if self._session.configurations.is_on else OFF) if verdict == verdicts.OFF else verdict
        return UncleanedPage(reason, "the page that the item was filled from", configuration)

    def _check_filled(self, item: Any, verdict: str | None) -> None:
        """Count an item that was filled, then copied, stored or sent; raise :class:`DropItem` if it is dropped."""
        if verdict == verdicts.REPEATED:
            self._session.counts.add("items_dropped_repeated")
            raise RepeatedPage("repeated: most of the text of the page that the item was filled from")
        if verdict == verdicts.POOR or (verdict is None and self._has_no_text(item)):
            self._session.counts.add("items_dropped")
            raise NoGoodContent("no good content on the page that the item was filled from")
        self._session.counts.add("items_filled_before")

    def _has_no_text(self, item: Any) -> bool:
        """Return whether the page of an item that has no marks, as it is without fields for them, was poor."""
        configuration = self._session.configurations.of_crawl
        targets = find_targets(item, configuration)
        adapter = ItemAdapter(item)
        # A page without good content may have bad blocks.
        texts = [adapter.get(targets[part]) for part in (TEXTS - {"blocks"}) & targets.keys()]
        return bool(texts) and not any(texts) and configuration.drop == "item"

    async def _page_in_field(self, item: Any, page: UncleanedPage | None) -> Outcome | None:
        """Return the page of the HTML that an item holds; None if it holds none, or is not to be cleaned by it.

        ``page``: the one that the item came from, whose choices hold.  Those of the crawl hold where there is none.
        """
        configuration = self._session.configurations.of_crawl if page is None else page.configuration
        if configuration.html_field is None or self._is_off(page) or not is_cleaned(item, configuration):
            return None
        html = ItemAdapter(item).get(configuration.html_field)
        return await self._session.clean_html(html, configuration) if isinstance(html, str | bytes) and html else None

    def _is_off(self, page: UncleanedPage | None) -> bool:
        """Return whether the plugin is switched off for an item of a page, or of none."""
        return page.reason in SWITCHED_OFF if page is not None else not self._session.configurations.is_on

    def _fill(self, item: Any, page: CleanedPage) -> None:
        configuration = page.configuration
        if not self._session.item_fields.targets(item, configuration):
            return
        if page.why_repeated is not None:
            self._session.counts.add("items_dropped_repeated")
            raise RepeatedPage(page.why_repeated)
        if not page.is_good and configuration.drop == "item":
            self._session.counts.add("items_dropped")
            raise NoGoodContent(explain_no_content(page.extraction, configuration))
        self._session.item_fields.fill(item, page)

    def _count_uncleaned(self, item: Any, page: UncleanedPage | None) -> None:
        """Count an item without a cleaned page; raise :class:`NotCleaned` if it is dropped."""
        if page is not None and self._is_unwanted(item, page):
            self._session.counts.add("items_dropped_uncleaned")
            raise NotCleaned(page.message)
        # Items that a request or a site switched off count.
        is_uncounted = page.reason == OFF if page is not None else not self._session.configurations.is_on
        if not is_uncounted:
            self._session.counts.add("items_without_page")

    def _is_unwanted(self, item: Any, page: UncleanedPage) -> bool:
        """Return whether an item of an uncleaned page is dropped: one that would get text, and has none of its own."""
        if self._is_off(page) or not page.configuration.drop_uncleaned:
            return False
        targets = self._session.item_fields.targets(item, page.configuration)
        adapter = ItemAdapter(item)
        return bool(targets) and all(is_empty(adapter.get(targets[part])) for part in TEXTS & targets.keys())
