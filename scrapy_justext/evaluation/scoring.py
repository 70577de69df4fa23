"""From the texts that a run stored to scores: a row for each data set, extractor and measure, and those behind it.

::

    OUT/summary.json       a list of rows with the fields of :class:`Row`
    OUT/page_types.json    the same for each page type of the data sets that have them, with ``page_type``
    OUT/documents.jsonl    a line for each data set, extractor, measure and document: :class:`DocumentScores`
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_justext.evaluation.measures import BOUNDARY_CASES, MEASURES, Scores
from scrapy_justext.evaluation.statistics import mean_of, standard_deviation_of
from scrapy_justext.evaluation.store import open_results, read_run
from scrapy_justext.exceptions import ParameterError
from scrapy_justext.files import write_whole
from scrapy_justext.workers import Pool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from concurrent.futures import Future
    from pathlib import Path

    from scrapy_justext.evaluation.datasets.documents import DataSet
    from scrapy_justext.evaluation.measures import Measure
    from scrapy_justext.evaluation.store import ExtractorRecord, Result, ResultStore

_of_measure = attrgetter("precision", "recall", "f1", "case")

SUMMARY_FILE = "summary.json"
PAGE_TYPES_FILE = "page_types.json"
DOCUMENTS_FILE = "documents.jsonl"

FAILED = "failed"
_FAILED = Scores(None, None, None, FAILED)

#: How many documents a process scores at a time.
_CHUNK = 16


class DocumentScores(NamedTuple):
    """What a measure says of an extractor's text for one document."""

    dataset: str
    extractor: str
    version: str
    measure: str
    id: str
    page_type: str | None
    precision: float | None
    recall: float | None
    f1: float | None
    case: str
    """``ok``, ``relevant_empty``, ``retrieved_empty``, ``both_empty``, ``mismatch`` or ``failed``."""
    seconds: float | None
    """The extractor's own time; None when it was killed."""
    sizes: tuple[int, int, int]
    """Of the gold standard, the retrieved text and what they share, in what the measure counts."""


@dataclass(frozen=True, slots=True)
class Row:
    """What a measure says of an extractor on a data set, or on its pages of one type.

    Means and sample standard deviations are those of the documents that count: the ``ok`` ones, and for the measures of
    benchmarks that have rules for them (``bag``, ``shingle``) those of the four boundary cases.  Of ``shingle`` the
    three values are the benchmark's own for the set, not means.  None where no document counts.
    """

    dataset: str
    extractor: str
    version: str
    measure: str
    precision: float | None
    recall: float | None
    f1: float | None
    precision_sd: float | None
    recall_sd: float | None
    f1_sd: float | None
    documents: int
    """All documents that were run, failed ones and boundary cases too."""
    failed: int
    relevant_empty: int
    retrieved_empty: int
    both_empty: int
    mismatch: int
    milliseconds: float | None
    """Mean time a page, over the documents that did not fail."""


def score_run(
    out: Path, data_sets: Sequence[DataSet], jobs: int = 1, *, keep_non_ascii: bool = False
) -> list[dict[str, Any]]:
    """Score all that has been run into a folder on some data sets, and write the files named above.

    ``jobs``: how many processes.  ``keep_non_ascii``: see :mod:`~scrapy_justext.evaluation.measures`.  Return the rows
    of the summary.  Rows of data sets that are not given stay as they were written before.
    """
    if jobs < 1:
        raise ParameterError("jobs", jobs, "must be 1 or more")
    run = read_run(out)
    chunks: list[_Chunk] = []
    for data_set in data_sets:
        golds = [_Gold(document.id, document.gold, document.page_type) for document in data_set.documents]
        for extractor in run.extractors if run else ():
            store = open_results(out, data_set.name, extractor.name)
            results = store.read()
            done = [(gold, results[gold.id]) for gold in golds if gold.id in results]
            parts = (done[start : start + _CHUNK] for start in range(0, len(done), _CHUNK))
            chunks += [_Chunk(data_set.name, store, extractor, part, keep_non_ascii) for part in parts]
    given = {data_set.name for data_set in data_sets}
    scores = [document for document in read_scores(out) if document.dataset not in given]
    scores += _by_measure(document for chunk in _score_chunks(chunks, jobs) for document in chunk)
    rows = [asdict(row) for row in _summarise(scores)]
    _write_json(out / PAGE_TYPES_FILE, _summarise_by_page_type(scores))
    lines = (json.dumps(document._asdict(), ensure_ascii=False) + "\n" for document in scores)
    write_whole(out / DOCUMENTS_FILE, "".join(lines).encode())
    _write_json(out / SUMMARY_FILE, rows)
    return rows


