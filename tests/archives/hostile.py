"""Records that do to a process what pages might."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any, NamedTuple

from scrapy_justext.archives.records import ArchivedPage, Location, NoPage


class Deadly(NamedTuple):
    """Kills the process that looks at it."""

    location: Location
    size: int = 1

    def page(self) -> ArchivedPage:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


class DeadlyToLoad(NamedTuple):
    """Ends the process that unpickles it."""

    location: Location
    size: int = 1

    def page(self) -> ArchivedPage:
        raise AssertionError

    def __reduce__(self) -> tuple[Any, ...]:
        return os._exit, (3,)


class DeadlyWhere(Location):
    """A place that ends the process that unpickles it, which is before there is a record in work."""

    __slots__ = ()

    def __reduce__(self) -> tuple[Any, ...]:
        return os._exit, (3,)


class DeadlyOnce(NamedTuple):
    """Kills the first process that looks at it; ``mark``: the file that tells whether one did."""

    location: Location
    loaded: ArchivedPage
    mark: str
    size: int = 1

    def page(self) -> ArchivedPage:
        if not Path(self.mark).exists():
            Path(self.mark).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return self.loaded


class Endless(NamedTuple):
    """Takes a minute."""

    location: Location
    size: int = 1

    def page(self) -> NoPage:
        time.sleep(60)
        return NoPage("late")


class Failing(NamedTuple):
    """Raises."""

    location: Location
    size: int = 1

    def page(self) -> ArchivedPage:
        raise ZeroDivisionError("by this page")
