"""The processes that extractors run in, which may crash or hang there.

A process is given tasks and answers with a :class:`Step` before it begins something that may take long, and with a
:class:`Finished` for each result.  It is the first of a process group of its own, so that what it started itself ends
with it, and it ends with the process that started it.
"""

from __future__ import annotations

import os
import signal
import sys
import time
import warnings
from collections import Counter
from contextlib import contextmanager, suppress
from enum import Enum
from functools import cache
from multiprocessing import connection, get_context, parent_process
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

from scrapy_justext.evaluation.extractors.names import find_extractor
from scrapy_justext.exceptions import require

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import TracebackType

    from typing_extensions import Self

    from scrapy_justext.evaluation.datasets.documents import DataSet, Document
    from scrapy_justext.evaluation.extractors.base import Extractor
    from scrapy_justext.evaluation.store import Result, Status


class Task(NamedTuple):
    """A document of the ``data_set``-th data set, and the extractors that are to have it, in this order."""

    data_set: int
    document_id: str
    extractors: tuple[str, ...]


class Step(Enum):
    """What a process is doing."""

    STARTING = "starting"
    READING = "reading the page"
    LOADING = "loading the extractor"
    WARMING_UP = "warming the extractor up"
    EXTRACTING = "extracting"


class Finished(NamedTuple):
    """The result of the next extractor of a task."""

    status: Status
    seconds: float | None
    error: str | None
    text: str | None


class Worker:
    """A process, seen from outside.

    The process is made anew, not forked: what the libraries of one run loaded, threads among it, must not be there in
    the next.
    """

    def __init__(self, data_sets: Sequence[DataSet], language: str | None) -> None:
        context = get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(theirs, data_sets, language), daemon=True)
        with _interrupts_held():
            self._process.start()
        theirs.close()

    @property
    def waitables(self) -> list[Any]:
        """What :func:`multiprocessing.connection.wait` takes: ready when there is a message, or an end."""
        return [self._connection, self._process.sentinel]

    def is_alive(self) -> bool:
        """Whether the process still runs."""
        return self._process.is_alive()

    def send(self, task: Task) -> None:
        """Give the process a task; one that has ended is seen by :meth:`is_alive`."""
        with suppress(OSError):
            self._connection.send(task)

    def receive(self) -> Iterator[Step | Finished]:
        """The messages that have come."""
        with suppress(EOFError, OSError):
            while self._connection.poll():
                yield self._connection.recv()

    def describe_death(self) -> str:
        """How a process that has ended did so."""
        code = self._process.exitcode
        if code is None or code >= 0:
            return f"the process ended with exit status {code}"
        name = signal.Signals(-code).name if -code in set(signal.Signals) else "unknown"
        return f"the process was killed by signal {-code} ({name})"

    def kill(self) -> None:
        """End the process, and all that it started, whatever they are doing; nothing when that was done before."""
        if self._connection.closed:
            return
        if hasattr(os, "killpg") and self._process.pid is not None:
            with suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.join()
        self._connection.close()


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Ctrl-C waits; a process that is started within never sees it, not even while it is still loading."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def serve(channel: connection.Connection[Any, Any], data_sets: Sequence[DataSet], language: str | None) -> None:
    """Do tasks until there are no more: what runs in the process."""
    _stand_alone()
    _silence()
    while True:
        try:
            task: Task = channel.recv()
        except EOFError:
            return
        for message in _work(task, data_sets[task.data_set], language):
            channel.send(message)


def _stand_alone() -> None:
    """Lead a new process group, out of reach of the terminal's Ctrl-C, and end when the starting process does."""
    if hasattr(os, "setsid"):
        os.setsid()
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        if hasattr(os, "killpg"):
            os.killpg(0, signal.SIGKILL)
        os._exit(1)


