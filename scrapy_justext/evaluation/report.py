"""The command ``report``: write what a run has measured for people to read, as Markdown and as one page of HTML.

Each form has a template, and one more has the notes that both have.  Whatever comes from a page, a data set or an
extractor is escaped, in Markdown as in HTML.  Only templates, charts and what :func:`mark_run` makes are markup.  The
page of HTML needs nothing else: no script, no file beside it, no network.  The charts of the Markdown lie in a folder
beside it, as GitHub and others show them.
"""

from __future__ import annotations

import re
from functools import partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from scrapy_justext.crawl.conversion import whole_number
from scrapy_justext.evaluation import tables
from scrapy_justext.evaluation.charts import SHADES, draw_charts
from scrapy_justext.evaluation.differences import (
    CUT,
    EQUAL,
    EXTRA,
    MISSED_BOTH,
    MISSED_FIRST,
    MISSED_SECOND,
    SHOWN_DOCUMENTS,
    compare_documents,
)
from scrapy_justext.evaluation.kinds import ALL_MEASURES
from scrapy_justext.evaluation.registry import argument
from scrapy_justext.evaluation.scoring import read_results
from scrapy_justext.evaluation.statistics import RESAMPLES
from scrapy_justext.exceptions import ParameterError, StoreError, UnknownNameError
from scrapy_justext.files import write_whole

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Collection, Mapping, Sequence

    from scrapy_justext.evaluation.charts import Chart
    from scrapy_justext.evaluation.differences import ExtractorPair
    from scrapy_justext.evaluation.scoring import DataSetResults, RunResults

MARKDOWN_FILE = "report.md"
HTML_FILE = "report.html"
CHARTS_FOLDER = "charts"

_MARKDOWN = re.compile(r"([\\`*_\[\]<>|~&#!$])")
#: Elements that Markdown shows too; styles it does not.
_ELEMENTS = {EXTRA: "ins", MISSED_BOTH: "del", MISSED_FIRST: "del", MISSED_SECOND: "del", CUT: "em"}
_SIGNS = {MISSED_FIRST: "¹", MISSED_SECOND: "²"}

#: The colours of charts in our own page, and in one that is not ours, for its ``color-scheme``.
_PROPERTIES = {light: f"var(--{name})" for name, (light, _) in SHADES.items()}
_OF_ANY_PAGE = {light: f"light-dark({light}, {dark})" for light, dark in SHADES.values()}
_COLOUR = re.compile("|".join(_PROPERTIES))


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add = parser.add_argument
    several: dict[str, Any] = {"nargs": "+", "action": "extend", "default": []}
    add("dir", type=Path, metavar="DIR", help="folder of a run; report.md and report.html go there")
    pairs = "extractors to compare document by document; may be repeated (default: the two best)"
    add("--pairs", **several, metavar="A,B", help=pairs)
    top = "documents shown for each pair, those that differ most (default: %(default)s)"
    add("--top", type=argument(whole_number), default=SHOWN_DOCUMENTS, metavar="N", help=top)
    measure = f"measure that pairs are compared by: {', '.join(ALL_MEASURES.names())} (default: %(default)s)"
    add("--measure", default="sequence", metavar="NAME", help=measure)
    figures = "write the table by --measure and its charts there, too, for other pages to include"
    add("--figures", type=Path, metavar="FOLDER", help=figures)
    add("--names", **several, metavar="NAME=SHOWN", help="what --figures calls extractors; may be repeated")


def execute(arguments: argparse.Namespace) -> int:
    """Write the report and print its files; raise :class:`JustextError` for what cannot be done as asked."""
    results = read_results(arguments.dir)
    names = _parse_names(arguments.names, results.extractors)
    pairs = list(dict.fromkeys(_parse_pair(text, results.extractors) for text in arguments.pairs))
    ALL_MEASURES.find(arguments.measure)
    compared = {
        data_set.name: compare_documents(results.folder, data_set, arguments.measure, pairs, arguments.top)
        for data_set in results.data_sets
    }
    written = write_report(results, arguments.measure, compared)
    if arguments.figures is not None:
        written += write_figures(arguments.figures, results, arguments.measure, names)
    for path in written:
        print(path)
    return 0


