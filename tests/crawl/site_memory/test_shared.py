"""The memory of several workers, in a real Redis."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from scrapy_justext.crawl.parts.site_memory.shared import SharedStore
from scrapy_justext.crawl.parts.site_memory.store import LocalStore, Sightings
from tests.crawl.site_memory.pages import seen, visit_all
from tests.redis_server import RedisServer, needs_redis

pytestmark = needs_redis


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with RedisServer(tmp_path_factory.mktemp("redis")) as running:
        yield running


class Losses:
    """Counts the pages of which a store could not tell."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> None:
        self.count += 1


@pytest.fixture
def stores(server: RedisServer) -> Iterator[list[SharedStore]]:
    """Those of two workers of one spider; of an empty Redis."""
    with server.connect() as connection:
        connection.flushall()
    two = [SharedStore(server.url, "spider", 1000, Losses()) for _ in range(2)]
    yield two
    for memory in two:
        memory.close()


PAGES = ["a b", "a a c", "a b d", "a b", "x", "a x c c"]


def test_it_counts_as_the_memory_of_one_process_does(stores: list[SharedStore]) -> None:
    local = LocalStore(blocks=1000, all_blocks=100_000)
    for number, texts in enumerate(PAGES):
        page = seen(texts, f"/{'x' * (number % 5)}")
        assert stores[number % 2].visit("example.com", page) == local.visit("example.com", page)
    known = seen(" ".join(PAGES))
    assert stores[0].recall("example.com", known) == stores[1].recall("example.com", known)
    assert stores[0].recall("example.com", known) == local.recall("example.com", known)


def test_sites_and_spiders_are_apart(server: RedisServer, stores: list[SharedStore]) -> None:
    visit_all(stores[0], "a b", "a c")
    assert visit_all(stores[0], "a", site="other.example") == Sightings(1, [1])
    other = SharedStore(server.url, "other", 1000, Losses())
    assert visit_all(other, "a") == Sightings(1, [1])
    other.close()


def test_what_was_seen_longest_ago_is_forgotten_first(server: RedisServer) -> None:
    memory = SharedStore(server.url, "small", 16, Losses())
    visit_all(memory, *(f"all old{n}" for n in "abcd"), *(f"all new{n}" for n in "abcd"))
    assert memory.recall("example.com", seen("all olda oldb newc newd")) == Sightings(8, [8, 0, 0, 1, 1])
    memory.close()
    with server.connect() as connection:
        prefix = "justext:5:small:example.com"
        assert connection.hlen(f"{prefix}:counts") == connection.zcard(f"{prefix}:seen") == 16


def test_everything_goes_after_a_time(server: RedisServer, stores: list[SharedStore]) -> None:
    visit_all(stores[0], "a b")
    with server.connect() as connection:
        keys = sorted(connection.keys("justext:*"))
        assert [key.rpartition(":")[2] for key in keys] == ["counts", "pages", "seen", "visits"]
        assert all(29 * 86400 < connection.ttl(key) <= 30 * 86400 for key in keys)


def test_no_page_is_lost_when_workers_count_at_once(server: RedisServer, stores: list[SharedStore]) -> None:
    def work(worker: int) -> None:
        memory = SharedStore(server.url, "spider", 10_000, Losses())
        for number in range(100):
            visit_all(memory, f"all own{'x' * (worker * 100 + number)}")
        memory.close()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert stores[0].recall("example.com", seen("all")) == Sightings(400, [400])


def test_a_lost_redis_is_logged_once(server: RedisServer, caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    losses = Losses()
    with RedisServer(tmp_path) as other:
        memory = SharedStore(other.url, "spider", 1000, losses)
        assert visit_all(memory, "a b") == Sightings(1, [1, 1])
    assert visit_all(memory, "a b", "a c") == Sightings(0, [0, 0])
    assert memory.recall("example.com", seen("a b c")) == Sightings(0, [0, 0, 0])
    memory.close()
    # A second look counts no page once more.
    assert losses.count == 2
    assert memory.is_lost
    [record] = caplog.records
    assert record.levelname == "ERROR"
    assert record.getMessage().startswith("Redis is lost (")
    assert record.getMessage().endswith("): the crawl goes on without site memory")
    assert record.exc_info is None
