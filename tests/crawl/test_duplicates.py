"""Text that other pages of the crawl said before: what is marked, what is dropped, what is shared and kept."""

import os
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scrapy import Request
from scrapy.http import Response

from scrapy_justext import extract
from scrapy_justext.core.ngrams import ngrams_of
from scrapy_justext.crawl.parts.duplicates import table
from scrapy_justext.crawl.parts.duplicates.detection import find_repeats
from scrapy_justext.crawl.parts.duplicates.table import (
    FILE,
    LEAST_ROWS,
    MAGIC,
    PAGES_FILE,
    WAYS,
    KnownNGrams,
    LocalTable,
    SeenPage,
    rows_within,
)
from scrapy_justext.exceptions import DuplicatesError
from tests.crawl.articles import article as make_article
from tests.crawl.content import ENGLISH, MORE_ENGLISH, page
from tests.crawl.crawling import Crawl, Result, Results, crawl
from tests.crawl.server import Answer, Site, path_of, site_of
from tests.crawl.spiders import PageSpider
from tests.crawl.test_robustness import CopyingMiddleware
from tests.redis_server import RedisServer, needs_redis

pytestmark = pytest.mark.full

MILL = (
    "The mill that stands beside the river was sold to a family from the coast, who had never seen so much snow and "
    "did not know what to do with the wheel, which had not been turned since the war and was to be turned no more."
)
BAKER = (
    "When the baker came back from the south he told everybody that he had seen the sea, and that it was not as blue "
    "as they say, but there was nobody in the whole village who would have believed a word of it."
)
SCHOOL = (
    "A new teacher was to come to the school in the autumn, but by the time that the leaves were down there was still "
    "no one who wanted to live in the cold little room above the stable, which had been good enough for all of those "
    "who had come before."
)
CHINESE = (
    "春眠不覺曉處處聞啼鳥夜來風雨聲花落知多少我们在这个城市里住了很多年从来没有见过这样的大雪大家都说这是一百年来最冷的一个冬天"
    "孩子们在外面玩得很高兴但是老人们都不敢出门因为路太滑了他们害怕会摔倒在地上没有人能够帮助他们"
)
SITE: dict[str, Answer | str] = {
    "/a": page(ENGLISH, MORE_ENGLISH, title="A"),
    "/print": page(ENGLISH, MORE_ENGLISH, title="Print"),
    "/half": page(ENGLISH, MILL, BAKER, title="Half"),
    "/own": page(SCHOOL, title="Own"),
    "/moved": Answer("", status=302, headers={"Location": "/a"}),
    "/zh": page(CHINESE, lang="zh"),
    "/zh-again": page(CHINESE, lang="zh", title="2"),
}
SETTINGS = {"CONCURRENT_REQUESTS": 1, "DOWNLOAD_DELAY": 0, "JUSTEXT_LANGUAGE": ["English", "German", "Chinese"]}
MARK = {**SETTINGS, "JUSTEXT_DUPLICATES": "mark"}
DROP = {**SETTINGS, "JUSTEXT_DUPLICATES": "drop"}


class StoppingSpider(PageSpider):
    """Ends Redis when the first page comes, and asks for the others then."""

    name = "stopping"
    server: int

    def __init__(self, urls: Sequence[str], **arguments: Any) -> None:
        super().__init__(urls[:1], **arguments)
        self.others = list(urls[1:])

    def parse(self, response: Response) -> Iterator[Any]:
        if self.server:
            os.kill(self.server, signal.SIGKILL)
            self.server = 0
        yield from super().parse(response)
        while self.others:
            yield Request(self.others.pop(0))


