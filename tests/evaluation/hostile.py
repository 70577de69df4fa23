"""Extractors that do what a page tells them to, for tests: crash, hang, raise, print."""

import os
import re
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NoReturn

from scrapy_justext.evaluation.datasets.documents import Document
from scrapy_justext.exceptions import MissingLibraryError


class Extractor:
    version = "1.0"

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, document: Document, language: str | None) -> str:
        return f"{self.name} {document.id} {language}"


class Hostile(Extractor):
    def __call__(self, document: Document, language: str | None) -> str:
        for name, argument in re.findall(r"\[(\w+)(?: ([^\]]*))?\]", document.text):
            answer = ACTIONS[name](argument)
            if answer is not None:
                return answer  # type: ignore[return-value]
        return super().__call__(document, language)


class SlowToWarm(Extractor):
    def warm_up(self, language: str | None) -> None:
        clock = time.perf_counter
        time.perf_counter = lambda: clock() + 3600


def _raise(error: BaseException) -> None:
    raise error


def _raise_from(message: str) -> None:
    raise RuntimeError from ValueError(message)


def _print(_: str) -> None:
    print("printed")
    print("printed", file=sys.stderr)
    os.write(1, b"printed")
    os.write(2, b"printed")
    warnings.warn("printed", stacklevel=1)


def _start_child(path: str) -> None:
    """Hang with a child that would go on for a minute."""
    child = subprocess.Popen(["sleep", "60"])
    Path(path).write_text(str(child.pid))
    time.sleep(3600)


def _count(path: str) -> None:
    with Path(path).open("a") as stream:
        stream.write("x")


ACTIONS: dict[str, Callable[[str], object]] = {
    "hang": lambda _: time.sleep(3600),
    "sleep": lambda seconds: time.sleep(float(seconds)),
    "exit": lambda _: os._exit(3),
    "segfault": lambda _: os.kill(os.getpid(), signal.SIGSEGV),
    "raise": lambda message: _raise(ValueError(message)),
    "wrap": _raise_from,
    "memory": lambda _: _raise(MemoryError()),
    "quit": lambda _: sys.exit(1),
    "interrupt": lambda _: _raise(KeyboardInterrupt()),
    "number": lambda _: 17,
    "surrogate": lambda _: "half \ud83d",
    "print": _print,
    "child": _start_child,
    "count": _count,
}


def _refuse() -> NoReturn:
    raise RuntimeError("no licence")


def _miss() -> NoReturn:
    raise MissingLibraryError("missing", "pip install the-missing-library")


#: What the entry points of :func:`tests.evaluation.builders.write_plugin` are.
make_hostile = partial(Hostile, "hostile")
make_friendly = partial(Extractor, "friendly")
make_slow_to_warm = partial(SlowToWarm, "slow-to-warm")
make_misnamed = partial(Extractor, "other")
make_unloadable, make_missing, make_dying = _refuse, _miss, partial(os._exit, 4)
