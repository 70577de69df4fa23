"""Several processes: the order kept, crashes and pages without end survived, nobody left behind."""

import json
import threading
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest

from scrapy_justext.archives.output import make_format
from scrapy_justext.archives.records import ArchivedPage, InputPosition, Location, Record, page_record
from scrapy_justext.archives.work import Chunk, ChunkResult, extract_chunks
from scrapy_justext.crawl.settings import Given, Layers, make_layers
from scrapy_justext.exceptions import ArchiveError, JustextError
from scrapy_justext.tables import OF_RECORDS, make_schema
from tests.archives.hostile import DeadlyLayers, DeadlyWhere, Ending, fail, kill, kill_once, take_a_minute
from tests.archives.making import page, url

pytestmark = [pytest.mark.usefixtures("forked_workers"), pytest.mark.full]

LAYERS = make_layers({"language": Given("en", "language")}, {})
ENCODE = make_format(".jsonl").encode
SETUP = (LAYERS, ENCODE, None)


def where(number: int) -> Location:
    return Location("a.warc", number)


def page_of(number: int) -> ArchivedPage:
    return ArchivedPage(url(number), page(number))


def loaded(number: int) -> Record:
    return page_record(where(number), page_of(number))


def chunk(records: Sequence[Record]) -> Chunk:
    return Chunk(records, InputPosition(0, len(records)))


def work(chunks: list[Chunk], processes: int = 1, timeout: float | None = None) -> list[ChunkResult]:
    done = list(extract_chunks(chunks, processes, (LAYERS, ENCODE, timeout)))
    assert [chunk_done for chunk_done, _ in done] == chunks
    assert not [thread for thread in threading.enumerate() if thread.name == "justext-feeder"]
    return [result for _, result in done]


def urls(results: Sequence[ChunkResult]) -> list[str]:
    return [json.loads(line)["url"] for result in results for line in result.encoded.splitlines()]


def test_results_come_in_the_order_of_the_chunks() -> None:
    chunks = [chunk([loaded(10 * n + m) for m in range(9 if n % 3 == 0 else 1)]) for n in range(12)]
    results = work(chunks, processes=2)
    assert urls(results) == [url(record.location.offset or 0) for sent in chunks for record in sent.records]
    assert [result.counts["records"] for result in results] == [len(sent.records) for sent in chunks]


def test_what_ends_its_process_also_while_it_is_unpickled_is_given_up_after_two() -> None:
    [result] = work([chunk([loaded(0), Record(where(1), kill), loaded(2)])])
    assert urls([result]) == [url(0), url(2)]
    assert (result.counts["crashes"], result.counts["pages"]) == (1, 2)
    assert list(result.troubles) == [(where(1), "crashes")]
    [result] = work([chunk([Record(where(0), Ending()), loaded(1), Record(where(2), Ending())])])
    assert urls([result]) == [url(1)]
    assert list(result.troubles) == [(where(0), "crashes"), (where(2), "crashes")]


def test_a_process_that_ends_beside_its_records_is_replaced_but_once() -> None:
    record = loaded(1)._replace(location=DeadlyWhere("a.warc", 1))
    problem = "^a.warc, 0 and what follows: a process ended twice beside its pages, with exit status 3$"
    with pytest.raises(ArchiveError, match=problem):
        list(extract_chunks([chunk([loaded(0), record, loaded(2)])], 1, SETUP))


def test_rows_that_cannot_be_encoded_end_the_run() -> None:
    # No column of numbers holds that place.
    record = loaded(1)._replace(location=Location("a.warc", b"1"))  # type: ignore[arg-type]
    encode = make_format(".parquet", make_schema([], OF_RECORDS)).encode
    problem = "^a.warc, 0 and what follows: cannot be encoded: ArrowInvalid: .*bytes"
    with pytest.raises(ArchiveError, match=problem):
        list(extract_chunks([chunk([loaded(0), record, loaded(2)])], 1, (LAYERS, encode, None)))


def test_a_page_whose_process_was_ended_once_is_tried_again(tmp_path: Path) -> None:
    once = Record(where(1), partial(kill_once, page_of(1), tmp_path / "mark"))
    [result] = work([chunk([loaded(0), once, loaded(2)])])
    assert urls([result]) == [url(0), url(1), url(2)]
    assert "crashes" not in result.counts


def test_a_page_that_takes_too_long_is_given_up() -> None:
    results = work([chunk([loaded(0), Record(where(1), take_a_minute), loaded(2)]), chunk([loaded(3)])], timeout=3)
    assert urls(results) == [url(0), url(2), url(3)]
    assert results[0].counts["timeouts"] == 1


def test_a_page_that_raises_is_counted() -> None:
    [result] = work([chunk([Record(where(0), fail), loaded(1)])])
    assert urls([result]) == [url(1)]
    assert (result.counts["errors"], result.counts["errors/ZeroDivisionError"]) == (1, 1)
    assert list(result.troubles) == [(where(0), "ZeroDivisionError: by this page")]


def test_reading_is_not_far_ahead_of_writing() -> None:
    read: list[int] = []

    def chunks() -> Iterator[Chunk]:
        for number in range(40):
            read.append(number)
            yield chunk([loaded(number)])

    for number, _ in enumerate(extract_chunks(chunks(), 1, SETUP)):
        assert len(read) <= number + 4
    assert len(read) == 40


@pytest.mark.parametrize(
    ("layers", "problem"),
    [
        (make_layers({"profile": Given("x", "profile")}, {}), "no process can begin: profile = 'x': un"),
        (DeadlyLayers({}, {}, {}), "ended before it began, with exit status 3"),
    ],
)
def test_processes_that_cannot_begin_end_the_run(layers: Layers, problem: str) -> None:
    with pytest.raises(JustextError, match=problem):
        list(extract_chunks([chunk([loaded(0)])], 1, (layers, ENCODE, None)))
