"""What other components, spiders and pages do to a crawl does it no harm, in place and with processes."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse, JsonResponse, Response

from scrapy_justext import Extraction
from scrapy_justext.core.extractor import Extractor
from tests.crawl.content import ENGLISH, GOOD_PAGE, GOOD_TEXT, KEYWORDS, MORE_ENGLISH, page
from tests.crawl.crawling import Crawl, Results, crawl
from tests.crawl.server import Answer, Site
from tests.crawl.spiders import Component, PageSpider

pytestmark = pytest.mark.full

HOW: dict[str, dict[str, Any]] = {"in place": {}, "in processes": {"JUSTEXT_PROCESSES": 2}}
HTML = [f"<p>{ENGLISH}</p>", f"<p>{KEYWORDS}</p>", "", None, 17, "\0\ud800<p>" + ENGLISH, ["<p>"]]
TEXTS = {f"/{number}": f"{ENGLISH} This is the page of number {number}." for number in range(6)}
SITE: dict[str, Answer | str] = {
    "/good": GOOD_PAGE,
    "/json": Answer(json.dumps(HTML), "application/json"),
    **{path: page(text) for path, text in TEXTS.items()},
}


class ReplacingMiddleware:
    """Nearer to the engine than ours: puts another response in the place of the one that was extracted."""

    def process_response(self, request: Request, response: Response) -> Response:
        return response.replace(body=page(MORE_ENGLISH).encode())


class CopyingMiddleware:
    """Puts a copy in the place of the response, as components that set flags do."""

    def process_response(self, request: Request, response: Response) -> Response:
        return response.replace(flags=["seen"])


class InventingMiddleware:
    """Answers by itself, so that no downloader middleware sees the response."""

    def process_request(self, request: Request) -> Response:
        return HtmlResponse(request.url, body=GOOD_PAGE.encode(), encoding="utf-8", request=request)


class Saboteur(Component):
    """Makes the extraction fail for pages whose URL says with what."""

    errors = (RuntimeError, RecursionError, MemoryError, LookupError, AssertionError)

    def __init__(self, crawler: Crawler) -> None:
        self.extract = Extractor.extract
        Extractor.extract = self.sabotaged()  # type: ignore[method-assign]
        crawler.signals.connect(self.undo, signals.spider_closed)

    def sabotaged(self) -> Callable[..., Extraction]:
        def extract(extractor: Extractor, page: Any, **more: Any) -> Extraction:
            for error in self.errors:
                if page.url.endswith(error.__name__):
                    raise error("oh dear")
            return self.extract(extractor, page, **more)

        return extract

    def undo(self) -> None:
        Extractor.extract = self.extract  # type: ignore[method-assign]


class MutatingSpider(PageSpider):
    """Takes the page's tree apart before it yields its item."""

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


class ManySpider(PageSpider):
    """Yields many items from each page, some of them from an asynchronous callback."""

    number = 60

    async def start(self) -> AsyncIterator[Request]:
        for index, url in enumerate(self.urls):
            yield Request(url, self.parse_async if index % 2 else self.parse)

    def parse(self, response: Response) -> Iterator[Any]:
        for number in range(self.number):
            yield {"url": response.url, "number": number}

    async def parse_async(self, response: Response) -> AsyncIterator[Any]:
        for item in self.parse(response):
            await asyncio.sleep(0)
            yield item


class JsonSpider(PageSpider):
    """Yields an item with HTML in it for each entry of a JSON page."""

    def parse(self, response: Response) -> Iterator[Any]:
        if not isinstance(response, JsonResponse):
            yield {"number": 200, "html": f"<p>{ENGLISH}"}
            return
        for number, html in enumerate(response.json()):
            yield {"number": number, "html": html}
        yield {"number": 100, "html": GOOD_PAGE.encode("utf-16")}
        yield {"number": 101}


def odd(url: str) -> list[Any]:
    """What is no item, as Scrapy lets a spider yield it."""
    return ["text", 17, None, {"url": url}]


#: The orders of components that replace responses, and the text that the items get.
REPLACEMENTS: dict[str, tuple[dict[type, int], str]] = {
    "new body behind ours": ({ReplacingMiddleware: 100}, MORE_ENGLISH),
    "new body before ours": ({ReplacingMiddleware: 580}, MORE_ENGLISH),
    "copy behind ours": ({CopyingMiddleware: 100}, GOOD_TEXT),
    "own answer": ({InventingMiddleware: 100}, GOOD_TEXT),
    "several": ({CopyingMiddleware: 100, ReplacingMiddleware: 90}, MORE_ENGLISH),
}
#: Of a page that is not cleaned, and comes again as a copy: the meta, what is told, the stats.
UNCLEANED: dict[str, tuple[Any, list[str], dict[str, int]]] = {
    "skipped": (False, [], {"skipped/request": 1, "items_without_page": 1}),
    "bad": ({"drop": "page"}, ["drop"], {"errors": 1, "errors/SettingError": 1, "items_without_page": 1}),
}
ERRORS = [error.__name__ for error in Saboteur.errors]
PROBLEM = r"/good\?{0}: not cleaned: oh dear\nTraceback(.*\n)*{0}: oh dear$"


