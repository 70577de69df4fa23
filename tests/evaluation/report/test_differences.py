"""The pages that two extractors differ on, and the marks in their texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scrapy_justext.evaluation.report.differences import (
    SHOWN_EQUAL,
    SHOWN_WORDS,
    MarkedTexts,
    WordRun,
    compare_documents,
    find_differences,
    mark_texts,
)
from scrapy_justext.evaluation.report.results import MeasureResults, RunRecords, measure_results, read_records
from tests.evaluation.report.small_run import HOSTILE_NAME, write_run

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def records(run_folder: Path) -> RunRecords:
    return read_records(run_folder)


@pytest.fixture(scope="module")
def results(records: RunRecords) -> MeasureResults:
    return measure_results(records, "pages", "sequence")


class TestDifferences:
    def test_order_and_what_nothing_counts_for(self, results: MeasureResults) -> None:
        differences = find_differences(results, "good", "middling")
        assert [difference.id for difference in differences][:2] == ["3", "5"]
        assert differences[0].value == differences[1].value == 1.0
        sizes = [abs(difference.value) for difference in differences]
        assert sizes == sorted(sizes, reverse=True)
        assert {"6", "7", "8"}.isdisjoint(difference.id for difference in differences)

    def test_a_failed_extraction_is_shown_beside_the_other(self, records: RunRecords, results: MeasureResults) -> None:
        (pair,) = compare_documents(records, results, [("good", "middling")], 2)
        failed = pair.differences[1]
        assert failed.note == "middling failed on this page."
        assert failed.texts is not None
        assert failed.texts.second == ()

    def test_the_two_best_are_compared_unless_others_are_asked_for(
        self, records: RunRecords, results: MeasureResults
    ) -> None:
        (best,) = compare_documents(records, results)
        assert (best.first, best.second) == (results.rows[0].extractor, results.rows[1].extractor)
        (asked,) = compare_documents(records, results, [(HOSTILE_NAME, "good")], top=1)
        assert (asked.first, asked.second) == (HOSTILE_NAME, "good")
        assert [difference.texts is not None for difference in asked.differences] == [True]

    def test_equal_extractors(self, tmp_path: Path) -> None:
        run = write_run(tmp_path, {"one": {}, "other": {}})
        records = read_records(run)
        (pair,) = compare_documents(records, measure_results(records, "pages", "sequence"))
        assert (pair.differences, pair.note) == ((), "They differ on no page that both were run on.")


class TestMarking:
    def test_missed_and_extra_words(self) -> None:
        marked = mark_texts("One two three four.", "one TWO more", "three, four")
        assert marked == MarkedTexts(
            gold=(WordRun("missed-second", "One two "), WordRun("missed-first", "three four.")),
            first=(WordRun("equal", "one TWO "), WordRun("extra", "more")),
            second=(WordRun("equal", "three, four"),),
        )

    def test_scripts_without_spaces_go_by_characters(self) -> None:
        assert mark_texts("東京都", "東京", "東京都").gold == (WordRun("equal", "東京"), WordRun("missed-first", "都"))

    @pytest.mark.parametrize("text", ["", "   \n ", "...", "—"])
    def test_texts_without_words(self, text: str) -> None:
        assert mark_texts(text, text, "word") == MarkedTexts((), (), (WordRun("extra", "word"),))

    def test_nothing_is_lost_of_short_texts(self) -> None:
        gold, first, second = "« One, two… »", "One! Three", "two"
        marked = mark_texts(gold, first, second)
        assert ["".join(run.text for run in runs) for runs in marked] == [gold, first, second]

    def test_long_equal_stretches_are_cut_in_their_middle(self) -> None:
        text = " ".join(f"word{place}" for place in range(SHOWN_EQUAL + 5))
        runs = mark_texts(text, text, text).gold
        assert [run.kind for run in runs] == ["equal", "cut", "equal"]
        assert runs[1].text == "[5 words left out]"
        assert (runs[0].text.split()[0], runs[2].text.split()[-1]) == ("word0", f"word{SHOWN_EQUAL + 4}")

    def test_long_texts_are_cut_at_their_end(self) -> None:
        gold = " ".join(f"a{place} b{place}" for place in range(1_000))
        first = " ".join(f"a{place}" for place in range(1_000))
        runs = mark_texts(gold, first, first).gold
        assert sum(len(run.text.split()) for run in runs[:-1]) == SHOWN_WORDS
        assert runs[-1] == WordRun("cut", f"[{2_000 - SHOWN_WORDS:,} words left out]")

    def test_one_endless_word(self) -> None:
        (run,) = mark_texts("x" * 100_000, "", "").gold
        assert len(run.text) < 200

    def test_controls_and_turned_text_are_taken_out(self) -> None:
        (run,) = mark_texts("a\x1b[31m\u202eb\x00", "", "").gold
        assert run.text == "a�[31m�b�"
