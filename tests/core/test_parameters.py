"""Parameters and options: the table, ranges, who looks at them, what each does, what may be chosen."""

from __future__ import annotations

from dataclasses import fields
from inspect import signature
from typing import Any, get_type_hints

import pytest

from scrapy_justext import JustextError
from scrapy_justext.core.extractor import Extractor, extract
from scrapy_justext.core.options import DEFAULTS, Choices, Parameters, make_options
from scrapy_justext.core.parameters import PAIRS, PARAMETERS, GivenThresholds, Parameter, Scale, Thresholds
from scrapy_justext.core.profiles import PROFILES
from scrapy_justext.exceptions import ParameterError, UnknownNameError
from tests.builders import letters, prose

EACH = pytest.mark.parametrize("parameter", PARAMETERS.values(), ids=PARAMETERS)


def test_keywords_are_typed_and_ordered_as_the_table_says() -> None:
    assert get_type_hints(GivenThresholds) == get_type_hints(Thresholds)
    assert list(GivenThresholds.__annotations__) == list(PARAMETERS)
    names = list(PARAMETERS)
    for low, high in PAIRS:
        assert names.index(low) < names.index(high)
        assert (PARAMETERS[low].partner, PARAMETERS[high].partner) == (high, low)
    assert PARAMETERS["tree_depth"].partner is None


@EACH
def test_what_is_offered_is_allowed_and_can_be_given_by_its_name(parameter: Parameter) -> None:
    offered = [parameter.default, *(value for value, _ in parameter.choices)]
    for scale in (parameter.slider, parameter.search):
        offered += [scale.least, scale.most] if isinstance(scale, Scale) else scale or ()
    assert [value for value in offered if not parameter.allows(value)] == []
    assert (parameter.slider is None) == bool(parameter.choices)
    assert parameter.search
    assert parameter.meaning
    assert parameter.label
    assert getattr(Thresholds(**{parameter.name: parameter.default}), parameter.name) == parameter.default


def test_a_profile_uses_what_its_rules_and_passes_need() -> None:
    names = {name: set(profile.parameters) for name, profile in PROFILES.items()}
    assert set.union(*names.values()) == set(PARAMETERS)
    assert names["boilerpipe"] == {"tree_depth", "drop_beside", "drop_repeated", "keep_headline"}
    assert names["learned"] == {
        "near_good_probability", "good_probability", "fallback_probability", "max_heading_distance", "no_headings",
        "code", "formulas", "tables", "tree_depth", "drop_beside", "drop_repeated", "keep_headline",
    }  # fmt: skip
    assert names["justext-java"] - names["justext"] == {"no_headlines", "rescue_images"}
    assert names["justext"] - names["justext-java"] == {"good_run", "linked_prose", "code", "formulas", "tables"}


def test_a_default_of_the_profile_s_own_cannot_be_none() -> None:
    depths = {name: PROFILES[name].parameters["tree_depth"] for name in ("justext", "article")}
    assert depths["justext"] == PARAMETERS["tree_depth"]
    assert depths["article"].search == (1, 2, 3, 4, 5)
    assert [value for value, _ in depths["article"].choices] == [1, 2, 3, 4, 5]


GOOD = prose(201, stopwords=8)
NEAR_GOOD = prose(200, stopwords=8)
BAD = prose(300, stopwords=0)


def classes(page: str | bytes, **options: Any) -> str:
    return letters([b.block_class for b in extract(page, **{"language": "English"} | options).blocks])


