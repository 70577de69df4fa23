"""What a run has measured: scored from the texts that it stored, written down, read back and ranked.

::

    OUT/summary.json       a list of rows with the fields of :class:`ExtractorRow`
    OUT/page_types.json    the same for each page type of the data sets that have them, with ``page_type``
    OUT/documents.jsonl    a line for each data set, extractor, measure and document: :class:`DocumentScores`

Reports are made from the scores of documents alone.

The F1 of documents show whether two extractors differ by more than chance.  Mann-Whitney's test takes all documents
that count for either extractor, the paired bootstrap those that count for both.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from itertools import chain, combinations, groupby
from operator import attrgetter
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_justext.evaluation.kinds import all_measures, comparisons
from scrapy_justext.evaluation.measures import BOUNDARY_CASES, MARKDOWN, TOO_LARGE, Scores, Sizes
from scrapy_justext.evaluation.statistics import (
    Bootstrap,
    MannWhitney,
    mann_whitney,
    mean_interval,
    mean_of,
    paired_bootstrap,
    standard_deviation_of,
)
from scrapy_justext.evaluation.store import RUN_FILE, open_results, read_json, read_run, write_json
from scrapy_justext.exceptions import StoreError
from scrapy_justext.files import explaining, write_whole
from scrapy_justext.workers import Pool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from scrapy_justext.evaluation.datasets.documents import DataSet, Document
    from scrapy_justext.evaluation.measures import Measure
    from scrapy_justext.evaluation.store import DataSetRecord, ExtractorRecord, Result, ResultStore, Run

    #: What an extractor gave for a document of a data set, to be compared with its gold standard.
    StoredText = tuple[str, ExtractorRecord, Document, Result, ResultStore]

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
    """The sizes of the gold standard, of the retrieved text and of what they share, in what the measure counts."""


@dataclass(frozen=True, slots=True)
class ExtractorRow:
    """What a measure says of an extractor on a data set, or on its pages of one type.

    Means and sample standard deviations are those of the documents that count: the ``ok`` ones, and the four boundary
    cases if the measure's benchmark has rules for them (``bag``, ``shingle``, ``snippets``).  The three values of
    ``shingle`` and ``snippets`` are the benchmark's own for the set, not means.  None if no document counts.

    ``documents``: all that were run, failed ones and boundary cases too.  ``milliseconds``: mean time a page, over the
    documents that did not fail.  ``too_large``: documents that a simpler measure has scored, which count.  ``f1_low``,
    ``f1_high``: the 95 % interval of the mean F1, of measures over Markdown.
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
    failed: int
    relevant_empty: int
    retrieved_empty: int
    both_empty: int
    mismatch: int
    milliseconds: float | None
    too_large: int = 0
    f1_low: float | None = None
    f1_high: float | None = None

    @property
    def ok(self) -> int:
        """The documents that neither failed nor are a boundary case."""
        boundary_cases = self.relevant_empty + self.retrieved_empty + self.both_empty + self.mismatch
        return self.documents - self.failed - boundary_cases

    @property
    def relevant(self) -> int:
        """The documents that did not fail and whose gold standard has what the measure compares."""
        return self.documents - self.failed - self.relevant_empty - self.both_empty


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
    run = read_run(out)
    texts: list[StoredText] = []
    for data_set in data_sets:
        # All pages of a set do not fit into memory.
        documents = [replace(document, html=b"") for document in data_set.documents]
        for extractor in run.extractors if run else ():
            store = open_results(out, data_set.name, extractor.name)
            results = store.read()
            texts += [
                (data_set.name, extractor, document, results[document.id], store)
                for document in documents
                if document.id in results
            ]
    given = {data_set.name for data_set in data_sets}
    scores = [document for document in read_scores(out) if document.dataset not in given]
    order = [*all_measures()]
    for _, group in groupby(_score_all(texts, jobs, keep_non_ascii=keep_non_ascii), attrgetter("dataset", "extractor")):
        scores += sorted(group, key=lambda document: order.index(document.measure))
    summary = [*_summarise(scores)]
    of_types = [
        {**asdict(row), "page_type": page_type} for page_type, rows in _page_types(scores).items() for row in rows
    ]
    write_json(out / PAGE_TYPES_FILE, of_types)
    lines = (json.dumps(document._asdict(), ensure_ascii=False) + "\n" for document in scores)
    write_whole(out / DOCUMENTS_FILE, "".join(lines).encode())
    write_json(out / SUMMARY_FILE, [asdict(row) for row in summary])
    return summary


