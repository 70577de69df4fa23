"""From a record to its row: as a crawl would have it."""

from pathlib import Path
from typing import Any

import pytest
from scrapy.http import HtmlResponse

from scrapy_justext.archives.output import RunProgress
from scrapy_justext.archives.records import BEGINNING, ArchivedPage, Location, page_record
from scrapy_justext.archives.work import ChunkResult, RecordExtractor, RecordsResult, Trouble
from scrapy_justext.crawl.pages import CleanedPage
from scrapy_justext.crawl.settings import Given, configure, make_layers
from tests.archives.making import page, url
from tests.archives.running import extract, headers, paragraphs
from tests.builders import DEMO_PAGES, extract_response, page_id

BODY = page(1).encode()
#: An element with more attributes than the parser can take.
ATTRIBUTES = b"<p " + b" ".join(b"a%d" % number for number in range(30_000)) + b">x"


@pytest.mark.parametrize("path", DEMO_PAGES[::4], ids=page_id)
def test_a_page_is_extracted_as_in_a_crawl(path: Path) -> None:
    address = "https://example.org/page"
    sent = {"Content-Type": "text/html; charset=utf-8", "Content-Language": "de"}
    pairs = tuple((name.encode(), value.encode()) for name, value in sent.items())
    archived = ArchivedPage(address, path.read_bytes(), headers=pairs)
    extracted = extract(archived)
    expected = extract_response(HtmlResponse(address, headers=sent, body=path.read_bytes()), configure({}))
    assert isinstance(extracted, CleanedPage)
    assert extracted.extraction == expected


SKIPPED: dict[str, tuple[ArchivedPage, dict[str, Any], str]] = {
    "redirect": (ArchivedPage(None, BODY, 301, headers(Content_Type="text/html")), {}, "redirect"),
    "error": (ArchivedPage(None, BODY, 404, headers(Content_Type="text/html")), {}, "status"),
    "image": (ArchivedPage(None, b"\x89PNG", headers=headers(Content_Type="image/png")), {}, "not_html"),
    "large": (ArchivedPage(None, BODY), {"max_body_bytes": 100}, "too_large"),
    "many attributes": (ArchivedPage(None, ATTRIBUTES), {}, "too_many_attributes"),
    "site": (ArchivedPage("https://www.example.org/", BODY), {"sites": {"example.org": {"enabled": False}}}, "site"),
}


@pytest.mark.parametrize("case", SKIPPED)
def test_what_is_no_page_is_named_as_in_a_crawl(case: str) -> None:
    archived, settings, reason = SKIPPED[case]
    assert extract(archived, **settings) == reason


def test_an_error_page_can_be_asked_for() -> None:
    archived = ArchivedPage(None, BODY, 404, headers(Content_Type="text/html"))
    assert paragraphs(archived, extra_statuses="404") == paragraphs(ArchivedPage(None, BODY))


def test_sites_have_their_own_settings() -> None:
    sites = {"example.org": {"profile": "boilerpipe"}}
    for address, profile in {"https://www.example.org/": "boilerpipe", "https://[oops": "justext"}.items():
        extracted = extract(ArchivedPage(address, BODY), sites=sites)
        assert isinstance(extracted, CleanedPage)
        assert extracted.extraction.profile == profile


@pytest.mark.parametrize(("drop", "is_wanted"), [("item", False), ("response", False), ("none", True)])
def test_pages_without_good_content_are_wanted_when_nothing_is_dropped(drop: str, is_wanted: bool) -> None:
    record = page_record(Location("a.warc", 7), ArchivedPage(url(1), b"<p>Home"))
    result = RecordsResult()
    result.add(record, RecordExtractor(make_layers({"drop": Given(drop, "")}, {})))
    assert (result.counts["pages"], result.counts["rows"]) == (1, is_wanted)
    assert [row[:3] for row in result.rows] == [(url(1), "a.warc", 7)] * is_wanted


def test_no_more_troubles_are_remembered_than_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scrapy_justext.archives.output._REMEMBERED", 3)
    progress = RunProgress()
    for _ in range(2):
        troubles = [Trouble(Location("a", number), "corrupt") for number in range(2)]
        progress.add(ChunkResult(b"", {"skipped/corrupt": 2}, troubles), BEGINNING)
    assert [trouble.location.offset for trouble in progress.troubles] == [0, 1, 0]
    assert progress.counts["skipped/corrupt"] == 4
