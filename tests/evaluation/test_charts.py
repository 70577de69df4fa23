"""The charts: names, figures and labels that do not cover each other, colours that can be told apart."""

from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import pytest
from lxml import etree
from matplotlib.transforms import Bbox

from scrapy_justext.evaluation.charts import SHADES, draw_charts, place_labels
from scrapy_justext.evaluation.measures import MEASURES
from scrapy_justext.evaluation.scoring import MeasureResults, read_results
from tests.builders import contrast, luminance
from tests.evaluation.builders import HOSTILE_NAME, write_run

pytestmark = pytest.mark.full

SVG = "{http://www.w3.org/2000/svg}"

TITLES = {"bars": "Mean precision, recall and F1", "time": "Time against F1", "cases": "Boundary cases and failures"}


def first_measure(run: Path) -> MeasureResults:
    return read_results(run).data_sets[0].measures["sequence"]


def read_chart(reported: Path, measure: str, kind: str) -> Any:
    return etree.parse(reported / "charts" / f"d1-pages-{measure}-{kind}.svg").getroot()


def texts_of(chart: Any) -> list[str]:
    return ["".join(element.itertext()) for element in chart.iter(f"{SVG}text")]


def test_each_chart_has_its_names_and_ids(reported: Path) -> None:
    assert len(list((reported / "charts").iterdir())) == len(MEASURES) * len(TITLES)
    seen: set[str] = set()
    for measure, (kind, start) in product(MEASURES, TITLES.items()):
        root = read_chart(reported, measure, kind)
        assert not root.findall(f".//{SVG}metadata")
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


def test_names_and_counts_are_text_and_no_markup(reported: Path) -> None:
    bars, cases = (read_chart(reported, "sequence", kind) for kind in ("bars", "cases"))
    texts = texts_of(bars)
    assert {"good", "middling"} <= set(texts)
    assert [text for text in texts if text.startswith("ref:<img")]
    assert not bars.findall(f".//{SVG}image")
    assert "3 of 8" in texts_of(cases)
    assert "middling: retrieved empty 1, mismatch 1, failed 1" in cases.findtext(f"{SVG}desc")


def test_what_there_is_nothing_of_has_no_chart(tmp_path: Path) -> None:
    assert "cases" not in draw_charts("a", first_measure(write_run(tmp_path / "good", {"good": {}})))
    charts = draw_charts("a", first_measure(write_run(tmp_path / "bad", {"bad": dict.fromkeys(range(1, 9))})))
    assert "time" not in charts
    assert "F1 –" in charts["bars"].description


def test_each_page_type_has_a_bar_for_each_extractor(tmp_path: Path) -> None:
    results = first_measure(write_run(tmp_path, {"good": {}, "ref:bad": {1: "roof"}}))
    assert "types" not in draw_charts("a", results)
    scores = {
        name: [document._replace(page_type=page_type) for document in documents for page_type in ("forum", "news")]
        for name, documents in results.scores.items()
    }
    chart = draw_charts("a", replace(results, scores=scores))["types"]
    texts = texts_of(etree.fromstring(chart.svg.encode()))
    assert [text for text in texts if not text[0].isdigit()] == [
        "forum (8)", "good", "ref:bad", "news (8)", "good", "ref:bad"
    ]  # fmt: skip


#: Colours, the one on the other, and their least contrast.
LEAST = {
    ("ink", "surface"): 7.0, ("muted", "surface"): 4.5, ("surface", "step-1"): 4.5, ("ink", "step-2"): 3.0,
    ("ink", "step-3"): 4.5, ("ink", "step-4"): 4.5, ("surface", "failure"): 4.5,
}  # fmt: skip


@pytest.mark.parametrize("mode", [0, 1], ids=["light", "dark"])
def test_colours_can_be_distinguished_from_each_other(mode: int) -> None:
    found = {pair: contrast(*(SHADES[name][mode] for name in pair)) for pair in LEAST}
    assert [pair for pair, least in LEAST.items() if found[pair] < least] == []
    colours = [SHADES[f"step-{place}"][mode] for place in range(1, 5)]
    steps = list(map(luminance, colours))
    assert steps == sorted(steps, reverse=mode == 1)
    assert all(contrast(*pair) > 1.25 for pair in pairwise(colours))
    assert len({light for light, _ in SHADES.values()}) == len(SHADES)


class TestLabels:
    FRAME = Bbox.from_extents(0, 0, 300, 200)

    def test_names_at_one_place_do_not_cover_each_other_and_stay_within_the_frame(self) -> None:
        labels = place_labels([(150.0, 100.0)] * 6, [(60.0, 10.0)] * 6, self.FRAME)
        assert [label.count_overlaps(labels) for label in labels] == [1] * 6
        assert (labels[0].y0 + labels[0].y1) / 2 == 100.0
        corners = [(5.0, 5.0), (295.0, 5.0), (5.0, 195.0), (295.0, 195.0)]
        labels = place_labels(corners, [(60.0, 10.0)] * 4, self.FRAME)
        assert all(self.FRAME.contains(*corner) for label in labels for corner in (label.min, label.max))
