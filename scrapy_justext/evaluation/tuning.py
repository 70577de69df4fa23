"""The command ``tune``: search the thresholds of a profile on labelled pages, and print the settings to paste."""

from __future__ import annotations

import math
import os
import random
import signal
import sys
import time
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_justext.core import context_sensitive
from scrapy_justext.crawl.settings import SETTINGS, custom_settings
from scrapy_justext.evaluation.command_line import format_columns, whole_number
from scrapy_justext.evaluation.datasets.names import open_data_set
from scrapy_justext.evaluation.measures import MEASURES
from scrapy_justext.evaluation.statistics import paired_bootstrap
from scrapy_justext.evaluation.trials import (
    DEPTHS,
    Figures,
    Split,
    Task,
    Trials,
    figures_of,
    label,
    mean_figures,
    split,
)
from scrapy_justext.evaluation.workers import Steps
from scrapy_justext.exceptions import ParameterError, UnknownNameError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping, Sequence

    from scrapy_justext.core.parameters import Thresholds
    from scrapy_justext.core.profiles import Profile
    from scrapy_justext.evaluation.datasets.documents import DataSet
    from scrapy_justext.evaluation.measures import Sizes
    from scrapy_justext.evaluation.trials import Labelled

# The search: thresholds drawn at random, then moved one after the other by smaller and smaller steps.
#
# 1. The profile's own thresholds are the first trial; what is found is never worse on the pages searched on.
# 2. A third of the trials are drawn: each of the thresholds anew, or that of the best trial so far, by even chances.
# 3. From the best trial on, each threshold in turn is moved a step down and up, and stays where that is better; when no
#    step is, steps become smaller.
# 4. Each threshold is put back to the profile's where that makes nothing worse: a trial more for each at the most.
#
# The same seed gives the same trials.  A low threshold that is moved above its high one takes that along, and the other
# way round.

Values = dict[str, Any]

#: Less is no difference: sums of floats in another order differ by less.
EPSILON = 1e-9
_DRAWN_SHARE = 1 / 3
_PAIRS = (("length_low", "length_high"), ("stopwords_low", "stopwords_high"))


class Knob(NamedTuple):
    """A threshold that is searched: one of ``choices``, or from ``least`` to ``most`` by ``steps``, wide ones first."""

    name: str
    least: float = 0
    most: float = 0
    steps: Sequence[float] = ()
    choices: Sequence[Any] = ()

    def draw(self, chance: random.Random) -> Any:
        """A value by chance, on the grid of the smallest step."""
        if self.choices:
            return chance.choice(self.choices)
        return self._on_grid(self.least + chance.randrange(self._count() + 1) * self.steps[-1])

    def around(self, value: Any, level: int) -> list[Any]:
        """The values to try beside one; ``level``: 0 for the widest steps."""
        if self.choices:
            return [choice for choice in self.choices if choice != value]
        step = self.steps[min(level, len(self.steps) - 1)]
        values = [min(max(value + move, self.least), self.most) for move in (-step, step)]
        return [self._on_grid(one) for one in values if one != value]

    def _count(self) -> int:
        return round((self.most - self.least) / self.steps[-1])

    def _on_grid(self, value: float) -> float:
        return value if isinstance(value, int) else round(value, 2)


_TEXT = (
    Knob("length_low", 0, 300, (40, 20, 10, 5)),
    Knob("length_high", 0, 600, (80, 40, 20, 10)),
    Knob("stopwords_low", 0.0, 0.6, (0.08, 0.04, 0.02, 0.01)),
    Knob("stopwords_high", 0.0, 0.6, (0.08, 0.04, 0.02, 0.01)),
    Knob("max_link_density", 0.0, 1.0, (0.2, 0.1, 0.05, 0.01)),
)
_HEADINGS = (Knob("max_heading_distance", 0, 1000, (200, 100, 50, 20)), Knob("no_headings", choices=(False, True)))
_JAVA = (Knob("no_headlines", choices=(False, True)), Knob("no_images", choices=(True, False)))
_TRAINED = (Knob("good_probability", choices=(None, *(share / 20 for share in range(2, 19)))),)

LEVELS = 4


