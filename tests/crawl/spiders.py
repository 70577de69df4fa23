"""The spiders that several tests use."""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from typing import Any

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.http import Response
from typing_extensions import Self

from scrapy_justext import get_extraction
from tests.crawl.items import plain
from tests.crawl.server import path_of


class Component:
    """What Scrapy makes of a crawler."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)


class PageSpider(Spider):
    """Yields for each page what ``make`` makes of its address: an item, or several in a list.

    ``urls``: in a list, or with spaces between them, as a command line gives them; ``meta``: that of the requests, by
    path; ``first``: dicts that come from no page, before all requests.
    """

    name = "pages"

    def __init__(
        self,
        urls: str | Sequence[str] = (),
        make: Callable[[str], Any] = plain,
        meta: Mapping[str, Mapping[str, Any]] | None = None,
        first: Sequence[Mapping[str, Any]] = (),
        **arguments: Any,
    ) -> None:
        super().__init__(**arguments)
        self.first = first
        self.urls = urls.split() if isinstance(urls, str) else urls
        self.make = make
        self.meta_of = meta or {}
        self.seen: list[Any] = []

    async def start(self) -> AsyncIterator[Any]:
        for item in self.first:
            yield dict(item)
        for url in self.urls:
            yield Request(url, meta=dict(self.meta_of.get(path_of(url), {})), errback=self.fail)

    def parse(self, response: Response) -> Iterator[Any]:
        self.seen.append((path_of(response.url), get_extraction(response)))
        made = self.make(response.url)
        yield from made if isinstance(made, list) else [made]

    def fail(self, failure: Any) -> None:
        self.seen.append((path_of(failure.request.url), failure.type.__name__))
