"""Trials of thresholds on labelled pages, shared among processes."""

from __future__ import annotations

import signal
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_justext.evaluation.measures import MEASURES, Sizes
from scrapy_justext.evaluation.measures.scores import f_score
from scrapy_justext.evaluation.statistics import mean
from scrapy_justext.evaluation.tuning.pages import Page, make_page
from scrapy_justext.options import make_options

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType

    from scrapy_justext.evaluation.documents import DataSet
    from scrapy_justext.evaluation.tuning.split import Labelled
    from scrapy_justext.options import Options


class Task(NamedTuple):
    """What pages are judged and measured by."""

    data_sets: Sequence[DataSet]
    profile: str
    language: str
    measure: str
    keep_non_ascii: bool

    def options(self, knobs: Mapping[str, Any] | None = None) -> Options:
        """Those that a crawl has with some thresholds."""
        return make_options(profile=self.profile, language=self.language, knobs=knobs)


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
    return Figures(*map(mean, zip(*rows, strict=True)))


def make_pages(task: Task, labelled: Sequence[Labelled]) -> list[Page]:
    """Pages read and made ready."""
    measure, options = MEASURES[task.measure], task.options()
    return [
        make_page(task.data_sets[one.data_set].load(one.id), options, measure, keep_non_ascii=task.keep_non_ascii)
        for one in labelled
    ]


@dataclass(slots=True)
class Trials:
    """Pages made ready, in this process or in others; to be used in a ``with`` statement.

    ``jobs``: how many processes; each has every so-many-th page to the end.
    """

    task: Task
    labelled: Sequence[Labelled]
    jobs: int = 1
    _pages: list[Page] = field(default_factory=list, init=False)
    _pools: list[ProcessPoolExecutor] = field(default_factory=list, init=False)
    _stack: ExitStack = field(default_factory=ExitStack, init=False)

    def __enter__(self) -> Trials:
        shares = [self.labelled[start :: self.jobs] for start in range(min(self.jobs, len(self.labelled)))]
        if len(shares) == 1:
            self._pages = make_pages(self.task, self.labelled)
        else:
            for share in shares:
                # A pool of one: pages made ready cannot go from process to process.  Not forked, because of threads.
                pool = ProcessPoolExecutor(
                    1, mp_context=get_context("spawn"), initializer=_start, initargs=(self.task, share)
                )
                self._pools.append(self._stack.enter_context(pool))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stack.close()

    def sizes(self, knobs: Mapping[str, Any]) -> list[Sizes]:
        """The sizes of each page under some thresholds, the profile's where left out."""
        if not self._pools:
            return _sizes(self.task, self._pages, knobs)
        futures = [pool.submit(_try, knobs) for pool in self._pools]
        sizes = [Sizes()] * len(self.labelled)
        for start, future in enumerate(futures):
            sizes[start :: len(futures)] = future.result()
        return sizes


class _Share(NamedTuple):
    """What a process has to judge."""

    task: Task
    pages: list[Page]


_share: list[_Share] = []


def _start(task: Task, labelled: Sequence[Labelled]) -> None:
    """Called once in each process."""
    # Ctrl-C is for the process that started this one, which ends it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _share.append(_Share(task, make_pages(task, labelled)))


def _try(knobs: Mapping[str, Any]) -> list[Sizes]:
    [share] = _share
    return _sizes(share.task, share.pages, knobs)


def _sizes(task: Task, pages: Sequence[Page], knobs: Mapping[str, Any]) -> list[Sizes]:
    options = task.options(knobs)
    return [page.sizes(options) for page in pages]