def knobs_of(profile: Profile) -> tuple[Knob, ...]:
    """The thresholds that a profile looks at."""
    passes = set(profile.passes)
    # That of a profile that has one can be changed, but not unset: None stands for the profile's own in settings.
    depths = DEPTHS if profile.thresholds.tree_depth else (None, *DEPTHS)
    return (
        *(_TEXT if profile.by_stopwords else ()),
        *(_HEADINGS if passes & {context_sensitive.promote, context_sensitive.restore} else ()),
        *(_JAVA if context_sensitive.promote_images in passes else ()),
        *(_TRAINED if profile.models else ()),
        *((Knob("tree_depth", choices=tuple(depths)),) if context_sensitive.select in passes else ()),
    )


def values_of(thresholds: Thresholds, knobs: Sequence[Knob]) -> Values:
    """The values of some thresholds."""
    return {knob.name: getattr(thresholds, knob.name) for knob in knobs}


def moved(values: Mapping[str, Any], name: str, value: Any) -> Values:
    """Values with one of them changed, and its partner where the two would cross."""
    result = {**values, name: value}
    for low, high in _PAIRS:
        if name == low and result[low] > result[high]:
            result[high] = value
        elif name == high and result[high] < result[low]:
            result[low] = value
    return result


def given(values: Mapping[str, Any], base: Thresholds, own: Thresholds) -> Values:
    """The thresholds that must be set to have some values where ``base`` are those that count without any.

    ``own``: the profile's.  Where the two differ, which is so in languages without spaces, a low threshold that is set
    makes the high one the profile's: both must be set.
    """
    changed = {name for name, value in values.items() if value != getattr(base, name)}
    for pair in _PAIRS:
        if changed & {*pair} and any(getattr(base, name) != getattr(own, name) for name in pair):
            changed |= {*pair}
    return {name: value for name, value in values.items() if name in changed}


@dataclass(slots=True)
class Search:
    """A search with a budget; ``evaluate`` gives what is to be greatest."""

    knobs: Sequence[Knob]
    start: Values
    evaluate: Callable[[Values], float]
    trials: int
    seed: int = 0
    done: int = field(default=0, init=False)
    best: Values = field(init=False)
    best_value: float = field(default=-math.inf, init=False)

    def __post_init__(self) -> None:
        self.best = self.start

    def run(self) -> Values:
        """The best values found in as many trials as there may be."""
        known: dict[tuple[Any, ...], float] = {}
        self._is_better(self.start, known)
        self._draw(known)
        for level in range(LEVELS):
            while self._improve(level, known):
                pass
        self._simplify(known)
        return self.best

    def _draw(self, known: dict[tuple[Any, ...], float]) -> None:
        chance = random.Random(self.seed)
        for _ in range(int(self.trials * _DRAWN_SHARE)):
            values = self.best
            for knob in self.knobs:
                if chance.random() < 0.5:
                    values = moved(values, knob.name, knob.draw(chance))
            self._is_better(values, known)

    def _improve(self, level: int, known: dict[tuple[Any, ...], float]) -> bool:
        """Move each threshold in turn; whether that was of any use."""
        before = self.best_value
        for knob in self.knobs:
            for value in knob.around(self.best[knob.name], level):
                self._is_better(moved(self.best, knob.name, value), known)
        return self.best_value > before

    def _simplify(self, known: dict[tuple[Any, ...], float]) -> None:
        """Put each threshold back to where it was, unless that makes the best trial worse."""
        for knob in self.knobs:
            values = moved(self.best, knob.name, self.start[knob.name])
            key = tuple(values.values())
            if key not in known:
                known[key] = self.evaluate(values)
                self.done += 1
            if known[key] >= self.best_value - EPSILON:
                self.best = values

    def _is_better(self, values: Values, known: dict[tuple[Any, ...], float]) -> bool:
        key = tuple(values.values())
        if key in known or self.done >= self.trials:
            return False
        known[key] = value = self.evaluate(values)
        self.done += 1
        if value <= self.best_value + EPSILON:
            return False
        self.best, self.best_value = values, value
        return True


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
    add("--trials", type=whole_number(1), default=DEFAULT_TRIALS, metavar="N", help="trials (default: %(default)s)")
    add(
        "--jobs",
        type=whole_number(1),
        default=os.cpu_count() or 1,
        metavar="N",
        help="processes (default: one a core)",
    )
    add("--seed", type=whole_number(0), default=0, metavar="S", help="of split and search (default: %(default)s)")
    add("--limit", type=whole_number(1), default=None, metavar="N", help="first N pages of each data set")
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
