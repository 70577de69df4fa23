"""The command ``run``: extract the pages of data sets, store the texts, score them.

Extractors run in processes of their own, where they may crash or hang.  Work goes to the processes a document at a
time, with the extractors that still lack a result for it.  A process says what it begins, and reports each result at
once; the result is written down before anything else happens.  So a run that was stopped goes on where it was.  If a
process ends, or takes too long and is ended, that is the result of the extractor whose turn it was.  Another process
then goes on with the other extractors.

What an extractor started itself ends with its process.
"""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import sys
import time
import warnings
from collections import Counter, deque
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_justext.crawl.commands import Progress
from scrapy_justext.crawl.conversion import seconds
from scrapy_justext.evaluation.datasets.names import open_data_sets
from scrapy_justext.evaluation.extractors.base import extract_content, find_language
from scrapy_justext.evaluation.extractors.names import find_extractor
from scrapy_justext.evaluation.kinds import all_measures
from scrapy_justext.evaluation.measures import MARKDOWN, SNIPPET_MEASURE
from scrapy_justext.evaluation.registry import add_processes, argument
from scrapy_justext.evaluation.scoring import SUMMARY_FILE, score_run, sort_by_f1
from scrapy_justext.evaluation.store import DataSetRecord, ExtractorRecord, Result, Run, open_results, start_run
from scrapy_justext.evaluation.tables import format_kinds, format_summary
from scrapy_justext.exceptions import EvaluationError, ExtractorError, PageTimeout, ParameterError, WorkerCrashed
from scrapy_justext.files import locked
from scrapy_justext.workers import Begun, Pool

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from scrapy_justext.evaluation.datasets.documents import DataSet, Document
    from scrapy_justext.evaluation.extractors.base import PageExtractor
    from scrapy_justext.evaluation.scoring import ExtractorRow
    from scrapy_justext.evaluation.store import Status

    #: The result of the next extractor of a task, and its text; None when it failed.
    ResultWithText = tuple[Result, str | None]

#: The measure of the table that is printed at the end, the first that a data set has; summary.json has all.
SHOWN_MEASURES = ("sequence", SNIPPET_MEASURE.name)
#: Names of documents that a warning lists.
_NAMES_SHOWN = 5
#: How progress shows results that are no text.
_TROUBLES = {"failed": "failed", "timeout": "out of time"}
#: Seconds that an extractor may take over a page.
DEFAULT_TIMEOUT = 60.0
#: Seconds for everything but an extractor's own work: starting a process, loading an extractor, reading a page.
OVERHEAD_SECONDS = 120.0

#: What a process begins, in words for the result if it ends in it.
READING = "reading the page: "
LOADING = "loading the extractor: "
WARMING_UP = "warming the extractor up: "
EXTRACTING = ""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add = parser.add_argument
    several: dict[str, Any] = {"required": True, "nargs": "+", "action": "extend"}
    pages = "labelled pages; may be repeated: of the same pages the first has them"
    add("--dataset", **several, metavar="KIND:PATH", help=pages)
    without = "leave out the pages that these sets have, too, byte for byte, such as those that a model was trained on"
    add("--without", nargs="+", action="extend", default=[], metavar="KIND:PATH", help=without)
    names = "a profile, ref:NAME for another library, ttr, the address of a service; may be repeated"
    add("--extractor", **several, metavar="NAME,NAME", help=names)
    out = "folder for the results; a run stopped there goes on"
    add("--out", required=True, type=Path, metavar="DIR", help=out)
    add("--language", default=None, metavar="L", help="language of all pages; left out: not known")
    timeout = "seconds that an extractor may take over a page (default: %(default)g)"
    add("--timeout", type=argument(seconds), default=DEFAULT_TIMEOUT, metavar="S", help=timeout)
    letters = "measure words with letters beyond ASCII whole, for other scripts"
    add("--keep-non-ascii", action="store_true", help=letters)
    add_processes(parser)


def execute(arguments: argparse.Namespace) -> int:
    """Run, score and print; raise :class:`JustextError` for what cannot be done as it was asked for."""
    try:
        plan, record = _make_plan(arguments)
        with locked(plan.out):
            start_run(plan.out, record)
            _extract_all(plan)
            rows = score_run(plan.out, plan.data_sets, plan.jobs, keep_non_ascii=arguments.keep_non_ascii)
    except KeyboardInterrupt:
        _say("stopped; the same command goes on from here")
        return 128 + signal.SIGINT
    _print_tables(plan, rows)
    return 0


