"""The parameters of jusText: meaning, unit, default, range.

Defaults are those of both published codes (the jusText page of the NLP Centre, Masaryk University,
leaves two of them out).  Comparisons stand with the rules, in :mod:`.context_free` and :mod:`.headings`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

from scrapy_justext.exceptions import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable


class _Range(NamedTuple):
    """Which values are allowed, in words and as a check."""

    allowed: str
    holds: Callable[[Any], bool]


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_BOOLEAN = _Range("must be True or False", lambda value: isinstance(value, bool))
_LENGTH = _Range("must be a whole number of characters, 0 or more", lambda value: _is_whole(value) and value >= 0)
_DENSITY = _Range("must be a number from 0 to 1", lambda value: _is_number(value) and 0 <= value <= 1)
_DEPTH = _Range(
    "must be a whole number from 1 to 5",
    lambda value: value is None or (_is_whole(value) and 1 <= value <= 5),
)
_PROBABILITY = _Range(
    "must be a number from 0 to 1, or None for the model's",
    lambda value: value is None or (_is_number(value) and 0 <= value <= 1),
)


def _limit(default: Any, range_: _Range) -> Any:
    return field(default=default, metadata={"range": range_})


class GivenThresholds(TypedDict, total=False):
    """The thresholds that a user may choose, as keywords: the fields of :class:`Thresholds`."""

    length_low: int
    length_high: int
    stopwords_low: float
    stopwords_high: float
    max_link_density: float
    max_heading_distance: int
    no_headings: bool
    no_headlines: bool
    no_images: bool
    tree_depth: int | None
    good_probability: float | None
    near_good_probability: float | None


#: The first must not be above the second.
_PAIRS = (
    ("length_low", "length_high"),
    ("stopwords_low", "stopwords_high"),
    ("near_good_probability", "good_probability"),
)


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What decides the class of a block.

    Raises :class:`~scrapy_justext.exceptions.ParameterError` for a value of the wrong type, outside
    its range, or a low threshold above its high one.
    """

    length_low: int = _limit(70, _LENGTH)
    """Characters; a shorter block is SHORT, or BAD when it holds a link."""
    length_high: int = _limit(200, _LENGTH)
    """Characters; only a longer block is GOOD by itself."""
    stopwords_low: float = _limit(0.30, _DENSITY)
    """Stop words / words; a block with a lower density is BAD."""
    stopwords_high: float = _limit(0.32, _DENSITY)
    """Stop words / words; from this density on a long block is GOOD."""
    max_link_density: float = _limit(0.2, _DENSITY)
    """Link characters / characters; a block with a higher density is BAD."""
    max_heading_distance: int = _limit(200, _LENGTH)
    """Characters between a heading and the good block that rescues it, at the most."""
    no_headings: bool = _limit(False, _BOOLEAN)
    """True: headings are treated like any other block."""
    no_headlines: bool = _limit(False, _BOOLEAN)
    """True: text inside H1 is judged like any other (``justext-java`` only)."""
    no_images: bool = _limit(True, _BOOLEAN)
    """False: an image before a good block may become good (``justext-java`` only)."""
    tree_depth: int | None = _limit(None, _DEPTH)
    """The ancestor that the paragraphs of a main text share: 1 parent, 2 grandparent … 5; None: no tree filter."""
    good_probability: float | None = _limit(None, _PROBABILITY)
    """From this probability on a block is GOOD (``learned`` profiles only); None: the model's own."""
    near_good_probability: float | None = _limit(None, _PROBABILITY)
    """From this one on it is NEAR_GOOD; None: the model's own, or none where ``good_probability`` is given."""

    def __post_init__(self) -> None:
        for one in fields(self):
            value, range_ = getattr(self, one.name), one.metadata["range"]
            if not range_.holds(value):
                raise ParameterError(one.name, value, range_.allowed)
        for low, high in _PAIRS:
            values = (getattr(self, low), getattr(self, high))
            if None not in values and values[0] > values[1]:
                allowed = f"must not be above {high} = {getattr(self, high)!r}"
                raise ParameterError(low, getattr(self, low), allowed)


THRESHOLD_NAMES = tuple(one.name for one in fields(Thresholds))
