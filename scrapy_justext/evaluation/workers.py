"""Extractors in processes of their own, where they may crash or hang; and how far a run is.

Work goes to the processes a document at a time, with the extractors that still lack a result for it.  A process says
what it begins, and reports each result as soon as it has it.  What an extractor started itself ends with its process.
"""

from __future__ import annotations

import os
import signal
import sys
import time
import warnings
from collections import Counter, deque
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from functools import cache, partial
from queue import SimpleQueue
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

from scrapy_justext.evaluation.extractors.names import find_extractor
from scrapy_justext.exceptions import PageTimeout, RunningError, WorkerCrashed, require
from scrapy_justext.workers import Begun, Pool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Future
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


#: Seconds for everything but an extractor's own work: starting a process, loading an extractor, reading a page.
PATIENCE = 120.0


class Step(Enum):
    """What a process is doing."""

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


class Conditions(NamedTuple):
    """What all tasks share.  ``timeout``: seconds that an extractor may take over a page."""

    data_sets: Sequence[DataSet]
    language: str | None
    timeout: float


def run_extractors(
    conditions: Conditions, tasks: Sequence[Task], jobs: int, store: Callable[[Task, str, Finished], None]
) -> None:
    """Do the tasks, and have each result stored: the task, the extractor's name and what it gave.

    A process that ends, and one that is ended because it takes too long, is a result too: of the extractor whose turn
    it was.  Another process then goes on with the other extractors.  However this ends, no process is left.  Raises
    :class:`RunningError` when processes do not even start.
    """
    events: SimpleQueue[tuple[_TaskAtWork, Finished | Future[Any]]] = SimpleQueue()
    waiting = deque(_TaskAtWork(task, deque(task.extractors)) for task in tasks)

    def begin(work: _TaskAtWork) -> None:
        left = work.task._replace(extractors=tuple(work.lacking))
        future: Future[Any] = pool.submit(left, hear=lambda finished: events.put((work, finished)))
        future.add_done_callback(lambda future: events.put((work, future)))

    with Pool(min(jobs, len(tasks)), start, conditions, start_seconds=PATIENCE, has_children=True) as pool:
        at_work = min(jobs, len(tasks))
        for _ in range(at_work):
            begin(waiting.popleft())
        while at_work:
            work, event = events.get()
            finished = event if isinstance(event, Finished) else work.failure(event.exception())
            if finished is not None:
                store(work.task, work.lacking.popleft(), finished)
            if isinstance(event, Finished):
                continue
            if work.lacking:
                begin(work)
            elif waiting:
                begin(waiting.popleft())
            else:
                at_work -= 1


@dataclass(slots=True, eq=False)
class _TaskAtWork:
    """``lacking``: the extractors of a task without a result, the one whose turn it is first."""

    task: Task
    lacking: deque[str]
    is_tried_again: bool = False

    def failure(self, error: BaseException | None) -> Finished | None:
        """Return the result of the extractor whose turn it was; None where it is not to blame."""
        if error is None or not self.lacking:
            return None
        if not isinstance(error, WorkerCrashed | PageTimeout):
            raise RunningError(str(error)) from error
        if isinstance(error, WorkerCrashed):
            status: Status = "failed"
            reason = f"the process {error.how}"
            if not error.is_ready:
                raise RunningError(f"a process for the extractors does not start: {reason}") from error
        else:
            status = "timeout"
            reason = f"not finished in {error.seconds:g} s"
        if error.step is None and not self.is_tried_again:
            # It ended before it came to the task.
            self.is_tried_again = True
            return None
        step = error.step if isinstance(error.step, Step) else Step.READING
        where = "" if step is Step.EXTRACTING else f"{step.value}: "
        return Finished(status, None, where + reason, None)


def start(conditions: Conditions) -> Callable[[Task], Iterator[object]]:
    """Make a process ready for tasks."""
    _silence()
    if hasattr(signal, "SIGTERM"):
        # The processes that extractors start are ended by it.
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    return partial(_work, conditions)


def _silence() -> None:
    """Nothing that a library prints, in whatever language it is written, reaches the terminal."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    warnings.simplefilter("ignore")


def _work(conditions: Conditions, task: Task) -> Iterator[object]:
    yield Begun(Step.READING, PATIENCE)
    try:
        document = conditions.data_sets[task.data_set].load(task.document_id)
    except Exception as error:  # a file that went away or was changed
        yield from (_failed(f"{Step.READING.value}: ", error) for _ in task.extractors)
        return
    for name in task.extractors:
        yield from _extract(name, document, conditions)


def _extract(name: str, document: Document, conditions: Conditions) -> Iterator[object]:
    language = conditions.language
    yield Begun(Step.LOADING, PATIENCE)
    # An extractor may raise anything, SystemExit too.
    try:
        extractor = _load(name)
        yield Begun(Step.WARMING_UP, conditions.timeout)
        _warm_up(name, language)
    except BaseException as error:
        yield _failed(f"{Step.LOADING.value}: ", error)
        return
    yield Begun(Step.EXTRACTING, conditions.timeout)
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
