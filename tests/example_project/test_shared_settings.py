"""Several workers on one queue, with scrapy-redis, a real Redis, and the example's settings for them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from tests.crawl.content import page
from tests.crawl.crawling import EXAMPLE_PROJECT, environment
from tests.crawl.server import Site
from tests.crawl.template import REPEATED, article
from tests.redis_server import RedisServer, needs_redis

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = needs_redis

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
    "WAIT_FOR_OTHERS": 4,
    "TELNETCONSOLE_ENABLED": False,
    "JUSTEXT_LANGUAGE": "English",
}
LINES = {"ITEM_PIPELINES": json.dumps({"tests.crawl.shared.LinesPipeline": 300})}


class Workers:
    """Processes of one spider."""

    def __init__(self, folder: Path, site: Site, redis: RedisServer) -> None:
        self.items_file = folder / "items.jsonl"
        self.items_file.touch()
        self._folder = folder
        self._site = site
        self._redis = redis
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, name: str, delay: float) -> None:
        options = [f"-s{option}={value}" for option, value in {**OPTIONS, **LINES, "DOWNLOAD_DELAY": delay}.items()]
        spider = ["runspider", "-a", f"url={self._site.url('/')}", *options]
        own = {"SHARED_ITEMS": str(self.items_file), "SHARED_WORKER": name, "REDIS_URL": self._redis.url}
        with (self._folder / f"{name}.log").open("w", encoding="utf-8") as log:
            self._running[name] = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "scrapy",
                    *spider,
                    str(EXAMPLE_PROJECT.parent / "tests" / "crawl" / "shared.py"),
                ],
                cwd=self._folder,
                env=environment() | own | {"SCRAPY_SETTINGS_MODULE": "example.shared_settings"},
                stdout=subprocess.DEVNULL,
                stderr=log,
            )

    def kill(self, name: str) -> None:
        process = self._running.pop(name)
        process.kill()
        process.wait()

    def wait(self) -> None:
        for name, process in self._running.items():
            process.wait(timeout=SECONDS)
            assert process.returncode == 0, self.log(name)

    def log(self, name: str) -> str:
        return (self._folder / f"{name}.log").read_text("utf-8")

    def items(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.items_file.read_text("utf-8").splitlines()]


@pytest.fixture
def workers(tmp_path: Path) -> Iterator[Workers]:
    with Site(ANSWERS) as site, RedisServer(tmp_path) as redis:
        started = Workers(tmp_path, site, redis)
        yield started
        for process in started._running.values():
            process.kill()
            process.wait()


def path_of(item: dict[str, Any]) -> str:
    return f"/{item['url'].split('/', 3)[3]}"


def pages_counted(item: dict[str, Any]) -> int:
    """Of how many pages the reason speaks for which the repeated text is bad; 0 where it is not."""
    [reason] = [block["reason"] for block in item["blocks"] if block["text"] == REPEATED]
    match = re.fullmatch(r"on \d+ of (\d+) pages of this site", reason)
    return int(match[1]) if match else 0


def test_two_workers_share_pages_overrides_and_memory(workers: Workers) -> None:
    # Slow enough that there are pages left when the other one comes.
    workers.start("one", delay=0.8)
    workers.start("two", delay=0.1)
    workers.wait()
    items = workers.items()
    assert sorted(map(path_of, items)) == PAGES
    by_worker = Counter(item["worker"] for item in items)
    assert by_worker.keys() == {"one", "two"}
    assert {path_of(item) for item in items if item.get("profile") == "article"} == set(PAGES[1::2])
    assert all(article(path_of(item)[1:]) in item["text"] for item in items)
    counted = [pages_counted(item) for item in items]
    # Pages on their way when the fifth came were judged before.
    assert sum(number == 0 for number in counted) < 5 + 2 * CONCURRENT
    # The first page is one of them.
    assert max(counted) == len(PAGES) + 1 > max(by_worker.values())
    for name in by_worker:
        assert "ERROR" not in workers.log(name)


def test_a_worker_that_is_killed_and_started_again_gives_no_item_twice(workers: Workers) -> None:
    workers.start("one", delay=0.2)
    workers.start("two", delay=1)
    deadline = time.monotonic() + SECONDS
    while Counter(item["worker"] for item in workers.items())["one"] < 5 and time.monotonic() < deadline:
        time.sleep(0.05)
    workers.kill("one")
    workers.start("again", delay=0.1)
    workers.wait()
    items = workers.items()
    paths = Counter(map(path_of, items))
    assert set(paths.values()) == {1}
    # Those that the killed one had in hand, as docs/sites.md says.
    assert 0 <= len(PAGES) - len(paths) <= CONCURRENT + 1
    assert {item["worker"] for item in items} == {"one", "two", "again"}
    assert max(map(pages_counted, items)) >= len(paths)


def test_a_worker_whose_redis_is_lost_finishes_what_it_has_and_ends(tmp_path: Path) -> None:
    out = tmp_path / "items.jsonl"
    with Site(ANSWERS) as site, RedisServer(tmp_path) as redis:
        options = [f"-s{option}={value}" for option, value in {**OPTIONS, "DOWNLOAD_DELAY": 0.2}.items()]
        command = [sys.executable, "-m", "scrapy", "crawl", "site", "-a", f"url={site.url('/')}", "-O", str(out)]
        worker = subprocess.Popen(
            [*command, *options],
            cwd=EXAMPLE_PROJECT,
            env=environment() | {"SCRAPY_PROJECT": "shared", "REDIS_URL": redis.url},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        deadline = time.monotonic() + SECONDS
        while len(site.requests) < 10 and time.monotonic() < deadline:
            time.sleep(0.05)
        redis.stop()
        seen = len(site.requests)
        errors = worker.communicate(timeout=SECONDS)[1]
    assert worker.returncode == 2
    [line] = [line for line in errors.splitlines() if "[example.shared_scheduler] ERROR: " in line]
    assert "Redis is lost (" in line
    assert line.endswith("): this worker finishes what it has in hand, and ends")
    assert "Traceback" not in errors
    assert "Spider closed (redis_lost)" in errors
    kept = [json.loads(line)["url"] for line in out.read_text("utf-8").splitlines()]
    assert len(kept) == len(set(kept)) >= seen - 1
