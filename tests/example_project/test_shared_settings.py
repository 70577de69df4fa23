"""Several workers on one queue, with scrapy-redis, a real Redis, and the example's settings for them."""

import json
import re
import signal
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.builders import wait_until
from tests.crawl.content import page
from tests.crawl.crawling import EXAMPLE_PROJECT, environment, read_lines, start
from tests.crawl.server import Site, path_of
from tests.crawl.template import REPEATED, article
from tests.forked import Process
from tests.redis_server import RedisServer, needs_redis

pytestmark = [needs_redis, pytest.mark.full]

SECONDS = 120
PAGES = [f"/{first}{second}" for first in "abcdef" for second in "abcdefghij"]
ANSWERS = {
    "/": page(*(f'<a href="{path}">{path}</a>' for path in PAGES)),
    **{path: page(article(path[1:]), REPEATED) for path in PAGES},
}
CONCURRENT = 4
OPTIONS = {
    "LOG_LEVEL": "INFO",
    "AUTOTHROTTLE_ENABLED": False,
    "ROBOTSTXT_OBEY": False,
    "CONCURRENT_REQUESTS": CONCURRENT,
    "WAIT_FOR_OTHERS": 1,
    "TELNETCONSOLE_ENABLED": False,
    "JUSTEXT_LANGUAGE": "English",
    # Bad ones, too, whose reasons are looked at.
    "JUSTEXT_BLOCKS": "all",
}
LINES = {"ITEM_PIPELINES": json.dumps({"tests.crawl.shared.LinesPipeline": 300})}
SPIDER = EXAMPLE_PROJECT.parent / "tests" / "crawl" / "shared.py"


class Workers:
    """Processes of one spider, told apart by their user agents, and what they have asked the site for."""

    def __init__(self, folder: Path) -> None:
        self.items_file = folder / "items.jsonl"
        self.items_file.touch()
        self.redis = RedisServer(folder)
        self.requests: Counter[str] = Counter()
        self._folder = folder
        self._started: dict[str, Process] = {}
        self._has_come = {name: threading.Event() for name in ("one", "two", "again")}

    def note(self, path: str, worker: str) -> None:
        if path != "/":
            self.requests[worker] += 1
            self._has_come[worker].set()

    def wait_for(self, name: str) -> None:
        """Wait until a worker asks for an article."""
        assert self._has_come[name].wait(SECONDS), self.log(name)

    def start(self, name: str, site: Site) -> None:
        options = [f"-s{option}={value}" for option, value in {**OPTIONS, **LINES, "USER_AGENT": name}.items()]
        own = {"SHARED_ITEMS": str(self.items_file), "SHARED_WORKER": name, "REDIS_URL": self.redis.url}
        self._started[name] = start(
            "runspider",
            *("-a", f"url={site.url('/')}", *options, str(SPIDER)),
            folder=self._folder,
            on_warning="ignore",  # scrapy-redis makes Scrapy warn.
            environment=environment() | own | {"SCRAPY_SETTINGS_MODULE": "example.shared_settings"},
        )

    def kill(self, name: str) -> None:
        process = self._started[name]
        process.kill()
        assert process.wait() == -signal.SIGKILL

    def wait(self, *names: str) -> None:
        for name in names:
            assert self._started[name].wait(timeout=SECONDS) == 0, self.log(name)

    def end(self) -> None:
        for process in self._started.values():
            process.kill()
            process.communicate()

    def log(self, name: str) -> str:
        return self._started[name].messages().decode()

    def items(self) -> list[dict[str, Any]]:
        return read_lines(self.items_file)

    def items_of(self, name: str) -> int:
        # Of another worker's line, the end may not be there yet.
        return self.items_file.read_text("utf-8").count(f'"worker": "{name}"}}')


@pytest.fixture
def workers(tmp_path: Path) -> Iterator[Workers]:
    started = Workers(tmp_path)
    with started.redis:
        yield started
        started.end()


def pages_counted(item: dict[str, Any]) -> int:
    """Of how many pages the reason speaks for which the repeated text is bad; 0 where it is not."""
    [reason] = [block["reason"] for block in item["blocks"] if block["text"] == REPEATED]
    match = re.fullmatch(r"on \d+ of (\d+) pages of this site", reason)
    return int(match[1]) if match else 0


