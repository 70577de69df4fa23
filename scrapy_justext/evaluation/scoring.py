"""From the texts that a run stored to scores: a row for each data set, extractor and measure, and those behind it.

::

    OUT/summary.json       a list of rows with the fields of :class:`ExtractorRow`
    OUT/page_types.json    the same for each page type of the data sets that have them, with ``page_type``
    OUT/documents.jsonl    a line for each data set, extractor, measure and document: :class:`DocumentScores`
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.evaluation.kinds import ALL_MEASURES, KIND_MEASURES, comparisons
from scrapy_justext.evaluation.measures import BOUNDARY_CASES, TOO_LARGE, Scores, Sizes
from scrapy_justext.evaluation.statistics import mean_interval, mean_of, standard_deviation_of
from scrapy_justext.evaluation.store import open_results, read_run, write_json
from scrapy_justext.exceptions import ParameterError, StoreError
from scrapy_justext.files import write_whole
from scrapy_justext.workers import Pool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from scrapy_justext.evaluation.datasets.documents import DataSet, Document
    from scrapy_justext.evaluation.store import ExtractorRecord, Result, ResultStore

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
    """``ok``, ``relevant_empty``, ``retrieved_empty``, ``both_empty``, ``mismatch``, ``too_large`` or ``failed``."""
    seconds: float | None
    """The extractor's own time; None when it was killed."""
    sizes: tuple[int, int, int]
    """Of the gold standard, the retrieved text and what they share, in what the measure counts."""


