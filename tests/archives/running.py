"""The command as users run it, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from tests.builders import REPOSITORY

if TYPE_CHECKING:
    from pathlib import Path


def arguments(*given: object) -> list[str]:
    return [sys.executable, "-W", "error", "-m", "scrapy", "justext-archive", *map(str, given)]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(REPOSITORY), "PYTHONDONTWRITEBYTECODE": "1"}


def command(folder: Path, *given: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """The command's end, and what it printed."""
    return subprocess.run(
        arguments(*given), cwd=folder, env=environment(), capture_output=True, text=True, check=False, **options
    )


def start(folder: Path, *given: object) -> subprocess.Popen[str]:
    """The command, running in a process group of its own, as a shell would have it."""
    return subprocess.Popen(
        arguments(*given),
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
