"""Arguments that several commands share."""

from __future__ import annotations

import os
from argparse import ArgumentTypeError
from typing import TYPE_CHECKING

from scrapy_justext.crawl.conversion import at_least_one
from scrapy_justext.exceptions import ParameterError

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Callable

    from scrapy_justext.crawl.conversion import Converter


def argument(convert: Converter) -> Callable[[str], object]:
    """Return a converter for argparse, which shows what is wrong in the converter's words."""

    def converted(text: str) -> object:
        try:
            return convert(text)
        except ParameterError as error:
            raise ArgumentTypeError(f"{text!r} {error.allowed}") from error

    return converted


def add_pages_and_processes(parser: ArgumentParser) -> None:
    """Add the arguments on pages and processes of all commands that extract."""
    count = argument(at_least_one)
    jobs, limit = "processes (default: one a core)", "first N pages of each data set"
    parser.add_argument("--jobs", type=count, default=os.cpu_count() or 1, metavar="N", help=jobs)
    parser.add_argument("--limit", type=count, default=None, metavar="N", help=limit)
    letters = "measure words with letters beyond ASCII whole, for other scripts"
    parser.add_argument("--keep-non-ascii", action="store_true", help=letters)
