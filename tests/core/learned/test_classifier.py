"""Decisions by a model's probabilities: thresholds, and reasons."""

import pickle
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from scrapy_justext import extract
from scrapy_justext.core.learned.classifier import FALLBACK, for_page, weigh, with_limits
from scrapy_justext.core.learned.features import Features
from scrapy_justext.core.learned.model import DOUBTFUL, Model, shipped_model
from scrapy_justext.core.learned.second import SECOND_FEATURES
from scrapy_justext.core.learned.trees import Trees
from scrapy_justext.core.parameters import Thresholds
from tests.core.learned.pages import PAGE, computed


def test_many_blocks_are_judged_as_few_are() -> None:
    few = computed(PAGE)
    own_names, all_names = (names._replace(sets=np.tile(names.sets, 2500)) for names in (few.own_names, few.all_names))
    many = Features(np.tile(few.numbers, 2500), own_names, all_names)
    # The second pass looks at the page around a block, which is another one here.
    model = replace(shipped_model("learned"), trees=None)
    weighed, alone = weigh(many, model), weigh(few, model)
    assert weighed.probabilities == pytest.approx(alone.probabilities * 2500, abs=0.002)
    reasons = [decision.reason for decision in weighed.decide(Thresholds())]
    assert reasons[: few.count] == [decision.reason for decision in alone.decide(Thresholds())]
    assert reasons[-few.count :] == reasons[: few.count]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, (0.6, 0.4, FALLBACK)),
        ({"good_probability": 0.8}, (0.8, 0.8, None)),
        ({"near_good_probability": 0.1}, (0.6, 0.1, FALLBACK)),
        ({"near_good_probability": 0.7}, (0.6, 0.6, FALLBACK)),
        ({"good_probability": 0.8, "near_good_probability": 0.2}, (0.8, 0.2, None)),
        ({"good_probability": 0.8, "fallback_probability": 0.1}, (0.8, 0.8, 0.1)),
        ({"fallback_probability": 0.9}, (0.6, 0.4, 0.9)),
    ],
)
def test_the_user_s_thresholds_come_before_the_model_s(
    given: dict[str, Any], expected: tuple[float, float, float | None]
) -> None:
    found = with_limits(Thresholds(**given), Model("x", "1", 0.6, 0.4, {}))
    assert (found.good_probability, found.near_good_probability, found.fallback_probability) == expected


