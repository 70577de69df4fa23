"""Where records of a damaged WARC file begin and end.

``fastwarc`` reads sound files; where it stops, what is here finds the end of the last sound record and the beginning of
the next one.  A file is either plain, or compressed with each record in a gzip member of its own.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import BinaryIO

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
