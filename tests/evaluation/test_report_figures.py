"""What the report says: distributions, comparisons of extractors, the pages they differ on, marked texts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from scrapy_justext.evaluation.report.records import Records, TextReader, read_records
from scrapy_justext.evaluation.report.results import (
    SHOWN_EQUAL,
    SHOWN_WORDS,
    Marked,
    Request,
    TextRun,
    compare,
    compare_all,
    find_differences,
    histogram,
    make_contents,
    make_duel,
    mark,
    standings,
)
from tests.evaluation.report_run import HOSTILE_NAME, hostile_run, write_run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return hostile_run(tmp_path_factory.mktemp("run"))


@pytest.fixture(scope="module")
def records(out: Path) -> Records:
    return read_records(out)


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
def test_histogram_bins(value: float, place: int) -> None:
    counts = histogram([value])
    assert (len(counts), sum(counts), counts[place]) == (20, 1, 1)


class TestSignificance:
    def test_two_extractors(self) -> None:
        first = {str(place): 0.9 + place / 1000 for place in range(30)}
        second = {str(place): 0.2 + place / 1000 for place in range(5, 35)}
        comparison = compare(first, second)
        assert comparison.paired == 25
        assert comparison.sizes == (30, 30)
        assert comparison.mann_whitney.u == 900
        assert comparison.mann_whitney.is_significant
        assert comparison.bootstrap is not None
        assert comparison.bootstrap.difference == pytest.approx(0.7)
        mirrored = comparison.mirrored()
        assert mirrored.mann_whitney.u == 0
        assert mirrored.bootstrap is not None
        assert mirrored.bootstrap.interval_99 == tuple(-end for end in reversed(comparison.bootstrap.interval_99))

    def test_no_document_for_both(self) -> None:
        comparison = compare({"1": 0.5}, {"2": 0.5})
        assert (comparison.bootstrap, comparison.paired) == (None, 0)
        assert comparison.mirrored().bootstrap is None

    def test_boundary_cases_do_not_count(self, records: Records) -> None:
        ranking = standings(records, "pages", "sequence")
        comparison = compare_all(ranking)["good", "middling"]
        # Of 8 pages, "middling" gave nothing for one, nothing right for one, and failed on one.
        assert comparison.sizes == (8, 5)
        assert comparison.paired == 5

    def test_an_extractor_without_documents_is_not_compared(self, tmp_path: Path) -> None:
        run = write_run(tmp_path, {"good": {}, "silent": dict.fromkeys(range(1, 9), "")})
        assert compare_all(standings(read_records(run), "pages", "sequence")) == {}
        contents = make_contents(read_records(run), TextReader(run, None), Request())
        table = contents.data_sets[0].measures[0].mann_whitney
        assert table is not None
        assert [cell.text for line in table.lines for cell in line.cells] == ["·", "–", "–", "·"]


class TestTables:
    def test_the_highest_f1_comes_first(self, out: Path, records: Records) -> None:
        contents = make_contents(records, TextReader(out, records.run), Request())
        for measure in contents.data_sets[0].measures:
            values = [one.row.f1 for one in measure.ranking if one.row.f1 is not None]
            assert values == sorted(values, reverse=True)
            assert [line.head for line in measure.figures.lines] == [one.name for one in measure.ranking]
            assert sum(group.span for group in measure.figures.groups) == len(measure.figures.heads)
            assert all(len(line.cells) == len(measure.figures.heads) for line in measure.figures.lines)

    def test_figures_are_those_of_the_summary(self, out: Path, records: Records) -> None:
        contents = make_contents(records, TextReader(out, records.run), Request())
        table = contents.data_sets[0].measures[0].figures
        cells = {line.head: dict(zip(table.heads[6:], line.cells[6:], strict=True)) for line in table.lines}
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

    def test_distributions_hold_all_counted_documents(self, out: Path, records: Records) -> None:
        contents = make_contents(records, TextReader(out, records.run), Request())
        table = contents.data_sets[0].measures[0].distribution
        counts = {(line.head, line.aside): sum(int(cell.text) for cell in line.cells) for line in table.lines}
        assert counts["good", "F1"] == 8
        assert counts["middling", "F1"] == counts["middling", "Recall"] == 5


class TestDifferences:
    def test_order_and_what_nothing_counts_for(self, records: Records) -> None:
        by_name = {one.name: one for one in standings(records, "pages", "sequence")}
        differences = find_differences(by_name["good"], by_name["middling"])
        assert [one.id for one in differences][:2] == ["3", "5"]
        assert differences[0].value == differences[1].value == 1.0
        sizes = [abs(one.value) for one in differences]
        assert sizes == sorted(sizes, reverse=True)
        assert {"6", "7", "8"}.isdisjoint(one.id for one in differences)

    def test_a_failed_extraction_is_shown_beside_the_other(self, out: Path, records: Records) -> None:
        by_name = {one.name: one for one in standings(records, "pages", "sequence")}
        duel = make_duel(by_name["good"], by_name["middling"], 2, TextReader(out, records.run))
        failed = duel.documents[1]
        assert failed.note == "middling failed on this page."
        assert failed.marked is not None
        assert failed.marked.second == ()

    def test_the_two_best_are_compared_unless_others_are_asked_for(self, out: Path, records: Records) -> None:
        texts = TextReader(out, records.run)
        (best,) = make_contents(records, texts, Request()).data_sets[0].duels
        ranking = standings(records, "pages", "sequence")
        assert (best.first, best.second) == (ranking[0].name, ranking[1].name)
        request = Request(pairs=((HOSTILE_NAME, "good"),), top=1)
        (asked,) = make_contents(records, texts, request).data_sets[0].duels
        assert (asked.first, asked.second, len(asked.documents)) == (HOSTILE_NAME, "good", 1)

    def test_equal_extractors(self, tmp_path: Path) -> None:
        run = write_run(tmp_path, {"one": {}, "other": {}})
        found = read_records(run)
        (duel,) = make_contents(found, TextReader(run, found.run), Request()).data_sets[0].duels
        assert (duel.documents, duel.note) == ((), "They differ on no page that both were run on.")


class TestMarking:
    def test_missed_and_extra_words(self) -> None:
        marked = mark("One two three four.", "one TWO more", "three, four")
        assert marked == Marked(
            gold=(TextRun("missed-second", "One two "), TextRun("missed-first", "three four.")),
            first=(TextRun("equal", "one TWO "), TextRun("extra", "more")),
            second=(TextRun("equal", "three, four"),),
        )

    def test_scripts_without_spaces_go_by_characters(self) -> None:
        assert mark("東京都", "東京", "東京都").gold == (TextRun("equal", "東京"), TextRun("missed-first", "都"))

    @pytest.mark.parametrize("text", ["", "   \n ", "...", "—"])
    def test_texts_without_words(self, text: str) -> None:
        assert mark(text, text, "word") == Marked((), (), (TextRun("extra", "word"),))

    def test_nothing_is_lost_of_short_texts(self) -> None:
        gold, first, second = "« One, two… »", "One! Three", "two"
        marked = mark(gold, first, second)
        assert ["".join(run.text for run in runs) for runs in marked] == [gold, first, second]

    def test_long_equal_stretches_are_cut_in_their_middle(self) -> None:
        text = " ".join(f"word{place}" for place in range(SHOWN_EQUAL + 5))
        runs = mark(text, text, text).gold
        assert [run.kind for run in runs] == ["equal", "cut", "equal"]
        assert runs[1].text == "[5 words left out]"
        assert (runs[0].text.split()[0], runs[2].text.split()[-1]) == ("word0", f"word{SHOWN_EQUAL + 4}")

    def test_long_texts_are_cut_at_their_end(self) -> None:
        gold = " ".join(f"a{place} b{place}" for place in range(1_000))
        first = " ".join(f"a{place}" for place in range(1_000))
        runs = mark(gold, first, first).gold
        assert sum(len(run.text.split()) for run in runs[:-1]) == SHOWN_WORDS
        assert runs[-1] == TextRun("cut", f"[{2_000 - SHOWN_WORDS:,} words left out]")

    def test_one_endless_word(self) -> None:
        (run,) = mark("x" * 100_000, "", "").gold
        assert len(run.text) < 200

    def test_controls_and_turned_text_are_taken_out(self) -> None:
        (run,) = mark("a\x1b[31m\u202eb\x00", "", "").gold
        assert run.text == "a�[31m�b�"
