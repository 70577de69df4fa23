"""Look up in a crawl what its pages say, and mark or remove what other pages said before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_justext.crawl.links import with_links
from scrapy_justext.crawl.pages import REPEATED, CleanedPage
from scrapy_justext.crawl.parts.duplicates.detection import Duplicates, identify, open_table
from scrapy_justext.crawl.parts.part import Part

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy import Request

    from scrapy_justext.crawl.pages import Outcome
    from scrapy_justext.crawl.parts.part import Visit
    from scrapy_justext.crawl.session import Session


class DuplicatesPart(Part):
    """What the pages of one crawl have said.

    Raises the errors of :func:`~scrapy_justext.crawl.parts.duplicates.detection.open_table`.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        table = open_table(session.crawler, session.configurations.of_crawl, session.counts.add)
        self._duplicates = Duplicates(table)

    def closed(self) -> None:
        """Keep what was seen."""
        self._duplicates.close()

    async def page_kept(self, page: Outcome, visit: Visit) -> Outcome:
        """Remember a page; return it with what of it is repeated, and with the Markdown of what is left."""
        if not isinstance(page, CleanedPage) or page.configuration.duplicates == "none":
            return page
        page = self._with_repeats(with_links(page, visit.response, visit.request), visit.response.url, visit.request)
        return await self._session.with_markdown(page, visit) if page.has_old_markdown else page

    def page_joined(self, page: CleanedPage, urls: Sequence[str]) -> CleanedPage:
        """Do the same for an article, whose pages are remembered already."""
        return page if page.configuration.duplicates == "none" else self._with_repeats(page, urls[0], None, urls)

    def _with_repeats(
        self, page: CleanedPage, url: str, request: Request | None, joined: Sequence[str] = ()
    ) -> CleanedPage:
        repeats = self._duplicates.look(
            page.extraction,
            identify(url, request),
            page.configuration.duplicates_share,
            page.links.with_own(joined),
            [identify(of_article, None) for of_article in joined],
        )
        page = page._replace(repeats=repeats)
        if page.configuration.duplicates != "drop-blocks" or not repeats.removable:
            return page
        return page._replace(extraction=page.extraction.with_bad(dict.fromkeys(repeats.removable, REPEATED)))
