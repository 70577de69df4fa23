"""The processes of a pool, each kept at work by a thread.

A thread hands its process a page, another one ahead, and waits for the answers, all without the interpreter's lock, so
that the event loop goes on.  When a process ends on a page, the thread puts another in its place and hands it that
page once more: what ended the process may have been chance, such as the lack of memory.
"""

from __future__ import annotations

import pickle
import signal
import subprocess
import sys
from collections import OrderedDict, deque
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, Generic, NamedTuple

from scrapy_justext.exceptions import PageTimeout, WorkerCrashed, WorkerError
from scrapy_justext.processes.tasks import Result, Task
from scrapy_justext.processes.worker import PROTOCOL, SLOTS, Done, Failed, Order, Ready

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scrapy_justext.processes.tasks import RawPage

#: How often a page is handed to a process that ends on it.
TRIES = 2

#: How many processes may end before they come to a page, until the page is given up for it.
STARTS = 3

#: Pages that a process has: the one that it works on, and the next.  While the crawl is at work, it takes milliseconds
#: until the thread has its turn to read an answer and to hand over a page, for which the process would wait.
AHEAD = 2

#: Seconds after which a page that waits behind a slow one is given to a process that has nothing to do.
PATIENCE = 1.0

#: Bytes that are read at a time: each time the thread waits for its turn.
_BUFFER = 1 << 20

#: The process looks for modules where the crawl does.
_BOOT = "import sys; sys.path[:] = {path!r}; from scrapy_justext.processes.worker import main; main()"


class RemoteTraceback(Exception):  # noqa: N818 (it is a text)
    """Where in its process an error was raised."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


class Job(NamedTuple):
    """A page that waits; its result, or what it raised, goes to ``succeed`` or ``fail``.

    Where two processes had the page, only the first call counts.
    """

    configuration: bytes
    page: RawPage
    timeout: float | None
    succeed: Callable[[Any], None]
    fail: Callable[[Exception], None]


class _Worker(Generic[Result]):
    """A process, seen from the thread that feeds it."""

    def __init__(self, task: Task[Result]) -> None:
        self._task = task
        #: Whether it came as far as to load what its first pages need.
        self.is_ready = False
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
                if isinstance(message, Ready):
                    self.is_ready = True
                else:
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


class Feeder(Thread, Generic[Result]):
    """Keeps one process at work on the jobs of a queue, until that gives None.

    ``configuration``: what most pages will be done with, loaded before the first; ``all_feeders``: those of the same
    queue, this one among them.
    """

    def __init__(
        self,
        task: Task[Result],
        configuration: bytes,
        jobs: SimpleQueue[Job | None],
        all_feeders: Sequence[Feeder[Result]],
    ) -> None:
        super().__init__(name="justext-feeder", daemon=True)
        self._task = task
        self._configuration = configuration
        self._jobs = jobs
        self._all_feeders = all_feeders
        self._worker: _Worker[Result] | None = None
        #: The jobs whose pages the process has, in order, and which of them another process has, too.
        self._handed: deque[Job] = deque()
        self._given: Job | None = None
        #: When the process came to the first of them.
        self._since = monotonic()
        #: Guards these three, which other feeders look at.
        self._lock = Lock()
        #: How many processes have ended on the first of them, and before they came to it.
        self._failures = self._false_starts = 0
        self._is_closed = False

    def run(self) -> None:
        """What the thread does."""
        try:
            # What is wrong will be told of the first page.
            with suppress(OSError):
                self._begin()
            while (job := self._wait()) is not None:
                self._work(job)
        finally:
            if self._worker is not None:
                self._worker.end()

    def close(self) -> None:
        """Give up the pages that the process has."""
        self._is_closed = True
        worker = self._worker
        if worker is not None:
            worker.kill()

    def give(self) -> Job | None:
        """A job whose page has waited too long behind another, for another feeder."""
        with self._lock:
            waits = len(self._handed) == AHEAD and monotonic() - self._since > PATIENCE
            if not waits or self._handed[-1] is self._given:
                return None
            self._given = self._handed[-1]
            return self._given

    def _wait(self) -> Job | None:
        """A job, when there is one."""
        while True:
            with suppress(Empty):
                return self._jobs.get(timeout=PATIENCE)
            for feeder in self._all_feeders:
                if (job := feeder.give()) is not None:
                    return job

    def _work(self, job: Job) -> None:
        """Do a job, and those that come meanwhile."""
        self._hand(job)
        while self._handed:
            if len(self._handed) < AHEAD:
                with suppress(Empty):
                    # None is for the time when there is no job left.
                    if (ahead := self._jobs.get_nowait()) is None:
                        self._jobs.put(None)
                    else:
                        self._hand(ahead)
            self._take()

    def _hand(self, job: Job) -> None:
        if self._is_closed:
            job.fail(WorkerError("the crawl has ended"))
            return
        try:
            worker = self._worker or self._begin()
        except OSError as error:
            job.fail(WorkerError(f"no process can begin: {error}"))
            return
        with self._lock:
            if not self._handed:
                self._since = monotonic()
            self._handed.append(job)
        worker.hand(job.configuration, job.page, job.timeout)

    def _take(self) -> None:
        """Answer the first job."""
        assert self._worker is not None
        try:
            answer = self._worker.take(self._handed[0].timeout)
        except (PageTimeout, WorkerCrashed) as error:
            self._replace(self._worker, error)
        except Exception as error:
            self._done().fail(error)
        else:
            self._done().succeed(answer)

    def _done(self) -> Job:
        self._failures = self._false_starts = 0
        with self._lock:
            self._since = monotonic()
            return self._handed.popleft()

    def _replace(self, ended: _Worker[Result], error: PageTimeout | WorkerCrashed) -> None:
        """Another process in place of one that has ended, with the pages of this that are still to be done."""
        self._worker = None
        self._failures += ended.is_ready
        self._false_starts += not ended.is_ready
        if self._handed[0] is self._given:
            # Another process has it, and is to tell.
            self._done()
        elif isinstance(error, PageTimeout) or self._failures == TRIES or self._false_starts == STARTS:
            self._done().fail(error)
        with self._lock:
            left = [job for job in self._handed if job is not self._given]
            self._handed.clear()
        for job in left:
            self._hand(job)

    def _begin(self) -> _Worker[Result]:
        self._worker = _Worker(self._task)
        self._worker.begin(self._configuration)
        if self._is_closed:
            self._worker.kill()
        return self._worker
