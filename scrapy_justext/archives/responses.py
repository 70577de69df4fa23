"""From a page as an archive has it to the response that a crawl would have seen.

An archive keeps HTTP messages as they were sent: in chunks, compressed.  Often it keeps a header of what it has undone
itself, so a body that is not what its headers say is taken as it is.  Of a body that was cut off, what is there is
taken.
"""

from __future__ import annotations

import gzip
import io
import zlib
from typing import TYPE_CHECKING, Any

import brotli
from scrapy.http import Headers, HtmlResponse, Response, TextResponse
from scrapy.responsetypes import responsetypes

from scrapy_justext.compression import DAMAGE, zstd

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_justext.archives.records import ArchivedPage

#: For pages without one.
_NO_URL = "file:///"
#: What zlib calls these formats.
_ZLIB, _RAW_DEFLATE = 15, -15


def make_response(page: ArchivedPage, max_bytes: int) -> Response:
    """Return the response for a page; without headers, it is HTML.

    A compressed body that is larger than ``max_bytes`` is cut one byte behind them.
    """
    headers = Headers(page.headers)
    url = page.url or _NO_URL
    body, encoding = _body(page.body, headers, max_bytes)
    kind = responsetypes.from_args(headers=headers, url=url, body=body) if headers else HtmlResponse
    if encoding is not None and issubclass(kind, TextResponse):
        return kind(url, status=page.status, headers=headers, body=body, encoding=encoding)
    return kind(url, status=page.status, headers=headers, body=body)


def _body(body: bytes | str, headers: Headers, max_bytes: int) -> tuple[bytes, str | None]:
    """Return the body, and its encoding where that is known; remove the headers of what is undone."""
    if isinstance(body, str):
        # It is decoded already, whatever the page declares.
        return body.encode("utf-8", "replace"), "utf-8"
    if b"chunked" in _take_header("Transfer-Encoding", headers).lower():
        body = join_chunks(body)
    return decompress(body, _take_header("Content-Encoding", headers).decode("latin-1"), max_bytes), None


def _take_header(name: str, headers: Headers) -> bytes:
    values = headers.getlist(name)
    headers.pop(name, None)
    return b",".join(values)


def join_chunks(body: bytes) -> bytes:
    r"""Return the body that was sent in chunks.

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


def decompress(body: bytes, encodings: str, max_bytes: int) -> bytes:
    """Return the body that was compressed as ``Content-Encoding`` says; at most one byte more than ``max_bytes`` of it.

    >>> decompress(zlib.compress(b"<p>Hello"), "deflate", 100), decompress(b"<p>Hello", "gzip", 100)
    (b'<p>Hello', b'<p>Hello')
    """
    for encoding in reversed([name.strip().lower() for name in encodings.split(",")]):
        for decompressor in _DECOMPRESSORS.get(encoding, ()):
            try:
                body = decompressor(body, max_bytes + 1)
            except (*DAMAGE, brotli.error):
                continue
            break
    return body


def _inflater(wbits: int) -> Callable[[bytes, int], bytes]:
    return lambda body, at_most: zlib.decompressobj(wbits).decompress(body, at_most)


def _reader(open_body: Callable[[io.BytesIO], Any]) -> Callable[[bytes, int], bytes]:
    """Return a function that reads all the members, or frames, of a body, up to the first that is damaged."""

    def read(body: bytes, at_most: int) -> bytes:
        parts: list[bytes] = []
        size = 0
        with open_body(io.BytesIO(body)) as stream:
            try:
                while size < at_most and (part := stream.read1(at_most - size)):
                    parts.append(part)
                    size += len(part)
            except DAMAGE:
                if not parts:
                    raise
        return b"".join(parts)

    return read


#: From compressed bytes, and how many to return at most, to the bytes: the ways that an encoding may mean.
_DECOMPRESSORS: dict[str, tuple[Callable[[bytes, int], bytes], ...]] = {
    "gzip": (_reader(gzip.open),),
    "x-gzip": (_reader(gzip.open),),
    "deflate": (_inflater(_ZLIB), _inflater(_RAW_DEFLATE)),
    "br": (lambda body, at_most: bytes(brotli.Decompressor().process(body, output_buffer_limit=at_most)),),
    "zstd": (_reader(zstd.open),),
}
