"""JUSTEXT_DROP_TYPES leaves out pages of some types, whichever profile judges; callbacks know the type."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from scrapy import Spider
from scrapy.http import Response

from scrapy_justext import extract, get_extraction
from scrapy_justext.crawl.settings import configure, from_mapping
from scrapy_justext.exceptions import SettingError
from tests.builders import REPOSITORY
from tests.crawl.crawling import Crawl, Result, crawl
from tests.crawl.server import Site, path_of
from tests.crawl.spiders import PageSpider

DEMO = REPOSITORY / "example_project" / "demo_site" / "pages"
FILES = {
    "/collection": "shop/index.html",
    "/article": "news/harbour-bridge.html",
    "/forum": "forum/thread-attic-radio.html",
}
SITE = {path: (DEMO / file).read_text("utf-8") for path, file in FILES.items()}
TYPES = {path: path[1:] for path in FILES}
PROFILES = ("justext", "justext-3.0", "boilerpipe", "learned", "learned-article", "auto")
USUAL = {"JUSTEXT_DROP_TYPES": ["collection", "listing", "forum"], "JUSTEXT_LANGUAGE": "en", "CONCURRENT_REQUESTS": 1}
CRAWLS: dict[str, dict[str, Any]] = {
    **{profile: {"JUSTEXT_PROFILE": profile} for profile in PROFILES},
    "processes": {"JUSTEXT_PROCESSES": 1},
    "memory": {"JUSTEXT_SITE_MEMORY": True, "JUSTEXT_SITE_MEMORY_LOOK": "end"},
    "second requests": {"JUSTEXT_RETRY_META": {"proxy": "no"}},
    "a site": {"JUSTEXT_DROP_TYPES": [], "JUSTEXT_SITES": {"127.0.0.1": {"drop_types": "collection,forum"}}},
}


class SteeringSpider(Spider):
    """Follows the links of pages that are no article."""

    name = "steering"

    def __init__(self, url: str) -> None:
        super().__init__()
        self.start_urls = [url]
        self.seen: list[str] = []

    def parse(self, response: Response) -> Iterator[Any]:
        found = get_extraction(response)
        assert found is not None
        self.seen.append(path_of(response.url))
        yield {"url": response.url}
        if found.page_type != "article":
            yield from response.follow_all(["/article", "/forum"])


@pytest.fixture(scope="module")
def results() -> dict[str, Result]:
    with Site(SITE) as served:
        pages = {"urls": served.urls(*SITE)}
        crawls = {name: Crawl(PageSpider, pages, {**USUAL, **settings}) for name, settings in CRAWLS.items()}
        crawls["steered"] = Crawl(SteeringSpider, {"url": served.url("/collection")}, USUAL)
        asked = {**USUAL, "JUSTEXT_DROP_TYPES": None, "JUSTEXT_DROP": "none", "JUSTEXT_FIELDS": ["page_type"]}
        crawls["field"] = Crawl(PageSpider, pages, asked)
        return crawl(crawls)


@pytest.mark.parametrize("name", CRAWLS)
def test_pages_of_dropped_types_have_no_good_content(results: dict[str, Result], name: str) -> None:
    result = results[name]
    assert result.paths == ["/article"]
    assert result.justext["pages_of_dropped_types"] == 2
    assert {f"page_type/{kind}" for kind in TYPES.values()} <= result.justext.keys()
    assert "retry/requests" not in result.justext


def test_why_is_reported(results: dict[str, Result]) -> None:
    why = re.compile(r"no good content: a page of the type forum \(0\.9\d+\), JUSTEXT_DROP_TYPES drops it")
    assert any(why.search(entry.message) for entry in results["justext"].log)


def test_a_callback_knows_the_type_before_links_are_followed(results: dict[str, Result]) -> None:
    assert results["steered"].paths == ["/article"]
    assert results["steered"].justext["pages"] == 3


def test_a_field_asks_for_types_in_any_profile(results: dict[str, Result]) -> None:
    items = results["field"].items
    assert {path_of(item["url"]): item["page_type"] for item in items} == TYPES


@pytest.mark.parametrize("profile", PROFILES)
def test_types_are_those_of_the_model_of_pages_whichever_profile_judges(profile: str) -> None:
    for page in SITE.values():
        found, expected = extract(page, profile=profile, page_types=True), extract(page, profile="learned")
        facts = (found.page_type, found.page_type_probability)
        assert facts == (expected.page_type, expected.page_type_probability)
    assert extract(SITE["/article"]).page_type is None
    assert extract("", page_types=True).page_type is None


def test_an_unknown_type_is_named() -> None:
    with pytest.raises(SettingError, match="unknown type of page"):
        configure(from_mapping({"drop_types": ["shop"]}, "here"))
