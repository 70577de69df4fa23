"""Site memory in a crawl: what is bad from when on, which items wait, that none is lost."""

import signal
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from tests.crawl.content import page
from tests.crawl.crawling import SECONDS, Crawl, Results, crawl, read_lines, start, write_spider
from tests.crawl.server import Site, site_of
from tests.crawl.spiders import PageSpider
from tests.crawl.template import (
    LETTERS,
    PAGES,
    PATHS,
    REPEATED,
    SETTINGS,
    SITE,
    ChainSpider,
    ClosingSpider,
    letters,
    with_repeated,
)
from tests.forked import Process
from tests.redis_server import RedisServer, needs_redis

pytestmark = pytest.mark.full

OF_A_REQUEST = {"site_memory": True, "site_memory_look": "end"}
STORE = {"ITEM_PIPELINES": {"tests.crawl.template.StoringPipeline": 300}}
STOPPING = {**STORE["ITEM_PIPELINES"], "tests.crawl.template.StoppingPipeline": 200}
BY_HAND = {
    "ADDONS": None,
    "DOWNLOADER_MIDDLEWARES": {"scrapy_justext.JustextDownloaderMiddleware": 545},
    "SPIDER_MIDDLEWARES": {"scrapy_justext.JustextSpiderMiddleware": 25},
    "ITEM_PIPELINES": {"scrapy_justext.JustextPipeline": 100, **STORE["ITEM_PIPELINES"]},
}
MARKDOWN = {"JUSTEXT_FIELDS": {"markdown": "markdown", "html": "html"}}
served = site_of({**SITE, "/only": page(REPEATED)})


def item_processor(name: str) -> dict[str, str]:
    return {"ITEM_PROCESSOR": f"tests.crawl.template.{name}"}


def settings(**own: Any) -> dict[str, Any]:
    return {**SETTINGS, **STORE, **{f"JUSTEXT_SITE_MEMORY_{name.upper()}": value for name, value in own.items()}}


@pytest.fixture(scope="module")
def results(served: Site, tmp_path_factory: pytest.TempPathFactory) -> Results:
    urls = {"urls": served.urls(*PATHS)}
    chain = {"urls": served.urls("/a")}
    only = {"urls": served.urls(*PATHS[:3], "/only", *PATHS[3:])}
    tight = {"CONCURRENT_ITEMS": 1, "SCRAPER_SLOT_MAX_ACTIVE_SIZE": 1}
    # Else the number of pages that are known to an item depends on the version of Scrapy.
    in_turn = tight | {"CONCURRENT_REQUESTS": 1}
    stopping = {"ITEM_PIPELINES": STOPPING}
    # Of all pages: the settings.
    of_all = {
        "off": {**SETTINGS, **STORE, "JUSTEXT_SITE_MEMORY": False},
        "none": settings(),
        "hold": settings(look="hold") | in_turn,
        "end": settings(look="end"),
        "few may wait": settings(look="hold", hold=2) | in_turn,
        "later pages": settings(look="hold", pages=10, share=0.95),
        "per site": SETTINGS | {"JUSTEXT_SITE_MEMORY": False, "JUSTEXT_SITES": {"127.0.0.1": {"site_memory": True}}},
        "Markdown": settings() | MARKDOWN,
        "Markdown, processes": settings() | MARKDOWN | {"JUSTEXT_PROCESSES": 1},
        "by hand": settings(look="hold") | BY_HAND,
        "own item processor": settings(look="hold") | item_processor("OwnItemProcessor"),
        "old item processor": settings(look="end") | item_processor("OldItemProcessor"),
    }
    of_requests = {"/l": {"justext": {"site_memory": False}}, "/k": {"justext": {"length_low": 5}}}
    alone = {path: {"justext": OF_A_REQUEST} for path in PATHS[2:]}
    crawls = {
        **{name: Crawl(PageSpider, urls, own) for name, own in of_all.items()},
        "few pages": Crawl(PageSpider, {"urls": served.urls(*PATHS[:3])}, settings(look="hold")),
        # A fifth page would be fetched in time or not.
        "item count": Crawl(
            PageSpider, {"urls": served.urls(*PATHS[:4])}, settings(look="hold") | {"CLOSESPIDER_PAGECOUNT": 4}
        ),
        "chain": Crawl(ChainSpider, chain, settings(look="end") | tight),
        "closing": Crawl(ClosingSpider, chain, settings(look="end")),
        "a page of nothing else": Crawl(PageSpider, only, settings(look="hold") | in_turn),
        "judged at once": Crawl(PageSpider, only, settings()),
        "per request": Crawl(PageSpider, urls | {"meta": of_requests}, settings(look="hold")),
        "closed while items are sent": Crawl(
            PageSpider, {"urls": served.urls(*PATHS[:4])}, settings(look="end") | stopping
        ),
        "of a request alone": Crawl(PageSpider, urls | {"meta": alone}, SETTINGS | {"JUSTEXT_SITE_MEMORY": False}),
    }
    going_on = settings() | {"JOBDIR": str(tmp_path_factory.mktemp("job"))}
    one_by_one = {
        "first": Crawl(PageSpider, {"urls": served.urls(*PATHS[:6])}, going_on),
        # Requests of a spider's start are made anew, and known pages count once.
        "second": Crawl(PageSpider, {"urls": served.urls(*PATHS[4:8])}, going_on),
    }
    # An idle spider that waits five seconds until Scrapy looks again does so beside the others.
    return crawl(crawls, together=True) | crawl(one_by_one)


