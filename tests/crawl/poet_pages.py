"""Page objects and spiders that ask scrapy-poet for extractions."""

# No postponed annotations: scrapy-poet reads those of the callbacks and page objects.
from collections.abc import AsyncIterator, Iterator
from typing import Any

import attrs
from scrapy import Request
from scrapy.http import Response
from scrapy_poet.api import DummyResponse  # type: ignore[import-not-found, unused-ignore]
from web_poet import ItemPage, field

from scrapy_justext import Extraction, get_extraction
from tests.crawl.spiders import PageSpider


@attrs.define
class ArticlePage(ItemPage[dict[str, Any]]):
    extraction: Extraction

    @field
    def body(self) -> str:
        return self.extraction.text

    @field
    def heading(self) -> str:
        return self.extraction.title


class AskingSpider(PageSpider):
    """Asks in a callback, and through a page object; notes what it got beside what the response has."""

    name = "asking_poet"

    async def start(self) -> AsyncIterator[Any]:
        for url in self.urls:
            yield Request(f"{url}?callback", self.parse_extraction, errback=self.fail)
            yield Request(f"{url}?page", self.parse_page, errback=self.fail)

    def parse_extraction(self, response: Response, extraction: Extraction) -> Iterator[Any]:
        self.seen.append(("callback", extraction is get_extraction(response), extraction.text))
        yield {"url": response.url}

    async def parse_page(self, response: Response, page: ArticlePage) -> AsyncIterator[Any]:
        item = await page.to_item()
        self.seen.append(("page", page.extraction is get_extraction(response), item["body"]))
        yield {"url": response.url, **item}


class DummySpider(PageSpider):
    """Asks for a page with and without downloading it; notes what it got, and whether that has an extraction."""

    name = "dummy_poet"

    async def start(self) -> AsyncIterator[Any]:
        yield Request(self.urls[0], self.parse_page)
        yield Request(self.urls[0], self.parse_nothing, dont_filter=True)  # type: ignore[arg-type, unused-ignore]

    def parse_page(self, response: Response) -> Iterator[Any]:
        yield self.note(response)

    def parse_nothing(self, response: DummyResponse) -> Iterator[Any]:
        yield self.note(response)

    def note(self, response: Response) -> dict[str, str]:
        self.seen.append((type(response).__name__, get_extraction(response) is not None))
        return {"url": response.url}
