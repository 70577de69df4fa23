"""The tables of a report, as both of its forms show them: one type of table, and a function for each table.

The highest figure of a column stands out.  Figures are compared as they are written: those that look the same are
marked the same.  A single figure is not the highest of any.
"""

from __future__ import annotations

from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.evaluation.command_line import UNDEFINED
from scrapy_justext.evaluation.kinds import INVENTED, KIND_MEASURES
from scrapy_justext.evaluation.report.results import EDGES, SCORE_TITLES
from scrapy_justext.evaluation.scoring import sort_by_f1
from scrapy_justext.evaluation.statistics import is_significant

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from scrapy_justext.evaluation.report.differences import ExtractorPair
    from scrapy_justext.evaluation.report.results import DataSetResults, MeasureResults, Significance
    from scrapy_justext.evaluation.scoring import DocumentScores, ExtractorRow

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

_CASE_HEADS = tuple(title.lower() for title in CASE_TITLES.values())

#: Row better than column, and the other way round, at 99 %.
BETTER, WORSE, EVEN = "▲", "▼", "≈"


class Cell(NamedTuple):
    """A figure, and a quieter note beside it; a ``strong`` figure stands out."""

    text: str
    aside: str = ""
    strong: bool = False


class TableLine(NamedTuple):
    """A row of a table: what it is about, and its cells."""

    head: str
    cells: tuple[Cell, ...]
    aside: str = ""


class ReportTable(NamedTuple):
    """A table."""

    caption: str
    corner: str
    heads: tuple[str, ...]
    lines: tuple[TableLine, ...]
    groups: Mapping[str, int] = {}
    """Titles over several columns, and over how many; they cover all columns but the first, or there are none."""
    stacked: bool = False
    """Whether what stands beside figures goes below them, where there are many columns."""

    @property
    def full_heads(self) -> list[str]:
        """The heads, each with the title of its group."""
        if not self.groups:
            return list(self.heads)
        titles = [title for title, span in self.groups.items() for _ in range(span)]
        return [f"{title}, {head}" for title, head in zip(titles, self.heads, strict=True)]


def format_figure(value: float | None, digits: int = 4) -> str:
    """Write a figure with so many digits after the point.

    >>> format_figure(0.91304), format_figure(None)
    ('0.9130', '–')
    """
    return UNDEFINED if value is None else f"{value:.{digits}f}"


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


def count_cases(row: ExtractorRow) -> dict[str, int]:
    """Return how many pages there are of each of :data:`CASE_TITLES`."""
    return {case: getattr(row, case) for case in CASE_TITLES}


def overview_table(data_set: DataSetResults) -> ReportTable:
    """Return F1 by each measure of texts, sorted by the first measure."""
    measures = [results for results in data_set.measures if results.measure not in KIND_MEASURES]
    rows = [results.rows for results in measures]
    lines = [
        TableLine(name, tuple(_f1_cell(by_name.get(name)) for by_name in rows))
        for name in dict.fromkeys(name for by_name in rows for name in by_name)
    ]
    heads = tuple(results.measure for results in measures)
    caption = f"F1 on {data_set.name} by each measure"
    return ReportTable(caption, "Extractor", heads, _mark_highest(lines, range(len(heads))))


def kinds_table(data_set: DataSetResults) -> ReportTable | None:
    """Return how much of each kind is kept, and what was invented; None where the gold standard is not Markdown."""
    by_measure = {results.measure: results.rows for results in data_set.measures if results.measure in KIND_MEASURES}
    if not by_measure:
        return None
    invented = [measure for measure in INVENTED if measure in by_measure]
    names = dict.fromkeys(name for rows in by_measure.values() for name in rows)
    lines = [
        TableLine(
            name,
            (
                *(_interval_cell(rows.get(name)) for rows in by_measure.values()),
                *(_count_cell(by_measure[measure].get(name), "relevant_empty") for measure in invented),
                _count_cell(by_measure.get("tables", {}).get(name), "too_large"),
            ),
        )
        for name in names
    ]
    pages = {measure: max(row.relevant for row in rows.values()) for measure, rows in by_measure.items()}
    heads = (*(f"{measure} ({count:,})" for measure, count in pages.items()), *invented, "tables as text")
    groups = {"Similarity (pages)": len(by_measure), "Invented": len(invented), "Too large": 1}
    caption = f"Similarity of what is in the Markdown on {data_set.name}, with the 95 % interval of the mean"
    return ReportTable(caption, "Extractor", heads, _mark_highest(lines, range(len(by_measure))), groups, stacked=True)


