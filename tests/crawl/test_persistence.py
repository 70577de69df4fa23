"""Crawls that are stopped and resumed, and crawls from the HTTP cache."""

import signal
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from scrapy import Request, Spider
from scrapy.http import Response

from tests.builders import wait_until
from tests.crawl.content import ENGLISH, GERMAN, GOOD_TEXT, page
from tests.crawl.crawling import SECONDS, Crawl, command, crawl, read_lines, start, write_spider
from tests.crawl.server import Site
from tests.crawl.spiders import PageSpider
from tests.products import in_part

pytestmark = pytest.mark.full

PAGES = 12
ANSWERS = {
    "/": page(ENGLISH, *(f'<a href="/{number}">{number}</a>' for number in range(PAGES))),
    **{f"/{number}": page(GERMAN if number % 2 else ENGLISH, title=f"Page {number}") for number in range(PAGES)},
}
PATHS = set(ANSWERS)
#: Half of the pages are German; only what stands in their requests' meta says so.
LANGUAGES = {path: "de" if path in {f"/{n}" for n in range(1, PAGES, 2)} else "en" for path in PATHS}


class LinkSpider(Spider):
    """Follows the links of the first page; those to odd pages bring an override."""

    name = "links"

    def __init__(self, url: str) -> None:
        super().__init__()
        self.url = url

    async def start(self) -> AsyncIterator[Request]:
        # Not by start_urls, which are requested anew when a crawl is resumed.
        yield Request(self.url)

    def parse(self, response: Response) -> Iterator[Any]:
        yield {"url": response.url, "path": "/" + response.url.rsplit("/", 1)[1]}
        for link in response.css("p a::attr(href)").getall():
            if link != "/legal":
                odd = int(link[1:]) % 2
                yield response.follow(link, meta={"justext": {"language": "German"}} if odd else {})


def test_a_crawl_that_is_interrupted_and_resumed_cleans_each_page_once(tmp_path: Path) -> None:
    spider = write_spider(tmp_path, LinkSpider, CONCURRENT_REQUESTS=1, DOWNLOAD_DELAY=0.1)
    with Site(ANSWERS) as served:
        options = ["-a", f"url={served.url('/')}", "-s", "JOBDIR=job", "-L", "WARNING", "-o", "items.jsonl"]
        arguments = ["runspider", spider, *options]
        first = start(*arguments, folder=tmp_path)
        wait_until(lambda: served.requests.total() >= 4, first)
        first.send_signal(signal.SIGINT)
        _, log = first.communicate(timeout=SECONDS)
        assert log == b""
        done = len(read_lines(tmp_path / "items.jsonl"))
        assert 1 <= done < len(PATHS) - 2
        second = command(*arguments, folder=tmp_path)
        assert (second.returncode, second.stderr) == (0, "")
        assert {path: served.requests[path] for path in PATHS} == dict.fromkeys(PATHS, 1)
    items = read_lines(tmp_path / "items.jsonl")
    assert len(items) == len(PATHS)
    assert {item["path"]: item["language"] for item in items} == LANGUAGES
    for item in items:
        assert item["text"] == (GERMAN if item["language"] == "de" else ENGLISH) or item["path"] == "/"
    assert {item["path"] for item in items[done:] if item["language"] == "de"}


@pytest.mark.parametrize("policy", in_part(["DummyPolicy", "RFC2616Policy"], 2))
def test_a_crawl_from_the_cache_gives_the_same_items(site: Site, tmp_path: Path, policy: str) -> None:
    settings = {
        "HTTPCACHE_ENABLED": True,
        "HTTPCACHE_DIR": str(tmp_path),
        "HTTPCACHE_POLICY": f"scrapy.extensions.httpcache.{policy}",
        "HTTPCACHE_ALWAYS_STORE": True,
        "JUSTEXT_LANGUAGE": ["English", "German"],
        "CONCURRENT_REQUESTS": 1,
    }
    arguments = {"urls": site.urls("/good", "/poor", "/german")}
    before = site.requests.total()
    results = crawl({name: Crawl(PageSpider, arguments, settings) for name in ("first", "second")})
    first, second = results["first"], results["second"]
    assert second.items == first.items
    assert [item["text"] for item in second.items] == [GOOD_TEXT, GERMAN]
    assert second.dropped == first.dropped != []
    if policy == "DummyPolicy":
        assert second.stats["httpcache/hit"] == 3
        assert site.requests.total() == before + 3
    assert second.justext | {"seconds": 0} == first.justext | {"seconds": 0}


class PickledSpider(LinkSpider):
    """Brings everything that an override can hold."""

    def parse(self, response: Response) -> Iterator[Any]:
        if response.url == self.url:
            meta = {"justext": {"stoplist": ["es", "war", "in", "der", "die", "dass", "nicht", "sie", "wenn", "von",
                                             "sein", "würde", "das", "man", "aber", "kein", "schon", "da", "auch"],
                                "block_fields": ("text",), "fields": {"title": None}}}  # fmt: skip
            yield Request(response.urljoin("/1"), meta=meta)
        else:
            yield {"url": response.url}


def test_overrides_survive_on_disk(tmp_path: Path) -> None:
    settings = {"JOBDIR": str(tmp_path / "job"), "SCHEDULER_DEBUG": True}
    with Site(ANSWERS) as served:
        first = Crawl(PickledSpider, {"url": served.url("/")}, settings)
        result = crawl({"one": first})["one"]
    assert result.stats["scheduler/enqueued/disk"] == 2
    (item,) = result.items
    assert item["text"] == GERMAN
    assert item.keys() == {"url", "text", "blocks", "language"}
    assert item["blocks"][0].keys() == {"text"}
