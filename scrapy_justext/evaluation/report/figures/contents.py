"""All that a report says, data set by data set, measure by measure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scrapy_justext.evaluation.measures import MEASURES
from scrapy_justext.evaluation.report.figures.differences import Duel, make_duel
from scrapy_justext.evaluation.report.figures.significance import bootstrap_table, compare_all, mann_whitney_table
from scrapy_justext.evaluation.report.figures.tables import (
    distribution_table,
    figures_table,
    overview_table,
    page_type_table,
    page_types_table,
)
from scrapy_justext.evaluation.report.figures.values import standings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scrapy_justext.evaluation.report.figures.table import Table
    from scrapy_justext.evaluation.report.figures.values import Standing
    from scrapy_justext.evaluation.report.reading.records import Records
    from scrapy_justext.evaluation.report.reading.texts import TextReader
    from scrapy_justext.evaluation.scoring import Row
    from scrapy_justext.evaluation.store import DataSetRecord


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked for beyond the figures."""

    pairs: tuple[tuple[str, str], ...] = ()
    """Extractors to compare document by document; none: the two best."""
    top: int = 5
    """Documents of each pair."""
    measure: str = "sequence"
    """What pairs are compared by."""


@dataclass(frozen=True, slots=True)
class MeasureContents:
    """What a measure says of a data set."""

    name: str
    source: str
    ranking: tuple[Standing, ...]
    figures: Table
    page_types: tuple[Table, ...]
    """F1 of all types, then all figures of each; none where the data set has no types."""
    distribution: Table
    mann_whitney: Table | None
    """None for one extractor alone."""
    bootstrap: Table | None


@dataclass(frozen=True, slots=True)
class DataSetContents:
    """What is known of a data set."""

    name: str
    record: DataSetRecord | None
    pages: int
    overview: Table
    measures: tuple[MeasureContents, ...]
    compared_by: str
    duels: tuple[Duel, ...]
    note: str
    """Why extractors were not compared document by document; empty when they were."""


@dataclass(frozen=True, slots=True)
class Contents:
    """A whole report."""

    language: str | None
    limit: int | None
    extractors: tuple[tuple[str, str], ...]
    """Names and versions."""
    data_sets: tuple[DataSetContents, ...]


def make_contents(records: Records, texts: TextReader, request: Request) -> Contents:
    """All figures of a run."""
    run = records.run
    return Contents(
        run.language if run else None,
        run.limit if run else None,
        tuple({row.extractor: row.version for row in records.rows}.items()),
        tuple(_data_set(records, name, texts, request) for name in records.data_sets),
    )


def _data_set(records: Records, name: str, texts: TextReader, request: Request) -> DataSetContents:
    found = {measure: standings(records, name, measure) for measure in MEASURES}
    rankings = {measure: ranking for measure, ranking in found.items() if ranking}
    first = next(iter(rankings))
    ranking = rankings.get(request.measure, ())
    pairs = _pairs(ranking, request)
    return DataSetContents(
        name,
        records.record(name),
        max(row.documents for row in records.rows if row.dataset == name),
        overview_table(f"F1 on {name} by each measure", rankings, first),
        tuple(_measure(records, name, measure, ranking) for measure, ranking in rankings.items()),
        request.measure,
        tuple(make_duel(one, other, request.top, texts) for one, other in pairs),
        "" if pairs else f"No two of the extractors asked for have figures of the measure {request.measure} here.",
    )


def _pairs(ranking: Sequence[Standing], request: Request) -> list[tuple[Standing, Standing]]:
    by_name = {one.name: one for one in ranking}
    if not request.pairs:
        return [(ranking[0], ranking[1])] if len(ranking) > 1 else []
    return [(by_name[one], by_name[other]) for one, other in request.pairs if one in by_name and other in by_name]


def _measure(records: Records, data_set: str, measure: str, ranking: tuple[Standing, ...]) -> MeasureContents:
    title = f"{data_set}, {measure}"
    matrix = compare_all(ranking)
    types = _by_type(records, data_set, measure)
    return MeasureContents(
        measure,
        MEASURES[measure].source,
        ranking,
        figures_table(f"Figures: {title}", ranking),
        _type_tables(title, ranking, types) if types else (),
        distribution_table(f"Documents by their values: {title}", ranking),
        mann_whitney_table(f"Mann-Whitney U at 99 %: {title}", ranking, matrix) if len(ranking) > 1 else None,
        bootstrap_table(f"Paired bootstrap of mean F1, with 99 % interval: {title}", ranking, matrix)
        if len(ranking) > 1
        else None,
    )


def _by_type(records: Records, data_set: str, measure: str) -> dict[str, list[Row]]:
    types: dict[str, list[Row]] = {}
    for name, row in records.page_types:
        if (row.dataset, row.measure) == (data_set, measure):
            types.setdefault(name, []).append(row)
    return types


def _type_tables(title: str, ranking: Sequence[Standing], types: Mapping[str, Sequence[Row]]) -> tuple[Table, ...]:
    return (
        page_types_table(f"F1 ± sd by page type (pages): {title}", ranking, types),
        *(page_type_table(f"Pages of type {name}: {title}", rows) for name, rows in types.items()),
    )
