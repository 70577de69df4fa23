"""The tables of a report, as both of its forms show them: a function for each table."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from scrapy_justext.evaluation.kinds import KIND_MEASURES
from scrapy_justext.evaluation.report.results import SCORE_TITLES
from scrapy_justext.evaluation.statistics import is_significant
from scrapy_justext.evaluation.tables import (
    UNDEFINED,
    Cell,
    Column,
    count_cell,
    format_figure,
    kind_columns,
    make_table,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scrapy_justext.evaluation.report.differences import ExtractorPair
    from scrapy_justext.evaluation.report.results import DataSetResults, MeasureResults, Significance
    from scrapy_justext.evaluation.scoring import DocumentScores, ExtractorRow
    from scrapy_justext.evaluation.statistics import Bootstrap, MannWhitney
    from scrapy_justext.evaluation.tables import ReportTable

#: Fields of a row that count pages which are no ordinary ones, with titles.
CASE_TITLES: Mapping[str, str] = MappingProxyType(
    {
        "retrieved_empty": "Retrieved empty",
        "relevant_empty": "Gold empty",
        "both_empty": "Both empty",
        "mismatch": "Mismatch",
        "failed": "Failed",
    }
)

#: Row better than column, and the other way round, at 99 %.
BETTER, WORSE, EVEN = "▲", "▼", "≈"


def format_signed(value: float, digits: int = 4) -> str:
    """Write a difference of figures with its sign.

    >>> format_signed(0.02), format_signed(-0.02)
    ('+0.0200', '−0.0200')
    """
    return f"{value:+.{digits}f}".replace("-", "−")


def format_probability(value: float) -> str:
    """Write a probability with the sign of its relation; a small one is not rounded to 0.

    >>> format_probability(0.25), format_probability(0.00001)
    ('= 0.250', '<0.001')
    """
    return "<0.001" if value < 0.001 else f"= {value:.3f}"


def overview_table(data_set: DataSetResults) -> ReportTable:
    """Return F1 by each measure of texts, sorted by the first measure."""
    by_measure = {name: results.rows for name, results in data_set.measures.items() if name not in KIND_MEASURES}
    columns = [
        Column(measure, {row.extractor: _mean_cell(row, "f1", sd=False) for row in rows}, is_compared=True)
        for measure, rows in by_measure.items()
    ]
    return make_table(f"F1 on {data_set.name} by each measure", _names(by_measure), columns)


def kinds_table(data_set: DataSetResults) -> ReportTable | None:
    """Return how much of each kind is kept, and what was invented; None where the gold standard is not Markdown."""
    by_measure = {name: results.rows for name, results in data_set.measures.items() if name in KIND_MEASURES}
    if not by_measure:
        return None
    kept, invented = kind_columns(by_measure, 4, 3)
    as_text = {row.extractor: count_cell(row.too_large) for row in by_measure.get("tables", ())}
    columns = [*kept, *invented, Column("tables as text", as_text, "Too large")]
    caption = f"Similarity of what is in the Markdown on {data_set.name}, with the 95 % interval of the mean"
    return make_table(caption, _names(by_measure), columns, stacked=True)


def _names(by_measure: Mapping[str, Sequence[ExtractorRow]]) -> list[Cell]:
    """Return the names of all extractors, in the order of the first measure."""
    return [*map(Cell, dict.fromkeys(row.extractor for rows in by_measure.values() for row in rows))]


def scores_table(results: MeasureResults) -> ReportTable:
    """Return all figures of a measure."""
    columns = []
    for score, title in SCORE_TITLES.items():
        medians = {row.extractor: format_figure(results.median(row.extractor, score)) for row in results.rows}
        columns += [
            Column(
                "mean ± sd", {row.extractor: _mean_cell(row, score) for row in results.rows}, title, is_compared=True
            ),
            Column("median", {name: Cell(median) for name, median in medians.items()}, title),
        ]
    columns += _page_columns(results.rows, "all", "Time", "Pages")
    heads = [Cell(row.extractor, row.version) for row in results.rows]
    return make_table(f"Figures: {results.subject}", heads, columns)


def page_type_tables(results: MeasureResults) -> list[ReportTable]:
    """Return F1 on the pages of each type, then all figures of each type; none where there are no types."""
    if not results.page_types:
        return []
    names = [Cell(row.extractor) for row in results.rows]
    tables = [make_table(f"F1 ± sd by page type (pages): {results.subject}", names, _type_columns(results))]
    for page_type, rows in results.page_types.items():
        columns = [
            Column(title, {row.extractor: _mean_cell(row, score) for row in rows})
            for score, title in SCORE_TITLES.items()
        ]
        columns += _page_columns(rows, "pages")
        heads = [Cell(row.extractor) for row in rows]
        tables.append(make_table(f"Pages of type {page_type}: {results.subject}", heads, columns))
    return tables


def figures_table(results: MeasureResults) -> ReportTable:
    """Return the means of a measure in a table for other pages: with F1 by page type, time, and pages that failed."""
    columns = [
        Column(title, {row.extractor: _mean_cell(row, score, 3, sd=False) for row in results.rows}, is_compared=True)
        for score, title in SCORE_TITLES.items()
    ]
    columns += _type_columns(results, 3, sd=False)
    time, *_, failed = _page_columns(results.rows, "pages")
    names = [Cell(row.extractor) for row in results.rows]
    return make_table(f"F1 by page type: {results.subject}", names, [*columns, time, failed])


def _mean_cell(row: ExtractorRow, score: str, digits: int = 4, *, sd: bool = True) -> Cell:
    deviation = getattr(row, f"{score}_sd") if sd else None
    aside = "" if deviation is None else f"± {format_figure(deviation, digits)}"
    return Cell(format_figure(getattr(row, score), digits), aside)


def _type_columns(results: MeasureResults, digits: int = 4, *, sd: bool = True) -> list[Column]:
    """Return a column with F1 on the pages of each type."""
    return [
        Column(
            f"{page_type} ({results.pages_of(page_type):,})",
            {row.extractor: _mean_cell(row, "f1", digits, sd=sd) for row in rows},
            is_compared=True,
        )
        for page_type, rows in results.page_types.items()
    ]


def _page_columns(rows: Sequence[ExtractorRow], pages: str, time_group: str = "", group: str = "") -> list[Column]:
    """Return columns of time, pages and boundary cases; ``pages``: what the number of pages is called."""
    counts = {pages: "documents", **{title.lower(): case for case, title in CASE_TITLES.items()}}
    return [
        Column("ms a page", {row.extractor: Cell(format_figure(row.milliseconds, 1)) for row in rows}, time_group),
        *(
            Column(title, {row.extractor: count_cell(getattr(row, field)) for row in rows}, group)
            for title, field in counts.items()
        ),
    ]


def significance_tables(results: MeasureResults) -> list[ReportTable]:
    """Return row against column by Mann-Whitney's test and by the bootstrap, at 99 %; none for one extractor alone."""
    if len(results.rows) == 1:
        return []
    tests = {
        "Mann-Whitney U at 99 %": _mann_whitney_cell,
        "Paired bootstrap of mean F1, with 99 % interval": _bootstrap_cell,
    }
    names = [Cell(row.extractor) for row in results.rows]
    tables = []
    for title, show in tests.items():
        cells: dict[str, dict[str, Cell]] = {name.text: {name.text: Cell("·")} for name in names}
        for (row, column), significance in results.significance.items():
            cells[column][row] = show(significance)
        columns = [Column(*column) for column in cells.items()]
        tables.append(make_table(f"{title}: {results.subject}", names, columns, "Row against column", stacked=True))
    return tables


