"""The memory of several workers, in Redis: each counts what all see.

Each site has four keys, ``justext:VERSION:SPIDER:SITE:`` and

* ``pages``: how many distinct pages were seen;
* ``visits``: the clock of the site;
* ``counts``: a hash, how many pages held each fingerprint;
* ``seen``: a sorted set of the same fingerprints by their last visit.

One script does all that a page asks for in one round trip.  No other worker sees anything between its steps.  A site is
forgotten :data:`DAYS` after its last page; within a site, what was seen longest ago goes first, as in :mod:`store`.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from scrapy_justext.crawl.parts.site_memory.store import VERSION, Sightings
from scrapy_justext.crawl.sites import without_password
from scrapy_justext.exceptions import SiteMemoryError
from scrapy_justext.files import packaged_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_justext.crawl.parts.site_memory.memory import Fingerprints
    from scrapy_justext.exceptions import SubjectError

logger = logging.getLogger(__name__)

PREFIX = f"justext:{VERSION}"
DAYS = 30
#: Seconds to wait for an answer: the crawl stands still meanwhile.
TIMEOUT = 5.0

_SCRIPT = packaged_text("crawl", "parts", "site_memory", "store.lua")


def connect(url: str, kind: type[SubjectError]) -> Redis:
    """Return a connection to the Redis at ``url``; raise an error of the ``kind`` if there is none."""
    try:
        redis = Redis.from_url(
            url,
            socket_timeout=TIMEOUT,
            socket_connect_timeout=TIMEOUT,
            # Once more, since a server may have closed a connection that was idle for long.
            retry=Retry(NoBackoff(), 1),
        )
        redis.ping()
    except RedisError as error:
        raise kind(without_password(url), f"cannot be used: {error}") from error
    except ValueError:
        problem = "cannot be used: it must be an address such as redis://HOST:6379/0"
        # The error itself may quote a part of the password.
        raise kind(without_password(url), problem) from None
    return redis


class InRedis:
    """What workers share; ``feature``: what a crawl goes on without when Redis is lost, of which the log tells once."""

    feature: str

    def __init__(self, redis: Redis, script: str, on_lost: Callable[[], None]) -> None:
        self._redis = redis
        self._script = redis.register_script(script)
        #: Called for each page that comes when Redis is lost.
        self._on_lost = on_lost
        self.is_lost = False

    def close(self) -> None:
        """Close the connection."""
        self._redis.close()

    def _ask(self, call: Callable[[], Any]) -> Any:
        """Return what a call of Redis gives; None if Redis is lost."""
        try:
            return None if self.is_lost else call()
        except RedisError as error:
            self.is_lost = True
            # This is no bug of ours: a traceback would say nothing.
            logger.error("Redis is lost (%s): the crawl goes on without %s", error, self.feature)  # noqa: TRY400


class SharedStore(InRedis):
    """The memory that all workers of the spider ``name`` share; ``blocks`` bounds the entries of a site.

    When Redis is lost, ``on_lost`` is called for each page that comes, and nothing is remembered any more.
    Raises :class:`SiteMemoryError` if there is no Redis at ``url``.
    """

    feature = "site memory"

    def __init__(self, url: str, name: str, blocks: int, on_lost: Callable[[], None]) -> None:
        super().__init__(connect(url, SiteMemoryError), _SCRIPT, on_lost)
        self._prefix = f"{PREFIX}:{name}"
        self._blocks = blocks

    def visit(self, site: str, page: Fingerprints) -> Sightings:
        """Add a page, and return what is known of its blocks."""
        return self._run(site, page, is_new=True)

    def recall(self, site: str, page: Fingerprints) -> Sightings:
        """Return what is known of a page's blocks."""
        return self._run(site, page, is_new=False)

    def _run(self, site: str, page: Fingerprints, *, is_new: bool) -> Sightings:
        keys = [f"{self._prefix}:{site}:{name}" for name in ("pages", "visits", "counts", "seen")]
        arguments: list[int | bytes] = [int(is_new), self._blocks, DAYS * 24 * 60 * 60, *page.page, *page.blocks]
        answer = self._ask(lambda: self._script(keys, arguments))
        if answer is not None:
            return Sightings(answer[0], answer[1:])
        if is_new:
            self._on_lost()
        return Sightings(0, [0] * len(page.blocks))
