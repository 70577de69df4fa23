"""The command ``run``: extractors that crash and hang, runs that are stopped and go on, and what it refuses."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scrapy_justext import __version__
from scrapy_justext.evaluation.__main__ import main
from scrapy_justext.evaluation.datasets.documents import DataSet
from scrapy_justext.evaluation.datasets.names import open_data_set
from scrapy_justext.evaluation.run import DocumentTask, Plan, find_remaining, run_plan
from scrapy_justext.evaluation.store import RESULTS_FILE, Result, open_results
from scrapy_justext.exceptions import EvaluationError
from tests.builders import REPOSITORY, is_running, wait_until
from tests.evaluation.builders import (
    PAGE,
    STORY,
    Answer,
    Files,
    complain,
    make_document,
    run_command,
    serve,
    write,
    write_pairs,
    write_plugin,
)

pytestmark = pytest.mark.usefixtures("plugin", "forked_workers")


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The misbehaving extractors, here and in the processes started from here."""
    folder = str(write_plugin(tmp_path / "plugin"))
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([folder, str(REPOSITORY)]))


def do(plan: Plan) -> list[Result]:
    """Run what remains and give what was reported, in the order in which it was."""
    reported: list[Result] = []
    run_plan(plan, find_remaining(plan), reported.append)
    return reported


def open_pairs(folder: Path, pages: Mapping[str, str]) -> DataSet:
    return open_data_set(f"pairs:{write_pairs(folder, pages)}")


def make_plan(folder: Path, pages: Mapping[str, str], extractors: list[str], **options: Any) -> Plan:
    return Plan(folder / "out", [open_pairs(folder / "set", pages)], extractors, **options)


def results(plan: Plan, extractor: str, data_set: int = 0) -> dict[str, Result]:
    return open_results(plan.out, plan.data_sets[data_set].name, extractor).read()


def text(plan: Plan, extractor: str, document_id: str) -> str:
    return open_results(plan.out, plan.data_sets[0].name, extractor).read_text(document_id)


