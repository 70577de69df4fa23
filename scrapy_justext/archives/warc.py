"""WARC, plain or compressed: Common Crawl's layout, and what other crawlers write.

Pages are in ``response`` records and, without HTTP, in ``resource`` records; of the others only ``revisit`` is
counted, which stands for a page that is elsewhere.  A record is handed on when what follows it was found sound too,
for only that shows that its length was right.  Where a whole file is one gzip member, the records' offsets are that
of the member: nothing else can be gone to.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, NamedTuple

from fastwarc import ArchiveIterator, WarcRecordType

from scrapy_justext.archives.records import Document, Loaded, Place, Read, Record, Skipped, Where
from scrapy_justext.exceptions import ArchiveError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from pathlib import Path
    from typing import BinaryIO

    from fastwarc import WarcRecord

# Where records of a damaged WARC file begin and end.
#
# ``fastwarc`` reads sound files; where it stops, what is here finds the end of the last sound record and the
# beginning of
# the next one.  A file is either plain, or compressed with each record in a gzip member of its own.

GZIP = b"\x1f\x8b\x08"
_MAGIC = b"WARC/"
#: What stands behind the block of a record.
SEPARATOR = b"\r\n\r\n"
#: What may stand where nothing else does.
_PADDING = b"\0\r\n"
#: Bytes read at a time.
_STEP = 1 << 16
#: Bytes that tell whether they begin a compressed record.
_BEGINNING = 1 << 10
#: More than the longest header of a record.
_HEADER = 1 << 20
_GZIP_FORMAT = 31


def is_gzip(file: BinaryIO) -> bool:
    """Whether a file is compressed."""
    file.seek(0)
    return file.read(len(GZIP)) == GZIP


def begins_at(file: BinaryIO, offset: int, *, compressed: bool) -> bool:
    """Whether a record begins at an offset."""
    file.seek(offset)
    if not compressed:
        return file.read(len(_MAGIC)) == _MAGIC
    data = file.read(_BEGINNING)
    if not data.startswith(GZIP):
        return False
    try:
        return zlib.decompressobj(_GZIP_FORMAT).decompress(data, len(_MAGIC)) == _MAGIC
    except zlib.error:
        return False


def next_beginning(file: BinaryIO, offset: int, *, compressed: bool) -> int | None:
    """Where the next record begins, from an offset on; None where there is none."""
    magic = GZIP if compressed else _MAGIC
    while True:
        file.seek(offset)
        data = file.read(_STEP)
        if len(data) < len(magic):
            return None
        found = data.find(magic)
        if found < 0:
            offset += len(data) - len(magic) + 1
        elif begins_at(file, offset + found, compressed=compressed):
            return offset + found
        else:
            offset += found + 1


def end_of_member(file: BinaryIO, offset: int) -> int | None:
    """Where the gzip member that begins at an offset ends; None where it does not."""
    unpack = zlib.decompressobj(_GZIP_FORMAT)
    file.seek(offset)
    while data := file.read(_STEP):
        offset += len(data)
        try:
            while data and not unpack.eof:
                unpack.decompress(data, _STEP)
                data = unpack.unconsumed_tail
        except zlib.error:
            return None
        if unpack.eof:
            return offset - len(unpack.unused_data)
    return None


def end_of_block(file: BinaryIO, offset: int, content_length: int) -> int:
    """Where the block of the plain record that begins at an offset ought to end."""
    file.seek(offset)
    header = file.read(_HEADER).find(SEPARATOR)
    return offset + header + len(SEPARATOR) + content_length


def padding(file: BinaryIO) -> int:
    """The bytes of padding that a file begins with, which readers pass by; of more than a record's header, fewer."""
    file.seek(0)
    data = file.read(_HEADER)
    return len(data) - len(data.lstrip(_PADDING))


def is_empty_from(file: BinaryIO, offset: int) -> bool:
    """Whether nothing but padding is left from an offset on."""
    file.seek(offset)
    while data := file.read(_STEP):
        if data.strip(_PADDING):
            return False
    return True


#: What the HTTP headers of a page may take beside its body.
_HEADERS = 1 << 16
_TYPES = (WarcRecordType.response, WarcRecordType.resource, WarcRecordType.revisit)


class _Seen(NamedTuple):
    """A record of any type.  ``length``: that of its block; ``found``: what is to be handed on of it, if anything."""

    offset: int
    length: int
    found: Record | None
    is_whole: bool


class _Trouble(NamedTuple):
    """A damaged record."""

    offset: int
    reason: str


_Event = tuple[int, "Record | None"]


def check_warc(path: Path) -> None:
    """Raise :class:`ArchiveError` where a file begins with what is no record, not even a damaged one."""
    with path.open("rb") as file:
        compressed = is_gzip(file)
        start = padding(file)
        if not is_empty_from(file, start) and not begins_at(file, start, compressed=compressed):
            raise ArchiveError(path, "is no WARC file, or one that is damaged from its beginning")


