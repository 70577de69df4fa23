"""The command ``run``, in processes of its own, stopped in every way and started again; and what it refuses."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from scrapy_justext import __version__
from scrapy_justext.evaluation.__main__ import main
from tests.builders import REPOSITORY
from tests.evaluation.service import Answer, serve
from tests.evaluation.sets import PAGE, STORY, write_pairs, write_plugin
from tests.evaluation.test_processes import is_running, wait_until

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.usefixtures("forked_workers"), pytest.mark.full]


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The misbehaving extractors, here and in the processes started from here."""
    folder = str(write_plugin(tmp_path / "plugin"))
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([folder, str(REPOSITORY)]))
    return folder


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


class TestRun:
    def test_a_whole_run(self, tmp_path: Path) -> None:
        folder = write_pairs(tmp_path / "pages", {"1": PAGE, "2": PAGE})
        out = tmp_path / "out"
        status, printed, complaints = finish(
            start("run", "--dataset", f"pairs:{folder}", "--extractor", "justext,ttr", "--out", str(out), "--jobs", "1")
        )
        assert (status, complaints) == (0, "4 of 4 results\n")
        rows = {(row["extractor"], row["measure"]): row for row in summary(out)}
        assert rows["justext", "sequence"]["version"] == __version__
        assert rows["justext", "sequence"]["documents"] == 2
        assert rows["justext", "sequence"]["recall"] == 1.0
        first, titles, *lines = printed.strip().splitlines()
        assert first == "pages, measure sequence"
        assert titles.split()[0] == "extractor"
        assert {line.split()[0] for line in lines[:2]} == {"justext", "ttr"}
        assert lines[-1] == f"All measures: {out / 'summary.json'}"

    def test_crashes_and_hangs_are_rows(self, tmp_path: Path, plugin: str, here: Here) -> None:
        pages = {"a": PAGE, "b": "[segfault]", "c": "[hang]", "d": "[exit]", "e": "[raise no]", "f": "[print]"}
        folder = write_pairs(tmp_path / "pages", pages)
        out = tmp_path / "out"
        names = ["--extractor", "hostile", "friendly,justext", "--timeout", "1.5", "--language", "English"]
        status, _, complaints = here("run", "--dataset", f"pairs:{folder}", *names, "--out", str(out), "--jobs", "2")
        assert (status, complaints) == (0, "18 of 18 results, 3 failed, 1 out of time\n")
        assert statuses(out, "pages", "hostile") == {
            "a": "ok", "b": "failed", "c": "timeout", "d": "failed", "e": "failed", "f": "ok",
        }  # fmt: skip
        rows = {(row["extractor"], row["measure"]): row for row in summary(out)}
        assert rows["hostile", "sequence"]["failed"] == 4
        assert rows["friendly", "sequence"]["failed"] == 0

    def test_a_missing_library_is_said_and_the_others_run(self, tmp_path: Path, plugin: str, here: Here) -> None:
        folder = write_pairs(tmp_path / "pages", {"1": PAGE})
        status, _, complaints = here(
            "run", "--dataset", f"pairs:{folder}", "--extractor", "missing,ttr", "--out", str(tmp_path / "out")
        )
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
            command = ["run", "--dataset", f"pairs:{folder}", "--extractor", name, "--out", str(tmp_path / "out")]
            assert main([*command, "--jobs", "1"]) == 0
        [store] = (tmp_path / "out" / "raw" / "pages").iterdir()
        rows = [json.loads(line) for line in (store / "results.jsonl").read_text().splitlines()]
        assert [row["error"] for row in rows] == [
            None,
            f"ExtractorError: {service.url}: status 500 Internal Server Error",
            "ExtractorError: the answer has no data.text",
        ]
        [row] = [row for row in summary(tmp_path / "out") if row["measure"] == "sequence"]
        assert (row["extractor"], row["f1"], row["documents"], row["failed"]) == (name, 1.0, 3, 2)

    def test_several_data_sets_in_turn_into_one_folder(self, tmp_path: Path) -> None:
        folders = [write_pairs(tmp_path / name, {"1": f"{PAGE}<p>{name}"}) for name in ("one", "two")]
        out = str(tmp_path / "out")
        for more in ([folders[0]], folders):
            sets = [f"pairs:{folder}" for folder in more]
            assert main(["run", "--dataset", *sets, "--extractor", "ttr", "--out", out, "--jobs", "1"]) == 0
        assert {row["dataset"] for row in summary(tmp_path / "out")} == {"one", "two"}

    @pytest.mark.full
    def test_a_set_of_snippets(self, tmp_path: Path, here: Here) -> None:
        folder, out = tmp_path / "snippets", tmp_path / "out"
        (folder / "eval").mkdir(parents=True)
        golds = {}
        for name in "ab":
            (folder / "eval" / f"{name}.html").write_text(PAGE)
            golds[f"https://example.org/{name}"] = {
                "file": f"{name}.html",
                "with": ["best of times"],
                "without": ["Home"],
            }
        (folder / "evaldata.json").write_text(json.dumps(golds))
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

    @pytest.mark.full
    def test_pages_of_other_sets_are_left_out(self, tmp_path: Path, here: Here) -> None:
        test = write_pairs(tmp_path / "test", {"1": PAGE, "2": PAGE + "<p>Other", "3": "<p>Third"})
        dev = write_pairs(tmp_path / "dev", {"7": PAGE})
        out = tmp_path / "out"
        command = ["run", "--dataset", f"pairs:{test}", "--extractor", "ttr,justext", "--out", str(out)]
        status, _, complaints = here(*command, "--without", f"pairs:{dev}")
        assert status == 0
        assert complaints.splitlines()[0] == "warning: test: left out, in another set: 1 (1)"
        assert statuses(out, "test", "ttr") == {"2": "ok", "3": "ok"}
        assert main(["report", str(out)]) == 0
        assert "has changed since the run" not in (out / "report.md").read_text()
        status, _, complaints = here(*command)
        assert status == 2
        assert "holds results of something else: the data set test has digest" in complaints

    @pytest.mark.full
    def test_of_pages_that_two_sets_have_the_first_has_them(self, tmp_path: Path, here: Here) -> None:
        first = write_pairs(tmp_path / "first", {"1": PAGE, "2": PAGE + "<p>Other"})
        second = write_pairs(tmp_path / "second", {"1": PAGE, "3": "<p>Third"})
        out = tmp_path / "out"
        status, _, complaints = here(
            "run", "--dataset", f"pairs:{first}", f"pairs:{second}", "--extractor", "ttr", "--out", str(out)
        )
        assert status == 0
        assert complaints.splitlines()[0] == "warning: second: left out, in another set: 1 (1)"
        assert statuses(out, "first", "ttr") == {"1": "ok", "2": "ok"}
        assert statuses(out, "second", "ttr") == {"3": "ok"}
        assert main(["report", str(out)]) == 0
        assert "has changed since the run" not in (out / "report.md").read_text()


