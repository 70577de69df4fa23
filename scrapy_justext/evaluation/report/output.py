"""The report as Markdown and as one page of HTML: a template for each, and what both say in the same words.

Whatever comes from a page, a data set or an extractor is escaped, in Markdown as in HTML.  Only templates, charts and
what :func:`mark_run` makes are markup.  The page of HTML needs nothing else: no script, no file beside it, no network.
The charts of the Markdown lie in a folder beside it, as GitHub and others show them.
"""

from __future__ import annotations

import re
from functools import partial
from html import escape
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

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

NOTES = (
    "Figures run from 0 to 1; the highest F1 of a table stands first, and the highest figure of a column is marked.",
    "± is the sample standard deviation over documents.",
    "Pages with an empty text or no common word are boundary cases: counted apart, and left out of the means of the "
    "measures sequence, character and edit. The measure bag counts them as WCXB does. The figures of the measures "
    "shingle and snippets for a data set are those benchmarks' own, not means of documents.",
    "Where the gold standard is Markdown, measures of texts compare the texts of both; of code, formulas, tables and "
    "images a page counts that has some in the gold standard, with 0 where nothing was retrieved.",
    "Time is the extractor's own, a page, over the pages on which it did not fail.",
)

_SIMILARITY = (
    "The figure in the place of F1 is the similarity: 1 less the edit distance, divided by the length of the longer "
    "text."
)

#: What the measures compare.
MEASURE_NOTES: Mapping[str, str] = MappingProxyType(
    {
        "sequence": "Words in their order: those in the matching blocks of both texts, as difflib finds them.",
        "character": "The characters of the words that the measure sequence matches, so that long words weigh more.",
        "bag": "Words regardless of their order, each as often as it is in both texts, as in WCXB.",
        "shingle": "Runs of four words regardless of their order, as in the article extraction benchmark.",
        "edit": "Words that stay when the fewest words are deleted and inserted to make one text of the other, as in "
        "CleanEval.",
        "snippets": "Texts that must be in what is extracted, and texts that must not, as in trafilatura's evaluation.",
        "code": f"Fenced and indented code. {_SIMILARITY}",
        "formulas": f"TeX between dollars, without its white space. {_SIMILARITY}",
        "tables": "Trees of tables, rows and cells with their texts (TEDS). The figure in the place of F1 is the "
        "similarity: 1 less the edit distance of the trees, divided by the nodes of the larger one. Tables that would "
        "take too long are compared as text.",
        "table-text": f"The texts of tables, a line a row. {_SIMILARITY}",
        "images": "Images, by the names of their files or by their ALTs, whichever has more in common.",
        "text": f"What is neither code nor formula nor table. {_SIMILARITY}",
    }
)

SIGNIFICANCE_NOTE = (
    "F1 of documents, row against column. ▲ the row is better, ▼ worse, at 99 %; ≈ the difference may be chance. "
    "Mann-Whitney's test compares all documents that count for either extractor; the paired bootstrap takes the mean "
    f"difference on the n documents that count for both ({RESAMPLES:,} resamples)."
)

PAIRS_NOTE = (
    "Where an extractor gave nothing, no right word, or failed, its F1 is taken for 0; pages without content in the "
    "gold standard are left out. Long stretches of text are cut, with a note of how many words."
)

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
    files[MARKDOWN_FILE] = _render("report.md.j2", escape_markdown, values)
    files[HTML_FILE] = _render("report.html.j2", str, values)
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
        files[f"{name}.md"] = _render("figures.md.j2", escape_markdown, values)
        charts = draw_charts(name, shown)
        for kind in ("types", "time"):
            if kind in charts:
                files[f"{name}-{kind}.svg"] = inline(charts[kind], _OF_ANY_PAGE) + "\n"
    return _write(folder, files)


def _write(folder: Path, files: Mapping[str, str]) -> list[Path]:
    """Write texts into files below a folder, and return their paths.  Raises :class:`StoreError`."""
    paths = [folder / name for name in files]
    try:
        for path, text in zip(paths, files.values(), strict=True):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, text.encode("utf-8", "replace"))
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


def _render(template: str, escape_text: Callable[[str], str], values: Mapping[str, Any]) -> str:
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
    text = environment.get_template(template).render(
        values,
        tables=tables,
        shades=SHADES,
        title="How well the extractors did",
        notes=NOTES,
        measure_notes=MEASURE_NOTES,
        significance_note=SIGNIFICANCE_NOTE,
        pairs_note=PAIRS_NOTE,
        no_cases="No page was a boundary case, and none failed.",
        describe_data_set=_describe_data_set,
    )
    return text.rstrip() + "\n"


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
