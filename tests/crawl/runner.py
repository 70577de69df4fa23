"""Runs the crawls of :mod:`tests.crawl.crawling` in a process of their own."""

import warnings

warnings.simplefilter("error")

# ruff: noqa: E402  (what is imported from here on may not warn)
import asyncio
import logging
import pickle
import sys
import traceback
from pathlib import Path
from typing import Any

from scrapy import signals
from scrapy.core.engine import ExecutionEngine
from scrapy.crawler import AsyncCrawlerRunner, Crawler
from scrapy.settings import Settings
from scrapy.utils.defer import deferred_from_coro
from scrapy.utils.reactor import install_reactor
from twisted.internet.task import react

from tests.crawl.crawling import Crawl, Dropped, Entry, Result, Results


class Log(logging.Handler):
    """Keeps what is logged while a crawl runs."""

    def __init__(self, result: Result) -> None:
        super().__init__(logging.INFO)
        self._result = result
        self.setFormatter(logging.Formatter("%(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        self._result.log.append(Entry(record.levelno, record.name, self.format(record)))


class Recorder:
    """Notes what becomes of a crawl's items."""

    def __init__(self, crawler: Crawler, result: Result) -> None:
        self._result = result
        crawler.signals.connect(self._scraped, signals.item_scraped)
        crawler.signals.connect(self._dropped, signals.item_dropped)

    def _scraped(self, item: Any) -> None:
        self._result.items.append(item)

    def _dropped(self, item: Any, exception: BaseException) -> None:
        self._result.dropped.append(Dropped(item, type(exception).__name__, str(exception)))


async def run(runner: AsyncCrawlerRunner, asked: Crawl) -> Result:
    result = Result()
    settings = Settings(asked.project_settings, priority="project")
    settings.setdict(dict(asked.command_line), priority="cmdline")
    crawler = Crawler(asked.spider, settings)
    recorder = Recorder(crawler, result)
    log = Log(result)
    logging.root.addHandler(log)
    try:
        await runner.crawl(crawler, **asked.arguments)
    except Exception:
        result.error = traceback.format_exc()
    finally:
        logging.root.removeHandler(log)
        del recorder
    if result.error is None:
        result.stats = dict(crawler.stats.get_stats())
    result.seen = list(getattr(crawler.spider, "seen", []))
    return result


async def run_all(crawls: dict[str, Crawl], *, together: bool) -> Results:
    runner = AsyncCrawlerRunner()
    if together:
        return dict(zip(crawls, await asyncio.gather(*(run(runner, c) for c in crawls.values())), strict=True))
    return {name: await run(runner, asked) for name, asked in crawls.items()}


def main() -> None:
    """Run the crawls of the file that the first argument names, and write what came of them to the second."""
    job, report = map(Path, sys.argv[1:])
    # Else what waits for the end of a crawl waits five seconds more.
    ExecutionEngine._SLOT_HEARTBEAT_INTERVAL = 0.1
    install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")
    logging.root.setLevel(logging.INFO)
    crawls, together = pickle.loads(job.read_bytes())

    async def work() -> None:
        report.write_bytes(pickle.dumps(await run_all(crawls, together=together)))

    react(lambda _: deferred_from_coro(work()))
