"""Tell of what type a page is, how good its extraction is likely to be (its expected F1), and what role blocks have.

All are small logistic models (:class:`PageModel`), trained on pages whose blocks a model judged that had not seen their
site.  The type is told from the means of all features of blocks, weighted by their lengths, and from sums of the
blocks' probabilities.  The F1 is told from what the probabilities say of the good blocks: the share of them that is
content (precision), the share of the content that they are (recall), and more of that kind.  The role of a block is
told from what both passes look at; its class and its length say which roles it may have.

A page is looked at when somebody asks (:class:`PageOpinion`): most never do.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scrapy_justext.core.blocks import Late
from scrapy_justext.core.learned.features import transform
from scrapy_justext.core.learned.model import FOLDER, read_archive, read_numbers, write_archive
from scrapy_justext.core.learned.second import SECOND_FEATURES, second_features
from scrapy_justext.core.learned.table import FEATURES, NAMES, NUMBERS
from scrapy_justext.exceptions import ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from scrapy_justext.core.learned.features import Features

    Floats = NDArray[np.float64]

PAGE_TYPES = ("article", "collection", "documentation", "forum", "listing", "product", "service")

#: What a block may be, and what a good one and a bad one may.
ROLES = (
    "content", "comment", "post", "headline", "byline", "navigation", "related", "legal", "consent", "other",
)  # fmt: skip
_OF_GOOD = {"content", "comment", "post", "headline", "byline"}
_MAY_BE = np.array([[role != "content" for role in ROLES], [role in _OF_GOOD for role in ROLES]])
#: What headings are not, nor bad blocks that are as short as names, dates and buttons, and close no sentence.
_SAID = [ROLES.index("comment"), ROLES.index("post")]
_LINE_UNITS = 80
_TELLING = [[feature.name for feature in NUMBERS].index(name) for name in ("units", "ends_sentence", "is_heading")]

#: Standardised inputs are cut here, on both sides; no input is divided by less.
LIMIT, LEAST_SCALE = 4.0, 1e-2
#: Shares are cut so far from 0 and 1 before their log-odds are taken.
_EDGE = 0.01
#: Blocks whose features are summed together.
_TOGETHER = 4096

#: Numbers of a page beside the means of its blocks' features; of a page and its good blocks.
_SUMS, _OF_CHOSEN = 7, 11
INPUTS = {
    "types": len(FEATURES) + _SUMS,
    "f1": _OF_CHOSEN + _SUMS + len(PAGE_TYPES),
    "roles": len(SECOND_FEATURES) + 2 * len(NAMES) + 1,
}
OUTPUTS = {"types": len(PAGE_TYPES), "f1": 2, "roles": len(ROLES)}
#: The arrays of each part in a file, with their dimensions: i inputs, o outputs.
_SHAPES = {"center": "i", "scale": "i", "weights": "io", "bias": "o"}


class Logistic(NamedTuple):
    """A logistic model of several classes."""

    center: Floats
    scale: Floats
    weights: Floats
    """A row an input, a column a class."""
    bias: Floats

    def standardised(self, inputs: Floats) -> Floats:
        """Return inputs, a row a page, as the weights take them."""
        return np.asarray(np.clip((inputs - self.center) / self.scale, -LIMIT, LIMIT))

    def probabilities(self, inputs: Floats) -> Floats:
        """Return the probabilities of the classes."""
        return softmax(self.standardised(inputs) @ self.weights + self.bias)


def softmax(log_odds: Floats) -> Floats:
    """Return probabilities, which add up to 1 in each row."""
    exponentials = np.exp(log_odds - log_odds.max(axis=-1, keepdims=True))
    return np.asarray(exponentials / exponentials.sum(axis=-1, keepdims=True))


@dataclass(frozen=True)
class PageModel:
    """What tells the type of a page, the F1 to be expected of its extraction, and the roles of its blocks."""

    types: Logistic
    f1: Logistic
    roles: Logistic


class PageOpinion:
    """What a page model makes of a page.

    ``first``, ``probabilities``: those of the page's blocks, by the first pass and by both.
    ``other``: what another model makes of the same page.
    """

    __slots__ = ("_features", "_inputs", "_means", "_roles", "_types", "model", "probabilities")
    _means: Late[tuple[Floats, Floats]]

    def __init__(
        self,
        features: Features,
        first: NDArray[np.float32],
        probabilities: list[float],
        model: PageModel,
        other: PageOpinion | None = None,
    ) -> None:
        means = Late(lambda: means_of(features)) if other is None else other._means
        inputs = Late(lambda: type_inputs(*means(), np.array(probabilities)))
        self._means, self._inputs = means, inputs
        self._types = Late(lambda: model.types.probabilities(inputs()[1]))
        self._roles = Late(
            lambda: role_probabilities(role_inputs(features, first, np.array(probabilities)), model.roles)
        )
        self._features = features
        self.probabilities = probabilities
        self.model = model

    def type_probabilities(self) -> dict[str, float]:
        """Return the probabilities of all types of pages."""
        return dict(zip(PAGE_TYPES, self._types().tolist(), strict=True))

    def page_type(self) -> tuple[str, float]:
        """Return the most probable type of the page, and its probability."""
        probabilities = self.type_probabilities()
        best = max(probabilities, key=probabilities.__getitem__)
        return best, round(probabilities[best], 3)

    def confidence(self, are_good: bytes, *, has_data: bool) -> float:
        """Return the F1 to be expected with these good blocks; ``has_data``: whether some are of the page's data."""
        units, inputs = self._inputs()
        good = np.frombuffer(are_good, np.bool_)
        of_f1 = f1_inputs(units, np.array(self.probabilities), good, inputs, self._types(), has_data=has_data)
        return round(float(self.model.f1.probabilities(of_f1)[1]), 3)

    def roles(self, are_good: bytes) -> list[str]:
        """Return for each block the most probable role that it may have; only forums have posts."""
        probabilities = self._roles()
        if self.page_type()[0] != "forum":
            content, post = map(ROLES.index, ("content", "post"))
            probabilities = probabilities.copy()
            probabilities[:, content] += probabilities[:, post]
            probabilities[:, post] = 0
        good = np.frombuffer(are_good, np.uint8)
        may_be, (units, ends, is_heading) = _MAY_BE[good], self._features.numbers[_TELLING]
        is_line = (good == 0) & (units <= _LINE_UNITS) & (ends == 0)
        may_be[np.ix_(is_line | (is_heading > 0), _SAID)] = False
        return [ROLES[number] for number in np.where(may_be, probabilities, -1).argmax(axis=1).tolist()]


