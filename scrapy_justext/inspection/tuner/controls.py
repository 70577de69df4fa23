"""What the tuner lets a user turn, and how far: only data.

Ranges are those of the controls on the page, not those that are allowed, which are wider for lengths.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_justext.core import headings, tree_filter
from scrapy_justext.core.thresholds import Thresholds
from scrapy_justext.settings import PREFIX, SETTINGS

if TYPE_CHECKING:
    from scrapy_justext.profiles import Profile


_ALLOWED = {one.name: one.metadata["range"].allowed for one in fields(Thresholds)}


class Control(NamedTuple):
    """A threshold: a number from ``least`` to ``most`` in steps, or one of ``choices``, by value with its name."""

    name: str
    label: str
    unit: str = ""
    least: float = 0
    most: float = 1
    step: float = 0.01
    choices: tuple[tuple[Any, str], ...] = ()
    partner: str | None = None
    """The other one of a low and a high threshold, which must not cross."""

    def to_dict(self) -> dict[str, Any]:
        """The same as JSON values, with the setting's name, meaning and range."""
        help_text = SETTINGS[self.name].meaning.replace("`", "").removeprefix(f"{self.unit}; ")
        setting = {"setting": PREFIX + self.name.upper(), "help": help_text, "allowed": _ALLOWED[self.name]}
        return {**self._asdict(), **setting}


_OFF_ON = ((False, "no"), (True, "yes"))
_LEVELS = ((1, "parent"), (2, "grandparent"), (3, "3 levels up"), (4, "4 levels up"), (5, "5 levels up"))

_TEXT = (
    Control("length_low", "Short below", "characters", 0, 400, 5, partner="length_high"),
    Control("length_high", "Long above", "characters", 0, 800, 10, partner="length_low"),
    Control("stopwords_low", "Few stop words below", "share", partner="stopwords_high"),
    Control("stopwords_high", "Many stop words from", "share", partner="stopwords_low"),
    Control("max_link_density", "Too many links above", "share"),
)
_HEADINGS = (
    Control("max_heading_distance", "Heading rescued within", "characters", 0, 2000, 20),
    Control("no_headings", "Ignore headings", choices=_OFF_ON),
)
_JAVA = (
    Control("no_headlines", "Ignore headlines", choices=_OFF_ON),
    Control("no_images", "Ignore images", choices=_OFF_ON),
)
_TRAINED = (
    Control("near_good_probability", "Near-good from", "probability", partner="good_probability"),
    Control("good_probability", "Good from", "probability", partner="near_good_probability"),
)
_TREE = Control("tree_depth", "Keep the main group by", choices=((None, "off"), *_LEVELS))
#: None stands for the profile's own, so that one which has a depth cannot be without.
_TREE_ALWAYS = _TREE._replace(choices=_LEVELS)


def controls_of(profile: Profile) -> tuple[Control, ...]:
    """The controls of the thresholds that a profile looks at."""
    passes = set(profile.passes)
    return (
        *(_TEXT if profile.by_stopwords else ()),
        *(_TRAINED if profile.reads_data else ()),
        *(_HEADINGS if passes & {headings.promote, headings.restore} else ()),
        *(_JAVA if headings.promote_images in passes else ()),
        *((_TREE_ALWAYS if profile.thresholds.tree_depth else _TREE,) if tree_filter.select in passes else ()),
    )
