"""Records that do to a process what pages might."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import NamedTuple

from scrapy_justext.archives.records import Document, Where  # noqa: TC001 (fields of named tuples)


class Deadly(NamedTuple):
    """Kills the process that looks at it."""

    where: Where
    size: int = 1

    def document(self) -> Document:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


class DeadlyOnce(NamedTuple):
    """Kills the first process that looks at it; ``mark``: the file that tells whether one did."""

    where: Where
    loaded: Document
    mark: str
    size: int = 1

    def document(self) -> Document:
        if not Path(self.mark).exists():
            Path(self.mark).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return self.loaded


class Endless(NamedTuple):
    """Takes a minute."""

    where: Where
    size: int = 1

    def document(self) -> str:
        time.sleep(60)
        return "late"


class Failing(NamedTuple):
    """Raises."""

    where: Where
    size: int = 1

    def document(self) -> Document:
        raise ZeroDivisionError("by this page")
