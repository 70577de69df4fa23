"""Means over many documents, and whether two extractors differ by more than chance."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from scrapy_justext.exceptions import ParameterError, require

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

#: Two extractors differ if chance alone gives such a difference in less than one of a hundred cases. [D]
SIGNIFICANCE = 0.01

RESAMPLES = 10_000
#: How many numbers of a resampling are in memory at a time.
_CHUNK = 2_000_000


class MannWhitney(NamedTuple):
    """The two-sided Mann-Whitney U test of two samples."""

    u: float
    """U of the first sample: pairs in which its value is greater, those of equal values by half."""
    p: float


class Bootstrap(NamedTuple):
    """The paired bootstrap of the mean difference between two extractors on the same documents."""

    difference: float
    """The first one's mean less the second one's."""
    interval_95: tuple[float, float]
    interval_99: tuple[float, float]
    p: float
    """Two-sided: twice the share of resamples in which the difference is 0 or has the other sign, the sample among
    them."""


def is_significant(test: MannWhitney | Bootstrap) -> bool:
    """Return whether the two extractors of a test differ at 99 %."""
    return test.p < SIGNIFICANCE


def mean_of(values: Iterable[float | None]) -> float | None:
    """Return the mean of the values that are there; None where there is none.

    >>> mean_of([0.5, None, 1.0])
    0.75
    """
    present = [value for value in values if value is not None]
    return fmean(present) if present else None


def standard_deviation_of(values: Iterable[float | None]) -> float | None:
    """Return the sample standard deviation (n - 1) of the values that are there: 0 of one value, None where none is.

    >>> standard_deviation_of([1.0, 2.0, None, 3.0])
    1.0
    """
    present = [value for value in values if value is not None]
    if len(present) < 2:
        return 0.0 if present else None
    # Not statistics.stdev, which computes with fractions: it is slower.
    return float(np.std(present, ddof=1))


def mann_whitney(first: Sequence[float], second: Sequence[float]) -> MannWhitney:
    """Test whether values of one sample tend to be greater than those of another; the samples need not be paired."""
    if not first or not second:
        raise ParameterError("values", 0, "must be 1 or more values")
    stats: Any = require("scipy.stats", "evaluation")
    result = stats.mannwhitneyu(first, second, alternative="two-sided")
    return MannWhitney(float(result.statistic), float(result.pvalue))


def paired_bootstrap(
    first: Sequence[float], second: Sequence[float], *, resamples: int = RESAMPLES, seed: int = 0
) -> Bootstrap:
    """Estimate how much two samples of the same documents, in the same order, differ in the mean, and how surely.

    Documents are drawn with replacement, as many as there are, ``resamples`` times; the intervals are percentiles of
    the mean differences.  The same ``seed`` gives the same result.
    """
    documents = len(first)
    if documents != len(second):
        raise ParameterError("second", len(second), f"must have as many values as the first sample: {documents}")
    if not documents:
        raise ParameterError("values", 0, "must be 1 or more values")
    if resamples < 1:
        raise ParameterError("resamples", resamples, "must be 1 or more")
    differences = np.asarray(first, dtype=float) - np.asarray(second, dtype=float)
    generator = np.random.default_rng(seed)
    rows = max(1, _CHUNK // documents)
    means = np.concatenate(
        [
            differences[generator.integers(0, documents, size=(min(rows, resamples - start), documents))].mean(axis=1)
            for start in range(0, resamples, rows)
        ]
    )
    low_99, low_95, high_95, high_99 = np.percentile(means, [0.5, 2.5, 97.5, 99.5]).tolist()
    against = min(int((means <= 0).sum()), int((means >= 0).sum()))
    p = min(1.0, 2 * (against + 1) / (resamples + 1))
    return Bootstrap(float(differences.mean()), (low_95, high_95), (low_99, high_99), p)


def mean_interval(values: Sequence[float], *, resamples: int = RESAMPLES, seed: int = 0) -> tuple[float, float]:
    """Return the interval that the mean of a sample is in at 95 %, by the bootstrap.

    >>> mean_interval([0.5, 0.5])
    (0.5, 0.5)
    """
    return paired_bootstrap(values, [0.0] * len(values), resamples=resamples, seed=seed).interval_95