def _make_plan(arguments: argparse.Namespace) -> tuple[Plan, Run]:
    """Return what to do, and the record of it, everything checked but the folder of results."""
    language = find_language(arguments.language)
    names = list(dict.fromkeys(name for part in arguments.extractor for name in part.split(",") if name))
    if not names:
        raise ParameterError("extractor", ",".join(arguments.extractor), "must be at least one name")
    extractors = _load_usable(names)
    data_sets = open_data_sets(arguments.dataset, arguments.without)
    _check_names(data_sets)
    for data_set in data_sets:
        for kind in dict.fromkeys(problem.kind for problem in data_set.problems):
            left_out = [problem.name for problem in data_set.problems if problem.kind == kind]
            more = f" and {len(left_out) - _NAMES_SHOWN} more" if len(left_out) > _NAMES_SHOWN else ""
            shown = f"{', '.join(left_out[:_NAMES_SHOWN])}{more}"
            _say(f"warning: {data_set.name}: left out, {kind}: {len(left_out)} ({shown})")
    asked = language.name if language else None
    used = [extractor.name for extractor in extractors]
    plan = Plan(arguments.out, data_sets, used, asked, arguments.jobs, arguments.timeout)
    records = (
        DataSetRecord(data_set.kind, str(data_set.path), data_set.name, data_set.digest, data_set.without)
        for data_set in data_sets
    )
    versions = (
        ExtractorRecord(extractor.name, extractor.version, getattr(extractor, "code", None)) for extractor in extractors
    )
    return plan, Run(tuple(records), tuple(versions), asked)


def _load_usable(names: Iterable[str]) -> list[PageExtractor]:
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


def _extract_all(plan: Plan) -> None:
    """Run what remains of a plan, with progress."""
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
        kinds = [row for row in rows if row.dataset == name and all_measures()[row.measure].form == MARKDOWN]
        if kinds:
            order = {row.extractor: place for place, row in enumerate(shown)}
            print(f"\n{name}, similarity of what is in the Markdown, with the 95 % interval of the mean")
            print(format_kinds(sorted(kinds, key=lambda row: order.get(row.extractor, len(order))), width))
    print(f"\nAll measures: {plan.out / SUMMARY_FILE}")


def _say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


