"""Archives made for the tests: few pages, every kind of record."""

import gzip
import io
from collections.abc import Sequence
from functools import partial

from scrapy_justext.archives.records import BEGINNING, InputPosition, Read
from scrapy_justext.archives.warc import read_warc

SENTENCE = "It was the best of times, it was the worst of times, and page {} had more of them. "
BOILERPLATE = '<ul><li><a href="/">Home</a><li><a href="/about">About us</a></ul>'


def page(number: int) -> str:
    """A page with one good block, which no other page has."""
    return f"<title>Page {number}</title>{BOILERPLATE}<p>{SENTENCE.format(number) * 6}"


def url(number: int) -> str:
    return f"https://example.org/{number}"


def http(body: bytes, *headers: str, status: str = "200 OK", content_type: str | None = "text/html") -> bytes:
    """An HTTP message."""
    lines = [f"HTTP/1.1 {status}", *([f"Content-Type: {content_type}"] if content_type else []), *headers]
    return "\r\n".join([*lines, "", ""]).encode() + body


def record(block: bytes, address: str = "https://example.org/", *headers: str, kind: str = "response") -> bytes:
    """A WARC record of an HTTP message, or of anything else where a header says so."""
    lines = ["WARC/1.0", f"WARC-Type: {kind}", f"WARC-Target-URI: {address}", "WARC-Date: 2026-01-01T00:00:00Z"]
    if not any(header.startswith("Content-Type") for header in headers):
        lines.append(f"Content-Type: application/http; msgtype={kind}")
    lines += [*headers, f"Content-Length: {len(block)}", "", ""]
    return "\r\n".join(lines).encode() + block + b"\r\n\r\n"


def page_record(number: int) -> bytes:
    return record(http(page(number).encode()), url(number))


def common_crawl(count: int) -> list[bytes]:
    """Records in Common Crawl's layout: a ``warcinfo``, then a request, a response and metadata for each page."""
    info = record(b"software: test\r\n", "", "Content-Type: application/warc-fields", kind="warcinfo")
    records = [info]
    for number in range(count):
        records.append(record(b"GET / HTTP/1.1\r\n\r\n", url(number), kind="request"))
        records.append(page_record(number))
        records.append(record(b"fetchTimeMs: 1\r\n", url(number), "Content-Type: text/plain", kind="metadata"))
    return records


def packed(records: Sequence[bytes]) -> bytes:
    """Records as members of a gzip file."""
    return b"".join(gzip.compress(record, mtime=0) for record in records)


def read(data: bytes, position: InputPosition = BEGINNING, max_bytes: int = 1 << 20) -> list[Read]:
    """The records that the reader finds in a WARC file."""
    return list(read_warc(partial(io.BytesIO, data), "a.warc", max_bytes, position))


def contents(reads: Sequence[Read]) -> list[str | None]:
    """The URLs of pages, and the reasons of what is none."""
    pages = [record.page() for record, _ in reads]
    return [page if isinstance(page, str) else page.url for page in pages]