def _parse_names(given: Sequence[str], known: Collection[str]) -> dict[str, str]:
    names: dict[str, str] = {}
    for text in given:
        name, _, shown = text.rpartition("=")
        if name not in known:
            raise UnknownNameError("names", name, "extractor of this run", known)
        if not shown or shown in (*known, *names.values()):
            raise ParameterError("names", text, "must be NAME=SHOWN, with another name than those of the run")
        names[name] = shown
    return names


def _parse_pair(text: str, known: Collection[str]) -> tuple[str, str]:
    names = text.split(",")
    for name in names:
        if name not in known:
            raise UnknownNameError("pairs", name, "extractor of this run", known)
    if len(names) != 2 or names[0] == names[1]:
        raise ParameterError("pairs", text, "must be two extractors of the run, as A,B")
    return names[0], names[1]


def write_report(results: RunResults, compared_by: str, pairs: Mapping[str, Sequence[ExtractorPair]]) -> list[Path]:
    """Write Markdown, its charts and HTML into the folder of a run, and return the paths of the two reports.

    ``pairs``: by the names of data sets, extractors that are compared document by document by the measure
    ``compared_by``.  All is made before the first file is written.  Raises :class:`StoreError`.
    """
    names = enumerate((data_set.name for data_set in results.data_sets), 1)
    anchors = {name: f"d{number}-{_slug(name)}".rstrip("-") for number, name in names}
    charts = {
        measured.subject: draw_charts(f"{anchors[data_set.name]}-{name}", measured)
        for data_set in results.data_sets
        for name, measured in data_set.measures.items()
    }
    files = {f"{CHARTS_FOLDER}/{chart.name}.svg": chart.svg for drawn in charts.values() for chart in drawn.values()}
    values = {"data_sets": results.data_sets, "anchors": anchors, "charts": charts, "pairs": pairs}
    values |= {"compared_by": compared_by, "run_facts": _describe_run(results)}
    files[MARKDOWN_FILE] = environment_of(escape_markdown).get_template("report.md.j2").render(values)
    files[HTML_FILE] = environment_of(str).get_template("report.html.j2").render(values)
    return _write(results.folder, files)[-2:]


def write_figures(folder: Path, results: RunResults, measure: str, names: Mapping[str, str]) -> list[Path]:
    """Write what other pages can include of a measure, and return the paths: for each data set a table, and charts.

    ``SET-MEASURE.md`` is the table of means, below what was run; ``SET-MEASURE-types.svg`` and ``-time.svg`` are charts
    in colours that follow the page around them.  ``names``: what extractors are called in them.  Raises
    :class:`StoreError`.
    """
    files: dict[str, str] = {}
    for data_set in results.data_sets:
        if measure not in data_set.measures:
            continue
        name = f"{_slug(data_set.name)}-{measure}"
        shown = data_set.measures[measure].renamed(names)
        extractors = "; ".join(f"{row.extractor} {row.version}".strip() for row in shown.rows)
        facts = {**_describe_run(results), "Extractors": extractors, **_describe_data_set(data_set)}
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


def _slug(data_set: str) -> str:
    """Return what stands for a data set in names of files and anchors.

    >>> _slug("wcxb-dev"), _slug("Überall/da")
    ('wcxb-dev', 'berall-da')
    """
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


def _describe_run(results: RunResults) -> dict[str, str]:
    """Say what was run, and how."""
    extractors = ", ".join(f"{name} {version}".strip() for name, version in results.extractors.items())
    language, limit = (results.run.language, results.run.limit) if results.run else (None, None)
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
