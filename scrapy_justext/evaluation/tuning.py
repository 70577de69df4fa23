"""The command ``tune``: search the thresholds of a profile on labelled pages, and print the settings to paste.

1. The profile's own thresholds are the first trial; what the search gives is never worse on the pages searched on.
2. A third of the trials are drawn: with even chances, each threshold is drawn anew or taken from the best trial so far.
3. From the best trial on, each threshold is moved a step down and up; when nothing is better, steps become smaller.
4. Each threshold is put back to the profile's if that makes nothing worse; as many trials are kept back for that.

The same seed gives the same trials.  A low threshold that is moved above its high one moves that, too.

Pages are read once, in this process or in others.  A trial costs the classification of the pages and little more: texts
are compared with the gold standard block by block, and equal selections of blocks are compared once.

Thresholds are searched on some pages and checked on others.  Pages of one site are alike, and would flatter the result
if they stood on both sides: so pages whose address is known stay together with all others of their registered domain.
"""

from __future__ import annotations

import random
import signal
import sys
import textwrap
import time
from collections import Counter
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from math import inf
from operator import itemgetter
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from scrapy_justext.core.extractor import Extractor
from scrapy_justext.core.options import make_options
from scrapy_justext.core.parameters import PAIRS, Scale
from scrapy_justext.crawl.commands import Progress, format_columns
from scrapy_justext.crawl.conversion import at_least_one, whole_number
from scrapy_justext.crawl.settings import SETTINGS, custom_settings
from scrapy_justext.crawl.sites import registered_domain
from scrapy_justext.evaluation.datasets.names import open_data_sets
from scrapy_justext.evaluation.measures import Sizes, f_score, find_words
from scrapy_justext.evaluation.registry import add_processes, argument
from scrapy_justext.evaluation.statistics import is_significant, paired_bootstrap
from scrapy_justext.exceptions import DataSetError, EvaluationError, ParameterError, UnknownNameError
from scrapy_justext.workers import Pool

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from scrapy_justext.core.options import Options
    from scrapy_justext.core.parameters import Parameter, Thresholds
    from scrapy_justext.evaluation.datasets.documents import DataSet, Document

    #: Compares the blocks of a page that are flagged as good with its gold standard.
    Scorer = Callable[[npt.NDArray[np.bool_]], Sizes]
    #: Returns the sizes of each page under some thresholds; those that are left out are the profile's.
    Judge = Callable[[Mapping[str, Any]], list[Sizes]]

Values = dict[str, Any]

#: How often steps become smaller.
LEVELS = 4
#: The least difference that counts: sums of floats in another order differ by less.
EPSILON = 1e-9
_DRAWN_SHARE = 1 / 3


def draw(parameter: Parameter, chance: random.Random) -> Any:
    """Return a value by chance, on the grid of the smallest step."""
    scale = parameter.search
    if not isinstance(scale, Scale):
        return chance.choice(scale)
    count = round((scale.most - scale.least) / scale.steps[-1])
    return _on_grid(scale.least + chance.randrange(count + 1) * scale.steps[-1])


def neighbours(parameter: Parameter, value: Any, level: int) -> list[Any]:
    """Return the values to try beside one; ``level``: 0 for the widest steps."""
    scale = parameter.search
    if not isinstance(scale, Scale):
        return [choice for choice in scale if choice != value]
    step = scale.steps[min(level, len(scale.steps) - 1)]
    values = [min(max(value + move, scale.least), scale.most) for move in (-step, step)]
    return [_on_grid(other) for other in values if other != value]


def _on_grid(value: float) -> float:
    return value if isinstance(value, int) else round(value, 2)


def values_of(thresholds: Thresholds, names: Iterable[str]) -> Values:
    """Return the values of some thresholds."""
    return {name: getattr(thresholds, name) for name in names}


