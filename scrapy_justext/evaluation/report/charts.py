"""The charts of a report on a measure.

One function, :func:`draw_bars`, draws all charts of bars from groups of bars; the other chart has a point for each
extractor.  A chart is drawn by matplotlib in light colours, the same bytes for the same figures.  In a page, custom
properties take the places of the colours, so that a chart follows the reader's choice.  Kinds of marks are told apart
by luminance and hatches, never by hue alone.
"""

from __future__ import annotations

import io
import re
import warnings
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import matplotlib as mpl
from lxml import etree
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.textpath import TextPath
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter
from matplotlib.transforms import Bbox

from scrapy_justext.evaluation.report.results import SCORE_TITLES
from scrapy_justext.evaluation.report.tables import CASE_TITLES
from scrapy_justext.evaluation.tables import format_figure

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from matplotlib.axes import Axes

    from scrapy_justext.evaluation.report.results import MeasureResults
    from scrapy_justext.evaluation.scoring import ExtractorRow


class Shade(NamedTuple):
    """A colour in light and in dark surroundings; no two light ones are equal."""

    light: str
    dark: str


SHADES: Mapping[str, Shade] = MappingProxyType(
    {
        "surface": Shade("#ffffff", "#14181d"),
        "ink": Shade("#1c2128", "#e6ebf0"),
        "muted": Shade("#56606b", "#a3aeb9"),
        "grid": Shade("#d9dee3", "#333b44"),
        # From the loudest to the quietest: four steps of luminance, each with a hatch of its own.
        "step-1": Shade("#1f5a94", "#8fc1f2"),
        "step-2": Shade("#7fabd6", "#4d81b5"),
        "step-3": Shade("#c3d9ee", "#2c4a68"),
        "step-4": Shade("#eff5fb", "#1d2a37"),
        # A failure is no shade of the others.
        "failure": Shade("#3a3030", "#f0dcd6"),
    }
)

SURFACE, INK, MUTED, GRID, STEP_1, STEP_2, STEP_3, STEP_4, FAILURE = (shade.light for shade in SHADES.values())

# All lengths are in inches, but for sizes of letters, which are in points.

#: So narrow that the smallest text can still be read where a chart is as wide as a telephone.
WIDTH = 4.8
#: In an inch.
POINTS = 72
#: Sizes of letters.
TEXT, SMALL = 9.0, 8.0
#: How much wider bold letters are.
_BOLD = 1.12
#: A name longer than this many characters is cut in its middle.
_LONGEST_NAME = 38

#: Of any type, since matplotlib lists every name that it knows.
_STYLE: dict[Any, Any] = {
    "font.family": ["DejaVu Sans"],
    "font.size": TEXT,
    "text.color": INK,
    "text.parse_math": False,
    "axes.edgecolor": MUTED,
    "axes.facecolor": "none",
    "axes.labelcolor": INK,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": SMALL,
    "axes.labelsize": SMALL,
    "axes.unicode_minus": True,
    "axes.axisbelow": True,
    "figure.facecolor": SURFACE,
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "hatch.linewidth": 0.7,
    "svg.fonttype": "none",
    "xtick.color": MUTED,
    "xtick.labelcolor": INK,
    "xtick.labelsize": SMALL,
    "ytick.color": MUTED,
    "ytick.labelcolor": INK,
    "ytick.labelsize": SMALL,
}


class Chart(NamedTuple):
    """A drawing and what it says in words."""

    name: str
    """Unique in a report, of letters, digits and hyphens."""
    title: str
    description: str
    svg: str


def draw_charts(prefix: str, results: MeasureResults) -> dict[str, Chart]:
    """Draw what there is to draw of a measure, by kind: ``bars``, ``types``, ``time``, ``cases``.

    Names of charts begin with ``prefix``.
    """
    charts = {}
    for kind, draw in _KINDS.items():
        name = f"{prefix}-{kind}"
        # The ids in a drawing follow from its name.  A browser has the letters that the font at hand lacks.
        with mpl.rc_context({**_STYLE, "svg.hashsalt": name}), warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)
            drawing = draw(results)
            if drawing is not None:
                title = f"{drawing.title}: {results.subject}"
                charts[kind] = Chart(name, title, drawing.description, _to_svg(drawing, name, title))
    return charts


