"""The charts of a report on a measure.

There is one way to draw.  Each kind of chart is a row of :data:`_KINDS`: a function that draws the results of a measure
on a figure, or gives none where there is nothing to draw, and a function that describes it in words.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.textpath import TextPath
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from scrapy_justext.evaluation.report import drawing
from scrapy_justext.evaluation.report.drawing import Box, Chart, Fill
from scrapy_justext.evaluation.report.results import EDGES, SCORE_TITLES
from scrapy_justext.evaluation.report.tables import CASE_TITLES, count_cases, format_figure
from scrapy_justext.evaluation.scoring import sort_by_f1

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from matplotlib.axes import Axes

    from scrapy_justext.evaluation.report.results import MeasureResults, RankedExtractor, Ranking, ScoreSummary
    from scrapy_justext.evaluation.scoring import ExtractorRow

_SCORE_FILLS = {"f1": Fill(drawing.STEP_1), "precision": Fill(drawing.STEP_2, "///"), "recall": Fill(drawing.STEP_4)}

_CASE_FILLS = {
    "retrieved_empty": Fill(drawing.STEP_1, number=drawing.SURFACE),
    "relevant_empty": Fill(drawing.STEP_2, "///"),
    "both_empty": Fill(drawing.STEP_3),
    "mismatch": Fill(drawing.STEP_4, "xxx"),
    "failed": Fill(drawing.FAILURE, "\\\\\\", edge=drawing.SURFACE, number=drawing.SURFACE),
}


def draw_charts(prefix: str, results: MeasureResults) -> dict[str, Chart]:
    """Draw what there is to draw of a measure, by kind: ``bars``, ``types``, ``time``, ``cases``, ``histograms``.

    Names of charts begin with ``prefix``.
    """
    charts = {}
    for kind, (title, draw, describe) in _KINDS.items():
        name = f"{prefix}-{kind}"
        with drawing.chart_style(name):
            figure = draw(results)
            if figure is not None:
                charts[kind] = drawing.to_chart(figure, name, f"{title}: {results.subject}", describe(results))
    return charts


# Bars: precision, recall and F1 of each extractor, with standard deviations as whiskers.


def _draw_bars(results: MeasureResults) -> Figure:
    ranking = results.ranking
    line, left, right, below, above = 0.185, 0.78, 1.02, 0.36, 0.1
    group = 4 * line + 0.13
    height = len(ranking) * group + below + above
    figure = Figure(figsize=(drawing.WIDTH, height))
    axes = drawing.add_axes(figure, (left, right, below, above))
    axes.set_xlim(0, 1)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "0.25", "0.5", "0.75", "1"])
    drawing.set_lines(axes, len(ranking) * group)
    for number, extractor in enumerate(ranking):
        y = number * group + line * 0.55
        drawing.write_name(axes, 0.02 - left / (drawing.WIDTH - left - right), y, extractor.name)
        for bar, summary in enumerate(extractor.summaries, 1):
            _draw_bar(axes, summary, y + bar * line, line * 0.78)
    return figure


def _draw_bar(axes: Axes, summary: ScoreSummary, y: float, height: float) -> None:
    fill, across = _SCORE_FILLS[summary.score], axes.get_yaxis_transform()
    drawing.write_small(axes, -0.03, y, summary.title, transform=across, ha="right", color=drawing.MUTED)
    if summary.value is None:
        drawing.write_small(axes, 0.01, y, "not defined", color=drawing.MUTED, style="italic")
        return
    drawing.draw_area(axes, fill, (0, summary.value), y, height)
    sd = summary.sd or 0.0
    drawing.draw_whisker(axes, (max(0.0, summary.value - sd), min(1.0, summary.value + sd)), y)
    text = f"{summary.value:.3f} ± {sd:.3f}"
    weight = "bold" if summary.score == "f1" else "normal"
    drawing.write_small(axes, 1.04, y, text, transform=across, ha="left", weight=weight)


def _describe_bars(results: MeasureResults) -> str:
    figures = _describe_summaries(results.ranking, lambda summary: summary.value)
    return (
        "Horizontal bars from 0 to 1 for each extractor, the highest F1 first; whiskers reach one standard deviation "
        f"to either side, within 0 and 1. {figures}."
    )


# Types: F1 on the pages of each type, a bar for each extractor, the highest first.

#: How much wider bold letters are.
_BOLD = 1.12
#: How the names of other libraries begin, whose bars are quieter.
_PEERS = "ref:"
_OURS, _OTHERS = Fill(drawing.STEP_1), Fill(drawing.STEP_3)


def _draw_types(results: MeasureResults) -> Figure | None:
    if not results.page_types:
        return None
    line, head, between, right, below = 0.17, 0.26, 0.14, 0.5, 0.3
    names = {drawing.shorten(row.extractor) for rows in results.page_types.values() for row in rows}
    left = max(_text_size(name)[0] for name in names) * _BOLD / drawing.POINTS + 0.15
    lines = sum(len(rows) for rows in results.page_types.values())
    height = lines * line + len(results.page_types) * (head + between)
    figure = Figure(figsize=(drawing.WIDTH, height + below))
    axes = drawing.add_axes(figure, (left, right, below, 0.0))
    axes.set_xlim(0, 1)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "0.25", "0.5", "0.75", "1"])
    drawing.set_lines(axes, height)
    y = 0.0
    for page_type, rows in results.page_types.items():
        pages = max(row.documents for row in rows)
        drawing.write_name(axes, 0.02 - left / (drawing.WIDTH - left - right), y + head / 2, f"{page_type} ({pages:,})")
        y += head
        for row in sort_by_f1(rows):
            _draw_type(axes, row, y + line / 2, line * 0.8)
            y += line
        y += between
    return figure


def _draw_type(axes: Axes, row: ExtractorRow, y: float, height: float) -> None:
    across = axes.get_yaxis_transform()
    is_ours = not row.extractor.startswith(_PEERS)
    weight = "bold" if is_ours else "normal"
    drawing.write_small(axes, -0.02, y, drawing.shorten(row.extractor), transform=across, ha="right", weight=weight)
    drawing.draw_area(axes, _OURS if is_ours else _OTHERS, (0, row.f1 or 0.0), y, height)
    drawing.write_small(axes, 1.02, y, format_figure(row.f1, 3), transform=across, weight=weight)


def _describe_types(results: MeasureResults) -> str:
    figures = "; ".join(
        f"{page_type}: " + ", ".join(f"{row.extractor} {format_figure(row.f1, 3)}" for row in sort_by_f1(rows))
        for page_type, rows in results.page_types.items()
    )
    return f"Horizontal bars from 0 to 1 for each page type, the extractor with the highest F1 first. {figures}."


# Time: what quality costs, milliseconds a page against F1, a point for each extractor.

#: Milliseconds; a mean below it, as of an extractor that does nothing, is drawn there.
_SHORTEST = 0.01


def _time_points(ranking: Ranking) -> dict[str, tuple[float, float]]:
    """Return milliseconds a page and F1 of each extractor that has both."""
    return {
        extractor.name: (max(extractor.row.milliseconds, _SHORTEST), extractor.row.f1)
        for extractor in ranking
        if extractor.row.f1 is not None and extractor.row.milliseconds is not None
    }


def _draw_times(results: MeasureResults) -> Figure | None:
    ranking = results.ranking
    points = _time_points(ranking)
    if not points:
        return None
    left, right, below, above = margins = 0.56, 0.14, 0.5, 0.34
    height = 3.7
    figure = Figure(figsize=(drawing.WIDTH, height))
    axes = drawing.add_axes(figure, margins)
    times, values = zip(*points.values(), strict=True)
    axes.set_xscale("log")
    axes.set_xlim(min(times) / 1.8, max(times) * 1.8)
    room = max(0.02, 0.14 * (max(values) - min(values)))
    axes.set_ylim(min(values) - room, max(values) + room)
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0), numticks=12))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_major_locator(MaxNLocator(6))
    axes.tick_params(labelsize=drawing.SMALL)
    axes.minorticks_off()
    axes.grid(visible=True)
    axes.set_xlabel("Milliseconds a page, logarithmic (left is faster)", size=drawing.SMALL)
    axes.set_title(
        "F1 (up is better)", size=drawing.SMALL, loc="left", x=-(left - 0.1) / (drawing.WIDTH - left - right)
    )
    axes.scatter(times, values, s=38, facecolor=drawing.STEP_2, edgecolor=drawing.INK, linewidth=0.9, zorder=3)
    frame = Box(0.0, 0.0, (drawing.WIDTH - left - right) * drawing.POINTS, (height - above - below) * drawing.POINTS)
    _write_names_of_points(axes, points, frame)
    return figure


def _write_names_of_points(axes: Axes, points: Mapping[str, tuple[float, float]], frame: Box) -> None:
    """Write names beside their points; ``frame``: the axes in points of the drawing, whose size is fixed."""
    to_axes = axes.transData + axes.transAxes.inverted()
    fractions = [to_axes.transform(point) for point in points.values()]
    positions = [(float(x) * frame.right, float(y) * frame.top) for x, y in fractions]
    names = [drawing.shorten(name) for name in points]
    labels = drawing.place_labels(positions, [_text_size(name) for name in names], frame)
    for name, (x, y), (box, is_far) in zip(names, positions, labels, strict=True):
        left, middle = box.left, (box.bottom + box.top) / 2
        if is_far:
            nearest = min(max(x, left), box.right)
            xs, ys = (x / frame.right, nearest / frame.right), (y / frame.top, middle / frame.top)
            axes.plot(xs, ys, transform=axes.transAxes, color=drawing.MUTED, linewidth=0.7, zorder=2)
        drawing.write_small(axes, left / frame.right, middle / frame.top, name, transform=axes.transAxes)


def _text_size(text: str) -> tuple[float, float]:
    width = TextPath((0, 0), text, size=drawing.SMALL, usetex=False).get_extents().width if text.strip() else 0.0
    return float(width) + 2.0, drawing.SMALL * 1.25


def _describe_times(results: MeasureResults) -> str:
    points = _time_points(results.ranking)
    figures = "; ".join(f"{name}: {time:.1f} ms, F1 {f1:.3f}" for name, (time, f1) in points.items())
    return f"A point for each extractor, milliseconds a page against F1. {figures}."


# Cases: the pages that are no ordinary ones for a measure, stacked by what they are.

#: Of the axis: a narrower part of a stack has no number.
_NARROWEST = 0.045


def _draw_cases(results: MeasureResults) -> Figure | None:
    ranking = results.ranking
    longest = max((sum(count_cases(extractor.row).values()) for extractor in ranking), default=0)
    if not longest:
        return None
    line, below, above = 0.2, 0.34, 0.56
    group = 2 * line + 0.1
    height = above + len(ranking) * group + below
    figure = Figure(figsize=(drawing.WIDTH, height))
    axes = drawing.add_axes(figure, (0.12, 0.5, below, above))
    axes.set_xlim(0, longest)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.tick_params(labelsize=drawing.SMALL)
    drawing.set_lines(axes, len(ranking) * group)
    for number, extractor in enumerate(ranking):
        y = number * group + line * 0.55
        drawing.write_name(axes, 0, y, extractor.name)
        counted = _stack_cases(axes, extractor, y + line, line * 0.9, longest)
        text = f"{counted or 'none'} of {extractor.row.documents:,}"
        drawing.write_small(axes, longest, y, text, ha="right", color=drawing.INK if counted else drawing.MUTED)
    patches = [
        Patch(facecolor=fill.colour, hatch=fill.hatch, edgecolor=fill.edge, linewidth=0.6, label=CASE_TITLES[case])
        for case, fill in _CASE_FILLS.items()
    ]
    place: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (0.0, 1.0), "ncols": 3, "fontsize": drawing.SMALL}
    figure.legend(handles=patches, **place, frameon=False, columnspacing=1.4, handlelength=2.2, borderaxespad=0.2)
    return figure


def _stack_cases(axes: Axes, extractor: RankedExtractor, y: float, height: float, longest: int) -> int:
    """Draw the cases of an extractor one after the other and return how many there are."""
    start = 0
    for case, count in count_cases(extractor.row).items():
        if not count:
            continue
        fill = _CASE_FILLS[case]
        drawing.draw_area(axes, fill, (start, start + count), y, height)
        if count / longest >= _NARROWEST:
            box = {"facecolor": fill.colour, "edgecolor": "none", "pad": 1.0} if fill.hatch else None
            middle = start + count / 2
            drawing.write_small(axes, middle, y, str(count), ha="center", color=fill.number, bbox=box)
        start += count
    return start


def _describe_cases(results: MeasureResults) -> str:
    parts = []
    for extractor in results.ranking:
        counts = [f"{CASE_TITLES[case].lower()} {count}" for case, count in count_cases(extractor.row).items() if count]
        parts.append(f"{extractor.name}: {', '.join(counts) or 'none'}")
    return f"Stacked horizontal bars that count pages, one for each extractor. {'; '.join(parts)}."


# Histograms: a row for each extractor, a column for each score, one scale of counts for all.


def _draw_histograms(results: MeasureResults) -> Figure:
    ranking = results.ranking
    panel, name, above, below = 0.62, 0.3, 0.3, 0.3
    left, right, between = 0.36, 0.12, 0.16
    height = above + len(ranking) * (panel + name) + below
    highest = max((max(summary.histogram) for extractor in ranking for summary in extractor.summaries), default=0)
    width = (drawing.WIDTH - left - right - 2 * between) / 3
    figure = Figure(figsize=(drawing.WIDTH, height))
    for column, title in enumerate(SCORE_TITLES.values()):
        x = (left + column * (width + between)) / drawing.WIDTH
        figure.text(x + width / drawing.WIDTH / 2, 1 - 0.16 / height, title, ha="center", va="center")
    for number, extractor in enumerate(ranking):
        bottom = height - above - (number + 1) * (panel + name)
        y = (bottom + panel + 0.13) / height
        figure.text(0.02 / drawing.WIDTH, y, drawing.shorten(extractor.name), va="center", weight="bold")
        for column, summary in enumerate(extractor.summaries):
            x = left + column * (width + between)
            axes = figure.add_axes((x / drawing.WIDTH, bottom / height, width / drawing.WIDTH, panel / height))
            _draw_panel(axes, summary, max(highest, 1))
            axes.tick_params(labelleft=column == 0, labelbottom=number == len(ranking) - 1)
    return figure


def _draw_panel(axes: Axes, summary: ScoreSummary, highest: int) -> None:
    axes.set_xlim(0, 1)
    axes.set_ylim(0, highest * 1.04)
    axes.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
    axes.set_yticks([0, highest], ["0", str(highest)])
    axes.tick_params(labelsize=drawing.SMALL, length=2.5)
    axes.grid(visible=True, axis="y")
    if summary.median is None:
        drawing.write_small(axes, 0.5, highest / 2, "no document", ha="center", color=drawing.MUTED, style="italic")
        return
    axes.stairs(summary.histogram, EDGES, fill=True, facecolor=drawing.STEP_2, edgecolor=drawing.STEP_1, linewidth=0.7)
    axes.plot([summary.median], [highest * 1.04], marker="v", markersize=5, color=drawing.INK, clip_on=False, zorder=5)


def _describe_histograms(results: MeasureResults) -> str:
    medians = _describe_summaries(results.ranking, lambda summary: summary.median)
    return (
        "Histograms of the documents' values in 20 equal bins from 0 to 1, a row for each extractor, the same scale of "
        f"counts for all; a triangle marks the median. Medians: {medians}."
    )


def _describe_summaries(ranking: Ranking, value: Callable[[ScoreSummary], float | None]) -> str:
    return "; ".join(
        f"{extractor.name}: "
        + ", ".join(f"{summary.title} {format_figure(value(summary), 3)}" for summary in extractor.summaries)
        for extractor in ranking
    )


class _Kind(NamedTuple):
    """A kind of chart; ``draw`` gives no figure where there is nothing to draw."""

    title: str
    draw: Callable[[MeasureResults], Figure | None]
    describe: Callable[[MeasureResults], str]


_KINDS: Mapping[str, _Kind] = MappingProxyType(
    {
        "bars": _Kind("Mean precision, recall and F1", _draw_bars, _describe_bars),
        "types": _Kind("F1 by page type", _draw_types, _describe_types),
        "time": _Kind("Time against F1", _draw_times, _describe_times),
        "cases": _Kind("Boundary cases and failures", _draw_cases, _describe_cases),
        "histograms": _Kind("Documents by their values", _draw_histograms, _describe_histograms),
    }
)
