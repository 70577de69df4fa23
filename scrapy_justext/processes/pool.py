"""The processes of a crawl, each kept at work by a thread.

A thread hands its process a page, another one ahead, and waits for the answers, all without the interpreter's lock, so
that the event loop goes on.  When a process ends on a page, the thread puts another in its place and hands it that
page once more: what ended the process may have been chance, such as the lack of memory.  There is no queue to bound
here: a page that waits is a response that Scrapy's downloader still counts, which asks for no more than
``CONCURRENT_REQUESTS`` at a time.
"""

from __future__ import annotations

import asyncio
import atexit
import gc
import pickle
import signal
import subprocess
import sys
from collections import OrderedDict, deque
from contextlib import suppress
from functools import cache
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any, Generic, NamedTuple

from scrapy.utils.asyncio import is_asyncio_available
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred

from scrapy_justext.exceptions import PageTimeout, WorkerCrashed
from scrapy_justext.processes.tasks import Result, Task
from scrapy_justext.processes.worker import PROTOCOL, SLOTS, Done, Failed, Order

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_justext.options import Options
    from scrapy_justext.processes.tasks import RawPage

#: How often a page is handed to a process that ends on it.
TRIES = 2

#: Pages that a process has: the one that it works on, and the next.  While the crawl is at work, it takes milliseconds
#: until the thread has its turn to read an answer and to hand over a page, for which the process would wait.
AHEAD = 2

#: Bytes that are read at a time: each time the thread waits for its turn.
_BUFFER = 1 << 20

#: The process looks for modules where the crawl does.
_BOOT = "import sys; sys.path[:] = {path!r}; from scrapy_justext.processes.worker import main; main()"


