"""The session of a crawl lives as long as the crawl, and has the extraction of a response wherever that is at hand."""

import gc
import weakref
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse, JsonResponse, Response
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.test import get_crawler

from scrapy_justext import extract, get_extraction
from scrapy_justext.crawl.middlewares import JustextDownloaderMiddleware, JustextSpiderMiddleware
from scrapy_justext.crawl.parts.site_memory.store import FILE
from scrapy_justext.crawl.parts.site_report import SiteReport
from scrapy_justext.crawl.pipelines import JustextPipeline
from scrapy_justext.crawl.session import get_session
from scrapy_justext.exceptions import SiteMemoryError
from tests.crawl.content import GOOD_PAGE, GOOD_TEXT, MORE_ENGLISH
from tests.crawl.crawling import crawl_one
from tests.crawl.server import Answer, Site
from tests.crawl.spiders import PageSpider

COMPONENTS = (JustextDownloaderMiddleware, JustextSpiderMiddleware, JustextPipeline)


def test_the_components_of_a_crawl_share_a_session() -> None:
    first, other = get_crawler(), get_crawler()
    components = [[component.from_crawler(crawler) for component in COMPONENTS] for crawler in (first, other)]
    sessions = [{id(component._session) for component in of_crawl} for of_crawl in components]
    assert sessions == [{id(get_session(first))}, {id(get_session(other))}]
    assert sessions[0] != sessions[1]


def test_a_crawl_that_is_over_is_forgotten() -> None:
    crawler = get_crawler(settings_dict={"JUSTEXT_LANGUAGE": "English", "JUSTEXT_SITE_MEMORY": True})
    components = [component.from_crawler(crawler) for component in COMPONENTS]
    # Whoever keeps a response keeps no crawl.
    response = HtmlResponse("http://127.0.0.1/", body=GOOD_PAGE, encoding="utf-8")
    session = get_session(crawler)
    session.clean_now(response, None)
    session.remember_item({}, response)
    crawler_left, session_left = weakref.ref(crawler), weakref.ref(session)
    del crawler, components, session
    gc.collect()
    assert (crawler_left(), session_left()) == (None, None)


@pytest.mark.parametrize("is_on", [True, False])
def test_garbage_collections_of_a_crawl_pass_over_what_is_there_before_it(is_on: bool) -> None:
    crawler = get_crawler(settings_dict={"JUSTEXT_ENABLED": is_on})
    session = get_session(crawler)
    gc.unfreeze()
    session._open()
    assert (gc.get_freeze_count() > 0) is is_on
    session._close()
    assert gc.get_freeze_count() == 0


def test_the_log_tells_once_what_has_no_effect(caplog: pytest.LogCaptureFixture) -> None:
    session = get_session(get_crawler(settings_dict={"JUSTEXT_GOOD_PROBABILITY": 0.5, "JUSTEXT_LENGTH_LOW": 50}))
    session._open()
    session._close()
    [warning] = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert warning == "JUSTEXT_GOOD_PROBABILITY: without effect, as the profile justext does not look at it"


def test_what_fails_at_the_end_of_a_crawl_keeps_nothing_else_open(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    settings = {
        "JUSTEXT_SITE_STATS": str(tmp_path / "sites.json"),
        "JUSTEXT_SITE_MEMORY": True,
        "JOBDIR": str(tmp_path),
    }
    session = get_session(get_crawler(settings_dict=settings))

    def fail(_: SiteReport) -> None:
        raise ValueError("no stats")

    monkeypatch.setattr(SiteReport, "closed", fail)
    with pytest.raises(ValueError, match="no stats"):
        session._close()
    assert (tmp_path / FILE).exists()


def test_a_damaged_memory_of_sites_is_named_when_a_crawl_begins(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"PK\x03\x04 and then nothing of use")
    with pytest.raises(SiteMemoryError, match=f"^the site memory {tmp_path / FILE} is damaged"):
        get_session(get_crawler(settings_dict={"JUSTEXT_SITE_MEMORY": True, "JOBDIR": str(tmp_path)}))


class AskingSpider(PageSpider):
    """Asks for the extraction of its page, of pages that it downloads inline, of copies."""

    name = "asking"

    async def parse(self, response: Response) -> AsyncIterator[Any]:  # type: ignore[override]
        self.note("callback", response)
        self.note("again", response)

        download, inline = self.crawler.engine.download_async, response.urljoin("/inline")
        skipped = Request(inline, meta={"justext": False})
        self.note("inline", await download(Request(inline)))
        self.note("without callback", await download(Request(inline, callback=NO_CALLBACK)))
        self.note("json", await download(Request(response.urljoin("/json"))))
        self.note("skipped", await download(skipped))
        self.note("copy", response.copy())
        self.note("other body", response.replace(body=f"<p>{MORE_ENGLISH}".encode()))
        self.note("no page any more", response.replace(body=b"{}", headers={}, cls=JsonResponse))
        self.note("copy of the skipped", (await download(skipped)).copy())
        page: dict[str, Any] = {"url": response.url, "body": response.body, "encoding": "utf-8"}
        self.note("rendered", HtmlResponse(**page, request=response.request))
        self.note("made by hand", HtmlResponse(**page))
        yield {"url": response.url}

    def note(self, what: str, response: Response) -> None:
        self.seen.append((what, get_extraction(response)))


def test_the_extraction_of_a_response_is_at_hand() -> None:
    answers: dict[str, Answer | str] = {
        "/page": GOOD_PAGE,
        "/inline": f"<p>{MORE_ENGLISH}",
        "/json": Answer("{}", "application/json"),
    }
    with Site(answers) as served:
        result = crawl_one(AskingSpider, {"urls": served.urls("/page")})
    seen = dict(result.seen)
    assert seen.pop("callback").text == GOOD_TEXT
    extraction = seen.pop("again")
    assert extraction.url == result.items[0]["url"]
    assert extraction.blocks == extract(GOOD_PAGE, language="English").blocks
    assert seen.pop("inline").text == MORE_ENGLISH
    assert seen.pop("copy") == seen.pop("rendered") == extraction
    assert seen.pop("other body").text == MORE_ENGLISH
    none = ["without callback", "json", "skipped", "no page any more", "copy of the skipped", "made by hand"]
    assert seen == dict.fromkeys(none)
    # An inline response changes nothing for the items of the page.
    assert result.texts == {"/page": GOOD_TEXT}
    assert result.justext["pages"] == 2
    assert result.counts("skipped/") == {"no_callback": 1, "not_html": 1, "request": 1}
