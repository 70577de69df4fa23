"""Join the pages of an article: its items wait for the following pages, and get the text of all.

The items travel with the request for the next page, in its meta, so that a queue on a disk or in Redis keeps them, and
another worker can go on.  The request has a callback and an errback of its own, which are methods that the spider is
given (:data:`CALLBACK`, :data:`ERRBACK`): Scrapy stores no others.

* A queue in memory ends with the crawl: items that still wait are sent on then, with the pages that are there.
* A crawl that is killed loses the requests that it had open.  With ``JOBDIR``, each article that is begun has a file in
  :data:`FOLDER`, with its first request.  If the next crawl finds such files, and no note that the crawl before it
  ended, it makes these requests again, and ignores requests in the queue that belong to these articles.
"""

from __future__ import annotations

import logging
import pickle
from collections import Counter
from itertools import compress
from pathlib import Path
from types import MethodType
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4
from weakref import WeakKeyDictionary

from scrapy.http import HtmlResponse, Response
from scrapy.utils.job import job_dir
from scrapy.utils.request import request_from_dict

from scrapy_justext.core.extraction import BLOCK_FIELDS, BlockColumns, Extraction, made_columns
from scrapy_justext.core.parts import DOCUMENTS
from scrapy_justext.crawl.items import is_cleaned
from scrapy_justext.crawl.pages import CleanedPage, PageOfArticle, now, page_of
from scrapy_justext.crawl.parts.following_pages import is_continued, is_first, may_go_on, next_page, page_number
from scrapy_justext.crawl.parts.late_items import LateItem, before_closing, send_items
from scrapy_justext.crawl.parts.order import CrawlPart, has_lasting_queue
from scrapy_justext.crawl.sites import site_name
from scrapy_justext.files import write_whole

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator, Sequence

    from scrapy import Request, Spider
    from twisted.python.failure import Failure

    from scrapy_justext.crawl.session import Session
    from scrapy_justext.crawl.settings import Configuration

logger = logging.getLogger(__name__)

#: In the meta of a request for a following page: the article, as far as it is known.
MARK = "justext_article"
#: In the meta of a first request that is made again: the name of its file in the journal.
AGAIN = "justext_article_again"
#: The methods that spiders are given.
CALLBACK = "continue_article_of_justext"
ERRBACK = "end_article_of_justext"
#: The folder in JOBDIR, and the file in it that says that the crawl ended and was not killed.
FOLDER = "justext-articles"
ENDED = "ended"

#: Following pages are asked for before others, so that few articles are open.
PRIORITY = 10
#: After so many requests on a site that found no page of an article, none is made there any more.
MOST_IN_VAIN = 10
#: What Scrapy notes in the meta of one request, and what is not true of the next.
_OF_ONE_REQUEST = frozenset(
    {"retry_times", "redirect_times", "redirect_ttl", "redirect_urls", "redirect_reasons", "download_latency", AGAIN}
)
_ERRORS = list(range(400, 600))


class Article(NamedTuple):
    """An article whose following pages are asked for."""

    identity: str
    items: list[Any]
    pages: list[Extraction]
    urls: list[str]
    """Of its pages; the last may be that of a page that is asked for."""
    fetched: str
    """How the first page came: see :class:`~scrapy_justext.crawl.pages.CleanedPage`."""
    requests: list[Request | dict[str, Any]]
    """What the callback asked for that may be its pages; as dictionaries where a queue stores them."""


