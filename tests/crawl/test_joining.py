"""Articles of several pages."""

from __future__ import annotations

import gc
import json
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

import pytest
from scrapy import Request, signals
from scrapy.http import HtmlResponse

from scrapy_justext.crawl.parts.following_pages import is_first, next_page, page_number
from scrapy_justext.crawl.parts.joining import ENDED, FOLDER, Journal
from tests.crawl.articles import SENTENCES, SHAPES, article, html, text
from tests.crawl.crawling import SECONDS, Crawl, Result, command, crawl, crawl_one, start
from tests.crawl.server import Answer, Site
from tests.crawl.spiders import PageSpider, path_of
from tests.redis_server import RedisServer, needs_redis

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from scrapy.crawler import Crawler
    from scrapy.http import Response

pytestmark = pytest.mark.full

JOIN = {"JUSTEXT_JOIN_PAGES": 10, "JUSTEXT_FIELDS": {"pages": "pages", "paragraphs": "paragraphs"}}
THREE = article(["/bridge", "/bridge/2", "/bridge/3"])
WHOLE = "\n\n".join(["The bridge that grows", *(text(n) for n in (1, 2, 3))])


@pytest.fixture(scope="module")
def shapes() -> dict[str, Any]:
    """What became of the first page of each shape, by its path."""
    answers = {path: page for shape in SHAPES.values() for path, page in shape.pages.items()}
    with Site(answers) as site:
        urls = site.urls(*(shape.first for shape in SHAPES.values()))
        # Else a site of so many shapes would be taken for one without articles.
        result = crawl_one(PageSpider, {"urls": urls}, settings={**JOIN, "CONCURRENT_REQUESTS": 1})
    return {path_of(item["url"]): item for item in result.items}


@pytest.mark.parametrize("name", SHAPES)
def test_articles_are_joined_and_nothing_else(shapes: dict[str, Any], name: str) -> None:
    shape = SHAPES[name]
    item = shapes[shape.first]
    paths = [path_of(page["url"]) for page in item["pages"]]
    assert paths == (list(shape.pages)[: shape.joined] if shape.joined > 1 else [])
    assert not [page["error"] for page in item["pages"] if page["error"]]
    if shape.joined > 1:
        found = [sentence for sentence in SENTENCES if sentence in item["text"]]
        assert found[: shape.joined] == list(SENTENCES[: shape.joined])
        # What each page repeats is there once.
        assert len(item["paragraphs"]) == len(set(item["paragraphs"]))


def test_the_shapes_are_what_was_promised() -> None:
    assert sum(shape.joined > 1 for shape in SHAPES.values()) >= 6
    assert sum(shape.joined == 1 for shape in SHAPES.values()) >= 6


@pytest.mark.parametrize(
    ("url", "first", "number"),
    [
        ("http://a.example/x?page=2", "http://a.example/x", 2),
        ("http://a.example/x?page=2", "http://a.example/x?page=1", 2),
        ("http://a.example/x?id=1&page=2", "http://a.example/x?id=1", 2),
        ("http://a.example/x?id=2&page=2", "http://a.example/x?id=1", None),
        ("http://a.example/x?page=2x", "http://a.example/x", None),
        ("http://a.example/x?page=2000", "http://a.example/x", None),
        ("http://a.example/x?cpage=2", "http://a.example/x", None),
        ("http://www.a.example/x/2/", "http://a.example/x", 2),
        ("https://a.example/x/02", "http://a.example/x", 2),
        ("http://b.example/x/2", "http://a.example/x", None),
        ("http://a.example/x_2.html", "http://a.example/x.html", 2),
        ("http://a.example/x.2.php", "http://a.example/x.php", 2),
        ("http://a.example/x,2.html", "http://a.example/x,1.html", 2),
        ("http://a.example/x/seite-3", "http://a.example/x", 3),
        ("http://a.example/x/comment-page-2", "http://a.example/x", None),
        ("http://a.example/xy/2", "http://a.example/x", None),
        ("http://a.example/x/2/print", "http://a.example/x", None),
        ("http://a.example/x/2023", "http://a.example/x", None),
        ("http://a.example/x/2?print=1", "http://a.example/x", None),
        ("mailto:x@a.example", "http://a.example/x", None),
    ],
)
def test_an_address_tells_the_number_of_a_page(url: str, first: str, number: int | None) -> None:
    assert page_number(url, first) == number


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://a.example/x", True),
        ("http://a.example/x?page=1", True),
        ("http://a.example/x?page=2", False),
        ("http://a.example/x/page/2/", False),
        ("http://a.example/x-p3.html", False),
        ("http://a.example/top-10", True),
        ("http://a.example/x?id=2", True),
        ("http://a.example/?p=4711", True),
        (f"http://a.example/?page={'9' * 5000}", True),
    ],
)
def test_an_address_tells_whether_a_page_is_the_first(url: str, expected: bool) -> None:
    assert is_first(url) is expected


