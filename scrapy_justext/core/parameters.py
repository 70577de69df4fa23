"""The table of parameters: the default, unit, range and meaning of each, its slider and its search.

The fields of :class:`Thresholds` are the rows; :data:`PARAMETERS` has the same rows as values.  Settings, options of
the command, controls of the tuner, the search for better values and the table in the docs are made from them.

Defaults are those of both published codes; the jusText page of the NLP Centre, Masaryk University, lacks two of them.
Comparisons stand with the rules, in :mod:`.context_free` and :mod:`.context_sensitive`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

from scrapy_justext.exceptions import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeGuard

_LEVELS = ((1, "parent"), (2, "grandparent"), (3, "3 levels up"), (4, "4 levels up"), (5, "5 levels up"))
#: The first must not be above the second.
PAIRS = (
    ("length_low", "length_high"),
    ("stopwords_low", "stopwords_high"),
    ("near_good_probability", "good_probability"),
)


class Part(Enum):
    """The part of a profile that a parameter belongs to; a profile has some of these parts."""

    STOPWORDS = "rules that look at stop words"
    MODEL = "a trained model"
    RUNS = "rules for prose that the published method loses"
    HEADINGS = "passes that rescue headings"
    KINDS = "kinds of blocks that stop words tell nothing about"
    JAVA = "what the Java port adds"
    PAGE = "passes over the good blocks of a page, with which every profile ends"


class Scale(NamedTuple):
    """Numbers from ``least`` to ``most`` that are offered, in ``steps``, the widest first."""

    least: float
    most: float
    steps: tuple[float, ...]


def is_whole(value: object) -> TypeGuard[int]:
    """Return whether a value is a whole number; True and False are none."""
    return isinstance(value, int) and not isinstance(value, bool)


def _is_share(value: object) -> bool:
    return (is_whole(value) or isinstance(value, float)) and 0 <= value <= 1


class Parameter(NamedTuple):
    """A row of the table.  ``name`` and ``default`` are those of the field."""

    allowed: str
    """Which values are allowed, in words."""
    allows: Callable[[Any], bool]
    """The same as a check."""
    part: Part
    label: str
    """What the tuner calls it."""
    meaning: str
    """What it decides, for people who do not know the code."""
    unit: str = ""
    slider: Scale | None = None
    """The control of a number; the range that is allowed may be wider."""
    choices: tuple[tuple[Any, str], ...] = ()
    """The values of all others, with their names."""
    search: Scale | tuple[Any, ...] = ()
    """What the search for better values tries."""
    name: str = ""
    default: Any = None

    @property
    def text(self) -> str:
        """Return the unit, if there is one, and the meaning."""
        return f"{self.unit}; {self.meaning}" if self.unit else self.meaning

    @property
    def partner(self) -> str | None:
        """Return the high threshold of a low one, or the low one of a high one; None for others."""
        return next((low if self.name == high else high for low, high in PAIRS if self.name in {low, high}), None)

    def without_none(self) -> Parameter:
        """Return the row without the value None: in settings, None stands for the profile's own default."""
        search = self.search if isinstance(self.search, Scale) else tuple(v for v in self.search if v is not None)
        choices = tuple((value, name) for value, name in self.choices if value is not None)
        return self._replace(choices=choices, search=search)


def _row(default: object, **values: Any) -> Any:
    return field(default=default, metadata={"parameter": Parameter(**values)})


_SHARE = Scale(0, 1, (0.01,))
_LINK_SEARCH = Scale(0.0, 1.0, (0.2, 0.1, 0.05, 0.01))
_STOPWORD_SEARCH = Scale(0.0, 0.6, (0.08, 0.04, 0.02, 0.01))
#: Beside the defaults.
_OF_LANGUAGE = "`justext` and `article` have lower defaults in many languages"
_length = partial(
    _row,
    allowed="must be a whole number of characters, 0 or more",
    allows=lambda length: is_whole(length) and length >= 0,
    unit="characters",
)
_density = partial(
    _row, allowed="must be a number from 0 to 1", allows=_is_share, part=Part.STOPWORDS, unit="share", slider=_SHARE
)
_probability = partial(
    _row,
    None,
    allowed="must be a number from 0 to 1, or None for the model's",
    allows=lambda value: value is None or _is_share(value),
    part=Part.MODEL,
    unit="probability",
    slider=_SHARE,
    search=(None, *(share / 20 for share in range(2, 19))),
)
_switch = partial(
    _row,
    False,
    allowed="must be True or False",
    allows=lambda value: isinstance(value, bool),
    choices=((False, "no"), (True, "yes")),
    search=(False, True),
)

#: What may decide on blocks of kinds on which stop words are no evidence.
LENGTH, CONTEXT, KEEP, DROP, PROSE = "length", "context", "keep", "drop", "prose"
_WAYS = {LENGTH: "by its length", CONTEXT: "by its neighbours", KEEP: "good", DROP: "bad", PROSE: "like other text"}
_FROM_LOW, _ABOVE_HIGH = "from `length_low` characters on", "with more than `length_high` characters"