served = site_of(SITE)
ALL = ("/a", "/print", "/half", "/own")
ASKED = {path: {"justext": {"duplicates": "drop"}} for path in ("/a", "/print")}
MEMORY = {"JUSTEXT_SITE_MEMORY": True, "JUSTEXT_SITE_MEMORY_LOOK": "end"}
MARKDOWN = {"JUSTEXT_DUPLICATES": "drop-blocks", "JUSTEXT_FIELDS": ["markdown", "html"]}
CHOICES = ("mark", "drop", "drop-blocks")
#: Settings beside SETTINGS, and the pages; further arguments of the spider.
CRAWLS: dict[str, tuple[dict[str, Any], tuple[str, ...], dict[str, Any]]] = {
    "none": ({}, ALL, {}),
    **{choice: ({"JUSTEXT_DUPLICATES": choice}, ALL, {}) for choice in CHOICES},
    "responses": ({"JUSTEXT_DUPLICATES": "drop", "JUSTEXT_DROP": "response"}, ALL, {}),
    "other way round": (MARK, ALL[::-1], {}),
    "copies": ({**MARK, "DOWNLOADER_MIDDLEWARES": {CopyingMiddleware: 100}}, ALL, {}),
    "Markdown": (MARKDOWN, ALL, {}),
    "Markdown, processes": ({**MARKDOWN, "JUSTEXT_PROCESSES": 1}, ALL, {}),
    "Markdown, site memory, processes": ({**MARKDOWN, "JUSTEXT_SITE_MEMORY": True, "JUSTEXT_PROCESSES": 1}, ALL, {}),
    "Markdown, held": ({**MARKDOWN, **MEMORY}, ALL, {}),
    "of a site": ({"JUSTEXT_SITES": {"127.0.0.1": {"duplicates": "mark"}}}, ALL, {}),
    "of requests": ({}, ALL, {"meta": ASKED}),
    "chinese": (MARK, ("/zh", "/zh-again"), {}),
    "renamed": ({**MARK, "JUSTEXT_FIELDS": {"is_duplicate": "twice", "duplicate_of": None}}, ALL, {}),
    "share": ({**MARK, "JUSTEXT_DUPLICATES_SHARE": 0.2}, ALL, {}),
}
ARTICLE = make_article(["/bridge", "/bridge/2", "/bridge/3"])


@pytest.fixture(scope="module")
def results(served: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Results]:
    crawls = {
        name: Crawl(PageSpider, {"urls": served.urls(*paths), **more}, SETTINGS | settings)
        for name, (settings, paths, more) in CRAWLS.items()
    }
    double, twice = {"urls": served.urls("/a", "/moved") * 2}, {"DUPEFILTER_CLASS": "scrapy.dupefilters.BaseDupeFilter"}
    cache = {"HTTPCACHE_ENABLED": True, "HTTPCACHE_DIR": str(tmp_path_factory.mktemp("cache"))}
    going_on = DROP | {"JOBDIR": str(tmp_path_factory.mktemp("job"))}
    with Site({**ARTICLE.pages, "/copy": ARTICLE.pages["/bridge/2"]}) as site:
        for choice in CHOICES:
            joined = {**SETTINGS, "JUSTEXT_DUPLICATES": choice, "JUSTEXT_JOIN_PAGES": 10}
            crawls[f"article, {choice}"] = Crawl(PageSpider, {"urls": site.urls("/bridge")}, joined)
            crawls[f"copied, {choice}"] = Crawl(PageSpider, {"urls": site.urls("/copy", "/bridge")}, joined)
        yield crawl(
            {
                **crawls,
                "again": Crawl(PageSpider, double, DROP | twice),
                "cached": Crawl(PageSpider, double, {**DROP, **cache, **twice}),
                "first": Crawl(PageSpider, {"urls": served.urls("/a")}, going_on),
                # The first page comes again, too, as after kill -9.
                "second": Crawl(PageSpider, {"urls": served.urls("/a", "/print", "/own")}, going_on),
            }
        )


def marked(result: Result) -> dict[str, tuple[bool, str | None]]:
    """Whether each page is a duplicate, and of which page."""
    return {
        path_of(item["url"]): (item["is_duplicate"], item["duplicate_of"] and path_of(item["duplicate_of"]))
        for item in result.items
    }


def repeated_texts(item: dict[str, Any]) -> list[str]:
    return [block["text"] for block in item["blocks"] if block["is_duplicate"]]


MARKED = {"/a": (False, None), "/print": (True, "/a"), "/half": (False, None), "/own": (False, None)}


@pytest.mark.parametrize("name", ["mark", "copies", "of a site"])
def test_a_page_that_says_what_another_said_is_marked(results: Results, name: str) -> None:
    assert marked(results[name]) == MARKED
    by_path = {path_of(item["url"]): item for item in results[name].items}
    assert repeated_texts(by_path["/print"]) == [ENGLISH, MORE_ENGLISH]
    assert repeated_texts(by_path["/half"]) == [ENGLISH]
    assert repeated_texts(by_path["/a"]) == repeated_texts(by_path["/own"]) == []
    assert by_path["/half"]["text"] == "\n\n".join([ENGLISH, MILL, BAKER])
    assert results[name].counts("duplicates/") == {"pages": 1, "blocks": 3}


