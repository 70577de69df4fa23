"""The command line: ``python -m scrapy_justext.evaluation COMMAND``.

The exit status is 0 when all went well, 1 where ``gate`` finds that figures have fallen, and 2 for what cannot be done
as it was asked for, with one line that says why.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, NoReturn

from scrapy_justext.crawl.commands import complain
from scrapy_justext.evaluation import gate, run, tuning
from scrapy_justext.evaluation.report import command as report
from scrapy_justext.exceptions import BAD_INPUT, JustextError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

PROGRAM = "python -m scrapy_justext.evaluation"

#: Names, what the commands do, and their modules: ``configure`` adds arguments, ``execute`` returns the exit status.
COMMANDS: tuple[tuple[str, str, ModuleType], ...] = (
    ("run", "extract the pages of data sets and score the texts", run),
    ("report", "write down what a run has measured", report),
    ("gate", "compare the figures of a run with floors", gate),
    ("tune", "search the thresholds of a profile on labelled pages", tuning),
)


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"{self.prog}: {message}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the arguments say and return the exit status."""
    parser = _Parser(prog=PROGRAM, description="Measure extractors on labelled pages.", allow_abbrev=False)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, dest="command")
    for name, summary, module in COMMANDS:
        description = f"{summary.capitalize()}."
        subparser = commands.add_parser(name, help=summary, description=description, allow_abbrev=False)
        module.configure(subparser)
        subparser.set_defaults(execute=module.execute)
    chosen = parser.parse_args(arguments)
    try:
        status: int = chosen.execute(chosen)
    except JustextError as error:
        complain(f"{PROGRAM} {chosen.command}", error)
        return BAD_INPUT
    return status


# Worker processes import this module under another name.
if __name__ == "__main__":
    sys.exit(main())
