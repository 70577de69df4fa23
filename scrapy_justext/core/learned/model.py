"""Read and write model files, and compute the probabilities that a model gives.

A file is an ``.npz`` archive without pickled objects: weights as arrays, and ``header``, JSON in UTF-8 as bytes.
A model judges in two passes; its probabilities are a mean of both.  The first is several networks (seeds) whose
log-odds are averaged.  Each network: features -> dense layer with ReLU; its mean and maximum over the page's blocks
beside each block's own -> dense layer with ReLU -> log-odds.  The second, which a model need not have, is boosted trees
that look at what the first one found around each block (:mod:`.second`, :mod:`.trees`).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from scrapy_justext.core.learned.features import transform
from scrapy_justext.core.learned.second import OWN, SECOND_FEATURES, second_features
from scrapy_justext.core.learned.table import FEATURES, NUMBERS
from scrapy_justext.core.learned.trees import Trees
from scrapy_justext.exceptions import ModelError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from scrapy_justext.core.learned.features import Features
    from scrapy_justext.core.learned.table import Feature

    Floats32 = NDArray[np.float32]

#: Of files with one pass, and of those with two, which versions that know one pass must not read.
ONE_PASS, TWO_PASSES = 1, 2
FOLDER = Path(__file__).parent / "models"

#: Standardised inputs are cut here, on both sides.
LIMIT = 6.0
#: No input is divided by less: a flag that is nearly always 0 would become huge where it is 1.
LEAST_SCALE = 1e-3
#: No weight is larger, so that no sum of them overflows.
LARGEST_WEIGHT = 1e6

#: The arrays of a file by their names, with their dimensions: f features, s seeds, h hidden units.
SHAPES: Mapping[str, str] = {
    "center": "f", "scale": "f", "w1": "sfh", "b1": "sh", "own": "shh", "mean": "shh", "most": "shh", "b2": "sh",
    "w3": "sh", "b3": "s",
}  # fmt: skip
#: Those that have a part for each network, in the order in which a block passes them.
LAYERS = tuple(name for name, dimensions in SHAPES.items() if dimensions.startswith("s"))

#: The arrays of the second pass in a file: t trees, d levels, l leaves.
TREES: Mapping[str, str] = {"tree_columns": "td", "tree_borders": "td", "tree_leaves": "tl"}
#: Levels of a tree at the most.
MOST_LEVELS = 8

#: What weighs for and against a block: the features of the first pass, then those that the second pass has more.
EXPLAINED = (*FEATURES, *OWN)
#: Blocks that the first pass is in doubt about, which the second one looks at: those with a probability in between.
#: With more blocks, F1 on folds is the same, and pages take longer.
DOUBTFUL = (0.1, 0.98)
#: What the second pass counts in the mean of both.
_SECOND = np.float32(0.7)

#: Blocks that are judged together.
_BLOCKS_TOGETHER = 4096
#: Multiplications at a time.  From about here on, the linear algebra that numpy brings spreads a product over all
#: cores, which costs far more than it gives where pages are small and crawls have other work for the cores.
_MULTIPLICATIONS_TOGETHER = 500_000
#: Rows that processors take together.
_ROWS_TOGETHER = 4


_NUMBERS = slice(len(NUMBERS))
_NAMES = slice(len(NUMBERS), len(FEATURES))


class _Network(NamedTuple):
    """A network as blocks are fed to it: f numbers of a block, n names, h hidden units."""

    numbers: Floats32
    """Weights of the first layer by number: f x h."""
    own_names: Floats32
    """By name of a block's own element: what the first layer gets more where it is there: n x h."""
    all_names: Floats32
    """The same by name of its element and all ancestors."""
    first_bias: Floats32
    """With what all names give where they are not there: h."""
    own: Floats32
    """Weights of the second layer by the block's own output of the first: h x h."""
    mean: Floats32
    """By the mean over the page's blocks."""
    most: Floats32
    """By the maximum over the page's blocks."""
    second_bias: Floats32
    last: Floats32
    """Weights of the log-odds: h."""
    last_bias: np.float32

    def second_layer(self, first: Floats32) -> Iterator[tuple[slice, Floats32]]:
        """Yield what the second layer gives for some of a page's blocks at a time; ``first``: what the first gives."""
        of_page = first.mean(axis=0) @ self.mean + first.max(axis=0) @ self.most + self.second_bias
        for rows in _parts(len(first)):
            second = _product(first[rows], self.own)
            second += of_page
            yield rows, np.clip(second, 0, np.inf, out=second)