def moved(values: Mapping[str, Any], name: str, value: Any) -> Values:
    """Return values with one of them changed, and its partner where the two would cross."""
    result = {**values, name: value}
    for low, high in PAIRS:
        # None is the model's own, which crosses nothing.
        if name in (low, high) and None not in (result[low], result[high]) and result[low] > result[high]:
            result[low] = result[high] = value
    return result


def settings_needed(values: Mapping[str, Any], base: Thresholds, own: Thresholds) -> Values:
    """Return the thresholds that have to be set so that ``values`` are in force.

    ``base``: the thresholds in force when none is set; ``own``: the profile's.  The two differ in languages without
    spaces.  There, to set one threshold of a pair makes the other the profile's, so that both have to be set.
    """
    changed = {name for name, value in values.items() if value != getattr(base, name)}
    for pair in PAIRS:
        if changed & {*pair} and any(getattr(base, name) != getattr(own, name) for name in pair):
            changed |= {*pair}
    return {name: value for name, value in values.items() if name in changed}


@dataclass(slots=True)
class Search:
    """A search with a budget; ``evaluate`` gives the value to maximise, ``known``: the values of past trials."""

    parameters: Mapping[str, Parameter]
    start: Values
    evaluate: Callable[[Values], float]
    trials: int
    seed: int = 0
    best: Values = field(default_factory=dict, init=False)
    best_value: float = field(default=-inf, init=False)
    known: dict[tuple[Any, ...], float] = field(default_factory=dict, init=False)

    def run(self) -> Values:
        """Return the best values of all trials that the budget allows."""
        self._try(self.start)
        chance = random.Random(self.seed)
        for _ in range(int(self.trials * _DRAWN_SHARE)):
            values = self.best
            for name, parameter in self.parameters.items():
                if chance.random() < 0.5:
                    values = moved(values, name, draw(parameter, chance))
            self._try(values)
        for level in range(LEVELS):
            before = -inf
            while self.best_value > before:
                before = self.best_value
                for name, parameter in self.parameters.items():
                    for value in neighbours(parameter, self.best[name], level):
                        self._try(moved(self.best, name, value))
        self._simplify()
        return self.best

    def _simplify(self) -> None:
        """Put each threshold back to where it was, unless that makes the best trial worse."""
        for name in self.parameters:
            values = moved(self.best, name, self.start[name])
            is_known = tuple(values.values()) in self.known
            if (is_known or len(self.known) < self.trials) and self._value(values) >= self.best_value - EPSILON:
                self.best = values

    def _try(self, values: Values) -> None:
        """Keep values that are better, while there are trials: one is kept back for each threshold that was moved."""
        kept_back = sum(value != self.start[name] for name, value in self.best.items())
        if tuple(values.values()) in self.known or len(self.known) + kept_back >= self.trials:
            return
        value = self._value(values)
        if value > self.best_value + EPSILON:
            self.best, self.best_value = values, value

    def _value(self, values: Values) -> float:
        key = tuple(values.values())
        if key not in self.known:
            self.known[key] = self.evaluate(values)
        return self.known[key]


# Pages, read once and judged often.

#: Depths of the tree filter that can be tried.
DEPTHS = range(1, 6)


def bag_scorer(gold: str, texts: Sequence[str]) -> Scorer:
    """Return the scorer of the bag measure, which counts the words of each block only once.

    No word reaches over a line feed, and no letter's lower case depends on what stands beyond one; so the words of a
    text are those of its blocks.
    """
    gold_bag, *bags = (Counter(find_words(text.lower())) for text in (gold, *texts))
    numbers = {word: number for number, word in enumerate(gold_bag)}
    relevant, lengths = np.array([*gold_bag.values()], np.int64), np.array([bag.total() for bag in bags], np.int64)
    counted = ((block, word, count) for block, bag in enumerate(bags) for word, count in bag.items())
    rows = [(block, numbers[word], count) for block, word, count in counted if word in numbers]
    blocks, words, counts = np.array(rows, np.int64).reshape(-1, 3).T

    def score(good: npt.NDArray[np.bool_]) -> Sizes:
        retrieved = np.bincount(words, counts * good[blocks], len(relevant))
        return Sizes(gold_bag.total(), int(lengths[good].sum()), int(np.minimum(retrieved, relevant).sum()))

    return score


