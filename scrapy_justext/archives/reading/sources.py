"""What a user names as input, and the reader for it."""

from __future__ import annotations

import hashlib
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_justext.archives.errors import ArchiveError, describe, part
from scrapy_justext.archives.reading import folder, lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from scrapy_justext.archives.records import Columns, Place, Read

_WARC = (".warc", ".warc.gz")
_LINES = tuple(kind + packed for kind in (".jsonl", ".ndjson") for packed in ("", ".gz", ".zst"))
_TABLES = (".parquet", ".parq")


class Source(NamedTuple):
    """A file or folder of records.  ``stamp``: what would not be the same of another one."""

    path: Path
    size: int
    stamp: Sequence[Any]
    read: Callable[[Place], Iterator[Read]]


def find_sources(names: Sequence[str], columns: Columns, max_bytes: int) -> list[Source]:
    """A source for each name; raises :class:`ArchiveError` for what cannot be read.

    ``max_bytes``: of pages; the bodies of larger ones need not be read.
    """
    return [_find_source(Path(name), columns, max_bytes) for name in names]


def _find_source(path: Path, columns: Columns, max_bytes: int) -> Source:
    try:
        if path.is_dir():
            found = folder.files(path)
            stamps = [(name, status.st_size, status.st_mtime_ns) for name, status in found]
            size = sum(status.st_size for _, status in found)
            # A million names need not be kept: what counts is whether they are the same.
            return Source(path, size, [str(path), len(found), _digest(stamps)], partial(folder.read_folder, path))
        status = path.stat()
        reader = _reader(path, columns, max_bytes)
        with path.open("rb"):
            return Source(path, status.st_size, [str(path), status.st_size, status.st_mtime_ns], reader)
    except FileNotFoundError as error:
        raise ArchiveError(path, "no such file or folder") from error
    except OSError as error:
        raise ArchiveError(path, f"cannot be read: {describe(error)}") from error


def _reader(path: Path, columns: Columns, max_bytes: int) -> Callable[[Place], Iterator[Read]]:
    name = path.name.lower()
    if name.endswith(_WARC):
        warc = part("scrapy_justext.archives.reading.warc")
        warc.check_warc(path)
        return lambda place: warc.read_warc(partial(path.open, "rb"), str(path), place, max_bytes)
    if name.endswith(_LINES):
        lines.check_lines(path, columns)
        return lambda place: lines.read_lines(path, columns, place, max_bytes)
    if name.endswith(_TABLES):
        table = part("scrapy_justext.archives.reading.table")
        table.check_table(path, columns)
        return lambda place: table.read_table(path, columns, place)
    known = ", ".join((*_WARC, *_LINES, *_TABLES))
    raise ArchiveError(path, f"what it holds is told by the end of its name, one of {known}, or it is a folder of HTML")


def _digest(values: object) -> str:
    return hashlib.sha256(repr(values).encode("utf-8", "surrogateescape")).hexdigest()
