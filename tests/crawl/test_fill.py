"""`fill(item, response)`: an item is filled from the page that it is made from, whatever callback yields it.

It may be copied or stored meanwhile: then nothing but its fields is left to tell of its page.
"""

import json
from collections.abc import AsyncIterator, Iterator, Mapping
from copy import deepcopy
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from itemadapter import ItemAdapter
from scrapy import Request
from scrapy.http import HtmlResponse, Response

from scrapy_justext import fill
from scrapy_justext.crawl import verdicts
from tests.crawl.content import ENGLISH, GERMAN, MORE_ENGLISH, POOR_PAGE, page
from tests.crawl.crawling import SECONDS, Crawl, Results, crawl, read_lines, start, write_spider
from tests.crawl.items import KINDS, BlocksAlone, DataclassItem, plain
from tests.crawl.server import Answer, Site, path_of
from tests.crawl.spiders import PageSpider
from tests.redis_server import RedisServer, needs_redis

pytestmark = pytest.mark.full

SITE: dict[str, Answer | str] = {
    "/good": page(ENGLISH, title="Good"),
    "/again": page(ENGLISH, title="Again"),
    "/untitled": page(MORE_ENGLISH, title=""),
    "/german": page(GERMAN, title="German", lang="de"),
    "/poor": POOR_PAGE,
    "/json": Answer("{}", "application/json"),
    "/other": page(MORE_ENGLISH, title="Other"),
    "/moved": Answer("", status=302, headers={"Location": "/other"}),
    "/canonical": page(MORE_ENGLISH, head='<link rel="canonical" href="/story/7">'),
}


class Case(NamedTuple):
    """Pages that items are filled from, settings, the meta of the requests, and what becomes of the items."""

    paths: tuple[str, ...]
    texts: Mapping[str, str | None]
    dropped: tuple[str, ...] = ()
    settings: Mapping[str, Any] | None = None
    meta: Any = None
    second: str = "/other"
    """The page whose callback, or errback, yields the items."""


LANGUAGES = {"JUSTEXT_LANGUAGE": ["English", "German"], "JUSTEXT_KEEP_LANGUAGES": ["English"]}
#: Who fills an item does not wait until more is known of its page.
WAITING = {"JUSTEXT_SITE_MEMORY": True, "JUSTEXT_SITE_MEMORY_LOOK": "end", "JUSTEXT_JOIN_PAGES": 10}
UNCLEANED = {"JUSTEXT_DROP_UNCLEANED": True}
BOTH = {"/good": ENGLISH, "/untitled": MORE_ENGLISH}
CASES = {
    "good": Case(("/good", "/untitled"), BOTH),
    **{f"then {second}": Case(tuple(BOTH), BOTH, second=second) for second in ("/json", "/missing", "/poor")},
    "nobody waits": Case(("/good",), {"/good": ENGLISH}, settings=WAITING),
    "poor": Case(("/poor",), {}, ("NoGoodContent",)),
    "poor, kept": Case(("/poor",), {"/poor": ""}, settings={"JUSTEXT_DROP": "none"}),
    "poor, kept by its request": Case(("/poor",), {"/poor": ""}, meta={"drop": "none"}),
    "other language": Case(("/german",), {}, ("NoGoodContent",), LANGUAGES),
    "few characters": Case(("/good",), {}, ("NoGoodContent",), meta={"min_good_characters": 1000}),
    "repeated": Case(("/good", "/again"), {"/good": ENGLISH}, ("RepeatedPage",), {"JUSTEXT_DUPLICATES": "drop"}),
    "field of its request": Case(("/poor",), {}, ("NoGoodContent",), meta={"fields": {"text": "body"}}),
    "not cleaned": Case(("/json",), {"/json": None}),
    "not cleaned, dropped": Case(("/json",), {}, ("NotCleaned",), UNCLEANED),
    "not cleaned, dropped by its request": Case(("/json",), {}, ("NotCleaned",), meta={"drop_uncleaned": True}),
    "off": Case(("/good",), {"/good": None}, settings=UNCLEANED, meta=False),
}
#: How an item comes to the callback that yields it; on a disk, it is another object afterwards.
WAYS = ("meta", "copied", "stored")
OF_KINDS = [
    *(("dict", name) for name in CASES),
    *(("dataclass", name) for name in ("poor, kept", "other language", "repeated", "not cleaned, dropped", "off")),
    *product(("scrapy", "attrs", "pydantic"), ("good",)),
    *product(("dataclass", "pydantic"), ("poor", "not cleaned")),
]


