"""What all charts share: size, type, and the way to SVG."""

from __future__ import annotations

import io
import re
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import matplotlib as mpl
from lxml import etree
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from scrapy_justext.evaluation.report.charts.theme import GRID, INK, MUTED, SURFACE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from matplotlib.axes import Axes

#: Inches; so narrow that the smallest text can still be read where a chart is as wide as a telephone.
WIDTH = 4.8

#: In an inch.
POINTS = 72

#: Sizes of letters in points.
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

_SVG = "http://www.w3.org/2000/svg"
_URL, _LINK = re.compile(r"url\(#([\w.:-]+)\)"), re.compile(r"^#([\w.:-]+)$")
_PAINTS = ("fill", "stroke", "stop-color")


class Chart(NamedTuple):
    """A drawing and what it says in words."""

    name: str
    """Unique in a report, of letters, digits and hyphens."""
    title: str
    description: str
    svg: str


def draw(name: str, title: str, description: str, height: float, paint: Callable[[Figure], None]) -> Chart:
    """A chart that ``paint`` draws, ``height`` inches high."""
    with _style(name):
        figure = Figure(figsize=(WIDTH, height))
        paint(figure)
        stream = io.BytesIO()
        canvas: Any = FigureCanvasSVG(figure)
        canvas.print_svg(stream, metadata={"Date": None})
    return Chart(name, title, description, _finish(stream.getvalue(), name, title, description))


def shorten(name: str) -> str:
    """A name that fits into a chart.

    >>> shorten("ref:justext"), shorten("http://127.0.0.1:9000/extract/article?words=many")
    ('ref:justext', 'http://127.0.0.1:90…article?words=many')
    """
    if len(name) <= _LONGEST_NAME:
        return name
    half = _LONGEST_NAME // 2
    return f"{name[:half]}…{name[1 - half :]}"


def strip_axes(axes: Axes) -> None:
    """Leave of the axes only the one below."""
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)


def heading(axes: Axes, y: float, text: str) -> None:
    """A name at the left edge, over what belongs to it."""
    axes.text(0, y, text, transform=axes.get_yaxis_transform(), ha="left", va="center", weight="bold", clip_on=False)


def halo(axes: Axes, xs: tuple[float, float], y: float) -> None:
    """A line from one value to another that is seen on any colour: a whisker with caps."""
    for colour, width, cap in ((SURFACE, 3.2, 7.2), (INK, 1.2, 5.2)):
        line = Line2D(xs, (y, y), color=colour, linewidth=width, marker="|", zorder=4)
        line.set_markersize(cap)
        line.set_markeredgewidth(width)
        axes.add_line(line)


@contextmanager
def _style(name: str) -> Iterator[None]:
    with mpl.rc_context({**_STYLE, "svg.hashsalt": name}), warnings.catch_warnings():
        # A browser has the letters that the font at hand lacks.
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)
        yield


def _finish(svg: bytes, name: str, title: str, description: str) -> str:
    """The drawing with its names for people who do not see it, and without what would clash in a page of many."""
    root = etree.fromstring(svg, etree.XMLParser(remove_comments=True, resolve_entities=False))
    for metadata in root.findall(f"{{{_SVG}}}metadata"):
        root.remove(metadata)
    _separate_ids(root, name)
    for element in root.iter():
        _paint_by_style(element)
    root.set("role", "img")
    root.set("aria-labelledby", f"{name}-title {name}-desc")
    for place, (tag, text) in enumerate((("title", title), ("desc", description))):
        element = etree.Element(f"{{{_SVG}}}{tag}", {"id": f"{name}-{tag}"})
        element.text = text
        root.insert(place, element)
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
    """Colours as style, where custom properties can take their places."""
    paints = [f"{paint}: {value}" for paint in _PAINTS if (value := element.attrib.pop(paint, None)) is not None]
    if paints:
        element.set("style", "; ".join([*paints, *filter(None, [element.get("style")])]))