@pytest.mark.parametrize(
    "address",
    ["http://[/2", "http://a.example:99999/bridge/2", "http://a.example:x/bridge/2", "ftp://a.example/bridge/on"],
)
def test_what_is_no_address_of_a_page_is_passed_over(address: str) -> None:
    links = f'<a href="{address}">x</a><link rel="next" href="{address}"><a href="/bridge/2">2</a>'
    response = HtmlResponse("http://a.example/bridge", body=links, encoding="utf-8")
    assert next_page(response, response.url, 2) == "http://a.example/bridge/2"
    alone = HtmlResponse("http://a.example/bridge", body=links.replace('/bridge/2">2', ""), encoding="utf-8")
    assert next_page(alone, alone.url, 2) is None


class LinkSpider(PageSpider):
    """Yields an item for each page, and follows all its links."""

    name = "following"

    def parse(self, response: Response) -> Iterator[Any]:
        self.seen.append(path_of(response.url))
        yield {"url": response.url, "from": "first"}
        for link in response.xpath("//a/@href").getall():
            if "bridge" in link:
                yield response.follow(link)
        yield {"url": response.url, "from": "second"}


class LinksFirstSpider(LinkSpider):
    """Follows the links before it yields its items."""

    name = "links_first"

    def parse(self, response: Response) -> Iterator[Any]:
        results = list(super().parse(response))
        yield from sorted(results, key=lambda each: not isinstance(each, Request))


class StoredLinkSpider(LinkSpider):
    """Its requests have no errback."""

    name = "stored_links"

    async def start(self) -> AsyncIterator[Any]:
        for url in self.urls:
            yield Request(url)


class HoldingSpider(PageSpider):
    """Its items hold their responses; notes how many of these are left at the end."""

    name = "holding"

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.responses: WeakSet[Response] = WeakSet()

    def parse(self, response: Response) -> Iterator[Any]:
        self.responses.add(response)
        yield {"url": response.url, "holds": response}

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> HoldingSpider:
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.count, signals.spider_closed)
        return spider

    def count(self) -> None:
        gc.collect()
        self.seen = [len(self.responses)]


class UnstoredSpider(StoredLinkSpider):
    """Its items hold what cannot be pickled."""

    name = "unstored"

    def parse(self, response: Response) -> Iterator[Any]:
        for each in super().parse(response):
            yield each if isinstance(each, Request) else {**each, "holds": memoryview(b"")}


class Releasing:
    """Passes on a copy of each item without what cannot be pickled."""

    def process_item(self, item: Any) -> Any:
        return {name: value for name, value in item.items() if name != "holds"}


class PostSpider(PageSpider):
    """Finds the article with a form."""

    name = "post"

    async def start(self) -> AsyncIterator[Any]:
        for url in self.urls:
            yield Request(url, method="POST", body="q=bridge")


class AsyncSpider(PageSpider):
    name = "asynchronous"

    async def parse(self, response: Response) -> AsyncIterator[Any]:  # type: ignore[override]
        yield {"url": response.url}


class RaisingSpider(PageSpider):
    name = "raising"

    def parse(self, response: Response) -> Iterator[Any]:
        yield {"url": response.url}
        raise ValueError("after the item")


TEASERS = ("The ferry has a new captain", "What the market costs this year", "A school that floats on the river")
#: Its second page is none of the article; its third is asked for by the callback alone.
NEWS = article(["/bridge", "/bridge?page=2", "/bridge?page=3"]).pages
NEWS["/bridge?page=2"] = NEWS["/bridge?page=2"].replace(
    "<h1>",
    "".join(f'<h2><a href="/n/{n}">{teaser}, and more of it</a></h2>' for n, teaser in enumerate(TEASERS)) + "<h1>",
)
FAILING: dict[str, Answer | str] = {**THREE.pages, "/bridge/3": Answer("<p>Gone", status=410)}
POOR = {**THREE.pages, "/bridge/2": html("The bridge that grows – The Averley Courier", "")}