class Drawing(NamedTuple):
    """A figure, and what it says in words."""

    figure: Figure
    title: str
    description: str


# Charts of bars.


class Fill(NamedTuple):
    """How an area is painted, and what it stands for, where a key tells that."""

    colour: str
    hatch: str = ""
    edge: str = INK
    """The colour of edges and hatches."""
    number: str = INK
    """The colour of a number on the area."""
    meaning: str = ""


class Bar(NamedTuple):
    """A bar: its name, its parts from the left, each with its length, and what stands behind it."""

    name: str
    parts: Mapping[Fill, float]
    note: str
    deviation: float = 0.0
    """How far whiskers reach to either side."""
    is_bold: bool = False


#: Of the axis: a narrower part of a stack has no number.
_NARROWEST = 0.045


def draw_bars(groups: Mapping[str, Sequence[Bar]], longest: float, key: Sequence[Fill] = ()) -> Figure:
    """Draw horizontal bars below the titles of their groups; a group without a title has none.

    ``longest``: where the axis ends; ``key``: the fills whose meanings are written above.
    """
    line, head, between, below, above = 0.18, 0.24, 0.12, 0.3, 0.44 if key else 0.0
    bars = [bar for group in groups.values() for bar in group]
    left = max(_text_size(_shorten(bar.name))[0] for bar in bars) * _BOLD / POINTS + 0.12
    right = max(_text_size(bar.note)[0] for bar in bars) * _BOLD / POINTS + 0.12
    height = len(bars) * line + sum((head if title else 0.0) + between for title in groups)
    figure = Figure(figsize=(WIDTH, above + height + below))
    axes = _add_axes(figure, left, right, below, above)
    axes.set_xlim(0, longest)
    axes.set_ylim(height, 0)
    axes.xaxis.set_major_locator(MaxNLocator(4, integer=longest > 1))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.grid(visible=True, axis="x")
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    across = axes.get_yaxis_transform()
    y = 0.0
    for title, group in groups.items():
        if title:
            start = 0.02 - left / (WIDTH - left - right)
            axes.text(start, y + head / 2, _shorten(title), transform=across, va="center", weight="bold")
            y += head
        for bar in group:
            middle, weight = y + line / 2, "bold" if bar.is_bold else "normal"
            _write(axes, -0.02, middle, _shorten(bar.name), transform=across, ha="right", weight=weight)
            _write(axes, 1.02, middle, bar.note, transform=across, weight=weight)
            _draw_bar(axes, bar, middle, line * 0.8)
            y += line
        y += between
    patches = [
        Patch(facecolor=fill.colour, hatch=fill.hatch, edgecolor=fill.edge, linewidth=0.6, label=fill.meaning)
        for fill in key
    ]
    place: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (0.0, 1.0), "ncols": 3, "fontsize": SMALL}
    if patches:
        figure.legend(handles=patches, **place, frameon=False, columnspacing=1.4, handlelength=2.2, borderaxespad=0.2)
    return figure


def _draw_bar(axes: Axes, bar: Bar, y: float, height: float) -> None:
    longest = axes.get_xlim()[1]
    start = 0.0
    for fill, length in bar.parts.items():
        (area,) = axes.barh(y, length, height, start, color=fill.colour, edgecolor=fill.edge, linewidth=0.6, zorder=2)
        area.set_hatch(fill.hatch)
        if fill.meaning and length / longest >= _NARROWEST:
            box = {"facecolor": fill.colour, "edgecolor": "none", "pad": 1.0} if fill.hatch else None
            _write(axes, start + length / 2, y, f"{length:g}", ha="center", color=fill.number, bbox=box)
        start += length
    if bar.deviation:
        ends = max(0.0, start - bar.deviation), min(longest, start + bar.deviation)
        for colour, width, cap in ((SURFACE, 3.2, 7.2), (INK, 1.2, 5.2)):
            caps: dict[str, Any] = {"marker": "|", "markersize": cap, "markeredgewidth": width}
            axes.plot(ends, (y, y), color=colour, linewidth=width, zorder=4, **caps)


