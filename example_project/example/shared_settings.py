"""Settings for several workers on one queue, on one machine or on many, with `scrapy-redis`.

In each: ``SCRAPY_PROJECT=shared REDIS_URL=redis://HOST:6379/0 scrapy crawl site -a url=https://example.org/``
"""

import os

from example.settings import *  # noqa: F403  (all of the project's, and those below)

REDIS_URL = os.environ.get("REDIS_URL", "redis://127.0.0.1:6379/0")

#: That of scrapy-redis, which ends a worker whose Redis is lost; the command then ends with exit status 2.
SCHEDULER = "example.shared_scheduler.SharedScheduler"
COMMANDS_MODULE = "example.commands"
DUPEFILTER_CLASS = "scrapy_redis.dupefilter.RFPDupeFilter"
#: What is queued, and what was seen, stays when workers stop: they can be started again.
SCHEDULER_PERSIST = True

EXTENSIONS = {"example.waiting.WaitForOthers": 500}
#: Seconds that a worker without a request waits for what others may find.
WAIT_FOR_OTHERS = 20

#: Remembered in Redis, by all workers together.
JUSTEXT_SITE_MEMORY = True