class CarryingSpider(PageSpider):
    """Fills an item from each page, and yields it, or a copy, in the callback of another, or in its errback."""

    name = "carrying"

    def __init__(self, urls: list[str], second: str, way: str, *, fills: bool = True, **arguments: Any) -> None:
        super().__init__(urls, **arguments)
        self.second, self.way, self.fills = second, way, fills

    def parse(self, response: Response) -> Iterator[Any]:
        item = self.make(response.url)
        if self.fills:
            assert fill(item, response) is item
        carried: dict[str, Any] = {"meta" if self.way == "meta" else "cb_kwargs": {"item": item}}
        yield Request(self.second, self.finish, errback=self.give_up, dont_filter=True, **carried)

    def finish(self, response: Response, item: Any = None) -> Iterator[Any]:
        item = response.meta["item"] if self.way == "meta" else item
        yield deepcopy(item) if self.way == "copied" else item

    def give_up(self, failure: Any) -> Iterator[Any]:
        yield (failure.request.meta if self.way == "meta" else failure.request.cb_kwargs)["item"]


def with_own_fields(url: str) -> list[Any]:
    own = {"link": "http://example.org/", "title": "mine", "language": "en"}
    return [{"url": url, **own, "text": ""}, {"url": f"{url}?white", **own, "text": "\n"}]


def with_text(url: str) -> dict[str, str]:
    return {"url": url, "text": GERMAN}


class FillingSpider(PageSpider):
    """Fills items in all kinds of ways, also from a page that it downloads inline; notes what they hold then."""

    name = "filling"
    custom_settings = {"JUSTEXT_HTML_FIELD": "html"}  # noqa: RUF012
    other = "/other"

    async def parse(self, response: Response) -> AsyncIterator[Any]:  # type: ignore[override]
        other = await self.crawler.engine.download_async(Request(response.urljoin(self.other)))
        yield deepcopy(fill(fill({"kind": "twice"}, response), other))
        yield deepcopy(fill({"kind": "html", "html": f"<p>{ENGLISH}"}, response))
        yield {"kind": "nested", "text": "mine", "one": fill({}, response), "more": [fill({}, response)]}
        yield fill({"kind": "of no crawl"}, HtmlResponse("http://example.org/", body=b"<p>"))
        self.seen = [fill({"text": ""}, response), fill(BlocksAlone(""), response)]
        self.seen.append(fill({"text": "", "title": "mine"}, other))


class InlineSpider(PageSpider):
    """Yields items made from its page, from others that it downloads inline, and from no page."""

    name = "inline"
    others = {"good": "/other", "poor": "/poor?2", "json": "/json"}  # noqa: RUF012

    async def parse(self, response: Response) -> AsyncIterator[Any]:  # type: ignore[override]
        later = []
        for kind, path in self.others.items():
            second = await self.crawler.engine.download_async(Request(response.urljoin(path)))
            yield fill({"kind": kind}, second)
            yield fill(DataclassItem(f"typed {kind}"), second.copy())
            later.append(fill({"kind": f"later {kind}"}, second))
        del second
        for item in later:
            yield item
        yield {"kind": "callback"}
        yield fill({"kind": "unknown"}, HtmlResponse("http://example.org/", body=b"<p>", encoding="utf-8"))


class AddressSpider(PageSpider):
    """Yields an item for each page with an address of it."""

    name = "addresses"

    async def start(self) -> AsyncIterator[Any]:
        for url in self.urls:
            yield Request(url, cb_kwargs={"address": self.make(url)}, dont_filter=True)

    def parse(self, response: Response, address: str) -> Iterator[Any]:  # type: ignore[override]
        yield {"url": address}


