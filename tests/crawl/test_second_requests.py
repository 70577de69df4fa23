"""Second requests for pages that came without their text."""

import asyncio
import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import Any, cast

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse, Response
from scrapy.settings import Settings
from scrapy.utils.misc import load_object
from scrapy.utils.test import get_crawler

from scrapy_justext import extract
from scrapy_justext.crawl.pages import CleanedPage, Outcome, UncleanedPage
from scrapy_justext.crawl.parts.second_requests import (
    FAILED_FROM_START,
    HARDLY_ANY,
    MADE_IN_VAIN,
    PLENTY,
    is_better,
    lacks_browser,
    reason_to_repeat,
)
from scrapy_justext.crawl.parts.site_memory.memory import SiteMemoryPart
from scrapy_justext.crawl.processes import RawPage
from scrapy_justext.crawl.session import get_session
from scrapy_justext.crawl.settings import configure, from_mapping
from tests.crawl.content import ENGLISH, GOOD_PAGE, GOOD_TEXT, MENU, POOR_PAGE, page
from tests.crawl.crawling import Crawl, Results, crawl
from tests.crawl.server import Answer, Site, site_of
from tests.crawl.spiders import PageSpider

pytestmark = pytest.mark.full

SHELL = f'<html><body>{MENU}<div id="root"></div><script src="app.js"></script></body></html>'
WALL = "<html><title>Just a moment...</title><body><p>Checking.<script>window._cf_chl_opt={}</script></body></html>"
LISTING = (
    "<html><body>" + "".join(f'<p><a href="/{n}">A page about something</a>' for n in range(300)) + "</body></html>"
)


def outcome(html: str) -> CleanedPage:
    return CleanedPage(extract(html, language="English"), configure({}))


def uncleaned(reason: str) -> UncleanedPage:
    return UncleanedPage(reason, "in words", configure({}))


def text_of(length: int) -> str:
    return f"<p>{'x' * length}</p>"


@pytest.mark.parametrize(
    ("html", "why"),
    [
        pytest.param(WALL, "bot_wall", id="the mark of a wall"),
        pytest.param(text_of(300) + '<div class="g-recaptcha"></div>', "bot_wall", id="a captcha"),
        pytest.param(SHELL, "script", id="an element that scripts fill"),
        pytest.param("<app-root></app-root>" + text_of(300), "script", id="an element of a framework"),
        pytest.param(f"{text_of(300)}<noscript>Bitte JavaScript einschalten", "script", id="a note"),
        pytest.param(f"{text_of(300)}<noscript>One</noscript> javascript", None, id="JavaScript outside a note"),
        pytest.param('<div id="root">Text</div>' + text_of(300), None, id="an element that is full"),
        pytest.param(text_of(HARDLY_ANY - 1), "empty_shell", id="hardly any text"),
        pytest.param(text_of(HARDLY_ANY), None, id="some text"),
        pytest.param(SHELL + text_of(PLENTY), None, id="plenty of text"),
        pytest.param(LISTING, None, id="a listing"),
        pytest.param(GOOD_PAGE + WALL, None, id="good content"),
    ],
)
def test_reasons_decide(html: str, why: str | None) -> None:
    response = HtmlResponse("http://a.example/", body=html, encoding="utf-8")
    assert reason_to_repeat(response, outcome(html)) == why


@pytest.mark.parametrize(
    ("reason", "status", "why"),
    [
        *(("status", status, "bot_wall") for status in (403, 429, 503)),
        *(("status", status, None) for status in (404, 410, 500)),
        ("empty", 200, "empty_shell"),
        *((reason, 200, None) for reason in ("not_html", "too_large", "error")),
    ],
)
def test_of_pages_that_are_not_cleaned_their_reason_decides(reason: str, status: int, why: str | None) -> None:
    assert reason_to_repeat(HtmlResponse("http://a.example/", status=status), uncleaned(reason)) == why


def test_marks_are_searched_in_a_bounded_part() -> None:
    """A note without an end is read once for each, so there are few."""
    html = "<noscript>" * 100_000
    response = HtmlResponse("http://a.example/", body=html, encoding="utf-8")
    assert reason_to_repeat(response, outcome("<p>x</p>")) == "empty_shell"