#: Whether each page is a duplicate, and of which page.
IN_OTHER_CRAWLS: dict[str, dict[str, tuple[bool, str | None]]] = {
    # Whichever comes first is kept.
    "other way round": dict.fromkeys(ALL[:0:-1], (False, None)) | {"/a": (True, "/half")},
    # Texts without spaces have n-grams of characters.
    "chinese": {"/zh": (False, None), "/zh-again": (True, "/zh")},
    "share": MARKED | {"/half": (True, "/a")},
}


@pytest.mark.parametrize("name", IN_OTHER_CRAWLS)
def test_which_pages_are_duplicates(results: Results, name: str) -> None:
    assert marked(results[name]) == IN_OTHER_CRAWLS[name]


@pytest.mark.parametrize("name", ["drop", "drop-blocks"])
def test_repeated_pages_are_dropped(results: Results, name: str) -> None:
    result = results[name]
    assert result.paths == ["/a", "/half", "/own"]
    [dropped] = result.dropped
    assert dropped.exception == "RepeatedPage"
    assert dropped.message.startswith("repeated: 100% of its text is on http://127.0.0.1:")
    assert dropped.message.endswith("/a")
    assert result.justext["items_dropped_repeated"] == 1
    assert result.stats["item_dropped_reasons_count/RepeatedPage"] == 1
    # Where responses without content are dropped, so are theirs.
    assert results["responses"].justext["responses_dropped"] == 1
    assert [path for path, what in results["responses"].seen if what == "IgnoreRequest"] == ["/print"]
    # A request can ask for it.
    assert results["of requests"].paths == ["/a", "/half", "/own"]
    assert "is_duplicate" not in results["of requests"].items[1]["blocks"][0]


@pytest.mark.parametrize(("name", "removed"), [("drop", False), ("drop-blocks", True)])
def test_repeated_blocks_are_marked_and_removed_if_asked(results: Results, name: str, removed: bool) -> None:
    half = results[name].items[1]
    assert half["text"] == "\n\n".join([MILL, BAKER] if removed else [ENGLISH, MILL, BAKER])
    assert "is_duplicate" not in half
    [block] = [block for block in half["blocks"] if block["is_duplicate"]]
    assert block["text"] == ENGLISH
    assert (block["reason"] == "repeats what other pages said before") is removed
    assert (block["block_class"] == "bad") is removed


@pytest.mark.parametrize("name", [name for name in CRAWLS if name.startswith("Markdown")])
def test_documents_are_written_without_repeated_blocks(results: Results, name: str) -> None:
    result = results[name]
    texts = {"/a": [ENGLISH, MORE_ENGLISH], "/half": [MILL, BAKER], "/own": [SCHOOL]}
    assert {
        path: item["markdown"].split("\n\n") for path, item in zip(result.paths, result.items, strict=True)
    } == texts
    html = {path: "\n".join(f"<p>{text}</p>" for text in several) for path, several in texts.items()}
    assert {path: item["html"] for path, item in zip(result.paths, result.items, strict=True)} == html
    assert result.justext["pages"] == 4


@pytest.mark.parametrize("name", ["again", "cached"])
def test_a_page_that_comes_again_does_not_repeat_itself(results: Results, name: str) -> None:
    assert len(results[name].items) == 4
    assert results[name].justext["pages"] == 4
    assert "duplicates/pages" not in results[name].justext


def test_nothing_is_marked_where_nobody_asks_and_in_fields_that_are_chosen(results: Results) -> None:
    item, renamed = results["none"].items[0], results["renamed"].items[1]
    assert not {"is_duplicate", "duplicate_of"} & (item.keys() | renamed.keys())
    assert renamed["twice"] is True
    assert "is_duplicate" not in item["blocks"][0]
    assert not [name for name in results["none"].justext if name.startswith("duplicates")]


@pytest.mark.parametrize("choice", CHOICES)
def test_the_pages_of_an_article_do_not_repeat_it(results: Results, choice: str) -> None:
    alone, copied = results[f"article, {choice}"], results[f"copied, {choice}"]
    [article] = alone.items
    assert not any(block["is_duplicate"] for block in article["blocks"])
    assert article.get("is_duplicate", False) is False
    assert "duplicates/pages" not in alone.justext
    [item] = [item for item in copied.items if item["url"].endswith("/bridge")]
    # A following page that says nothing new is not joined where its blocks are bad.
    is_whole = choice != "drop-blocks"
    assert ("\n\n".join(repeated_texts(item)) in copied.texts["/copy"] and bool(repeated_texts(item))) is is_whole
    assert (item["text"] == article["text"]) is is_whole