class TestGoingOn:
    @pytest.mark.parametrize(
        ("sent", "status"),
        [
            (signal.SIGINT, 130),
            pytest.param(signal.SIGTERM, 143, marks=pytest.mark.full),
            pytest.param(signal.SIGKILL, -9, marks=pytest.mark.full),
        ],
        ids=str,
    )
    def test_a_stopped_run_goes_on(
        self, tmp_path: Path, plugin: str, here: Here, sent: signal.Signals, status: int
    ) -> None:
        calls, child = tmp_path / "calls", tmp_path / "child"
        pages = {str(number): f"[count {calls}]" for number in range(1, 5)}
        folder = write_pairs(tmp_path / "pages", {**pages, "5": f"[child {child}]", "6": PAGE})
        out = tmp_path / "out"
        command = ["run", "--dataset", f"pairs:{folder}", "--extractor", "hostile", "--out", str(out), "--jobs", "1"]
        process = start(*command)
        wait_until(lambda: child.exists() and child.read_text() != "")
        process.send_signal(sent)
        found, _, complaints = finish(process)
        assert found == status
        if sent is not signal.SIGKILL:
            assert complaints.splitlines() == ["4 of 6 results", "stopped; the same command goes on from here"]
        assert statuses(out, "pages", "hostile") == dict.fromkeys(pages, "ok")
        wait_until(lambda: not is_running(int(child.read_text())))

        found, _, complaints = here(*command, "--timeout", "1")
        assert found == 0
        assert complaints.splitlines() == ["4 of 6 results are there already", "6 of 6 results, 1 out of time"]
        assert calls.read_text() == "xxxx"
        assert statuses(out, "pages", "hostile") == {**dict.fromkeys(pages, "ok"), "5": "timeout", "6": "ok"}

    def test_a_finished_run_is_only_scored_again(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        folder = write_pairs(tmp_path / "pages", {"1": PAGE})
        command = ["run", "--dataset", f"pairs:{folder}", "--extractor", "ttr", "--out", str(tmp_path / "out")]
        assert main(command) == 0
        before = summary(tmp_path / "out")
        (tmp_path / "out" / "summary.json").unlink()
        capsys.readouterr()
        assert main(command) == 0
        assert capsys.readouterr().err == "1 of 1 results are there already\n"
        assert summary(tmp_path / "out") == before


BAD = {
    "no command": ([], "the following arguments are required: COMMAND"),
    "an unknown command": (["runn"], "invalid choice: 'runn'"),
    "no data set": (["run", "--extractor", "ttr", "--out", "OUT"], "required: --dataset"),
    "no extractor": (["run", "--dataset", "PAIRS", "--out", "OUT"], "required: --extractor"),
    "an unknown kind": (["run", "--dataset", "pair:x", "--extractor", "ttr", "--out", "OUT"], "did you mean pairs?"),
    "a path without kind": (["run", "--dataset", "x", "--extractor", "ttr", "--out", "OUT"], "KIND:PATH"),
    "a missing folder": (["run", "--dataset", "pairs:/nowhere", "--extractor", "ttr", "--out", "OUT"], "/nowhere"),
    "no pair left": (
        ["run", "--dataset", "EMPTY", "--extractor", "ttr", "--out", "OUT"],
        "holds no page with its gold",
    ),
    "an unknown extractor": (
        ["run", "--dataset", "PAIRS", "--extractor", "ttr,ref:justex", "--out", "OUT"],
        "extractor = 'ref:justex': unknown extractor; did you mean ref:justext",
    ),
    "an empty name": (["run", "--dataset", "PAIRS", "--extractor", ",", "--out", "OUT"], "must be at least one name"),
    "a bad address": (
        ["run", "--dataset", "PAIRS", "--extractor", "http://x/#retries=x", "--out", "OUT"],
        "must be an address",
    ),
    "no extractor is left": (
        ["run", "--dataset", "PAIRS", "--extractor", "missing,unloadable", "--out", "OUT"],
        "no extractor is left",
    ),
    "an unknown language": (
        ["run", "--dataset", "PAIRS", "--extractor", "ttr", "--out", "OUT", "--language", "Germn"],
        "did you mean German",
    ),
    **{
        f"{option} {value}": (
            ["run", "--dataset", "PAIRS", "--extractor", "ttr", "--out", "OUT", option, value],
            f"argument {option}: '{value}' must be a {kind}",
        )
        for option, kind in (
            ("--jobs", "whole number, 1 or more"),
            ("--limit", "whole number, 1 or more"),
            ("--timeout", "number of seconds, more than 0"),
        )
        for value in ("0", "-1", "many", "inf", "1e400")
    },
}


class TestBadInput:
    @pytest.mark.parametrize(("arguments", "message"), BAD.values(), ids=BAD)
    def test_a_line_and_status_2_and_nothing_written(
        self, tmp_path: Path, plugin: str, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
    ) -> None:
        good, empty = write_pairs(tmp_path / "pages", {"1": PAGE}), write_pairs(tmp_path / "empty", {})
        out = tmp_path / "out"
        names = {"OUT": str(out), "PAIRS": f"pairs:{good}", "EMPTY": f"pairs:{empty}"}
        try:
            status: Any = main([names.get(one, one) for one in arguments])
        except SystemExit as ended:
            status = ended.code
        lines = capsys.readouterr().err.splitlines()
        assert status == 2
        assert message in lines[-1]
        assert [line for line in lines[:-1] if not line.startswith("left out: ")] == []
        assert not out.exists()

    def test_two_data_sets_of_one_name(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        sets = [f"pairs:{write_pairs(tmp_path / above / 'pages', {'1': PAGE + above})}" for above in "ab"]
        assert main(["run", "--dataset", *sets, "--extractor", "ttr", "--out", str(tmp_path / "out")]) == 2
        assert "is the name of two folders" in capsys.readouterr().err
        assert not (tmp_path / "out").exists()

    @pytest.mark.parametrize(
        ("change", "message"),
        [("pages", "the data set pages has digest"), ("version", "ttr is of version"), ("language", "the language is")],
    )
    def test_results_of_something_else_are_not_added_to(
        self,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
        change: str,
        message: str,
    ) -> None:
        folder = write_pairs(tmp_path / "pages", {"1": PAGE})
        out = tmp_path / "out"
        command = ["run", "--dataset", f"pairs:{folder}", "--extractor", "ttr", "--out", str(out), "--jobs", "1"]
        assert main(command) == 0
        before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
        if change == "pages":
            write_pairs(folder, {"1": PAGE + "more"})
        elif change == "version":
            monkeypatch.setattr("scrapy_justext.core.__version__", "99")
        else:
            command += ["--language", "German"]
        capsys.readouterr()
        assert main(command) == 2
        [line] = capsys.readouterr().err.splitlines()
        assert message in line
        assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before

    def test_pages_left_out_are_named(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        folder = write_pairs(tmp_path / "pages", {"1": PAGE})
        for number in range(8):
            (folder / "input" / f"stray{number}.html").write_text(PAGE)
        command = ["run", "--dataset", f"pairs:{folder}", "--extractor", "ttr", "--out", str(tmp_path / "out")]
        assert main(command) == 0
        first = capsys.readouterr().err.splitlines()[0]
        assert first.startswith("warning: pages: left out, no gold: 8 (")
        assert first.endswith(" and 3 more)")


def test_help_names_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    assert "run" in capsys.readouterr().out
