"""`fill(item, response)`: an item is filled from the page that it is made from, whatever callback yields it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from itemadapter import ItemAdapter
from scrapy import Request, Spider
from scrapy.http import HtmlResponse

from scrapy_justext import fill
from tests.crawl.content import ENGLISH, GERMAN, GOOD_PAGE, GOOD_TEXT, MORE_ENGLISH, POOR_PAGE, page
from tests.crawl.crawling import SECONDS, Crawl, Result, crawl, crawl_one, start
from tests.crawl.items import KINDS, DataclassItem, plain
from tests.crawl.server import Answer, Site
from tests.crawl.spiders import path_of
from tests.redis_server import RedisServer, needs_redis

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator
    from pathlib import Path

    from scrapy.http import Response

pytestmark = pytest.mark.full

OTHER = page(MORE_ENGLISH, title="Other")
SITE: dict[str, Answer | str] = {
    "/page": page(ENGLISH, title=""),
    "/poor": POOR_PAGE,
    "/other": OTHER,
    "/copy": GOOD_PAGE,
    "/json": Answer("{}", "application/json"),
    "/moved": Answer("", status=302, headers={"Location": "/other"}),
    "/canonical": page(MORE_ENGLISH, head='<link rel="canonical" href="/story/7">'),
}
ANOTHER_URL = r"^{}: the field url names another page than that of the callback \(\S+, \S+\): .*fill\(item, response\)"


class TwoPagesSpider(Spider):
    """Begins an item on one page, and yields it in the callback of another, or in its errback."""

    name = "two pages"

    def __init__(self, first: list[str], second: str, make: Callable[[str], Any] = plain, **how: Any) -> None:
        super().__init__()
        self.first, self.second, self.make = first, second, make
        self.fills: bool = how.get("fills", True)
        self.way: str = how.get("way", "meta")

    async def start(self) -> AsyncIterator[Any]:
        for url in self.first:
            yield Request(url, self.parse)

    def parse(self, response: Response) -> Iterator[Any]:
        item = self.make(response.url)
        if self.fills:
            assert fill(item, response) is item
        carried: dict[str, Any] = {self.way: {"item": item}}
        yield Request(self.second, self.finish, errback=self.fail, dont_filter=True, **carried)

    def finish(self, response: Response, item: Any = None) -> Iterator[Any]:
        yield response.meta.get("item", item)

    def fail(self, failure: Any) -> Iterator[Any]:
        yield failure.request.meta["item"]


def texts(result: Result) -> dict[str, Any]:
    items = map(ItemAdapter, result.items)
    return {path_of(item["url"]): (item.get("text"), item.get("title", "")) for item in items}


@pytest.fixture(scope="module")
def served() -> Iterator[Site]:
    with Site(SITE) as site:
        yield site


FILLED = {"/page": (ENGLISH, ""), "/copy": (GOOD_TEXT, "The bridge")}


SECONDS_OF_PAGES = ["/other", "/json", "/missing", "/poor"]


@pytest.fixture(scope="module")
def results(served: Site, tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str, str], Result]:
    crawls: dict[Any, Crawl] = {}
    for kind in KINDS:
        for second in SECONDS_OF_PAGES:
            arguments = {"first": served.urls("/page", "/copy"), "second": served.url(second), "make": KINDS[kind]}
            crawls |= {
                (kind, second, way): Crawl(TwoPagesSpider, {**arguments, "way": way})
                for way in ("meta", "cb_kwargs")[: 1 + (second == "/other")]
            }
            # On a disk, an item is another object afterwards.
            folder = tmp_path_factory.mktemp("job")
            crawls[kind, second, "stored"] = Crawl(TwoPagesSpider, arguments, {"JOBDIR": str(folder)})
    found: Any = crawl(crawls)
    return found  # type: ignore[no-any-return]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("second", SECONDS_OF_PAGES)
def test_an_item_has_the_text_of_its_own_page(
    results: dict[tuple[str, str, str], Result], kind: str, second: str
) -> None:
    of_kind = [result for key, result in results.items() if key[:2] == (kind, second)]
    assert len(of_kind) == 2 + (second == "/other")
    for result in of_kind:
        expected = FILLED if kind == "dict" else {path: (text, "") for path, (text, _) in FILLED.items()}
        assert texts(result) == expected


class NotingSpider(TwoPagesSpider):
    """Notes what an item holds once it is filled."""

    def parse(self, response: Response) -> Iterator[Any]:
        yield from ()
        self.seen = [fill({"url": response.url, "text": "", "title": "mine"}, response)]


def test_plain_data_are_filled_in_at_once(served: Site) -> None:
    result = crawl_one(NotingSpider, {"first": served.urls("/copy"), "second": ""})
    [item] = result.seen
    assert (item["text"], item["title"], item["language"]) == (GOOD_TEXT, "mine", "en")
    assert {type(value) for value in item.values()} <= {str, list}


@pytest.mark.parametrize("stored", [False, True])
def test_an_item_of_a_page_without_good_content_is_dropped(served: Site, stored: bool, tmp_path: Path) -> None:
    arguments = {"first": served.urls("/poor", "/page"), "second": served.url("/other")}
    settings = {"JOBDIR": str(tmp_path / "job")} if stored else {}
    result = crawl_one(TwoPagesSpider, {**arguments, "make": KINDS["dict"]}, settings=settings)
    assert texts(result).keys() == {"/page"}
    [dropped] = result.dropped
    assert (dropped.exception, dropped.message[:15]) == ("NoGoodContent", "no good content")


def test_an_item_of_a_repeated_page_is_dropped(served: Site) -> None:
    settings = {"JUSTEXT_DUPLICATES": "drop", "CONCURRENT_REQUESTS": 1}
    arguments = {"first": served.urls("/copy", "/copy?again"), "second": served.url("/other")}
    result = crawl_one(TwoPagesSpider, {**arguments, "make": KINDS["dict"]}, settings=settings)
    assert texts(result).keys() == {"/copy"}
    assert [dropped.exception for dropped in result.dropped] == ["RepeatedPage"]


def test_nobody_waits_with_a_filled_item(served: Site) -> None:
    memory = {"JUSTEXT_SITE_MEMORY": True, "JUSTEXT_SITE_MEMORY_LOOK": "end", "JUSTEXT_JOIN_PAGES": 10}
    arguments = {"first": served.urls("/page"), "second": served.url("/other"), "make": KINDS["dict"]}
    result = crawl_one(TwoPagesSpider, arguments, settings=memory)
    assert texts(result) == {"/page": (ENGLISH, "")}
    assert "site_memory/items_held" not in result.justext


SPIDER = """
from scrapy import Request, Spider

