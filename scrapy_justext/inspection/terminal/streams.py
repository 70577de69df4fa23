"""Standard output and standard error, which may be closed, full, or read by nobody any more."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from io import TextIOWrapper
from typing import TYPE_CHECKING, TextIO

from scrapy_justext.exceptions import InspectionError

if TYPE_CHECKING:
    from scrapy_justext.exceptions import JustextError

STANDARD_OUTPUT = "standard output"


def write(text: str, encoding: str | None = None) -> None:
    """Print, whatever the encoding of standard output lacks; quietly when nobody reads any more.

    ``encoding``: in place of standard output's own.  Raises :class:`InspectionError` where nothing can be printed.
    """
    if not text:
        return
    if sys.stdout is None:
        raise InspectionError(STANDARD_OUTPUT, "cannot be written: it is closed")
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding=encoding, errors="backslashreplace")
    try:
        print(text, flush=True)
    except BrokenPipeError:
        _give_up(sys.stdout)
    except OSError as error:
        _give_up(sys.stdout)
        raise InspectionError(STANDARD_OUTPUT, f"cannot be written: {error.strerror}") from error


def complain(problem: JustextError | str) -> None:
    """Say on one line of standard error what is wrong, where there is somebody to hear it."""
    if sys.stderr is None:
        return
    try:
        print("justext:", " ".join(str(problem).split()), file=sys.stderr, flush=True)
    except OSError:
        _give_up(sys.stderr)


def _give_up(stream: TextIO) -> None:
    """Python writes what is left at its end, and would complain then: that goes nowhere."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
