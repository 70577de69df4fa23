"""The extractor that asks a service, against a server of this test's own on the loopback interface."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from scrapy_justext.evaluation.datasets.documents import Document
from scrapy_justext.evaluation.extractors import http
from scrapy_justext.evaluation.extractors.names import find_extractor
from scrapy_justext.exceptions import ExtractorError, ParameterError
from tests.evaluation.service import Answer, Service, serve
from tests.evaluation.sets import make_document

Start = Callable[..., Service]


@pytest.fixture
def start() -> Iterator[Start]:
    with ExitStack() as services:
        yield lambda *answers: services.enter_context(serve(*answers))


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "BACK_OFF", 0.05)


class TestRequest:
    def test_the_page_is_sent_as_it_is(self, start: Start) -> None:
        service = start(Answer(body=b"text"))
        page = "<p>\u00e9</p>".encode("latin-1")
        document = Document("1", page, "iso8859-1", "declared", 1.0, "", url="http://example.org/a?b")
        assert find_extractor(f"{service.url}?mode=fast")(document, "German") == "text"
        [call] = service.calls
        assert call.path == "/extract?mode=fast"
        assert call.body == page
        assert call.headers["Content-Type"] == "text/html; charset=iso8859-1"
        assert call.headers["Content-Language"] == "de"
        assert call.headers["Content-Location"] == "http://example.org/a?b"

    def test_what_is_not_known_is_not_said(self, start: Start) -> None:
        service = start(Answer())
        find_extractor(service.url)(make_document(url="http://example.org/\r\nX: y"), None)
        assert not {"Content-Language", "Content-Location", "X"} & set(service.calls[0].headers)


ANSWERS = {
    "text": ("", Answer(body="Gr\u00fc\u00dfe\nzwei".encode()), "Gr\u00fc\u00dfe\nzwei"),
    "text in another encoding": (
        "",
        Answer(body=b"Gr\xfc\xdfe", content_type="text/plain; charset=latin-1"),
        "Gr\u00fc\u00dfe",
    ),
    "text without an encoding": ("", Answer(body="\u00e9".encode(), content_type="text/plain"), "\u00e9"),
    "no text": ("", Answer(), ""),
    "JSON": ("#json=text", Answer(body=b'{"text": "So it goes."}'), "So it goes."),
    "a path in JSON": ("#json=data.0.text", Answer(body=b'{"data": [{"text": "a"}, {"text": "b"}]}'), "a"),
    "null in JSON": ("#json=text", Answer(body=b'{"text": null}'), ""),
    "a number as a name": ("#json=7", Answer(body=b'{"7": "seven"}'), "seven"),
}


@pytest.mark.parametrize(("options", "answer", "text"), ANSWERS.values(), ids=ANSWERS)
def test_answers(start: Start, options: str, answer: Answer, text: str) -> None:
    assert find_extractor(start(answer).url + options)(make_document(), None) == text


BAD_ANSWERS = {
    "no JSON": ("#json=text", Answer(body=b"<html>"), "the answer is not JSON: Expecting value"),
    "no such name": ("#json=data.text", Answer(body=b'{"data": {}}'), "the answer has no data.text"),
    "no such place": ("#json=3", Answer(body=b"[1]"), "the answer has no 3"),
    "a name in a list": ("#json=text", Answer(body=b"[1]"), "the answer has no text"),
    "a name in a text": ("#json=a.b", Answer(body=b'{"a": "b"}'), "the answer has no a.b"),
    "a number for the text": ("#json=a", Answer(body=b'{"a": 1}'), "a in the answer is no text: int"),
    "an encoding that does not exist": ("", Answer(body=b"x", content_type="text/plain; charset=klingon"), "klingon"),
    "a status that stays": ("", Answer(status=404), "status 404 Not Found"),
    "a redirect": ("", Answer(status=302, headers=(("Location", "/other"),)), "status 302 Found"),
}


@pytest.mark.parametrize(("options", "answer", "message"), BAD_ANSWERS.values(), ids=BAD_ANSWERS)
def test_bad_answers_are_not_asked_for_again(start: Start, options: str, answer: Answer, message: str) -> None:
    service = start(answer)
    with pytest.raises((ExtractorError, LookupError)) as caught:
        find_extractor(service.url + options)(make_document(), None)
    assert message in str(caught.value)
    assert len(service.calls) == 1


class TestRetries:
    def test_a_passing_status_is_tried_again(self, start: Start) -> None:
        service = start(Answer(status=503), Answer(status=500), Answer(body=b"at last"))
        assert find_extractor(service.url)(make_document(), None) == "at last"
        first, second, third = service.calls
        assert second.time - first.time >= 0.05
        assert third.time - second.time >= 0.1

    def test_in_the_end_the_status_is_kept(self, start: Start) -> None:
        service = start(Answer(status=500))
        with pytest.raises(ExtractorError, match=r"/extract: status 500 Internal Server Error$"):
            find_extractor(service.url + "#retries=1")(make_document(), None)
        assert len(service.calls) == 2

    def test_a_slow_answer_is_given_up(self, start: Start) -> None:
        service = start(Answer(body=b"late", delay=20.0), Answer(body=b"in time"))
        assert find_extractor(service.url + "#timeout=1")(make_document(), None) == "in time"

    def test_slow_answers_only(self, start: Start) -> None:
        service = start(Answer(delay=1.0))
        with pytest.raises(ExtractorError, match=r"no answer in 0\.2 s"):
            find_extractor(service.url + "#timeout=0.2&retries=0")(make_document(), None)

    def test_nobody_there(self) -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            port = taken.getsockname()[1]
        with pytest.raises(ExtractorError, match=r"no connection: .*refused"):
            find_extractor(f"http://127.0.0.1:{port}/#retries=1")(make_document(), None)

    def test_an_answer_that_breaks_off(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:

            def answer() -> None:
                stream, _ = server.accept()
                with stream:
                    stream.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
                    stream.shutdown(socket.SHUT_WR)
                    # Closed with bytes that nobody read, the connection would be reset, and the half answer lost.
                    while stream.recv(65536):
                        pass

            thread = threading.Thread(target=answer)
            thread.start()
            with pytest.raises(ExtractorError, match="the connection broke: IncompleteRead"):
                find_extractor(f"http://127.0.0.1:{server.getsockname()[1]}/#retries=0")(make_document(), None)
            thread.join()


class TestNames:
    def test_options(self) -> None:
        made = http.make_http("https://example.org/x?y=1#json=data.text&timeout=2.5&retries=0")
        assert (made.url, made.path, made.timeout, made.retries) == (
            "https://example.org/x?y=1",
            ("data", "text"),
            2.5,
            0,
        )
        assert made.name == "https://example.org/x?y=1#json=data.text&timeout=2.5&retries=0"

    @pytest.mark.parametrize(
        "name",
        [
            "http://",
            "http:///path",
            "http://host:port/",
            "http://[::1/",
            "http://[::1/#json=a",
            "http://host/#text",
            "http://host/#xml=a",
            "http://host/#json=",
            "http://host/#json=a..b",
            "http://host/#timeout=0",
            "http://host/#timeout=inf",
            "http://host/#timeout=soon",
            "http://host/#retries=-1",
            "http://host/#retries=1.5",
        ],
    )
    def test_addresses_that_are_none(self, name: str) -> None:
        with pytest.raises(ParameterError, match="must be an address such as http://"):
            find_extractor(name)


def test_the_answer_may_be_long(start: Start) -> None:
    text = "word " * 400_000
    service = start(Answer(body=json.dumps({"text": text}).encode()))
    assert find_extractor(service.url + "#json=text")(make_document("x" * 1_000_000), None) == text
    assert len(service.calls[0].body) == 1_000_000