class TrialSetup(NamedTuple):
    """The pages of a search, and the options that they are judged with."""

    data_sets: Sequence[DataSet]
    profile: str = "justext"
    language: str = "auto"

    def options(self, thresholds: Mapping[str, Any] | None = None) -> Options:
        """Return the options that a crawl has with some thresholds."""
        return make_options(profile=self.profile, language=self.language, **(thresholds or {}))

    def read_page(self, document: Document) -> Callable[[Options], Sizes]:
        """Read a page, and return what gives its sizes under thresholds; equal selections of blocks are scored once."""
        options = self.options()
        read = Extractor(options).read(document.text)
        texts = [segment.text for segment in read.segments]
        if not options.profile.reads_data:
            # Trees of many pages do not fit into memory.
            read = read.without_tree(DEPTHS)
        score = bag_scorer(document.gold, texts)
        score_once = cache(lambda flags: score(np.frombuffer(flags, np.bool_)))
        return lambda options: score_once(Extractor(options).judge(read).final.are_good)


@contextmanager
def open_trials(setup: TrialSetup, labels: Sequence[Label], jobs: int = 1) -> Iterator[Judge]:
    """Yield a function that judges pages.  ``jobs``: how many processes; each reads its share once and keeps it."""
    shares = [labels[start::jobs] for start in range(min(jobs, len(labels)))]
    if len(shares) == 1:
        judge = _start_trials((setup, labels))
        yield lambda thresholds: next(judge(thresholds))
        return
    with ExitStack() as stack:
        # A pool of one process for each share: pages that were read cannot go from process to process.
        pools = [stack.enter_context(Pool(1, _start_trials, (setup, share))) for share in shares]

        def judge_all(thresholds: Mapping[str, Any]) -> list[Sizes]:
            futures = [pool.submit(thresholds, join=itemgetter(0)) for pool in pools]
            sizes = [Sizes()] * len(labels)
            for start, future in enumerate(futures):
                sizes[start :: len(futures)] = future.result()
            return sizes

        yield judge_all


def _start_trials(share: tuple[TrialSetup, Sequence[Label]]) -> Callable[[Mapping[str, Any]], Iterator[list[Sizes]]]:
    """Read the pages, and return a function that judges them under some thresholds."""
    setup, labels = share
    pages = [setup.read_page(setup.data_sets[page.data_set].load(page.id)) for page in labels]

    def judge(thresholds: Mapping[str, Any]) -> Iterator[list[Sizes]]:
        options = setup.options(thresholds)
        yield [sizes_under(options) for sizes_under in pages]

    return judge


#: Precision, recall and their harmonic mean.
Quality = tuple[float, float, float]


def quality_of(sizes: Sizes, beta: float) -> Quality:
    """Return what a page's sizes are worth; ``beta``: how many times as much as precision recall weighs.

    All are 1 where there was nothing to find and nothing was retrieved.  All are 0 where only one of the texts is
    empty: [D] leaves such pages out of its means, and the best thresholds would be those that give up on hard pages.

    >>> quality_of(Sizes(4, 2, 2), 1.0), quality_of(Sizes(4, 0, 0), 1.0)
    ((1.0, 0.5, 0.6666666666666666), (0.0, 0.0, 0.0))
    """
    if not sizes.relevant or not sizes.retrieved:
        nothing = float(sizes.relevant == sizes.retrieved)
        return nothing, nothing, nothing
    precision, recall = sizes.common / sizes.retrieved, sizes.common / sizes.relevant
    return precision, recall, f_score(precision, recall, beta)


