"""The command from outside: its messages, its exit status, and what is left when it is ended."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from scrapy_justext.files import locked
from tests.archives.making import common_crawl, packed, page, url
from tests.archives.running import command, environment, start

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PAGES = 400
INTERRUPTED = "justext-archive: interrupted; run the same again to go on\n"


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("archive") / "a.warc.gz"
    path.write_bytes(packed(common_crawl(PAGES)))
    return path


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_it_says_what_it_did(tmp_path: Path) -> None:
    (tmp_path / "a.warc").write_bytes(b"".join(common_crawl(3))[:-700])
    done = command(tmp_path, "a.warc", "-o", "out.jsonl", "--summary", "summary.json", "-s", "JUSTEXT_LANGUAGE=en")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("        3  records read\n        2  rows written\n        2  pages cleaned\n")
    assert "\nNot cleaned because\n        1  truncated\n\nLanguages\n        2  English\n" in done.stdout
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert summary["counts"]["rows"] == 2
    [trouble] = summary["troubles"]
    assert (trouble["file"], trouble["what"]) == ("a.warc", "truncated")
    assert f"a.warc, {trouble['offset']}: truncated\n" in done.stderr
    assert [row["url"] for row in rows(tmp_path / "out.jsonl")] == [url(0), url(1)]


def test_the_settings_of_a_project_hold(tmp_path: Path) -> None:
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = mine\n")
    (tmp_path / "mine.py").write_text(
        "import logging\n"
        'ADDONS = {"scrapy_justext.Addon": 500}\nJUSTEXT_PROFILE = "boilerpipe"\n'
        'JUSTEXT_SITES = {"example.org": {"fields": {"profile": "how"}}}\n'
    )
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "a.html").write_text(page(1))
    (tmp_path / "b.jsonl").write_text(json.dumps({"html": page(1), "url": url(1)}))
    done = command(tmp_path, "pages", "b.jsonl", "-o", "out.jsonl", "-s", "JUSTEXT_DROP=none", "--processes", 1)
    assert done.returncode == 0, done.stderr
    first, second = rows(tmp_path / "out.jsonl")
    assert (first["file"], first["url"], "how" in first) == ("pages/a.html", None, False)
    assert (second["url"], second["how"]) == (url(1), "boilerpipe")


#: What is wrong with a call, and the line that says so.
PROBLEMS: dict[str, tuple[list[str], str]] = {
    "no input": (["-o", "out.jsonl"], "IN: none given; scrapy justext-archive -h tells more"),
    "no output": (["a.warc"], "-o OUT: is missing"),
    "no such file": (["b.warc", "-o", "out.jsonl"], "b.warc: no such file or folder"),
    "no such option": (["a.warc", "--out", "out.jsonl"], "--out: no such option"),
    "format": (["a.warc", "-o", "out.csv"], "out.csv: the output's format is told by the end of its name"),
    "column": (["a.jsonl", "-o", "out.jsonl"], "a.jsonl: its lines have no 'html'; --html-column names another"),
    "setting": (["a.warc", "-o", "out.jsonl", "-s", "JUSTEXT_PROFILE=x"], "JUSTEXT_PROFILE = 'x': unknown profile"),
    "switched off": (["a.warc", "-o", "out.jsonl", "-s", "JUSTEXT_ENABLED=0"], "JUSTEXT_ENABLED: is off"),
    "processes": (["a.warc", "-o", "out.jsonl", "--processes", "0"], "--processes = '0': must be a number above 0"),
    "time": (["a.warc", "-o", "out.jsonl", "--timeout", "soon"], "--timeout = 'soon': must be a number above 0"),
    "a folder": (["a.warc", "-o", "folder.jsonl", "--restart"], "folder.jsonl: is a folder; the output is a file"),
    "no such folder for the summary": (
        ["a.warc", "-o", "out.jsonl", "--summary", "b/s.json"],
        "b/s.json: cannot be written: No such file or directory",
    ),
    "a folder for the summary": (
        ["a.warc", "-o", "out.jsonl", "--summary", "folder.jsonl"],
        "folder.jsonl: cannot be written: Is a directory",
    ),
    "no archive": (["b.warc.gz", "-o", "out.jsonl"], "b.warc.gz: is no WARC file, or one that is damaged from its"),
    "no such folder": (["a.warc", "-o", "a.warc/out.jsonl"], "a.warc/out.jsonl.unfinished cannot be used: "),
}


@pytest.mark.parametrize("case", PROBLEMS)
def test_what_cannot_be_done_is_said_in_one_line(case: str, tmp_path: Path) -> None:
    (tmp_path / "a.warc").write_bytes(b"".join(common_crawl(1)))
    (tmp_path / "a.jsonl").write_text('{"body": "<p>"}')
    (tmp_path / "b.warc.gz").write_text("hello")
    (tmp_path / "folder.jsonl").mkdir()
    given, line = PROBLEMS[case]
    done = command(tmp_path, *given)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"justext-archive: {line}")
    assert done.stderr.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl", "a.warc", "b.warc.gz", "folder.jsonl"]


def _until_rows_are_written(folder: Path, out: str) -> None:
    path = folder / f"{out}.unfinished" / "rows"
    for _ in range(3000):
        if path.exists() and path.stat().st_size:
            return
        time.sleep(0.02)
    raise AssertionError("nothing was written")


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="there are no process groups here")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_run_that_was_ended_goes_on(how: signal.Signals, archive: Path, tmp_path: Path) -> None:
    process = start(tmp_path, archive, "-o", "out.jsonl", "--processes", 2)
    _until_rows_are_written(tmp_path, "out.jsonl")
    if how is signal.SIGINT:
        os.killpg(process.pid, how)
    else:
        process.kill()
    _, messages = process.communicate(timeout=60)
    if how is signal.SIGINT:
        assert process.returncode == 130
        assert messages == INTERRUPTED
        assert not (tmp_path / "out.jsonl.unfinished" / ".lock").exists()
    _assert_group_ends(process.pid)
    assert not (tmp_path / "out.jsonl").exists()
    done = command(tmp_path, archive, "-o", "out.jsonl", "--summary", "summary.json")
    assert done.returncode == 0, done.stderr
    assert [row["url"] for row in rows(tmp_path / "out.jsonl")] == [url(number) for number in range(PAGES)]
    assert json.loads((tmp_path / "summary.json").read_text())["counts"]["records"] == PAGES


#: The command up to where it is told its options: what follows is imports, which take long.
BEGINNING = """
import os, signal, time
from argparse import ArgumentParser
from scrapy.settings import Settings
from scrapy_justext.archives.command import Command
command = Command()
command.settings = Settings()
command.add_options(ArgumentParser())
os.kill(os.getpid(), signal.SIGINT)
time.sleep(60)
"""


@pytest.mark.parametrize(("shell", "status"), [("", 130), ("signal.signal(signal.SIGINT, signal.SIG_IGN)", 0)])
def test_a_run_is_ended_while_it_is_loading(shell: str, status: int) -> None:
    code = BEGINNING.replace("command = ", f"{shell}\ncommand = ").replace("sleep(60)", f"sleep({60 * bool(status)})")
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (status, INTERRUPTED if status else "")


def _assert_group_ends(group: int) -> None:
    """None of the processes of a run outlives it."""
    for _ in range(500):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.02)
    raise AssertionError("processes are left")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the page has to end first")
def test_no_process_outlives_a_killed_command_in_a_page_without_end(tmp_path: Path) -> None:
    # The second chunk is begun when the rows of the first are there.
    bodies = [page(number) for number in range(100)] + ["<p>" + "a" * 45]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps({"html": body}) + "\n" for body in bodies))
    process = start(tmp_path, "a.jsonl", "-o", "out.jsonl", "--processes", 1, "-s", 'JUSTEXT_DROP_TEXT=["(a+)+b$"]')
    try:
        _until_rows_are_written(tmp_path, "out.jsonl")
        time.sleep(0.5)
        process.kill()
        process.communicate(timeout=60)
        _assert_group_ends(process.pid)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def _no_file_beyond(size: int) -> Callable[[], None]:
    """What a process is to do first, so that files are for it what they are on a full disk."""
    return partial(resource.setrlimit, resource.RLIMIT_FSIZE, (size, size))


def test_what_was_finished_is_kept_when_the_disk_is_full(archive: Path, tmp_path: Path) -> None:
    # Where the language is given nobody but the parent writes: to detect it, a model is unpacked into a file.
    arguments = [archive, "-o", "out.jsonl", "-s", "JUSTEXT_LANGUAGE=en"]
    done = command(tmp_path, *arguments, preexec_fn=_no_file_beyond(300_000))
    assert done.returncode == 2
    assert done.stderr == (
        "justext-archive: out.jsonl: cannot be written: File too large;"
        " what was finished is kept, and gone on with when the same is run again\n"
    )
    journal = json.loads((tmp_path / "out.jsonl.unfinished" / "journal.json").read_text())
    assert journal["counts"]["rows"] >= 100
    assert 0 < journal["length"] == (tmp_path / "out.jsonl.unfinished" / "rows").stat().st_size <= 300_000
    done = command(tmp_path, *arguments)
    assert done.returncode == 0, done.stderr
    assert [row["url"] for row in rows(tmp_path / "out.jsonl")] == [url(number) for number in range(PAGES)]


def test_processes_without_room_for_what_they_need_are_explained_in_one_line(archive: Path, tmp_path: Path) -> None:
    done = command(tmp_path, archive, "-o", "out.jsonl", preexec_fn=_no_file_beyond(100_000))
    assert (done.returncode, done.stderr) == (2, "justext-archive: a process: cannot begin: File too large\n")


def test_two_runs_do_not_write_into_one_output(archive: Path, tmp_path: Path) -> None:
    with locked(tmp_path / "out.jsonl.unfinished"):
        done = command(tmp_path, archive, "-o", "out.jsonl")
    assert done.returncode == 2
    assert done.stderr.startswith("justext-archive: another run is going on in out.jsonl.unfinished (process ")