def _way(label: str, what: str, good: str) -> Any:
    return _row(
        LENGTH,
        allowed=f"must be one of {', '.join(_WAYS)}",
        allows=tuple(_WAYS).__contains__,
        part=Part.KINDS,
        label=label,
        meaning=f"{what}: `length`: {good} it is good, else near-good; `context`: it is left to its neighbours; "
        "under both, it is bad if it has too many links or a copyright sign; `keep`: it is good; `drop`: it is bad; "
        "`prose`: it is judged like other text",
        choices=tuple(_WAYS.items()),
        search=tuple(_WAYS),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """What decides the class of a block.

    Raises :class:`~scrapy_justext.exceptions.ParameterError` for a value of the wrong type, outside its range, or a low
    threshold above its high one.
    """

    length_low: int = _length(
        70,
        part=Part.STOPWORDS,
        label="Short below",
        meaning="a shorter block is short, or bad if it holds a link",
        slider=Scale(0, 400, (5,)),
        search=Scale(0, 300, (40, 20, 10, 5)),
    )
    length_high: int = _length(
        200,
        part=Part.STOPWORDS,
        label="Long above",
        meaning="only a longer block is good by itself",
        slider=Scale(0, 800, (10,)),
        search=Scale(0, 600, (80, 40, 20, 10)),
    )
    stopwords_low: float = _density(
        0.30,
        label="Few stop words below",
        meaning=f"a block with a lower stop-word density is bad; {_OF_LANGUAGE}",
        search=_STOPWORD_SEARCH,
    )
    stopwords_high: float = _density(
        0.32,
        label="Many stop words from",
        meaning=f"a long block with at least this stop-word density is good; {_OF_LANGUAGE}",
        search=_STOPWORD_SEARCH,
    )
    good_run: int = _length(
        0,
        part=Part.RUNS,
        label="Run good from",
        meaning="near-good blocks that follow each other, with short ones between them, are good if they have so many "
        "characters together; 0: never, as published",
        slider=Scale(0, 800, (10,)),
        search=Scale(0, 800, (200, 100, 50)),
    )
    linked_prose: bool = _switch(
        part=Part.RUNS,
        label="Leave linked prose to its neighbours",
        meaning="a sentence that holds links, or stands in one, is not bad for its links: if it has too many, its "
        "neighbours decide",
    )
    max_link_density: float = _density(
        0.2, label="Too many links above", meaning="a block with a higher link density is bad", search=_LINK_SEARCH
    )
    near_good_probability: float | None = _probability(
        label="Near-good from",
        meaning="`learned` profiles: a block with at least this probability is near-good, and its neighbours decide; "
        "None: the model's own; if `good_probability` is set, no block is near-good",
    )
    good_probability: float | None = _probability(
        label="Good from",
        meaning="`learned` profiles: a block with at least this probability is good; None: the model's own",
    )
    fallback_probability: float | None = _probability(
        label="Fall back to one from",
        meaning="`learned` profiles: where nothing is good, the most probable block is, if it has at least this "
        "probability; None: 0.3, or no such block if `good_probability` is set",
    )
    max_heading_distance: int = _length(
        200,
        part=Part.HEADINGS,
        label="Heading rescued within",
        meaning="a good block that begins at most so far after a heading rescues it",
        slider=Scale(0, 2000, (20,)),
        search=Scale(0, 1000, (200, 100, 50, 20)),
    )
    no_headings: bool = _switch(
        part=Part.HEADINGS, label="Ignore headings", meaning="treat headings like any other block"
    )
    code: str = _way("Code", "a block of code", _FROM_LOW)
    formulas: str = _way("Formulas", "a formula that is a block of its own", _FROM_LOW)
    tables: str = _way("Tables", "a table of data, which is one block", _ABOVE_HIGH)
    no_headlines: bool = _switch(
        part=Part.JAVA, label="Ignore headlines", meaning="`justext-java`: judge text inside H1 like any other block"
    )
    rescue_images: bool = _switch(
        part=Part.JAVA,
        label="Rescue images",
        meaning="`justext-java`: an image before good text may become good, as a heading may",
    )
    tree_depth: int | None = _row(
        None,
        allowed="must be a whole number from 1 to 5",
        allows=lambda depth: depth is None or (is_whole(depth) and 1 <= depth <= 5),
        part=Part.PAGE,
        label="Keep the main group by",
        meaning="1 to 5: keep only the main group of blocks that share an ancestor so many levels up; works after any "
        "profile",
        choices=((None, "off"), *_LEVELS),
        search=(None, 1, 2, 3, 4, 5),
    )
    drop_beside: bool = _switch(
        part=Part.PAGE,
        label="Drop what stands beside",
        meaning="good text in FOOTER, ASIDE, NAV and DIALOG is bad, and in what its class calls a footer, dialog, "
        "author's box, disclaimer or related pages, unless that is two thirds of the good text",
    )
    drop_repeated: bool = _switch(
        part=Part.PAGE,
        label="Drop repeated text",
        meaning="a good block of about 20 words or more is bad if half of it stands in good blocks further up",
    )
    keep_headline: bool = _switch(
        part=Part.PAGE,
        label="Keep the headline",
        meaning="the heading before the text that TITLE has, else the only H1, is good",
    )

    def __post_init__(self) -> None:
        for parameter in PARAMETERS.values():
            value = getattr(self, parameter.name)
            if not parameter.allows(value):
                raise ParameterError(parameter.name, value, parameter.allowed)
        for low, high in PAIRS:
            values = (getattr(self, low), getattr(self, high))
            if None not in values and values[0] > values[1]:
                raise ParameterError(low, values[0], f"must not be above {high} = {values[1]!r}")


PARAMETERS: dict[str, Parameter] = {
    row.name: row.metadata["parameter"]._replace(name=row.name, default=row.default) for row in fields(Thresholds)
}


class GivenThresholds(TypedDict, total=False):
    """The thresholds that a user may choose, as keywords: the fields of :class:`Thresholds`."""

    length_low: int
    length_high: int
    stopwords_low: float
    stopwords_high: float
    good_run: int
    linked_prose: bool
    max_link_density: float
    near_good_probability: float | None
    good_probability: float | None
    fallback_probability: float | None
    max_heading_distance: int
    no_headings: bool
    code: str
    formulas: str
    tables: str
    no_headlines: bool
    rescue_images: bool
    tree_depth: int | None
    drop_beside: bool
    drop_repeated: bool
    keep_headline: bool
