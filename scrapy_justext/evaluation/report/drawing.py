"""What the charts of a report share: colours, sizes, parts of a drawing, and the way from a figure to SVG.

A chart is drawn by matplotlib in light colours, the same bytes for the same figures.  In a page, custom properties take
the places of the colours, so that a chart follows the reader's choice.  Kinds of marks are told apart by luminance and
hatches, never by hue alone.
"""

from __future__ import annotations

import io
import re
import warnings
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import matplotlib as mpl
from lxml import etree
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.lines import Line2D

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


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


class Fill(NamedTuple):
    """How an area is painted."""

    colour: str
    hatch: str = ""
    edge: str = INK
    """The colour of edges and hatches."""
    number: str = INK
    """The colour of a number on the area."""


# All lengths are in inches, but for sizes of letters, which are in points.

#: So narrow that the smallest text can still be read where a chart is as wide as a telephone.
WIDTH = 4.8

#: In an inch.
POINTS = 72

#: Sizes of letters.
TEXT, SMALL = 9.0, 8.0

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
    "axes.titlesize": TEXT,
    "axes.unicode_minus": True,
    "axes.axisbelow": True,
    "figure.facecolor": SURFACE,
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "hatch.linewidth": 0.7,
    "svg.fonttype": "none",
    "xtick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.color": MUTED,
    "ytick.labelcolor": INK,
}


class Chart(NamedTuple):
    """A drawing and what it says in words."""

    name: str
    """Unique in a report, of letters, digits and hyphens."""
    title: str
    description: str
    svg: str


@contextmanager
def chart_style(name: str) -> Iterator[None]:
    """Draw in the style of all charts, with ids that follow from the chart's name alone."""
    with mpl.rc_context({**_STYLE, "svg.hashsalt": name}), warnings.catch_warnings():
        # A browser has the letters that the font at hand lacks.
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)
        yield


def add_axes(figure: Figure, margins: tuple[float, float, float, float]) -> Axes:
    """Add axes within margins to the left and right, below and above."""
    left, right, below, above = margins
    width, height = figure.get_size_inches()
    return figure.add_axes((left / width, below / height, 1 - (left + right) / width, 1 - (below + above) / height))


def set_lines(axes: Axes, height: float) -> None:
    """Let the axes hold lines from top to bottom, in inches, over a single axis."""
    axes.set_ylim(height, 0)
    axes.grid(visible=True, axis="x")
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)


def write_name(axes: Axes, x: float, y: float, name: str) -> None:
    """Write an extractor's name over what belongs to it; ``x``: in widths of the axes."""
    transform = axes.get_yaxis_transform()
    axes.text(x, y, shorten(name), transform=transform, ha="left", va="center", weight="bold", clip_on=False)


def write_small(axes: Axes, x: float, y: float, text: str, **options: Any) -> None:
    """Write small letters whose middle is at ``y``."""
    axes.text(x, y, text, va="center", size=SMALL, **options)


def shorten(name: str) -> str:
    """Return a name that fits into a chart.

    >>> shorten("ref:justext"), shorten("http://127.0.0.1:9000/extract/article?words=many")
    ('ref:justext', 'http://127.0.0.1:90…article?words=many')
    """
    if len(name) <= _LONGEST_NAME:
        return name
    half = _LONGEST_NAME // 2
    return f"{name[:half]}…{name[1 - half :]}"


def draw_area(axes: Axes, fill: Fill, xs: tuple[float, float], y: float, height: float) -> None:
    """Draw a horizontal bar, or a part of one."""
    low, high = xs
    (area,) = axes.barh(y, high - low, height, low, color=fill.colour, edgecolor=fill.edge, linewidth=0.6, zorder=2)
    area.set_hatch(fill.hatch)


def draw_whisker(axes: Axes, xs: tuple[float, float], y: float) -> None:
    """Draw a line with caps that is seen on any colour."""
    for colour, width, cap in ((SURFACE, 3.2, 7.2), (INK, 1.2, 5.2)):
        caps: dict[str, Any] = {"marker": "|", "markersize": cap, "markeredgewidth": width}
        axes.add_line(Line2D(xs, (y, y), color=colour, linewidth=width, zorder=4, **caps))