def role_inputs(features: Features, first: NDArray[np.float32], probabilities: Floats) -> NDArray[np.float32]:
    """Return what tells the roles of a page's blocks, a row a block; probabilities: see :class:`PageOpinion`."""
    numbers = transform(second_features(features, first)).T
    return np.concatenate(
        [numbers, features.names(slice(None)), probabilities[:, None]], axis=1, dtype=np.float32, casting="same_kind"
    )


def role_probabilities(inputs: NDArray[np.float32], model: Logistic) -> Floats:
    """Return the probabilities of the roles of blocks, a row a block."""
    parts = [inputs[start : start + _TOGETHER] for start in range(0, len(inputs), _TOGETHER)]
    return np.concatenate([model.probabilities(part.astype(np.float64)) for part in parts])


def means_of(features: Features) -> tuple[Floats, Floats]:
    """Return the lengths of a page's blocks in units, at least 1, and the means of their features."""
    units = features.lengths()
    shares = units / units.sum()
    numbers = np.zeros(len(NUMBERS))
    for start in range(0, len(units), _TOGETHER):
        part = slice(start, start + _TOGETHER)
        numbers += transform(features.numbers[:, part]) @ shares[part]
    names = [
        np.bincount(names.sets, shares, minlength=len(names.flags)) @ names.flags
        for names in (features.own_names, features.all_names)
    ]
    return units, np.concatenate([numbers, *names])


def type_inputs(units: Floats, means: Floats, probabilities: Floats) -> tuple[Floats, Floats]:
    """Return the lengths of a page's blocks again, and the inputs that tell its type."""
    content, doubt = probabilities * units, probabilities * (1 - probabilities) * units
    sums = (
        np.log1p(len(units)),
        np.log(units.sum()),
        content.sum() / units.sum(),
        doubt.sum() / units.sum(),
        doubt.sum() / max(content.sum(), 1),
        np.log1p(content.sum()),
        probabilities.max(),
    )
    return units, np.concatenate([means, sums])


def f1_inputs(
    units: Floats, probabilities: Floats, good: NDArray[np.bool_], page: Floats, types: Floats, *, has_data: bool
) -> Floats:
    """Return the inputs that tell the F1 of a page; ``page``, ``types``: what the model of types takes and gives."""
    content, chosen = (probabilities * units).sum(), units[good].sum()
    both = (probabilities * units)[good].sum()
    shares = np.array([2 * both / max(chosen + content, 1e-9), both / max(chosen, 1e-9), both / max(content, 1e-9)])
    cut = np.clip(shares, _EDGE, 1 - _EDGE)
    of_good = (np.log1p(chosen), good.mean(), good.any(), np.log1p(good.sum()), has_data)
    return np.concatenate([shares, np.log(cut / (1 - cut)), of_good, page[-_SUMS:], types])


@lru_cache(maxsize=8)
def shipped_page_model(name: str) -> PageModel:
    """Return the page model beside a model of the package.  Raises :class:`ModelError`."""
    return load_page_model(FOLDER / f"{name}-pages.npz")


def load_page_model(path: Path) -> PageModel:
    """Load a page model from its file.  Raises :class:`ModelError` that names the file, and what is wrong with it."""
    _, arrays = read_archive(path)
    parts = {}
    for part, inputs in INPUTS.items():
        shapes = {f"{part}_{name}": shape for name, shape in _SHAPES.items()}
        numbers = read_numbers(path, arrays, shapes, {"i": inputs, "o": OUTPUTS[part]})
        parts[part] = Logistic(*(array.astype(np.float64) for array in numbers.values()))
        if parts[part].scale.min() < LEAST_SCALE / 2:
            raise ModelError(path, f"has a scale below {LEAST_SCALE:g}")
    return PageModel(**parts)


def save_page_model(path: Path, model: PageModel, card: Mapping[str, object]) -> None:
    """Write a page model; ``card``: what its header says beside format and features, as JSON values."""
    arrays = {f"{part}_{name}": value for part in INPUTS for name, value in getattr(model, part)._asdict().items()}
    write_archive(path, card, arrays)