def _describe(groups: Mapping[str, Sequence[Bar]]) -> str:
    return "; ".join(
        f"{title}: {', '.join(f'{bar.name} {bar.note}' for bar in group)}" for title, group in groups.items()
    )


_SCORE_FILLS = {"f1": Fill(STEP_1), "precision": Fill(STEP_2, "///"), "recall": Fill(STEP_4)}


def _draw_means(results: MeasureResults) -> Drawing:
    """Draw precision, recall and F1 of each extractor, with standard deviations as whiskers."""

    def bar(row: ExtractorRow, score: str, fill: Fill) -> Bar:
        value, deviation = getattr(row, score), getattr(row, f"{score}_sd") or 0.0
        note = format_figure(value, 3) if value is None else f"{value:.3f} ± {deviation:.3f}"
        return Bar(SCORE_TITLES[score], {fill: value or 0.0}, note, deviation, is_bold=score == "f1")

    groups = {row.extractor: [bar(row, score, fill) for score, fill in _SCORE_FILLS.items()] for row in results.rows}
    return Drawing(
        draw_bars(groups, 1.0),
        "Mean precision, recall and F1",
        "Horizontal bars from 0 to 1 for each extractor, the highest F1 first; whiskers reach one standard deviation "
        f"to either side, within 0 and 1. {_describe(groups)}.",
    )


#: How the names of other libraries begin, whose bars are quieter.
_PEERS = "ref:"
_OURS, _OTHERS = Fill(STEP_1), Fill(STEP_3)


def _draw_types(results: MeasureResults) -> Drawing | None:
    """Draw F1 on the pages of each type, a bar for each extractor."""

    def bar(row: ExtractorRow) -> Bar:
        is_ours = not row.extractor.startswith(_PEERS)
        fill = _OURS if is_ours else _OTHERS
        return Bar(row.extractor, {fill: row.f1 or 0.0}, format_figure(row.f1, 3), is_bold=is_ours)

    types = {page_type: [*map(bar, rows)] for page_type, rows in results.page_types.items()}
    pages = [max(row.documents for row in rows) for rows in results.page_types.values()]
    if not types:
        return None
    titled = {f"{name} ({count:,})": bars for (name, bars), count in zip(types.items(), pages, strict=True)}
    return Drawing(
        draw_bars(titled, 1.0),
        "F1 by page type",
        f"Horizontal bars from 0 to 1 for each page type, the extractor with the highest F1 first. {_describe(types)}.",
    )


_CASE_FILLS = {
    "retrieved_empty": Fill(STEP_1, number=SURFACE),
    "relevant_empty": Fill(STEP_2, "///"),
    "both_empty": Fill(STEP_3),
    "mismatch": Fill(STEP_4, "xxx"),
    "failed": Fill(FAILURE, "\\\\\\", edge=SURFACE, number=SURFACE),
}


def _draw_cases(results: MeasureResults) -> Drawing | None:
    """Draw how many pages are no ordinary ones for a measure, stacked by what they are."""
    key = {case: fill._replace(meaning=CASE_TITLES[case]) for case, fill in _CASE_FILLS.items()}
    counts = {
        row.extractor: {fill: count for case, fill in key.items() if (count := getattr(row, case))}
        for row in results.rows
    }
    longest = max(sum(parts.values()) for parts in counts.values())
    if not longest:
        return None
    bars = [
        Bar(row.extractor, parts, f"{sum(parts.values()) or 'none'} of {row.documents:,}")
        for row, parts in zip(results.rows, counts.values(), strict=True)
    ]
    described = "; ".join(
        f"{name}: {', '.join(f'{fill.meaning.lower()} {count}' for fill, count in parts.items()) or 'none'}"
        for name, parts in counts.items()
    )
    return Drawing(
        draw_bars({"": bars}, longest, [*key.values()]),
        "Boundary cases and failures",
        f"Stacked horizontal bars that count pages, one for each extractor. {described}.",
    )


# Time: what quality costs, milliseconds a page against F1, a point for each extractor.

#: Milliseconds; a mean below it, as of an extractor that does nothing, is drawn there.
_SHORTEST = 0.01


