"""JUSTEXT_* settings: conversion, checks, messages, precedence of their sources."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import pytest
from scrapy import Spider
from scrapy.settings import Settings

from scrapy_justext.crawl.settings import (
    DEFAULT_BLOCK_FIELDS,
    DEFAULT_FIELDS,
    PARTS_OF_DUPLICATES,
    PREFIX,
    SETTINGS,
    Configuration,
    Given,
    configure,
    from_mapping,
    from_settings,
    from_spider,
    is_enabled,
    make_layers,
    without_effect,
)
from scrapy_justext.exceptions import JustextError, SettingError, UnknownNameError
from tests.crawl.items import DataclassItem, ScrapyItem


def configured(**values: Any) -> Configuration:
    """The configuration of settings given by their lower-case names."""
    return configure(from_mapping(values, "test"))


def value_of(configuration: Configuration, name: str) -> Any:
    """What a configuration holds under a setting's name."""
    if hasattr(configuration, name):
        return getattr(configuration, name)
    options = configuration.options
    match name:
        case "profile":
            return options.profile.name
        case "language":
            return options.candidates and [language.name for language in options.candidates]
        case "stoplist":
            return options.stopwords and sorted(options.stopwords)
        case _:
            return getattr(options.thresholds, name)


#: Those of duplicates are left out where nobody looks for any.
USUAL_FIELDS = {**DEFAULT_FIELDS, **dict.fromkeys(PARTS_OF_DUPLICATES)}

