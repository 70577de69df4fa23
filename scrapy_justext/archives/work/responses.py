"""From a page as an archive has it to the response that a crawl would have seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.http import Headers, HtmlResponse, Response, TextResponse
from scrapy.responsetypes import responsetypes

from scrapy_justext.archives.work.bodies import join_chunks, unpack

if TYPE_CHECKING:
    from scrapy_justext.archives.records import Document

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
