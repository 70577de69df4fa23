"""``scrapy crawl`` for workers that share a queue: exit status 2 when Redis was lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydispatch import dispatcher
from scrapy import signals
from scrapy.commands import crawl

from example.shared_scheduler import LOST

if TYPE_CHECKING:
    import argparse


class Command(crawl.Command):
    """Scrapy's own, which ends with 0 whatever a crawl was closed for."""

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run a crawl."""
        reasons: list[str] = []

        def note(reason: str) -> None:
            reasons.append(reason)

        dispatcher.connect(note, signals.spider_closed)
        super().run(args, opts)
        if LOST in reasons:
            self.exitcode = 2
