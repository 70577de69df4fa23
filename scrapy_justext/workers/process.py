"""A process that does tasks: what runs in it, and how its parent sees it.

:func:`main` runs in the process: orders come on standard input, messages go to standard output, both pickled.
:class:`Worker` is the process as the parent sees it.

A process is no fork of the parent, whose threads and open connections it must not have.  It is none of
``multiprocessing``'s either: those import the user's script again, and so would start a crawl again.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import signal
import subprocess
import sys
import traceback
from collections import OrderedDict
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from scrapy_justext.exceptions import WorkerError, describe_error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    #: Does a task, and yields messages.
    Handler = Callable[[Any], Iterable[object]]
    #: Makes a process ready for the tasks of a context.
    Start = Callable[[Any], Handler]

#: Contexts that a process keeps, the most recently used.
SLOTS = 64

PROTOCOL = pickle.HIGHEST_PROTOCOL


class Begun(NamedTuple):
    """Tells which step a task begins now; a message that is not part of the result.

    ``step``: named in the error if the process ends during it; ``seconds``: how long it may take, None for any time.
    """

    step: Any = None
    seconds: float | None = None


class Order(NamedTuple):
    """A task for a process, or only a context for it to load.

    ``slot``: the number of the context; ``context``: the context, pickled, or None where the process has it;
    ``task``: the task, pickled, or None.
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
    """The error that a task raised, or the start for its context."""

    error: Exception
    trace: str


class RemoteTraceback(Exception):  # noqa: N818 (it is a text)
    """The traceback of an error in the process that raised it."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


def main() -> None:
    """Do tasks until no more can come."""
    # Ctrl-C, or the end of a service, is meant for the parent, which may still need this process.
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
        for message in _do_order(received.get(), start, handlers):
            pickle.dump(message, messages, PROTOCOL)
            # The pieces of a result are sent together.
            if isinstance(message, Begun | Ready | Done | Failed):
                messages.flush()


def _channels() -> tuple[BinaryIO, BinaryIO]:
    """Return the streams of orders and messages; from now on, what a library prints goes to standard error."""
    orders, messages = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    # Standard error is written line by line: the process may be killed before it could write what it has buffered.
    sys.stdout = sys.stderr
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return orders, messages


def _receive(orders: BinaryIO, received: SimpleQueue[Order]) -> None:
    """Receive orders; when the parent is gone, end the process and all that it started."""
    with suppress(Exception):
        while True:
            received.put(pickle.load(orders))
    if hasattr(os, "killpg"):
        os.killpg(0, signal.SIGKILL)
    os._exit(0)


#: From Linux's ``sys/prctl.h``.
_PR_SET_PDEATHSIG = 1


def _end_with_parent() -> None:
    """Have Linux kill this process with its parent, even in a regular expression, during which no other thread runs.

    On other systems the process ends when the thread of :func:`_receive` runs.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _do_order(order: Order, start: Start, handlers: dict[int, Handler | Failed]) -> Iterator[object]:
    if order.context is not None:
        try:
            handlers[order.slot] = start(pickle.loads(order.context))
        except Exception as error:
            handlers[order.slot] = Failed(
                WorkerError(f"no process can begin: {describe_error(error)}"), traceback.format_exc()
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
        yield Failed(_picklable(error), traceback.format_exc())
    else:
        yield Done()


def _picklable(error: Exception) -> Exception:
    """Return the error; where it cannot be pickled, return one that says the same."""
    try:
        copied = pickle.loads(pickle.dumps(error, PROTOCOL))
    except Exception:
        copied = None
    return error if type(copied) is type(error) else WorkerError(f"{type(error).__name__}: {error}")


# A process, seen from outside.

#: Bytes read at a time: after each read, the thread waits for its turn.
_BUFFER = 1 << 20

#: The process looks for modules where the parent does.
_BOOT = "import sys; sys.path[:] = {path!r}; from scrapy_justext.workers.process import main; main()"


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
        self._send(Order(slot, None if is_known else context, task, seconds))

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
