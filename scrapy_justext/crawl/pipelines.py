"""Write the clean text into items; drop the items of pages without good content, and of uncleaned pages if asked."""

from __future__ import annotations

import logging
from itertools import chain, compress, repeat
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter
from scrapy.exceptions import DropItem

from scrapy_justext.core.blocks import GOOD
from scrapy_justext.core.extraction import part_of
from scrapy_justext.crawl.items import BlockList, is_cleaned
from scrapy_justext.crawl.pages import OFF, SWITCHED_OFF, CleanedPage, explain_no_content
from scrapy_justext.crawl.session import Session, get_session
from scrapy_justext.crawl.settings import PARTS_OF_DUPLICATES

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings
    from typing_extensions import Self

    from scrapy_justext.crawl.pages import Outcome, UncleanedPage
    from scrapy_justext.crawl.settings import Configuration

logger = logging.getLogger(__name__)


class NoGoodContent(DropItem):
    """The item's page has no good content; the message says what it lacks."""

    def __init__(self, message: str) -> None:
        # The default level is WARNING, with the whole item in the log.
        super().__init__(message, log_level="INFO")


class RepeatedPage(DropItem):
    """The item's page says what other pages said before; the message names the first of them."""

    def __init__(self, message: str) -> None:
        super().__init__(message, log_level="INFO")


class NotCleaned(DropItem):
    """The item's page could not be cleaned; the message says why."""

    def __init__(self, message: str) -> None:
        super().__init__(f"not cleaned: {message}", log_level="INFO")


#: The exporters of the formats of feeds that Scrapy does not have, or that have no lists.
FEED_EXPORTERS = {
    "csv": "scrapy_justext.crawl.feeds.FlatCsvExporter",
    "xml": "scrapy_justext.crawl.feeds.FlatXmlExporter",
    "parquet": "scrapy_justext.crawl.feeds.ParquetItemExporter",
    "zst": "scrapy_justext.crawl.feeds.ZstdLinesItemExporter",
}

#: The parts of an extraction that hold the text of the page.
_TEXTS = frozenset({"text", "paragraphs", "blocks", "markdown"})

#: The formats of feeds that write any list.  Others may take nothing but a plain one, as ``marshal`` does.
_WRITE_ANY_LIST = frozenset({"json", "jsonlines", "jsonl", "jl", "pickle", *FEED_EXPORTERS})


class JustextPipeline:
    """Fills the fields of items.

    Belongs at 100: before pipelines that validate or store.
    """

    def __init__(self, session: Session, make_list: Callable[[list[Any]], list[Any]] = BlockList) -> None:
        self._session = session
        self._make_list = make_list
        # The warnings that the log has, and of which class.
        self._warned: set[tuple[str, type]] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Begin or join the crawl's session."""
        return cls(get_session(crawler), BlockList if _feeds_take_any_list(crawler.settings) else list)

    async def process_item(self, item: Any) -> Any:
        """Return the item with its fields filled; raise :class:`NoGoodContent` or :class:`NotCleaned` for one that is
        dropped.
        """
        if not ItemAdapter.is_item(item):
            return item
        page = self._session.page_of(item)
        if not isinstance(page, CleanedPage):
            page = await self._page_in_field(item, page) or page
        if isinstance(page, CleanedPage):
            self._fill(item, page)
        else:
            self._count_uncleaned(item, page)
        return item

    async def _page_in_field(self, item: Any, page: UncleanedPage | None) -> Outcome | None:
        """Return the page of the HTML that an item holds; None if it holds none, or is not to be cleaned by it.

        ``page``: the one that the item came from, whose choices hold.  Those of the crawl hold where there is none.
        """
        configuration = self._session.configuration if page is None else page.configuration
        if configuration.html_field is None or self._is_off(page) or not is_cleaned(item, configuration):
            return None
        html = ItemAdapter(item).get(configuration.html_field)
        return await self._session.clean_html(html, configuration) if isinstance(html, str | bytes) and html else None

    def _is_off(self, page: UncleanedPage | None) -> bool:
        """Return whether the plugin is switched off for an item of a page, or of none."""
        return page.reason in SWITCHED_OFF if page is not None else not self._session.is_on

    def _fill(self, item: Any, page: CleanedPage) -> None:
        configuration = page.configuration
        targets = self._targets(item, configuration)
        if not targets:
            return
        if page.why_repeated is not None:
            self._session.counts.add("items_dropped_repeated")
            raise RepeatedPage(page.why_repeated)
        if not page.is_good and configuration.drop == "item":
            self._session.counts.add("items_dropped")
            raise NoGoodContent(explain_no_content(page.extraction, configuration))
        adapter = ItemAdapter(item)
        refused: dict[str, Exception] = {}
        for part, field in targets.items():
            if _is_empty(adapter.get(field)):
                value = _part_of(page, part)
                try:
                    adapter[field] = self._make_list(value) if part == "blocks" else value
                # A frozen item, or one that checks its values: each library has errors of its own.
                except Exception as error:
                    refused[field] = error
        if refused:
            self._session.counts.add("items_not_filled")
            self._warn_once(
                type(item),
                "%s does not let its fields %s be set (%s): its items pass without them. If the class is frozen, make "
                "it one that is not, or fill the fields in the spider from get_extraction(response).",
                ", ".join(refused),
                _in_one_line(next(iter(refused.values()))),
            )

    def _count_uncleaned(self, item: Any, page: UncleanedPage | None) -> None:
        """Count an item without a cleaned page; raise :class:`NotCleaned` if it is dropped."""
        if page is not None and self._is_unwanted(item, page):
            self._session.counts.add("items_dropped_uncleaned")
            raise NotCleaned(page.message)
        # Items that a request or a site switched off count.
        is_uncounted = page.reason == OFF if page is not None else not self._session.is_on
        if not is_uncounted:
            self._session.counts.add("items_without_page")

    def _is_unwanted(self, item: Any, page: UncleanedPage) -> bool:
        """Return whether an item of an uncleaned page is dropped: one that would get text, and has none of its own."""
        if self._is_off(page) or not page.configuration.drop_uncleaned:
            return False
        targets = self._targets(item, page.configuration)
        adapter = ItemAdapter(item)
        return bool(targets) and all(_is_empty(adapter.get(targets[part])) for part in _TEXTS & targets.keys())

    def _targets(self, item: Any, configuration: Configuration) -> dict[str, str]:
        """Return the parts of the extraction that an item takes, with the field for each."""
        if not is_cleaned(item, configuration):
            return {}
        wanted = {part: field for part, field in configuration.fields.items() if field is not None}
        declared = ItemAdapter.get_field_names_from_class(type(item))
        if declared is None:
            return wanted
        targets = {part: field for part, field in wanted.items() if field in declared}
        if wanted and not targets:
            self._session.counts.add("items_without_fields")
            self._warn_once(
                type(item),
                "%s declares none of the fields %s: its items pass without clean text. Add one of them, name "
                "others in JUSTEXT_FIELDS, or leave the class out of JUSTEXT_ITEM_CLASSES.",
                ", ".join(wanted.values()),
            )
        return targets

    def _warn_once(self, item_class: type, warning: str, *details: str) -> None:
        """Log a warning of a class, whose name comes first in it, unless the log has it."""
        if (warning, item_class) not in self._warned:
            self._warned.add((warning, item_class))
            logger.warning(warning, item_class.__qualname__, *details)


