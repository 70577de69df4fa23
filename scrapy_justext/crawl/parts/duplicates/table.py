"""Which page held an n-gram first, in the process, and in JOBDIR.

**The table.**  A row of :data:`WAYS` places is for the keys that begin with the same bits.  A place takes 8 bytes: the
key, and the number of the page that held it first.  The table grows until it takes the memory that it may.

**When it is full.**  A row then keeps the largest of its keys.  So the table holds a sample of all n-grams, which does
not depend on the order of pages; most pages keep some of their n-grams, however many pages come.  An n-gram that is too
small for its row is not in the sample: nothing is known of it, and it counts neither for nor against its page.

**Pages** are numbered by their requests.  A page that comes again has the same number, and finds its own n-grams.

**Listings.**  A bit beside the number of the page tells that it is a listing, which announces other pages.  If a page
that is no listing has the n-gram later, it takes the place of the listing.

In JOBDIR the table is a file in memory: what is written to it outlives the process, however that ends.  The other store
is shared by several processes: :mod:`scrapy_justext.crawl.parts.duplicates.shared`.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections import OrderedDict
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scrapy_justext.core.ngrams import KEY_BITS
from scrapy_justext.crawl.links import SIZE as LINK_SIZE
from scrapy_justext.exceptions import DuplicatesError
from scrapy_justext.files import explaining, write_whole

if TYPE_CHECKING:
    from collections.abc import Container, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    Keys = NDArray[np.uint64]

#: Places of a row: one line of the processor's cache.
WAYS = 8
ROW_BYTES = WAYS * 8
#: Rows of a new table.
LEAST_ROWS = 1 << 12
#: Bits beside a key: those of a page's number, and one that tells a listing.
OWNER_BITS = 64 - KEY_BITS
#: Bits of a page's number.  That of a page is another's with a probability of 1 in 8 million.
PAGE_BITS = OWNER_BITS - 1
#: The newest pages whose URLs and sizes are remembered.
MOST_PAGES = 100_000

#: The names of the files in JOBDIR.
FILE, PAGES_FILE = "justext-duplicates.bin", "justext-duplicates-pages.json"
#: What the file begins with; changes with what keys are made of.
MAGIC = b"scrapy-justext duplicates 3\n".ljust(ROW_BYTES)

_EMPTY = np.uint64(0)
_KEY_SHIFT = np.uint64(OWNER_BITS)
_OWNER_MASK = np.uint64((1 << OWNER_BITS) - 1)
#: Rows that are handled together while a table grows.
_SLICE = 1 << 14


class KnownNGrams(NamedTuple):
    """What is known of n-grams."""

    owners: NDArray[np.int64]
    """The number of the page that held each first; -1 if there is none."""
    in_listings: NDArray[np.bool_]
    """Whether that page is a listing."""
    is_known: NDArray[np.bool_]
    """Whether it is in the sample."""

    @classmethod
    def of(cls, has_owner: NDArray[np.bool_], owners: NDArray[np.int64], is_known: NDArray[np.bool_]) -> KnownNGrams:
        """Return what is known by the ``owners`` in a table, which have the bit that tells a listing."""
        return cls(np.where(has_owner, owners >> 1, -1), has_owner & (owners & 1 == 1), is_known)


class SeenPage(NamedTuple):
    """What is remembered of a page."""

    url: str
    ngrams: int
    """How many different n-grams it has."""
    links: bytes = b""
    """The addresses that it links to, one after another."""

    def links_to(self, addresses: Container[bytes]) -> bool:
        """Return whether it links to one of the addresses of a page.

        >>> SeenPage("", 1, b"abcdef").links_to([b"def"]), SeenPage("", 1, b"abcdef").links_to([b"bcd"])
        (True, False)
        """
        links = self.links
        return any(links[i : i + LINK_SIZE] in addresses for i in range(0, len(links), LINK_SIZE))


def rows_within(megabytes: int) -> int:
    """Return how many rows a table has that takes so much memory at the most: a power of two.

    >>> rows_within(1), rows_within(256)
    (16384, 4194304)
    """
    return 1 << ((megabytes << 20) // ROW_BYTES).bit_length() - 1


def empty_rows(count: int) -> NDArray[np.uint64]:
    """Return rows without keys."""
    return np.zeros((count, WAYS), np.dtype("<u8"))


class LocalTable:
    """Remembers which page held an n-gram first, and the newest pages.

    It is the memory of one process, of at most ``most_rows``; in ``folder``, if there is one, it outlives the crawl.

    Raises :class:`DuplicatesError` for a file there that is none of its own.
    """

    def __init__(self, most_rows: int, folder: Path | None = None) -> None:
        self._most_rows = max(most_rows, LEAST_ROWS)
        self._folder = folder
        # Of an ordinary dict, it takes long to find the oldest of so many.
        self._pages: OrderedDict[int, SeenPage] = OrderedDict()
        self._rows = empty_rows(LEAST_ROWS)
        if folder is not None:
            with explaining(folder, "used", DuplicatesError):
                folder.mkdir(parents=True, exist_ok=True)
                self._pages = OrderedDict(_load_pages(folder / PAGES_FILE))
                self._rows = _map_rows(folder / FILE, None)
        self._used = int(np.count_nonzero(self._rows))

    def __len__(self) -> int:
        return self._used

    def visit(self, number: int, page: SeenPage, keys: Keys, *, announces: bool) -> KnownNGrams:
        """Return what was known of the keys of a page, each of which is there once; add those that are new.

        ``announces``: whether the page is a listing.
        """
        self._pages[number] = page
        if len(self._pages) > MOST_PAGES:
            self._pages.popitem(last=False)
        rows = (keys >> np.uint64(KEY_BITS + 1 - len(self._rows).bit_length())).astype(np.intp)
        places = self._rows[rows]
        is_there = places >> _KEY_SHIFT == keys[:, None]
        has_owner, at = is_there.any(axis=1), is_there.argmax(axis=1)
        owners = (places[np.arange(len(keys)), at] & _OWNER_MASK).astype(np.int64)
        has_place = keys > places.min(axis=1) >> _KEY_SHIFT
        known = KnownNGrams.of(has_owner, owners, has_owner | has_place)
        values = keys << _KEY_SHIFT | np.uint64(number << 1 | announces)
        announced = np.flatnonzero(known.in_listings) if not announces else np.empty(0, np.intp)
        self._rows[rows[announced], at[announced]] = values[announced]
        self._add(values, rows, np.flatnonzero(~has_owner & has_place))
        if 8 * self._used > 3 * self._rows.size and len(self._rows) < self._most_rows:
            self._grow()
        return known

    def recall(self, pages: Sequence[int]) -> list[SeenPage | None]:
        """Return what is remembered of each page; None if it is forgotten."""
        return list(map(self._pages.get, pages))

    def close(self) -> None:
        """Save what is remembered of pages; the table is there already."""
        if self._folder is not None and isinstance(self._rows, np.memmap):
            self._rows.flush()
            pages = [(number, *page[:2], b64encode(page.links).decode()) for number, page in self._pages.items()]
            write_whole(self._folder / PAGES_FILE, json.dumps(pages).encode())

    def _add(self, values: Keys, numbers: NDArray[np.intp], new: NDArray[np.intp]) -> None:
        """Put values into their rows, in place of the smallest there; ``new``: the indices of those to add."""
        while len(new):
            # Those for one row come one after another.
            _, first = np.unique(numbers[new], return_index=True)
            now = new[first]
            new = np.delete(new, first)
            rows = self._rows[numbers[now]]
            places = rows.argmin(axis=1)
            smallest = rows[np.arange(len(now)), places]
            has_place = values[now] >> _KEY_SHIFT > smallest >> _KEY_SHIFT
            now, places = now[has_place], places[has_place]
            self._rows[numbers[now], places] = values[now]
            self._used += int(np.count_nonzero(smallest[has_place] == 0))

    def _grow(self) -> None:
        """Double the rows: one more bit of a key tells its row."""
        old, count = self._rows, len(self._rows)
        path = None if self._folder is None else self._folder / FILE
        new = empty_rows(2 * count) if path is None else _map_rows(path.with_suffix(".new"), 2 * count)
        bit = np.uint64(64 - count.bit_length())
        for start in range(0, count, _SLICE):
            part = old[start : start + _SLICE]
            is_upper = part >> bit & np.uint64(1) == 1
            new[2 * start : 2 * (start + len(part)) : 2] = np.where(is_upper, _EMPTY, part)
            new[2 * start + 1 : 2 * (start + len(part)) : 2] = np.where(is_upper, part, _EMPTY)
        if path is not None:
            path.with_suffix(".new").replace(path)
        self._rows = new


def _map_rows(path: Path, count: int | None) -> NDArray[np.uint64]:
    """Return the rows in a file, which is made if it is not there; ``count``: of a new file that is made anyway."""
    if count is not None or not path.exists():
        with path.open("wb") as file:
            file.write(MAGIC)
            file.truncate(len(MAGIC) + (count or LEAST_ROWS) * ROW_BYTES)
    with path.open("rb") as file:
        magic = file.read(len(MAGIC))
    rows = path.stat().st_size // ROW_BYTES - 1
    if magic != MAGIC or path.stat().st_size % ROW_BYTES or rows < LEAST_ROWS or rows & rows - 1:
        raise DuplicatesError(path, "is damaged, or of another version of scrapy-justext; delete it to begin anew")
    return np.memmap(path, np.dtype("<u8"), "r+", offset=len(MAGIC), shape=(rows, WAYS))


def _load_pages(path: Path) -> dict[int, SeenPage]:
    try:
        rows = json.loads(path.read_text("utf-8"))
        return {int(page): SeenPage(str(url), int(ngrams), b64decode(links)) for page, url, ngrams, links in rows}
    except FileNotFoundError:
        return {}
    except (ValueError, TypeError) as error:
        raise DuplicatesError(path, "is damaged; delete it to begin anew") from error
