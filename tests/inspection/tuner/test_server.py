"""The tuner's server as a stranger meets it, and as its own page does."""

import json
import os
import re
import socket
import tracemalloc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from twisted.internet.error import CannotListenError
from twisted.web.server import Request

from scrapy_justext.exceptions import InspectionError
from scrapy_justext.inspection.server import MOST_BYTES, listen
from scrapy_justext.inspection.tuner import Tuner
from tests.inspection.tuner.running import Running, Said, count_marks, inspected, layers, running

pytestmark = pytest.mark.full

ALL_PATHS = ("", "tuner.css", "tuner.js", "view.css", "view.js", "api/pages", "api/judge", "api/marks")
CHANGING = ("api/judge", "api/marks")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running([inspected()], tmp_path_factory.mktemp("marks") / "marks.jsonl") as started:
        yield started


def error(body: bytes) -> str:
    return str(json.loads(body)["error"])


def post(server: Running, below: str, body: bytes = b"{}", **headers: str | None) -> Said:
    """What the tuner's own page gets for a body.  ``headers``: in place of its own; None: without one."""
    changed = {name.replace("_", "-"): value for name, value in headers.items()}
    sent = {name: value for name, value in {**server.headers, **changed}.items() if value is not None}
    return server.ask(server.path(below), "POST", sent, body)


def head_of_post(server: Running, below: str, length: str) -> bytes:
    """The head of what the tuner's own page sends; ``length``: the header that tells how long the body is."""
    own = [f"{name}: {value}" for name, value in server.headers.items()]
    lines = [f"POST {server.path(below)} HTTP/1.1", f"Host: 127.0.0.1:{server.port}", *own, length]
    return "\r\n".join([*lines, "", ""]).encode()


class TestStrangers:
    @pytest.mark.parametrize(
        "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "localhost.:{port}", ""]
    )
    @pytest.mark.parametrize("path", ALL_PATHS)
    def test_another_host_is_refused(self, server: Running, host: str, path: str) -> None:
        method = "POST" if path in CHANGING else "GET"
        said = server.ask(server.path(path), method, {**server.headers, "Host": host.format(port=server.port)}, b"{}")
        assert said.status == 403
        assert b"address" in said.body

    def test_two_hosts_are_refused(self, server: Running) -> None:
        with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
            own = f"127.0.0.1:{server.port}"
            lines = f"GET {server.path()} HTTP/1.1\r\nHost: {own}\r\nHost: {own}\r\nConnection: close\r\n\r\n"
            connection.sendall(lines.encode())
            assert re.match(rb"HTTP/1.1 (400|403) ", connection.recv(100))

    def test_localhost_is_the_same_place(self, server: Running) -> None:
        assert server.ask(server.path(), headers={"Host": f"localhost:{server.port}"}).status == 200

    @pytest.mark.parametrize("path", ALL_PATHS)
    @pytest.mark.parametrize("token", ["", "x", "{token}x", "{token}/x", "{short}", "{upper}", "%s", "..", "\x7f"])
    def test_another_token_finds_nothing(self, server: Running, token: str, path: str) -> None:
        own = server.path().strip("/")
        other = token.format(token=own, short=own[:-1], upper=own.swapcase())
        for method in ("GET", "POST", "PUT"):
            said = server.ask(f"/{other}/{path}".replace("\x7f", "%7f"), method, server.headers, b"{}")
            assert (said.status, error(said.body)) == (404, "not found")

    def test_only_what_is_listed_is_there(self, server: Running) -> None:
        below = ["x", "api", "api/", "tuner.js/", "../", "%2e%2e/", "api/../tuner.js", "tuner.html"]
        beside = ["/", "/favicon.ico", "/robots.txt", "//", "/api/judge"]
        for path in [*beside, *map(server.path, below)]:
            assert server.ask(path).status == 404, path

    def test_tokens_are_long_and_never_the_same(self, tmp_path: Path) -> None:
        urls = set()
        for _ in range(2):
            with running([inspected()], tmp_path / "marks.jsonl") as started:
                urls.add(started.path())
                assert len(started.path().strip("/")) >= 43
        assert len(urls) == 2

    def test_it_listens_on_the_loopback_interface_alone(self, tmp_path: Path) -> None:
        listening: list[str] = []

        class Reactor:
            def listenTCP(self, port: int, site: object, *, interface: str) -> Any:  # noqa: N802
                listening.append(interface)
                raise CannotListenError(  # type: ignore[no-untyped-call]
                    interface, port, OSError(98, "Address already in use")
                )

        with pytest.raises(InspectionError):
            listen(Reactor(), Tuner([inspected()], layers(), tmp_path / "marks.jsonl"))
        assert listening == ["127.0.0.1"]


