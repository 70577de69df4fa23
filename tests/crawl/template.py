"""A site of one template: what its pages repeat reads like content."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.exceptions import CloseSpider

from tests.crawl.content import ENGLISH, page
from tests.crawl.spiders import PageSpider, path_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy.http import Response

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
    """Closes itself on the third page."""

    def parse(self, response: Response) -> Iterator[Any]:
        yield from super().parse(response)
        if response.url.endswith("/c"):
            raise CloseSpider("third page")


class StoringPipeline:
    """Fails for items that come when it is closed already."""

    def open_spider(self) -> None:
        self.is_open = True

    async def process_item(self, item: Any) -> Any:
        assert self.is_open
        item["stored"] = True
        return item

    def close_spider(self) -> None:
        self.is_open = False
