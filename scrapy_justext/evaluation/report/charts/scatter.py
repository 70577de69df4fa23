"""What quality costs: time a page against F1, a point for each extractor."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from matplotlib.textpath import TextPath
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from scrapy_justext.evaluation.report.charts.drawing import (
    INK,
    MUTED,
    POINTS,
    SMALL,
    STEP_2,
    WIDTH,
    Box,
    Chart,
    draw,
    place_labels,
    shorten,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from scrapy_justext.evaluation.report.results import Standing

#: Inches.
_HEIGHT = 3.7
_LEFT, _RIGHT, _BOTTOM, _TOP = 0.56, 0.14, 0.5, 0.34

#: Milliseconds; a mean below it, as of an extractor that does nothing, is drawn there.
_SHORTEST = 0.01


class _Point(NamedTuple):
    name: str
    milliseconds: float
    f1: float


def draw_scatter(name: str, title: str, ranking: Sequence[Standing]) -> Chart | None:
    """The chart of a measure; None when no extractor has both figures."""
    points = [
        _Point(one.name, max(one.row.milliseconds, _SHORTEST), one.row.f1)
        for one in ranking
        if one.row.f1 is not None and one.row.milliseconds is not None
    ]
    if not points:
        return None

    def paint(figure: Figure) -> None:
        axes = figure.add_axes(
            (_LEFT / WIDTH, _BOTTOM / _HEIGHT, 1 - (_LEFT + _RIGHT) / WIDTH, 1 - (_TOP + _BOTTOM) / _HEIGHT)
        )
        _scale(axes, points)
        axes.scatter(
            [point.milliseconds for point in points],
            [point.f1 for point in points],
            s=38,
            facecolor=STEP_2,
            edgecolor=INK,
            linewidth=0.9,
            zorder=3,
        )
        _write_names(axes, points)

    return draw(name, title, _describe(points), _HEIGHT, paint)


def _scale(axes: Axes, points: Sequence[_Point]) -> None:
    times, values = [point.milliseconds for point in points], [point.f1 for point in points]
    axes.set_xscale("log")
    axes.set_xlim(min(times) / 1.8, max(times) * 1.8)
    room = max(0.02, 0.14 * (max(values) - min(values)))
    axes.set_ylim(min(values) - room, max(values) + room)
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0), numticks=12))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_major_locator(MaxNLocator(6))
    axes.tick_params(labelsize=SMALL)
    axes.minorticks_off()
    axes.grid(visible=True)
    axes.set_xlabel("Milliseconds a page, logarithmic (left is faster)", size=SMALL)
    axes.set_title("F1 (up is better)", size=SMALL, loc="left", x=-(_LEFT - 0.1) / (WIDTH - _LEFT - _RIGHT))


def _write_names(axes: Axes, points: Sequence[_Point]) -> None:
    """Names beside the points; in points of the drawing, whose size is fixed."""
    frame = Box(0.0, 0.0, (WIDTH - _LEFT - _RIGHT) * POINTS, (_HEIGHT - _TOP - _BOTTOM) * POINTS)
    to_axes = axes.transData + axes.transAxes.inverted()
    fractions = [to_axes.transform((point.milliseconds, point.f1)) for point in points]
    places = [(float(x) * frame.right, float(y) * frame.top) for x, y in fractions]
    names = [shorten(point.name) for point in points]
    labels = place_labels(places, [_size(name) for name in names], frame)
    for name, (x, y), label in zip(names, places, labels, strict=True):
        left, middle = label.box.left, (label.box.bottom + label.box.top) / 2
        if label.far:
            nearest = min(max(x, left), label.box.right)
            xs, ys = (x / frame.right, nearest / frame.right), (y / frame.top, middle / frame.top)
            axes.plot(xs, ys, transform=axes.transAxes, color=MUTED, linewidth=0.7, zorder=2)
        axes.text(left / frame.right, middle / frame.top, name, transform=axes.transAxes, va="center", size=SMALL)


def _size(name: str) -> tuple[float, float]:
    width = TextPath((0, 0), name, size=SMALL, usetex=False).get_extents().width if name.strip() else 0.0
    return float(width) + 2.0, SMALL * 1.25


def _describe(points: Sequence[_Point]) -> str:
    figures = "; ".join(f"{point.name}: {point.milliseconds:.1f} ms, F1 {point.f1:.3f}" for point in points)
    return f"A point for each extractor, milliseconds a page against F1. {figures}."
