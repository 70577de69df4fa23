"""What ends a run, in one line; and the one place that knows how to install what is missing."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from scrapy_justext.exceptions import JustextError

if TYPE_CHECKING:
    from types import ModuleType

#: Installs all that archives need.
INSTALL_COMMAND = "pip install 'scrapy-justext[archive]'"


class ArchiveError(JustextError):
    """What ends a run.  ``what``: the file or option that it is about; ``problem``: what is wrong, in words."""

    def __init__(self, what: object, problem: str) -> None:
        super().__init__(what, problem)
        self.what = what
        self.problem = problem

    def __str__(self) -> str:
        return f"{self.what}: {self.problem}"


def part(name: str) -> ModuleType:
    """A module of this package that imports a library of the extra; raises :class:`ArchiveError` without that library.

    >>> part("scrapy_justext.archives.errors").__name__
    'scrapy_justext.archives.errors'
    """
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        raise ArchiveError(error.name, f"is not installed: {INSTALL_COMMAND}") from error


def describe(error: OSError) -> str:
    """What the operating system says, in words."""
    return error.strerror or str(error)
