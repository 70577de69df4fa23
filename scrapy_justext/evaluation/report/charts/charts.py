"""How the documents' values are spread: a histogram for each extractor and quantity."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.evaluation.report.charts.bars import draw_bars
from scrapy_justext.evaluation.report.charts.cases import draw_cases
from scrapy_justext.evaluation.report.charts.drawing import (
    INK,
    MUTED,
    SMALL,
    STEP_1,
    STEP_2,
    WIDTH,
    Chart,
    draw,
    shorten,
)
from scrapy_justext.evaluation.report.charts.scatter import draw_scatter
from scrapy_justext.evaluation.report.results import EDGES, QUANTITIES, TITLES, histogram, number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from scrapy_justext.evaluation.report.results import DataSetContents, MeasureContents, Standing
    from scrapy_justext.evaluation.report.results import Figure as Value

#: Inches.
_PANEL, _NAME, _TOP, _BOTTOM = 0.62, 0.3, 0.3, 0.3
_LEFT, _RIGHT, _BETWEEN = 0.36, 0.12, 0.16


def draw_histograms(name: str, title: str, ranking: Sequence[Standing]) -> Chart:
    """The chart of a measure: a row for each extractor, a column for each quantity, one scale of counts for all."""
    row = _PANEL + _NAME
    height = _TOP + len(ranking) * row + _BOTTOM
    highest = max((max(histogram(figure.values)) for one in ranking for figure in one.figures), default=0)
    width = (WIDTH - _LEFT - _RIGHT - 2 * _BETWEEN) / 3

    def paint(figure: Figure) -> None:
        for column, quantity in enumerate(QUANTITIES):
            x = (_LEFT + column * (width + _BETWEEN)) / WIDTH
            figure.text(x + width / WIDTH / 2, 1 - 0.16 / height, TITLES[quantity], ha="center", va="center")
        for place, one in enumerate(ranking):
            bottom = height - _TOP - (place + 1) * row
            figure.text(0.02 / WIDTH, (bottom + _PANEL + 0.13) / height, shorten(one.name), va="center", weight="bold")
            for column, value in enumerate(one.figures):
                x = _LEFT + column * (width + _BETWEEN)
                axes = figure.add_axes((x / WIDTH, bottom / height, width / WIDTH, _PANEL / height))
                _draw_panel(axes, value, highest)
                axes.tick_params(labelleft=column == 0, labelbottom=place == len(ranking) - 1)

    return draw(name, title, _describe(ranking), height, paint)


def _draw_panel(axes: Axes, value: Value, highest: int) -> None:
    top = max(highest, 1)
    axes.set_xlim(0, 1)
    axes.set_ylim(0, top * 1.04)
    axes.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
    axes.set_yticks([0, top], ["0", str(top)])
    axes.tick_params(labelsize=SMALL, length=2.5)
    axes.grid(visible=True, axis="y")
    if value.median is None:
        axes.text(0.5, top / 2, "no document", ha="center", va="center", size=SMALL, color=MUTED, style="italic")
        return
    axes.stairs(histogram(value.values), EDGES, fill=True, facecolor=STEP_2, edgecolor=STEP_1, linewidth=0.7)
    axes.plot([value.median], [top * 1.04], marker="v", markersize=5, color=INK, clip_on=False, zorder=5)


def _describe(ranking: Sequence[Standing]) -> str:
    medians = "; ".join(
        f"{one.name}: " + ", ".join(f"{TITLES[figure.quantity]} {number(figure.median, 3)}" for figure in one.figures)
        for one in ranking
    )
    return (
        "Histograms of the documents' values in 20 equal bins from 0 to 1, a row for each extractor, the same scale of "
        f"counts for all; a triangle marks the median. Medians: {medians}."
    )


# The charts of a measure.


class Charts(NamedTuple):
    """What is drawn of a measure; None: there is nothing to draw."""

    bars: Chart
    scatter: Chart | None
    cases: Chart | None
    histograms: Chart

    @property
    def drawn(self) -> tuple[Chart, ...]:
        """Those that there are."""
        return tuple(chart for chart in self if chart is not None)


def draw_charts(place: int, data_set: DataSetContents, measure: MeasureContents) -> Charts:
    """The charts of a measure on the data set at a ``place`` in the report, counted from 1."""
    name, title = f"{chart_name(place, data_set.name)}-{measure.name}", f"{data_set.name}, {measure.name}"
    return Charts(
        draw_bars(f"{name}-bars", f"Mean precision, recall and F1: {title}", measure.ranking),
        draw_scatter(f"{name}-time", f"Time against F1: {title}", measure.ranking),
        draw_cases(f"{name}-cases", f"Boundary cases and failures: {title}", measure.ranking),
        draw_histograms(f"{name}-histograms", f"Documents by their values: {title}", measure.ranking),
    )


def chart_name(place: int, data_set: str) -> str:
    """A name for files and anchors, different for different places.

    >>> chart_name(1, "wcxb-dev"), chart_name(2, "Überall/da")
    ('d1-wcxb-dev', 'd2-berall-da')
    """
    slug = re.sub(r"[^a-z0-9]+", "-", data_set.lower()).strip("-")[:40]
    return f"d{place}-{slug}".rstrip("-")
