"""The command from outside: its messages, its exit status, and what is left when it is ended."""

import json
import os
import re
import signal
import sys
import time
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

import pytest
from scrapy.settings import Settings

from scrapy_justext.archives.command import Command
from scrapy_justext.archives.output import unfinished
from scrapy_justext.exceptions import ArchiveError
from scrapy_justext.files import locked
from tests.archives.making import SENTENCE, common_crawl, packed, page, url
from tests.archives.running import command, end, make, python, rows, start
from tests.builders import wait_until
from tests.crawl.crawling import write_project
from tests.forked import Process
from tests.terminal import OBEYED, printed_on_terminal, reader_that_goes_away

pytestmark = pytest.mark.full

PAGES = 400
INTERRUPTED = "justext-archive: interrupted; run the same again to go on\n"


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("archive") / "a.warc.gz"
    path.write_bytes(packed(common_crawl(PAGES)))
    return path


def test_it_says_what_it_did(tmp_path: Path) -> None:
    (tmp_path / "a.warc").write_bytes(b"".join(common_crawl(3))[:-700])
    done = command(tmp_path, "a.warc", "-o", "out.jsonl", "--summary", "summary.json", "-s", "JUSTEXT_LANGUAGE=en")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Pages\n        3  records read\n        2  rows written\n        2  pages cleaned\n")
    assert "\nNot cleaned because\n        1  truncated\n\nLanguages\n        2  English\n" in done.stdout
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert summary["counts"]["rows"] == 2
    [trouble] = summary["troubles"]
    assert (trouble["file"], trouble["what"]) == ("a.warc", "truncated")
    assert f"a.warc, {trouble['offset']}: truncated\n" in done.stderr
    assert [row["url"] for row in rows(tmp_path / "out.jsonl")] == [url(0), url(1)]


def test_the_settings_of_a_project_hold(tmp_path: Path) -> None:
    addon = 'ADDONS = {"scrapy_justext.Addon": 500}\nJUSTEXT_PROFILE = "boilerpipe"\n'
    write_project(tmp_path, addon + 'import logging\nJUSTEXT_SITES = {"example.org": {"fields": {"profile": "how"}}}\n')
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "a.html").write_text(page(1))
    (tmp_path / "b.jsonl").write_text(json.dumps({"html": page(1), "url": url(1)}))
    done = command(tmp_path, "pages", "b.jsonl", "-o", "out.jsonl", "-s", "JUSTEXT_DROP=none", "--processes", 1)
    assert done.returncode == 0, done.stderr
    first, second = rows(tmp_path / "out.jsonl")
    assert (first["file"], first["url"], "how" in first) == ("pages/a.html", None, False)
    assert (second["url"], second["how"]) == (url(1), "boilerpipe")


def test_only_the_pages_of_sites_that_are_switched_on_are_cleaned(tmp_path: Path) -> None:
    lines = [json.dumps({"html": page(1), "url": address}) for address in (url(1), "https://example.net/")]
    (tmp_path / "b.jsonl").write_text("\n".join(lines))
    sites = 'JUSTEXT_SITES={"example.org": {"enabled": true}}'
    switches = ["-s", "JUSTEXT_ENABLED=0", "-s", sites, "-s", "JUSTEXT_LANGUAGE=en"]
    done = command(tmp_path, "b.jsonl", "-o", "out.jsonl", "--processes", 1, *switches)
    assert done.returncode == 0, done.stderr
    assert [row["url"] for row in rows(tmp_path / "out.jsonl")] == [url(1)]


def test_an_option_is_over_all_settings(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps({"html": page(1), "url": url(1)}))
    sites = json.dumps({"example.org": {"profile": "article", "fields": {"profile": "how"}}})
    given = ["a.jsonl", "--profile", "boilerpipe", "-s", "JUSTEXT_PROFILE=learned", "-s", f"JUSTEXT_SITES={sites}"]
    done = command(tmp_path, *given, "-o", "out.jsonl", "--processes", 1)
    assert (done.returncode, done.stderr) == (0, "")
    assert [row["how"] for row in rows(tmp_path / "out.jsonl")] == ["boilerpipe"]
    # Nobody's time was measured into a file.
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl", "out.jsonl"]


@pytest.mark.parametrize(("out", "goes_on"), [("out.jsonl", True), ("out.parquet", False)])
def test_only_lines_go_on_where_rows_had_fewer_columns(tmp_path: Path, out: str, goes_on: bool) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps({"html": page(1)}))
    task = make(tmp_path / "a.jsonl", out).task
    before = {name: value for name, value in task.items() if name != "schema"}
    with suppress(KeyboardInterrupt), unfinished(tmp_path / out, before, restart=False) as output:
        output.save()
        raise KeyboardInterrupt
    refused = nullcontext() if goes_on else pytest.raises(ArchiveError, match="was begun with other schema; give the")
    with refused, unfinished(tmp_path / out, task, restart=False):
        pass