#: Addresses of pages, by what was asked for.
ADDRESSES = {
    "/good": "/good",
    "/good?b=1&a=2": "/good?a=2&b=1#top",
    "/moved": "/moved",
    "/moved?target": "/other",
    "/canonical": "/story/7",
    "/again": "https:/again/",
}


def address(url: str) -> str:
    found = ADDRESSES[path_of(url)]
    host = url.removesuffix(path_of(url))
    return host.replace("http", "https") + "/again/" if found == "https:/again/" else host + found


ANOTHER_URL = r"^{}: the field url names another page than that of the callback \(\S+, \S+\): .*fill\(item, response\)"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Results]:
    crawls = {}
    with Site(SITE) as served:
        for (kind, name), way in product(OF_KINDS, WAYS):
            case = CASES[name]
            job = {"JOBDIR": str(tmp_path_factory.mktemp("job"))} if way == "stored" else {}
            arguments = {"urls": served.urls(*case.paths), "second": served.url(case.second), "make": KINDS[kind]}
            meta = {} if case.meta is None else {path: {"justext": case.meta} for path in case.paths}
            settings = {"CONCURRENT_REQUESTS": 1, **(case.settings or {}), **job}
            crawls[f"{name}, {kind}, {way}"] = Crawl(CarryingSpider, {**arguments, "meta": meta, "way": way}, settings)
        unfilled = {"urls": served.urls("/good", "/again"), "second": served.url("/other"), "way": "meta"}
        for kind, named in (("dict", "dict"), ("dataclass", "DataclassItem")):
            arguments = {**unfilled, "make": KINDS[kind], "fills": False}
            crawls[f"unfilled {kind}"] = Crawl(CarryingSpider, arguments, problems=[ANOTHER_URL.format(named)])
        poor = {"urls": served.urls("/poor"), "second": served.url("/other"), "way": "meta", "make": plain}
        pipeline = "scrapy_justext.crawl.pipelines.JustextPipeline"
        few = {"JUSTEXT_FIELDS": {"language": None, "title": None, "blocks": None}}
        yield crawl(
            {
                **crawls,
                "own text": Crawl(CarryingSpider, {**unfilled, "make": with_text, "fills": False}, few),
                "own fields": Crawl(
                    PageSpider,
                    {"urls": served.urls("/good"), "make": with_own_fields},
                    {"JUSTEXT_FIELDS": {"blocks": None, "paragraphs": None}},
                ),
                "no pipeline": Crawl(CarryingSpider, poor, {"ITEM_PIPELINES": {pipeline: None}}),
                "filling": Crawl(FillingSpider, {"urls": served.urls("/json")}),
                "inline, good": Crawl(InlineSpider, {"urls": served.urls("/again")}),
                "inline, poor": Crawl(InlineSpider, {"urls": served.urls("/poor")}),
                "addresses": Crawl(AddressSpider, {"urls": served.urls(*ADDRESSES), "make": address}),
            }
        )


@pytest.mark.parametrize(("kind", "name"), OF_KINDS)
def test_an_item_ends_as_its_own_page_says_whatever_way_it_takes(results: Results, name: str, kind: str) -> None:
    case = CASES[name]
    by_way = {way: results[f"{name}, {kind}, {way}"] for way in WAYS}
    for way, result in by_way.items():
        assert result.texts == case.texts, way
        assert tuple(dropped.exception for dropped in result.dropped) == case.dropped, way
        assert result.items == by_way["meta"].items, way
        for item in (*result.items, *(dropped.item for dropped in result.dropped)):
            assert verdicts.SIGN not in str(item), way
        assert "site_memory/items_held" not in result.justext


def test_an_item_has_the_title_of_its_own_page(results: Results) -> None:
    assert [item["title"] for item in results["good, dict, stored"].items] == ["Good", ""]


STATS = {
    "nobody waits": "items_filled_before",
    "poor": "items_dropped",
    "poor, kept": "items_filled_before",
    "repeated": "items_dropped_repeated",
    "not cleaned": "items_without_page",
    "not cleaned, dropped": "items_dropped_uncleaned",
    "off": "items_without_page",
}


