"""The command line: ``python -m scrapy_justext.evaluation COMMAND``.

The exit status is 0 when all went well, 1 if ``gate`` finds that figures have fallen, and 2 for a command that cannot
be carried out, with one line that says why.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from typing import TYPE_CHECKING, NoReturn

from scrapy_justext.crawl.commands import complain
from scrapy_justext.exceptions import BAD_INPUT, JustextError, require

if TYPE_CHECKING:
    from collections.abc import Sequence

PROGRAM = "python -m scrapy_justext.evaluation"

#: What the commands do, their modules, and the libraries that these import.  Only the module of the command that was
#: asked for is imported: ``configure`` adds its arguments, ``execute`` returns the exit status.
COMMANDS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "run": ("extract the pages of data sets and score the texts", "scrapy_justext.evaluation.run", ()),
    "report": ("write down what a run has measured", "scrapy_justext.evaluation.report", ("matplotlib", "jinja2")),
    "gate": ("compare the figures of a run with floors", "scrapy_justext.evaluation.gate", ()),
    "tune": ("search the thresholds of a profile on labelled pages", "scrapy_justext.evaluation.tuning", ()),
}


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"{self.prog}: {message}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the arguments say and return the exit status."""
    given = [*(sys.argv[1:] if arguments is None else arguments)]
    parser = _Parser(prog=PROGRAM, description="Measure extractors on labelled pages.", allow_abbrev=False)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, dest="command")
    try:
        for name, (summary, module, libraries) in COMMANDS.items():
            description = f"{summary.capitalize()}."
            subparser = commands.add_parser(name, help=summary, description=description, allow_abbrev=False)
            if name in given[:1]:
                for library in libraries:
                    require(library, "evaluation")
                command = import_module(module)
                command.configure(subparser)
        options = parser.parse_args(given)
        status: int = command.execute(options)
    except JustextError as error:
        complain(" ".join((PROGRAM, *given[:1])), error)
        return BAD_INPUT
    return status


# Worker processes import this module under another name.
if __name__ == "__main__":
    sys.exit(main())
