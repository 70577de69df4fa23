"""The command ``report``: write what a run has measured for people to read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy_justext.crawl.conversion import whole_number
from scrapy_justext.evaluation.command_line import argument
from scrapy_justext.evaluation.kinds import ALL_MEASURES
from scrapy_justext.evaluation.registry import Registry
from scrapy_justext.evaluation.report.differences import SHOWN_DOCUMENTS, compare_documents
from scrapy_justext.evaluation.report.results import make_results, read_records
from scrapy_justext.exceptions import ParameterError, UnknownNameError, require

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add = parser.add_argument
    several: dict[str, Any] = {"nargs": "+", "action": "extend", "default": []}
    add("dir", type=Path, metavar="DIR", help="folder of a run; report.md and report.html go there")
    pairs = "extractors to compare document by document; may be repeated (default: the two best)"
    add("--pairs", **several, metavar="A,B", help=pairs)
    top = "documents shown for each pair, those that differ most (default: %(default)s)"
    add("--top", type=argument(whole_number), default=SHOWN_DOCUMENTS, metavar="N", help=top)
    measure = f"measure that pairs are compared by: {', '.join(ALL_MEASURES)} (default: %(default)s)"
    add("--measure", default="sequence", metavar="NAME", help=measure)
    figures = "write the table by --measure and its charts there, too, for other pages to include"
    add("--figures", type=Path, metavar="FOLDER", help=figures)
    add("--names", **several, metavar="NAME=SHOWN", help="what --figures calls extractors; may be repeated")


def execute(arguments: argparse.Namespace) -> int:
    """Write the report and print its files; raise :class:`JustextError` for what cannot be done as asked."""
    require("matplotlib", "evaluation")
    require("jinja2", "evaluation")
    # Imported here, so that the other commands neither wait for these libraries nor need them.
    from scrapy_justext.evaluation.report.output import write_figures, write_report  # noqa: PLC0415

    records = read_records(arguments.dir)
    names = _parse_names(arguments.names, records.extractors)
    pairs = list(dict.fromkeys(_parse_pair(text, records.extractors) for text in arguments.pairs))
    Registry("measure", "measure", ALL_MEASURES).find(arguments.measure)
    results = [make_results(records, name) for name in dict.fromkeys(row.dataset for row in records.rows)]
    compared = {
        data_set.name: compare_documents(records, data_set.measures[arguments.measure], pairs, arguments.top)
        for data_set in results
        if arguments.measure in data_set.measures
    }
    written = write_report(records, results, arguments.measure, compared)
    if arguments.figures is not None:
        written += write_figures(arguments.figures, records, results, arguments.measure, names)
    for path in written:
        print(path)
    return 0


def _parse_names(given: Sequence[str], known: tuple[str, ...]) -> dict[str, str]:
    names: dict[str, str] = {}
    for text in given:
        name, _, shown = text.rpartition("=")
        if name not in known:
            raise UnknownNameError("names", name, "extractor of this run", known)
        if not shown or shown in (*known, *names.values()):
            raise ParameterError("names", text, "must be NAME=SHOWN, with another name than those of the run")
        names[name] = shown
    return names


def _parse_pair(text: str, known: tuple[str, ...]) -> tuple[str, str]:
    names = text.split(",")
    for name in names:
        if name not in known:
            raise UnknownNameError("pairs", name, "extractor of this run", known)
    if len(names) != 2 or names[0] == names[1]:
        raise ParameterError("pairs", text, "must be two extractors of the run, as A,B")
    return names[0], names[1]
