"""What was chosen becomes options, and settings that give a crawl the same."""

from typing import Any

import pytest

from scrapy_justext.crawl.settings import Given, configure, make_layers
from scrapy_justext.inspection.tuner import TunedPage, paste, read_choice, tuned_options
from tests.inspection.tuner.running import PAGE, inspected, layers


def page(site: str | None = None, html: str = PAGE) -> TunedPage:
    """Return a page, an English one where nothing else is given."""
    return TunedPage(inspected(html), configure({}).options, site)


def pasted(project: dict[str, Any], choice: dict[str, Any]) -> dict[str, Any]:
    """The settings to paste, as a spider would have them."""
    text = paste(layers(project), [page()], choice)["settings"]
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
    tuned = tuned_options(layers(project), None, choice)
    assert crawled.thresholds == tuned.thresholds
    assert (crawled.profile.name, crawled.candidates) == (tuned.profile.name, tuned.candidates)


def test_what_means_something_else_in_the_page_s_language_is_pasted() -> None:
    chinese = page(html=f"<html lang=zh><p>{'这是一个关于我们的城市的故事，在那里人们都很高兴。' * 4}")
    options = configure({}).options
    default = options.criteria(options.library.find("zh")).thresholds
    choice = {"length_low": default.length_low + 5, "length_high": default.length_high}
    # Left out, the high one would be that of other languages.
    assert "JUSTEXT_LENGTH_HIGH" in paste(layers(), [chinese], choice)["settings"]
    assert "JUSTEXT_LENGTH_HIGH" not in paste(layers(), [chinese], {"max_link_density": 0.3})["settings"]


def test_a_language_that_is_named_often_counts_once() -> None:
    assert read_choice({"languages": ["de"] * 100_000 + ["fr", "de"]}) == {"language": ["de", "fr"]}
    assert read_choice({"languages": "de"}) == {"language": "de"}


def test_a_site_s_own_setting_is_named() -> None:
    settings = layers({}, shop_example={"length_low": 20})
    to_paste = paste(settings, [page(), page("shop.example")], {"length_low": 30})
    assert to_paste["settings"] == 'custom_settings = {\n    "JUSTEXT_LENGTH_LOW": 30,\n}'
    note = "JUSTEXT_SITES['shop.example']['length_low'] counts more on shop.example: change it there"
    assert to_paste["notes"] == [note]
    assert paste(settings, [page("shop.example")], {"length_high": 300})["notes"] == []


def test_what_counts_more_than_custom_settings_is_named() -> None:
    settings = make_layers({}, {"length_low": Given(20, "--length-low")})
    assert paste(settings, [page()], {"length_low": 30})["notes"] == ["--length-low counts more: leave it out"]


@pytest.mark.parametrize(
    ("url", "site"),
    [("https://a.shop.example/x", "shop.example"), ("https://example/", None), (None, None), ("file:///x", None)],
)
def test_the_site_of_a_page(url: str | None, site: str | None) -> None:
    settings = layers({}, shop_example={"length_low": 20})
    assert settings.site_of(url) == site
    assert tuned_options(settings, site, {}).thresholds.length_low == (20 if site else 70)


def test_what_is_left_out_is_not_chosen() -> None:
    assert read_choice({"profile": None, "languages": None, "parameters": None, "pages": [1]}) == {}
    chosen = {"languages": ["de"], "parameters": {"tree_depth": None}}
    assert read_choice(chosen) == {"language": ["de"], "tree_depth": None}
