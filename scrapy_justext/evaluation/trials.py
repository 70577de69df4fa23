"""Trials of thresholds on labelled pages: pages that are read once, in this process or in others, and judged often.

A trial costs the classification of the pages and little more: their texts are compared with the gold standard block by
block, and equal selections of blocks are compared once.

Thresholds are searched on some pages and checked on others.  Pages of one site are alike, so that a check on pages of
the same sites would flatter: pages whose address is known go together with all others of their registered domain.
"""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from operator import itemgetter
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from scrapy_justext.core.extractor import Extractor, ReadPage
from scrapy_justext.core.options import make_options
from scrapy_justext.crawl.sites import registered_domain
from scrapy_justext.evaluation.measures import MEASURES, Sizes, f_score, find_words
from scrapy_justext.exceptions import DataSetError, SplitError
from scrapy_justext.workers.pool import Pool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from scrapy_justext.core.options import Options
    from scrapy_justext.evaluation.datasets.documents import DataSet, Document
    from scrapy_justext.evaluation.measures import Measure

    #: Compares the good blocks of a page, of which flags tell, with the page's gold standard.
    Scorer = Callable[[npt.NDArray[np.bool_]], Sizes]

#: Depths of the tree filter that can be tried.
DEPTHS = range(1, 6)

#: The share of the pages that thresholds are searched on.
TRAINING_SHARE = 2 / 3
#: Fewer pages in either part say nothing.
LEAST = 4


def bag_scorer(gold: str, texts: Sequence[str]) -> Scorer:
    """Return the scorer of the bag measure, which counts the words of each block only once.

    No word reaches over a line feed, and no letter's lower case depends on what stands beyond one; so the words of a
    text are those of its blocks.
    """
    bag = Counter(find_words(gold.lower()))
    numbers = {word: number for number, word in enumerate(bag)}
    relevant = np.array([*bag.values()], np.int64)
    bags = [Counter(find_words(text.lower())) for text in texts]
    lengths = np.array([bag.total() for bag in bags], np.int64)
    rows = [
        (block, numbers[word], count)
        for block, bag in enumerate(bags)
        for word, count in bag.items()
        if word in numbers
    ]
    blocks, words, counts = np.array(rows, np.int64).reshape(-1, 3).T

    def score(good: npt.NDArray[np.bool_]) -> Sizes:
        found = np.bincount(words, counts * good[blocks], len(relevant))
        common = np.minimum(found, relevant).sum()
        return Sizes(int(relevant.sum()), int(lengths[good].sum()), int(common))

    return score


def text_scorer(measure: Measure, gold: str, texts: Sequence[str], *, keep_non_ascii: bool) -> Scorer:
    """Return the scorer of any measure, on the texts themselves."""

    def score(good: npt.NDArray[np.bool_]) -> Sizes:
        retrieved = "\n".join(text for text, is_good in zip(texts, good, strict=True) if is_good and text)
        return measure(gold, retrieved, keep_non_ascii=keep_non_ascii).sizes

    return score


@dataclass(frozen=True, slots=True)
class TrialPage:
    """A page in blocks, and what scores them; ``known``: the sizes of the selections of good blocks met so far."""

    read: ReadPage
    scorer: Scorer
    known: dict[bytes, Sizes] = field(default_factory=dict)

    def sizes(self, options: Options) -> Sizes:
        """Return the sizes of gold standard, retrieved text and what they share, under some thresholds."""
        flags = Extractor(options).judge(self.read).final.are_good
        if flags not in self.known:
            self.known[flags] = self.scorer(np.frombuffer(flags, np.bool_))
        return self.known[flags]


