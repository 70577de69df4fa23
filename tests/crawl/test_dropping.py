"""What becomes of pages without good content, and of their items."""

from __future__ import annotations

import logging
import re

import pytest

from tests.crawl.content import ENGLISH, GOOD_TEXT, KEYWORDS, page
from tests.crawl.crawling import Crawl, Result, crawl
from tests.crawl.items import DataclassItem, Fieldless
from tests.crawl.server import Site
from tests.crawl.spiders import PageSpider

pytestmark = pytest.mark.full

#: The page with nothing but key words: 200 characters are passed, stop words are missing.
MESSAGE = re.compile(
    rf"no good content: 0 of 4 blocks; nearest miss: {len(KEYWORDS)} characters, "
    r"stop-word density 0\.00 < 0\.30"
)


@pytest.fixture(scope="module")
def results(site: Site) -> dict[str, Result]:
    both = {"urls": site.urls("/good", "/poor")}
    minimum = len(GOOD_TEXT.replace("\n\n", ""))
    return crawl(
        {
            "default": Crawl(PageSpider, both),
            "item": Crawl(PageSpider, both, {"JUSTEXT_DROP": "item"}),
            "response": Crawl(PageSpider, both, {"JUSTEXT_DROP": "response"}),
            "none": Crawl(PageSpider, both, {"JUSTEXT_DROP": "none"}),
            "at the minimum": Crawl(PageSpider, both, {"JUSTEXT_MIN_GOOD_CHARACTERS": minimum}),
            "below the minimum": Crawl(PageSpider, both, {"JUSTEXT_MIN_GOOD_CHARACTERS": minimum + 1}),
            "no minimum": Crawl(PageSpider, both, {"JUSTEXT_MIN_GOOD_CHARACTERS": 0}),
            "typed": Crawl(PageSpider, {**both, "make": DataclassItem}),
            "fieldless": Crawl(PageSpider, {**both, "make": Fieldless}, problems=["^Fieldless declares none"]),
            "other class": Crawl(PageSpider, {**both, "make": Fieldless}, {"JUSTEXT_ITEM_CLASSES": [DataclassItem]}),
        }
    )


@pytest.mark.parametrize("name", ["default", "item", "typed"])
def test_the_items_of_a_poor_page_are_dropped(results: dict[str, Result], site: Site, name: str) -> None:
    result = results[name]
    assert len(result.items) == 1
    (dropped,) = result.dropped
    assert dropped.exception == "NoGoodContent"
    assert MESSAGE.fullmatch(dropped.message), dropped.message
    assert result.stats["item_dropped_count"] == 1
    assert result.stats["item_dropped_reasons_count/NoGoodContent"] == 1
    assert result.justext["items_dropped"] == 1
    assert result.justext["pages_without_good_content"] == 1
    # The spider saw both pages: it may follow the links of the poor one.
    assert {path for path, _ in result.seen} == {"/good", "/poor"}


def test_a_drop_is_logged_at_info_without_the_text(results: dict[str, Result], site: Site) -> None:
    """Scrapy's log formatter adds the item, at every level: it is as the spider made it, no page in it."""
    lines = [entry for entry in results["default"].log if "no good content" in entry.message]
    assert [entry.level for entry in lines] == [logging.INFO]
    assert MESSAGE.search(lines[0].message)
    assert lines[0].message.endswith(str({"url": site.url("/poor")}))


def test_the_response_of_a_poor_page_is_dropped_when_asked_for(results: dict[str, Result], site: Site) -> None:
    result = results["response"]
    assert [item["text"] for item in result.items] == [GOOD_TEXT]
    assert result.dropped == []
    seen = dict(result.seen)
    assert seen.keys() == {"/good", "/poor"}
    assert seen["/poor"] == "IgnoreRequest"
    assert result.justext["responses_dropped"] == 1
    assert result.justext["pages_without_good_content"] == 1
    assert "items_dropped" not in result.justext
    (line,) = [entry for entry in result.log if "no good content" in entry.message]
    assert line.level == logging.INFO
    assert site.url("/poor") in line.message
    assert MESSAGE.search(line.message)


def test_nothing_is_dropped_when_asked_for(results: dict[str, Result], site: Site) -> None:
    result = results["none"]
    texts = {item["url"]: item["text"] for item in result.items}
    assert texts == {site.url("/good"): GOOD_TEXT, site.url("/poor"): ""}
    assert all(len(item["blocks"]) >= 4 for item in result.items)
    assert result.dropped == []
    assert result.justext["pages_without_good_content"] == 1
    assert "items_dropped" not in result.justext


def test_the_minimum_of_good_characters_is_inclusive(results: dict[str, Result]) -> None:
    assert [item["text"] for item in results["at the minimum"].items] == [GOOD_TEXT]
    assert results["below the minimum"].items == []
    assert results["below the minimum"].justext["pages_without_good_content"] == 2
    assert len(results["no minimum"].items) == 2
    assert "pages_without_good_content" not in results["no minimum"].justext


def test_a_page_below_the_minimum_says_by_how_much(results: dict[str, Result]) -> None:
    characters = len(GOOD_TEXT.replace("\n\n", ""))
    message = f"no good content: 2 of 5 blocks, {characters} < {characters + 1} good characters"
    assert message in [dropped.message for dropped in results["below the minimum"].dropped]


@pytest.mark.parametrize("name", ["fieldless", "other class"])
def test_items_that_are_not_cleaned_are_not_dropped(results: dict[str, Result], name: str) -> None:
    assert len(results[name].items) == 2
    assert results[name].dropped == []


def test_meta_decides_what_is_dropped_of_a_page(site: Site) -> None:
    meta = {
        "/poor?none": {"justext": {"drop": "none"}},
        "/poor?response": {"justext": {"drop": "response"}},
        "/good?minimum": {"justext": {"min_good_characters": len(GOOD_TEXT) + 1}},
    }
    urls = site.urls("/poor?none", "/poor?response", "/good?minimum", "/poor", "/good")
    result = crawl({"meta": Crawl(PageSpider, {"urls": urls, "meta": meta})})["meta"]
    assert sorted(item["url"] for item in result.items) == sorted(site.urls("/good", "/poor?none"))
    assert sorted(dropped.item["url"] for dropped in result.dropped) == sorted(site.urls("/good?minimum", "/poor"))
    assert result.justext["responses_dropped"] == 1


@pytest.mark.full
def test_a_page_without_text_says_so(site: Site) -> None:
    answers = {"/empty": "<html><body><div></div></body></html>", "/lone": page(ENGLISH)}
    with Site(answers) as small:
        result = crawl({"empty": Crawl(PageSpider, {"urls": small.urls()})})["empty"]
    assert [item["text"] for item in result.items] == [ENGLISH]
    assert [dropped.message for dropped in result.dropped] == ["no good content: the page has no text"]
