"""What was chosen becomes options, and settings that give a crawl the same."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest

from scrapy_justext.crawl.settings import Given, configure, make_layers
from scrapy_justext.inspection.tuner.judging import Place, make_options, pasting, read_choice, site_of
from tests.inspection.tuner.running import layers


def place(site: str | None = None) -> Place:
    """An English page."""
    return Place(site, lambda options: asdict(options.thresholds))


def pasted(project: dict[str, Any], choice: dict[str, Any]) -> dict[str, Any]:
    """The settings to paste, as a spider would have them."""
    text = pasting(layers(project), [place()], choice).settings
    variables: dict[str, Any] = {"custom_settings": {}}
    exec(text, variables)
    settings: dict[str, Any] = variables["custom_settings"]
    return settings


@pytest.mark.parametrize(
    ("project", "choice", "expected"),
    [
        ({}, {}, {}),
        ({}, {"length_low": 50}, {"JUSTEXT_LENGTH_LOW": 50}),
        ({}, {"length_low": 70, "length_high": 200, "profile": "justext"}, {}),
        ({"length_low": 50}, {"length_low": 50}, {}),
        ({"length_low": 50}, {"length_low": 70}, {"JUSTEXT_LENGTH_LOW": 70}),
        ({"length_low": "50"}, {"length_low": 50}, {}),
        ({"tree_depth": 2}, {"tree_depth": None}, {"JUSTEXT_TREE_DEPTH": None}),
        ({}, {"profile": "article", "tree_depth": 2}, {"JUSTEXT_PROFILE": "article"}),
        (
            {},
            {"profile": "learned", "good_probability": 0.4},
            {"JUSTEXT_PROFILE": "learned", "JUSTEXT_GOOD_PROBABILITY": 0.4},
        ),
        ({}, {"language": ["de"]}, {"JUSTEXT_LANGUAGE": ["de"]}),
        ({"language": "German"}, {"language": ["de"]}, {}),
        ({"language": "German"}, {"language": "auto"}, {"JUSTEXT_LANGUAGE": "auto"}),
        ({}, {"no_headings": True, "max_link_density": 0.2}, {"JUSTEXT_NO_HEADINGS": True}),
        ({}, {"length_low": 20, "length_high": 200}, {"JUSTEXT_LENGTH_LOW": 20}),
        ({}, {"length_low": 20, "length_high": 40}, {"JUSTEXT_LENGTH_LOW": 20, "JUSTEXT_LENGTH_HIGH": 40}),
        ({}, {"length_low": 20, "length_high": 80}, {"JUSTEXT_LENGTH_LOW": 20, "JUSTEXT_LENGTH_HIGH": 80}),
    ],
    ids=str,
)
def test_only_what_makes_a_difference_is_pasted(
    project: dict[str, Any], choice: dict[str, Any], expected: dict[str, Any]
) -> None:
    settings = pasted(project, choice)
    assert settings == expected
    names = {name.removeprefix("JUSTEXT_").lower(): Given(value, name) for name, value in settings.items()}
    crawled = configure({**layers(project).given(), **names}).options
    tuned = make_options(layers(project), None, choice)
    assert crawled.thresholds == tuned.thresholds
    assert (crawled.profile.name, crawled.candidates) == (tuned.profile.name, tuned.candidates)


def test_what_means_something_else_in_the_page_s_language_is_pasted() -> None:
    chinese = Place(None, lambda options: asdict(options.unspaced_thresholds["zh"]))
    default = configure({}).options.unspaced_thresholds["zh"]
    choice = {"length_low": default.length_low + 5, "length_high": default.length_high}
    # Left out, the high one would be that of other languages.
    assert "JUSTEXT_LENGTH_HIGH" in pasting(layers(), [chinese], choice).settings
    assert "JUSTEXT_LENGTH_HIGH" not in pasting(layers(), [chinese], {"max_link_density": 0.3}).settings


def test_a_site_s_own_setting_is_named() -> None:
    settings = layers({}, shop_example={"length_low": 20})
    found = pasting(settings, [place(), place("shop.example")], {"length_low": 30})
    assert found.settings == 'custom_settings = {\n    "JUSTEXT_LENGTH_LOW": 30,\n}'
    assert found.notes == ("JUSTEXT_SITES['shop.example']['length_low'] counts more on shop.example: change it there",)
    assert pasting(settings, [place("shop.example")], {"length_high": 300}).notes == ()


def test_what_counts_more_than_custom_settings_is_named() -> None:
    settings = make_layers({}, {"length_low": Given(20, "--length-low")})
    assert pasting(settings, [place()], {"length_low": 30}).notes == ("--length-low counts more: leave it out",)


@pytest.mark.parametrize(
    ("url", "site"),
    [("https://a.shop.example/x", "shop.example"), ("https://example/", None), (None, None), ("file:///x", None)],
)
def test_the_site_of_a_page(url: str | None, site: str | None) -> None:
    settings = layers({}, shop_example={"length_low": 20})
    assert site_of(settings, url) == site
    assert make_options(settings, site, {}).thresholds.length_low == (20 if site else 70)


def test_what_is_left_out_is_not_chosen() -> None:
    assert read_choice({"profile": None, "languages": None, "parameters": None, "pages": [1]}) == {}
    chosen = {"languages": ["de"], "parameters": {"tree_depth": None}}
    assert read_choice(chosen) == {"language": ["de"], "tree_depth": None}
