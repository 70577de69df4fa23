"""What travels between a crawl and its processes comes back as it was; the processes of a pool, without a crawl."""

import asyncio
import pickle
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from scrapy.http import HtmlResponse

from scrapy_justext.core.extraction import Extraction
from scrapy_justext.core.extractor import Extractor, JudgedPage
from scrapy_justext.core.options import Options, make_options
from scrapy_justext.crawl.pages import raw_page
from scrapy_justext.crawl.processes import PagePool, RawPage
from scrapy_justext.crawl.settings import Given, configure
from scrapy_justext.exceptions import WorkerCrashed, WorkerError
from scrapy_justext.workers import STARTS
from tests import forked
from tests.builders import extract_response
from tests.crawl.content import ENGLISH, GERMAN, GOOD_PAGE, GOOD_TEXT, KEYWORDS, page
from tests.crawl.tasks import extract_after_false_starts, extract_harmed

Use = Callable[[PagePool[Extraction]], Awaitable[None]]

SENT = {
    "default": make_options(),
    "words": make_options(stoplist={"the", "of", "und"}),
    "file": make_options(stoplist=Path("stoplists/English.txt").resolve()),
    "languages": make_options(language=["de", "en"], length_high=100),
    "rules": make_options(drop_css=["li, td", "#x"], keep_css=".y > p", drop_text=["^It was", "(?i)BRIDGE"]),
    "kept inside dropped": make_options(drop_css="p", keep_css="p"),
    "learned": make_options(profile="learned", paths=True),
    "images": make_options(profile="justext-java"),
}


@pytest.mark.parametrize("options", SENT.values(), ids=SENT)
def test_options_that_were_sent_extract_the_same(options: Options) -> None:
    sent: Options = pickle.loads(pickle.dumps(options))
    for source in (GOOD_PAGE, page(GERMAN, KEYWORDS, ENGLISH), page('<img src="a.png" alt="A bridge">')):
        assert RawPage(source).extract(sent) == Extractor(options).extract(source)


ENCODED = {
    "header": (page(GERMAN).encode("cp1252"), {"Content-Type": "text/html; charset=windows-1252"}),
    "declared": (page(GERMAN, head="<meta charset=latin-1>").encode("latin-1"), {}),
    "wrong": (page(GERMAN).encode("latin-1"), {"Content-Type": "text/html; charset=utf-8"}),
    "NUL": (page(GERMAN).replace("Brücke", "Brü\0cke").encode(), {"Content-Type": "text/html; charset=utf-8"}),
    "no text": (b"<!doctype html>", {}),
}


@pytest.mark.parametrize("name", ENCODED)
def test_a_body_is_decoded_as_its_response_decodes_it(name: str) -> None:
    body, headers = ENCODED[name]
    response = HtmlResponse("http://example.org/page", body=body, headers={**headers, "Content-Language": ["de", "en"]})
    configuration = configure({"language": Given("German", "test")})
    sent: RawPage = pickle.loads(pickle.dumps(raw_page(response)))
    assert sent.extract(configuration.options) == extract_response(response, configuration)


@pytest.mark.parametrize("blocks", [0, 1, 1000])
def test_what_a_process_sends_comes_back_as_it_was(blocks: int) -> None:
    raw = RawPage("<title>T</title>" + f"<p>{ENGLISH}" * blocks, url="http://x/")
    options = make_options(markdown=True)
    sent: Extraction = pickle.loads(pickle.dumps(raw.extract(options)))
    judged: JudgedPage = pickle.loads(pickle.dumps(raw.judge(options)))
    assert sent == judged.extraction() == raw.extract(options)
    assert len(sent.blocks) == blocks


SECONDS = 60
OPTIONS = make_options(language="English")


def use(processes: int, task: Callable[[RawPage, Options], Extraction], how: Use) -> None:
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


@pytest.mark.full
@pytest.mark.usefixtures("forked_workers")
class TestPool:
    def test_no_page_waits_for_a_slow_one(self) -> None:
        async def how(pool: PagePool[Extraction]) -> None:
            slow = asyncio.create_task(text_of(pool, f"wait={2 * SECONDS}"))
            await asyncio.sleep(0)
            assert await asyncio.gather(*(text_of(pool) for _ in range(8))) == [GOOD_TEXT] * 8
            assert not slow.done()
            slow.cancel()

        use(2, extract_harmed, how)

    def test_a_page_that_two_processes_had_is_answered_once(self) -> None:
        async def how(pool: PagePool[Extraction]) -> None:
            texts = await asyncio.gather(*(text_of(pool, query) for query in ["wait=2.5", *["wait=0.1"] * 5]))
            assert texts == [GOOD_TEXT] * 6
            # What the first process makes of the page that it gave away comes now.
            assert await text_of(pool) == GOOD_TEXT

        use(2, extract_harmed, how)

    def test_where_no_process_can_begin_pages_fail_until_one_can(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(*_: Any, **__: Any) -> None:
            raise OSError(12, "Cannot allocate memory")

        async def how(pool: PagePool[Extraction]) -> None:
            for _ in range(3):
                with pytest.raises(WorkerError, match=r"no process can begin: .*Cannot allocate memory"):
                    await text_of(pool)
            monkeypatch.undo()
            assert await text_of(pool) == GOOD_TEXT

        monkeypatch.setattr(forked.SUBPROCESS, "Popen", fail)
        use(2, extract_harmed, how)

    @pytest.mark.parametrize("false_starts", [STARTS - 1, STARTS])
    def test_what_ends_a_process_before_its_first_page_is_not_the_pages_fault(
        self, false_starts: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async def how(pool: PagePool[Extraction]) -> None:
            if false_starts == STARTS:
                with pytest.raises(WorkerCrashed, match="the last was killed by signal 9"):
                    await text_of(pool)
            assert await text_of(pool) == GOOD_TEXT

        left = tmp_path / "left"
        left.write_text("x" * false_starts, "utf-8")
        monkeypatch.setenv("FALSE_STARTS", str(left))
        use(1, extract_after_false_starts, how)

    def test_pages_that_wait_are_given_up_with_the_pool(self) -> None:
        async def how(pool: PagePool[Extraction]) -> None:
            waiting = [asyncio.create_task(text_of(pool, f"wait={2 * SECONDS}")) for _ in range(5)]
            await asyncio.sleep(2)
            pool.close()
            problems = await asyncio.gather(*waiting, return_exceptions=True)
            assert {type(problem) for problem in problems} <= {WorkerError, WorkerCrashed}
            with pytest.raises(WorkerError, match="the crawl has ended"):
                await text_of(pool)

        use(1, extract_harmed, how)