def _interval_cell(row: ExtractorRow | None) -> Cell:
    if row is None or row.f1_low is None or row.f1_high is None:
        return Cell(format_figure(row.f1 if row else None))
    return Cell(format_figure(row.f1), f"{row.f1_low:.3f}–{row.f1_high:.3f}")


def _count_cell(row: ExtractorRow | None, field: str) -> Cell:
    count = getattr(row, field) if row else None
    return Cell(f"{count:,}") if count else Cell("", UNDEFINED if count is None else "0")


def scores_table(results: MeasureResults) -> ReportTable:
    """Return all figures of a measure."""
    lines = []
    for extractor in results.ranking:
        cells: list[Cell] = []
        for summary in extractor.summaries:
            cells += _mean_cell(summary.value, summary.sd), Cell(format_figure(summary.median))
        lines.append(TableLine(extractor.name, (*cells, *_page_cells(extractor.row)), extractor.row.version))
    groups = {**dict.fromkeys(SCORE_TITLES.values(), 2), "Time": 1, "Pages": 1 + len(CASE_TITLES)}
    heads = (*("mean ± sd", "median") * len(SCORE_TITLES), "ms a page", "all", *_CASE_HEADS)
    marked = _mark_highest(lines, range(0, 2 * len(SCORE_TITLES), 2))
    return ReportTable(f"Figures: {results.subject}", "Extractor", heads, marked, groups)


def page_type_tables(results: MeasureResults) -> list[ReportTable]:
    """Return F1 on the pages of each type, then all figures of each type; none where there are no types."""
    if not results.page_types:
        return []
    types = {page_type: {row.extractor: row for row in rows} for page_type, rows in results.page_types.items()}
    heads = tuple(f"{name} ({max(row.documents for row in rows.values()):,})" for name, rows in types.items())
    lines = [
        TableLine(extractor.name, tuple(_f1_cell(rows.get(extractor.name), sd=True) for rows in types.values()))
        for extractor in results.ranking
    ]
    caption = f"F1 ± sd by page type (pages): {results.subject}"
    return [
        ReportTable(caption, "Extractor", heads, _mark_highest(lines, range(len(heads)))),
        *(_page_type_table(results, page_type) for page_type in types),
    ]


def figures_table(results: MeasureResults) -> ReportTable:
    """Return the means of a measure in a table for other pages: with F1 by page type, time, and pages that failed."""
    types = {page_type: {row.extractor: row for row in rows} for page_type, rows in results.page_types.items()}
    lines = []
    for extractor in results.ranking:
        row = extractor.row
        by_type = (rows.get(extractor.name) for rows in types.values())
        figures = (row.f1, row.precision, row.recall, *(found.f1 if found else None for found in by_type))
        cells = [Cell(format_figure(figure, 3)) for figure in figures]
        lines.append(
            TableLine(
                extractor.name,
                (*cells, Cell(format_figure(row.milliseconds, 1)), Cell(f"{row.failed:,}" if row.failed else "")),
                row.version,
            )
        )
    heads = (
        *SCORE_TITLES.values(),
        *(f"{name} ({max(row.documents for row in rows.values()):,})" for name, rows in types.items()),
        "ms a page",
        "failed",
    )
    marked = _mark_highest(lines, range(len(heads) - 2))
    return ReportTable(f"F1 by page type: {results.subject}", "Extractor", heads, marked)


