"""The bundled site."""

import gzip
import socket
import struct
import threading
import zlib
from collections.abc import Iterator, Mapping
from http.client import HTTPConnection
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest
from demo_site.chronicle import chronicle
from demo_site.server import FILES, PAGES, DemoSite, answer

from scrapy_justext import extract


class Got(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: bytes


@pytest.fixture(scope="module")
def site() -> Iterator[DemoSite]:
    with DemoSite() as served:
        yield served


def get(site: DemoSite, path: str, method: str = "GET") -> Got:
    """What the site sends; the path goes out as it is."""
    parts = urlsplit(site.url)
    connection = HTTPConnection(parts.hostname or "", parts.port, timeout=10)
    try:
        connection.request(method, path)
        response = connection.getresponse()
        return Got(response.status, dict(response.headers), response.read())
    finally:
        connection.close()


def test_a_page_is_sent_as_it_is_whatever_its_query_on_loopback(site: DemoSite) -> None:
    got = get(site, "/")
    assert got.status == 200
    assert got.headers["Content-Type"] == "text/html; charset=utf-8"
    assert got.body == (PAGES / "index.html").read_bytes()
    assert get(site, "/search.html?q=bread").body == get(site, "/search.html").body
    assert urlsplit(site.url).hostname == "127.0.0.1"


def test_every_file_is_served_and_head_sends_no_body(site: DemoSite) -> None:
    assert len([path for path in FILES if path.endswith((".html", "/"))]) >= 30
    assert {path for path in FILES if answer(path).status != 200} == set()
    head, got = get(site, "/", "HEAD"), get(site, "/")
    assert (head.status, head.body) == (200, b"")
    assert head.headers["Content-Length"] == got.headers["Content-Length"]


@pytest.mark.parametrize("path", ["/nothing.html", "/news", "/static/", "/index.html"])
def test_what_is_not_there_is_404(site: DemoSite, path: str) -> None:
    got = get(site, path)
    assert got.status == 404
    assert b"There is no such page" in got.body


@pytest.mark.parametrize(
    "path",
    [
        "/../server.py", "/../../scrapy.cfg", "/news/../../server.py", "/%2e%2e/server.py", "/..%2fserver.py",
        "/static/..%2f..%2fserver.py", "//etc/passwd", "/..\\server.py", "/index.html%00.txt",
    ],
)  # fmt: skip
def test_no_path_leads_out_of_the_folder(site: DemoSite, path: str) -> None:
    got = get(site, path)
    assert got.status == 404
    assert b"import" not in got.body


def test_one_page_is_gzipped_and_one_has_an_encoding_that_only_the_header_tells(site: DemoSite) -> None:
    got = get(site, "/es/recetas/lentejas-de-la-abuela.html")
    assert got.headers["Content-Encoding"] == "gzip"
    assert int(got.headers["Content-Length"]) == len(got.body)
    assert gzip.decompress(got.body) == (PAGES / "es/recetas/lentejas-de-la-abuela.html").read_bytes()
    got = get(site, "/ru/arhiv/pochta.html")
    assert got.headers["Content-Type"] == "text/html; charset=windows-1251"
    assert b"charset" not in got.body.lower()
    with pytest.raises(UnicodeDecodeError):
        got.body.decode()
    assert extract(got.body, encoding="windows-1251").language == "ru"


def test_the_special_answers(site: DemoSite) -> None:
    moved = get(site, "/harbour")
    assert (moved.status, moved.headers["Location"], moved.body) == (301, "/news/harbour-bridge.html", b"")
    assert get(site, moved.headers["Location"]).status == 200
    assert get(site, "/status/broken").status == 500
    tides = get(site, "/api/tides.json")
    assert (tides.headers["Content-Type"], tides.body[:1]) == ("application/json", b"{")
    assert extract(get(site, "/blank.html").body).text == ""


def test_the_image_is_one_and_the_huge_page_is_huge(site: DemoSite) -> None:
    got = get(site, "/static/dot.png")
    assert got.headers["Content-Type"] == "image/png"
    assert got.body.startswith(b"\x89PNG\r\n\x1a\n")
    length, kind = struct.unpack(">I4s", got.body[8:16])
    (checksum,) = struct.unpack(">I", got.body[16 + length : 20 + length])
    assert (kind, checksum) == (b"IHDR", zlib.crc32(got.body[12 : 16 + length]))
    got = get(site, "/chronicle.html")
    assert len(got.body) > 2_000_000
    assert got.body == chronicle()
    paragraphs = [line for line in got.body.splitlines() if line.startswith(b"<p>")]
    assert len(paragraphs) == len(set(paragraphs)) > 5000


def test_a_stopped_site_is_gone() -> None:
    before = set(threading.enumerate())
    site = DemoSite()
    address = ("127.0.0.1", urlsplit(site.url).port)
    site.start()
    assert get(site, "/").status == 200
    site.stop()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(address, timeout=5)
    for thread in set(threading.enumerate()) - before:
        # The last answer may still be on its way out of the process.
        thread.join(5)
    assert set(threading.enumerate()) <= before
    site.stop()


def test_sites_have_ports_of_their_own_and_can_be_stopped_before_they_start() -> None:
    site = DemoSite()
    site.stop()
    port = urlsplit(site.url).port if site._server.socket.fileno() >= 0 else None
    assert port is None
    with DemoSite() as first, DemoSite() as other:
        assert first.url != other.url
        assert get(first, "/").status == get(other, "/").status == 200
