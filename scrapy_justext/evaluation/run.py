"""The command ``run``: extract the pages of data sets, store the texts, score them."""

from __future__ import annotations

import shutil
import signal
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy_justext.crawl.conversion import seconds
from scrapy_justext.evaluation.command_line import add_pages_and_processes, argument
from scrapy_justext.evaluation.datasets.names import open_data_sets
from scrapy_justext.evaluation.extractors.base import find_language
from scrapy_justext.evaluation.extractors.names import find_extractor
from scrapy_justext.evaluation.kinds import KIND_MEASURES
from scrapy_justext.evaluation.measures import SNIPPETS
from scrapy_justext.evaluation.processes import DEFAULT_TIMEOUT, Plan, find_remaining, run_plan
from scrapy_justext.evaluation.scoring import SUMMARY_FILE, score_run, sort_by_f1
from scrapy_justext.evaluation.store import DataSetRecord, ExtractorRecord, Run, start_run
from scrapy_justext.evaluation.tables import format_kinds, format_summary
from scrapy_justext.exceptions import ExtractorError, ParameterError
from scrapy_justext.files import locked
from scrapy_justext.workers.progress import Progress

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from scrapy_justext.evaluation.datasets.documents import DataSet
    from scrapy_justext.evaluation.extractors.base import PageExtractor
    from scrapy_justext.evaluation.scoring import ExtractorRow
    from scrapy_justext.evaluation.store import Result

#: The measure of the table that is printed at the end, the first that a data set has; summary.json has all.
SHOWN_MEASURES = ("sequence", SNIPPETS.name)
#: Names of documents that a warning lists.
_NAMES_SHOWN = 5
#: What progress tells of results that are no text.
_TROUBLES = {"failed": "failed", "timeout": "out of time"}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add = parser.add_argument
    several: dict[str, Any] = {"required": True, "nargs": "+", "action": "extend"}
    add(
        "--dataset",
        **several,
        metavar="KIND:PATH",
        help="labelled pages; may be repeated: of the same pages the first has them",
    )
    without = "leave out the pages that these sets have, too, byte for byte, such as those that a model was trained on"
    add("--without", nargs="+", action="extend", default=[], metavar="KIND:PATH", help=without)
    names = "a profile, ref:NAME for another library, ttr, the address of a service; may be repeated"
    add("--extractor", **several, metavar="NAME,NAME", help=names)
    out = "folder for the results; a run stopped there goes on"
    add("--out", required=True, type=Path, metavar="DIR", help=out)
    add("--language", default=None, metavar="L", help="language of all pages; left out: not known")
    timeout = "seconds that an extractor may take over a page (default: %(default)g)"
    add("--timeout", type=argument(seconds), default=DEFAULT_TIMEOUT, metavar="S", help=timeout)
    add_pages_and_processes(parser)


def execute(arguments: argparse.Namespace) -> int:
    """Run, score and print; raise :class:`JustextError` for what cannot be done as it was asked for."""

    def terminate(number: int, _: object) -> None:
        # As Ctrl-C does, so that processes are ended.
        raise KeyboardInterrupt(number)

    before = signal.signal(signal.SIGTERM, terminate)
    try:
        plan, record = _make_plan(arguments)
        with locked(plan.out):
            start_run(plan.out, record)
            _carry_out(plan)
            rows = score_run(plan.out, plan.data_sets, plan.jobs, keep_non_ascii=arguments.keep_non_ascii)
    except KeyboardInterrupt as stop:
        _say("stopped; the same command goes on from here")
        return 128 + (stop.args[0] if stop.args else signal.SIGINT)
    finally:
        signal.signal(signal.SIGTERM, before)
    _print_tables(plan, rows)
    return 0


