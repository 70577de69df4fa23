"""The text-to-tag ratio, with ratios computed by hand."""

from __future__ import annotations

import pytest

from scrapy_justext.evaluation.extractors import ttr
from scrapy_justext.evaluation.extractors.names import find_extractor
from scrapy_justext.evaluation.extractors.ttr import content_text, smooth, split_lines
from tests.evaluation.sets import make_document

RATIOS = {
    "no tag: the number of characters": ("abcd", [4]),
    "characters for each tag": ("<p>abcdef</p>", [3]),
    "tags alone": ("<br><br>", [0]),
    "no line": ("", []),
    "empty lines are dropped": ("ab\n\n \t \nabc", [2, 3]),
    "every kind of line end": ("a\r\nab\rabc\nabcd", [1, 2, 3, 4]),
    "spaces inside a line count": ("a b c", [5]),
    "spaces around a line do not": ("   ab  ", [2]),
    "characters beyond ASCII do not count": ("caf\u00e9", [3]),
    "a reference counts as written": ("a &amp; b", [9]),
    "a script goes, with the line ends in it": ("a<script>\nvar x;\n</script>bc", [3]),
    "a script in capitals": ("a<SCRIPT src=x>1</SCRIPT >b", [2]),
    "a script without end": ("ab\n<script>\nvar x", [2]),
    "a comment goes": ("ab<!-- <p>no\nno -->c", [3]),
    "a comment without end": ("ab<!-- no", [2]),
    "a style sheet stays": ("<style>\np {}\n</style>", [0, 4, 0]),
    "a tag over several lines is one tag of the first": ("<a\nhref=x\n>abc\nab", [3, 2]),
    "a less-than sign is no tag": ("1 < 2 <3", [8]),
    "a declaration is a tag": ("<!DOCTYPE html>ab", [2]),
}


@pytest.mark.parametrize(("html", "ratios"), RATIOS.values(), ids=RATIOS)
def test_ratios(html: str, ratios: list[float]) -> None:
    assert [ratio for _, ratio in split_lines(html)] == ratios


SMOOTHED = {
    "nothing": ([], 2, []),
    "radius 0 changes nothing": ([1, 5, 2], 0, [1, 5, 2]),
    "radius 1": ([3, 0, 6, 9], 1, [1.5, 3, 5, 7.5]),
    "radius 2": ([10, 0, 0, 0, 0, 5], 2, [10 / 3, 2.5, 2, 1, 1.25, 5 / 3]),
    "a radius longer than the values": ([1, 2, 3], 9, [2, 2, 2]),
}


@pytest.mark.parametrize(("values", "radius", "expected"), SMOOTHED.values(), ids=SMOOTHED)
def test_smoothing(values: list[float], radius: int, expected: list[float]) -> None:
    assert smooth(values, radius) == pytest.approx(expected)


@pytest.fixture
def unsmoothed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ttr, "RADIUS", 0)


class TestContent:
    # Ratios 20, 0, 0, 0: mean 5, standard deviation sqrt((225 + 25 + 25 + 25) / 4) = 8.66.
    @pytest.mark.usefixtures("unsmoothed")
    def test_lines_above_the_standard_deviation(self) -> None:
        assert content_text("abcdefghijklmnopqrst\n<br>\n<hr>\n<br>") == "abcdefghijklmnopqrst"

    # Ratios 4 and 8: mean 6, standard deviation 2, both above.
    @pytest.mark.usefixtures("unsmoothed")
    def test_the_threshold_is_the_deviation_alone(self) -> None:
        assert content_text("abcd\nabcdefgh") == "abcd\nabcdefgh"

    # Ratios 0 and 8: standard deviation 4; ratios 4, 0, 12, 0 around a mean of 4: sqrt((0 + 16 + 64 + 16) / 4) = 4.9.
    @pytest.mark.usefixtures("unsmoothed")
    def test_lines_below_it_are_left_out(self) -> None:
        assert content_text("abcd\n<br>\nabcdefghijkl\n<br>") == "abcdefghijkl"

    # Ratios 0 and 2 smoothed to 1 and 1: deviation 0.
    def test_smoothing_pulls_neighbours_in(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(ttr, "RADIUS", 1)
        assert content_text("<b>\u00e9</b>\nab") == "\u00e9\nab"

    # Of 0 and 0 none is above 0.
    @pytest.mark.usefixtures("unsmoothed")
    def test_a_line_at_the_threshold_is_left_out(self) -> None:
        assert content_text("\u00e9\n\u00e9") == ""

    def test_markup_is_gone(self) -> None:
        assert content_text("<p>Fish &amp; <b>chips</b> for all of us") == "Fish & chips for all of us"

    def test_no_line(self) -> None:
        assert content_text("") == ""


def test_the_extractor() -> None:
    extractor = find_extractor("ttr")
    menu = "<li><a href=/>x</a></li>\n" * 20
    story = "So it goes, and so it went, and so it will go on and on for ever and a day.\n" * 10
    text = extractor(make_document(f"<html>\n<ul>\n{menu}</ul>\n<p>\n{story}</p>\n<ul>\n{menu}</ul>\n</html>"), None)
    assert text.count("So it goes") == 10
    assert text.count("x") <= 4
