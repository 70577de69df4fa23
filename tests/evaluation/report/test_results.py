"""What a run has measured: distributions, the ranking of extractors, whether they differ by more than chance."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from scrapy_justext.evaluation.report.results import (
    RunRecords,
    compare,
    compare_all,
    count_bins,
    make_results,
    rank_extractors,
    read_records,
)
from scrapy_justext.evaluation.report.tables import significance_tables
from scrapy_justext.evaluation.statistics import is_significant
from tests.evaluation.report.small_run import write_run

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def records(run_folder: Path) -> RunRecords:
    return read_records(run_folder)


@pytest.mark.parametrize(
    ("value", "place"),
    [
        pytest.param(0.0, 0, id="nought"),
        pytest.param(0.05, 1, id="an edge is of the bin above"),
        pytest.param(0.15, 3, id="an edge that floating point exceeds"),
        pytest.param(math.nextafter(0.15, 0), 2, id="just below an edge"),
        pytest.param(0.95, 19, id="the last edge but one"),
        pytest.param(1.0, 19, id="one is in the last bin"),
    ],
)
def test_bins_of_a_histogram(value: float, place: int) -> None:
    counts = count_bins([value])
    assert (len(counts), sum(counts), counts[place]) == (20, 1, 1)


class TestSignificance:
    def test_two_extractors(self) -> None:
        first = {str(place): 0.9 + place / 1000 for place in range(30)}
        second = {str(place): 0.2 + place / 1000 for place in range(5, 35)}
        significance = compare(first, second)
        assert significance.paired == 25
        assert significance.sizes == (30, 30)
        assert significance.mann_whitney.u == 900
        assert is_significant(significance.mann_whitney)
        assert significance.bootstrap is not None
        assert significance.bootstrap.difference == pytest.approx(0.7)
        mirrored = significance.mirrored()
        assert mirrored.mann_whitney.u == 0
        assert mirrored.bootstrap is not None
        assert mirrored.bootstrap.interval_99 == tuple(-end for end in reversed(significance.bootstrap.interval_99))

    def test_no_document_for_both(self) -> None:
        significance = compare({"1": 0.5}, {"2": 0.5})
        assert (significance.bootstrap, significance.paired) == (None, 0)
        assert significance.mirrored().bootstrap is None

    def test_boundary_cases_do_not_count(self, records: RunRecords) -> None:
        ranking = rank_extractors(records, "pages", "sequence")
        significance = compare_all(ranking)["good", "middling"]
        # Of 8 pages, "middling" gave nothing for one, nothing right for one, and failed on one.
        assert significance.sizes == (8, 5)
        assert significance.paired == 5

    def test_an_extractor_without_documents_is_not_compared(self, tmp_path: Path) -> None:
        run = write_run(tmp_path, {"good": {}, "silent": dict.fromkeys(range(1, 9), "")})
        assert compare_all(rank_extractors(read_records(run), "pages", "sequence")) == {}
        results = make_results(read_records(run), "pages")
        table = significance_tables(results.measures[0])[0]
        assert [cell.text for line in table.lines for cell in line.cells] == ["·", "–", "–", "·"]
