"""Crawls any site: ``scrapy crawl site -a url=https://example.org/ -O pages.jsonl``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy import Request, Spider
from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor

from example.items import Page
from scrapy_justext import get_extraction

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.http import Response


class SiteSpider(Spider):
    """Follows the links within the domain of ``url``, and yields an item for each page that was cleaned."""

    name = "site"

    def __init__(self, url: str = "", **arguments: Any) -> None:
        super().__init__(**arguments)
        if not urlsplit(url).hostname:
            raise ValueError(f"url = {url!r}: give the address to start at, as in -a url=https://example.org/")
        self.url = url
        self.allowed_domains = [urlsplit(url).hostname or ""]
        self.links = LinkExtractor()

    async def start(self) -> AsyncIterator[Request]:
        """Begin at ``url``."""
        yield Request(self.url)

    def parse(self, response: Response) -> Iterator[Page | Request]:
        """Yield the page, then follow its links."""
        if get_extraction(response) is not None:
            yield Page(url=response.url)
        if isinstance(response, HtmlResponse):
            yield from response.follow_all(self.links.extract_links(response))
