"""Extractors that crash and hang in real processes, and runs that are stopped and go on."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from scrapy_justext.evaluation.run import DocumentTask, Plan, find_remaining, run_plan
from scrapy_justext.evaluation.store import RESULTS_FILE, Result, open_results
from scrapy_justext.exceptions import RunningError
from tests.evaluation.sets import PAGE, make_data_set, make_document, write_plugin

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_justext.evaluation.datasets.documents import DataSet

pytestmark = pytest.mark.usefixtures("_plugin", "forked_workers")


@pytest.fixture
def _plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(write_plugin(tmp_path / "plugin")))


def do(plan: Plan) -> list[Result]:
    """Run what remains and give what was reported, in the order in which it was."""
    reported: list[Result] = []
    run_plan(plan, find_remaining(plan), reported.append)
    return reported


def results(plan: Plan, extractor: str, data_set: DataSet) -> dict[str, Result]:
    return open_results(plan.out, data_set.name, extractor).read()


def text(plan: Plan, extractor: str, document_id: str) -> str:
    return open_results(plan.out, plan.data_sets[0].name, extractor).read_text(document_id)


def is_running(process: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_until(condition: Callable[[], bool], seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


class TestResults:
    def test_each_extractor_gets_each_page(self, tmp_path: Path) -> None:
        data_set = make_data_set(tmp_path / "set", {"a": PAGE, "b": PAGE, "c": PAGE})
        plan = Plan(tmp_path / "out", [data_set], ["friendly", "justext"], language="English", jobs=2)
        reported = do(plan)
        assert sorted(result.id for result in reported) == ["a", "a", "b", "b", "c", "c"]
        assert [text(plan, "friendly", name) for name in "abc"] == [f"friendly {name} English" for name in "abc"]
        assert text(plan, "justext", "a").startswith("It was the best of times")
        rows = results(plan, "justext", data_set)
        assert {row.status for row in rows.values()} == {"ok"}
        assert all(row.seconds is not None and row.seconds > 0 for row in rows.values())

    def test_several_data_sets_and_a_limit(self, tmp_path: Path) -> None:
        sets = [make_data_set(tmp_path / name, dict.fromkeys("abc", PAGE)) for name in ("one", "two")]
        plan = Plan(tmp_path / "out", sets, ["friendly"], limit=2)
        assert plan.total == 4
        do(plan)
        assert [sorted(results(plan, "friendly", one)) for one in sets] == [["a", "b"], ["a", "b"]]

    def test_nothing_to_do(self, tmp_path: Path) -> None:
        plan = Plan(tmp_path / "out", [make_data_set(tmp_path / "set", {"a": PAGE})], ["friendly"])
        assert len(do(plan)) == 1
        assert do(plan) == []

    def test_warming_up_is_no_page_time(self, tmp_path: Path) -> None:
        data_set = make_data_set(tmp_path / "set", {"a": PAGE})
        plan = Plan(tmp_path / "out", [data_set], ["slow-to-warm"])
        [row] = do(plan)
        assert row.seconds is not None
        # The extractor puts the clock on by an hour while it warms up.
        assert 0 <= row.seconds < 3600

    def test_half_a_surrogate_pair_does_not_lose_a_text(self, tmp_path: Path) -> None:
        plan = Plan(tmp_path / "out", [make_data_set(tmp_path / "set", {"a": "[surrogate]"})], ["hostile"])
        assert [row.status for row in do(plan)] == ["ok"]
        assert text(plan, "hostile", "a") == "half ?"


FAILURES = {
    "raises": ("[raise no title]", "failed", "ValueError: no title"),
    "raises without a word": ("[wrap no title]", "failed", "RuntimeError: ValueError: no title"),
    "runs out of memory": ("[memory]", "failed", "MemoryError: "),
    "calls sys.exit": ("[quit]", "failed", "SystemExit: 1"),
    "raises KeyboardInterrupt": ("[interrupt]", "failed", "KeyboardInterrupt: "),
    "gives no text": ("[number]", "failed", "the extractor gave int, not str"),
    "ends its process": ("[exit]", "failed", "the process ended with exit status 3"),
    "segfaults": ("[segfault]", "failed", "the process was killed by signal 11 (SIGSEGV)"),
    "hangs": ("[hang]", "timeout", "not finished in 1 s"),
}


class TestFailures:
    @pytest.mark.full
    @pytest.mark.parametrize(("page", "status", "error"), FAILURES.values(), ids=FAILURES)
    def test_a_failure_is_a_row_and_the_run_goes_on(self, tmp_path: Path, page: str, status: str, error: str) -> None:
        data_set = make_data_set(tmp_path / "set", {"a": PAGE, "bad": page, "c": PAGE})
        plan = Plan(tmp_path / "out", [data_set], ["hostile", "friendly"], timeout=1.0 if status == "timeout" else 60.0)
        do(plan)
        rows = results(plan, "hostile", data_set)
        assert {name: row.status for name, row in rows.items()} == {"a": "ok", "bad": status, "c": "ok"}
        assert rows["bad"].error == error
        with pytest.raises(FileNotFoundError):
            text(plan, "hostile", "bad")
        assert {row.status for row in results(plan, "friendly", data_set).values()} == {"ok"}
        assert text(plan, "friendly", "bad") == "friendly bad None"

    def test_many_failures_in_several_processes(self, tmp_path: Path) -> None:
        pages = {str(number): "[exit]" if number % 3 == 0 else PAGE for number in range(12)}
        data_set = make_data_set(tmp_path / "set", pages)
        plan = Plan(tmp_path / "out", [data_set], ["friendly", "hostile"], jobs=3)
        assert len(do(plan)) == 24
        failed = {name for name, row in results(plan, "hostile", data_set).items() if row.status == "failed"}
        assert failed == {"0", "3", "6", "9"}

    def test_a_failed_page_has_its_time(self, tmp_path: Path) -> None:
        plan = Plan(tmp_path / "out", [make_data_set(tmp_path / "set", {"a": "[sleep 0.2][raise late]"})], ["hostile"])
        [row] = do(plan)
        assert row.seconds is not None
        assert row.seconds >= 0.2

    def test_an_extractor_that_dies_while_it_loads(self, tmp_path: Path) -> None:
        data_set = make_data_set(tmp_path / "set", {"a": PAGE, "b": PAGE})
        plan = Plan(tmp_path / "out", [data_set], ["dies-in-worker", "friendly"])
        do(plan)
        errors = {row.error for row in results(plan, "dies-in-worker", data_set).values()}
        assert errors == {"loading the extractor: the process ended with exit status 4"}
        assert {row.status for row in results(plan, "friendly", data_set).values()} == {"ok"}

    def test_a_page_that_went_away(self, tmp_path: Path) -> None:
        data_set = make_data_set(tmp_path / "set", {"a": PAGE, "b": PAGE})
        (tmp_path / "set" / "a.html").unlink()
        plan = Plan(tmp_path / "out", [data_set], ["friendly", "justext"])
        do(plan)
        for extractor in plan.extractors:
            rows = results(plan, extractor, data_set)
            assert [rows[name].status for name in "ab"] == ["failed", "ok"]
            assert str(rows["a"].error).startswith("reading the page: FileNotFoundError")

    def test_processes_that_do_not_start_end_the_run(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        data_set = make_data_set(tmp_path / "set", {"a": PAGE})
        monkeypatch.setattr("scrapy_justext.evaluation.run.start_extracting", _refuse)
        with pytest.raises(RunningError, match="does not start: the process ended with exit status 5"):
            do(Plan(tmp_path / "out", [data_set], ["friendly"]))

    def test_a_data_set_that_cannot_be_sent(self, tmp_path: Path) -> None:
        data_set = replace(make_data_set(tmp_path / "set", {"a": PAGE}), load=lambda name: make_document(PAGE, name))
        with pytest.raises(RunningError, match="the data set set cannot be given to other processes"):
            do(Plan(tmp_path / "out", [data_set], ["friendly"]))

    def test_what_an_extractor_started_ends_with_it(self, tmp_path: Path) -> None:
        note = tmp_path / "child"
        data_set = make_data_set(tmp_path / "set", {"a": f"[child {note}]"})
        assert [row.status for row in do(Plan(tmp_path / "out", [data_set], ["hostile"], timeout=2.0))] == ["timeout"]
        child = int(note.read_text())
        wait_until(lambda: not is_running(child))

    def test_nothing_reaches_the_terminal(self, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
        plan = Plan(tmp_path / "out", [make_data_set(tmp_path / "set", {"a": "[print]"})], ["hostile"])
        assert [row.status for row in do(plan)] == ["ok"]
        assert capfd.readouterr() == ("", "")


def _refuse(*_: object) -> None:
    os._exit(5)


class TestGoingOn:
    def test_what_is_there_is_not_done_again(self, tmp_path: Path) -> None:
        note = tmp_path / "calls"
        data_set = make_data_set(tmp_path / "set", dict.fromkeys("abcd", f"[count {note}]"))
        do(Plan(tmp_path / "out", [data_set], ["hostile"], limit=2))
        assert note.read_text() == "xx"
        plan = Plan(tmp_path / "out", [data_set], ["hostile", "friendly"])
        remaining = find_remaining(plan)
        assert (sum(len(task.extractors) for task in remaining), plan.total) == (6, 8)
        assert remaining[0] == DocumentTask(0, "a", ("friendly",))
        assert len(do(plan)) == 6
        assert note.read_text() == "xxxx"

    def test_a_failure_counts_as_done(self, tmp_path: Path) -> None:
        plan = Plan(tmp_path / "out", [make_data_set(tmp_path / "set", {"a": "[raise]"})], ["hostile"])
        assert [row.status for row in do(plan)] == ["failed"]
        assert find_remaining(plan) == []

    def test_a_torn_line_is_done_again(self, tmp_path: Path) -> None:
        data_set = make_data_set(tmp_path / "set", dict.fromkeys("abc", PAGE))
        plan = Plan(tmp_path / "out", [data_set], ["friendly"])
        do(plan)
        file = open_results(plan.out, data_set.name, "friendly").folder / RESULTS_FILE
        whole = file.read_bytes()
        file.write_bytes(whole[:-7])
        assert [result.id for result in do(plan)] == ["c"]
        lines = file.read_bytes().splitlines(keepends=True)
        assert lines[:2] == whole.splitlines(keepends=True)[:2]
        assert len(lines) == 3
        assert sorted(results(plan, "friendly", data_set)) == ["a", "b", "c"]

    def test_an_interrupt_leaves_no_process_and_every_result(self, tmp_path: Path) -> None:
        data_set = make_data_set(tmp_path / "set", {"c": f"[child {tmp_path / 'child'}]", "a": PAGE, "b": PAGE})
        plan = Plan(tmp_path / "out", [data_set], ["hostile"], jobs=2)

        def interrupt(result: Result) -> None:
            if result.id == "b":
                wait_until((tmp_path / "child").exists)
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            run_plan(plan, find_remaining(plan), interrupt)
        assert sorted(results(plan, "hostile", data_set)) == ["a", "b"]
        child = int((tmp_path / "child").read_text() or 0)
        wait_until(lambda: not is_running(child))
