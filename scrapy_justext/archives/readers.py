"""A folder of HTML files, in the order of their names."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import zlib
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import pyarrow as pa
import pyarrow.parquet as pq

from scrapy_justext.archives.formats import describe
from scrapy_justext.archives.records import (
    Columns,
    Document,
    Loaded,
    Place,
    Read,
    Record,
    Skipped,
    Where,
    cell_document,
)
from scrapy_justext.exceptions import ArchiveError, require

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import BinaryIO

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


# JSON Lines, plain or compressed: an object on each line, of which one value is the page.

#: Bytes read at a time where lines are only passed by.
_STEP = 1 << 20
#: What JSON may make of a character.
_ESCAPED = 6


_MISSING = object()


class Line(NamedTuple):
    """A line that may hold a page."""

    where: Where
    line: bytes
    columns: Columns

    @property
    def size(self) -> int:
        """Its bytes."""
        return len(self.line)

    def document(self) -> Document | str:
        """The page in it."""
        values = _values(self.line)
        if values is None:
            return "corrupt"
        return cell_document(*(values.get(name) for name in self.columns))


def _values(line: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def check_lines(path: Path, columns: Columns) -> None:
    """Raise :class:`ArchiveError` where the first line is an object without a page."""
    with _opened(path) as (stream, _):
        try:
            values = _values(stream.readline())
        except (OSError, EOFError, zlib.error):
            return
    if values is None or isinstance(values.get(columns.html, _MISSING), str | None):
        return
    problem = f"no text in {columns.html!r}" if columns.html in values else f"no {columns.html!r}"
    names = ", ".join(values) or "none"
    raise ArchiveError(path, f"its lines have {problem}; --html-column names another of theirs: {names}")


def read_lines(path: Path, columns: Columns, place: Place, max_bytes: int) -> Iterator[Read]:
    """The lines of a file from a place on; offsets count the bytes of the text that is compressed."""
    longest = max_bytes * _ESCAPED + _STEP
    with _opened(path) as (stream, file):
        offset = place.offset
        try:
            _pass_by(stream, offset, seekable=stream is file)
            while line := stream.readline(longest):
                where = Where(str(path), offset)
                offset += len(line)
                is_long = len(line) == longest and not line.endswith(b"\n")
                if is_long:
                    offset += _drop_line(stream)
                if is_long or line.strip():
                    record = Skipped(where, "too_large") if is_long else Line(where, line, columns)
                    yield Read(record, Place(offset), file.tell())
        except (OSError, EOFError, zlib.error) as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise
            # Nothing behind the damage can be read.  The place behind it is beyond all that can.
            if offset < _END:
                yield Read(Skipped(Where(str(path), offset), "corrupt"), Place(_END), file.tell())


#: Beyond the end of any file.
_END = 1 << 62


@contextmanager
def _opened(path: Path) -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """The text's bytes, and the file that they come from."""
    with path.open("rb") as file:
        if path.suffix == ".gz":
            with gzip.open(file) as stream:
                yield cast("BinaryIO", stream), file
        elif path.suffix == ".zst":
            with require("scrapy_justext.archives.formats", "archive").reader(file) as stream:
                yield stream, file
        else:
            yield file, file


def _pass_by(stream: BinaryIO, count: int, *, seekable: bool) -> None:
    if seekable:
        stream.seek(count)
        return
    while count and (data := stream.read(min(count, _STEP))):
        count -= len(data)


def _drop_line(stream: BinaryIO) -> int:
    """Pass by the rest of a line; its bytes."""
    dropped = 0
    while line := stream.readline(_STEP):
        dropped += len(line)
        if line.endswith(b"\n"):
            break
    return dropped


# Parquet with a column of pages, text or binary.

#: What a column of text may be; one of nulls says nothing of its type.
_TEXTS = (
    pa.types.is_string,
    pa.types.is_large_string,
    pa.types.is_binary,
    pa.types.is_large_binary,
    pa.types.is_fixed_size_binary,
    pa.types.is_null,
)
#: Rows decoded at a time: few, since pages are large.
_ROWS = 32


