"""The tables of a data set's figures."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from scrapy_justext.evaluation.report.figures.table import UNDEFINED, Cell, Group, Line, Table, number
from scrapy_justext.evaluation.report.figures.values import EDGES, QUANTITIES, TITLES, by_f1, histogram

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scrapy_justext.evaluation.report.figures.values import Figure, Standing
    from scrapy_justext.evaluation.scoring import Row

#: Fields of a row that count pages which are no ordinary ones, with titles.
CASES = {
    "retrieved_empty": "Retrieved empty",
    "relevant_empty": "Gold empty",
    "both_empty": "Both empty",
    "mismatch": "Mismatch",
    "failed": "Failed",
}


def cases_of(row: Row) -> tuple[int, ...]:
    """How many pages there are of each of :data:`CASES`."""
    return row.retrieved_empty, row.relevant_empty, row.both_empty, row.mismatch, row.failed


def overview_table(caption: str, rankings: Mapping[str, Sequence[Standing]], first: str) -> Table:
    """F1 by each measure; sorted by the measure ``first``."""
    by_name = {measure: {one.name: one.row for one in ranking} for measure, ranking in rankings.items()}
    best = {measure: _best(list(rows.values())) for measure, rows in by_name.items()}
    names = list(dict.fromkeys(name for rows in (by_name.get(first, {}), *by_name.values()) for name in rows))
    lines = [
        Line(name, tuple(_f1_cell(rows.get(name), best[measure]) for measure, rows in by_name.items()))
        for name in names
    ]
    return Table(caption, "Extractor", tuple(by_name), tuple(lines))


def figures_table(caption: str, ranking: Sequence[Standing]) -> Table:
    """All figures of a measure."""
    best = {name: _best_of(ranking, place) for place, name in enumerate(QUANTITIES)}
    lines = tuple(
        Line(
            one.name,
            (
                *(cell for figure in one.figures for cell in _figure_cells(figure, best[figure.quantity])),
                Cell(number(one.row.milliseconds, 1)),
                Cell(f"{one.row.documents:,}"),
                *_case_cells(one.row),
            ),
            one.row.version,
        )
        for one in ranking
    )
    groups = (*(Group(TITLES[name], 2) for name in QUANTITIES), Group("Time", 1), Group("Pages", 1 + len(CASES)))
    cases = (title.lower() for title in CASES.values())
    heads = (*("mean ± sd", "median") * len(QUANTITIES), "ms a page", "all", *cases)
    return Table(caption, "Extractor", heads, lines, groups)


def page_types_table(caption: str, ranking: Sequence[Standing], types: Mapping[str, Sequence[Row]]) -> Table:
    """F1 on the pages of each type."""
    by_name = {name: {row.extractor: row for row in rows} for name, rows in types.items()}
    best = {name: _best(list(rows.values())) for name, rows in by_name.items()}
    lines = [
        Line(one.name, tuple(_f1_cell(rows.get(one.name), best[name], sd=True) for name, rows in by_name.items()))
        for one in ranking
    ]
    heads = tuple(f"{name} ({max(row.documents for row in rows.values()):,})" for name, rows in by_name.items())
    return Table(caption, "Extractor", heads, tuple(lines))


def page_type_table(caption: str, rows: Sequence[Row]) -> Table:
    """The figures of a measure on the pages of one type."""
    ordered = sorted(rows, key=by_f1)
    lines = tuple(
        Line(
            row.extractor,
            (
                _mean_cell(row.f1, row.f1_sd),
                _mean_cell(row.precision, row.precision_sd),
                _mean_cell(row.recall, row.recall_sd),
                Cell(number(row.milliseconds, 1)),
                Cell(f"{row.documents:,}"),
                *_case_cells(row),
            ),
        )
        for row in ordered
    )
    heads = (*(TITLES[name] for name in QUANTITIES), "ms a page", "pages", *(title.lower() for title in CASES.values()))
    return Table(caption, "Extractor", heads, lines)


def distribution_table(caption: str, ranking: Sequence[Standing]) -> Table:
    """How many documents have values in each of the bins."""
    heads = tuple(f"{low:.2f}–{high:.2f}" for low, high in pairwise(EDGES))
    lines = tuple(
        Line(one.name, tuple(Cell(str(count)) for count in histogram(figure.values)), TITLES[figure.quantity])
        for one in ranking
        for figure in one.figures
    )
    return Table(caption, "Extractor", heads, lines)


def _figure_cells(figure: Figure, best: str) -> tuple[Cell, Cell]:
    mean = _mean_cell(figure.value, figure.sd)
    return mean._replace(strong=mean.text == best), Cell(number(figure.median))


def _mean_cell(value: float | None, sd: float | None) -> Cell:
    return Cell(number(value), "" if sd is None else f"± {number(sd)}")


def _case_cells(row: Row) -> list[Cell]:
    """Noughts are quiet, so that the others are seen."""
    return [Cell(f"{count:,}") if count else Cell("", "0") for count in cases_of(row)]


def _f1_cell(row: Row | None, best: str, *, sd: bool = False) -> Cell:
    if row is None:
        return Cell(UNDEFINED)
    cell = _mean_cell(row.f1, row.f1_sd if sd else None)
    return cell._replace(strong=cell.text == best)


def _best(rows: Sequence[Row]) -> str:
    """The highest F1 as it is written: figures that look the same are marked the same."""
    return _highest([row.f1 for row in rows])


def _best_of(ranking: Sequence[Standing], place: int) -> str:
    return _highest([one.figures[place].value for one in ranking])


def _highest(values: Sequence[float | None]) -> str:
    present = [value for value in values if value is not None]
    # One figure alone is not the best of any; what is not there is not marked.
    return number(max(present)) if len(present) > 1 else ""
