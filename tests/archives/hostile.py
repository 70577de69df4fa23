"""What records do to a process where pages might: each is called for its page, or unpickled."""

import os
import signal
import time
from pathlib import Path
from typing import Any

from scrapy_justext.archives.records import ArchivedPage, Location
from scrapy_justext.crawl.settings import Layers


class Ending:
    """Ends the process that unpickles it."""

    __slots__ = ()

    def __call__(self) -> ArchivedPage:
        raise AssertionError

    def __reduce__(self) -> tuple[Any, ...]:
        return os._exit, (3,)


class DeadlyWhere(Ending, Location):
    """A place that ends the process before there is a record in work."""

    __slots__ = ()


class DeadlyLayers(Ending, Layers):
    """Settings that end the process that is given them."""

    __slots__ = ()


def kill() -> ArchivedPage:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def kill_once(page: ArchivedPage, mark: Path) -> ArchivedPage:
    """Kill the first process that asks for the page; ``mark``: the file that tells whether one did."""
    if not mark.exists():
        mark.touch()
        kill()
    return page


def take_a_minute() -> str:
    time.sleep(60)
    return "late"


def fail() -> ArchivedPage:
    raise ZeroDivisionError("by this page")
