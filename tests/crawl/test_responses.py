"""Which responses are cleaned, and that every one reaches the spider as it was."""

import gzip
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from lxml import etree
from scrapy import Request, Spider
from scrapy.http import Response, TextResponse

from scrapy_justext import get_extraction
from tests.crawl.content import ENGLISH, GERMAN, GOOD_PAGE, GOOD_TEXT, MORE_ENGLISH, RUSSIAN, page
from tests.crawl.crawling import Crawl, Result, Results, crawl
from tests.crawl.server import Answer, Site, path_of

pytestmark = pytest.mark.full

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01" + bytes(range(256)) * 4
XHTML = (
    '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" '
    '"http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">\n<html xmlns="http://www.w3.org/1999/xhtml" '
    f'xml:lang="en"><head><title>X</title></head><body><p>{ENGLISH}</p><p>{MORE_ENGLISH}</p></body></html>'
)
FEED = (
    '<?xml version="1.0"?><rss version="2.0"><channel><item>'
    f"<description>{ENGLISH}</description></item></channel></rss>"
)
DEEP = "<!DOCTYPE html><html><body>" + f"<p>{ENGLISH}</p><p>{MORE_ENGLISH}</p>" + "<div>" * 3000 + f"<p>{ENGLISH}</p>"
#: Older parsers read on.
IS_CUT = etree.LIBXML_VERSION >= (2, 14)
MANY = page(*[f"{ENGLISH} {number}" for number in range(200)])
LIMIT = 100_000
#: The reason for which the crawl of the cases skips what its server sends as robots.txt.
ROBOTS = "no_callback"


@dataclass(frozen=True, slots=True)
class Case:
    """An answer, and what is to become of it: a text, or the reason why it is skipped."""

    answer: Answer
    text: str | None = None
    skipped: str | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)


def html(body: str | bytes, charset: str = "utf-8") -> Answer:
    data = body if isinstance(body, bytes) else body.encode(charset)
    return Answer(data, f"text/html; charset={charset}")


CASES: dict[str, Case] = {
    "/page": Case(Answer(GOOD_PAGE), GOOD_TEXT),
    "/status/404": Case(Answer(GOOD_PAGE, status=404), skipped="status"),
    "/status/410": Case(Answer(GOOD_PAGE, status=410), GOOD_TEXT),
    "/empty": Case(Answer(""), skipped="empty"),
    "/blank": Case(Answer(" \n\t "), skipped="empty"),
    "/large": Case(html(f"{GOOD_PAGE:<{LIMIT + 1}}"), skipped="too_large"),
    "/blocks": Case(Answer(GOOD_PAGE), skipped="too_many_blocks", meta={"justext": {"max_blocks": 1}}),
    "/attributes": Case(
        html("<p " + " ".join(f"a{n}" for n in range(25_000)) + ">x"),
        skipped="too_many_attributes",
        meta={"justext": {"max_body_bytes": 10 * LIMIT}},
    ),
    "/not-too-large": Case(html(f"{GOOD_PAGE:<{LIMIT}}"), GOOD_TEXT),
    "/json": Case(Answer(f'{{"html": "<html><p>{ENGLISH}"}}', "application/json"), skipped="not_html"),
    "/feed": Case(Answer(FEED, "application/rss+xml"), skipped="not_html"),
    "/feed-as-xml": Case(Answer(FEED, "application/xml"), skipped="not_html"),
    "/plain": Case(Answer(GOOD_PAGE, "text/plain; charset=utf-8"), skipped="not_html"),
    "/image": Case(Answer(PNG, "image/png"), skipped="not_html"),
    "/image-as-html": Case(Answer(PNG, "text/html"), skipped="binary"),
    "/utf-16": Case(html(GOOD_PAGE, "utf-16"), GOOD_TEXT),
    "/xhtml": Case(Answer(XHTML, "application/xhtml+xml"), GOOD_TEXT),
    "/xhtml-as-xml": Case(Answer(XHTML, "application/xml"), GOOD_TEXT),
    "/no-content-type": Case(Answer(GOOD_PAGE, None), GOOD_TEXT),
    "/header-only": Case(html(page(RUSSIAN), "windows-1251"), RUSSIAN),
    "/bom": Case(Answer(b"\xef\xbb\xbf" + page(GERMAN).encode(), "text/html; charset=iso-8859-1"), GERMAN),
    "/utf-8-sent-as-latin-1": Case(Answer(page(GERMAN).encode(), "text/html; charset=iso-8859-1"), GERMAN),
    "/utf-8-sent-as-koi8": Case(
        Answer(page(RUSSIAN, head="<meta charset=utf-8>").encode(), "text/html; charset=koi8-r"), RUSSIAN
    ),
    "/cp1251-sent-as-utf-8": Case(Answer(page(RUSSIAN).encode("cp1251"), "text/html; charset=utf-8"), RUSSIAN),
    "/utf-8-declared-latin-1": Case(Answer(page(GERMAN, head="<meta charset=latin-1>"), "text/html"), GERMAN),
    "/windows-1251-undeclared": Case(Answer(page(RUSSIAN).encode("cp1251"), "text/html"), RUSSIAN),
    "/latin-1-undeclared": Case(Answer(page(GERMAN).encode("cp1252"), "text/html"), GERMAN),
    "/gzip": Case(Answer(gzip.compress(GOOD_PAGE.encode()), headers={"Content-Encoding": "gzip"}), GOOD_TEXT),
    "/deep": Case(Answer(DEEP), GOOD_TEXT if IS_CUT else f"{GOOD_TEXT}\n\n{ENGLISH}"),
    "/unclosed": Case(Answer(f"<p>{ENGLISH}<p>{MORE_ENGLISH}<table><tr><td><b>"), GOOD_TEXT),
    "/nul": Case(Answer(GOOD_PAGE.replace("bridge", "bri\0dge")), GOOD_TEXT),
    "/meta-false": Case(Answer(GOOD_PAGE), skipped="request", meta={"justext": False}),
    "/meta-empty": Case(Answer(GOOD_PAGE), GOOD_TEXT, meta={"justext": {}}),
}
#: Page by page the text is told in the language that it is in; status 410 is one of the project's own.
SETTINGS = {
    "JUSTEXT_LANGUAGE": ["English", "German", "Russian"],
    "JUSTEXT_MAX_BODY_BYTES": LIMIT,
    "JUSTEXT_EXTRA_STATUSES": [410],
    "HTTPERROR_ALLOW_ALL": True,
    "ROBOTSTXT_OBEY": True,
}
#: The pages that the log names.
TOLD = ("/large", "/blocks", "/attributes")
OFF = {"JUSTEXT_ENABLED": False}