LINK_40 = f'<p>{prose(160, stopwords=8)}<a href="x">{"y" * 40}</a></p>'
CODE = f"<p>{GOOD}</p><pre><code>x = 1;</code></pre><p>{GOOD}</p>"
TABLE = f"<p>{GOOD}</p><table><tr><th>a<th>b<tr><td>1<td>2</table><p>{GOOD}</p>"
FORMULA = f"<p>{GOOD}</p><math display=block alttext='x^2'></math><p>{GOOD}</p>"
SHORT_PARAGRAPHS = f"<p>{NEAR_GOOD[:100]}</p><h2>Title</h2><p>{NEAR_GOOD[:99]}</p>"
SHORT_BEFORE = f"<p>{BAD}</p><p>short</p><h2>Title</h2><p>{GOOD}</p>"
SHORT_BEHIND = f"<p>{BAD}</p><h2>Title</h2><p>short</p><p>{GOOD}</p>"
PUBLISHED = {"profile": "justext-3.0"}
HEADED = f"<h2>Title</h2><p>{'x' * 150}</p><p>{GOOD}</p>"
NOTHING = {"profile": "learned", "good_probability": 1.0}
EFFECTS: list[tuple[str, str, dict[str, Any], str]] = [
    ("defaults", f"<p>{GOOD}</p>", {}, "G"),
    # Between BAD and NEAR_GOOD the pre-pass makes the heading the border of the good side; 3.0 restores it later.
    ("a heading behind a short block", SHORT_BEFORE, {}, "B B G G"),
    ("a heading behind a short block in 3.0", SHORT_BEFORE, PUBLISHED, "B B G G"),
    # Promoted, the heading makes the short block behind it good; restored, it does not.
    ("a heading before a short block", SHORT_BEHIND, {}, "B G G G"),
    ("a heading before a short block in 3.0", SHORT_BEHIND, PUBLISHED, "B G B G"),
    ("length_low", f"<p>{GOOD}</p>", {"length_low": 202, "length_high": 202}, "B"),
    ("length_low at the length", f"<p>{GOOD}</p>", {"length_low": 201, "length_high": 201, "good_run": 0}, "B"),
    ("length_high", f"<p>{NEAR_GOOD}</p>", {"length_high": 199, "good_run": 0}, "G"),
    ("length_high at the length", f"<p>{NEAR_GOOD}</p>", {"good_run": 0}, "B"),
    ("good_run at the length", SHORT_PARAGRAPHS, {"good_run": 199}, "G G G"),
    ("good_run", SHORT_PARAGRAPHS, {"good_run": 200}, "B B B"),
    ("linked_prose", f"<p>{GOOD}</p><p><a href=x>{GOOD}.</a></p><p>{GOOD}</p>", {}, "G G G"),
    *(
        (
            f"linked prose with {count} brackets behind it",
            f"<p>{GOOD}</p><p><a href=x>{GOOD}.{')' * count}</a></p><p>{GOOD}</p>",
            {},
            classes,
        )
        for count, classes in ((7, "G G G"), (8, "G B G"))
    ),
    ("no linked_prose", f"<p>{GOOD}</p><p><a href=x>{GOOD}.</a></p><p>{GOOD}</p>", {"linked_prose": False}, "G B G"),
    ("linked prose between bad blocks", f"<p>{BAD}</p><p><a href=x>{GOOD}.</a></p>", {}, "B B"),
    ("a sentence with a link", f"<p>{GOOD}</p><p>3. Close the <a href=x>panel</a>.</p><p>{GOOD}</p>", {}, "G G G"),
    ("stopwords_low", f"<p>{GOOD}</p><p>{BAD}</p><p>{GOOD}</p>", {"stopwords_low": 0}, "G G G"),
    ("stopwords_high", f"<p>{GOOD}</p>", {"stopwords_high": 0.41, "good_run": 0}, "B"),
    ("stopwords_high at the density", f"<p>{GOOD}</p>", {"stopwords_high": 0.4}, "G"),
    ("max_link_density at the density", LINK_40, {"length_high": 199}, "G"),
    ("max_link_density", LINK_40, {"length_high": 199, "max_link_density": 0.19}, "B"),
    ("max_heading_distance at the distance", HEADED, {"max_heading_distance": 150}, "G B G"),
    ("max_heading_distance", HEADED, {"max_heading_distance": 149}, "B B G"),
    ("no_headings", HEADED, {"no_headings": True}, "B B G"),
    ("short code beside a good block", CODE.removesuffix(f"<p>{GOOD}</p>"), {}, "G G"),
    ("code by its neighbours alone", CODE.removesuffix(f"<p>{GOOD}</p>"), {"code": "context"}, "G B"),
    ("long code", CODE, {"length_low": 6, "length_high": 300}, "G G G"),
    ("short code", CODE, {"length_low": 7, "length_high": 300, "good_run": 0}, "B B B"),
    ("code", CODE, {"code": "drop"}, "G B G"),
    ("code like prose", CODE.replace("x = 1;", "x = 1; " * 20), {"code": "prose"}, "G B G"),
    ("formulas by their neighbours alone", FORMULA, {"formulas": "context"}, "G G G"),
    ("formulas", FORMULA, {"formulas": "drop"}, "G B G"),
    ("tables by their neighbours alone", TABLE, {"tables": "context"}, "G G G"),
    ("tables", TABLE, {"tables": "drop"}, "G B G"),
    ("tables kept", TABLE.replace(GOOD, BAD), {"tables": "keep"}, "B G B"),
    ("no_headlines", "<h1>Title</h1>", {"profile": "justext-java", "no_headlines": True}, "B"),
    ("rescue_images", f"<img><p>{GOOD}</p>", {"profile": "justext-java", "rescue_images": True}, "G G"),
    ("tree_depth", f"<div><p>{GOOD}</p></div><p>{GOOD}</p>", {"tree_depth": 1}, "G B"),
    ("drop_beside", f"<p>{GOOD}</p><p>{GOOD}</p><footer>{GOOD}</footer>", {}, "G G B"),
    ("no drop_beside", f"<p>{GOOD}</p><p>{GOOD}</p><footer>{GOOD}</footer>", {"drop_beside": False}, "G G G"),
    ("drop_beside at two thirds", f"<p>{GOOD}</p><footer>{GOOD}<p>{GOOD}</p></footer>", {}, "G G G"),
    ("drop_repeated", f"<p>{GOOD}</p><p>{GOOD}</p>", {"drop_repeated": True}, "G B"),
    ("keep_headline", f"<title>Lamp</title><h1>Lamp</h1><p>{BAD}</p><p>{GOOD}</p>", {"keep_headline": True}, "G B G"),
    ("fallback_probability", f"<p>{GOOD}</p>", {**NOTHING, "fallback_probability": 0.0}, "G"),
    ("fallback_probability above", f"<p>{GOOD}</p>", {**NOTHING, "fallback_probability": 1.0}, "B"),
    ("no fallback if the user chose", f"<p>{GOOD}</p>", NOTHING, "B"),
    ("good_probability", f"<p>{GOOD}</p>", {"profile": "learned", "good_probability": 0.0}, "G"),
    (
        "near_good_probability",
        f"<p>{GOOD}</p>",
        {"profile": "learned", "good_probability": 1.0, "near_good_probability": 0.0},
        "B",
    ),
]


