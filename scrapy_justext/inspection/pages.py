"""The pages that a user wants to inspect, and how they are judged.

A page comes from a file, from standard input or from a URL.  Scrapy fetches a URL as the project's spiders would: user
agent, robots.txt, cache, proxies, delays, add-ons, download handlers and downloader middlewares are the project's.
Pipelines, feeds, extensions and the project's scheduler are left out: to inspect a page must not write to a feed, a
database or a queue that others share.

As in a crawl, only HTML is a page.  Files and standard input have no HTTP headers: if the name has no known type, any
text with a tag in it is HTML.
"""

from __future__ import annotations

import re
import sys
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections import defaultdict
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple, cast
from urllib.parse import urlsplit

from scrapy import Request, Spider
from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.responsetypes import responsetypes
from scrapy.spidermiddlewares.httperror import HttpError
from scrapy.utils.defer import deferred_from_coro
from twisted.python.failure import Failure
from w3lib.html import remove_tags

from scrapy_justext.core.extractor import Extractor, JudgedPage, ReadPage
from scrapy_justext.core.parsing import Parsed, parse_html
from scrapy_justext.core.reading.head import page_title, whole_page
from scrapy_justext.core.reading.page import read_blocks
from scrapy_justext.core.reading.rules import is_hidden
from scrapy_justext.core.text import collapse
from scrapy_justext.crawl.pages import describe_limit, describe_reason, describe_status, header_languages, skip_reason
from scrapy_justext.crawl.settings import KEY, Configuration, configure
from scrapy_justext.exceptions import InspectionError, PageLimitError, describe_os_error

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence

    from scrapy.crawler import AsyncCrawlerProcess, CrawlerProcess

    from scrapy_justext.core.blocks import Segment
    from scrapy_justext.core.extraction import Extraction
    from scrapy_justext.core.options import Options
    from scrapy_justext.core.reading.flow import Flow
    from scrapy_justext.core.reading.nodes import Nodes
    from scrapy_justext.core.reading.rules import TagRules

#: The PAGE that stands for standard input, and its name in messages.
STANDARD_INPUT = "-"
_STANDARD_INPUT_NAME = "standard input"

#: The response of each URL, or the error in its place.
Outcomes = dict[str, "Response | BaseException"]

_DEFAULT_CONFIGURATION = configure({})

_NOTHING = Parsed(None, is_cut=False)

_TAG = re.compile(rb"<[a-z][^<>]*>", re.IGNORECASE)
_PDF = b"%PDF-"
#: The ends of the names of files with many pages; plain ones hold tags, and would pass for one page.
_ARCHIVE = re.compile(r"\.(?:warc|jsonl|ndjson|parquet|parq)(?:\.gz|\.zst)?\Z", re.IGNORECASE)

#: All statuses but redirects; which of them have pages is decided afterwards, as in a crawl.
_STATUSES = [*range(100, 300), *range(400, 600)]

_CRAWL_SETTINGS: dict[str, Any] = {
    "FEEDS": {},
    "ITEM_PIPELINES": {},
    "SPIDER_MIDDLEWARES": {},
    "EXTENSIONS": {},
    "JUSTEXT_SUMMARY": False,
    "JOBDIR": None,
    "SCHEDULER": "scrapy.core.scheduler.Scheduler",
    "DUPEFILTER_CLASS": "scrapy.dupefilters.RFPDupeFilter",
    "TELNETCONSOLE_ENABLED": False,
    # When requests wait for one robots.txt, Scrapy 2.19 applies it to the first two and lets the rest pass.
    "CONCURRENT_REQUESTS": 1,
}

_WEB = ("http", "https")
#: A character that no host has in its name.
_NO_HOST = re.compile(r"[\s\x00-\x1f\x7f%<>\"\\^`{|}]")

#: Exceptions in words, by their names: Scrapy's, and Twisted's, which older versions of Scrapy pass on.
_FETCH_PROBLEMS: Mapping[str, str] = {
    **dict.fromkeys(("CannotResolveHostError", "DNSLookupError"), "no such host"),
    **dict.fromkeys(("DownloadTimeoutError", "TimeoutError", "TCPTimedOutError"), "timed out"),
    **dict.fromkeys(("DownloadConnectionRefusedError", "ConnectionRefusedError"), "connection refused"),
    "ResponseDataLossError": "the response broke off",
}


