"""A page's rendering: texts are marked with their blocks, nothing runs or leads anywhere, colours stand out."""

import re
from collections import defaultdict
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from scrapy_justext.core.parsing import Parsed, parse_html
from scrapy_justext.inspection.view import ATTRIBUTES, KEPT, STYLED, frame_style, style
from tests.builders import DEMO_PAGES, contrast, corpus_pages, nested, page_id, read_page
from tests.inspection.judged import HOSTILE, view_of

#: A profile for each way to cut a page.
CUTS = ("justext", "justext-3.0", "justext-java", "learned")

#: What pages are made of, in any order.
PIECES = r"""
    <p> </p> <br> <b> <a~href=x> </a> <img~alt=i> x y <table> <td> <li> <select> <option> </select> <button> <pre>
    <form> <div~hidden> </div> &nbsp; <svg> <!--c--> <h1> <textarea> <noscript> <style> </style> <details> &#xfdd0;
"""

ELEMENTS = KEPT | {"div", "span"}
OWN_ATTRIBUTES = {"class", "data-block"}


class Reader(HTMLParser):
    """What is in the body of a rendering, read by another parser than the one that read the page."""

    def __init__(self) -> None:
        super().__init__()
        self.in_body = False
        self.elements: set[str] = set()
        self.attributes: set[tuple[str, str]] = set()
        self.others: list[str] = []
        self.texts: dict[int | None, str] = defaultdict(str)
        self._marks: list[int | None] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self.in_body:
            self.elements.add(tag)
            self.attributes.update((name, value or "") for name, value in attrs)
        self.in_body = self.in_body or tag == "body"
        if tag == "span":
            mark = dict(attrs).get("data-block")
            self._marks.append(None if mark is None else int(mark))

    def handle_endtag(self, tag: str) -> None:
        if tag == "span":
            self._marks.pop()

    def handle_data(self, data: str) -> None:
        if self.in_body:
            self.texts[self._marks[-1] if self._marks else None] += data

    def handle_comment(self, data: str) -> None:
        self.others.append(data)

    def handle_decl(self, decl: str) -> None:
        if self.in_body:
            self.others.append(decl)

    def handle_pi(self, data: str) -> None:
        self.others.append(data)


def read(rendering: str) -> Reader:
    reader = Reader()
    reader.feed(rendering)
    reader.close()
    return reader


def body_of(html: str, **options: Any) -> str:
    """What is in the body of a page's rendering, without the elements that every page has."""
    body = view_of(html, **options)["rendering"].partition("<body>")[2].removesuffix("</body></html>")
    return str(body).removeprefix("<span><div>").removesuffix("</div></span>")


def without_space(text: str) -> str:
    return "".join(text.split())


def assert_marked(view: dict[str, Any]) -> None:
    """Assert that the marks of each block hold its text."""
    texts = read(view["rendering"]).texts
    expected = {block["index"]: without_space(block["text"]) for block in view["blocks"] if block["origin"] == "page"}
    found = {index: without_space(text) for index, text in texts.items() if index is not None}
    assert found == {index: text for index, text in expected.items() if text}


def assert_harmless(rendering: str) -> None:
    """Assert that there are no elements and attributes but those on the lists, with values that are allowed."""
    reader = read(rendering)
    assert reader.in_body
    assert reader.elements <= ELEMENTS
    assert reader.others == []
    for name, value in reader.attributes:
        assert name in OWN_ATTRIBUTES or ATTRIBUTES[name].fullmatch(value), (name, value)
        assert name != "class" or value in STYLED.values(), value


def cases() -> Iterator[Any]:
    """Yield every page with one of the profiles in turn; with the others in the full run."""
    for number, page in enumerate([*DEMO_PAGES[::4], *corpus_pages(150)]):
        for profile in CUTS:
            marks = () if profile == CUTS[number % len(CUTS)] else (pytest.mark.full,)
            yield pytest.param(page, profile, id=f"{page_id(page)}-{profile}", marks=marks)


