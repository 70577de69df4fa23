"""What users name on the command line and other packages add by entry points: data sets, extractors, measures."""

from __future__ import annotations

import os
from argparse import ArgumentTypeError
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Generic, TypeVar

from scrapy_justext.crawl.conversion import at_least_one
from scrapy_justext.exceptions import ParameterError, UnknownNameError

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Callable, Mapping

    from scrapy_justext.crawl.conversion import Converter

Named = TypeVar("Named")


@dataclass(frozen=True, slots=True)
class Registry(Generic[Named]):
    """The things of one sort by their names.

    ``setting``: the option that takes the names; ``sort``: what messages call a thing; ``group``: the entry points by
    which other packages add theirs, "" where they cannot.
    """

    setting: str
    sort: str
    built_in: Mapping[str, Named]
    group: str = ""

    def names(self) -> tuple[str, ...]:
        """Return all names, those of other packages too."""
        return (*self.built_in, *(point.name for point in entry_points(group=self.group)))

    def find(self, name: str) -> Named:
        """Return what has that name; raise :class:`UnknownNameError`, and what loading an entry point raises."""
        if name in self.built_in:
            return self.built_in[name]
        for point in entry_points(group=self.group, name=name):
            loaded: Named = point.load()
            return loaded
        raise UnknownNameError(self.setting, name, self.sort, self.names())


def argument(convert: Converter) -> Callable[[str], object]:
    """Return a converter for argparse, which shows what is wrong in the converter's words."""

    def converted(text: str) -> object:
        try:
            return convert(text)
        except ParameterError as error:
            raise ArgumentTypeError(f"{text!r} {error.allowed}") from error

    return converted


def add_processes(parser: ArgumentParser) -> None:
    """Add the argument on processes of all commands that extract."""
    jobs = "processes (default: one a core)"
    parser.add_argument("--jobs", type=argument(at_least_one), default=os.cpu_count() or 1, metavar="N", help=jobs)
