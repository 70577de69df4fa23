"""WARC, plain or compressed: Common Crawl's layout, and what other crawlers write.

Pages are in ``response`` records and, without HTTP, in ``resource`` records.  Of other types, only
``revisit`` is counted: it stands for a page that is elsewhere.

A file is either plain, or compressed with each record in a gzip member of its own.  ``fastwarc`` reads it as far as it
is sound.  Where it stops, this module finds the end of the last sound record and the beginning of the next one.  A
record is handed on once the record behind it was found sound, too: only that shows that its length was right.  If a
whole file is one gzip member, all records have the offset of the member, since reading can begin nowhere else.
"""

from __future__ import annotations

import io
import zlib
from typing import TYPE_CHECKING, Any, NamedTuple

from fastwarc import ArchiveIterator, WarcRecordType

from scrapy_justext.archives.records import ArchivedPage, InputPosition, Location, Read, Record, page_record
from scrapy_justext.exceptions import ArchiveError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from pathlib import Path
    from typing import BinaryIO

    from fastwarc import WarcRecord

_GZIP = b"\x1f\x8b\x08"
_MAGIC = b"WARC/"
#: What comes behind the block of a record.
_SEPARATOR = b"\r\n\r\n"
#: The bytes that mean nothing between records.
_PADDING = b"\0\r\n"
#: Bytes read at a time.
_STEP = 1 << 16
#: Bytes that tell whether a compressed record begins with them.
_BEGINNING = 1 << 10
#: More than the longest header of a record.
_RECORD_HEADER = 1 << 20
#: More than the HTTP headers of a page take.
_HTTP_HEADERS = 1 << 16
#: What zlib calls the format of gzip.
_GZIP_WBITS = 31
_TYPES = (WarcRecordType.response, WarcRecordType.resource, WarcRecordType.revisit)


class _SeenRecord(NamedTuple):
    """A record of any type, as ``fastwarc`` read it."""

    offset: int
    length: int
    """The bytes of its block."""
    record: Record | None
    """What is to be handed on of it, if anything."""
    is_whole: bool


#: Where a record begins, and the record: None where it is of a type that holds no page.
_Event = tuple[int, "Record | None"]


def check_warc(path: Path) -> None:
    """Raise :class:`ArchiveError` if a file does not begin with a record, not even with a damaged one."""
    with path.open("rb") as file:
        compressed = _is_gzip(file)
        file.seek(0)
        # Readers pass by padding.
        beginning = file.read(_RECORD_HEADER)
        start = len(beginning) - len(beginning.lstrip(_PADDING))
        if not _is_empty_from(file, start) and not _begins_at(file, start, compressed=compressed):
            raise ArchiveError(path, "is no WARC file, or one that is damaged from its beginning")


def read_warc(open_file: Callable[[], BinaryIO], name: str, max_bytes: int, position: InputPosition) -> Iterator[Read]:
    """Yield the records of a file from a position on; bodies of more than ``max_bytes`` are not loaded."""
    # fastwarc reads ahead in the one file; the other is for looking elsewhere.
    with open_file() as stream, open_file() as other:
        yield from _WarcReader(stream, other, name, max_bytes).read(position)


