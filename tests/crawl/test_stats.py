"""The figures that a crawl ends with."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from scrapy_justext import extract
from scrapy_justext.core.reading.loading import compiled
from tests.crawl.content import ENGLISH, GERMAN, GOOD_PAGE, KEYWORDS, MORE_ENGLISH, RUSSIAN, page
from tests.crawl.crawling import Crawl, Results, crawl
from tests.crawl.server import Answer, Site
from tests.crawl.spiders import PageSpider

pytestmark = pytest.mark.full

PAGES = {
    "/good": GOOD_PAGE,
    "/german": page(GERMAN, lang="de"),
    "/russian": page(RUSSIAN),
    "/wrong": page(ENGLISH, MORE_ENGLISH, lang="de"),
    "/poor": page(KEYWORDS, lang="en"),
    "/bare": "<p></p>",
}
#: A language without a stoplist: judged by length alone.
AMHARIC = "አማርኛ የኢትዮጵያ የሥራ ቋንቋ ነው። ዛሬ አየሩ በጣም ጥሩ ነው። ወደ ውጭ ወጥተን እንሂድ። ልጆቹ በትምህርት ቤት ናቸው። " * 5


NEVER_SURE = {"JUSTEXT_PROFILE": "learned", "JUSTEXT_GOOD_PROBABILITY": "1"}
#: A page with a headline, and a paragraph twice.
REPEATING = GOOD_PAGE.replace("<body>", f"<body><h1>Menu of the day</h1><p>{'x ' * 150}</p>").replace(
    "</body>", f"<p>{ENGLISH}</p></body>"
)
HEADLINE = {"JUSTEXT_KEEP_HEADLINE": "yes", "JUSTEXT_DROP_REPEATED": "yes"}
SITE: dict[str, Answer | str] = {
    **PAGES,
    "/amharic": page(AMHARIC),
    "/json": Answer("{}", "application/json"),
    "/repeating": REPEATING,
}


@pytest.fixture(scope="module")
def results() -> Iterator[Results]:
    with Site(SITE) as served:
        all_pages, good, repeating = (served.urls(*paths) for paths in ([*SITE][:-1], ["/good"], ["/repeating"]))
        yield crawl(
            {
                "stats": Crawl(PageSpider, {"urls": all_pages}, {"JUSTEXT_LANGUAGE": "auto"}),
                "nothing": Crawl(PageSpider),
                "fallback": Crawl(PageSpider, {"urls": good}, NEVER_SURE | {"JUSTEXT_FALLBACK_PROBABILITY": "0"}),
                "no fallback": Crawl(PageSpider, {"urls": good}, NEVER_SURE | {"JUSTEXT_FALLBACK_PROBABILITY": "1"}),
                "headline": Crawl(PageSpider, {"urls": repeating}, HEADLINE),
                "no headline": Crawl(PageSpider, {"urls": repeating}),
            }
        )


def test_names_and_sums(results: Results) -> None:
    result = results["stats"]
    stats = result.justext
    languages = result.counts("language/")
    pages = {"pages", "pages_judged_without_stop_words", "pages_without_good_content", "skipped/not_html"}
    others = {"reader", "seconds", "blocks/good", "blocks/bad", "items_dropped", "items_without_page"}
    assert stats.keys() - {f"language/{name}" for name in languages} == pages | others
    assert stats["reader"] == compiled().name
    assert results["nothing"].justext == {}
    assert stats["pages"] + stats["skipped/not_html"] == result.stats["response_received_count"] == 8
    assert stats["pages_judged_without_stop_words"] == 2
    assert stats["pages_without_good_content"] == stats["items_dropped"] == len(result.dropped) == 2
    assert stats["items_without_page"] == 1
    elapsed: Any = result.stats["elapsed_time_seconds"]
    assert 0 < stats["seconds"] <= elapsed
    assert isinstance(stats["seconds"], float)
    assert languages == {"English": 3, "German": 1, "Russian": 1, "Amharic": 1, "Undetermined": 1}
    assert sum(languages.values()) == stats["pages"] == 7
    of_items = {path[1:]: item.get("language") for path, item in zip(result.paths, result.items, strict=True)}
    assert of_items == {"good": "en", "german": "de", "russian": "ru", "wrong": "en", "amharic": "am", "json": None}
    blocks = Counter(
        str(block.block_class.value) for source in [*PAGES.values(), page(AMHARIC)] for block in extract(source).blocks
    )
    assert {"good", "bad"} == blocks.keys()
    assert {name: stats[f"blocks/{name}"] for name in blocks} == blocks


def test_two_crawls_at_once_do_not_mix() -> None:
    # Each of them would log what the other one says of pages that declare another language.
    with Site({path: re.sub(" lang=.?[a-z]+.?", "", html) for path, html in PAGES.items()}) as served:
        urls = {"urls": served.urls(*PAGES) * 5}
        results = crawl(
            {
                "english": Crawl(PageSpider, urls, {"JUSTEXT_FIELDS": {"text": "english"}, "DUPEFILTER_CLASS": NONE}),
                "german": Crawl(
                    PageSpider,
                    {**urls, "justext_language": "German"},
                    {"JUSTEXT_FIELDS": {"text": "german"}, "JUSTEXT_DROP": "none", "DUPEFILTER_CLASS": NONE},
                ),
                "off": Crawl(PageSpider, urls, {"JUSTEXT_ENABLED": False, "DUPEFILTER_CLASS": NONE}),
            },
            together=True,
        )
    english, german = results["english"], results["german"]
    assert english.justext["pages"] == german.justext["pages"] == 5 * len(PAGES)
    assert english.justext["language/English"] == german.justext["language/German"] == 5 * len(PAGES)
    assert ["english" in item and "german" not in item for item in english.items] == [True] * 5 * 2
    assert ["german" in item and "english" not in item for item in german.items] == [True] * 5 * len(PAGES)
    assert results["off"].justext == {}
    assert [item.keys() for item in results["off"].items] == [{"url"}] * 5 * len(PAGES)
    assert len({item["url"] for item in german.items if item["german"]}) == 1


NONE = "scrapy.dupefilters.BaseDupeFilter"


def test_pages_whose_best_block_stands_for_good_ones_are_counted(results: Results) -> None:
    assert results["fallback"].justext["pages_with_fallback"] == 1
    assert [len(item["paragraphs"]) for item in results["fallback"].items] == [1]
    assert "pages_with_fallback" not in results["no fallback"].justext
    assert results["no fallback"].items == []


def test_headline_and_repeated_text_are_settings_of_a_crawl(results: Results) -> None:
    [on], [off] = results["headline"].items, results["no headline"].items
    assert on["paragraphs"][0] == "Menu of the day"
    assert off["paragraphs"] == [*on["paragraphs"][1:], ENGLISH.strip()]