def test_both_sides_of_the_thresholds() -> None:
    features = computed(PAGE)
    weighed = weigh(features, shipped_model("learned"))
    middle = sorted(weighed.probabilities)[len(weighed.probabilities) // 2]

    def classes(good: float, near_good: float) -> set[str]:
        thresholds = Thresholds(good_probability=good, near_good_probability=near_good)
        decided = weighed.decide(thresholds)
        rows = zip(decided, weighed.probabilities, strict=True)
        return {str(decision.block_class) for decision, probability in rows if probability == middle}

    assert classes(middle, 0) == {"good"}
    assert classes(middle + 0.0005, middle) == {"near_good"}
    assert classes(middle + 0.0005, middle + 0.0004) == {"bad"}


def test_reasons_name_the_probability_and_what_weighed_most() -> None:
    weighed = weigh(computed(PAGE), shipped_model("learned"))
    decisions = weighed.decide(Thresholds())
    # Gold texts differ on whether the headline is content.
    assert [str(decision.block_class) for i, decision in enumerate(decisions) if i != 1] == [
        "bad", "good", "good", "bad",
    ]  # fmt: skip
    for decision, probability in zip(decisions, weighed.probabilities, strict=True):
        head, _, named = decision.reason.partition(": ")
        comparison = ">=" if decision.block_class == "good" else "<"
        assert head.startswith(f"probability {probability:.3g} {comparison} ")
        # A flag that weighs by being away is not named.
        assert named
        assert len(named.split(", ")) <= 2


def test_what_weighed_most_is_found_when_a_reason_is_read_and_once_a_page() -> None:
    with patch.object(Model, "weights", autospec=True, side_effect=Model.weights) as weights:
        decisions = weigh(computed(PAGE), shipped_model("learned")).decide(Thresholds())
        assert weights.call_count == 0
        for decision in [*decisions, *decisions]:
            assert decision.reason
        assert weights.call_count == 1


class TestProbabilitiesForAPage:
    @staticmethod
    def moved(*probabilities: float) -> list[float]:
        return [float(value) for value in for_page(np.array(probabilities), np.ones(len(probabilities)))]

    def test_a_page_that_is_hard_to_judge_keeps_blocks_that_are_less_probable(self) -> None:
        assert self.moved(1, 1, 1, 0.4)[-1] < 0.4 < self.moved(0.6, 0.5, 0.4)[-1]
        # The F1 to be expected is 6/7, of the first two blocks.
        assert self.moved(1, 3 / 7, 0)[1] == pytest.approx(0.4, abs=0.02)

    def test_no_page_keeps_what_is_improbable(self) -> None:
        assert self.moved(0.2, 0.1)[0] < FALLBACK

    def test_the_order_of_blocks_stays_and_sure_ones_stay_sure(self) -> None:
        found = self.moved(0, 0.1, 0.5, 0.9, 1)
        assert found == sorted(found)
        assert (found[0], found[-1]) == (0, 1)
        assert self.moved() == []
        assert self.moved(0, 0) == [0, 0]


class TestSecondPass:
    """One tree: does the section begin with something improbable?"""

    COLUMN = [feature.name for feature in SECOND_FEATURES].index("section_first")
    TREES = Trees(np.array([[COLUMN]], np.int16), np.array([[0.9]], np.float32), np.array([[-4, 4]], np.float32))

    def test_it_counts_more_than_the_first_and_looks_at_blocks_in_doubt_only(self) -> None:
        features, plain = computed(PAGE), shipped_model("learned")
        alone = replace(plain, trees=None)
        first = alone.first_pass(features)
        first[:5] = (*DOUBTFUL, 0.15, 0.5, 0.95)
        assert first.tolist() == alone.second_pass(features, first).tolist()
        second = replace(plain, trees=self.TREES).second_pass(features, first)
        is_sure = (first <= DOUBTFUL[0]) | (first >= DOUBTFUL[1])
        assert second[is_sure].tolist() == first[is_sure].tolist()
        of_trees = ((second - 0.3 * first) / 0.7)[~is_sure]
        assert len(of_trees) >= 3
        assert np.minimum(of_trees, 1 - of_trees) == pytest.approx(1 / (1 + np.exp(4)), abs=1e-4)

    def test_reasons_name_what_it_looked_at(self) -> None:
        decisions = weigh(computed(PAGE), replace(shipped_model("learned"), trees=self.TREES)).decide(Thresholds())
        named = [str(decision.reason) for decision in decisions]
        assert any("probability of the first block of its section " in reason for reason in named)


def test_reasons_that_were_not_read_are_the_same_in_another_process() -> None:
    decisions = weigh(computed(PAGE), shipped_model("learned")).decide(Thresholds())
    pickled = pickle.dumps(decisions)
    assert pickle.loads(pickled) == decisions
    # What is to be told is pickled, and not what it is found by.
    assert len(pickled) < 3_000


@pytest.mark.parametrize("profile", ["learned", "learned-article", "auto"])
@pytest.mark.parametrize("page", ["<frameset><frame></frameset>No frames here", "<p>?<p>" + "?" * 100])
def test_pages_that_have_next_to_nothing_have_reasons(page: str, profile: str) -> None:
    # Of the first, no element has a name that the models know.
    reasons = extract(page, profile=profile).column("reason")
    assert all(reason.startswith("probability ") for reason in reasons)
    assert reasons
