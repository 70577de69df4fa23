"""Extract the pages of a crawl in other processes, and wait for them in the event loop.

A process imports this module without Scrapy, whose import would delay every process.

The queue needs no bound: Scrapy holds at most ``CONCURRENT_REQUESTS`` responses.
"""

from __future__ import annotations

import asyncio
import gc
from contextlib import suppress
from functools import partial
from itertools import count
from operator import itemgetter
from time import perf_counter
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from scrapy_justext.core.extractor import WARM_UP_PAGE, Extractor
from scrapy_justext.exceptions import WorkerCrashed, WorkerError
from scrapy_justext.workers import Pool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from concurrent.futures import Future

    from scrapy.http import TextResponse

    from scrapy_justext.core.extraction import Extraction
    from scrapy_justext.core.extractor import JudgedPage
    from scrapy_justext.core.options import Options

    #: What is done with a page: a function of a module, since a process gets only its name.
    PageTask = Callable[["RawPage", Options], "TaskResult"]

TaskResult = TypeVar("TaskResult")


class RawPage(NamedTuple):
    """A page as it came; to be sent, it has a body in place of a response.

    ``encoding``: what the response states of its body; None where the bytes and the page itself are to tell.
    ``declared``: the language tags in the HTTP headers.
    ``bad``: blocks that are bad whatever they say, with the reasons by their indices.
    """

    html: str | bytes | TextResponse
    encoding: str | None = None
    url: str | None = None
    declared: tuple[str, ...] = ()
    bad: Mapping[int, str] = {}

    def judge(self, options: Options) -> JudgedPage:
        """Return the page with the classes of its blocks."""
        extractor = Extractor(options)
        page = extractor.judge_page(self.html, encoding=self.encoding, url=self.url, languages=self.declared)
        return page.with_bad(self.bad) if self.bad else page

    def extract(self, options: Options) -> Extraction:
        """Return the page's extraction."""
        if self.bad:
            return self.judge(options).extraction()
        # It is judged at once, so it need not let go of its tree first.
        return Extractor(options).extract(self.html, encoding=self.encoding, url=self.url, languages=self.declared)


# From the event loop to the processes and back.

#: How many processes may end on a page before it is given up: one may have ended by chance, such as a lack of memory.
TRIES = 2

#: Pages that a process has: the one that it works on, and the next.  Without the next one the process would wait,
#: because a busy crawl takes milliseconds to read an answer and to send a page.
AHEAD = 2


def _start(task: PageTask[Any], options: Options) -> Callable[[RawPage], Iterator[tuple[Any, float]]]:
    """Load what the options need, and return a function that does the task: it yields the result, and the seconds."""
    # The first page will report what is wrong with the options.
    with suppress(Exception):
        task(RawPage(WARM_UP_PAGE), options)

    def do(page: RawPage) -> Iterator[tuple[Any, float]]:
        begun = perf_counter()
        yield task(page, options), perf_counter() - begun

    return do


class PagePool(Generic[TaskResult]):
    """Processes that do a task with pages; they start at once and end with :meth:`close`.

    ``options``: those of most pages; what they need is loaded before the first page.
    """

    def __init__(self, processes: int, task: PageTask[TaskResult], options: Options) -> None:
        self._pool = Pool(processes, partial(_start, task), options, ahead=AHEAD)

    async def do(self, page: RawPage, options: Options, timeout: float | None = None) -> tuple[TaskResult, float]:
        """Return the result for a page, and the seconds that it took in its process.

        ``timeout``: seconds after which the page is given up.

        Raises the error of the task; :class:`~scrapy_justext.exceptions.PageTimeout`;
        :class:`~scrapy_justext.exceptions.WorkerCrashed` if each process that tried ended on the page;
        :class:`~scrapy_justext.exceptions.WorkerError` if no process can start, or the pool is closed.
        """
        for tries in count(1):
            if self._pool.is_closed:
                raise WorkerError("the crawl has ended")
            try:
                asked = self._pool.submit(page, context=options, seconds=timeout, join=itemgetter(0))
                return await _result_of(asked)
            except WorkerCrashed as error:
                if tries == TRIES or not error.is_ready:
                    raise
        raise AssertionError

    def close(self) -> None:
        """End all processes; pages that still wait are given up."""
        self._pool.close()


def freeze_objects() -> None:
    """Take all objects of now out of Python's garbage collections: some hundred thousands of Scrapy's and of others.

    A collection that goes through all of them takes a tenth of a second, every ten pages or so, and all waits for it.
    ``gc.unfreeze()`` gives them back.
    """
    gc.collect()
    gc.freeze()


async def _result_of(future: Future[TaskResult]) -> TaskResult:
    """Wait for a future in the event loop."""
    from scrapy.utils.asyncio import is_asyncio_available  # noqa: PLC0415 (processes do without Scrapy)

    if is_asyncio_available():
        return await asyncio.wrap_future(future)
    # To import the reactor is to choose it, where none was chosen.
    from twisted.internet import reactor  # noqa: PLC0415
    from twisted.internet.defer import Deferred  # noqa: PLC0415

    answered: Deferred[Future[TaskResult]] = Deferred()
    future.add_done_callback(partial(reactor.callFromThread, answered.callback))
    return (await answered).result()
