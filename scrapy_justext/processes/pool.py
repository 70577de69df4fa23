"""The processes of a crawl.

There is no queue to bound here: a page that waits is a response that Scrapy's downloader still counts, which asks for
no more than ``CONCURRENT_REQUESTS`` at a time.
"""

from __future__ import annotations

import asyncio
import atexit
import pickle
from collections import OrderedDict
from contextlib import suppress
from queue import SimpleQueue
from typing import TYPE_CHECKING, Generic

from scrapy.utils.asyncio import is_asyncio_available
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred

from scrapy_justext.exceptions import WorkerError
from scrapy_justext.garbage import spare_what_is_there
from scrapy_justext.processes.feeders import Feeder, Job
from scrapy_justext.processes.tasks import Result, Task
from scrapy_justext.processes.worker import PROTOCOL, SLOTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_justext.options import Options
    from scrapy_justext.processes.tasks import RawPage


class Pool(Generic[Result]):
    """Processes that do a task; begun when made, ended by :meth:`close`.

    ``options``: what most pages will be done with, and is loaded before the first.
    """

    def __init__(self, processes: int, task: Task[Result], options: Options) -> None:
        self._configurations: OrderedDict[int, tuple[Options, bytes]] = OrderedDict()
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._is_closed = False
        configuration = self._pickled(options)
        self._feeders: list[Feeder[Result]] = []
        self._feeders += (Feeder(task, configuration, self._jobs, self._feeders) for _ in range(processes))
        for feeder in self._feeders:
            feeder.start()
        spare_what_is_there()
        # A crawl that is stopped by force closes nothing.
        atexit.register(self.close)

    async def do(self, page: RawPage, options: Options, timeout: float | None = None) -> tuple[Result, float]:
        """The result for a page, and the seconds that it took in its process.

        ``timeout``: seconds after which the page is given up.  Raises what the task raised;
        :class:`~scrapy_justext.exceptions.PageTimeout`; :class:`~scrapy_justext.exceptions.WorkerCrashed` when
        each of the processes that tried ended on the page; :class:`~scrapy_justext.exceptions.WorkerError` when
        no process can begin, or the pool is closed.
        """
        if self._is_closed:
            raise WorkerError("the crawl has ended")
        answered: Deferred[tuple[Result, float]] = Deferred()
        call = _caller()

        def finish(report: Callable[[object], None], what: object) -> None:
            # Two processes may have had the page.
            if not answered.called:
                report(what)

        def succeed(answer: tuple[Result, float]) -> None:
            call(finish, answered.callback, answer)

        def fail(error: Exception) -> None:
            call(finish, answered.errback, error)

        self._jobs.put(Job(self._pickled(options), page, timeout, succeed, fail))
        return await maybe_deferred_to_future(answered)

    def close(self) -> None:
        """End all processes; a page that waits still is given up."""
        atexit.unregister(self.close)
        self._is_closed = True
        for feeder in self._feeders:
            feeder.close()
            self._jobs.put(None)

    def _pickled(self, options: Options) -> bytes:
        """Options as they are sent, those that were used last kept."""
        key = id(options)
        if key not in self._configurations:
            # Held, so that no other options get the identity meanwhile.
            self._configurations[key] = options, pickle.dumps(options, PROTOCOL)
        self._configurations.move_to_end(key)
        if len(self._configurations) > SLOTS:
            self._configurations.popitem(last=False)
        return self._configurations[key][1]


def _caller() -> Callable[..., None]:
    """What has a function called in the event loop, from another thread; once that has ended, nothing."""
    schedule: Callable[..., object]
    if is_asyncio_available():
        schedule = asyncio.get_running_loop().call_soon_threadsafe
    else:
        # To import it is to choose it, where none was chosen.
        from twisted.internet import reactor  # noqa: PLC0415

        schedule = reactor.callFromThread

    def call(function: Callable[..., object], *arguments: object) -> None:
        # The loop is closed already where a crawl was stopped by force.
        with suppress(RuntimeError):
            schedule(function, *arguments)

    return call
