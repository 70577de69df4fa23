"""What becomes of the items of pages that are not cleaned, and what is said of the pages."""

from __future__ import annotations

import logging
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from scrapy import Request, Spider

from scrapy_justext.crawl import pages
from tests.crawl.content import ENGLISH, GOOD_PAGE, GOOD_TEXT, MORE_ENGLISH, POOR_PAGE
from tests.crawl.crawling import REPOSITORY, Crawl, Result, crawl
from tests.crawl.items import DataclassItem, Fieldless
from tests.crawl.server import Answer, Site
from tests.crawl.spiders import PageSpider, path_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.http import Response

pytestmark = pytest.mark.full

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
    "/empty": "not cleaned: empty",
    "/json": "not cleaned: not HTML: content type application/json",
    "/pdf": "not cleaned: not HTML: content type application/pdf",
    "/binary": "not cleaned: not HTML: bytes that no text has",
    "/large": f"not cleaned: {LIMIT + 1} bytes, JUSTEXT_MAX_BODY_BYTES allows {LIMIT}",
    "/larger": f"not cleaned: {LIMIT + 2} bytes, JUSTEXT_MAX_BODY_BYTES allows {LIMIT}",
    "/missing": "not cleaned: HTTP status 404 Not Found",
    "/broken": r"not cleaned: request\.meta\['justext'\]\['length_low'\] = -1: must be .*",
}
TOO_LARGE = rf"/larger?: not cleaned: \d+ bytes, JUSTEXT_MAX_BODY_BYTES allows {LIMIT}; more such pages of 127\.0\.0\.1"
BROKEN = r"/broken: not cleaned: request"
SETTINGS = {"JUSTEXT_MAX_BODY_BYTES": LIMIT, "HTTPERROR_ALLOW_ALL": True}
DROP = {**SETTINGS, "JUSTEXT_DROP_UNCLEANED": True}


class FilledSpider(Spider):
    """Yields items of uncleaned pages of which the spider knows some fields, and items of no page."""

    name = "filled"

    def __init__(self, url: str) -> None:
        super().__init__()
        self.url = url

    async def start(self) -> AsyncIterator[Any]:
        yield {"kind": "of no page"}
        yield Request(self.url)

    def parse(self, response: Response) -> Iterator[Any]:
        yield {"kind": "text", "text": "The spider's own."}
        yield {"kind": "blocks", "blocks": [{"text": "The spider's own."}]}
        yield {"kind": "title", "title": "The spider's own.", "text": ""}
        yield {"kind": "html", "html": GOOD_PAGE}
        yield {"kind": "no html", "html": ""}


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


class OwnHtmlSpider(PageSpider):
    """Yields items that hold HTML: from each page, and from no page."""

    async def start(self) -> AsyncIterator[Any]:
        yield own_html("none")
        async for request in super().start():
            yield request


def own_html(url: str) -> Any:
    return {"url": url, "html": f"<title>One</title><p>{ENGLISH}", "other": f"<p>{MORE_ENGLISH}"}


@pytest.fixture(scope="module")
def own_html_results() -> Iterator[dict[str, Result]]:
    with Site({"/json": Answer("{}", "application/json")}) as served:
        meta = {path: {"justext": asked} for path, (asked, *_) in FIELDS.items()}
        arguments = {"urls": served.urls(*FIELDS), "meta": meta, "make": own_html}
        settings = {name: {"JUSTEXT_HTML_FIELD": "html", **own} for name, (own, _) in OF_FIELDS.items()}
        yield crawl({name: Crawl(OwnHtmlSpider, arguments, own) for name, own in settings.items()})


@pytest.mark.parametrize("name", OF_FIELDS)
def test_the_page_s_own_choices_hold_for_html_in_its_items(own_html_results: dict[str, Result], name: str) -> None:
    result = own_html_results[name]
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
def test_the_crawl_s_choices_hold_for_items_of_no_page(own_html_results: dict[str, Result], name: str) -> None:
    settings, _ = OF_FIELDS[name]
    (text,) = [item.get("text") for item in own_html_results[name].items if item["url"] == "none"]
    assert text == (ENGLISH if settings.get("JUSTEXT_ENABLED", True) else None)


def of_any_class(url: str) -> Any:
    return {"pdf": DataclassItem, "json": Fieldless}.get(url.rpartition("/")[2], lambda url: {"url": url})(url)


