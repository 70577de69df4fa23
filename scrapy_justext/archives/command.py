"""``scrapy justext-archive IN… -o OUT``.

Scrapy imports this module whenever it is run, for whatever command: what is needed is imported when it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.commands import ScrapyCommand

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


class Command(ScrapyCommand):
    """Cleans all the pages of archives."""

    requires_project = False
    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_LEVEL": "WARNING"}

    def syntax(self) -> str:
        """How it is called."""
        return "[options] IN… -o OUT"

    def short_desc(self) -> str:
        """For the list of commands."""
        return "Clean text of all the pages in WARC files, folders of HTML, JSON Lines or Parquet"

    def long_desc(self) -> str:
        """For the help."""
        return (
            "Clean the pages in each IN: a WARC file, a folder of HTML files, JSON Lines or Parquet with a column of"
            " HTML; and write them to OUT, JSON Lines or Parquet. A run that was ended goes on when it is run again."
            " Exit status 0: done; 2: an input, an option or OUT cannot be used; 130: interrupted."
        )

    def add_options(self, parser: ArgumentParser) -> None:
        """Scrapy's own options, and ours."""
        from scrapy_justext.archives.run import end_at_once  # noqa: PLC0415

        # What is imported from here on takes a second or two.
        end_at_once()
        from scrapy_justext.archives.run import add_options  # noqa: PLC0415

        super().add_options(parser)
        add_options(parser)

    def run(self, args: list[str], opts: Namespace) -> None:
        """Do what was asked for."""
        from scrapy_justext.archives.run import run  # noqa: PLC0415

        assert self.settings is not None
        self.exitcode = run(args, opts, self.settings)