# Processes that extract.


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be run.  ``timeout``: seconds for a page."""

    out: Path
    data_sets: Sequence[DataSet]
    extractors: Sequence[str]
    language: str | None = None
    jobs: int = 1
    timeout: float = DEFAULT_TIMEOUT

    @property
    def total(self) -> int:
        """How many results there are in the end."""
        return len(self.extractors) * sum(len(data_set.ids) for data_set in self.data_sets)


class DocumentTask(NamedTuple):
    """A document of the ``data_set``-th data set, and the extractors that are to have it, in this order."""

    data_set: int
    document_id: str
    extractors: tuple[str, ...]


def find_remaining(plan: Plan) -> list[DocumentTask]:
    """Return what a run still has to do; a result that was written only in part is cut off."""
    tasks: list[DocumentTask] = []
    for number, data_set in enumerate(plan.data_sets):
        stores = {name: open_results(plan.out, data_set.name, name) for name in plan.extractors}
        for store in stores.values():
            store.mend()
        finished = {name: store.read().keys() for name, store in stores.items()}
        for document_id in data_set.ids:
            lacking = tuple(name for name in plan.extractors if document_id not in finished[name])
            if lacking:
                tasks.append(DocumentTask(number, document_id, lacking))
    return tasks


def run_plan(plan: Plan, tasks: Sequence[DocumentTask], report: Callable[[Result], object]) -> None:
    """Do the tasks and store each result; ``report`` is called after each.

    However it ends, by the end of the work or by an exception such as ``KeyboardInterrupt``, no process is left.
    Raise :class:`EvaluationError` when processes do not even start.
    """
    events: SimpleQueue[tuple[int, ResultWithText | Future[Any]]] = SimpleQueue()
    # The extractors of each task without a result, the one whose turn it is first.
    lacking = [deque(task.extractors) for task in tasks]
    retried: set[int] = set()

    def begin(number: int) -> None:
        left = tasks[number]._replace(extractors=tuple(lacking[number]))
        future: Future[Any] = pool.submit(left, on_message=lambda result: events.put((number, result)))
        future.add_done_callback(lambda future: events.put((number, future)))

    def keep(number: int, result: Result, text: str | None = None) -> None:
        data_set = plan.data_sets[tasks[number].data_set]
        open_results(plan.out, data_set.name, lacking[number].popleft()).append(result, text)
        report(result)

    processes, unfinished = min(plan.jobs, len(tasks)), len(tasks)
    try:
        pool = Pool(processes, start_extracting, plan, start_seconds=OVERHEAD_SECONDS, has_children=True)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        # The data set of another package may hold what cannot be sent to another process.
        raise EvaluationError(f"a data set cannot be given to other processes: {error}") from error
    with pool:
        for number in range(len(tasks)):
            begin(number)
        while unfinished:
            number, event = events.get()
            if not isinstance(event, Future):
                keep(number, *event)
                continue
            failure = event.exception()
            if failure is not None and lacking[number]:
                result = _describe_failure(failure, tasks[number].document_id, may_retry=number not in retried)
                if result is None:
                    retried.add(number)
                else:
                    keep(number, result)
            if lacking[number]:
                begin(number)
            else:
                unfinished -= 1


def _describe_failure(error: BaseException, document_id: str, *, may_retry: bool) -> Result | None:
    """Return the result of the extractor whose turn it was; None where the task is to be tried again."""
    if isinstance(error, PageTimeout):
        status: Status = "timeout"
        reason = f"not finished in {error.seconds:g} s"
    elif isinstance(error, WorkerCrashed):
        status = "failed"
        reason = f"the process {error.how}"
        if not error.is_ready:
            raise EvaluationError(f"a process for the extractors does not start: {reason}") from error
    else:
        raise EvaluationError(str(error)) from error
    if error.step is None and may_retry:
        # It ended before it came to the task.
        return None
    return Result(document_id, status, None, f"{READING if error.step is None else error.step}{reason}")


# What runs in a process.


def start_extracting(plan: Plan) -> Callable[[DocumentTask], Iterator[object]]:
    """Make a process ready for tasks; keep all that libraries print, in whatever language, from the terminal."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    warnings.simplefilter("ignore")
    # The processes that extractors start are ended by it.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    return partial(_work, plan)


def _work(plan: Plan, task: DocumentTask) -> Iterator[Begun | ResultWithText]:
    yield Begun(READING, OVERHEAD_SECONDS)
    try:
        document = plan.data_sets[task.data_set].load(task.document_id)
    except Exception as error:  # a file that went away or was changed
        result = Result(task.document_id, "failed", None, READING + _describe(error))
        yield from ((result, None) for _ in task.extractors)
        return
    for name in task.extractors:
        yield from _extract(name, document, plan)


def _extract(name: str, document: Document, plan: Plan) -> Iterator[Begun | ResultWithText]:
    yield Begun(LOADING, OVERHEAD_SECONDS)
    # An extractor may raise anything, SystemExit too.
    try:
        extractor = _load(name)
        yield Begun(WARMING_UP, plan.timeout)
        _warm_up(name, plan.language)
    except BaseException as error:
        yield Result(document.id, "failed", None, LOADING + _describe(error)), None
        return
    yield Begun(EXTRACTING, plan.timeout)
    started = time.perf_counter()
    text = problem = None
    try:
        text = extract_content(extractor, document, plan.language)
    except BaseException as error:
        problem = _describe(error)
    seconds = round(time.perf_counter() - started, 6)
    if isinstance(text, str):
        yield Result(document.id, "ok", seconds, None), text
    else:
        problem = problem or f"the extractor gave {type(text).__name__}, not str"
        yield Result(document.id, "failed", seconds, problem), None


_load = cache(find_extractor)


@cache
def _warm_up(name: str, language: str | None) -> None:
    extractor = _load(name)
    if hasattr(extractor, "warm_up"):
        extractor.warm_up(language)


def _describe(error: BaseException) -> str:
    """Return the error in words; its cause too, where it has none itself."""
    shown = f"{type(error).__name__}: {error}"
    return shown + _describe(error.__cause__) if error.__cause__ and not str(error) else shown
