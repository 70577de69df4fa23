"""Tasks in other processes: a pool that survives whatever a task does to the process that works on it.

A task is any value that can be pickled.  A process is made ready for tasks by a function of a module, ``start``: it is
given a context, such as the options of a crawl, and returns what does a task of that context: a function that yields
messages.  From the outside in::

    Pool       takes tasks, returns futures
    _Feeder    a thread that keeps one process at work, and replaces it when it ends
    _Clock     a thread that ends processes that take too long
    Worker     a process, seen from its feeder
    main       what runs in the process: tasks come on standard input, messages go to standard output, both pickled

====================================================  ============================================================
a task raises an error                                so does its future
a process ends while it works on a task               ``WorkerCrashed``
a task takes longer than it may                       its process is ended: ``PageTimeout``
a process ends while it gets ready                    another one is started, :data:`STARTS` times for a task, then
                                                      ``WorkerCrashed``
``start`` raises an error, or no process can begin    ``WorkerError``
the parent ends, in whatever way                      so do its processes
Ctrl-C                                                reaches the parent alone
====================================================  ============================================================

A process is no fork of the parent, whose threads and open connections it must not have, and none of
``multiprocessing``'s, which would import the user's script once more, and so start a crawl again.
"""

from __future__ import annotations

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
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from functools import cache
from math import inf
from queue import Empty, SimpleQueue
from threading import TIMEOUT_MAX, Condition, Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, TextIO

from scrapy_justext.exceptions import PageTimeout, WorkerCrashed, WorkerError, describe_os_error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import TracebackType

    from typing_extensions import Self

    #: Does a task, and yields messages.
    Handler = Callable[[Any], Iterable[object]]
    #: Makes a process ready for the tasks of a context.
    Start = Callable[[Any], Handler]

#: Contexts that a process keeps; those that were used last.
SLOTS = 64

#: How many processes may end before they are ready, until the task that waits for them fails.
STARTS = 3

#: Seconds after which a task that waits behind a slow one is given to a process that has nothing to do.
PATIENCE = 1.0

PROTOCOL = pickle.HIGHEST_PROTOCOL


class Begun(NamedTuple):
    """A message that is not part of the result: what a task begins now.

    ``step``: told if the process ends in it; ``seconds``: how long it may take, None: as long as it wants.
    """

    step: Any = None
    seconds: float | None = None


# What runs in a process.


class Order(NamedTuple):
    """A task, pickled, or None where only its context is to be loaded.

    ``slot``: the number of the context; ``context``: the context, pickled, where the process lacks it.
    """

    slot: int
    context: bytes | None
    task: bytes | None = None
    seconds: float | None = None


class Ready(NamedTuple):
    """The process has a context."""


class Done(NamedTuple):
    """All messages of a task have been sent."""


class Failed(NamedTuple):
    """What a task raised, or the start for its context."""

    error: Exception
    trace: str


