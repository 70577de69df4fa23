"""From the texts that a run stored to figures: a row for each data set, extractor and measure, and those behind it.

::

    OUT/summary.json       a list of rows with the fields of :class:`Row`
    OUT/page_types.json    the same for each page type of the data sets that have them, with ``page_type``
    OUT/documents.jsonl    a line for each data set, extractor, measure and document: :class:`DocumentScores`
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass
from itertools import groupby, product
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_justext.evaluation.measures import MEASURES, Scores, Sizes
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

SUMMARY_FILE = "summary.json"
PAGE_TYPES_FILE = "page_types.json"
DOCUMENTS_FILE = "documents.jsonl"

FAILED = "failed"

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
    """A measure's figures for an extractor on a data set, or on its pages of one type.

    Means and sample standard deviations are those of the documents that count: the ``ok`` ones, and for the measures of
    benchmarks that have rules for them (``bag``, ``shingle``) those of the four boundary cases.  Of ``shingle`` the
    three figures are the benchmark's own for the set, not means.  None where no document counts.
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

    ``jobs``: how many processes.  ``keep_non_ascii``: see :mod:`~scrapy_justext.evaluation.measures`.  Returns
    the rows of the summary.  Rows of data sets that are not given stay as they were written before.
    """
    if jobs < 1:
        raise ParameterError("jobs", jobs, "must be 1 or more")
    run = read_run(out)
    chunks: list[_Chunk] = []
    for data_set in data_sets:
        golds = _read_golds(data_set)
        for extractor in run.extractors if run else ():
            store = open_results(out, data_set.name, extractor.name)
            chunks += _chunks(data_set.name, golds, store, extractor, keep_non_ascii=keep_non_ascii)
    given = {data_set.name for data_set in data_sets}
    scores = [*(one for one in read_scores(out) if one.dataset not in given), *_score_chunks(chunks, jobs)]
    rows = [asdict(row) for row in summarise(scores)]
    _write_json(out / PAGE_TYPES_FILE, summarise_by_page_type(scores))
    write_whole(out / DOCUMENTS_FILE, "".join(_to_line(one) for one in scores).encode())
    _write_json(out / SUMMARY_FILE, rows)
    return rows


def score_extractor(
    data_set: DataSet, store: ResultStore, extractor: ExtractorRecord, jobs: int = 1, *, keep_non_ascii: bool = False
) -> list[DocumentScores]:
    """The scores of all measures for the documents that an extractor has been run on, measure by measure."""
    chunks = _chunks(data_set.name, _read_golds(data_set), store, extractor, keep_non_ascii=keep_non_ascii)
    return _score_chunks(chunks, jobs)


def summarise(scores: Iterable[DocumentScores]) -> list[Row]:
    """A row for each run of scores of one data set, extractor and measure."""
    return [
        _row(list(group)) for _, group in groupby(scores, key=lambda one: (one.dataset, one.extractor, one.measure))
    ]


def summarise_by_page_type(scores: Sequence[DocumentScores]) -> list[dict[str, Any]]:
    """The same for each page type, in alphabetical order, of the documents that have one."""
    page_types = sorted({one.page_type for one in scores if one.page_type is not None})
    return [
        {**asdict(row), "page_type": page_type}
        for page_type in page_types
        for row in summarise(one for one in scores if one.page_type == page_type)
    ]


def read_scores(out: Path) -> list[DocumentScores]:
    """The scores of documents that :func:`score_run` has written; none when it has not."""
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
    golds: list[_Gold]
    results: list[Result]
    keep_non_ascii: bool


def _read_golds(data_set: DataSet) -> list[_Gold]:
    return [_Gold(document.id, document.gold, document.page_type) for document in data_set.documents]


def _chunks(
    dataset: str, golds: list[_Gold], store: ResultStore, extractor: ExtractorRecord, *, keep_non_ascii: bool
) -> list[_Chunk]:
    results = store.read()
    done = [gold for gold in golds if gold.id in results]
    parts = [done[start : start + _CHUNK] for start in range(0, len(done), _CHUNK)]
    return [
        _Chunk(dataset, store, extractor, part, [results[gold.id] for gold in part], keep_non_ascii) for part in parts
    ]


def _score_chunks(chunks: list[_Chunk], jobs: int) -> list[DocumentScores]:
    """The scores of all documents, those of a data set, extractor and measure together, in the chunks' order."""
    scores = [one for scored in _map_chunks(chunks, jobs) for one in scored]
    groups = dict.fromkeys((one.dataset, one.extractor) for one in scores)
    places = {(*group, measure): place for place, (group, measure) in enumerate(product(groups, MEASURES))}
    return sorted(scores, key=lambda one: places[one.dataset, one.extractor, one.measure])


def _map_chunks(chunks: list[_Chunk], jobs: int) -> Iterator[list[DocumentScores]]:
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
    for gold, result in zip(chunk.golds, chunk.results, strict=True):
        yield from _score_document(chunk, gold, result)


def _score_document(chunk: _Chunk, gold: _Gold, result: Result) -> Iterator[DocumentScores]:
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
            precision=scores.precision,
            recall=scores.recall,
            f1=scores.f1,
            case=scores.case,
            seconds=result.seconds,
            sizes=scores.sizes,
        )


_FAILED = Scores(None, None, None, FAILED)


def _row(group: list[DocumentScores]) -> Row:
    first, cases = group[0], Counter(one.case for one in group)
    measure: Measure = MEASURES[first.measure]
    sound = [one for one in group if one.case != FAILED]
    counted = measure.counted([_to_scores(one) for one in sound])
    means = measure.aggregate(counted)
    seconds = mean_of(one.seconds for one in sound)
    return Row(
        dataset=first.dataset,
        extractor=first.extractor,
        version=first.version,
        measure=first.measure,
        precision=means.precision,
        recall=means.recall,
        f1=means.f1,
        precision_sd=standard_deviation_of(one.precision for one in counted),
        recall_sd=standard_deviation_of(one.recall for one in counted),
        f1_sd=standard_deviation_of(one.f1 for one in counted),
        documents=len(group),
        failed=cases[FAILED],
        relevant_empty=cases["relevant_empty"],
        retrieved_empty=cases["retrieved_empty"],
        both_empty=cases["both_empty"],
        mismatch=cases["mismatch"],
        milliseconds=None if seconds is None else 1000 * seconds,
    )


def _to_scores(scores: DocumentScores) -> Scores:
    return Scores(scores.precision, scores.recall, scores.f1, scores.case, Sizes(*scores.sizes))


def _to_line(scores: DocumentScores) -> str:
    return json.dumps(scores._asdict(), ensure_ascii=False) + "\n"


def _write_json(path: Path, rows: list[dict[str, Any]]) -> None:
    write_whole(path, (json.dumps(rows, indent=2, ensure_ascii=False) + "\n").encode())
