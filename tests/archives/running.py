"""The command as users run it, in a process of its own."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from typing import TYPE_CHECKING

from tests import forked
from tests.builders import REPOSITORY

if TYPE_CHECKING:
    from pathlib import Path

#: More than any run takes, however busy the machine is.
SECONDS = 300


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(REPOSITORY), "PYTHONDONTWRITEBYTECODE": "1"}


def command(folder: Path, *given: object, stdout: int | None = None) -> subprocess.CompletedProcess[str]:
    """Run the command in a process that has loaded Scrapy already; return its end, and what it printed.

    ``stdout``: a descriptor that takes the output, of which nothing is returned then.
    """
    arguments = ["scrapy", "justext-archive", *map(str, given)]
    done = forked.run(
        forked.COMMAND, arguments, folder=folder, environment=environment(), stdout=stdout, seconds=SECONDS
    )
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def start(folder: Path, *given: object, **variables: str) -> forked.Process:
    """Start the command, in a process group of its own, as a shell would have it, with real processes of its own.

    ``variables``: what else is in its environment; ``FILE_SIZE``: it can write no more bytes into a file.
    """
    arguments = ["scrapy", "justext-archive", *map(str, given)]
    function = "tests.archives.running:scrapy_on_full_disk" if "FILE_SIZE" in variables else forked.COMMAND
    return forked.start(function, arguments, folder=folder, environment=environment() | variables, has_session=True)


def scrapy_on_full_disk() -> None:
    """Run Scrapy's command line where files are what they are on a full disk."""
    size = int(os.environ["FILE_SIZE"])
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    forked.scrapy()


def end(process: forked.Process) -> subprocess.CompletedProcess[str]:
    """Wait for the end of a command that was started."""
    printed, messages = process.communicate(SECONDS)
    return subprocess.CompletedProcess(process.args, process.wait(), printed.decode(), messages.decode())


def python(folder: Path, code: str, *given: str) -> subprocess.CompletedProcess[str]:
    """Return the end of ``python -c code …``."""
    arguments = [sys.executable, "-c", code, *given]
    done = forked.run("tests.forked:execute", arguments, folder=folder, environment=environment(), seconds=SECONDS)
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())
