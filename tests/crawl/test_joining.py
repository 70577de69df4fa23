"""Articles of several pages."""

import gc
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any
from weakref import WeakSet

import pytest
from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse, Response

from scrapy_justext import extract
from scrapy_justext.crawl.parts.following_pages import is_first, next_page, page_number
from scrapy_justext.crawl.parts.joining import ENDED, FOLDER, MOST_IN_VAIN, Journal, join_pages
from tests.builders import wait_until
from tests.crawl.articles import SENTENCES, SHAPES, Shape, article, html, text
from tests.crawl.crawling import SECONDS, Crawl, Results, command, crawl, crawl_one, read_lines, start, write_spider
from tests.crawl.server import Answer, Site, path_of
from tests.crawl.spiders import PageSpider
from tests.redis_server import RedisServer, needs_redis

pytestmark = pytest.mark.full

JOIN = {"JUSTEXT_JOIN_PAGES": 10, "JUSTEXT_FIELDS": {"pages": "pages", "paragraphs": "paragraphs"}}


def three(first: str) -> Shape:
    """An article of three pages."""
    return article([first, f"{first}/2", f"{first}/3"])


THREE = three("/bridge")
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


def test_an_article_is_cut_if_a_page_of_it_is() -> None:
    article, _ = join_pages([extract("<p>one"), replace(extract("<p>two"), is_cut=True)])
    assert article.is_cut


class LinkSpider(PageSpider):
    """Yields an item for each page, follows its links to pages of articles, and yields another item."""

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
        yield from sorted(super().parse(response), key=lambda result: not isinstance(result, Request))


class WithoutErrback(PageSpider):
    """Its requests have no errback."""

    name = "stored"

    async def start(self) -> AsyncIterator[Any]:
        for url in self.urls:
            yield Request(url)


class StoredLinkSpider(WithoutErrback, LinkSpider):
    name = "stored_links"


class UnstoredSpider(StoredLinkSpider):
    """Its items hold what cannot be pickled."""

    name = "unstored"

    def parse(self, response: Response) -> Iterator[Any]:
        for result in super().parse(response):
            yield result if isinstance(result, Request) else {**result, "holds": memoryview(b"")}


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
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> "HoldingSpider":
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.count, signals.spider_closed)
        return spider

    def count(self) -> None:
        gc.collect()
        self.seen = [len(self.responses)]


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
COUNT = 5
FIRST_PAGES = [f"/n{n}/bridge" for n in range(COUNT)]
SITES: dict[str, dict[str, Answer | str]] = {
    "whole": {**THREE.pages},
    "failing": {**THREE.pages, "/bridge/3": Answer("<p>Gone", status=410)},
    "poor": {**THREE.pages, "/bridge/2": html("The bridge that grows – The Averley Courier", "")},
    "news": {**NEWS},
    "shell": {**THREE.pages, "/bridge": ""},
    "many": {path: page for first in FIRST_PAGES for path, page in three(first).pages.items()},
    "vain": {
        f"/n{n}{path}": page.replace('"/bridge', f'"/n{n}/bridge')
        for n in range(MOST_IN_VAIN + 2)
        for path, page in NEWS.items()
    },
}
IN_TURN = {"CONCURRENT_REQUESTS": 1}
RELEASING = {"ITEM_PIPELINES": {Releasing: 900}}
NOT_JOINED = {"JUSTEXT_ITEM_CLASSES": ["tests.crawl.items.ScrapyItem"]}
HOLD = {"JUSTEXT_SITE_MEMORY": True, "JUSTEXT_SITE_MEMORY_LOOK": "hold"}
#: Crawls from the first page of an article: the spider, the site, the settings beside JOIN.
CRAWLS: dict[str, tuple[type[PageSpider], str, dict[str, Any]]] = {
    "off": (PageSpider, "whole", {"JUSTEXT_JOIN_PAGES": None}),
    "one": (PageSpider, "whole", {"JUSTEXT_JOIN_PAGES": 1}),
    "joined": (PageSpider, "whole", {}),
    "asynchronous": (AsyncSpider, "whole", {}),
    "raising": (RaisingSpider, "whole", {}),
    "request": (PageSpider, "whole", {"JUSTEXT_JOIN_PAGES": None}),
    "post": (PostSpider, "whole", {}),
    "depth": (PageSpider, "whole", {"DEPTH_LIMIT": 1}),
    "processes": (PageSpider, "whole", {"JUSTEXT_PROCESSES": 1}),
    "site memory": (PageSpider, "whole", HOLD),
    "limit": (PageSpider, "whole", {"JUSTEXT_JOIN_PAGES": 2}),
    "failing": (PageSpider, "failing", {}),
    "dropped": (PageSpider, "poor", {"JUSTEXT_DROP": "response"}),
    "closed": (PageSpider, "whole", {"CLOSESPIDER_PAGECOUNT": 1, **IN_TURN}),
    "followed": (LinkSpider, "whole", {}),
    "links first": (LinksFirstSpider, "whole", {}),
    "links first, not joined": (LinksFirstSpider, "whole", NOT_JOINED),
    "followed to the limit": (LinkSpider, "whole", {"JUSTEXT_JOIN_PAGES": 2}),
    "followed, failing": (LinkSpider, "failing", {"HTTPERROR_ALLOW_ALL": True}),
    "followed listing": (LinkSpider, "news", {}),
    "callback": (LinkSpider, "whole", {"JUSTEXT_JOIN_CALLBACK": True}),
}