def read_scores(out: Path) -> list[DocumentScores]:
    """Return the scores of documents that :func:`score_run` has written; none when it has not."""
    path = out / DOCUMENTS_FILE
    if not path.exists():
        return []
    rows = (json.loads(line) for line in path.read_text("utf-8").split("\n") if line)
    return [DocumentScores(**{**row, "sizes": tuple(row["sizes"])}) for row in rows]


class _Gold(NamedTuple):
    """What scoring needs of a document."""

    id: str
    text: str
    page_type: str | None


class _Chunk(NamedTuple):
    """Documents of which one process scores the texts."""

    dataset: str
    store: ResultStore
    extractor: ExtractorRecord
    documents: Sequence[tuple[_Gold, Result]]
    keep_non_ascii: bool


def _by_measure(scores: Iterable[DocumentScores]) -> list[DocumentScores]:
    """Put the scores of a data set, extractor and measure together."""
    groups: dict[tuple[str, str], dict[str, list[DocumentScores]]] = {}
    for document in scores:
        by_measure = groups.setdefault((document.dataset, document.extractor), {name: [] for name in MEASURES})
        by_measure[document.measure].append(document)
    return [document for by_measure in groups.values() for part in by_measure.values() for document in part]


def _score_chunks(chunks: list[_Chunk], jobs: int) -> Iterator[list[DocumentScores]]:
    if jobs == 1 or len(chunks) < 2:
        yield from map(list, map(_score_chunk, chunks))
        return
    with Pool(min(jobs, len(chunks)), _start) as pool:
        futures: list[Future[list[DocumentScores]]] = [pool.submit(chunk) for chunk in chunks]
        for future in futures:
            yield future.result()


def _start(_: object) -> Callable[[_Chunk], Iterator[DocumentScores]]:
    return _score_chunk


def _score_chunk(chunk: _Chunk) -> Iterator[DocumentScores]:
    for gold, result in chunk.documents:
        text = chunk.store.read_text(result.id) if result.status == "ok" else None
        for measure in MEASURES.values():
            scores = _FAILED if text is None else measure(gold.text, text, keep_non_ascii=chunk.keep_non_ascii)
            yield DocumentScores(
                dataset=chunk.dataset,
                extractor=chunk.extractor.name,
                version=chunk.extractor.version,
                measure=measure.name,
                id=result.id,
                page_type=gold.page_type,
                seconds=result.seconds,
                **scores._asdict(),
            )


def _summarise(scores: Iterable[DocumentScores]) -> list[Row]:
    """Return a row for each run of scores of one data set, extractor and measure."""
    groups = groupby(scores, key=lambda document: (document.dataset, document.extractor, document.measure))
    return [_row(list(group)) for _, group in groups]


def _summarise_by_page_type(scores: Sequence[DocumentScores]) -> list[dict[str, Any]]:
    """Return the same for each page type, in alphabetical order, of the documents that have one."""
    return [
        {**asdict(row), "page_type": page_type}
        for page_type in sorted({document.page_type for document in scores if document.page_type is not None})
        for row in _summarise(document for document in scores if document.page_type == page_type)
    ]


def _row(group: list[DocumentScores]) -> Row:
    first, cases = group[0], Counter(document.case for document in group)
    measure: Measure = MEASURES[first.measure]
    sound = [document for document in group if document.case != FAILED]
    counted = measure.counted(
        [Scores(document.precision, document.recall, document.f1, document.case) for document in sound]
    )
    means = measure.aggregate(counted)
    seconds = mean_of(document.seconds for document in sound)
    return Row(
        dataset=first.dataset,
        extractor=first.extractor,
        version=first.version,
        measure=first.measure,
        precision=means.precision,
        recall=means.recall,
        f1=means.f1,
        precision_sd=standard_deviation_of(document.precision for document in counted),
        recall_sd=standard_deviation_of(document.recall for document in counted),
        f1_sd=standard_deviation_of(document.f1 for document in counted),
        documents=len(group),
        milliseconds=None if seconds is None else 1000 * seconds,
        **{case: cases[case] for case in (FAILED, *BOUNDARY_CASES)},
    )


def _write_json(path: Path, rows: list[dict[str, Any]]) -> None:
    write_whole(path, (json.dumps(rows, indent=2, ensure_ascii=False) + "\n").encode())