def learned(html: str = GOOD_PAGE, least: float = 0, keep_languages: Sequence[str] = (), **values: Any) -> CleanedPage:
    """A page as a trained profile judged it; ``values``: of its extraction."""
    given = {"profile": "learned", "retry_confidence": least, "keep_languages": [*keep_languages]}
    settings = from_mapping(given, "test")
    return CleanedPage(replace(extract(html, language="English"), **values), configure(settings))


@pytest.mark.parametrize(
    ("page", "why"),
    [
        (learned(least=0.5, confidence=0.49), "unsure"),
        (learned(least=0.5, confidence=0.5), None),
        (learned(least=0, confidence=0.1), None),
        (learned(least=0.5), None),
        (learned(least=0.5, confidence=0.1, page_type="listing"), None),
        *((learned(text_of(HARDLY_ANY), page_type=name), None) for name in ("listing", "collection")),
        *((learned(text_of(HARDLY_ANY - 1), page_type=name), "script") for name in ("listing", "collection")),
        (learned(text_of(HARDLY_ANY), page_type="article"), "script"),
        (learned(text_of(HARDLY_ANY), keep_languages=["de"]), None),
        (learned(text_of(HARDLY_ANY - 1), keep_languages=["de"]), "script"),
        (learned("<app-root></app-root>" + GOOD_PAGE, is_fallback=True), "script"),
    ],
)
def test_what_a_trained_profile_knows_of_a_page_counts(page: CleanedPage, why: str | None) -> None:
    response = HtmlResponse("http://a.example/", body="<app-root></app-root>", encoding="utf-8")
    assert reason_to_repeat(response, page) == why


@pytest.mark.parametrize(
    ("second", "first", "better"),
    [
        (outcome(GOOD_PAGE), outcome(SHELL), True),
        (outcome(GOOD_PAGE), uncleaned("status"), True),
        (outcome(GOOD_PAGE), outcome(GOOD_PAGE), False),
        (outcome(SHELL), uncleaned("status"), False),
        (outcome(page(ENGLISH)), outcome(GOOD_PAGE), False),
        (learned(page(ENGLISH), confidence=0.8), learned(confidence=0.7), True),
        (learned(confidence=0.7), learned(page(ENGLISH), confidence=0.7), False),
        (learned(confidence=0.2), learned(SHELL, confidence=0.9), True),
        (learned(SHELL, confidence=0.9), learned(confidence=0.2), False),
    ],
)
def test_the_page_with_more_good_content_is_better_and_else_the_surer_one(
    second: CleanedPage, first: Outcome, better: bool
) -> None:
    assert is_better(second, first) is better


#: What the site answers by itself.
PAGES: dict[str, Answer | str] = {
    "/shell": SHELL,
    "/wall": Answer(WALL, status=403),
    "/empty": "",
    "/good": GOOD_PAGE,
    "/listing": LISTING,
    "/poor": POOR_PAGE,
    "/gone": Answer("<p>Not here.", status=404),
    "/always": SHELL,
}
#: Pages that stay what they are.
IN_VAIN_PAGES = [f"/always?{number}" for number in range(MADE_IN_VAIN)]


site = site_of(PAGES)


@pytest.fixture(scope="module")
def proxy(site: Site) -> Iterator[Site]:
    """A proxy through which the site shows its text: it is asked for whole addresses."""
    shown = {site.url(path): GOOD_PAGE for path in ("/shell", "/wall", "/empty", "/poor", "/listing", "/gone")}
    always = {site.url(path): SHELL for path in ("/always", *IN_VAIN_PAGES)}
    with Site({**shown, **always}) as proxy:
        yield proxy


NO_BROWSER_AT_START = r"^JUSTEXT_RETRY_META asks for playwright, but .*ScrapyPlaywrightDownloadHandler\"\.$"
IN_VAIN = rf"^JUSTEXT_RETRY_META: none of {MADE_IN_VAIN} second requests brought a better page"
REFUSED = r"^No second request has worked, .* does nothing: \d+ failed, the last with: Connection was refused"