def _draw_times(results: MeasureResults) -> Drawing | None:
    points = {
        row.extractor: (max(row.milliseconds, _SHORTEST), row.f1)
        for row in results.rows
        if row.f1 is not None and row.milliseconds is not None
    }
    if not points:
        return None
    left, right, below, above, height = 0.56, 0.14, 0.5, 0.34, 3.7
    figure = Figure(figsize=(WIDTH, height))
    axes = _add_axes(figure, left, right, below, above)
    times, values = zip(*points.values(), strict=True)
    axes.set_xscale("log")
    axes.set_xlim(min(times) / 1.8, max(times) * 1.8)
    room = max(0.02, 0.14 * (max(values) - min(values)))
    axes.set_ylim(min(values) - room, max(values) + room)
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0), numticks=12))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_major_locator(MaxNLocator(6))
    axes.minorticks_off()
    axes.grid(visible=True)
    axes.set_xlabel("Milliseconds a page, logarithmic (left is faster)")
    axes.set_title("F1 (up is better)", loc="left", x=-(left - 0.1) / (WIDTH - left - right))
    axes.scatter(times, values, s=38, facecolor=STEP_2, edgecolor=INK, linewidth=0.9, zorder=3)
    frame = Bbox.from_extents(0.0, 0.0, (WIDTH - left - right) * POINTS, (height - above - below) * POINTS)
    _write_names(axes, points, frame)
    figures = "; ".join(f"{name}: {time:.1f} ms, F1 {f1:.3f}" for name, (time, f1) in points.items())
    return Drawing(figure, "Time against F1", f"A point for each extractor, milliseconds a page against F1. {figures}.")


def _write_names(axes: Axes, points: Mapping[str, tuple[float, float]], frame: Bbox) -> None:
    """Write names beside their points; ``frame``: the axes in points of the drawing, whose size is fixed."""
    to_axes = axes.transData + axes.transAxes.inverted()
    fractions = [to_axes.transform(point) for point in points.values()]
    positions = [(float(x) * frame.width, float(y) * frame.height) for x, y in fractions]
    names = [_shorten(name) for name in points]
    labels = place_labels(positions, [_text_size(name) for name in names], frame)
    for name, (x, y), (box, is_far) in zip(names, positions, labels, strict=True):
        left, middle = box.x0, (box.y0 + box.y1) / 2
        if is_far:
            nearest = min(max(x, left), box.x1)
            xs, ys = (x / frame.width, nearest / frame.width), (y / frame.height, middle / frame.height)
            axes.plot(xs, ys, transform=axes.transAxes, color=MUTED, linewidth=0.7, zorder=2)
        _write(axes, left / frame.width, middle / frame.height, name, transform=axes.transAxes)


#: Half the side of a point and its surroundings, in the unit of the boxes.
_POINT = 5.0
#: Directions in which a name is tried: first beside its point, then over and under it, then farther away.
_DIRECTIONS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))
_RINGS = (1.0, 2.0, 3.2, 4.6)


def place_labels(
    points: Sequence[tuple[float, float]], sizes: Sequence[tuple[float, float]], frame: Bbox
) -> list[tuple[Bbox, bool]]:
    """Return for each point where a name of a given width and height goes: the nearest free position within the frame.

    Where none is free, the name goes where it covers least.  Each comes with whether it is so far from its point that
    a line must lead there.
    """
    taken = [Bbox.from_extents(x - _POINT, y - _POINT, x + _POINT, y + _POINT) for x, y in points]

    def cost(label: tuple[Bbox, bool]) -> float:
        box = label[0]
        outside = box.width * box.height - shared_area(box, frame)
        return round(sum(shared_area(box, other) for other in taken) + 4 * outside, 6)

    labels: list[tuple[Bbox, bool]] = []
    for point, size in zip(points, sizes, strict=True):
        best = min(_candidates(point, size), key=cost)
        labels.append(best)
        taken.append(best[0])
    return labels


def shared_area(one: Bbox, other: Bbox) -> float:
    """Return the area that both cover.

    >>> shared_area(Bbox([[0, 0], [2, 2]]), Bbox([[1, 1], [3, 3]]))
    1.0
    """
    shared = Bbox.intersection(one, other)
    return float(shared.width * shared.height) if shared else 0.0


