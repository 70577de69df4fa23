"""Take what a command prints: on a terminal, or as a reader that goes away."""

import os
import pty
import tty
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import TypeVar

T = TypeVar("T")

#: What a terminal obeys: controls, and what turns the direction of a text.
OBEYED = "[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"


def printed_on_terminal(run: Callable[[int], T]) -> tuple[T, str]:
    """Return what a function returns, and prints on a terminal, whose descriptor it is given."""
    ours, theirs = pty.openpty()
    tty.setraw(theirs)
    with ThreadPoolExecutor(1) as reader:
        printed = reader.submit(_read, ours)
        try:
            returned = run(theirs)
        finally:
            os.close(theirs)
        return returned, printed.result().decode()


@contextmanager
def reader_that_goes_away() -> Iterator[int]:
    """Give the descriptor of a pipe whose reader takes a little and closes it."""
    ours, theirs = os.pipe()

    def read_a_little() -> None:
        os.read(ours, 10)
        os.close(ours)

    with ThreadPoolExecutor(1) as reader, os.fdopen(theirs, "wb"):
        reader.submit(read_a_little)
        yield theirs


def _read(descriptor: int) -> bytes:
    parts = []
    # Linux tells the end of a terminal by an error.
    with suppress(OSError):
        while part := os.read(descriptor, 1 << 16):
            parts.append(part)
    os.close(descriptor)
    return b"".join(parts)
