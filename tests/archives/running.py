"""The command as users run it, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from tests import forked
from tests.builders import REPOSITORY

if TYPE_CHECKING:
    from pathlib import Path

#: More than any run takes, however busy the machine is.
SECONDS = 300


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(REPOSITORY), "PYTHONDONTWRITEBYTECODE": "1"}


def command(folder: Path, *given: object) -> subprocess.CompletedProcess[str]:
    """Run the command in a process that has loaded Scrapy already; return its end, and what it printed."""
    arguments = ["scrapy", "justext-archive", *map(str, given)]
    done = forked.run(forked.COMMAND, arguments, folder=folder, environment=environment(), seconds=SECONDS)
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def start(folder: Path, *given: object, **options: Any) -> subprocess.Popen[str]:
    """Start the command, in a process group of its own, as a shell would have it."""
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-m", "scrapy", "justext-archive", *map(str, given)],
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        **options,
    )


def end(process: subprocess.Popen[str]) -> subprocess.CompletedProcess[str]:
    """Wait for the end of a command that was started."""
    printed, messages = process.communicate(timeout=SECONDS)
    return subprocess.CompletedProcess(process.args, process.returncode, printed, messages)