# What outlives a crawl.


def test_a_crawl_that_goes_on_knows_what_was_said(results: Results) -> None:
    assert results["first"].paths == ["/a"]
    assert results["second"].paths == ["/own"]
    [dropped] = results["second"].dropped
    assert dropped.message.endswith("/a")


@pytest.mark.parametrize(
    ("name", "content"),
    [(FILE, b"nonsense"), (FILE, MAGIC + b"x"), (FILE, MAGIC), (PAGES_FILE, b"{"), (PAGES_FILE, b"[1]")],
)  # fmt: skip
def test_a_damaged_file_is_named(name: str, content: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DuplicatesError, match=rf"the memory of duplicates .*{name} is damaged.*delete it"):
        LocalTable(LEAST_ROWS, tmp_path)


@pytest.mark.parametrize(("words", "is_page"), [(8, False), (9, True)])
def test_a_page_of_nine_words_can_be_repeated(words: int, is_page: bool) -> None:
    store = LocalTable(LEAST_ROWS)
    text = " ".join(f"word{number}" for number in range(words))
    first, second = (extract(f"<p>{text}", language="English", keep_css="p") for _ in range(2))
    assert not find_repeats(store, first, 1, "first", 0.5).is_page
    assert find_repeats(store, second, 2, "second", 0.5).is_page is is_page


# The table.


def keys(numbers: np.random.Generator, count: int = 500) -> Any:
    return np.unique(numbers.integers(1, 1 << 40, count, dtype=np.uint64))


def visit(store: Any, number: int, url: str, ngrams: Any, announces: bool = False) -> KnownNGrams:
    known: KnownNGrams = store.visit(number, SeenPage(url, len(ngrams), b"abcdef"), ngrams, announces=announces)
    return known


def pages(count: int, seed: int = 1) -> list[Any]:
    numbers = np.random.default_rng(seed)
    return [keys(numbers) for _ in range(count)]


@pytest.mark.parametrize("in_folder", [False, True])
def test_a_table_grows_and_knows_nearly_all(in_folder: bool, tmp_path: Path) -> None:
    store = LocalTable(rows_within(64), tmp_path if in_folder else None)
    known = pages(200)
    for number, ngrams in enumerate(known):
        first = visit(store, number, f"page {number}", ngrams)
        assert (first.owners == -1).mean() > 0.999
    found = [(visit(store, 999, "again", ngrams).owners == n).mean() for n, ngrams in enumerate(known)]
    assert np.mean(found) > 0.995
    store.close()
    if in_folder:
        reopened = LocalTable(rows_within(64), tmp_path)
        assert (len(reopened), reopened.recall([7])) == (len(store), store.recall([7]))
        assert (visit(reopened, 998, "later", known[7]).owners == 7).mean() > 0.99
        assert sorted(path.name for path in tmp_path.iterdir()) == sorted([FILE, PAGES_FILE])


def test_a_full_table_keeps_a_sample_whatever_the_order() -> None:
    stores = [LocalTable(LEAST_ROWS), LocalTable(LEAST_ROWS)]
    known = list(enumerate(pages(300)))
    for store, ordered in zip(stores, (known, known[::-1]), strict=True):
        for number, ngrams in ordered:
            visit(store, number, str(number), ngrams)
    assert [len(store) for store in stores] == [LEAST_ROWS * WAYS] * 2
    for number, ngrams in known:
        for store in stores:
            sightings = visit(store, number, str(number), ngrams)
            # What is in the sample is the page's own; most of the page is not.
            assert (sightings.owners[sightings.is_known] == number).mean() > 0.99
            assert 0.1 < sightings.is_known.mean() < 0.4
    first, second = ({int(key) for key in (store._rows >> np.uint64(24)).ravel()} for store in stores)
    assert first == second


def test_a_page_that_is_no_listing_holds_it_first() -> None:
    def owners(store: Any, number: int, announces: bool) -> list[tuple[int, bool]]:
        found = visit(store, number, str(number), ngrams, announces)
        return list(set(zip(found.owners.tolist(), found.in_listings.tolist(), strict=True)))

    ngrams = pages(1)[0][:5]
    store = LocalTable(LEAST_ROWS)
    assert owners(store, 1, announces=True) == [(-1, False)]
    assert owners(store, 2, announces=True) == [(1, True)]
    assert owners(store, 3, announces=False) == [(1, True)]
    assert owners(store, 4, announces=False) == [(3, False)]
    assert owners(store, 1, announces=True) == [(3, False)]


