"""Which parts a crawl has, in which order they are asked, and how they meet.

The order, from the first to the last, with the reason for each place:

==================  ================================================================================================
feeds               checks the feeds before another part opens anything
second requests     decides which page is kept, before another part remembers a page
joining             holds an item whose article is not complete, before site memory could hold it
site memory         makes bad what the site repeats
duplicates          looks at the blocks that are still good
site report         counts what finally became of the page
summary             the same
==================  ================================================================================================

How two parts meet; each row has a test of its name in ``tests/crawl/test_parts.py``:

=============================  =====================================================================================
second requests, site memory   Both pages are compared by what is known of the site (``page_compared``).  Only the one
                               that is kept is counted.
second requests, duplicates    Only the page that is kept is looked up.
second requests, site report   A page that was fetched twice is one page.
joining, site memory           Each page of an article is judged with its site.  The items of the article wait for its
                               pages alone.
joining, duplicates            Each page is looked up, and then the article as a whole (``page_joined``).  No page of an
                               article repeats another one of it.
joining, second requests       The pages behind one that came with a second request are asked for in the same way.
site memory, duplicates        A page that is judged again is looked up again (:meth:`Parts.page_kept`).
site memory, site report       A page is counted as it was judged first.
site memory, processes         The processes give judged pages, and the crawl's own process has the memory.
=============================  =====================================================================================

To add a part: write a module with a subclass of :class:`~scrapy_justext.crawl.parts.order.CrawlPart`, and add a row to
:data:`ORDER`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy.utils.misc import load_object

from scrapy_justext.crawl.pages import CleanedPage
from scrapy_justext.crawl.sites import without_password
from scrapy_justext.exceptions import LibraryNotInstalledError, SettingError, require

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from scrapy import Request
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

    from scrapy_justext.crawl.pages import Outcome
    from scrapy_justext.crawl.session import Session
    from scrapy_justext.crawl.settings import Configuration


class Visit(NamedTuple):
    """A response, and the request that it answers."""

    response: Response
    request: Request | None
    in_place: bool = False
    """Whether the page is cleaned without an event loop: nothing may be waited for."""


class CrawlPart:
    """A feature of one crawl.  The session calls the hooks of its parts in the order of :data:`ORDER`.

    A part has the hooks that it needs; each of the others does nothing.  What a hook raises for a page is counted and
    logged, and the page goes on as it was.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    def opened(self) -> None:
        """Begin: the spider is there."""

    async def page_judged(self, page: Outcome, visit: Visit) -> tuple[Outcome, Visit]:
        """Return the page to keep in place of one that was judged by itself, and the response that it came with."""
        return page, visit

    def page_compared(self, page: CleanedPage, visit: Visit) -> CleanedPage:  # noqa: ARG002 (for parts that need it)
        """Return a page as it would be kept, for a comparison with another one; nothing is counted."""
        return page

    async def page_kept(self, page: Outcome, visit: Visit) -> Outcome:  # noqa: ARG002
        """Return a page that is kept for its callback and its items, with what the part knows of it."""
        return page

    def page_joined(self, page: CleanedPage, urls: Sequence[str]) -> CleanedPage:  # noqa: ARG002
        """Return the page of an article of several pages, whose addresses are ``urls``."""
        return page

    async def page_done(self) -> None:
        """Do what has become possible with one more page that is kept."""

    def item_seen(self, item: Any, page: CleanedPage, response: Response) -> bool:  # noqa: ARG002
        """Hold an item of a page that a callback yielded, and return True; return False for one that goes on."""
        return False

    def request_seen(self, request: Request, response: Response) -> bool:  # noqa: ARG002
        """Hold a request that a callback yielded, and return True; return False for one that goes on."""
        return False

    def callback_ended(self, response: Response) -> Iterable[Any]:  # noqa: ARG002
        """Return the requests and items to add behind those of a callback."""
        return ()

    def closed(self) -> None:
        """End: write what is left, close what is open."""