class TestOwnPage:
    @pytest.mark.parametrize("path", CHANGING)
    @pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH"])
    def test_nothing_changes_but_by_post(self, server: Running, path: str, method: str) -> None:
        assert server.ask(server.path(path), method, server.headers).status == 405

    @pytest.mark.parametrize("path", [path for path in ALL_PATHS if path not in CHANGING])
    def test_what_is_read_cannot_be_posted_to(self, server: Running, path: str) -> None:
        assert server.ask(server.path(path), "POST", server.headers, b"{}").status == 405
        assert server.ask(server.path(path), "HEAD").status == 200

    @pytest.mark.parametrize("path", CHANGING)
    @pytest.mark.parametrize(
        "origin", [None, "null", "http://evil.example", "http://127.0.0.1", "https://127.0.0.1:{port}",
                   "http://localhost:{port}"],
    )  # fmt: skip
    def test_another_origin_is_refused(self, server: Running, path: str, origin: str | None) -> None:
        said = post(server, path, Origin=origin and origin.format(port=server.port))
        assert (said.status, error(said.body)) == (403, "this server obeys its own page only")

    @pytest.mark.parametrize("path", CHANGING)
    @pytest.mark.parametrize(
        "kind",
        [None, "text/plain", "application/x-www-form-urlencoded", "text/plain;application/json", "application/jsonx"],
    )
    def test_another_content_type_is_refused(self, server: Running, path: str, kind: str | None) -> None:
        assert post(server, path, Content_Type=kind).status == 415

    def test_a_charset_may_stand_behind_the_type(self, server: Running) -> None:
        assert post(server, "api/judge", Content_Type="Application/JSON; charset=utf-8").status == 200

    @pytest.mark.parametrize(
        ("body", "said"),
        [
            *[(body, "must be JSON") for body in (b"", b"{", b"\xff", b"[" * 100_000)],
            *[(body, "must be a JSON object") for body in (b"[]", b'"x"')],
            (b'{"parameters": []}', ""),
            (b'{"parameters": [1]}', "parameters = [1]: must be an object"),
            (b'{"shown": 1}', "shown = 1: must be an object"),
            (b'{"pages": [1]}', "pages = [1]: must be numbers of 1 pages"),
            (b'{"pages": [true]}', "pages = [True]"),
            (b'{"pages": 0}', "pages = 0"),
            (b'{"profile": "justex"}', "JUSTEXT_PROFILE = 'justex': unknown profile; did you mean justext"),
            (b'{"languages": "Germn"}', "JUSTEXT_LANGUAGE = 'Germn': unknown language; did you mean German"),
            *[(b'{"languages": %s}' % value, "must be a language, a list of them") for value in (b"[]", b'{"a": 1}')],
            (b'{"parameters": {"length_hih": 1}}', "unknown parameter; did you mean length_high"),
            (b'{"parameters": {"drop_css": "p"}}', "unknown parameter"),
            (b'{"parameters": {"length_low": -1}}', "JUSTEXT_LENGTH_LOW = -1: must be a whole number of characters, 0"),
            (b'{"parameters": {"stopwords_low": NaN}}', "must be a number from 0 to 1"),
            (b'{"parameters": {"length_low": 300}}', "JUSTEXT_LENGTH_LOW = 300: must not be above length_high = 200"),
        ],
        ids=str,
    )
    def test_bad_values_get_the_library_s_own_message(self, server: Running, body: bytes, said: str) -> None:
        answer = post(server, "api/judge", body)
        assert answer.status == (400 if said else 200)
        assert not said or said in error(answer.body)

    @pytest.mark.parametrize(
        ("body", "said"),
        [
            ({"page": 0, "index": 0}, ""),
            ({"page": 1, "index": 0, "mark": "right"}, "pages = [1]"),
            ({"page": 0, "index": 99, "mark": "right"}, "index = 99: must be that of one of"),
            ({"page": 0, "index": -1, "mark": "right"}, "index = -1"),
            ({"page": 0, "index": True, "mark": "right"}, "index = True"),
            ({"page": 0, "index": 0, "mark": "maybe"}, "mark = 'maybe': must be right, wrong or null"),
            ({"page": 0, "index": 0, "mark": ["right"]}, "mark = ['right']"),
            ({}, "pages = [None]"),
        ],
        ids=str,
    )
    def test_bad_marks(self, server: Running, body: dict[str, Any], said: str) -> None:
        answer = post(server, "api/marks", json.dumps(body).encode())
        assert answer.status == (400 if said else 200)
        assert said in answer.body.decode()

    def test_a_body_without_end_is_refused(self, server: Running) -> None:
        assert post(server, "api/judge", b'{"profile": "' + b"x" * MOST_BYTES + b'"}').status == 413

    @pytest.mark.parametrize("chunked", [False, True])
    @pytest.mark.parametrize("below", ["../x/api/judge", "api/judge"], ids=["stranger", "own"])
    def test_a_huge_body_is_held_nowhere(self, server: Running, below: str, chunked: bool) -> None:
        size, part = 64 << 20, b" " * (1 << 16)
        head = head_of_post(server, below, "Transfer-Encoding: chunked" if chunked else f"Content-Length: {size}")
        sent = 0
        tracemalloc.start()
        with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
            connection.sendall(head)
            with suppress(ConnectionError):
                while sent < size:
                    connection.sendall(b"%x\r\n%s\r\n" % (len(part), part) if chunked else part)
                    sent += len(part)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 4 * MOST_BYTES
        # It was not even listened to.
        assert sent < size

    def test_what_a_stranger_sends_is_not_kept_until_it_is_refused(
        self, server: Running, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        kept: list[bytes] = []
        monkeypatch.setattr(Request, "handleContentChunk", lambda _, data: kept.append(data))
        for path, headers in (
            ("/x/api/judge", server.headers),
            (server.path("api/judge"), {**server.headers, "Origin": "http://evil.example"}),
            (server.path("api/judge"), {**server.headers, "Host": "evil.example"}),
        ):
            assert server.ask(path, "POST", headers, b"{}").status in (403, 404)
        assert kept == []

    @pytest.mark.parametrize("path", ["", "tuner.js", "api/pages", "nothing", "api/judge"])
    def test_every_answer_is_guarded(self, server: Running, path: str) -> None:
        headers = server.ask(server.path(path)).headers
        policy = headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self' 'sha256-")
        for directive in ("base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "connect-src 'self'"):
            assert directive in policy
        assert "unsafe" not in policy
        guards = ("X-Content-Type-Options", "Referrer-Policy", "Cache-Control", "Cross-Origin-Resource-Policy")
        assert [headers[name] for name in guards] == ["nosniff", "no-referrer", "no-store", "same-origin"]
        assert "Access-Control-Allow-Origin" not in headers

    def test_no_markup_runs_a_script(self, server: Running) -> None:
        page = server.ask(server.path()).body.decode()
        assert re.findall(r"<script[^>]*>[^<]", page) == []
        assert re.findall(r"\son\w+=|\sstyle=|javascript:", page) == []
        paths = re.findall(r'(?:src|href)="(\w[^":]+)"', page)
        assert {server.ask(server.path(path)).status for path in paths} == {200}


class TestMarks:
    def test_sliders_do_not_wait_for_the_disk_and_marks_wait_for_each_other(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = tmp_path / "marks.jsonl"
        is_writing, may_write = Event(), Event()
        written: list[int] = []
        sync = os.fsync

        def slow(descriptor: int) -> None:
            written.append(descriptor)
            is_writing.set()
            assert may_write.wait(20)
            sync(descriptor)

        with running([inspected()], path) as server, ThreadPoolExecutor(8) as clients:
            monkeypatch.setattr(os, "fsync", slow)

            def mark(index: int) -> int:
                return post(server, "api/marks", b'{"page": 0, "index": %d, "mark": "right"}' % index).status

            marks = [clients.submit(mark, index) for index in range(8)]
            assert is_writing.wait(20)
            assert post(server, "api/judge").status == 200
            assert len(written) == 1
            may_write.set()
            assert [marked.result(20) for marked in marks] == [200] * 8
        assert list(count_marks(path).values()) == [8]

    def test_who_goes_away_leaves_the_mark(self, tmp_path: Path) -> None:
        path = tmp_path / "marks.jsonl"
        with running([inspected()], path) as server:
            body = b'{"page": 0, "index": 0, "mark": "right"}'
            with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
                connection.sendall(head_of_post(server, "api/marks", f"Content-Length: {len(body)}") + body)
            while not path.exists():
                assert server.ask(server.path()).status == 200
        assert list(count_marks(path).values()) == [1]
