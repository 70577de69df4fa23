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


@pytest.fixture(scope="module")
def results(site: Site) -> dict[str, Result]:
    urls = {"urls": site.urls("/good", "/poor")}
    crawls = {name: Crawl(PageSpider, urls, settings) for name, settings in {**WAYS, **OFF}.items()}
    crawls["off on the command line"] = Crawl(PageSpider, urls, {}, {"JUSTEXT_ENABLED": "False"})
    crawls["off by spider argument"] = Crawl(PageSpider, {**urls, "justext_enabled": "0"})
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
