"""What a run leaves on disk, and when it refuses to add to it."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_justext.evaluation.store import (
    RESULTS_FILE,
    DataSetRecord,
    ExtractorRecord,
    Result,
    ResultStore,
    Run,
    open_results,
    read_run,
    safe_name,
    start_run,
)
from scrapy_justext.exceptions import StoreError

SET = DataSetRecord("pairs", "/pages", "pages", "ab" * 32)
JUSTEXT = ExtractorRecord("justext", "1.0")
RUN = Run((SET,), (JUSTEXT,), "English")


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class TestResults:
    @pytest.fixture
    def store(self, tmp_path: Path) -> ResultStore:
        return open_results(tmp_path / "out", "set", "ref:justext")

    def test_where_they_lie(self, store: ResultStore, tmp_path: Path) -> None:
        store.append(Result("17", "ok", 0.25, None), "Grüße\r\nzwei\n")
        folder = tmp_path / "out" / "raw" / "set" / "ref%3Ajustext"
        assert (folder / "17.txt").read_bytes() == "Grüße\r\nzwei\n".encode()
        [line] = (folder / "results.jsonl").read_text().splitlines()
        assert json.loads(line) == {"id": "17", "status": "ok", "seconds": 0.25, "error": None}

    def test_what_is_written_is_read(self, store: ResultStore) -> None:
        failed, late = Result("b/ü", "failed", None, "line\nbreak ü"), Result("c", "timeout", 2, "")
        rows = [Result("a", "ok", 1.5, None), failed, late]
        for row in rows:
            store.append(row, "x\r" if row.status == "ok" else None)
        assert store.read() == {row.id: row for row in rows}
        assert store.read_text("a") == "x\r"
        with pytest.raises(FileNotFoundError):
            store.read_text("b/ü")

    def test_nothing_yet(self, store: ResultStore) -> None:
        assert store.read() == {}
        store.mend()
        assert not store.folder.exists()

    def test_of_two_lines_the_last_counts(self, store: ResultStore) -> None:
        store.append(Result("a", "failed", None, "no"), None)
        store.append(Result("a", "ok", 1.0, None), "")
        assert store.read()["a"].status == "ok"

    @pytest.mark.parametrize("lost", range(1, 60, 7))
    def test_a_torn_line_is_no_result(self, store: ResultStore, lost: int) -> None:
        store.append(Result("a", "ok", 1.0, None), "a")
        store.append(Result("b", "ok", 1.0, None), "b")
        path = store.folder / RESULTS_FILE
        whole = path.read_bytes()
        path.write_bytes(whole[:-lost])
        assert list(store.read()) == ["a"]
        store.mend()
        assert path.read_bytes() == whole[: whole.index(b"\n") + 1]
        store.append(Result("b", "ok", 1.0, None), "b")
        assert path.read_bytes() == whole

    @pytest.mark.parametrize(
        "line",
        ["", "[]", "17", "{}", '{"id": 1, "status": "ok", "seconds": 1, "error": null}', "\x00\x00",
         '{"id": "x", "status": "fine", "seconds": 1, "error": null}'],
    )  # fmt: skip
    def test_a_line_of_something_else_is_no_result(self, store: ResultStore, line: str) -> None:
        store.append(Result("a", "ok", 1.0, None), "a")
        with (store.folder / RESULTS_FILE).open("a") as stream:
            stream.write(line + "\n")
        store.append(Result("b", "ok", 1.0, None), "b")
        assert list(store.read()) == ["a", "b"]


class TestNames:
    @given(st.text(), st.text())
    def test_different_names_stay_different_and_safe(self, first: str, second: str) -> None:
        safe = safe_name(first)
        assert (safe == safe_name(second)) is (first == second)
        assert not set(safe) & set('/\\:*?"<>|\0\n')
        assert not safe.startswith(".")
        assert len(safe.encode()) < 240

    def test_long_names_that_end_differently(self) -> None:
        first, second = (safe_name("x" * 500 + end) for end in "ab")
        assert first != second
        assert len(first) == len(second) < 240


REFUSED = {
    "another digest": (Run((replace(SET, digest="ef"),), (), "English"), "pages has digest ef, not abababab"),
    "another version": (Run((), (ExtractorRecord("justext", "2"),), "English"), "justext is of version 2, not 1.0"),
    "code where none was noted": (
        Run((), (ExtractorRecord("justext", "1.0", "abc"),), "English"),
        r"justext is of version 1\.0 \(abc\), not 1\.0;",
    ),
    "another language": (Run((), (), None), "the language is None, not English"),
}


class TestStarting:
    def test_the_record(self, tmp_path: Path) -> None:
        out = tmp_path / "deep" / "out"
        assert read_run(out) is None
        assert start_run(out, RUN) == start_run(out, RUN) == read_run(out) == RUN
        assert json.loads((out / "run.json").read_text()) == {
            "data_sets": [{"kind": "pairs", "path": "/pages", "name": "pages", "digest": "ab" * 32, "without": []}],
            "extractors": [{"name": "justext", "version": "1.0", "code": None}], "language": "English",
        }  # fmt: skip
        assert [path.name for path in out.iterdir()] == ["run.json"]

    def test_the_record_of_sets_that_were_left_out(self, tmp_path: Path) -> None:
        run = replace(RUN, data_sets=(replace(SET, without=("wcxb:dev",)),))
        assert start_run(tmp_path, run) == read_run(tmp_path) == run

    def test_a_record_of_before_there_were_sets_left_out_and_digests_of_code(self, tmp_path: Path) -> None:
        start_run(tmp_path, RUN)
        written = json.loads((tmp_path / "run.json").read_text())
        del written["data_sets"][0]["without"], written["extractors"][0]["code"]
        (tmp_path / "run.json").write_text(json.dumps(written))
        assert read_run(tmp_path) == RUN

    def test_more_is_added(self, tmp_path: Path) -> None:
        start_run(tmp_path, RUN)
        other = DataSetRecord("wcxb", "/w", "w", "cd")
        ttr = ExtractorRecord("ttr", "1")
        start_run(tmp_path, Run((other,), (ttr,), "English"))
        assert read_run(tmp_path) == Run((SET, other), (JUSTEXT, ttr), "English")

    def test_a_data_set_may_move(self, tmp_path: Path) -> None:
        start_run(tmp_path, RUN)
        moved = Run((replace(SET, path="/new"),), (JUSTEXT,), "English")
        assert start_run(tmp_path, moved) == moved

    @pytest.mark.parametrize(("run", "message"), REFUSED.values(), ids=REFUSED)
    def test_other_conditions_are_refused(self, tmp_path: Path, run: Run, message: str) -> None:
        start_run(tmp_path, RUN)
        before = snapshot(tmp_path)
        with pytest.raises(StoreError, match=message):
            start_run(tmp_path, run)
        assert snapshot(tmp_path) == before

    def test_edited_code_of_the_same_version_is_refused(self, tmp_path: Path) -> None:
        first, second = (Run((SET,), (replace(JUSTEXT, code=code),), "English") for code in ("abc", "def"))
        start_run(tmp_path, first)
        with pytest.raises(StoreError, match=r"justext is of version 1\.0 \(def\), not 1\.0 \(abc\)"):
            start_run(tmp_path, second)

    def test_a_folder_of_something_else_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "thesis.tex").write_text("mine")
        with pytest.raises(StoreError, match=r"holds no run, but other files, such as thesis\.tex"):
            start_run(tmp_path, RUN)
        assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]

    def test_a_file_is_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "file"
        path.write_text("mine")
        with pytest.raises(StoreError):
            start_run(path, RUN)
        assert path.read_text() == "mine"

    @pytest.mark.parametrize(
        "content", ["", "[]", "{}", '{"data_sets": [1], "extractors": [], "language": null}', "\udcff"]
    )
    def test_a_record_that_is_none_is_refused(self, tmp_path: Path, content: str) -> None:
        (tmp_path / "run.json").write_bytes(content.encode("utf-8", "surrogateescape"))
        before = snapshot(tmp_path)
        with pytest.raises(StoreError, match=r"run\.json is not the record of a run"):
            start_run(tmp_path, RUN)
        assert snapshot(tmp_path) == before
