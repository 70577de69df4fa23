"""Zstandard, as streams: files of several frames are read to their end."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import zstandard

if TYPE_CHECKING:
    from typing import BinaryIO

#: Three, the library's own, is past the point where more costs more than it saves.
_LEVEL = 3


def reader(file: BinaryIO) -> io.BufferedReader:
    """What is in a compressed file; raises ``EOFError`` where it is damaged."""
    return io.BufferedReader(_Raw(zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)))


def compress(data: bytes) -> bytes:
    """A frame."""
    return zstandard.ZstdCompressor(level=_LEVEL).compress(data)


def writer(file: BinaryIO) -> zstandard.ZstdCompressionWriter:
    """Writes one frame into a file, which is left open."""
    return zstandard.ZstdCompressor(level=_LEVEL).stream_writer(file, closefd=False)


class _Raw(io.RawIOBase):
    """Says of damage what Python's own readers say."""

    def __init__(self, source: zstandard.ZstdDecompressionReader) -> None:
        self._source = source

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        try:
            return self._source.readinto(buffer)
        except zstandard.ZstdError as error:
            raise EOFError(str(error)) from error
