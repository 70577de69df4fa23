"""The charts of a measure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.evaluation.report.charts.bars import draw_bars
from scrapy_justext.evaluation.report.charts.cases import draw_cases
from scrapy_justext.evaluation.report.charts.histograms import draw_histograms
from scrapy_justext.evaluation.report.charts.scatter import draw_scatter

if TYPE_CHECKING:
    from scrapy_justext.evaluation.report.charts.drawing import Chart
    from scrapy_justext.evaluation.report.figures.contents import DataSetContents, MeasureContents


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
