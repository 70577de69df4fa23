"""One run at a time in a folder, and none that is kept out by a dead one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from scrapy_justext.evaluation.__main__ import main
from scrapy_justext.exceptions import StoreError
from scrapy_justext.files import LOCK_FILE, locked
from tests.builders import REPOSITORY
from tests.evaluation.sets import PAGE, write_pairs

if TYPE_CHECKING:
    from pathlib import Path

HOLD = """
import sys
from pathlib import Path
from scrapy_justext.files import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def hold(folder: Path) -> subprocess.Popen[str]:
    """A process that holds a folder until its input ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder)],
        cwd=REPOSITORY,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_the_folder_is_made_and_the_lock_removed(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "out"
    with locked(folder):
        assert (folder / LOCK_FILE).read_text() == str(os.getpid())
    assert list(folder.iterdir()) == []
    with locked(folder):
        assert (folder / LOCK_FILE).exists()


def test_the_lock_is_removed_after_an_error(tmp_path: Path) -> None:
    def fail() -> None:
        with locked(tmp_path):
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert list(tmp_path.iterdir()) == []


def test_another_run_is_kept_out_until_the_first_has_ended(tmp_path: Path) -> None:
    with hold(tmp_path) as process:
        for _ in range(2):
            with pytest.raises(StoreError, match=rf"another run .*\(process {process.pid}\)"), locked(tmp_path):
                pass
        process.communicate(timeout=30)
    with locked(tmp_path):
        pass


def test_what_a_killed_run_leaves_keeps_nobody_out(tmp_path: Path) -> None:
    with hold(tmp_path) as process:
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=30)
    assert (tmp_path / LOCK_FILE).read_text() == str(process.pid)
    with locked(tmp_path):
        assert (tmp_path / LOCK_FILE).read_text() == str(os.getpid())


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("mine")
    with pytest.raises(StoreError, match="cannot be used"), locked(path):
        pass
    assert path.read_text() == "mine"


def test_the_second_run_says_so_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pages, out = write_pairs(tmp_path / "pages", {"1": PAGE}), tmp_path / "out"
    command = ["run", "--dataset", f"pairs:{pages}", "--extractor", "ttr", "--out", str(out), "--jobs", "1"]
    with hold(out) as process:
        assert main(command) == 2
        [line] = capsys.readouterr().err.splitlines()
        assert f"another run is going on in {out} (process {process.pid})" in line
        assert [path.name for path in out.iterdir()] == [LOCK_FILE]
        process.communicate(timeout=30)
    assert main(command) == 0