@pytest.fixture(scope="module")
def results(site: Site, proxy: Site, tmp_path_factory: pytest.TempPathFactory) -> Results:
    meta = {"JUSTEXT_RETRY_META": {"proxy": proxy.url("")}, "JUSTEXT_FIELDS": {"fetched": "fetched"}}
    cache = {"HTTPCACHE_ENABLED": True, "HTTPCACHE_DIR": str(tmp_path_factory.mktemp("cache"))}
    shell, both = {"urls": site.urls("/shell")}, site.urls("/shell", "/always")
    asked = {"/shell": {"justext": {"retry_meta": {"proxy": proxy.url("")}, "fields": {"fetched": "fetched"}}}}
    unused = {"proxy": "http://127.0.0.1:1"}
    of_site = {"JUSTEXT_SITES": {"127.0.0.1": {"retry_meta": {"playwright": True}}}}
    return crawl(
        {
            "no browser": Crawl(PageSpider, {"urls": site.urls("/good")}, of_site, problems=[NO_BROWSER_AT_START]),
            "in vain": Crawl(PageSpider, {"urls": site.urls(*IN_VAIN_PAGES)}, meta, problems=[IN_VAIN]),
            "few in vain": Crawl(PageSpider, {"urls": site.urls(*IN_VAIN_PAGES[1:])}, meta),
            "all": Crawl(PageSpider, {"urls": site.urls(*PAGES)}, meta),
            # It takes the shell for a listing.
            "trained profile": Crawl(PageSpider, shell, {**meta, "JUSTEXT_PROFILE": "learned"}),
            "off": Crawl(PageSpider, shell),
            "request": Crawl(PageSpider, {**shell, "meta": asked}),
            "response": Crawl(PageSpider, {"urls": both}, {**meta, "JUSTEXT_DROP": "response"}),
            "failing": Crawl(PageSpider, shell, {**meta, "JUSTEXT_RETRY_META": unused}, problems=[REFUSED]),
            "site limit": Crawl(
                PageSpider, {"urls": site.urls("/shell", "/always", "/empty")}, {**meta, "JUSTEXT_RETRY_SITE_LIMIT": 1}
            ),
            "limit": Crawl(PageSpider, {"urls": both}, {**meta, "JUSTEXT_RETRY_LIMIT": 0}),
            "processes": Crawl(PageSpider, shell, {**meta, "JUSTEXT_PROCESSES": 1}),
            "cached": Crawl(PageSpider, shell, {**meta, **cache}),
            "from the cache": Crawl(PageSpider, shell, {**meta, **cache, "HTTPCACHE_IGNORE_MISSING": True}),
            "robots": Crawl(PageSpider, shell, {**meta, "ROBOTSTXT_OBEY": True}),
        }
    )


def test_a_shell_that_a_trained_profile_takes_for_a_listing_is_requested_again(results: Results) -> None:
    [item] = results["trained profile"].items
    assert (item["fetched"], item["text"]) == ("again", GOOD_TEXT)


def test_the_better_page_is_kept(results: Results, site: Site) -> None:
    better = dict.fromkeys(site.urls("/shell", "/wall", "/empty"), "again")
    assert {item["url"]: item["fetched"] for item in results["all"].items} == {**better, site.url("/good"): "first"}
    assert set(results["all"].texts.values()) == {GOOD_TEXT}


def test_what_was_asked_for_again_is_counted(results: Results, proxy: Site) -> None:
    stats = results["all"].justext
    reasons = {"script": 2, "bot_wall": 1, "empty_shell": 1}
    assert results["all"].counts("retry/") == {"requests": 4, **reasons, "kept_second": 3, "kept_first": 1}
    # A page is counted once, as the one that was kept; the 404 is skipped.
    assert stats["pages"] == 7
    assert stats["skipped/status"] == 1
    assert stats["pages_without_good_content"] == 3


def test_the_callback_gets_the_response_that_was_kept(results: Results) -> None:
    seen = dict(results["all"].seen)
    assert seen["/shell"].text == seen["/wall"].text == GOOD_TEXT
    assert seen["/gone"] == "HttpError"


@pytest.mark.parametrize("name", ["request", "processes", "cached", "robots"])
def test_wherever_it_is_set_and_whatever_else_runs(results: Results, name: str) -> None:
    (item,) = results[name].items
    assert (item["text"], item["fetched"]) == (GOOD_TEXT, "again")
    assert results[name].justext["retry/kept_second"] == 1