class TrialSetup(NamedTuple):
    """What pages are judged and measured by."""

    data_sets: Sequence[DataSet]
    profile: str = "justext"
    language: str = "auto"
    measure: str = "bag"
    keep_non_ascii: bool = False

    def options(self, thresholds: Mapping[str, Any] | None = None) -> Options:
        """Return the options that a crawl has with some thresholds."""
        return make_options(profile=self.profile, language=self.language, **(thresholds or {}))

    def make_page(self, document: Document) -> TrialPage:
        """Read a page for trials of any thresholds."""
        options = self.options()
        read = Extractor(options).read(document.text)
        texts = [segment.text for segment in read.segments]
        if self.measure == "bag":
            scorer = bag_scorer(document.gold, texts)
        else:
            measure = MEASURES[self.measure]
            scorer = text_scorer(measure, document.gold, texts, keep_non_ascii=self.keep_non_ascii)
        if not options.profile.reads_data:
            # Trees of many pages do not fit into memory.
            read = read.without_tree(DEPTHS)
        return TrialPage(read, scorer)


@contextmanager
def open_trials(
    setup: TrialSetup, labels: Sequence[Label], jobs: int = 1
) -> Iterator[Callable[[Mapping[str, Any]], list[Sizes]]]:
    """Give a function from thresholds, the profile's where left out, to the sizes of each page under them.

    ``jobs``: how many processes; each reads its share of the pages once and keeps it.
    """
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
    """Read the pages, and return what judges them under some thresholds."""
    setup, labels = share
    pages = [setup.make_page(setup.data_sets[page.data_set].load(page.id)) for page in labels]

    def judge(thresholds: Mapping[str, Any]) -> Iterator[list[Sizes]]:
        options = setup.options(thresholds)
        yield [page.sizes(options) for page in pages]

    return judge


class Quality(NamedTuple):
    """What a page's sizes are worth, from 0 to 1: 1 where there was nothing to find and nothing was found.

    All are 0 where only one of the texts is empty, whatever the measure: [D] leaves such pages out of its means, and
    the best thresholds would be those that give up on the hard ones.
    """

    precision: float
    recall: float
    f: float


def quality_of(sizes: Sizes, beta: float) -> Quality:
    """Return the quality of a page; ``beta``: how many times recall weighs what precision does.

    >>> quality_of(Sizes(4, 2, 2), 1.0)
    Quality(precision=1.0, recall=0.5, f=0.6666666666666666)
    >>> quality_of(Sizes(4, 0, 0), 1.0)
    Quality(precision=0.0, recall=0.0, f=0.0)
    """
    if not sizes.relevant or not sizes.retrieved:
        value = float(sizes.relevant == sizes.retrieved)
        return Quality(value, value, value)
    precision, recall = sizes.common / sizes.retrieved, sizes.common / sizes.relevant
    return Quality(precision, recall, f_score(precision, recall, beta))


def mean_quality(sizes: Sequence[Sizes], beta: float) -> Quality:
    """Return the means over pages."""
    return Quality(*map(fmean, zip(*(quality_of(page, beta) for page in sizes), strict=True)))


class Label(NamedTuple):
    """A page as far as the split asks for it."""

    data_set: int
    """Which of the data sets it is in."""
    id: str
    group: str
    """Pages of one group stay together."""


def label(data_set: int, document: Document) -> Label:
    """Return a page with its group: the registered domain of its address, else a group of its own.

    Raise :class:`DataSetError` for a page without a gold text.
    """
    if document.snippets is not None:
        raise DataSetError("dataset", document.id, "has snippets, not a gold text that trials can be measured by")
    domain = registered_domain(document.url) if document.url else ""
    return Label(data_set, document.id, domain or f"{data_set}/{document.id}")


def split(labels: Sequence[Label], seed: int = 0) -> tuple[list[Label], list[Label]]:
    """Return the pages to search on and those to check on, split by their groups, the same way at each call.

    Groups come in an order that a hash of ``seed`` and their names gives; each goes to the part that lacks more of its
    share.  Raise :class:`SplitError` where a part stays too small.
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
        raise SplitError(
            f"{len(labels)} pages of {len(sizes)} sites are too few to search on some and check on others:"
            f" both parts must have {LEAST} pages or more"
        )
    parts: tuple[list[Label], list[Label]] = [], []
    for page in labels:
        parts[page.group not in chosen].append(page)
    return parts
