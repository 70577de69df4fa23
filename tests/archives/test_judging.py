"""From a record to its row: as a crawl would have it."""

from __future__ import annotations

import gzip
import zlib
from typing import TYPE_CHECKING, Any

import brotli
import pytest
import zstandard
from scrapy.http import HtmlResponse

from scrapy_justext.archives.records import Document, Loaded, Where, join_chunks, unpack
from scrapy_justext.archives.work import Judge, Row
from scrapy_justext.crawl.pages import extract_response
from scrapy_justext.crawl.settings import Given, configure, make_layers
from tests.archives.making import page
from tests.builders import DEMO_PAGES, page_id

if TYPE_CHECKING:
    from pathlib import Path

BODY = page(1).encode()


def judge(document: Document, **settings: Any) -> Row | str:
    given = {name: Given(value, name) for name, value in settings.items()}
    return Judge(make_layers(given, {})).judge(Loaded(Where("a.warc", 0), document))


def paragraphs(document: Document, **settings: Any) -> list[str]:
    row = judge(document, **settings)
    assert isinstance(row, Row), row
    return row.page.extraction.paragraphs


def headers(**values: str) -> tuple[tuple[bytes, bytes], ...]:
    return tuple((name.replace("_", "-").encode(), value.encode("latin-1")) for name, value in values.items())


@pytest.mark.parametrize("path", DEMO_PAGES[::4], ids=page_id)
def test_a_page_is_extracted_as_in_a_crawl(path: Path) -> None:
    address = "https://example.org/page"
    sent = {"Content-Type": "text/html; charset=utf-8", "Content-Language": "de"}
    pairs = tuple((name.encode(), value.encode()) for name, value in sent.items())
    document = Document(address, path.read_bytes(), headers=pairs)
    row = judge(document)
    expected = extract_response(HtmlResponse(address, headers=sent, body=path.read_bytes()), configure({}))
    assert isinstance(row, Row)
    assert row.page.extraction == expected


@pytest.mark.parametrize("charset", ["koi8-r", "utf-16", "windows-1251"])
def test_the_charset_is_that_of_the_header(charset: str) -> None:
    text = "Все счастливые семьи похожи друг на друга, каждая несчастливая семья несчастлива по-своему. " * 4
    body = f"<p>{text}".encode(charset)
    document = Document("https://example.org/", body, headers=headers(Content_Type=f"text/html; charset={charset}"))
    assert paragraphs(document) == [text.strip()]


def test_text_is_decoded_already() -> None:
    text = f"<meta charset=koi8-r>{page(1)} Счастье."
    document = Document("https://example.org/", text, headers=headers(Content_Type="text/html; charset=latin-1"))
    assert paragraphs(document)[0].endswith("Счастье.")


ENCODINGS = {
    "gzip": gzip.compress(BODY),
    "x-gzip": gzip.compress(BODY),
    "deflate": zlib.compress(BODY),
    "br": brotli.compress(BODY),
    "zstd": zstandard.compress(BODY),
    "gzip, br": brotli.compress(gzip.compress(BODY)),
}


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_bodies_are_unpacked(encoding: str) -> None:
    expected = paragraphs(Document(None, BODY))
    sent = headers(Content_Type="text/html", Content_Encoding=encoding)
    assert paragraphs(Document(None, ENCODINGS[encoding], headers=sent)) == expected
    # The archive unpacked it and kept the header.
    assert paragraphs(Document(None, BODY, headers=sent)) == expected


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd"])
def test_a_bomb_is_not_unpacked(encoding: str) -> None:
    zeros = b"<p>" + bytes(3_000_000)
    bombs = {
        "gzip": gzip.compress(zeros),
        "deflate": zlib.compress(zeros),
        "br": brotli.compress(zeros, quality=1),
        "zstd": zstandard.compress(zeros),
    }
    assert 100_000 < len(unpack(bombs[encoding], encoding, 100_000)) < 1_000_000
    sent = headers(Content_Type="text/html", Content_Encoding=encoding)
    assert judge(Document(None, bombs[encoding], headers=sent), max_body_bytes=100_000) == "too_large"


def test_raw_deflate_and_bodies_that_were_cut_off() -> None:
    raw = zlib.compressobj(wbits=-15)
    assert unpack(raw.compress(BODY) + raw.flush(), "deflate", 1 << 20) == BODY
    assert BODY.startswith(unpack(gzip.compress(BODY)[:-60], "gzip", 1 << 20))
    assert join_chunks(b"5\r\nHello\r\n6\r\n, wo") == b"Hello, wo"


def test_chunks_are_joined_before_they_are_unpacked() -> None:
    packed = gzip.compress(BODY)
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (packed[:50], packed[50:])) + b"0\r\n\r\n"
    sent = headers(Content_Type="text/html", Transfer_Encoding="chunked", Content_Encoding="gzip")
    assert paragraphs(Document(None, chunks, headers=sent)) == paragraphs(Document(None, BODY))


SKIPPED: dict[str, tuple[Document, dict[str, Any], str]] = {
    "redirect": (Document(None, BODY, 301, headers(Content_Type="text/html")), {}, "redirect"),
    "error": (Document(None, BODY, 404, headers(Content_Type="text/html")), {}, "status"),
    "image": (Document(None, b"\x89PNG", headers=headers(Content_Type="image/png")), {}, "not_html"),
    "JSON": (Document(None, b"{}", headers=headers(Content_Type="application/json")), {}, "not_html"),
    "plain text": (Document(None, BODY, headers=headers(Content_Type="text/plain")), {}, "not_html"),
    "empty": (Document(None, b" "), {}, "empty"),
    "binary": (Document(None, bytes(range(20)) * 9), {}, "binary"),
    "large": (Document(None, BODY), {"max_body_bytes": 100}, "too_large"),
    "site": (Document("https://www.example.org/", BODY), {"sites": {"example.org": {"enabled": False}}}, "site"),
}


@pytest.mark.parametrize("case", SKIPPED)
def test_what_is_no_page_is_named_as_in_a_crawl(case: str) -> None:
    document, settings, reason = SKIPPED[case]
    assert judge(document, **settings) == reason


def test_an_error_page_can_be_asked_for() -> None:
    document = Document(None, BODY, 404, headers(Content_Type="text/html"))
    assert paragraphs(document, extra_statuses="404") == paragraphs(Document(None, BODY))


def test_sites_have_their_own_settings() -> None:
    sites = {"example.org": {"profile": "boilerpipe"}}
    for address, profile in {"https://www.example.org/": "boilerpipe", "https://[oops": "justext"}.items():
        row = judge(Document(address, BODY), sites=sites)
        assert isinstance(row, Row)
        assert row.page.extraction.profile == profile


@pytest.mark.parametrize(("drop", "is_wanted"), [("item", False), ("response", False), ("none", True)])
def test_pages_without_good_content_are_wanted_when_nothing_is_dropped(drop: str, is_wanted: bool) -> None:
    row = judge(Document(None, b"<p>Home"), drop=drop)
    assert isinstance(row, Row)
    assert row.is_wanted is is_wanted