#: A value of the type that the setting has, the string for it, and what the configuration holds then.
CONVERSIONS: list[tuple[str, object, str, object]] = [
    ("profile", "justext-3.0", "justext-3.0", "justext-3.0"),
    *(("language", name.strip(), name, ["German"]) for name in ("German", " de ")),
    ("language", "auto", "auto", None),
    ("language", ["German", "en"], "German, en", ["German", "English"]),
    ("language", ["German", "en"], '["German", "en"]', ["German", "English"]),
    ("length_low", 50, "50", 50),
    ("length_high", 300, " 300 ", 300),
    ("stopwords_low", 0.25, "0.25", 0.25),
    ("stopwords_low", 0, "0", 0),
    ("max_link_density", 1, "1", 1),
    ("max_heading_distance", 0, "0", 0),
    *((name, True, "yes", True) for name in ("no_headlines", "rescue_images", "drop_repeated")),
    ("tree_depth", 1, "1", 1),
    ("keep_headline", False, "no", False),
    ("min_confidence", 0.5, "0.5", 0.5),
    ("fallback_probability", 0.25, "0.25", 0.25),
    ("timeout", 1.5, "1.5", 1.5),
    *(("no_headings", True, string, True) for string in ("True", "1", "yes", "on")),
    *(("no_headings", False, string, False) for string in ("false", "0", "No", "OFF")),
    ("no_headings", 1, "true", True),
    ("fields", {"text": "body", "blocks": None}, '{"text": "body", "blocks": null}',
     {**USUAL_FIELDS, "text": "body", "blocks": None}),
    ("fields", {}, "{}", USUAL_FIELDS),
    ("fields", ["markdown", "text"], "markdown, text", {**USUAL_FIELDS, "markdown": "markdown"}),
    ("fields", (), "[]", USUAL_FIELDS),
    ("item_classes", DataclassItem, "tests.crawl.items.DataclassItem", (DataclassItem,)),
    ("item_classes", [DataclassItem, "tests.crawl.items.ScrapyItem"],
     "tests.crawl.items.DataclassItem, tests.crawl.items.ScrapyItem", (DataclassItem, ScrapyItem)),
    ("block_fields", ["text", "xpath"], "text, xpath", ("text", "xpath")),
    ("block_fields", ("text",), '["text"]', ("text",)),
    ("blocks", "good", "good", "good"),
    ("chunk_characters", 1, "1", 1),
    ("duplicates", "mark", "mark", "mark"),
    ("duplicates_share", 0.7, "0.7", 0.7),
    ("duplicates_memory", 64, "64", 64),
    ("drop", "none", "none", "none"),
    ("min_good_characters", 0, "0", 0),
    ("min_good_characters", 250, "250", 250),
    ("max_body_bytes", 1000, "1000", 1000),
    ("extra_statuses", [404, 410], "404, 410", frozenset({404, 410})),
    ("extra_statuses", 404, "404", frozenset({404})),
    ("extra_statuses", {404}, "[404]", frozenset({404})),
    ("extra_statuses", [100, 599], "100, 599", frozenset({100, 599})),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value", "string", "expected"), CONVERSIONS)
def test_strings_mean_what_values_mean(name: str, value: object, string: str, expected: object) -> None:
    assert value_of(configured(**{name: value}), name) == expected
    from_string = value_of(configured(**{name: string}), name)
    assert from_string == expected
    assert type(from_string) is type(expected)


def test_a_stoplist_is_a_file_files_or_words(tmp_path: Path) -> None:
    first, second = tmp_path / "first.txt", tmp_path / "second.txt"
    first.write_text("Alpha\nbeta\n", "utf-8")
    second.write_text("gamma\n", "utf-8")
    assert value_of(configured(stoplist=str(first)), "stoplist") == ["alpha", "beta"]
    assert value_of(configured(stoplist=first), "stoplist") == ["alpha", "beta"]
    assert value_of(configured(stoplist=[first, second]), "stoplist") == ["alpha", "beta", "gamma"]
    assert value_of(configured(stoplist=["Of", "the"]), "stoplist") == ["of", "the"]


def test_a_folder_of_lists_adds_its_languages(tmp_path: Path) -> None:
    (tmp_path / "Klingon.txt").write_text("qapla\n", "utf-8")
    configuration = configured(stoplists_dir=str(tmp_path), language="Klingon")
    assert value_of(configuration, "language") == ["Klingon"]


@pytest.mark.parametrize("name", SETTINGS)
def test_none_stands_for_the_default(name: str) -> None:
    given = from_mapping({name: None}, "test")
    assert is_enabled(given) is True
    if name != "enabled":
        assert configure(given) == configured()


def test_defaults() -> None:
    configuration = configured()
    options = configuration.options
    assert (options.profile.name, options.paths) == ("justext", False)
    assert (options.candidates, options.stopwords, configuration.item_classes) == (None, None, None)
    assert configuration.fields == USUAL_FIELDS
    assert configuration.block_fields == DEFAULT_BLOCK_FIELDS
    assert (configuration.blocks, configuration.drop) == ("good", "item")
    assert configuration.min_good_characters == 1
    assert configuration.html_field is None
    assert configuration.max_body_bytes == 10 * 1024 * 1024
    assert configuration.extra_statuses == frozenset()


@pytest.mark.parametrize("name", ["xpath", "dom_path"])
def test_paths_and_markdown_are_made_for_a_field_alone(name: str) -> None:
    assert configured(block_fields=["text", name]).options.paths is True
    asked: list[tuple[dict[str, str | None], tuple[str, ...]]] = [
        ({}, ()),
        ({"markdown": "md"}, ("markdown",)),
        ({"markdown": None, "html": "body"}, ("html",)),
    ]
    for fields, expected in asked:
        assert configured(fields=fields).options.documents == expected


def test_images_and_models_have_fields_of_their_own() -> None:
    listed = {"blocks": "all"}
    assert configured(**listed).block_fields == DEFAULT_BLOCK_FIELDS
    assert configured(profile="justext-java", **listed).block_fields == (
        *DEFAULT_BLOCK_FIELDS,
        "image_url",
        "image_alt",
    )
    assert configured(profile="justext-java", block_fields="text").block_fields == ("text",)
    assert configured(profile="learned", **listed).block_fields == (*DEFAULT_BLOCK_FIELDS, "probability", "origin")


def test_blocks_have_their_text_where_the_item_s_text_does_not_hold_it() -> None:
    assert DEFAULT_BLOCK_FIELDS[0] == "text"
    assert "text" not in configured().fields_of_blocks(beside_text=True)
    assert "text" in configured().fields_of_blocks(beside_text=False)
    assert "text" in configured(blocks="all").fields_of_blocks(beside_text=True)
    assert configured(block_fields="text, kind").fields_of_blocks(beside_text=True) == ("text", "kind")


@pytest.mark.parametrize(("value", "is_on"), [(True, True), (1, True), ("yes", True), (0, False), ("off", False)])
def test_switched_on_and_off(value: object, is_on: bool) -> None:
    assert is_enabled({"enabled": Given(value, "test")}) is is_on


NUMBER = "must be a whole number, 0 or more"
CHARACTERS = "must be a whole number of characters, 0 or more"
DENSITY = "must be a number from 0 to 1"
BOOLEAN = "must be True or False, yes or no"

#: A setting, a value that is not allowed, the value that the message names, and what it says is allowed.
ERRORS: list[tuple[str, object, object, str]] = [
    *((name, value, value, BOOLEAN) for name in (
        "enabled", "no_headlines", "rescue_images", "keep_headline", "drop_repeated", "no_headings",
    ) for value in ("perhaps", 2)),
    ("enabled", [], [], BOOLEAN),
    ("profile", "justex", "justex", "did you mean justext"),
    ("profile", 3, 3, "known are justext, justext-3.0"),
    ("language", "Germn", "Germn", "did you mean German"),
    ("language", ["en", "xx"], "xx", "unknown language"),
    ("language", 7, 7, "must be a"),
    ("language", {"en": 1}, {"en": 1}, "must be a"),
    ("language", [], [], 'must be a language, a list of them, "auto" or "none"'),
    ("language", "", "", "unknown language"),
    ("language", "[en", "[en", "must be JSON"),
    ("stoplist", "/no/such/file.txt", "/no/such/file.txt", "cannot be read: No such file or directory"),
    ("stoplist", [Path("/no/such/file.txt")], "/no/such/file.txt", "cannot be read"),
    ("stoplist", [1], [1], "must be a path, "),
    ("stoplists_dir", "/no/such/folder", "/no/such/folder", "is not a folder"),
    *(("stoplists_dir", value, value, "") for value in (7, ["lists"], {"folder": "lists"})),
    *(("length_low", value, value, CHARACTERS) for value in (-1, "seventy")),
    ("length_low", 201, 201, "must not be above length_high = 200"),
    ("length_high", "1e3", 1000.0, CHARACTERS),
    ("length_high", [200], [200], CHARACTERS),
    ("stopwords_low", "-0.1", -0.1, DENSITY),
    ("stopwords_high", "nan", ANY, DENSITY),
    *((name, 1.5, 1.5, DENSITY) for name in ("fallback_probability", "duplicates_share", "site_memory_share")),
    ("max_link_density", "20%", "20%", DENSITY),
    ("max_link_density", {}, {}, DENSITY),
    *(("tree_depth", value, value, "must be a whole number from 1 to 5") for value in (0, 6, True, "two")),
    ("tree_depth", "2.5", 2.5, "must be a whole number from 1 to 5"),
    ("keep_css", "p >", "p >", "must be a CSS selector: Expected selector"),
    ("drop_css", [".ad", "p::text"], "p::text", "must be a CSS selector: Pseudo-elements are not supported"),
    *(("drop_css", value, value, "must be a string or a list of strings") for value in (3, {".ad": 1})),
    ("drop_text", "(", "(", "must be a regular expression: missing )"),
    ("drop_text", [b"x"], b"x", "must be a regular expression"),
    ("sites", "example.com", "example.com", "must be JSON"),
    ("sites", ["example.com"], ["example.com"], "must be a mapping"),
    ("fields", {"txt": "text"}, "txt", "did you mean text"),
    *(("fields", {"text": name}, ANY, "must be the name of an item field") for name in ("", 1)),
    ("fields", ["txt"], "txt", "did you mean text"),
    ("fields", '{"text"', '{"text"', "must be JSON"),
    *(("fields", value, value, "must be a mapping to item fields, or a list") for value in (1, [["text"]])),
    ("item_classes", "no.such.Class", "no.such.Class", "must be item classes or their import paths: No module"),
    *(
        ("item_classes", value, value, "must be item classes or their import paths")
        for value in ("json.Missing", "json.dumps", "plain", [3])
    ),
    ("item_classes", 3, 3, "must be a list"),
    ("block_fields", ["text", "colour"], "colour", "unknown field of a block; known are text"),
    ("block_fields", "tekst", "tekst", "did you mean text"),
    *(("block_fields", value, value, "must be a list") for value in (1, {"text": 1})),
    ("blocks", "bad", "bad", "must be one of good, all"),
    *(("drop", value, value, "must be one of item, response, none") for value in ("page", False)),
    *((name, value, value, NUMBER) for name, value in (
        ("min_good_characters", -1), ("min_good_characters", "1.5"), ("min_good_characters", True),
        ("max_body_bytes", -1), ("max_body_bytes", "10MB"), ("processes", "many"),
    )),
    *(("html_field", value, value, "must be the name of an item field") for value in ("", 1)),
    ("duplicates", "yes", "yes", "must be one of none, mark, drop"),
    *((name, 0, 0, "must be a whole number, 1 or more") for name in ("duplicates_memory", "chunk_characters")),
    ("chunk_characters", "1k", "1k", "must be a whole number, 1 or more"),
    *(("timeout", value, value, "must be a number of seconds, more than 0") for value in (0, "inf")),
    ("site_memory_look", "twice", "twice", "must be one of none, hold, end"),
    *(("extra_statuses", value, value, "must be a list of HTTP status codes") for value in ("4xx", [99], [600])),
    ("extra_statuses", {"a": 404}, {"a": 404}, "must be a list"),
    ("keep_languages", ["Klingonish"], "Klingonish", "unknown language"),
    ("keep_languages", 7, 7, "must be a list"),
    ("drop_types", ["shop"], "shop", "unknown type of page"),
]  # fmt: skip


def error_of(given: Mapping[str, Given]) -> SettingError:
    with pytest.raises(SettingError) as caught:
        configure(given)
    return caught.value


@pytest.mark.parametrize(("name", "value", "named", "allowed"), ERRORS)
def test_what_is_not_allowed_is_an_error_that_says_so(name: str, value: object, named: object, allowed: str) -> None:
    setting = PREFIX + name.upper()
    error = error_of(from_settings(Settings({setting: value})))
    assert error.name == setting
    assert error.value == named
    assert named is ANY or type(error.value) is type(named)
    assert isinstance(error, JustextError)
    assert isinstance(error, ValueError)
    assert allowed in error.allowed
    assert str(error).startswith(f"{setting} = ")
    assert "\n" not in str(error)


def test_a_folder_without_lists_is_an_error(tmp_path: Path) -> None:
    error = error_of(from_mapping({"stoplists_dir": str(tmp_path)}, "test"))
    assert str(error) == f"test['stoplists_dir'] = {str(tmp_path)!r}: holds no LANGUAGE.txt"


class ExampleSpider(Spider):
    name = "example"
    justext: Any = {"language": "German", "drop": "none"}  # noqa: RUF012


#: Where a value is set that is not allowed, and the name of the place.
PLACES: dict[str, Callable[[], Mapping[str, Given]]] = {
    "-a justext_blocks": lambda: from_spider(ExampleSpider(justext_blocks="bad")),
    # That of a threshold, too.
    "-a justext_length_low": lambda: from_spider(ExampleSpider(justext_length_low="900")),
    "ExampleSpider.justext['drop']": lambda: from_spider(ExampleSpider(justext={"drop": "all"})),
    "request.meta['justext']['drop']": lambda: from_mapping({"drop": "all"}, "request.meta['justext']"),
    # Not that of the default that is above it.
    "JUSTEXT_LENGTH_LOW": lambda: from_settings(Settings({"JUSTEXT_LENGTH_HIGH": 50})),
}


@pytest.mark.parametrize("place", PLACES)
def test_an_error_names_the_place_where_the_value_was_set(place: str) -> None:
    assert error_of(PLACES[place]()).name == place


def in_settings(name: str) -> object:
    return from_settings(Settings({name: "learned"}))


def as_argument(name: str) -> object:
    return from_spider(ExampleSpider(**{name: "learned"}))


def in_attribute(name: str) -> object:
    return from_spider(ExampleSpider(justext={name: "learned"}))


#: Where a setting that does not exist is set, its name, and one that is suggested.
UNKNOWN: list[tuple[Callable[[str], object], str, str]] = [
    (in_settings, "JUSTEXT_LANGAUGE", "JUSTEXT_LANGUAGE"),
    (in_settings, "JUSTEXT_STOPWORDS", "JUSTEXT_STOPWORDS_LOW"),
    (in_settings, "JUSTEXT_MAX_LINKS_DENSITY", "JUSTEXT_MAX_LINK_DENSITY"),
    *((in_settings, name, "JUSTEXT_PROFILE") for name in ("justext_profile", "Justext_Profile", "JUSTEXT_profile")),
    (in_settings, "JUSTEXT-PROFILE", "JUSTEXT_PROFILE"),
    (as_argument, "justext_langage", "justext_language"),
    (as_argument, "JUSTEXT_PROFILE", "justext_profile"),
    (as_argument, "justext-profile", "justext_profile"),
    (in_attribute, "langage", "language"),
]


@pytest.mark.parametrize(("use", "name", "suggestion"), UNKNOWN)
def test_unknown_settings_are_errors_that_suggest(use: Callable[[str], object], name: str, suggestion: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        use(name)
    place = f"ExampleSpider.justext[{name!r}]" if use is in_attribute else name
    assert str(caught.value).startswith(f"{place}: unknown setting; did you mean ")
    assert suggestion in caught.value.suggestions


def test_a_key_that_is_no_name_and_settings_in_one_mapping_are_errors() -> None:
    with pytest.raises(UnknownNameError, match=r"meta\[7\]: unknown setting"):
        from_mapping({7: "de"}, "meta")
    with pytest.raises(SettingError, match=r"^JUSTEXT = .*: each setting has a name of its own"):
        from_settings(Settings({"JUSTEXT": {"language": "de"}}))


@pytest.mark.parametrize("value", ["German", 7, ["language"], True, False])
def test_what_is_no_mapping_is_an_error(value: object) -> None:
    with pytest.raises(SettingError, match="must be a mapping of setting names to values"):
        from_spider(ExampleSpider(justext=value))


@pytest.mark.parametrize("name", ["timeout", "length_low", "html_field", "stoplist", "profile"])
def test_none_on_a_command_line_means_the_default(name: str) -> None:
    assert configure({name: Given("None", "test")}) == configure({})


def test_a_language_that_no_page_is_in_cannot_be_kept() -> None:
    error = error_of(from_mapping({"keep_languages": ["de"], "language": "en"}, "test"))
    assert str(error).endswith("no page would be left, since JUSTEXT_LANGUAGE says that all are in en")


def test_two_parts_cannot_go_to_one_field_and_stop_words_are_a_list() -> None:
    error = error_of(from_mapping({"fields": {"title": "text"}}, "test"))
    assert str(error).endswith("'text' and 'title' both go to the field 'text'")
    configure(from_mapping({"fields": {"title": "text", "text": "title"}}, "test"))
    assert configure(from_mapping({"stoplist": '["the", "of"]'}, "test")).options.stopwords == frozenset({"the", "of"})
    assert str(error_of(from_mapping({"stoplist": "the of"}, "test"))).endswith("; words are given as a list")


def test_other_settings_and_attributes_are_left_alone() -> None:
    assert from_settings(Settings({"JUST": 1, "XJUSTEXT_DROP": 1, "justext": 1})) == {}
    spider = ExampleSpider(just="x", other_justext_drop="y", justext=None)
    assert from_spider(spider) == {}


class ClassSpider(Spider):
    """Has settings as Scrapy's own are had by spiders, and a method."""

    name = "class"
    justext_profile = "article"
    justext_drop = "none"

    def justext_callback(self) -> None:
        """Be no setting."""


def test_arguments_come_before_attributes_of_the_class_which_count_as_they_do() -> None:
    spider = ClassSpider(justext_drop="item")
    assert from_spider(spider) == {
        "profile": Given("article", "ClassSpider.justext_profile"),
        "drop": Given("item", "-a justext_drop"),
    }
    given = from_spider(ExampleSpider(justext_language="fr"))
    assert given["language"] == Given("fr", "-a justext_language")
    assert given["drop"] == Given("none", "ExampleSpider.justext['drop']")


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"LENGTH_LOW": 50, "NO_HEADINGS": True}, []),
        ({"GOOD_PROBABILITY": 0.5, "MIN_CONFIDENCE": 0.5}, ["JUSTEXT_GOOD_PROBABILITY", "JUSTEXT_MIN_CONFIDENCE"]),
        ({"PROFILE": "learned", "LENGTH_LOW": 50, "GOOD_PROBABILITY": 0.5}, ["JUSTEXT_LENGTH_LOW"]),
        ({"PROFILE": "learned", "LENGTH_LOW": None, "STOPWORDS_LOW": "None"}, []),
        ({"PROFILE": "auto", "LENGTH_LOW": 50, "CODE": "length", "MIN_CONFIDENCE": 0.5}, []),
        ({"PROFILE": "learned", "LENGTH_HIGH": 300, "TABLES": "length"}, []),
        ({"PROFILE": "boilerpipe", "STOPWORDS_LOW": 0.2}, ["JUSTEXT_STOPWORDS_LOW"]),
        ({"STOPWORDS_LOW": 0.2, "SITES": {"a.com": {"profile": "boilerpipe"}}}, []),
        ({"SITES": {"a.com": {"good_probability": 0.5}}}, ["JUSTEXT_SITES['a.com']['good_probability']"]),
    ],
)
def test_parameters_that_no_profile_uses_are_reported(settings: dict[str, Any], expected: list[str]) -> None:
    project = from_settings(Settings({f"JUSTEXT_{name}": value for name, value in settings.items()}))
    layers = make_layers(project, {})
    configurations = [configure(layers.given(site)) for site in (None, *layers.sites)]
    assert sorted(without_effect(layers, configurations)) == expected