class InspectedPage(NamedTuple):
    """A page that can be judged under any options."""

    name: str
    """As the user named it."""
    url: str | None
    """Where it was found after redirects; None for a file and standard input."""
    parsed: Parsed
    declared: tuple[str, ...] = ()
    """The languages that its HTTP headers name."""
    configuration: Configuration = _DEFAULT_CONFIGURATION
    """The configuration of a crawl, with the options of the command line."""
    seconds: float = 0.0
    """How long it took to parse."""
    problem: str | None = None
    """Why no crawl would clean it, in words; such a page has nothing to read."""

    @property
    def title(self) -> str:
        """The text of its TITLE; "" without one."""
        nodes = self.parsed.read()
        return "" if nodes is None else page_title(whole_page(nodes))

    def without_content(self, problem: str) -> InspectedPage:
        """Return the page as one that no crawl would clean."""
        return self._replace(parsed=_NOTHING, problem=problem)

    def read(self, extractor: Extractor) -> tuple[InspectedPage, ReadPage]:
        """Read the page with the options of an extractor.

        Return it with what was read; without content where the options have no crawl clean it.
        """
        try:
            return self, extractor.read(self.parsed, url=self.url, languages=self.declared)
        except PageLimitError as error:
            return self.without_content(describe_limit(error)).read(extractor)

    def judge(self, read: ReadPage, extractor: Extractor) -> Inspection:
        """Judge what was read of the page, perhaps with an extractor of other thresholds than that which read it."""
        judged = extractor.judge(read)
        rules = extractor.options.profile.tags if read.flow is None else read.flow.rules
        return Inspection(self, extractor, rules, judged, judged.extraction())

    def inspect(self, options: Options | None = None) -> Inspection:
        """Judge the page with some options; with its own where none are given."""
        start = perf_counter()
        extractor = Extractor(self.configuration.options if options is None else options)
        page, read = self.read(extractor)
        return page.judge(read, extractor)._replace(seconds=self.seconds + perf_counter() - start)


class Inspection(NamedTuple):
    """A page as an extractor judged it."""

    page: InspectedPage
    """As it was read."""
    extractor: Extractor
    rules: TagRules
    """How the page's elements were treated."""
    judged: JudgedPage
    extraction: Extraction
    seconds: float = 0.0
    """How long all of it took."""

    @property
    def flow(self) -> Flow | None:
        """The tokens of the page, with its nodes, which the extractor has let go of; None without any."""
        nodes = self.page.parsed.read()
        return None if nodes is None else read_blocks(nodes, self.rules)[1]

    @property
    def notes(self) -> list[str]:
        """What else there is to say of the page as a whole."""
        if self.page.problem is not None:
            return [f"not cleaned in a crawl: {self.page.problem}"]
        notes = []
        if self.extraction.is_cut:
            notes.append("cut: the page nests too deep, its end is missing")
        allowed = self.page.configuration.timeout
        if allowed is not None and self.seconds > allowed:
            took = f"took {self.seconds:.2g} s, JUSTEXT_TIMEOUT allows {allowed:g} s"
            notes.append(f"{took}: a crawl would give the page up")
        if self.extraction.encoding is not None:
            notes.append(f"encoding {self.extraction.encoding}: {self.extraction.encoding_reason}")
        return notes


def describe_page(extraction: Extraction) -> str:
    """Return what a profile's models say of a page as a whole; "" if they say nothing."""
    if extraction.page_type is None:
        return ""
    page_type = f"page type {extraction.page_type} (probability {extraction.page_type_probability:.2f})"
    return f"{page_type}, confidence {extraction.confidence:.2f} (expected F1)"


# Where the texts of a page went: into which block, or with which removed element.  Reading notes the elements that it
# removes (:mod:`~scrapy_justext.core.reading.flow`), but not their texts, which are read here when somebody asks.


def texts_in(flow: Flow, segments: Iterable[Segment]) -> Iterator[list[tuple[int, int]]]:
    """Yield for each block the nodes of its texts, each with the place of its part where formulas part the text.

    The number of a node stands for the text before its first child, its complement for the text behind it.  An image
    has its element.
    """
    first: dict[int, int] = {}
    for i, node in enumerate(flow.nodes):
        first.setdefault(node, i)
    for segment in segments:
        tokens: Sequence[int] = range(segment.begin, segment.end)
        if segment.image_url is None:
            tokens = [i for i in tokens if flow.codes[i] in "t$" and not flow.is_blank(i)]
        yield [(flow.nodes[i], i - first[flow.nodes[i]]) for i in tokens]


