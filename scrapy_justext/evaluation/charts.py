"""The charts of a report on a measure.

One function, :func:`draw_bars`, draws all charts of bars from groups of bars; the other chart has a point for each
extractor.  matplotlib draws a chart in light colours, the same bytes for the same figures.  In a page, each colour has
its dark counterpart beside it, so that a chart follows the reader's choice.  Kinds of marks differ in luminance and
hatches, never in hue alone.
"""

from __future__ import annotations

import io
import re
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import matplotlib as mpl
from lxml import etree
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.textpath import TextPath
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter
from matplotlib.transforms import Affine2D, Bbox, BboxTransformFrom

from scrapy_justext.evaluation.tables import CASE_TITLES, SCORE_TITLES, format_figure

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from matplotlib.axes import Axes

    from scrapy_justext.evaluation.scoring import ExtractorRow, MeasureResults


#: Colours, each in light and in dark surroundings; no two light ones are equal.
SHADES: Mapping[str, tuple[str, str]] = {
    "surface": ("#ffffff", "#14181d"),
    "ink": ("#1c2128", "#e6ebf0"),
    "muted": ("#56606b", "#a3aeb9"),
    "grid": ("#d9dee3", "#333b44"),
    # From the loudest to the quietest: four steps of luminance, each with a hatch of its own.
    "step-1": ("#1f5a94", "#8fc1f2"),
    "step-2": ("#7fabd6", "#4d81b5"),
    "step-3": ("#c3d9ee", "#2c4a68"),
    "step-4": ("#eff5fb", "#1d2a37"),
    # A failure is no shade of the others.
    "failure": ("#3a3030", "#f0dcd6"),
}
SURFACE, INK, MUTED, GRID, STEP_1, STEP_2, STEP_3, STEP_4, FAILURE = (light for light, _ in SHADES.values())

# All lengths are in inches, but for sizes of letters, which are in points.

#: So narrow that the smallest text can still be read where a chart is as wide as a telephone.
WIDTH = 4.8
#: Points in an inch; sizes of letters; how much wider bold letters are.
POINTS, TEXT, SMALL, _BOLD = 72, 9.0, 8.0, 1.12
#: A name longer than this many characters is cut in its middle.
_LONGEST_NAME = 38

#: Its type is not told: matplotlib lists every name that it knows.
_STYLE: dict[Any, Any] = {
    "font.family": ["DejaVu Sans"],
    "font.size": TEXT,
    **dict.fromkeys(("axes.titlesize", "axes.labelsize", "xtick.labelsize", "ytick.labelsize"), SMALL),
    **dict.fromkeys(("text.color", "axes.labelcolor", "xtick.labelcolor", "ytick.labelcolor"), INK),
    **dict.fromkeys(("axes.edgecolor", "xtick.color", "ytick.color"), MUTED),
    "text.parse_math": False,
    "axes.facecolor": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "figure.facecolor": SURFACE,
    "grid.color": GRID,
    "hatch.linewidth": 0.7,
    "svg.fonttype": "none",
}


class Chart(NamedTuple):
    """A drawing and what it says in words.  ``name``: unique in a report, of letters, digits and hyphens."""

    name: str
    title: str
    description: str
    svg: str


def draw_charts(prefix: str, results: MeasureResults) -> dict[str, Chart]:
    """Draw the charts of a measure for which there are figures; ``prefix``: how their names begin."""
    charts = {}
    for kind, (title, draw) in _KINDS.items():
        name = f"{prefix}-{kind}"
        # The ids in a drawing follow from its name.  A browser has the letters that the font at hand lacks.
        with mpl.rc_context({**_STYLE, "svg.hashsalt": name}), warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)
            drawn = draw(results)
            if drawn is not None:
                texts = f"{title}: {results.subject}", drawn[1]
                charts[kind] = Chart(name, *texts, _to_svg(drawn[0], name, *texts))
    return charts


#: A figure, and what it says in words.
DrawnFigure = tuple[Figure, str]


# Charts of bars.


class Fill(NamedTuple):
    """How an area is painted, in which colour its edges, hatches and number are, and what a key says of it."""

    colour: str
    hatch: str = ""
    edge: str = INK
    number: str = INK
    meaning: str = ""


class Bar(NamedTuple):
    """A bar: its parts from the left with their lengths, what stands behind it, and how far whiskers reach."""

    name: str
    parts: Mapping[Fill, float]
    note: str
    deviation: float = 0.0
    is_bold: bool = False