@pytest.mark.parametrize("way", ["copied", "stored"])
@pytest.mark.parametrize("name", STATS)
def test_copies_are_counted(results: Results, name: str, way: str) -> None:
    assert results[f"{name}, dict, {way}"].justext[STATS[name]] == 1


def test_an_item_without_text_is_not_taken_for_filled(results: Results) -> None:
    items = results["own fields"].items
    assert [(item["text"], item["title"]) for item in items] == [(ENGLISH, "mine"), ("\n", "mine")]


def test_nothing_of_a_mark_is_left(results: Results) -> None:
    found = {item["kind"]: item for item in results["filling"].items}
    texts = {"twice": MORE_ENGLISH, "html": ENGLISH, "nested": "mine", "of no crawl": None}
    assert {kind: item.get("text") for kind, item in found.items()} == texts
    assert (found["nested"]["one"], found["nested"]["more"]) == ({}, [{}])
    assert verdicts.SIGN not in str(results["filling"].items)


def test_what_a_callback_sees_is_plain_data_and_white_space_for_a_mark(results: Results) -> None:
    marked, without_text, filled = results["filling"].seen
    assert marked["text"]
    assert not marked["text"].strip()
    assert without_text == BlocksAlone("")
    assert (filled["text"], filled["title"], filled["language"]) == (MORE_ENGLISH, "mine", "en")
    for item in (marked, filled):
        assert json.loads(json.dumps(item)) == item


def test_a_crawl_without_the_pipeline_has_no_marks(results: Results) -> None:
    assert results["no pipeline"].texts == {"/poor": ""}


@pytest.mark.parametrize(("name", "own"), [("inline, good", ENGLISH), ("inline, poor", None)])
def test_responses_inside_of_a_callback_fill_items(results: Results, name: str, own: str | None) -> None:
    items = results[name].items
    typed = {item.url: item.text for item in items if isinstance(item, DataclassItem)}
    assert typed == {"typed good": MORE_ENGLISH, "typed json": None}
    found = {item["kind"]: item.get("text") for item in items if isinstance(item, dict)}
    of_page = dict.fromkeys(["callback", "unknown"], own) if own else {}
    assert found == {"good": MORE_ENGLISH, "later good": MORE_ENGLISH, "json": None, "later json": None, **of_page}
    assert results[name].justext["items_without_page"] == 3


@pytest.mark.parametrize("kind", ["dict", "dataclass"])
def test_an_item_with_the_address_of_another_page_is_filled_with_a_warning(results: Results, kind: str) -> None:
    result = results[f"unfilled {kind}"]
    assert [ItemAdapter(item)["text"] for item in result.items] == [MORE_ENGLISH] * 2
    assert len(result.problems) == 1
    assert result.justext["items_of_another_url"] == 2


def test_addresses_of_its_own_page_and_text_of_the_spider_s_need_no_warning(results: Results) -> None:
    assert len(results["addresses"].items) == len(ADDRESSES)
    assert "items_of_another_url" not in results["addresses"].justext
    assert results["own text"].texts == {"/good": GERMAN, "/again": GERMAN}


@needs_redis
def test_items_travel_through_redis(tmp_path: Path) -> None:
    with RedisServer(tmp_path) as server, Site(SITE) as served:
        spider = write_spider(tmp_path, CarryingSpider, **server.shared_queue, JUSTEXT_LANGUAGE="auto")
        given = {"urls": " ".join(served.urls(*BOTH)), "second": served.url("/other"), "way": "cb_kwargs"}
        options = [word for name, value in given.items() for word in ("-a", f"{name}={value}")]
        # scrapy-redis makes Scrapy warn.
        done = start("runspider", spider, "-O", "items.jsonl", *options, folder=tmp_path, on_warning="ignore")
        _, messages = done.communicate(SECONDS)
    assert done.returncode == 0, messages
    items = {path_of(item["url"]): (item["text"], item["title"]) for item in read_lines(tmp_path / "items.jsonl")}
    assert items == {"/good": (ENGLISH, "Good"), "/untitled": (MORE_ENGLISH, "")}