def test_no_more_urls_than_allowed_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "MOST_PAGES", 100)
    store = LocalTable(LEAST_ROWS)
    for number in range(101):
        visit(store, number, str(number), np.empty(0, np.uint64))
    assert [page and page.url for page in store.recall([0, 1, 100])] == [None, "1", "100"]


# N-grams.


def shared(text: str, other: str) -> float:
    """The share of the n-grams of a text that another has."""
    first, second = (set(ngrams_of([part]).keys.tolist()) for part in (text, other))
    return len(first & second) / len(first)


@pytest.mark.parametrize(
    ("text", "other", "expected"),
    [
        ("One, two: three – four FIVE!", "one two three four five", 1.0),
        ("one two three four five", "one two three four six", 0.0),
        ("a b c d e f", "x a b c d e", 0.5),
        ("यह सच है कि वह आया", "यह सच है कि वह गया", 0.5),
        (CHINESE, CHINESE.replace("雪", "，雪"), 1.0),
    ],
)
def test_n_grams_are_equal_if_their_words_are(text: str, other: str, expected: float) -> None:
    assert shared(text, other) == expected


@pytest.mark.parametrize(
    ("texts", "count"),
    [([], 0), ([""], 0), (["!"], 0), (["one two three four"], 0), (["\ud800 a b c d e"], 1), (["a b c d e f", ""], 2)],
)
def test_any_text_has_n_grams_or_none(texts: Sequence[str], count: int) -> None:
    assert len(ngrams_of(texts).keys) == len(ngrams_of(texts).texts) == count


def test_n_grams_go_on_in_the_next_block() -> None:
    found = ngrams_of(["one two three", "four five six", CHINESE[:10], "seven"])
    assert found.texts.tolist() == [-1, -1, -1, 2, 2, 2]
    assert len(set(found.keys.tolist())) == 6


# Shared by workers.


@needs_redis
class TestRedis:
    @pytest.fixture
    def server(self, tmp_path: Path) -> Iterator[RedisServer]:
        with RedisServer(tmp_path) as server:
            yield server

    def test_it_knows_what_the_local_table_knows(self, server: RedisServer) -> None:
        from scrapy_justext.crawl.parts.duplicates.shared import SharedTable  # noqa: PLC0415

        lost: list[int] = []
        store = SharedTable(server.url, "pages", LEAST_ROWS, lambda: lost.append(1))
        local = LocalTable(LEAST_ROWS)
        for number, ngrams in enumerate([*pages(120), keys(np.random.default_rng(5), 5000), *pages(40)]):
            expected, found = (
                visit(table, number, f"page {number}", ngrams, number % 3 == 0) for table in (local, store)
            )
            assert (found.in_listings == expected.in_listings).all()
            assert (found.owners == expected.owners).all()
            # The local table has all the keys of a page looked up before it adds the first.
            assert (found.is_known == expected.is_known).mean() > 0.98
        assert store.recall([3, 999]) == local.recall([3, 999])
        assert lost == []
        server.stop()
        assert (visit(store, 1, "x", pages(1)[0]).owners == -1).all()
        assert (store.recall([3]), store.is_lost, lost) == ([None], True, [1])
        store.close()

    def test_workers_share_it(self, served: Site, server: RedisServer) -> None:
        settings = {**MARK, "REDIS_URL": server.url, "JUSTEXT_DUPLICATES_MEMORY": 1}
        crawls = {
            "first": Crawl(PageSpider, {"urls": served.urls("/a")}, settings),
            "second": Crawl(PageSpider, {"urls": served.urls("/a", "/print", "/half", "/own")}, settings),
        }
        results = crawl(crawls)
        assert marked(results["second"]) == MARKED
        with server.connect() as connection:
            names = sorted(connection.keys("*"))
            assert names == [f"justext:duplicates:3:pages:{name}" for name in ("order", "pages", "rows:0")]
            assert all(0 < connection.ttl(name) <= 30 * 24 * 60 * 60 for name in names)

    def test_a_crawl_goes_on_when_it_is_lost(self, served: Site, server: RedisServer) -> None:
        arguments = {"urls": served.urls("/a", "/print", "/own"), "server": server.pid}
        lost = Crawl(StoppingSpider, arguments, {**MARK, "REDIS_URL": server.url}, problems=["Redis is lost"])
        result = crawl({"one": lost})["one"]
        assert [is_duplicate for is_duplicate, _ in marked(result).values()] == [False, False, False]
        assert result.justext["duplicates/pages_without_redis"] == 2
