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
    from collections.abc import Callable, Mapping, Sequence

    from scrapy_justext.evaluation.report.differences import DocumentDifference, ExtractorPair
    from scrapy_justext.evaluation.report.results import DataSetResults, MeasureResults, Significance
    from scrapy_justext.evaluation.scoring import DocumentScores, ExtractorRow
    from scrapy_justext.evaluation.tables import Table

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


def overview_table(data_set: DataSetResults) -> Table:
    """Return F1 by each measure of texts, sorted by the first measure."""
    by_measure = {name: results.by_name for name, results in data_set.measures.items() if name not in KIND_MEASURES}
    names = dict.fromkeys(name for rows in by_measure.values() for name in rows)
    columns = [Column(measure, _f1_of(rows), is_compared=True) for measure, rows in by_measure.items()]
    return make_table(f"F1 on {data_set.name} by each measure", names, Cell, columns)


def kinds_table(data_set: DataSetResults) -> Table | None:
    """Return how much of each kind is kept, and what was invented; None where the gold standard is not Markdown."""
    by_measure = {name: results.by_name for name, results in data_set.measures.items() if name in KIND_MEASURES}
    if not by_measure:
        return None
    names = dict.fromkeys(name for rows in by_measure.values() for name in rows)
    tables = by_measure.get("tables", {})
    kept, invented = kind_columns(by_measure, 4, 3)
    too_large: Column[str] = Column(
        "tables as text", lambda name: count_cell(tables[name].too_large if name in tables else None), "Too large"
    )
    caption = f"Similarity of what is in the Markdown on {data_set.name}, with the 95 % interval of the mean"
    return make_table(caption, names, Cell, [*kept, *invented, too_large], stacked=True)


def scores_table(results: MeasureResults) -> Table:
    """Return all figures of a measure."""
    columns: list[Column[ExtractorRow]] = []
    for score, title in SCORE_TITLES.items():
        columns += [
            Column("mean ± sd", _mean_of(score), title, is_compared=True),
            Column("median", _median_of(results, score), title),
        ]
    columns += _page_columns("all", "Time", "Pages")
    return make_table(
        f"Figures: {results.subject}", results.rows, lambda row: Cell(row.extractor, row.version), columns
    )


def page_type_tables(results: MeasureResults) -> list[Table]:
    """Return F1 on the pages of each type, then all figures of each type; none where there are no types."""
    if not results.page_types:
        return []
    columns = [Column(title, _mean_of(score)) for score, title in SCORE_TITLES.items()]
    columns += _page_columns("pages")
    return [
        make_table(
            f"F1 ± sd by page type (pages): {results.subject}",
            results.rows,
            _name_of,
            _type_columns(results, 4, sd=True),
        ),
        *(
            make_table(f"Pages of type {page_type}: {results.subject}", rows, _name_of, columns)
            for page_type, rows in results.page_types.items()
        ),
    ]


def figures_table(results: MeasureResults) -> Table:
    """Return the means of a measure in a table for other pages: with F1 by page type, time, and pages that failed."""
    columns = [Column(title, _mean_of(score, 3, sd=False), is_compared=True) for score, title in SCORE_TITLES.items()]
    columns += _type_columns(results, 3, sd=False)
    columns += [
        Column("ms a page", lambda row: Cell(format_figure(row.milliseconds, 1))),
        Column("failed", lambda row: count_cell(row.failed)),
    ]
    return make_table(f"F1 by page type: {results.subject}", results.rows, _name_of, columns)


def significance_tables(results: MeasureResults) -> list[Table]:
    """Return row against column by Mann-Whitney's test and by the bootstrap, at 99 %; none for one extractor alone."""
    if len(results.rows) == 1:
        return []
    names = [row.extractor for row in results.rows]

    def against(other: str, show: Callable[[Significance], Cell]) -> Column[str]:
        def cell(name: str) -> Cell:
            if name == other:
                return Cell("·")
            found = results.significance.get((name, other))
            return show(found) if found else Cell(UNDEFINED)

        return Column(other, cell)

    tests = {
        "Mann-Whitney U at 99 %": _mann_whitney_cell,
        "Paired bootstrap of mean F1, with 99 % interval": _bootstrap_cell,
    }
    return [
        make_table(
            f"{title}: {results.subject}",
            names,
            Cell,
            [against(name, show) for name in names],
            "Row against column",
            stacked=True,
        )
        for title, show in tests.items()
    ]