class _WarcReader:
    def __init__(self, stream: BinaryIO, other: BinaryIO, name: str, max_bytes: int) -> None:
        self._stream = stream
        self._other = other
        self._name = name
        self._max_bytes = max_bytes
        self._compressed = _is_gzip(other)
        self._size = other.seek(0, io.SEEK_END)

    def read(self, position: InputPosition) -> Iterator[Read]:
        """Yield the records from a position on."""
        last, skip = position.offset, 0
        for offset, record in self._events(position.offset):
            last, skip = offset, skip + 1 if offset == last else 1
            if record is not None and (offset, skip) > (position.offset, position.skip):
                done = min(self._stream.tell(), self._size)
                yield record, position._replace(offset=offset, skip=skip, done=done)

    def _events(self, start: int) -> Iterator[_Event]:
        """Yield every record, damaged ones too."""
        offset: int | None = start
        while offset is not None:
            damage = yield from self._sound_records(offset)
            if damage is None:
                return
            yield damage
            offset = _next_beginning(self._other, damage[0] + 1, compressed=self._compressed)

    def _sound_records(self, start: int) -> Generator[_Event, None, _Event | None]:
        """Yield the sound records from an offset on; return the damage behind them, None at the end of the file."""
        held: _SeenRecord | None = None
        failed = False
        try:
            for seen in self._seen_records(start):
                if held is not None:
                    yield held.offset, held.record
                held = seen
        except OSError as error:
            # What the operating system says is not the file's fault.
            if error.errno is not None:
                raise
            failed = True
        damage = self._find_damage(held, start, failed=failed)
        if held is not None and (damage is None or damage[0] != held.offset):
            yield held.offset, held.record
        return damage

    def _seen_records(self, start: int) -> Iterator[_SeenRecord]:
        self._stream.seek(start)
        offset = start
        for record in ArchiveIterator(self._stream, parse_http=False, fsspec_args=False):
            if _begins_at(self._other, record.stream_pos, compressed=self._compressed):
                offset = record.stream_pos
            length = record.content_length
            content = self._content(record) if record.record_type in _TYPES else None
            loaded = None if content is None else page_record(Location(self._name, offset), content)
            # Parsing HTTP headers leaves the length of the body.
            is_whole = not isinstance(content, ArchivedPage) or len(content.body) == record.content_length
            yield _SeenRecord(offset, length, loaded, is_whole)

    def _content(self, record: WarcRecord) -> ArchivedPage | str:
        """Return the page in a record, or the reason why there is none."""
        if record.record_type == WarcRecordType.revisit:
            return "revisit"
        if record.record_type == WarcRecordType.response and not record.is_http:
            return "not_http"
        if record.content_length > self._max_bytes + _HTTP_HEADERS:
            return "too_large"
        others: dict[str, Any] = {
            "date": record.headers.get("WARC-Date"),
            "record_id": record.headers.get("WARC-Record-ID"),
            "status": None,
        }
        if not record.is_http:
            content_type = record.headers.get("Content-Type") or ""
            headers = ((b"Content-Type", content_type.encode("latin-1", "replace")),)
            others["content_type"] = content_type or None
            return ArchivedPage(_url(record), record.reader.read(), headers=headers, others=others)
        record.parse_http()
        head = record.http_headers
        if head is None or head.status_code is None:
            return "not_http"
        others |= {"status": head.status_code, "content_type": head.get("Content-Type")}
        return ArchivedPage(_url(record), record.reader.read(), head.status_code, tuple(head.items_bytes()), others)

    def _find_damage(self, last: _SeenRecord | None, start: int, *, failed: bool) -> _Event | None:
        """Return the damaged record where reading ended: the last one, or what stands behind it."""
        offset = start
        if last is not None:
            end = self._end_of_record(last, failed=failed) if last.is_whole else None
            offset = last.offset if end is None else end
        if (last is None or offset != last.offset) and _is_empty_from(self._other, offset):
            return None
        return offset, Record(Location(self._name, offset), "corrupt" if failed else "truncated")

    def _end_of_record(self, record: _SeenRecord, *, failed: bool) -> int | None:
        """Return where a record ends; None where the next one does not begin there."""
        if self._compressed:
            return _end_of_member(self._other, record.offset)
        self._other.seek(record.offset)
        header = self._other.read(_RECORD_HEADER).find(_SEPARATOR)
        end = record.offset + header + len(_SEPARATOR) + record.length
        self._other.seek(end)
        if self._other.read(len(_SEPARATOR)) == _SEPARATOR:
            return end + len(_SEPARATOR)
        return None if failed or end > self._size else end


def _url(record: WarcRecord) -> str | None:
    """Return the URL, which some crawlers write in angle brackets, as an early draft of the format had it."""
    url = record.headers.get("WARC-Target-URI")
    return None if url is None else url.strip("<>")


# Where records begin and end, found without fastwarc.


def _is_gzip(file: BinaryIO) -> bool:
    file.seek(0)
    return file.read(len(_GZIP)) == _GZIP


def _begins_at(file: BinaryIO, offset: int, *, compressed: bool) -> bool:
    """Return True if a record begins at an offset."""
    file.seek(offset)
    if not compressed:
        return file.read(len(_MAGIC)) == _MAGIC
    data = file.read(_BEGINNING)
    if not data.startswith(_GZIP):
        return False
    try:
        return zlib.decompressobj(_GZIP_WBITS).decompress(data, len(_MAGIC)) == _MAGIC
    except zlib.error:
        return False


def _next_beginning(file: BinaryIO, offset: int, *, compressed: bool) -> int | None:
    """Return where the next record begins, from an offset on; None where there is none."""
    magic = _GZIP if compressed else _MAGIC
    while True:
        file.seek(offset)
        data = file.read(_STEP)
        if len(data) < len(magic):
            return None
        start = data.find(magic)
        if start < 0:
            offset += len(data) - len(magic) + 1
        elif _begins_at(file, offset + start, compressed=compressed):
            return offset + start
        else:
            offset += start + 1


def _end_of_member(file: BinaryIO, offset: int) -> int | None:
    """Return where the gzip member that begins at an offset ends; None where it does not."""
    decompressor = zlib.decompressobj(_GZIP_WBITS)
    file.seek(offset)
    while data := file.read(_STEP):
        offset += len(data)
        try:
            while data and not decompressor.eof:
                decompressor.decompress(data, _STEP)
                data = decompressor.unconsumed_tail
        except zlib.error:
            return None
        if decompressor.eof:
            return offset - len(decompressor.unused_data)
    return None


def _is_empty_from(file: BinaryIO, offset: int) -> bool:
    """Return True if there is nothing but padding from an offset on."""
    file.seek(offset)
    while data := file.read(_STEP):
        if data.strip(_PADDING):
            return False
    return True
