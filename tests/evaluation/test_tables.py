"""The tables of a run and of a report, and the pages that two extractors differ on."""

import re
from pathlib import Path

import pytest

from scrapy_justext.evaluation.report import (
    SHOWN_DOCUMENTS,
    SHOWN_EQUAL,
    SHOWN_WORDS,
    compare_documents,
    find_differences,
    mark_texts,
)
from scrapy_justext.evaluation.scoring import (
    DataSetResults,
    ExtractorRow,
    MeasureResults,
    compare,
    read_results,
    sort_by_f1,
)
from scrapy_justext.evaluation.statistics import is_significant
from scrapy_justext.evaluation.tables import format_summary, overview_table, scores_table, significance_tables
from tests.evaluation.builders import HOSTILE_NAME, write_run


def row(extractor: str, f1: float | None) -> ExtractorRow:
    deviations, time = (None, None, None if f1 is None else 0.25), None if f1 is None else 12.345
    return ExtractorRow("set", extractor, "1.0", "sequence", f1, f1, f1, *deviations, 58, 2, 1, 3, 4, 5, time)


def test_the_highest_f1_is_first_and_none_last() -> None:
    rows = [row("none", None), row("b", 0.5), row("low", 0.0), row("a", 0.5), row("high", 0.9)]
    assert [row.extractor for row in sort_by_f1(rows)] == ["high", "a", "b", "low", "none"]


def test_a_whole_table() -> None:
    assert format_summary([row("justext", 0.91234), row("ref:broken", None)], 120).splitlines() == [
        "Extractor                F1  Precision  Recall  ms a page  failed  pages  retrieved empty  version",
        "justext     0.9123 ± 0.2500     0.9123  0.9123       12.3       2     58                3      1.0",
        "ref:broken                –          –       –          –       2     58                3      1.0",
    ]


@pytest.mark.parametrize("width", range(26, 100, 6))
def test_it_fits(width: int) -> None:
    lines = format_summary(
        [row("http://127.0.0.1:9000/extract#json=data.text", 0.5), row("ttr", 0.25)], width
    ).splitlines()
    assert max(map(len, lines)) <= width
    assert "F1" in lines[0]
    assert "0.5000" in lines[1]


def test_where_there_is_no_room_columns_go_and_names_are_cut() -> None:
    [titles, *_] = format_summary([row("ref:boilerpy3-sentences", 0.5)], 60).splitlines()
    assert titles.split() == ["Extractor", "F1", "Precision", "Recall", "ms", "a", "page"]
    [_, line] = format_summary([row("http://127.0.0.1:9000/extract", 0.5)], 30).splitlines()
    assert line == "http://127.0.0.1:9000…  0.5000"


@pytest.fixture(scope="module")
def results(run_folder: Path) -> DataSetResults:
    return read_results(run_folder).data_sets[0]


def test_the_highest_f1_comes_first(results: DataSetResults) -> None:
    for measure in results.measures.values():
        values = [row.f1 for row in measure.rows if row.f1 is not None]
        assert values == sorted(values, reverse=True)
        table = scores_table(measure)
        assert [name.text for name, _ in table.lines] == [row.extractor for row in measure.rows]
        assert sum(table.groups.values()) == len(table.columns)
        assert all(len(cells) == len(table.columns) for _, cells in table.lines)


def test_figures_are_those_of_the_summary(results: DataSetResults) -> None:
    table = scores_table(results.measures["sequence"])
    heads = [column.head for column in table.columns]
    cells = {name.text: dict(zip(heads[6:], cells[6:], strict=True)) for name, cells in table.lines}
    middling = {head: cell.text or cell.aside for head, cell in cells["middling"].items()}
    assert middling == {
        "ms a page": "20.0", "all": "8", "retrieved empty": "1", "gold empty": "0", "both empty": "0",
        "mismatch": "1", "failed": "1",
    }  # fmt: skip


def test_the_highest_figure_of_a_column_stands_out(results: DataSetResults) -> None:
    table = overview_table(results)
    for column in range(len(table.columns)):
        cells = [cells[column] for _, cells in table.lines]
        highest = max(cell.text for cell in cells)
        assert [cell.strong for cell in cells] == [cell.text == highest for cell in cells]


@pytest.fixture(scope="module")
def sequence(results: DataSetResults) -> MeasureResults:
    return results.measures["sequence"]


