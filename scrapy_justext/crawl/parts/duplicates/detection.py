"""Which blocks of a page repeat others, whether the page does, and which page was the first.

Only good blocks are compared, since boilerplate is repeated anyway.  Only the n-grams that the table can know of count.
A page never repeats itself: what it said itself, at any visit, is not repeated.

A block is marked as repeated if any other pages said it before.  It is removed only if its text is kept elsewhere:

* A page that links to this one (:mod:`scrapy_justext.crawl.links`) does not count: it is a listing, or has a box that
  announces this page.  Nor does what a listing says (:mod:`scrapy_justext.crawl.teasers`), wherever it links to.
  Both count where the two pages are the same as a whole, as a page and its print view are.
* A page that is on this one nearly as a whole, and is much shorter, is an excerpt of this one, and does not count.
"""

from __future__ import annotations

from functools import partial
from hashlib import blake2b
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from w3lib.url import canonicalize_url

from scrapy_justext.core.blocks import GOOD
from scrapy_justext.core.ngrams import ngrams_of
from scrapy_justext.crawl.links import NO_LINKS, number_of
from scrapy_justext.crawl.pages import REPEATED, CleanedPage, Repeats
from scrapy_justext.crawl.parts.duplicates.table import OWNER_BITS, PAGE_BITS, LocalTable, SeenPage, rows_within
from scrapy_justext.crawl.parts.order import CrawlPart, require_redis
from scrapy_justext.crawl.teasers import is_listing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray
    from scrapy import Request
    from scrapy.crawler import Crawler

    from scrapy_justext.core.extraction import Extraction
    from scrapy_justext.crawl.links import PageLinks
    from scrapy_justext.crawl.pages import Outcome
    from scrapy_justext.crawl.parts.duplicates.shared import SharedTable
    from scrapy_justext.crawl.parts.duplicates.table import KnownNGrams
    from scrapy_justext.crawl.parts.order import Visit
    from scrapy_justext.crawl.session import Session
    from scrapy_justext.crawl.settings import Configuration

#: N-grams that must be known of a block, or of a page, before it can be repeated: some nine words.  Shorter ones, such
#: as "Read the whole story here", recur without being repeated.
LEAST = 5

#: A page is an excerpt of another if at least this share of it is on the other page, and if it is at most this part of
#: the other page's size.  A copy with a lead and an end of its own is longer.
EXCERPT, MOST_OF_WHOLE = 0.75, 2 / 3


