"""What goes to a process at once, and what comes back."""

from __future__ import annotations

import logging
import os
import pickle
import signal
import sys
from collections import Counter, deque
from contextlib import contextmanager, suppress
from functools import cache
from http import HTTPStatus
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from threading import Thread
from time import monotonic
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from scrapy_justext.archives.formats import find_format
from scrapy_justext.archives.records import DAMAGE, ArchivedPage, Location, NoPage, Record, SourcePosition
from scrapy_justext.archives.responses import make_response
from scrapy_justext.core.extractor import Extractor
from scrapy_justext.crawl.pages import Page, page_counts, raw_page, skip_reason
from scrapy_justext.crawl.settings import Configuration, Layers, configure, is_enabled
from scrapy_justext.crawl.sites import find_domain, host_of
from scrapy_justext.exceptions import ArchiveError, describe_os_error
from scrapy_justext.tables import ExtractionRow
from scrapy_justext.workers import end_with_parent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from multiprocessing.connection import Connection
    from types import TracebackType

    from scrapy.http import Response, TextResponse
    from typing_extensions import Self

    from scrapy_justext.archives.records import ArchivedPage, Read

#: A chunk is closed when it has so many records, or bytes: a fraction of a second's work.
RECORDS = 100
BYTES = 2 << 20


class InputPosition(NamedTuple):
    """How far the input was read: a place in the source of that number, and the bytes before it."""

    source: int
    behind: SourcePosition
    done: int


class Chunk(NamedTuple):
    """Records that stand beside each other, and where the input goes on behind them."""

    records: Sequence[Record]
    behind: InputPosition


class Trouble(NamedTuple):
    """A record with which something is wrong, and what."""

    location: Location
    what: str


class RecordsResult(NamedTuple):
    """What became of records: the rows that belong into the output, in order, and what there is to count and say."""

    rows: Sequence[ExtractionRow]
    counts: Counter[str]
    troubles: Sequence[Trouble]


class ChunkResult(NamedTuple):
    """What became of a chunk.  ``encoded``: its rows, as they are appended to the output."""

    encoded: bytes
    counts: Mapping[str, int]
    troubles: Sequence[Trouble]


def make_chunks(source: int, reads: Iterable[Read]) -> Iterator[Chunk]:
    """Yield the records of a source in chunks; where a chunk ends depends on the records in it alone."""
    records: list[Record] = []
    size = 0
    behind = None
    for read in reads:
        records.append(read.record)
        size += read.record.size
        behind = InputPosition(source, read.behind, read.done)
        if len(records) == RECORDS or size >= BYTES:
            yield Chunk(records, behind)
            records, size, behind = [], 0, None
    if behind is not None:
        yield Chunk(records, behind)


def extract_records(
    records: Sequence[Record],
    extractor: RecordExtractor,
    *,
    given_up: Mapping[int, str] = MappingProxyType({}),
    begin: Callable[[int], object] = int,
) -> RecordsResult:
    """Return the rows of records, in order; one bad page never ends a run.

    ``given_up``: why some of the records, by their number, are not tried.  ``begin`` is told the number of each record
    before it is extracted.
    """
    counts: Counter[str] = Counter(records=len(records))
    rows: list[ExtractionRow] = []
    troubles: list[Trouble] = []
    for number, record in enumerate(records):
        if number in given_up:
            counts[given_up[number]] += 1
            troubles.append(Trouble(record.location, given_up[number]))
            continue
        begin(number)
        try:
            extracted = extractor.extract(record)
        except Exception as error:
            kind = type(error).__name__
            counts.update(["errors", f"errors/{kind}"])
            troubles.append(Trouble(record.location, f"{kind}: {error}"))
            continue
        if isinstance(extracted, NoPage):
            counts[f"skipped/{extracted.reason}"] += 1
            if extracted.reason in DAMAGE:
                troubles.append(Trouble(record.location, extracted.reason))
            continue
        counts.update(page_counts(extracted.page))
        if extracted.is_wanted:
            rows.append(extracted.row)
    counts["rows"] = len(rows)
    return RecordsResult(rows, counts, troubles)


# From a record to its extraction, or to the reason why there is none; as in a crawl, without one.

#: A page whose language has to be detected.
_PAGE = "<p>" + "It was the best of times, it was the worst of times. " * 5


class ExtractedRecord(NamedTuple):
    """A page that was extracted, and where it was."""

    url: str | None
    location: Location
    page: Page

    @property
    def is_wanted(self) -> bool:
        """Whether it belongs into the output."""
        return self.page.is_good or self.page.configuration.drop == "none"

    @property
    def row(self) -> ExtractionRow:
        """What the output gets of it."""
        extraction, configuration, _ = self.page
        fields, blocks, block_fields = configuration.fields, configuration.blocks, configuration.block_fields
        return ExtractionRow(self.url, *self.location, extraction, fields, blocks, block_fields)


