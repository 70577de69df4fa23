"""The processes that extract, seen from outside and from inside.

A process answers ``READY`` when it has read what it needs, or a :class:`Failure` where it cannot; then to each chunk
with the number of every record that it begins, ``ENCODING`` behind the last of them, and a :class:`Result`.  It leaves
Ctrl-C to the process that started it, and ends with that one however it ends.
"""

from __future__ import annotations

import logging
import os
import pickle
import signal
import sys
from contextlib import contextmanager, suppress
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_justext.archives.errors import describe
from scrapy_justext.archives.records import Where  # noqa: TC001 (field of a named tuple)
from scrapy_justext.archives.work.chunks import Result, judge_all
from scrapy_justext.archives.work.judging import Judge
from scrapy_justext.archives.writing.formats import find_format
from scrapy_justext.parents import end_with_parent

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from multiprocessing.connection import Connection

    from scrapy_justext.archives.records import Document, Record
    from scrapy_justext.settings import Layers

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

    where: Where
    packed: bytes

    @property
    def size(self) -> int:
        """Its bytes, about."""
        return len(self.packed)

    def document(self) -> Document | str:
        """The page in the record, or why there is none."""
        record: Record = pickle.loads(self.packed)
        return record.document()


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
        packed = [Packed(record.where, pickle.dumps(record, pickle.HIGHEST_PROTOCOL)) for record in records]
        with suppress(OSError):
            self.connection.send((packed, given_up))

    def receive(self) -> str | int | Failure | Result | None:
        """The next message, waited for; None where the process ended instead."""
        try:
            message: str | int | Failure | Result = self.connection.recv()
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
            judge = Judge(setup.layers)
            judge.warm_up()
            encode = find_format(setup.suffix).encode
        except Exception as error:
            # Whatever it is, it would befall every other process, too.
            connection.send(Failure(_problem(error)))
            return
        connection.send(READY)
        while True:
            records, given_up = connection.recv()
            rows, counts, troubles = judge_all(records, judge, given_up=given_up, begin=connection.send)
            connection.send(ENCODING)
            connection.send(Result(encode(rows), counts, troubles))


def _problem(error: Exception) -> str:
    """An error in words, with the file that it is about where it names one.

    >>> _problem(OSError(27, "File too large", "/tmp/model")), _problem(OSError(27, "File too large"))
    ('/tmp/model: File too large', 'File too large')
    """
    if not isinstance(error, OSError):
        return str(error)
    return describe(error) if error.filename is None else f"{error.filename}: {describe(error)}"


def _end_with_parent() -> None:
    parent: Any = parent_process()
    end_with_parent(parent.pid)
    if sys.platform != "linux":
        Thread(target=_await, args=(parent,), daemon=True).start()


def _await(parent: Any) -> None:
    parent.join()
    os._exit(1)
