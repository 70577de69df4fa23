"""The table of parameters: its rows, their ranges, and who looks at them."""

from __future__ import annotations

from typing import get_type_hints

import pytest

from scrapy_justext.core.parameters import PAIRS, PARAMETERS, GivenThresholds, Parameter, Scale, Thresholds
from scrapy_justext.core.profiles import PROFILES

EACH = pytest.mark.parametrize("parameter", PARAMETERS.values(), ids=PARAMETERS)


def test_keywords_are_typed_as_the_table_says() -> None:
    assert get_type_hints(GivenThresholds) == get_type_hints(Thresholds)
    assert list(GivenThresholds.__annotations__) == list(PARAMETERS)


@EACH
def test_what_is_offered_is_allowed(parameter: Parameter) -> None:
    offered = [parameter.default, *(value for value, _ in parameter.choices)]
    for scale in (parameter.slider, parameter.search):
        offered += [scale.least, scale.most] if isinstance(scale, Scale) else scale or ()
    assert [value for value in offered if not parameter.range.holds(value)] == []
    assert (parameter.slider is None) == bool(parameter.choices)
    assert parameter.search
    assert parameter.meaning
    assert parameter.label


@EACH
def test_a_value_can_be_given_by_its_name(parameter: Parameter) -> None:
    assert getattr(Thresholds(**{parameter.name: parameter.default}), parameter.name) == parameter.default


def test_a_low_threshold_comes_before_its_high_one() -> None:
    names = list(PARAMETERS)
    for low, high in PAIRS:
        assert names.index(low) < names.index(high)
        assert (PARAMETERS[low].partner, PARAMETERS[high].partner) == (high, low)
    assert PARAMETERS["tree_depth"].partner is None


def test_a_profile_looks_at_what_its_rules_and_passes_need() -> None:
    names = {name: set(profile.parameters) for name, profile in PROFILES.items()}
    assert set.union(*names.values()) == set(PARAMETERS)
    assert names["boilerpipe"] == {"tree_depth"}
    assert names["learned"] == {
        "near_good_probability",
        "good_probability",
        "max_heading_distance",
        "no_headings",
        "tree_depth",
    }
    assert names["justext-java"] - names["justext"] == {"no_headlines", "rescue_images"}


def test_a_default_of_the_profile_s_own_cannot_be_none() -> None:
    depths = {name: PROFILES[name].parameters["tree_depth"] for name in ("justext", "article")}
    assert depths["justext"] == PARAMETERS["tree_depth"]
    assert depths["article"].search == (1, 2, 3, 4, 5)
    assert [value for value, _ in depths["article"].choices] == [1, 2, 3, 4, 5]
