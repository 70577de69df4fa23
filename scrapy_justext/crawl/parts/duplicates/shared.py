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

# KEYS: pages, order, shards.  ARGV: the page, and the page as the owner of an n-gram, as bytes; what is known of it;
# how many pages are kept; rows of all shards, and of one; bytes of a row; seconds to keep; the n-grams, 5 bytes each.
# The last bit of an owner tells a listing.  The answer has 4 bytes for each n-gram: 3 if it was found, 1 if it is new,
# 0 if it is not in the sample; and its owner.
_SCRIPT = """
local pages, order = KEYS[1], KEYS[2]
local page, owner, about = ARGV[1], ARGV[2], ARGV[3]
local most, rows, shard_rows = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local width, seconds, keys = tonumber(ARGV[7]), tonumber(ARGV[8]), ARGV[9]
local byte, floor = string.byte, math.floor
local size = 1099511627776 / rows
if redis.call('HSET', pages, page, about) == 1 then
  redis.call('RPUSH', order, page)
  if redis.call('LLEN', order) > most then
    redis.call('HDEL', pages, redis.call('LPOP', order))
  end
end
local function number(text, i)
  local a, b, c, d, e = byte(text, i, i + 4)
  return (((a * 256 + b) * 256 + c) * 256 + d) * 256 + e
end
local answer, shards = {}, {}
for i = 1, #keys, 5 do
  local key = number(keys, i)
  local row = floor(key / size)
  local shard = KEYS[3 + floor(row / shard_rows)]
  local start = row % shard_rows * width
  if not shards[shard] then
    shards[shard] = true
    if redis.call('STRLEN', shard) == 0 then
      redis.call('SETRANGE', shard, math.min(rows, shard_rows) * width - 1, string.char(0))
    end
  end
  local places = redis.call('GETRANGE', shard, start, start + width - 1)
  local smallest, at, found = key, nil, nil
  for place = 1, width, 8 do
    local there = number(places, place)
    if there == key then
      found = string.char(3) .. string.sub(places, place + 5, place + 7)
      if page == owner and byte(places, place + 7) % 2 == 1 then
        redis.call('SETRANGE', shard, start + place + 4, owner)
      end
      break
    elseif there < smallest then
      smallest, at = there, place
    end
  end
  if not found and at then
    redis.call('SETRANGE', shard, start + at - 1, string.sub(keys, i, i + 4) .. owner)
  end
  answer[#answer + 1] = found or (at and '\\1\\0\\0\\0' or '\\0\\0\\0\\0')
end
for _, key in ipairs(KEYS) do
  redis.call('EXPIRE', key, seconds)
end
return table.concat(answer)
"""


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
