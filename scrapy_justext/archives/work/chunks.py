"""What goes to a process at once, and what comes back."""

from __future__ import annotations

from collections import Counter
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.archives.records import TROUBLES, Place, Record, Where
from scrapy_justext.cleaned import page_counts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from scrapy_justext.archives.records import Read
    from scrapy_justext.archives.work.judging import Judge, Row

#: A chunk is closed when it has so many records, or bytes: a fraction of a second's work.
RECORDS = 100
BYTES = 2 << 20


class Position(NamedTuple):
    """How far the input was read: a place in the source of that number, and the bytes before it."""

    source: int
    place: Place
    done: int


class Chunk(NamedTuple):
    """Records that stand beside each other, and where the input goes on behind them."""

    records: Sequence[Record]
    behind: Position


class Trouble(NamedTuple):
    """A record with which something is wrong, and what."""

    where: Where
    what: str


class Outcome(NamedTuple):
    """What became of records: the rows that belong into the output, in order, and what there is to count and say."""

    rows: Sequence[Row]
    counts: Counter[str]
    troubles: Sequence[Trouble]


class Result(NamedTuple):
    """What became of a chunk.  ``encoded``: its rows, as they are appended to the output."""

    encoded: bytes
    counts: Mapping[str, int]
    troubles: Sequence[Trouble]


def make_chunks(source: int, reads: Iterable[Read]) -> Iterator[Chunk]:
    """The records of a source in chunks; where one ends depends on the records in it alone."""
    records: list[Record] = []
    size = 0
    behind = None
    for read in reads:
        records.append(read.record)
        size += read.record.size
        behind = Position(source, read.next, read.done)
        if len(records) == RECORDS or size >= BYTES:
            yield Chunk(records, behind)
            records, size, behind = [], 0, None
    if behind is not None:
        yield Chunk(records, behind)


def judge_all(
    records: Sequence[Record],
    judge: Judge,
    *,
    given_up: Mapping[int, str] = MappingProxyType({}),
    begin: Callable[[int], object] = int,
) -> Outcome:
    """The rows of records, in order; one bad page never ends a run.

    ``given_up``: why some of the records, by their number, are not tried; ``begin`` is told the number of a record
    before it is judged.
    """
    counts: Counter[str] = Counter(records=len(records))
    rows: list[Row] = []
    troubles: list[Trouble] = []
    for number, record in enumerate(records):
        if number in given_up:
            counts[given_up[number]] += 1
            troubles.append(Trouble(record.where, given_up[number]))
            continue
        begin(number)
        try:
            outcome = judge.judge(record)
        except Exception as error:
            kind = type(error).__name__
            counts.update(["errors", f"errors/{kind}"])
            troubles.append(Trouble(record.where, f"{kind}: {error}"))
            continue
        if isinstance(outcome, str):
            counts[f"skipped/{outcome}"] += 1
            if outcome in TROUBLES:
                troubles.append(Trouble(record.where, outcome))
        else:
            counts.update(page_counts(outcome.page))
            if outcome.is_wanted:
                rows.append(outcome)
    counts["rows"] = len(rows)
    return Outcome(rows, counts, troubles)