#: A share of the axis: a narrower part of a stack has no number.
_NARROWEST = 0.045


def draw_bars(groups: Mapping[str, Sequence[Bar]], longest: float, key: Sequence[Fill] = ()) -> Figure:
    """Draw bars below the titles of their groups; the axis ends at ``longest``, the meanings of ``key`` stand above."""
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
        # Seen on any colour.
        for colour, width, cap in ((SURFACE, 3.2, 7.2), (INK, 1.2, 5.2)):
            caps: dict[str, Any] = {"marker": "|", "markersize": cap, "markeredgewidth": width}
            axes.plot(ends, (y, y), color=colour, linewidth=width, zorder=4, **caps)


def _describe(groups: Mapping[str, Sequence[Bar]]) -> str:
    bars = {title: ", ".join(f"{bar.name} {bar.note}" for bar in group) for title, group in groups.items()}
    return "; ".join(map("{}: {}".format, bars, bars.values()))


_SCORE_FILLS = {"f1": Fill(STEP_1), "precision": Fill(STEP_2, "///"), "recall": Fill(STEP_4)}


def _draw_means(results: MeasureResults) -> DrawnFigure:
    """Draw precision, recall and F1 of each extractor, with standard deviations as whiskers."""

    def bar(row: ExtractorRow, score: str, fill: Fill) -> Bar:
        value, deviation = getattr(row, score), getattr(row, f"{score}_sd") or 0.0
        note = format_figure(value, 3) if value is None else f"{value:.3f} ± {deviation:.3f}"
        return Bar(SCORE_TITLES[score], {fill: value or 0.0}, note, deviation, is_bold=score == "f1")

    groups = {row.extractor: [bar(row, score, fill) for score, fill in _SCORE_FILLS.items()] for row in results.rows}
    return draw_bars(groups, 1.0), (
        "Horizontal bars from 0 to 1 for each extractor, the highest F1 first; whiskers reach one standard deviation "
        f"to either side, within 0 and 1. {_describe(groups)}."
    )


#: How the names of other libraries begin; their bars are quieter.
_PEERS = "ref:"


def _draw_types(results: MeasureResults) -> DrawnFigure | None:
    """Draw F1 on the pages of each type, a bar for each extractor."""
    if not results.page_types:
        return None

    def bar(row: ExtractorRow) -> Bar:
        is_ours = not row.extractor.startswith(_PEERS)
        fill = Fill(STEP_1 if is_ours else STEP_3)
        return Bar(row.extractor, {fill: row.f1 or 0.0}, format_figure(row.f1, 3), is_bold=is_ours)

    types = {page_type: [*map(bar, rows)] for page_type, rows in results.page_types.items()}
    titled = {f"{name} ({results.pages_of(name):,})": bars for name, bars in types.items()}
    return draw_bars(titled, 1.0), (
        f"Horizontal bars from 0 to 1 for each page type, the extractor with the highest F1 first. {_describe(types)}."
    )


_CASE_FILLS = {
    "retrieved_empty": Fill(STEP_1, number=SURFACE, meaning=CASE_TITLES["retrieved_empty"]),
    "relevant_empty": Fill(STEP_2, "///", meaning=CASE_TITLES["relevant_empty"]),
    "both_empty": Fill(STEP_3, meaning=CASE_TITLES["both_empty"]),
    "mismatch": Fill(STEP_4, "xxx", meaning=CASE_TITLES["mismatch"]),
    "failed": Fill(FAILURE, "\\\\\\", edge=SURFACE, number=SURFACE, meaning=CASE_TITLES["failed"]),
}


def _draw_cases(results: MeasureResults) -> DrawnFigure | None:
    """Draw how many pages are special cases of a measure, stacked by the cases."""
    bars = []
    for row in results.rows:
        parts = {fill: count for case, fill in _CASE_FILLS.items() if (count := getattr(row, case))}
        bars.append(Bar(row.extractor, parts, f"{sum(parts.values()) or 'none'} of {row.documents:,}"))
    longest = max(sum(bar.parts.values()) for bar in bars)
    if not longest:
        return None
    described = "; ".join(
        f"{bar.name}: {', '.join(f'{fill.meaning.lower()} {count}' for fill, count in bar.parts.items()) or 'none'}"
        for bar in bars
    )
    return draw_bars({"": bars}, longest, [*_CASE_FILLS.values()]), (
        f"Stacked horizontal bars that count pages, one for each extractor. {described}."
    )


