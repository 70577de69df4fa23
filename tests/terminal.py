"""A terminal that takes what a command prints."""

from __future__ import annotations

import os
import pty
import tty
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable


T = TypeVar("T")


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


def _read(descriptor: int) -> bytes:
    parts = []
    # Linux tells the end of a terminal by an error.
    with suppress(OSError):
        while part := os.read(descriptor, 1 << 16):
            parts.append(part)
    os.close(descriptor)
    return b"".join(parts)
