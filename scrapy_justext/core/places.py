"""Where in the tree the text at hand stands, while a flattened tree is read."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING

from scrapy_justext.core.blocks import Place
from scrapy_justext.core.flattening import tag_codes
from scrapy_justext.core.tags import HEADING_LEVELS

if TYPE_CHECKING:
    from scrapy_justext.core.tags import TagRules


class Step(dict[str, "Step"]):
    """A place; by the code of an element that starts there, the place inside that element.

    There are few different places, so steps are made once and shared by all pages.
    """

    __slots__ = ("place", "rules")

    def __init__(self, place: Place, rules: TagRules) -> None:
        super().__init__()
        self.place = place
        self.rules = rules

    def __missing__(self, code: str) -> Step:
        step = self[code] = step_at(descend(self.place, _names(self.rules)[code]), self.rules)
        return step

    def in_select(self) -> Step:
        """The place inside a SELECT that is no block-level element."""
        return step_at(self.place._replace(in_select=True), self.rules)


@cache
def step_at(place: Place, rules: TagRules) -> Step:
    """The step of a place."""
    return Step(place, rules)


@lru_cache
def _names(rules: TagRules) -> dict[str, str]:
    return {code: name for name, code in tag_codes(rules).items()}


#: The places around the one at hand, outermost first, each with the number of its element.
Around = list[tuple[Step, int]]


def descend(place: Place, tag: str) -> Place:
    """The place inside an element ``tag`` that stands at ``place``.

    >>> descend(descend(Place("body"), "h2"), "div")
    Place(tag='div', heading_level=2, in_select=False, preformatted=False)
    """
    return Place(
        tag,
        HEADING_LEVELS.get(tag, place.heading_level),
        place.in_select or "select" in tag,
        place.preformatted or tag == "pre",
    )
