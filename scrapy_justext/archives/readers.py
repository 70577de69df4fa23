"""What a user names as input: the reader for it, and the readers of folders, JSON Lines and Parquet.

A reader yields the records of a source from a position on, each with the position behind it.  Damage is a record too:
one without a page.  WARC has a module of its own, :mod:`.warc`.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from scrapy_justext.archives.records import (
    OTHERS_OPTION,
    WARC_SUFFIXES,
    ArchivedPage,
    InputPosition,
    Location,
    PageColumns,
    Read,
    Record,
    cells_to_page,
    column_option,
    page_record,
)
from scrapy_justext.archives.warc import check_warc, read_warc
from scrapy_justext.compression import DAMAGE, zstd
from scrapy_justext.exceptions import ArchiveError, describe_os_error
from scrapy_justext.files import explaining
from scrapy_justext.tables import OF_RECORDS, OTHER_FIELDS, arrow_rows, column_problem, common_type, rows_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import BinaryIO

_LINES = tuple(kind + compression for kind in (".jsonl", ".ndjson") for compression in ("", ".gz", ".zst"))
_PARQUET = (".parquet", ".parq")
_HTML = (".html", ".htm", ".xhtml", ".shtml")
_NONE = pa.schema([])


class Source(NamedTuple):
    """A file or folder of records."""

    path: Path
    size: int
    stamp: Sequence[Any]
    """What identifies the source as it is now: another one, or this one after a change, has another stamp."""
    read: Callable[[InputPosition], Iterator[Read]]
    names: Sequence[str] = ()
    """Its columns, or the keys in its first lines."""
    others: pa.Schema = _NONE
    """The columns that are carried through."""
    has_types: bool = True
    """Whether the records hold nothing else, and values of these types alone."""


def find_source(path: Path, columns: PageColumns, max_bytes: int) -> Source:
    """Return the source at a path; raise :class:`ArchiveError` where it cannot be read.

    ``max_bytes``: the limit for pages; the bodies of larger ones need not be read.
    """
    with explaining(path, "read", ArchiveError):
        if not path.exists():
            raise ArchiveError(path, "no such file or folder")
        if path.is_dir():
            files = _html_files(path)
            stamps = [(name, status.st_size, status.st_mtime_ns) for name, status in files]
            size = sum(status.st_size for _, status in files)
            # There may be a million names: their digest tells whether they are the same.
            digest = hashlib.sha256(repr(stamps).encode("utf-8", "surrogateescape")).hexdigest()
            return Source(path, size, [str(path), len(files), digest], partial(read_folder, path))
        return _find_file(path, columns, max_bytes)


def _find_file(path: Path, columns: PageColumns, max_bytes: int) -> Source:
    status = path.stat()
    name = path.name.lower()
    make = partial(Source, path, status.st_size, [str(path), status.st_size, status.st_mtime_ns])
    if name.endswith(WARC_SUFFIXES):
        check_warc(path)
        read: Callable[[InputPosition], Iterator[Read]] = partial(
            read_warc, lambda: path.open("rb"), str(path), max_bytes
        )
        return make(read, OF_RECORDS.names, OF_RECORDS)
    if name.endswith(_LINES):
        types = sample_lines(path, columns)
        first = [(key, types[key]) for key in columns.others(types) if key != OTHER_FIELDS]
        others = pa.schema([*first, (OTHER_FIELDS, pa.string())])
        return make(partial(read_lines, path, columns, max_bytes), [*types], others, has_types=False)
    if name.endswith(_PARQUET):
        schema = read_schema(path, columns)
        others = pa.schema([pa.field(name, schema.field(name).type) for name in columns.others(schema.names)])
        return make(partial(read_parquet, path, columns), schema.names, others)
    known = ", ".join((*WARC_SUFFIXES, *_LINES, *_PARQUET))
    raise ArchiveError(path, f"what it holds is told by the end of its name, one of {known}, or it is a folder of HTML")


# A folder of HTML files, in the order of their names.


def read_folder(folder: Path, position: InputPosition) -> Iterator[Read]:
    """Yield the files from a position on, which is a number of files."""
    done = 0
    for number, (path, status) in enumerate(_html_files(folder)):
        done += status.st_size
        if number >= position.offset:
            record = Record(Location(path, 0), partial(_page_in_file, path), status.st_size)
            yield record, position._replace(offset=number + 1, done=done)


def _page_in_file(path: str) -> ArchivedPage:
    return ArchivedPage(None, Path(path).read_bytes())


def _html_files(folder: Path) -> list[tuple[str, os.stat_result]]:
    """Return the HTML files in a folder and below it, in order; raise :class:`ArchiveError` where there is none."""

    def complain(error: OSError) -> None:
        raise ArchiveError(error.filename, f"cannot be read: {describe_os_error(error)}") from error

    paths = sorted(
        os.path.join(parent, name)
        for parent, _, names in os.walk(folder, onerror=complain)
        for name in names
        if name.lower().endswith(_HTML)
    )
    if not paths:
        raise ArchiveError(folder, f"holds no file that ends in {', '.join(_HTML)}")
    return [(path, os.stat(path)) for path in paths]


# JSON Lines, plain or compressed: an object on each line, of which one value is the page.

#: Bytes read at a time where lines are only passed by.
_STEP = 1 << 20
#: The most bytes that JSON makes of one byte of a page.
_ESCAPED = 6
_OPENERS: dict[str, Callable[[BinaryIO], Any]] = {".gz": gzip.open, ".zst": zstd.open}
#: An offset behind the end of any file.
_END = 1 << 62


#: Escapes that may be half of a character, which no output can hold.
_HALVES = re.compile(rb"\\u[dD][89a-fA-F]")


def _page_in_line(line: bytes, columns: PageColumns) -> ArchivedPage | str:
    values = _parse_line(line)
    if values is None:
        return "corrupt"
    others = {name: values[name] for name in columns.others(values)}
    return cells_to_page(*map(values.get, columns.of_page.values()), others=others)


def _parse_line(line: bytes) -> dict[str, Any] | None:
    try:
        values = json.loads(line)
        if _HALVES.search(line):
            values = json.loads(json.dumps(values, ensure_ascii=False).encode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return values if isinstance(values, dict) else None


def sample_lines(path: Path, columns: PageColumns) -> dict[str, pa.DataType]:
    """Return the keys in the first lines of a file, and what type of column holds the values of each.

    Raises :class:`ArchiveError` where the first line is an object without a page.
    """
    with _open_lines(path) as (stream, _):
        try:
            lines = stream.readlines(_STEP)
        except DAMAGE:
            return {}
    sample = [_parse_line(line) for line in lines]
    first = next(iter(sample), None)
    if first is not None and not (columns.html in first and isinstance(first[columns.html], str | None)):
        problem = f"no text in {columns.html!r}" if columns.html in first else f"no {columns.html!r}"
        names = ", ".join(first) or "none"
        raise ArchiveError(path, f"its lines have {problem}; {column_option('html')} names another of theirs: {names}")
    rows = [values for values in sample if values is not None]
    keys = dict.fromkeys(key for values in rows for key in values)
    return {key: common_type([values.get(key) for values in rows]) for key in keys}


def read_lines(path: Path, columns: PageColumns, max_bytes: int, position: InputPosition) -> Iterator[Read]:
    """Yield the lines of a file from a position on; offsets count the bytes of the text before it was compressed."""
    longest = max_bytes * _ESCAPED + _STEP
    with _open_lines(path) as (stream, file):
        offset = position.offset
        try:
            stream.seek(offset)
            while line := stream.readline(longest):
                location = Location(str(path), offset)
                offset += len(line)
                is_long = len(line) == longest and not line.endswith(b"\n")
                if is_long:
                    offset += _skip_line(stream)
                if is_long or line.strip():
                    content = "too_large" if is_long else partial(_page_in_line, line, columns)
                    record = Record(location, content, 0 if is_long else len(line))
                    yield record, position._replace(offset=offset, done=file.tell())
        except DAMAGE as error:
            # One with a number is not the file's fault.
            if isinstance(error, OSError) and error.errno is not None:
                raise
            # Nothing behind the damage can be read, so the position behind it is beyond the end.
            if offset < _END:
                record = Record(Location(str(path), offset), "corrupt")
                yield record, position._replace(offset=_END, done=file.tell())


@contextmanager
def _open_lines(path: Path) -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """Give the bytes of the text, and the file that they come from."""
    with path.open("rb") as file, _OPENERS.get(path.suffix.lower(), nullcontext)(file) as stream:
        yield stream, file


def _skip_line(stream: BinaryIO) -> int:
    """Pass by the rest of a line; return its bytes."""
    skipped = 0
    while line := stream.readline(_STEP):
        skipped += len(line)
        if line.endswith(b"\n"):
            break
    return skipped


# Parquet with a column of pages, as text or as bytes.

#: Rows decoded at a time: few, since pages are large.
_ROWS = 32


def read_schema(path: Path, columns: PageColumns) -> pa.Schema:
    """Return the columns of a file.

    Raises :class:`ArchiveError` where it is no Parquet, or a column that was asked for cannot hold pages.
    """
    try:
        schema = pq.read_schema(path)
        names = schema.names
    except (pa.ArrowException, UnicodeDecodeError) as error:
        raise ArchiveError(path, "is no Parquet file, or a damaged one") from error
    required = dict(columns.required())
    for field, name in columns.of_page.items():
        problem = column_problem(schema, name) if name in required or names.count(name) > 1 else None
        if problem is not None:
            raise ArchiveError(path, f"{problem}; {column_option(field)} names another of its own: {', '.join(names)}")
    for name in columns.others(names):
        if names.count(name) > 1:
            raise ArchiveError(path, f"{column_problem(schema, name)}; {OTHERS_OPTION} names those to keep")
    return schema


def read_parquet(path: Path, columns: PageColumns, position: InputPosition) -> Iterator[Read]:
    """Yield the rows of a file from a position on, which is a number of rows."""
    with pq.ParquetFile(path) as table:
        bytes_a_row = path.stat().st_size / max(table.metadata.num_rows, 1)
        start = 0
        for group in range(table.num_row_groups):
            end = start + table.metadata.row_group(group).num_rows
            if end > position.offset:
                for record, behind in _group_records(table, group, columns, Location(str(path), start), end):
                    if behind > position.offset:
                        yield record, position._replace(offset=behind, done=int(behind * bytes_a_row))
            start = end


def _group_records(
    table: pq.ParquetFile, group: int, columns: PageColumns, start: Location, end: int
) -> Iterator[tuple[Record, int]]:
    """Yield the records of a row group, from ``start`` up to row ``end``, each with the number of the next row."""
    number = start.offset or 0
    known = table.schema_arrow.names
    others = columns.others(known)
    names = [*columns.of_page.values()]
    used = {*others, *(name for name in names if name in known)}
    try:
        for batch in table.iter_batches(_ROWS, row_groups=[group], columns=[*used]):
            for cells, other in zip(rows_of(batch, names), arrow_rows(batch, others), strict=True):
                page = cells_to_page(*cells, others=other)
                yield page_record(start._replace(offset=number), page), number + 1
                number += 1
    except (pa.ArrowException, OSError) as error:
        if getattr(error, "errno", None) is not None:
            raise
        # What is left of a damaged row group cannot be told apart.
        yield Record(start._replace(offset=number), "corrupt"), end
