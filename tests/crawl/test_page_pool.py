"""The processes of a pool, without a crawl."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

import pytest

from scrapy_justext.core.options import make_options
from scrapy_justext.crawl.processes import PagePool, RawPage
from scrapy_justext.exceptions import WorkerCrashed, WorkerError
from scrapy_justext.workers import STARTS
from tests import forked
from tests.crawl.content import GOOD_PAGE, GOOD_TEXT
from tests.crawl.tasks import HARMED, UNLUCKY

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from scrapy_justext.core.extraction import Extraction
    from scrapy_justext.crawl.processes import PageTask

    Use = Callable[[PagePool[Extraction]], Awaitable[None]]

pytestmark = [pytest.mark.usefixtures("forked_workers"), pytest.mark.full]

SECONDS = 60
OPTIONS = make_options(language="English")


def use(processes: int, task: PageTask[Extraction], how: Use) -> None:
    """Have a pool used, closed, and its threads ended."""

    async def main() -> None:
        pool = PagePool(processes, task, OPTIONS)
        try:
            await asyncio.wait_for(how(pool), SECONDS)
        finally:
            pool.close()

    asyncio.run(main())
    for thread in threading.enumerate():
        if thread.name == "justext-feeder":
            thread.join(SECONDS)
            assert not thread.is_alive()


async def text_of(pool: PagePool[Extraction], query: str = "") -> str:
    extraction, seconds = await pool.do(RawPage(GOOD_PAGE, url=f"http://localhost/?{query}"), OPTIONS)
    assert seconds > 0
    return extraction.text


def test_no_page_waits_for_a_slow_one() -> None:
    async def how(pool: PagePool[Extraction]) -> None:
        slow = asyncio.create_task(text_of(pool, f"wait={2 * SECONDS}"))
        await asyncio.sleep(0)
        assert await asyncio.gather(*(text_of(pool) for _ in range(8))) == [GOOD_TEXT] * 8
        assert not slow.done()
        slow.cancel()

    use(2, HARMED, how)


def test_a_page_that_two_processes_had_is_answered_once() -> None:
    async def how(pool: PagePool[Extraction]) -> None:
        texts = await asyncio.gather(*(text_of(pool, query) for query in ["wait=2.5", *["wait=0.1"] * 5]))
        assert texts == [GOOD_TEXT] * 6
        # What the first process makes of the page that it gave away comes now.
        assert await text_of(pool) == GOOD_TEXT

    use(2, HARMED, how)


def test_where_no_process_can_begin_pages_fail_until_one_can(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise OSError(12, "Cannot allocate memory")

    async def how(pool: PagePool[Extraction]) -> None:
        for _ in range(3):
            with pytest.raises(WorkerError, match=r"no process can begin: .*Cannot allocate memory"):
                await text_of(pool)
        monkeypatch.undo()
        assert await text_of(pool) == GOOD_TEXT

    monkeypatch.setattr(forked.SUBPROCESS, "Popen", fail)
    use(2, HARMED, how)


@pytest.mark.parametrize("false_starts", [STARTS - 1, STARTS])
def test_what_ends_a_process_before_its_first_page_is_not_the_pages_fault(
    false_starts: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def how(pool: PagePool[Extraction]) -> None:
        if false_starts == STARTS:
            with pytest.raises(WorkerCrashed, match="the last was killed by signal 9"):
                await text_of(pool)
        assert await text_of(pool) == GOOD_TEXT

    left = tmp_path / "left"
    left.write_text("x" * false_starts, "utf-8")
    monkeypatch.setenv("FALSE_STARTS", str(left))
    use(1, UNLUCKY, how)


def test_pages_that_wait_are_given_up_with_the_pool() -> None:
    async def how(pool: PagePool[Extraction]) -> None:
        waiting = [asyncio.create_task(text_of(pool, f"wait={2 * SECONDS}")) for _ in range(5)]
        await asyncio.sleep(2)
        pool.close()
        problems = await asyncio.gather(*waiting, return_exceptions=True)
        assert {type(problem) for problem in problems} <= {WorkerError, WorkerCrashed}
        with pytest.raises(WorkerError, match="the crawl has ended"):
            await text_of(pool)

    use(1, HARMED, how)