@pytest.fixture(scope="module")
def results() -> Iterator[dict[str, Result]]:
    empty = Site({**THREE.pages, "/bridge": ""})
    with (
        Site(NEWS) as news,
        Site(THREE.pages) as site,
        Site(FAILING) as failing,
        Site(POOR) as poor,
        empty as shell,
        ExitStack() as stack,
    ):
        one = {"urls": site.urls("/bridge")}
        # A proxy is asked for whole addresses.
        proxy = stack.enter_context(Site({shell.url(path): answer for path, answer in THREE.pages.items()}))
        again = {**JOIN, "JUSTEXT_RETRY_META": {"proxy": proxy.url("")}}
        again["JUSTEXT_FIELDS"] = {"pages": "pages", "fetched": "fetched"}
        yield crawl(
            {
                "off": Crawl(PageSpider, one, {"JUSTEXT_FIELDS": {"pages": "pages"}}),
                "joined": Crawl(PageSpider, one, JOIN),
                "asynchronous": Crawl(AsyncSpider, one, JOIN),
                "raising": Crawl(RaisingSpider, one, JOIN, problems=["Spider error processing"]),
                "limit": Crawl(PageSpider, one, {**JOIN, "JUSTEXT_JOIN_PAGES": 2}),
                "one": Crawl(PageSpider, one, {**JOIN, "JUSTEXT_JOIN_PAGES": 1}),
                "request": Crawl(PageSpider, {**one, "meta": {"/bridge": {"justext": {"join_pages": 3}}}}),
                "followed": Crawl(LinkSpider, one, JOIN),
                "links first": Crawl(LinksFirstSpider, one, JOIN),
                "links first, not joined": Crawl(
                    LinksFirstSpider, one, {**JOIN, "JUSTEXT_ITEM_CLASSES": ["tests.crawl.items.ScrapyItem"]}
                ),
                "followed to the limit": Crawl(LinkSpider, one, {**JOIN, "JUSTEXT_JOIN_PAGES": 2}),
                "followed, failing": Crawl(
                    LinkSpider, {"urls": failing.urls("/bridge")}, {**JOIN, "HTTPERROR_ALLOW_ALL": True}
                ),
                "followed listing": Crawl(LinkSpider, {"urls": news.urls("/bridge")}, JOIN),
                "post": Crawl(PostSpider, one, JOIN),
                "again": Crawl(PageSpider, {"urls": shell.urls("/bridge")}, again),
                "callback": Crawl(LinkSpider, one, {**JOIN, "JUSTEXT_JOIN_CALLBACK": True}),
                "depth": Crawl(PageSpider, one, {**JOIN, "DEPTH_LIMIT": 1}),
                "processes": Crawl(PageSpider, one, {**JOIN, "JUSTEXT_PROCESSES": 1}),
                "site memory": Crawl(
                    PageSpider, one, {**JOIN, "JUSTEXT_SITE_MEMORY": True, "JUSTEXT_SITE_MEMORY_LOOK": "hold"}
                ),
                "failing": Crawl(PageSpider, {"urls": failing.urls("/bridge")}, JOIN),
                "dropped": Crawl(PageSpider, {"urls": poor.urls("/bridge")}, {**JOIN, "JUSTEXT_DROP": "response"}),
                "closed": Crawl(PageSpider, one, {**JOIN, "CLOSESPIDER_PAGECOUNT": 1, "CONCURRENT_REQUESTS": 1}),
            }
        )


@pytest.mark.parametrize("name", ["joined", "asynchronous", "depth", "processes", "site memory"])
def test_an_item_gets_the_text_of_all_pages(results: dict[str, Result], name: str) -> None:
    result = results[name]
    (item,) = result.items
    assert item["text"] == WHOLE
    assert [(path_of(page["url"]), page["error"]) for page in item["pages"]] == [(path, None) for path in THREE.pages]
    assert sum(page["blocks"] for page in item["pages"]) == len(item["blocks"])
    assert [block["index"] for block in item["blocks"]] == list(range(len(item["blocks"])))
    counts = {key: value for key, value in result.justext.items() if key.startswith("join/")}
    assert counts == {"join/requests": 2, "join/pages": 2, "join/articles": 1}
    assert result.justext["pages"] == 3


def test_blocks_name_their_page(results: dict[str, Result]) -> None:
    (item,) = results["joined"].items
    urls = {block["text"]: path_of(block["page_url"]) for block in item["blocks"]}
    assert [urls[text(n)] for n in (1, 2, 3)] == list(THREE.pages)
    (alone,) = results["off"].items
    assert "page_url" not in alone["blocks"][0]


