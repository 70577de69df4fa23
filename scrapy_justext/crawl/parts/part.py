"""A part of a crawl: a feature that a setting asks for, as the session knows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scrapy import Request
    from scrapy.http import Response

    from scrapy_justext.crawl.pages import CleanedPage, Outcome
    from scrapy_justext.crawl.session import Session


class Visit(NamedTuple):
    """A response, and the request that it answers."""

    response: Response
    request: Request | None
    in_place: bool = False
    """Whether the page is cleaned without an event loop: nothing may be waited for."""


class Part:
    """A feature of one crawl.  The session calls the hooks of its parts in the order of :mod:`.order`.

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
        """Do what can be done now that one page more is kept."""

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
