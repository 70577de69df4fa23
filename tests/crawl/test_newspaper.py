"""A site as sites are: whatever comes first, the text of each article is there as it stands there, and only once."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from tests.crawl import newspaper
from tests.crawl.crawling import Crawl, Result, crawl
from tests.crawl.server import Site
from tests.crawl.spiders import PageSpider, path_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

IN_ORDER = {"CONCURRENT_REQUESTS": 1, "DOWNLOAD_DELAY": 0, "JUSTEXT_LANGUAGE": "English"}
ARTICLES = [article.path for article in newspaper.ALL]
ORDERS = {
    "listings first": [*newspaper.LISTINGS, *ARTICLES, *newspaper.PRINT_VIEWS],
    "articles first": [*ARTICLES, *newspaper.LISTINGS, *newspaper.PRINT_VIEWS],
    "print views first": [*newspaper.PRINT_VIEWS, *newspaper.LISTINGS, *ARTICLES],
}
CHOICES: dict[str, Mapping[str, Any]] = {
    "drop": {"JUSTEXT_DUPLICATES": "drop"},
    "drop-blocks": {"JUSTEXT_DUPLICATES": "drop-blocks"},
    "site memory": {"JUSTEXT_SITE_MEMORY": True},
    "site memory to the end": {"JUSTEXT_SITE_MEMORY": True, "JUSTEXT_SITE_MEMORY_LOOK": "end"},
    "all": {"JUSTEXT_DUPLICATES": "drop-blocks", "JUSTEXT_SITE_MEMORY": True, "JUSTEXT_SITE_MEMORY_LOOK": "hold"},
}


@pytest.fixture(scope="module")
def served() -> Iterator[Site]:
    with Site(newspaper.PAGES) as site:
        yield site


@pytest.fixture(scope="module")
def results(served: Site) -> dict[tuple[str, str], Result]:
    crawls = {
        (order, choice): Crawl(
            PageSpider, {"urls": served.urls(*paths)}, {**IN_ORDER, "JUSTEXT_JOIN_PAGES": 10, **settings}
        )
        for order, paths in ORDERS.items()
        for choice, settings in CHOICES.items()
    }
    return crawl(crawls)  # type: ignore[arg-type, return-value]


def texts(result: Result) -> dict[str, str]:
    return {path_of(item["url"]): item["text"] for item in result.items}


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("order", ORDERS)
def test_the_text_of_each_article_is_there_word_by_word(
    results: dict[tuple[str, str], Result], order: str, choice: str
) -> None:
    found = texts(results[order, choice])
    for article in newspaper.ALL:
        # Of two copies, that is kept which came first.
        text = found.get(article.path) or found.get(f"{article.path}/print")
        assert text == article.text, article.path


@pytest.mark.parametrize("choice", ["drop", "drop-blocks", "all"])
@pytest.mark.parametrize("order", ORDERS)
def test_of_two_copies_one_is_dropped(results: dict[tuple[str, str], Result], order: str, choice: str) -> None:
    result = results[order, choice]
    kept = Counter(path.removesuffix("/print") for path in texts(result) if path.startswith(("/news/", "/long/")))
    assert kept == dict.fromkeys(ARTICLES, 1)
    assert ("/" in texts(result)) + ("/index.html" in texts(result)) <= 1
