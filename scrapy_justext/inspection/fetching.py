"""Pages fetched by Scrapy, as the project's own spiders would get them.

User agent, robots.txt, cache, proxies, delays, add-ons, download handlers and downloader middlewares are the
project's.  What else a crawl has, which acts on items, keeps a queue or reports, is left out: a look at a page must not
write to a feed, a database or a queue that others share.
"""

from __future__ import annotations

import logging
import re
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy import Request, Spider
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.python.failure import Failure

from scrapy_justext.exceptions import InspectionError
from scrapy_justext.inspection.pages import describe_status
from scrapy_justext.settings import KEY

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence

    from scrapy.crawler import AsyncCrawlerProcess, CrawlerProcess
    from scrapy.http import Response

#: What became of each URL: its response, or what kept it from coming.
Outcomes = dict[str, "Response | BaseException"]

#: All but those that redirect; which of them are good enough is decided afterwards, as in a crawl.
_STATUSES = [*range(100, 300), *range(400, 600)]

_ALONE: dict[str, Any] = {
    "FEEDS": {},
    "ITEM_PIPELINES": {},
    "SPIDER_MIDDLEWARES": {},
    "EXTENSIONS": {},
    "JOBDIR": None,
    "SCHEDULER": "scrapy.core.scheduler.Scheduler",
    "DUPEFILTER_CLASS": "scrapy.dupefilters.RFPDupeFilter",
    "TELNETCONSOLE_ENABLED": False,
    # Of requests that wait for one robots.txt together, Scrapy 2.19 applies it to the first two and lets the rest pass.
    "CONCURRENT_REQUESTS": 1,
}

_WEB = ("http", "https")
#: What no host has in its name.
_NO_HOST = re.compile(r"[\s\x00-\x1f\x7f%<>\"\\^`{|}]")

#: Their errors are about pages that did not come, which the command says itself.
_LOGGERS = ("scrapy.downloadermiddlewares.retry", "scrapy.downloadermiddlewares.robotstxt")

#: Names of exceptions, Scrapy's and those of Twisted that older Scrapys let through, in words.
_PROBLEMS: Mapping[str, str] = {
    "CannotResolveHostError": "no such host",
    "DNSLookupError": "no such host",
    "DownloadTimeoutError": "timed out",
    "TimeoutError": "timed out",
    "TCPTimedOutError": "timed out",
    "DownloadConnectionRefusedError": "connection refused",
    "ConnectionRefusedError": "connection refused",
    "ResponseDataLossError": "the response broke off",
}


class PageSpider(Spider):
    """Gets pages and keeps them.  ``outcomes``: where to."""

    name = "justext"
    custom_settings = _ALONE

    def __init__(self, urls: Iterable[str], outcomes: Outcomes, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.urls = urls
        self.outcomes = outcomes

    async def start(self) -> AsyncIterator[Request]:
        """Ask for each URL once."""
        for url in self.urls:
            keep = partial(self.keep, url)
            # The command judges the page itself.
            meta = {KEY: False, "handle_httpstatus_list": _STATUSES}
            yield Request(url, callback=keep, errback=keep, dont_filter=True, meta=meta)

    def keep(self, url: str, outcome: Response | Failure) -> None:
        """Note what became of a URL."""
        if isinstance(outcome, Failure):
            self.outcomes[url] = outcome.value or outcome
        else:
            self.outcomes[url] = outcome


def fetch(
    process: CrawlerProcess | AsyncCrawlerProcess,
    urls: Sequence[str],
    receive: Callable[[Outcomes], bool],
    *,
    stay: bool = False,
) -> None:
    """Fetch URLs with the settings of a process, which is started, and hand over what became of them.

    ``stay``: call ``receive`` while the process's reactor runs, and let that run on where it gives True, until it is
    stopped from outside.  A process without a reactor is done before.
    """
    outcomes: Outcomes = {}
    valid = [url for url in dict.fromkeys(urls) if _is_valid(url, outcomes)]
    crawl = process.crawl(PageSpider, urls=valid, outcomes=outcomes)
    if not (stay and process.settings.getbool("TWISTED_REACTOR_ENABLED", True)):
        # Scrapy's handlers would outlast the process, and a reactor that comes after it heed them, not Ctrl-C.
        process.start(install_signal_handlers=not stay)
        receive(outcomes)
        return
    raised: list[BaseException] = []
    _when_done(crawl, partial(_receive_in_reactor, receive, outcomes, raised))
    process.start(stop_after_crawl=False)
    for error in raised:
        raise error


def hush() -> None:
    """Keep quiet in the log about pages that did not come."""
    for name in _LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)


def describe(error: BaseException | None) -> str:
    """Why a page did not come, in words; None: nobody said."""
    if error is None:
        return "not fetched; the log tells more (-L DEBUG)"
    if isinstance(error, InspectionError):
        return error.problem
    if isinstance(error, HttpError):
        return describe_status(error.response)
    name = type(error).__name__
    if name in _PROBLEMS:
        return _PROBLEMS[name]
    text = " ".join(str(getattr(error, "strerror", None) or error).split())
    # What Scrapy or a system call says is made to be read; of others the name is half of the message.
    if text and (isinstance(error, OSError) or type(error).__module__.startswith("scrapy.")):
        return text[0].lower() + text[1:]
    return f"{name}: {text}" if text else name


def _is_valid(url: str, outcomes: Outcomes) -> bool:
    try:
        is_valid = _has_host(Request(url).url)
    except ValueError:
        is_valid = False
    if not is_valid:
        outcomes[url] = InspectionError(url, "not a valid URL")
    return is_valid


def _has_host(url: str) -> bool:
    """Whether a URL has a host that can be asked for, where its scheme wants one; raises ``ValueError`` for a port."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    # Reading it checks it.
    _ = parts.port
    labels = host.removesuffix(".").split(".")
    return parts.scheme not in _WEB or (not _NO_HOST.search(host) and all(0 < len(label) < 64 for label in labels))


def _when_done(crawl: Any, call: Callable[[], None]) -> None:
    """Call when a crawl has ended: a task, or a Deferred where the reactor is none of asyncio's."""
    if hasattr(crawl, "add_done_callback"):
        crawl.add_done_callback(lambda _: call())
    else:
        crawl.addBoth(lambda _: call())


def _receive_in_reactor(receive: Callable[[Outcomes], bool], outcomes: Outcomes, raised: list[BaseException]) -> None:
    # Importing it installs one.
    from twisted.internet import reactor as installed  # noqa: PLC0415

    reactor: Any = installed

    stays = False
    try:
        stays = receive(outcomes)
    except Exception as error:
        # Whatever it is, the caller gets it once the reactor has stopped.
        raised.append(error)
    if not stays:
        reactor.stop()
