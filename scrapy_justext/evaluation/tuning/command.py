"""The command ``tune``: search the thresholds of a profile on labelled pages, and print the settings to paste."""

from __future__ import annotations

import os
import signal
import sys
import time
from argparse import ArgumentTypeError
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_justext.evaluation.datasets import open_data_set
from scrapy_justext.evaluation.measures import MEASURES
from scrapy_justext.evaluation.progress import Steps
from scrapy_justext.evaluation.statistics import paired_bootstrap
from scrapy_justext.evaluation.tables import format_columns
from scrapy_justext.evaluation.tuning.search import EPSILON, Search, given, knobs_of, values_of
from scrapy_justext.evaluation.tuning.split import Split, label, split
from scrapy_justext.evaluation.tuning.trying import Figures, Task, Trials, figures_of, mean_figures
from scrapy_justext.exceptions import ParameterError, UnknownNameError
from scrapy_justext.pasting import custom_settings
from scrapy_justext.settings import SETTINGS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from scrapy_justext.core.thresholds import Thresholds
    from scrapy_justext.evaluation.documents import DataSet
    from scrapy_justext.evaluation.measures import Sizes
    from scrapy_justext.evaluation.tuning.split import Labelled

#: What may be made greatest, and which of the figures that is.
OBJECTIVES = {"f1": "f", "precision": "precision", "recall": "recall", "fbeta": "f"}
DEFAULT_TRIALS = 150


class Goal(NamedTuple):
    """What is to be greatest."""

    objective: str
    beta: float

    def of(self, figures: Figures) -> float:
        """Its value."""
        value: float = getattr(figures, OBJECTIVES[self.objective])
        return value

    @property
    def title(self) -> str:
        """What the harmonic mean is called."""
        return "F1" if self.beta == 1 else f"F{self.beta:g}"


class Found(NamedTuple):
    """What a search came to: the sizes of the pages of both parts, before and after."""

    knobs: Mapping[str, Any]
    trials: int
    seconds: float
    training: tuple[Sequence[Sizes], Sequence[Sizes]]
    validation: tuple[Sequence[Sizes], Sequence[Sizes]]


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add = parser.add_argument
    add("--dataset", required=True, nargs="+", action="extend", metavar="KIND:PATH", help="labelled pages")
    add("--profile", default="justext", metavar="NAME", help="whose thresholds to search (default: %(default)s)")
    add("--objective", default="f1", metavar="NAME", help=f"what to make greatest: {', '.join(OBJECTIVES)}")
    add("--beta", type=float, default=None, metavar="B", help="of fbeta: recall weighs B times what precision does")
    add("--measure", default="bag", metavar="NAME", help=f"one of {', '.join(MEASURES)} (default: %(default)s)")
    add("--language", default="auto", metavar="L", help="language of all pages (default: chosen for each page)")
    add("--page-type", default=None, metavar="TYPE", help="only pages of this type, where the data set has types")
    add("--trials", type=_whole_number(1), default=DEFAULT_TRIALS, metavar="N", help="trials (default: %(default)s)")
    add(
        "--jobs",
        type=_whole_number(1),
        default=os.cpu_count() or 1,
        metavar="N",
        help="processes (default: one a core)",
    )
    add("--seed", type=_whole_number(0), default=0, metavar="S", help="of split and search (default: %(default)s)")
    add("--limit", type=_whole_number(1), default=None, metavar="N", help="first N pages of each data set")
    add("--keep-non-ascii", action="store_true", help="measure words with letters beyond ASCII whole")


def execute(arguments: argparse.Namespace) -> int:
    """Search and print; raises :class:`JustextError` for what cannot be done as it was asked for."""
    goal = _goal(arguments.objective, arguments.beta)
    if arguments.measure not in MEASURES:
        raise UnknownNameError("measure", arguments.measure, "measure", MEASURES)
    data_sets = [open_data_set(one) for one in dict.fromkeys(arguments.dataset)]
    task = Task(data_sets, arguments.profile, arguments.language, arguments.measure, arguments.keep_non_ascii)
    base = _base(task)
    parts = split(_label(data_sets, arguments.limit, arguments.page_type), arguments.seed)
    print(_introduction(task, parts, goal, arguments.seed), flush=True)
    try:
        found = find(task, base, parts, goal, arguments)
    except KeyboardInterrupt:
        print("stopped; no settings found", file=sys.stderr)
        return 128 + signal.SIGINT
    print(_outcome(task, found, goal))
    return 0


