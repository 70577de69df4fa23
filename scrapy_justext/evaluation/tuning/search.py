"""The search: thresholds drawn at random, then moved one after the other by smaller and smaller steps.

1. The profile's own thresholds are the first trial; what is found is never worse on the pages searched on.
2. A third of the trials are drawn: each of the thresholds anew, or that of the best trial so far, by even chances.
3. From the best trial on, each threshold in turn is moved a step down and up, and stays where that is better; when no
   step is, steps become smaller.
4. Each threshold is put back to the profile's where that makes nothing worse: a trial more for each at the most.

The same seed gives the same trials.  A low threshold that is moved above its high one takes that along, and the other
way round.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_justext.core import headings, tree_filter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from scrapy_justext.core.thresholds import Thresholds
    from scrapy_justext.profiles import Profile

Values = dict[str, Any]

#: Less is no difference: sums of floats in another order differ by less.
EPSILON = 1e-9
_DRAWN_SHARE = 1 / 3
_PAIRS = (("length_low", "length_high"), ("stopwords_low", "stopwords_high"))


class Knob(NamedTuple):
    """A threshold that is searched: one of ``choices``, or from ``least`` to ``most`` by ``steps``, wide ones first."""

    name: str
    least: float = 0
    most: float = 0
    steps: Sequence[float] = ()
    choices: Sequence[Any] = ()

    def draw(self, chance: random.Random) -> Any:
        """A value by chance, on the grid of the smallest step."""
        if self.choices:
            return chance.choice(self.choices)
        return self._on_grid(self.least + chance.randrange(self._count() + 1) * self.steps[-1])

    def around(self, value: Any, level: int) -> list[Any]:
        """The values to try beside one; ``level``: 0 for the widest steps."""
        if self.choices:
            return [choice for choice in self.choices if choice != value]
        step = self.steps[min(level, len(self.steps) - 1)]
        values = [min(max(value + move, self.least), self.most) for move in (-step, step)]
        return [self._on_grid(one) for one in values if one != value]

    def _count(self) -> int:
        return round((self.most - self.least) / self.steps[-1])

    def _on_grid(self, value: float) -> float:
        return value if isinstance(value, int) else round(value, 2)


_TEXT = (
    Knob("length_low", 0, 300, (40, 20, 10, 5)),
    Knob("length_high", 0, 600, (80, 40, 20, 10)),
    Knob("stopwords_low", 0.0, 0.6, (0.08, 0.04, 0.02, 0.01)),
    Knob("stopwords_high", 0.0, 0.6, (0.08, 0.04, 0.02, 0.01)),
    Knob("max_link_density", 0.0, 1.0, (0.2, 0.1, 0.05, 0.01)),
)
_HEADINGS = (Knob("max_heading_distance", 0, 1000, (200, 100, 50, 20)), Knob("no_headings", choices=(False, True)))
_JAVA = (Knob("no_headlines", choices=(False, True)), Knob("no_images", choices=(True, False)))
_TRAINED = (Knob("good_probability", choices=(None, *(share / 20 for share in range(2, 19)))),)

LEVELS = 4


def knobs_of(profile: Profile) -> tuple[Knob, ...]:
    """The thresholds that a profile looks at."""
    passes = set(profile.passes)
    # That of a profile that has one can be changed, but not unset: None stands for the profile's own in settings.
    depths = (1, 2, 3, 4, 5) if profile.thresholds.tree_depth else (None, 1, 2, 3, 4, 5)
    return (
        *(_TEXT if profile.by_stopwords else ()),
        *(_HEADINGS if passes & {headings.promote, headings.restore} else ()),
        *(_JAVA if headings.promote_images in passes else ()),
        *(_TRAINED if profile.reads_data else ()),
        *((Knob("tree_depth", choices=depths),) if tree_filter.select in passes else ()),
    )


def values_of(thresholds: Thresholds, knobs: Sequence[Knob]) -> Values:
    """The values of some thresholds."""
    return {knob.name: getattr(thresholds, knob.name) for knob in knobs}


def moved(values: Mapping[str, Any], name: str, value: Any) -> Values:
    """Values with one of them changed, and its partner where the two would cross."""
    result = {**values, name: value}
    for low, high in _PAIRS:
        if name == low and result[low] > result[high]:
            result[high] = value
        elif name == high and result[high] < result[low]:
            result[low] = value
    return result


def given(values: Mapping[str, Any], base: Thresholds, own: Thresholds) -> Values:
    """The thresholds that must be set to have some values where ``base`` are those that count without any.

    ``own``: the profile's.  Where the two differ, which is so in languages without spaces, a low threshold that is set
    makes the high one the profile's: both must be set.
    """
    changed = {name for name, value in values.items() if value != getattr(base, name)}
    for pair in _PAIRS:
        if changed & {*pair} and any(getattr(base, name) != getattr(own, name) for name in pair):
            changed |= {*pair}
    return {name: value for name, value in values.items() if name in changed}


@dataclass(slots=True)
class Search:
    """A search with a budget; ``evaluate`` gives what is to be greatest."""

    knobs: Sequence[Knob]
    start: Values
    evaluate: Callable[[Values], float]
    trials: int
    seed: int = 0
    done: int = field(default=0, init=False)
    best: Values = field(init=False)
    best_value: float = field(default=-math.inf, init=False)

    def __post_init__(self) -> None:
        self.best = self.start

    def run(self) -> Values:
        """The best values found in as many trials as there may be."""
        known: dict[tuple[Any, ...], float] = {}
        self._is_better(self.start, known)
        self._draw(known)
        for level in range(LEVELS):
            while self._improve(level, known):
                pass
        self._simplify(known)
        return self.best

    def _draw(self, known: dict[tuple[Any, ...], float]) -> None:
        chance = random.Random(self.seed)
        for _ in range(int(self.trials * _DRAWN_SHARE)):
            values = self.best
            for knob in self.knobs:
                if chance.random() < 0.5:
                    values = moved(values, knob.name, knob.draw(chance))
            self._is_better(values, known)

    def _improve(self, level: int, known: dict[tuple[Any, ...], float]) -> bool:
        """Move each threshold in turn; whether that was of any use."""
        before = self.best_value
        for knob in self.knobs:
            for value in knob.around(self.best[knob.name], level):
                self._is_better(moved(self.best, knob.name, value), known)
        return self.best_value > before

    def _simplify(self, known: dict[tuple[Any, ...], float]) -> None:
        """Put each threshold back to where it was, unless that makes the best trial worse."""
        for knob in self.knobs:
            values = moved(self.best, knob.name, self.start[knob.name])
            key = tuple(values.values())
            if key not in known:
                known[key] = self.evaluate(values)
                self.done += 1
            if known[key] >= self.best_value - EPSILON:
                self.best = values

    def _is_better(self, values: Values, known: dict[tuple[Any, ...], float]) -> bool:
        key = tuple(values.values())
        if key in known or self.done >= self.trials:
            return False
        known[key] = value = self.evaluate(values)
        self.done += 1
        if value <= self.best_value + EPSILON:
            return False
        self.best, self.best_value = values, value
        return True
