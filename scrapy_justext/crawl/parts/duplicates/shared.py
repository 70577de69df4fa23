"""The table that several workers share, in Redis: what one has seen, all know.

The rows are those of :mod:`~scrapy_justext.crawl.parts.duplicates.table`, in strings of :data:`SHARD_ROWS` rows, under
``justext:duplicates:VERSION:SPIDER:``; beside them the sizes, URLs and links of the newest pages, and their order.  The
strings have their full length from the first page on: Redis needs the memory that the setting allows.

One script does what :data:`MOST_KEYS` n-grams ask for in one round trip; no other worker sees anything between its
steps.  All is forgotten :data:`DAYS` after the last page.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import TYPE_CHECKING

import numpy as np

from scrapy_justext.core.ngrams import KEY_BITS
from scrapy_justext.crawl.parts.duplicates.table import MOST_PAGES, OWNER_BITS, ROW_BYTES, KnownNGrams, SeenPage
from scrapy_justext.crawl.parts.site_memory.shared import DAYS, InRedis, connect
from scrapy_justext.exceptions import DuplicatesError
from scrapy_justext.files import packaged_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scrapy_justext.crawl.parts.duplicates.table import Keys

#: Changes with what keys are made of, and with how rows are stored.
VERSION = 3
PREFIX = f"justext:duplicates:{VERSION}"
#: Rows of a string: 64 MB, of the 512 MB that Redis allows.
SHARD_ROWS = 1 << 20
#: N-grams of a call: Redis does nothing else meanwhile.
MOST_KEYS = 2000

_KEY_BYTES, _OWNER_BYTES = KEY_BITS // 8, OWNER_BITS // 8

_SCRIPT = packaged_text("crawl", "parts", "duplicates", "table.lua")


class SharedTable(InRedis):
    """The table that all workers of the spider ``name`` share, of ``rows`` rows.

    When Redis is lost, ``on_lost`` is called for each page that comes, and nothing is repeated any more.
    Raises :class:`~scrapy_justext.exceptions.DuplicatesError` if there is no Redis at ``url``.
    """

    feature = "looking for duplicates"

    def __init__(self, url: str, name: str, rows: int, on_lost: Callable[[], None]) -> None:
        super().__init__(connect(url, DuplicatesError), _SCRIPT, on_lost)
        prefix = f"{PREFIX}:{name}"
        shards = range(max(rows // SHARD_ROWS, 1))
        self._keys = [f"{prefix}:pages", f"{prefix}:order", *(f"{prefix}:rows:{number}" for number in shards)]
        self._rows = rows

    def visit(self, number: int, page: SeenPage, keys: Keys, *, announces: bool) -> KnownNGrams:
        """Return what was known of the keys of a page, each of which is there once; add those that are new.

        ``announces``: whether the page is a listing.
        """
        about = f"{page.ngrams} {b64encode(page.links).decode()} {page.url}"
        limits = (MOST_PAGES, self._rows, SHARD_ROWS, ROW_BYTES, DAYS * 24 * 60 * 60)
        fixed = (_owner(number), _owner(number, announces=announces), about, *limits)
        # An empty page is one that is remembered, too.
        parts = [_packed(keys[start : start + MOST_KEYS]) for start in range(0, max(len(keys), 1), MOST_KEYS)]
        answer = self._ask(lambda: b"".join(self._script(self._keys, [*fixed, part]) for part in parts))
        if answer is not None:
            numbers = np.frombuffer(answer, ">u4").astype(np.int64)
            return KnownNGrams.of(numbers >> 25 & 1 == 1, numbers & (1 << OWNER_BITS) - 1, numbers >> 24 > 0)
        self._on_lost()
        unknown = np.zeros(len(keys), np.bool_)
        return KnownNGrams.of(unknown, np.zeros(len(keys), np.int64), unknown)

    def recall(self, pages: Sequence[int]) -> list[SeenPage | None]:
        """Return what is remembered of each page; None if it is forgotten."""
        owners = list(map(_owner, pages))
        known = self._ask(lambda: self._redis.hmget(self._keys[0], owners)) if owners else None
        return [None] * len(pages) if known is None else list(map(_seen_page, known))


def _owner(page: int, *, announces: bool = False) -> bytes:
    """Return a page as the owner of an n-gram."""
    return (page << 1 | announces).to_bytes(_OWNER_BYTES, "big")


def _seen_page(about: bytes | None) -> SeenPage | None:
    if about is None:
        return None
    ngrams, links, url = about.decode("utf-8", "replace").split(" ", 2)
    return SeenPage(url, int(ngrams), b64decode(links))


def _packed(keys: Keys) -> bytes:
    """Return keys as bytes, that of the highest value first."""
    return keys.astype(">u8").view(np.uint8).reshape(-1, 8)[:, 8 - _KEY_BYTES :].tobytes()