NO_LOSS = [
    "none", "hold", "end", "chain", "few may wait", "later pages", "per site", "per request", "by hand",
    "own item processor", "old item processor",
]  # fmt: skip


@pytest.mark.parametrize("name", ["off", *NO_LOSS, "of a request alone"])
def test_every_page_has_its_item_once(results: Results, name: str) -> None:
    assert sorted(letters(results[name].items)) == list(LETTERS)
    assert results[name].stats["finish_reason"] == "finished"


@pytest.mark.parametrize(
    ("name", "pages"),
    [
        ("off", LETTERS),
        ("none", "abcd"),
        ("hold", ""),
        ("end", ""),
        ("few pages", "abc"),
        ("chain", ""),
        ("closing", "abc"),
        ("item count", "abcd"),
        ("few may wait", "cd"),
        ("later pages", ""),
        ("per site", "abcd"),
        ("by hand", ""),
        ("own item processor", ""),
        ("old item processor", ""),
        ("closed while items are sent", "abcd"),
        ("per request", "l"),
        ("of a request alone", "ab"),
    ],
)
def test_which_items_have_what_all_pages_repeat(results: Results, name: str, pages: str) -> None:
    assert with_repeated(results[name].items) == pages


def test_the_reason_says_on_how_many_pages(results: Results) -> None:
    def reasons(name: str) -> list[str]:
        blocks = [block for item in results[name].items for block in item["blocks"]]
        return [block["reason"] for block in blocks if block["text"] == REPEATED and block["block_class"] == "bad"]

    assert reasons("none") == [f"on {n} of {n} pages of this site" for n in range(5, 13)]
    # The first four wait for the fifth, and go on before it.
    assert reasons("hold") == ["on 5 of 5 pages of this site"] * 5 + reasons("none")[1:]
    assert set(reasons("end")) == {"on 12 of 12 pages of this site"}


@pytest.mark.parametrize("name", ["Markdown", "Markdown, processes"])
def test_documents_are_written_without_what_all_pages_repeat(results: Results, name: str) -> None:
    assert with_repeated(results[name].items) == "abcd"
    for item in results[name].items:
        assert [REPEATED in item[document] for document in ("text", "markdown", "html")] in ([True] * 3, [False] * 3)
        assert item["markdown"].splitlines()[-1] == item["text"].splitlines()[-1]


def test_items_keep_their_order(results: Results) -> None:
    for name in ("none", "hold", "end", "chain"):
        assert letters(results[name].items) == LETTERS


def test_nothing_is_lost_when_the_spider_is_closed(results: Results) -> None:
    assert letters(results["closing"].items) == "abc"
    assert results["closing"].stats["finish_reason"] == "third page"
    assert letters(results["item count"].items) == "abcd"
    assert results["item count"].stats["finish_reason"] == "closespider_pagecount"
    assert letters(results["closed while items are sent"].items) == "abcd"
    assert results["closed while items are sent"].stats["finish_reason"] == "a pipeline"