@pytest.mark.parametrize("name", ["off", "one"])
def test_pages_stay_apart_unless_asked_for(results: dict[str, Result], name: str) -> None:
    (item,) = results[name].items
    assert item["text"].endswith(text(1))
    assert item["pages"] == []
    assert results[name].stats["downloader/request_count"] == 1


def test_a_request_can_ask_for_it(results: dict[str, Result]) -> None:
    (item,) = results["request"].items
    assert item["text"] == WHOLE


def test_the_most_pages_are_as_many_as_allowed(results: dict[str, Result]) -> None:
    (item,) = results["limit"].items
    assert item["text"].endswith(text(2))
    assert len(item["pages"]) == 2


def test_all_items_of_the_first_page_get_the_text_and_its_links_to_the_others_are_left(
    results: dict[str, Result],
) -> None:
    result = results["followed"]
    assert [(item["from"], item["text"]) for item in result.items] == [("first", WHOLE), ("second", WHOLE)]
    assert result.seen == ["/bridge"]
    assert result.justext["join/requests_left_out"] == 2


def test_links_to_the_others_are_left_though_they_come_before_the_items(results: dict[str, Result]) -> None:
    result = results["links first"]
    assert [(item["from"], item["text"]) for item in result.items] == [("first", WHOLE), ("second", WHOLE)]
    assert result.seen == ["/bridge"]
    assert result.justext["join/requests_left_out"] == 2


def test_links_to_the_others_are_followed_where_nothing_is_joined(results: dict[str, Result]) -> None:
    result = results["links first, not joined"]
    assert sorted(result.seen) == list(THREE.pages)
    assert "join/requests_left_out" not in result.justext


def test_links_to_pages_behind_the_last_that_is_joined_are_followed(results: dict[str, Result]) -> None:
    result = results["followed to the limit"]
    # The callback of the third page follows its own link to the second.
    assert result.seen == ["/bridge", "/bridge/3", "/bridge/2"]
    assert result.justext["join/requests_left_out"] == 1


def test_a_link_to_a_page_that_failed_is_followed(results: dict[str, Result]) -> None:
    assert results["followed, failing"].seen == ["/bridge", "/bridge/3"]


def test_links_are_followed_where_what_was_asked_for_is_no_page_of_the_article(results: dict[str, Result]) -> None:
    result = results["followed listing"]
    assert sorted(result.seen) == list(NEWS)
    assert result.justext["join/other_pages"] == 1
    assert "join/requests_left_out" not in result.justext


def test_following_pages_are_links_whatever_the_first_was_sent(results: dict[str, Result]) -> None:
    (item,) = results["post"].items
    assert item["text"] == WHOLE
    assert results["post"].stats["downloader/request_method_count/GET"] == 2


def test_an_article_tells_that_its_first_page_came_again(results: dict[str, Result]) -> None:
    (item,) = results["again"].items
    assert (item["text"], item["fetched"]) == (WHOLE, "again")


def test_callbacks_get_the_following_pages_where_the_spider_asks(results: dict[str, Result]) -> None:
    result = results["callback"]
    assert sorted(set(result.seen)) == list(THREE.pages)
    whole = [item for item in result.items if item["text"] == WHOLE]
    assert len(whole) == 2
    assert len(result.items) > 2


def test_what_a_callback_gave_before_it_raised_is_joined(results: dict[str, Result]) -> None:
    (item,) = results["raising"].items
    assert item["text"] == WHOLE


def test_a_page_that_fails_leaves_what_there_is(results: dict[str, Result]) -> None:
    (item,) = results["failing"].items
    assert item["text"].endswith(text(2))
    assert [page["error"] for page in item["pages"]] == [None, None, "HTTP status 410 Gone"]
    assert results["failing"].justext["join/pages_missing"] == 1


def test_a_page_without_good_content_ends_the_article(results: dict[str, Result]) -> None:
    (item,) = results["dropped"].items
    assert item["text"].endswith(text(1))
    assert item["pages"][1]["error"].startswith("no good content")


def test_a_crawl_that_ends_sends_on_what_waits(results: dict[str, Result]) -> None:
    (item,) = results["closed"].items
    assert item["text"].endswith(text(1))
    assert item["pages"][1]["error"] == "the crawl ended before"


def articles(count: int) -> dict[str, str]:
    return {
        path: page
        for n in range(count)
        for path, page in article([f"/n{n}/bridge", f"/n{n}/bridge/2", f"/n{n}/bridge/3"]).pages.items()
    }


