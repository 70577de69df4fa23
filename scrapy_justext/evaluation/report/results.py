"""What a run has measured: read from its folder, ranked by each measure, compared for the report.

A run writes ``summary.json`` (a row for each data set, extractor and measure), ``page_types.json`` (the same for the
pages of each type) and ``documents.jsonl`` (the scores behind them, document by document).

Whether two extractors differ by more than chance is said by F1 of documents.  Mann-Whitney's test takes all documents
that count for either extractor, the paired bootstrap those that count for both.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, groupby
from operator import attrgetter
from statistics import median
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.evaluation.kinds import ALL_MEASURES
from scrapy_justext.evaluation.scoring import (
    DOCUMENTS_FILE,
    PAGE_TYPES_FILE,
    SUMMARY_FILE,
    ExtractorRow,
    read_scores,
    sort_by_f1,
)
from scrapy_justext.evaluation.statistics import Bootstrap, MannWhitney, mann_whitney, paired_bootstrap
from scrapy_justext.evaluation.store import read_json, read_run
from scrapy_justext.exceptions import StoreError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from scrapy_justext.evaluation.scoring import DocumentScores
    from scrapy_justext.evaluation.store import DataSetRecord, Run

#: The scores that a measure gives, as rows name them, with their titles.
SCORE_TITLES: Mapping[str, str] = MappingProxyType({"f1": "F1", "precision": "Precision", "recall": "Recall"})


@dataclass(frozen=True, slots=True)
class RunRecords:
    """All that was measured, in the order of the run."""

    folder: Path
    run: Run | None
    """What was run; None when its record is gone."""
    rows: tuple[ExtractorRow, ...]
    page_types: tuple[tuple[str, ExtractorRow], ...]
    """A page type and a row for the pages of that type."""
    scores: Mapping[tuple[str, str, str], tuple[DocumentScores, ...]]
    """Scores of documents by data set, extractor and measure."""

    @property
    def extractors(self) -> tuple[str, ...]:
        """Names of the extractors."""
        return tuple(dict.fromkeys(row.extractor for row in self.rows))

    def data_set_record(self, name: str) -> DataSetRecord | None:
        """Return a data set as it was when it was run; None when that is not known."""
        records = self.run.data_sets if self.run else ()
        return next((record for record in records if record.name == name), None)


def read_records(folder: Path) -> RunRecords:
    """Read what was measured in a run.  Raises :class:`StoreError` where there is nothing that can be read."""
    if not folder.is_dir():
        raise StoreError(f"{folder} is not a folder")
    for name in (SUMMARY_FILE, DOCUMENTS_FILE):
        if not (folder / name).is_file():
            raise StoreError(f"{folder} holds no {name}: it is written at the end of a run")
    rows = tuple(row for _, row in _read_rows(folder / SUMMARY_FILE))
    if not rows:
        raise StoreError(f"{folder / SUMMARY_FILE} holds no row: nothing was measured")
    types = _read_rows(folder / PAGE_TYPES_FILE) if (folder / PAGE_TYPES_FILE).is_file() else []
    key = attrgetter("dataset", "extractor", "measure")
    scores = groupby(sorted(read_scores(folder), key=key), key=key)
    return RunRecords(folder, read_run(folder), rows, tuple(types), {group: tuple(found) for group, found in scores})


def _read_rows(path: Path) -> list[tuple[str, ExtractorRow]]:
    """Return the rows of a file, each with its page type, where it has one."""
    try:
        rows = [(str(values.pop("page_type", "")), ExtractorRow(**values)) for values in read_json(path)]
        unknown = {row.measure for _, row in rows} - ALL_MEASURES.keys()
    except (AttributeError, TypeError) as error:
        raise StoreError(f"{path} is not a list of rows: {error}") from error
    if unknown:
        raise StoreError(f"{path} has a row of an unknown measure, {', '.join(sorted(unknown))}")
    return rows


class Significance(NamedTuple):
    """Whether two extractors differ by more than chance."""

    mann_whitney: MannWhitney
    sizes: tuple[int, int]
    """Documents of the first and of the second extractor."""
    bootstrap: Bootstrap | None
    """None when no document counts for both."""
    paired: int
    """Documents that count for both."""

    def mirrored(self) -> Significance:
        """Return the same, seen from the second extractor."""
        first, second = self.sizes
        test = MannWhitney(first * second - self.mann_whitney.u, self.mann_whitney.p)
        return Significance(test, (second, first), self.bootstrap and self.bootstrap.mirrored(), self.paired)


@dataclass(frozen=True)
class MeasureResults:
    """What a measure says of the extractors on a data set."""

    data_set: str
    measure: str
    rows: tuple[ExtractorRow, ...]
    """A row for each extractor, the highest F1 first."""
    scores: Mapping[str, tuple[DocumentScores, ...]]
    """The scores of each document that was run, by the names of extractors."""
    page_types: Mapping[str, Sequence[ExtractorRow]]
    """The rows of each page type, the highest F1 first; none where the data set has no types."""

    @property
    def subject(self) -> str:
        """What titles end with."""
        return f"{self.data_set}, {self.measure}"

    @property
    def by_name(self) -> dict[str, ExtractorRow]:
        """The rows by the names of their extractors."""
        return {row.extractor: row for row in self.rows}

    def pages_of(self, page_type: str) -> int:
        """Return how many pages of a type there are."""
        return max(row.documents for row in self.page_types[page_type])

    def values(self, extractor: str, score: str = "f1") -> dict[str, float]:
        """Return what an extractor's documents have of a score, by their ids: those that are part of the means."""
        counted = ALL_MEASURES[self.measure].counted
        found = {scores.id: getattr(scores, score) for scores in self.scores[extractor] if scores.case in counted}
        return {name: value for name, value in found.items() if value is not None}

    def median(self, extractor: str, score: str) -> float | None:
        """Return the median of the documents' values; None where there is none."""
        values = self.values(extractor, score)
        return median(values.values()) if values else None

    @cached_property
    def significance(self) -> dict[tuple[str, str], Significance]:
        """Every two extractors that have documents that count, compared; by their names in both orders."""
        values = {row.extractor: found for row in self.rows if (found := self.values(row.extractor))}
        compared: dict[tuple[str, str], Significance] = {}
        for first, second in combinations(values, 2):
            compared[first, second] = compare(values[first], values[second])
            compared[second, first] = compared[first, second].mirrored()
        return compared

    def renamed(self, names: Mapping[str, str]) -> MeasureResults:
        """Return the same figures with other names for some extractors."""

        def new(rows: Sequence[ExtractorRow]) -> tuple[ExtractorRow, ...]:
            return tuple(replace(row, extractor=names.get(row.extractor, row.extractor)) for row in rows)

        return replace(
            self,
            rows=new(self.rows),
            scores={names.get(name, name): scores for name, scores in self.scores.items()},
            page_types={page_type: new(rows) for page_type, rows in self.page_types.items()},
        )


