"""Figures over many documents, by hand and against the standard library."""

import random
import statistics as standard

import pytest

from scrapy_justext.evaluation.statistics import (
    Bootstrap,
    MannWhitney,
    is_significant,
    mann_whitney,
    mean_of,
    paired_bootstrap,
    standard_deviation_of,
)
from scrapy_justext.exceptions import ParameterError

pytestmark = pytest.mark.full

_CHANCE = random.Random(1)
VALUES = [_CHANCE.random() for _ in range(101)]
OTHERS = [value - 0.1 + 0.2 * _CHANCE.random() for value in VALUES]


def test_means_and_deviations_by_hand() -> None:
    assert mean_of([0.2, 0.4, 0.9]) == pytest.approx(0.5)
    assert mean_of([0.1] * 10) == 0.1
    # Squares of -3, -1, 1, 3: 20; by 3, not by 4.
    assert standard_deviation_of([2.0, 4.0, 6.0, 8.0]) == pytest.approx((20 / 3) ** 0.5)
    assert standard_deviation_of([0.7]) == 0.0
    assert standard_deviation_of(VALUES) == pytest.approx(standard.stdev(VALUES))


def test_values_that_are_missing_are_left_out() -> None:
    assert mean_of([None, 1.0, 0.0]) == 0.5
    assert standard_deviation_of([1.0, None, 3.0]) == pytest.approx(2**0.5)
    assert mean_of([None]) is standard_deviation_of([]) is None


def test_mann_whitney_by_hand() -> None:
    # Of the nine pairs the first value is greater in 8 and equal in one.
    assert mann_whitney([3.0, 4.0, 5.0], [1.0, 2.0, 3.0]).u == 8.5


def test_mann_whitney_at_99_percent() -> None:
    low = [place / 100 for place in range(30)]
    assert is_significant(mann_whitney(low, [value + 0.2 for value in low]))
    assert not is_significant(mann_whitney(low, [value + 0.01 for value in low]))
    assert not is_significant(MannWhitney(1.0, 0.01))
    assert is_significant(MannWhitney(1.0, 0.0099))


def test_a_constant_difference_is_certain_and_none_is_none() -> None:
    found = paired_bootstrap([0.5, 0.75, 1.0], [0.25, 0.5, 0.75], resamples=999)
    assert found == Bootstrap(0.25, (0.25, 0.25), (0.25, 0.25), 2 / 1000)
    assert is_significant(found)
    found = paired_bootstrap(VALUES, VALUES)
    assert (found.difference, found.p, is_significant(found)) == (0.0, 1.0, False)


def test_intervals_are_those_of_the_normal_distribution() -> None:
    differences = [first - second for first, second in zip(VALUES, OTHERS, strict=True)]
    error = standard.stdev(differences) / len(differences) ** 0.5
    found = paired_bootstrap(VALUES, OTHERS)
    assert found.difference == pytest.approx(standard.mean(differences))
    for interval, width in ((found.interval_95, 1.96), (found.interval_99, 2.576)):
        assert interval[0] == pytest.approx(found.difference - width * error, abs=0.15 * error)
        assert interval[1] == pytest.approx(found.difference + width * error, abs=0.15 * error)


def test_the_bootstrap_is_paired() -> None:
    better = [value + 0.001 for value in VALUES]
    assert is_significant(paired_bootstrap(better, VALUES))
    assert not is_significant(mann_whitney(better, VALUES))


def test_the_bootstrap_changes_sign_with_its_samples() -> None:
    others = [value**2 for value in VALUES]
    forwards, backwards = paired_bootstrap(VALUES, others), paired_bootstrap(others, VALUES)
    assert forwards.difference == pytest.approx(-backwards.difference)
    assert forwards.interval_95 == pytest.approx((-backwards.interval_95[1], -backwards.interval_95[0]))
    assert forwards.p == backwards.p


def test_a_seed_gives_the_same_figures_and_another_seed_others() -> None:
    others = VALUES[::-1]
    assert paired_bootstrap(VALUES, others, seed=3) == paired_bootstrap(VALUES, others, seed=3)
    assert paired_bootstrap(VALUES, others, seed=3) != paired_bootstrap(VALUES, others, seed=4)


def test_what_is_refused() -> None:
    with pytest.raises(ParameterError, match="must be 1 or more values"):
        mann_whitney([], [1.0])
    with pytest.raises(ParameterError):
        paired_bootstrap([], [])
    with pytest.raises(ParameterError, match="as many values"):
        paired_bootstrap([1.0], [1.0, 2.0])
    with pytest.raises(ParameterError, match="resamples"):
        paired_bootstrap([1.0], [1.0], resamples=0)