@dataclass(frozen=True, slots=True)
class ExtractorRow:
    """What a measure says of an extractor on a data set, or on its pages of one type.

    Means and sample standard deviations are those of the documents that count: the ``ok`` ones, and for the measures of
    benchmarks that have rules for them (``bag``, ``shingle``, ``snippets``) those of the four boundary cases.  Of
    ``shingle`` and ``snippets`` the three values are the benchmark's own for the set, not means.  None where no
    document counts.
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
    too_large: int = 0
    """Documents that a simpler measure has scored, which count."""
    f1_low: float | None = None
    f1_high: float | None = None
    """The 95 % interval of the mean F1, of measures over Markdown."""

    @property
    def relevant(self) -> int:
        """The documents that did not fail and whose gold standard has what the measure compares."""
        return self.documents - self.failed - self.relevant_empty - self.both_empty

    @property
    def empty(self) -> int:
        """The documents of which nothing was retrieved."""
        return self.retrieved_empty + self.both_empty


def sort_by_f1(rows: Iterable[ExtractorRow]) -> list[ExtractorRow]:
    """Return rows by their F1, the highest first, those without one last, equal ones by name."""
    return sorted(rows, key=lambda row: (row.f1 is None, -(row.f1 or 0.0), row.extractor))


def score_run(
    out: Path, data_sets: Sequence[DataSet], jobs: int = 1, *, keep_non_ascii: bool = False
) -> list[ExtractorRow]:
    """Score all that has been run into a folder on some data sets, and write the files named above.

    ``jobs``: how many processes.  ``keep_non_ascii``: see :mod:`~scrapy_justext.evaluation.measures`.  Return the rows
    of the summary.  Rows of data sets that are not given stay as they were written before.
    """
    if jobs < 1:
        raise ParameterError("jobs", jobs, "must be 1 or more")
    run = read_run(out)
    texts: list[_StoredText] = []
    for data_set in data_sets:
        # All pages of a set do not fit into memory.
        documents = [replace(document, html=b"") for document in data_set.documents]
        for extractor in run.extractors if run else ():
            store = open_results(out, data_set.name, extractor.name)
            results = store.read()
            texts += [
                _StoredText(data_set.name, extractor, document, results[document.id], store)
                for document in documents
                if document.id in results
            ]
    given = {data_set.name for data_set in data_sets}
    scores = [document for document in read_scores(out) if document.dataset not in given]
    order = [*ALL_MEASURES]
    for _, group in groupby(_score_all(texts, jobs, keep_non_ascii=keep_non_ascii), attrgetter("dataset", "extractor")):
        scores += sorted(group, key=lambda document: order.index(document.measure))
    rows = _summarise(scores)
    page_types = sorted({document.page_type for document in scores if document.page_type is not None})
    of_types = [
        {**asdict(row), "page_type": page_type}
        for page_type in page_types
        for row in _summarise(document for document in scores if document.page_type == page_type)
    ]
    write_json(out / PAGE_TYPES_FILE, of_types)
    lines = (json.dumps(document._asdict(), ensure_ascii=False) + "\n" for document in scores)
    write_whole(out / DOCUMENTS_FILE, "".join(lines).encode())
    write_json(out / SUMMARY_FILE, [asdict(row) for row in rows])
    return rows


def read_scores(out: Path) -> list[DocumentScores]:
    """Return the scores of documents that :func:`score_run` has written; none when it has not.

    Raise :class:`StoreError` for a file that holds something else.
    """
    path = out / DOCUMENTS_FILE
    try:
        rows = [json.loads(line) for line in path.read_text("utf-8").split("\n") if line] if path.exists() else []
        return [DocumentScores(**{**row, "sizes": tuple(row["sizes"])}) for row in rows]
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, LookupError, TypeError) as error:
        raise StoreError(f"{path} does not hold the scores of a run: {error}") from error


class _StoredText(NamedTuple):
    """What an extractor gave for a document, to be compared with its gold standard."""

    dataset: str
    extractor: ExtractorRecord
    document: Document
    result: Result
    store: ResultStore


def _score_all(texts: Sequence[_StoredText], jobs: int, *, keep_non_ascii: bool) -> Iterator[DocumentScores]:
    chunks = [texts[start : start + _CHUNK] for start in range(0, len(texts), _CHUNK)]
    if jobs == 1 or len(chunks) < 2:
        yield from _start_scoring(keep_non_ascii)(texts)
        return
    with Pool(min(jobs, len(chunks)), _start_scoring, keep_non_ascii) as pool:
        for future in [pool.submit(chunk) for chunk in chunks]:
            yield from future.result()


def _start_scoring(keep_non_ascii: bool) -> Callable[[Sequence[_StoredText]], Iterator[DocumentScores]]:
    return partial(_score, keep_non_ascii=keep_non_ascii)


def _score(texts: Sequence[_StoredText], *, keep_non_ascii: bool) -> Iterator[DocumentScores]:
    for dataset, extractor, document, result, store in texts:
        text = store.read_text(result.id) if result.status == "ok" else None
        compared = comparisons(document.gold, document.markdown, text or "", document.snippets)
        for measure, gold, found in compared:
            scores = _FAILED if text is None else measure(gold, found, keep_non_ascii=keep_non_ascii)
            origin = dataset, extractor.name, extractor.version, measure.name, result.id, document.page_type
            yield DocumentScores(*origin, *scores[:4], result.seconds, scores.sizes)


def _summarise(scores: Iterable[DocumentScores]) -> list[ExtractorRow]:
    """Return a row for each run of scores of one data set, extractor and measure."""
    groups = groupby(scores, attrgetter("dataset", "extractor", "measure"))
    return [_summarise_group(list(group)) for _, group in groups]


def _summarise_group(group: list[DocumentScores]) -> ExtractorRow:
    first, cases = group[0], Counter(document.case for document in group)
    measure = ALL_MEASURES[first.measure]
    counted = [
        Scores(document.precision, document.recall, document.f1, document.case, Sizes(*document.sizes))
        for document in group
        if document.case in measure.counted
    ]
    seconds = mean_of(document.seconds for document in group if document.case != FAILED)
    values = [scores.f1 for scores in counted if scores.f1 is not None]
    low, high = mean_interval(values) if values and measure.name in KIND_MEASURES else (None, None)
    return ExtractorRow(
        dataset=first.dataset,
        extractor=first.extractor,
        version=first.version,
        measure=first.measure,
        **measure.aggregate(counted)._asdict(),
        precision_sd=standard_deviation_of(document.precision for document in counted),
        recall_sd=standard_deviation_of(document.recall for document in counted),
        f1_sd=standard_deviation_of(document.f1 for document in counted),
        documents=len(group),
        milliseconds=None if seconds is None else 1000 * seconds,
        too_large=cases[TOO_LARGE],
        f1_low=low,
        f1_high=high,
        **{case: cases[case] for case in (FAILED, *BOUNDARY_CASES)},
    )
