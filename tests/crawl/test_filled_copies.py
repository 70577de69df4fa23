"""Items that `fill` filled are copied and stored: then nothing but their fields is left to tell of their page."""

from __future__ import annotations

import json
from copy import deepcopy
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from itemadapter import ItemAdapter
from scrapy import Request, Spider
from scrapy.http import HtmlResponse

from scrapy_justext import fill
from scrapy_justext.crawl import verdicts
from tests.crawl.content import ENGLISH, GERMAN, MORE_ENGLISH, POOR_PAGE, page
from tests.crawl.crawling import Crawl, Result, crawl, crawl_one
from tests.crawl.items import KINDS, BlocksAlone, plain
from tests.crawl.server import Answer, Site
from tests.crawl.spiders import path_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from scrapy.http import Response

pytestmark = pytest.mark.full

SITE: dict[str, Answer | str] = {
    "/good": page(ENGLISH, title="Good"),
    "/again": page(ENGLISH, title="Again"),
    "/german": page(GERMAN, title="German", lang="de"),
    "/poor": POOR_PAGE,
    "/json": Answer("{}", "application/json"),
    "/other": page(MORE_ENGLISH, title="Other"),
}


class Case(NamedTuple):
    """Pages that items are filled from, settings, the meta of the requests, and what becomes of the items."""

    paths: tuple[str, ...]
    settings: dict[str, Any]
    meta: Any
    texts: dict[str, str | None]
    dropped: tuple[str, ...] = ()


LANGUAGES = {"JUSTEXT_LANGUAGE": ["English", "German"], "JUSTEXT_KEEP_LANGUAGES": ["English"]}
CASES = {
    "good": Case(("/good",), {}, None, {"/good": ENGLISH}),
    "poor": Case(("/poor",), {}, None, {}, ("NoGoodContent",)),
    "poor, kept": Case(("/poor",), {"JUSTEXT_DROP": "none"}, None, {"/poor": ""}),
    "poor, kept by its request": Case(("/poor",), {}, {"drop": "none"}, {"/poor": ""}),
    "other language": Case(("/german",), LANGUAGES, None, {}, ("NoGoodContent",)),
    "few characters": Case(("/good",), {}, {"min_good_characters": 1000}, {}, ("NoGoodContent",)),
    "repeated": Case(("/good", "/again"), {"JUSTEXT_DUPLICATES": "drop"}, None, {"/good": ENGLISH}, ("RepeatedPage",)),
    "field of its request": Case(("/poor",), {}, {"fields": {"text": "body"}}, {}, ("NoGoodContent",)),
    "not cleaned": Case(("/json",), {}, None, {"/json": None}),
    "not cleaned, dropped": Case(("/json",), {"JUSTEXT_DROP_UNCLEANED": True}, None, {}, ("NotCleaned",)),
    "not cleaned, dropped by its request": Case(("/json",), {}, {"drop_uncleaned": True}, {}, ("NotCleaned",)),
    "off": Case(("/good",), {"JUSTEXT_DROP_UNCLEANED": True}, False, {"/good": None}),
}
WAYS = ("same", "copied", "stored")
OF_KINDS = [
    *(("dict", name) for name in CASES),
    # It does not declare that field.
    *(("dataclass", name) for name in CASES if name != "field of its request"),
    *product(("scrapy", "attrs", "pydantic"), ("good", "poor", "not cleaned")),
]


class CarryingSpider(Spider):
    """Fills an item from each page, and yields it, or a copy, in the callback of another."""

    name = "carrying"

    def __init__(self, urls: list[str], second: str, make: Callable[[str], Any], meta: Any, *, copies: bool) -> None:
        super().__init__()
        self.urls, self.second, self.make, self.copies = urls, second, make, copies
        self.meta_of = {} if meta is None else {"justext": meta}

    async def start(self) -> AsyncIterator[Any]:
        for url in self.urls:
            yield Request(url, self.parse, meta=dict(self.meta_of))

    def parse(self, response: Response) -> Iterator[Any]:
        item = fill(self.make(response.url), response)
        yield Request(self.second, self.finish, cb_kwargs={"item": item}, dont_filter=True)

    def finish(self, response: Response, item: Any) -> Iterator[Any]:
        del response
        yield deepcopy(item) if self.copies else item


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Result]]:
    crawls = {}
    with Site(SITE) as served:
        for (kind, name), way in product(OF_KINDS, WAYS):
            case = CASES[name]
            settings = {"CONCURRENT_REQUESTS": 1, **case.settings}
            if way == "stored":
                settings["JOBDIR"] = str(tmp_path_factory.mktemp("job"))
            arguments = {
                "urls": served.urls(*case.paths),
                "second": served.url("/other"),
                "make": KINDS[kind],
                "meta": case.meta,
                "copies": way == "copied",
            }
            crawls[f"{name}, {kind}, {way}"] = Crawl(CarryingSpider, arguments, settings)
        yield crawl(crawls)