@dataclass(frozen=True)
class Model:
    """A model that was loaded.  ``good``, ``near_good``: the thresholds of its card."""

    name: str
    version: str
    good: float
    near_good: float
    arrays: Mapping[str, Floats32]
    trees: Trees | None = None
    """The second pass; None for a model without one."""

    @property
    def networks(self) -> int:
        """Return how many networks it has."""
        return len(self.arrays["b3"])

    def log_odds(self, features: Features, known: Floats32 | None = None) -> Floats32:
        """Return the log-odds that the networks give to a page's blocks: a row a network, a column a block.

        ``known``: those of its first networks, where a model that has the same was asked before.
        """
        log_odds = np.empty((self.networks, features.count), np.float32)
        start = 0
        if known is not None:
            start = len(known)
            log_odds[:start] = known
        networks = self._networks[start:]
        for network, first, row in zip(networks, self._first_layers(networks, features), log_odds[start:], strict=True):
            for rows, second in network.second_layer(first):
                row[rows] = _product(second, network.last[:, None])[:, 0] + network.last_bias
        return log_odds

    def first_pass(self, features: Features, log_odds: Floats32 | None = None) -> Floats32:
        """Return for each block the probability that the networks give it, by their ``log_odds`` if those are known."""
        if log_odds is None:
            log_odds = self.log_odds(features)
        return _probabilities(log_odds.mean(axis=0))

    def second_pass(self, features: Features, first: Floats32) -> Floats32:
        """Return for each block the probability that it is content; ``first``: those that the first pass gives."""
        asked = blocks_asked(first)
        if self.trees is None or not len(asked):
            return first
        second = _probabilities(self.trees.log_odds(second_features(features, first, asked)))
        both = first.copy()
        both[asked] += _SECOND * (second - first[asked])
        return both

    def weights(self, features: Features, first: Floats32) -> Iterator[tuple[Floats32, Floats32]]:
        """Yield the values of some blocks at a time, and how much each raised the log-odds: a row a block.

        The columns are those of :data:`EXPLAINED`.  In the first pass it is the slope there times the input, in the
        first network, which stands for all; 0 for names that are not there.  In the second pass it is what
        :meth:`.Trees.weights` gives.  ``first``: the probabilities that the first pass gives.
        """
        second = trees = np.zeros((len(SECOND_FEATURES), features.count), np.float32)
        if self.trees is not None:
            second, asked = second_features(features, first), blocks_asked(first)
            trees[:, asked] = self.trees.weights(second[:, asked])
        for rows, weights in self._weights_of_first_pass(features):
            weights[:, _NUMBERS] += trees[len(OWN) :, rows].T
            weights[:, len(FEATURES) :] = trees[: len(OWN), rows].T
            yield np.concatenate([features.rows(rows), second[: len(OWN), rows].T], axis=1), weights

    def _weights_of_first_pass(self, features: Features) -> Iterator[tuple[slice, Floats32]]:
        """Yield some blocks at a time, and the weights of their features with room for what the second pass adds."""
        network = self._networks[0]
        by_feature = self.arrays["w1"][0]
        [first] = self._first_layers([network], features)
        for rows, second in network.second_layer(first):
            slope = _product((second > 0) * network.last, network.own.T) * (first[rows] > 0)
            weights = np.zeros((len(slope), len(EXPLAINED)), np.float32)
            weights[:, _NUMBERS] = _product(slope, by_feature[_NUMBERS].T) * self._inputs(features, rows)
            # A page has about a third of all names, and the others weigh nothing.
            names = features.names(rows)
            there = np.flatnonzero(names.any(axis=0))
            places = there + len(NUMBERS)
            weights[:, places] = _product(slope, by_feature[places].T) * names[:, there] * self._flags(1)[there]
            yield rows, weights

    def _first_layers(self, networks: Sequence[_Network], features: Features) -> list[Floats32]:
        """Return what the first layers of some networks give: of each a row a block."""
        names = (features.own_names, features.all_names)
        flags = [sets.flags.astype(np.float32) for sets in names]
        of_names = [
            (_product(flags[0], network.own_names) + network.first_bias, _product(flags[1], network.all_names))
            for network in networks
        ]
        layers = [np.empty((features.count, len(network.first_bias)), np.float32) for network in networks]
        for rows in _parts(features.count):
            inputs = self._inputs(features, rows)
            for network, by_names, layer in zip(networks, of_names, layers, strict=True):
                _product(inputs, network.numbers, layer[rows])
                for sets, given in zip(names, by_names, strict=True):
                    layer[rows] += given.take(sets.sets[rows], axis=0)
        return [np.clip(layer, 0, np.inf, out=layer) for layer in layers]  # np.maximum takes twice as long

    def _inputs(self, features: Features, rows: slice) -> Floats32:
        """Return the numbers of some blocks as the networks take them: a row a block."""
        center, factor = self._scaling
        inputs = transform(features.numbers[:, rows]).T
        inputs -= center
        inputs *= factor
        return _cut(inputs)

    @cached_property
    def _scaling(self) -> tuple[Floats32, Floats32]:
        """Return what is subtracted from each number, and what it is multiplied by then."""
        return self.arrays["center"][_NUMBERS], np.reciprocal(self.arrays["scale"][_NUMBERS])

    @cached_property
    def _networks(self) -> list[_Network]:
        absent, present = self._flags(0), self._flags(1)
        networks = []
        for weights, bias, *rest in zip(*(self.arrays[name] for name in LAYERS), strict=True):
            own_names, all_names = np.split(weights[_NAMES] * (present - absent)[:, None], 2)
            first_bias = (bias + absent.astype(np.float64) @ weights[_NAMES]).astype(np.float32)
            networks.append(_Network(weights[_NUMBERS], own_names, all_names, first_bias, *rest))
        return networks

    def _flags(self, flag: int) -> Floats32:
        """Return what the networks take in place of a flag, by name."""
        return _cut((flag - self.arrays["center"][_NAMES]) * np.reciprocal(self.arrays["scale"][_NAMES]))