def _make_plan(arguments: argparse.Namespace) -> tuple[Plan, Run]:
    """Return what to do, and the record of it, everything checked but the folder of results."""
    language = find_language(arguments.language)
    names = list(dict.fromkeys(name for part in arguments.extractor for name in part.split(",") if name))
    if not names:
        raise ParameterError("extractor", ",".join(arguments.extractor), "must be at least one name")
    extractors = _usable(names)
    opened = open_data_sets(arguments.dataset, arguments.without)
    data_sets = [data_set for data_set, _ in opened]
    _check_names(data_sets)
    for data_set in data_sets:
        _warn_of_problems(data_set)
    plan = Plan(
        out=arguments.out,
        data_sets=data_sets,
        extractors=[extractor.name for extractor in extractors],
        language=language.name if language else None,
        limit=arguments.limit,
        jobs=arguments.jobs,
        timeout=arguments.timeout,
    )
    record = Run(
        tuple(
            DataSetRecord(data_set.kind, str(data_set.path), data_set.name, data_set.digest, without)
            for data_set, without in opened
        ),
        tuple(
            ExtractorRecord(extractor.name, extractor.version, getattr(extractor, "code", None))
            for extractor in extractors
        ),
        plan.language,
        plan.limit,
    )
    return plan, record


def _usable(names: Iterable[str]) -> list[PageExtractor]:
    """Return the extractors that can be loaded; warn of the others, and raise when none is left."""
    usable: list[PageExtractor] = []
    for name in names:
        try:
            usable.append(find_extractor(name))
        except ExtractorError as error:
            _say(f"left out: {error}")
    if not usable:
        raise ExtractorError("no extractor is left")
    return usable


def _check_names(data_sets: Iterable[DataSet]) -> None:
    """Raise where two data sets share a name: results are stored by it."""
    paths: dict[str, Path] = {}
    for data_set in data_sets:
        other = paths.setdefault(data_set.name.casefold(), data_set.path)
        if other is not data_set.path:
            raise ParameterError("dataset", data_set.name, f"is the name of two folders, {other} and {data_set.path}")


def _warn_of_problems(data_set: DataSet) -> None:
    names = defaultdict(list)
    for problem in data_set.problems:
        names[problem.kind].append(problem.name)
    for kind, found in names.items():
        more = f" and {len(found) - _NAMES_SHOWN} more" if len(found) > _NAMES_SHOWN else ""
        _say(f"warning: {data_set.name}: left out, {kind}: {len(found)} ({', '.join(found[:_NAMES_SHOWN])}{more})")


def _carry_out(plan: Plan) -> None:
    tasks = find_remaining(plan)
    done = plan.total - sum(len(task.extractors) for task in tasks)
    if done:
        _say(f"{done} of {plan.total} results are there already")
    if not tasks:
        return
    statuses: Counter[str] = Counter()
    with Progress(plan.total, done, "results") as progress:

        def report(result: Result) -> None:
            statuses[result.status] += 1
            troubles = (f"{statuses[status]} {words}" for status, words in _TROUBLES.items() if statuses[status])
            progress.advance(", ".join(troubles))

        run_plan(plan, tasks, report)


def _print_tables(plan: Plan, rows: Sequence[ExtractorRow]) -> None:
    width = shutil.get_terminal_size((120, 24)).columns
    for name in (data_set.name for data_set in plan.data_sets):
        by_measure = ([row for row in rows if (row.dataset, row.measure) == (name, shown)] for shown in SHOWN_MEASURES)
        shown = sort_by_f1(next(filter(None, by_measure), []))
        if shown:
            print(f"\n{name}, measure {shown[0].measure}")
            print(format_summary(shown, width))
        kinds = [row for row in rows if row.dataset == name and row.measure in KIND_MEASURES]
        if kinds:
            order = {row.extractor: place for place, row in enumerate(shown)}
            print(f"\n{name}, similarity of what is in the Markdown, with the 95 % interval of the mean")
            print(format_kinds(sorted(kinds, key=lambda row: order.get(row.extractor, len(order))), width))
    print(f"\nAll measures: {plan.out / SUMMARY_FILE}")


def _say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)
