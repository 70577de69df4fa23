"""Request pages again that came without their text: with a browser or a proxy, as ``JUSTEXT_RETRY_META`` says.

A second request costs time and often money, so it is made only for these reasons:

================  ==================================================================================================
``bot_wall``      a status that walls answer with, or little text and the marks of one in the markup
``script``        little text, and an empty element that scripts fill, or a note that scripts must run
``empty_shell``   hardly any text, whatever the reason
``unsure``        the confidence of a trained profile is below ``JUSTEXT_RETRY_CONFIDENCE``
================  ==================================================================================================

There is no second request for a page that does not exist, nor for one that shows plenty of text, such as a listing, a
menu or a page in another language.  The second request goes through all downloader middlewares, like any request:
robots.txt, cookies, cache and throttling hold for it.  It does not wait in the scheduler, where the first response
would have to wait with it.  If the crawl is killed, open second requests are lost, like all open requests.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from hashlib import sha1
from itertools import islice
from typing import TYPE_CHECKING, Any

from scrapy.utils.misc import load_object

from scrapy_justext.crawl.logs import in_one_line
from scrapy_justext.crawl.pages import CleanedPage, UncleanedPage, is_in_other_language, is_of_dropped_type
from scrapy_justext.crawl.parts.order import CrawlPart, Visit
from scrapy_justext.crawl.sites import site_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy import Request
    from scrapy.http import Response
    from scrapy.settings import BaseSettings
    from scrapy.utils.request import RequestFingerprinterProtocol

    from scrapy_justext.crawl.pages import Outcome
    from scrapy_justext.crawl.session import Session
    from scrapy_justext.crawl.settings import Configuration

logger = logging.getLogger(__name__)

#: In the meta of a second request while it is on its way, so that no third one is made.
MARK = "justext_second_request"

#: Statuses of walls: forbidden, too many requests, a check before the page.  Statuses of missing pages and of broken
#: servers are not among them: a browser gets the same.
WALL_STATUSES = frozenset({403, 429, 503})

#: What stands in the markup of walls, in lower case.
WALL_MARKS = (
    b"_cf_chl_opt",  # Cloudflare
    b"cf-browser-verification",
    b"challenges.cloudflare.com",
    b"captcha-delivery.com",  # DataDome
    b"px-captcha",  # Human, once PerimeterX
    b"_incapsula_resource",  # Imperva
    b"awswaf.com",  # Amazon
    b"akamai-bm",  # Akamai
    b"g-recaptcha",
    b"h-captcha",
    b"hcaptcha.com",
)

#: An element without content that scripts fill, by the names that frameworks give it.
EMPTY_MOUNT = re.compile(
    rb"<(?:app-root\b|(?:div|main|section)\b[^<>]{0,200}\bid\s*=\s*[\"']?"
    rb"(?:root|app|app-root|main-app|react-root|q-app|svelte|__next|__nuxt|___gatsby)\b)[^<>]{0,200}>\s*</",
    re.IGNORECASE,
)
#: What a note in NOSCRIPT says in every language.
JAVASCRIPT = re.compile(rb"java-?script", re.IGNORECASE)
NOSCRIPT = re.compile(rb"<noscript\b", re.IGNORECASE)

#: Bytes of a page that are searched for marks; notes in it, and the bytes of each, that are.
SEARCHED_BYTES = 1_000_000
SEARCHED_NOTES = 20
BYTES_OF_NOTE = 2000

#: Types of pages, as trained profiles tell them, that have no text of their own.
LISTINGS = frozenset({"listing", "collection"})

#: Characters of all blocks.  Below the first a page has hardly any text; from the second on it shows plenty.
HARDLY_ANY = 200
PLENTY = 3000


def reason_to_repeat(response: Response, page: Outcome) -> str | None:
    """Return why a page is worth a second request; None if it is not."""
    if not isinstance(page, CleanedPage):
        if page.reason == "status":
            return "bot_wall" if response.status in WALL_STATUSES else None
        return "empty_shell" if page.reason == "empty" else None
    extraction, configuration = page.extraction, page.configuration
    shown = sum(extraction.column("characters"))
    # Less text tells neither the language nor the type: trained profiles take an empty shell with a menu for a listing.
    if shown >= HARDLY_ANY:
        is_unwanted = is_in_other_language(extraction, configuration) or is_of_dropped_type(extraction, configuration)
        if is_unwanted or extraction.page_type in LISTINGS:
            return None
    if page.is_good and not extraction.is_fallback:
        least, confidence = configuration.retry_confidence, extraction.confidence
        return "unsure" if least and confidence is not None and confidence < least else None
    return None if shown >= PLENTY else _why_little_text(response.body[:SEARCHED_BYTES], shown)


def _why_little_text(body: bytes, shown: int) -> str | None:
    if any(map(body.lower().__contains__, WALL_MARKS)):
        return "bot_wall"
    notes = (body[note.end() : note.end() + BYTES_OF_NOTE] for note in NOSCRIPT.finditer(body))
    inside = (note.partition(b"</noscript")[0] for note in islice(notes, SEARCHED_NOTES))
    if EMPTY_MOUNT.search(body) is not None or any(map(JAVASCRIPT.search, inside)):
        return "script"
    return "empty_shell" if shown < HARDLY_ANY else None


def is_better(second: CleanedPage, first: Outcome) -> bool:
    """Return whether the page of a second request is better: by its confidence, else by its good characters."""
    if not isinstance(first, CleanedPage):
        return second.extraction.good_characters > 0
    now, before = second.extraction, first.extraction
    if now.confidence is not None and before.confidence is not None and now.good_characters and before.good_characters:
        return now.confidence > before.confidence
    return now.good_characters > before.good_characters


#: Second requests that fail before one works, after which the log says so.
FAILED_FROM_START = 5
#: If so many second requests or more were all in vain, the log says so at the end.
MADE_IN_VAIN = 10

#: The key in the meta of requests by which scrapy-playwright knows those that are for it.
_PLAYWRIGHT = "playwright"
_PLAYWRIGHT_HANDLER = "scrapy_playwright.handler.ScrapyPlaywrightDownloadHandler"


def lacks_browser(meta: Mapping[str, Any], settings: BaseSettings) -> bool:
    """Return whether the meta of second requests asks for scrapy-playwright, which no download handler brings."""
    handlers = settings.getwithbase("DOWNLOAD_HANDLERS")
    return bool(meta.get(_PLAYWRIGHT)) and not any(
        map(_is_of_playwright, (handlers.get("http"), handlers.get("https")))
    )


def _is_of_playwright(handler: object) -> bool:
    """Return whether a download handler is scrapy-playwright's, or made from it."""
    if handler == _PLAYWRIGHT_HANDLER:
        return True
    try:
        kind = load_object(handler)  # type: ignore[arg-type]
    except Exception:
        # There is none, or Scrapy itself tells of it.
        return False
    bases = kind.__mro__ if isinstance(kind, type) else ()
    return any(f"{base.__module__}.{base.__qualname__}" == _PLAYWRIGHT_HANDLER for base in bases)


