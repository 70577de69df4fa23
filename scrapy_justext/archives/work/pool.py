"""Several processes at work on one input, in its order.

A page that ends its process is tried once more, then given up; one that takes too long is given up at once, with its
process.  The rest of its chunk is done again.  A process that ends while no page is in work, be it that the chunk comes
or that its rows are encoded, is replaced once for each chunk.
"""

from __future__ import annotations

from collections import deque
from multiprocessing.connection import wait
from time import monotonic
from typing import TYPE_CHECKING, Any

from scrapy_justext.archives.errors import ArchiveError
from scrapy_justext.archives.work.chunks import Result
from scrapy_justext.archives.work.workers import ENCODING, READY, Failure, Worker

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import TracebackType

    from typing_extensions import Self

    from scrapy_justext.archives.work.chunks import Chunk
    from scrapy_justext.archives.work.workers import Setup

#: Chunks that are read and not yet written, for each process: one in work, one that waits for it or for an earlier one.
_AHEAD = 3

CRASHES = "crashes"
TIMEOUTS = "timeouts"


class _Task:
    """A chunk on its way."""

    def __init__(self, chunk: Chunk) -> None:
        self.chunk = chunk
        self.given_up: dict[int, str] = {}
        self.suspects: set[int | None] = set()
        self.result: Result | None = None


class _Desk:
    """Where one process after another works, a chunk at a time.

    ``record``: the number of the one in work, which was begun at the time ``since``; None where none is.
    """

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self.worker = Worker(setup)
        self.is_ready = False
        self.task: _Task | None = None
        self.record: int | None = None
        self.since = 0.0

    def begin(self, task: _Task) -> None:
        self.task = task
        self.record = None
        self.worker.send(task.chunk.records, task.given_up)

    def replace(self) -> None:
        self.worker.kill()
        self.worker = Worker(self._setup)
        self.is_ready = False
        self.task = None


class Pool:
    """To be used in a ``with`` statement, whose end ends the processes.

    ``timeout``: seconds that a page may take; None: any.
    """

    def __init__(self, processes: int, setup: Setup, timeout: float | None) -> None:
        self._timeout = timeout
        self._bound = processes * _AHEAD
        self._desks = [_Desk(setup) for _ in range(processes)]
        self._waiting: deque[_Task] = deque()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for desk in self._desks:
            desk.worker.kill()

    def work(self, chunks: Iterable[Chunk]) -> Iterator[tuple[Chunk, Result]]:
        """The results of the chunks, in their order."""
        source = iter(chunks)
        order: deque[_Task] = deque()
        is_more = True
        while is_more or order:
            if is_more and len(order) < self._bound:
                chunk = next(source, None)
                is_more = chunk is not None
                if chunk is not None:
                    order.append(_Task(chunk))
                    self._waiting.append(order[-1])
            # While there is something to read, nothing is waited for.
            self._attend(0 if is_more and len(order) < self._bound else None)
            while order and order[0].result is not None:
                task = order.popleft()
                assert task.result is not None
                yield task.chunk, task.result

    def _attend(self, seconds: float | None) -> None:
        """Give out tasks and take what came, for which so many seconds are waited; None: until something comes."""
        self._give_out()
        busy = [desk for desk in self._desks if desk.task is not None or not desk.is_ready]
        if not busy:
            return
        by_connection: dict[Any, _Desk] = {desk.worker.connection: desk for desk in busy}
        for connection in wait(list(by_connection), self._patience(seconds)):
            self._take(by_connection[connection])
        for desk in busy:
            if self._left(desk) <= 0:
                self._give_up(desk, TIMEOUTS)
        self._give_out()

    def _give_out(self) -> None:
        for desk in self._desks:
            if desk.is_ready and desk.task is None and self._waiting:
                desk.begin(self._waiting.popleft())

    def _take(self, desk: _Desk) -> None:
        message = desk.worker.receive()
        if message is None:
            self._bury(desk)
        elif message == READY:
            desk.is_ready = True
        elif message == ENCODING:
            desk.record = None
        elif isinstance(message, Failure):
            raise ArchiveError("a process", f"cannot begin: {message.problem}")
        elif isinstance(message, Result):
            assert desk.task is not None
            desk.task.result = message
            desk.task = None
        else:
            assert isinstance(message, int)
            desk.record, desk.since = message, monotonic()

    def _bury(self, desk: _Desk) -> None:
        task, record = desk.task, desk.record
        if not desk.is_ready or task is None:
            raise ArchiveError("a process", f"ended before it began, with exit status {desk.worker.exit_status}")
        if record not in task.suspects:
            task.suspects.add(record)
            self._try_again(desk)
        elif record is None:
            where = task.chunk.records[0].where
            problem = f"a process ended twice beside its pages, with exit status {desk.worker.exit_status}"
            raise ArchiveError(f"{where.file}, {where.offset} and what follows", problem)
        else:
            self._give_up(desk, CRASHES)

    def _give_up(self, desk: _Desk, reason: str) -> None:
        assert desk.task is not None
        assert desk.record is not None
        desk.task.given_up[desk.record] = reason
        self._try_again(desk)

    def _try_again(self, desk: _Desk) -> None:
        assert desk.task is not None
        self._waiting.appendleft(desk.task)
        desk.replace()

    def _left(self, desk: _Desk) -> float:
        """Seconds that the page in work at a desk has left."""
        if self._timeout is None or desk.task is None or desk.record is None:
            return float("inf")
        return desk.since + self._timeout - monotonic()

    def _patience(self, seconds: float | None) -> float | None:
        left = min(map(self._left, self._desks))
        if left == float("inf"):
            return seconds
        return max(left, 0) if seconds is None else min(seconds, max(left, 0))
