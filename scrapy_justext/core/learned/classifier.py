"""The classes of blocks by a model's probability, with what weighed most for it in words.

====================================================  =========
probability >= ``good_probability``                   GOOD
probability >= ``near_good_probability``              NEAR_GOOD
lower                                                 BAD
====================================================  =========
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scrapy_justext.core.blocks import BAD, GOOD, NEAR_GOOD, Decision
from scrapy_justext.core.learned.table import FEATURES, NUMBERS, OF_PAGE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_justext.core.learned.model import Model
    from scrapy_justext.core.parameters import Thresholds

#: How many features a reason names.
NAMED = 2

_FLAGS_FROM = len(NUMBERS)
_IS_FLAG = np.array([feature.is_flag for feature in FEATURES])
_OF_PAGE = [place for place, feature in enumerate(FEATURES) if feature.name in OF_PAGE]


class Arguments(NamedTuple):
    """The features that weighed most for one side, the heaviest first: a row a block.

    ``columns``: which, ``values``: their values, ``counts``: whether they are worth naming.
    """

    columns: NDArray[np.int64]
    values: NDArray[np.float32]
    counts: NDArray[np.bool_]

    def of(self, block: int) -> str:
        """Those of a block, in words."""
        named = [
            _words(column, value)
            for column, value, counts in zip(
                self.columns[block].tolist(), self.values[block].tolist(), self.counts[block].tolist(), strict=True
            )
            if counts
        ]
        return f": {', '.join(named)}" if named else ""


class Weighed(NamedTuple):
    """Blocks as far as no threshold has a say: what a model makes of them, and why."""

    model: Model
    probabilities: list[float]
    pro: Arguments
    contra: Arguments

    def decide(self, thresholds: Thresholds) -> list[Decision]:
        """The decisions for the blocks."""
        good, near_good = limits(thresholds, self.model)
        decisions = []
        for block, probability in enumerate(self.probabilities):
            if probability >= good:
                block_class, compared, why = GOOD, f">= {good:g}", self.pro
            elif probability >= near_good:
                block_class, compared, why = NEAR_GOOD, f">= {near_good:g}", self.pro
            else:
                block_class, compared, why = BAD, f"< {near_good:g}", self.contra
            reason = f"probability {probability:.3g} {compared}{why.of(block)}"
            decisions.append(Decision(block_class, reason, probability))
        return decisions


def weigh(features: NDArray[np.float32], model: Model) -> Weighed:
    """What a model makes of a page's blocks of these features."""
    probabilities: list[float] = []
    pro, contra = [], []
    for judgement in model.judge(features):
        # Rounded as they are shown, so that no reason says 0.50 < 0.5.
        probabilities += np.round(judgement.probabilities.astype(np.float64), 3).tolist()
        some, weights = features[judgement.part], judgement.weights
        # What is not there explains little to a reader: a flag of 0 takes its weight with it.
        weights[:, _FLAGS_FROM:] *= some[:, _FLAGS_FROM:]
        weights[:, _OF_PAGE] = 0
        pro.append(_heaviest(some, weights.copy()))
        contra.append(_heaviest(some, np.negative(weights, out=weights)))
    return Weighed(model, probabilities, _joined(pro), _joined(contra))


def limits(thresholds: Thresholds, model: Model) -> tuple[float, float]:
    """The probabilities from which a block is GOOD, and NEAR_GOOD: the user's, else those of the model's card."""
    good = model.good if thresholds.good_probability is None else thresholds.good_probability
    near_good = thresholds.near_good_probability
    if near_good is None:
        # Those of the card belong together.
        near_good = model.near_good if thresholds.good_probability is None else good
    return good, min(near_good, good)


def _heaviest(features: NDArray[np.float32], weights: NDArray[np.float32]) -> Arguments:
    """For each block the features of the largest weights, which are spent."""
    rows = np.arange(len(weights))
    columns = np.empty((len(weights), NAMED), np.int64)
    counts = np.empty((len(weights), NAMED), np.bool_)
    for place in range(NAMED):
        best = weights.argmax(axis=1)
        columns[:, place], counts[:, place] = best, weights[rows, best] > 0
        weights[rows, best] = 0
    values = features[rows[:, None], columns]
    return Arguments(columns, values, counts & ((values != 0) | ~_IS_FLAG[columns]))


def _joined(parts: Sequence[Arguments]) -> Arguments:
    return parts[0] if len(parts) == 1 else Arguments(*(np.concatenate(one) for one in zip(*parts, strict=True)))


def _words(column: int, value: float) -> str:
    feature = FEATURES[column]
    return feature.meaning if feature.is_flag else f"{feature.meaning} {value:.3g}"
