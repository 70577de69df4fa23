"""Which blocks of a page repeat others, whether the page does, and which page was the first.

Only good blocks are looked at: that boilerplate is repeated is known.  Of the n-grams of a block, or of a page, those
count that the table can know of.  A page never repeats itself: what it said itself, at whatever visit, is not repeated.
"""

from __future__ import annotations

from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from w3lib.url import canonicalize_url

from scrapy_justext.core.blocks import GOOD
from scrapy_justext.crawl.duplicates.ngrams import ngrams_of
from scrapy_justext.crawl.duplicates.table import PAGE_BITS, LocalTable, rows_within
from scrapy_justext.crawl.pages import REPEATED, Repeats
from scrapy_justext.crawl.sites import without_password
from scrapy_justext.exceptions import LibraryNotInstalledError, SettingError, require

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray
    from scrapy import Request
    from scrapy.crawler import Crawler

    from scrapy_justext.core.extraction import Extraction
    from scrapy_justext.crawl.duplicates.table import NGramTable
    from scrapy_justext.crawl.settings import Configuration

#: N-grams that must be known of a block, or of a page, before it can be repeated: some nine words.  Shorter ones, such
#: as "Read the whole story here", recur without being repeated.
LEAST = 5


class PageIdentity(NamedTuple):
    """What tells a page from others: what was asked for, whatever came, and how often."""

    number: int
    url: str


def identify(url: str, request: Request | None) -> PageIdentity:
    """Return the identity of a page: that of its address, in its usual form, and of what was sent there.

    ``request``: None for one that sent nothing.
    """
    sent = b"GET " if request is None else f"{request.method} ".encode() + request.body
    digest = blake2b(canonicalize_url(url).encode() + b"\n" + sent, digest_size=PAGE_BITS // 8).digest()
    return PageIdentity(int.from_bytes(digest, "big"), url)


def open_table(crawler: Crawler, configuration: Configuration, count: Callable[[str, float], None]) -> NGramTable:
    """Return the table that the settings of a crawl choose.

    ``count``: adds to the stats.
    Raises :class:`~scrapy_justext.exceptions.DuplicatesError` if it cannot be read or reached, and
    :class:`~scrapy_justext.exceptions.SettingError` for Redis without its library.
    """
    rows = rows_within(configuration.duplicates_memory)
    url, folder = crawler.settings.get("REDIS_URL"), crawler.settings.get("JOBDIR")
    if not url:
        return LocalTable(rows, Path(folder) if folder else None)
    try:
        shared: Any = require("scrapy_justext.crawl.duplicates.shared", "redis")
    except LibraryNotInstalledError as error:
        raise SettingError("REDIS_URL", without_password(url), str(error)) from error
    table: NGramTable = shared.SharedTable(
        url, crawler.spidercls.name, rows, partial(count, "duplicates/pages_without_redis", 1)
    )
    return table


class Duplicates:
    """What a crawl has said, by the n-grams in a table."""

    def __init__(self, table: NGramTable) -> None:
        self._table = table

    def close(self) -> None:
        """Keep what was seen."""
        self._table.close()

    def look(
        self, extraction: Extraction, page: PageIdentity, share: float, joined: Sequence[PageIdentity] = ()
    ) -> Repeats:
        """Return what of a page is repeated, and remember the page.

        ``share``: of the n-grams; of a block or page that is repeated, more were seen before.
        ``joined``: the pages of the article whose extraction this is.  None of them repeats another, and blocks that
        are bad by now because one of them repeats other pages count as good.
        """
        texts, classes = extraction.column("text"), extraction.column("block_class")
        reasons = extraction.column("reason") if joined else [""] * len(texts)
        indices = [i for i, of in enumerate(classes) if of is GOOD or reasons[i] == REPEATED]
        ngrams = ngrams_of([texts[i] for i in indices])
        keys, inverse = np.unique(ngrams.keys, return_inverse=True)
        if not len(keys):
            return Repeats(frozenset(), 0.0, is_page=False)
        sightings = self._table.visit(page.number, page.url, keys)
        owners = sightings.owners[inverse]
        is_seen = (owners >= 0) & ~np.isin(owners, [page.number, *(one.number for one in joined)])
        # What the page itself said first is in the sample, too.
        is_known = sightings.is_known[inverse]
        seen, known = _sums(ngrams.texts, is_seen, len(indices)), _sums(ngrams.texts, is_known, len(indices))
        repeated = (known >= LEAST) & (seen > share * known)
        all_known, all_seen = int(is_known.sum()), int(is_seen.sum())
        is_page = all_known >= LEAST and all_seen > share * all_known
        return Repeats(
            frozenset(indices[i] for i in np.flatnonzero(repeated)),
            all_seen / all_known if all_known else 0.0,
            is_page=is_page,
            first_url=self._table.url_of(_most(owners[is_seen])) if is_page else None,
        )


def _sums(texts: NDArray[np.intp], values: NDArray[np.bool_], count: int) -> NDArray[np.int64]:
    """Return for each text how many of its n-grams have a value."""
    return np.bincount(texts[(texts >= 0) & values], minlength=count)


def _most(owners: NDArray[np.int64]) -> int:
    """Return the page that said most of what is repeated; of several the one whose text comes first."""
    pages, first, counts = np.unique(owners, return_index=True, return_counts=True)
    return int(pages[np.lexsort((first, -counts))[0]])