class Joining(CrawlPart):
    """The articles of a crawl."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._crawler = crawler = session.crawler
        # By the response of a first page: its article, and the request for the next page.
        self._begun: WeakKeyDictionary[Response, Article | None] = WeakKeyDictionary()
        self._requests: WeakKeyDictionary[Response, Request] = WeakKeyDictionary()
        # Requests of callbacks that may be for pages of the article: a callback may yield them before its items.
        self._held_requests: WeakKeyDictionary[Response, list[Request]] = WeakKeyDictionary()
        self._in_vain: Counter[str] = Counter()
        folder = job_dir(crawler.settings)
        self._journal = Journal(None if folder is None else Path(folder) / FOLDER)
        # The articles whose requests are only in memory, and end with the crawl; None where a queue keeps them.
        self._open: dict[str, tuple[Article, Request]] | None = None if has_lasting_queue(crawler.settings) else {}
        self._is_watched = False

    @property
    def _spider(self) -> Spider:
        assert self._crawler.spider is not None
        return self._crawler.spider

    def opened(self) -> None:
        """Give the spider its methods; request the first pages of articles that were open when a crawl was killed."""
        for name, method in ((CALLBACK, self._go_on), (ERRBACK, self._give_up)):
            setattr(self._spider, name, MethodType(lambda _, given, method=method: method(given), self._spider))
        assert self._crawler.engine is not None
        for request in self._journal.open(self._spider):
            self._crawler.engine.crawl(request)

    def closed(self) -> None:
        """Note that the crawl ended."""
        self._journal.close()

    def item_seen(self, item: Any, page: CleanedPage, response: Response) -> bool:
        """Hold an item whose page is the first of several, unless another page was chosen for it."""
        if page is not page_of(response) or page.configuration.join_pages <= 1 or MARK in response.meta:
            return False
        if not is_cleaned(item, page.configuration):
            return False
        if response not in self._begun:
            self._begun[response] = self._begin(response, page)
        article = self._begun[response]
        if article is not None:
            article.items.append(item)
        return article is not None

    def request_seen(self, request: Request, response: Response) -> bool:
        """Hold a callback's request that is for a following page of its own page.

        It goes on when the callback, or the article, has ended, unless that page was joined.
        """
        page = page_of(response)
        if not isinstance(page, CleanedPage) or page.configuration.join_pages <= 1 or page.configuration.join_callback:
            return False
        if MARK in response.meta or (page_number(request.url, response.url) or 0) <= 1:
            return False
        self._held_requests.setdefault(response, []).append(request)
        return True

    def callback_ended(self, response: Response) -> Iterator[Any]:
        """Yield the request for the page after that of a response, or the requests that were held if there is none.

        Where a queue cannot store the article, yield its items and the requests that were held.
        """
        request, held = self._requests.pop(response, None), self._held_requests.pop(response, [])
        # An item may hold its response, and then the article would hold its own key.
        is_begun = self._begun.pop(response, None) is not None
        if request is None:
            self._journal.begin_anew(response.request)
            yield from held
            return
        article: Article = request.meta[MARK]
        # All its items are there only now.
        if self._open is None and not all(_can_be_stored(asked, self._spider) for asked in (request, *held)):
            if self._session.counts.add_first("join/not_stored"):
                logger.warning(
                    "%s: the pages of this article are not joined, since an item or a request of it cannot be pickled "
                    "for the queue. More such articles are only counted, as justext/join/not_stored.",
                    response.url,
                )
            self._journal.begin_anew(response.request)
            article.requests.extend(held)
            yield from self._end(article._replace(urls=article.urls[:-1]), self._configuration_of(request))
            return
        is_stored = self._open is None
        article.requests.extend(asked.to_dict(spider=self._spider) if is_stored else asked for asked in held)
        if is_begun:
            self._journal.add(article.identity, _request_of(response), self._spider)
        self._journal.begin_anew(response.request)
        self._session.counts.add("join/requests")
        yield request

    def _send_unfinished(self) -> Coroutine[Any, Any, None]:
        """Send on the items that still wait at the end of a crawl whose queue ends with it."""
        late = []
        for article, request in list((self._open or {}).values()):
            page = self._joined(article, self._configuration_of(request), "the crawl ended before")
            late += [LateItem(item, page, Response(article.urls[0], request=request)) for item in article.items]
        return send_items(self._session, late)

    def _begin(self, response: Response, page: CleanedPage) -> Article | None:
        """Return the article that a page begins, and make the request for its next page; None if it stands alone."""
        site = site_name(response.url)
        if not page.is_good or self._in_vain[site] >= MOST_IN_VAIN or not is_first(response.url):
            return None
        article = Article(uuid4().hex, [], [page.extraction], [response.url], page.fetched, [])
        return article if may_go_on(page.extraction) and self._ask(article, response) else None

    def _ask(self, article: Article, response: Response) -> bool:
        """Make the request for the page after that of a response; return whether there is one."""
        if not isinstance(response, HtmlResponse):
            return False
        url = next_page(response, article.urls[0], len(article.pages) + 1)
        if url is None or url in article.urls:
            return False
        assert response.request is not None
        meta = {name: value for name, value in response.meta.items() if name not in _OF_ONE_REQUEST}
        asked = article._replace(urls=[*article.urls, url])
        request = response.request.replace(
            url=url,
            # It is a link, whatever the first page was sent.
            method="GET",
            body=b"",
            callback=getattr(self._spider, CALLBACK),
            errback=getattr(self._spider, ERRBACK),
            cb_kwargs={},
            meta={**meta, MARK: asked, "handle_httpstatus_list": _ERRORS},
            priority=response.request.priority + PRIORITY,
            dont_filter=True,
        )
        self._requests[response] = request
        if self._open is not None:
            if not self._is_watched:
                before_closing(self._crawler, self._send_unfinished)
                self._is_watched = True
            self._open[article.identity] = asked, request
        return True

    def _go_on(self, response: Response) -> Iterator[Any]:
        """Add a page to its article; yield the article's items, if it is the last."""
        article: Article = response.meta[MARK]
        if article.identity in self._journal.killed:
            return
        page = page_of(response)
        site = site_name(response.url)
        known = {paragraph for of_article in article.pages for paragraph in of_article.paragraphs}
        if not isinstance(page, CleanedPage):
            message = "it was not cleaned" if page is None else page.message
            yield from self._end(article, self._configuration_of(_request_of(response)), message, response)
        elif not is_continued(article.pages[0], page.extraction, known):
            if len(article.pages) == 1:
                self._in_vain[site] += 1
            self._session.counts.add("join/other_pages")
            article = article._replace(urls=article.urls[:-1])
            yield from self._end(article, page.configuration, response=response)
        else:
            self._in_vain.pop(site, None)
            self._session.counts.add("join/pages")
            article = article._replace(pages=[*article.pages, page.extraction])
            if len(article.pages) >= page.configuration.join_pages or not self._ask(article, response):
                yield from self._end(article, page.configuration, response=response)

    def _give_up(self, failure: Failure) -> Iterator[Any]:
        """Yield the items of an article whose next page could not be fetched."""
        request: Request = failure.request  # type: ignore[attr-defined]
        article = request.meta[MARK]
        if article.identity not in self._journal.killed:
            message = str(failure.value) or type(failure.value).__name__
            yield from self._end(article, self._configuration_of(request), message)

    def _end(
        self, article: Article, configuration: Configuration, error: str | None = None, response: Response | None = None
    ) -> Iterator[Any]:
        """Yield an article's items, and what its callback asked for that is none of its pages.

        With a ``response``, such requests follow its callback, past the spider middlewares: these saw them before.
        """
        if self._open is not None:
            self._open.pop(article.identity, None)
        self._journal.remove(article.identity)
        page = self._joined(article, configuration, error)
        for item in article.items:
            self._session.items.choose(item, page)
            yield item
        asked = [
            request_from_dict(request, spider=self._spider) if isinstance(request, dict) else request
            for request in article.requests
        ]
        first, pages = article.urls[0], len(article.pages)
        left = [request for request in asked if (page_number(request.url, first) or 0) > pages]
        if len(left) < len(article.requests):
            self._session.counts.add("join/requests_left_out", len(article.requests) - len(left))
        if response is None:
            yield from left
        else:
            self._held_requests[response] = left

    def _joined(self, article: Article, configuration: Configuration, error: str | None) -> CleanedPage:
        """Return the page of an article.  ``error``: why its last page is missing."""
        extraction, counts = join_pages(article.pages)
        pages = [PageOfArticle(url, count) for url, count in zip(article.urls, counts, strict=False)]
        if error is not None:
            self._session.counts.add("join/pages_missing")
            pages.append(PageOfArticle(article.urls[-1], error=error))
        self._session.counts.add("join/articles" if len(article.pages) > 1 else "join/single_pages")
        joined = tuple(pages) if len(pages) > 1 else ()
        page = CleanedPage(extraction, configuration, crawled=now(), fetched=article.fetched, pages=joined)
        return self._session.parts.page_joined(page, article.urls)

    def _configuration_of(self, request: Request) -> Configuration:
        return self._session.configurations.of_request(request)