def test_two_workers_share_pages_overrides_and_memory(workers: Workers) -> None:
    def share(path: str, worker: str) -> None:
        workers.note(path, worker)
        # The first worker gets no article before the second asks for one.
        if path != "/":
            workers.wait_for("two")

    with Site(ANSWERS, share) as site:
        workers.start("one", site)
        workers.wait_for("one")
        workers.start("two", site)
        workers.wait("one", "two")
    items = workers.items()
    assert sorted(path_of(item["url"]) for item in items) == PAGES
    by_worker = Counter(item["worker"] for item in items)
    assert by_worker.keys() == {"one", "two"}
    assert {path_of(item["url"]) for item in items if item.get("profile") == "article"} == set(PAGES[1::2])
    assert all(article(path_of(item["url"])[1:]) in item["text"] for item in items)
    counted = [pages_counted(item) for item in items]
    # Pages on their way when the fifth came were judged before.
    assert sum(number == 0 for number in counted) < 5 + 2 * CONCURRENT
    # The first page is one of them.
    assert max(counted) == len(PAGES) + 1 > max(by_worker.values())
    for name in by_worker:
        assert "ERROR" not in workers.log(name)


def test_a_worker_that_is_killed_and_started_again_gives_no_item_twice(workers: Workers) -> None:
    held_back = threading.Semaphore(0)
    is_dead = threading.Event()

    def share(path: str, worker: str) -> None:
        workers.note(path, worker)
        if worker == "one" and workers.items_of("one") >= 5:
            held_back.release()
            is_dead.wait(SECONDS)
        # Something is left for the others.
        if worker == "two" and workers.requests["two"] > 20:
            workers.wait_for("again")

    with Site(ANSWERS, share) as site:
        workers.start("one", site)
        workers.wait_for("one")
        workers.start("two", site)
        for _ in range(CONCURRENT):
            assert held_back.acquire(timeout=SECONDS), workers.log("one")
        # All that it has in hand now are these pages, once it is through with those before.
        wait_until(lambda: workers.requests["one"] - workers.items_of("one") <= CONCURRENT)
        workers.kill("one")
        is_dead.set()
        workers.start("again", site)
        workers.wait("two", "again")
    items = workers.items()
    paths = Counter(path_of(item["url"]) for item in items)
    assert set(paths.values()) == {1}
    # Those that the killed one had in hand, as docs/sites.md says.
    assert len(PAGES) - len(paths) == CONCURRENT
    assert {item["worker"] for item in items} == {"one", "two", "again"}
    assert max(map(pages_counted, items)) >= len(paths)


def test_a_worker_whose_redis_is_lost_finishes_what_it_has_and_ends(tmp_path: Path) -> None:
    out = tmp_path / "items.jsonl"
    redis = RedisServer(tmp_path)
    losing = threading.Lock()

    def lose(path: str, _: str) -> None:
        with losing:
            if len(site.requests) == 10:
                redis.stop()

    with redis, Site(ANSWERS, lose) as site:
        options = [f"-s{option}={value}" for option, value in OPTIONS.items()]
        worker = start(
            "crawl",
            *("site", "-a", f"url={site.url('/')}", "-O", str(out), *options),
            folder=EXAMPLE_PROJECT,
            on_warning="ignore",  # scrapy-redis makes Scrapy warn.
            environment=environment() | {"SCRAPY_PROJECT": "shared", "REDIS_URL": redis.url},
        )
        errors = worker.communicate(SECONDS)[1].decode()
        seen = len(site.requests)
    assert worker.returncode == 2
    [line] = [line for line in errors.splitlines() if "[example.shared_scheduler] ERROR: " in line]
    assert "Redis is lost (" in line
    assert line.endswith("): this worker finishes what it has in hand, and ends")
    assert "Traceback" not in errors
    assert "Spider closed (redis_lost)" in errors
    kept = [item["url"] for item in read_lines(out)]
    assert len(kept) == len(set(kept)) >= seen - 1 >= 9
