"""Which pages are kept: JUSTEXT_KEEP_LANGUAGES, and JUSTEXT_DROP_TYPES whichever profile judges."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from scrapy import Spider
from scrapy.http import Response

from scrapy_justext import extract, get_extraction
from tests.builders import DEMO_SITE
from tests.crawl.content import ENGLISH, GERMAN, KEYWORDS, RUSSIAN, page
from tests.crawl.crawling import Crawl, Results, crawl
from tests.crawl.server import Site, path_of
from tests.crawl.spiders import PageSpider

#: Pages by their languages, and by their types.
LANGUAGES = {
    "/en": page(ENGLISH),
    "/de": page(GERMAN, lang="de"),
    "/ru": page(RUSSIAN, lang="en"),
    "/none": "<p>" + "\u13a0\u13a1\u13a2 " * 90,
}
TYPES = {
    "/collection": (DEMO_SITE / "shop" / "index.html").read_text("utf-8"),
    "/article": (DEMO_SITE / "news" / "harbour-bridge.html").read_text("utf-8"),
    "/forum": (DEMO_SITE / "forum" / "thread-attic-radio.html").read_text("utf-8"),
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
PROFILES = ("justext", "justext-3.0", "boilerpipe", "learned", "learned-article", "auto")
USUAL = {"JUSTEXT_DROP_TYPES": ["collection", "listing", "forum"], "JUSTEXT_LANGUAGE": "en", "CONCURRENT_REQUESTS": 1}
#: In each of these crawls the article alone is kept.
DROP: dict[str, dict[str, Any]] = {
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
def results() -> Results:
    with Site({**LANGUAGES, **TYPES}) as served:
        pages, own = {"urls": served.urls(*LANGUAGES)}, {"JUSTEXT_LANGUAGE": "German", "JUSTEXT_DROP": "none"}
        crawls = {name: Crawl(PageSpider, pages, {**AUTO, **settings}) for name, (settings, _) in KEEP.items()}
        kept = {**own, "JUSTEXT_KEEP_LANGUAGES": ["de"]}
        crawls["kept"] = Crawl(PageSpider, {"urls": served.urls("/de")}, kept, problems=[IDLE])
        crawls["several"] = Crawl(PageSpider, pages, {**own, "JUSTEXT_LANGUAGE": ["de", "en"]})
        crawls["given"] = Crawl(PageSpider, pages, own, problems=[DECLARED])
        of_types = {"urls": served.urls(*TYPES)}
        for name, settings in DROP.items():
            crawls[f"types, {name}"] = Crawl(PageSpider, of_types, {**USUAL, **settings})
        crawls["steered"] = Crawl(SteeringSpider, {"url": served.url("/collection")}, USUAL)
        asked = {**USUAL, "JUSTEXT_DROP_TYPES": None, "JUSTEXT_DROP": "none", "JUSTEXT_FIELDS": ["page_type"]}
        crawls["field"] = Crawl(PageSpider, of_types, asked)
        return crawl(crawls)


@pytest.mark.parametrize("name", KEEP)
def test_pages_in_other_languages_have_no_good_content(results: Results, name: str) -> None:
    assert results[name].paths == KEEP[name][1]


def test_why_a_language_is_dropped_is_reported(results: Results) -> None:
    result = results["one"]
    english = next(dropped for dropped in result.dropped if dropped.item["url"].endswith("/en"))
    assert english.exception == "NoGoodContent"
    assert english.message == "no good content: the page is in en, JUSTEXT_KEEP_LANGUAGES keeps de"
    assert result.justext["pages_in_other_languages"] == 3
    assert result.justext["pages_without_good_content"] == 3
    assert results["unknown"].justext["pages_in_other_languages"] == 2
    assert "pages_in_other_languages" not in results["all"].justext


@pytest.mark.parametrize("name", ["own words", "without stop words"])
def test_own_words_and_none_do_not_hide_the_language(results: Results, name: str) -> None:
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


def test_pages_that_declare_another_language_than_the_given_are_counted_at_the_end(results: Results) -> None:
    found = results["given"]
    assert found.justext["pages_declaring_another_language"] == 1
    assert len(found.problems) == 1
    assert {item["language"] for item in found.items} == {"de"}
    assert KEYWORDS not in found.items[0]["text"]


@pytest.mark.parametrize("name", DROP)
def test_pages_of_dropped_types_have_no_good_content(results: Results, name: str) -> None:
    result = results[f"types, {name}"]
    assert result.paths == ["/article"]
    assert result.justext["pages_of_dropped_types"] == 2
    assert {f"page_type/{kind}" for kind in ("collection", "article", "forum")} <= result.justext.keys()
    assert "retry/requests" not in result.justext


def test_why_a_type_is_dropped_is_reported(results: Results) -> None:
    why = re.compile(r"no good content: a page of the type forum \(0\.9\d+\), JUSTEXT_DROP_TYPES drops it")
    assert any(why.search(entry.message) for entry in results["types, justext"].log)


def test_a_callback_knows_the_type_before_links_are_followed(results: Results) -> None:
    assert results["steered"].paths == ["/article"]
    assert results["steered"].justext["pages"] == 3


def test_a_field_asks_for_types_in_any_profile(results: Results) -> None:
    items = results["field"].items
    assert {path_of(item["url"]): item["page_type"] for item in items} == {path: path[1:] for path in TYPES}


@pytest.mark.parametrize("profile", PROFILES)
def test_types_are_those_of_the_model_of_pages_whichever_profile_judges(profile: str) -> None:
    for html in TYPES.values():
        found, expected = extract(html, profile=profile, page_types=True), extract(html, profile="learned")
        facts = (found.page_type, found.page_type_probability)
        assert facts == (expected.page_type, expected.page_type_probability)
    assert extract(TYPES["/article"]).page_type is None
    assert extract("", page_types=True).page_type is None
