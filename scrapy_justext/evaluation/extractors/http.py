"""A service that extracts: the page is sent to it, its answer is the text.

A service is named by its URL, behind whose ``#`` may stand ``json=PATH``, ``timeout=SECONDS`` and ``retries=NUMBER``::

    http://127.0.0.1:9000/extract
    https://example.org/v1/extract#json=data.text&timeout=10&retries=0

The bytes of the page are the body of a POST request, its encoding stands in ``Content-Type``, the language in
``Content-Language`` and the page's address in ``Content-Location`` where they are known.  The answer is the text
itself, or JSON in which the names and list positions of the path lead to it; null is no text.

A request is tried again when there is no connection or no answer in time, and for a status that may pass, such as 503.
Any other status, and a redirect, is an error at once.
"""

from __future__ import annotations

import json
import math
import time
from dataclasses import dataclass
from http.client import HTTPException
from itertools import count
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError, URLError
from urllib.parse import parse_qsl, urldefrag, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from scrapy_justext.evaluation.extractors.base import find_language
from scrapy_justext.exceptions import ExtractorError, ParameterError

if TYPE_CHECKING:
    from scrapy_justext.evaluation.datasets.documents import Document

#: Seconds that a service may take for an answer, and how often it is asked again.
DEFAULT_TIMEOUT = 30.0
DEFAULT_RETRIES = 2
#: Seconds before the first repetition; before each later one twice as long.
BACK_OFF = 0.5
#: Statuses after which the same request may succeed.
PASSING_STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504})

_FORM = "an address such as http://127.0.0.1:9000/extract#json=data.text&timeout=10&retries=0"


class _NoRedirect(HTTPRedirectHandler):
    """Redirects are errors: urllib would follow them without the page."""

    def redirect_request(self, *_: Any) -> None:
        return None


@dataclass(frozen=True, slots=True)
class HttpExtractor:
    """Extract by a service.

    ``name``: as the user wrote it; ``path``: where in a JSON answer the text is, () for an answer that is text.
    """

    name: str
    url: str
    path: tuple[str, ...] = ()
    timeout: float = DEFAULT_TIMEOUT
    retries: int = DEFAULT_RETRIES
    version: str = "service"

    def __call__(self, document: Document, language: str | None) -> str:
        """Return the service's text; raise :class:`ExtractorError` with the status or what else went wrong last."""
        request = Request(self.url, document.html, _headers(document, language), method="POST")
        for attempt in count():
            try:
                with build_opener(_NoRedirect).open(request, timeout=self.timeout) as response:
                    charset = response.headers.get_content_charset() or "utf-8"
                    answer: str = response.read().decode(charset, "replace")
                    break
            except (OSError, HTTPException) as error:
                if isinstance(error, HTTPError):
                    error.close()
                if attempt == self.retries or (isinstance(error, HTTPError) and error.code not in PASSING_STATUSES):
                    raise ExtractorError(f"{self.url}: {_describe(error, self.timeout)}") from error
            time.sleep(BACK_OFF * 2**attempt)
        return _find_text(answer, self.path) if self.path else answer


def make_http(name: str) -> HttpExtractor:
    """Return the extractor of a service's address; raise :class:`ParameterError` for one that cannot be used."""
    try:
        url, fragment = urldefrag(name)
        options = dict(parse_qsl(fragment, keep_blank_values=True, strict_parsing=bool(fragment)))
        path = tuple(options.pop("json").split(".")) if "json" in options else ()
        timeout = float(options.pop("timeout", DEFAULT_TIMEOUT))
        retries = int(options.pop("retries", DEFAULT_RETRIES))
        is_address = bool(urlsplit(url).hostname) and urlsplit(url).port != 0
    except ValueError as error:
        raise ParameterError("extractor", name, f"must be {_FORM}") from error
    if options or not (is_address and all(path) and 0 < timeout < math.inf and retries >= 0):
        raise ParameterError("extractor", name, f"must be {_FORM}")
    return HttpExtractor(name, url, path, timeout, retries)


def _headers(document: Document, language: str | None) -> dict[str, str]:
    known = find_language(language)
    headers = {"Content-Type": f"text/html; charset={document.encoding}", "Accept": "text/plain, application/json, */*"}
    if known is not None:
        headers["Content-Language"] = known.codes[0]
    if document.url is not None and document.url.isascii() and document.url.isprintable():
        headers["Content-Location"] = document.url
    return headers


def _describe(error: Exception, timeout: float) -> str:
    if isinstance(error, HTTPError):
        return f"status {error.code} {error.reason}"
    cause = error.reason if isinstance(error, URLError) else error
    if isinstance(cause, TimeoutError):
        return f"no answer in {timeout:g} s"
    is_reached = not isinstance(error, URLError)
    return f"the connection broke: {type(error).__name__}: {error}" if is_reached else f"no connection: {cause}"


def _find_text(answer: str, path: tuple[str, ...]) -> str:
    """Return what the path leads to in a JSON text.

    >>> _find_text('{"data": [{"text": "So it goes."}]}', ("data", "0", "text"))
    'So it goes.'
    """
    shown = ".".join(path)
    try:
        value = json.loads(answer)
        for step in path:
            value = value[int(step)] if isinstance(value, list) else value[step]
    except json.JSONDecodeError as error:
        raise ExtractorError(f"the answer is not JSON: {error}") from error
    except (LookupError, TypeError, ValueError) as error:
        raise ExtractorError(f"the answer has no {shown}") from error
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ExtractorError(f"{shown} in the answer is no text: {type(value).__name__}")
    return value
