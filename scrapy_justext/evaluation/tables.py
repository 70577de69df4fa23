"""The tables of a run and of a report: one type for a terminal, Markdown and HTML, and a function for each table.

A table is made of columns, each with cells by the names of the lines.  The highest figure of a compared column stands
out.  Figures are compared as they are written: those that look the same are marked the same.  A single figure does not
stand out.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.crawl.commands import format_columns
from scrapy_justext.evaluation.kinds import INVENTED
from scrapy_justext.evaluation.measures import MARKDOWN
from scrapy_justext.evaluation.statistics import is_significant

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from scrapy_justext.evaluation.report import DocumentDifference, ExtractorPair
    from scrapy_justext.evaluation.scoring import (
        DataSetResults,
        DocumentScores,
        ExtractorRow,
        MeasureResults,
        Significance,
    )
    from scrapy_justext.evaluation.statistics import Bootstrap, MannWhitney

#: Stands for a value that is not defined.
UNDEFINED = "–"
#: Names are cut to this many characters in a narrow terminal.
_SHORTEST_NAME = 16


class Cell(NamedTuple):
    """A figure, and a quieter note beside it; a ``strong`` figure stands out."""

    text: str
    aside: str = ""
    strong: bool = False


class Column(NamedTuple):
    """A column of a table: its cells by the names of lines; a line without one has no figure there."""

    head: str
    cells: Mapping[str, Cell]
    group: str = ""
    """A title over several columns; all columns of a table have one, or none has."""
    is_compared: bool = False
    """Whether the highest figure stands out."""


class ReportTable(NamedTuple):
    """A table with a line for each of ``names``; columns have their cells by these names."""

    caption: str
    names: Sequence[Cell]
    columns: Sequence[Column]
    corner: str = "Extractor"
    """What the lines are about."""
    stacked: bool = False
    """Whether notes stand below their figures, not beside them, because there are many columns."""

    @property
    def groups(self) -> Mapping[str, int]:
        """Titles over several columns, and over how many."""
        return Counter(column.group for column in self.columns if column.group)

    @property
    def heads(self) -> list[str]:
        """The heads of columns, each with the title of its group."""
        return [", ".join(filter(None, (column.group, column.head))) for column in self.columns]

    @property
    def lines(self) -> Iterator[tuple[Cell, list[Cell]]]:
        """The head and the cells of each line."""
        cells = [_mark_highest(column.cells) if column.is_compared else column.cells for column in self.columns]
        for name in self.names:
            yield name, [by_name.get(name.text, Cell(UNDEFINED)) for by_name in cells]

    def as_text(self, width: int) -> str:
        """Set the table for a terminal.  Where that is narrow, notes beside figures go, then the last columns."""
        most = len(self.columns)
        for with_asides, count in ((True, most), *((False, count) for count in range(most, 0, -1))):
            lines = [[self.corner, *(column.head for column in self.columns[:count])]]
            for name, cells in self.lines:
                shown = (
                    f"{text} {aside}".strip() if with_asides else text or aside for text, aside, _ in cells[:count]
                )
                lines.append([name.text, *shown])
            others = format_columns([["", *line[1:]] for line in lines], right=range(1, count + 1))
            room = width - max(map(len, others.split("\n")))
            if room >= _SHORTEST_NAME:
                break
        room = max(room, _SHORTEST_NAME)
        cut = [[name if len(name) <= room else f"{name[: room - 1]}…", *line] for name, *line in lines]
        return format_columns(cut, right=range(1, count + 1))


def _mark_highest(cells: Mapping[str, Cell]) -> Mapping[str, Cell]:
    texts = [cell.text for cell in cells.values() if cell.text != UNDEFINED]
    highest = max(texts) if len(texts) > 1 else None
    return {name: cell._replace(strong=cell.text == highest) for name, cell in cells.items()}


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


def _count_cell(count: int) -> Cell:
    """Return the cell of a number of pages.  Zeros are quiet, so that the others are seen."""
    return Cell(f"{count:,}") if count else Cell("", "0")


def _column(head: str, rows: Sequence[ExtractorRow], show: Callable[[ExtractorRow], Cell], group: str = "") -> Column:
    """Return a column with the cell of each row's extractor."""
    return Column(head, {row.extractor: show(row) for row in rows}, group)


def _mean_column(
    head: str, rows: Sequence[ExtractorRow], score: str, digits: int = 4, *, sd: bool = True, group: str = ""
) -> Column:
    """Return a column with the mean of a score, the highest one strong; ``sd``: with standard deviations."""

    def show(row: ExtractorRow) -> Cell:
        deviation = getattr(row, f"{score}_sd") if sd else None
        aside = "" if deviation is None else f"± {format_figure(deviation, digits)}"
        return Cell(format_figure(getattr(row, score), digits), aside)

    return _column(head, rows, show, group)._replace(is_compared=True)


