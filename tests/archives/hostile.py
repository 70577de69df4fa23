"""Records that do to a process what pages might."""

from __future__ import annotations

import os
import signal
import time
from functools import partial
from typing import TYPE_CHECKING, Any

from scrapy_justext.archives.records import ArchivedPage, Location, Record
from scrapy_justext.crawl.settings import Layers

if TYPE_CHECKING:
    from pathlib import Path


def deadly(location: Location) -> Record:
    """Kills the process that asks for its page."""
    return Record(location, _kill)


def deadly_to_load(location: Location) -> Record:
    """Ends the process that unpickles it."""
    return Record(location, _Ending())


def deadly_once(location: Location, page: ArchivedPage, mark: Path) -> Record:
    """Kills the first process that asks for its page; ``mark``: the file that tells whether one did."""
    return Record(location, partial(_kill_once, page, mark))


def endless(location: Location) -> Record:
    """Takes a minute."""
    return Record(location, _sleep)


def failing(location: Location) -> Record:
    """Raises."""
    return Record(location, _fail)


class DeadlyWhere(Location):
    """A place that ends the process that unpickles it, which is before there is a record in work."""

    __slots__ = ()

    def __reduce__(self) -> tuple[Any, ...]:
        return os._exit, (3,)


class DeadlyLayers(Layers):
    """Settings that end the process that is given them."""

    __slots__ = ()

    def __reduce__(self) -> tuple[Any, ...]:
        return os._exit, (3,)


class _Ending:
    def __call__(self) -> ArchivedPage:
        raise AssertionError

    def __reduce__(self) -> tuple[Any, ...]:
        return os._exit, (3,)


def _kill() -> ArchivedPage:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def _kill_once(page: ArchivedPage, mark: Path) -> ArchivedPage:
    if not mark.exists():
        mark.touch()
        _kill()
    return page


def _sleep() -> str:
    time.sleep(60)
    return "late"


def _fail() -> ArchivedPage:
    raise ZeroDivisionError("by this page")
