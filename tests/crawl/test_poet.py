"""Extractions by type annotation, with scrapy-poet."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from scrapy_justext import extract
from tests.crawl.content import ENGLISH, GOOD_PAGE, GOOD_TEXT
from tests.crawl.crawling import Crawl, Results, crawl
from tests.crawl.server import Answer, Site

pytest.importorskip("scrapy_poet")

from scrapy_poet.downloadermiddlewares import InjectionMiddleware
from scrapy_poet.page_input_providers import PageObjectInputProvider
from web_poet.serialization import deserialize_leaf, serialize_leaf

from scrapy_justext.poet import ExtractionProvider
from tests.crawl.poet_pages import AskingSpider, DummySpider

pytestmark = pytest.mark.full

POET = "scrapy_poet.Addon"
JUSTEXT = "scrapy_justext.Addon"
PROVIDER = {"SCRAPY_POET_PROVIDERS": {ExtractionProvider: 550}}
ORDERS: dict[str, dict[str, Any]] = {
    "both add-ons": {"ADDONS": {POET: 300, JUSTEXT: 500}, **PROVIDER},
    "the other way round": {"ADDONS": {JUSTEXT: 300, POET: 500}, **PROVIDER},
    "scrapy-poet first": {
        "ADDONS": {POET: 300, JUSTEXT: 500},
        "DOWNLOADER_MIDDLEWARES": {"scrapy_justext.JustextDownloaderMiddleware": 100},
        **PROVIDER,
    },
    "the provider alone": {"ADDONS": {POET: 300}, **PROVIDER},
    "by hand": {
        "ADDONS": {JUSTEXT: 500},
        "DOWNLOADER_MIDDLEWARES": {InjectionMiddleware: 543},
        "REQUEST_FINGERPRINTER_CLASS": "scrapy_poet.ScrapyPoetRequestFingerprinter",
        "SCRAPY_POET_PROVIDERS": {"scrapy_justext.poet.ExtractionProvider": 700},
    },
    "processes": {"ADDONS": {POET: 300, JUSTEXT: 500}, **PROVIDER, "JUSTEXT_PROCESSES": 1},
}


class NoErrbackSpider(AskingSpider):
    """Has no errback."""

    async def start(self) -> AsyncIterator[Any]:
        async for request in super().start():
            yield request.replace(errback=None)


ANSWERS = {
    "/json": Answer("{}", "application/json"),
    "/missing": Answer(GOOD_PAGE, status=404),
    "/good": Answer(GOOD_PAGE),
}
#: Pages that are not cleaned, and settings.
UNCLEANED: dict[str, tuple[str, dict[str, Any]]] = {
    "no HTML": ("/json", {}),
    "switched off": ("/good", {"JUSTEXT_ENABLED": False}),
}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Results]:
    """Crawls with everything in each order."""
    both = ORDERS["both add-ons"]
    cached = {**both, "SCRAPY_POET_CACHE": str(tmp_path_factory.mktemp("cache"))}
    with Site(ANSWERS) as served:
        good = {"urls": served.urls("/good")}
        crawls = {name: Crawl(AskingSpider, good, settings) for name, settings in ORDERS.items()}
        for name, (path, settings) in UNCLEANED.items():
            crawls[name] = Crawl(AskingSpider, {"urls": served.urls(path)}, {**both, **settings})
        yield crawl(
            {
                **crawls,
                "no errback": Crawl(NoErrbackSpider, {"urls": served.urls()}, both),
                "not downloaded": Crawl(DummySpider, good, both),
                "first": Crawl(AskingSpider, good, cached),
                "second": Crawl(AskingSpider, good, cached),
            }
        )


@pytest.mark.parametrize("name", ORDERS)
def test_callbacks_and_page_objects_get_the_extraction_of_the_response(results: Results, name: str) -> None:
    result = results[name]
    assert sorted(result.seen) == [("callback", True, GOOD_TEXT), ("page", True, GOOD_TEXT)]
    assert result.justext["pages"] == 2
    by_page = next(item for item in result.items if item["url"].endswith("?page"))
    assert (by_page["body"], by_page["heading"]) == (GOOD_TEXT, "The bridge")
    assert by_page.get("text") == (None if name == "the provider alone" else GOOD_TEXT)


@pytest.mark.parametrize("name", UNCLEANED)
def test_a_page_that_is_not_cleaned_fails_with_a_reason(results: Results, name: str) -> None:
    assert [kind for _, kind in results[name].seen] == ["NoExtraction"] * 2


def test_without_an_errback_the_log_has_a_line_and_the_cache_gives_the_same(results: Results) -> None:
    result = results["no errback"]
    assert {text for _, _, text in result.seen} == {GOOD_TEXT}
    lines = [entry.message.rpartition(": ")[2] for entry in result.log if "no extraction" in entry.message]
    assert sorted(lines) == ["HTTP status 404 Not Found"] * 2 + ["content type application/json"] * 2
    texts = {name: sorted((kind, text) for kind, _, text in results[name].seen) for name in ("first", "second")}
    assert texts["second"] == texts["first"] == [("callback", GOOD_TEXT), ("page", GOOD_TEXT)]
    assert results["second"].stats["poet/cache/hit"] == 2


def test_a_page_that_was_not_downloaded_is_skipped(results: Results) -> None:
    result = results["not downloaded"]
    assert sorted(result.seen) == [("DummyResponse", False), ("HtmlResponse", True)]
    assert result.stats["downloader/request_count"] == 1
    assert (result.justext["pages"], result.justext["skipped/not_html"]) == (1, 1)
    assert sorted("text" in item for item in result.items) == [False, True]


@pytest.mark.parametrize("profile", ["justext", "learned", "justext-java"])
def test_an_extraction_survives_serialization(profile: str) -> None:
    page = f'<title>T</title><h1>A bridge</h1><p>{ENGLISH}</p><img src="a.png" alt="A bridge"><ul><li>One'
    extraction = extract(page, profile=profile, url="http://example.org/", paths=True)
    assert deserialize_leaf(type(extraction), serialize_leaf(extraction)) == extraction
    assert issubclass(ExtractionProvider, PageObjectInputProvider)