@pytest.fixture(scope="module")
def results() -> Iterator[dict[str, Result]]:
    with Site(ANSWERS) as served:
        arguments = {"urls": served.urls(), "meta": META}
        some = {"urls": served.urls("/pdf", "/json", "/empty")}
        told = [BROKEN, TOO_LARGE]
        yield crawl(
            {
                "default": Crawl(PageSpider, arguments, SETTINGS, problems=told),
                "dropped": Crawl(PageSpider, arguments, DROP, problems=told),
                "in processes": Crawl(PageSpider, arguments, {**DROP, "JUSTEXT_PROCESSES": 1}, problems=told),
                "filled": Crawl(FilledSpider, {"url": served.url("/json")}, {**DROP, "JUSTEXT_HTML_FIELD": "html"}),
                "classes": Crawl(PageSpider, {**some, "make": of_any_class}, DROP, problems=["^Fieldless declares"]),
                "one class": Crawl(
                    PageSpider, {**some, "make": of_any_class}, {**DROP, "JUSTEXT_ITEM_CLASSES": [DataclassItem]}
                ),
                "switched off": Crawl(PageSpider, {"urls": arguments["urls"]}, {**DROP, "JUSTEXT_ENABLED": False}),
            }
        )


def paths(items: list[Any]) -> set[str]:
    return {path_of(item["url"]) for item in items}


def test_items_of_uncleaned_pages_pass_without_text(results: dict[str, Result]) -> None:
    result = results["default"]
    assert paths(result.items) == ANSWERS.keys() - {"/poor"}
    assert [item["text"] for item in result.items if "text" in item] == [GOOD_TEXT]
    assert "items_dropped_uncleaned" not in result.justext


@pytest.mark.parametrize("name", ["dropped", "in processes"])
def test_items_of_uncleaned_pages_are_dropped_with_the_reason_when_asked_for(
    results: dict[str, Result], name: str
) -> None:
    result = results[name]
    # Nobody wants those cleaned whose request says so.
    assert paths(result.items) == {"/good", "/skipped", "/off", "/kept"}
    said = {path_of(dropped.item["url"]): dropped for dropped in result.dropped}
    assert said.keys() == DROPPED.keys()
    assert not [path for path, message in DROPPED.items() if not re.fullmatch(message, said[path].message)]
    assert {path for path, dropped in said.items() if dropped.exception == "NotCleaned"} == DROPPED.keys() - {"/poor"}
    assert result.justext["items_dropped"] == 1
    assert result.justext["items_dropped_uncleaned"] == len(DROPPED) - 1
    assert result.stats["item_dropped_reasons_count/NotCleaned"] == len(DROPPED) - 1
    assert result.justext["items_without_page"] == 3
    levels = {entry.level for entry in result.log if "Dropped: not cleaned" in entry.message}
    assert levels == {logging.INFO}


def test_items_with_text_of_their_own_and_those_of_no_page_stay(results: dict[str, Result]) -> None:
    result = results["filled"]
    assert {item["kind"] for item in result.items} == {"of no page", "text", "blocks", "html"}
    assert {dropped.item["kind"] for dropped in result.dropped} == {"title", "no html"}


def test_items_of_other_classes_stay(results: dict[str, Result]) -> None:
    assert [type(item) for item in results["classes"].items] == [Fieldless]
    assert [type(dropped.item) for dropped in results["one class"].dropped] == [DataclassItem]


def test_a_crawl_that_is_switched_off_drops_nothing(results: dict[str, Result]) -> None:
    assert paths(results["switched off"].items) == ANSWERS.keys()
    assert results["switched off"].justext == {}


def test_pages_that_are_too_large_are_logged_once_a_site(results: dict[str, Result]) -> None:
    result = results["default"]
    (line,) = [entry for entry in result.log if "JUSTEXT_MAX_BODY_BYTES" in entry.message]
    assert line.level == logging.WARNING
    assert line.message.endswith("are only counted, as justext/skipped/too_large")
    assert result.justext["skipped/too_large"] == 2


def test_the_docs_tell_of_every_reason_and_stat() -> None:
    page = (REPOSITORY / "docs" / "items.md").read_text("utf-8")
    reasons = {name for name, _ in pages._SKIPS} | pages.SWITCHED_OFF - {pages.OFF} | {"no_callback"}
    assert {reason for reason in reasons if f"`justext/skipped/{reason}`" not in page} == set()
    code = "".join(file.read_text("utf-8") for file in Path(pages.__file__).parent.glob("*.py"))
    stats = set(re.findall(r'(?:add|_count)\("((?:items|responses)_\w+)"\)', code))
    assert len(stats) == 9
    assert {stat for stat in stats if f"`justext/{stat}`" not in page} == set()
