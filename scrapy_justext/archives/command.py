"""``scrapy justext-archive IN… -o OUT``: its options, and what Ctrl-C does while libraries are imported.

Scrapy imports this module whenever it is run, for whatever command.  The libraries that archives need, which may not be
installed and take a second to import, are imported when the command is run.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.commands import ScrapyCommand

from scrapy_justext.archives.records import OTHERS_OPTION, PageColumns, column_option
from scrapy_justext.exceptions import BAD_INPUT, JustextError, require

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from types import FrameType

#: Exit statuses beside :data:`~scrapy_justext.exceptions.BAD_INPUT`.
DONE, INTERRUPTED = 0, 130

#: The OUT that stands for standard output.
STANDARD_OUTPUT = "-"


class Command(ScrapyCommand):
    """Cleans all the pages of archives."""

    requires_project = False
    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_LEVEL": "WARNING"}

    def syntax(self) -> str:
        """Return how the command is called."""
        return "[options] IN… -o OUT"

    def short_desc(self) -> str:
        """Return the line for the list of commands."""
        return "Clean text of all the pages in WARC files, folders of HTML, JSON Lines or Parquet"

    def long_desc(self) -> str:
        """Return the text for the help."""
        return (
            "Clean the pages in each IN: a WARC file, a folder of HTML files, JSON Lines or Parquet with a column of"
            " HTML; and write them to OUT, JSON Lines, Parquet or a corpus of text. A run that was ended goes on when"
            " it is run again, unless it writes to standard output. Exit status 0: done; 2: an input, an option or OUT"
            " cannot be used; 130: interrupted."
        )

    def add_options(self, parser: ArgumentParser) -> None:
        """Add Scrapy's own options, and those of the command."""
        end_at_once_on_interrupt()
        super().add_options(parser)
        add_options(parser)

    def run(self, args: list[str], opts: Namespace) -> None:
        """Do what was asked for."""
        assert self.settings is not None
        try:
            self.exitcode = require("scrapy_justext.archives.run", "archive").run(args, opts, self.settings)
        except JustextError as error:
            from scrapy_justext.crawl.commands import complain  # noqa: PLC0415

            complain("justext-archive", error)
            self.exitcode = BAD_INPUT
        except KeyboardInterrupt:
            _print_interrupted(can_go_on=opts.output != STANDARD_OUTPUT)
            self.exitcode = INTERRUPTED


def add_options(parser: ArgumentParser) -> None:
    """Add the options of the command."""
    # Not before: it loads what only this command and its like need.
    from scrapy_justext.crawl.commands import DEST_PREFIX, add_setting_options, option  # noqa: PLC0415

    add = parser.add_argument_group("Archives").add_argument
    formats = "JSON Lines; .prevert, .txt, .tei, corpora of text, each also with .gz or .zst behind it; or .parquet"
    output = f"where the rows go: a name that ends in .jsonl, {formats}; or - for standard output, as JSON Lines"
    add("-o", "--output", metavar="OUT", help=output)
    add("--restart", action="store_true", help="begin anew, whatever is at OUT")
    add("--processes", metavar="N", help="that extract (default: one for each core)")
    add(
        "--timeout",
        metavar="SECONDS",
        help="a page that takes longer is given up and counted (default: JUSTEXT_TIMEOUT)",
    )
    add("--summary", metavar="FILE", help="write the counts and the damaged records there, as JSON")
    contents = ("the page", "its URL", "its content type, if there is one")
    for (field, default), content in zip(PageColumns().of_page.items(), contents, strict=True):
        add(
            column_option(field),
            metavar="NAME",
            default=default,
            help=f"of Parquet, or key of JSON Lines, that holds {content} (default: {default})",
        )
    add(
        OTHERS_OPTION,
        metavar="NAMES",
        help="the other columns, or keys, that rows keep, with commas (default: all but the HTML; '' keeps none)",
    )
    add(
        option("fields"),
        dest=f"{DEST_PREFIX}fields",
        metavar="NAMES|JSON",
        help="what rows hold: names with commas, as confidence,markdown, are added to what they hold anyway; JSON, as"
        ' {"text": "body", "blocks": null}, also renames and leaves out',
    )
    add_setting_options(parser)


def end_at_once_on_interrupt() -> None:
    """End the process at once on Ctrl-C, as long as it imports libraries and has nothing to put in order.

    A process that ignores Ctrl-C, as in the background of a shell, goes on ignoring it.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end_at_once)


def raise_on_interrupt() -> None:
    """Let Ctrl-C raise ``KeyboardInterrupt`` again."""
    if signal.getsignal(signal.SIGINT) is _end_at_once:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _end_at_once(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
    _print_interrupted()
    os._exit(INTERRUPTED)


def _print_interrupted(*, can_go_on: bool = True) -> None:
    advice = "; run the same again to go on" if can_go_on else ""
    print(f"justext-archive: interrupted{advice}", file=sys.stderr, flush=True)
