"""Which responses are cleaned, how they are read, and why pages have no good content: what crawls say less well."""

from typing import Any

import pytest
from lxml import etree
from scrapy.http import HtmlResponse, JsonResponse, Response, TextResponse, XmlResponse

from scrapy_justext import Extraction, extract
from scrapy_justext.crawl.pages import explain_no_content, is_binary, is_html, skip_reason
from scrapy_justext.crawl.settings import configure, from_mapping
from tests.builders import extract_response, prose
from tests.crawl.content import GERMAN, GOOD_PAGE, page

URL = "http://example.org/"


def response(
    body: str | bytes = GOOD_PAGE,
    response_class: type[TextResponse] | None = None,
    content_type: str | None = None,
    **values: Any,
) -> TextResponse:
    headers = {} if content_type is None else {"Content-Type": content_type}
    data = body.encode() if isinstance(body, str) else body
    return (response_class or TextResponse)(URL, body=data, headers={**headers, **values.pop("headers", {})}, **values)


def reason(answer: Response, **settings: Any) -> str | None:
    return skip_reason(None, answer, configure(from_mapping(settings, "test")))


HTML: dict[str, tuple[TextResponse, bool]] = {
    "class": (response("hello", HtmlResponse), True),
    "class, and another type": (response("hello", HtmlResponse, "text/plain"), True),
    "type": (response("hello", TextResponse, "text/html"), True),
    "type with a charset": (response("hello", TextResponse, "TEXT/HTML; charset=utf-8"), True),
    "xhtml": (response("hello", XmlResponse, "application/xhtml+xml"), True),
    "markup": (response("<!DOCTYPE html><p>"), True),
    "markup in capitals": (response("<!DOCTYPE HTML PUBLIC '...'><p>"), True),
    "markup without a doctype": (response("<html lang=en><p>"), True),
    "markup behind white space": (response(" \n\t<html>"), True),
    "markup behind a comment": (response("<!-- <rss> -->\n<!-- more --><html>"), True),
    "markup behind a declaration": (response('<?xml version="1.0"?>\n<?xsl a?><html>', XmlResponse), True),
    "markup behind a byte order mark": (response("\ufeff<html>", encoding="utf-8"), True),
    "plain text": (response("<!DOCTYPE html>", TextResponse, "text/plain"), False),
    "json": (response('{"a": "<html>"}', JsonResponse, "application/json"), False),
    "feed": (response("<rss><html></html></rss>", XmlResponse, "application/xml"), False),
    "other name": (response("<htmlx>"), False),
    "fragment": (response("<p>Hello"), False),
    "late": (response("x <html>"), False),
    "markup behind many comments": (response("<!---->" * 200 + "<html>"), True),
    "text behind many comments": (response("<!---->" * 200 + "x"), False),
    "text behind many declarations": (response("<??>" * 200 + "x"), False),
    "empty": (response(""), False),
    "markup in UTF-16 with a mark": (response("\ufeff<html>".encode("utf-16-be")), True),
    "markup in UTF-32 with a mark": (response("<html>".encode("utf-32")), True),
    "markup in UTF-16 by the header": (response("<html>".encode("utf-16-le"), None, "x/y; charset=utf-16"), True),
    "text in UTF-16": (response("x <html>".encode("utf-16")), False),
    "markup behind a comment in Japanese": (response("<!-- 東京 --><html>".encode("cp932")), True),
    "bytes of no encoding": (response(b"\xff\xfd\x80<html>"), False),
}


@pytest.mark.parametrize("name", HTML)
def test_html_is_known_by_class_type_or_markup(name: str) -> None:
    answer, expected = HTML[name]
    assert is_html(answer) is expected


@pytest.mark.parametrize("body", [b"<html><p>caf\xe9", b"<rss>caf\xe9", "<!-- 東京 --><html>".encode("cp932")])
def test_no_encoding_is_guessed_to_find_markup(body: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    def guess(self: TextResponse, body: bytes) -> str:
        raise AssertionError("an encoding is guessed")

    monkeypatch.setattr(TextResponse, "_auto_detect_fun", guess)
    assert is_html(response(body, XmlResponse, "application/xml")) is (b"<html>" in body)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), True),
        (b"\0" * 100, True),
        (b"<p>" + b"x" * 96 + b"\0", False),
        (b"<p>" + b"\0" * 3 + b"x" * 94, False),
        (b"<p>" + b"\0" * 4 + b"x" * 93, True),
        (b"\x1b$B\t\r\n\f<p>", False),
        ("<p>Straße, 東京".encode(), False),
        (b"x" * 1024 + b"\0" * 1024, False),
        (b"", False),
    ],
)
def test_binary_is_known_by_its_control_characters(body: bytes, expected: bool) -> None:
    assert is_binary(response(body, HtmlResponse)) is expected


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_the_zeros_of_wide_encodings_are_text(encoding: str) -> None:
    assert not is_binary(HtmlResponse(URL, body="<p>Hello</p>".encode(encoding), encoding=encoding))


def test_the_first_reason_that_applies_is_given() -> None:
    assert reason(response(b"", HtmlResponse, status=404)) == "status"
    assert reason(response(b" \n", HtmlResponse)) == "empty"
    assert reason(response("{}", JsonResponse), max_body_bytes=1) == "too_large"
    assert reason(response("{}", JsonResponse)) == "not_html"
    assert reason(response(b"\0\0\0", HtmlResponse)) == "binary"
    assert reason(Response(URL, body=b"<html>")) == "not_html"
    assert reason(response()) is None


@pytest.mark.parametrize(
    ("status", "expected"), [(199, "status"), (200, None), (299, None), (300, "status"), (404, "status"), (410, None)]
)
def test_statuses(status: int, expected: str | None) -> None:
    assert reason(response(status=status), extra_statuses=[410]) == expected


