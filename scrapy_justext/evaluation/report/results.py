"""What a run has measured: read from its folder, ranked by each measure, compared for the report.

A run writes ``summary.json`` (a row for each data set, extractor and measure), ``page_types.json`` (the same for the
pages of each type) and ``documents.jsonl`` (the scores behind them, document by document).

Whether two extractors differ by more than chance is said by F1 of documents.  Mann-Whitney's test takes all documents
that count for either extractor, the paired bootstrap those that count for both.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, fields, replace
from itertools import combinations, groupby
from operator import attrgetter
from statistics import median
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_justext.evaluation.kinds import ALL_MEASURES
from scrapy_justext.evaluation.report.differences import compare_documents
from scrapy_justext.evaluation.scoring import (
    DOCUMENTS_FILE,
    PAGE_TYPES_FILE,
    SUMMARY_FILE,
    DocumentScores,
    ExtractorRow,
    read_scores,
    sort_by_f1,
)
from scrapy_justext.evaluation.statistics import Bootstrap, MannWhitney, mann_whitney, paired_bootstrap
from scrapy_justext.evaluation.store import read_json, read_run
from scrapy_justext.exceptions import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from scrapy_justext.evaluation.report.differences import ExtractorPair
    from scrapy_justext.evaluation.store import DataSetRecord, Run

#: The scores that a measure gives, as rows name them, with their titles.
SCORE_TITLES: Mapping[str, str] = MappingProxyType({"f1": "F1", "precision": "Precision", "recall": "Recall"})

#: How many documents of each pair of extractors are shown, and by which measure they are compared.
SHOWN_DOCUMENTS, COMPARED_BY = 5, "sequence"

#: Edges of the histograms' bins: 20 equal ones from 0 to 1.
BINS = 20
EDGES = tuple(number / BINS for number in range(BINS + 1))


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
    def data_sets(self) -> tuple[str, ...]:
        """Names of the data sets."""
        return tuple(dict.fromkeys(row.dataset for row in self.rows))

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
    rows = tuple(_to_row(folder, values) for values in _read_list(folder / SUMMARY_FILE))
    if not rows:
        raise StoreError(f"{folder / SUMMARY_FILE} holds no row: nothing was measured")
    types = _read_list(folder / PAGE_TYPES_FILE) if (folder / PAGE_TYPES_FILE).is_file() else []
    return RunRecords(
        folder=folder,
        run=read_run(folder),
        rows=rows,
        page_types=tuple((str(values.get("page_type")), _to_row(folder, values)) for values in types),
        scores=_read_scores(folder),
    )


def _read_list(path: Path) -> list[dict[str, Any]]:
    rows = read_json(path)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise StoreError(f"{path} is not a list of rows")
    return rows


def _to_row(folder: Path, values: dict[str, Any]) -> ExtractorRow:
    try:
        row = ExtractorRow(**{field.name: values[field.name] for field in fields(ExtractorRow)})
    except KeyError as error:
        raise StoreError(f"{folder / SUMMARY_FILE} has a row without {error}") from error
    if row.measure not in ALL_MEASURES:
        raise StoreError(f"{folder / SUMMARY_FILE} has a row of an unknown measure, {row.measure!r}")
    return row


def _read_scores(folder: Path) -> dict[tuple[str, str, str], tuple[DocumentScores, ...]]:
    try:
        scores = read_scores(folder)
    except OSError as error:
        raise StoreError(f"{folder / DOCUMENTS_FILE} cannot be read: {error.strerror}") from error
    except (ValueError, LookupError, TypeError) as error:
        raise StoreError(f"{folder / DOCUMENTS_FILE} does not hold the scores of a run: {error}") from error
    key = attrgetter("dataset", "extractor", "measure")
    return {group: tuple(documents) for group, documents in groupby(sorted(scores, key=key), key=key)}


class ScoreSummary(NamedTuple):
    """F1, precision or recall of an extractor over the documents that count."""

    score: str
    """A key of :data:`SCORE_TITLES`."""
    value: float | None
    """The figure for the data set: the mean, unless the measure has a rule of its own."""
    sd: float | None
    values: tuple[float, ...]
    """The figures of the documents."""

    @property
    def title(self) -> str:
        """The name of the score as people read it."""
        return SCORE_TITLES[self.score]

    @property
    def median(self) -> float | None:
        """The documents' median; None where there is none."""
        return median(self.values) if self.values else None

    @property
    def histogram(self) -> tuple[int, ...]:
        """How many documents have a value in each bin."""
        return count_bins(self.values)


@dataclass(frozen=True, slots=True)
class RankedExtractor:
    """An extractor by one measure on one data set."""

    row: ExtractorRow
    scores: tuple[DocumentScores, ...]
    """The scores of each document that was run."""
    summaries: tuple[ScoreSummary, ...]
    """In the order of :data:`SCORE_TITLES`."""

    @property
    def name(self) -> str:
        """The extractor's name."""
        return self.row.extractor


Ranking = tuple[RankedExtractor, ...]


def rank_extractors(records: RunRecords, data_set: str, measure: str) -> Ranking:
    """Return the extractors that a measure has rows of on a data set, the highest F1 first."""
    rows = [row for row in records.rows if (row.dataset, row.measure) == (data_set, measure)]
    return tuple(
        _summarise(row, records.scores.get((data_set, row.extractor, measure), ())) for row in sort_by_f1(rows)
    )


def counted_documents(scores: Iterable[DocumentScores]) -> list[DocumentScores]:
    """Return the documents that are part of the means."""
    return [document for document in scores if ALL_MEASURES[document.measure].counts(document.case)]


