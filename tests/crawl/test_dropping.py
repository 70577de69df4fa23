"""What becomes of pages without good content, of pages that are not cleaned, and of the items of both."""

import logging
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scrapy_justext.crawl import pages
from tests.crawl.content import ENGLISH, GOOD_PAGE, GOOD_TEXT, KEYWORDS, MORE_ENGLISH, POOR_PAGE
from tests.crawl.crawling import REPOSITORY, Crawl, Results, crawl
from tests.crawl.items import DataclassItem, Fieldless, plain
from tests.crawl.server import Answer, Site, path_of
from tests.crawl.spiders import PageSpider

pytestmark = pytest.mark.full

#: The page with nothing but key words: 200 characters are passed, stop words are missing.
MESSAGE = re.compile(
    rf"no good content: 0 of 4 blocks; nearest miss: {len(KEYWORDS)} characters, "
    r"stop-word density 0\.00 < 0\.30"
)
MINIMUM = len(GOOD_TEXT.replace("\n\n", ""))
#: Crawls of a good and a poor page: what makes their items, and settings.
POOR: dict[str, tuple[Any, dict[str, Any]]] = {
    "default": (plain, {}),
    "response": (plain, {"JUSTEXT_DROP": "response"}),
    "none": (plain, {"JUSTEXT_DROP": "none"}),
    "at the minimum": (plain, {"JUSTEXT_MIN_GOOD_CHARACTERS": MINIMUM}),
    "below the minimum": (plain, {"JUSTEXT_MIN_GOOD_CHARACTERS": MINIMUM + 1}),
    "no minimum": (plain, {"JUSTEXT_MIN_GOOD_CHARACTERS": 0}),
    "typed": (DataclassItem, {}),
    "fieldless": (Fieldless, {}),
    "other class": (Fieldless, {"JUSTEXT_ITEM_CLASSES": [DataclassItem]}),
}
LIMIT = 5000
LARGE = f"{GOOD_PAGE:<{LIMIT + 1}}"
ANSWERS: dict[str, Answer | str] = {
    "/good": GOOD_PAGE,
    "/poor": POOR_PAGE,
    "/empty": "",
    "/json": Answer("{}", "application/json"),
    "/pdf": Answer(b"%PDF-1.7\n" + bytes(range(256)), "application/pdf"),
    "/binary": Answer(b"\x00\x01\x02\x03" * 100, "text/html"),
    "/large": LARGE,
    "/larger": f"{LARGE} ",
    "/missing": Answer("<p>Not here.", status=404),
    "/broken": GOOD_PAGE,
    "/skipped": GOOD_PAGE,
    "/off": GOOD_PAGE,
    "/kept": Answer("{}", "application/json"),
    "/no-text": "<html><body><div></div></body></html>",
}
META = {
    "/broken": {"justext": {"length_low": -1}},
    "/skipped": {"justext": False},
    "/off": {"justext": {"enabled": False}},
    "/kept": {"justext": {"drop_uncleaned": False}},
}
#: What the items of a page are dropped with.
DROPPED = {
    "/poor": r"no good content: 0 of 4 blocks; .*",
    "/no-text": "no good content: the page has no text",
    "/empty": "not cleaned: empty",
    "/json": "not cleaned: not HTML: content type application/json",
    "/pdf": "not cleaned: not HTML: content type application/pdf",
    "/binary": "not cleaned: not HTML: bytes that no text has",
    "/large": f"not cleaned: {LIMIT + 1} bytes, JUSTEXT_MAX_BODY_BYTES allows {LIMIT}",
    "/larger": f"not cleaned: {LIMIT + 2} bytes, JUSTEXT_MAX_BODY_BYTES allows {LIMIT}",
    "/missing": "not cleaned: HTTP status 404 Not Found",
    "/broken": r"not cleaned: request\.meta\['justext'\]\['length_low'\] = -1: must be .*",
}
#: Those that are cleaned.
EMPTY = {"/poor", "/no-text"}
TOO_LARGE = rf"/larger?: not cleaned: \d+ bytes, JUSTEXT_MAX_BODY_BYTES allows {LIMIT}; more such pages of 127\.0\.0\.1"
BROKEN = r"/broken: not cleaned: request"
SETTINGS = {"JUSTEXT_MAX_BODY_BYTES": LIMIT, "HTTPERROR_ALLOW_ALL": True}
DROP = {**SETTINGS, "JUSTEXT_DROP_UNCLEANED": True}


def filled(_: str) -> list[Any]:
    return [
        {"kind": "text", "text": "The spider's own."},
        {"kind": "blocks", "blocks": [{"text": "The spider's own."}]},
        {"kind": "title", "title": "The spider's own.", "text": ""},
        {"kind": "html", "html": GOOD_PAGE},
        {"kind": "no html", "html": ""},
    ]


def of_any_class(url: str) -> Any:
    return {"/pdf": DataclassItem, "/json": Fieldless}.get(path_of(url), plain)(url)