#: Elements whose text nobody is meant to read.
_NO_PROSE = frozenset({"head", "meta", "script", "style", "title"})

#: Elements that hold markup as text.
_MARKUP = frozenset({"iframe", "noembed", "noframes"})

#: Words for elements that are removed for another reason than their name, by the codes of their tokens.
_REASONS = {"h": "hidden element", "c": "element beside code", "f": "element of a formula"}


def describe_removed(inspection: Inspection) -> str:
    """Return in words how much text of a page was removed, by reasons, the most first; "" if none was.

    Elements inside other removed ones do not count, nor do those without text.
    """
    flow = inspection.flow
    if flow is None:
        return ""
    lengths: defaultdict[str, list[int]] = defaultdict(list)
    for code, node in zip(flow.codes, flow.nodes, strict=True):
        if code in "xhcf" and (length := len(collapse("".join(_texts(flow.page, node))))):
            is_gone = code == "x" and flow.rules.hidden and is_hidden(flow.page, node, flow.rules.hidden)
            lengths[_REASONS.get("h" if is_gone else code) or flow.page.name(node).upper()].append(length)
    removed = [
        f"{len(of_reason):,} {why if len(of_reason) == 1 else why.replace('element', 'elements')}"
        f" ({sum(of_reason):,} characters)"
        for why, of_reason in sorted(lengths.items(), key=lambda item: (-sum(item[1]), item[0]))
    ]
    return f"removed: {', '.join(removed)}" if removed else ""


def _texts(page: Nodes, node: int) -> Iterator[str]:
    """Yield the texts in an element, but for those that nobody is meant to read."""
    end = page.end[node]
    # What stands behind the elements that have ended here, innermost first.
    behind: list[int] = []
    inside = node
    while inside < end:
        while behind and page.end[behind[-1]] == inside:
            yield page.tail(behind.pop())
        name = page.name(inside)
        if name not in _NO_PROSE:
            yield remove_tags(page.text(inside)) if name in _MARKUP else page.text(inside)
        if inside != node:
            behind.append(inside)
        inside = page.end[inside] if name in _NO_PROSE else inside + 1
    while behind:
        yield page.tail(behind.pop())


# Where pages come from.


def read_page(name: str, configuration: Configuration, encoding: str | None = None) -> InspectedPage:
    """Read the page in a file, or on standard input; raise :class:`InspectionError` where there is none.

    ``encoding``: as for :func:`scrapy_justext.extract`.
    """
    title = _STANDARD_INPUT_NAME if name == STANDARD_INPUT else name
    if _ARCHIVE.search(name) and Path(name).is_file():
        raise InspectionError(title, "is an archive; scrapy justext-archive cleans the pages in it")
    if name == STANDARD_INPUT and sys.stdin is None:
        raise InspectionError(title, "cannot be read: it is closed")
    try:
        body = sys.stdin.buffer.read() if name == STANDARD_INPUT else Path(name).read_bytes()
    except (OSError, ValueError) as error:
        raise InspectionError(title, _unreadable(name, error)) from error
    page = InspectedPage(title, None, _NOTHING, configuration=configuration)
    return _parse(page, _as_response(name, body), body, encoding)


def page_of(name: str, response: Response, configuration: Configuration) -> InspectedPage:
    """Return the page that a response holds."""
    page = InspectedPage(name, response.url, _NOTHING, tuple(header_languages(response)), configuration)
    return _parse(page, response)


def _parse(
    page: InspectedPage, response: Response, body: bytes | None = None, encoding: str | None = None
) -> InspectedPage:
    """Return a page with its response parsed; without content if no crawl would clean it.

    ``body``: what to parse in place of the response.
    """
    reason = skip_reason(None, response, page.configuration)
    if reason is not None or not isinstance(response, TextResponse):
        return page.without_content(describe_reason(reason or "not_html", response, page.configuration))
    start = perf_counter()
    try:
        parsed = parse_html(response if body is None else body, encoding, page.configuration.options.parser)
    except PageLimitError as error:
        return page.without_content(describe_limit(error))
    return page._replace(parsed=parsed, seconds=perf_counter() - start)


def _unreadable(name: str, error: OSError | ValueError) -> str:
    """Return in words why a file cannot be read."""
    if isinstance(error, IsADirectoryError):
        return "is a folder; scrapy justext-archive cleans the pages in it"
    if isinstance(error, FileNotFoundError):
        is_host = re.match(r"(?:www\.|[\w.-]+\.[a-z]{2,}/)", name, re.IGNORECASE)
        return "no such file" + ("; a URL begins with https://" if is_host else "")
    return f"cannot be read: {describe_os_error(error) if isinstance(error, OSError) else error}"