def _silence() -> None:
    """Nothing that a library prints, in whatever language it is written, reaches the terminal."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    warnings.simplefilter("ignore")


def _work(task: Task, data_set: DataSet, language: str | None) -> Iterator[Step | Finished]:
    yield Step.READING
    try:
        document = data_set.load(task.document_id)
    except Exception as error:  # a file that went away or was changed
        yield from (_failed(f"{Step.READING.value}: ", error) for _ in task.extractors)
        return
    for name in task.extractors:
        yield from _extract(name, document, language)


def _extract(name: str, document: Document, language: str | None) -> Iterator[Step | Finished]:
    yield Step.LOADING
    # An extractor may raise anything, SystemExit too.
    try:
        extractor = _load(name)
        yield Step.WARMING_UP
        _warm_up(name, language)
    except BaseException as error:
        yield _failed(f"{Step.LOADING.value}: ", error)
        return
    yield Step.EXTRACTING
    started = time.perf_counter()
    try:
        text = extractor(document, language)
    except BaseException as error:
        yield _failed("", error, _since(started))
        return
    seconds = _since(started)
    if isinstance(text, str):
        yield Finished("ok", seconds, None, text)
    else:
        yield Finished("failed", seconds, f"the extractor gave {type(text).__name__}, not str", None)


def _since(started: float) -> float:
    """Seconds, to the microsecond."""
    return round(time.perf_counter() - started, 6)


@cache
def _load(name: str) -> Extractor:
    return find_extractor(name)


@cache
def _warm_up(name: str, language: str | None) -> None:
    warm_up = getattr(_load(name), "warm_up", None)
    if warm_up is not None:
        warm_up(language)


def _failed(where: str, error: BaseException, seconds: float | None = None) -> Finished:
    return Finished("failed", seconds, where + _describe(error), None)


def _describe(error: BaseException) -> str:
    """The error in words; its cause too, where it has none itself."""
    shown = f"{type(error).__name__}: {error}"
    return shown + _describe(error.__cause__) if error.__cause__ and not str(error) else shown


# How far a run is: a bar on a terminal, elsewhere a line now and then.

#: Seconds between two lines.
INTERVAL = 30.0


class Steps:
    """To be used in a ``with`` statement, and told of every step.

    ``total``: steps at the end, ``done``: those that are done at the start, ``noun``: what they are.
    """

    def __init__(self, total: int, done: int = 0, noun: str = "steps", stream: TextIO | None = None) -> None:
        self._total = total
        self._done = done
        self._noun = noun
        self._stream = stream or sys.stderr
        self._note = ""
        self._bar: Any = None
        self._next_line = 0.0

    def __enter__(self) -> Self:
        self._next_line = monotonic() + INTERVAL
        if self._stream.isatty():
            tqdm = require("tqdm", "evaluation").tqdm
            self._bar = tqdm(total=self._total, initial=self._done, file=self._stream, unit="", dynamic_ncols=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.close()
        else:
            self._print_line()

    def advance(self, note: str = "") -> None:
        """Count a step; ``note``: what there is to say, for short."""
        self._done += 1
        self._note = note
        if self._bar is not None:
            self._bar.set_postfix_str(note, refresh=False)
            self._bar.update()
        elif monotonic() >= self._next_line:
            self._print_line()

    def _print_line(self) -> None:
        line = f"{self._done} of {self._total} {self._noun}" + (f", {self._note}" if self._note else "")
        print(line, file=self._stream, flush=True)
        self._next_line = monotonic() + INTERVAL


class Progress(Steps):
    """Told of every result; it says how many are failures."""

    def __init__(self, total: int, done: int, stream: TextIO | None = None) -> None:
        super().__init__(total, done, "results", stream)
        self._statuses: Counter[str] = Counter()

    def update(self, result: Result) -> None:
        """Count a result."""
        self._statuses[result.status] += 1
        self.advance(self._troubles())

    def _troubles(self) -> str:
        names = {"failed": "failed", "timeout": "out of time"}
        return ", ".join(f"{self._statuses[status]} {name}" for status, name in names.items() if self._statuses[status])