class WitnessSpider(Spider):
    """Notes each response as it arrives: its properties, and its tree."""

    name = "witness"

    def __init__(self, urls: list[str], meta: dict[str, dict[str, Any]]) -> None:
        super().__init__()
        self.urls = urls
        self.meta_of = meta
        self.seen: list[tuple[str, dict[str, Any], str | None]] = []

    async def start(self) -> AsyncIterator[Request]:
        for url in self.urls:
            meta = dict(self.meta_of.get(path_of(url), {}))
            yield Request(url, meta=meta, dont_filter=True, errback=self.fail)

    def fail(self, failure: Any) -> None:
        self.seen.append((path_of(failure.request.url), {}, failure.type.__name__))

    def parse(self, response: Response) -> Iterator[Any]:
        extraction = get_extraction(response)
        assert response.request
        self.seen.append(
            (path_of(response.request.url), properties(response), None if extraction is None else extraction.text)
        )
        yield {"url": response.url}


def properties(response: Response) -> dict[str, Any]:
    """What can be seen of a response, but for how long it took."""
    assert response.request
    meta = {key: value for key, value in response.meta.items() if key != "download_latency"}
    seen = {
        "class": type(response).__name__,
        "url": response.url,
        "status": response.status,
        "headers": response.headers.to_string(),
        "body": response.body,
        "flags": response.flags,
        "meta": meta,
        "priority": response.request.priority,
    }
    if isinstance(response, TextResponse):
        seen |= {"encoding": response.encoding, "text": response.text}
        root = response.selector.root
        if isinstance(root, etree._Element):
            seen["tree"] = etree.tostring(root, encoding="unicode")
    return seen


@pytest.fixture(scope="module")
def results() -> Iterator[Results]:
    answers = {path: case.answer for path, case in CASES.items()}
    robots = Answer(GOOD_PAGE, "text/html")
    with Site({**answers, "/robots.txt": robots}) as served:
        meta = {path: dict(case.meta) for path, case in CASES.items()}
        arguments = {"urls": served.urls(*CASES), "meta": meta}
        yield crawl(
            {
                "on": Crawl(WitnessSpider, arguments, SETTINGS, problems=[f"{path}: not cleaned: " for path in TOLD]),
                "off": Crawl(WitnessSpider, arguments, {**SETTINGS, **OFF}),
            }
        )


