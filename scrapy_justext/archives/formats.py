"""The formats of the output.

A format says how the rows of a chunk become bytes, which are appended to those of the chunks before it, and what is
made of all of them at the end.  Where nothing is made of them, they are the output already.
"""

from __future__ import annotations

import gzip
import io
import json
import shutil
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

import orjson
import pyarrow as pa

from scrapy_justext.archives.command import STANDARD_OUTPUT
from scrapy_justext.compression import ZSTANDARD_LEVEL, zstd
from scrapy_justext.exceptions import ArchiveError
from scrapy_justext.tables import SCHEMA, ParquetGroups, to_batch, to_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path
    from typing import BinaryIO

    from scrapy_justext.tables import ExtractionRow

#: Of gzip: four fifths of the default's savings for a third of its time.
_GZIP_LEVEL = 3


class OutputFormat(NamedTuple):
    """What rows become."""

    encode: Callable[[Sequence[ExtractionRow]], bytes]
    finish: Callable[[Path, Path], None] | None = None
    """Make the output of what was appended; None where that is the output."""


def find_format(name: str) -> OutputFormat:
    """Return the format that the name of an output asks for; raise :class:`ArchiveError`."""
    if name == STANDARD_OUTPUT:
        return FORMATS[".jsonl"]
    for suffix, output_format in FORMATS.items():
        if name.lower().endswith(suffix):
            return output_format
    raise ArchiveError(name, f"the output's format is told by the end of its name, one of {', '.join(FORMATS)}")


# JSON Lines.


def _encode_lines(rows: Sequence[ExtractionRow]) -> bytes:
    return b"".join(map(_line, rows))


def _line(row: ExtractionRow) -> bytes:
    values = to_json(row)
    try:
        # Ten times as fast as Python's own, which would take a tenth of the time of extraction.
        return orjson.dumps(values) + b"\n"
    except TypeError:
        # Decoded text never holds a lone surrogate, but a JSON string may, as a URL.
        return json.dumps(values, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


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


def _encode_arrow(rows: Sequence[ExtractionRow]) -> bytes:
    if not rows:
        return b""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, SCHEMA, options=pa.ipc.IpcWriteOptions(compression="lz4")) as writer:
        writer.write_batch(to_batch(rows))
    return bytes(sink.getvalue())


def _finish_parquet(chunks: Path, out: Path) -> None:
    with chunks.open("rb") as file, closing(ParquetGroups(out, SCHEMA)) as groups:
        for batch in _batches(file):
            groups.write(batch)


def _batches(file: BinaryIO) -> Iterator[pa.RecordBatch]:
    end = file.seek(0, io.SEEK_END)
    file.seek(0)
    while file.tell() < end:
        yield from pa.ipc.open_stream(file)


#: The formats by the end of an output's name.
FORMATS = {
    ".jsonl": OutputFormat(_encode_lines),
    ".jsonl.gz": OutputFormat(_encode_gzip),
    ".jsonl.zst": OutputFormat(_encode_zstandard, _finish_zstandard),
    ".parquet": OutputFormat(_encode_arrow, _finish_parquet),
}
