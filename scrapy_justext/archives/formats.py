"""The formats of the output.

A format says how the rows of a chunk become bytes, which are appended to those of the chunks before it, and what is
made of all of them at the end.  Where nothing is made of them, they are the output already.
"""

from __future__ import annotations

import gzip
import io
import json
import shutil
from base64 import b64encode
from contextlib import closing
from datetime import date, time
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import orjson
import pyarrow as pa

from scrapy_justext.archives.command import STANDARD_OUTPUT
from scrapy_justext.compression import ZSTANDARD_LEVEL, zstd
from scrapy_justext.exceptions import ArchiveError
from scrapy_justext.tables import ParquetGroups, to_batch, to_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path
    from typing import BinaryIO

    from scrapy_justext.tables import ExtractionRow, RowSchema

#: Of gzip: four fifths of the default's savings for a third of its time.
_GZIP_LEVEL = 3


class OutputFormat(NamedTuple):
    """What rows become."""

    encode: Callable[[Sequence[ExtractionRow]], bytes]
    finish: Callable[[Path, Path], None] | None = None
    """Make the output of what was appended; None where that is the output."""


def find_suffix(name: str) -> str:
    """Return the end of the name of an output, which tells its format; raise :class:`ArchiveError`."""
    if name == STANDARD_OUTPUT:
        return ".jsonl"
    for suffix in SUFFIXES:
        if name.lower().endswith(suffix):
            return suffix
    raise ArchiveError(name, f"the output's format is told by the end of its name, one of {', '.join(SUFFIXES)}")


def make_format(suffix: str, schema: RowSchema | None = None) -> OutputFormat:
    """Return a format by the end of its names.  ``schema``: of the rows, which Parquet needs."""
    if schema is None:
        return _FORMATS_OF_LINES[suffix]
    return OutputFormat(partial(_encode_arrow, schema), partial(_finish_parquet, schema))


# JSON Lines.


def _encode_lines(rows: Sequence[ExtractionRow]) -> bytes:
    return b"".join(map(_line, rows))


def _line(row: ExtractionRow) -> bytes:
    values = to_json(row)
    try:
        # Ten times as fast as Python's own, which would take a tenth of the time of extraction.
        return orjson.dumps(values, _as_json) + b"\n"
    except TypeError:
        # A number of more than 64 bits, or what nests deeper than some hundred levels.
        return json.dumps(values, default=_as_json, ensure_ascii=False).encode() + b"\n"


def _as_json(value: object) -> str:
    """Return what stands for a value that JSON does not have."""
    if isinstance(value, bytes):
        return b64encode(value).decode()
    return value.isoformat() if isinstance(value, date | time) else str(value)


def _encode_gzip(rows: Sequence[ExtractionRow]) -> bytes:
    # Every reader takes what is appended to a gzip file as a part of it.
    return gzip.compress(_encode_lines(rows), _GZIP_LEVEL, mtime=0) if rows else b""


def _encode_zstandard(rows: Sequence[ExtractionRow]) -> bytes:
    return zstd.compress(_encode_lines(rows), ZSTANDARD_LEVEL) if rows else b""


def _finish_zstandard(chunks: Path, out: Path) -> None:
    """Compress the rows again into one frame, since many readers stop at the end of the first."""
    if not chunks.stat().st_size:
        # A file without any frame would be one that was cut off.
        out.write_bytes(zstd.compress(b""))
        return
    with zstd.open(chunks) as rows, zstd.open(out, "wb", level=ZSTANDARD_LEVEL) as target:
        shutil.copyfileobj(rows, target)


# Parquet: until the end, the rows of each chunk are an Arrow stream.


def _encode_arrow(schema: RowSchema, rows: Sequence[ExtractionRow]) -> bytes:
    if not rows:
        return b""
    batch = to_batch(rows, schema)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema, options=pa.ipc.IpcWriteOptions(compression="lz4")) as writer:
        writer.write_batch(batch)
    return bytes(sink.getvalue())


def _finish_parquet(schema: RowSchema, chunks: Path, out: Path) -> None:
    with chunks.open("rb") as file, closing(ParquetGroups(out, schema.whole)) as groups:
        for batch in _batches(file):
            groups.write(batch)


def _batches(file: BinaryIO) -> Iterator[pa.RecordBatch]:
    end = file.seek(0, io.SEEK_END)
    file.seek(0)
    while file.tell() < end:
        yield from pa.ipc.open_stream(file)


_FORMATS_OF_LINES = {
    ".jsonl": OutputFormat(_encode_lines),
    ".jsonl.gz": OutputFormat(_encode_gzip),
    ".jsonl.zst": OutputFormat(_encode_zstandard, _finish_zstandard),
}
PARQUET = ".parquet"
#: The ends of the names of outputs, each of which tells a format.
SUFFIXES = (*_FORMATS_OF_LINES, PARQUET)
