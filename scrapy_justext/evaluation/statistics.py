"""Figures over many documents, and whether two extractors differ by more than chance."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_justext.evaluation.libraries import require
from scrapy_justext.exceptions import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

#: Two extractors differ where chance alone gives such a difference in less than one of a hundred cases. [D]
SIGNIFICANCE = 0.01

RESAMPLES = 10_000
#: How many numbers of a resampling are in memory at a time.
_CHUNK = 2_000_000


class MannWhitney(NamedTuple):
    """The two-sided Mann-Whitney U test of two samples."""

    u: float
    """U of the first sample: pairs in which its value is greater, those of equal values by half."""
    p: float

    @property
    def is_significant(self) -> bool:
        """Whether the samples differ at 99 %."""
        return self.p < SIGNIFICANCE


class Bootstrap(NamedTuple):
    """The paired bootstrap of the mean difference between two extractors on the same documents."""

    difference: float
    """The first one's mean less the second one's."""
    interval_95: tuple[float, float]
    interval_99: tuple[float, float]
    p: float
    """Two-sided: twice the share of resamples, this sample counted in, in which the difference has another sign or is
    none."""

    @property
    def is_significant(self) -> bool:
        """Whether the extractors differ at 99 %."""
        return self.p < SIGNIFICANCE


def mean(values: Sequence[float]) -> float:
    """The arithmetic mean; raises :class:`ParameterError` for no values.

    >>> mean([0.5, 1.0])
    0.75
    """
    _check_values(values, 1)
    return math.fsum(values) / len(values)


def mean_of(values: Iterable[float | None]) -> float | None:
    """The mean of the values that are there; None where there is none."""
    present = [value for value in values if value is not None]
    return mean(present) if present else None


def standard_deviation(values: Sequence[float]) -> float:
    """The sample standard deviation, its sum of squares divided by one less than the number of values; 0 of one value.

    [D] does not say which it is; documents are a sample of the pages that an extractor is for.

    >>> standard_deviation([1.0, 2.0, 3.0])
    1.0
    """
    centre = mean(values)
    if len(values) == 1:
        return 0.0
    return math.sqrt(math.fsum((value - centre) ** 2 for value in values) / (len(values) - 1))


def standard_deviation_of(values: Iterable[float | None]) -> float | None:
    """The sample standard deviation of the values that are there; None where there is none."""
    present = [value for value in values if value is not None]
    return standard_deviation(present) if present else None


def median(values: Sequence[float]) -> float:
    """The value in the middle, or the mean of both.

    >>> median([3.0, 1.0, 2.0]), median([1.0, 2.0])
    (2.0, 1.5)
    """
    _check_values(values, 1)
    ordered, middle = sorted(values), len(values) // 2
    return ordered[middle] if len(values) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def mann_whitney(first: Sequence[float], second: Sequence[float]) -> MannWhitney:
    """Whether values of one sample tend to be greater than those of another; the samples need not be paired."""
    _check_values(first, 1)
    _check_values(second, 1)
    stats: Any = require("scipy.stats", "scipy")
    result = stats.mannwhitneyu(first, second, alternative="two-sided")
    return MannWhitney(float(result.statistic), float(result.pvalue))


def paired_bootstrap(
    first: Sequence[float], second: Sequence[float], *, resamples: int = RESAMPLES, seed: int = 0
) -> Bootstrap:
    """How sure the mean difference is of two samples whose values belong to the same documents, in the same order.

    Documents are drawn with replacement, as many as there are, ``resamples`` times; the intervals are percentiles of
    the mean differences.  The same ``seed`` gives the same figures.
    """
    if len(first) != len(second):
        raise ParameterError("second", len(second), f"must have as many values as the first sample: {len(first)}")
    _check_values(first, 1)
    if resamples < 1:
        raise ParameterError("resamples", resamples, "must be 1 or more")
    numpy: Any = require("numpy", "numpy")
    differences = numpy.asarray(first, dtype=float) - numpy.asarray(second, dtype=float)
    means = _resampled_means(numpy, differences, resamples, seed)
    low_99, low_95, high_95, high_99 = (float(value) for value in numpy.percentile(means, [0.5, 2.5, 97.5, 99.5]))
    against = min(int((means <= 0).sum()), int((means >= 0).sum()))
    return Bootstrap(
        float(differences.mean()), (low_95, high_95), (low_99, high_99), min(1.0, 2 * (against + 1) / (resamples + 1))
    )


def _resampled_means(numpy: Any, values: Any, resamples: int, seed: int) -> Any:
    generator = numpy.random.default_rng(seed)
    rows = max(1, _CHUNK // len(values))
    chunks = [
        values[generator.integers(0, len(values), size=(min(rows, resamples - start), len(values)))].mean(axis=1)
        for start in range(0, resamples, rows)
    ]
    return numpy.concatenate(chunks)


def _check_values(values: Sequence[float], least: int) -> None:
    if len(values) < least:
        raise ParameterError("values", len(values), f"must be {least} or more values")