def _mann_whitney_cell(significance: Significance) -> Cell:
    test = significance.mann_whitney
    first, second = significance.sizes
    sign = _sign(test, test.u - first * second / 2)
    return Cell(f"{sign} p {format_probability(test.p)}", f"U {test.u:,.1f}", strong=is_significant(test))


def _bootstrap_cell(significance: Significance) -> Cell:
    test = significance.bootstrap
    if test is None:
        return Cell(UNDEFINED)
    low, high = (format_signed(end, 3) for end in test.interval_99)
    text = f"{_sign(test, test.difference)} {format_signed(test.difference)}"
    return Cell(text, f"{low} to {high}; n {significance.paired:,}", strong=is_significant(test))


def _sign(test: MannWhitney | Bootstrap, difference: float) -> str:
    if not is_significant(test):
        return EVEN
    return BETTER if difference > 0 else WORSE


def differences_table(pair: ExtractorPair) -> ReportTable:
    """Return the documents on which two extractors differ most."""
    found = pair.differences
    columns = [
        Column(pair.first, {difference.id: _document_cell(difference.first) for difference in found}),
        Column(pair.second, {difference.id: _document_cell(difference.second) for difference in found}),
        Column("difference", {difference.id: Cell(format_signed(difference.value)) for difference in found}),
        Column("page type", {difference.id: Cell(difference.first.page_type or "") for difference in found}),
    ]
    caption = f"Pages of {pair.data_set} on which {pair.first} and {pair.second} differ most, {pair.measure}"
    return make_table(caption, [Cell(difference.id) for difference in found], columns, "Page")


def _document_cell(scores: DocumentScores) -> Cell:
    return Cell(format_figure(scores.f1 or 0.0), "" if scores.f1 is not None else scores.case.replace("_", " "))