def mean_quality(sizes: Sequence[Sizes], beta: float) -> Quality:
    """Return the means over pages."""
    precision, recall, harmonic = map(fmean, zip(*(quality_of(page, beta) for page in sizes), strict=True))
    return precision, recall, harmonic


# Pages to search on and pages to check on.

#: The share of the pages that thresholds are searched on.
TRAINING_SHARE = 2 / 3
#: Fewer pages in either part say nothing.
LEAST = 4


class Label(NamedTuple):
    """A page to split: the number of its data set, its id, and the name of the group of pages that stay together."""

    data_set: int
    id: str
    group: str


def label(data_set: int, document: Document) -> Label:
    """Return a page with its group: the domain of its address, else its own; raise without a gold text."""
    if document.snippets is not None:
        raise DataSetError("dataset", document.id, "has snippets, not a gold text that trials can be measured by")
    domain = registered_domain(document.url) if document.url else ""
    return Label(data_set, document.id, domain or f"{data_set}/{document.id}")


def split(labels: Sequence[Label], seed: int = 0) -> tuple[list[Label], list[Label]]:
    """Return the pages to search on and those to check on, split by their groups, the same way at each call.

    Groups come in an order that a hash of ``seed`` and their names gives; each goes to the part that lacks more of its
    share.  Raise :class:`EvaluationError` where a part stays too small.
    """
    sizes = Counter(page.group for page in labels)
    chosen: set[str] = set()
    training = validation = 0
    for group in sorted(sizes, key=lambda group: sha256(f"{seed}:{group}".encode("utf-8", "surrogatepass")).digest()):
        if training * (1 - TRAINING_SHARE) <= validation * TRAINING_SHARE:
            chosen.add(group)
            training += sizes[group]
        else:
            validation += sizes[group]
    if min(training, validation) < LEAST:
        raise EvaluationError(
            f"{len(labels)} pages of {len(sizes)} sites are too few to search on some and check on others:"
            f" both parts must have {LEAST} pages or more"
        )
    return [page for page in labels if page.group in chosen], [page for page in labels if page.group not in chosen]


# The command.

#: What may be made greatest, and where in ``Quality`` that is.
OBJECTIVES = {"f1": 2, "precision": 0, "recall": 1, "fbeta": 2}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add = parser.add_argument
    add("--dataset", required=True, nargs="+", action="extend", metavar="KIND:PATH", help="labelled pages")
    add("--profile", default="justext", metavar="NAME", help="whose thresholds to search (default: %(default)s)")
    add("--objective", default="f1", metavar="NAME", help=f"what to make greatest: {', '.join(OBJECTIVES)}")
    add("--beta", type=float, default=None, metavar="B", help="of fbeta: recall weighs B times what precision does")
    add("--language", default="auto", metavar="L", help="language of all pages (default: chosen for each page)")
    trials, seed = ("trials (default: %(default)s)", "of split and search (default: %(default)s)")
    add("--trials", type=argument(at_least_one), default=150, metavar="N", help=trials)
    add("--seed", type=argument(whole_number), default=0, metavar="S", help=seed)
    add_processes(parser)


