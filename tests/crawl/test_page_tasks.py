"""What travels between a crawl and its processes comes back as it was."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from scrapy.http import HtmlResponse

from scrapy_justext.core.extractor import Extractor
from scrapy_justext.core.options import Options, make_options
from scrapy_justext.crawl.pages import raw_page
from scrapy_justext.crawl.processes import PIECE, RawPage, join_extraction, split_extraction
from scrapy_justext.crawl.settings import Given, configure
from tests.builders import DEMO_PAGES, extract_response, page_id
from tests.crawl.content import ENGLISH, GERMAN, GOOD_PAGE, KEYWORDS, page

OPTIONS = {
    "default": make_options(),
    "words": make_options(stoplist={"the", "of", "und"}),
    "file": make_options(stoplist=Path("stoplists/English.txt").resolve()),
    "languages": make_options(language=["de", "en"], length_high=100),
    "rules": make_options(drop_css=["li, td", "#x"], keep_css=".y > p", drop_text=["^It was", "(?i)BRIDGE"]),
    "kept inside dropped": make_options(drop_css="p", keep_css="p"),
    "learned": make_options(profile="learned", paths=True),
    "images": make_options(profile="justext-java"),
}


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_options_that_were_sent_extract_the_same(options: Options) -> None:
    sent: Options = pickle.loads(pickle.dumps(options))
    for source in (GOOD_PAGE, page(GERMAN, KEYWORDS, ENGLISH), page('<img src="a.png" alt="A bridge">')):
        assert RawPage(source).extract(sent) == Extractor(options).extract(source)


@pytest.mark.parametrize("file", DEMO_PAGES, ids=page_id)
def test_a_page_gives_what_its_response_gives(file: Path) -> None:
    headers = {"Content-Language": ["de", "en"]}
    response = HtmlResponse("http://example.org/page", body=file.read_bytes(), headers=headers)
    configuration = configure({"profile": Given("learned", "test")})
    raw: RawPage = pickle.loads(pickle.dumps(raw_page(response)))
    assert raw.extract(configuration.options) == extract_response(response, configuration)


ENCODED = {
    "header": (page(GERMAN).encode("cp1252"), {"Content-Type": "text/html; charset=windows-1252"}),
    "byte order mark": (b"\xef\xbb\xbf" + page(GERMAN).encode(), {"Content-Type": "text/html; charset=latin-1"}),
    "declared": (page(GERMAN, head="<meta charset=latin-1>").encode("latin-1"), {}),
    "wrong": (page(GERMAN).encode("latin-1"), {"Content-Type": "text/html; charset=utf-8"}),
    "unknown": (page(GERMAN).encode(), {"Content-Type": "text/html; charset=klingon"}),
    "undeclared": (page(GERMAN).encode("latin-1"), {}),
    "utf-16": (page(GERMAN).encode("utf-16"), {}),
    "NUL": (page(GERMAN).replace("Brücke", "Brü\0cke").encode(), {"Content-Type": "text/html; charset=utf-8"}),
    "no text": (b"<!doctype html>", {}),
}


@pytest.mark.parametrize("name", ENCODED)
def test_a_body_is_decoded_as_its_response_decodes_it(name: str) -> None:
    body, headers = ENCODED[name]
    response = HtmlResponse("http://example.org/page", body=body, headers=headers)
    configuration = configure({"language": Given("German", "test")})
    assert raw_page(response).extract(configuration.options) == extract_response(response, configuration)


@pytest.mark.parametrize("blocks", [0, 1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE])
def test_an_extraction_comes_together_again(blocks: int) -> None:
    raw = RawPage("<title>T</title>" + f"<p>{ENGLISH}" * blocks, url="http://x/")
    extraction = raw.extract(make_options())
    pieces = [pickle.loads(pickle.dumps(piece)) for piece in split_extraction(extraction)]
    assert len(pieces) == 1 + -(-blocks // PIECE)
    joined = join_extraction(pieces)
    assert joined == extraction
    assert len(joined.blocks) == blocks