def read_warc(open_file: Callable[[], BinaryIO], name: str, place: Place, max_bytes: int) -> Iterator[Read]:
    """The records of a file from a place on; the bodies of those with more than ``max_bytes`` are not loaded."""
    # One for fastwarc, which reads ahead, one to look elsewhere.
    with open_file() as stream, open_file() as other:
        yield from _Reader(stream, other, name, max_bytes).read(place)


class _Reader:
    def __init__(self, stream: BinaryIO, other: BinaryIO, name: str, max_bytes: int) -> None:
        self._stream = stream
        self._other = other
        self._name = name
        self._max_bytes = max_bytes
        self._compressed = is_gzip(other)
        self._size = other.seek(0, 2)

    def read(self, place: Place) -> Iterator[Read]:
        """The records from a place on."""
        here = Place(place.offset)
        for offset, found in self._events(place.offset):
            here = Place(offset, 1 if offset != here.offset else here.skip + 1)
            if found is not None and here > place:
                yield Read(found, here, min(self._stream.tell(), self._size))

    def _events(self, start: int) -> Iterator[_Event]:
        """Every record with its offset, damaged ones too; None for what is no page."""
        offset: int | None = start
        while offset is not None:
            trouble = yield from self._sound_records(offset)
            if trouble is None:
                return
            yield trouble.offset, Skipped(Where(self._name, trouble.offset), trouble.reason)
            offset = next_beginning(self._other, trouble.offset + 1, compressed=self._compressed)

    def _sound_records(self, start: int) -> Generator[_Event, None, _Trouble | None]:
        """The sound records from an offset on; returns what comes then, None at the end of the file."""
        held: _Seen | None = None
        failed = False
        try:
            for seen in self._records(start):
                if held is not None:
                    yield held.offset, held.found
                held = seen
        except OSError as error:
            # What the operating system says is not the file's fault.
            if error.errno is not None:
                raise
            failed = True
        trouble = self._trouble(held, start, failed=failed)
        if held is not None and (trouble is None or trouble.offset != held.offset):
            yield held.offset, held.found
        return trouble

    def _records(self, start: int) -> Iterator[_Seen]:
        self._stream.seek(start)
        offset = start
        for record in ArchiveIterator(self._stream, parse_http=False, fsspec_args=False):
            if begins_at(self._other, record.stream_pos, compressed=self._compressed):
                offset = record.stream_pos
            length = record.content_length
            found = self._found(record, Where(self._name, offset))
            is_whole = not isinstance(found, Loaded) or found.size == record.content_length
            yield _Seen(offset, length, found, is_whole)

    def _found(self, record: WarcRecord, where: Where) -> Record | None:
        """What is to be handed on of a record; None for one of a type that holds no page."""
        if record.record_type not in _TYPES:
            return None
        reason = self._reason(record)
        if reason is not None:
            return Skipped(where, reason)
        if not record.is_http:
            content_type = record.headers.get("Content-Type") or ""
            headers = ((b"Content-Type", content_type.encode("latin-1", "replace")),)
            return Loaded(where, Document(_url(record), record.reader.read(), headers=headers))
        record.parse_http()
        head = record.http_headers
        if head is None or head.status_code is None:
            return Skipped(where, "not_http")
        return Loaded(where, Document(_url(record), record.reader.read(), head.status_code, tuple(head.items_bytes())))

    def _reason(self, record: WarcRecord) -> str | None:
        """Why a record has no page, as far as that is seen from outside."""
        if record.record_type == WarcRecordType.revisit:
            return "revisit"
        if record.record_type == WarcRecordType.response and not record.is_http:
            return "not_http"
        return "too_large" if record.content_length > self._max_bytes + _HEADERS else None

    def _trouble(self, held: _Seen | None, start: int, *, failed: bool) -> _Trouble | None:
        """What is wrong where reading ended, behind the last record or with itself."""
        reason = "corrupt" if failed else "truncated"
        end: int | None = start
        if held is not None:
            end = self._end(held, failed=failed) if held.is_whole else None
            if end is None:
                return _Trouble(held.offset, reason)
        assert end is not None
        return None if is_empty_from(self._other, end) else _Trouble(end, reason)

    def _end(self, held: _Seen, *, failed: bool) -> int | None:
        """Where a record ends; None where that is not where the next one begins."""
        if self._compressed:
            return end_of_member(self._other, held.offset)
        end = end_of_block(self._other, held.offset, held.length)
        self._other.seek(end)
        if self._other.read(len(SEPARATOR)) == SEPARATOR:
            return end + len(SEPARATOR)
        return None if failed or end > self._size else end


def _url(record: WarcRecord) -> str | None:
    """Some crawlers write URLs in angle brackets, as an early draft of the format had it."""
    url = record.headers.get("WARC-Target-URI")
    return None if url is None else url.strip("<>")
