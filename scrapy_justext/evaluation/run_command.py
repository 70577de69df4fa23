"""The command ``run``: extract the pages of data sets, store the texts, score them."""

from __future__ import annotations

import argparse
import math
import os
import shutil
import signal
import sys
from collections import defaultdict
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy_justext.evaluation.datasets import open_data_set
from scrapy_justext.evaluation.extractors import ExtractorError, find_extractor
from scrapy_justext.evaluation.extractors.base import find_language
from scrapy_justext.evaluation.progress import Progress
from scrapy_justext.evaluation.running import DEFAULT_TIMEOUT, Plan, find_remaining, run
from scrapy_justext.evaluation.scoring import SUMMARY_FILE, score_run
from scrapy_justext.evaluation.store import describe_run, start_run
from scrapy_justext.evaluation.tables import by_f1, format_table
from scrapy_justext.exceptions import ParameterError
from scrapy_justext.locking import locked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from scrapy_justext.evaluation.documents import DataSet
    from scrapy_justext.evaluation.extractors import Extractor
    from scrapy_justext.evaluation.store import Run

#: The measure of the table that is printed at the end; summary.json has all.
SHOWN_MEASURE = "sequence"
#: Names of documents that a warning lists.
_NAMES_SHOWN = 5


class _Terminated(KeyboardInterrupt):
    """The process was asked to end by a signal other than Ctrl-C's."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "--dataset",
        required=True,
        nargs="+",
        action="extend",
        metavar="KIND:PATH",
        help="labelled pages; may be repeated",
    )
    parser.add_argument(
        "--extractor",
        required=True,
        nargs="+",
        action="extend",
        metavar="NAME,NAME",
        help="a profile, ref:NAME for another library, ttr, the address of a service; may be repeated",
    )
    parser.add_argument(
        "--out", required=True, type=Path, metavar="DIR", help="folder for the results; a run stopped there goes on"
    )
    parser.add_argument("--language", default=None, metavar="L", help="language of all pages; left out: not known")
    parser.add_argument(
        "--jobs", type=_positive_int, default=os.cpu_count() or 1, metavar="N", help="processes (default: one a core)"
    )
    parser.add_argument("--limit", type=_positive_int, default=None, metavar="N", help="first N pages of each data set")
    parser.add_argument(
        "--timeout",
        type=_positive_seconds,
        default=DEFAULT_TIMEOUT,
        metavar="S",
        help="seconds that an extractor may take over a page (default: %(default)g)",
    )
    parser.add_argument(
        "--keep-non-ascii", action="store_true", help="measure words with letters beyond ASCII whole, for other scripts"
    )


def execute(arguments: argparse.Namespace) -> int:
    """Run, score and print; raises :class:`JustextError` for what cannot be done as it was asked for."""
    try:
        with _terminable():
            plan, record = _make_plan(arguments)
            with locked(plan.out):
                start_run(plan.out, record)
                _carry_out(plan)
                rows = score_run(plan.out, plan.data_sets, plan.jobs, keep_non_ascii=arguments.keep_non_ascii)
    except KeyboardInterrupt as stop:
        _say("stopped; the same command goes on from here")
        return 128 + (signal.SIGTERM if isinstance(stop, _Terminated) else signal.SIGINT)
    _print_tables(plan, rows)
    return 0


def _make_plan(arguments: argparse.Namespace) -> tuple[Plan, Run]:
    """What to do, and the record of it, everything checked but the folder of results."""
    found = find_language(arguments.language)
    language = None if found is None else found.name
    names = list(dict.fromkeys(name for part in arguments.extractor for name in part.split(",") if name))
    if not names:
        raise ParameterError("extractor", ",".join(arguments.extractor), "must be at least one name")
    extractors = _usable(names)
    data_sets = [open_data_set(given) for given in dict.fromkeys(arguments.dataset)]
    _check_names(data_sets)
    for data_set in data_sets:
        _warn_of_problems(data_set)
    plan = Plan(
        out=arguments.out,
        data_sets=data_sets,
        extractors=[extractor.name for extractor in extractors],
        language=language,
        limit=arguments.limit,
        jobs=arguments.jobs,
        timeout=arguments.timeout,
    )
    return plan, describe_run(data_sets, extractors, language, arguments.limit)


def _usable(names: Iterable[str]) -> list[Extractor]:
    """The extractors that can be loaded; the others are warned of, and it is an error when none is left."""
    usable: list[Extractor] = []
    problem: ExtractorError | None = None
    for name in names:
        try:
            usable.append(find_extractor(name))
        except ExtractorError as error:
            _say(f"left out: {error}")
            problem = error
    if problem is not None and not usable:
        raise ExtractorError("no extractor is left") from problem
    return usable


def _check_names(data_sets: Iterable[DataSet]) -> None:
    """Results are stored by the names of data sets, so two must not share one."""
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
    remaining = find_remaining(plan)
    if remaining.done:
        _say(f"{remaining.done} of {remaining.total} results are there already")
    if remaining.tasks:
        with Progress(remaining.total, remaining.done) as progress:
            run(plan, remaining.tasks, progress.update)


def _print_tables(plan: Plan, rows: Sequence[dict[str, Any]]) -> None:
    for data_set in plan.data_sets:
        _print_table(data_set.name, [row for row in rows if row["dataset"] == data_set.name])
    print(f"\nAll measures: {plan.out / SUMMARY_FILE}")


def _print_table(name: str, rows: Sequence[dict[str, Any]]) -> None:
    shown = by_f1([row for row in rows if row["measure"] == SHOWN_MEASURE])
    if shown:
        print(f"\n{name}, measure {SHOWN_MEASURE}")
        print(format_table(shown, shutil.get_terminal_size((120, 24)).columns))


@contextmanager
def _terminable() -> Iterator[None]:
    """Within, SIGTERM raises as Ctrl-C does, so that processes are ended."""

    def terminate(*_: object) -> None:
        raise _Terminated

    before = signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _positive_int(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return number


def _positive_seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return seconds


def _say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)