def _as_response(name: str, body: bytes) -> Response:
    """Return the response that Scrapy would make of a file; if the name tells no type, text with a tag is HTML."""
    kind = responsetypes.from_args(filename=name, body=body)
    if responsetypes.from_filename(name) is Response:
        has_tag = kind is TextResponse and not body.startswith(_PDF) and _TAG.search(body)
        if has_tag or body.startswith((BOM_UTF16_BE, BOM_UTF16_LE)):
            kind = HtmlResponse
    # Scrapy takes nothing that is no URL.
    return kind("file:///", body=body)


class PageSpider(Spider):
    """Fetches pages and puts their responses, or errors, into ``outcomes``."""

    name = "justext"
    custom_settings = _CRAWL_SETTINGS
    urls: Iterable[str]
    outcomes: Outcomes

    async def start(self) -> AsyncIterator[Request]:
        """Request each URL once."""
        for url in self.urls:
            keep = partial(self.keep, url)
            # The command judges the page itself.
            meta = {KEY: False, "handle_httpstatus_list": _STATUSES}
            yield Request(url, callback=keep, errback=keep, dont_filter=True, meta=meta)

    def keep(self, url: str, outcome: Response | Failure) -> None:
        """Keep the response of a URL, or its error."""
        self.outcomes[url] = outcome.value or outcome if isinstance(outcome, Failure) else outcome


def fetch(
    process: CrawlerProcess | AsyncCrawlerProcess,
    urls: Sequence[str],
    receive: Callable[[Outcomes], bool],
    *,
    stay: bool = False,
) -> None:
    """Fetch URLs with the settings of a crawler process, which this starts; call ``receive`` with their outcomes.

    ``stay``: call ``receive`` while the reactor of the process runs, and if it returns True, let the reactor run until
    it is stopped from outside.  A process without a reactor ends before ``receive`` is called.
    """
    outcomes: Outcomes = {url: InspectionError(url, "not a valid URL") for url in urls if not _is_valid(url)}
    valid = [url for url in dict.fromkeys(urls) if url not in outcomes]
    crawl = process.crawl(PageSpider, urls=valid, outcomes=outcomes)
    if not (stay and process.settings.getbool("TWISTED_REACTOR_ENABLED", True)):
        # Scrapy's signal handlers would outlast the process, and keep Ctrl-C from a reactor that comes after it.
        process.start(install_signal_handlers=not stay)
        receive(outcomes)
        return
    raised: list[BaseException] = []

    def receive_in_reactor(_: object) -> None:
        # Not before: this installs a reactor.
        from twisted.internet import reactor  # noqa: PLC0415

        stays = False
        try:
            stays = receive(outcomes)
        except Exception as error:
            # Raised once the reactor has stopped.
            raised.append(error)
        if not stays:
            cast("Any", reactor).stop()

    deferred_from_coro(crawl).addBoth(receive_in_reactor)
    process.start(stop_after_crawl=False)
    for error in raised:
        raise error


def describe_fetch_error(error: BaseException | None) -> str:
    """Return in words why a page could not be fetched; None: no error is known."""
    if error is None:
        return "not fetched; the log tells more (-L DEBUG)"
    if isinstance(error, InspectionError):
        return error.problem
    if isinstance(error, HttpError):
        return describe_status(error.response)
    name = type(error).__name__
    if name in _FETCH_PROBLEMS:
        return _FETCH_PROBLEMS[name]
    text = " ".join((describe_os_error(error) if isinstance(error, OSError) else str(error)).split())
    # Messages of Scrapy and of the system are clear by themselves; others need the name of the exception.
    if text and (isinstance(error, OSError) or type(error).__module__.startswith("scrapy.")):
        return text[0].lower() + text[1:]
    return f"{name}: {text}" if text else name


def _is_valid(url: str) -> bool:
    """Return True if a URL has a host, or its scheme needs none, and no impossible port."""
    try:
        parts = urlsplit(Request(url).url)
        host = parts.hostname or ""
        # Reading the port checks it.
        _ = parts.port
    except ValueError:
        return False
    labels = host.removesuffix(".").split(".")
    return parts.scheme not in _WEB or (not _NO_HOST.search(host) and all(0 < len(label) < 64 for label in labels))
