"""The command line: ``python -m scrapy_justext.evaluation COMMAND``.

The exit status is 0 when all went well, 1 where ``gate`` finds that figures have fallen, and 2 for what cannot be done
as it was asked for, with one line that says why.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from scrapy_justext.evaluation import gate, run, tuning
from scrapy_justext.evaluation.report import command as report_command
from scrapy_justext.exceptions import JustextError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

PROGRAM = "python -m scrapy_justext.evaluation"

#: Exit status for bad input, as argparse has it.
BAD_INPUT = 2


class Command(NamedTuple):
    """``configure`` adds a parser's arguments; ``execute`` returns the exit status, or raises JustextError."""

    name: str
    summary: str
    configure: Callable[[argparse.ArgumentParser], None]
    execute: Callable[[argparse.Namespace], int]


COMMANDS = (
    Command("run", "extract the pages of data sets and score the texts", run.configure, run.execute),
    Command("report", "write down what a run has measured", report_command.configure, report_command.execute),
    Command("gate", "compare the figures of a run with floors", gate.configure, gate.execute),
    Command("tune", "search the thresholds of a profile on labelled pages", tuning.configure, tuning.execute),
)


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"{self.prog}: {message}\n")


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    parser = _Parser(prog=PROGRAM, description="Measure extractors on labelled pages.", allow_abbrev=False)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, dest="command")
    for command in COMMANDS:
        subparser = commands.add_parser(
            command.name, help=command.summary, description=f"{command.summary.capitalize()}.", allow_abbrev=False
        )
        command.configure(subparser)
        subparser.set_defaults(execute=command.execute)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the arguments say and return the exit status."""
    chosen = make_parser().parse_args(arguments)
    try:
        status: int = chosen.execute(chosen)
    except JustextError as error:
        message = " ".join(str(error).split())
        print(f"{PROGRAM} {chosen.command}: {message}", file=sys.stderr)
        return BAD_INPUT
    return status


# Worker processes import this module under another name.
if __name__ == "__main__":
    sys.exit(main())
