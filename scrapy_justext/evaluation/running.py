"""Running extractors over data sets: processes, time-outs, going on where a run was stopped.

Work goes to the processes a document at a time, with the extractors that still lack a result for it.  A process
reports each result as soon as it has it, and it is written down before anything else happens.  A process that dies,
and one that takes too long and is killed, is a result too: of the extractor whose turn it was.  Another process then
goes on with the other extractors.
"""

from __future__ import annotations

import pickle
import time
from collections import deque
from dataclasses import dataclass
from multiprocessing import connection
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.evaluation.store import Result, ResultStore, open_results
from scrapy_justext.evaluation.workers import Finished, Step, Task, Worker
from scrapy_justext.exceptions import JustextError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from scrapy_justext.evaluation.documents import DataSet
    from scrapy_justext.evaluation.store import Status

#: Seconds that an extractor may take over a page.
DEFAULT_TIMEOUT = 60.0
#: Seconds that everything else may take: starting a process, loading an extractor, reading a page.
PATIENCE = 120.0

_LIMITED = frozenset({Step.WARMING_UP, Step.EXTRACTING})


class RunningError(JustextError):
    """A run that cannot go on; the message says why."""


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


class Remaining(NamedTuple):
    """``tasks``: what is left to do; ``done``: results that are there already; ``total``: those of a whole run."""

    tasks: Sequence[Task]
    done: int
    total: int


def find_remaining(plan: Plan) -> Remaining:
    """What a run still has to do; a result that was torn in the writing is cut off."""
    tasks: list[Task] = []
    done = total = 0
    for place, data_set in enumerate(plan.data_sets):
        finished = {name: _finished_ids(open_results(plan.out, data_set.name, name)) for name in plan.extractors}
        ids = data_set.ids[: plan.limit]
        total += len(ids) * len(plan.extractors)
        for document_id in ids:
            lacking = tuple(name for name in plan.extractors if document_id not in finished[name])
            done += len(plan.extractors) - len(lacking)
            if lacking:
                tasks.append(Task(place, document_id, lacking))
    return Remaining(tasks, done, total)


def _finished_ids(results: ResultStore) -> frozenset[str]:
    results.mend()
    return frozenset(results.read())


def run(plan: Plan, tasks: Sequence[Task], report: Callable[[Result], None]) -> None:
    """Do the tasks and store each result; ``report`` is called after each.

    However it ends, by the end of the work or by an exception such as ``KeyboardInterrupt``, no process is left.
    Raises :class:`RunningError` when processes do not even start.
    """
    for data_set in plan.data_sets:
        _check_sendable(data_set)
    pool = _Pool(plan, tasks, report)
    try:
        pool.run()
    finally:
        pool.close()


def _check_sendable(data_set: DataSet) -> None:
    """A reader of another package may make documents in a way that stays in its process."""
    try:
        pickle.dumps(data_set)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise RunningError(f"the data set {data_set.name} cannot be given to other processes: {error}") from error


@dataclass(slots=True)
class _Seat:
    """A place for a process: the one that has it, what it is doing, and until when it may.

    ``lacking``: the extractors of ``task`` without a result, the one whose turn it is first.
    """

    worker: Worker
    task: Task
    lacking: deque[str]
    step: Step = Step.STARTING
    deadline: float = 0.0

    def expect(self, step: Step, seconds: float) -> None:
        self.step = step
        self.deadline = time.monotonic() + seconds


class _Pool:
    def __init__(self, plan: Plan, tasks: Sequence[Task], report: Callable[[Result], None]) -> None:
        self._plan = plan
        self._waiting = deque(tasks)
        self._report = report
        self._seats: list[_Seat] = []
        self._stores: Mapping[tuple[int, str], ResultStore] = {
            (place, name): open_results(plan.out, data_set.name, name)
            for place, data_set in enumerate(plan.data_sets)
            for name in plan.extractors
        }

    def run(self) -> None:
        for _ in range(min(self._plan.jobs, len(self._waiting))):
            task = self._waiting.popleft()
            seat = _Seat(self._start_worker(), task, deque(task.extractors))
            self._seats.append(seat)
            self._hand_over(seat, Step.STARTING)
        while self._seats:
            self._wait()
            for seat in list(self._seats):
                self._attend(seat)

    def close(self) -> None:
        for seat in self._seats:
            seat.worker.kill()

    def _start_worker(self) -> Worker:
        return Worker(self._plan.data_sets, self._plan.language)

    def _hand_over(self, seat: _Seat, step: Step) -> None:
        seat.expect(step, PATIENCE)
        seat.worker.send(seat.task._replace(extractors=tuple(seat.lacking)))

    def _wait(self) -> None:
        seconds = min(seat.deadline for seat in self._seats) - time.monotonic()
        connection.wait([one for seat in self._seats for one in seat.worker.waitables], max(seconds, 0.0))

    def _attend(self, seat: _Seat) -> None:
        # Asked before its messages are read: what a process said before it died counts.
        alive = seat.worker.is_alive()
        for message in seat.worker.receive():
            self._hear(seat, message)
        if seat.lacking and not alive:
            self._replace(seat, "failed", seat.worker.describe_death())
        elif seat.lacking and time.monotonic() >= seat.deadline:
            self._replace(seat, "timeout", f"not finished in {self._allowed(seat.step):g} s")
        if not seat.lacking:
            self._go_on(seat, alive)

    def _hear(self, seat: _Seat, message: Step | Finished) -> None:
        if isinstance(message, Step):
            seat.expect(message, self._allowed(message))
        else:
            self._store(seat, message)
            seat.expect(Step.LOADING, PATIENCE)

    def _allowed(self, step: Step) -> float:
        return self._plan.timeout if step in _LIMITED else PATIENCE

    def _replace(self, seat: _Seat, status: Status, reason: str) -> None:
        """Note the end of a process, and put another in its place while the task has extractors left."""
        if seat.step is Step.STARTING:
            raise RunningError(f"a process for the extractors does not start: {reason}")
        seat.worker.kill()
        where = "" if seat.step is Step.EXTRACTING else f"{seat.step.value}: "
        self._store(seat, Finished(status, None, where + reason, None))
        if seat.lacking:
            seat.worker = self._start_worker()
            self._hand_over(seat, Step.STARTING)

    def _go_on(self, seat: _Seat, alive: bool) -> None:
        """The next task, for the same process when there still is one."""
        if not self._waiting:
            seat.worker.kill()
            self._seats.remove(seat)
            return
        seat.task = self._waiting.popleft()
        seat.lacking = deque(seat.task.extractors)
        if alive and seat.worker.is_alive():
            self._hand_over(seat, Step.READING)
        else:
            seat.worker.kill()
            seat.worker = self._start_worker()
            self._hand_over(seat, Step.STARTING)

    def _store(self, seat: _Seat, finished: Finished) -> None:
        result = Result(seat.task.document_id, finished.status, finished.seconds, finished.error)
        self._stores[seat.task.data_set, seat.lacking.popleft()].append(result, finished.text)
        self._report(result)
