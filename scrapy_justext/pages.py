"""Which responses are pages to clean, and how one is taken from a response."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lxml import etree
from scrapy.http import HtmlResponse, TextResponse
from scrapy.http.request import NO_CALLBACK

from scrapy_justext.core.parsing import Parsed, is_cut, parse_html
from scrapy_justext.extraction import extraction_of, judge_page, prepare
from scrapy_justext.processes.tasks import RawPage

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Request
    from scrapy.http import Response

    from scrapy_justext.extraction import Extraction
    from scrapy_justext.judged import JudgedPage
    from scrapy_justext.settings import Configuration

#: A document that says of itself that it is HTML, behind white space, a byte order mark, an XML declaration,
#: comments.
_LOOKS_LIKE_HTML = re.compile(
    r"\A(?:\s|\ufeff|<\?.*?\?>|<!--.*?-->)*<(?:!doctype\s+html|html)\b", re.IGNORECASE | re.DOTALL
)
_SNIFFED_CHARACTERS = 2048

#: Control characters that no text holds, and the share of them from which bytes are no text.
_CONTROL = bytes(set(range(0x20)) - {*b"\t\n\r\f\x1b"}) + b"\x7f"
_SNIFFED_BYTES = 1024
_BINARY_SHARE = 0.03


def skip_reason(request: Request | None, response: Response, configuration: Configuration) -> str | None:
    """Why a response is not cleaned, as the stats name it; None when it is."""
    # Robots.txt, images and other files that Scrapy fetches for itself.
    if request is not None and request.callback is NO_CALLBACK:
        return "no_callback"
    if not isinstance(response, TextResponse):
        return "not_html"
    return next((why for why, applies in _SKIPS if applies(response, configuration)), None)


def _has_other_status(response: TextResponse, configuration: Configuration) -> bool:
    return not (200 <= response.status < 300 or response.status in configuration.extra_statuses)


#: Why a text is not cleaned; the first that applies is counted, so the cheap and the sure come first.
_SKIPS: tuple[tuple[str, Callable[[TextResponse, Configuration], bool]], ...] = (
    ("status", _has_other_status),
    ("empty", lambda response, _: not response.body.strip()),
    ("too_large", lambda response, configuration: len(response.body) > configuration.max_body_bytes),
    ("not_html", lambda response, _: not is_html(response)),
    ("binary", lambda response, _: is_binary(response)),
)


def is_html(response: TextResponse) -> bool:
    """Whether a text is HTML by its class, its content type or its markup."""
    content_type = (response.headers.get("Content-Type") or b"").lower()
    if isinstance(response, HtmlResponse) or b"html" in content_type:
        return True
    if content_type.startswith(b"text/plain"):
        return False
    return _LOOKS_LIKE_HTML.match(response.text[:_SNIFFED_CHARACTERS]) is not None


def is_binary(response: TextResponse) -> bool:
    """Whether a response that claims to be text starts with bytes that no text has."""
    if response.encoding.lower().startswith(("utf-16", "utf-32")):
        return False
    sample = response.body[:_SNIFFED_BYTES]
    return len(sample) - len(sample.translate(None, _CONTROL)) > _BINARY_SHARE * len(sample)


def extract_response(response: TextResponse, configuration: Configuration) -> Extraction:
    """The extraction of a page."""
    return extraction_of(judge_response(response, configuration))


def judge_response(response: TextResponse, configuration: Configuration) -> JudgedPage:
    """A page with the classes of its blocks."""
    parsed, options = parse_response(response), configuration.options
    prepared = prepare(parsed, options, declared=header_languages(response))
    return judge_page(parsed, prepared, options, url=response.url)


def raw_page(response: TextResponse) -> RawPage:
    """A page as it is sent to another process, where its body is decoded, too."""
    return RawPage(response.body, response.encoding, response.url, tuple(header_languages(response)))


def header_languages(response: Response) -> list[str]:
    """The languages that the page's HTTP headers claim it to be in."""
    return [value.decode("latin-1") for value in response.headers.getlist("Content-Language")]


def parse_response(response: TextResponse) -> Parsed:
    """The tree of a page: that of the response's selector where it is HTML."""
    selector = response.selector
    if selector.type == "html" and isinstance(selector.root, etree._Element):
        return Parsed(selector.root, is_cut(selector.root))
    return parse_html(response.text)
