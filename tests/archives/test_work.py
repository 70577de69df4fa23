"""From a record to its row, as a crawl would have it: charsets, chunks, compression, reasons."""

import gzip
import zlib
from collections.abc import Callable
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any

import brotli
import pytest
from scrapy.http import HtmlResponse

from scrapy_justext.archives.output import RunProgress
from scrapy_justext.archives.records import BEGINNING, ArchivedPage, InputPosition, Location, Record, page_record
from scrapy_justext.archives.work import (
    BYTES,
    RECORDS,
    ChunkResult,
    RecordExtractor,
    RecordsResult,
    Trouble,
    decompress,
    join_chunks,
    make_chunks,
)
from scrapy_justext.compression import zstd
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


# The body of the response that a crawl would have seen.

RUSSIAN = "Все счастливые семьи похожи друг на друга, каждая несчастливая семья несчастлива по-своему. " * 4


@pytest.mark.parametrize("charset", ["koi8-r", "windows-1251", "utf-8", "utf-16"])
def test_the_charset_is_that_of_the_header_and_without_one_the_bytes_tell(charset: str) -> None:
    declared = headers(Content_Type=f"text/html; charset={charset}")
    undeclared = [] if charset == "utf-16" else [headers(), headers(Content_Type="text/html")]
    for sent in (declared, *undeclared):
        archived = ArchivedPage("https://example.org/", f"<p>{RUSSIAN}".encode(charset), headers=sent)
        assert paragraphs(archived) == [RUSSIAN.strip()]


def test_text_is_decoded_already() -> None:
    text = f"<meta charset=koi8-r>{page(1)} Счастье."
    archived = ArchivedPage("https://example.org/", text, headers=headers(Content_Type="text/html; charset=latin-1"))
    assert paragraphs(archived)[0].endswith("Счастье.")


COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": partial(brotli.compress, quality=1),
    "zstd": zstd.compress,
    "gzip, br": lambda body: brotli.compress(gzip.compress(body), quality=1),
}


@pytest.mark.parametrize("encoding", COMPRESS)
def test_bodies_are_unpacked(encoding: str) -> None:
    expected = paragraphs(ArchivedPage(None, BODY))
    sent = headers(Content_Type="text/html", Content_Encoding=encoding)
    assert paragraphs(ArchivedPage(None, COMPRESS[encoding](BODY), headers=sent)) == expected
    # The archive unpacked it and kept the header.
    assert paragraphs(ArchivedPage(None, BODY, headers=sent)) == expected


@pytest.mark.parametrize(
    ("sizes", "counts"),
    [
        ([1] * (RECORDS + 1), [RECORDS, 1]),
        ([BYTES - 1, 1, 1], [2, 1]),
        ([BYTES - 2, 1, 1], [3]),
        ([2 * BYTES, 1], [1, 1]),
        ([], []),
    ],
    ids=["records", "bytes", "fewer bytes", "one record", "none"],
)  # fmt: skip
def test_a_chunk_ends_by_its_records_or_bytes(sizes: list[int], counts: list[int]) -> None:
    records = [Record(Location("a.warc", place), "corrupt", size) for place, size in enumerate(sizes)]
    chunks = list(make_chunks((record, InputPosition(skip=place)) for place, record in enumerate(records, 1)))
    assert [len(chunk.records) for chunk in chunks] == counts
    assert [chunk.behind.skip for chunk in chunks] == [*accumulate(counts)]


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd"])
def test_a_bomb_is_not_unpacked(encoding: str) -> None:
    bomb = COMPRESS[encoding](b"<p>" + bytes(3_000_000))
    assert 100_000 < len(decompress(bomb, encoding, 100_000)) < 1_000_000
    sent = headers(Content_Type="text/html", Content_Encoding=encoding)
    assert extract(ArchivedPage(None, bomb, headers=sent), max_body_bytes=100_000) == "too_large"


def test_raw_deflate_and_bodies_that_were_cut_off() -> None:
    raw = zlib.compressobj(wbits=-15)
    assert decompress(raw.compress(BODY) + raw.flush(), "deflate", 1 << 20) == BODY
    assert BODY.startswith(decompress(gzip.compress(BODY)[:-60], "gzip", 1 << 20))
    assert join_chunks(b"5\r\nHello\r\n6\r\n, wo") == b"Hello, wo"


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
def test_a_body_of_several_members_is_read_whole(encoding: str) -> None:
    packed = b"".join(map(COMPRESS[encoding], (BODY[:100], BODY[100:])))
    assert decompress(packed, encoding, 1 << 20) == BODY
    assert decompress(packed + b"garbage", encoding, 1 << 20) == BODY
    assert BODY.startswith(decompress(packed[:-9], encoding, 1 << 20))


def test_chunks_are_joined_before_they_are_unpacked() -> None:
    packed = gzip.compress(BODY)
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (packed[:50], packed[50:])) + b"0\r\n\r\n"
    sent = headers(Content_Type="text/html", Transfer_Encoding="chunked", Content_Encoding="gzip")
    assert paragraphs(ArchivedPage(None, chunks, headers=sent)) == paragraphs(ArchivedPage(None, BODY))
