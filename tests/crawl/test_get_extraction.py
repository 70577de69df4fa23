"""`get_extraction(response)`, wherever a response is at hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy import Request, Spider
from scrapy.http import HtmlResponse, JsonResponse, Response
from scrapy.http.request import NO_CALLBACK

from scrapy_justext import Extraction, extract, get_extraction
from tests.crawl.content import GOOD_PAGE, GOOD_TEXT, MORE_ENGLISH
from tests.crawl.crawling import crawl_one
from tests.crawl.server import Answer, Site

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


class AskingSpider(Spider):
    """Asks for the extraction of its page, of a page that it downloads inline, of copies."""

    name = "asking"

    def __init__(self, page: str, inline: str, json: str) -> None:
        super().__init__()
        self.page = page
        self.inline = inline
        self.json = json
        self.seen: list[tuple[str, Extraction | None]] = []

    async def start(self) -> AsyncIterator[Request]:
        yield Request(self.page)

    async def parse(self, response: Response) -> AsyncIterator[Any]:
        self.note("callback", response)
        self.note("again", response)
        engine = self.crawler.engine
        inline = await engine.download_async(Request(self.inline))
        self.note("inline", inline)
        self.note("without callback", await engine.download_async(Request(self.inline, callback=NO_CALLBACK)))
        self.note("json", await engine.download_async(Request(self.json)))
        skipped = Request(self.inline, meta={"justext": False})
        self.note("skipped", await engine.download_async(skipped))
        self.note("copy", response.copy())
        self.note("other body", response.replace(body=f"<p>{MORE_ENGLISH}".encode()))
        self.note("no page any more", response.replace(body=b"{}", headers={}, cls=JsonResponse))
        self.note("copy of the skipped", (await engine.download_async(skipped)).copy())
        rendered = HtmlResponse(self.page, body=response.body, encoding="utf-8", request=response.request)
        self.note("rendered", rendered)
        self.note("made by hand", HtmlResponse(self.page, body=response.body, encoding="utf-8"))
        yield {"page": response.url}

    def note(self, what: str, response: Response) -> None:
        self.seen.append((what, get_extraction(response)))


def test_the_extraction_of_a_response_is_at_hand() -> None:
    answers: dict[str, Answer | str] = {
        "/page": GOOD_PAGE,
        "/inline": f"<p>{MORE_ENGLISH}",
        "/json": Answer("{}", "application/json"),
    }
    with Site(answers) as served:
        urls = {name.removeprefix("/"): served.url(name) for name in answers}
        result = crawl_one(AskingSpider, urls)
    seen = dict(result.seen)
    assert seen.pop("callback").text == GOOD_TEXT
    again = seen.pop("again")
    assert again.url == urls["page"]
    assert again.blocks == extract(GOOD_PAGE, language="English").blocks
    assert seen.pop("inline").text == MORE_ENGLISH
    assert seen.pop("copy") == seen.pop("rendered") == again
    assert seen.pop("other body").text == MORE_ENGLISH
    none = ["without callback", "json", "skipped", "no page any more", "copy of the skipped", "made by hand"]
    assert seen == dict.fromkeys(none)
    # An inline response changes nothing for the items of the page.
    assert [item["text"] for item in result.items] == [GOOD_TEXT]
    assert result.justext["pages"] == 2
    skipped = {name: number for name, number in result.justext.items() if name.startswith("skipped/")}
    assert skipped == {"skipped/no_callback": 1, "skipped/not_html": 1, "skipped/request": 1}


def test_a_response_of_no_crawl_has_none() -> None:
    assert get_extraction(HtmlResponse("http://example.org/", body=GOOD_PAGE, encoding="utf-8")) is None