def check_table(path: Path, columns: Columns) -> None:
    """Raise :class:`ArchiveError` where a file is no Parquet, or lacks a column of text that was asked for."""
    try:
        schema = pq.read_schema(path)
    except pa.ArrowInvalid as error:
        raise ArchiveError(path, "is no Parquet file, or a damaged one") from error
    # Only pages must be there, unless another column was asked for by its name.
    wanted = {
        field: name
        for field, name, usual in zip(Columns._fields, columns, Columns(), strict=True)
        if field == "html" or name != usual
    }
    for option, name in wanted.items():
        problem = column_problem(schema, name)
        if problem is not None:
            known = f"--{option.replace('_', '-')}-column names another of its own: {', '.join(schema.names)}"
            raise ArchiveError(path, f"{problem}; {known}")


def column_problem(schema: pa.Schema, name: str) -> str | None:
    """Why a column cannot hold text, or its bytes; None where it can.

    >>> column_problem(pa.schema({"html": pa.int64()}), "html")
    "its column 'html' is of the type int64, neither text nor binary"
    >>> column_problem(pa.schema({"html": pa.dictionary(pa.int32(), pa.large_string())}), "html")
    """
    if name not in schema.names:
        return f"has no column {name!r}"
    kind = schema.types[schema.names.index(name)]
    values = kind.value_type if pa.types.is_dictionary(kind) else kind
    if any(is_one(values) for is_one in _TEXTS):
        return None
    return f"its column {name!r} is of the type {kind}, neither text nor binary"


def read_table(path: Path, columns: Columns, place: Place) -> Iterator[Read]:
    """The rows of a file from a place on; a place is a number of rows."""
    with pq.ParquetFile(path) as table:
        bytes_a_row = path.stat().st_size / max(table.metadata.num_rows, 1)
        start = 0
        for group in range(table.num_row_groups):
            end = start + table.metadata.row_group(group).num_rows
            if end > place.offset:
                for record, behind in _rows(table, group, columns, (str(path), start, end)):
                    if behind > place.offset:
                        yield Read(record, Place(behind), int(behind * bytes_a_row))
            start = end


def _rows(
    table: pq.ParquetFile, group: int, columns: Columns, at: tuple[str, int, int]
) -> Iterator[tuple[Record, int]]:
    """The rows of a row group, each with the number of the next one.  ``at``: the file, the first and last number."""
    file, number, end = at
    names = [name for name in columns if name in table.schema_arrow.names]
    try:
        for batch in table.iter_batches(_ROWS, row_groups=[group], columns=names):
            values = [batch.column(name) if name in names else pa.nulls(len(batch)) for name in columns]
            for cells in zip(*values, strict=True):
                yield _record(Where(file, number), cells), number + 1
                number += 1
    except (pa.ArrowInvalid, OSError) as error:
        if getattr(error, "errno", None) is not None:
            raise
        # What is left of a damaged row group cannot be told apart.
        yield Skipped(Where(file, number), "corrupt"), end


def _record(where: Where, cells: tuple[Any, ...]) -> Record:
    document = cell_document(*(cell.as_py() for cell in cells))
    return Skipped(where, document) if isinstance(document, str) else Loaded(where, document)


# What a user names as input, and the reader for it.

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
            found = files(path)
            stamps = [(name, status.st_size, status.st_mtime_ns) for name, status in found]
            size = sum(status.st_size for _, status in found)
            # A million names need not be kept: what counts is whether they are the same.
            return Source(path, size, [str(path), len(found), _digest(stamps)], partial(read_folder, path))
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
        warc = require("scrapy_justext.archives.warc", "archive")
        warc.check_warc(path)
        return lambda place: warc.read_warc(partial(path.open, "rb"), str(path), place, max_bytes)
    if name.endswith(_LINES):
        check_lines(path, columns)
        return lambda place: read_lines(path, columns, place, max_bytes)
    if name.endswith(_TABLES):
        table = require("scrapy_justext.archives.readers", "archive")
        table.check_table(path, columns)
        return lambda place: table.read_table(path, columns, place)
    known = ", ".join((*_WARC, *_LINES, *_TABLES))
    raise ArchiveError(path, f"what it holds is told by the end of its name, one of {known}, or it is a folder of HTML")


def _digest(values: object) -> str:
    return hashlib.sha256(repr(values).encode("utf-8", "surrogateescape")).hexdigest()