class RemoteTraceback(Exception):  # noqa: N818 (it is a text)
    """Where in its process an error was raised."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


class _Worker(Generic[Result]):
    """A process, seen from the thread that feeds it."""

    def __init__(self, task: Task[Result]) -> None:
        self._task = task
        #: Slots by the configurations that they hold, the one that was not asked for the longest first.
        self._slots: OrderedDict[bytes, int] = OrderedDict()
        self._process = subprocess.Popen(
            [sys.executable, "-c", _BOOT.format(path=sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=_BUFFER,
            # Out of reach of the terminal's Ctrl-C.
            start_new_session=True,
        )

    def begin(self, configuration: bytes) -> None:
        """Have the process load what it needs."""
        self._send(self._task)
        self._send(self._order(configuration))

    def hand(self, configuration: bytes, page: RawPage, timeout: float | None) -> None:
        """Hand the process a page, which it comes to when it is done with those that it has."""
        self._send(self._order(configuration, page, timeout))

    def take(self, timeout: float | None) -> tuple[Result, float]:
        """The result for the page that was handed over first of those that the process has, and the seconds it took.

        ``timeout``: that of the page.  Raises what the task raised; :class:`PageTimeout`; :class:`WorkerCrashed` when
        the process ended.
        """
        try:
            pieces = []
            while not isinstance(message := pickle.load(self._process.stdout), Done | Failed):  # type: ignore[arg-type]
                pieces.append(message)
        except Exception as error:
            # A pickle that breaks off can raise anything.
            code = self.end()
            if timeout is not None and code == -getattr(signal, "SIGALRM", 0):
                raise PageTimeout(timeout) from None
            raise WorkerCrashed(code) from error
        if isinstance(message, Failed):
            raise message.error from RemoteTraceback(message.trace)
        return self._task.join(pieces), message.seconds

    def end(self) -> int:
        """End the process, whatever it is doing, where it has not ended by itself; its exit status."""
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            # What could not be written to a process that is gone is of no use.
            with suppress(OSError):
                pipe.close()  # type: ignore[union-attr]
        return self._process.wait()

    def kill(self) -> None:
        """End the process, from whichever thread; the one that feeds it sees it."""
        self._process.kill()

    def _send(self, message: object) -> None:
        stream = self._process.stdin
        assert stream is not None
        # A process that has ended is seen when its answer is read.
        with suppress(OSError):
            stream.write(pickle.dumps(message, PROTOCOL))
            stream.flush()

    def _order(self, configuration: bytes, page: RawPage | None = None, timeout: float | None = None) -> Order:
        slot = self._slots.pop(configuration, None)
        is_there = slot is not None
        if slot is None:
            slot = len(self._slots) if len(self._slots) < SLOTS else self._slots.popitem(last=False)[1]
        self._slots[configuration] = slot
        return Order(slot, None if is_there else configuration, page, timeout)


class _Job(NamedTuple):
    """A page that waits; its result, or what it raised, goes to ``succeed`` or ``fail``, in the event loop."""

    configuration: bytes
    page: RawPage
    timeout: float | None
    succeed: Callable[[Any], None]
    fail: Callable[[Exception], None]


class _Feeder(Thread, Generic[Result]):
    """Keeps one process at work on the jobs of a queue, until that gives None."""

    def __init__(self, task: Task[Result], configuration: bytes, jobs: SimpleQueue[_Job | None]) -> None:
        super().__init__(name="justext-feeder", daemon=True)
        self._task = task
        self._configuration = configuration
        self._jobs = jobs
        #: The jobs whose pages the process has, in order.
        self._handed: deque[_Job] = deque()
        #: How many processes have ended on the first of them.
        self._failures = 0
        self._worker: _Worker[Result] | None = None
        self._is_closed = False

    def run(self) -> None:
        """What the thread does."""
        worker = self._begin()
        is_open = True
        while is_open or self._handed:
            while is_open and len(self._handed) < AHEAD:
                try:
                    job = self._jobs.get(block=not self._handed)
                except Empty:
                    break
                if job is None:
                    is_open = False
                else:
                    self._hand(worker, job)
            if self._handed:
                worker = self._take(worker)
        worker.end()

    def close(self) -> None:
        """Give up the pages that the process has."""
        self._is_closed = True
        if self._worker is not None:
            self._worker.kill()

    def _hand(self, worker: _Worker[Result], job: _Job) -> None:
        self._handed.append(job)
        worker.hand(job.configuration, job.page, job.timeout)

    def _take(self, worker: _Worker[Result]) -> _Worker[Result]:
        """Answer the first job; the process for the next ones."""
        job = self._handed[0]
        try:
            answer = worker.take(job.timeout)
        except (PageTimeout, WorkerCrashed) as error:
            self._failures += 1
            if isinstance(error, PageTimeout) or self._failures == TRIES or self._is_closed:
                self._done().fail(error)
            return self._replace()
        except Exception as error:
            self._done().fail(error)
        else:
            self._done().succeed(answer)
        return worker

    def _done(self) -> _Job:
        self._failures = 0
        return self._handed.popleft()

    def _replace(self) -> _Worker[Result]:
        """Another process, with the pages that the one before had."""
        worker = self._begin()
        handed, self._handed = self._handed, deque()
        for job in handed:
            self._hand(worker, job)
        return worker

    def _begin(self) -> _Worker[Result]:
        self._worker = _Worker(self._task)
        self._worker.begin(self._configuration)
        if self._is_closed:
            self._worker.kill()
        return self._worker


class Pool(Generic[Result]):
    """Processes that do a task; begun when made, ended by :meth:`close`.

    ``options``: what most pages will be done with, and is loaded before the first.
    """

    def __init__(self, processes: int, task: Task[Result], options: Options) -> None:
        self._configurations: OrderedDict[int, tuple[Options, bytes]] = OrderedDict()
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        configuration = self._pickled(options)
        self._feeders = [_Feeder(task, configuration, self._jobs) for _ in range(processes)]
        for feeder in self._feeders:
            feeder.start()
        _spare_collections()
        # A crawl that is stopped by force closes nothing.
        atexit.register(self.close)

    async def do(self, page: RawPage, options: Options, timeout: float | None = None) -> tuple[Result, float]:
        """The result for a page, and the seconds that it took in its process.

        ``timeout``: seconds after which the page is given up.  Raises what the task raised;
        :class:`~scrapy_justext.exceptions.PageTimeout`; :class:`~scrapy_justext.exceptions.WorkerCrashed` when
        each of the processes that tried ended on the page.
        """
        answered: Deferred[tuple[Result, float]] = Deferred()
        call = _caller()

        def succeed(answer: tuple[Result, float]) -> None:
            call(answered.callback, answer)

        def fail(error: Exception) -> None:
            call(answered.errback, error)

        self._jobs.put(_Job(self._pickled(options), page, timeout, succeed, fail))
        return await maybe_deferred_to_future(answered)

    def close(self) -> None:
        """End all processes; a page that waits still is given up."""
        atexit.unregister(self.close)
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


@cache
def _spare_collections() -> None:
    """Have garbage collections leave alone what is there, once: half a million objects of Scrapy's and of others.

    Each time that all objects are looked at, which is every some ten pages, the crawl stands still for a tenth of a
    second.
    """
    gc.collect()
    gc.freeze()


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
