"""The session of a crawl lives as long as the crawl."""

from __future__ import annotations

import gc
import weakref
from typing import TYPE_CHECKING

import pytest
from scrapy.http import HtmlResponse
from scrapy.utils.test import get_crawler

from scrapy_justext.crawl.middlewares import JustextDownloaderMiddleware, JustextSpiderMiddleware
from scrapy_justext.crawl.parts.site_memory.store import FILE
from scrapy_justext.crawl.parts.site_report import SiteReport
from scrapy_justext.crawl.pipelines import JustextPipeline
from scrapy_justext.crawl.session import get_session
from tests.crawl.content import GOOD_PAGE

if TYPE_CHECKING:
    from pathlib import Path

COMPONENTS = (JustextDownloaderMiddleware, JustextSpiderMiddleware, JustextPipeline)


def test_the_components_of_a_crawl_share_a_session() -> None:
    one, other = get_crawler(), get_crawler()
    components = [[component.from_crawler(crawler) for component in COMPONENTS] for crawler in (one, other)]
    sessions = [{id(component._session) for component in each} for each in components]
    assert sessions == [{id(get_session(one))}, {id(get_session(other))}]
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