def test_other_pipelines_are_open_until_the_last_item(results: Results) -> None:
    for name in ("hold", "end", "closing", "item count", "by hand", "own item processor", "old item processor"):
        assert all(item["stored"] for item in results[name].items)


def test_the_item_processor_is_changed_only_where_an_item_waits(results: Results) -> None:
    for name in ("off", "none"):
        assert results[name].seen == [[]]
    assert results["hold"].seen == results["end"].seen == [["close_spider", "close_spider_async"]]
    assert results["own item processor"].seen == [["close_spider_async"]]


def test_items_are_dropped_after_the_second_look(results: Results) -> None:
    held, at_once = results["a page of nothing else"], results["judged at once"]
    assert with_repeated(held.items) == ""
    assert [dropped.item["url"].rpartition("/")[2] for dropped in held.dropped] == ["only"]
    assert "on 5 of 5 pages of this site" in held.dropped[0].message
    assert len(at_once.items) == 13
    assert not at_once.dropped


def test_figures(results: Results) -> None:
    figures = {name: result.counts("site_memory/") for name, result in results.items()}
    assert figures["off"] == {}
    assert figures["none"] == {"pages": 8, "blocks": 8}
    assert figures["hold"] == {"pages": 12, "blocks": 12, "items_held": 4}
    assert figures["few may wait"] == {"pages": 10, "blocks": 10, "items_held": 2, "items_not_held": 2}
    assert figures["end"]["items_held"] == 12
    told = [entry.message for entry in results["few may wait"].log if "goes on at once" in entry.message]
    assert len(told) == 1
    assert told[0].startswith("2 items wait for site memory")


def test_a_crawl_that_goes_on_remembers(results: Results) -> None:
    first, second = results["first"], results["second"]
    assert with_repeated(first.items) == "abcd"
    assert letters(second.items) == "gh"
    assert with_repeated(second.items) == ""
    reasons = [block["reason"] for block in second.items[0]["blocks"] if block["text"] == REPEATED]
    assert reasons == ["on 7 of 7 pages of this site"]


def test_ctrl_c_loses_nothing_that_waits(tmp_path: Path) -> None:
    spider = write_spider(tmp_path, ChainSpider, JUSTEXT_SITE_MEMORY=True, JUSTEXT_SITE_MEMORY_LOOK="end")
    started: Future[Process] = Future()

    def press(path: str, _: str) -> None:
        if path == "/d":
            started.result(SECONDS).send_signal(signal.SIGINT)

    with Site(SITE, press) as site:
        process = start("runspider", spider, "-a", f"urls={site.url('/a')}", "-o", "items.jsonl", folder=tmp_path)
        started.set_result(process)
        log = process.communicate(timeout=SECONDS)[1].decode()
        fetched = "".join(letter for letter in LETTERS if site.requests[f"/{letter}"])
    items = read_lines(tmp_path / "items.jsonl")
    assert process.returncode == 0, log
    assert letters(items) == fetched != LETTERS
    assert len(items) >= 4
    assert "'finish_reason': 'shutdown'" in log
    assert "ERROR" not in log


@needs_redis
@pytest.mark.parametrize("look", ["hold", "end"])
def test_when_redis_is_lost_nothing_waits_any_more(look: str, tmp_path: Path) -> None:
    redis = RedisServer(tmp_path)

    def lose(path: str, _: str) -> None:
        if path == "/f":
            redis.stop()

    with redis, Site(SITE, lose) as site:
        own = settings(look=look, pages=PAGES) | {"REDIS_URL": redis.url}
        urls = {"urls": site.urls("/a")}
        [result] = crawl({"lost": Crawl(ChainSpider, urls, own, problems=["Redis is lost"])}).values()
    assert result.justext["site_memory/items_held"] == 5
    assert result.justext["site_memory/pages_without_redis"] == PAGES - 5
    # Those that waited went on with the page at which the loss was noticed, not at the end.
    assert letters(result.items) == LETTERS