def test_nothing_is_asked_for_again_by_default(results: Results) -> None:
    assert results["off"].items == []
    assert results["off"].counts("retry/") == {}
    assert results["off"].stats["downloader/request_count"] == 1


def test_an_http_cache_keeps_both_pages(results: Results) -> None:
    result = results["from the cache"]
    assert [item["fetched"] for item in result.items] == ["again"]
    assert result.stats["httpcache/hit"] == 2


def test_a_page_that_stays_poor_is_dropped(results: Results, site: Site) -> None:
    result = results["response"]
    assert [item["url"] for item in result.items] == site.urls("/shell")
    assert result.justext["responses_dropped"] == 1
    assert dict(result.seen)["/always"] == "IgnoreRequest"


def test_a_second_request_that_fails_leaves_the_first_page(results: Results) -> None:
    result = results["failing"]
    assert result.justext["retry/failed"] == 1
    assert result.justext["pages_without_good_content"] == 1
    assert [path for path, _ in result.seen] == ["/shell"]
    assert [entry for entry in result.log if re.search("second request failed: ", entry.message)]


@pytest.mark.parametrize(("name", "requests", "refused"), [("site limit", 1, 2), ("limit", 0, 2)])
def test_second_requests_are_bounded(results: Results, name: str, requests: int, refused: int) -> None:
    stats = results[name].justext
    assert stats.get("retry/requests", 0) == requests
    assert stats["retry/over_limit"] == refused
    warnings = [entry.message for entry in results[name].log if entry.message.startswith("No more second requests")]
    assert len(warnings) == 1


HANDLER = "scrapy_playwright.handler.ScrapyPlaywrightDownloadHandler"
needs_playwright = pytest.mark.skipif(find_spec("scrapy_playwright") is None, reason="needs scrapy-playwright")


#: A browser that is asked for, download handlers, and whether it is missing.
BROWSERS: list[tuple[dict[str, Any], dict[str, Any], bool]] = [
    ({"playwright": True}, {}, True),
    ({"playwright": True}, {"http": HANDLER, "https": HANDLER}, False),
    ({"playwright": True}, {"https": HANDLER}, False),
    ({"playwright": True}, {"https": None}, True),
    ({"playwright": True}, {"https": "no.such.Handler"}, True),
    ({"playwright": False}, {}, False),
    ({"proxy": "http://127.0.0.1:1"}, {}, False),
    ({}, {}, False),
]


@pytest.mark.parametrize(("meta", "handlers", "lacks"), BROWSERS)
def test_a_browser_that_nobody_brings_is_missed(meta: dict[str, Any], handlers: dict[str, Any], lacks: bool) -> None:
    settings = Settings({"DOWNLOAD_HANDLERS": handlers})
    assert lacks_browser(meta, settings) is lacks


@needs_playwright
def test_a_handler_made_from_playwright_s_brings_a_browser() -> None:
    own = type("Own", (load_object(HANDLER),), {})
    assert not lacks_browser({"playwright": True}, Settings({"DOWNLOAD_HANDLERS": {"https": own}}))


def test_second_requests_in_vain_are_reported(results: Results) -> None:
    assert [len(results[name].problems) for name in ("no browser", "in vain", "few in vain")] == [1, 1, 0]


class Asked:
    """A session whose second requests are answered here: with ``second``, each page extracted in one second.

    Where a page is to fail, its extraction raises an error; ``error``: what the request itself raises.
    """

    def __init__(
        self, second: str, settings: Mapping[str, Any], *, fails: bool = False, error: Exception | None = None
    ) -> None:
        self.crawler = get_crawler(settings_dict={"JUSTEXT_LANGUAGE": "English", **settings})
        self.session = get_session(self.crawler)
        self.second, self.fails, self.error = second, fails, error
        self.metas: list[dict[str, Any]] = []
        self._extract = self.session._extract
        self.session._extract = self.extract  # type: ignore[method-assign]
        self.crawler.engine = cast("Any", self)

    async def extract(self, page: RawPage, *arguments: Any, **options: Any) -> Any:
        if self.fails and cast("HtmlResponse", page.html).text == self.second:
            raise RuntimeError("bad page")
        extracted, _ = await self._extract(page, *arguments, **options)
        return extracted, 1.0

    async def download_async(self, request: Request) -> Response:
        self.metas.append(dict(request.meta))
        if self.error is not None:
            raise self.error
        return self.answer(request, self.second)

    def answer(self, request: Request, html: str) -> Response:
        return HtmlResponse(request.url, body=html, encoding="utf-8", request=request)

    def get(self, **meta: Any) -> Response:
        request = Request("http://a.example/", meta=meta)
        return asyncio.run(self.session.clean_downloaded(self.answer(request, SHELL), request))

    def stat(self, name: str) -> Any:
        assert self.crawler.stats is not None
        return self.crawler.stats.get_value(f"justext/{name}", 0)