class TestMarks:
    @pytest.mark.parametrize(("page", "profile"), list(cases()))
    def test_the_marks_of_a_block_hold_its_text(self, page: Path, profile: str) -> None:
        view = view_of(read_page(page), profile=profile)
        assert_marked(view)
        assert_harmless(view["rendering"])

    @pytest.mark.parametrize(
        ("html", "expected"),
        [
            ("<p>a<br><br>b</p>", '<p><span data-block="0">a</span><br><br><span data-block="1">b</span></p>'),
            ("<div>a<p>b</p>c</div>", "a0 b1 c2"),
            ("<p>a <b>b</b> c</p>", "a0 b0 c0"),
            ("<p>a<!-- b -->c<script>d</script>e</p>", "a0 c0 e0"),
            ("<p> </p><p>\xa0</p><p>a</p>", "a0"),
        ],
        ids=["two breaks", "text around a block", "inline", "text around what is removed", "white space"],
    )
    def test_a_mark_stands_around_each_text(self, html: str, expected: str) -> None:
        body = body_of(html)
        if "<" not in expected:
            body = " ".join(f"{text.strip()}{i}" for i, text in re.findall(r'data-block="(\d+)">([^<]*)<', body))
        assert body == expected

    def test_images_are_marked_where_they_are_blocks(self) -> None:
        body = body_of('<p>a<img alt="b" src="x"><img src="y"></p>', profile="justext-java")
        marked = re.findall(r'<span class="image"><span data-block="(\d)">(\w*)</span></span>', body)
        assert marked == [("1", "b"), ("2", "")]

    def test_text_out_of_scripts_has_no_place_in_it(self) -> None:
        data = '{"@type": "Product", "description": "' + "It was the best of lamps. " * 9 + '"}'
        view = view_of(f'<p>Lamp</p><script type="application/ld+json">{data}</script>', profile="learned")
        assert [block["origin"] for block in view["blocks"]] == ["page", "json-ld"]
        assert_marked(view)

    def test_nothing_is_a_page_too(self) -> None:
        assert "<body></body>" in view_of("")["rendering"]

    @given(st.lists(st.sampled_from(PIECES.split())))
    def test_whatever_the_markup_marks_hold_the_texts(self, pieces: list[str]) -> None:
        html = "".join(pieces).replace("~", " ")
        for profile in ("justext", "justext-3.0", "justext-java"):
            view = view_of(html, profile=profile, language="en")
            assert_marked(view)

    def test_deep_trees_are_written_without_recursion(self) -> None:
        deep = nested(["html", "body", *["div"] * 20_000], "deep down")
        view = view_of(Parsed(deep, is_cut=False))
        assert '<span data-block="0">deep down</span>' in view["rendering"]

    def test_the_tree_is_left_as_it_was(self) -> None:
        parsed = parse_html(HOSTILE.format("http://localhost"))
        assert parsed.root is not None
        before = etree.tostring(parsed.root)
        view_of(parsed)
        assert etree.tostring(parsed.root) == before


#: How a text is shown in the first block.
X = '<span data-block="0">x</span>'


class TestSafety:
    @pytest.mark.parametrize("profile", CUTS)
    def test_a_hostile_page_leaves_nothing_behind(self, profile: str) -> None:
        rendering = view_of(HOSTILE.format("http://localhost"), profile=profile)["rendering"]
        assert_harmless(rendering)
        assert "http://localhost" not in re.sub(r">[^<]*<", "><", rendering)

    @pytest.mark.parametrize(
        ("html", "expected"),
        [
            ("<p><script>alert(1)</script>x", f"<p>{X}</p>"),
            ('<p onclick="alert(1)">x</p>', f"<p>{X}</p>"),
            ('<p><a href="javascript:alert(1)" ping=y target=_top>x</a></p>', f'<p><span class="link">{X}</span></p>'),
            ('<p style="background:url(x)" class="jt" id="a" data-block="7">x</p>', f"<p>{X}</p>"),
            ("<style>@import url(x)</style><p>x</p>", f"<p>{X}</p>"),
            ('<p>x</p><img src=x srcset=y onerror=alert(1) alt="a<b>">', "a&lt;b&gt;"),
            ("<form action=x><p>x</p></form>", f"<div><p>{X}</p></div>"),
            ("<p>x</p><button formaction=x>Go</button>", '<span class="control">Go</span>'),
            ("<p>x</p><input type=submit formaction=x value='\"<Go>'>", '<span class="control">"&lt;Go&gt;</span>'),
            ("<p>x</p><video src=x poster=y></video>", '<span class="image">video</span>'),
            ("<p>x</p><object data=x>y</object>", '<span class="image">embedded object</span>'),
            ('<p>x</p><iframe srcdoc="<script>alert(1)</script>"></iframe>', '<span class="image">frame</span>'),
            ("<p>x</p><td colspan=9999999>y", "<td>"),
            ('<p lang="&quot;><script>" dir="x">x</p>', f"<p>{X}</p>"),
            ("<p>&lt;/span>&lt;script>alert(1)&lt;/script></p>", "&lt;/span&gt;&lt;script&gt;alert(1)&lt;/script&gt;"),
            ("<p>x</p><x-y onclick=z>y</x-y>", '<span><span data-block="1">y</span></span>'),
        ],
        ids=["script", "handler", "link", "attributes", "style", "image", "form", "button", "input", "video", "object",
             "frame", "cells without end", "values", "entities", "unknown elements"],
    )  # fmt: skip
    def test_what_is_dangerous_is_replaced(self, html: str, expected: str) -> None:
        body = body_of(html)
        assert expected in body
        for name in ('alert(1)"', "<script", "javascript:", "onclick", "onerror", "src", "href", "action", "url("):
            assert name not in body

    @pytest.mark.parametrize("tag", ["script", "style", "iframe", "img onerror=x", 'a"><script>', "svg", "p><script"])
    def test_names_that_trees_made_by_hand_may_have(self, tag: str) -> None:
        root = nested(["html", "body", "p"], "x")
        try:
            child = etree.SubElement(root[0][0], tag)
        except ValueError:
            # lxml itself allows none of these.
            assert not tag.isalpha()
            return
        child.text = "<script>"
        child.set("onclick", "x")
        view = view_of(Parsed(root, is_cut=False), profile="justext-java")
        assert_harmless(view["rendering"])

    @given(
        st.text(alphabet="<>\"'&/=! -apsSCRIPTonclick\x00\u2028"),
        st.sampled_from(["<p>{}", "<p title={}>", "<{}>", "<!--{}", "<p dir='{}'>", "<svg><{}>"]),
    )
    def test_no_markup_of_the_page_gets_through(self, text: str, template: str) -> None:
        assert_harmless(view_of(template.format(text), language="en")["rendering"])

    def test_the_policy_comes_first(self) -> None:
        rendering = view_of("<p>x</p>")["rendering"]
        policy = re.match(
            r'<!DOCTYPE html><html><head><meta http-equiv="Content-Security-Policy" content="([^"]*)">', rendering
        )
        assert policy
        directives = dict(directive.strip().split(" ", 1) for directive in policy[1].split(";"))
        assert directives["default-src"] == directives["form-action"] == directives["base-uri"] == "'none'"
        assert directives["style-src"].startswith("'sha256-")


