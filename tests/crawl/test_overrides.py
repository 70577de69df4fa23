"""Settings of a project, of sites, of a spider and of a request: which of them wins, what switches the plugin on."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from scrapy_justext import JustextDownloaderMiddleware, JustextPipeline, JustextSpiderMiddleware
from tests.crawl.content import ENGLISH, GOOD_TEXT
from tests.crawl.crawling import Crawl, Results, crawl
from tests.crawl.server import Site
from tests.crawl.spiders import PageSpider

pytestmark = pytest.mark.full

BY_CLASS: dict[str, Any] = {
    "DOWNLOADER_MIDDLEWARES": {JustextDownloaderMiddleware: 545},
    "SPIDER_MIDDLEWARES": {JustextSpiderMiddleware: 25},
    "ITEM_PIPELINES": {JustextPipeline: 100},
}
#: The same by the paths of the classes: those that are documented, and those of their modules.
BY_PATH = {
    name: {f"scrapy_justext.{component.__name__}": order for component, order in of_kind.items()}
    for name, of_kind in BY_CLASS.items()
}
BY_MODULE_PATH = {
    name: {f"{component.__module__}.{component.__name__}": order for component, order in of_kind.items()}
    for name, of_kind in BY_CLASS.items()
}

WAYS: dict[str, dict[str, Any]] = {
    "add-on": {},
    "classes": {"ADDONS": None, **BY_CLASS},
    "paths": {"ADDONS": None, **BY_PATH},
    "add-on and classes": BY_CLASS,
    "add-on and paths": BY_PATH,
    "add-on and paths of modules": BY_MODULE_PATH,
}
OFF: dict[str, dict[str, Any]] = {
    "off": {"JUSTEXT_ENABLED": False},
    "off by hand": {"ADDONS": None, **BY_CLASS, "JUSTEXT_ENABLED": False},
}

#: What requests ask for in a crawl that is switched off, and whether their pages are cleaned.
OPT_IN: dict[str, tuple[Any, bool]] = {
    "/good?true": (True, True),
    "/good?enabled": ({"enabled": True}, True),
    "/good?enabled-with-more": ({"enabled": "yes", "fields": {"title": None}}, True),
    "/good?false": (False, False),
    "/good?disabled": ({"enabled": False}, False),
    "/good?something-else": ({"blocks": "good"}, False),
    "/good?nothing": ({}, False),
}
OPT_IN_CRAWLS: dict[str, dict[str, Any]] = {
    "in place": {},
    "in processes": {"JUSTEXT_PROCESSES": 1},
    "with site memory": {"JUSTEXT_SITE_MEMORY": True, "JUSTEXT_SITE_MEMORY_LOOK": "end"},
}
HERE = "127.0.0.1"
#: Settings, arguments, and whether the pages of the site are cleaned.
SITES: dict[str, tuple[dict[str, Any], dict[str, Any], bool]] = {
    "site over project": ({**OFF["off"], "JUSTEXT_SITES": {HERE: {"enabled": True}}}, {}, True),
    "project over none": ({"JUSTEXT_SITES": {HERE: {"enabled": False}}}, {}, False),
    "argument over site": ({"JUSTEXT_SITES": {HERE: {"enabled": False}}}, {"justext_enabled": "yes"}, True),
    "argument off over site": (
        {**OFF["off"], "JUSTEXT_SITES": {HERE: {"enabled": True}}}, {"justext_enabled": "no"}, False,
    ),
    "argument over project": (OFF["off"], {"justext_enabled": "1"}, True),
}  # fmt: skip


class CustomSpider(PageSpider):
    """Has settings of its own."""

    custom_settings = {"JUSTEXT_LANGUAGE": "French"}  # noqa: RUF012


class AttributeSpider(CustomSpider):
    """Has both kinds of settings of its own."""

    justext: Mapping[str, Any] = {"language": "Spanish"}


PROJECT = {"JUSTEXT_LANGUAGE": "German"}
COMMAND_LINE = {"JUSTEXT_LANGUAGE": "Italian"}

#: From the weakest to the strongest: the sources that are given, and the language of the strongest.
PRECEDENCE: dict[str, tuple[Crawl, str]] = {
    "project": (Crawl(PageSpider, {}, PROJECT), "de"),
    "custom_settings over project": (Crawl(CustomSpider, {}, PROJECT), "fr"),
    "-s over custom_settings": (Crawl(CustomSpider, {}, PROJECT, COMMAND_LINE), "it"),
    "attribute over -s": (Crawl(AttributeSpider, {}, PROJECT, COMMAND_LINE), "es"),
    "-a over attribute": (Crawl(AttributeSpider, {"justext_language": "nl"}, PROJECT, COMMAND_LINE), "nl"),
}
#: What a request brings is stronger still.
META = {"/good?meta": {"justext": {"language": "Czech"}}}
BAD: dict[str, tuple[Any, str, str]] = {
    "/good?value": ({"drop": "page"}, "SettingError", r"request\.meta\['justext'\]\['drop'\] = 'page': must be one of"),
    "/good?name": ({"langage": "de"}, "UnknownKeyError", r"request\.meta\['justext'\]\['langage'\]: .*language"),
    "/good?file": ({"stoplist": "/no/such.txt"}, "SettingError", r"\['stoplist'\] = '/no/such.txt': cannot be read"),
    "/good?type": ("German", "SettingError", r"request\.meta\['justext'\] = 'German': must be a mapping"),
    "/good?processes": ({"processes": 2}, "SettingError", r"\['processes'\] = 2: can only be set for the whole crawl"),
}
#: What a request sets for its page.
OVERRIDES = {
    "language": "German",
    "fields": {"text": "body"},
    "block_fields": "text, xpath",
    "length_high": "9999",
    "good_run": "0",
}


@pytest.fixture(scope="module")
def results(site: Site) -> Results:
    urls, kept = {"urls": site.urls("/good", "/poor")}, {"JUSTEXT_DROP": "none"}
    crawls = {name: Crawl(PageSpider, urls, settings) for name, settings in {**WAYS, **OFF}.items()}
    crawls["off on the command line"] = Crawl(PageSpider, urls, {}, {"JUSTEXT_ENABLED": "False"})
    crawls["off by spider argument"] = Crawl(PageSpider, {**urls, "justext_enabled": "0"})
    asking = {"urls": site.urls(*OPT_IN), "meta": {path: {"justext": asked} for path, (asked, _) in OPT_IN.items()}}
    crawls |= {f"opt-in {name}": Crawl(PageSpider, asking, OFF["off"] | more) for name, more in OPT_IN_CRAWLS.items()}
    for name, (settings, arguments, _) in SITES.items():
        crawls[name] = Crawl(PageSpider, {**urls, **arguments}, settings)
    arguments = {"urls": site.urls("/good", "/good?meta"), "meta": META}
    for name, (given, _) in PRECEDENCE.items():
        own = {**given.settings, **kept}
        crawls[name] = Crawl(given.spider, {**given.arguments, **arguments}, own, given.command_line)
    wrong = {"urls": site.urls(*BAD, "/good"), "meta": {path: {"justext": value} for path, (value, *_) in BAD.items()}}
    problems = [rf"/good[?]{path.partition('?')[2]}: not cleaned: .*{message}" for path, (_, _, message) in BAD.items()]
    blocks = {"urls": site.urls("/good"), "meta": {"/good": {"justext": {"blocks": "good"}}}, "justext_drop": "none"}
    overridden = {"urls": site.urls("/good?1", "/german", "/good?2"), "meta": {"/german": {"justext": OVERRIDES}}}
    return crawl(
        {
            **crawls,
            "merged": Crawl(AttributeSpider, blocks, {"JUSTEXT_FIELDS": {"title": None}}),
            "bad": Crawl(PageSpider, wrong, problems=problems),
            "overrides": Crawl(PageSpider, overridden, {"CONCURRENT_REQUESTS": 1, **kept}),
        }
    )


def test_components_by_hand_stand_where_they_were_put(results: Results) -> None:
    """Both ways together give one component of each kind, not two."""
    for name in WAYS:
        enabled = "".join(entry.message for entry in results[name].log if entry.name == "scrapy.middleware")
        for component in ("JustextDownloaderMiddleware", "JustextSpiderMiddleware", "JustextPipeline"):
            assert enabled.count(component) == 1, name


@pytest.mark.parametrize("way", WAYS)
def test_every_way_cleans_once(results: Results, way: str) -> None:
    result = results[way]
    assert [item["text"] for item in result.items] == [GOOD_TEXT]
    assert len(result.dropped) == 1
    assert result.justext["pages"] == 2
    assert result.justext["items_dropped"] == 1
    assert "items_without_page" not in result.justext


@pytest.mark.parametrize("way", [*OFF, "off on the command line", "off by spider argument"])
def test_switched_off_nothing_happens(results: Results, way: str) -> None:
    result = results[way]
    assert sorted(result.paths) == ["/good", "/poor"]
    assert all(item.keys() == {"url"} for item in result.items)
    assert result.justext == {}
    assert result.dropped == []
    assert [extraction for _, extraction in result.seen] == [None, None]


@pytest.mark.parametrize("name", OPT_IN_CRAWLS)
def test_a_request_switches_on_what_the_settings_switched_off(results: Results, name: str) -> None:
    result = results[f"opt-in {name}"]
    cleaned = {path for path, (_, is_cleaned) in OPT_IN.items() if is_cleaned}
    assert {path for path, extraction in result.seen if extraction is not None} == cleaned
    assert result.texts == {path: GOOD_TEXT if path in cleaned else None for path in OPT_IN}
    assert result.justext["pages"] == len(cleaned)
    # Of the others only those count that their request switched off.
    assert result.justext["skipped/request"] == result.justext["items_without_page"] == 2
    assert result.counts("skipped/").keys() == {"request"}


def test_site_memory_that_a_request_switched_on_holds_its_items(results: Results) -> None:
    assert results["opt-in with site memory"].justext["site_memory/items_held"] == 3


@pytest.mark.parametrize("name", SITES)
def test_the_stronger_level_decides(results: Results, name: str) -> None:
    *_, is_cleaned = SITES[name]
    result = results[name]
    assert (result.justext.get("pages") == 2) is is_cleaned
    assert [item["text"] for item in result.items if "text" in item] == [GOOD_TEXT] * is_cleaned


@pytest.mark.parametrize("name", PRECEDENCE)
def test_the_stronger_source_wins(results: Results, name: str) -> None:
    languages = dict(zip(results[name].paths, (item["language"] for item in results[name].items), strict=True))
    assert languages == {"/good": PRECEDENCE[name][1], "/good?meta": "cs"}


def test_sources_are_merged_setting_by_setting(results: Results) -> None:
    (item,) = results["merged"].items
    # Nothing on the page is good in Spanish.
    assert (item["language"], item["text"], item["blocks"]) == ("es", "", [])
    assert "title" not in item


def test_a_bad_override_is_logged_with_its_url_and_the_crawl_goes_on(results: Results) -> None:
    result = results["bad"]
    is_good = {path: path == "/good" for path in (*BAD, "/good")}
    assert {path: extraction is not None for path, extraction in result.seen} == is_good
    assert {path: text is not None for path, text in result.texts.items()} == is_good
    assert result.justext["errors"] == len(BAD)
    assert result.counts("errors/") == Counter(kind for _, kind, _ in BAD.values())
    # Each in one line: what the library itself says needs no traceback.
    assert len(result.problems) == len(BAD)
    assert not [message for message in result.problems if "Traceback" in message]
    assert result.stats["finish_reason"] == "finished"


def test_overrides_for_a_request_do_not_stay(results: Results) -> None:
    first, german, second = results["overrides"].items
    assert (german["language"], german["body"]) == ("de", "")
    assert german["blocks"][0].keys() == {"text", "xpath"}
    for other in (first, second):
        assert other["language"] == "en"
        assert other["text"].startswith(ENGLISH)
        assert "xpath" not in other["blocks"][0]
    assert results["overrides"].counts("language/") == {"German": 1, "English": 2}
