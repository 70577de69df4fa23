"""Train the second pass: boosted trees whose levels ask one question of all blocks, by CatBoost."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_justext.core.learned.second import second_features
from scrapy_justext.core.learned.trees import Trees
from scrapy_justext.exceptions import require

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from training.samples import Sample

#: CatBoost's parameters.
PARAMETERS = {
    "loss_function": "CrossEntropy",
    "iterations": 300,
    "depth": 6,
    "learning_rate": 0.06,
    "border_count": 63,
    "bootstrap_type": "MVS",
    "subsample": 0.5,
    "rsm": 0.3,
    "l2_leaf_reg": 3,
    "thread_count": 1,
    "random_seed": 1,
    "verbose": 0,
    "allow_writing_files": False,
}
#: The trees learn from blocks that the first pass gives more.  That is more than they will be asked about.
_HOPELESS = 0.02
#: No border is farther from 0: what a feature hardly ever exceeds.
_FARTHEST = 1e6


def train_trees(samples: Sequence[Sample], first: Sequence[NDArray[np.float32]]) -> Trees:
    """Train trees; ``first``: by sample, the probabilities of a first pass that has not seen its page."""
    catboost: Any = require("catboost", "training")
    asked = [np.flatnonzero(values > _HOPELESS).astype(np.int32) for values in first]
    features = np.concatenate(
        [
            second_features(sample.features, values, chosen).T
            for sample, values, chosen in zip(samples, first, asked, strict=True)
        ]
    )
    labels, weights = (
        np.concatenate([getattr(sample, name)[chosen] for sample, chosen in zip(samples, asked, strict=True)])
        for name in ("labels", "weights")
    )
    pool = catboost.Pool(features, labels, weight=weights / weights.mean())
    model = catboost.CatBoost(PARAMETERS)
    model.fit(pool)
    with TemporaryDirectory() as folder:
        path = Path(folder, "model.json")
        model.save_model(str(path), format="json")
        return read_trees(json.loads(path.read_text()))


def read_trees(saved: dict[str, Any]) -> Trees:
    """Return the trees of a model that CatBoost saved as JSON; those with fewer levels get some that ask nothing."""
    trees = saved["oblivious_trees"]
    # A scale, and what all log-odds begin with.
    scale, (bias,) = saved["scale_and_bias"]
    levels = max(len(tree["splits"] or ()) for tree in trees)
    columns = np.zeros((len(trees), levels), np.int16)
    borders = np.full((len(trees), levels), _FARTHEST, np.float32)
    leaves = np.zeros((len(trees), 1 << levels), np.float32)
    for row, tree in enumerate(trees):
        for level, split in enumerate(tree["splits"] or ()):
            columns[row, level] = split["float_feature_index"]
            borders[row, level] = np.clip(split["border"], -_FARTHEST, _FARTHEST)
        values = np.array(tree["leaf_values"]) * scale
        leaves[row, : len(values)] = values
    leaves[0] += bias
    return Trees(columns, borders, leaves)