def _score_all(texts: Sequence[StoredText], jobs: int, *, keep_non_ascii: bool) -> Iterator[DocumentScores]:
    chunks = [texts[start : start + _CHUNK] for start in range(0, len(texts), _CHUNK)]
    if jobs == 1 or len(chunks) < 2:
        yield from _score(keep_non_ascii, texts)
        return
    with Pool(min(jobs, len(chunks)), _start_scoring, keep_non_ascii) as pool:
        for future in [pool.submit(chunk) for chunk in chunks]:
            yield from future.result()


def _start_scoring(keep_non_ascii: bool) -> Callable[[Sequence[StoredText]], Iterator[DocumentScores]]:
    return partial(_score, keep_non_ascii)


def _score(keep_non_ascii: bool, texts: Sequence[StoredText]) -> Iterator[DocumentScores]:
    for dataset, extractor, document, result, store in texts:
        text = store.read_text(result.id) if result.status == "ok" else None
        for measure, gold, retrieved in comparisons(document, text or ""):
            scores = _FAILED if text is None else measure(gold, retrieved, keep_non_ascii=keep_non_ascii)
            origin = (dataset, extractor.name, extractor.version, measure.name, result.id, document.page_type)
            yield DocumentScores(*origin, *scores[:4], result.seconds, scores.sizes)


def _summarise(scores: Iterable[DocumentScores]) -> Iterator[ExtractorRow]:
    """Yield a row for each run of scores of one data set, extractor and measure."""
    subject = attrgetter("dataset", "extractor", "version", "measure")
    for (dataset, extractor, version, name), documents in groupby(scores, subject):
        group, measure = list(documents), all_measures()[name]
        cases = Counter(document.case for document in group)
        counted = [
            Scores(document.precision, document.recall, document.f1, document.case, Sizes(*document.sizes))
            for document in group
            if document.case in measure.counted
        ]
        seconds = mean_of(document.seconds for document in group if document.case != FAILED)
        figures: dict[str, Any] = {case: cases[case] for case in (FAILED, *BOUNDARY_CASES, TOO_LARGE)}
        for score, mean in zip(("precision", "recall", "f1"), measure.aggregate(counted), strict=True):
            values = [getattr(document, score) for document in counted]
            figures |= {score: mean, f"{score}_sd": standard_deviation_of(values)}
        # The last of the values are those of F1.
        present = [value for value in values if value is not None]
        if present and measure.form == MARKDOWN:
            figures["f1_low"], figures["f1_high"] = mean_interval(present)
        figures["milliseconds"] = None if seconds is None else 1000 * seconds
        yield ExtractorRow(dataset, extractor, version, name, documents=len(group), **figures)


def _page_types(scores: Sequence[DocumentScores]) -> dict[str, list[ExtractorRow]]:
    """Return the rows of each page type."""
    types = sorted({document.page_type for document in scores if document.page_type is not None})
    return {name: [*_summarise(document for document in scores if document.page_type == name)] for name in types}


# What was measured, read back.


def read_scores(out: Path) -> list[DocumentScores]:
    """Return the scores of documents that :func:`score_run` has written, if any; raise :class:`StoreError`."""
    path = out / DOCUMENTS_FILE
    with explaining(path, "read"):
        lines = path.read_bytes().split(b"\n") if path.exists() else []
    try:
        rows = [json.loads(line) for line in lines if line]
        return [DocumentScores(**{**row, "sizes": tuple(row["sizes"])}) for row in rows]
    except (ValueError, LookupError, TypeError) as error:
        raise StoreError(f"{path} does not hold the scores of a run: {error}") from error


def read_rows(path: Path) -> list[ExtractorRow]:
    """Return the rows of a summary; raise :class:`StoreError`."""
    try:
        return [ExtractorRow(**values) for values in read_json(path)]
    except TypeError as error:
        raise StoreError(f"{path} is not a list of rows: {error}") from error


class Significance(NamedTuple):
    """Whether two extractors differ; ``sizes``: the documents of each; ``paired``: how many count for both."""

    mann_whitney: MannWhitney
    sizes: tuple[int, int]
    bootstrap: Bootstrap | None
    paired: int


