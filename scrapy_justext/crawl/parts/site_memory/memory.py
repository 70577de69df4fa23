"""What the pages of a site have in common is boilerplate: blocks that many of them hold are bad.

A block is bad if all of this holds:

1. the site has shown ``site_memory_pages`` pages or more;
2. more than ``site_memory_share`` of them held the block;
3. and ``site_memory_count`` of them or more: two of a few pages may say the same by chance;
4. the block has ``site_memory_length`` characters or more.  Headings such as "Introduction" and lines of dialogue such
   as "Yes, of course." recur without being boilerplate.  Short blocks of a template stand among its longer ones, by
   which the context pass judges them.

Front page, listings and feeds of tags have the first paragraph of an article, or all of it, and link to it.  So a block
of a page is not bad if it was held by no more pages than those that link to the page, the page itself, and a copy.
If most of the site links to a page, the links are navigation.

**Fingerprints.**  The texts of a page are 64-bit numbers, which are equal if the texts differ in nothing but digits.
``Updated 3 May: 41 comments`` on one page and ``Updated 12 May: 7 comments`` on the next are one block of the template,
so digits of any script do not count.  Case counts: a template writes its texts in one way.  A text in a link differs
from the same text outside of links, since all over the site links to an article have its headline.  A text that
announces another page (:mod:`scrapy_justext.crawl.teasers`) differs from the same text of that page, since front page,
listings and feeds of tags have the first paragraph of an article.

When a site's first pages come, little is known of it.  So their items may wait, as ``JUSTEXT_SITE_MEMORY_LOOK`` says:

========  ====================================================================================
``none``  no item waits
``hold``  items of a site's first pages wait until the site has shown enough of them
``end``   all items wait
========  ====================================================================================

All items that wait are sent on when the spider has nothing else to do, and when it is stopped.  While too many wait,
further items go on at once.
"""

from __future__ import annotations

import logging
import re
from functools import partial
from hashlib import blake2b
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy import signals
from scrapy.exceptions import DontCloseSpider
from scrapy.utils.defer import deferred_from_coro

from scrapy_justext.core.blocks import BAD, Decision
from scrapy_justext.crawl.items import is_cleaned
from scrapy_justext.crawl.links import NO_LINKS
from scrapy_justext.crawl.pages import CleanedPage
from scrapy_justext.crawl.parts.late_items import LateItem, before_closing, send_items
from scrapy_justext.crawl.parts.order import CrawlPart, Visit, require_redis
from scrapy_justext.crawl.teasers import BlockTexts, find_teasers
from scrapy_justext.exceptions import describe_os_error

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping, Sequence

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.internet.defer import Deferred

    from scrapy_justext.core.blocks import BlockTable
    from scrapy_justext.core.extractor import JudgedPage
    from scrapy_justext.crawl.links import PageLinks
    from scrapy_justext.crawl.pages import Outcome
    from scrapy_justext.crawl.parts.site_memory.shared import SharedStore
    from scrapy_justext.crawl.parts.site_memory.store import LocalStore, Sightings, Table
    from scrapy_justext.crawl.session import Session
    from scrapy_justext.crawl.settings import Configuration

logger = logging.getLogger(__name__)

#: Bytes of a fingerprint.  Of a million blocks, two have the same with a probability of 3 in 100 million.
SIZE = 8

_DIGITS = re.compile(r"\d+")
_ASCII_DIGITS = b"0123456789"
_ASCII = bytes(range(128))


class Fingerprints(NamedTuple):
    """The fingerprints of a page, :data:`SIZE` bytes each.

    ``page`` has those of its address and of all its texts together; one of them suffices to know the page again.
    ``blocks`` has those of its blocks that are long enough, and ``indices`` tells which blocks these are.  Behind them,
    it has those of the page's own addresses (``addresses``: how many), and of those that the page links to.
    """

    page: tuple[bytes, bytes]
    blocks: Sequence[bytes]
    indices: Sequence[int]
    addresses: int = 0


