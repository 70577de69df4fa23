"""Decide the context-free class of blocks by a model's probability, with what weighed most for it in words.

====================================================  =========
probability >= ``good_probability``                   GOOD
probability >= ``near_good_probability``              NEAR_GOOD
lower                                                 BAD
====================================================  =========

The model is asked once a page (:func:`weigh`); thresholds come in afterwards (:meth:`ModelOutput.decide`).
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scrapy_justext.core.blocks import BAD, GOOD, NEAR_GOOD, Decisions, Late
from scrapy_justext.core.learned.model import EXPLAINED
from scrapy_justext.core.learned.pages import PageOpinion
from scrapy_justext.core.learned.second import UNEXPLAINING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from scrapy_justext.core.learned.features import Features
    from scrapy_justext.core.learned.model import Model
    from scrapy_justext.core.learned.pages import PageModel
    from scrapy_justext.core.parameters import Thresholds

    Floats = NDArray[np.float64]

#: How many features a reason names.
NAMED = 2
#: The probability from which the best block of a page without good ones is good.
FALLBACK = 0.3

#: A page that promises so high an F1 keeps its probabilities, in halves: they are best cut there.  No page's are cut
#: lower than at the other one.
_USUAL, _LOWEST = 0.4, 0.3

_IS_FLAG = np.array([feature.is_flag for feature in EXPLAINED])
_UNEXPLAINING = [column for column, feature in enumerate(EXPLAINED) if feature.name in UNEXPLAINING]


class Heaviest(NamedTuple):
    """The features that weighed most for one side, the heaviest first: a row a block."""

    columns: NDArray[np.int16]
    values: NDArray[np.float32]
    are_named: NDArray[np.bool_]
    """Whether they are worth naming."""

    def in_words(self) -> Iterator[str]:
        """Yield the features of each block behind a colon; nothing where none is worth naming."""
        for rows in zip(*(array.tolist() for array in self), strict=True):
            words = [_words(column, value) for column, value, is_named in zip(*rows, strict=True) if is_named]
            yield f": {', '.join(words)}" if words else ""


class ModelOutput(NamedTuple):
    """A page's blocks as far as no threshold has a say: what a model makes of them, and why."""

    model: Model
    probabilities: list[float]
    arguments: Callable[[], tuple[Heaviest, Heaviest]]
    """Returns what weighed most against each block, and what weighed most for it; few ask."""
    opinion: PageOpinion | None = None
    """What a page model makes of the page; None without one."""

    @property
    def expected_f1(self) -> float:
        """Return the F1 to be expected of the blocks that are good by the model's own threshold; 0 without opinion."""
        are_good = bytes(probability >= self.model.good for probability in self.probabilities)
        return 0.0 if self.opinion is None else self.opinion.confidence(are_good, has_data=False)

    def decide(self, thresholds: Thresholds) -> Decisions:
        """Return the decisions for the blocks."""
        limits = with_limits(thresholds, self.model)
        good, near_good = limits.good_probability, limits.near_good_probability
        assert good is not None
        assert near_good is not None
        is_good, is_near_good, is_bad = (block_class.code for block_class in (GOOD, NEAR_GOOD, BAD))
        classes = bytes([
            is_good if probability >= good else is_near_good if probability >= near_good else is_bad
            for probability in self.probabilities
        ])  # fmt: skip
        compared = {is_good: f">= {good:g}", is_near_good: f">= {near_good:g}", is_bad: f"< {near_good:g}"}

        def reasons() -> list[str]:
            both_sides = (heaviest.in_words() for heaviest in self.arguments())
            return [
                f"probability {probability:.3g} {compared[code]}{against if code == is_bad else in_favour}"
                for probability, code, against, in_favour in zip(self.probabilities, classes, *both_sides, strict=True)
            ]

        return Decisions.of_columns(classes, reasons)