def compare(first: Mapping[str, float], second: Mapping[str, float]) -> Significance:
    """Compare two extractors by their values for documents; neither may be without any."""
    shared = [name for name in first if name in second]
    paired = [first[name] for name in shared], [second[name] for name in shared]
    bootstrap = paired_bootstrap(*paired) if shared else None
    test = mann_whitney([*first.values()], [*second.values()])
    return Significance(test, (len(first), len(second)), bootstrap, len(shared))


@dataclass(frozen=True)
class MeasureResults:
    """What a measure says of the extractors on a data set; ``scores``: of documents, by the names of extractors."""

    data_set: str
    measure: Measure
    scores: Mapping[str, Sequence[DocumentScores]]

    @cached_property
    def rows(self) -> list[ExtractorRow]:
        """A row for each extractor, the highest F1 first."""
        return sort_by_f1(_summarise(chain.from_iterable(self.scores.values())))

    @cached_property
    def page_types(self) -> dict[str, list[ExtractorRow]]:
        """The same for each page type, where the data set has types."""
        types = _page_types([*chain.from_iterable(self.scores.values())])
        return {name: sort_by_f1(rows) for name, rows in types.items()}

    @property
    def subject(self) -> str:
        """What titles end with."""
        return f"{self.data_set}, {self.measure.name}"

    def pages_of(self, page_type: str) -> int:
        """Return how many pages of a type there are."""
        return max(row.documents for row in self.page_types[page_type])

    def values(self, extractor: str, score: str = "f1") -> dict[str, float]:
        """Return what an extractor's documents have of a score, by their ids: those that are part of the means."""
        counted = [scores for scores in self.scores[extractor] if scores.case in self.measure.counted]
        values = {scores.id: getattr(scores, score) for scores in counted}
        return {name: value for name, value in values.items() if value is not None}

    def median(self, extractor: str, score: str) -> float | None:
        """Return the median of the documents' values; None where there is none."""
        values = self.values(extractor, score)
        return median(values.values()) if values else None

    @cached_property
    def significance(self) -> dict[tuple[str, str], Significance]:
        """All pairs of extractors with documents that count, compared; by their names, the better one first."""
        values = {row.extractor: of_row for row in self.rows if (of_row := self.values(row.extractor))}
        return {pair: compare(*(values[name] for name in pair)) for pair in combinations(values, 2)}

    def renamed(self, names: Mapping[str, str]) -> MeasureResults:
        """Return the same figures with other names for some extractors."""
        shown = {name: names.get(name, name) for name in self.scores}
        scores = {
            shown[name]: [document._replace(extractor=shown[name]) for document in documents]
            for name, documents in self.scores.items()
        }
        return replace(self, scores=scores)


class DataSetResults(NamedTuple):
    """What was measured on a data set; ``record``: what it was when it was run."""

    record: DataSetRecord
    measures: Mapping[str, MeasureResults]

    @property
    def name(self) -> str:
        """The name of the data set."""
        return self.record.name

    @property
    def pages(self) -> int:
        """How many pages of it were run."""
        return max(row.documents for results in self.measures.values() for row in results.rows)


class RunResults(NamedTuple):
    """All that was measured in a run; ``extractors``: names with versions."""

    folder: Path
    run: Run
    extractors: Mapping[str, str]
    data_sets: Sequence[DataSetResults]


def read_results(folder: Path) -> RunResults:
    """Read what was measured in a run.  Raise :class:`StoreError` where there is nothing that can be read."""
    if not folder.is_dir():
        raise StoreError(f"{folder} is not a folder")
    for name in (RUN_FILE, DOCUMENTS_FILE):
        if not (folder / name).is_file():
            raise StoreError(f"{folder} holds no {name}: it is there when a run has come to its end")
    run, scores = read_run(folder), read_scores(folder)
    if run is None or not scores:
        raise StoreError(f"{folder / DOCUMENTS_FILE} holds no row: nothing was measured")
    by_subject: dict[tuple[str, str], dict[str, list[DocumentScores]]] = {}
    for document in scores:
        of_subject = by_subject.setdefault((document.dataset, document.measure), {})
        of_subject.setdefault(document.extractor, []).append(document)
    data_sets = []
    for record in run.data_sets:
        measures = {
            name: MeasureResults(record.name, measure, by_subject[record.name, name])
            for name, measure in all_measures().items()
            if (record.name, name) in by_subject
        }
        data_sets += [DataSetResults(record, measures)] if measures else []
    return RunResults(folder, run, {document.extractor: document.version for document in scores}, data_sets)
