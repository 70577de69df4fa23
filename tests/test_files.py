"""Files that are whole at any time; one run at a time in a folder, and none that is kept out by a dead one."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from scrapy_justext.evaluation.__main__ import main
from scrapy_justext.exceptions import StoreError
from scrapy_justext.files import LOCK_FILE, PRIVATE, locked, write_whole
from tests.builders import REPOSITORY, full_disk
from tests.evaluation.builders import PAGE, write_pairs

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
    command = [sys.executable, "-c", HOLD, str(folder)]
    process = subprocess.Popen(command, cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_file_is_made_and_replaced_or_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_whole(path, b"old")
    with path.open("rb") as reader:
        write_whole(path, memoryview(b"new"))
        assert (reader.read(), path.read_bytes()) == (b"old", b"new")
    assert list(tmp_path.iterdir()) == [path]
    with full_disk(), pytest.raises(OSError, match="No space left"):
        write_whole(path, b"newer")
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other permissions")
def test_a_replaced_file_keeps_its_permissions_and_a_new_one_gets_those_asked_for(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_bytes(b"")
    old.chmod(0o640)
    write_whole(old, b"content", PRIVATE)
    write_whole(new, b"content", PRIVATE)
    assert [path.stat().st_mode & 0o777 for path in (old, new)] == [0o640, 0o600]


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights on Windows")
def test_a_link_stays_a_link_and_a_device_a_device(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    link.symlink_to(target)
    write_whole(link, b"content")
    assert (link.is_symlink(), target.read_bytes()) == (True, b"content")
    write_whole(Path(os.devnull), b"content")
    assert not Path(os.devnull).is_file()


def test_the_folder_is_made_and_the_lock_removed_after_an_error_too(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "out"
    with suppress(RuntimeError), locked(folder):
        assert (folder / LOCK_FILE).read_text() == str(os.getpid())
        raise RuntimeError
    assert list(folder.iterdir()) == []
    with locked(folder):
        assert (folder / LOCK_FILE).exists()
    assert list(folder.iterdir()) == []


def test_another_run_is_kept_out_until_the_first_has_ended_or_was_killed(tmp_path: Path) -> None:
    with hold(tmp_path) as process:
        for _ in range(2):
            with pytest.raises(StoreError, match=rf"another run .*\(process {process.pid}\)"), locked(tmp_path):
                pass
        process.communicate(timeout=30)
    with locked(tmp_path):
        pass
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
