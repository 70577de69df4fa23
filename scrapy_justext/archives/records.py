"""The values that go from readers to the processes that extract; no reading, no extracting."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, NamedTuple, Protocol

from scrapy.http import Headers, HtmlResponse, Response, TextResponse
from scrapy.responsetypes import responsetypes

from scrapy_justext.exceptions import require

if TYPE_CHECKING:
    from collections.abc import Callable


class Place(NamedTuple):
    """Where in a source reading goes on: at ``offset``, after ``skip`` things read from there on.

    Offsets are in the unit of the source's reader, which alone understands them.
    """

    offset: int = 0
    skip: int = 0


class Where(NamedTuple):
    """Where a record stands, where that is known.

    ``offset``: in bytes, of a Parquet file the row's number; 0 for a file that is a page.
    """

    file: str | None
    offset: int | None


class Document(NamedTuple):
    """A page as the archive has it.  ``body``: a ``str`` is decoded already."""

    url: str | None
    body: bytes | str
    status: int = 200
    headers: tuple[tuple[bytes, bytes], ...] = ()


class Record(Protocol):
    """What may hold a page; picklable."""

    @property
    def where(self) -> Where:
        """Where it stands."""

    @property
    def size(self) -> int:
        """Its bytes, about."""

    def document(self) -> Document | str:
        """The page in it, or why there is none, as the counts name it; may raise ``OSError``."""


class Loaded(NamedTuple):
    """A record whose page is at hand."""

    where: Where
    loaded: Document

    @property
    def size(self) -> int:
        """The characters or bytes of the body."""
        return len(self.loaded.body)

    def document(self) -> Document:
        """The page."""
        return self.loaded


class Skipped(NamedTuple):
    """A record that is no page, and why, as the counts name it."""

    where: Where
    reason: str

    @property
    def size(self) -> int:
        """Nothing is left of it."""
        return 0

    def document(self) -> str:
        """Why there is no page."""
        return self.reason


#: Reasons of records that are damaged: each is reported with its place.
TROUBLES = frozenset({"corrupt", "truncated"})


class Read(NamedTuple):
    """A record with the place behind it, and how many bytes of its source were read up to there."""

    record: Record
    next: Place
    done: int


class Columns(NamedTuple):
    """The names of the columns, or JSON keys, that hold a page; ``content_type`` may be missing from the data."""

    html: str = "html"
    url: str = "url"
    content_type: str = "content_type"


def cell_document(html: object, url: object, content_type: object) -> Document | str:
    """The page in the cells of a row, or why there is none.

    >>> cell_document("<p>Hello", "https://example.org/", None)
    Document(url='https://example.org/', body='<p>Hello', status=200, headers=())
    >>> cell_document(None, "https://example.org/", "text/html")
    'no_html'
    """
    if not isinstance(html, str | bytes):
        return "no_html"
    headers = ((b"Content-Type", content_type.encode("latin-1", "replace")),) if isinstance(content_type, str) else ()
    return Document(url if isinstance(url, str) else None, html, headers=headers)


# The bodies of HTTP messages, as they were sent, to what they hold.
#
# Archives often keep a header of what they have undone themselves: a body that is not what its headers say is taken as
# it is.  Of a body that was cut off, there is what came of it.

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
    brotli = require("brotli", "archive")
    try:
        return bytes(brotli.Decompressor().process(body, output_buffer_limit=at_most))
    except brotli.error:
        return None


def _unzstandard(body: bytes, at_most: int) -> bytes | None:
    zstandard = require("zstandard", "archive")
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


# From a page as an archive has it to the response that a crawl would have seen.

#: For pages without one.
_NO_URL = "file:///"


def make_response(document: Document, max_bytes: int) -> Response:
    """The response for a page; its body may be a byte longer than ``max_bytes`` where it ought to be more so.

    What has no headers stands in a place for HTML.
    """
    headers = Headers(document.headers)
    url = document.url or _NO_URL
    body, encoding = _body(document.body, headers, max_bytes)
    kind = responsetypes.from_args(headers=headers, url=url, body=body) if headers else HtmlResponse
    if encoding is not None and issubclass(kind, TextResponse):
        return kind(url, status=document.status, headers=headers, body=body, encoding=encoding)
    return kind(url, status=document.status, headers=headers, body=body)


def _body(body: bytes | str, headers: Headers, max_bytes: int) -> tuple[bytes, str | None]:
    """The body, and its encoding where that is known; the headers of what was undone are removed."""
    if isinstance(body, str):
        # Whatever the page declares, it is decoded already.
        return body.encode("utf-8", "replace"), "utf-8"
    if b"chunked" in _taken("Transfer-Encoding", headers).lower():
        body = join_chunks(body)
    return unpack(body, _taken("Content-Encoding", headers).decode("latin-1"), max_bytes), None


def _taken(name: str, headers: Headers) -> bytes:
    values = headers.getlist(name)
    headers.pop(name, None)
    return b",".join(values)