def _request_of(response: Response) -> Request:
    assert response.request is not None
    return response.request


def _can_be_stored(request: Request, spider: Spider) -> bool:
    try:
        pickle.dumps(request.to_dict(spider=spider))
    except Exception:
        # Each library's items have errors of their own.
        return False
    return True


class Journal:
    """The first requests of the articles that are open, a file each in ``folder``; without one, nothing is kept."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        #: The articles that were open when a crawl was killed.
        self.killed: frozenset[str] = frozenset()

    def open(self, spider: Spider) -> list[Request]:
        """Return the requests to be made again, after a crawl that was killed."""
        if self._folder is None or not self._folder.exists():
            return []
        ended = self._folder / ENDED
        files = [path for path in self._folder.iterdir() if path != ended and not path.name.startswith(".")]
        was_killed = not ended.exists()
        ended.unlink(missing_ok=True)
        if not was_killed:
            return []
        requests = {}
        for path in files:
            try:
                request = request_from_dict(pickle.loads(path.read_bytes()), spider=spider)
            except Exception as error:
                # Whatever is in the file, and whatever the spider has become.
                logger.warning("The article in %s cannot be fetched again: %s", path, error)
                continue
            requests[path.name] = request.replace(meta={**request.meta, AGAIN: path.name}, dont_filter=True)
        self.killed = frozenset(requests)
        return list(requests.values())

    def begin_anew(self, request: Request | None) -> None:
        """Remove the file of a first request that was made again; until then, another kill does not lose it."""
        if request is not None and AGAIN in request.meta:
            self.remove(request.meta[AGAIN])

    def add(self, identity: str, request: Request, spider: Spider) -> None:
        """Write the first request of an article; do nothing for one that cannot be stored."""
        if self._folder is not None and _can_be_stored(request, spider):
            self._folder.mkdir(exist_ok=True)
            meta = {name: value for name, value in request.meta.items() if name != AGAIN}
            write_whole(self._folder / identity, pickle.dumps(request.replace(meta=meta).to_dict(spider=spider)))

    def remove(self, identity: str) -> None:
        """Remove an article that is complete."""
        if self._folder is not None:
            (self._folder / identity).unlink(missing_ok=True)

    def close(self) -> None:
        """Note that the crawl ended, with its queue on the disk."""
        if self._folder is not None and self._folder.exists():
            write_whole(self._folder / ENDED, b"")


def join_pages(pages: Sequence[Extraction]) -> tuple[Extraction, list[int]]:
    """Return the extraction of an article of several pages, and how many blocks each of them gives.

    Of blocks with the same text the first stays.  What is not of blocks is that of the first page, but for
    Markdown and HTML, which are those of all pages, and for ``is_cut``.
    """
    seen: set[str] = set()
    parts: list[BlockColumns] = []
    first = 0
    for page in pages:
        texts = page.column("text")
        # What a page repeats itself stays: it was judged so.
        is_new = [text not in seen for text in texts]
        seen.update(texts)
        columns = {name: list(compress(page.column(name), is_new)) for name in BLOCK_FIELDS}
        columns["index"] = list(range(first, first + sum(is_new)))
        parts.append(made_columns(sum(is_new), columns))
        first += sum(is_new)
    _, values = pages[0].parts()
    for name in DOCUMENTS:
        values[name] = "\n".join(filter(None, (getattr(page, name) for page in pages)))
    values["is_cut"] = any(page.is_cut for page in pages)
    return Extraction.of_columns(BlockColumns.joined(parts), **values), [part.count for part in parts]
