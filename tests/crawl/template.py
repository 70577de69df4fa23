"""A site of one template: what its pages repeat reads like content."""

import asyncio
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider
from scrapy.http import Response
from scrapy.pipelines import ItemPipelineManager
from scrapy.utils.defer import deferred_from_coro
from twisted.internet.defer import Deferred

from tests.crawl.content import ENGLISH, page
from tests.crawl.server import path_of
from tests.crawl.spiders import Component, PageSpider

PAGES = 12
#: On every page.
REPEATED = (
    "Whatever you have read here was written by people who live in the town, and it was paid for by those who read "
    "it. If you would like to be one of them, you can do so for less than what you pay for a cup of tea, and you can "
    "stop it when you like."
)
LETTERS = "abcdefghijkl"
PATHS = [f"/{letter}" for letter in LETTERS]


def article(letter: str) -> str:
    """What is on one page alone."""
    return f"In the house of {letter * 3} it was not known what was to be done about the bridge, {ENGLISH.lower()}"


SITE = {
    f"/{letter}": page(
        article(letter), REPEATED, *([f'<a href="/{LETTERS[i + 1]}">On</a>'] if i + 1 < PAGES else []), title=letter
    )
    for i, letter in enumerate(LETTERS)
}

SETTINGS = {"JUSTEXT_SITE_MEMORY": True, "CONCURRENT_REQUESTS": 1, "DOWNLOAD_DELAY": 0}


def with_repeated(items: Sequence[dict[str, Any]]) -> str:
    """The letters of the pages whose items have the repeated text, in order."""
    return "".join(sorted(path_of(item["url"])[1:] for item in items if REPEATED in item["text"]))


def letters(items: Sequence[dict[str, Any]]) -> str:
    """The letters of the items' pages in their order; each item has its own article."""
    for item in items:
        assert article(path_of(item["url"])[1:]) in item["text"]
    return "".join(path_of(item["url"])[1:] for item in items)


class ChainSpider(PageSpider):
    """Yields a page's item before the request for the next one."""

    def parse(self, response: Response) -> Iterator[Any]:
        yield from super().parse(response)
        for link in response.css("p a::attr(href)").getall():
            if link != "/legal":
                yield response.follow(link)


class ClosingSpider(ChainSpider):
    """Closes itself on the third page, and asks for none behind it, which would be fetched in time or not."""

    def parse(self, response: Response) -> Iterator[Any]:
        if not response.url.endswith("/c"):
            yield from super().parse(response)
            return
        yield from PageSpider.parse(self, response)
        raise CloseSpider("third page")


class StoringPipeline(Component):
    """Fails for items that come when it is closed already; tells the spider whether its manager was changed."""

    def open_spider(self) -> None:
        self.is_open = True

    async def process_item(self, item: Any) -> Any:
        assert self.is_open
        item["stored"] = True
        return item

    def close_spider(self) -> None:
        self.is_open = False
        spider, engine = self.crawler.spider, self.crawler.engine
        assert isinstance(spider, PageSpider)
        assert engine is not None
        spider.seen = [sorted(name for name in vars(engine.scraper.itemproc) if name.startswith("close"))]


class StoppingPipeline(Component):
    """Has the spider closed while the first item is on its way."""

    closing: Any = None

    async def process_item(self, item: Any) -> Any:
        if self.closing is None:
            assert self.crawler.engine is not None
            self.closing = deferred_from_coro(self.crawler.engine.close_spider_async(reason="a pipeline"))
            # Long enough for what may not happen: that the pipelines are closed.
            await asyncio.sleep(0.1)
        return item


class OwnItemProcessor(Component):
    """As Scrapy's documentation describes it, without a class of Scrapy's above it."""

    def __init__(self, crawler: Crawler) -> None:
        self._pipelines = ItemPipelineManager.from_crawler(crawler)

    async def open_spider_async(self) -> None:
        await self._pipelines.open_spider_async()

    async def process_item_async(self, item: Any) -> Any:
        return await self._pipelines.process_item_async(item)

    async def close_spider_async(self) -> None:
        await self._pipelines.close_spider_async()


class OldItemProcessor(ItemPipelineManager):
    """Closes its pipelines in the way that Scrapy had before 2.14, and warns of."""

    def __init__(self, *arguments: Any, **values: Any) -> None:
        super().__init__(*arguments, **values)
        warnings.filterwarnings("ignore", message=".*OldItemProcessor overrides close_spider")

    def close_spider(self, spider: Spider) -> Deferred[Any]:
        return deferred_from_coro(self.close_spider_async())