COUNT = 5


@pytest.mark.full
def test_a_crawl_that_is_stopped_and_resumed_gives_each_article_once(tmp_path: Path) -> None:
    settings = {**JOIN, "JOBDIR": str(tmp_path / "job"), "CONCURRENT_REQUESTS": 1}
    with Site(articles(COUNT)) as site:
        arguments = {"urls": site.urls(*(f"/n{n}/bridge" for n in range(COUNT)))}
        crawls = {
            "first": Crawl(StoredSpider, arguments, {**settings, "CLOSESPIDER_PAGECOUNT": 5}),
            "second": Crawl(StoredSpider, {"urls": []}, settings),
        }
        results = {name: crawl({name: one})[name] for name, one in crawls.items()}
    items = [item for result in results.values() for item in result.items]
    assert sorted(item["url"] for item in items) == sorted(arguments["urls"])
    assert {item["text"] for item in items} == {WHOLE}
    assert len(results["second"].items) > 0


def test_a_queue_stores_the_links_as_well(tmp_path: Path) -> None:
    settings = {**JOIN, "JUSTEXT_JOIN_PAGES": 2, "JOBDIR": str(tmp_path / "job"), "CONCURRENT_REQUESTS": 1}
    with Site(THREE.pages) as site:
        one = {"urls": site.urls("/bridge")}
        first = crawl_one(StoredLinkSpider, one, settings={**settings, "CLOSESPIDER_PAGECOUNT": 1})
        second = crawl_one(StoredLinkSpider, {}, settings=settings)
    assert (first.seen, second.seen[0]) == (["/bridge"], "/bridge/3")
    assert sum(path_of(item["url"]) == "/bridge" and item["text"].endswith(text(2)) for item in second.items) == 2


def test_items_that_cannot_be_stored_go_on_alone(tmp_path: Path) -> None:
    pipelines = {"tests.crawl.test_joining.Releasing": 900}
    settings = {**JOIN, "JOBDIR": str(tmp_path / "job"), "ITEM_PIPELINES": pipelines}
    with Site(THREE.pages) as site:
        result = crawl_one(UnstoredSpider, {"urls": site.urls("/bridge")}, settings=settings)
    assert sorted(result.seen) == list(THREE.pages)
    assert result.justext["join/not_stored"] == 1
    assert "join/requests" not in result.justext
    texts = [item["text"] for item in result.items]
    assert len(texts) == 6
    assert all(sum(each.endswith(text(n)) for each in texts) == 2 for n in (1, 2, 3))


class StoredSpider(PageSpider):
    """Its requests have no errback, and start once."""

    name = "stored"

    async def start(self) -> AsyncIterator[Any]:
        for url in self.urls:
            yield Request(url)

    def parse(self, response: Response) -> Iterator[Any]:
        yield {"url": response.url}


KILLED = """
from scrapy import Request, Spider

class Killed(Spider):
    name = "killed"
    custom_settings = {
        "ADDONS": {"scrapy_justext.Addon": 500}, "JUSTEXT_LANGUAGE": "English", "JUSTEXT_JOIN_PAGES": 10,
        "TELNETCONSOLE_ENABLED": False, "RETRY_ENABLED": False, "LOG_LEVEL": "WARNING",
    }
    url = ""
    async def start(self):
        if self.url:
            yield Request(self.url)
    def parse(self, response):
        yield {"url": response.url}
"""


def test_an_article_that_was_open_when_a_crawl_was_killed_is_fetched_again(tmp_path: Path) -> None:
    (tmp_path / "killed.py").write_text(KILLED, "utf-8")
    is_slow = [True]

    def before(path: str, _: str) -> None:
        if path == "/bridge/3" and is_slow[0]:
            time.sleep(SECONDS)

    options = ["runspider", "killed.py", "-s", "JOBDIR=job"]
    with Site(THREE.pages, before) as site:
        process = start(*options, "-O", "first.jsonl", "-a", f"url={site.url('/bridge')}", folder=tmp_path)
        begun = time.monotonic()
        while not site.requests["/bridge/3"]:
            assert time.monotonic() - begun < SECONDS
            time.sleep(0.05)
        process.kill()
        process.communicate(timeout=SECONDS)
        is_slow[0] = False
        done = command(*options, "-O", "second.jsonl", folder=tmp_path)
        assert done.returncode == 0, done.stderr
    (item,) = map(json.loads, (tmp_path / "second.jsonl").read_text("utf-8").splitlines())
    assert item["text"] == WHOLE
    first = tmp_path / "first.jsonl"
    assert not first.exists() or not first.read_text("utf-8")


