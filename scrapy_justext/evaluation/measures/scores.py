"""What a measure says of one document, and how the scores of many become one row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from scrapy_justext.evaluation.statistics import mean_of

OK = "ok"
RELEVANT_EMPTY = "relevant_empty"
RETRIEVED_EMPTY = "retrieved_empty"
BOTH_EMPTY = "both_empty"
MISMATCH = "mismatch"

#: The cases that are counted apart. [D]
BOUNDARY_CASES = (RELEVANT_EMPTY, RETRIEVED_EMPTY, BOTH_EMPTY, MISMATCH)


class Sizes(NamedTuple):
    """The sizes of two texts and of what they share, in what the measure counts: words, characters, shingles."""

    relevant: int = 0
    retrieved: int = 0
    common: int = 0


class Scores(NamedTuple):
    """How well a retrieved text covers the relevant one; from 0 to 1, None where undefined."""

    precision: float | None
    recall: float | None
    f1: float | None
    case: str
    """:data:`OK` or one of :data:`BOUNDARY_CASES`."""
    sizes: Sizes = Sizes()


class Means(NamedTuple):
    """What a measure says of many documents; None where it says nothing."""

    precision: float | None
    recall: float | None
    f1: float | None


class Score(Protocol):
    """Compares the text retrieved from a page with its gold standard."""

    def __call__(self, gold: str, retrieved: str, *, keep_non_ascii: bool = False) -> Scores:
        """``keep_non_ascii`` matters to the measures that would remove letters outside ASCII."""


Aggregate = Callable[[Sequence[Scores]], Means]


def mean_scores(scores: Sequence[Scores]) -> Means:
    """The mean of each figure over the documents that have it."""
    return Means(
        mean_of(one.precision for one in scores),
        mean_of(one.recall for one in scores),
        mean_of(one.f1 for one in scores),
    )


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure by its name; called, it scores a document."""

    name: str
    score: Score
    source: str
    """Where it is defined."""
    boundary_counts: bool = False
    """Whether boundary cases are part of the means: [D] leaves them out, the benchmarks have rules for them."""
    aggregate: Aggregate = mean_scores
    """How the documents' scores become those of the data set."""

    def __call__(self, gold: str, retrieved: str, *, keep_non_ascii: bool = False) -> Scores:
        """The scores of a document."""
        return self.score(gold, retrieved, keep_non_ascii=keep_non_ascii)

    def counted(self, scores: Sequence[Scores]) -> list[Scores]:
        """The scores that are part of the means."""
        return [one for one in scores if self.boundary_counts or one.case == OK]


def f1_score(precision: float, recall: float) -> float:
    """The harmonic mean, 0 when both are 0.

    >>> f1_score(1.0, 0.5)
    0.6666666666666666
    """
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def f_score(precision: float, recall: float, beta: float) -> float:
    """The weighted harmonic mean, in which recall counts ``beta`` times as much as precision; 0 when both are 0.

    >>> f_score(1.0, 0.5, 1.0), f_score(1.0, 0.5, 2.0)
    (0.6666666666666666, 0.5555555555555556)
    """
    weighted = beta**2 * precision + recall
    return (1 + beta**2) * precision * recall / weighted if weighted else 0.0


def score_sizes(relevant: int, retrieved: int, common: int) -> Scores:
    """Precision, recall and F1 of two sizes and the size of what they share, with the boundary cases of [D].

    >>> score_sizes(4, 2, 2)[:4]
    (1.0, 0.5, 0.6666666666666666, 'ok')
    >>> score_sizes(0, 2, 0)[:4], score_sizes(0, 0, 0).case
    ((0.0, None, None, 'relevant_empty'), 'both_empty')
    """
    case = _find_case(relevant, retrieved, common)
    precision = common / retrieved if retrieved else None
    recall = common / relevant if relevant else None
    f1 = f1_score(common / retrieved, common / relevant) if case == OK else None
    return Scores(precision, recall, f1, case, Sizes(relevant, retrieved, common))


def _find_case(relevant: int, retrieved: int, common: int) -> str:
    if not relevant:
        return RELEVANT_EMPTY if retrieved else BOTH_EMPTY
    if not retrieved:
        return RETRIEVED_EMPTY
    return OK if common else MISMATCH