# Where the names of points go so that they cover neither each other nor a point.

#: Half the side of a point and its surroundings, in the unit of the boxes.
_POINT = 5.0

#: Directions in which a name is tried: first beside its point, then over and under it, then farther away.
_DIRECTIONS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))
_RINGS = (1.0, 2.0, 3.2, 4.6)


class Box(NamedTuple):
    """A rectangle."""

    left: float
    bottom: float
    right: float
    top: float

    @property
    def area(self) -> float:
        """Its area."""
        return (self.right - self.left) * (self.top - self.bottom)

    def overlap(self, other: Box) -> float:
        """Return the area that both cover.

        >>> Box(0, 0, 2, 2).overlap(Box(1, 1, 3, 3)), Box(0, 0, 1, 1).overlap(Box(2, 0, 3, 1))
        (1, 0)
        """
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.top, other.top) - max(self.bottom, other.bottom)
        return width * height if width > 0 and height > 0 else 0


def place_labels(
    points: Sequence[tuple[float, float]], sizes: Sequence[tuple[float, float]], frame: Box
) -> list[tuple[Box, bool]]:
    """Return for each point where a name of a given width and height goes: the nearest free position within the frame.

    Where none is free, the name goes where it covers least.  Each comes with whether it is so far from its point that
    a line must lead there.
    """
    taken = [Box(x - _POINT, y - _POINT, x + _POINT, y + _POINT) for x, y in points]
    labels: list[tuple[Box, bool]] = []
    for point, size in zip(points, sizes, strict=True):
        best = min(_candidates(point, size), key=lambda label: _cost(label[0], taken, frame))
        labels.append(best)
        taken.append(best[0])
    return labels


def _candidates(point: tuple[float, float], size: tuple[float, float]) -> Iterator[tuple[Box, bool]]:
    (x, y), (width, height) = point, size
    for ring in _RINGS:
        for across, up in _DIRECTIONS:
            reach = _POINT + 1.0 if ring == _RINGS[0] else _POINT + (ring - 1.0) * 14.0
            # A name above or below its point is centred on it, one aslant begins or ends there.
            left = x + across * reach - (0.0 if across > 0 else width if across < 0 else width / 2)
            rise, below = (reach * 0.8 + height / 2, height / 2) if across else (reach, 0.0 if up > 0 else height)
            bottom = y + up * rise - below
            yield Box(left, bottom, left + width, bottom + height), ring != _RINGS[0]


def _cost(box: Box, taken: Sequence[Box], frame: Box) -> float:
    outside = box.area - box.overlap(frame)
    return round(sum(box.overlap(other) for other in taken) + 4 * outside, 6)


# From a figure to SVG.

_SVG = "http://www.w3.org/2000/svg"
_URL, _LINK = re.compile(r"url\(#([\w.:-]+)\)"), re.compile(r"^#([\w.:-]+)$")
_PAINTS = ("fill", "stroke", "stop-color")


def to_chart(figure: Figure, name: str, title: str, description: str) -> Chart:
    """Turn a figure into SVG, with names for people who do not see it, and without what clashes in a page of many."""
    stream = io.BytesIO()
    canvas: Any = FigureCanvasSVG(figure)
    canvas.print_svg(stream, metadata={"Date": None})
    root = etree.fromstring(stream.getvalue(), etree.XMLParser(remove_comments=True, resolve_entities=False))
    for metadata in root.findall(f"{{{_SVG}}}metadata"):
        root.remove(metadata)
    _separate_ids(root, name)
    for element in root.iter():
        _paint_by_style(element)
    root.set("role", "img")
    root.set("aria-labelledby", f"{name}-title {name}-desc")
    for position, (tag, text) in enumerate((("title", title), ("desc", description))):
        element = etree.Element(f"{{{_SVG}}}{tag}", {"id": f"{name}-{tag}"})
        element.text = text
        root.insert(position, element)
    return Chart(name, title, description, etree.tostring(root, encoding="unicode"))


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
