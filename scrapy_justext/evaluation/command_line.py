"""Arguments that several commands share, and converters of arguments."""

from __future__ import annotations

import math
import os
from argparse import ArgumentTypeError
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Callable


def whole_number(least: int) -> Callable[[str], int]:
    """Return a converter for argparse of whole numbers from ``least`` on."""

    def convert(text: str) -> int:
        with suppress(ValueError):
            if int(text) >= least:
                return int(text)
        allowed = "above 0" if least == 1 else f"of {least} or more"
        raise ArgumentTypeError(f"{text!r} is not a whole number {allowed}")

    return convert


def seconds(text: str) -> float:
    """Convert an argument to a number of seconds."""
    with suppress(ValueError):
        if 0 < float(text) < math.inf:
            return float(text)
    raise ArgumentTypeError(f"{text!r} is not a number of seconds above 0")


def add_pages_and_processes(parser: ArgumentParser) -> None:
    """Add the arguments on pages and processes of all commands that extract."""
    jobs, limit = "processes (default: one a core)", "first N pages of each data set"
    parser.add_argument("--jobs", type=whole_number(1), default=os.cpu_count() or 1, metavar="N", help=jobs)
    parser.add_argument("--limit", type=whole_number(1), default=None, metavar="N", help=limit)
    letters = "measure words with letters beyond ASCII whole, for other scripts"
    parser.add_argument("--keep-non-ascii", action="store_true", help=letters)