def measure_results(records: RunRecords, data_set: str, measure: str) -> MeasureResults:
    """Return what a measure says of the extractors that it has rows of on a data set."""
    rows = sort_by_f1(row for row in records.rows if (row.dataset, row.measure) == (data_set, measure))
    scores = {row.extractor: records.scores.get((data_set, row.extractor, measure), ()) for row in rows}
    types: dict[str, list[ExtractorRow]] = {}
    for page_type, row in records.page_types:
        if (row.dataset, row.measure) == (data_set, measure):
            types.setdefault(page_type, []).append(row)
    by_type = {page_type: sort_by_f1(found) for page_type, found in types.items()}
    return MeasureResults(data_set, measure, tuple(rows), scores, by_type)


def compare(first: Mapping[str, float], second: Mapping[str, float]) -> Significance:
    """Compare two extractors by their values for documents; neither may be without any."""
    shared = [name for name in first if name in second]
    paired = [first[name] for name in shared], [second[name] for name in shared]
    bootstrap = paired_bootstrap(*paired) if shared else None
    test = mann_whitney(list(first.values()), list(second.values()))
    return Significance(test, (len(first), len(second)), bootstrap, len(shared))


class DataSetResults(NamedTuple):
    """What is known of a data set."""

    name: str
    record: DataSetRecord | None
    pages: int
    measures: Mapping[str, MeasureResults]


def make_results(records: RunRecords, name: str) -> DataSetResults:
    """Return all that was measured on a data set."""
    pages = max(row.documents for row in records.rows if row.dataset == name)
    measures = {measure: measure_results(records, name, measure) for measure in ALL_MEASURES}
    found = {measure: results for measure, results in measures.items() if results.rows}
    return DataSetResults(name, records.data_set_record(name), pages, found)