def count_bins(values: Sequence[float]) -> tuple[int, ...]:
    """Count the values from 0 to 1 in each of 20 equal bins; a bin holds its lower edge, the last one 1 too.

    >>> count_bins([0.0, 0.04, 0.05, 1.0])[:2], count_bins([0.95, 1.0])[-1]
    ((2, 1), 2)
    """
    counts = [0] * BINS
    for value in values:
        counts[min(BINS, bisect_right(EDGES, value)) - 1] += 1
    return tuple(counts)


def _summarise(row: ExtractorRow, scores: tuple[DocumentScores, ...]) -> RankedExtractor:
    counted = counted_documents(scores)
    summaries = []
    for score in SCORE_TITLES:
        values = tuple(value for document in counted if (value := getattr(document, score)) is not None)
        summaries.append(ScoreSummary(score, getattr(row, score), getattr(row, f"{score}_sd"), values))
    return RankedExtractor(row, scores, tuple(summaries))


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
        return Significance(test, (second, first), self.bootstrap and _mirror(self.bootstrap), self.paired)


def _mirror(bootstrap: Bootstrap) -> Bootstrap:
    (low_95, high_95), (low_99, high_99) = bootstrap.interval_95, bootstrap.interval_99
    # Not -x, which of 0.0 is -0.0 and would be written with its sign.
    return Bootstrap(
        0.0 - bootstrap.difference, (0.0 - high_95, 0.0 - low_95), (0.0 - high_99, 0.0 - low_99), bootstrap.p
    )


class MeasureResults(NamedTuple):
    """What a measure says of the extractors on a data set."""

    data_set: str
    measure: str
    ranking: Ranking
    page_types: Mapping[str, Sequence[ExtractorRow]]
    """The rows of each page type; none where the data set has no types."""
    significance: Mapping[tuple[str, str], Significance]
    """By the names of two extractors, in both orders; without those that have no document that counts."""

    @property
    def rows(self) -> dict[str, ExtractorRow]:
        """The rows by the names of their extractors, the highest F1 first."""
        return {extractor.name: extractor.row for extractor in self.ranking}

    def renamed(self, names: Mapping[str, str]) -> MeasureResults:
        """Return the same figures with other names for some extractors."""

        def new(row: ExtractorRow) -> ExtractorRow:
            return replace(row, extractor=names.get(row.extractor, row.extractor))

        return self._replace(
            ranking=tuple(replace(extractor, row=new(extractor.row)) for extractor in self.ranking),
            page_types={page_type: [*map(new, rows)] for page_type, rows in self.page_types.items()},
        )

    @property
    def subject(self) -> str:
        """What titles end with."""
        return f"{self.data_set}, {self.measure}"


class DataSetResults(NamedTuple):
    """What is known of a data set."""

    name: str
    record: DataSetRecord | None
    pages: int
    measures: tuple[MeasureResults, ...]
    compared_by: str
    """The measure that pairs of extractors are compared by."""
    pairs: tuple[ExtractorPair, ...]


def make_results(
    records: RunRecords,
    name: str,
    pairs: Sequence[tuple[str, str]] = (),
    top: int = SHOWN_DOCUMENTS,
    compared_by: str = COMPARED_BY,
) -> DataSetResults:
    """Return all that a report says of a data set.

    ``pairs``: extractors to compare document by document, none for the two best; ``top``: documents of each pair;
    ``compared_by``: the measure that pairs are compared by.
    """
    rankings = {measure: ranking for measure in ALL_MEASURES if (ranking := rank_extractors(records, name, measure))}
    return DataSetResults(
        name,
        records.data_set_record(name),
        max(row.documents for row in records.rows if row.dataset == name),
        tuple(
            MeasureResults(name, measure, ranking, _page_types(records, name, measure), compare_all(ranking))
            for measure, ranking in rankings.items()
        ),
        compared_by,
        compare_documents(_choose_pairs(rankings.get(compared_by, ()), pairs), top, records),
    )


def _choose_pairs(ranking: Ranking, pairs: Sequence[tuple[str, str]]) -> list[tuple[RankedExtractor, RankedExtractor]]:
    if not pairs:
        return [(ranking[0], ranking[1])] if len(ranking) > 1 else []
    extractors = {extractor.name: extractor for extractor in ranking}
    return [(extractors[a], extractors[b]) for a, b in pairs if a in extractors and b in extractors]


def _page_types(records: RunRecords, data_set: str, measure: str) -> dict[str, list[ExtractorRow]]:
    types: dict[str, list[ExtractorRow]] = {}
    for page_type, row in records.page_types:
        if (row.dataset, row.measure) == (data_set, measure):
            types.setdefault(page_type, []).append(row)
    return types


def compare_all(ranking: Ranking) -> dict[tuple[str, str], Significance]:
    """Compare every two extractors of a measure that have documents that count."""
    values = {
        extractor.name: {
            scores.id: scores.f1 for scores in counted_documents(extractor.scores) if scores.f1 is not None
        }
        for extractor in ranking
    }
    found: dict[tuple[str, str], Significance] = {}
    for first, second in combinations([name for name in values if values[name]], 2):
        significance = compare(values[first], values[second])
        found[first, second] = significance
        found[second, first] = significance.mirrored()
    return found


def compare(first: Mapping[str, float], second: Mapping[str, float]) -> Significance:
    """Compare two extractors by their values for documents; neither may be without any."""
    shared = [name for name in first if name in second]
    paired = [first[name] for name in shared], [second[name] for name in shared]
    bootstrap = paired_bootstrap(*paired) if shared else None
    test = mann_whitney(list(first.values()), list(second.values()))
    return Significance(test, (len(first), len(second)), bootstrap, len(shared))
