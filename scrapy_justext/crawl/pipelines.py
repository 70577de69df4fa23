"""Write the clean text into items, and drop the items of pages without good content."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter
from scrapy.exceptions import DropItem

from scrapy_justext.core.blocks import part_of
from scrapy_justext.crawl.items import is_cleaned
from scrapy_justext.crawl.pages import explain_no_content
from scrapy_justext.crawl.session import Session, get_session

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy.crawler import Crawler
    from typing_extensions import Self

    from scrapy_justext.crawl.pages import CleanedPage

logger = logging.getLogger(__name__)


class NoGoodContent(DropItem):
    """The item's page has no good content; the message says what it lacks."""

    def __init__(self, message: str) -> None:
        # The default level is WARNING, with the whole item in the log.
        super().__init__(message, log_level="INFO")


class JustextPipeline:
    """Fills the fields of items.

    Belongs at 100: before pipelines that validate or store.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._fieldless_classes: set[type] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Begin or join the crawl's session."""
        return cls(get_session(crawler))

    async def process_item(self, item: Any) -> Any:
        """Return the item with its fields filled; raise :class:`NoGoodContent` for one that is dropped."""
        if not ItemAdapter.is_item(item):
            return item
        page = self._session.items.take(item) or await self._page_in_field(item)
        if page is None:
            self._session.counts.add("items_without_page")
            return item
        configuration = page.configuration
        if not is_cleaned(item, configuration):
            return item
        adapter = ItemAdapter(item)
        targets = self._targets(adapter, configuration.fields)
        if not targets:
            return item
        if not page.is_good and configuration.drop == "item":
            self._session.counts.add("items_dropped")
            raise NoGoodContent(explain_no_content(page.extraction, configuration))
        for part, field in targets.items():
            if _is_empty(adapter.get(field)):
                adapter[field] = part_of(page.extraction, part, configuration.blocks, configuration.block_fields)
        return item

    async def _page_in_field(self, item: Any) -> CleanedPage | None:
        field = self._session.configuration.html_field
        if field is None:
            return None
        html = ItemAdapter(item).get(field)
        return await self._session.clean_html(html) if isinstance(html, str | bytes) and html else None

    def _targets(self, adapter: ItemAdapter, fields: Mapping[str, str | None]) -> dict[str, str]:
        """Return the parts of the extraction that an item takes, with the field for each."""
        wanted = {part: field for part, field in fields.items() if field is not None}
        declared = ItemAdapter.get_field_names_from_class(type(adapter.item))
        if declared is None:
            return wanted
        targets = {part: field for part, field in wanted.items() if field in declared}
        if wanted and not targets:
            self._count_fieldless(type(adapter.item), list(wanted.values()))
        return targets

    def _count_fieldless(self, item_class: type, fields: list[str]) -> None:
        self._session.counts.add("items_without_fields")
        if item_class not in self._fieldless_classes:
            self._fieldless_classes.add(item_class)
            logger.warning(
                "%s declares none of the fields %s: its items pass without clean text. Add one of them, name "
                "others in JUSTEXT_FIELDS, or leave the class out of JUSTEXT_ITEM_CLASSES.",
                item_class.__qualname__,
                ", ".join(fields),
            )


def _is_empty(value: object) -> bool:
    return value is None or (isinstance(value, str | list) and not value)
