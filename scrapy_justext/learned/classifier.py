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
from scrapy_justext.learned.features import compute, transform
from scrapy_justext.learned.model import shipped_model
from scrapy_justext.learned.table import FEATURES, NUMBERS, OF_PAGE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_justext.core.blocks import Segment
    from scrapy_justext.core.elements import Elements
    from scrapy_justext.core.thresholds import Thresholds
    from scrapy_justext.learned.model import Judgement, Model

#: How many features a reason names.
NAMED = 2

_FLAGS_FROM = len(NUMBERS)
_OF_PAGE = [place for place, feature in enumerate(FEATURES) if feature.name in OF_PAGE]


class Weighed(NamedTuple):
    """Blocks as far as no threshold has a say: their features, and what a model makes of them."""

    features: NDArray[np.float32]
    model: Model
    judgement: Judgement

    def decide(self, thresholds: Thresholds) -> list[Decision]:
        """The decisions for the blocks."""
        good, near_good = limits(thresholds, self.model)
        # Rounded as they are shown, so that no reason says 0.50 < 0.5.
        probabilities = np.round(self.judgement.probabilities.astype(np.float64), 3)
        is_up = probabilities >= near_good
        weights = self.judgement.weights * np.where(is_up, 1, -1).astype(np.float32)[:, None]
        decisions = []
        for probability, why in zip(probabilities.tolist(), _reasons(self.features, weights), strict=True):
            if probability >= good:
                block_class, compared = GOOD, f">= {good:g}"
            elif probability >= near_good:
                block_class, compared = NEAR_GOOD, f">= {near_good:g}"
            else:
                block_class, compared = BAD, f"< {near_good:g}"
            decisions.append(Decision(block_class, f"probability {probability:.3g} {compared}{why}", probability))
        return decisions


def classify(
    segments: Sequence[Segment], thresholds: Thresholds, elements: Elements | None, model_name: str
) -> list[Decision]:
    """The decision for each segment.  Raises :class:`ModelError` where the model cannot be loaded."""
    if not segments or elements is None:
        return []
    return decide(compute(segments, elements), thresholds, shipped_model(model_name))


def decide(features: NDArray[np.float32], thresholds: Thresholds, model: Model) -> list[Decision]:
    """The decisions for blocks of these features."""
    return weigh(features, model).decide(thresholds)


def weigh(features: NDArray[np.float32], model: Model) -> Weighed:
    """What a model makes of blocks of these features."""
    return Weighed(features, model, model.judge(transform(features)))


def limits(thresholds: Thresholds, model: Model) -> tuple[float, float]:
    """The probabilities from which a block is GOOD, and NEAR_GOOD: the user's, else those of the model's card."""
    good = model.good if thresholds.good_probability is None else thresholds.good_probability
    near_good = thresholds.near_good_probability
    if near_good is None:
        # Those of the card belong together.
        near_good = model.near_good if thresholds.good_probability is None else good
    return good, min(near_good, good)


def _reasons(features: NDArray[np.float32], weights: NDArray[np.float32]) -> list[str]:
    """For each block the features that weighed most towards its class, in words."""
    # What is not there explains little to a reader: a flag of 0 takes its weight with it.
    weights[:, _FLAGS_FROM:] *= features[:, _FLAGS_FROM:]
    weights[:, _OF_PAGE] = 0
    rows = np.arange(len(weights))
    named: list[list[str]] = [[] for _ in rows]
    for _ in range(NAMED):
        best = weights.argmax(axis=1)
        values = zip(best.tolist(), features[rows, best].tolist(), (weights[rows, best] > 0).tolist(), strict=True)
        for words, (column, value, counts) in zip(named, values, strict=True):
            feature = FEATURES[column]
            if counts and (value or not feature.is_flag):
                words.append(feature.meaning if feature.is_flag else f"{feature.meaning} {value:.3g}")
        weights[rows, best] = 0
    return [f": {', '.join(words)}" if words else "" for words in named]