def take_fingerprints(
    segments: BlockTable, url: str, length: int, title: str = "", links: PageLinks = NO_LINKS
) -> Fingerprints:
    """Return the fingerprints of a page, with those of its blocks of ``length`` characters or more.

    ``title``: the text of TITLE; ``links``: the addresses of the page, and those that it links to.

    Images have none: their ALT says little, and their address often carries a number.
    """
    images = {i for i, extras in segments.extras.items() if extras.image_url is not None}
    indices = [i for i, text in enumerate(segments.collapsed) if len(text) >= length and i not in images]
    joined = normalised("\n".join(segments.on_one_line()))
    texts = joined.split(b"\n")
    on_page = BlockTexts(segments.collapsed, segments.link_characters, segments.of_position("heading_level"))
    teasers = find_teasers(on_page, title, range(len(segments)))
    kinds = (b"link" if on_page.is_link(i) else b"teaser" if i in teasers else b"text" for i in indices)
    blocks = [_fingerprint(texts[i], kind) for i, kind in zip(indices, kinds, strict=True)]
    blocks += [_fingerprint(address, b"link to") for address in (*links.own, *links.targets)]
    of_page = _fingerprint(url.encode(), b"url"), _fingerprint(joined, b"page")
    return Fingerprints(of_page, blocks, indices, len(links.own))


def normalised(text: str) -> bytes:
    """Return what of a text is compared, in UTF-8.

    >>> normalised("Page 12 of ٣٤")
    b'Page  of '
    """
    encoded = text.encode("utf-8", "surrogatepass")
    # To look for the digits of all scripts takes ten times as long as all the rest.
    if _DIGITS.search(encoded.translate(None, _ASCII).decode("utf-8", "surrogatepass")):
        encoded = _DIGITS.sub("", text).encode("utf-8", "surrogatepass")
    return encoded.translate(None, _ASCII_DIGITS)


def _fingerprint(text: bytes, kind: bytes) -> bytes:
    return blake2b(text, digest_size=SIZE, person=kind).digest()


#: The share of a site's pages up to which links to a page are no navigation.
MOST_LINKED = 0.5
#: The pages that hold the text of an article beside those that link to it: its own, and its print view.
BESIDE_LINKS = 2
#: Sites whose number of pages is kept at the most.
MOST_SITES = 100_000


_REPEATED = re.compile(r"on \d+ of \d+ pages of this site")


def is_repeated(reason: str) -> bool:
    """Return whether this is the reason of a block that its site repeats.

    >>> is_repeated("on 41 of 57 pages of this site"), is_repeated("inside SELECT")
    (True, False)
    """
    return _REPEATED.fullmatch(reason) is not None


def find_repeated(page: Fingerprints, sightings: Sightings, configuration: Configuration) -> dict[int, Decision]:
    """Return decisions for the blocks of a page that the site repeats."""
    pages, held_by = sightings
    if pages < configuration.site_memory_pages:
        return {}
    indices = page.indices
    # The page itself counts among those that hold its address.
    linked = max(held_by[len(indices) : len(indices) + page.addresses], default=1) - 1
    announced = linked + BESIDE_LINKS if 0 < linked <= MOST_LINKED * pages else 0
    least = max(configuration.site_memory_count, announced + 1)
    return {
        i: Decision(BAD, f"on {count} of {pages} pages of this site")
        for i, count in zip(indices, held_by, strict=False)
        if count >= least and count > configuration.site_memory_share * pages
    }


def without_repeated(
    page: JudgedPage, fingerprints: Fingerprints, sightings: Sightings, configuration: Configuration
) -> JudgedPage:
    """Return the page with the blocks that its site repeats made bad; those that were bad keep their reason."""
    context_free = page.context.context_free.classes
    repeated = {
        i: decision
        for i, decision in find_repeated(fingerprints, sightings, configuration).items()
        if context_free[i] != BAD.code
    }
    return page.with_decisions(repeated) if repeated else page


