"""Precision, recall and F1 of each extractor as bars, with their standard deviations as whiskers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.evaluation.report.charts.drawing import (
    INK,
    MUTED,
    SMALL,
    STEP_1,
    STEP_2,
    STEP_4,
    WIDTH,
    Chart,
    draw,
    halo,
    shorten,
    strip_axes,
)
from scrapy_justext.evaluation.report.results import TITLES, number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from scrapy_justext.evaluation.report.results import Figure as Value
    from scrapy_justext.evaluation.report.results import Standing


class _Look(NamedTuple):
    colour: str
    hatch: str


_LOOKS = {"f1": _Look(STEP_1, ""), "precision": _Look(STEP_2, "///"), "recall": _Look(STEP_4, "")}

#: Inches.
_LINE, _GAP, _MARGIN = 0.185, 0.13, 0.36
_LEFT, _RIGHT = 0.78, 1.02


def draw_bars(name: str, title: str, ranking: Sequence[Standing]) -> Chart:
    """The chart of a measure."""
    group = 4 * _LINE + _GAP
    height = len(ranking) * group + _MARGIN + 0.1

    def paint(figure: Figure) -> None:
        inner = (_LEFT / WIDTH, _MARGIN / height, (WIDTH - _LEFT - _RIGHT) / WIDTH, 1 - (_MARGIN + 0.1) / height)
        axes = figure.add_axes(inner)
        axes.set_xlim(0, 1)
        axes.set_ylim(len(ranking) * group, 0)
        axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "0.25", "0.5", "0.75", "1"])
        axes.grid(visible=True, axis="x")
        axes.set_yticks([])
        strip_axes(axes)
        for place, one in enumerate(ranking):
            _draw_extractor(axes, one, place * group)

    return draw(name, title, _describe(ranking), height, paint)


def _draw_extractor(axes: Axes, one: Standing, top: float) -> None:
    y = top + _LINE * 0.55
    axes.text(
        -_LEFT / (WIDTH - _LEFT - _RIGHT) + 0.02,
        y,
        shorten(one.name),
        transform=axes.get_yaxis_transform(),
        va="center",
        weight="bold",
    )
    for place, figure in enumerate(one.figures, 1):
        _draw_bar(axes, figure, y + place * _LINE)


def _draw_bar(axes: Axes, figure: Value, y: float) -> None:
    look, across = _LOOKS[figure.quantity], axes.get_yaxis_transform()
    axes.text(-0.03, y, TITLES[figure.quantity], transform=across, ha="right", va="center", size=SMALL, color=MUTED)
    if figure.value is None:
        axes.text(0.01, y, "not defined", va="center", size=SMALL, color=MUTED, style="italic")
        return
    (bar,) = axes.barh(y, figure.value, height=_LINE * 0.78, color=look.colour, edgecolor=INK, linewidth=0.6, zorder=2)
    bar.set_hatch(look.hatch)
    sd = figure.sd or 0.0
    halo(axes, (max(0.0, figure.value - sd), min(1.0, figure.value + sd)), y)
    text = f"{figure.value:.3f} ± {sd:.3f}"
    weight = "bold" if figure.quantity == "f1" else "normal"
    axes.text(1.04, y, text, transform=across, ha="left", va="center", size=SMALL, weight=weight)


def _describe(ranking: Sequence[Standing]) -> str:
    figures = "; ".join(
        f"{one.name}: " + ", ".join(f"{TITLES[figure.quantity]} {number(figure.value, 3)}" for figure in one.figures)
        for one in ranking
    )
    return (
        "Horizontal bars from 0 to 1 for each extractor, the highest F1 first; whiskers reach one standard deviation "
        f"to either side, within 0 and 1. {figures}."
    )
