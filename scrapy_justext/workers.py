"""Tasks in other processes: a pool that survives whatever a task does to the process that works on it.

A task is any value that can be pickled.  ``start``, a function of a module, gets a process ready for tasks: it takes a
context, such as the options of a crawl, and returns a function that does a task of that context and yields messages.
From the outside in::

    Pool       takes tasks, returns futures
    _Feeder    a thread that keeps one process at work, without the interpreter's lock, and replaces it when it ends
    _Clock     a thread that ends processes that take too long
    Worker     a process as its feeder sees it
    main       what runs in the process: orders come on standard input, messages go to standard output, both pickled

====================================================  ============================================================
a task raises an error                                so does its future
a process ends while it works on a task               ``WorkerCrashed``
a task takes longer than it may                       its process is ended: ``PageTimeout``
a process ends while it gets ready                    another one is started; after :data:`STARTS` for one task,
                                                      ``WorkerCrashed``
``start`` raises an error, or no process can begin    ``WorkerError``
the parent ends, in whatever way                      so do its processes
Ctrl-C                                                reaches the parent alone
====================================================  ============================================================

A process is no fork of the parent, whose threads and open connections it must not have.  It is none of
``multiprocessing``'s either: those import the user's script again, and so would start a crawl again.
"""

from __future__ import annotations

import atexit
import ctypes
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
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from scrapy_justext.exceptions import PageTimeout, WorkerCrashed, WorkerError, describe_error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from typing_extensions import Self

    #: Does a task, and yields messages.
    Handler = Callable[[Any], Iterable[object]]
    #: Makes a process ready for the tasks of a context.
    Start = Callable[[Any], Handler]

#: So many processes may end before they are ready; then the task that waits for them fails.
STARTS = 3

#: Seconds after which a task behind a slow one is lent to a process that has nothing to do.
HANDOVER_SECONDS = 1.0

#: Contexts that a process keeps, the most recently used.
SLOTS = 64

PROTOCOL = pickle.HIGHEST_PROTOCOL

# What a process is told, and what it tells.

#: The number of a context; the context, pickled, or None where the process has it; a task of it, pickled, or None where
#: the context is only to be loaded; the seconds that the task may take, or None.
Order = tuple[int, "bytes | None", "bytes | None", "float | None"]


class Begun(NamedTuple):
    """Tells which step a task begins now; a message that is not part of the result.

    ``step``: named in the error if the process ends during it, None before the first one; ``seconds``: how long it may
    take, None for any time.
    """

    step: Any = None
    seconds: float | None = None


class Ended(NamedTuple):
    """A task has ended, and all its messages were sent.

    ``error``: what the task raised, or the start for its context; ``trace``: the traceback.
    """

    error: Exception | None = None
    trace: str = ""


class RemoteTraceback(Exception):  # noqa: N818 (it is a text)
    """The traceback of an error in the process that raised it."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


# In the process.

#: From Linux's ``sys/prctl.h``.
_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Do tasks until no more can come."""
    # Ctrl-C, or the end of a service, is meant for the parent, which may still need this process.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    orders, messages = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # What a library prints goes to standard error, which is written line by line: the process may be killed before it
    # could write what it has buffered.
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    start: Start
    start, has_children = pickle.load(orders)
    received: SimpleQueue[Order] = SimpleQueue()
    Thread(target=_receive, args=(orders, received), daemon=True).start()
    if not has_children and sys.platform == "linux":
        # Linux kills this process with its parent, even in a regular expression, during which no other thread runs.
        # On other systems, and where there are children, the process ends when the thread has its turn.
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    handlers: dict[int, Handler | Ended] = {}
    while True:
        for message in _do_order(*received.get(), start, handlers):
            pickle.dump(message, messages, PROTOCOL)
            # The pieces of a result are sent together.
            if isinstance(message, Begun | Ended):
                messages.flush()


def _receive(orders: BinaryIO, received: SimpleQueue[Order]) -> None:
    """Receive orders; when the parent is gone, end the process and all that it started."""
    with suppress(Exception):
        while True:
            received.put(pickle.load(orders))
    if hasattr(os, "killpg"):
        os.killpg(0, signal.SIGKILL)
    os._exit(0)


def _do_order(
    slot: int,
    context: bytes | None,
    task: bytes | None,
    seconds: float | None,
    start: Start,
    handlers: dict[int, Handler | Ended],
) -> Iterator[object]:
    """Do an order, and yield the messages; ``handlers``: what does the tasks of each context, or why nothing does."""
    if context is not None:
        try:
            handlers[slot] = start(pickle.loads(context))
        except Exception as error:
            problem = WorkerError(f"no process can begin: {describe_error(error)}")
            handlers[slot] = Ended(problem, traceback.format_exc())
        yield Begun()
    if task is None:
        return
    handler = handlers[slot]
    if isinstance(handler, Ended):
        yield handler
        return
    try:
        if seconds is not None:
            yield Begun(None, seconds)
        yield from handler(pickle.loads(task))
    except Exception as error:
        yield Ended(_picklable(error), traceback.format_exc())
    else:
        yield Ended()