@pytest.fixture(scope="module")
def sites() -> Iterator[dict[str, Site]]:
    with ExitStack() as stack:
        yield {name: stack.enter_context(Site(answers)) for name, answers in SITES.items()}


@pytest.fixture(scope="module")
def results(sites: dict[str, Site], folder: Path) -> Iterator[Results]:
    asked = {"request": {"meta": {"/bridge": {"justext": {"join_pages": 3}}}}}
    crawls = {
        name: Crawl(
            spider,
            {"urls": sites[site].urls("/bridge"), **asked.get(name, {})},
            {**JOIN, **settings},
            problems=["Spider error processing"] if name == "raising" else [],
        )
        for name, (spider, site, settings) in CRAWLS.items()
    }
    first = {"urls": sites["whole"].urls("/bridge")}
    many = {"urls": sites["many"].urls(*FIRST_PAGES)}
    shell, fetched = sites["shell"], {"JUSTEXT_FIELDS": {"pages": "pages", "fetched": "fetched"}}

    def stored(name: str, **more: Any) -> dict[str, Any]:
        return {**JOIN, **IN_TURN, "JOBDIR": str(folder / name), **more}

    (folder / "open" / FOLDER).mkdir(parents=True)
    Journal(folder / "open" / FOLDER).add("one", Request(first["urls"][0]), WithoutErrback())
    # A proxy is asked for whole addresses.
    with Site({shell.url(path): answer for path, answer in THREE.pages.items()}) as proxy:
        retrying = {**JOIN, **fetched, "JUSTEXT_RETRY_META": {"proxy": proxy.url("")}}
        feed = {**JOIN, **fetched, "FEEDS": {str(folder / "items.parquet"): {"format": "parquet"}}}
        yield crawl(
            {
                **crawls,
                "again": Crawl(PageSpider, {"urls": shell.urls("/bridge")}, retrying),
                "holding": Crawl(HoldingSpider, many, {**JOIN, **RELEASING, **IN_TURN}),
                "unstored": Crawl(
                    UnstoredSpider, first, stored("unstored", **RELEASING), problems=[r"/bridge: .* cannot be pickled"]
                ),
                "unstored, many": Crawl(
                    UnstoredSpider, many, stored("unstored, many", **RELEASING), problems=["cannot be pickled"]
                ),
                "in vain": Crawl(
                    PageSpider, {"urls": sites["vain"].urls(*list(SITES["vain"])[::3])}, {**JOIN, **IN_TURN}
                ),
                "stopped": Crawl(WithoutErrback, many, stored("job", CLOSESPIDER_PAGECOUNT=5)),
                "resumed": Crawl(WithoutErrback, {}, stored("job")),
                "links stored": Crawl(
                    StoredLinkSpider, first, stored("links", JUSTEXT_JOIN_PAGES=2, CLOSESPIDER_PAGECOUNT=1)
                ),
                "links resumed": Crawl(StoredLinkSpider, {}, stored("links", JUSTEXT_JOIN_PAGES=2)),
                "open": Crawl(WithoutErrback, {}, stored("open")),
                "parquet": Crawl(PageSpider, first, feed),
            }
        )


WAYS = ["joined", "asynchronous", "raising", "request", "post", "depth", "processes", "site memory", "again"]