@pytest.fixture(scope="module")
def results() -> Iterator[Results]:
    with Site(SITE) as served:
        good, first = {"urls": served.urls("/good")}, [{"number": -1, "html": GOOD_PAGE}]
        data = {"urls": served.urls("/json", "/good"), "first": first}
        crawls: dict[str, Crawl] = {}
        for how, processes in HOW.items():
            crawls |= {
                f"{name} {how}": Crawl(PageSpider, good, {"DOWNLOADER_MIDDLEWARES": middlewares, **processes})
                for name, (middlewares, _) in REPLACEMENTS.items()
            }
            crawls[f"changed tree {how}"] = Crawl(MutatingSpider, good, processes)
            crawls[f"json {how}"] = Crawl(JsonSpider, data, {"JUSTEXT_HTML_FIELD": "html", **processes})
        for name, (asked, problems, _) in UNCLEANED.items():
            arguments = {**good, "meta": {"/good": {"justext": asked}}}
            copying = {"DOWNLOADER_MIDDLEWARES": {CopyingMiddleware: 100}}
            crawls[name] = Crawl(PageSpider, arguments, copying, problems=problems)
        yield crawl(
            {
                **crawls,
                "no html": Crawl(JsonSpider, data),
                "sabotage": Crawl(
                    PageSpider,
                    {"urls": served.urls("/good", *(f"/good?{name}" for name in ERRORS))},
                    {"EXTENSIONS": {Saboteur: 0}},
                    problems=[PROBLEM.format(name) for name in ERRORS],
                ),
                "many": Crawl(
                    ManySpider,
                    {"urls": served.urls(*TEXTS)},
                    {"ITEM_PIPELINES": {SlowPipeline: 50}, "CONCURRENT_ITEMS": 8},
                    problems=[r"SlowPipeline \(50\) before"],
                ),
                "odd": Crawl(PageSpider, {**good, "make": odd}),
                "odd, off": Crawl(PageSpider, {**good, "make": odd}, {"JUSTEXT_ENABLED": False}),
            }
        )


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("name", REPLACEMENTS)
def test_a_replaced_response_is_extracted_again_and_counted_once(results: Results, name: str, how: str) -> None:
    result, (_, text) = results[f"{name} {how}"], REPLACEMENTS[name]
    assert [item["text"] for item in result.items] == [text]
    assert [(path, extraction.text) for path, extraction in result.seen] == [("/good", text)]
    assert result.justext["pages"] == result.justext["language/English"] == 1


@pytest.mark.parametrize("name", UNCLEANED)
def test_a_page_that_is_not_cleaned_and_is_replaced_is_counted_once(results: Results, name: str) -> None:
    assert results[name].justext == UNCLEANED[name][2]


def test_an_error_in_the_extraction_ends_nothing(results: Results) -> None:
    result = results["sabotage"]
    assert result.texts == {"/good": GOOD_TEXT, **{f"/good?{name}": None for name in ERRORS}}
    assert {path for path, extraction in result.seen if extraction is None} == {f"/good?{name}" for name in ERRORS}
    assert result.counts("errors") == {"": len(ERRORS), **{f"/{name}": 1 for name in ERRORS}}
    assert result.justext["pages"] == 1
    assert result.stats["finish_reason"] == "finished"
    assert len([entry for entry in result.log if entry.level >= logging.ERROR]) == len(ERRORS)


@pytest.mark.parametrize("how", HOW)
def test_a_spider_that_changes_the_tree_does_not_change_the_extraction(results: Results, how: str) -> None:
    result = results[f"changed tree {how}"]
    assert result.seen == [[]]
    (item,) = result.items
    assert (item["text"], item["title"]) == (GOOD_TEXT, "The bridge")


def test_concurrent_items_get_the_text_of_their_own_page(results: Results) -> None:
    result = results["many"]
    assert result.texts == TEXTS
    assert len({(item["url"], item["number"]) for item in result.items}) == len(TEXTS) * ManySpider.number
    assert len(result.items) == len(TEXTS) * ManySpider.number
    assert len({(item["url"], item["text"]) for item in result.items}) == len(TEXTS)
    assert "items_without_page" not in result.justext


@pytest.mark.parametrize("how", HOW)
def test_items_with_html_of_their_own_are_cleaned(results: Results, how: str) -> None:
    result = results[f"json {how}"]
    texts = {item["number"]: item.get("text") for item in result.items}
    assert texts == {-1: GOOD_TEXT, 0: ENGLISH, 2: None, 3: None, 4: None, 5: ENGLISH, 6: None, 100: GOOD_TEXT,
                     101: None, 200: GOOD_TEXT}  # fmt: skip
    [dropped] = result.dropped
    assert (dropped.item["number"], dropped.message[:34]) == (1, "no good content: 0 of 1 blocks; ne")
    assert result.justext["items_without_page"] == 5
    assert result.justext["pages"] == 6
    assert all(item["html"] == HTML[item["number"]] for item in result.items if 0 <= item["number"] < len(HTML))


def test_without_the_setting_html_in_items_is_left_alone(results: Results) -> None:
    assert {item["number"] for item in results["no html"].items if "text" in item} == {200}


def test_what_is_no_item_passes_as_it_does_without_the_plugin(results: Results) -> None:
    assert results["odd"].items[:2] == results["odd, off"].items[:2] == ["text", 17]