class RemoteTraceback(Exception):  # noqa: N818 (it is a text)
    """Where in its process an error was raised."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


def main() -> None:
    """Do tasks until no more can come."""
    # Whoever presses Ctrl-C, or stops a service, means the parent, which has yet to finish its work.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    orders, messages = _channels()
    start: Start
    start, has_children = pickle.load(orders)
    received: SimpleQueue[Order] = SimpleQueue()
    Thread(target=_receive, args=(orders, received), daemon=True).start()
    if not has_children:
        _end_with_parent()
    handlers: dict[int, Handler | Failed] = {}
    while True:
        for message in _obey(received.get(), start, handlers):
            pickle.dump(message, messages, PROTOCOL)
            # The pieces of a result can wait for each other.
            if isinstance(message, Begun | Ready | Done | Failed):
                messages.flush()


def _channels() -> tuple[BinaryIO, BinaryIO]:
    """Return where orders come from and messages go to; what a library prints goes to standard error."""
    orders, messages = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    # Line by line: the process is ended without a moment to write what is held back.
    sys.stdout = sys.stderr
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return orders, messages


def _receive(orders: BinaryIO, received: SimpleQueue[Order]) -> None:
    """Receive orders; end the process, and all that it started, when the parent is gone."""
    with suppress(Exception):
        while True:
            received.put(pickle.load(orders))
    if hasattr(os, "killpg"):
        os.killpg(0, signal.SIGKILL)
    os._exit(0)


#: From Linux's ``sys/prctl.h``.
_PR_SET_PDEATHSIG = 1


def _end_with_parent() -> None:
    """Have this process killed with the parent even while no thread of ours gets its turn, as in a regular expression.

    This is for Linux; elsewhere the process ends when :func:`_receive` gets its turn.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _obey(order: Order, start: Start, handlers: dict[int, Handler | Failed]) -> Iterator[object]:
    if order.context is not None:
        try:
            handlers[order.slot] = start(pickle.loads(order.context))
        except Exception as error:
            handlers[order.slot] = Failed(
                WorkerError(f"no process can begin: {describe(error)}"), traceback.format_exc()
            )
        yield Ready()
    if order.task is None:
        return
    handler = handlers[order.slot]
    if isinstance(handler, Failed):
        yield handler
        return
    try:
        if order.seconds is not None:
            yield Begun(None, order.seconds)
        yield from handler(pickle.loads(order.task))
    except Exception as error:
        yield Failed(_that_travels(error), traceback.format_exc())
    else:
        yield Done()


def describe(error: Exception) -> str:
    """Return an error in words, with the file that it is about where it names one.

    >>> describe(OSError(27, "File too large", "/tmp/model")), describe(OSError(27, "File too large"))
    ('/tmp/model: File too large', 'File too large')
    """
    if not isinstance(error, OSError):
        return str(error)
    return describe_os_error(error) if error.filename is None else f"{error.filename}: {describe_os_error(error)}"


def _that_travels(error: Exception) -> Exception:
    """Return the error, or one that says the same where it cannot be pickled."""
    try:
        copied = pickle.loads(pickle.dumps(error, PROTOCOL))
    except Exception:
        copied = None
    return error if type(copied) is type(error) else WorkerError(f"{type(error).__name__}: {error}")


# A process, seen from outside.

#: Bytes that are read at a time: each time the thread waits for its turn.
_BUFFER = 1 << 20

#: The process looks for modules where the parent does.
_BOOT = "import sys; sys.path[:] = {path!r}; from scrapy_justext.workers import main; main()"