def _mann_whitney_cell(significance: Significance) -> Cell:
    test = significance.mann_whitney
    first, second = significance.sizes
    sign = _sign(test.u - first * second / 2, significant=is_significant(test))
    return Cell(f"{sign} p {format_probability(test.p)}", f"U {test.u:,.1f}", strong=is_significant(test))


def _bootstrap_cell(significance: Significance) -> Cell:
    bootstrap = significance.bootstrap
    if bootstrap is None:
        return Cell(UNDEFINED)
    sign = _sign(bootstrap.difference, significant=is_significant(bootstrap))
    low, high = bootstrap.interval_99
    interval = f"{format_signed(low, 3)} to {format_signed(high, 3)}; n {significance.paired:,}"
    return Cell(f"{sign} {format_signed(bootstrap.difference)}", interval, strong=is_significant(bootstrap))


def _sign(difference: float, *, significant: bool) -> str:
    if not significant:
        return EVEN
    return BETTER if difference > 0 else WORSE


def differences_table(pair: ExtractorPair) -> Table:
    """Return the documents on which two extractors differ most."""
    columns: list[Column[DocumentDifference]] = [
        Column(pair.first, lambda difference: _document_cell(difference.first)),
        Column(pair.second, lambda difference: _document_cell(difference.second)),
        Column("difference", lambda difference: Cell(format_signed(difference.value))),
        Column("page type", lambda difference: Cell(difference.first.page_type or "")),
    ]
    caption = f"Pages of {pair.data_set} on which {pair.first} and {pair.second} differ most, {pair.measure}"
    return make_table(caption, pair.differences, lambda difference: Cell(difference.id), columns, "Page")


def _document_cell(scores: DocumentScores) -> Cell:
    return Cell(format_figure(scores.f1 or 0.0), "" if scores.f1 is not None else scores.case.replace("_", " "))


def _name_of(row: ExtractorRow) -> Cell:
    return Cell(row.extractor)


def _f1_of(rows: Mapping[str, ExtractorRow], digits: int = 4, *, sd: bool = False) -> Callable[[str], Cell]:
    mean = _mean_of("f1", digits, sd=sd)
    return lambda name: mean(rows[name]) if name in rows else Cell(UNDEFINED)


def _mean_of(score: str, digits: int = 4, *, sd: bool = True) -> Callable[[ExtractorRow], Cell]:
    def cell(row: ExtractorRow) -> Cell:
        deviation = getattr(row, f"{score}_sd") if sd else None
        aside = "" if deviation is None else f"± {format_figure(deviation, digits)}"
        return Cell(format_figure(getattr(row, score), digits), aside)

    return cell


def _median_of(results: MeasureResults, score: str) -> Callable[[ExtractorRow], Cell]:
    return lambda row: Cell(format_figure(results.median(row.extractor, score)))


def _type_columns(results: MeasureResults, digits: int, *, sd: bool) -> list[Column[ExtractorRow]]:
    """Return a column with F1 on the pages of each type."""

    def f1_on(rows: Sequence[ExtractorRow]) -> Callable[[ExtractorRow], Cell]:
        show = _f1_of({row.extractor: row for row in rows}, digits, sd=sd)
        return lambda row: show(row.extractor)

    return [
        Column(f"{page_type} ({results.pages_of(page_type):,})", f1_on(rows), is_compared=True)
        for page_type, rows in results.page_types.items()
    ]


def _page_columns(pages: str, time_group: str = "", group: str = "") -> list[Column[ExtractorRow]]:
    """Return columns of time, pages and boundary cases; ``pages``: what the number of pages is called."""

    def count_of(field: str) -> Callable[[ExtractorRow], Cell]:
        return lambda row: count_cell(getattr(row, field))

    return [
        Column("ms a page", lambda row: Cell(format_figure(row.milliseconds, 1)), time_group),
        Column(pages, count_of("documents"), group),
        *(Column(title.lower(), count_of(case), group) for case, title in CASE_TITLES.items()),
    ]