@pytest.mark.parametrize(("page", "thresholds", "expected"), [c[1:] for c in EFFECTS], ids=[c[0] for c in EFFECTS])
def test_each_parameter_reaches_its_rule(page: str, thresholds: dict[str, Any], expected: str) -> None:
    assert classes(page, **thresholds) == expected


def test_each_parameter_is_tried_above() -> None:
    assert {name for _, _, thresholds, _ in EFFECTS for name in thresholds} >= set(PARAMETERS)


def test_defaults_are_the_published_ones() -> None:
    assert {field.name: getattr(Thresholds(), field.name) for field in fields(Thresholds)} == {
        "length_low": 70, "length_high": 200, "stopwords_low": 0.30, "stopwords_high": 0.32, "good_run": 0,
        "linked_prose": False, "max_link_density": 0.2,
        "max_heading_distance": 200, "no_headings": False, "code": "length", "formulas": "length", "tables": "length",
        "no_headlines": False, "rescue_images": False, "tree_depth": None, "drop_beside": False,
        "drop_repeated": False, "keep_headline": False, "good_probability": None,
        "near_good_probability": None,
        "fallback_probability": None,
    }  # fmt: skip
    own = {name for name, profile in PROFILES.items() if profile.thresholds != Thresholds()}
    assert own == {"justext", "article", "boilerpipe-article", "learned", "learned-article", "auto"}
    assert {PROFILES[name].thresholds for name in own} == {
        Thresholds(good_run=200, linked_prose=True, drop_beside=True),
        Thresholds(good_run=200, linked_prose=True, drop_beside=True, tree_depth=2),
        Thresholds(tree_depth=2),
        Thresholds(code="prose", formulas="prose", tables="prose", drop_repeated=True),
        Thresholds(code="prose", formulas="prose", tables="prose", drop_repeated=True, keep_headline=True),
    }


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, value) for name in ("length_low", "max_heading_distance") for value in (0, 1)),
        ("length_high", 70), ("stopwords_low", 0), ("stopwords_low", 0.32), ("stopwords_high", 1),
        ("stopwords_high", 0.3), ("max_link_density", 0.0), ("max_link_density", 1.0), ("no_headings", True),
    ],
)  # fmt: skip
def test_the_edges_of_ranges_are_allowed(name: str, value: object) -> None:
    assert classes("<p>x", **{name: value}) == "B"


