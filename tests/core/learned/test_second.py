"""The second pass: markers in many languages, what is found around blocks, and the trees that are asked."""

import tracemalloc
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from scrapy_justext.core.learned.second import (
    FAR,
    KINDS,
    LONGEST_LABEL,
    MARKERS,
    SECOND_FEATURES,
    UNEXPLAINING,
    marker_bits,
    read_markers,
    second_features,
)
from scrapy_justext.core.learned.table import FEATURES, NUMBERS
from scrapy_justext.core.learned.trees import Trees
from tests.core.learned.pages import PROSE, computed

ROWS = {feature.name: row for row, feature in enumerate(SECOND_FEATURES)}


def kinds_in(text: str) -> set[str]:
    """The kinds of the markers in a text."""
    return {kind for number, kind in enumerate(KINDS) if marker_bits(text) >> number & 1}


def row(html: str, first: Sequence[float], name: str) -> list[float]:
    """A feature of all blocks of a page, rounded."""
    features = second_features(computed(html), np.array(first, np.float32))
    return [round(float(value), 3) for value in features[ROWS[name]]]


class TestMarkers:
    def test_every_kind_has_the_same_languages(self) -> None:
        (languages,) = {frozenset(languages) for languages in MARKERS.values()}
        assert len(languages) >= 30

    @pytest.mark.parametrize("kind", MARKERS)
    def test_every_phrase_is_found(self, kind: str) -> None:
        missing = [
            phrase
            for phrases in MARKERS[kind].values()
            for phrase in phrases.split(", ")
            if kind not in kinds_in(phrase) or kind not in kinds_in(f"12 {phrase.upper()}: x")
        ]
        # In capitals, Turkish and Greek write some letters that are others in lower case.
        assert [phrase for phrase in missing if kind not in kinds_in(phrase)] == []
        assert len(missing) <= 12

    @pytest.mark.parametrize(
        ("text", "kinds"),
        [
            ("3 Kommentare", {"comment"}), ("Lesen Sie auch", {"related"}), ("Lesen Sie", set()),
            ("Читайте также:", {"related"}), ("相关新闻", {"related"}),
            ("이 기사와 댓글", {"comment", "related"}),
            ("यह भी पढ़ें", {"related"}), ("commenting", set()), ("at 10:15", {"date"}), ("2024年5月", {"date"}),
            ("12/05/2024", {"date"}), ("1 of 3", set()), ("", set()),
        ],
    )  # fmt: skip
    def test_labels(self, text: str, kinds: set[str]) -> None:
        assert kinds_in(text) == kinds

    def test_long_texts_have_none(self) -> None:
        label = "Reply " + "x" * (LONGEST_LABEL - 6)
        assert [bits > 0 for bits in read_markers([label, label + "x"])] == [True, False]