def _picklable(error: Exception) -> Exception:
    """Return the error; where it cannot be pickled, return one that says the same."""
    try:
        copied = pickle.loads(pickle.dumps(error, PROTOCOL))
    except Exception:
        copied = None
    return error if type(copied) is type(error) else WorkerError(f"{type(error).__name__}: {error}")


# The process, seen from outside.

#: Bytes read at a time: after each read, the thread waits for its turn.
_BUFFER = 1 << 20

#: The process looks for modules where the parent does.
_BOOT = "import sys; sys.path[:] = {path!r}; from scrapy_justext.workers import main; main()"


class Worker:
    """A process, started when this is made.

    ``has_children``: whether its tasks start processes, which are then ended with it.
    """

    def __init__(self, start: Start, *, has_children: bool = False) -> None:
        #: Whether it has had a context, so that it can do tasks.
        self.is_ready = False
        #: Whether it was ended because it took too long.
        self.is_late = False
        #: What it has begun, and the seconds that this may take.
        self.begun = Begun()
        #: Slots by the contexts that they hold, the least recently used first.
        self._slots: OrderedDict[bytes, int] = OrderedDict()
        self._process = subprocess.Popen(
            [sys.executable, "-c", _BOOT.format(path=sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=_BUFFER,
            # The terminal's Ctrl-C does not reach a group of its own.
            start_new_session=True,
        )
        self._send((start, has_children))

    def assign(self, context: bytes, task: bytes | None = None, seconds: float | None = None) -> None:
        """Send the process a context and a task of it.  The process takes it up after those that it has."""
        slot = self._slots.pop(context, None)
        is_known = slot is not None
        if slot is None:
            slot = len(self._slots) if len(self._slots) < SLOTS else self._slots.popitem(last=False)[1]
        self._slots[context] = slot
        order: Order = (slot, None if is_known else context, task, seconds)
        self._send(order)

    def receive(self) -> object:
        """Wait for the next message and return it.

        Raises any exception where the process ends before its message is whole: half a pickle can raise anything.
        """
        return pickle.load(self._process.stdout)  # type: ignore[arg-type]

    def kill(self) -> None:
        """End the process and all that it started, whatever they are doing.  Any thread may call this."""
        if self._process.returncode is not None:
            return
        if hasattr(os, "killpg"):
            with suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()

    def end(self) -> int:
        """End the process if it still runs, and return its exit status."""
        self.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            # Closing writes what is buffered, for which a process that is gone has no use.
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
        """End a worker after some seconds, unless this is called again before; None: do not end it."""
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
    """Return that of all pools.  One that was made before a fork would not know in the new process that it runs."""
    return _Clock()


class Job(NamedTuple):
    """A task with what :meth:`Pool.submit` was told of it.  ``context``: pickled."""

    context: bytes
    task: object
    seconds: float | None
    join: Callable[[list[Any]], Any]
    on_message: Callable[[Any], object] | None
    future: Future[Any]

    def succeed(self, messages: list[Any]) -> None:
        """Set the result of the future; where two processes had the task, the first result counts."""
        try:
            result = self.join(messages)
        except Exception as error:
            self.fail(error)
            return
        with suppress(InvalidStateError):
            self.future.set_result(result)

    def fail(self, error: Exception) -> None:
        """Set the error of the future."""
        with suppress(InvalidStateError):
            self.future.set_exception(error)


class _Feeder(Thread):
    """Keeps one process at work on the jobs of a pool, until its queue gives None."""

    def __init__(self, pool: Pool) -> None:
        super().__init__(name="justext-feeder", daemon=True)
        self._pool = pool
        self._worker: Worker | None = None
        #: The jobs of the process, in order, and the one of them that another process has, too.
        self._assigned: deque[Job] = deque()
        self._lent: Job | None = None
        #: When the process began the first of them.
        self._first_begun = monotonic()
        #: Guards these three, which other feeders read.
        self._lock = Lock()
        #: How many processes ended before they were ready for the first of them.
        self._false_starts = 0

    def run(self) -> None:
        try:
            # If it fails, the first task tells why.
            with suppress(OSError):
                self._begin()
            while (job := self._wait()) is not None:
                self._work(job)
        finally:
            if self._worker is not None:
                self._end(self._worker)

    def close(self) -> None:
        """End the process; its tasks fail."""
        if (worker := self._worker) is not None:
            worker.kill()

    def lend(self) -> Job | None:
        """Return a job that has waited too long behind another, for another feeder; None if there is none."""
        with self._lock:
            waits = len(self._assigned) > 1 and monotonic() - self._first_begun > HANDOVER_SECONDS
            if not waits or self._assigned[-1] is self._lent:
                return None
            self._lent = self._assigned[-1]
            return self._lent

    def _wait(self) -> Job | None:
        """Wait for a job and return it, perhaps one that another feeder lends; None: there will be no more."""
        while True:
            with suppress(Empty):
                return self._pool.jobs.get(timeout=HANDOVER_SECONDS if self._pool.ahead > 1 else None)
            for feeder in self._pool.feeders:
                if (job := feeder.lend()) is not None:
                    return job

    def _work(self, job: Job) -> None:
        """Have a job done, and those that come meanwhile."""
        self._assign(job)
        while self._assigned:
            if len(self._assigned) < self._pool.ahead:
                with suppress(Empty):
                    # Put back, so that the feeder ends only after these jobs.
                    if (ahead := self._pool.jobs.get_nowait()) is None:
                        self._pool.jobs.put(None)
                    else:
                        self._assign(ahead)
            self._finish_first()

    def _assign(self, job: Job) -> None:
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
            if not self._assigned:
                self._first_begun = monotonic()
            self._assigned.append(job)
        worker.assign(job.context, task, job.seconds)

    def _finish_first(self) -> None:
        """Receive the messages for the first job."""
        job, worker = self._assigned[0], self._worker
        assert worker is not None
        try:
            messages, ended = self._receive(worker, job)
        except Exception:
            # The process has ended.
            self._replace(worker)
            return
        _clock().set(worker, None)
        self._drop_first()
        if ended.error is None:
            job.succeed(messages)
        else:
            ended.error.__cause__ = RemoteTraceback(ended.trace)
            job.fail(ended.error)
        if worker.is_late:
            # The result came just before the process was killed.
            self._end(worker)
            self._reassign()

    def _receive(self, worker: Worker, job: Job) -> tuple[list[Any], Ended]:
        """Return the messages for a job, without those that it has had, and how it ended."""
        messages = []
        worker.begun = Begun()
        while not isinstance(message := worker.receive(), Ended):
            if isinstance(message, Begun):
                # The first one says that it has its context.
                worker.is_ready = True
                worker.begun = message
                _clock().set(worker, message.seconds)
            elif job.on_message is None:
                messages.append(message)
            else:
                job.on_message(message)
        return messages, message

    def _drop_first(self) -> None:
        self._false_starts = 0
        with self._lock:
            self._first_begun = monotonic()
            self._assigned.popleft()

    def _replace(self, ended: Worker) -> None:
        """Start another process in place of one that has ended, for the jobs that are still to be done."""
        code = self._end(ended)
        job = self._assigned[0]
        self._false_starts += not ended.is_ready
        if job is self._lent:
            # Another process has it, too, and gives its result.
            self._drop_first()
        elif ended.is_ready or self._false_starts == STARTS:
            self._drop_first()
            if ended.is_late and ended.is_ready:
                job.fail(PageTimeout(ended.begun.seconds or 0, ended.begun.step))
            else:
                job.fail(WorkerCrashed(code, ended.begun.step, is_ready=ended.is_ready))
        self._reassign()

    def _reassign(self) -> None:
        with self._lock:
            left = [job for job in self._assigned if job is not self._lent]
            self._assigned.clear()
        for job in left:
            self._assign(job)

    def _begin(self) -> Worker:
        self._worker = worker = Worker(self._pool.start, has_children=self._pool.has_children)
        _clock().set(worker, self._pool.start_seconds)
        worker.assign(self._pool.context)
        if self._pool.is_closed:
            worker.kill()
        return worker

    def _end(self, worker: Worker) -> int:
        self._worker = None
        _clock().set(worker, None)
        return worker.end()


class Pool:
    """Processes that do tasks; started when this is made, ended by :meth:`close` or at the end of a ``with`` statement.

    ``start`` and ``context`` make a process ready, see the module.  ``ahead``: how many tasks a process has, the one
    that it does and those that wait; one that waits too long is lent to another process.  ``start_seconds``: how long a
    process may take to get ready.  ``has_children``: see :class:`Worker`.
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
        # A program that ends with an exception may not have closed it.
        atexit.register(self.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
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
        on_message: Callable[[Any], object] | None = None,
    ) -> Future[Any]:
        """Have a task done.

        ``context``: in place of the pool's.  ``seconds``: how long the task may take, from when a process begins it.
        ``join`` makes the result of the list of messages.  ``on_message`` gets each message as it comes; the list for
        ``join`` is then empty.  Both are called in another thread.
        """
        packed = self.context if context is None else self._pack(context)
        job = Job(packed, task, seconds, join, on_message, Future())
        if self.is_closed:
            job.fail(WorkerError("the pool is closed"))
        else:
            self.jobs.put(job)
        return job.future

    def close(self) -> None:
        """End all processes; tasks that are not done fail."""
        atexit.unregister(self.close)
        self.is_closed = True
        for feeder in self.feeders:
            feeder.close()
            self.jobs.put(None)

    def _pack(self, context: object) -> bytes:
        """Return a context pickled; the pickles of the most recently used are kept."""
        key = id(context)
        if key not in self._packed:
            # The context is kept, too, so that no other gets its identity.
            self._packed[key] = context, pickle.dumps(context, PROTOCOL)
        self._packed.move_to_end(key)
        if len(self._packed) > SLOTS:
            self._packed.popitem(last=False)
        return self._packed[key][1]
