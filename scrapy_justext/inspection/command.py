"""``scrapy justext PAGE…``.

Scrapy imports this module for every command that it runs, so what this one needs is imported when it is called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, cast

from scrapy.commands import ScrapyCommand

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from scrapy.crawler import AsyncCrawlerProcess, CrawlerProcess


class Command(ScrapyCommand):
    """Shows what is left of pages, what was removed, and why."""

    requires_project = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_LEVEL": "WARNING"}

    def syntax(self) -> str:
        """Return how the command is called."""
        return "[options] PAGE…"

    def short_desc(self) -> str:
        """Return the description in the list of commands."""
        return "Clean text of a page, and why each block was kept or removed"

    def long_desc(self) -> str:
        """Return the description in the help."""
        return (
            "Print the clean text of each PAGE: a URL, which is fetched with the project's settings, a file, or - for"
            " standard input. Exit status 0: good content was found; 1: none; 2: a page or an option cannot be used."
        )

    def add_options(self, parser: ArgumentParser) -> None:
        """Add Scrapy's own options, and ours."""
        from scrapy_justext.inspection.run import add_options  # noqa: PLC0415

        super().add_options(parser)
        add_options(parser)

    def run(self, args: list[str], opts: Namespace) -> None:
        """Do what was asked for."""
        from scrapy_justext.inspection.run import run  # noqa: PLC0415

        assert self.settings is not None
        process = cast("CrawlerProcess | AsyncCrawlerProcess", self.crawler_process)
        self.exitcode = run(args, opts, self.settings, process)