def with_limits(thresholds: Thresholds, model: Model) -> Thresholds:
    """Return thresholds with the model's own probabilities in place of those that the user did not choose."""
    good, near_good = thresholds.good_probability, thresholds.near_good_probability
    if good is not None and near_good is not None:
        return thresholds
    fallback = thresholds.fallback_probability
    # The model's belong together: to a user's choice of one, they say nothing.
    if fallback is None and good is None:
        fallback = FALLBACK
    if near_good is None:
        near_good = model.near_good if good is None else good
    good = model.good if good is None else good
    return replace(
        thresholds, good_probability=good, near_good_probability=min(near_good, good), fallback_probability=fallback
    )


def weigh(
    features: Features,
    model: Model,
    page_model: PageModel | None = None,
    log_odds: NDArray[np.float32] | None = None,
    other: ModelOutput | None = None,
) -> ModelOutput:
    """Ask a model about a page's blocks; ``other``: what another model makes of the page."""
    first = model.first_pass(features, log_odds)
    both = for_page(model.second_pass(features, first).astype(np.float64), features.lengths())
    # Rounded as they are shown, so that no reason says 0.50 < 0.5.
    probabilities: list[float] = np.round(both, 3).tolist()
    opinion = None
    if page_model is not None:
        opinion = PageOpinion(features, first, probabilities, page_model, None if other is None else other.opinion)
    return ModelOutput(model, probabilities, Late(partial(_heaviest_of_page, features, first, model)), opinion)


def for_page(probabilities: Floats, lengths: Floats) -> Floats:
    """Return the probabilities of a page's blocks moved so that one threshold is the best for every page.

    F1 is highest where blocks are kept from half of the F1 on that is to be expected then (Lipton and others, "Optimal
    thresholding of classifiers to maximize F1", 2014).  So a page that is hard to judge keeps blocks that are less
    probable.  ``lengths``: those of the blocks.
    """
    order = np.argsort(-probabilities)
    content, kept = (probabilities * lengths)[order].cumsum(), lengths[order].cumsum()
    expected = (2 * content / (kept + content[-1:])).max(initial=0)
    cut = max(expected / 2, _LOWEST)
    odds = probabilities * ((1 - cut) / cut * _USUAL / (1 - _USUAL))
    return np.asarray(odds / (odds + 1 - probabilities))


def _heaviest_of_page(features: Features, first: NDArray[np.float32], model: Model) -> tuple[Heaviest, Heaviest]:
    against, in_favour = [], []
    for values, weights in model.weights(features, first):
        weights[:, _UNEXPLAINING] = 0
        against.append(_heaviest(values, weights, -1))
        in_favour.append(_heaviest(values, weights, 1))
    return _joined(against), _joined(in_favour)


def _heaviest(features: NDArray[np.float32], weights: NDArray[np.float32], sign: int) -> Heaviest:
    """Return for each block the features whose weights of a ``sign``, 1 or -1, are furthest from 0; they become 0."""
    find = np.argmax if sign > 0 else np.argmin
    rows = np.arange(len(weights))
    columns = np.empty((len(weights), NAMED), np.int16)
    have_sign = np.empty((len(weights), NAMED), np.bool_)
    for rank in range(NAMED):
        furthest = find(weights, axis=1)
        heaviest = weights[rows, furthest]
        columns[:, rank], have_sign[:, rank] = furthest, sign * heaviest > 0
        weights[rows, furthest] = np.where(have_sign[:, rank], 0, heaviest)
    values = features[rows[:, None], columns]
    return Heaviest(columns, values, have_sign & ((values != 0) | ~_IS_FLAG[columns]))


def _joined(parts: list[Heaviest]) -> Heaviest:
    return Heaviest(*map(np.concatenate, zip(*parts, strict=True)))


@lru_cache(maxsize=1 << 12)
def _words(column: int, value: float) -> str:
    feature = EXPLAINED[column]
    return feature.meaning if feature.is_flag else f"{feature.meaning} {value:.3g}"
