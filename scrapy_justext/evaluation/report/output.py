"""The report as Markdown and as one page of HTML: a template for each, and one with the notes that both have.

Whatever comes from a page, a data set or an extractor is escaped, in Markdown as in HTML.  Only templates, charts and
what :func:`mark_run` makes are markup.  The page of HTML needs nothing else: no script, no file beside it, no network.
The charts of the Markdown lie in a folder beside it, as GitHub and others show them.
"""

from __future__ import annotations

import re
from functools import partial
from html import escape
from typing import TYPE_CHECKING

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from scrapy_justext.evaluation.report import tables
from scrapy_justext.evaluation.report.charts import SHADES, draw_charts
from scrapy_justext.evaluation.report.differences import CUT, EQUAL, EXTRA, MISSED_BOTH, MISSED_FIRST, MISSED_SECOND
from scrapy_justext.evaluation.statistics import RESAMPLES
from scrapy_justext.exceptions import StoreError
from scrapy_justext.files import write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from scrapy_justext.evaluation.report.charts import Chart
    from scrapy_justext.evaluation.report.differences import ExtractorPair
    from scrapy_justext.evaluation.report.results import DataSetResults, RunRecords

MARKDOWN_FILE = "report.md"
HTML_FILE = "report.html"
CHARTS_FOLDER = "charts"

_MARKDOWN = re.compile(r"([\\`*_\[\]<>|~&#!$])")
#: Elements that Markdown shows too; styles it does not.
_ELEMENTS = {EXTRA: "ins", MISSED_BOTH: "del", MISSED_FIRST: "del", MISSED_SECOND: "del", CUT: "em"}
_SIGNS = {MISSED_FIRST: "¹", MISSED_SECOND: "²"}

#: The colours of charts in our own page, and in one that is not ours, for its ``color-scheme``.
_PROPERTIES = {shade.light: f"var(--{name})" for name, shade in SHADES.items()}
_OF_ANY_PAGE = {shade.light: f"light-dark({shade.light}, {shade.dark})" for shade in SHADES.values()}
_COLOUR = re.compile("|".join(_PROPERTIES))


def write_report(
    records: RunRecords,
    results: Sequence[DataSetResults],
    compared_by: str,
    pairs: Mapping[str, Sequence[ExtractorPair]],
) -> list[Path]:
    """Write Markdown, its charts and HTML into the folder of a run, and return the paths of the two reports.

    ``pairs``: by the names of data sets, extractors that are compared document by document by the measure
    ``compared_by``.  All is made before the first file is written.  Raises :class:`StoreError`.
    """
    anchors = {data_set.name: _make_anchor(number, data_set.name) for number, data_set in enumerate(results, 1)}
    charts = {
        measure.subject: draw_charts(f"{anchors[data_set.name]}-{measure.measure}", measure)
        for data_set in results
        for measure in data_set.measures.values()
    }
    files = {f"{CHARTS_FOLDER}/{chart.name}.svg": chart.svg for drawn in charts.values() for chart in drawn.values()}
    values = {"data_sets": results, "anchors": anchors, "charts": charts, "run_facts": _describe_run(records)}
    values |= {"compared_by": compared_by, "pairs": pairs}
    files[MARKDOWN_FILE] = environment_of(escape_markdown).get_template("report.md.j2").render(values)
    files[HTML_FILE] = environment_of(str).get_template("report.html.j2").render(values)
    return _write(records.folder, files)[-2:]


def write_figures(
    folder: Path, records: RunRecords, results: Sequence[DataSetResults], measure: str, names: Mapping[str, str]
) -> list[Path]:
    """Write what other pages can include of a measure, and return the paths: for each data set a table, and charts.

    ``SET-MEASURE.md`` is the table of means, below what was run; ``SET-MEASURE-types.svg`` and ``-time.svg`` are charts
    in colours that follow the page around them.  ``names``: what extractors are called in them.  Raises
    :class:`StoreError`.
    """
    files: dict[str, str] = {}
    for data_set in results:
        if measure not in data_set.measures:
            continue
        name = f"{_slug(data_set.name)}-{measure}"
        shown = data_set.measures[measure].renamed(names)
        extractors = "; ".join(f"{row.extractor} {row.version}".strip() for row in shown.rows)
        facts = {**_describe_run(records), "Extractors": extractors, **_describe_data_set(data_set)}
        values = {"table": tables.figures_table(shown), "facts": facts}
        files[f"{name}.md"] = environment_of(escape_markdown).get_template("figures.md.j2").render(values)
        charts = draw_charts(name, shown)
        for kind in ("types", "time"):
            if kind in charts:
                files[f"{name}-{kind}.svg"] = inline(charts[kind], _OF_ANY_PAGE)
    return _write(folder, files)