class SecondRequests(CrawlPart):
    """The second requests of a crawl, with their limits.

    An HTTP cache, if there is one, keeps them, too.  It is given its keys before the first request, so a crawl where
    only a request asks for them goes without.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._crawler = session.crawler
        self._made = 0
        self._of_sites: Counter[str] = Counter()
        self._failed = self._kept = 0
        self._cause = ""
        self._has_worked = False
        self._is_warned = False
        are_cached = any(configuration.retry_meta for configuration in session.configurations.in_use)
        self._more: dict[str, Any] = {} if are_cached else {"dont_cache": True}
        if are_cached:
            self._crawler.request_fingerprinter = _Fingerprinter(self._crawler.request_fingerprinter)

    async def page_judged(self, page: Outcome, visit: Visit) -> tuple[Outcome, Visit]:
        """Return the page, or that of a second request if it is better."""
        # A request that had the meta already would only be repeated.
        if visit.request is None or page.configuration.retry_meta.items() <= visit.request.meta.items():
            return page, visit
        page = self._compared(page, visit)
        why = reason_to_repeat(visit.response, page)
        response = await self._fetch(visit.request, page.configuration, why) if why is not None else None
        if response is None:
            return page, visit
        second = Visit(response, response.request or visit.request)
        other = self._compared(await self._session.judge(second), second)
        if isinstance(other, UncleanedPage) and other.error is not None:
            self._session.counts.add_error(other.error, response.url)
        if not (isinstance(other, CleanedPage) and is_better(other, page)):
            self._count_lost(other)
            self._session.counts.add("retry/kept_first")
            return page, visit
        self._count_lost(page)
        self._keep(response, visit.request)
        self._session.counts.add("retry/kept_second")
        return other._replace(fetched="again"), second

    def _count_lost(self, page: Outcome) -> None:
        """Count the time of the page that is not kept."""
        if isinstance(page, CleanedPage):
            self._session.counts.add("seconds", page.seconds)

    def _compared(self, page: Outcome, visit: Visit) -> Outcome:
        return self._session.parts.page_compared(page, visit) if isinstance(page, CleanedPage) else page

    async def _fetch(self, request: Request, configuration: Configuration, why: str) -> Response | None:
        """Return the response to a second request; None for one that the limits do not allow, or that fails."""
        if not self._is_allowed(request.url, configuration):
            return None
        self._session.counts.add("retry/requests")
        self._session.counts.add(f"retry/{why}")
        assert self._crawler.engine is not None
        meta = {**request.meta, **self._more, **configuration.retry_meta, MARK: True}
        second = request.replace(meta=meta, dont_filter=True)
        try:
            response = await self._crawler.engine.download_async(second)
        except Exception as error:
            # Whatever happens to it, there is the first page.
            self._session.counts.add("retry/failed")
            self._failed += 1
            self._cause = in_one_line(error)
            # Once the log has the warning, it says nothing new.
            level = logging.DEBUG if self._is_warned else logging.INFO
            logger.log(level, "%s: second request failed: %s", request.url, self._cause)
            if self._failed >= FAILED_FROM_START:
                self._warn()
            return None
        self._has_worked = True
        return response

    def opened(self) -> None:
        """Warn if second requests ask for a browser that the crawl does not have."""
        asked = [configuration.retry_meta for configuration in self._session.configurations.in_use]
        if any(lacks_browser(meta, self._crawler.settings) for meta in asked):
            logger.warning(
                "JUSTEXT_RETRY_META asks for playwright, but no handler in DOWNLOAD_HANDLERS is scrapy-playwright's: "
                'no browser is asked. For "http" and "https", set it to "%s".',
                _PLAYWRIGHT_HANDLER,
            )

    def closed(self) -> None:
        """Warn if no second request of the crawl worked, or none of many brought a better page."""
        if self._failed:
            self._warn()
        if self._has_worked and self._made >= MADE_IN_VAIN and not self._kept:
            logger.warning(
                "JUSTEXT_RETRY_META: none of %d second requests brought a better page. They cost time and gain nothing "
                "here: see whether their meta does what it should, and whether the pages have any text.",
                self._made,
            )

    def _warn(self) -> None:
        """Warn once that second requests fail, if none has worked."""
        if not (self._has_worked or self._is_warned):
            self._is_warned = True
            logger.warning(
                "No second request has worked, so JUSTEXT_RETRY_META does nothing: %d failed, the last with: %s",
                self._failed,
                self._cause,
            )

    def _keep(self, response: Response, first: Request) -> None:
        """Take from the meta of a response that is kept what only its own request needed.  ``first``: the first one.

        The spider's next requests are no second requests.
        """
        self._kept += 1
        for name in {MARK, *self._more} - first.meta.keys():
            response.meta.pop(name, None)

    def _is_allowed(self, url: str, configuration: Configuration) -> bool:
        site = site_name(url)
        limits = {
            "JUSTEXT_RETRY_LIMIT": (self._made, configuration.retry_limit, "this crawl"),
            "JUSTEXT_RETRY_SITE_LIMIT": (self._of_sites[site], configuration.retry_site_limit, site),
        }
        for name, (made, most, whose) in limits.items():
            if made >= most:
                if self._session.counts.add_first("retry/over_limit", whose):
                    logger.info("No more second requests for %s: %s allows %d", whose, name, most)
                return False
        self._made += 1
        self._of_sites[site] += 1
        return True


class _Fingerprinter:
    """Gives second requests fingerprints of their own: an HTTP cache would answer them with the first response.

    ``inner``: the crawl's own fingerprinter.
    """

    def __init__(self, inner: RequestFingerprinterProtocol) -> None:
        self._inner = inner

    def fingerprint(self, request: Request) -> bytes:
        """Return the fingerprint of a request."""
        own = self._inner.fingerprint(request)
        return sha1(own + MARK.encode(), usedforsecurity=False).digest() if MARK in request.meta else own

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)