def test_rows_go_to_standard_output_and_all_else_to_standard_error(tmp_path: Path) -> None:
    (tmp_path / "a.warc").write_bytes(b"".join(common_crawl(3)))
    done = command(tmp_path, "a.warc", "-o", "-", "-s", "JUSTEXT_LANGUAGE=en")
    assert done.returncode == 0
    assert [json.loads(line)["url"] for line in done.stdout.splitlines()] == [url(number) for number in range(3)]
    assert done.stderr.startswith("Pages\n        3  records read\n        3  rows written\n")
    assert [path.name for path in tmp_path.iterdir()] == ["a.warc"]


@pytest.mark.parametrize(("out", "said"), [("out.jsonl", INTERRUPTED), ("-", "justext-archive: interrupted\n")])
def test_an_interrupted_run_says_whether_it_can_go_on(
    out: str, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("scrapy_justext.archives.run.run", interrupt)
    archive_command = Command()
    archive_command.settings = Settings()
    archive_command.run(["a.warc"], Namespace(output=out))
    assert (archive_command.exitcode, capsys.readouterr().err) == (130, said)


def test_rows_command_no_terminal(tmp_path: Path) -> None:
    text = page(1) + "<p>\x9b31m\u202e\x7f" + SENTENCE * 6
    (tmp_path / "a.jsonl").write_text(json.dumps({"html": text}), "utf-8")
    arguments = ("a.jsonl", "-o", "-", "--language=en", "--processes=1")
    _, shown = printed_on_terminal(lambda terminal: command(tmp_path, *arguments, stdout=terminal))
    assert not re.search(OBEYED, shown)
    assert json.loads(shown) == json.loads(command(tmp_path, *arguments).stdout)
    assert "\x9b31m\u202e\x7f" in json.loads(shown)["text"]


def test_a_reader_that_goes_away_ends_the_run(tmp_path: Path) -> None:
    # More than a pipe holds.
    (tmp_path / "a.jsonl").write_text("".join(json.dumps({"html": page(n)}) + "\n" for n in range(500)))
    with reader_that_goes_away() as theirs:
        done = command(tmp_path, "a.jsonl", "-o", "-", "--language=en", stdout=theirs)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr


def test_standard_output_that_is_full_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps({"html": page(1)}))
    with Path("/dev/full").open("wb") as full:
        done = command(tmp_path, "a.jsonl", "-o", "-", stdout=full.fileno())
    problem = "standard output: cannot be written: No space left on device"
    assert (done.returncode, done.stderr) == (2, f"justext-archive: {problem}\n")