class Worker:
    """A process, which begins when this is made.

    ``has_children``: whether its tasks start processes, which are to end with it.
    """

    def __init__(self, start: Start, *, has_children: bool = False) -> None:
        #: Whether it has had a context, so that it can do tasks.
        self.is_ready = False
        #: Whether it was ended because it took too long.
        self.is_late = False
        #: What it has begun, and the seconds that this may take.
        self.begun = Begun()
        #: Slots by the contexts that they hold, the one that was not used for the longest first.
        self._slots: OrderedDict[bytes, int] = OrderedDict()
        self._process = subprocess.Popen(
            [sys.executable, "-c", _BOOT.format(path=sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=_BUFFER,
            # Out of reach of the terminal's Ctrl-C, and the first of a group.
            start_new_session=True,
        )
        self._send((start, has_children))

    def hand(self, context: bytes, task: bytes | None = None, seconds: float | None = None) -> None:
        """Hand the process a context and a task of it, which it comes to when it is done with those that it has."""
        slot = self._slots.pop(context, None)
        is_there = slot is not None
        if slot is None:
            slot = len(self._slots) if len(self._slots) < SLOTS else self._slots.popitem(last=False)[1]
        self._slots[context] = slot
        self._send(Order(slot, None if is_there else context, task, seconds))

    def receive(self) -> object:
        """Return the next message, waited for; raise whatever a message raises that breaks off with the process."""
        return pickle.load(self._process.stdout)  # type: ignore[arg-type]

    def kill(self) -> None:
        """End the process, and all that it started, whatever they are doing; from whichever thread."""
        if self._process.returncode is not None:
            return
        if hasattr(os, "killpg"):
            with suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()

    def end(self) -> int:
        """End the process where it has not ended by itself, and return its exit status."""
        self.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            # What could not be written to a process that is gone is of no use.
            with suppress(OSError):
                pipe.close()  # type: ignore[union-attr]
        return self._process.wait()

    def _send(self, message: object) -> None:
        stream = self._process.stdin
        assert stream is not None
        content = pickle.dumps(message, PROTOCOL)
        # A process that has ended is seen when its message is read.
        with suppress(OSError):
            stream.write(content)
            stream.flush()


class _Clock(Thread):
    """Ends workers that take too long."""

    def __init__(self) -> None:
        super().__init__(name="justext-clock", daemon=True)
        self._due: dict[Worker, float] = {}
        self._changed = Condition()
        self._wakes = inf

    def set(self, worker: Worker, seconds: float | None) -> None:
        """End a worker after so many seconds, unless this is called again before; None: do not end it."""
        with self._changed:
            self._due.pop(worker, None)
            if seconds is None:
                return
            self._due[worker] = monotonic() + seconds
            if self._due[worker] < self._wakes:
                if not self.is_alive():
                    self.start()
                self._changed.notify()

    def run(self) -> None:
        with self._changed:
            while True:
                now = monotonic()
                for worker in [worker for worker, due in self._due.items() if due <= now]:
                    del self._due[worker]
                    worker.is_late = True
                    worker.kill()
                self._wakes = min(self._due.values(), default=inf)
                self._changed.wait(min(self._wakes - now, TIMEOUT_MAX))


@cache
def _clock() -> _Clock:
    return _Clock()


# The pool.
#
# A feeder hands its process a task, perhaps another one ahead, and waits for messages, all without the interpreter's
# lock, so that the parent's own work goes on.


class Job(NamedTuple):
    """A task on its way, see :meth:`Pool.submit`.  ``context``: pickled."""

    context: bytes
    task: object
    seconds: float | None
    join: Callable[[list[Any]], Any]
    hear: Callable[[Any], object] | None
    future: Future[Any]

    def succeed(self, messages: list[Any]) -> None:
        """Give the future its result; where two processes had the task, the first result counts."""
        try:
            result = self.join(messages)
        except Exception as error:
            self.fail(error)
            return
        with suppress(InvalidStateError):
            self.future.set_result(result)

    def fail(self, error: Exception) -> None:
        """Give the future its error."""
        with suppress(InvalidStateError):
            self.future.set_exception(error)


class _Feeder(Thread):
    """Keeps one process at work on the jobs of a pool, until its queue gives None."""

    def __init__(self, pool: Pool) -> None:
        super().__init__(name="justext-feeder", daemon=True)
        self._pool = pool
        self._worker: Worker | None = None
        #: The jobs that the process has, in order, and which of them another process has, too.
        self._handed: deque[Job] = deque()
        self._given: Job | None = None
        #: When the process came to the first of them.
        self._since = monotonic()
        #: Guards these three, which other feeders look at.
        self._lock = Lock()
        #: How many processes have ended before they were ready for the first of them.
        self._false_starts = 0

    def run(self) -> None:
        try:
            # What is wrong will be told of the first task.
            with suppress(OSError):
                self._begin()
            while (job := self._wait()) is not None:
                self._work(job)
        finally:
            if self._worker is not None:
                self._end(self._worker)

    def close(self) -> None:
        """Give up the tasks that the process has."""
        worker = self._worker
        if worker is not None:
            worker.kill()

    def give(self) -> Job | None:
        """Return a job that has waited too long behind another, for another feeder."""
        with self._lock:
            waits = len(self._handed) > 1 and monotonic() - self._since > PATIENCE
            if not waits or self._handed[-1] is self._given:
                return None
            self._given = self._handed[-1]
            return self._given

    def _wait(self) -> Job | None:
        """Return a job, when there is one."""
        while True:
            with suppress(Empty):
                return self._pool.jobs.get(timeout=PATIENCE if self._pool.ahead > 1 else None)
            for feeder in self._pool.feeders:
                if (job := feeder.give()) is not None:
                    return job

    def _work(self, job: Job) -> None:
        """Do a job, and those that come meanwhile."""
        self._hand(job)
        while self._handed:
            if len(self._handed) < self._pool.ahead:
                with suppress(Empty):
                    # None is for the time when there is no job left.
                    if (ahead := self._pool.jobs.get_nowait()) is None:
                        self._pool.jobs.put(None)
                    else:
                        self._hand(ahead)
            self._take()

    def _hand(self, job: Job) -> None:
        if self._pool.is_closed:
            job.fail(WorkerError("the pool is closed"))
            return
        try:
            task = pickle.dumps(job.task, PROTOCOL)
        except Exception as error:
            job.fail(error)
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
        worker.hand(job.context, task, job.seconds)

    def _take(self) -> None:
        """Receive the messages for the first job."""
        job, worker = self._handed[0], self._worker
        assert worker is not None
        try:
            messages, failed = self._receive(worker, job)
        except Exception:
            # A pickle that breaks off can raise anything.
            self._replace(worker)
            return
        _clock().set(worker, None)
        self._done()
        if failed is not None:
            failed.error.__cause__ = RemoteTraceback(failed.trace)
            job.fail(failed.error)
        else:
            job.succeed(messages)
        if worker.is_late:
            # The result came just before.
            self._end(worker)
            self._hand_again()

    def _receive(self, worker: Worker, job: Job) -> tuple[list[Any], Failed | None]:
        messages = []
        worker.begun = Begun()
        while not isinstance(message := worker.receive(), Done | Failed):
            if isinstance(message, Begun):
                worker.begun = message
                _clock().set(worker, message.seconds)
            elif isinstance(message, Ready):
                worker.is_ready = True
                _clock().set(worker, None)
            elif job.hear is None:
                messages.append(message)
            else:
                job.hear(message)
        return messages, message if isinstance(message, Failed) else None

    def _done(self) -> None:
        self._false_starts = 0
        with self._lock:
            self._since = monotonic()
            self._handed.popleft()

    def _replace(self, ended: Worker) -> None:
        """Put another process in the place of one that has ended, with the jobs that are still to be done."""
        code = self._end(ended)
        job = self._handed[0]
        self._false_starts += not ended.is_ready
        if job is self._given:
            # Another process has it, and is to tell.
            self._done()
        elif ended.is_ready or self._false_starts == STARTS:
            self._done()
            if ended.is_late and ended.is_ready:
                job.fail(PageTimeout(ended.begun.seconds or 0, ended.begun.step))
            else:
                job.fail(WorkerCrashed(code, ended.begun.step, is_ready=ended.is_ready))
        self._hand_again()

    def _hand_again(self) -> None:
        with self._lock:
            left = [job for job in self._handed if job is not self._given]
            self._handed.clear()
        for job in left:
            self._hand(job)

    def _begin(self) -> Worker:
        self._worker = worker = Worker(self._pool.start, has_children=self._pool.has_children)
        _clock().set(worker, self._pool.start_seconds)
        worker.hand(self._pool.context)
        if self._pool.is_closed:
            worker.kill()
        return worker

    def _end(self, worker: Worker) -> int:
        self._worker = None
        _clock().set(worker, None)
        return worker.end()


class Pool:
    """Processes that do tasks; begun when made, ended by :meth:`close`, or at the end of a ``with`` statement.

    ``start`` and ``context``: what makes a process ready, see the module; ``ahead``: tasks that a process has, one to
    work on and others that wait; those that wait too long are given to another process;
    ``start_seconds``: how long a process may take to get ready; ``has_children``: see :class:`Worker`.
    """

    def __init__(
        self,
        processes: int,
        start: Start,
        context: object = None,
        *,
        ahead: int = 1,
        start_seconds: float | None = None,
        has_children: bool = False,
    ) -> None:
        self.start = start
        self.has_children = has_children
        self._packed: OrderedDict[int, tuple[object, bytes]] = OrderedDict()
        self.context = self._pack(context)
        self.ahead = ahead
        self.start_seconds = start_seconds
        self.jobs: SimpleQueue[Job | None] = SimpleQueue()
        self.is_closed = False
        self.feeders = [_Feeder(self) for _ in range(processes)]
        for feeder in self.feeders:
            feeder.start()
        # A program that is stopped by force closes nothing.
        atexit.register(self.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
        for feeder in self.feeders:
            feeder.join()

    def submit(
        self,
        task: object,
        *,
        context: object = None,
        seconds: float | None = None,
        join: Callable[[list[Any]], Any] = list,
        hear: Callable[[Any], object] | None = None,
    ) -> Future[Any]:
        """Have a task done.

        ``context``: another one than the pool's; ``seconds``: that the task may take, from the moment when a process
        comes to it; ``join``: makes the result of the task's messages, in another thread;
        ``hear``: is told each message as it comes, in another thread, so that none is left to be joined.
        """
        packed = self.context if context is None else self._pack(context)
        job = Job(packed, task, seconds, join, hear, Future())
        if self.is_closed:
            job.fail(WorkerError("the pool is closed"))
        else:
            self.jobs.put(job)
        return job.future

    def close(self) -> None:
        """End all processes; tasks that wait or are in work fail."""
        atexit.unregister(self.close)
        self.is_closed = True
        for feeder in self.feeders:
            feeder.close()
            self.jobs.put(None)

    def _pack(self, context: object) -> bytes:
        """Return a context pickled, those that were used last kept."""
        key = id(context)
        if key not in self._packed:
            # Held, so that no other context gets the identity meanwhile.
            self._packed[key] = context, pickle.dumps(context, PROTOCOL)
        self._packed.move_to_end(key)
        if len(self._packed) > SLOTS:
            self._packed.popitem(last=False)
        return self._packed[key][1]


# Python's garbage collections, which stop everything while they last.


@cache
def spare_what_is_there() -> None:
    """Have collections leave alone what is there now, once: half a million objects of Scrapy's and of others.

    To look at all of them, which happens every some ten pages of a crawl, takes a tenth of a second.
    """
    gc.collect()
    gc.freeze()


# How far the tasks of a command are.

#: Seconds between two lines of progress.
INTERVAL = 30.0


class Progress:
    """Shows how far a command is, in a ``with`` statement: a bar on a terminal, elsewhere a line now and then.

    ``total``: steps at the end; ``done``: those that are done at the start; ``noun``: what they are, None for bytes.
    """

    def __init__(self, total: int, done: int, noun: str | None = None, stream: TextIO | None = None) -> None:
        self._total = total
        self._done = self._first_done = done
        self._noun = noun
        self._stream = stream or sys.stderr
        self._note = ""
        self._bar: Any = None
        self._begun = monotonic()
        self._next_line = self._begun + INTERVAL

    def __enter__(self) -> Self:
        if self._stream.isatty():
            with suppress(ImportError):
                from tqdm import tqdm  # noqa: PLC0415 (only some commands have it)

                unit: dict[str, Any] = {"unit": ""} if self._noun else {"unit": "B", "unit_scale": True}
                self._bar = tqdm(total=self._total, initial=self._done, file=self._stream, dynamic_ncols=True, **unit)
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()
        elif self._noun:
            self._print_line()

    def advance(self, note: str = "", steps: int = 1) -> None:
        """Count steps; ``note``: what there is to say, for short."""
        self._done += steps
        self._note = note
        if self._bar is not None:
            self._bar.set_postfix_str(note, refresh=False)
            self._bar.update(steps)
        elif monotonic() >= self._next_line:
            self._print_line()

    def tell(self, line: str) -> None:
        """Print a line beside the bar."""
        if self._bar is not None:
            self._bar.write(line, file=self._stream)
        else:
            print(line, file=self._stream, flush=True)

    def _print_line(self) -> None:
        now = monotonic()
        if self._noun:
            line = f"{self._done} of {self._total} {self._noun}" + (f", {self._note}" if self._note else "")
        else:
            left = (self._total - self._done) * (now - self._begun) / max(self._done - self._first_done, 1)
            line = f"{self._done / max(self._total, 1):.0%}: {self._note}, {left:.0f} s left"
        self.tell(line)
        self._next_line = now + INTERVAL
