"""Measure what processes give a crawl: ``python -m benchmarks.processes``.

The crawl of :mod:`benchmarks.crawl` runs for each profile with 0, 1 and 2 processes in turn.  Measured are

* pages a second, as ratios to those without processes;
* the worst stall: by how much a timer of 5 milliseconds was late, which is how long the event loop stood still;
* the processor time of a page, which does not depend on what else the machine does.  Two idle cores give at most
  2,000 / (its sum in milliseconds) pages a second.

The first two count from item 32 on, so that what is done once, such as to load a model, is in neither.  Two spiders
take part: one extracts the links of each page, the other does not look at it.  Only the second shows how long the
plugin alone stops the loop; its row without the plugin shows what the machine adds.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from multiprocessing import Process, SimpleQueue
from statistics import median
from threading import enumerate as enumerate_threads
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.crawler import AsyncCrawlerProcess, Crawler
from twisted.internet.task import LoopingCall

from benchmarks.crawl import PagesSpider, RealPages, serve
from benchmarks.pages import origin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.http import Response

INTERVAL = 0.005
WARM = 32

NONE = "none"
ROWS = ((NONE, 0), *((profile, processes) for profile in ("justext", "learned") for processes in (0, 1, 2)))


class IdleSpider(PagesSpider):
    """Ask for every page and look at none."""

    def parse(self, response: Response) -> Iterator[dict[str, object]]:
        """Yield an item."""
        yield {"url": response.url}


SPIDERS = {"links": PagesSpider, "idle": IdleSpider}


class Watch:
    """Note when items come, and by how much a timer is late."""

    def __init__(self, crawler: Crawler) -> None:
        self._items = 0
        self._begun = self._last = 0.0
        self.rate = self.worst = 0.0
        self._call = LoopingCall(self._tick)
        crawler.signals.connect(self._count, signals.item_scraped)
        crawler.signals.connect(self._stop, signals.spider_closed)

    def _count(self) -> None:
        self._items += 1
        now = perf_counter()
        if self._items == WARM:
            self._begun = self._last = now
            self._call.start(INTERVAL, now=False)
        elif self._items > WARM:
            self.rate = (self._items - WARM) / (now - self._begun)

    def _stop(self) -> None:
        self._call.stop()

    def _tick(self) -> None:
        now = perf_counter()
        self.worst = max(self.worst, now - self._last - INTERVAL)
        self._last = now


def crawl(port: int, pages: int, spider: str, profile: str, processes: int) -> dict[str, float]:
    """Crawl in this process; return what it took."""
    settings: dict[str, Any] = {
        "LOG_ENABLED": False,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
        "TELNETCONSOLE_ENABLED": False,
    }
    if profile != NONE:
        settings |= {
            "ADDONS": {"scrapy_justext.Addon": 500},
            "JUSTEXT_PROFILE": profile,
            "JUSTEXT_PROCESSES": processes,
        }
    process = AsyncCrawlerProcess(settings)
    crawler = process.create_crawler(SPIDERS[spider])
    watch = Watch(crawler)
    process.crawl(crawler, port=port, pages=pages)
    before = process_time()
    process.start()
    own = process_time() - before
    assert crawler.stats is not None
    assert crawler.stats.get_value("response_received_count") == pages
    assert not crawler.stats.get_value("justext/errors")
    for thread in enumerate_threads():
        # These threads wait for the processes to end.
        if thread.name == "justext-feeder":
            thread.join()
    of_others = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "rate": watch.rate,
        "stall": watch.worst * 1000,
        "own": own * 1000 / pages,
        "others": (of_others.ru_utime + of_others.ru_stime) * 1000 / pages,
    }


def _in_own_process(*arguments: object) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.processes", "--run", *map(str, arguments)]
    result = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return dict(json.loads(result.stdout))


def compare(port: int, pages: int, rounds: int, spider: str) -> None:
    """Print a row for each profile and number of processes: medians over the rounds."""
    seen: dict[tuple[str, int], list[dict[str, float]]] = {row: [] for row in ROWS}
    for _ in range(rounds):
        for row, runs in seen.items():
            runs.append(_in_own_process(port, pages, spider, *row))
    print(f"\nspider: {spider}; {pages} pages, {origin()}; medians of {rounds} rounds\n")
    print("profile   processes  pages/s  ratio  worst stall ms  processor ms a page: crawl, processes")
    for (profile, processes), runs in seen.items():
        base = seen[profile, 0]
        ratio = median(run["rate"] / other["rate"] for run, other in zip(runs, base, strict=True))
        rate, stall, own, others = (median(run[name] for run in runs) for name in ("rate", "stall", "own", "others"))
        print(f"{profile:9} {processes:9} {rate:8.1f} {ratio:6.2f} {stall:15.1f} {own:8.1f}, {others:.1f}")


def main() -> None:
    """Compare, with each of the spiders."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--run", nargs=5, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.pages <= WARM:
        parser.error(f"--pages must be above {WARM}")
    if arguments.run:
        port, pages, spider, profile, processes = arguments.run
        print(json.dumps(crawl(int(port), int(pages), spider, profile, int(processes))))
        return
    ports: SimpleQueue[int] = SimpleQueue()
    server = Process(target=serve, args=(ports, RealPages()), daemon=True)
    server.start()
    try:
        port = ports.get()
        for spider in SPIDERS:
            compare(port, arguments.pages, arguments.rounds, spider)
    finally:
        server.terminate()


if __name__ == "__main__":
    main()
