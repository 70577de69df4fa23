"""Pages in the formats of corpora, as their readers find them."""

import re
from collections.abc import Mapping
from html import unescape
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from trafilatura.xml import TEI_SCHEMA

from scrapy_justext import extract
from scrapy_justext.core.corpora import CORPUS_FORMATS, CorpusPage

SENTENCE = "It was the best of times, it was the worst of times, and so on. "
HTML = (
    f'<title>A "B" & <C></title><ul><li>Home</ul><h2>Of times</h2><p>{SENTENCE * 5}</p><ul><li>{SENTENCE * 5}'
    f"<li>{SENTENCE * 4} &lt;/doc&gt;</ul><blockquote>{SENTENCE * 5}</blockquote><pre>if a &lt; b:\n\n  c = d;\n</pre>"
    f"<p>{SENTENCE * 5}</p><table><tr><th>a<th>b<tr><td>1<td>2</table><p>{SENTENCE * 5}"
)
CRAWLED = "2024-02-29T12:30:45Z"


def page(which: str = "good", html: str = HTML) -> CorpusPage:
    extraction = extract(html, url="https://example.org/?a=1&b=2", language="English")
    return CorpusPage.of(extraction, which=which, crawled=CRAWLED)


def written(name: str, *pages: CorpusPage) -> str:
    corpus = CORPUS_FORMATS[name]
    return f"{corpus.begin}{''.join(corpus.write(page).decode() for page in pages)}{corpus.end}"


def attributes(tag: str) -> dict[str, str]:
    return {name: unescape(value) for name, value in re.findall(r' (\w+)="([^"]*)"', tag)}


Read = list[tuple[dict[str, str], list[tuple[dict[str, str], list[str]]]]]


def read_prevertical(text: str) -> Read:
    """What onion and its like find: lines that begin with a tag, and all others, which are tokens or text."""
    documents: Read = []
    for line in text.split("\n")[:-1]:
        if line.startswith("<doc"):
            documents.append((attributes(line), []))
        elif line.startswith("<p"):
            documents[-1][1].append((attributes(line), []))
        elif line.startswith("<"):
            assert line in ("</p>", "</doc>")
        else:
            assert line.strip()
            documents[-1][1][-1][1].append(unescape(line))
    return documents


def test_prevertical_has_a_doc_for_each_page_and_a_p_for_each_block() -> None:
    [(of_page, blocks), (_, all_blocks)] = read_prevertical(written("prevert", page(), page("all")))
    assert of_page == {
        "url": "https://example.org/?a=1&b=2", "title": 'A "B" & <C>', "lang": "en", "crawled": CRAWLED,
        "crawl_date": "2024-02-29 12:30",
    }  # fmt: skip
    assert blocks[0] == ({"class": "good", "cfclass": "short", "heading": "1"}, ["Of times"])
    assert {(of["class"], of["heading"]) for of, _ in blocks[1:]} == {("good", "0")}
    assert ["if a < b:", "  c = d;"] in [lines for _, lines in blocks]
    assert blocks[3][1][0].endswith("</doc>")
    assert all_blocks[0] == ({"class": "bad", "cfclass": "short", "heading": "0"}, ["Home"])


def test_a_paragraph_in_another_language_says_so() -> None:
    german = (
        "Es war die beste aller Zeiten, und es war die schlimmste aller Zeiten, das war das Jahr der Weisheit. " * 4
    )
    html = f"<html lang=en><p>{SENTENCE * 9}<p>{german}<p>{SENTENCE * 9}"
    held = CorpusPage.of(extract(html), which="all")
    [(of_page, blocks)] = read_prevertical(written("prevert", held))
    assert (of_page["lang"], [of.get("lang") for of, _ in blocks]) == ("en", [None, "de", None])


def test_plain_text_has_a_paragraph_a_line_and_a_blank_line_behind_each_page() -> None:
    text = written("txt", page(), page("all"))
    first, second, rest = text.split("\n\n")
    assert (first, rest) == (second, "")
    assert first.split("\n")[:2] == ["Of times", (SENTENCE * 5).strip()]


def test_tei_is_valid_and_has_headings_lists_tables_code_and_quotes() -> None:
    root = etree.fromstring(written("tei", page(), page(), CorpusPage(page().blocks)).encode())
    names = {"t": "http://www.tei-c.org/ns/1.0"}
    texts = {
        path: [element.text for element in root.iterfind(f"t:TEI[1]//t:{path}", names)]
        for path in ("title", "ab[@type='header']", "item", "cell", "code", "quote", "date")
    }
    assert texts["title"] == ['A "B" & <C>']
    assert texts["ab[@type='header']"] == ["Of times"]
    assert (len(texts["item"]), len(texts["quote"]), texts["code"]) == (2, 1, ["if a < b:\n\n  c = d;"])
    assert texts["cell"] == ["a", "b", "1", "2"]
    assert texts["date"] == [CRAWLED]
    assert [name.get("target") for name in root.iterfind("t:TEI[1]//t:ptr", names)] == ["https://example.org/?a=1&b=2"]
    # This schema of a part of TEI has neither tables nor code, which TEI P5 has, and trafilatura writes.
    etree.strip_elements(root, "{*}table", "{*}code")
    schema = etree.DTD(TEI_SCHEMA)
    assert schema.validate(root), schema.error_log


@pytest.mark.parametrize("name", CORPUS_FORMATS)
def test_pages_without_good_text_are_left_out(name: str) -> None:
    assert CORPUS_FORMATS[name].write(page("all", "<p>Home")) == b""


VALUES = st.text(max_size=30) | st.sampled_from(["</doc>\n<doc>", '" x="', "a\r\n\n<p>", "]]>&amp;", "\x00\x85\u2028"])
KINDS = st.sampled_from(["text", "code", "table", "quote", "list item"])
OPTIONAL = {
    "block_class": st.sampled_from(["good", "bad"]),
    "kind": KINDS,
    "is_heading": st.booleans(),
    "heading_level": st.integers(0, 6),
}
BLOCKS = st.lists(st.fixed_dictionaries({"text": VALUES}, optional=OPTIONAL), max_size=4)


@given(blocks=BLOCKS, url=VALUES, title=VALUES)
def test_whatever_a_page_holds_stays_in_its_place(blocks: list[Mapping[str, Any]], url: str, title: str) -> None:
    held = CorpusPage(blocks, url, title, "en")
    for name in ("prevert", "txt", "tei"):
        assert bool(CORPUS_FORMATS[name].write(held)) is any(held.good())
    documents = read_prevertical(written("prevert", held))
    assert len(documents) == any(held.good())
    for of_page, found in documents:
        assert of_page.keys() <= {"url", "title", "lang"}
        assert [of.get("class") for of, _ in found] == [
            block.get("block_class", "good") for block in blocks if block["text"].strip()
        ]
    etree.fromstring(written("tei", held).encode())
