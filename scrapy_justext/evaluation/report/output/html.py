"""The report as one page that needs nothing else: no script, no file beside it, no network."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from scrapy_justext.evaluation.report.charts.all import chart_name
from scrapy_justext.evaluation.report.charts.theme import SHADES
from scrapy_justext.evaluation.report.output import words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy_justext.evaluation.report.charts.all import Charts
    from scrapy_justext.evaluation.report.charts.drawing import Chart
    from scrapy_justext.evaluation.report.figures.contents import Contents

_PROPERTIES = {shade.light: f"var(--{name})" for name, shade in SHADES.items()}
_COLOUR = re.compile("|".join(_PROPERTIES))
_OPENING = re.compile(r'(<svg\b[^>]*?) width="[^"]*"(?=[^>]*>)')
_HEIGHT = re.compile(r'(<svg\b[^>]*?) height="[^"]*"(?=[^>]*>)')


def write_html(contents: Contents, charts: Mapping[tuple[str, str], Charts]) -> str:
    """The whole page; ``charts`` by data set and measure."""
    # Whatever comes from a page, a data set or an extractor is escaped: only charts and the style are markup.
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=FunctionLoader(_read_template),
    )
    environment.filters.update(inline=_inline, web_address=web_address)
    return environment.get_template("report.html.j2").render(
        contents=contents,
        charts=charts,
        shades=SHADES,
        words=words,
        anchor=chart_name,
        style=Markup(_read_template("report.css")),
    )


def web_address(url: str | None) -> str | None:
    """An address that a link may lead to; None for any that does something else, such as to run a script.

    >>> web_address("https://example.org/a"), web_address("javascript:alert(1)")
    ('https://example.org/a', None)
    """
    try:
        return url if url and urlsplit(url).scheme in {"http", "https"} else None
    except ValueError:
        return None


def _inline(chart: Chart) -> Markup:
    """A chart in the page's colours, as wide as the page lets it be."""
    svg = _HEIGHT.sub(r"\1", _OPENING.sub(r"\1", chart.svg, count=1), count=1)
    # matplotlib and lxml have escaped every name in it.
    return Markup(_in_style(svg))


def _in_style(svg: str) -> str:
    """Colours by their purposes, in styles alone: in a text they are what somebody wrote."""
    return re.sub(r'style="[^"]*"', lambda style: _COLOUR.sub(lambda colour: _PROPERTIES[colour[0]], style[0]), svg)


def _read_template(name: str) -> str:
    return files(__package__).joinpath("templates", name).read_text("utf-8")