def test_a_journal_keeps_what_was_not_begun_anew_and_passes_over_what_it_cannot_read(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    spider = StoredSpider()
    Journal(tmp_path).add("one", Request("http://a.example/bridge"), spider)
    (tmp_path / "broken").write_bytes(b"x")
    for _ in range(2):
        journal = Journal(tmp_path)
        (request,) = journal.open(spider)
        assert request.url == "http://a.example/bridge"
        assert request.dont_filter
        assert journal.killed == {"one"}
        assert "broken" in caplog.text
        caplog.clear()
    journal.begin_anew(request)
    assert Journal(tmp_path).open(spider) == []


def test_items_that_hold_their_responses_are_let_go() -> None:
    settings = {**JOIN, "ITEM_PIPELINES": {"tests.crawl.test_joining.Releasing": 900}, "CONCURRENT_REQUESTS": 1}
    with Site(articles(COUNT)) as site:
        urls = site.urls(*(f"/n{n}/bridge" for n in range(COUNT)))
        result = crawl_one(HoldingSpider, {"urls": urls}, settings=settings)
    assert len(result.items) == COUNT
    # Scrapy may still have its hands on the last.
    assert result.seen[0] <= 1


def test_an_article_that_is_fetched_again_is_noted_once(tmp_path: Path) -> None:
    job = tmp_path / "job"
    settings = {**JOIN, "JOBDIR": str(job)}
    with Site(THREE.pages) as site:
        (job / FOLDER).mkdir(parents=True)
        Journal(job / FOLDER).add("one", Request(site.url("/bridge")), StoredSpider())
        result = crawl_one(StoredSpider, {}, settings=settings)
    assert [item["text"] for item in result.items] == [WHOLE]
    assert [path.name for path in (job / FOLDER).iterdir()] == [ENDED]


def test_a_feed_of_parquet_has_the_pages(tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    feed = tmp_path / "items.parquet"
    fields = {"pages": "pages", "fetched": "fetched"}
    settings = {**JOIN, "JUSTEXT_FIELDS": fields, "FEEDS": {str(feed): {"format": "parquet"}}}
    with Site(THREE.pages) as site:
        crawl_one(PageSpider, {"urls": site.urls("/bridge")}, settings=settings)
    (row,) = pq.read_table(feed).to_pylist()
    assert row["other_fields"] is None
    assert [page["blocks"] for page in row["pages"]] == [page["blocks"] for page in row["pages"] if not page["error"]]
    assert {path_of(block["page_url"]) for block in row["blocks"]} == set(THREE.pages)
    assert row["fetched"] == "first"


@pytest.mark.full
@needs_redis
def test_another_worker_goes_on_with_an_article_from_a_shared_queue(tmp_path: Path) -> None:
    """The first worker asks for one page; what waits for the others is in Redis."""
    pytest.importorskip("scrapy_redis", reason="scrapy-redis is not installed")
    (tmp_path / "killed.py").write_text(KILLED, "utf-8")
    shared = {
        "SCHEDULER": "scrapy_redis.scheduler.Scheduler",
        "DUPEFILTER_CLASS": "scrapy_redis.dupefilter.RFPDupeFilter",
        "SCHEDULER_PERSIST": "1",
        "CONCURRENT_REQUESTS": "1",
        "LOG_LEVEL": "ERROR",
    }
    with RedisServer(tmp_path) as redis, Site(THREE.pages) as site:
        options = [f"{name}={value}" for name, value in {**shared, "REDIS_URL": redis.url}.items()]
        run = ["runspider", "killed.py", *(word for option in options for word in ("-s", option))]
        workers = {"first": ["-a", f"url={site.url('/bridge')}", "-s", "CLOSESPIDER_PAGECOUNT=1"], "second": []}
        for name, more in workers.items():
            # scrapy-redis makes Scrapy warn.
            process = start(*run, *more, "-O", f"{name}.jsonl", folder=tmp_path, on_warning="ignore")
            _, log = process.communicate(timeout=SECONDS)
            assert process.returncode == 0, log
        assert site.requests.total() == len(THREE.pages)
    first, second = ((tmp_path / f"{name}.jsonl").read_text("utf-8").splitlines() for name in workers)
    assert first == []
    (item,) = map(json.loads, second)
    assert item["text"] == WHOLE
