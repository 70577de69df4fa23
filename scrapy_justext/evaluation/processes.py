"""Extractors over the documents of data sets, in processes of their own, where they may crash or hang.

Work goes to the processes a document at a time, with the extractors that still lack a result for it.  A process says
what it begins, and reports each result as soon as it has it; it is written down before anything else happens.  So a run
that was stopped goes on where it was.  A process that ends, and one that is ended because it takes too long, is a
result too: of the extractor whose turn it was.  Another process then goes on with the other extractors.

What an extractor started itself ends with its process.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import time
import warnings
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from functools import cache, partial
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_justext.evaluation.extractors.names import find_extractor
from scrapy_justext.evaluation.store import Result, open_results
from scrapy_justext.exceptions import PageTimeout, RunningError, WorkerCrashed
from scrapy_justext.workers import Begun, Pool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Future
    from pathlib import Path

    from scrapy_justext.evaluation.datasets.documents import DataSet, Document
    from scrapy_justext.evaluation.extractors.base import PageExtractor
    from scrapy_justext.evaluation.store import Status

#: Seconds that an extractor may take over a page.
DEFAULT_TIMEOUT = 60.0
#: Seconds for everything but an extractor's own work: starting a process, loading an extractor, reading a page.
PATIENCE = 120.0


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be run.  ``limit``: at most so many documents of each data set; ``timeout``: seconds for a page."""

    out: Path
    data_sets: Sequence[DataSet]
    extractors: Sequence[str]
    language: str | None = None
    limit: int | None = None
    jobs: int = 1
    timeout: float = DEFAULT_TIMEOUT


class DocumentTask(NamedTuple):
    """A document of the ``data_set``-th data set, and the extractors that are to have it, in this order."""

    data_set: int
    document_id: str
    extractors: tuple[str, ...]


class Remaining(NamedTuple):
    """``tasks``: what is left to do; ``done``: results that are there already; ``total``: those of a whole run."""

    tasks: Sequence[DocumentTask]
    done: int
    total: int


class Step(Enum):
    """What a process is doing."""

    READING = "reading the page"
    LOADING = "loading the extractor"
    WARMING_UP = "warming the extractor up"
    EXTRACTING = "extracting"


class Outcome(NamedTuple):
    """What the next extractor of a task gave; ``text``: None when it failed."""

    result: Result
    text: str | None = None


def find_remaining(plan: Plan) -> Remaining:
    """Return what a run still has to do; a result that was torn in the writing is cut off."""
    tasks: list[DocumentTask] = []
    done = total = 0
    for number, data_set in enumerate(plan.data_sets):
        stores = {name: open_results(plan.out, data_set.name, name) for name in plan.extractors}
        for store in stores.values():
            store.mend()
        finished = {name: store.read().keys() for name, store in stores.items()}
        ids = data_set.ids[: plan.limit]
        total += len(ids) * len(plan.extractors)
        for document_id in ids:
            lacking = tuple(name for name in plan.extractors if document_id not in finished[name])
            done += len(plan.extractors) - len(lacking)
            if lacking:
                tasks.append(DocumentTask(number, document_id, lacking))
    return Remaining(tasks, done, total)


def run_plan(plan: Plan, tasks: Sequence[DocumentTask], report: Callable[[Result], None]) -> None:
    """Do the tasks and store each result; ``report`` is called after each.

    However it ends, by the end of the work or by an exception such as ``KeyboardInterrupt``, no process is left.
    Raise :class:`RunningError` when processes do not even start.
    """
    for data_set in plan.data_sets:
        _check_sendable(data_set)
    events: SimpleQueue[tuple[_TaskAtWork, Outcome | Future[Any]]] = SimpleQueue()
    waiting = deque(_TaskAtWork(task, deque(task.extractors)) for task in tasks)

    def begin(work: _TaskAtWork) -> None:
        left = work.task._replace(extractors=tuple(work.lacking))
        future: Future[Any] = pool.submit(left, hear=lambda outcome: events.put((work, outcome)))
        future.add_done_callback(lambda future: events.put((work, future)))

    at_work = min(plan.jobs, len(tasks))
    with Pool(at_work, start, plan, start_seconds=PATIENCE, has_children=True) as pool:
        for _ in range(at_work):
            begin(waiting.popleft())
        while at_work:
            work, event = events.get()
            outcome = event if isinstance(event, Outcome) else work.failure(event.exception())
            if outcome is not None:
                data_set = plan.data_sets[work.task.data_set]
                open_results(plan.out, data_set.name, work.lacking.popleft()).append(*outcome)
                report(outcome.result)
            if isinstance(event, Outcome):
                continue
            if work.lacking:
                begin(work)
            elif waiting:
                begin(waiting.popleft())
            else:
                at_work -= 1