from scrapy_justext import fill

class RedisSpider(Spider):
    name = "redis"

    async def start(self):
        for url in FIRST:
            yield Request(url)

    def parse(self, response):
        yield Request(SECOND, self.finish, cb_kwargs={"item": fill({"url": response.url}, response)}, dont_filter=True)

    def finish(self, response, item):
        yield item
"""


@needs_redis
def test_items_travel_through_redis(served: Site, tmp_path: Path) -> None:
    addresses = f"FIRST = {served.urls('/page', '/copy')}\nSECOND = {served.url('/other')!r}\n"
    (tmp_path / "spider.py").write_text(SPIDER + addresses)
    with RedisServer(tmp_path) as server:
        settings = {
            "ADDONS": '{"scrapy_justext.Addon": 500}',
            "SCHEDULER": "scrapy_redis.scheduler.Scheduler",
            "DUPEFILTER_CLASS": "scrapy_redis.dupefilter.RFPDupeFilter",
            "REDIS_URL": server.url,
            "LOG_LEVEL": "WARNING",
        }
        options = [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]
        # scrapy-redis makes Scrapy warn.
        done = start("runspider", "spider.py", "-O", "items.jsonl", *options, folder=tmp_path, on_warning="ignore")
        _, messages = done.communicate(SECONDS)
    assert done.returncode == 0, messages
    items = map(json.loads, (tmp_path / "items.jsonl").read_text("utf-8").splitlines())
    assert {path_of(item["url"]): (item["text"], item["title"]) for item in items} == FILLED


class InlineSpider(Spider):
    """Yields items made from its page, from others that it downloads inline, and from no page."""

    name = "inline"

    def __init__(self, page: str, others: dict[str, str]) -> None:
        super().__init__()
        self.start_urls = [page]
        self.others = others

    async def parse(self, response: Response) -> AsyncIterator[Any]:
        later = []
        for kind, url in self.others.items():
            second = await self.crawler.engine.download_async(Request(url))
            yield fill({"kind": kind}, second)
            yield fill(DataclassItem(f"typed {kind}"), second.copy())
            later.append(fill({"kind": f"later {kind}"}, second))
        del second
        for item in later:
            yield item
        yield {"kind": "callback"}
        yield fill({"kind": "unknown"}, HtmlResponse("http://example.org/", body=b"<p>", encoding="utf-8"))


@pytest.mark.parametrize("own_page", ["/copy", "/poor"])
def test_responses_inside_of_a_callback_fill_items(served: Site, own_page: str) -> None:
    others = {"good": served.url("/other"), "poor": served.url("/poor?2"), "json": served.url("/json")}
    result = crawl_one(InlineSpider, {"page": served.url(own_page), "others": others})
    typed = {item.url: item.text for item in result.items if isinstance(item, DataclassItem)}
    assert typed == {"typed good": MORE_ENGLISH, "typed json": None}
    found = {item["kind"]: item.get("text") for item in result.items if isinstance(item, dict)}
    own = dict.fromkeys(["callback", "unknown"], GOOD_TEXT) if own_page == "/copy" else {}
    assert found == {"good": MORE_ENGLISH, "later good": MORE_ENGLISH, "json": None, "later json": None, **own}
    assert result.justext["items_without_page"] == 3


# Without it.


@pytest.mark.parametrize("kind", ["dict", "dataclass"])
def test_an_item_with_the_address_of_another_page_is_filled_with_a_warning(served: Site, kind: str) -> None:
    arguments = {"first": served.urls("/page", "/copy"), "second": served.url("/other"), "make": KINDS[kind]}
    problem = ANOTHER_URL.format("dict" if kind == "dict" else "DataclassItem")
    result = crawl_one(TwoPagesSpider, {**arguments, "fills": False}, problems=[problem])
    assert {text for text, _ in texts(result).values()} == {MORE_ENGLISH}
    assert len(result.problems) == 1
    assert result.justext["items_of_another_url"] == 2


class AddressSpider(Spider):
    """Yields an item for each page with an address of it."""

    name = "addresses"

    def __init__(self, urls: dict[str, str]) -> None:
        super().__init__()
        self.urls = urls

    async def start(self) -> AsyncIterator[Any]:
        for path, address in self.urls.items():
            yield Request(path, cb_kwargs={"address": address}, dont_filter=True)

    def parse(self, response: Response, address: str) -> Iterator[Any]:
        yield {"url": address}


def test_all_addresses_of_a_page_are_its_own(served: Site) -> None:
    urls = {
        "/page": "/page",
        "/page?b=1&a=2": "/page?a=2&b=1#top",
        "/moved": served.url("/moved"),
        "/moved?target": served.url("/other"),
        "/canonical": "/story/7",
        "/copy": served.url("/copy/").replace("http", "https"),
    }
    result = crawl_one(AddressSpider, {"urls": {served.url(path): address for path, address in urls.items()}})
    assert len(result.items) == len(urls)
    assert "items_of_another_url" not in result.justext


def with_text(url: str) -> dict[str, str]:
    return {"url": url, "text": GERMAN}


def test_what_the_spider_filled_itself_needs_no_warning(served: Site) -> None:
    arguments = {"first": served.urls("/page"), "second": served.url("/other"), "fills": False, "make": with_text}
    settings = {"JUSTEXT_FIELDS": {"language": None, "title": None, "blocks": None}}
    result = crawl_one(TwoPagesSpider, arguments, settings=settings)
    assert [item["text"] for item in result.items] == [GERMAN]