def _feeds_take_any_list(settings: BaseSettings) -> bool:
    """Return whether all feeds of a crawl write the blocks in full, whatever class their list is of."""
    formats = {feed.get("format") for feed in settings.getdict("FEEDS").values()}
    # What FEED_URI, the old name, is written in.
    formats.add(settings.get("FEED_FORMAT", "jsonlines"))
    exporters = settings.getdict("FEED_EXPORTERS").items()
    return formats <= _WRITE_ANY_LIST - {name for name, exporter in exporters if exporter != FEED_EXPORTERS.get(name)}


def _blocks_with_pages(page: CleanedPage) -> list[dict[str, Any]]:
    """Return the blocks of an article of several pages, each with the address of its page."""
    urls = chain.from_iterable(repeat(each.url, each.blocks) for each in page.pages)
    classes = page.extraction.column("block_class")
    wanted = [page.configuration.blocks == "all" or one is GOOD for one in classes]
    dicts = page.extraction.block_dicts(page.configuration.block_fields, page.configuration.blocks)
    return [{**block, "page_url": url} for block, url in zip(dicts, compress(urls, wanted), strict=True)]


def _part_of(page: CleanedPage, part: str) -> Any:
    if part == "fetched":
        return page.fetched
    if part == "pages":
        return [each._asdict() for each in page.pages]
    repeats, configuration = page.repeats, page.configuration
    if part in PARTS_OF_DUPLICATES:
        of_page = (False, None) if repeats is None else (repeats.is_page, repeats.first_url)
        return dict(zip(("is_duplicate", "duplicate_of"), of_page, strict=True))[part]
    if part != "blocks":
        return part_of(page.extraction, part, chunk_characters=configuration.chunk_characters)
    if page.pages:
        blocks = _blocks_with_pages(page)
    else:
        blocks = page.extraction.block_dicts(configuration.block_fields, configuration.blocks)
    if repeats is not None:
        for block, index in zip(blocks, page.extraction.block_dicts(("index",), configuration.blocks), strict=True):
            block["is_duplicate"] = index["index"] in repeats.blocks
    return blocks


def _in_one_line(error: Exception) -> str:
    r"""Return an error in words.

    >>> _in_one_line(ValueError("1 error:\n  too  long")), _in_one_line(KeyError())
    ('1 error: too long', 'KeyError')
    """
    return " ".join(str(error).split()) or type(error).__name__


def _is_empty(value: object) -> bool:
    return value is None or (isinstance(value, str | list) and not value)