# Time: what quality costs, milliseconds a page against F1, a point for each extractor.

#: Milliseconds; a mean below it, as of an extractor that does nothing, is drawn there.
_SHORTEST = 0.01


def _draw_times(results: MeasureResults) -> DrawnFigure | None:
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
    # Names stand in points of the drawing, whose size is fixed.
    to_frame = axes.transData + axes.transAxes.inverted() + Affine2D().scale(frame.width, frame.height)
    from_frame = BboxTransformFrom(frame) + axes.transAxes
    positions = [(float(x), float(y)) for x, y in map(to_frame.transform, points.values())]
    names = [_shorten(name) for name in points]
    labels = place_labels(positions, [_text_size(name) for name in names], frame)
    for name, (x, y), label in zip(names, positions, labels, strict=True):
        middle = (label.y0 + label.y1) / 2
        if middle != y:
            nearest = label.x0 if label.x0 > x else label.x1
            axes.plot((x, nearest), (y, middle), transform=from_frame, color=MUTED, linewidth=0.7, zorder=2)
        _write(axes, label.x0, middle, name, transform=from_frame)
    figures = "; ".join(f"{name}: {time:.1f} ms, F1 {f1:.3f}" for name, (time, f1) in points.items())
    return (figure, f"A point for each extractor, milliseconds a page against F1. {figures}.")


#: Half the side of a point and its surroundings, in points of the drawing.
_POINT = 5.0


def place_labels(
    points: Sequence[tuple[float, float]], sizes: Sequence[tuple[float, float]], frame: Bbox
) -> list[Bbox]:
    """Return where each name goes: beside its point, else farther up or down, in the frame and over nothing else."""
    taken = [Bbox.from_bounds(x - _POINT, y - _POINT, 2 * _POINT, 2 * _POINT) for x, y in points]

    def cost(label: Bbox) -> int:
        is_inside = all(frame.contains(*corner) for corner in (label.min, label.max))
        return label.count_overlaps(taken) + (0 if is_inside else 1)

    for (x, y), (width, height) in zip(points, sizes, strict=True):
        places = [
            Bbox.from_bounds(left, y - height / 2 + lines * height, width, height)
            for lines in (0, 1, -1, 2, -2, 3, -3, 4, -4)
            for left in (x + _POINT + 1, x - _POINT - 1 - width)
        ]
        taken.append(min(places, key=cost))
    return taken[len(points) :]


_KINDS: Mapping[str, tuple[str, Callable[[MeasureResults], DrawnFigure | None]]] = {
    "bars": ("Mean precision, recall and F1", _draw_means),
    "types": ("F1 by page type", _draw_types),
    "time": ("Time against F1", _draw_times),
    "cases": ("Boundary cases and failures", _draw_cases),
}


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
_REFERENCE = re.compile(rb'(?:url\(|href=")#([\w.:-]+)')
_PAINTS = ("fill", "stroke", "stop-color")
#: What matplotlib would say of the file.
_WITHOUT_METADATA = dict.fromkeys(("Creator", "Date", "Format", "Type"))


def _to_svg(figure: Figure, name: str, title: str, description: str) -> str:
    """Turn a figure into SVG, with names for people who do not see it, and without ids that clash with other charts."""
    stream = io.BytesIO()
    canvas: Any = FigureCanvasSVG(figure)
    canvas.print_svg(stream, metadata=_WITHOUT_METADATA)
    drawn = stream.getvalue()
    root = etree.fromstring(drawn, etree.XMLParser(remove_comments=True, resolve_entities=False))
    # These are hashes, salted with the chart's name; other ids are in every chart.
    referred = {reference.decode() for reference in _REFERENCE.findall(drawn)}
    for element in root.iter():
        attributes: Any = element.attrib
        if attributes.get("id") not in referred:
            attributes.pop("id", None)
        # Colours for light and dark surroundings can stand in a style alone.
        paints = [f"{paint}: {value}" for paint in _PAINTS if (value := attributes.pop(paint, None)) is not None]
        if paints:
            attributes["style"] = "; ".join([*paints, *filter(None, [attributes.get("style")])])
    root.set("role", "img")
    root.set("aria-labelledby", f"{name}-title {name}-desc")
    for position, (tag, text) in enumerate((("title", title), ("desc", description))):
        element = etree.Element(f"{{{_SVG}}}{tag}", {"id": f"{name}-{tag}"})
        element.text = text
        root.insert(position, element)
    return etree.tostring(root, encoding="unicode")
