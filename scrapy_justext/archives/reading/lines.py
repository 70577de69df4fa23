"""JSON Lines, plain or compressed: an object on each line, of which one value is the page."""

from __future__ import annotations

import gzip
import json
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from scrapy_justext.archives.errors import ArchiveError, part
from scrapy_justext.archives.records import Columns, Document, Place, Read, Skipped, Where, cell_document

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO

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
            with part("scrapy_justext.archives.zstandards").reader(file) as stream:
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
