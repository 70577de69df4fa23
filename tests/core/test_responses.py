"""Responses as pages: whose tree is used, and when their encoding is not believed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from parsel import Selector
from scrapy.http import HtmlResponse, TextResponse, XmlResponse

from scrapy_justext import extract
from scrapy_justext.core.encodings import choose_encoding, stated_encoding
from scrapy_justext.exceptions import PageError

URL = "http://example.org/page"
TEXT = "Die Brücke über die Elbe wurde im Jahr 1848 gebaut, und sie ist bis heute die längste der Stadt. " * 4
DECLARED = f"<meta charset=windows-1252><title>Brücke</title><p>{TEXT}"
HEADER = {"Content-Type": "text/html; charset=windows-1252"}
PLAIN_HEADER = {"Content-Type": "text/html"}


def test_the_tree_of_the_response_is_used() -> None:
    response = HtmlResponse(URL, body=f"<p>{TEXT}".encode(), encoding="utf-8")
    [paragraph] = response.css("p")
    paragraph.root.text = "changed"
    assert [block.text for block in extract(response).blocks] == ["changed"]


def test_the_address_of_the_response_is_the_page_s_unless_one_is_given() -> None:
    response = HtmlResponse(URL, body=b"<p>one")
    assert extract(response).url == URL
    assert extract(response, url="http://example.org/").url == "http://example.org/"


def test_text_that_is_no_html_to_its_response_is_parsed() -> None:
    for kind in (TextResponse, XmlResponse):
        response = kind(URL, body=f"<p>{TEXT}".encode("cp1252"), encoding="cp1252")
        assert extract(response).blocks == extract(f"<p>{TEXT}").blocks


CASES = [
    ("UTF-8 behind a wrong declaration", DECLARED.encode(), {}, "utf-8"),
    ("a header without an encoding", DECLARED.encode(), PLAIN_HEADER, "utf-8"),
    ("a right declaration", DECLARED.encode("cp1252"), {}, "cp1252"),
    ("an HTTP header", DECLARED.encode(), HEADER, "cp1252"),
    ("a byte order mark", b"\xff\xfe" + DECLARED.encode("utf-16-le"), {}, "utf-16-le"),
    ("ASCII", DECLARED.encode("ascii", "xmlcharrefreplace"), {}, "cp1252"),
    ("no declaration", TEXT.encode(), {}, "utf-8"),
    ("one byte that is no UTF-8", DECLARED.encode() + b"\xff", {}, "cp1252"),
]


@pytest.mark.parametrize(("body", "headers", "encoding"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_declaration_that_the_bytes_contradict_is_not_believed(
    body: bytes, headers: dict[str, str], encoding: str
) -> None:
    response = HtmlResponse(URL, body=body, headers=headers)
    assert choose_encoding(body, stated_encoding(response)).name == extract(response).encoding == encoding
    is_readable = encoding != "cp1252" or body == DECLARED.encode("cp1252")
    if b"<title>" in body and is_readable:
        assert extract(response).title == "Brücke"


def test_an_encoding_that_the_user_gave_to_the_response_is_believed() -> None:
    response = HtmlResponse(URL, body=DECLARED.encode(), encoding="latin2")
    found = extract(response)
    assert (found.encoding, found.encoding_source) == ("iso8859-2", "given")
    assert extract(response.replace(status=201)) == found


def test_an_encoding_that_pages_cannot_be_read_by_is_an_error() -> None:
    with pytest.raises(PageError, match="encoding = 'unicode_escape': no encoding of text"):
        extract(HtmlResponse(URL, body=DECLARED.encode(), encoding="unicode_escape"))


def test_a_copy_of_a_response_is_read_like_it() -> None:
    for body in (
        DECLARED.encode(),
        DECLARED.encode("cp1252"),
        DECLARED.replace("windows-1252", "unicode_escape").encode(),
    ):
        response = HtmlResponse(URL, body=body)
        found = extract(response)
        assert found.title == "Brücke"
        assert extract(response.replace(status=201)) == found


def test_what_a_response_guesses_of_its_bytes_is_not_believed() -> None:
    class Guessing(HtmlResponse):
        """A response of an older Scrapy."""

        def _body_inferred_encoding(self) -> str:
            return "cp1252"

    russian = "В городе говорили, что старый мост стоял здесь ещё до того, как были построены дома. " * 3
    for encoding in ("cp1251", "utf-8"):
        response = Guessing(URL, body=f"<p>{russian}".encode(encoding))
        assert response.encoding == "cp1252"
        assert extract(response).paragraphs == [russian.strip()]
        assert extract(response).encoding == encoding


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (f"<meta charset=x-cp1251><p>{TEXT}".encode("cp1251", "replace") + b"\xff", {}),
        (f"<p>{TEXT}".encode("cp1252"), {"Content-Type": "text/html; charset=x-cp1252"}),
        (f"<p>{TEXT}".encode("cp1252"), {}),
        (f"<p>{TEXT}ü".encode()[:-1], {}),
    ],
    ids=["a label that Scrapy does not know", "one in a header", "no label", "UTF-8 that is cut"],
)
def test_a_response_is_not_made_to_guess(body: bytes, headers: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    def guess(self: TextResponse, body: bytes) -> str:
        raise AssertionError("an encoding is guessed")

    response = HtmlResponse(URL, body=body, headers=headers)
    with monkeypatch.context() as patched:
        patched.setattr(TextResponse, "_auto_detect_fun", guess)
        found = extract(response)
    assert found.blocks[0].text.startswith("Die Br")


def test_the_encoding_of_a_response_of_any_other_kind_is_believed() -> None:
    @dataclass
    class Plain:
        body: bytes
        encoding: str
        selector: Any = None

    found = extract(Plain("<p>Žluťoučký kůň".encode("cp1250"), "cp1250", Selector("{}", type="json")))
    assert found.blocks[0].text == "Žluťoučký kůň"
    assert found.encoding_source == "given"