@pytest.mark.parametrize(("kind", "name"), OF_KINDS)
def test_a_copy_ends_as_the_item_itself(results: dict[str, Result], name: str, kind: str) -> None:
    case = CASES[name]
    by_way = {way: results[f"{name}, {kind}, {way}"] for way in WAYS}
    for way, result in by_way.items():
        items = map(ItemAdapter, result.items)
        assert {path_of(item["url"]): item.get("text") for item in items} == case.texts, way
        assert tuple(dropped.exception for dropped in result.dropped) == case.dropped, way
        assert result.items == by_way["same"].items, way
        for item in (*result.items, *(dropped.item for dropped in result.dropped)):
            assert verdicts.SIGN not in str(item), way


STATS = {
    "good": "items_filled_before",
    "poor": "items_dropped",
    "poor, kept": "items_filled_before",
    "repeated": "items_dropped_repeated",
    "not cleaned": "items_without_page",
    "not cleaned, dropped": "items_dropped_uncleaned",
    "off": "items_without_page",
}


@pytest.mark.parametrize("way", ["copied", "stored"])
@pytest.mark.parametrize("name", STATS)
def test_copies_are_counted(results: dict[str, Result], name: str, way: str) -> None:
    assert results[f"{name}, dict, {way}"].justext[STATS[name]] == 1


class OwnFieldsSpider(Spider):
    """Yields an item with fields of the spider's own that was never filled."""

    name = "own fields"

    def __init__(self, url: str) -> None:
        super().__init__()
        self.start_urls = [url]

    def parse(self, response: Response) -> Iterator[Any]:
        del response
        yield {"link": "http://example.org/", "title": "mine", "text": "", "language": "en"}
        yield {"link": "http://example.org/", "title": "mine", "text": "\n", "language": "en"}


def test_an_item_without_text_is_not_taken_for_filled() -> None:
    with Site(SITE) as served:
        settings = {"JUSTEXT_FIELDS": {"blocks": None, "paragraphs": None}}
        result = crawl_one(OwnFieldsSpider, {"url": served.url("/good")}, settings=settings)
    assert [item["text"] for item in result.items] == [ENGLISH, "\n"]
    assert [item["title"] for item in result.items] == ["mine", "mine"]


class FillingSpider(Spider):
    """Fills items in all kinds of ways in the callback of a poor page."""

    name = "filling"

    def __init__(self, url: str, other: str) -> None:
        super().__init__()
        self.start_urls, self.other = [url], other

    async def parse(self, response: Response) -> AsyncIterator[Any]:
        other = await self.crawler.engine.download_async(Request(self.other))
        yield deepcopy(fill(fill({"kind": "twice"}, response), other))
        yield deepcopy(fill({"kind": "html", "html": f"<p>{ENGLISH}"}, response))
        yield {"kind": "nested", "text": "mine", "one": fill({}, response), "more": [fill({}, response)]}
        yield fill({"kind": "of no crawl"}, HtmlResponse("http://example.org/", body=b"<p>"))
        self.seen = [fill({"text": ""}, response), fill(BlocksAlone(""), response)]


def test_nothing_of_a_mark_is_left() -> None:
    with Site(SITE) as served:
        arguments = {"url": served.url("/json"), "other": served.url("/other")}
        result = crawl_one(FillingSpider, arguments, settings={"JUSTEXT_HTML_FIELD": "html"})
    found = {item["kind"]: item for item in result.items}
    assert {kind: item.get("text") for kind, item in found.items()} == {
        "twice": MORE_ENGLISH,
        "html": ENGLISH,
        "nested": "mine",
        "of no crawl": None,
    }
    assert (found["nested"]["one"], found["nested"]["more"]) == ({}, [{}])
    assert verdicts.SIGN not in str(result.items)


def test_what_a_callback_sees_of_a_mark_is_white_space() -> None:
    with Site(SITE) as served:
        result = crawl_one(FillingSpider, {"url": served.url("/json"), "other": served.url("/other")})
    marked, without_text = result.seen
    assert marked["text"]
    assert not marked["text"].strip()
    assert json.loads(json.dumps(marked)) == marked
    assert without_text == BlocksAlone("")


def test_a_crawl_without_the_pipeline_has_no_marks() -> None:
    settings = {"ITEM_PIPELINES": {"scrapy_justext.crawl.pipelines.JustextPipeline": None}}
    with Site(SITE) as served:
        pages = {"urls": served.urls("/poor"), "second": served.url("/other")}
        result = crawl_one(CarryingSpider, {**pages, "make": plain, "meta": None, "copies": False}, settings=settings)
    assert [item["text"] for item in result.items] == [""]