class TestResults:
    def test_each_extractor_gets_each_page(self, tmp_path: Path) -> None:
        plan = make_plan(
            tmp_path, {"a": PAGE, "b": PAGE, "c": PAGE}, ["friendly", "justext"], language="English", jobs=2
        )
        reported = do(plan)
        assert sorted(result.id for result in reported) == ["a", "a", "b", "b", "c", "c"]
        assert [text(plan, "friendly", name) for name in "abc"] == [f"friendly {name} English" for name in "abc"]
        assert text(plan, "justext", "a").startswith("It was the best of times")
        rows = results(plan, "justext")
        assert {row.status for row in rows.values()} == {"ok"}
        assert all(row.seconds is not None and row.seconds > 0 for row in rows.values())

    def test_several_data_sets(self, tmp_path: Path) -> None:
        sets = [open_pairs(tmp_path / name, dict.fromkeys("abc", PAGE)) for name in ("one", "two")]
        plan = Plan(tmp_path / "out", sets, ["friendly"])
        assert plan.total == 6
        do(plan)
        assert [sorted(results(plan, "friendly", number)) for number in (0, 1)] == [["a", "b", "c"]] * 2

    def test_warming_up_is_no_page_time(self, tmp_path: Path) -> None:
        plan = make_plan(tmp_path, {"a": PAGE}, ["slow-to-warm"])
        [row] = do(plan)
        assert row.seconds is not None
        # The extractor puts the clock on by an hour while it warms up.
        assert 0 <= row.seconds < 3600

    def test_half_a_surrogate_pair_does_not_lose_a_text(self, tmp_path: Path) -> None:
        plan = make_plan(tmp_path, {"a": "[surrogate]"}, ["hostile"])
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
        plan = make_plan(
            tmp_path,
            {"a": PAGE, "bad": page, "c": PAGE},
            ["hostile", "friendly"],
            timeout=1.0 if status == "timeout" else 60.0,
        )
        do(plan)
        rows = results(plan, "hostile")
        assert {name: row.status for name, row in rows.items()} == {"a": "ok", "bad": status, "c": "ok"}
        assert rows["bad"].error == error
        with pytest.raises(FileNotFoundError):
            text(plan, "hostile", "bad")
        assert {row.status for row in results(plan, "friendly").values()} == {"ok"}
        assert text(plan, "friendly", "bad") == "friendly bad None"

    def test_a_failed_page_has_its_time(self, tmp_path: Path) -> None:
        plan = make_plan(tmp_path, {"a": "[sleep 0.2][raise late]"}, ["hostile"])
        [row] = do(plan)
        assert row.seconds is not None
        assert row.seconds >= 0.2

    def test_an_extractor_that_dies_while_it_loads(self, tmp_path: Path) -> None:
        plan = make_plan(tmp_path, {"a": PAGE, "b": PAGE}, ["dies-in-worker", "friendly"])
        do(plan)
        errors = {row.error for row in results(plan, "dies-in-worker").values()}
        assert errors == {"loading the extractor: the process ended with exit status 4"}
        assert {row.status for row in results(plan, "friendly").values()} == {"ok"}

    def test_a_page_that_went_away(self, tmp_path: Path) -> None:
        data_set = open_pairs(tmp_path / "set", {"a": PAGE, "b": PAGE})
        (tmp_path / "set" / "input" / "a.html").unlink()
        plan = Plan(tmp_path / "out", [data_set], ["friendly", "justext"])
        do(plan)
        for extractor in plan.extractors:
            rows = results(plan, extractor)
            assert [rows[name].status for name in "ab"] == ["failed", "ok"]
            assert str(rows["a"].error).startswith("reading the page: DataSetError")

    def test_processes_that_do_not_start_or_are_not_given_the_data_set_end_the_run(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        data_set = open_pairs(tmp_path / "set", {"a": PAGE})
        monkeypatch.setattr("scrapy_justext.evaluation.run.start_extracting", _refuse)
        with pytest.raises(EvaluationError, match="does not start: the process ended with exit status 5"):
            do(Plan(tmp_path / "out", [data_set], ["friendly"]))
        data_set = replace(open_pairs(tmp_path / "set", {"a": PAGE}), load=lambda name: make_document(PAGE, name))
        with pytest.raises(EvaluationError, match="a data set cannot be given to other processes"):
            do(Plan(tmp_path / "out", [data_set], ["friendly"]))


def _refuse(*_: object) -> None:
    os._exit(5)


class TestGoingOn:
    def test_what_is_there_is_not_done_again(self, tmp_path: Path) -> None:
        note = tmp_path / "calls"
        data_set = open_pairs(tmp_path / "set", dict.fromkeys("abcd", f"[count {note}]"))
        begun = Plan(tmp_path / "out", [data_set], ["hostile"])
        run_plan(begun, find_remaining(begun)[:2], lambda _: None)
        assert note.read_text() == "xx"
        plan = Plan(tmp_path / "out", [data_set], ["hostile", "friendly"])
        remaining = find_remaining(plan)
        assert (sum(len(task.extractors) for task in remaining), plan.total) == (6, 8)
        assert remaining[0] == DocumentTask(0, "a", ("friendly",))
        assert len(do(plan)) == 6
        assert note.read_text() == "xxxx"
        assert find_remaining(plan) == []

    def test_a_torn_line_is_done_again(self, tmp_path: Path) -> None:
        plan = make_plan(tmp_path, dict.fromkeys("abc", PAGE), ["friendly"])
        do(plan)
        file = open_results(plan.out, "set", "friendly").folder / RESULTS_FILE
        whole = file.read_bytes()
        file.write_bytes(whole[:-7])
        assert [result.id for result in do(plan)] == ["c"]
        lines = file.read_bytes().splitlines(keepends=True)
        assert lines[:2] == whole.splitlines(keepends=True)[:2]
        assert len(lines) == 3
        assert sorted(results(plan, "friendly")) == ["a", "b", "c"]


def start(*arguments: str) -> subprocess.Popen[str]:
    """The command line in a process of its own."""
    command = [sys.executable, "-m", "scrapy_justext.evaluation", *arguments]
    return subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Exit status, standard output and standard error."""
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


Here = Callable[..., tuple[int, str, str]]


@pytest.fixture
def here(capfd: pytest.CaptureFixture[str]) -> Here:
    """Runs a command line in this process; what :func:`finish` gives of one in another."""
    return lambda *arguments: (main(arguments), *capfd.readouterr())


def summary(out: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads((out / "summary.json").read_text())
    return rows


def statuses(out: Path, data_set: str, extractor: str) -> dict[str, str]:
    lines = (out / "raw" / data_set / extractor / "results.jsonl").read_text().splitlines()
    assert len(lines) == len({json.loads(line)["id"] for line in lines})
    return {row["id"]: row["status"] for row in map(json.loads, lines)}


@pytest.mark.full
class TestRun:
    def test_a_whole_run(self, tmp_path: Path) -> None:
        folder = write_pairs(tmp_path / "pages", {"1": PAGE, "2": PAGE})
        out = tmp_path / "out"
        status, printed, complaints = finish(start(*run_command(folder, "justext,ttr", out)))
        assert (status, complaints) == (0, "4 of 4 results\n")
        rows = {(row["extractor"], row["measure"]): row for row in summary(out)}
        assert rows["justext", "sequence"]["version"] == __version__
        assert rows["justext", "sequence"]["documents"] == 2
        assert rows["justext", "sequence"]["recall"] == 1.0
        first, titles, *lines = printed.strip().splitlines()
        assert first == "pages, measure sequence"
        assert titles.split()[0] == "Extractor"
        assert {line.split()[0] for line in lines[:2]} == {"justext", "ttr"}
        assert lines[-1] == f"All measures: {out / 'summary.json'}"

    def test_a_missing_library_is_said_and_the_others_run(self, tmp_path: Path, here: Here) -> None:
        folder = write_pairs(tmp_path / "pages", {"1": PAGE})
        status, _, complaints = here(*run_command(folder, "missing,ttr", tmp_path / "out"))
        assert status == 0
        assert complaints.splitlines()[0] == (
            "left out: missing is not installed; to install it: pip install the-missing-library"
        )
        assert {row["extractor"] for row in summary(tmp_path / "out")} == {"ttr"}

    def test_a_service(self, tmp_path: Path) -> None:
        folder = write_pairs(tmp_path / "pages", {"1": PAGE, "2": PAGE, "3": PAGE})
        good, bad = Answer(body=json.dumps({"data": {"text": STORY}}).encode()), Answer(status=500)
        with serve(good, bad, Answer(body=b'{"data": {}}')) as service:
            name = f"{service.url}#json=data.text&retries=0"
            assert main(run_command(folder, name, tmp_path / "out")) == 0
        [store] = (tmp_path / "out" / "raw" / "pages").iterdir()
        rows = [json.loads(line) for line in (store / "results.jsonl").read_text().splitlines()]
        assert [row["error"] for row in rows] == [
            None,
            f"ExtractorError: {service.url}: status 500 Internal Server Error",
            "ExtractorError: the answer has no data.text",
        ]
        [row] = [row for row in summary(tmp_path / "out") if row["measure"] == "sequence"]
        assert (row["extractor"], row["f1"], row["documents"], row["failed"]) == (name, 1.0, 3, 2)

    def test_a_set_of_snippets(self, tmp_path: Path, here: Here) -> None:
        out = tmp_path / "out"
        golds = {
            f"https://example.org/{name}": {"file": f"{name}.html", "with": ["best of times"], "without": ["Home"]}
            for name in "ab"
        }
        pages: Files = {f"eval/{name}.html": PAGE for name in "ab"}
        folder = write(tmp_path / "snippets", {**pages, "evaldata.json": json.dumps(golds)})
        status, printed, _ = here(
            "run", "--dataset", f"trafilatura:{folder}", "--extractor", "justext,ref:html-text", "--out", str(out)
        )
        assert (status, printed.split("\n")[1]) == (0, "snippets, measure snippets")
        rows = {(row["extractor"], row["measure"]): row for row in summary(out)}
        assert {measure for _, measure in rows} == {"snippets"}
        assert [rows["justext", "snippets"][name] for name in ("precision", "recall", "f1")] == [1.0, 1.0, 1.0]
        assert rows["ref:html-text", "snippets"]["precision"] == 0.5
        assert main(["report", str(out), "--measure", "snippets"]) == 0
        assert "The gold standard of this page is snippets" in (out / "report.md").read_text()
        assert main(["tune", "--dataset", f"trafilatura:{folder}"]) == 2
        assert "has snippets, not a gold text" in here("tune", "--dataset", f"trafilatura:{folder}")[2]

    @pytest.mark.usefixtures("no_charts")
    @pytest.mark.parametrize("option", ["--without", "--dataset"])
    def test_pages_of_other_sets_are_left_out(self, tmp_path: Path, here: Here, option: str) -> None:
        test = write_pairs(tmp_path / "test", {"1": PAGE, "2": PAGE + "<p>Other", "3": "<p>Third"})
        dev = write_pairs(tmp_path / "dev", {"7": PAGE, "8": "<p>Eighth"})
        # Of two sets that are run the first has the page.
        first, second = (test, dev) if option == "--without" else (dev, test)
        out = tmp_path / "out"
        status, _, complaints = here(*run_command(first, "ttr,justext", out), option, f"pairs:{second}")
        assert status == 0
        assert complaints.splitlines()[0] == "warning: test: left out, in another set: 1 (1)"
        assert statuses(out, "test", "ttr") == {"2": "ok", "3": "ok"}
        assert main(["report", str(out)]) == 0
        assert "has changed since the run" not in (out / "report.md").read_text()
        status, _, complaints = here(*run_command(test, "ttr,justext", out))
        assert status == 2
        assert "holds results of something else: the data set test has digest" in complaints


@pytest.mark.full
class TestStopped:
    @pytest.mark.parametrize(
        ("sent", "status"),
        [
            (signal.SIGINT, 130),
            pytest.param(signal.SIGTERM, -15, marks=pytest.mark.full),
            pytest.param(signal.SIGKILL, -9, marks=pytest.mark.full),
        ],
        ids=str,
    )
    def test_a_stopped_run_goes_on(self, tmp_path: Path, here: Here, sent: signal.Signals, status: int) -> None:
        calls, child = tmp_path / "calls", tmp_path / "child"
        pages = {str(number): f"[count {calls}]" for number in range(1, 5)}
        folder = write_pairs(tmp_path / "pages", {**pages, "5": f"[child {child}]", "6": PAGE})
        out = tmp_path / "out"
        command = run_command(folder, "hostile", out)
        process = start(*command)
        wait_until(lambda: child.exists() and child.read_text() != "")
        # Results come from the processes that make them, and are written after the next page has begun.
        written = out / "raw" / "pages" / "hostile" / "results.jsonl"
        wait_until(lambda: written.exists() and written.read_text().count("\n") == len(pages))
        process.send_signal(sent)
        found, _, complaints = finish(process)
        assert found == status
        if sent is signal.SIGINT:
            assert complaints.splitlines() == ["4 of 6 results", "stopped; the same command goes on from here"]
        assert statuses(out, "pages", "hostile") == dict.fromkeys(pages, "ok")
        wait_until(lambda: not is_running(int(child.read_text())))

        found, _, complaints = here(*command, "--timeout", "1")
        assert found == 0
        assert complaints.splitlines() == ["4 of 6 results are there already", "6 of 6 results, 1 out of time"]
        assert calls.read_text() == "xxxx"
        wait_until(lambda: not is_running(int(child.read_text())))
        assert statuses(out, "pages", "hostile") == {**dict.fromkeys(pages, "ok"), "5": "timeout", "6": "ok"}

    def test_a_finished_run_is_only_scored_again(self, tmp_path: Path, here: Here) -> None:
        # What an extractor prints reaches no terminal.
        folder = write_pairs(tmp_path / "pages", {"1": "[print]", "2": "[raise no]", "3": "[exit]"})
        command = run_command(folder, "hostile", tmp_path / "out", jobs=2)
        status, printed, complaints = here(*command)
        assert (status, "printed" in printed, complaints) == (0, False, "3 of 3 results, 2 failed\n")
        before = summary(tmp_path / "out")
        assert {row["failed"] for row in before} == {2}
        (tmp_path / "out" / "summary.json").unlink()
        assert here(*command)[2] == "3 of 3 results are there already\n"
        assert summary(tmp_path / "out") == before


#: Arguments after those of a run that would be good, and what is wrong with them.
BAD = {
    "an unknown kind": (["--dataset", "pair:x"], "did you mean pairs?"),
    "no pair left": (["--dataset", "EMPTY"], "holds no page with its gold"),
    "an unknown extractor": (
        ["--extractor", "ref:justex"],
        "extractor = 'ref:justex': unknown extractor; did you mean ref:justext",
    ),
    "a bad address": (["--extractor", "http://x/#retries=x"], "must be an address"),
    "an unknown language": (["--language", "Germn"], "did you mean German"),
    **{
        f"{option} {value}": ([option, value], f"argument {option}: '{value}' must be a {kind}")
        for option, kind in (("--jobs", "whole number, 1 or more"), ("--timeout", "number of seconds, more than 0"))
        for value in ("0", "-1", "many", "inf", "1e400")
    },
}
#: Whole command lines that are bad.
BAD_COMMANDS = {
    "no command": ([], "the following arguments are required: COMMAND"),
    "an unknown command": (["runn"], "invalid choice: 'runn'"),
    "no data set": (["run", "--extractor", "ttr", "--out", "OUT"], "required: --dataset"),
    "no extractor": (["run", "--dataset", "PAIRS", "--out", "OUT"], "required: --extractor"),
    "an empty name": (["run", "--dataset", "PAIRS", "--extractor", ",", "--out", "OUT"], "must be at least one name"),
    "no extractor is left": (
        ["run", "--dataset", "PAIRS", "--extractor", "missing,unloadable", "--out", "OUT"],
        "no extractor is left",
    ),
    **{
        name: (["run", "--dataset", "PAIRS", "--extractor", "ttr", "--out", "OUT", *more], message)
        for name, (more, message) in BAD.items()
    },
}


@pytest.mark.full
class TestBadInput:
    @pytest.mark.parametrize(("arguments", "message"), BAD_COMMANDS.values(), ids=BAD_COMMANDS)
    def test_a_line_and_status_2_and_nothing_written(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
    ) -> None:
        good, empty = write_pairs(tmp_path / "pages", {"1": PAGE}), write_pairs(tmp_path / "empty", {})
        out = tmp_path / "out"
        names = {"OUT": str(out), "PAIRS": f"pairs:{good}", "EMPTY": f"pairs:{empty}"}
        *lines, line = complain(capsys, *(names.get(argument, argument) for argument in arguments))
        assert message in line
        assert all(line.startswith("left out: ") for line in lines)
        assert not out.exists()

    def test_two_data_sets_of_one_name(self, tmp_path: Path, here: Here) -> None:
        sets = [f"pairs:{write_pairs(tmp_path / above / 'pages', {'1': PAGE + above})}" for above in "ab"]
        status, _, complaints = here("run", "--dataset", *sets, "--extractor", "ttr", "--out", str(tmp_path / "out"))
        assert (status, "is the name of two folders" in complaints) == (2, True)
        assert not (tmp_path / "out").exists()

    def test_pages_left_out_are_named(self, tmp_path: Path, here: Here) -> None:
        folder = write_pairs(tmp_path / "pages", {"1": PAGE})
        write(folder, {f"input/stray{number}.html": PAGE for number in range(8)})
        status, _, complaints = here(*run_command(folder, "ttr", tmp_path / "out"))
        assert status == 0
        assert re.match(r"warning: pages: left out, no gold: 8 \(.* and 3 more\)\n", complaints)