@pytest.mark.parametrize("path", CASES)
def test_a_response_is_cleaned_or_skipped(results: Results, path: str) -> None:
    (text,) = [text for seen, _, text in results["on"].seen if seen == path]
    assert text == CASES[path].text


def test_what_is_skipped_is_counted_under_its_reason(results: Results) -> None:
    stats = results["on"].justext
    expected = Counter(case.skipped for case in CASES.values() if case.skipped)
    assert results["on"].counts("skipped/") == {**expected, ROBOTS: 1}
    assert stats["pages"] == sum(case.text is not None for case in CASES.values())
    assert stats.get("pages_cut_at_depth", 0) == IS_CUT
    assert stats["pages_read_as_utf8"] == 3
    assert stats["pages_encoding_guessed"] == 3
    assert "errors" not in stats


@pytest.mark.parametrize("path", CASES)
def test_a_response_reaches_the_spider_untouched(results: Results, path: str) -> None:
    (on,) = [seen for name, seen, _ in results["on"].seen if name == path]
    (off,) = [seen for name, seen, _ in results["off"].seen if name == path]
    assert on == off
    assert on["status"] == CASES[path].answer.status


DETOURS: dict[str, Answer | str] = {
    "/page": GOOD_PAGE,
    "/moved": Answer(GOOD_PAGE, status=301, headers={"Location": "/page"}),
    "/refresh": page(head='<meta http-equiv="refresh" content="0; url=/page">'),
    "/broken": Answer(GOOD_PAGE, status=503),
    "/cut": Answer(gzip.compress(MANY.encode())[:-200], headers={"Content-Encoding": "gzip"}),
    "/not-gzip": Answer(GOOD_PAGE, headers={"Content-Encoding": "gzip"}),
    "/bad-charset": Answer(GOOD_PAGE, "text/html; charset=klingon"),
    "/doctype": "<!DOCTYPE html>",
    "/comment": "<!-- nothing here -->",
}


BROKEN = ["/cut", "/not-gzip", "/bad-charset", "/doctype", "/comment"]
RETRYING = {"RETRY_ENABLED": True, "RETRY_TIMES": 1, "HTTPERROR_ALLOW_ALL": True}


@pytest.fixture(scope="module")
def detours() -> Iterator[tuple[Results, Counter[str]]]:
    with Site(DETOURS) as served:
        moved = {"urls": served.urls("/moved", "/refresh", "/broken"), "meta": {}}
        broken = {"urls": served.urls(*BROKEN), "meta": {}}
        crawls = {}
        for name, settings in (("on", {}), ("off", OFF)):
            crawls[f"moved, {name}"] = Crawl(WitnessSpider, moved, RETRYING | settings, problems=["Gave up retrying"])
            crawls[f"broken, {name}"] = Crawl(WitnessSpider, broken, settings)
        yield crawl(crawls), served.requests


def test_redirects_and_retries_are_cleaned_once(detours: tuple[Results, Counter[str]]) -> None:
    results, requests = detours
    on = results["moved, on"]
    assert requests["/broken"] == 4
    found = sorted((path, seen["status"], text) for path, seen, text in on.seen)
    assert found == [("/broken", 503, None), *[("/page", 200, GOOD_TEXT)] * 2]
    assert on.justext["pages"] == 2
    assert on.justext["skipped/status"] == 1
    # Two ways lead to one page; which is first is for the network to say.
    off = results["moved, off"]
    assert sorted(repr(seen) for _, seen, _ in on.seen) == sorted(repr(seen) for _, seen, _ in off.seen)


def test_broken_bodies_do_no_harm(detours: tuple[Results, Counter[str]]) -> None:
    on, off = (detours[0][f"broken, {name}"] for name in ("on", "off"))
    assert by_path(on) == by_path(off)
    texts = {path: text for path, _, text in on.seen}
    assert texts["/bad-charset"] == GOOD_TEXT
    assert texts["/cut"] is not None
    assert texts["/cut"].startswith(ENGLISH)
    assert texts["/doctype"] == texts["/comment"] == ""
    assert "errors" not in on.justext
    # Scrapy itself gives up on the one that is no gzip at all.
    assert on.justext["pages"] == sum(bool(seen) for _, seen, _ in on.seen) == len(BROKEN) - 1


def by_path(result: Result) -> dict[str, dict[str, Any]]:
    return {path: seen for path, seen, _ in result.seen}
