"""Extractions for scrapy-poet: a callback or page object that is annotated with ``Extraction`` gets it.

Enabled by ``SCRAPY_POET_PROVIDERS = {"scrapy_justext.poet.ExtractionProvider": 550}``.  Needs the extra ``poet``.
"""

# No postponed annotations: scrapy-poet reads those of __call__.
import json
import logging
from collections.abc import Callable
from typing import Any

from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy_poet.page_input_providers import PageObjectInputProvider
from web_poet.serialization import register_serialization

from scrapy_justext.core.extraction import Extraction
from scrapy_justext.crawl.pages import UncleanedPage
from scrapy_justext.crawl.session import get_session
from scrapy_justext.exceptions import JustextError

logger = logging.getLogger(__name__)

_FILE = "extraction.json"


class NoExtraction(JustextError, IgnoreRequest):  # noqa: N818
    """A page whose extraction was asked for is not cleaned: it is no HTML, too large, or switched off.

    It goes to the request's errback.  Without one, the page is left out: Scrapy writes no traceback for it.
    """


class ExtractionProvider(PageObjectInputProvider):
    """Provides what :func:`~scrapy_justext.get_extraction` returns for the response.

    If the plugin's middleware stands above scrapy-poet's, the page is extracted already.
    """

    provided_classes = {Extraction}  # noqa: RUF012 (scrapy-poet's attribute)
    name = "justext_extraction"

    def __init__(self, injector: Any) -> None:
        super().__init__(injector)  # type: ignore[no-untyped-call]
        self._session = get_session(injector.crawler)

    async def __call__(
        self,
        to_provide: set[Callable[..., Any]],  # noqa: ARG002 (scrapy-poet's signature)
        request: Request,
        response: Response,
    ) -> list[Extraction]:
        """Return the extraction of the response; raise :class:`NoExtraction` for one that is not cleaned."""
        page = await self._session.outcome_of(response, request)
        if isinstance(page, UncleanedPage):
            logger.info("%s: no extraction for the callback: %s", response.url, page.message)
            raise NoExtraction(f"{response.url} has no extraction: {page.message}")
        return [page.extraction]


def _serialize(extraction: Extraction) -> dict[str, bytes]:
    return {_FILE: json.dumps(extraction.to_dict(), ensure_ascii=False).encode()}


def _deserialize(kind: type[Extraction], data: dict[str, bytes]) -> Extraction:
    return kind.from_dict(json.loads(data[_FILE]))


# For SCRAPY_POET_CACHE and saved fixtures.
register_serialization(_serialize, _deserialize)
