"""What both kinds of report say in the same words."""

from __future__ import annotations

import re
import sys
from html import escape
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from scrapy_justext.evaluation.report.charts.charts import chart_name, draw_charts
from scrapy_justext.evaluation.report.charts.drawing import SHADES
from scrapy_justext.evaluation.report.results import CUT, EQUAL, EXTRA, MISSED_BOTH, MISSED_FIRST, MISSED_SECOND
from scrapy_justext.evaluation.statistics import RESAMPLES
from scrapy_justext.exceptions import StoreError
from scrapy_justext.files import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from scrapy_justext.evaluation.report.charts.charts import Charts
    from scrapy_justext.evaluation.report.charts.drawing import Chart
    from scrapy_justext.evaluation.report.results import (
        Cell,
        Contents,
        DataSetContents,
        Duel,
        MeasureContents,
        Shown,
        Table,
        TextRun,
    )

TITLE = "How well the extractors did"

NOTES = (
    "Figures run from 0 to 1; the highest F1 of a table stands first, and the highest figure of a column is marked.",
    "± is the sample standard deviation over documents.",
    "Pages with an empty text or no common word are boundary cases: counted apart, and left out of the means of the "
    "measures sequence, character and edit. The measure bag counts them as WCXB does. The figures of the measure "
    "shingle for a data set are the article extraction benchmark's own, not means of documents.",
    "Time is the extractor's own, a page, over the pages on which it did not fail.",
)

SIGNIFICANCE_NOTE = (
    "F1 of documents, row against column. ▲ the row is better, ▼ worse, at 99 %; ≈ the difference may be chance. "
    "Mann-Whitney's test compares all documents that count for either extractor; the paired bootstrap takes the mean "
    f"difference on the n documents that count for both ({RESAMPLES:,} resamples)."
)

DUEL_NOTE = (
    "Where an extractor gave nothing, no right word, or failed, its F1 is taken for 0; pages without content in the "
    "gold standard are left out. Long stretches of text are cut, with a note of how many words."
)

#: What the built-in measures compare.
MEASURES: Mapping[str, str] = MappingProxyType(
    {
        "sequence": "Words in their order: those in the matching blocks of both texts, as difflib finds them.",
        "character": "The characters of the words that the measure sequence matches, so that long words weigh more.",
        "bag": "Words regardless of their order, each as often as it is in both texts, as in WCXB.",
        "shingle": "Runs of four words regardless of their order, as in the article extraction benchmark.",
        "edit": "Words that stay when the fewest words are deleted and inserted to make one text of the other, as in "
        "CleanEval.",
    }
)


class Fact(NamedTuple):
    """Something about a run."""

    term: str
    text: str


def facts(contents: Contents) -> tuple[Fact, ...]:
    """What was run, and how."""
    extractors = ", ".join(f"{name} {version}".strip() for name, version in contents.extractors)
    limit = "all" if contents.limit is None else f"the first {contents.limit:,} of each data set"
    return Fact("Extractors", extractors), Fact("Language", contents.language or "not given"), Fact("Pages", limit)


def data_set_facts(data_set: DataSetContents) -> tuple[Fact, ...]:
    """What a data set is, as far as it is known."""
    pages = Fact("Pages", f"{data_set.pages:,}")
    if data_set.record is None:
        return (pages,)
    return pages, Fact("Kind", data_set.record.kind), Fact("Digest", data_set.record.digest[:16])


def duel_title(duel: Duel) -> str:
    """The heading of a pair."""
    return f"{duel.first} and {duel.second}"


def shown_title(duel: Duel, shown: Shown) -> str:
    """The heading of a page's texts."""
    first, second = shown.difference
    parts = (
        f"{one}: {'no F1' if scores.f1 is None else f'F1 {scores.f1:.3f}'}"
        for one, scores in ((duel.first, first), (duel.second, second))
    )
    return f"{shown.difference.id} ({'; '.join(parts)})"


def marks(duel: Duel) -> Mapping[str, str]:
    """What the marks in the texts mean."""
    return MappingProxyType(
        {
            EXTRA: "not in the gold standard",
            MISSED_BOTH: "missed by both",
            MISSED_FIRST: f"missed by {duel.first} alone",
            MISSED_SECOND: f"missed by {duel.second} alone",
        }
    )


def measure_note(measure: MeasureContents) -> str:
    """What a measure compares."""
    return MEASURES.get(measure.name, measure.source)


# The report as one page that needs nothing else: no script, no file beside it, no network.

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
        words=sys.modules[__name__],
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


# The report as Markdown, with charts in a folder beside it, as GitHub and others show it.

CHARTS_FOLDER = "charts"

_SPECIAL = re.compile(r"([\\`*_\[\]<>|~&#!$])")
#: Elements that are shown in Markdown too; styles are not.
_ELEMENTS = {EXTRA: "ins", MISSED_BOTH: "del", MISSED_FIRST: "del", MISSED_SECOND: "del", CUT: "em"}
_SIGNS = {MISSED_FIRST: "¹", MISSED_SECOND: "²"}


def write_markdown(contents: Contents, charts: Mapping[tuple[str, str], Charts]) -> str:
    """The whole report; ``charts`` by data set and measure."""
    blocks = [
        f"# {TITLE}",
        _list(facts(contents)),
        "\n".join(f"- {escape_text(one)}" for one in NOTES),
    ]
    for data_set in contents.data_sets:
        blocks += _data_set(data_set, charts)
    return "\n\n".join(blocks) + "\n"


