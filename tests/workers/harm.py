"""Tasks that do to their process what pages, libraries and machines might; nothing here needs to be installed."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from scrapy_justext.workers import Begun

Task = tuple[str, Any]


class Unpicklable(Exception):  # noqa: N818
    def __init__(self, first: str, second: str) -> None:
        super().__init__(first)


class Breaking:
    """Cannot be made of its pickle in another process than the one that it was made in."""

    def __init__(self) -> None:
        self.process = os.getpid()

    def __setstate__(self, state: dict[str, int]) -> None:
        if state["process"] != os.getpid():
            raise LookupError("another process")


def start(context: str) -> Callable[[Task], Iterator[object]]:
    """``context``: what is wrong with the start, or a word that tasks can ask for."""
    if context == "raise":
        raise OSError(27, "File too large", "/tmp/model")
    if context == "exit":
        os._exit(3)
    if context == "wait":
        time.sleep(600)
    if context.startswith("answer when "):
        _, _, begun, asked = context.split(" ")
        [*answer_when_asked((begun, asked))]
    if context.startswith("note "):
        with Path(context[5:]).open("a") as file:
            file.write("x")

    def do(task: Task) -> Iterator[object]:
        name, value = task
        if name == "context":
            yield context
        else:
            yield from TASKS[name](value)

    return do


def echo(messages: list[object]) -> Iterator[object]:
    yield from messages


def process(_: object) -> Iterator[int]:
    yield os.getpid()


def kill(step: object) -> Iterator[object]:
    yield Begun(step)
    os.kill(os.getpid(), signal.SIGKILL)


def leave(status: int) -> Iterator[object]:
    yield "half a result"
    os._exit(status)


def cut(length: int) -> Iterator[bytes]:
    """Ends with a part of a message on its way."""
    yield bytes(length)
    os.kill(os.getpid(), signal.SIGKILL)


def fail(message: str) -> Iterator[object]:
    yield "half a result"
    raise LookupError(message)


def fail_oddly(message: str) -> Iterator[object]:
    yield "half a result"
    raise Unpicklable(message, "")


def wait(note: str) -> Iterator[object]:
    """Takes minutes, once it has written down its process."""
    write(note, os.getpid())
    yield Begun("waiting", 1.0)
    time.sleep(600)


def search(note: str) -> Iterator[object]:
    """A regular expression that does not come to an end, during which no thread of the process has its turn."""
    write(note, os.getpid())
    re.match("(a*)*b", "a" * 100)
    yield None


def have_child(note: str) -> Iterator[object]:
    """Starts a process of its own."""
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    write(note, child.pid)
    time.sleep(600)
    yield None


def answer_when_asked(files: tuple[str, str]) -> Iterator[str]:
    note, asked = files
    write(note, os.getpid())
    while not Path(asked).exists():
        time.sleep(0.02)
    yield "answer"


def write(note: str, number: int) -> None:
    """Write a file that is, at each moment, missing or whole."""
    draft = Path(note + ".draft")
    draft.write_text(str(number))
    draft.replace(note)


TASKS: dict[str, Callable[[Any], Iterator[object]]] = {
    task.__name__: task
    for task in (echo, process, kill, leave, cut, fail, fail_oddly, wait, search, have_child, answer_when_asked)
}