def _check_sendable(data_set: DataSet) -> None:
    """Raise for a data set of another package whose way of making documents stays in its process."""
    try:
        pickle.dumps(data_set)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise RunningError(f"the data set {data_set.name} cannot be given to other processes: {error}") from error


@dataclass(slots=True, eq=False)
class _TaskAtWork:
    """``lacking``: the extractors of a task without a result, the one whose turn it is first."""

    task: DocumentTask
    lacking: deque[str]
    is_tried_again: bool = False

    def failure(self, error: BaseException | None) -> Outcome | None:
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
        return Outcome(Result(self.task.document_id, status, None, _in_step(step, reason)))


def _in_step(step: Step, reason: str) -> str:
    """Return what went wrong, with the step in which it did where that is not the extraction."""
    return reason if step is Step.EXTRACTING else f"{step.value}: {reason}"


# What runs in a process.


def start(plan: Plan) -> Callable[[DocumentTask], Iterator[object]]:
    """Make a process ready for tasks."""
    _silence()
    if hasattr(signal, "SIGTERM"):
        # The processes that extractors start are ended by it.
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    return partial(_work, plan)


def _silence() -> None:
    """Keep all that libraries print, in whatever language they are written, from the terminal."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    warnings.simplefilter("ignore")


def _work(plan: Plan, task: DocumentTask) -> Iterator[object]:
    yield Begun(Step.READING, PATIENCE)
    try:
        document = plan.data_sets[task.data_set].load(task.document_id)
    except Exception as error:  # a file that went away or was changed
        reason = _in_step(Step.READING, _describe(error))
        yield from (Outcome(Result(task.document_id, "failed", None, reason)) for _ in task.extractors)
        return
    for name in task.extractors:
        yield from _extract(name, document, plan)


def _extract(name: str, document: Document, plan: Plan) -> Iterator[object]:
    yield Begun(Step.LOADING, PATIENCE)
    # An extractor may raise anything, SystemExit too.
    try:
        extractor = _load(name)
        yield Begun(Step.WARMING_UP, plan.timeout)
        _warm_up(name, plan.language)
    except BaseException as error:
        yield Outcome(Result(document.id, "failed", None, _in_step(Step.LOADING, _describe(error))))
        return
    yield Begun(Step.EXTRACTING, plan.timeout)
    started = time.perf_counter()
    problem = None
    text: object = None
    try:
        text = extractor(document, plan.language)
    except BaseException as error:
        problem = _describe(error)
    seconds = round(time.perf_counter() - started, 6)
    if isinstance(text, str):
        yield Outcome(Result(document.id, "ok", seconds, None), text)
    else:
        problem = problem or f"the extractor gave {type(text).__name__}, not str"
        yield Outcome(Result(document.id, "failed", seconds, problem))


@cache
def _load(name: str) -> PageExtractor:
    return find_extractor(name)


@cache
def _warm_up(name: str, language: str | None) -> None:
    warm_up = getattr(_load(name), "warm_up", None)
    if warm_up is not None:
        warm_up(language)


def _describe(error: BaseException) -> str:
    """Return the error in words; its cause too, where it has none itself."""
    shown = f"{type(error).__name__}: {error}"
    return shown + _describe(error.__cause__) if error.__cause__ and not str(error) else shown
