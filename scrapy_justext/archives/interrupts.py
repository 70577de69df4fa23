"""Ctrl-C: one line and an exit status, from the moment on that Scrapy knows which command it is to run."""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

INTERRUPTED = 130


def tell() -> None:
    """Say that the run was ended."""
    print("justext-archive: interrupted; run the same again to go on", file=sys.stderr, flush=True)


def end_at_once() -> None:
    """While there is nothing to be put in order, end the process where it is: in the middle of an import, mostly.

    One that is not to see Ctrl-C, as in the background of a shell, does not see it.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


def interrupt() -> None:
    """From here on, raise ``KeyboardInterrupt`` again."""
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _end(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
    tell()
    os._exit(INTERRUPTED)