def _names(rows: Sequence[ExtractorRow]) -> list[Cell]:
    """Return the names of the extractors of some rows, each once."""
    return [*map(Cell, dict.fromkeys(row.extractor for row in rows))]


# The tables that a run ends with.


def format_summary(rows: Sequence[ExtractorRow], width: int) -> str:
    """Set rows of a summary in at most ``width`` characters, what matters most first."""
    means = [_mean_column(title, rows, score, sd=score == "f1") for score, title in SCORE_TITLES.items()]
    time, pages, empty, *_, failed = _page_columns(rows, "pages")
    version = _column("version", rows, lambda row: Cell(row.version))
    return ReportTable("", _names(rows), [*means, time, failed, pages, empty, version]).as_text(width)


def _kind_columns(
    by_measure: Mapping[str, Sequence[ExtractorRow]], digits: int, interval_digits: int
) -> tuple[list[Column], list[Column]]:
    """Return the columns of how much of each kind is kept, and of how many pages got some that was invented."""

    def similarity(row: ExtractorRow) -> Cell:
        ends = [format_figure(end, interval_digits) for end in (row.f1_low, row.f1_high) if end is not None]
        return Cell(format_figure(row.f1, digits), "–".join(ends))

    kept = []
    for measure, rows in by_measure.items():
        head = f"{measure} ({max(row.relevant for row in rows):,})"
        kept.append(_column(head, rows, similarity, "Similarity (pages)")._replace(is_compared=True))
    invented = [
        _column(measure, by_measure[measure], lambda row: _count_cell(row.relevant_empty), "Invented")
        for measure in INVENTED
        if measure in by_measure
    ]
    return kept, invented


def format_kinds(rows: Sequence[ExtractorRow], width: int) -> str:
    """Set the similarities over Markdown, with intervals where there is room, and what extractors invented."""
    by_measure: dict[str, list[ExtractorRow]] = {}
    for row in rows:
        by_measure.setdefault(row.measure, []).append(row)
    columns = _kind_columns(by_measure, 2, 2)
    shares, counts = (ReportTable("", _names(rows), part).as_text(width) for part in columns)
    too_large = sum(row.too_large for row in rows)
    note = f"\n\nTables too large for TEDS, compared as text: {too_large} of all pages and extractors"
    title = "Pages that have it, without any in the gold standard"
    return f"{shares}\n\n{title}\n{counts}{note if too_large else ''}"


# The tables of a report.

#: The scores that a measure gives, as rows name them, with their titles.
SCORE_TITLES: Mapping[str, str] = {"f1": "F1", "precision": "Precision", "recall": "Recall"}
#: Fields of a row that count pages which are special cases, with titles.
CASE_TITLES: Mapping[str, str] = {
    "retrieved_empty": "Retrieved empty",
    "relevant_empty": "Gold empty",
    "both_empty": "Both empty",
    "mismatch": "Mismatch",
    "failed": "Failed",
}


def overview_table(data_set: DataSetResults) -> ReportTable:
    """Return F1 by each measure of texts, sorted by the first measure."""
    measures = [results for results in data_set.measures.values() if results.measure.form != MARKDOWN]
    columns = [_mean_column(results.measure.name, results.rows, "f1", sd=False) for results in measures]
    names = _names([row for results in measures for row in results.rows])
    return ReportTable(f"F1 on {data_set.name} by each measure", names, columns)


def kinds_tables(data_set: DataSetResults) -> list[ReportTable]:
    """Return how much of each kind is kept, and what was invented; none where the gold standard is not Markdown."""
    by_measure = {name: results.rows for name, results in data_set.measures.items() if results.measure.form == MARKDOWN}
    if not by_measure:
        return []
    kept, invented = _kind_columns(by_measure, 4, 3)
    as_text = _column(
        "tables as text", by_measure.get("tables", ()), lambda row: _count_cell(row.too_large), "Too large"
    )
    caption = f"Similarity of what is in the Markdown on {data_set.name}, with the 95 % interval of the mean"
    names = _names([row for rows in by_measure.values() for row in rows])
    return [ReportTable(caption, names, [*kept, *invented, as_text], stacked=True)]


def scores_table(results: MeasureResults) -> ReportTable:
    """Return all figures of a measure."""
    columns = []
    for score, title in SCORE_TITLES.items():
        medians = {row.extractor: Cell(format_figure(results.median(row.extractor, score))) for row in results.rows}
        columns += [_mean_column("mean ± sd", results.rows, score, group=title), Column("median", medians, title)]
    columns += _page_columns(results.rows, "all", "Time", "Pages")
    names = [Cell(row.extractor, row.version) for row in results.rows]
    return ReportTable(f"Figures: {results.subject}", names, columns)


