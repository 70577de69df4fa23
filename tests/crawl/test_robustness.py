"""What other components, spiders and pages do to a crawl does it no harm."""

from __future__ import annotations

import asyncio
import json
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from scrapy import Request, Spider, signals
from scrapy.http import HtmlResponse, JsonResponse, Response

from scrapy_justext import Extraction, get_extraction
from scrapy_justext.core.extractor import Extractor
from tests.crawl.content import ENGLISH, GOOD_PAGE, GOOD_TEXT, KEYWORDS, MORE_ENGLISH, page
from tests.crawl.crawling import Crawl, Result, crawl, crawl_one
from tests.crawl.server import Answer, Site
from tests.crawl.spiders import PageSpider, path_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from scrapy.crawler import Crawler

    from scrapy_justext.core.extractor import ReadPage

pytestmark = pytest.mark.full

REPLACED = page(MORE_ENGLISH)


class ReplacingMiddleware:
    """Nearer to the engine than ours: puts another response in the place of the one that was extracted."""

    def process_response(self, request: Request, response: Response) -> Response:
        return response.replace(body=REPLACED.encode())


class CopyingMiddleware:
    """Puts a copy in the place of the response, as components that set flags do."""

    def process_response(self, request: Request, response: Response) -> Response:
        return response.replace(flags=["seen"])


class InventingMiddleware:
    """Answers by itself, so that no downloader middleware sees the response."""

    def process_request(self, request: Request) -> Response:
        return HtmlResponse(request.url, body=GOOD_PAGE.encode(), encoding="utf-8", request=request)


