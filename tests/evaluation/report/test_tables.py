"""The tables: their order, the figures in them, the marks on the highest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scrapy_justext.evaluation.report.results import DataSetResults, make_results, read_records
from scrapy_justext.evaluation.report.tables import overview_table, scores_table

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def results(run_folder: Path) -> DataSetResults:
    return make_results(read_records(run_folder), "pages")


def test_the_highest_f1_comes_first(results: DataSetResults) -> None:
    for measure in results.measures.values():
        values = [row.f1 for row in measure.rows if row.f1 is not None]
        assert values == sorted(values, reverse=True)
        table = scores_table(measure)
        assert [line.head.text for line in table.lines] == [row.extractor for row in measure.rows]
        assert sum(table.groups.values()) == len(table.heads)
        assert all(len(line.cells) == len(table.heads) for line in table.lines)


def test_figures_are_those_of_the_summary(results: DataSetResults) -> None:
    table = scores_table(results.measures["sequence"])
    cells = {line.head.text: dict(zip(table.heads[6:], line.cells[6:], strict=True)) for line in table.lines}
    middling = {head: cell.text or cell.aside for head, cell in cells["middling"].items()}
    assert middling == {
        "ms a page": "20.0",
        "all": "8",
        "retrieved empty": "1",
        "gold empty": "0",
        "both empty": "0",
        "mismatch": "1",
        "failed": "1",
    }


def test_the_highest_figure_of_a_column_stands_out(results: DataSetResults) -> None:
    table = overview_table(results)
    for column in range(len(table.heads)):
        cells = [line.cells[column] for line in table.lines]
        highest = max(cell.text for cell in cells)
        assert [cell.strong for cell in cells] == [cell.text == highest for cell in cells]