class TestFeatures:
    PAGE = f"<div><p>{PROSE}<p>{PROSE}</div><div><h2>Comments</h2><p>{PROSE}</div>"

    def test_names_are_unique_and_the_numbers_of_the_first_pass_go_with_them(self) -> None:
        assert len(ROWS) == len(SECOND_FEATURES)
        assert ROWS.keys() >= UNEXPLAINING - {feature.name for feature in FEATURES}
        features = computed(self.PAGE)
        second = second_features(features, np.zeros(4, np.float32))
        assert second[-len(NUMBERS) :].tolist() == features.numbers.tolist()

    def test_blocks_that_are_asked_about_have_the_same_features(self) -> None:
        features, first = computed(self.PAGE), np.array([1, 0.5, 0, 0.25], np.float32)
        asked = np.array([1, 3], np.int32)
        assert second_features(features, first, asked).tolist() == second_features(features, first)[:, asked].tolist()

    @pytest.mark.parametrize(
        ("name", "expected"),
        [
            ("first", [1, 0.5, 0, 0.25]), ("first_-1", [0, 1, 0.5, 0]), ("first_+2", [0, 0.25, 0, 0]),
            ("blocks_mean_1", [0.75, 0.75, 0.125, 0.125]),
            ("from_good", [0, 0, 1, 2]), ("to_good", [0, 0, FAR, FAR]), ("in_run", [1, 0, 0, 0]),
            ("from_run", [0, 1, 2, 3]), ("heading_first", [-1, -1, 0, 0]),
            ("section_first", [0.5, 0.5, 0.25, 0.25]), ("section_blocks", [2, 2, 2, 2]),
            # The best element is the first P.
            ("mean_branch", [1, 0.5, 0.228, 0.228]), ("branch_up", [0, 0, 1, 1]), ("best_up", [0, 1, 2, 2]),
            ("until_comment", [2, 1, 0, FAR]),
            ("since_comment", [FAR, FAR, 0, 1]),
            ("before_comment", [0, 0, 0, 1]), ("after_comment", [1, 1, 0, 0]), ("near_comment", [1, 1, 1, 1]),
            ("heading_comment", [0, 0, 1, 1]), ("page_count", [2, 2, 2, 2]), ("page_h1", [-1, -1, -1, -1]),
        ],
    )  # fmt: skip
    def test_what_is_around_a_block(self, name: str, expected: list[float]) -> None:
        assert row(self.PAGE, [1, 0.5, 0, 0.25], name) == expected

    def test_a_heading_of_a_lower_level_stands_under_those_above(self) -> None:
        html = f"<h2>Comments</h2><h3>Ann</h3><p>{PROSE}<h3>Bob</h3><p>{PROSE}<h2>More</h2><p>{PROSE}"
        assert row(html, [0.5] * 7, "heading_comment") == [1, 1, 1, 1, 1, 0, 0]

    def test_what_is_around_a_block_is_weighed_by_what_is_probable(self) -> None:
        assert row(self.PAGE, [1, 0.9, 0, 0.1], "in_best") == [1, 1, 0, 0]
        assert row(self.PAGE, [0, 0.1, 0, 0.9], "in_best") == [0, 0, 0, 1]
        first = [1, 1, 0, 0]
        assert row(self.PAGE, first, "good_share_1") == [1, 1, 0, 0]
        assert row(self.PAGE, first, "good_before") == [0, 0.5, 1, 1]
        assert row(self.PAGE, first, "good_after") == [0.5, 0, 0, 0]

    @pytest.mark.parametrize("html", ["<p>a", "<p>a<p>b", "<h1>a</h1>", f"<p>{PROSE}"])
    @pytest.mark.parametrize("probability", [0, 0.5, 1])
    def test_small_pages_have_numbers(self, html: str, probability: float) -> None:
        features = computed(html)
        assert np.isfinite(second_features(features, np.full(features.count, probability, np.float32))).all()

    def test_memory_is_in_proportion_to_the_blocks(self) -> None:
        features = computed("<p>a" * 20_000)
        first = np.zeros(features.count, np.float32)
        second_features(features, first)
        tracemalloc.start()
        result = second_features(features, first)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 4 * result.nbytes


class TestTrees:
    #: Two trees of two levels; the first asks for the features 0 and 1.
    TREES = Trees(
        np.array([[0, 1], [1, 1]], np.int16),
        np.array([[0.5, 10], [0, 20]], np.float32),
        np.array([[1, 2, 4, 8], [0, 100, -1, 300]], np.float32),
    )

    @staticmethod
    def blocks(*columns: tuple[float, float]) -> NDArray[np.float32]:
        return np.array(columns, np.float32).T

    @pytest.mark.parametrize(
        ("block", "log_odds"),
        [((0, 0), 1), ((0.5, 10), 101), ((0.6, 10), 102), ((0.6, 11), 108), ((0, 21), 304), ((0, -1), 1)],
    )
    def test_the_answers_are_the_digits_of_the_leaf(self, block: tuple[float, float], log_odds: float) -> None:
        assert self.TREES.log_odds(self.blocks(block, (0, 0))).tolist() == [log_odds, 1]

    def test_many_blocks_are_judged_as_few_are(self) -> None:
        few = self.blocks((0, 0), (0.6, 11), (0, 21))
        many = np.tile(few, 200_000)
        assert (self.TREES.log_odds(many) == np.tile(self.TREES.log_odds(few), 200_000)).all()
        assert (self.TREES.weights(many)[:, -3:] == self.TREES.weights(few)).all()

    def test_an_answer_weighs_half_of_what_the_other_would_change(self) -> None:
        # First tree, leaf 3 of 8: without the feature 0 it is 4, without 1 it is 2.  Second tree, leaf 1 of 100: both
        # levels ask for the feature 1; the others give 0 and 300.
        weights = self.TREES.weights(self.blocks((0.6, 11)))
        assert weights[:, 0].tolist() == [(8 - 4) / 2, (8 - 2) / 2 + (100 - 0) / 2 + (100 - 300) / 2]
