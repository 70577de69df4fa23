"""Trials of thresholds on labelled pages, shared among processes."""

from __future__ import annotations

import hashlib
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from operator import itemgetter
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from scrapy_justext.core.blocks import GOOD
from scrapy_justext.core.extractor import Extractor, ReadPage
from scrapy_justext.core.options import make_options
from scrapy_justext.crawl.sites import registered_domain
from scrapy_justext.evaluation.measures import MEASURES, Sizes, f_score, find_words
from scrapy_justext.exceptions import SplitError
from scrapy_justext.workers import Pool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from types import TracebackType

    import numpy.typing as npt

    from scrapy_justext.core.options import Options
    from scrapy_justext.evaluation.datasets.documents import DataSet, Document
    from scrapy_justext.evaluation.measures import Measure

    _Flags = npt.NDArray[np.bool_]

#: Depths of the tree filter that can be tried.
DEPTHS = range(1, 6)

# Labelled pages, made ready so that a trial of thresholds costs their classification and little more.


class Scorer(Protocol):
    """Compares the good blocks of a page with its gold standard."""

    def __call__(self, good: _Flags) -> Sizes:
        """``good``: which of the blocks are."""


class BagScorer:
    """The bag measure, the words of each block counted once and for all.

    No word reaches over a line feed, and no letter's lower case depends on what stands beyond one; so the words of a
    text are those of its blocks.
    """

    def __init__(self, gold: str, texts: Sequence[str]) -> None:
        relevant = Counter(find_words(gold.lower()))
        numbers = {word: number for number, word in enumerate(relevant)}
        self._relevant = np.array([*relevant.values()], np.int64)
        bags = [Counter(find_words(text.lower())) for text in texts]
        self._lengths = np.array([bag.total() for bag in bags], np.int64)
        rows = [
            (place, numbers[word], count)
            for place, bag in enumerate(bags)
            for word, count in bag.items()
            if word in numbers
        ]
        self._blocks, self._words, self._counts = np.array(rows, np.int64).reshape(-1, 3).T

    def __call__(self, good: _Flags) -> Sizes:
        """The sizes of the bags."""
        found = np.bincount(self._words, self._counts * good[self._blocks], len(self._relevant))
        common = np.minimum(found, self._relevant).sum()
        return Sizes(int(self._relevant.sum()), int(self._lengths[good].sum()), int(common))


@dataclass(frozen=True, slots=True)
class TextScorer:
    """Any measure, on the texts themselves."""

    measure: Measure
    gold: str
    texts: Sequence[str]
    keep_non_ascii: bool

    def __call__(self, good: _Flags) -> Sizes:
        """What the measure counts."""
        retrieved = "\n".join(text for text, is_good in zip(self.texts, good, strict=True) if is_good and text)
        return self.measure(self.gold, retrieved, keep_non_ascii=self.keep_non_ascii).sizes


def make_scorer(measure: Measure, gold: str, texts: Sequence[str], *, keep_non_ascii: bool) -> Scorer:
    """The fastest scorer of a measure."""
    return BagScorer(gold, texts) if measure.name == "bag" else TextScorer(measure, gold, texts, keep_non_ascii)


@dataclass(frozen=True, slots=True)
class Page:
    """A page in blocks, and what scores them; ``known``: the sizes of the selections of good blocks met so far."""

    read: ReadPage
    scorer: Scorer
    known: dict[bytes, Sizes] = field(default_factory=dict)

    def sizes(self, options: Options) -> Sizes:
        """The sizes of gold standard, retrieved text and what they share, under some thresholds."""
        decisions = Extractor(options).judge(self.read).final
        flags = bytes([block_class is GOOD for block_class, _, _ in decisions])
        if flags not in self.known:
            self.known[flags] = self.scorer(np.frombuffer(flags, np.bool_))
        return self.known[flags]


def make_page(document: Document, options: Options, measure: Measure, *, keep_non_ascii: bool = False) -> Page:
    """A page made ready; the thresholds of ``options`` do not matter."""
    read = Extractor(options).read(document.text)
    texts = [segment.text for segment in read.segments]
    scorer = make_scorer(measure, document.gold, texts, keep_non_ascii=keep_non_ascii)
    return Page(read if options.profile.reads_data else read.without_tree(DEPTHS), scorer)


class Task(NamedTuple):
    """What pages are judged and measured by."""

    data_sets: Sequence[DataSet]
    profile: str
    language: str
    measure: str
    keep_non_ascii: bool

    def options(self, parameters: Mapping[str, Any] | None = None) -> Options:
        """Those that a crawl has with some thresholds."""
        return make_options(profile=self.profile, language=self.language, **(parameters or {}))


class Figures(NamedTuple):
    """What a page's sizes give, from 0 to 1: 1 where there was nothing to find and nothing was found.

    All are 0 where only one of the texts is empty, whatever the measure: [D] leaves such pages out of its means, and
    the best thresholds would be those that give up on the hard ones.
    """

    precision: float
    recall: float
    f: float