@pytest.mark.parametrize("name", WAYS)
def test_an_item_gets_the_text_of_all_pages(results: Results, name: str) -> None:
    result = results[name]
    (item,) = result.items
    assert item["text"] == WHOLE
    assert [(path_of(page["url"]), page["error"]) for page in item["pages"]] == [(path, None) for path in THREE.pages]
    assert sum(page["blocks"] for page in item["pages"]) == len(item["blocks"])
    assert [block["index"] for block in item["blocks"]] == list(range(len(item["blocks"])))
    assert result.counts("join/") == {"requests": 2, "pages": 2, "articles": 1}
    assert result.justext["pages"] == 3
    # The following pages are links, whatever the first was sent.
    assert result.stats["downloader/request_method_count/GET"] >= 2


def test_an_article_tells_that_its_first_page_came_again_and_blocks_name_their_page(results: Results) -> None:
    assert [item["fetched"] for item in results["again"].items] == ["again"]
    (item,) = results["joined"].items
    urls = {block["text"]: path_of(block["page_url"]) for block in item["blocks"]}
    assert [urls[text(n)] for n in (1, 2, 3)] == list(THREE.pages)
    assert "page_url" not in results["off"].items[0]["blocks"][0]


#: The last page whose text an item has, and how the errors of the pages that are named begin.
PARTS: dict[str, tuple[int, list[str]]] = {
    "off": (1, []),
    "one": (1, []),
    "limit": (2, ["", ""]),
    "failing": (2, ["", "", "HTTP status 410 Gone"]),
    "dropped": (1, ["", "no good content"]),
    "closed": (1, ["", "the crawl ended before"]),
}


@pytest.mark.parametrize("name", PARTS)
def test_an_item_gets_the_text_of_the_pages_that_are_there(results: Results, name: str) -> None:
    last, errors = PARTS[name]
    (item,) = results[name].items
    assert item["text"].endswith(text(last))
    assert [(page["error"] or "")[: len(error)] for page, error in zip(item["pages"], errors, strict=True)] == errors
    assert results[name].justext.get("join/pages_missing", 0) == sum(map(bool, errors))
    assert (results[name].stats["downloader/request_count"] == 1) is (name in ("off", "one", "closed"))


#: Whose callbacks run where the first page's links to the others: all pages, in order; the requests that are left out.
LINKS: dict[str, tuple[list[str], int]] = {
    "followed": (["/bridge"], 2),
    "links first": (["/bridge"], 2),
    "links first, not joined": (list(THREE.pages), 0),
    # The callback of the third page follows its own link to the second.
    "followed to the limit": (list(THREE.pages), 1),
    "followed, failing": (["/bridge", "/bridge/3"], 1),
    "followed listing": (list(NEWS), 0),
}


@pytest.mark.parametrize("name", LINKS)
def test_links_to_pages_that_are_joined_are_left_and_no_others(results: Results, name: str) -> None:
    result, (paths, left_out) = results[name], LINKS[name]
    assert sorted(result.seen) == paths
    assert result.justext.get("join/requests_left_out", 0) == left_out
    assert result.justext.get("join/other_pages", 0) == (name == "followed listing")
    if paths == ["/bridge"]:
        assert [(item["from"], item["text"]) for item in result.items] == [("first", WHOLE), ("second", WHOLE)]


def test_callbacks_get_the_following_pages_where_the_spider_asks(results: Results) -> None:
    result = results["callback"]
    assert sorted(set(result.seen)) == list(THREE.pages)
    assert [item["text"] == WHOLE for item in result.items].count(True) == 2 < len(result.items)


def test_a_crawl_that_is_stopped_and_resumed_gives_each_article_once(results: Results, sites: dict[str, Site]) -> None:
    items = [*results["stopped"].items, *results["resumed"].items]
    assert sorted(item["url"] for item in items) == sites["many"].urls(*FIRST_PAGES)
    assert {item["text"] for item in items} == {WHOLE}
    assert len(results["resumed"].items) > 0


def test_a_queue_stores_the_links_as_well(results: Results) -> None:
    first, second = results["links stored"], results["links resumed"]
    assert (first.seen, second.seen[0]) == (["/bridge"], "/bridge/3")
    assert sum(path_of(item["url"]) == "/bridge" and item["text"].endswith(text(2)) for item in second.items) == 2


