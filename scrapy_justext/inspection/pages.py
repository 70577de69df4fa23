"""The pages that a user wants to look into: parsed, with the settings that hold for them.

What is a page and what is not is decided as in a crawl.  Only of files and standard input, which have no HTTP
headers, more is believed: where the name tells no type, any text with a tag in it is HTML.
"""

from __future__ import annotations

import re
import sys
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.responsetypes import responsetypes

from scrapy_justext.core.parsing import Parsed, parse_html
from scrapy_justext.exceptions import InspectionError
from scrapy_justext.extraction import Extraction, extract_parsed
from scrapy_justext.pages import header_languages, parse_response, skip_reason
from scrapy_justext.settings import Configuration, configure

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_justext.options import Options

#: The PAGE that stands for standard input, and what it is called.
STANDARD_INPUT = "-"
_STANDARD_INPUT_NAME = "standard input"

_DEFAULT = configure({})

_TAG = re.compile(rb"<[a-z][^<>]*>", re.IGNORECASE)
_PDF = b"%PDF-"


class Inspected(NamedTuple):
    """A page that can be looked into."""

    name: str
    """As the user named it."""
    url: str | None
    """Where it was found after redirects; None for a file and standard input."""
    parsed: Parsed
    declared: tuple[str, ...] = ()
    """The languages that its HTTP headers name."""
    configuration: Configuration = _DEFAULT
    """What a crawl would judge it by, with what the user chose on the command line."""

    def extract(self, options: Options | None = None) -> Extraction:
        """The page's extraction, by its own options where none are given."""
        chosen = self.configuration.options if options is None else options
        return extract_parsed(self.parsed, chosen, url=self.url, declared=self.declared)


def read_page(name: str, configuration: Configuration, encoding: str | None = None) -> Inspected:
    """The page in a file, or on standard input; raises :class:`InspectionError`.

    ``encoding``: as for :func:`scrapy_justext.extract`.
    """
    title = _STANDARD_INPUT_NAME if name == STANDARD_INPUT else name
    try:
        body = _standard_input() if name == STANDARD_INPUT else Path(name).read_bytes()
    except (OSError, ValueError) as error:
        raise InspectionError(title, _unreadable(name, error)) from error
    _check(title, _as_response(name, body), configuration)
    return Inspected(title, None, parse_html(body, encoding), (), configuration)


def page_of(name: str, response: Response, configuration: Configuration) -> Inspected:
    """The page that a response holds; raises :class:`InspectionError` where it is none."""
    checked = _check(name, response, configuration)
    declared = tuple(header_languages(response))
    return Inspected(name, response.url, parse_response(checked), declared, configuration)


def _standard_input() -> bytes:
    if sys.stdin is None:
        raise ValueError("it is closed")
    return sys.stdin.buffer.read()


def _unreadable(name: str, error: OSError | ValueError) -> str:
    if isinstance(error, FileNotFoundError):
        looks_like_host = re.match(r"(?:www\.|[\w.-]+\.[a-z]{2,}/)", name, re.IGNORECASE)
        return "no such file" + ("; a URL begins with https://" if looks_like_host else "")
    return f"cannot be read: {getattr(error, 'strerror', None) or error}"


def _as_response(name: str, body: bytes) -> Response:
    """The response that Scrapy would make of a file."""
    kind = responsetypes.from_args(filename=name, body=body)
    if responsetypes.from_filename(name) is Response and _is_markup(kind, body):
        kind = HtmlResponse
    # Only a URL that is one can be given.
    return kind("file:///", body=body)


def _is_markup(kind: type[Response], body: bytes) -> bool:
    """Whether a body of a type that its name does not tell is HTML; ``kind``: what Scrapy takes it for."""
    if body.startswith((BOM_UTF16_BE, BOM_UTF16_LE)):
        return True
    return kind is TextResponse and not body.startswith(_PDF) and _TAG.search(body) is not None


def _check(name: str, response: Response, configuration: Configuration) -> TextResponse:
    """The response, if it is a page that a crawl would clean."""
    reason = skip_reason(None, response, configuration)
    if reason is None and isinstance(response, TextResponse):
        return response
    raise InspectionError(name, _PROBLEMS[reason or "not_html"](response, configuration))


def describe_status(response: Response) -> str:
    """The status of a response that is no page, in words."""
    names = {status.value: status.phrase for status in HTTPStatus}
    return f"HTTP status {response.status} {names.get(response.status, '')}".rstrip()


def _not_html(response: Response) -> str:
    content_type = (response.headers.get("Content-Type") or b"").decode("latin-1")
    return "not HTML" + (f": content type {content_type}" if content_type else "")


#: What each reason to skip a page is in words.
_PROBLEMS: dict[str, Callable[[Response, Configuration], str]] = {
    "status": lambda response, _: describe_status(response),
    "empty": lambda _, __: "empty",
    "too_large": lambda response, configuration: (
        f"{len(response.body)} bytes, JUSTEXT_MAX_BODY_BYTES allows {configuration.max_body_bytes}"
    ),
    "not_html": lambda response, _: _not_html(response),
    "binary": lambda _, __: "not HTML: bytes that no text has",
}