def figures_of(sizes: Sizes, beta: float) -> Figures:
    """The figures of a page; ``beta``: how many times recall weighs what precision does.

    >>> figures_of(Sizes(4, 2, 2), 1.0)
    Figures(precision=1.0, recall=0.5, f=0.6666666666666666)
    >>> figures_of(Sizes(4, 0, 0), 1.0)
    Figures(precision=0.0, recall=0.0, f=0.0)
    """
    if not sizes.relevant or not sizes.retrieved:
        value = float(sizes.relevant == sizes.retrieved)
        return Figures(value, value, value)
    precision, recall = sizes.common / sizes.retrieved, sizes.common / sizes.relevant
    return Figures(precision, recall, f_score(precision, recall, beta))


def mean_figures(sizes: Sequence[Sizes], beta: float) -> Figures:
    """The mean of each figure over pages."""
    rows = [figures_of(one, beta) for one in sizes]
    return Figures(*map(fmean, zip(*rows, strict=True)))


def make_pages(task: Task, labelled: Sequence[Labelled]) -> list[Page]:
    """Pages read and made ready."""
    measure, options = MEASURES[task.measure], task.options()
    return [
        make_page(task.data_sets[one.data_set].load(one.id), options, measure, keep_non_ascii=task.keep_non_ascii)
        for one in labelled
    ]


class Trials:
    """Pages made ready, in this process or in others; to be used in a ``with`` statement.

    ``jobs``: how many processes; each has every so-many-th page to the end.
    """

    def __init__(self, task: Task, labelled: Sequence[Labelled], jobs: int = 1) -> None:
        self._task = task
        self._labelled = labelled
        self._shares = [labelled[start::jobs] for start in range(min(jobs, len(labelled)))]
        self._pages: list[Page] = []
        self._pools: list[Pool] = []
        self._stack = ExitStack()

    def __enter__(self) -> Trials:
        if len(self._shares) == 1:
            self._pages = make_pages(self._task, self._labelled)
        else:
            # A pool of one process for each share: pages made ready cannot go from process to process.
            contexts = [_Share(self._task, share) for share in self._shares]
            self._pools = [self._stack.enter_context(Pool(1, _start, context)) for context in contexts]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stack.close()

    def sizes(self, parameters: Mapping[str, Any]) -> list[Sizes]:
        """The sizes of each page under some thresholds, the profile's where left out."""
        if not self._pools:
            return _sizes(self._task, self._pages, parameters)
        futures = [pool.submit(parameters, join=itemgetter(0)) for pool in self._pools]
        sizes = [Sizes()] * len(self._labelled)
        for start, future in enumerate(futures):
            sizes[start :: len(futures)] = future.result()
        return sizes


class _Share(NamedTuple):
    """What a process has to judge."""

    task: Task
    labelled: Sequence[Labelled]


def _start(share: _Share) -> Callable[[Mapping[str, Any]], Iterator[list[Sizes]]]:
    """Make the pages ready, and return what judges them under some thresholds."""
    pages = make_pages(share.task, share.labelled)

    def judge_all(parameters: Mapping[str, Any]) -> Iterator[list[Sizes]]:
        yield _sizes(share.task, pages, parameters)

    return judge_all


def _sizes(task: Task, pages: Sequence[Page], parameters: Mapping[str, Any]) -> list[Sizes]:
    options = task.options(parameters)
    return [page.sizes(options) for page in pages]


# Which pages thresholds are searched on, and which they are checked on.
#
# Pages of one site are alike, so that a check on pages of the same sites would flatter: pages whose address is known go
# together with all others of their registered domain.

#: The share of the pages that thresholds are searched on.
TRAINING_SHARE = 2 / 3
#: Fewer pages in either part say nothing.
LEAST = 4


class Labelled(NamedTuple):
    """A page as far as the split asks for it."""

    data_set: int
    """Which of the data sets it is in."""
    id: str
    group: str
    """Pages of one group stay together."""


class Split(NamedTuple):
    """The two parts, each in the order in which the pages were given."""

    training: Sequence[Labelled]
    validation: Sequence[Labelled]


def label(data_set: int, document: Document) -> Labelled:
    """A page with its group: the registered domain of its address, else a group of its own."""
    domain = registered_domain(document.url) if document.url else ""
    return Labelled(data_set, document.id, domain or f"{data_set}/{document.id}")


def split(pages: Sequence[Labelled], seed: int = 0) -> Split:
    """Split pages by their groups, the same way at each call.

    Groups come in an order that a hash of ``seed`` and their names gives; each goes to the part that lacks more of its
    share.  Raises :class:`SplitError` where a part stays too small.
    """
    sizes: dict[str, int] = {}
    for page in pages:
        sizes[page.group] = sizes.get(page.group, 0) + 1
    training = _choose(sorted(sizes, key=lambda group: _digest(seed, group)), sizes)
    parts = Split(
        [page for page in pages if page.group in training], [page for page in pages if page.group not in training]
    )
    if min(map(len, parts)) < LEAST:
        raise SplitError(
            f"{len(pages)} pages of {len(sizes)} sites are too few to search on some and check on others:"
            f" both parts must have {LEAST} pages or more"
        )
    return parts


def _choose(groups: Iterable[str], sizes: dict[str, int]) -> set[str]:
    chosen: set[str] = set()
    training = validation = 0
    for group in groups:
        if training * (1 - TRAINING_SHARE) <= validation * TRAINING_SHARE:
            chosen.add(group)
            training += sizes[group]
        else:
            validation += sizes[group]
    return chosen


def _digest(seed: int, group: str) -> bytes:
    return hashlib.sha256(f"{seed}:{group}".encode("utf-8", "surrogatepass")).digest()