#: What requests of JSON ask for, and the text that their items get of HTML in a field: in a crawl that is on, and off.
FIELDS: dict[str, tuple[Any, str | None, str | None]] = {
    "/json?nothing": ({}, ENGLISH, None),
    "/json?on": (True, ENGLISH, ENGLISH),
    "/json?off": (False, None, None),
    "/json?disabled": ({"enabled": False, "html_field": "other"}, None, None),
    "/json?other": ({"enabled": True, "html_field": "other"}, MORE_ENGLISH, MORE_ENGLISH),
    "/json?unasked": ({"html_field": "other"}, MORE_ENGLISH, None),
    "/json?fields": ({"enabled": True, "fields": {"title": "headline"}}, ENGLISH, ENGLISH),
    "/json?no-item": ({"enabled": True, "item_classes": [DataclassItem]}, None, None),
}
OF_FIELDS: dict[str, tuple[dict[str, Any], bool]] = {
    "on": ({}, True),
    "off": ({"JUSTEXT_ENABLED": False}, False),
    "off, in processes": ({"JUSTEXT_ENABLED": False, "JUSTEXT_PROCESSES": 1}, False),
    "on by its site": ({"JUSTEXT_ENABLED": False, "JUSTEXT_SITES": {"127.0.0.1": {"enabled": True}}}, True),
    "off by its site": ({"JUSTEXT_SITES": {"127.0.0.1": {"enabled": False}}}, False),
}


def own_html(url: str) -> Any:
    return {"url": url, "html": f"<title>One</title><p>{ENGLISH}", "other": f"<p>{MORE_ENGLISH}"}


@pytest.fixture(scope="module")
def results() -> Iterator[Results]:
    with Site(ANSWERS) as served:
        both, everything = served.urls("/good", "/poor"), served.urls()
        crawls = {
            name: Crawl(
                PageSpider,
                {"urls": both, "make": make},
                settings,
                problems=["^Fieldless declares none"] if name == "fieldless" else [],
            )
            for name, (make, settings) in POOR.items()
        }
        fields = {path: {"justext": asked} for path, (asked, *_) in FIELDS.items()}
        asking = {"urls": served.urls(*FIELDS), "meta": fields, "make": own_html, "first": [own_html("none")]}
        for name, (own, _) in OF_FIELDS.items():
            crawls[f"html {name}"] = Crawl(PageSpider, asking, {"JUSTEXT_HTML_FIELD": "html", **own})
        arguments, problems = {"urls": everything, "meta": META}, [BROKEN, TOO_LARGE]
        some = {"urls": served.urls("/pdf", "/json", "/empty"), "make": of_any_class}
        one_class = {**DROP, "JUSTEXT_ITEM_CLASSES": [DataclassItem]}
        own = {"urls": served.urls("/json"), "make": filled, "first": [{"kind": "of no page"}]}
        yield crawl(
            {
                **crawls,
                "passed": Crawl(PageSpider, arguments, SETTINGS, problems=problems),
                "dropped": Crawl(PageSpider, arguments, DROP, problems=problems),
                "in processes": Crawl(PageSpider, arguments, {**DROP, "JUSTEXT_PROCESSES": 1}, problems=problems),
                "filled": Crawl(PageSpider, own, {**DROP, "JUSTEXT_HTML_FIELD": "html"}),
                "classes": Crawl(PageSpider, some, DROP, problems=["^Fieldless declares"]),
                "one class": Crawl(PageSpider, some, one_class),
            }
        )


# Pages without good content.


@pytest.mark.parametrize("name", ["default", "typed"])
def test_the_items_of_a_poor_page_are_dropped(results: Results, name: str) -> None:
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


def test_a_drop_is_logged_at_info_without_the_text(results: Results) -> None:
    """Scrapy's log formatter adds the item, at every level: it is as the spider made it, no page in it."""
    (line,) = [entry for entry in results["default"].log if "no good content" in entry.message]
    assert line.level == logging.INFO
    assert MESSAGE.search(line.message)
    assert line.message.endswith(str(results["default"].dropped[0].item))


def test_the_response_of_a_poor_page_is_dropped_when_asked_for(results: Results) -> None:
    result = results["response"]
    assert result.texts == {"/good": GOOD_TEXT}
    assert result.dropped == []
    seen = dict(result.seen)
    assert seen.keys() == {"/good", "/poor"}
    assert seen["/poor"] == "IgnoreRequest"
    assert result.justext["responses_dropped"] == 1
    assert result.justext["pages_without_good_content"] == 1
    assert "items_dropped" not in result.justext
    (line,) = [entry for entry in result.log if "no good content" in entry.message]
    assert line.level == logging.INFO
    assert "/poor" in line.message
    assert MESSAGE.search(line.message)


def test_nothing_is_dropped_when_asked_for(results: Results) -> None:
    result = results["none"]
    assert result.texts == {"/good": GOOD_TEXT, "/poor": ""}
    assert all(len(item["blocks"]) >= 4 for item in result.items)
    assert result.dropped == []
    assert result.justext["pages_without_good_content"] == 1
    assert "items_dropped" not in result.justext