def test_the_rendering_shows_what_was_read() -> None:
    text = "It was the best of times, it was the worst of times, it was the age of wisdom. " * 3
    view = view_of(f"<p>Loading<p hidden>x<noscript><p>{text}</noscript>", language="en")
    assert [block["text"] for block in view["blocks"]] == ["Loading", "x", text.strip()]
    assert f'<span data-block="2">{text}</span>' in view["rendering"]
    assert view["notes"] == []


def test_the_view_tells_what_was_removed() -> None:
    view = view_of("<p>one<p hidden>two <b>three</b></p><p><i hidden>x</i><noscript>four</noscript>", language="en")
    assert view["notes"] == ["removed: 2 hidden elements (10 characters), 1 NOSCRIPT (4 characters)"]
    view = view_of("<b hidden>two<b hidden>three</b><style>x</style></b>", language="en", profile="justext")
    assert view["notes"] == ["removed: 1 hidden element (8 characters)"]
    assert view_of("<p hidden>two</p><noscript>x</noscript>", language="en", profile="learned")["notes"] == []


def test_numbers_of_lines_are_in_no_block() -> None:
    numbers = "<pre>1\n2\n3</pre>"
    code = "<pre><code>a\nb\nc</code></pre>"
    texts = read(str(view_of(f"{numbers}{code}<p>one</p>{numbers}{code}")["rendering"])).texts
    assert {index: "".join(text.split()) for index, text in texts.items()} == {
        None: "123" * 2, 0: "abc", 1: "one", 2: "abc",
    }  # fmt: skip


TEXTS = [
    *[("ink", behind) for behind in ("surface", "panel", "good-tint", "hit")],
    *[("surface", "ink"), ("muted", "surface"), ("muted", "panel"), ("accent", "surface"), ("accent", "good-tint")],
    *[(name, f"{name}-tint") for name in ("good", "near-good", "short", "bad")],
    ("good", "surface"),
]
#: Edges, outlines and bands.
SIGNS = [
    *[(name, behind) for name in ("good", "near-good", "short", "bad", "ink") for behind in ("surface", "panel")],
    *[(name, behind) for name in ("edge", "accent") for behind in ("surface", "panel")],
    ("accent", "good-tint"),
]

LIGHT, DARK = re.findall(r":root \{(.*?)\}", style(), re.DOTALL)[:2]
SCHEMES = {
    "light": dict(re.findall(r"--([\w-]+): (#\w{6});", LIGHT)),
    "dark": dict(re.findall(r"--([\w-]+): (#\w{6});", DARK)),
}


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(("text", "behind"), TEXTS, ids="-".join)
def test_texts_can_be_read(scheme: str, text: str, behind: str) -> None:
    assert contrast(SCHEMES[scheme][text], SCHEMES[scheme][behind]) >= 4.5


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(("sign", "behind"), SIGNS, ids="-".join)
def test_signs_can_be_seen(scheme: str, sign: str, behind: str) -> None:
    assert contrast(SCHEMES[scheme][sign], SCHEMES[scheme][behind]) >= 3


def test_every_colour_that_is_used_is_in_both_schemes_and_none_stands_elsewhere() -> None:
    assert SCHEMES["light"].keys() == SCHEMES["dark"].keys()
    assert not set(SCHEMES["light"].values()) & set(SCHEMES["dark"].values())
    for sheet in (style(), frame_style()):
        used = set(re.findall(r"var\(--([\w-]+)\)", sheet))
        assert used <= SCHEMES["light"].keys()
        assert re.findall(r"#[0-9a-f]{3,8}\b", sheet) == re.findall(r"#[0-9a-f]{6}\b", LIGHT + DARK)