def _page_type_table(results: MeasureResults, page_type: str) -> ReportTable:
    lines = tuple(
        TableLine(
            row.extractor,
            (
                *(_mean_cell(getattr(row, score), getattr(row, f"{score}_sd")) for score in SCORE_TITLES),
                *_page_cells(row),
            ),
        )
        for row in sort_by_f1(results.page_types[page_type])
    )
    heads = (*SCORE_TITLES.values(), "ms a page", "pages", *_CASE_HEADS)
    return ReportTable(f"Pages of type {page_type}: {results.subject}", "Extractor", heads, lines)


def distribution_table(results: MeasureResults) -> ReportTable:
    """Return how many documents have values in each of the bins."""
    heads = tuple(f"{low:.2f}–{high:.2f}" for low, high in pairwise(EDGES))
    lines = tuple(
        TableLine(extractor.name, tuple(Cell(str(count)) for count in summary.histogram), summary.title)
        for extractor in results.ranking
        for summary in extractor.summaries
    )
    return ReportTable(f"Documents by their values: {results.subject}", "Extractor", heads, lines)


def significance_tables(results: MeasureResults) -> list[ReportTable]:
    """Return row against column by Mann-Whitney's test and by the bootstrap, at 99 %; none for one extractor alone."""
    if len(results.ranking) == 1:
        return []
    return [
        _significance_table("Mann-Whitney U at 99 %", results, _mann_whitney_cell),
        _significance_table("Paired bootstrap of mean F1, with 99 % interval", results, _bootstrap_cell),
    ]


def _significance_table(title: str, results: MeasureResults, show: Callable[[Significance], Cell]) -> ReportTable:
    names = tuple(extractor.name for extractor in results.ranking)

    def cell(row: str, column: str) -> Cell:
        if row == column:
            return Cell("·")
        found = results.significance.get((row, column))
        return show(found) if found else Cell(UNDEFINED)

    lines = tuple(TableLine(row, tuple(cell(row, column) for column in names)) for row in names)
    return ReportTable(f"{title}: {results.subject}", "Row against column", names, lines, stacked=True)


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


def differences_table(pair: ExtractorPair) -> ReportTable:
    """Return the documents on which two extractors differ most."""
    first, second = pair.first, pair.second
    lines = tuple(
        TableLine(
            difference.id,
            (
                _document_cell(difference.first),
                _document_cell(difference.second),
                Cell(format_signed(difference.value)),
                Cell(difference.first.page_type or ""),
            ),
        )
        for difference in pair.differences
    )
    caption = f"Pages of {first.row.dataset} on which {first.name} and {second.name} differ most, {first.row.measure}"
    return ReportTable(caption, "Page", (first.name, second.name, "difference", "page type"), lines)


def _document_cell(scores: DocumentScores) -> Cell:
    return Cell(format_figure(scores.f1 or 0.0), "" if scores.f1 is not None else scores.case.replace("_", " "))


def _f1_cell(row: ExtractorRow | None, *, sd: bool = False) -> Cell:
    return _mean_cell(row.f1, row.f1_sd if sd else None) if row else Cell(UNDEFINED)


def _mean_cell(value: float | None, sd: float | None) -> Cell:
    return Cell(format_figure(value), "" if sd is None else f"± {format_figure(sd)}")


def _page_cells(row: ExtractorRow) -> list[Cell]:
    """Return time, pages and boundary cases.  Zeros are quiet, so that the others are seen."""
    cases = [Cell(f"{count:,}") if count else Cell("", "0") for count in count_cases(row).values()]
    return [Cell(format_figure(row.milliseconds, 1)), Cell(f"{row.documents:,}"), *cases]


def _mark_highest(lines: Sequence[TableLine], columns: Iterable[int]) -> tuple[TableLine, ...]:
    """Let the highest figure stand out in each of some columns of figures from 0 to 1."""
    highest: dict[int, str] = {}
    for column in columns:
        texts = [text for line in lines if (text := line.cells[column].text) != UNDEFINED]
        highest[column] = max(texts) if len(texts) > 1 else ""
    return tuple(
        line._replace(
            cells=tuple(
                cell._replace(strong=cell.text == highest.get(column)) for column, cell in enumerate(line.cells)
            )
        )
        for line in lines
    )