class Saboteur:
    """Makes the extraction fail for pages whose URL says with what."""

    errors = (RuntimeError, RecursionError, MemoryError, LookupError, AssertionError)

    def __init__(self, crawler: Crawler) -> None:
        self.read = Extractor._read_page
        Extractor._read_page = self.sabotaged()  # type: ignore[method-assign]
        crawler.signals.connect(self.undo, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Saboteur:
        return cls(crawler)

    def sabotaged(self) -> Callable[..., ReadPage]:
        def read(extractor: Extractor, page: Any, *more: Any) -> ReadPage:
            for error in self.errors:
                if page.url.endswith(error.__name__):
                    raise error("oh dear")
            return self.read(extractor, page, *more)

        return read

    def undo(self) -> None:
        Extractor._read_page = self.read  # type: ignore[method-assign]


class MutatingSpider(Spider):
    """Takes the page's tree apart before it yields its item."""

    name = "mutating"

    def __init__(self, url: str) -> None:
        super().__init__()
        self.start_urls = [url]
        self.seen: list[Any] = []

    def parse(self, response: Response) -> Iterator[Any]:
        response.css("p").drop()
        response.css("title").drop()
        self.seen.append(response.css("p").getall())
        yield {"url": response.url}


class SlowPipeline:
    """Lets an item wait, the first the longest, before it is cleaned."""

    async def process_item(self, item: Any) -> Any:
        await asyncio.sleep(0.02 / (1 + item["number"] % 7))
        return item


class ManySpider(Spider):
    """Yields many items from each page, some of them from an asynchronous callback."""

    name = "many"
    number = 60

    def __init__(self, urls: list[str]) -> None:
        super().__init__()
        self.urls = urls

    async def start(self) -> AsyncIterator[Request]:
        for index, url in enumerate(self.urls):
            yield Request(url, self.parse_async if index % 2 else self.parse)

    def parse(self, response: Response) -> Iterator[Any]:
        for number in range(self.number):
            yield {"url": response.url, "number": number}

    async def parse_async(self, response: Response) -> AsyncIterator[Any]:
        for number in range(self.number):
            await asyncio.sleep(0)
            yield {"url": response.url, "number": number}


@dataclass(frozen=True)
class Replacement:
    """A component that replaces responses: where it is, and the text that the items get."""

    setting: dict[str, Any]
    text: str


REPLACEMENTS = {
    "new body behind ours": Replacement({"DOWNLOADER_MIDDLEWARES": {ReplacingMiddleware: 100}}, MORE_ENGLISH),
    "new body before ours": Replacement({"DOWNLOADER_MIDDLEWARES": {ReplacingMiddleware: 580}}, MORE_ENGLISH),
    "copy behind ours": Replacement({"DOWNLOADER_MIDDLEWARES": {CopyingMiddleware: 100}}, GOOD_TEXT),
    "own answer": Replacement({"DOWNLOADER_MIDDLEWARES": {InventingMiddleware: 100}}, GOOD_TEXT),
    "several": Replacement({"DOWNLOADER_MIDDLEWARES": {CopyingMiddleware: 100, ReplacingMiddleware: 90}}, MORE_ENGLISH),
}


@pytest.fixture(scope="module")
def replaced(site: Site) -> dict[str, Result]:
    urls = {"urls": site.urls("/good")}
    return crawl({name: Crawl(PageSpider, urls, one.setting) for name, one in REPLACEMENTS.items()})


@pytest.mark.parametrize("name", REPLACEMENTS)
def test_a_replaced_response_is_extracted_again_and_counted_once(replaced: dict[str, Result], name: str) -> None:
    result = replaced[name]
    assert [item["text"] for item in result.items] == [REPLACEMENTS[name].text]
    assert [extraction.text for _, extraction in result.seen] == [REPLACEMENTS[name].text]
    assert result.justext["pages"] == 1
    assert result.justext["language/English"] == 1


@pytest.mark.full
def test_a_skipped_response_that_is_replaced_is_counted_once(site: Site) -> None:
    meta = {"/good": {"justext": False}}
    settings = {"DOWNLOADER_MIDDLEWARES": {CopyingMiddleware: 100}}
    result = crawl_one(PageSpider, {"urls": site.urls("/good"), "meta": meta}, settings=settings)
    assert result.justext == {"skipped/request": 1, "items_without_page": 1}


BAD_OVERRIDE = {"/good": {"justext": {"drop": "page"}}}


@pytest.mark.full
def test_a_bad_page_that_is_replaced_is_counted_once(site: Site) -> None:
    settings = {"DOWNLOADER_MIDDLEWARES": {CopyingMiddleware: 100}}
    result = crawl_one(
        PageSpider, {"urls": site.urls("/good"), "meta": BAD_OVERRIDE}, settings=settings, problems=["drop"]
    )
    assert result.justext["errors"] == 1


def test_an_error_in_the_extraction_ends_nothing(site: Site) -> None:
    names = [error.__name__ for error in Saboteur.errors]
    paths = [f"/good?{name}" for name in names]
    message = rf"^http://127\.0\.0\.1:{site.port}/good\?NAME: not cleaned: oh dear\nTraceback(.*\n)*NAME: oh dear$"
    problems = [message.replace("NAME", name) for name in names]
    result = crawl_one(
        PageSpider, {"urls": site.urls("/good", *paths)}, settings={"EXTENSIONS": {Saboteur: 0}}, problems=problems
    )
    assert {item["url"]: "text" in item for item in result.items} == {
        **dict.fromkeys(site.urls(*paths), False),
        site.url("/good"): True,
    }
    assert {path for path, extraction in result.seen if extraction is None} == set(paths)
    assert result.justext["errors"] == len(names)
    assert {name: result.justext[f"errors/{name}"] for name in names} == dict.fromkeys(names, 1)
    assert result.justext["pages"] == 1
    assert result.stats["finish_reason"] == "finished"
    errors = [entry for entry in result.log if entry.level >= logging.ERROR]
    assert len(errors) == len(names)


@pytest.mark.full
def test_a_spider_that_changes_the_tree_does_not_change_the_extraction(site: Site) -> None:
    result = crawl_one(MutatingSpider, {"url": site.url("/good")})
    assert result.seen == [[]]
    (item,) = result.items
    assert (item["text"], item["title"]) == (GOOD_TEXT, "The bridge")


def test_concurrent_items_get_the_text_of_their_own_page() -> None:
    texts = {f"/{number}": f"{ENGLISH} This is the page of number {number}." for number in range(6)}
    with Site({path: page(text) for path, text in texts.items()}) as served:
        settings = {"ITEM_PIPELINES": {SlowPipeline: 50}, "CONCURRENT_ITEMS": 8}
        problems = [r"SlowPipeline \(50\) before"]
        result = crawl_one(ManySpider, {"urls": served.urls(*texts)}, settings=settings, problems=problems)
    assert len(result.items) == len(texts) * ManySpider.number
    assert all(item["text"] == texts[path_of(item["url"])] for item in result.items)
    assert len({(item["url"], item["number"]) for item in result.items}) == len(result.items)
    assert "items_without_page" not in result.justext


class JsonSpider(Spider):
    """Yields an item with HTML in it for each entry of a JSON page, and one from start()."""

    name = "json"

    def __init__(self, url: str, page: str) -> None:
        super().__init__()
        self.url = url
        self.page = page

    async def start(self) -> AsyncIterator[Any]:
        yield {"number": -1, "html": GOOD_PAGE}
        yield Request(self.url)
        yield Request(self.page, self.parse_page)

    def parse(self, response: Response) -> Iterator[Any]:
        assert isinstance(response, JsonResponse)
        for number, html in enumerate(response.json()):
            yield {"number": number, "html": html}
        yield {"number": 100, "html": GOOD_PAGE.encode("utf-16")}
        yield {"number": 101}

    def parse_page(self, response: Response) -> Iterator[Any]:
        yield {"number": 200, "html": f"<p>{ENGLISH}"}


HTML = [f"<p>{ENGLISH}</p>", f"<p>{KEYWORDS}</p>", "", None, 17, "\0\ud800<p>" + ENGLISH, ["<p>"]]


def test_items_with_html_of_their_own_are_cleaned() -> None:
    answers: dict[str, Answer | str] = {"/json": Answer(json.dumps(HTML), "application/json"), "/page": GOOD_PAGE}
    with Site(answers) as served:
        result = crawl_one(
            JsonSpider,
            {"url": served.url("/json"), "page": served.url("/page")},
            settings={"JUSTEXT_HTML_FIELD": "html"},
        )
    texts = {item["number"]: item.get("text") for item in result.items}
    assert texts == {-1: GOOD_TEXT, 0: ENGLISH, 2: None, 3: None, 4: None, 5: ENGLISH, 6: None, 100: GOOD_TEXT,
                     101: None, 200: GOOD_TEXT}  # fmt: skip
    assert [dropped.item["number"] for dropped in result.dropped] == [1]
    assert result.dropped[0].message.startswith("no good content: 0 of 1 blocks")
    assert result.justext["items_without_page"] == 5
    assert result.justext["pages"] == 6
    assert all(item["html"] == HTML[item["number"]] for item in result.items if 0 <= item["number"] < len(HTML))


@pytest.mark.full
def test_without_the_setting_html_in_items_is_left_alone() -> None:
    with Site({"/json": Answer('["<p>"]', "application/json"), "/page": GOOD_PAGE}) as served:
        result = crawl_one(JsonSpider, {"url": served.url("/json"), "page": served.url("/page")})
    assert {item["number"] for item in result.items if "text" in item} == {200}


class OddSpider(Spider):
    """Yields what is no item, as Scrapy lets a spider do."""

    name = "odd"

    def __init__(self, url: str) -> None:
        super().__init__()
        self.start_urls = [url]

    def parse(self, response: Response) -> Iterator[Any]:
        yield "text"
        yield 17
        yield None
        yield {"url": response.url}


@pytest.mark.full
def test_what_is_no_item_passes_as_it_does_without_the_plugin(site: Site) -> None:
    crawls = {
        "off": Crawl(OddSpider, {"url": site.url("/good")}, {"JUSTEXT_ENABLED": False}),
        "on": Crawl(OddSpider, {"url": site.url("/good")}),
    }
    results = crawl(crawls)
    assert results["off"].items[:2] == ["text", 17]
    assert results["on"].items[:2] == ["text", 17]


def test_get_extraction_is_of_the_replacement(replaced: dict[str, Result]) -> None:
    ((path, extraction),) = replaced["new body behind ours"].seen
    assert path == "/good"
    assert isinstance(extraction, Extraction)
    assert get_extraction(HtmlResponse("http://127.0.0.1/good")) is None