@pytest.mark.parametrize(
    ("thresholds", "message"),
    [
        ({"length_low": -1}, "length_low = -1: must be a whole number of characters, 0 or more"),
        ({"length_low": 70.0}, "length_low = 70.0: must be a whole number"),
        ({"length_low": "70"}, "length_low = '70': must be a whole number"),
        ({"length_high": True}, "length_high = True: must be a whole number"),
        ({"length_high": None}, "length_high = None: must be a whole number"),
        ({"max_heading_distance": -1}, "max_heading_distance = -1: must be a whole number"),
        ({"stopwords_low": -0.01}, "stopwords_low = -0.01: must be a number from 0 to 1"),
        ({"stopwords_high": 1.01}, "stopwords_high = 1.01: must be a number from 0 to 1"),
        ({"stopwords_high": False}, "stopwords_high = False: must be a number from 0 to 1"),
        ({"max_link_density": float("nan")}, "max_link_density = nan: must be a number from 0 to 1"),
        ({"max_link_density": "0.2"}, "max_link_density = '0.2': must be a number from 0 to 1"),
        ({"no_headings": 1}, "no_headings = 1: must be True or False"),
        ({"length_low": 201}, "length_low = 201: must not be above length_high = 200"),
        ({"length_high": 69}, "length_low = 70: must not be above length_high = 69"),
        ({"stopwords_low": 0.33}, "stopwords_low = 0.33: must not be above stopwords_high = 0.32"),
        ({"lenght_low": 3}, "lenght_low: unknown parameter; did you mean length_low"),
        ({"drop_cs": "p"}, "drop_cs: unknown parameter; did you mean drop_css?"),
        ({"markdown_tables": "pipe"}, "markdown_tables = 'pipe': must be one of html, pipes"),
        *(({"max_blocks": value}, f"max_blocks = {value!r}: must be a whole number, 0 or more, or None")
         for value in (-1, 1.5, "10", True)),
        ({"profile": "justext-3"}, "profile = 'justext-3': unknown profile; did you mean justext-3.0 or justext"),
        ({"profile": "Justext"}, "profile = 'Justext': unknown profile; did you mean justext"),
        ({"profile": None}, "profile = None: unknown profile; known are justext"),
        ({"profile": ["justext"]}, "profile = ['justext']: unknown profile; did you mean justext"),
        ({"good_probability": 2}, "good_probability = 2: must be a number from 0 to 1"),
        ({"good_probability": 0.5, "near_good_probability": 0.6},
         "near_good_probability = 0.6: must not be above good_probability = 0.5"),
    ],
    ids=str,
)  # fmt: skip
def test_other_values_are_errors_that_name_the_value_and_the_range(thresholds: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        # Before the page is read.
        extract(None, language="English", **thresholds)  # type: ignore[arg-type]
    assert str(caught.value).startswith(message)
    assert isinstance(caught.value, UnknownNameError) == (": unknown " in message)
    assert isinstance(caught.value, JustextError)
    assert isinstance(caught.value, ValueError)


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