class RecordExtractor:
    """Extracts pages with the settings for their sites."""

    def __init__(self, layers: Layers) -> None:
        self._layers = layers
        self._configuration_of = cache(self._configure)

    def warm_up(self) -> None:
        """Load the stoplists and the model, which no page is to be blamed for."""
        configuration = self._configuration_of(None)
        if configuration is not None:
            Extractor(configuration.options).extract(_PAGE)

    def extract(self, record: Record) -> ExtractedRecord | NoPage:
        """Return what a record holds, or why it is no page; may raise whatever a page makes it raise."""
        archived = record.page()
        if isinstance(archived, NoPage):
            return archived
        configuration = self._configuration_of(find_domain(host_of(archived.url), self._layers.sites))
        if configuration is None:
            return NoPage("site")
        response = make_response(archived, configuration.max_body_bytes)
        reason = skip_reason(None, response, configuration)
        if reason is not None:
            return NoPage("redirect" if reason == "status" and _is_redirect(response) else reason)
        # Nobody else asks for a tree, so that the response's own selector would be the dearer way.
        raw = raw_page(cast("TextResponse", response))._replace(url=archived.url)
        extraction = raw.judge(configuration.options).extraction()
        return ExtractedRecord(archived.url, record.location, Page(extraction, configuration))

    def _configure(self, site: str | None) -> Configuration | None:
        """Return the configuration for a site's pages; None where they are not to be cleaned."""
        given = self._layers.given(site)
        return configure(given) if is_enabled(given) else None


def _is_redirect(response: Response) -> bool:
    return HTTPStatus.MULTIPLE_CHOICES <= response.status < HTTPStatus.BAD_REQUEST


# The processes that extract, seen from outside and from inside.
#
# A process answers ``READY`` when it has read what it needs, or a :class:`Failure` where it cannot; then to each chunk
# with the number of every record that it begins, ``ENCODING`` behind the last of them, and a :class:`ChunkResult`.  It
# leaves
# Ctrl-C to the process that started it, and ends with that one however it ends.

READY = "ready"
ENCODING = "encoding"


class Setup(NamedTuple):
    """What a process needs to know.  ``suffix``: of the output, which tells its format."""

    layers: Layers
    suffix: str


class Failure(NamedTuple):
    """Why a process cannot begin, in words."""

    problem: str


class Packed(NamedTuple):
    """A record that is unpacked when its turn comes, so that what it does to a process then is known to be its doing.

    ``packed``: the record, pickled.
    """

    location: Location
    packed: bytes

    @property
    def size(self) -> int:
        """Its bytes, about."""
        return len(self.packed)

    def page(self) -> ArchivedPage | NoPage:
        """Return the page in the record, or why there is none."""
        record: Record = pickle.loads(self.packed)
        return record.page()


class Worker:
    """A process, seen from outside.

    It is made anew, not forked, so that none of the parent's threads and locks are in it.
    """

    def __init__(self, setup: Setup) -> None:
        context = get_context("spawn")
        self.connection, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(theirs, setup), daemon=True)
        with _interrupts_held():
            self._process.start()
        theirs.close()

    @property
    def exit_status(self) -> int | None:
        """That of a process that has ended, below 0 the number of a signal; None for one that runs."""
        return self._process.exitcode

    def send(self, records: Sequence[Record], given_up: Mapping[int, str]) -> None:
        """Give the process a chunk; one that has ended is seen at the next :meth:`receive`."""
        packed = [Packed(record.location, pickle.dumps(record, pickle.HIGHEST_PROTOCOL)) for record in records]
        with suppress(OSError):
            self.connection.send((packed, given_up))

    def receive(self) -> str | int | Failure | ChunkResult | None:
        """The next message, waited for; None where the process ended instead."""
        try:
            message: str | int | Failure | ChunkResult = self.connection.recv()
        except (EOFError, OSError):
            self._process.join()
            return None
        return message

    def kill(self) -> None:
        """End the process, whatever it is doing."""
        self._process.kill()
        self._process.join()
        self.connection.close()


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


def serve(connection: Connection, setup: Setup) -> None:
    """Extract the chunks that come until no more can come."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _end_with_parent()
    # What Scrapy says of single responses is counted.
    logging.getLogger("scrapy").setLevel(logging.CRITICAL)
    with suppress(EOFError, OSError):
        try:
            extractor = RecordExtractor(setup.layers)
            extractor.warm_up()
            encode = find_format(setup.suffix).encode
        except Exception as error:
            # Whatever it is, it would befall every other process, too.
            connection.send(Failure(_problem(error)))
            return
        connection.send(READY)
        while True:
            records, given_up = connection.recv()
            rows, counts, troubles = extract_records(records, extractor, given_up=given_up, begin=connection.send)
            connection.send(ENCODING)
            connection.send(ChunkResult(encode(rows), counts, troubles))


def _problem(error: Exception) -> str:
    """An error in words, with the file that it is about where it names one.

    >>> _problem(OSError(27, "File too large", "/tmp/model")), _problem(OSError(27, "File too large"))
    ('/tmp/model: File too large', 'File too large')
    """
    if not isinstance(error, OSError):
        return str(error)
    return describe_os_error(error) if error.filename is None else f"{error.filename}: {describe_os_error(error)}"


def _end_with_parent() -> None:
    parent: Any = parent_process()
    end_with_parent(parent.pid)
    if sys.platform != "linux":
        Thread(target=_await, args=(parent,), daemon=True).start()


def _await(parent: Any) -> None:
    parent.join()
    os._exit(1)


# Several processes at work on one input, in its order.
#
# A page that ends its process is tried once more, then given up; one that takes too long is given up at once, with its
# process.  The rest of its chunk is done again.  A process that ends while no page is in work, be it that the chunk
# comes
# or that its rows are encoded, is replaced once for each chunk.

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
        self.result: ChunkResult | None = None


class _Desk:
    """Location one process after another works, a chunk at a time.

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

    def work(self, chunks: Iterable[Chunk]) -> Iterator[tuple[Chunk, ChunkResult]]:
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
        elif isinstance(message, ChunkResult):
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
            where = task.chunk.records[0].location
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