def identify(url: str, request: Request | None) -> int:
    """Return the number of a page, by its address, in its usual form, and by what was sent there.

    It is the same whatever came, and however often.  ``request``: None for one that sent nothing.
    """
    sent = b"GET " if request is None else f"{request.method} ".encode() + request.body
    digest = blake2b(canonicalize_url(url).encode() + b"\n" + sent, digest_size=OWNER_BITS // 8).digest()
    return int.from_bytes(digest, "big") >> OWNER_BITS - PAGE_BITS


def open_table(
    crawler: Crawler, configuration: Configuration, count: Callable[[str, float], None]
) -> LocalTable | SharedTable:
    """Return the table that the settings of a crawl choose.

    ``count``: adds to the stats.
    Raises :class:`~scrapy_justext.exceptions.DuplicatesError` if it cannot be read or reached, and
    :class:`~scrapy_justext.exceptions.SettingError` for Redis without its library.
    """
    rows = rows_within(configuration.duplicates_memory)
    url, folder = crawler.settings.get("REDIS_URL"), crawler.settings.get("JOBDIR")
    if not url:
        return LocalTable(rows, Path(folder) if folder else None)
    shared = require_redis("scrapy_justext.crawl.parts.duplicates.shared", url)
    on_lost = partial(count, "duplicates/pages_without_redis", 1)
    table: SharedTable = shared.SharedTable(url, crawler.spidercls.name, rows, on_lost)
    return table


def find_repeats(
    table: LocalTable | SharedTable,
    extraction: Extraction,
    number: int,
    url: str,
    share: float,
    links: PageLinks = NO_LINKS,
    joined: Sequence[int] = (),
) -> Repeats:
    """Return which parts of a page are repeated by what a crawl has said, and remember the page.

    ``table``: the n-grams that were said.
    ``number``: of the page, see :func:`identify`.
    ``share``: of the n-grams; of a block or page that is repeated, more were seen before.
    ``links``: the addresses of the page, and those that it links to.
    ``joined``: the numbers of the pages of the article whose extraction this is.  None of them repeats another, and
    blocks that are bad by now because one of them repeats other pages count as good.
    """
    texts, classes = extraction.column("text"), extraction.column("block_class")
    reasons = extraction.column("reason") if joined else [""] * len(texts)
    indices = [i for i, of in enumerate(classes) if of is GOOD or reasons[i] == REPEATED]
    ngrams = ngrams_of([texts[i] for i in indices])
    keys, inverse = np.unique(ngrams.keys, return_inverse=True)
    if not len(keys):
        return Repeats(frozenset(), 0.0, is_page=False)
    announces = is_listing(extraction, indices)
    seen_page = SeenPage(url, len(keys), b"".join(links.targets))
    sightings = table.visit(number, seen_page, keys, announces=announces)
    owners = sightings.owners
    is_seen = (owners >= 0) & ~np.isin(owners, [number, *joined])
    # What the page itself said first is in the sample, too.
    is_known = sightings.is_known
    is_removable, is_excerpt = _weigh(table, sightings, is_seen, links, announces=announces)
    seen, removable, known = (
        _sums(ngrams.texts, of[inverse], len(indices)) for of in (is_seen, is_removable, is_known)
    )
    of_page = is_known & ~is_excerpt
    all_known, all_seen = int(of_page[inverse].sum()), int(is_removable[inverse].sum())
    is_page = all_known >= LEAST and all_seen > share * all_known
    [first] = table.recall([_most(owners[inverse][is_removable[inverse]])]) if is_page else [None]

    def repeated(sums: NDArray[np.int64]) -> frozenset[int]:
        return frozenset(indices[i] for i in np.flatnonzero((known >= LEAST) & (sums > share * known)))

    return Repeats(
        blocks=repeated(seen),
        removable=repeated(removable),
        share=all_seen / all_known if all_known else 0.0,
        is_page=is_page,
        first_url=None if first is None else first.url,
    )


def _weigh(
    table: LocalTable | SharedTable,
    sightings: KnownNGrams,
    is_seen: NDArray[np.bool_],
    links: PageLinks,
    *,
    announces: bool,
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which n-grams of a visited page count against it, and which of them stand in excerpts of it.

    ``is_seen``: which of them other pages held first; ``announces``: whether the page is a listing.
    """
    counts = is_seen if announces else is_seen & ~sightings.in_listings
    pages, places, shared = np.unique(sightings.owners[counts], return_inverse=True, return_counts=True)
    # Of all n-grams of the page, as many as of those in the sample.
    whole = len(is_seen)
    on_page = shared * (whole / max(int(sightings.is_known.sum()), 1))
    seen = table.recall(pages.tolist())
    sizes = np.array([inf if page is None else page.ngrams for page in seen])
    links_here = np.array([page is not None and page.links_to(links.own) for page in seen], np.bool_)
    is_on_this, is_all_of_this = on_page >= EXCERPT * sizes, on_page >= MOST_OF_WHOLE * whole
    is_excerpt, is_same, is_linked = np.zeros((3, whole), np.bool_)
    of_pages = is_on_this & ~is_all_of_this, is_on_this & is_all_of_this, links_here
    for of_ngrams, of_page in zip((is_excerpt, is_same, is_linked), of_pages, strict=True):
        of_ngrams[counts] = of_page[places]
    return counts & ~is_excerpt & (is_same | ~(sightings.in_listings | is_linked)), is_excerpt


def _sums(texts: NDArray[np.intp], values: NDArray[np.bool_], count: int) -> NDArray[np.int64]:
    """Return for each text how many of its n-grams have a value."""
    return np.bincount(texts[(texts >= 0) & values], minlength=count)


def _most(owners: NDArray[np.int64]) -> int:
    """Return the page that said most of what is repeated; if several did, the one whose text comes first."""
    pages, first, counts = np.unique(owners, return_index=True, return_counts=True)
    return int(pages[np.lexsort((first, -counts))[0]])


class DuplicatesPart(CrawlPart):
    """What the pages of one crawl have said.

    Raises the errors of :func:`~scrapy_justext.crawl.parts.duplicates.detection.open_table`.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._table = open_table(session.crawler, session.configurations.of_crawl, session.counts.add)

    def closed(self) -> None:
        """Keep what was seen."""
        self._table.close()

    async def page_kept(self, page: Outcome, visit: Visit) -> Outcome:
        """Remember a page; return it with its repeated parts, and with the documents of what is left."""
        if not isinstance(page, CleanedPage) or page.configuration.duplicates == "none":
            return page
        page = self._with_repeats(page.with_links(visit.response, visit.request), visit.response.url, visit.request)
        is_written = page.configuration.options.documents and page.configuration.duplicates == "drop-blocks"
        # Markdown and HTML were written before repeated blocks were made bad.
        are_old = is_written and page.repeats is not None and page.repeats.removable
        return await self._session.with_documents(page, visit) if are_old else page

    def page_joined(self, page: CleanedPage, urls: Sequence[str]) -> CleanedPage:
        """Do the same for an article, whose pages are remembered already."""
        return page if page.configuration.duplicates == "none" else self._with_repeats(page, urls[0], None, urls)

    def _with_repeats(
        self, page: CleanedPage, url: str, request: Request | None, joined: Sequence[str] = ()
    ) -> CleanedPage:
        repeats = find_repeats(
            self._table,
            page.extraction,
            identify(url, request),
            url,
            page.configuration.duplicates_share,
            page.links._replace(own=page.links.own.union(map(number_of, joined))),
            [identify(of_article, None) for of_article in joined],
        )
        page = page._replace(repeats=repeats)
        if page.configuration.duplicates != "drop-blocks" or not repeats.removable:
            return page
        return page._replace(extraction=page.extraction.with_bad(dict.fromkeys(repeats.removable, REPEATED)))