def find(task: Task, base: Thresholds, parts: Split, goal: Goal, arguments: argparse.Namespace) -> Found:
    """Search on the training part, and measure on both."""
    own = task.options().profile.thresholds
    knobs = knobs_of(task.options().profile)
    with Trials(task, parts.training, arguments.jobs) as trials:
        before = trials.sizes({})
        started = time.monotonic()
        with Steps(arguments.trials, noun="trials") as progress:

            def evaluate(values: dict[str, Any]) -> float:
                value = goal.of(mean_figures(trials.sizes(given(values, base, own)), goal.beta))
                progress.advance(f"best {max(value, search.best_value):.4f}")
                return value

            search = Search(knobs, values_of(base, knobs), evaluate, arguments.trials, arguments.seed)
            best = given(search.run(), base, own)
        seconds = time.monotonic() - started
        after = trials.sizes(best)
    with Trials(task, parts.validation, arguments.jobs) as trials:
        validation = (trials.sizes({}), trials.sizes(best))
    return Found(best, search.done, seconds, (before, after), validation)


def _goal(objective: str, beta: float | None) -> Goal:
    if objective not in OBJECTIVES:
        raise UnknownNameError("objective", objective, "objective", OBJECTIVES)
    if (beta is None) == (objective == "fbeta"):
        allowed = "must be given with --objective fbeta, and only then"
        raise ParameterError("beta", beta, allowed)
    if beta is not None and not 0 < beta < inf:
        raise ParameterError("beta", beta, "must be a number above 0")
    return Goal(objective, 1.0 if beta is None else beta)


def _base(task: Task) -> Thresholds:
    """What pages are judged by without any setting; raises for an unknown profile or language."""
    options = task.options()
    if options.candidates is None:
        return options.thresholds
    return options.judging(options.candidates[0]).thresholds


def _label(data_sets: Sequence[DataSet], limit: int | None, page_type: str | None) -> list[Labelled]:
    documents = [
        (place, document) for place, data_set in enumerate(data_sets) for document in data_set.documents[:limit]
    ]
    types = sorted({document.page_type for _, document in documents if document.page_type is not None})
    if page_type is not None and page_type not in types:
        raise UnknownNameError("page-type", page_type, "page type", types or ["none"])
    return [label(place, document) for place, document in documents if page_type in (None, document.page_type)]


def _introduction(task: Task, parts: Split, goal: Goal, seed: int) -> str:
    names = ", ".join(data_set.name for data_set in task.data_sets)
    sites = [len({page.group for page in part}) for part in parts]
    return (
        f"profile {task.profile} on {names}: {len(parts.training)} pages of {sites[0]} sites to search on,"
        f" {len(parts.validation)} of {sites[1]} others to check on (seed {seed})\n"
        f"to be greatest: {goal.objective if goal.beta == 1 else goal.title}, mean over pages, measure {task.measure};"
        " a page of which nothing is retrieved counts 0, if it has content"
    )


def _outcome(task: Task, found: Found, goal: Goal) -> str:
    lines = ["", f"{found.trials} trials in {found.seconds:.1f} s", "", _table(found, goal), ""]
    if not found.knobs:
        return "\n".join([*lines, "Nothing better was found: keep the profile's own thresholds."])
    before, after = ([goal.of(figures_of(one, goal.beta)) for one in sizes] for sizes in found.validation)
    test = paired_bootstrap(after, before)
    low, high = test.interval_99
    lines += [f"On the pages to check on: {test.difference:+.4f} (99 %: {low:+.4f} to {high:+.4f})", ""]
    settings = _settings(task, found.knobs)
    if test.difference < -EPSILON:
        advice = "These settings are worse there than the profile's own thresholds: keep those.  What was found:"
        return "\n".join([*lines, advice, "", *(f"# {line}" for line in settings.splitlines())])
    if not test.is_significant:
        lines += ["Chance may give such a difference: check on more pages, or keep the profile's own thresholds.", ""]
    return "\n".join([*lines, settings])


def _table(found: Found, goal: Goal) -> str:
    rows: list[tuple[str, ...]] = [("pages", "thresholds", "precision", "recall", goal.title)]
    for name, sizes in (("searched on", found.training), ("checked on", found.validation)):
        for when, one in zip(("the profile's", "found"), sizes, strict=True):
            rows.append((name, when, *(f"{value:.4f}" for value in mean_figures(one, goal.beta))))
    return format_columns(rows, right=(2, 3, 4))


def _settings(task: Task, knobs: Mapping[str, Any]) -> str:
    """Settings that give a crawl what was found: those that are not the default."""
    chosen = {"profile": task.profile, "language": task.language, **knobs}
    return custom_settings(
        {name: value for name, value in chosen.items() if name in knobs or value != SETTINGS[name].default}
    )


def _whole_number(least: int) -> Any:
    """A converter for argparse."""

    def convert(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if number < least:
            raise ArgumentTypeError(f"{text!r} is not a whole number of {least} or more")
        return number

    return convert