ASKING: dict[str, Any] = {"JUSTEXT_RETRY_META": {"proxy": "http://127.0.0.1:1"}}


def test_an_error_in_a_second_page_is_counted_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    asked = Asked(GOOD_PAGE, ASKING, fails=True)
    assert asked.get().text == SHELL
    assert (asked.stat("errors"), asked.stat("errors/RuntimeError"), asked.stat("pages")) == (1, 1, 1)
    assert "http://a.example/: not cleaned: bad page" in caplog.text


#: What Playwright says where it has no browser.
NO_BROWSER = (
    "BrowserType.launch: Executable doesn't exist at /root/.cache/ms-playwright/chromium-1169/chrome-linux/chrome\n"
    f"╔{'═' * 60}╗\n" + f"║ {'Looks like Playwright was just installed or updated.':58} ║\n" * 5 + f"╚{'═' * 60}╝"
)


def test_second_requests_that_fail_take_a_short_line_each(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "scrapy_justext")
    asked = Asked(GOOD_PAGE, ASKING, error=RuntimeError(NO_BROWSER))
    for _ in range(FAILED_FROM_START + 2):
        assert asked.get().text == SHELL
    lines = [record for record in caplog.records if "failed" in record.message]
    levels = [logging.INFO] * FAILED_FROM_START + [logging.WARNING] + [logging.DEBUG] * 2
    assert [record.levelno for record in lines] == levels
    for record in lines:
        assert len(record.message) <= 250
        assert "Executable doesn't exist" in record.message
        assert not {"═", "║", "\n"} & set(record.message)


def test_a_comparison_that_fails_keeps_the_first_page(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("no memory")

    monkeypatch.setattr(SiteMemoryPart, "page_compared", fail)
    asked = Asked(GOOD_PAGE, {**ASKING, "JUSTEXT_SITE_MEMORY": True})
    assert asked.get().text == SHELL
    assert (asked.stat("errors/RuntimeError"), asked.stat("pages")) == (1, 1)
    assert "http://a.example/: not cleaned: no memory" in caplog.text


@pytest.mark.parametrize(("second", "kept"), [(GOOD_PAGE, "kept_second"), (SHELL, "kept_first")])
def test_the_time_of_both_pages_is_counted(second: str, kept: str) -> None:
    asked = Asked(second, ASKING)
    assert asked.get().text == second
    assert (asked.stat(f"retry/{kept}"), asked.stat("pages"), asked.stat("seconds")) == (1, 1, 2.0)


def test_a_request_that_has_the_meta_already_is_not_repeated() -> None:
    asked = Asked(GOOD_PAGE, ASKING)
    assert asked.get(proxy="http://127.0.0.1:1", depth=1).text == SHELL
    assert asked.metas == []
    assert asked.get(proxy="http://127.0.0.1:2").text == GOOD_PAGE
    assert len(asked.metas) == 1


@pytest.mark.parametrize("own", [{}, {"dont_cache": True}])
def test_the_kept_response_does_not_keep_its_successors_from_the_cache(own: dict[str, bool]) -> None:
    asked = Asked(GOOD_PAGE, {})
    kept = asked.get(justext={"retry_meta": {"proxy": "x"}}, **own)
    assert kept.text == GOOD_PAGE
    assert asked.metas[0]["dont_cache"] is True
    assert kept.meta.keys() - {"justext", "proxy"} == own.keys()