def test_items_that_cannot_be_stored_go_on_alone(results: Results) -> None:
    result = results["unstored"]
    assert sorted(result.seen) == list(THREE.pages)
    assert result.justext["join/not_stored"] == 1
    assert "join/requests" not in result.justext
    ends = [n for item in result.items for n in (1, 2, 3) if item["text"].endswith(text(n))]
    assert sorted(ends) == [1, 1, 2, 2, 3, 3]


def test_the_log_names_one_article_that_cannot_be_stored(results: Results) -> None:
    result = results["unstored, many"]
    assert (result.justext["join/not_stored"], len(result.problems)) == (COUNT, 1)


def test_a_site_without_articles_is_asked_so_often_and_no_more(results: Results) -> None:
    assert results["in vain"].counts("join/") == {
        "requests": MOST_IN_VAIN, "other_pages": MOST_IN_VAIN, "single_pages": MOST_IN_VAIN
    }  # fmt: skip


def test_items_that_hold_their_responses_are_let_go(results: Results) -> None:
    assert len(results["holding"].items) == COUNT
    # Scrapy may still have its hands on the last.
    assert results["holding"].seen[0] <= 1


def test_an_article_that_is_fetched_again_is_noted_once(results: Results, folder: Path) -> None:
    assert [item["text"] for item in results["open"].items] == [WHOLE]
    assert [path.name for path in (folder / "open" / FOLDER).iterdir()] == [ENDED]


@pytest.mark.usefixtures("results")
def test_a_feed_of_parquet_has_the_pages(folder: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    (row,) = pq.read_table(folder / "items.parquet").to_pylist()
    assert row["other_fields"] is None
    assert [page["error"] for page in row["pages"]] == [None] * 3
    assert sum(page["blocks"] for page in row["pages"]) == len(row["blocks"])
    assert {path_of(block["page_url"]) for block in row["blocks"]} == set(THREE.pages)
    assert row["fetched"] == "first"


def test_an_article_that_was_open_when_a_crawl_was_killed_is_fetched_again(tmp_path: Path) -> None:
    is_slow = [True]

    def before(path: str, _: str) -> None:
        if path == "/bridge/3" and is_slow[0]:
            time.sleep(SECONDS)

    options = ["runspider", write_spider(tmp_path, WithoutErrback, **JOIN), "-s", "JOBDIR=job"]
    with Site(THREE.pages, before) as site:
        process = start(*options, "-O", "first.jsonl", "-a", f"urls={site.url('/bridge')}", folder=tmp_path)
        wait_until(lambda: site.requests["/bridge/3"], process)
        process.kill()
        process.communicate(timeout=SECONDS)
        is_slow[0] = False
        done = command(*options, "-O", "second.jsonl", folder=tmp_path)
        assert done.returncode == 0, done.stderr
    (item,) = read_lines(tmp_path / "second.jsonl")
    assert item["text"] == WHOLE
    first = tmp_path / "first.jsonl"
    assert not first.exists() or not first.read_text("utf-8")


def test_a_journal_keeps_what_was_not_begun_anew_and_passes_over_what_it_cannot_read(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    spider = WithoutErrback()
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


@needs_redis
def test_another_worker_goes_on_with_an_article_from_a_shared_queue(tmp_path: Path) -> None:
    """The first worker asks for one page; what waits for the others is in Redis."""
    pytest.importorskip("scrapy_redis", reason="scrapy-redis is not installed")
    with RedisServer(tmp_path) as redis, Site(THREE.pages) as site:
        own = {**JOIN, **IN_TURN, **redis.shared_queue, "SCHEDULER_PERSIST": True}
        spider = write_spider(tmp_path, WithoutErrback, **own)
        workers = {"first": ["-a", f"urls={site.url('/bridge')}", "-s", "CLOSESPIDER_PAGECOUNT=1"], "second": []}
        for name, more in workers.items():
            # scrapy-redis makes Scrapy warn.
            process = start("runspider", spider, *more, "-O", f"{name}.jsonl", folder=tmp_path, on_warning="ignore")
            _, log = process.communicate(timeout=SECONDS)
            assert process.returncode == 0, log
        assert site.requests.total() == len(THREE.pages)
    first, (item,) = (read_lines(tmp_path / f"{name}.jsonl") for name in workers)
    assert first == []
    assert item["text"] == WHOLE
