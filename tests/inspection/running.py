"""``scrapy justext`` in a process of its own, with every warning an error."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any, NamedTuple, cast

from scrapy.settings import Settings
from scrapy.utils.conf import arglist_to_dict

from scrapy_justext.inspection.command import Command
from tests.crawl.crawling import REPOSITORY, command, environment
from tests.terminal import printed_on_terminal

PAGES = REPOSITORY / "example_project" / "demo_site" / "pages"


class Ran(NamedTuple):
    """What came of a run."""

    status: int
    out: str
    err: str


def justext(
    *arguments: str | Path, folder: Path, stdin: bytes = b"", stdout: int | None = None, **variables: str
) -> Ran:
    """Return the end of ``scrapy justext …`` in a folder; the variables are the environment's.

    ``stdout``: a descriptor that takes the output, of which nothing is returned then.
    """
    how = {"stdin": stdin, "stdout": stdout, "environment": environment() | variables}
    done = command("justext", *map(str, arguments), folder=folder, **how)
    return Ran(done.returncode, done.stdout, done.stderr)


def status_here(*arguments: str | Path) -> int:
    """Run the command in this process, for pages that need no fetching; it prints as ever.  Return its exit status."""
    command = Command()
    command.settings = Settings()
    # As Scrapy makes it.
    parser = ArgumentParser(conflict_handler="resolve")
    command.add_options(parser)
    options, rest = parser.parse_known_args([*map(str, arguments)])
    command.settings.setdict(arglist_to_dict(options.set), priority="cmdline")
    # Files are read without one.
    command.crawler_process = cast("Any", None)
    command.run(rest, options)
    return command.exitcode


def on_terminal(*arguments: str | Path, folder: Path, columns: int, **variables: str) -> Ran:
    """Run the command with a terminal of so many columns as its output."""
    variables = {"TERM": "xterm", "COLUMNS": str(columns), **variables}
    ran, out = printed_on_terminal(
        lambda terminal: justext(*arguments, folder=folder, stdin=b"", stdout=terminal, **variables)
    )
    return ran._replace(out=out)