def execute(arguments: argparse.Namespace) -> int:
    """Search and print; raise :class:`JustextError` for what cannot be done as it was asked for."""
    beta, objective = _find_beta(arguments.objective, arguments.beta), OBJECTIVES[arguments.objective]
    title = f"F{beta:g}"
    data_sets = open_data_sets(arguments.dataset)
    setup = TrialSetup(data_sets, arguments.profile, arguments.language)
    setup.options()  # raises for an unknown profile or language
    numbered = enumerate(data_sets)
    labels = [label(number, page) for number, data_set in numbered for page in data_set.documents]
    parts = split(labels, arguments.seed)
    (pages, sites), (others, other_sites) = ((len(part), len({page.group for page in part})) for part in parts)
    print(
        f"profile {setup.profile} on {', '.join(data_set.name for data_set in data_sets)}: {pages} pages of {sites}"
        f" sites to search on, {others} of {other_sites} others to check on (seed {arguments.seed})\n"
        f"to be greatest: {arguments.objective if beta == 1 else title}, mean over pages, measure bag;"
        " a page of which nothing is retrieved counts 0, if it has content",
        flush=True,
    )
    try:
        with open_trials(setup, parts[0], arguments.jobs) as judge:
            best = _search(setup, judge, lambda sizes: mean_quality(sizes, beta)[objective], arguments)
            searched = [judge({}), judge(best)]
        with open_trials(setup, parts[1], arguments.jobs) as judge:
            checked = [judge({}), judge(best)]
    except KeyboardInterrupt:
        print("stopped; no settings found", file=sys.stderr)
        return 128 + signal.SIGINT
    rows: list[tuple[str, ...]] = [("pages", "thresholds", "precision", "recall", title)]
    for part, trials in (("searched on", searched), ("checked on", checked)):
        for thresholds, sizes in zip(("the profile's", "found"), trials, strict=True):
            rows.append((part, thresholds, *(f"{value:.4f}" for value in mean_quality(sizes, beta))))
    print(f"{format_columns(rows, right=(2, 3, 4))}\n")
    if best:
        _print_settings(setup, best, *([quality_of(page, beta)[objective] for page in sizes] for sizes in checked))
    else:
        print("Nothing better was found: keep the profile's own thresholds.")
    return 0


def _search(
    setup: TrialSetup, judge: Judge, value_of: Callable[[Sequence[Sizes]], float], arguments: argparse.Namespace
) -> Values:
    """Return the thresholds that have to be set for the best trial, that with the greatest value."""
    options, started = setup.options(), time.monotonic()
    profile = options.profile
    # What pages are judged by without any setting.
    base = options.thresholds if options.candidates is None else options.criteria(options.candidates[0]).thresholds
    with Progress(arguments.trials, 0, "trials") as progress:

        def evaluate(values: Values) -> float:
            value = value_of(judge(settings_needed(values, base, profile.thresholds)))
            progress.advance(f"best {max(value, search.best_value):.4f}")
            return value

        start = values_of(base, profile.parameters)
        search = Search(profile.parameters, start, evaluate, trials=arguments.trials, seed=arguments.seed)
        best = settings_needed(search.run(), base, profile.thresholds)
    print(f"\n{len(search.known)} trials in {time.monotonic() - started:.1f} s\n")
    return best


def _find_beta(objective: str, beta: float | None) -> float:
    """Return how many times as much as precision recall weighs; raise for an unknown objective."""
    if objective not in OBJECTIVES:
        raise UnknownNameError("objective", objective, "objective", OBJECTIVES)
    if (beta is None) == (objective == "fbeta"):
        raise ParameterError("beta", beta, "must be given with --objective fbeta, and only then")
    if beta is not None and not 0 < beta < inf:
        raise ParameterError("beta", beta, "must be a number above 0")
    return 1.0 if beta is None else beta


def _print_settings(
    setup: TrialSetup, values: Mapping[str, Any], before: Sequence[float], after: Sequence[float]
) -> None:
    """Print what a crawl needs for the best values, and what they are worth on the pages to check on."""
    test = paired_bootstrap(after, before)
    low, high = test.interval_99
    print(f"On the pages to check on: {test.difference:+.4f} (99 %: {low:+.4f} to {high:+.4f})\n")
    chosen = {"profile": setup.profile, "language": setup.language, **values}
    settings = custom_settings(
        {name: value for name, value in chosen.items() if name in values or value != SETTINGS[name].default}
    )
    if test.difference < -EPSILON:
        print("These settings are worse there than the profile's own thresholds: keep those.  What was found:\n")
        settings = textwrap.indent(settings, "# ", lambda _: True)
    elif not is_significant(test):
        print("Chance may give such a difference: check on more pages, or keep the profile's own thresholds.\n")
    print(settings)
