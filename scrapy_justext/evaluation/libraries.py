"""Where the libraries of the optional extra are loaded that are heavy, or not needed by every run."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from scrapy_justext.exceptions import JustextError

if TYPE_CHECKING:
    from types import ModuleType

#: Installs all that the evaluation framework needs.
INSTALL_COMMAND = "pip install 'scrapy-justext[evaluation]'"


class LibraryNotInstalledError(JustextError):
    """A library of the extra is not installed; ``library``: its name, ``command``: what installs it."""

    def __init__(self, library: str) -> None:
        super().__init__(library)
        self.library = library
        self.command = INSTALL_COMMAND

    def __str__(self) -> str:
        return f"{self.library} is not installed: {self.command}"


def require(module: str, library: str) -> ModuleType:
    """A module of a ``library``; raises :class:`LibraryNotInstalledError` where it is missing.

    >>> require("json", "json").__name__
    'json'
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise LibraryNotInstalledError(library) from error