def test_the_minimum_of_good_characters_is_inclusive(results: Results) -> None:
    assert results["at the minimum"].texts == {"/good": GOOD_TEXT}
    below = results["below the minimum"]
    assert below.items == []
    assert below.justext["pages_without_good_content"] == 2
    message = f"no good content: 2 of 5 blocks, {MINIMUM} < {MINIMUM + 1} good characters"
    assert message in [dropped.message for dropped in below.dropped]
    assert len(results["no minimum"].items) == 2
    assert "pages_without_good_content" not in results["no minimum"].justext


@pytest.mark.parametrize("name", ["fieldless", "other class"])
def test_items_that_are_not_cleaned_are_not_dropped(results: Results, name: str) -> None:
    assert len(results[name].items) == 2
    assert results[name].dropped == []


# Pages that are not cleaned.


@pytest.mark.parametrize("name", OF_FIELDS)
def test_the_page_s_own_choices_hold_for_html_in_its_items(results: Results, name: str) -> None:
    result = results[f"html {name}"]
    _, is_on = OF_FIELDS[name]
    expected = {path: on if is_on else off for path, (_, on, off) in FIELDS.items()}
    items = {path_of(item["url"]): item for item in result.items if item["url"] != "none"}
    texts = {path: item.get("text") for path, item in items.items()}
    assert texts == expected
    assert [path for path, item in items.items() if "headline" in item] == ["/json?fields"]
    # Nothing is extracted for an item that takes nothing of it.
    from_pages = len([text for text in texts.values() if text is not None])
    of_no_page = [item for item in result.items if item["url"] == "none" and "text" in item]
    assert result.justext["pages"] == from_pages + len(of_no_page)


@pytest.mark.parametrize("name", OF_FIELDS)
def test_the_crawl_s_choices_hold_for_items_of_no_page(results: Results, name: str) -> None:
    settings, _ = OF_FIELDS[name]
    (text,) = [item.get("text") for item in results[f"html {name}"].items if item["url"] == "none"]
    assert text == (ENGLISH if settings.get("JUSTEXT_ENABLED", True) else None)


def test_items_of_uncleaned_pages_pass_untouched(results: Results) -> None:
    result = results["passed"]
    assert set(result.paths) == ANSWERS.keys() - EMPTY
    assert [item["text"] for item in result.items if item.keys() != {"url"}] == [GOOD_TEXT]
    assert result.justext["items_without_page"] == len(result.items) - 1
    assert "items_dropped_uncleaned" not in result.justext


@pytest.mark.parametrize("name", ["dropped", "in processes"])
def test_items_of_uncleaned_pages_are_dropped_with_the_reason_when_asked_for(results: Results, name: str) -> None:
    result = results[name]
    # Nobody wants those cleaned whose request says so.
    assert set(result.paths) == {"/good", "/skipped", "/off", "/kept"}
    said = {path_of(dropped.item["url"]): dropped for dropped in result.dropped}
    assert said.keys() == DROPPED.keys()
    assert not [path for path, message in DROPPED.items() if not re.fullmatch(message, said[path].message)]
    assert {path for path, dropped in said.items() if dropped.exception == "NotCleaned"} == DROPPED.keys() - EMPTY
    assert result.justext["items_dropped"] == len(EMPTY)
    assert result.justext["items_dropped_uncleaned"] == len(DROPPED) - len(EMPTY)
    assert result.stats["item_dropped_reasons_count/NotCleaned"] == len(DROPPED) - len(EMPTY)
    assert result.justext["items_without_page"] == 3
    levels = {entry.level for entry in result.log if "Dropped: not cleaned" in entry.message}
    assert levels == {logging.INFO}


def test_items_with_text_of_their_own_of_no_page_and_of_other_classes_stay(results: Results) -> None:
    result = results["filled"]
    assert {item["kind"] for item in result.items} == {"of no page", "text", "blocks", "html"}
    assert {dropped.item["kind"] for dropped in result.dropped} == {"title", "no html"}
    assert [type(item) for item in results["classes"].items] == [Fieldless]
    assert [type(dropped.item) for dropped in results["one class"].dropped] == [DataclassItem]


def test_pages_that_are_too_large_are_logged_once_a_site(results: Results) -> None:
    result = results["passed"]
    (line,) = [entry for entry in result.log if "JUSTEXT_MAX_BODY_BYTES" in entry.message]
    assert line.level == logging.WARNING
    assert line.message.endswith("are only counted, as justext/skipped/too_large")
    assert result.justext["skipped/too_large"] == 2


def test_the_docs_tell_of_every_reason_and_stat() -> None:
    page = (REPOSITORY / "docs" / "items.md").read_text("utf-8")
    reasons = {*pages._SKIPS} | pages.SWITCHED_OFF - {pages.OFF} | {"no_callback"}
    assert {reason for reason in reasons if f"`justext/skipped/{reason}`" not in page} == set()
    code = "".join(file.read_text("utf-8") for file in Path(pages.__file__).parent.glob("*.py"))
    stats = set(re.findall(r'(?:add|_count)\("((?:items|responses)_\w+)"\)', code))
    assert len(stats) == 9
    assert {stat for stat in stats if f"`justext/{stat}`" not in page} == set()
