"""Named bundles of rules, passes and thresholds: only data.

==============  =======================================================================================
``justext``     the published algorithm on the block-level elements of today's HTML
``justext-3.0`` what ``justext`` 3.0 gives, block for block, for corpora that must be reproduced;
                without its losses: text nested deeper than 250 elements, empty pages that raise
==============  =======================================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from scrapy_justext.core import context_sensitive, headings
from scrapy_justext.core.blocks import Decision, Segment
from scrapy_justext.core.context_free import PUBLISHED_RULES, Rule
from scrapy_justext.core.tags import MODERN, REFERENCE, TagRules
from scrapy_justext.core.thresholds import Thresholds
from scrapy_justext.exceptions import UnknownNameError

#: Segments, their context-free decisions, the decisions so far, thresholds -> decisions.
Pass = Callable[[Sequence[Segment], Sequence[Decision], Sequence[Decision], Thresholds], list[Decision]]


@dataclass(frozen=True, slots=True)
class Profile:
    """How a page is cut into blocks, and what decides their classes."""

    name: str
    tags: TagRules
    rules: tuple[Rule, ...]
    passes: tuple[Pass, ...]
    thresholds: Thresholds = field(default_factory=Thresholds)


_ROWS = (
    Profile(
        "justext",
        MODERN,
        PUBLISHED_RULES,
        (headings.promote, context_sensitive.resolve, headings.restore),
    ),
    Profile(
        "justext-3.0",
        REFERENCE,
        PUBLISHED_RULES,
        (context_sensitive.resolve, headings.restore),
    ),
)

PROFILES: Mapping[str, Profile] = MappingProxyType({profile.name: profile for profile in _ROWS})


def find_profile(name: object) -> Profile:
    """The profile of that name; raises :class:`UnknownNameError` with close matches."""
    if isinstance(name, str) and name in PROFILES:
        return PROFILES[name]
    raise UnknownNameError("profile", name, "profile", PROFILES)
