"""The ways to switch the plugin on, and off."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from scrapy_justext import JustextDownloaderMiddleware, JustextPipeline, JustextSpiderMiddleware
from tests.crawl.content import GOOD_TEXT
from tests.crawl.crawling import Crawl, Result, crawl
from tests.crawl.spiders import PageSpider

if TYPE_CHECKING:
    from tests.crawl.server import Site

pytestmark = pytest.mark.full

BY_CLASS: dict[str, Any] = {
    "DOWNLOADER_MIDDLEWARES": {JustextDownloaderMiddleware: 545},
    "SPIDER_MIDDLEWARES": {JustextSpiderMiddleware: 25},
    "ITEM_PIPELINES": {JustextPipeline: 100},
}
BY_PATH: dict[str, Any] = {
    "DOWNLOADER_MIDDLEWARES": {"scrapy_justext.JustextDownloaderMiddleware": 545},
    "SPIDER_MIDDLEWARES": {"scrapy_justext.JustextSpiderMiddleware": 25},
    "ITEM_PIPELINES": {"scrapy_justext.JustextPipeline": 100},
}
BY_MODULE_PATH: dict[str, Any] = {
    "DOWNLOADER_MIDDLEWARES": {"scrapy_justext.crawl.middlewares.JustextDownloaderMiddleware": 545},
    "SPIDER_MIDDLEWARES": {"scrapy_justext.crawl.middlewares.JustextSpiderMiddleware": 25},
    "ITEM_PIPELINES": {"scrapy_justext.crawl.pipelines.JustextPipeline": 100},
}

WAYS: dict[str, dict[str, Any]] = {
    "add-on": {},
    "classes": {"ADDONS": None, **BY_CLASS},
    "paths": {"ADDONS": None, **BY_PATH},
    "paths of modules": {"ADDONS": None, **BY_MODULE_PATH},
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


@pytest.fixture(scope="module")
def results(site: Site) -> dict[str, Result]:
    urls = {"urls": site.urls("/good", "/poor")}
    crawls = {name: Crawl(PageSpider, urls, settings) for name, settings in {**WAYS, **OFF}.items()}
    crawls["off on the command line"] = Crawl(PageSpider, urls, {}, {"JUSTEXT_ENABLED": "False"})
    crawls["off by spider argument"] = Crawl(PageSpider, {**urls, "justext_enabled": "0"})
    asking = {"urls": site.urls(*OPT_IN), "meta": {path: {"justext": asked} for path, (asked, _) in OPT_IN.items()}}
    crawls |= {f"opt-in {name}": Crawl(PageSpider, asking, OFF["off"] | more) for name, more in OPT_IN_CRAWLS.items()}
    for name, (settings, arguments, _) in SITES.items():
        crawls[name] = Crawl(PageSpider, {**urls, **arguments}, settings)
    return crawl(crawls)


def test_components_by_hand_stand_where_they_were_put(results: dict[str, Result]) -> None:
    """Both ways together give one component of each kind, not two."""
    for name in WAYS:
        enabled = [e.message for e in results[name].log if e.name == "scrapy.middleware"]
        assert sum(message.count("JustextDownloaderMiddleware") for message in enabled) == 1, name
        assert sum(message.count("JustextSpiderMiddleware") for message in enabled) == 1, name
        assert sum(message.count("JustextPipeline") for message in enabled) == 1, name


@pytest.mark.parametrize("way", WAYS)
def test_every_way_cleans_once(results: dict[str, Result], way: str) -> None:
    result = results[way]
    assert [item["text"] for item in result.items] == [GOOD_TEXT]
    assert len(result.dropped) == 1
    assert result.justext["pages"] == 2
    assert result.justext["items_dropped"] == 1
    assert "items_without_page" not in result.justext


@pytest.mark.parametrize("way", [*OFF, "off on the command line", "off by spider argument"])
def test_switched_off_nothing_happens(results: dict[str, Result], site: Site, way: str) -> None:
    result = results[way]
    assert sorted(item["url"] for item in result.items) == sorted(site.urls("/good", "/poor"))
    assert all(item.keys() == {"url"} for item in result.items)
    assert result.justext == {}
    assert result.dropped == []
    assert [extraction for _, extraction in result.seen] == [None, None]


@pytest.mark.parametrize("name", OPT_IN_CRAWLS)
def test_a_request_switches_on_what_the_settings_switched_off(
    results: dict[str, Result], site: Site, name: str
) -> None:
    result = results[f"opt-in {name}"]
    cleaned = {path for path, (_, is_cleaned) in OPT_IN.items() if is_cleaned}
    assert {path for path, extraction in result.seen if extraction is not None} == cleaned
    texts = {item["url"]: item.get("text") for item in result.items}
    assert texts == {site.url(path): GOOD_TEXT if path in cleaned else None for path in OPT_IN}
    assert result.justext["pages"] == len(cleaned)
    # Of the others only those count that their request switched off.
    assert result.justext["skipped/request"] == result.justext["items_without_page"] == 2
    assert not [stat for stat in result.justext if stat.startswith("skipped/") and stat != "skipped/request"]


def test_site_memory_that_a_request_switched_on_holds_its_items(results: dict[str, Result]) -> None:
    assert results["opt-in with site memory"].justext["site_memory/items_held"] == 3


@pytest.mark.parametrize("name", SITES)
def test_the_stronger_level_decides(results: dict[str, Result], name: str) -> None:
    *_, is_cleaned = SITES[name]
    result = results[name]
    assert (result.justext.get("pages") == 2) is is_cleaned
    assert [item["text"] for item in result.items if "text" in item] == [GOOD_TEXT] * is_cleaned
