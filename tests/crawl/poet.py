"""A spider for scrapy-poet, which has to be installed for it."""

# No postponed annotations: scrapy-poet reads those of the callbacks.
from collections.abc import AsyncIterator, Iterator
from typing import Any

from scrapy import Request, Spider
from scrapy.http import Response
from scrapy_poet.api import DummyResponse  # type: ignore[import-not-found, unused-ignore]

from scrapy_justext import get_extraction


class PoetSpider(Spider):
    """Asks for a page with and without downloading it."""

    name = "poet"

    def __init__(self, url: str) -> None:
        super().__init__()
        self.url = url
        self.seen: list[tuple[str, bool]] = []

    async def start(self) -> AsyncIterator[Request]:
        yield Request(self.url, self.parse_page)
        yield Request(self.url, self.parse_nothing, dont_filter=True)  # type: ignore[arg-type, unused-ignore]

    def parse_page(self, response: Response) -> Iterator[Any]:
        yield self.note(response)

    def parse_nothing(self, response: DummyResponse) -> Iterator[Any]:
        yield self.note(response)

    def note(self, response: Response) -> dict[str, str]:
        self.seen.append((type(response).__name__, get_extraction(response) is not None))
        return {"kind": type(response).__name__}
