"""A folder of HTML files, in the order of their names."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.archives.errors import ArchiveError, describe
from scrapy_justext.archives.records import Document, Place, Read, Where

if TYPE_CHECKING:
    from collections.abc import Iterator

SUFFIXES = (".html", ".htm", ".xhtml", ".shtml")


class HtmlFile(NamedTuple):
    """A file that is a page."""

    where: Where
    size: int
    path: str

    def document(self) -> Document:
        """The page, read when it is asked for; raises ``OSError``."""
        return Document(None, Path(self.path).read_bytes())


def files(folder: Path) -> list[tuple[str, os.stat_result]]:
    """The HTML files in a folder and those below, in their order; raises :class:`ArchiveError` for none."""

    def complain(error: OSError) -> None:
        raise ArchiveError(error.filename, f"cannot be read: {describe(error)}") from error

    found = sorted(
        os.path.join(parent, name)
        for parent, _, names in os.walk(folder, onerror=complain)
        for name in names
        if name.lower().endswith(SUFFIXES)
    )
    if not found:
        raise ArchiveError(folder, f"holds no file that ends in {', '.join(SUFFIXES)}")
    return [(path, os.stat(path)) for path in found]


def read_folder(folder: Path, place: Place) -> Iterator[Read]:
    """The files from a place on; a place is a number of files."""
    done = 0
    for number, (path, status) in enumerate(files(folder)):
        done += status.st_size
        if number >= place.offset:
            yield Read(HtmlFile(Where(path, 0), status.st_size, path), Place(number + 1), done)
