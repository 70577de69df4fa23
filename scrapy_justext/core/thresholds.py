"""The parameters of jusText: meaning, unit, default, range.

Defaults are those of both published codes (the jusText page of the NLP Centre, Masaryk University,
leaves two of them out).  Comparisons stand with the rules, in :mod:`.context_free` and :mod:`.headings`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from scrapy_justext.exceptions import ParameterError, UnknownNameError

_BOOLEAN = "must be True or False"
_LENGTH = "must be a whole number of characters, 0 or more"
_DENSITY = "must be a number from 0 to 1"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What decides the class of a block.

    Raises :class:`~scrapy_justext.exceptions.ParameterError` for a value of the wrong type, outside
    its range, or a low threshold above its high one.
    """

    length_low: int = 70
    """Characters; a shorter block is SHORT, or BAD when it holds a link."""
    length_high: int = 200
    """Characters; only a longer block is GOOD by itself."""
    stopwords_low: float = 0.30
    """Stop words / words; a block with a lower density is BAD."""
    stopwords_high: float = 0.32
    """Stop words / words; from this density on a long block is GOOD."""
    max_link_density: float = 0.2
    """Link characters / characters; a block with a higher density is BAD."""
    max_heading_distance: int = 200
    """Characters between a heading and the good block that rescues it, at the most."""
    no_headings: bool = False
    """True: headings are treated like any other block."""

    def __post_init__(self) -> None:
        for field in fields(self):
            _check(field.name, getattr(self, field.name))
        for low, high in (("length_low", "length_high"), ("stopwords_low", "stopwords_high")):
            if getattr(self, low) > getattr(self, high):
                allowed = f"must not be above {high} = {getattr(self, high)!r}"
                raise ParameterError(low, getattr(self, low), allowed)


def check_threshold_names(names: object) -> None:
    """Raise :class:`UnknownNameError` for the first of ``names`` that is no threshold."""
    for name in names if isinstance(names, dict | set | frozenset | tuple | list) else ():
        if name not in THRESHOLD_NAMES:
            raise UnknownNameError("threshold", name, "threshold", THRESHOLD_NAMES)


def _check(name: str, value: object) -> None:
    default = Thresholds.__dataclass_fields__[name].default
    if isinstance(default, bool):
        if not isinstance(value, bool):
            raise ParameterError(name, value, _BOOLEAN)
    elif isinstance(default, int):
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise ParameterError(name, value, _LENGTH)
    elif not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
        raise ParameterError(name, value, _DENSITY)


THRESHOLD_NAMES = tuple(field.name for field in fields(Thresholds))
