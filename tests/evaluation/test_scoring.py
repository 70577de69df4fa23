"""From stored results to the rows of the summary."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from scrapy_justext.evaluation.datasets.documents import DataSet
from scrapy_justext.evaluation.datasets.names import open_data_set
from scrapy_justext.evaluation.measures import MEASURES
from scrapy_justext.evaluation.scoring import read_scores, score_run
from scrapy_justext.evaluation.store import ExtractorRecord
from tests.evaluation.builders import store_texts

FIELDS = [
    *("dataset", "extractor", "version", "measure", "precision", "recall", "f1", "precision_sd", "recall_sd", "f1_sd"),
    *("documents", "failed", "relevant_empty", "retrieved_empty", "both_empty", "mismatch", "milliseconds"),
    *("too_large", "f1_low", "f1_high"),
]

# id: page type, gold, retrieved (None: failed), seconds
DOCUMENTS: dict[str, tuple[str | None, str, str | None, float | None]] = {
    "1": ("article", "a b c d", "a b c d", 0.010), "2": ("article", "a b c d", "a b", 0.020),
    "3": ("forum", "a b", "a b c d", 0.030), "4": ("forum", "", "a", 0.040), "5": ("forum", "a", "", 0.050),
    "6": ("forum", "", "", 0.060), "7": (None, "a", "b", 0.070), "8": ("article", "a", None, 9.0),
    "9": ("article", "a", None, None),
}  # fmt: skip


def make_set(folder: Path, documents: dict[str, Any] = DOCUMENTS) -> DataSet:
    (folder / "html").mkdir(parents=True)
    rows = []
    for name, (page_type, gold, *_) in documents.items():
        (folder / "html" / f"{name}.html").write_text("<p>")
        rows.append(json.dumps({"id": name, "page_type": page_type, "main_content": gold}) + "\n")
    (folder / "gold.jsonl").write_text("".join(rows))
    return open_data_set(f"wcxb:{folder}")


def store(out: Path, data_set: DataSet, extractor: ExtractorRecord, documents: dict[str, Any] = DOCUMENTS) -> None:
    for name, (_, _, text, seconds) in documents.items():
        store_texts(out, data_set, extractor, {name: text}, seconds)


def score(out: Path, data_sets: list[DataSet], **options: Any) -> list[dict[str, Any]]:
    """The rows of the summary, as they are written."""
    return [asdict(row) for row in score_run(out, data_sets, **options)]


def by_measure(rows: list[dict[str, Any]], **wanted: str) -> dict[str, dict[str, Any]]:
    return {row["measure"]: row for row in rows if all(row[field] == value for field, value in wanted.items())}


OURS = ExtractorRecord("ours", "1.0")


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


@pytest.fixture
def data_set(tmp_path: Path) -> DataSet:
    return make_set(tmp_path / "set")


def test_summary_by_hand(out: Path, data_set: DataSet) -> None:
    store(out, data_set, OURS)
    rows = score(out, [data_set])
    assert json.loads((out / "summary.json").read_text()) == rows
    assert [list(row) for row in rows] == [FIELDS] * 5
    assert [row["measure"] for row in rows] == list(MEASURES)
    assert all((row["dataset"], row["extractor"], row["version"]) == ("set", "ours", "1.0") for row in rows)

    sequence = by_measure(rows)["sequence"]
    counts = {name: sequence[name] for name in FIELDS[10:16]}
    assert counts == {
        "documents": 9, "failed": 2, "relevant_empty": 1, "retrieved_empty": 1, "both_empty": 1, "mismatch": 1,
    }  # fmt: skip
    assert {row.ok for row in score_run(out, [data_set]) if row.measure == "sequence"} == {3}
    # Documents 1, 2 and 3 count: P 1, 1, 1/2; R 1, 1/2, 1; F1 1, 2/3, 2/3
    assert sequence["precision"] == pytest.approx(2.5 / 3)
    assert sequence["recall"] == pytest.approx(2.5 / 3)
    assert sequence["f1"] == pytest.approx((1 + 2 / 3 + 2 / 3) / 3)
    assert sequence["precision_sd"] == pytest.approx((((1 / 6) ** 2 * 2 + (1 / 3) ** 2) / 2) ** 0.5)
    assert sequence["f1_sd"] == pytest.approx((((2 / 9) ** 2 + (1 / 9) ** 2 * 2) / 2) ** 0.5)
    # 10 to 70 ms; the failed ones do not count
    assert sequence["milliseconds"] == pytest.approx(40)


def test_benchmarks_measures_count_boundary_cases_but_not_failures(out: Path, data_set: DataSet) -> None:
    store(out, data_set, OURS)
    rows = by_measure(score(out, [data_set]))
    # 1, 2/3 and 2/3 as above, 1 for both empty, 0 for the other boundary cases: of seven documents
    assert rows["bag"]["f1"] == pytest.approx((1 + 2 / 3 + 2 / 3 + 1) / 7)
    assert (rows["bag"]["both_empty"], rows["bag"]["failed"], rows["bag"]["documents"]) == (1, 2, 9)
    # Something was retrieved of five documents, and five have a gold standard; only of document 1 is it the same.
    assert rows["shingle"]["precision"] == pytest.approx(1 / 5)
    assert rows["shingle"]["recall"] == pytest.approx(1 / 5)
    assert rows["shingle"]["mismatch"] == 3


def test_page_types(out: Path, data_set: DataSet) -> None:
    store(out, data_set, OURS)
    score(out, [data_set])
    rows = json.loads((out / "page_types.json").read_text())
    assert all(list(row) == [*FIELDS, "page_type"] for row in rows)
    articles, forums = by_measure(rows, page_type="article"), by_measure(rows, page_type="forum")
    assert len(rows) == 10
    assert (articles["sequence"]["documents"], articles["sequence"]["failed"]) == (4, 2)
    assert articles["sequence"]["f1"] == pytest.approx((1 + 2 / 3) / 2)
    assert (forums["sequence"]["documents"], forums["sequence"]["f1"]) == (4, pytest.approx(2 / 3))
    assert forums["sequence"]["f1_sd"] == 0.0


def test_scores_of_documents_are_kept(out: Path, data_set: DataSet) -> None:
    store(out, data_set, OURS)
    score(out, [data_set])
    scores = read_scores(out)
    assert [document.id for document in scores if document.measure == "edit"] == list(DOCUMENTS)
    cases = ["ok", "ok", "ok", "relevant_empty", "retrieved_empty", "both_empty", "mismatch", "failed", "failed"]
    assert [document.case for document in scores if document.measure == "sequence"] == cases
    [second] = [document for document in scores if (document.measure, document.id) == ("sequence", "2")]
    assert second == ("set", "ours", "1.0", "sequence", "2", "article", 1.0, 0.5, 2 / 3, "ok", 0.02, (4, 2, 2))


@pytest.mark.usefixtures("forked_workers")
def test_processes_give_the_same(out: Path, tmp_path: Path) -> None:
    documents = {str(place): (None, f"a b c {place}", f"a c {place % 7}", 0.01) for place in range(40)}
    data_set = make_set(tmp_path / "many", documents)
    store(out, data_set, OURS, documents)
    store(out, data_set, ExtractorRecord("ref:other", "2"), documents)
    alone = score(out, [data_set])
    by_document = read_scores(out)
    assert score(out, [data_set], jobs=2) == alone
    assert read_scores(out) == by_document
    assert [row["extractor"] for row in alone] == ["ours"] * 5 + ["ref:other"] * 5


def test_only_documents_that_were_run_are_scored(out: Path, data_set: DataSet) -> None:
    store(out, data_set, OURS, {"1": DOCUMENTS["1"], "unknown": DOCUMENTS["2"]})
    assert by_measure(score(out, [data_set]))["sequence"]["documents"] == 1


def test_an_extractor_that_always_fails_has_no_figures(out: Path, data_set: DataSet) -> None:
    store(out, data_set, OURS, {"8": DOCUMENTS["8"], "9": DOCUMENTS["9"]})
    for row in score(out, [data_set]):
        assert [row[name] for name in FIELDS[4:10]] == [None] * 6
        assert (row["documents"], row["failed"], row["milliseconds"]) == (2, 2, None)


def test_rows_of_other_data_sets_stay(out: Path, tmp_path: Path, data_set: DataSet) -> None:
    other = make_set(tmp_path / "other")
    store(out, data_set, OURS)
    first = score(out, [data_set])
    store(out, other, OURS)
    assert score(out, [other])[:5] == first
    rows = score(out, [data_set, other])
    assert [row["dataset"] for row in rows] == ["set"] * 5 + ["other"] * 5


def test_other_scripts(out: Path, tmp_path: Path) -> None:
    documents = {"1": (None, "Съешь ещё булок", "ещё булок", 0.01)}
    data_set = make_set(tmp_path / "russian", documents)
    store(out, data_set, OURS, documents)
    assert by_measure(score(out, [data_set]))["sequence"]["both_empty"] == 1
    assert by_measure(score(out, [data_set], keep_non_ascii=True))["sequence"]["recall"] == pytest.approx(2 / 3)


def test_nothing_run_gives_no_rows(tmp_path: Path, data_set: DataSet) -> None:
    assert score(tmp_path, [data_set]) == []
    assert json.loads((tmp_path / "summary.json").read_text()) == []