def escape_text(text: str) -> str:
    r"""A text that is no markup, on one line.

    >>> print(escape_text("a*b* | <i>"))
    a\*b\* \| \<i\>
    """
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def _data_set(data_set: DataSetContents, charts: Mapping[tuple[str, str], Charts]) -> Iterator[str]:
    yield f"## Data set {escape_text(data_set.name)}"
    yield _list(data_set_facts(data_set))
    yield from _table(data_set.overview)
    for measure in data_set.measures:
        yield from _measure(measure, charts[data_set.name, measure.name])
    yield "### Pages on which extractors differ most"
    if data_set.note:
        yield escape_text(data_set.note)
    elif data_set.duels:
        yield escape_text(DUEL_NOTE)
    for duel in data_set.duels:
        yield from _duel(duel)


def _measure(measure: MeasureContents, charts: Charts) -> Iterator[str]:
    yield f"### Measure {escape_text(measure.name)}"
    yield escape_text(measure_note(measure))
    yield from _table(measure.figures)
    yield from (_image(chart) for chart in charts.drawn)
    if charts.cases is None:
        yield "No page was a boundary case, and none failed."
    for table in measure.page_types:
        yield from _table(table)
    if measure.mann_whitney and measure.bootstrap:
        yield escape_text(SIGNIFICANCE_NOTE)
        yield from _table(measure.mann_whitney)
        yield from _table(measure.bootstrap)
    yield f"<details><summary>{escape(measure.distribution.caption)}</summary>"
    yield from _table(measure.distribution)
    yield "</details>"


def _duel(duel: Duel) -> Iterator[str]:
    yield f"#### {escape_text(duel_title(duel))}"
    if duel.note:
        yield escape_text(duel.note)
    if duel.table:
        yield from _table(duel.table)
    for shown in duel.documents:
        yield _shown(duel, shown)


def _shown(duel: Duel, shown: Shown) -> str:
    """A page's texts as elements without an empty line between them, where Markdown is not looked for."""
    parts = [f"<details><summary>{_one_line(shown_title(duel, shown))}</summary>"]
    if shown.url:
        parts.append(f"<p>{_one_line(shown.url)}</p>")
    if shown.note:
        parts.append(f"<p>{_one_line(shown.note)}</p>")
    if shown.marked:
        key = "; ".join(f"{_run_in(kind, _SIGNS.get(kind, '') + meaning)}" for kind, meaning in marks(duel).items())
        heads = "".join(
            f"<th scope='col'>{_one_line(name)}</th>" for name in ("Gold standard", duel.first, duel.second)
        )
        cells = "".join(f"<td>{_runs(runs)}</td>" for runs in shown.marked)
        parts += [f"<p>{key}</p>", f"<table><tr>{heads}</tr>", f"<tr valign='top'>{cells}</tr></table>"]
    return "\n".join([*parts, "</details>"])


def _runs(runs: Iterable[TextRun]) -> str:
    return "".join(_run_in(run.kind, _SIGNS.get(run.kind, "") + run.text) for run in runs)


def _run_in(kind: str, text: str) -> str:
    """Line breaks are elements: an empty line would end the element for Markdown."""
    shown = "<br>".join(escape(line) for line in text.splitlines()) + ("<br>" if text.endswith("\n") else "")
    return shown if kind == EQUAL else f"<{_ELEMENTS[kind]}>{shown}</{_ELEMENTS[kind]}>"


def _one_line(text: str) -> str:
    return escape(" ".join(text.split()))


def _image(chart: Chart) -> str:
    return f"![{escape_text(f'{chart.title}. {chart.description}')}]({CHARTS_FOLDER}/{chart.name}.svg)"


def _list(facts: Iterable[Fact]) -> str:
    return "\n".join(f"- {fact.term}: {escape_text(fact.text)}" for fact in facts)


def _table(table: Table) -> tuple[str, str]:
    """A caption and a table; titles over several columns go into the heads of each."""
    over = [group.title for group in table.groups for _ in range(group.span)] or [""] * len(table.heads)
    heads = [f"{title}, {head}" if title else head for title, head in zip(over, table.heads, strict=True)]
    lines = [
        _line([table.corner, *heads]),
        "|" + " --- |" + " ---: |" * len(heads),
        *("| " + " | ".join([_beside(line.head, line.aside), *map(_cell, line.cells)]) + " |" for line in table.lines),
    ]
    return f"**{escape_text(table.caption)}**", "\n".join(lines)


def _line(texts: Iterable[str]) -> str:
    return "| " + " | ".join(map(escape_text, texts)) + " |"


def _cell(cell: Cell) -> str:
    text = _beside(cell.text, cell.aside)
    return f"**{text}**" if cell.strong else text


def _beside(text: str, aside: str) -> str:
    return " ".join(filter(None, [escape_text(text), escape_text(aside)]))


# Writes the report's files into the folder of a run: all are made before the first is written.

MARKDOWN_FILE = "report.md"
HTML_FILE = "report.html"


def write_report(out: Path, contents: Contents) -> tuple[Path, Path]:
    """Write Markdown, its charts and HTML; the paths of the two reports.  Raises :class:`StoreError`."""
    charts = {
        (data_set.name, measure.name): draw_charts(place, data_set, measure)
        for place, data_set in enumerate(contents.data_sets, 1)
        for measure in data_set.measures
    }
    files = {
        **{f"{CHARTS_FOLDER}/{one.name}.svg": one.svg for drawn in charts.values() for one in drawn.drawn},
        MARKDOWN_FILE: write_markdown(contents, charts),
        HTML_FILE: write_html(contents, charts),
    }
    try:
        (out / CHARTS_FOLDER).mkdir(exist_ok=True)
        for name, text in files.items():
            write_whole(out / name, text.encode("utf-8", "replace"))
    except OSError as error:
        raise StoreError(f"{error.filename or out} cannot be written: {error.strerror}") from error
    return out / MARKDOWN_FILE, out / HTML_FILE
