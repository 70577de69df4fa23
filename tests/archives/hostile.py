"""Records that do to a process what pages might."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any, NamedTuple

from scrapy_justext.archives.records import Document, Where


class Deadly(NamedTuple):
    """Kills the process that looks at it."""

    where: Where
    size: int = 1

    def document(self) -> Document:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


class DeadlyToLoad(NamedTuple):
    """Ends the process that unpickles it."""

    where: Where
    size: int = 1

    def document(self) -> Document:
        raise AssertionError

    def __reduce__(self) -> tuple[Any, ...]:
        return os._exit, (3,)


class DeadlyWhere(Where):
    """A place that ends the process that unpickles it, which is before there is a record in work."""

    __slots__ = ()

    def __reduce__(self) -> tuple[Any, ...]:
        return os._exit, (3,)


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