def page_type_tables(results: MeasureResults) -> list[ReportTable]:
    """Return F1 on the pages of each type, then all figures of each type; none where there are no types."""
    if not results.page_types:
        return []
    caption = f"F1 ± sd by page type (pages): {results.subject}"
    tables = [ReportTable(caption, _names(results.rows), _type_columns(results))]
    for page_type, rows in results.page_types.items():
        means = [_mean_column(title, rows, score)._replace(is_compared=False) for score, title in SCORE_TITLES.items()]
        columns = [*means, *_page_columns(rows, "pages")]
        tables.append(ReportTable(f"Pages of type {page_type}: {results.subject}", _names(rows), columns))
    return tables


def figures_table(results: MeasureResults) -> ReportTable:
    """Return the means of a measure in a table for other pages: with F1 by page type, time, and pages that failed."""
    time, *_, failed = _page_columns(results.rows, "pages")
    means = [_mean_column(title, results.rows, score, 3, sd=False) for score, title in SCORE_TITLES.items()]
    columns = [*means, *_type_columns(results, 3, sd=False), time, failed]
    return ReportTable(f"F1 by page type: {results.subject}", _names(results.rows), columns)


def _type_columns(results: MeasureResults, digits: int = 4, *, sd: bool = True) -> list[Column]:
    """Return a column with F1 on the pages of each type."""
    return [
        _mean_column(f"{page_type} ({results.pages_of(page_type):,})", rows, "f1", digits, sd=sd)
        for page_type, rows in results.page_types.items()
    ]


def _page_columns(rows: Sequence[ExtractorRow], pages: str, time_group: str = "", group: str = "") -> list[Column]:
    """Return columns of time, pages and boundary cases; ``pages``: what the number of pages is called."""
    counts = {pages: "documents", **{title.lower(): case for case, title in CASE_TITLES.items()}}
    return [
        _column("ms a page", rows, lambda row: Cell(format_figure(row.milliseconds, 1)), time_group),
        *(
            Column(title, {row.extractor: _count_cell(getattr(row, field)) for row in rows}, group)
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
    names = _names(results.rows)
    tables = []
    for title, show in tests.items():
        cells: dict[str, dict[str, Cell]] = {name.text: {name.text: Cell("·")} for name in names}
        for (first, second), significance in results.significance.items():
            cells[second][first] = show(significance, is_mirrored=False)
            cells[first][second] = show(significance, is_mirrored=True)
        columns = [Column(*column) for column in cells.items()]
        caption = f"{title}: {results.subject}"
        tables.append(ReportTable(caption, names, columns, "Row against column", stacked=True))
    return tables


def _mann_whitney_cell(significance: Significance, *, is_mirrored: bool) -> Cell:
    """Return what the test says of the first extractor; of the second one if it is mirrored."""
    test = significance.mann_whitney
    first, second = significance.sizes
    u = first * second - test.u if is_mirrored else test.u
    # A small probability is not rounded to 0.
    p = "<0.001" if test.p < 0.001 else f"= {test.p:.3f}"
    return _test_cell(test, u - first * second / 2, f"p {p}", f"U {u:,.1f}")


def _bootstrap_cell(significance: Significance, *, is_mirrored: bool) -> Cell:
    test = significance.bootstrap
    if test is None:
        return Cell(UNDEFINED)
    difference, ends = test.difference, test.interval_99
    if is_mirrored:
        # Not -x, which of 0.0 is -0.0 and would be written with its sign.
        difference, ends = 0.0 - difference, (0.0 - ends[1], 0.0 - ends[0])
    low, high = (format_signed(end, 3) for end in ends)
    return _test_cell(test, difference, format_signed(difference), f"{low} to {high}; n {significance.paired:,}")


def _test_cell(test: MannWhitney | Bootstrap, difference: float, text: str, aside: str) -> Cell:
    """Return figures behind a sign: whether a row is better than its column, worse, or neither at 99 %."""
    strong = is_significant(test)
    return Cell(f"{'≈' if not strong else '▲' if difference > 0 else '▼'} {text}", aside, strong)


def differences_tables(pair: ExtractorPair) -> list[ReportTable]:
    """Return the documents on which two extractors differ most; no table where there are none."""
    if not pair.differences:
        return []

    def cell(scores: DocumentScores) -> Cell:
        return Cell(format_figure(scores.f1 or 0.0), "" if scores.f1 is not None else scores.case.replace("_", " "))

    columns: Mapping[str, Callable[[DocumentDifference], Cell]] = {
        pair.first: lambda document: cell(document.first),
        pair.second: lambda document: cell(document.second),
        "difference": lambda document: Cell(format_signed(document.value)),
        "page type": lambda document: Cell(document.first.page_type or ""),
    }
    shown = [Column(head, {of.id: show(of) for of in pair.differences}) for head, show in columns.items()]
    caption = f"Pages of {pair.data_set} on which {pair.first} and {pair.second} differ most, {pair.measure}"
    return [ReportTable(caption, [Cell(document.id) for document in pair.differences], shown, "Page")]
