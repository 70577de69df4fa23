"""The report as Markdown, with charts in a folder beside it, as GitHub and others show it."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from scrapy_justext.evaluation.report.figures.marking import CUT, EQUAL, EXTRA, MISSED_BOTH, MISSED_FIRST, MISSED_SECOND
from scrapy_justext.evaluation.report.output import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from scrapy_justext.evaluation.report.charts.all import Charts
    from scrapy_justext.evaluation.report.charts.drawing import Chart
    from scrapy_justext.evaluation.report.figures.contents import Contents, DataSetContents, MeasureContents
    from scrapy_justext.evaluation.report.figures.differences import Duel, Shown
    from scrapy_justext.evaluation.report.figures.marking import TextRun
    from scrapy_justext.evaluation.report.figures.table import Cell, Table

CHARTS_FOLDER = "charts"

_SPECIAL = re.compile(r"([\\`*_\[\]<>|~&#!$])")
#: Elements that are shown in Markdown too; styles are not.
_ELEMENTS = {EXTRA: "ins", MISSED_BOTH: "del", MISSED_FIRST: "del", MISSED_SECOND: "del", CUT: "em"}
_SIGNS = {MISSED_FIRST: "¹", MISSED_SECOND: "²"}


def write_markdown(contents: Contents, charts: Mapping[tuple[str, str], Charts]) -> str:
    """The whole report; ``charts`` by data set and measure."""
    blocks = [
        f"# {words.TITLE}",
        _list(words.facts(contents)),
        "\n".join(f"- {escape_text(one)}" for one in words.NOTES),
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
    yield _list(words.data_set_facts(data_set))
    yield from _table(data_set.overview)
    for measure in data_set.measures:
        yield from _measure(measure, charts[data_set.name, measure.name])
    yield "### Pages on which extractors differ most"
    if data_set.note:
        yield escape_text(data_set.note)
    elif data_set.duels:
        yield escape_text(words.DUEL_NOTE)
    for duel in data_set.duels:
        yield from _duel(duel)


def _measure(measure: MeasureContents, charts: Charts) -> Iterator[str]:
    yield f"### Measure {escape_text(measure.name)}"
    yield escape_text(words.measure_note(measure))
    yield from _table(measure.figures)
    yield from (_image(chart) for chart in charts.drawn)
    if charts.cases is None:
        yield "No page was a boundary case, and none failed."
    for table in measure.page_types:
        yield from _table(table)
    if measure.mann_whitney and measure.bootstrap:
        yield escape_text(words.SIGNIFICANCE_NOTE)
        yield from _table(measure.mann_whitney)
        yield from _table(measure.bootstrap)
    yield f"<details><summary>{escape(measure.distribution.caption)}</summary>"
    yield from _table(measure.distribution)
    yield "</details>"


def _duel(duel: Duel) -> Iterator[str]:
    yield f"#### {escape_text(words.duel_title(duel))}"
    if duel.note:
        yield escape_text(duel.note)
    if duel.table:
        yield from _table(duel.table)
    for shown in duel.documents:
        yield _shown(duel, shown)


def _shown(duel: Duel, shown: Shown) -> str:
    """A page's texts as elements without an empty line between them, where Markdown is not looked for."""
    parts = [f"<details><summary>{_one_line(words.shown_title(duel, shown))}</summary>"]
    if shown.url:
        parts.append(f"<p>{_one_line(shown.url)}</p>")
    if shown.note:
        parts.append(f"<p>{_one_line(shown.note)}</p>")
    if shown.marked:
        key = "; ".join(
            f"{_run_in(kind, _SIGNS.get(kind, '') + meaning)}" for kind, meaning in words.marks(duel).items()
        )
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


def _list(facts: Iterable[words.Fact]) -> str:
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
