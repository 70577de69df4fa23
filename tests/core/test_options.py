"""Options: what may be chosen, and by which thresholds a page is judged in the end."""

from __future__ import annotations

from inspect import signature

import pytest

from scrapy_justext.core.extractor import Extractor, extract
from scrapy_justext.core.options import DEFAULTS, Choices, Parameters, make_options
from scrapy_justext.core.parameters import PARAMETERS
from scrapy_justext.exceptions import ParameterError
from tests.builders import prose

PAGE = f"<p>{prose(150, stopwords=8)}"


def test_every_parameter_is_a_choice_with_its_default() -> None:
    assert set(PARAMETERS) | {"keep_css", "drop_css", "drop_text"} < set(Choices.__annotations__)
    named = signature(extract).parameters.values()
    shown = {parameter.name: parameter.default for parameter in named if parameter.name in Choices.__annotations__}
    assert shown == DEFAULTS
    assert {*DEFAULTS, *Parameters.__annotations__} == {*Choices.__annotations__}
    assert make_options() == make_options(**DEFAULTS)


def test_tables_in_markdown_are_a_choice() -> None:
    good = prose(250, stopwords=15)
    page = f"<p>{good}<table><tr><th>a<th>b<tr><td>0<td>2<tr><td colspan=2>1</table><p>{good}"
    assert "<table>" in extract(page, markdown=True, tables="keep").markdown
    pipes = extract(page, markdown=True, tables="keep", markdown_tables="pipes").markdown
    assert "| a | b |\n| --- | --- |\n| 0 | 2 |\n| 1 |  |" in pipes


def test_an_extractor_takes_options_or_choices() -> None:
    with pytest.raises(TypeError, match="either options or choices, not both: language"):
        Extractor(make_options(), language="English")
    with pytest.raises(ParameterError, match="options = 'learned': must be what make_options returns"):
        Extractor("learned")  # type: ignore[arg-type]


def test_thresholds_are_those_of_the_user_else_of_the_language_or_the_model() -> None:
    extractor = Extractor(length_high=100)
    limits = extractor.thresholds_for(None)
    assert (limits.stopwords_low, limits.stopwords_high, limits.length_high) == (0, 0, 100)
    chinese = Extractor(language="Chinese")
    [language] = chinese.options.candidates or ()
    assert chinese.thresholds_for(language).length_high < PARAMETERS["length_high"].default
    # The low one of a pair that the user touches is the user's, too.
    limits = Extractor(language="Chinese", length_high=300).thresholds_for(language)
    assert (limits.length_low, limits.length_high) == (70, 300)
    assert limits.stopwords_low == chinese.thresholds_for(language).stopwords_low
    own = Extractor(profile="learned").thresholds_for(None)
    assert own.good_probability is not None
    assert own.near_good_probability is not None
    given = Extractor(profile="learned", good_probability=0.9).thresholds_for(None)
    assert (given.good_probability, given.near_good_probability) == (0.9, 0.9)


@pytest.mark.parametrize("profile", ["justext", "learned"])
def test_a_page_that_was_read_can_be_judged_by_other_thresholds(profile: str) -> None:
    extractor = Extractor(profile=profile, language="English")
    page = extractor.read(PAGE)
    assert extractor.judge(page).extraction() == extract(PAGE, profile=profile, language="English")
    for length, limit in ((100, 0.1), (200, 0.9)):
        other = extractor.with_thresholds(length_high=length, good_probability=limit)
        expected = extract(PAGE, profile=profile, language="English", length_high=length, good_probability=limit)
        assert other.judge(page).extraction() == expected
    assert extractor.judge(page).extraction() == extract(PAGE, profile=profile, language="English")


def test_options_are_made_once_for_the_same_choices() -> None:
    assert make_options(language="de", length_low=60) is make_options(language="de", length_low=60)
    assert make_options(language="de", length_low=60) is not make_options(language="de", length_low=61)
    assert make_options(language=["de"]) is not make_options(language=["de"])
    make_options(max_blocks=1)
    with pytest.raises(ParameterError):
        make_options(max_blocks=True)
