"""The language of a page is what the page is in; JUSTEXT_KEEP_LANGUAGES keeps pages in some languages."""

from collections.abc import Mapping
from typing import Any

import pytest

from scrapy_justext import extract
from scrapy_justext.crawl.settings import configure, from_mapping
from scrapy_justext.exceptions import SettingError
from tests.crawl.content import ENGLISH, GERMAN, KEYWORDS, RUSSIAN, page
from tests.crawl.crawling import Crawl, Result, crawl
from tests.crawl.server import Site
from tests.crawl.spiders import PageSpider

SITE = {
    "/en": page(ENGLISH),
    "/de": page(GERMAN, lang="de"),
    "/ru": page(RUSSIAN, lang="en"),
    "/none": "<p>" + "\u13a0\u13a1\u13a2 " * 90,
}
WORDS = ["der", "die", "das", "es", "war", "in", "so", "dass", "schon", "da", "bevor", "und", "sie", "auch", "noch"]
AUTO = {"JUSTEXT_LANGUAGE": "auto", "CONCURRENT_REQUESTS": 1}
KEEP: dict[str, tuple[Mapping[str, Any], list[str]]] = {
    "all": ({}, ["/en", "/de", "/ru", "/none"]),
    "one": ({"JUSTEXT_KEEP_LANGUAGES": ["de"]}, ["/de"]),
    "by name": ({"JUSTEXT_KEEP_LANGUAGES": "German, Russian"}, ["/de", "/ru"]),
    "unknown": ({"JUSTEXT_KEEP_LANGUAGES": ["de", "und"], "JUSTEXT_DROP": "none"}, ["/en", "/de", "/ru", "/none"]),
    "own words": ({"JUSTEXT_KEEP_LANGUAGES": ["de"], "JUSTEXT_STOPLIST": WORDS}, ["/de"]),
    "without stop words": ({"JUSTEXT_KEEP_LANGUAGES": ["de"], "JUSTEXT_LANGUAGE": "none"}, ["/de"]),
    "processes": ({"JUSTEXT_KEEP_LANGUAGES": ["de"], "JUSTEXT_PROCESSES": 1}, ["/de"]),
    "a site": ({"JUSTEXT_SITES": {"127.0.0.1": {"keep_languages": ["de"]}}}, ["/de"]),
    "second requests": ({"JUSTEXT_KEEP_LANGUAGES": ["de"], "JUSTEXT_RETRY_META": {"proxy": "no"}}, ["/de"]),
}


DECLARED = r"^Of the pages judged in the language of JUSTEXT_LANGUAGE, 1 declared another one \(\S+/ru declares en\)"
IDLE = "^JUSTEXT_KEEP_LANGUAGES: without effect, as JUSTEXT_LANGUAGE says that all pages are in these"


@pytest.fixture(scope="module")
def results() -> dict[str, Result]:
    with Site(SITE) as served:
        pages, own = {"urls": served.urls()}, {"JUSTEXT_LANGUAGE": "German", "JUSTEXT_DROP": "none"}
        crawls = {name: Crawl(PageSpider, pages, {**AUTO, **settings}) for name, (settings, _) in KEEP.items()}
        kept = Crawl(
            PageSpider, {"urls": served.urls("/de")}, {**own, "JUSTEXT_KEEP_LANGUAGES": ["de"]}, problems=[IDLE]
        )
        several = Crawl(PageSpider, pages, {**own, "JUSTEXT_LANGUAGE": ["de", "en"]})
        given = Crawl(PageSpider, pages, own, problems=[DECLARED])
        return crawl({**crawls, "given": given, "kept": kept, "several": several})


@pytest.mark.parametrize("name", KEEP)
def test_pages_in_other_languages_have_no_good_content(results: dict[str, Result], name: str) -> None:
    assert results[name].paths == KEEP[name][1]


def test_why_is_reported(results: dict[str, Result]) -> None:
    result = results["one"]
    english = next(dropped for dropped in result.dropped if dropped.item["url"].endswith("/en"))
    assert english.exception == "NoGoodContent"
    assert english.message == "no good content: the page is in en, JUSTEXT_KEEP_LANGUAGES keeps de"
    assert result.justext["pages_in_other_languages"] == 3
    assert result.justext["pages_without_good_content"] == 3
    assert results["unknown"].justext["pages_in_other_languages"] == 2
    assert "pages_in_other_languages" not in results["all"].justext


@pytest.mark.parametrize("name", ["own words", "without stop words"])
def test_own_words_and_none_do_not_hide_the_language(results: dict[str, Result], name: str) -> None:
    result = results[name]
    assert result.justext["language/English"] == result.justext["language/German"] == 1
    assert [(item["language"], item["text"]) for item in result.items] == [("de", GERMAN)]


@pytest.mark.parametrize(
    ("text", "language", "source"),
    [
        (GERMAN, "de", "detected"),
        (ENGLISH, "en", "detected"),
        ("\u13a0\u13a1\u13a2 " * 90, "und", "given"),
        ("1 2 3", "und", "given"),
    ],
)
def test_the_language_of_a_page_judged_by_own_words(text: str, language: str, source: str) -> None:
    found = extract(f"<p>{text}", stoplist=["lamp"])
    assert (found.language, found.language_source) == (language, source)
    assert found.text == extract(f"<p>{text}", stoplist=["lamp"], language="qaa").text


def test_a_language_without_a_list_is_reported_beside_own_words() -> None:
    found = extract(f"<p>{ENGLISH}", stoplist=["lamp"], language=["qaa", "en"])
    assert (found.language, found.language_source) == ("en", "detected")


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"keep_languages": ["Klingonish"]}, "Klingonish"),
        ({"keep_languages": ["de"], "language": "en"}, "no page would be left, since JUSTEXT_LANGUAGE says .* in en"),
        ({"keep_languages": 7}, "must be a list"),
    ],
)
def test_what_cannot_be_kept_is_an_error(given: dict[str, Any], problem: str) -> None:
    with pytest.raises(SettingError, match=problem):
        configure(from_mapping(given, "test"))


def test_pages_that_declare_another_language_than_the_given_are_counted_at_the_end(results: dict[str, Result]) -> None:
    found = results["given"]
    assert found.justext["pages_declaring_another_language"] == 1
    assert len(found.problems) == 1
    assert {item["language"] for item in found.items} == {"de"}
    assert KEYWORDS not in found.items[0]["text"]
