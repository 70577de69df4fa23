"""The charts: what they are called, that they are the same each time, what is written into them."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from lxml import etree

from scrapy_justext.evaluation.measures import MEASURES
from scrapy_justext.evaluation.report.charts import draw_charts
from scrapy_justext.evaluation.report.results import MeasureResults, measure_results, read_records
from tests.evaluation.report.small_run import HOSTILE_NAME, write_run

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.full

SVG = "{http://www.w3.org/2000/svg}"

TITLES = {"bars": "Mean precision, recall and F1", "time": "Time against F1", "cases": "Boundary cases and failures"}


def first_measure(run: Path) -> MeasureResults:
    return measure_results(read_records(run), "pages", "sequence")


def read_chart(reported: Path, measure: str, kind: str) -> Any:
    return etree.parse(reported / "charts" / f"d1-pages-{measure}-{kind}.svg").getroot()


def texts_of(chart: Any) -> list[str]:
    return ["".join(element.itertext()) for element in chart.iter(f"{SVG}text")]


@pytest.mark.full
def test_each_chart_has_its_names_and_ids(reported: Path) -> None:
    assert len(list((reported / "charts").iterdir())) == len(MEASURES) * len(TITLES)
    seen: set[str] = set()
    for measure, (kind, start) in product(MEASURES, TITLES.items()):
        root = read_chart(reported, measure, kind)
        assert root.get("role") == "img"
        title, description = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
        assert title is not None
        assert description is not None
        assert root.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"
        assert title.text == f"{start}: pages, {measure}"
        assert HOSTILE_NAME in (description.text or "")
        ids = [str(found) for found in root.xpath("//@id")]
        assert len(set(ids)) == len(ids)
        assert seen.isdisjoint(ids)
        seen.update(ids)
        references = root.xpath("//@*[starts-with(., 'url(#')]")
        assert {str(reference)[5:-1] for reference in references} <= set(ids)
        assert {str(link)[1:] for link in root.xpath("//@*[local-name() = 'href']")} <= set(ids)


@pytest.mark.full
def test_the_same_figures_give_the_same_bytes(reported: Path) -> None:
    charts = draw_charts("d1-pages-sequence", first_measure(reported))
    assert list(charts) == list(TITLES)
    for chart in charts.values():
        assert (reported / "charts" / f"{chart.name}.svg").read_text("utf-8") == f"{chart.svg}\n"
        assert "dc:date" not in chart.svg


def test_names_are_text_and_no_markup(reported: Path) -> None:
    bars = read_chart(reported, "sequence", "bars")
    texts = texts_of(bars)
    assert {"good", "middling"} <= set(texts)
    assert [text for text in texts if text.startswith("ref:<img")]
    assert not bars.findall(f".//{SVG}image")


def test_counts_of_boundary_cases_are_written_into_the_bars(reported: Path) -> None:
    cases = read_chart(reported, "sequence", "cases")
    assert "3 of 8" in texts_of(cases)
    assert "middling: retrieved empty 1, mismatch 1, failed 1" in cases.findtext(f"{SVG}desc")


def test_no_boundary_case_no_chart(tmp_path: Path) -> None:
    assert "cases" not in draw_charts("a", first_measure(write_run(tmp_path, {"good": {}})))


def test_an_extractor_that_always_fails(tmp_path: Path) -> None:
    charts = draw_charts("a", first_measure(write_run(tmp_path, {"bad": dict.fromkeys(range(1, 9))})))
    assert "time" not in charts
    assert "F1 –" in charts["bars"].description


def test_each_page_type_has_a_bar_for_each_extractor(tmp_path: Path) -> None:
    results = first_measure(write_run(tmp_path, {"good": {}, "ref:bad": {1: "roof"}}))
    assert "types" not in draw_charts("a", results)
    chart = draw_charts("a", replace(results, page_types={"forum": results.rows, "news": results.rows}))["types"]
    texts = texts_of(etree.fromstring(chart.svg.encode()))
    assert [text for text in texts if not text[0].isdigit()] == [
        "forum (8)", "good", "ref:bad", "news (8)", "good", "ref:bad"
    ]  # fmt: skip