@pytest.mark.full
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

    def test_each_extractor_is_compared_from_its_own_side(self, sequence: MeasureResults) -> None:
        cells = [
            {
                name.text: dict(zip((column.head for column in table.columns), cells, strict=True))
                for name, cells in table.lines
            }
            for table in significance_tables(sequence)
        ]
        tests = sequence.significance["good", "middling"]
        u, sizes = tests.mann_whitney.u, tests.sizes
        assert cells[0]["good"]["middling"].aside == f"U {u:,.1f}"
        assert cells[0]["middling"]["good"].aside == f"U {sizes[0] * sizes[1] - u:,.1f}"
        better, worse = cells[1]["good"]["middling"], cells[1]["middling"]["good"]
        assert better.text.replace("+", "−") == worse.text
        low, high = re.findall(r"[−+][\d.]+", better.aside)
        # Nothing is written as −0.
        flipped = [end.translate(str.maketrans("−+", "+−")).replace("−0.000", "+0.000") for end in (high, low)]
        assert re.findall(r"[−+][\d.]+", worse.aside) == flipped

    def test_no_document_for_both(self) -> None:
        significance = compare({"1": 0.5}, {"2": 0.5})
        assert (significance.bootstrap, significance.paired) == (None, 0)

    def test_boundary_cases_do_not_count(self, sequence: MeasureResults) -> None:
        significance = sequence.significance["good", "middling"]
        # Of 8 pages, "middling" gave nothing for one, nothing right for one, and failed on one.
        assert significance.sizes == (8, 5)
        assert significance.paired == 5

    def test_an_extractor_without_documents_is_not_compared(self, tmp_path: Path) -> None:
        run = write_run(tmp_path, {"good": {}, "silent": dict.fromkeys(range(1, 9), "")})
        results = read_results(run).data_sets[0].measures["sequence"]
        assert results.significance == {}
        table = significance_tables(results)[0]
        assert [cell.text for _, cells in table.lines for cell in cells] == ["·", "–", "–", "·"]


@pytest.mark.full
class TestDifferences:
    def test_order_and_what_nothing_counts_for(self, sequence: MeasureResults) -> None:
        differences = find_differences(sequence, "good", "middling")
        assert [difference.id for difference in differences][:2] == ["3", "5"]
        assert differences[0].value == differences[1].value == 1.0
        sizes = [abs(difference.value) for difference in differences]
        assert sizes == sorted(sizes, reverse=True)
        assert {"6", "7", "8"}.isdisjoint(difference.id for difference in differences)

    def test_a_failed_extraction_is_shown_beside_the_other(self, tmp_path: Path) -> None:
        run = write_run(tmp_path, {"good": {}, "failing": {5: None}})
        pair = compare_documents(run, read_results(run).data_sets[0], "sequence")
        assert pair is not None
        [failed] = pair.differences
        assert failed.note == "failing failed on this page."
        assert failed.texts is not None
        assert (pair.first, failed.texts[1]) == ("failing", ())

    def test_the_two_best_are_compared(self, run_folder: Path, results: DataSetResults) -> None:
        best = compare_documents(run_folder, results, "sequence")
        assert best is not None
        assert (best.first, best.second) == ("good", HOSTILE_NAME)
        assert len(best.differences) == SHOWN_DOCUMENTS - 1
        assert all(difference.texts is not None for difference in best.differences)

    def test_equal_extractors(self, tmp_path: Path) -> None:
        run = write_run(tmp_path, {"one": {}, "other": {}})
        pair = compare_documents(run, read_results(run).data_sets[0], "sequence")
        assert pair is not None
        assert (pair.differences, pair.note) == ((), "They differ on no page that both were run on.")


@pytest.mark.full
class TestMarking:
    def test_missed_and_extra_words(self) -> None:
        marked = mark_texts("One two three four.", "one TWO more", "three, four")
        assert marked == (
            (("missed-second", "One two "), ("missed-first", "three four.")),
            (("equal", "one TWO "), ("extra", "more")),
            (("equal", "three, four"),),
        )

    def test_scripts_without_spaces_go_by_characters(self) -> None:
        assert mark_texts("東京都", "東京", "東京都")[0] == (("equal", "東京"), ("missed-first", "都"))

    @pytest.mark.parametrize("text", ["", "   \n ", "...", "—"])
    def test_texts_without_words(self, text: str) -> None:
        assert mark_texts(text, text, "word") == ((), (), (("extra", "word"),))

    def test_nothing_is_lost_of_short_texts(self) -> None:
        gold, first, second = "« One, two… »", "One! Three", "two"
        marked = mark_texts(gold, first, second)
        assert ["".join(words for _, words in runs) for runs in marked] == [gold, first, second]

    def test_long_equal_stretches_are_cut_in_their_middle(self) -> None:
        text = " ".join(f"word{place}" for place in range(SHOWN_EQUAL + 5))
        runs = mark_texts(text, text, text)[0]
        assert [kind for kind, _ in runs] == ["equal", "cut", "equal"]
        assert runs[1][1] == "[5 words left out]"
        assert (runs[0][1].split()[0], runs[2][1].split()[-1]) == ("word0", f"word{SHOWN_EQUAL + 4}")

    def test_long_texts_are_cut_at_their_end(self) -> None:
        gold = " ".join(f"a{place} b{place}" for place in range(1_000))
        first = " ".join(f"a{place}" for place in range(1_000))
        runs = mark_texts(gold, first, first)[0]
        assert sum(len(words.split()) for _, words in runs[:-1]) == SHOWN_WORDS
        assert runs[-1] == ("cut", f"[{2_000 - SHOWN_WORDS:,} words left out]")

    def test_endless_words_controls_and_turned_text_are_taken_out(self) -> None:
        ((_, words),) = mark_texts("x" * 100_000, "", "")[0]
        assert len(words) < 200
        ((_, words),) = mark_texts("a\x1b[31m\u202eb\x00", "", "")[0]
        assert words == "a�[31m�b�"