def _candidates(point: tuple[float, float], size: tuple[float, float]) -> Iterator[tuple[Bbox, bool]]:
    (x, y), (width, height) = point, size
    for ring in _RINGS:
        for across, up in _DIRECTIONS:
            reach = _POINT + 1.0 if ring == _RINGS[0] else _POINT + (ring - 1.0) * 14.0
            # A name above or below its point is centred on it, one aslant begins or ends there.
            left = x + across * reach - (0.0 if across > 0 else width if across < 0 else width / 2)
            rise, below = (reach * 0.8 + height / 2, height / 2) if across else (reach, 0.0 if up > 0 else height)
            yield Bbox.from_bounds(left, y + up * rise - below, width, height), ring != _RINGS[0]


_KINDS = MappingProxyType({"bars": _draw_means, "types": _draw_types, "time": _draw_times, "cases": _draw_cases})


# Parts of a drawing.


def _add_axes(figure: Figure, left: float, right: float, below: float, above: float) -> Axes:
    """Add axes within margins."""
    width, height = figure.get_size_inches()
    return figure.add_axes((left / width, below / height, 1 - (left + right) / width, 1 - (below + above) / height))


def _write(axes: Axes, x: float, y: float, text: str, **options: Any) -> None:
    """Write small letters whose middle is at ``y``."""
    axes.text(x, y, text, va="center", size=SMALL, **options)


def _shorten(name: str) -> str:
    """Return a name that fits into a chart.

    >>> _shorten("ref:justext"), _shorten("http://127.0.0.1:9000/extract/article?words=many")
    ('ref:justext', 'http://127.0.0.1:90…article?words=many')
    """
    half = _LONGEST_NAME // 2
    return name if len(name) <= _LONGEST_NAME else f"{name[:half]}…{name[1 - half :]}"


def _text_size(text: str) -> tuple[float, float]:
    width = TextPath((0, 0), text, size=SMALL, usetex=False).get_extents().width if text.strip() else 0.0
    return float(width) + 2.0, SMALL * 1.25


# From a figure to SVG.

_SVG = "http://www.w3.org/2000/svg"
_URL, _LINK = re.compile(r"url\(#([\w.:-]+)\)"), re.compile(r"^#([\w.:-]+)$")
_PAINTS = ("fill", "stroke", "stop-color")


def _to_svg(drawing: Drawing, name: str, title: str) -> str:
    """Turn a figure into SVG, with names for people who do not see it, and without what clashes in a page of many."""
    stream = io.BytesIO()
    canvas: Any = FigureCanvasSVG(drawing.figure)
    canvas.print_svg(stream, metadata={"Date": None})
    root = etree.fromstring(stream.getvalue(), etree.XMLParser(remove_comments=True, resolve_entities=False))
    for metadata in root.findall(f"{{{_SVG}}}metadata"):
        root.remove(metadata)
    _separate_ids(root, name)
    for element in root.iter():
        _paint_by_style(element)
    root.set("role", "img")
    root.set("aria-labelledby", f"{name}-title {name}-desc")
    for position, (tag, text) in enumerate((("title", title), ("desc", drawing.description))):
        element = etree.Element(f"{{{_SVG}}}{tag}", {"id": f"{name}-{tag}"})
        element.text = text
        root.insert(position, element)
    return etree.tostring(root, encoding="unicode")


def _separate_ids(root: Any, name: str) -> None:
    """Drop the ids that nothing refers to, and let the others begin with the chart's name."""
    used = set()
    for element in root.iter():
        for attribute, value in element.attrib.items():
            pattern = _LINK if attribute.endswith("href") else _URL
            used.update(pattern.findall(value))
            element.set(attribute, pattern.sub(lambda match: match[0].replace("#", f"#{name}-"), value))
    for element in root.iter():
        identifier = element.attrib.pop("id", None)
        if identifier in used:
            element.set("id", f"{name}-{identifier}")


def _paint_by_style(element: Any) -> None:
    """Move colours into the style, where custom properties can take their places."""
    paints = [f"{paint}: {value}" for paint in _PAINTS if (value := element.attrib.pop(paint, None)) is not None]
    if paints:
        element.set("style", "; ".join([*paints, *filter(None, [element.get("style")])]))
