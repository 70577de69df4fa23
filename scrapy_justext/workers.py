"""What runs in a process of a pool: orders come on standard input, answers go to standard output, both pickled.

The process ends when the pipe that its orders come from is closed, be it in the middle of a page: at the latest with
the crawl.  It is no fork of the crawl, whose threads and open connections it must not have, and none of
``multiprocessing``'s, which would import the user's script once more, and so start the crawl again.
"""

from __future__ import annotations

import asyncio
import atexit
import ctypes
import gc
import os
import pickle
import signal
import subprocess
import sys
import traceback
from collections import OrderedDict, deque
from contextlib import contextmanager, suppress
from functools import cache
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Any, BinaryIO, Generic, NamedTuple

from scrapy.utils.asyncio import is_asyncio_available
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred

from scrapy_justext.crawl.processes import RawPage, Result, Task
from scrapy_justext.exceptions import PageTimeout, WorkerCrashed, WorkerError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from scrapy_justext.core.options import Options

# Processes that must not outlive the one that started them, however that ends.

#: From Linux's ``sys/prctl.h``.
_PR_SET_PDEATHSIG = 1


def end_with_parent(parent: int | None = None) -> None:
    """Have this process killed when the thread that started it ends, also where no thread of ours has its turn then.

    Such is a regular expression that does not come to an end.  Elsewhere than on Linux nothing is done: a closed pipe
    has to be seen.
    ``parent``: the number of the process that started this one, which may have ended before this is called.
    """
    if sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if parent is not None and os.getppid() != parent:
        os._exit(1)


#: Configurations that a process keeps, which its owner numbers.
SLOTS = 64

PROTOCOL = pickle.HIGHEST_PROTOCOL

#: What makes a process load all that a configuration needs: stoplist, language detector, model.
_WARM_UP = RawPage("<title>Words</title><p>It was said in the town that the bridge had always been there.</p>")


class Order(NamedTuple):
    """A page to work on.

    ``slot``: the number of the configuration; ``configuration``: pickled options that the slot holds from now on,
    None where it has them; ``page``: None where only the configuration is to be loaded; ``timeout``: seconds after
    which the process is ended by a signal, in the middle of whatever it does; None: never.
    """

    slot: int
    configuration: bytes | None
    page: RawPage | None
    timeout: float | None


class Ready(NamedTuple):
    """The process has loaded a configuration."""


class Done(NamedTuple):
    """Follows the pieces of a result.  ``seconds``: what the page took."""

    seconds: float


class Failed(NamedTuple):
    """What a page raised."""

    error: Exception
    trace: str


def main() -> None:
    """Obey until there are no more orders."""
    # Whoever presses Ctrl-C, or stops a service, means the crawl, which has yet to finish its pages.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    end_with_parent()
    orders, answers = _channels()
    task: Task[Any] = pickle.load(orders)
    received: SimpleQueue[Order] = SimpleQueue()
    Thread(target=_receive, args=(orders, received), daemon=True).start()
    slots: dict[int, Options] = {}
    while True:
        for message in _obey(received.get(), task, slots):
            pickle.dump(message, answers, PROTOCOL)
        answers.flush()


def _channels() -> tuple[BinaryIO, BinaryIO]:
    """Where orders come from and answers go to; what a library prints goes elsewhere."""
    orders, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    # Line by line: the process is ended without a moment to write what is held back.
    sys.stdout = sys.stderr
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return orders, answers


def _receive(orders: BinaryIO, received: SimpleQueue[Order]) -> None:
    with suppress(Exception):
        while True:
            received.put(pickle.load(orders))
    os._exit(0)


def _obey(order: Order, task: Task[Any], slots: dict[int, Options]) -> Iterator[object]:
    if order.configuration is not None:
        slots[order.slot] = pickle.loads(order.configuration)
        # What is wrong with it will be told of the first page.
        with suppress(Exception):
            task.run(_WARM_UP, slots[order.slot])
        yield Ready()
    if order.page is None:
        return
    start = perf_counter()
    try:
        with _limited(order.timeout):
            result = task.run(order.page, slots[order.slot])
        seconds = perf_counter() - start
        yield from task.split(result)
    except Exception as error:
        yield Failed(_that_travels(error), traceback.format_exc())
    else:
        yield Done(seconds)


@contextmanager
def _limited(seconds: float | None) -> Iterator[None]:
    """End the process when what is done within takes longer; where the system has no such timer, do nothing."""
    if seconds is None or not hasattr(signal, "setitimer"):
        yield
        return
    # No handler of Python's: that would wait for an extension, or a regular expression, to come back.
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _that_travels(error: Exception) -> Exception:
    """The error, or one that says the same where it cannot be pickled."""
    try:
        copied = pickle.loads(pickle.dumps(error, PROTOCOL))
    except Exception:
        copied = None
    return error if type(copied) is type(error) else WorkerError(f"{type(error).__name__}: {error}")


# The processes of a pool, each kept at work by a thread.
#
# A thread hands its process a page, another one ahead, and waits for the answers, all without the interpreter's lock,
# so
# that the event loop goes on.  When a process ends on a page, the thread puts another in its place and hands it that
# page once more: what ended the process may have been chance, such as the lack of memory.

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
_BOOT = "import sys; sys.path[:] = {path!r}; from scrapy_justext.workers import main; main()"


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


# Python's garbage collections, which stop everything while they last.


@cache
def spare_what_is_there() -> None:
    """Have collections leave alone what is there now, once: half a million objects of Scrapy's and of others.

    To look at all of them, which happens every some ten pages of a crawl, takes a tenth of a second.
    """
    gc.collect()
    gc.freeze()


# The processes of a crawl.
#
# There is no queue to bound here: a page that waits is a response that Scrapy's downloader still counts, which asks for
# no more than ``CONCURRENT_REQUESTS`` at a time.


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
