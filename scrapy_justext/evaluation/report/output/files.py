"""Writes the report's files into the folder of a run: all are made before the first is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_justext.evaluation.report.charts.all import draw_charts
from scrapy_justext.evaluation.report.output.html import write_html
from scrapy_justext.evaluation.report.output.markdown import CHARTS_FOLDER, write_markdown
from scrapy_justext.evaluation.store import StoreError, write_whole

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_justext.evaluation.report.figures.contents import Contents

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
