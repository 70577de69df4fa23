"""A model from samples: standardise, train several networks, put them together."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scrapy_justext.core.learned.model import LEAST_SCALE, LIMIT, SHAPES, Model
from training.network import Batch, Recipe, train

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from training.samples import Sample

_FLAT = ("w3",)


class Scaling(NamedTuple):
    """Mean and standard deviation of each input."""

    center: NDArray[np.float32]
    scale: NDArray[np.float32]


def make_model(
    samples: Sequence[Sample], recipe: Recipe, seeds: Sequence[int], *, name: str = "", version: str = ""
) -> Model:
    """A model with thresholds of one half, the same for the same samples, recipe and seeds."""
    scaling = _scaling(samples)
    starts = np.zeros(1, np.int64)
    batches = [
        Batch(
            np.clip((one.inputs - scaling.center) * (1 / scaling.scale), -LIMIT, LIMIT).astype(np.float32),
            one.labels,
            one.weights,
            starts,
        )
        for one in samples
    ]
    trained = [train(batches, len(scaling.center), recipe, seed) for seed in seeds]
    arrays = {
        key: np.stack([weights[key][:, 0] if key in _FLAT else weights[key] for weights in trained])
        for key in SHAPES
        if key not in ("center", "scale", "b3")
    }
    arrays["b3"] = np.concatenate([weights["b3"] for weights in trained])
    return Model(name, version, 0.5, 0.5, {**arrays, **scaling._asdict()})


def _scaling(samples: Sequence[Sample]) -> Scaling:
    count = sum(len(one.inputs) for one in samples)
    mean = sum(one.inputs.sum(axis=0, dtype=np.float64) for one in samples) / count
    square = sum(((one.inputs - mean) ** 2).sum(axis=0) for one in samples) / count
    scale = np.maximum(np.sqrt(square), LEAST_SCALE)
    return Scaling(np.asarray(mean, np.float32), np.asarray(scale, np.float32))