def _write(folder: Path, files: Mapping[str, str]) -> list[Path]:
    """Write texts into files below a folder, and return their paths.  Raises :class:`StoreError`."""
    paths = [folder / name for name in files]
    try:
        for path, text in zip(paths, files.values(), strict=True):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, f"{text.strip()}\n".encode("utf-8", "replace"))
    except OSError as error:
        raise StoreError(f"{error.filename or folder} cannot be written: {error.strerror}") from error
    return paths


def _make_anchor(number: int, data_set: str) -> str:
    """Return a name for files and anchors, different for different numbers.

    >>> _make_anchor(1, "wcxb-dev"), _make_anchor(2, "Überall/da")
    ('d1-wcxb-dev', 'd2-berall-da')
    """
    return f"d{number}-{_slug(data_set)}".rstrip("-")


def _slug(data_set: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", data_set.lower()).strip("-")[:40]


def environment_of(escape_text: Callable[[str], str]) -> Environment:
    """Return what renders the templates of a form of the report, and escapes what is no markup."""
    environment = Environment(
        autoescape=True,
        finalize=lambda value: value if isinstance(value, Markup) else escape_text(value),
        keep_trailing_newline=True,
        lstrip_blocks=True,
        loader=PackageLoader(__package__),
        trim_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters.update(
        html=lambda text: Markup(escape(" ".join(text.split()))),
        inline=partial(inline, colours=_PROPERTIES),
        mark=mark_run,
    )
    environment.tests.update(web_address=is_web_address)
    environment.globals.update(tables=tables, shades=SHADES, resamples=RESAMPLES, describe_data_set=_describe_data_set)
    return environment


def _describe_run(records: RunRecords) -> dict[str, str]:
    """Say what was run, and how."""
    versions = {row.extractor: row.version for row in records.rows}
    extractors = ", ".join(f"{name} {version}".strip() for name, version in versions.items())
    language, limit = (records.run.language, records.run.limit) if records.run else (None, None)
    pages = "all" if limit is None else f"the first {limit:,} of each data set"
    return {"Extractors": extractors, "Language": language or "not given", "Pages": pages}


def _describe_data_set(data_set: DataSetResults) -> dict[str, str]:
    """Say what a data set is, as far as it is known."""
    pages = {"Pages": f"{data_set.pages:,}"}
    return {**pages, "Kind": data_set.record.kind, "Digest": data_set.record.digest[:16]} if data_set.record else pages


def is_web_address(url: str) -> bool:
    """Return True if a link may lead to an address; False for any that does something else, such as to run a script.

    >>> is_web_address("https://example.org/a"), is_web_address("javascript:alert(1)")
    (True, False)
    """
    return url.lower().startswith(("http://", "https://"))


def escape_markdown(text: str) -> Markup:
    r"""Make a text plain in Markdown, on one line.

    >>> print(escape_markdown("a*b* | <i>"))
    a\*b\* \| \<i\>
    """
    return Markup(_MARKDOWN.sub(r"\\\1", " ".join(text.split())))


def mark_run(text: str, kind: str) -> Markup:
    """Return words in the element of their kind; line breaks as elements: Markdown ends HTML at an empty line."""
    text = _SIGNS.get(kind, "") + text
    shown = "<br>".join(escape(line) for line in text.splitlines()) + ("<br>" if text.endswith("\n") else "")
    return Markup(shown if kind == EQUAL else f"<{_ELEMENTS[kind]}>{shown}</{_ELEMENTS[kind]}>")


def inline(chart: Chart, colours: Mapping[str, str]) -> Markup:
    """Return a chart in other colours than its own, as wide as the page lets it be."""
    opening, rest = chart.svg.split(">", 1)
    opening = re.sub(r' (?:width|height)="[^"]*"', "", opening)
    # Colours are replaced in styles alone: in a text they are what somebody wrote.
    styled = re.sub(r'style="[^"]*"', lambda style: _COLOUR.sub(lambda colour: colours[colour[0]], style[0]), rest)
    # matplotlib and lxml have escaped every name in it.
    return Markup(f"{opening}>{styled}")