def open_store(
    crawler: Crawler, configuration: Configuration, count: Callable[[str, float], None]
) -> LocalStore | SharedStore:
    """Return the store that the settings of a crawl choose.

    ``count``: adds to the stats.
    Raises :class:`~scrapy_justext.exceptions.SiteMemoryError` if it cannot be read or reached, and
    :class:`~scrapy_justext.exceptions.SettingError` for Redis without its library.
    """
    url = crawler.settings.get("REDIS_URL")
    if not url:
        return _local_store(crawler, configuration)
    shared = require_redis("scrapy_justext.crawl.parts.site_memory.shared", url)
    on_lost = partial(count, "site_memory/pages_without_redis", 1)
    store: SharedStore = shared.SharedStore(url, crawler.spidercls.name, configuration.site_memory_blocks, on_lost)
    return store


def _local_store(crawler: Crawler, configuration: Configuration) -> LocalStore:
    # numpy takes a tenth of a second, which most crawls need not spend.
    from scrapy_justext.crawl.parts.site_memory.store import FILE, LocalStore, load, save  # noqa: PLC0415

    blocks, all_blocks = configuration.site_memory_blocks, configuration.site_memory_all_blocks
    make_store = partial(LocalStore, blocks=blocks, all_blocks=all_blocks)
    folder = crawler.settings.get("JOBDIR")
    if not folder:
        return make_store()
    path = Path(folder) / FILE

    def save_sites(sites: Mapping[str, Table]) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            save(path, sites)
        except OSError as error:
            # This is no bug of ours: a traceback would say nothing.
            logger.error("%s: the memory of sites cannot be saved: %s", path, describe_os_error(error))  # noqa: TRY400

    return make_store(sites=load(path), save=save_sites)


