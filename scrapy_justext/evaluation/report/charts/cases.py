"""The pages on which a measure is not an ordinary one, stacked by what they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from scrapy_justext.evaluation.report.charts.drawing import (
    FAILURE,
    INK,
    MUTED,
    SMALL,
    STEP_1,
    STEP_2,
    STEP_3,
    STEP_4,
    SURFACE,
    WIDTH,
    Chart,
    draw,
    heading,
    shorten,
    strip_axes,
)
from scrapy_justext.evaluation.report.results import CASES, cases_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from scrapy_justext.evaluation.report.results import Standing


class _Look(NamedTuple):
    colour: str
    hatch: str
    number: str
    """The colour of a number on it."""
    edge: str = INK
    """The colour of edges and hatches."""


_LOOKS = {
    "retrieved_empty": _Look(STEP_1, "", SURFACE),
    "relevant_empty": _Look(STEP_2, "///", INK),
    "both_empty": _Look(STEP_3, "", INK),
    "mismatch": _Look(STEP_4, "xxx", INK),
    "failed": _Look(FAILURE, "\\\\\\", SURFACE, SURFACE),
}

#: Inches.
_LINE, _GAP, _TOP, _BOTTOM = 0.2, 0.1, 0.56, 0.34
#: Of the axis: a narrower part has no number.
_NARROWEST = 0.045


def draw_cases(name: str, title: str, ranking: Sequence[Standing]) -> Chart | None:
    """The chart of a measure; None when there is no such page."""
    totals = [sum(cases_of(one.row)) for one in ranking]
    longest = max(totals, default=0)
    if not longest:
        return None
    group = 2 * _LINE + _GAP
    height = _TOP + len(ranking) * group + _BOTTOM

    def paint(figure: Figure) -> None:
        axes = figure.add_axes((0.12 / WIDTH, _BOTTOM / height, 1 - 0.62 / WIDTH, 1 - (_TOP + _BOTTOM) / height))
        axes.set_xlim(0, longest)
        axes.set_ylim(len(ranking) * group, 0)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.grid(visible=True, axis="x")
        axes.set_yticks([])
        axes.tick_params(labelsize=SMALL)
        strip_axes(axes)
        for place, one in enumerate(ranking):
            y = place * group + _LINE * 0.55
            heading(axes, y, shorten(one.name))
            _stack(axes, one, y + _LINE, longest)
        _draw_legend(figure)

    return draw(name, title, _describe(ranking), height, paint)


def _stack(axes: Axes, one: Standing, y: float, longest: int) -> None:
    start = 0
    for case, count in zip(CASES, cases_of(one.row), strict=True):
        if not count:
            continue
        look = _LOOKS[case]
        axes.barh(
            y,
            count,
            left=start,
            height=_LINE * 0.9,
            color=look.colour,
            hatch=look.hatch,
            edgecolor=look.edge,
            linewidth=0.6,
        )
        if count / longest >= _NARROWEST:
            box = {"facecolor": look.colour, "edgecolor": "none", "pad": 1.0} if look.hatch else None
            middle = start + count / 2
            axes.text(middle, y, str(count), ha="center", va="center", size=SMALL, color=look.number, bbox=box)
        start += count
    text = f"{start or 'none'} of {one.row.documents:,}"
    axes.text(longest, y - _LINE, text, ha="right", va="center", size=SMALL, color=INK if start else MUTED)


def _draw_legend(figure: Figure) -> None:
    patches = [
        Patch(facecolor=look.colour, hatch=look.hatch, edgecolor=look.edge, linewidth=0.6, label=CASES[case])
        for case, look in _LOOKS.items()
    ]
    figure.legend(
        handles=patches,
        loc="upper left",
        bbox_to_anchor=(0.0, 1.0),
        ncols=3,
        frameon=False,
        fontsize=SMALL,
        columnspacing=1.4,
        handlelength=2.2,
        borderaxespad=0.2,
    )


def _describe(ranking: Sequence[Standing]) -> str:
    parts = []
    for one in ranking:
        counts = [
            f"{label.lower()} {count}" for label, count in zip(CASES.values(), cases_of(one.row), strict=True) if count
        ]
        parts.append(f"{one.name}: {', '.join(counts) if counts else 'none'}")
    return f"Stacked horizontal bars that count pages, one for each extractor. {'; '.join(parts)}."
