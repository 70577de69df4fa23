"""What runs in a process of a pool: orders come on standard input, answers go to standard output, both pickled.

The process ends when the pipe that its orders come from is closed, be it in the middle of a page: at the latest with
the crawl.  It is no fork of the crawl, whose threads and open connections it must not have, and none of
``multiprocessing``'s, which would import the user's script once more, and so start the crawl again.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import traceback
from contextlib import contextmanager, suppress
from queue import SimpleQueue
from threading import Thread
from time import perf_counter
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from scrapy_justext.exceptions import WorkerError
from scrapy_justext.parents import end_with_parent
from scrapy_justext.processes.tasks import RawPage, Task

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_justext.options import Options

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
