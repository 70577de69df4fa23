"""Python's garbage collections, which stop everything while they last."""

from __future__ import annotations

import gc
from functools import cache


@cache
def spare_what_is_there() -> None:
    """Have collections leave alone what is there now, once: half a million objects of Scrapy's and of others.

    To look at all of them, which happens every some ten pages, takes a tenth of a second.
    """
    gc.collect()
    gc.freeze()