#: What is wrong with a call, and the line that says so.
PROBLEMS: dict[str, tuple[list[str], str]] = {
    "no input": (["-o", "out.jsonl"], "IN: none given; scrapy justext-archive -h tells more"),
    "no output": (["a.warc"], "-o OUT: is missing"),
    "no such file": (["b.warc", "-o", "out.jsonl"], "b.warc: no such file or folder"),
    "no such option": (["a.warc", "--out", "out.jsonl"], "--out: no such option"),
    "format": (["a.warc", "-o", "out.csv"], "out.csv: the output's format is told by the end of its name"),
    "a file in a folder": (["a.warc", "-o", "folder.jsonl/-"], "folder.jsonl/-: the output's format is told"),
    "column": (["a.jsonl", "-o", "out.jsonl"], "a.jsonl: its lines have no 'html'; --html-column names another"),
    "setting": (["a.warc", "-o", "out.jsonl", "-s", "JUSTEXT_PROFILE=x"], "JUSTEXT_PROFILE = 'x': unknown profile"),
    "option": (["a.warc", "-o", "out.jsonl", "--profile", "lerned"], "--profile = 'lerned': unknown profile; did you"),
    "switched off": (["a.warc", "-o", "out.jsonl", "-s", "JUSTEXT_ENABLED=0"], "JUSTEXT_ENABLED: is off"),
    "processes": (["a.warc", "-o", "out.jsonl", "--processes", "0"], "--processes = '0': must be a whole number, 1"),
    "time": (["a.warc", "-o", "out.jsonl", "--timeout", "soon"], "--timeout = 'soon': must be a number of seconds"),
    "a folder": (["a.warc", "-o", "folder.jsonl", "--restart"], "folder.jsonl: is a folder; the output is a file"),
    "summary in no folder": (["a.warc", "-o", "out.jsonl", "--summary", "b/s"], "b/s: cannot be written: No such file"),
    "summary in place of a folder": (
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


#: A project that holds a run where ``HOLD`` says so: when the rows of the first chunk are there, it makes that file and
#: does nothing more.
HOLDING = """
import os, time
from pathlib import Path

mark = os.environ.get("HOLD")
if mark:
    from scrapy_justext.archives.output import Output
    add = Output.add

    def add_and_hold(self, result, behind):
        add(self, result, behind)
        Path(mark).touch()
        time.sleep(600)

    Output.add = add_and_hold
"""


@contextmanager
def ended(process: Process, how: signal.Signals) -> Iterator[None]:
    """Wait, in the ``with`` statement, for the moment at which a run is ended; none of its processes outlives it."""
    try:
        yield
        if how is signal.SIGINT:
            os.killpg(process.pid, how)
        else:
            process.kill()
        done = end(process)
        if how is signal.SIGINT:
            assert (done.returncode, done.stderr) == (130, INTERRUPTED)
        with suppress(ProcessLookupError):
            # It fails where no process of the group is left.
            wait_until(lambda: os.killpg(process.pid, 0))
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="there are no process groups here")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_run_that_was_ended_goes_on(how: signal.Signals, archive: Path, tmp_path: Path) -> None:
    write_project(tmp_path, HOLDING)
    arguments = [archive, "-o", "out.jsonl", "--processes", 2, "-s", "JUSTEXT_LANGUAGE=en"]
    process = start(tmp_path, *arguments, HOLD=str(tmp_path / "held"))
    with ended(process, how):
        wait_until((tmp_path / "held").exists, process)
    assert how is signal.SIGKILL or not (tmp_path / "out.jsonl.unfinished" / ".lock").exists()
    assert not (tmp_path / "out.jsonl").exists()
    done = command(tmp_path, *arguments, "--summary", "summary.json")
    assert done.returncode == 0, done.stderr
    assert [row["url"] for row in rows(tmp_path / "out.jsonl")] == [url(number) for number in range(PAGES)]
    assert json.loads((tmp_path / "summary.json").read_text())["counts"]["records"] == PAGES


#: The command up to where it is told its options: what follows is imports, which take long.
BEGINNING = """
import os, signal, time
from argparse import ArgumentParser, Namespace
from scrapy.settings import Settings
from scrapy_justext.archives.command import Command
command = Command()
command.settings = Settings()
# As Scrapy makes it.
command.add_options(ArgumentParser(conflict_handler="resolve"))
os.kill(os.getpid(), signal.SIGINT)
time.sleep(600)
"""


@pytest.mark.parametrize(("shell", "status"), [("", 130), ("signal.signal(signal.SIGINT, signal.SIG_IGN)", 0)])
def test_a_run_is_ended_while_it_is_loading(shell: str, status: int, tmp_path: Path) -> None:
    code = BEGINNING.replace("command = ", f"{shell}\ncommand = ").replace("sleep(600)", f"sleep({600 * bool(status)})")
    done = python(tmp_path, code)
    assert (done.returncode, done.stderr) == (status, INTERRUPTED if status else "")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the page has to end first")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_no_process_outlives_a_command_that_was_ended_in_a_page_without_end(
    how: signal.Signals, tmp_path: Path
) -> None:
    # The second chunk is begun when the rows of the first are there.
    bodies = [page(number) for number in range(100)] + ["<p>" + "a" * 45]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps({"html": body}) + "\n" for body in bodies))
    settings = ["-s", 'JUSTEXT_DROP_TEXT=["(a+)+b$"]', "-s", "JUSTEXT_LANGUAGE=en"]
    process = start(tmp_path, "a.jsonl", "-o", "out.jsonl", "--processes", 1, *settings)
    written = tmp_path / "out.jsonl.unfinished" / "rows"
    with ended(process, how):
        wait_until(lambda: written.exists() and written.stat().st_size > 0, process)
        # Whether or not the page is begun by then, the run ends in the same way.
        time.sleep(0.5)


def test_what_was_finished_is_kept_when_the_disk_is_full(archive: Path, tmp_path: Path) -> None:
    # Where the language is given, nobody but the parent writes: to detect it, a model is unpacked into a file.
    arguments = [archive, "-o", "out.jsonl", "-s", "JUSTEXT_LANGUAGE=en"]
    done = end(start(tmp_path, *arguments, FILE_SIZE="300000"))
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
    done = end(start(tmp_path, archive, "-o", "out.jsonl", FILE_SIZE="100000", XDG_CACHE_HOME=str(tmp_path)))
    assert (done.returncode, done.stderr) == (2, "justext-archive: no process can begin: File too large\n")


#: The command where a library of the extra is not installed, as far as Python can tell.
WITHOUT_A_LIBRARY = """
import sys
from scrapy.cmdline import execute
for name in [name for name in sys.modules if name.startswith(("fastwarc", "scrapy_justext.archives."))]:
    del sys.modules[name]
sys.modules["fastwarc"] = None
execute(["scrapy", "justext-archive", *sys.argv[1:]])
"""


def test_what_a_run_needs_is_named_where_it_is_not_installed(tmp_path: Path) -> None:
    problem = "justext-archive: fastwarc is not installed; the extra archive of scrapy-justext brings it"
    for given, status, message in ((["-h"], 0, ""), (["a.warc", "-o", "out.jsonl"], 2, problem)):
        done = python(tmp_path, WITHOUT_A_LIBRARY, *given)
        assert (done.returncode, done.stderr.partition(": pip install 'b")[0]) == (status, message)


def test_two_runs_do_not_write_into_one_output(archive: Path, tmp_path: Path) -> None:
    with locked(tmp_path / "out.jsonl.unfinished"):
        done = command(tmp_path, archive, "-o", "out.jsonl")
    assert done.returncode == 2
    assert done.stderr.startswith("justext-archive: another run is going on in out.jsonl.unfinished (process ")