def blocks_asked(first: Floats32) -> NDArray[np.int32]:
    """Return the numbers of the blocks that the second pass looks at; ``first``: the probabilities of the first one."""
    least, most = DOUBTFUL
    return np.flatnonzero((first > least) & (first < most)).astype(np.int32)


def _probabilities(log_odds: Floats32) -> Floats32:
    return np.asarray(1 / (1 + np.exp(-np.clip(log_odds, -30, 30))), np.float32)


def _cut(inputs: Floats32) -> Floats32:
    return np.clip(inputs, -LIMIT, LIMIT, out=inputs)


def _parts(count: int) -> list[slice]:
    return [slice(start, start + _BLOCKS_TOGETHER) for start in range(0, count, _BLOCKS_TOGETHER)]


def _product(rows: Floats32, weights: Floats32, out: Floats32 | None = None) -> Floats32:
    """Return the matrix product, computed by few rows at a time."""
    # A page may have no name that the model knows, and then no weights for names.
    size = max(_MULTIPLICATIONS_TOGETHER // max(weights.size, 1) // _ROWS_TOGETHER, 1) * _ROWS_TOGETHER
    result: Floats32 = np.empty((len(rows), weights.shape[1]), np.float32) if out is None else out
    whole = len(rows) // size * size
    if whole:
        stacked = (-1, size, len(weights))
        np.matmul(rows[:whole].reshape(stacked), weights, out=result[:whole].reshape(-1, *result[:size].shape))
    np.matmul(rows[whole:], weights, out=result[whole:])
    return result


@lru_cache(maxsize=8)
def shipped_model(name: str) -> Model:
    """Return a model of the package by its name.  Raises :class:`ModelError`."""
    return load_model(FOLDER / f"{name}.npz")


def features_digest() -> str:
    """Return a digest of the features' names in their order, which tells whether a model was made for them."""
    return _digest(FEATURES)


def _digest(features: Sequence[Feature]) -> str:
    return sha256("\n".join(feature.name for feature in features).encode()).hexdigest()


def load_model(path: Path) -> Model:
    """Load a model from its file.  Raises :class:`ModelError` that names the file, and what is wrong with it."""
    header, arrays = read_archive(path)
    sizes = {"f": len(FEATURES)}
    numbers = read_numbers(path, arrays, SHAPES, sizes)
    if min(sizes.values()) < 1:
        raise ModelError(path, "has no networks")
    if numbers["scale"].min() < LEAST_SCALE:
        raise ModelError(path, f"has a scale below {LEAST_SCALE:g}")
    good, near_good = (_threshold(path, header, name) for name in ("good", "near_good"))
    if near_good > good:
        raise ModelError(path, f"near_good = {near_good:g} is above good = {good:g}")
    trees = _trees(path, arrays) if header["format"] == TWO_PASSES else None
    return Model(str(header.get("name")), str(header.get("version")), good, near_good, numbers, trees)


def read_archive(path: Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return the header of a model file, which is checked, and its arrays.  Raises :class:`ModelError`."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
    except Exception as error:  # a broken archive raises whatever zipfile, zlib, tokenize and NumPy raise
        raise ModelError(path, f"cannot be read ({error})") from error
    return _header(path, arrays.pop("header", None)), arrays


def _header(path: Path, data: NDArray[Any] | None) -> dict[str, Any]:
    try:
        header = json.loads(b"" if data is None else data.tobytes())
    except ValueError as error:
        raise ModelError(path, "has no header") from error
    if not isinstance(header, dict):
        header = {}
    version = header.get("format")
    if version not in (ONE_PASS, TWO_PASSES) or version is True:
        raise ModelError(path, f"has format {version!r}, this version reads {ONE_PASS} and {TWO_PASSES}")
    is_of_others = version == TWO_PASSES and header.get("second_features") != _digest(SECOND_FEATURES)
    if header.get("features") != features_digest() or is_of_others:
        raise ModelError(path, "was made for other features than those of this version: train it again")
    return header


def _threshold(path: Path, header: Mapping[str, Any], name: str) -> float:
    value = header.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ModelError(path, f"{name} = {value!r} is no probability")
    return float(value)


def read_numbers(
    path: Path, arrays: Mapping[str, NDArray[Any]], shapes: Mapping[str, str], sizes: dict[str, int]
) -> dict[str, Floats32]:
    """Return the arrays that ``shapes`` names, if they are numbers and agree in the sizes of their dimensions.

    ``sizes``: those that are known; it gets the others.  Raises :class:`ModelError`.
    """
    numbers = {}
    for name, dimensions in shapes.items():
        array = arrays.get(name)
        if array is None or array.dtype.kind != "f" or not np.isfinite(array).all():
            raise ModelError(path, f"has no numbers as {name}")
        if float(np.abs(array).max(initial=0)) > LARGEST_WEIGHT:
            raise ModelError(path, f"has numbers above {LARGEST_WEIGHT:g} as {name}")
        expected = tuple(sizes.setdefault(letter, size) for letter, size in zip(dimensions, array.shape, strict=False))
        if array.ndim != len(dimensions) or array.shape != expected:
            raise ModelError(path, f"{name} has the shape {array.shape}")
        numbers[name] = array.astype(np.float32)
    return numbers


def _trees(path: Path, arrays: Mapping[str, NDArray[Any]]) -> Trees:
    sizes: dict[str, int] = {}
    columns, borders, leaves = read_numbers(path, arrays, TREES, sizes).values()
    if not 1 <= sizes["d"] <= MOST_LEVELS:
        raise ModelError(path, f"tree_columns has the shape {columns.shape}")
    if sizes["l"] != 1 << sizes["d"]:
        raise ModelError(path, f"tree_leaves has the shape {leaves.shape}")
    if columns.min(initial=0) < 0 or columns.max(initial=0) >= len(SECOND_FEATURES):
        raise ModelError(path, "has trees that ask for features that are not there")
    return Trees(columns.astype(np.int16), borders, leaves)


def write_archive(
    path: Path, card: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], trees: Trees | None = None
) -> None:
    """Write a model file; ``card``: what its header says beside format and features, as JSON values."""
    version = ONE_PASS if trees is None else TWO_PASSES
    header = json.dumps({**card, "format": version, "features": features_digest()}, sort_keys=True).encode()
    # Half the size; no probability moves by more than 0.01.
    numbers = {name: value.astype(np.float16 if value.ndim > 1 else np.float32) for name, value in arrays.items()}
    of_trees = {name: np.asarray(array, np.float32) for name, array in zip(TREES, trees or (), strict=False)}
    np.savez_compressed(path, header=np.frombuffer(header, np.uint8), **numbers, **of_trees)  # type: ignore[arg-type]


def save_model(path: Path, model: Model, card: Mapping[str, Any]) -> None:
    """Write a model; ``card``: what else its header says, as JSON values."""
    own = {
        "second_features": _digest(SECOND_FEATURES), "name": model.name, "version": model.version, "good": model.good,
        "near_good": model.near_good,
    }  # fmt: skip
    write_archive(path, {**card, **own}, model.arrays, model.trees)