def has_lasting_queue(settings: BaseSettings) -> bool:
    """Return whether requests outlive a crawl, in JOBDIR or in a scheduler of another package."""
    return bool(settings.get("JOBDIR")) or settings["SCHEDULER"] != "scrapy.core.scheduler.Scheduler"


def require_redis(module: str, url: str) -> Any:
    """Import a module of ours that needs Redis; raise :class:`~scrapy_justext.exceptions.SettingError` without it."""
    try:
        return require(module, "redis")
    except LibraryNotInstalledError as error:
        raise SettingError("REDIS_URL", without_password(url), str(error)) from error


def _may_join(configuration: Configuration, settings: BaseSettings) -> bool:
    # Such a queue may have requests of articles that an earlier crawl began.
    return configuration.join_pages > 1 or has_lasting_queue(settings)


#: The module and the class of each part, which is imported where it is needed; and whether a configuration asks for it,
#: with the settings of the crawl.
ORDER: tuple[tuple[str, Callable[[Configuration, BaseSettings], bool]], ...] = (
    ("scrapy_justext.crawl.feeds.FeedChecks", lambda _, settings: bool(settings.getdict("FEEDS"))),
    ("scrapy_justext.crawl.parts.second_requests.SecondRequests", lambda of, _: bool(of.retry_meta)),
    ("scrapy_justext.crawl.parts.joining.Joining", _may_join),
    ("scrapy_justext.crawl.parts.site_memory.memory.SiteMemoryPart", lambda of, _: of.site_memory),
    ("scrapy_justext.crawl.parts.duplicates.detection.DuplicatesPart", lambda of, _: of.duplicates != "none"),
    ("scrapy_justext.crawl.parts.site_report.SiteReport", lambda of, _: bool(of.site_stats or of.site_report)),
    ("scrapy_justext.crawl.parts.summary.Summary", lambda of, _: of.summary),
)


class Parts:
    """The parts of one crawl: those that its settings ask for, and more once a request asks for them."""

    def __init__(self, session: Session) -> None:
        self._session = session
        # By their places in the order.
        self._made: dict[int, CrawlPart] = {}
        self._in_order: tuple[CrawlPart, ...] = ()
        self._is_open = False

    def __iter__(self) -> Iterator[CrawlPart]:
        return iter(self._in_order)

    def ask(self, configuration: Configuration) -> None:
        """Make the parts that a configuration asks for, if they are not there."""
        for place, (path, is_asked) in enumerate(ORDER):
            if place not in self._made and is_asked(configuration, self._session.crawler.settings):
                make: Any = load_object(path)
                part = self._made[place] = make(self._session)
                self._in_order = tuple(self._made[made] for made in sorted(self._made))
                if self._is_open:
                    part.opened()

    def open(self) -> None:
        """Open all parts."""
        self._is_open = True
        for part in self:
            part.opened()

    async def page_kept(self, page: Outcome, visit: Visit, *, behind: CrawlPart | None = None) -> Outcome:
        """Return a page with what all parts know of it, or those behind one in the order.

        What fails leaves the page as it was.
        """
        first = 0 if behind is None else self._in_order.index(behind) + 1
        for part in self._in_order[first:]:
            try:
                page = await part.page_kept(page, visit)
            except Exception as error:
                self._session.counts.add_error(error, visit.response.url)
                # It would fail again.
                page = page._replace(judged=None) if isinstance(page, CleanedPage) else page
        return page

    def page_compared(self, page: CleanedPage, visit: Visit) -> CleanedPage:
        """Return a page as it would be kept, as far as the parts can tell without counting it."""
        for part in self:
            page = part.page_compared(page, visit)
        return page

    def page_joined(self, page: CleanedPage, urls: Sequence[str]) -> CleanedPage:
        """Return the page of an article with what the parts know of it; what fails leaves it as it was."""
        for part in self:
            try:
                page = part.page_joined(page, urls)
            except Exception as error:
                self._session.counts.add_error(error, urls[0])
        return page

    def callback_ended(self, response: Response) -> Iterator[Any]:
        """Yield what parts add behind what the callback of a response yielded."""
        for part in self:
            yield from part.callback_ended(response)
