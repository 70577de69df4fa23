"""Make a model of samples: standardise them, train several networks, join their weights.

Each block's features go through a dense layer with ReLU.  The mean and the maximum of its outputs over the page's
blocks are joined to those of each block.  A second dense layer with ReLU follows, then one number: the log-odds.  So
each block is judged with the kind of page in view.  Gradients are written out here, which spares a library for them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scrapy_justext.core.learned.model import LAYERS, LEAST_SCALE, LIMIT, Model

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from training.samples import Sample

    Floats = NDArray[np.float32]
    Weights = dict[str, Floats]


class Batch(NamedTuple):
    """Some pages' blocks."""

    x: Floats
    """Standardised features."""
    y: Floats
    """Soft labels."""
    w: Floats
    """What each block counts."""
    starts: NDArray[np.int64]
    """The first block of each page."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """The parameters of training."""

    hidden: int = 64
    dropout: float = 0.25
    input_dropout: float = 0.2
    epochs: int = 12
    pages: int = 8
    """In a batch."""
    rate: float = 3e-3
    """Learning rate at its highest."""
    decay: float = 5e-2
    """Weight decay, as AdamW's."""
    warm_up: float = 0.1
    """Share of the steps in which the rate rises; it falls along a cosine after that."""


def make_model(
    samples: Sequence[Sample],
    recipe: Recipe,
    seeds: Sequence[int],
    *,
    scaled_like: Model | None = None,
    name: str = "",
    version: str = "",
) -> Model:
    """Make a model with thresholds of one half; it is the same for the same samples, recipe and seeds.

    ``scaled_like``: a model whose inputs are standardised in the same way; otherwise it is by these samples.
    """
    if scaled_like is None:
        center, scale = _scaling(samples)
    else:
        center, scale = scaled_like.arrays["center"], scaled_like.arrays["scale"]
    starts = np.zeros(1, np.int64)
    pages = [
        Batch(
            np.clip((sample.features.inputs() - center) * (1 / scale), -LIMIT, LIMIT).astype(np.float32),
            sample.labels,
            sample.weights,
            starts,
        )
        for sample in samples
    ]
    networks = [train(pages, len(center), recipe, seed) for seed in seeds]
    arrays = {name: np.stack([network[name] for network in networks]) for name in LAYERS}
    # In a model file, the last layer has no dimension for its one output.
    arrays |= {"w3": arrays["w3"][:, :, 0], "b3": arrays["b3"][:, 0]}
    return Model(name, version, 0.5, 0.5, {**arrays, "center": center, "scale": scale})


def joined(first: Model, second: Model) -> Model:
    """Return a model with the networks of two, which are scaled alike."""
    layers = {name: np.concatenate([first.arrays[name], second.arrays[name]]) for name in LAYERS}
    return replace(second, arrays={**second.arrays, **layers})


def _scaling(samples: Sequence[Sample]) -> tuple[Floats, Floats]:
    """Return the mean and the standard deviation of each input."""
    count, total, square = 0, 0.0, 0.0
    for sample in samples:
        inputs = sample.features.inputs().astype(np.float64)
        count, total, square = count + len(inputs), total + inputs.sum(axis=0), square + (inputs**2).sum(axis=0)
    mean = np.asarray(total / count)
    scale = np.maximum(np.sqrt(np.maximum(square / count - mean**2, 0)), LEAST_SCALE)
    return mean.astype(np.float32), scale.astype(np.float32)


def new_weights(inputs: int, hidden: int, random: np.random.Generator) -> Weights:
    """Draw the weights before training."""

    def draw(rows: int, columns: int, fan_in: int) -> Floats:
        drawn: Floats = (random.standard_normal((rows, columns)) * np.sqrt(2 / fan_in)).astype(np.float32)
        return drawn

    weights: Weights = {
        "w1": draw(inputs, hidden, inputs),
        "b1": np.zeros(hidden, np.float32),
        "own": draw(hidden, hidden, 3 * hidden),
        "mean": draw(hidden, hidden, 3 * hidden),
        "most": draw(hidden, hidden, 3 * hidden),
        "b2": np.zeros(hidden, np.float32),
        "w3": draw(hidden, 1, 2 * hidden),
        "b3": np.zeros(1, np.float32),
    }
    return weights


