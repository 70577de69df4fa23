"""``scrapy justext-sites STATS…``: what became of each site, from the stats that crawls have written.

Scrapy imports this module for every command that it runs, so what this one needs is imported when it is called.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.commands import ScrapyCommand

from scrapy_justext.exceptions import BAD_INPUT, JustextError, StoreError

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


class Command(ScrapyCommand):
    """Shows what became of the pages of each site."""

    requires_project = False
    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_LEVEL": "WARNING"}

    def syntax(self) -> str:
        """Return how the command is called."""
        return "[options] STATS…"

    def short_desc(self) -> str:
        """Return the line for the list of commands."""
        return "What became of each site in crawls, by the stats that they have written"

    def long_desc(self) -> str:
        """Return the text for the help."""
        return (
            "Print a table of the sites in all STATS together, the files that JUSTEXT_SITE_STATS names. With --before,"
            " sites whose good characters a page fell by half since then come first. Exit status 0: done; 1: sites have"
            " changed; 2: a file or an option cannot be used."
        )

    def add_options(self, parser: ArgumentParser) -> None:
        """Add Scrapy's own options, and those of the command."""
        super().add_options(parser)
        add = parser.add_argument_group("Sites").add_argument
        add("--before", metavar="STATS", action="append", default=[], help="of the crawl before; may be given again")
        add("--html", metavar="FILE", help="write a page for the browser")
        add("--most", metavar="N", type=int, help="sites that are printed (default: all)")

    def run(self, args: list[str], opts: Namespace) -> None:
        """Do what was asked for."""
        try:
            self.exitcode = _show(args, opts)
        except JustextError as error:
            from scrapy_justext.crawl.commands import complain  # noqa: PLC0415

            complain("justext-sites", error)
            self.exitcode = BAD_INPUT


def _show(args: list[str], opts: Namespace) -> int:
    from scrapy_justext.crawl.parts.site_report import page, table  # noqa: PLC0415
    from scrapy_justext.crawl.parts.site_stats import in_order, merged, read_stats  # noqa: PLC0415
    from scrapy_justext.files import explaining, write_whole  # noqa: PLC0415

    if not args:
        raise StoreError("name a file of stats, as JUSTEXT_SITE_STATS does")
    records, before = (merged(read_stats(Path(name)) for name in names) for names in (args, opts.before))
    if opts.html:
        with explaining(opts.html, "written"):
            write_whole(Path(opts.html), page(records, before, "Sites").encode())
    sys.stdout.write(table(records, before, opts.most) + "\n")
    return int(any(record.has_changed(old) for _, record, old in in_order(records, before)))
