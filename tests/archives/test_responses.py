"""From a page as an archive has it to the response that a crawl would have seen: charsets, chunks, compression."""

import gzip
import zlib
from collections.abc import Callable
from functools import partial

import brotli
import pytest

from scrapy_justext.archives.records import ArchivedPage
from scrapy_justext.archives.work import decompress, join_chunks
from scrapy_justext.compression import zstd
from tests.archives.making import page
from tests.archives.running import extract, headers, paragraphs

BODY = page(1).encode()


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