class SiteMemoryPart(CrawlPart):
    """The memory of the sites of one crawl, and the items that wait for it.

    Raises the errors of :func:`~scrapy_justext.crawl.parts.site_memory.memory.open_store`.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        configuration = session.configurations.of_crawl
        self._store = open_store(session.crawler, configuration, session.counts.add)
        #: The pages that each site has shown, as far as this process knows; in the order of the last visits.
        self._pages: dict[str, int] = {}
        #: How many items may wait at the same time.
        self._most = configuration.site_memory_hold
        self._arrived = self._waiting = 0
        # With the numbers of their arrival.
        self._of_site: dict[str, list[tuple[int, LateItem]]] = {}
        # Sites that were visited while items waited, in order.
        self._visited: dict[str, None] = {}
        self._sending: Deferred[None] | None = None
        session.crawler.signals.connect(self._on_idle, signals.spider_idle)

    def closed(self) -> None:
        """Keep what was counted."""
        self._store.close()

    def page_compared(self, page: CleanedPage, visit: Visit) -> CleanedPage:
        """Return a page as it is judged with its site so far."""
        if page.judged is None:
            return page
        page = page.with_links(visit.response, visit.request)
        return page._replace(extraction=self._judge(page, self._store.recall).extraction())

    async def page_kept(self, page: Outcome, visit: Visit) -> Outcome:
        """Count a page, and judge it with its site; let go of the judged page if its items need not wait."""
        if not isinstance(page, CleanedPage) or page.judged is None:
            return page
        page = page.with_links(visit.response, visit.request)
        judged = self._judge(page, self._store.visit)
        self._count_removed(page, judged)
        self._note_visit(page.site)
        if self._waits(page.site, page.configuration):
            return page._replace(extraction=judged.extraction())
        kept = page._replace(extraction=judged.extraction(), judged=None)
        # A page from another process comes with its Markdown and HTML, and without what they are written from.
        are_old = judged is not page.judged and judged.page.flow is None and page.configuration.options.documents
        return await self._session.with_documents(kept, visit) if are_old else kept

    def item_seen(self, item: Any, page: CleanedPage, response: Response) -> bool:
        """Hold an item that has to wait, unless too many wait already."""
        if page.judged is None or not is_cleaned(item, page.configuration):
            return False
        if self._waiting >= self._most:
            if self._session.counts.add_first("site_memory/items_not_held"):
                logger.info(
                    "%d items wait for site memory, as many as JUSTEXT_SITE_MEMORY_HOLD allows: the item of %s goes on "
                    "at once, judged by what is known of its site so far. More such items are only counted, as "
                    "justext/site_memory/items_not_held.",
                    self._waiting,
                    response.url,
                )
            return False
        if not self._arrived:
            before_closing(self._session.crawler, self._send_all)
        self._arrived += 1
        self._waiting += 1
        late = LateItem(item, page, response.replace(body=b""))
        self._of_site.setdefault(page.site, []).append((self._arrived, late))
        self._note_visit(page.site)
        self._session.counts.add("site_memory/items_held")
        return True

    async def page_done(self) -> None:
        """Send on the items of sites that have shown enough pages; send all if the memory is lost."""
        if self._store.is_lost:
            await self._send_all()
        while self._visited:
            site = next(iter(self._visited))
            del self._visited[site]
            await self._send(self._take_due(site))

    def _judge(self, page: CleanedPage, ask: Callable[[str, Fingerprints], Sightings]) -> JudgedPage:
        """Return a page that was judged by itself, judged by what the store says of its site."""
        judged, configuration = page.judged, page.configuration
        assert judged is not None
        url, title = judged.page.url or "", judged.page.title
        length = configuration.site_memory_length
        fingerprints = take_fingerprints(judged.context.segments, url, length, title, page.links)
        sightings = ask(page.site, fingerprints)
        self._pages.pop(page.site, None)
        self._pages[page.site] = sightings.pages
        if len(self._pages) > MOST_SITES:
            del self._pages[next(iter(self._pages))]
        return without_repeated(judged, fingerprints, sightings, configuration)

    def _count_removed(self, page: CleanedPage, judged: JudgedPage) -> None:
        own = page.judged
        pairs = () if own is None or own is judged else zip(own.final.are_good, judged.final.are_good, strict=True)
        removed = sum(before > after for before, after in pairs)
        if removed:
            self._session.counts.add("site_memory/pages")
            self._session.counts.add("site_memory/blocks", removed)

    def _waits(self, site: str, configuration: Configuration) -> bool:
        """Return whether the items of a site's pages have to wait."""
        until = configuration.site_memory_look
        if until == "none" or self._store.is_lost:
            return False
        return until == "end" or self._pages.get(site, 0) < configuration.site_memory_pages

    def _note_visit(self, site: str) -> None:
        """Have the next :meth:`page_done` check the items of a site."""
        if self._waiting:
            self._visited[site] = None

    def _send_all(self) -> Coroutine[Any, Any, None]:
        """Return a coroutine that sends on all items that wait; the scraper is kept open from this call on."""
        held = sorted(chain.from_iterable(self._of_site.values()), key=itemgetter(0))
        self._of_site.clear()
        self._waiting = 0
        return self._send([late for _, late in held])

    def _take_due(self, site: str) -> list[LateItem]:
        held = self._of_site.pop(site, [])
        are_waiting = [self._waits(site, late.page.configuration) for _, late in held]
        if any(are_waiting):
            self._of_site[site] = [row for row, waits in zip(held, are_waiting, strict=True) if waits]
        due = [late for (_, late), waits in zip(held, are_waiting, strict=True) if not waits]
        self._waiting -= len(due)
        return due

    def _on_idle(self) -> None:
        if self._waiting:
            # Kept, so that the task is not collected as garbage before it ends.
            self._sending = deferred_from_coro(self._send_all())
            raise DontCloseSpider

    def _send(self, held: Sequence[LateItem]) -> Coroutine[Any, Any, None]:
        return send_items(self._session, held, self._rejudge)

    async def _rejudge(self, late: LateItem) -> CleanedPage:
        """Return the page of an item, judged by what is known by now; as it was if that fails."""
        page = late.page
        try:
            judged = self._judge(page, self._store.recall)
            self._count_removed(page, judged)
        except Exception as error:
            self._session.counts.add_error(error, page.extraction.url or "")
            return page
        rejudged = page._replace(extraction=judged.extraction(), judged=judged, repeats=None)
        visit = Visit(late.response, late.response.request)
        kept = await self._session.parts.page_kept(rejudged, visit, behind=self)
        return kept if isinstance(kept, CleanedPage) else rejudged
