"""The bodies of HTTP messages, as they were sent, to what they hold.

Archives often keep a header of what they have undone themselves: a body that is not what its headers say is taken as
it is.  Of a body that was cut off, there is what came of it.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from scrapy_justext.archives.errors import part

if TYPE_CHECKING:
    from collections.abc import Callable

_GZIP, _ZLIB, _DEFLATE = 31, 15, -15


def join_chunks(body: bytes) -> bytes:
    r"""The body that was sent in chunks.

    >>> join_chunks(b"5\r\nHello\r\n7;x=y\r\n, world\r\n0\r\n\r\n"), join_chunks(b"<p>Hello")
    (b'Hello, world', b'<p>Hello')
    """
    chunks: list[bytes] = []
    start = 0
    while True:
        end = body.find(b"\r\n", start)
        size = _hexadecimal(body[start:end].partition(b";")[0]) if end >= 0 else None
        if not size:
            return b"".join(chunks) if chunks or size == 0 else body
        chunks.append(body[end + 2 : end + 2 + size])
        start = end + 2 + size + 2


def _hexadecimal(digits: bytes) -> int | None:
    try:
        return abs(int(digits, 16))
    except ValueError:
        return None


def unpack(body: bytes, encodings: str, max_bytes: int) -> bytes:
    """The body that was packed, as ``Content-Encoding`` says; at most one byte more than ``max_bytes`` of it.

    >>> unpack(zlib.compress(b"<p>Hello"), "deflate", 100), unpack(b"<p>Hello", "gzip", 100)
    (b'<p>Hello', b'<p>Hello')
    """
    for encoding in reversed([name.strip().lower() for name in encodings.split(",")]):
        unpacker = _UNPACKERS.get(encoding)
        unpacked = unpacker(body, max_bytes + 1) if unpacker is not None else None
        if unpacked is not None:
            body = unpacked
    return body


def _inflate(body: bytes, at_most: int, *forms: int) -> bytes | None:
    for form in forms:
        try:
            return zlib.decompressobj(form).decompress(body, at_most)
        except zlib.error:
            continue
    return None


def _unbrotli(body: bytes, at_most: int) -> bytes | None:
    brotli = part("brotli")
    try:
        return bytes(brotli.Decompressor().process(body, output_buffer_limit=at_most))
    except brotli.error:
        return None


def _unzstandard(body: bytes, at_most: int) -> bytes | None:
    zstandard = part("zstandard")
    try:
        return bytes(zstandard.ZstdDecompressor().stream_reader(body).read(at_most))
    except zstandard.ZstdError:
        return None


#: Packed bytes, and how many to give at the most -> unpacked ones; None where they are not packed so.
_UNPACKERS: dict[str, Callable[[bytes, int], bytes | None]] = {
    "gzip": lambda body, at_most: _inflate(body, at_most, _GZIP),
    "x-gzip": lambda body, at_most: _inflate(body, at_most, _GZIP),
    "deflate": lambda body, at_most: _inflate(body, at_most, _ZLIB, _DEFLATE),
    "br": _unbrotli,
    "zstd": _unzstandard,
}
