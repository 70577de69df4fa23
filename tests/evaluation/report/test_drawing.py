"""What the charts share: colours that can be told apart, names that do not cover each other."""

from __future__ import annotations

from itertools import pairwise

import pytest
from matplotlib.transforms import Bbox

from scrapy_justext.evaluation.report.charts import SHADES, place_labels

pytestmark = pytest.mark.full


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


class TestLabels:
    FRAME = Bbox.from_extents(0, 0, 300, 200)

    def test_names_at_one_place_do_not_cover_each_other(self) -> None:
        labels = place_labels([(150.0, 100.0)] * 6, [(60.0, 10.0)] * 6, self.FRAME)
        assert [label.count_overlaps(labels) for label in labels] == [1] * 6
        assert (labels[0].y0 + labels[0].y1) / 2 == 100.0

    def test_names_stay_within_the_frame(self) -> None:
        corners = [(5.0, 5.0), (295.0, 5.0), (5.0, 195.0), (295.0, 195.0)]
        labels = place_labels(corners, [(60.0, 10.0)] * 4, self.FRAME)
        assert all(self.FRAME.contains(*corner) for label in labels for corner in (label.min, label.max))