def train(pages: Sequence[Batch], inputs: int, recipe: Recipe, seed: int) -> Weights:
    """Train a network on pages, which are shuffled and joined to batches in each epoch."""
    random = np.random.default_rng(seed)
    weights = new_weights(inputs, recipe.hidden, random)
    means = {name: np.zeros_like(value) for name, value in weights.items()}
    squares = {name: np.zeros_like(value) for name, value in weights.items()}
    steps = recipe.epochs * -(-len(pages) // recipe.pages)
    step = 0
    for _ in range(recipe.epochs):
        for batch in _shuffled(pages, recipe.pages, random):
            step += 1
            gradients = _gradients(weights, batch, recipe, random)
            rate = recipe.rate * _schedule(step / steps, recipe.warm_up)
            for name, gradient in gradients.items():
                means[name] += 0.1 * (gradient - means[name])
                squares[name] += 0.001 * (gradient * gradient - squares[name])
                corrected = (means[name] / (1 - 0.9**step)) / (np.sqrt(squares[name] / (1 - 0.999**step)) + 1e-8)
                if weights[name].ndim == 2:
                    weights[name] *= 1 - rate * recipe.decay
                weights[name] -= np.float32(rate) * corrected.astype(np.float32)
    return weights


def _schedule(done: float, warm_up: float) -> float:
    """Return the learning rate as a share of its highest; ``done``: the share of the steps."""
    if done < warm_up:
        return done / warm_up
    return 0.5 * (1 + float(np.cos(np.pi * (done - warm_up) / (1 - warm_up))))


def _shuffled(pages: Sequence[Batch], size: int, random: np.random.Generator) -> Iterator[Batch]:
    order = random.permutation(len(pages))
    for start in range(0, len(order), size):
        chosen = [pages[index] for index in order[start : start + size]]
        lengths = [len(page.x) for page in chosen]
        yield Batch(
            np.concatenate([page.x for page in chosen]),
            np.concatenate([page.y for page in chosen]),
            (np.concatenate([page.w for page in chosen]) / len(chosen)).astype(np.float32),
            np.concatenate([[0], np.cumsum(lengths[:-1])]).astype(np.int64),
        )


def _gradients(weights: Weights, batch: Batch, recipe: Recipe, random: np.random.Generator) -> Weights:
    """Return the gradient of the cross-entropy, a weight each."""
    x, y, w, starts = batch
    if recipe.input_dropout:
        x = x * _mask(x.shape, recipe.input_dropout, random)
    lengths = np.diff(np.append(starts, len(x)))
    page = np.repeat(np.arange(len(starts)), lengths)
    a1 = x @ weights["w1"] + weights["b1"]
    keep1 = _mask(a1.shape, recipe.dropout, random) * (a1 > 0)
    h1 = a1 * keep1
    mean = np.add.reduceat(h1, starts) / lengths[:, None].astype(np.float32)
    most = np.maximum.reduceat(h1, starts)
    of_page = mean @ weights["mean"] + most @ weights["most"] + weights["b2"]
    a2 = h1 @ weights["own"] + of_page[page]
    keep2 = _mask(a2.shape, recipe.dropout, random) * (a2 > 0)
    h2 = a2 * keep2
    z = (h2 @ weights["w3"])[:, 0] + weights["b3"][0]
    dz = (w * (sigmoid(z) - y))[:, None]
    d2 = (dz @ weights["w3"].T) * keep2
    d_page = np.add.reduceat(d2, starts)
    d_mean = (d_page @ weights["mean"].T) / lengths[:, None].astype(np.float32)
    d_most = d_page @ weights["most"].T
    d1 = (d2 @ weights["own"].T + d_mean[page] + d_most[page] * (h1 == most[page])) * keep1
    return {
        "w1": x.T @ d1,
        "b1": d1.sum(axis=0),
        "own": h1.T @ d2,
        "mean": mean.T @ d_page,
        "most": most.T @ d_page,
        "b2": d_page.sum(axis=0),
        "w3": h2.T @ dz,
        "b3": dz.sum(axis=0),
    }


def _mask(shape: tuple[int, ...], dropout: float, random: np.random.Generator) -> Floats:
    """Return what a layer is multiplied by: 0 for what is left out; more than 1 for the rest, to make up for it."""
    # Of 256 steps: bytes are drawn in a quarter of the time of numbers.
    left_out = round(256 * dropout)
    kept = random.integers(0, 256, shape, np.uint8) >= left_out
    return kept.astype(np.float32) * np.float32(256 / (256 - left_out))


def sigmoid(z: Floats) -> Floats:
    """Return the probabilities of log-odds."""
    return (1 / (1 + np.exp(-np.clip(z, -30, 30)))).astype(np.float32)