def test_the_tree_of_the_response_is_used_and_left_as_it_was() -> None:
    answer = response(GOOD_PAGE, HtmlResponse, encoding="utf-8")
    before = etree.tostring(answer.selector.root)
    answer.selector.root.set("lang", "de")
    changed = etree.tostring(answer.selector.root)
    extraction = extract_response(answer, configure(from_mapping({"language": ["en", "de"]}, "test")))
    assert before != changed == etree.tostring(answer.selector.root)
    assert extraction.language == "en"


def test_the_header_s_language_is_evidence() -> None:
    configuration = configure(from_mapping({"language": ["English", "German"]}, "test"))
    for header in ("de", "de-AT, en", "DE"):
        answer = response("<p> </p>", HtmlResponse, headers={"Content-Language": header})
        assert extract_response(answer, configuration).language == "de"
    assert extract_response(response("<p> </p>", HtmlResponse), configuration).language == "en"
    german = response(page(GERMAN), HtmlResponse, headers={"Content-Language": "en"}, encoding="utf-8")
    assert extract_response(german, configuration).language == "de"


# The line that says why a page has no good content.


def linked(characters: int, link: int) -> str:
    text = prose(characters, stopwords=10)
    return f"{text[:-link]}<a href=/>{text[-link:]}</a>"


def explained(*paragraphs: str, **values: Any) -> str:
    """The explanation for a page of such paragraphs."""
    html = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    configuration = configure(from_mapping({"stoplist": ["the"], **values}, "test"))
    thresholds = {name: value for name, value in values.items() if name != "min_good_characters"}
    extraction: Extraction = extract(html, stoplist=["the"], **thresholds)
    return explain_no_content(extraction, configuration)


LITTLE, LONG, FEW = prose(60, stopwords=10), prose(250, stopwords=10), prose(180, stopwords=5)
LACKING = prose(250, stopwords=2)
#: Of a stop-word density of zero nothing is divided.
ZERO = {"stopwords_low": 0, "stopwords_high": 0, "length_low": 0}
#: Paragraphs, settings, and what is said of them.
EXPLAINED: list[tuple[list[str], dict[str, Any], str]] = [
    ([FEW], {}, "0 of 1 blocks; nearest miss: 180 characters, stop-word density 0.25 < 0.30"),
    ([prose(250, stopwords=5)], {}, "0 of 1 blocks; nearest miss: 250 characters, stop-word density 0.25 < 0.30"),
    ([LITTLE], {}, "0 of 1 blocks; nearest miss: 60 characters <= 200"),
    ([prose(199, stopwords=10)], {}, "0 of 1 blocks; nearest miss: 199 characters <= 200"),
    ([linked(250, 100)], {}, "0 of 1 blocks; nearest miss: 250 characters, link density 0.40 > 0.20"),
    # Of several, the one that came nearest: a link density that is too high is far from good.
    ([prose(60, stopwords=0), FEW, linked(900, 300)], {},
     "0 of 3 blocks; nearest miss: 180 characters, stop-word density 0.25 < 0.30"),
    ([LITTLE, prose(190, stopwords=10)], {}, "0 of 2 blocks; nearest miss: 190 characters <= 200"),
    # All that it lacks, by the thresholds of the page.
    ([f"{LACKING[:-100]}<a href=/>{LACKING[-100:]}</a>"], {},
     "0 of 1 blocks; nearest miss: 250 characters, link density 0.40 > 0.20, stop-word density 0.10 < 0.30"),
    ([FEW], {"stopwords_low": 0.28}, "0 of 1 blocks; nearest miss: 180 characters, stop-word density 0.25 < 0.28"),
    ([FEW], {"stopwords_low": 0.2}, "0 of 1 blocks; nearest miss: 180 characters <= 200"),
    ([linked(250, 100)], {"max_link_density": 0.3},
     "0 of 1 blocks; nearest miss: 250 characters, link density 0.40 > 0.30"),
    ([prose(60, stopwords=0)], {**ZERO, "length_high": 60}, "0 of 1 blocks; nearest miss: 60 characters <= 60"),
    ([], {}, "the page has no text"),
    ([LONG, prose(250, stopwords=0)], {"min_good_characters": 300}, "1 of 2 blocks, 250 < 300 good characters"),
]  # fmt: skip


@pytest.mark.parametrize(("paragraphs", "settings", "said"), EXPLAINED)
def test_it_is_said_what_the_nearest_miss_lacks(paragraphs: list[str], settings: dict[str, Any], said: str) -> None:
    assert explained(*paragraphs, **settings) == f"no good content: {said}"


def test_of_a_trained_model_the_most_probable_block_is_named() -> None:
    paragraphs = ["Home", "It was the best of times, it was the worst of times. " * 4, "© 2026"]
    values: dict[str, Any] = {"profile": "learned", "good_probability": 1.0}
    blocks = extract("".join(f"<p>{text}</p>" for text in paragraphs), **values).blocks
    nearest = max(blocks, key=lambda block: block.probability or 0)
    assert explained(*paragraphs, **values) == (
        f"no good content: 0 of 3 blocks; nearest miss: {nearest.characters} characters, {nearest.reason}"
    )
    assert nearest.characters > 100


def test_a_block_that_misses_no_threshold_gives_its_reason() -> None:
    """Between the two stop-word densities a long block is near-good at best: its neighbours decide."""
    explanation = explained(prose(350, stopwords=31, words=100), good_run=0)
    assert explanation.startswith("no good content: 0 of 1 blocks; nearest miss: 350 characters, ")
    assert "<" not in explanation
    assert "0.31" in explanation.split("350 characters, ")[1]
