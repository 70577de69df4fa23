"""The charts: what they are called, that they are the same each time, that they can be told apart."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from lxml import etree

from scrapy_justext.evaluation.report.charts.charts import draw_charts
from scrapy_justext.evaluation.report.charts.drawing import SHADES, Box, place_labels
from scrapy_justext.evaluation.report.records import TextReader, read_records
from scrapy_justext.evaluation.report.results import Contents, Request, make_contents
from tests.evaluation.report_run import HOSTILE_NAME, hostile_run, write_run

if TYPE_CHECKING:
    from pathlib import Path

SVG = "{http://www.w3.org/2000/svg}"


def contents_of(run: Path) -> Contents:
    return make_contents(read_records(run), TextReader(run, None), Request(top=0))


@pytest.fixture(scope="module")
def contents(tmp_path_factory: pytest.TempPathFactory) -> Contents:
    return contents_of(hostile_run(tmp_path_factory.mktemp("run")))


def luminance(colour: str) -> float:
    """Relative luminance as in WCAG 2."""
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("mode", ["light", "dark"])
class TestTheme:
    @pytest.mark.parametrize(
        ("one", "other", "least"),
        [
            ("ink", "surface", 7.0),
            ("muted", "surface", 4.5),
            ("surface", "step-1", 4.5),
            ("ink", "step-2", 3.0),
            ("ink", "step-3", 4.5),
            ("ink", "step-4", 4.5),
            ("surface", "failure", 4.5),
        ],
    )
    def test_contrast(self, mode: str, one: str, other: str, least: float) -> None:
        assert contrast(getattr(SHADES[one], mode), getattr(SHADES[other], mode)) >= least

    def test_steps_differ_in_grey(self, mode: str) -> None:
        steps = [luminance(getattr(SHADES[f"step-{place}"], mode)) for place in range(1, 5)]
        assert steps == sorted(steps, reverse=mode == "dark")
        colours = [getattr(SHADES[f"step-{place}"], mode) for place in range(1, 5)]
        assert all(contrast(one, other) > 1.25 for one, other in pairwise(colours))


def test_light_colours_can_be_told_from_each_other() -> None:
    assert len({shade.light for shade in SHADES.values()}) == len(SHADES)


def test_each_chart_has_its_names_and_ids(contents: Contents) -> None:
    data_set = contents.data_sets[0]
    seen: set[str] = set()
    for measure in data_set.measures:
        for chart in draw_charts(1, data_set, measure).drawn:
            root: Any = etree.fromstring(chart.svg)
            assert root.get("role") == "img"
            title, description = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
            assert title is not None
            assert description is not None
            assert root.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"
            assert title.text == chart.title
            assert HOSTILE_NAME in (description.text or "")
            ids = [str(one) for one in root.xpath("//@id")]
            assert len(set(ids)) == len(ids)
            assert seen.isdisjoint(ids)
            seen.update(ids)
            references = root.xpath("//@*[starts-with(., 'url(#')]")
            assert {str(one)[5:-1] for one in references} <= set(ids)
            assert {str(one)[1:] for one in root.xpath("//@*[local-name() = 'href']")} <= set(ids)


def test_the_same_figures_give_the_same_bytes(contents: Contents) -> None:
    data_set = contents.data_sets[0]
    measure = data_set.measures[0]
    first, second = (draw_charts(1, data_set, measure) for _ in range(2))
    assert first == second
    assert all("dc:date" not in chart.svg for chart in first.drawn)


def test_names_are_text_and_no_markup(contents: Contents) -> None:
    data_set = contents.data_sets[0]
    bars: Any = etree.fromstring(draw_charts(1, data_set, data_set.measures[0]).bars.svg)
    texts = ["".join(element.itertext()) for element in bars.iter(f"{SVG}text")]
    assert {"good", "middling"} <= set(texts)
    assert [text for text in texts if text.startswith("ref:<img")]
    assert not bars.findall(f".//{SVG}image")


def test_counts_of_boundary_cases_are_written_into_the_bars(contents: Contents) -> None:
    data_set = contents.data_sets[0]
    cases = draw_charts(1, data_set, data_set.measures[0]).cases
    assert cases is not None
    root: Any = etree.fromstring(cases.svg)
    texts = ["".join(element.itertext()) for element in root.iter(f"{SVG}text")]
    assert "3 of 8" in texts
    assert "middling: retrieved empty 1, mismatch 1, failed 1" in cases.description


def test_no_boundary_case_no_chart(tmp_path: Path) -> None:
    data_set = contents_of(write_run(tmp_path, {"good": {}})).data_sets[0]
    assert draw_charts(1, data_set, data_set.measures[0]).cases is None


def test_an_extractor_that_always_fails(tmp_path: Path) -> None:
    data_set = contents_of(write_run(tmp_path, {"bad": dict.fromkeys(range(1, 9))})).data_sets[0]
    charts = draw_charts(1, data_set, data_set.measures[0])
    assert charts.scatter is None
    assert "F1 –" in charts.bars.description
    assert "not defined" in charts.bars.svg
    assert "no document" in charts.histograms.svg


class TestLabels:
    FRAME = Box(0, 0, 300, 200)

    def test_names_at_one_place_do_not_cover_each_other(self) -> None:
        labels = place_labels([(150.0, 100.0)] * 6, [(60.0, 10.0)] * 6, self.FRAME)
        boxes = [label.box for label in labels]
        assert all(one.overlap(other) == 0 for place, one in enumerate(boxes) for other in boxes[:place])
        assert not labels[0].far

    def test_names_stay_within_the_frame(self) -> None:
        corners = [(5.0, 5.0), (295.0, 5.0), (5.0, 195.0), (295.0, 195.0)]
        labels = place_labels(corners, [(60.0, 10.0)] * 4, self.FRAME)
        assert all(label.box.overlap(self.FRAME) == label.box.area for label in labels)
