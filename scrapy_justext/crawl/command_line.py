"""How Scrapy's own commands end where a crawl cannot start."""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy_justext.exceptions import JustextError

logger = logging.getLogger(__name__)

#: That of Scrapy and of most programs for options which they cannot use.
UNUSABLE = 2


def end_command(error: JustextError) -> None:
    """In a command of Scrapy's, log what is wrong and end it, with exit status 2; elsewhere do nothing.

    What a component raises there ends the command, too, but with status 1 and a hundred lines: the stack of Scrapy,
    that of the component, and what caused it.  A script may have other crawls in its process, which go on.
    """
    # The exit would wait for other threads, which may not end without an event loop.
    if "scrapy.cmdline" in sys.modules and threading.active_count() == 1 and _is_in_task():
        logger.critical("%s", error)
        raise SystemExit(UNUSABLE)


def _is_in_task() -> bool:
    """Whether asyncio runs this as a task, out of which alone an exit gets."""
    try:
        return asyncio.current_task() is not None
    except RuntimeError:
        return False
