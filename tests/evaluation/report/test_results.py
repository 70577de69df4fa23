"""What a run has measured: whether extractors differ by more than chance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scrapy_justext.evaluation.report.results import RunRecords, compare, measure_results, read_records
from scrapy_justext.evaluation.report.tables import significance_tables
from scrapy_justext.evaluation.statistics import is_significant
from tests.evaluation.report.small_run import write_run

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def records(run_folder: Path) -> RunRecords:
    return read_records(run_folder)


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
        significance = measure_results(records, "pages", "sequence").significance["good", "middling"]
        # Of 8 pages, "middling" gave nothing for one, nothing right for one, and failed on one.
        assert significance.sizes == (8, 5)
        assert significance.paired == 5

    def test_an_extractor_without_documents_is_not_compared(self, tmp_path: Path) -> None:
        run = write_run(tmp_path, {"good": {}, "silent": dict.fromkeys(range(1, 9), "")})
        results = measure_results(read_records(run), "pages", "sequence")
        assert results.significance == {}
        table = significance_tables(results)[0]
        assert [cell.text for line in table.lines for cell in line.cells] == ["·", "–", "–", "·"]
