"""From a record to its row, or to the reason why there is none; as in a crawl, without one."""

from __future__ import annotations

from functools import cache
from http import HTTPStatus
from typing import TYPE_CHECKING, NamedTuple, cast
from urllib.parse import urlsplit

from scrapy_justext.archives.work.responses import make_response
from scrapy_justext.cleaned import Page
from scrapy_justext.core.parsing import parse_html
from scrapy_justext.extraction import extract_parsed
from scrapy_justext.pages import header_languages, skip_reason
from scrapy_justext.settings import Configuration, Layers, configure, is_enabled
from scrapy_justext.sites import find_domain

if TYPE_CHECKING:
    from scrapy.http import Response, TextResponse

    from scrapy_justext.archives.records import Record, Where


#: Of a language that is to be detected.
_PAGE = "<p>" + "It was the best of times, it was the worst of times. " * 5


class Row(NamedTuple):
    """A page that was extracted, and where it stood."""

    url: str | None
    where: Where
    page: Page

    @property
    def is_wanted(self) -> bool:
        """Whether it belongs into the output."""
        return self.page.is_good or self.page.configuration.drop == "none"


class Judge:
    """Extracts pages with the settings for their sites."""

    def __init__(self, layers: Layers) -> None:
        self._layers = layers
        self._configuration_of = cache(self._configure)

    def warm_up(self) -> None:
        """Load the stoplists and the model, which no page is to be blamed for."""
        configuration = self._configuration_of(None)
        if configuration is not None:
            extract_parsed(parse_html(_PAGE), configuration.options)

    def judge(self, record: Record) -> Row | str:
        """The row of a record, or why it has none, as the counts name it; may raise whatever a page makes it raise."""
        document = record.document()
        if isinstance(document, str):
            return document
        configuration = self._configuration_of(find_domain(_host(document.url), self._layers.sites))
        if configuration is None:
            return "site"
        response = make_response(document, configuration.max_body_bytes)
        reason = skip_reason(None, response, configuration)
        if reason is not None:
            return "redirect" if reason == "status" and _is_redirect(response) else reason
        # Nobody else asks for a tree, so that the response's own selector would be the dearer way.
        parsed = parse_html(cast("TextResponse", response).text)
        declared = header_languages(response)
        extraction = extract_parsed(parsed, configuration.options, url=document.url, declared=declared)
        return Row(document.url, record.where, Page(extraction, configuration))

    def _configure(self, site: str | None) -> Configuration | None:
        """The configuration for a site's pages; None where they are not to be cleaned."""
        given = self._layers.given(site)
        return configure(given) if is_enabled(given) else None


def _host(url: str | None) -> str | None:
    """The host of a URL; None for one that has none, or is none.

    >>> _host("https://example.org/a"), _host("https://[example"), _host(None)
    ('example.org', None, None)
    """
    try:
        return urlsplit(url or "").hostname
    except ValueError:
        return None


def _is_redirect(response: Response) -> bool:
    return HTTPStatus.MULTIPLE_CHOICES <= response.status < HTTPStatus.BAD_REQUEST
