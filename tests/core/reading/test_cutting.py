"""Where a page is cut, and what is kept, removed, counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lxml import etree

from scrapy_justext import extract
from scrapy_justext.core.parsing import parse_html
from scrapy_justext.core.reading.loading import read_nodes
from scrapy_justext.core.reading.page import read_blocks, read_tree
from scrapy_justext.core.reading.rules import JAVA, LENIENT, MODERN, REFERENCE, WITHOUT_KINDS, TagRules
from scrapy_justext.core.tags import SCRIPTS, SECTIONS
from tests.builders import (
    PAGES,
    RULES,
    SECONDS,
    cut,
    elements_of,
    nested,
    processor_seconds,
    pure,
    read_page,
    select,
    texts,
    tree,
)
from tests.products import in_part

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_justext.core.reading.flow import Flow

ALL_RULES = pytest.mark.parametrize("rules", RULES.values(), ids=RULES)

PUBLISHED = [
    "blockquote", "caption", "center", "col", "colgroup", "dd", "div", "dl", "dt", "fieldset", "form", "h1", "h2",
    "h3", "h4", "h5", "h6", "legend", "li", "optgroup", "option", "p", "pre", "table", "td", "textarea", "tfoot",
    "th", "thead", "tr", "ul",
]  # fmt: skip
ADDED = [
    "address", "article", "aside", "details", "dialog", "dir", "figcaption", "figure", "footer", "header", "hgroup",
    "hr", "main", "menu", "nav", "ol", "search", "section", "summary", "tbody",
]  # fmt: skip
INLINE = [
    "a", "abbr", "b", "bdi", "cite", "code", "em", "font", "i", "img", "ins", "label", "mark", "noscript", "q", "s",
    "small", "span", "strong", "sub", "sup", "time", "tt", "u", "x-teaser",
]  # fmt: skip

REMOVED = [
    "head", "meta", "title", "script", "style", "noscript", "template", "svg", "math", "iframe", "object", "embed",
    "applet", "audio", "video", "canvas", "input", "datalist", "button", "textarea",
]  # fmt: skip
REMOVED_IN_REFERENCE = ["head", "base", "script", "style", "applet", "button", "input", "select", "textarea", "param"]
UNWRAPPED_IN_REFERENCE = ["form", "iframe", "embed", "layer", "object"]


def around(tag: str) -> etree._Element:
    """``<body>one<TAG>two</TAG>three</body>``, as no parser would have rearranged it."""
    root = nested(["html", "body"], "")
    body = root[0]
    body.text = "one"
    child = etree.SubElement(body, tag)
    child.text, child.tail = "two", "three"
    return root


class TestBlockLevel:
    @pytest.mark.parametrize("tag", [*(tag for tag in PUBLISHED if tag not in REMOVED), *ADDED, "select"])
    def test_every_block_level_element_splits_at_its_start_and_end(self, tag: str) -> None:
        root = around(tag)
        root[0][0].set("open", "")
        assert [(segment.text, segment.tag) for segment in cut(root)] == [
            ("one", "body"),
            ("two", tag),
            ("three", "body"),
        ]

    @pytest.mark.parametrize("tag", [tag for tag in PUBLISHED if tag not in {"form", "textarea"}])
    def test_the_published_ones_split_in_justext_3(self, tag: str) -> None:
        assert texts(around(tag), REFERENCE) == ["one", "two", "three"]

    @pytest.mark.parametrize("tag", ADDED)
    def test_the_added_ones_do_not_split_in_justext_3(self, tag: str) -> None:
        assert texts(around(tag), REFERENCE) == ["onetwothree"]

    @pytest.mark.parametrize("tag", [tag for tag in INLINE if tag not in {*REMOVED, *SCRIPTS}])
    def test_other_elements_do_not_split(self, tag: str) -> None:
        assert texts(around(tag)) == ["onetwothree"]

    def test_other_elements_are_not_block_level(self) -> None:
        root = etree.fromstring("<html>one<body>two</body>three</html>")
        assert texts(root) == texts(root, REFERENCE) == ["one", "two", "three"]
        assert MODERN.block_level == {*PUBLISHED, *ADDED, "select", "body", "template"}
        assert REFERENCE.block_level == {*PUBLISHED, "body"} - {"form", "textarea"}


SEPARATED = [
    ("one BR is a space", "one<br>two", ["one two"]),
    ("one BR among spaces is one space", "one <br> two", ["one two"]),
    ("two BR", "one<br><br>two", ["one", "two"]),
    ("three BR", "one<br><br><br>two", ["one", "two"]),
    ("four BR", "one<br><br><br><br>two", ["one", "two"]),
    ("blank text between", "one<br> \n\t<br>two", ["one", "two"]),
    ("a no-break space between", "one<br>&nbsp;<br>two", ["one", "two"]),
    ("a comment between", "one<br><!-- x --><br>two", ["one", "two"]),
    ("text between", "one<br>x<br>two", ["one x two"]),
    ("two runs", "one<br><br>two<br><br>three", ["one", "two", "three"]),
    ("a run at the start and the end", "<br><br>one<br><br>", ["one"]),
    ("across a block's edge", "one<br><p>two</p><br>three", ["one", "two", "three"]),
]


class TestBreaks:
    @ALL_RULES
    @pytest.mark.parametrize(("html", "expected"), [c[1:] for c in SEPARATED], ids=[c[0] for c in SEPARATED])
    def test_two_or_more_consecutive_br_split(self, html: str, expected: list[str], rules: TagRules) -> None:
        assert texts(f"<body>{html}", rules) == expected

    def test_they_do_in_justext_3(self) -> None:
        assert texts("<body>one<br><b></b><br>two", REFERENCE) == ["one two"]

    @ALL_RULES
    def test_inline_elements_count_for_the_run_they_stand_in_and_separators_for_none(self, rules: TagRules) -> None:
        segments = cut("<body>one<br>x<br><br><br>two <a>three</a>", rules)
        assert [(segment.text, segment.tags_count) for segment in segments] == [("one x", 1), ("two three", 1)]
        segments = cut("<p>one<br><br><b>two</b>", rules)
        assert [(segment.text, segment.tags_count) for segment in segments] == [("one", 0), ("two", 1)]


class TestRemoved:
    @pytest.mark.parametrize("tag", REMOVED)
    def test_removed_elements_go_with_all_they_hold(self, tag: str) -> None:
        root = around(tag)
        etree.SubElement(root[0][0], "p").text = "inside"
        assert texts(root, WITHOUT_KINDS) == ["onethree"]
        # A formula is written as TeX.
        assert tag == "math" or texts(root) == ["onethree"]

    @pytest.mark.parametrize("tag", REMOVED_IN_REFERENCE)
    def test_removed_elements_of_justext_3(self, tag: str) -> None:
        root = around(tag)
        etree.SubElement(root[0][0], "p").text = "inside"
        assert texts(root, REFERENCE) == ["onethree"]

    @pytest.mark.parametrize("tag", sorted({*REMOVED, "select"} - {*REMOVED_IN_REFERENCE}))
    def test_justext_3_keeps_the_others(self, tag: str) -> None:
        expected = ["onethree"] if tag == "select" else ["onetwothree"]
        assert texts(around(tag), REFERENCE) == expected

    @pytest.mark.parametrize("tag", UNWRAPPED_IN_REFERENCE)
    def test_justext_3_unwraps(self, tag: str) -> None:
        [segment] = cut(around(tag), REFERENCE)
        assert (segment.text, segment.tags_count) == ("onetwothree", 0)

    @pytest.mark.parametrize("rules", [MODERN, LENIENT, JAVA], ids=["modern", "lenient", "java"])
    @pytest.mark.parametrize("tag", sorted(SECTIONS))
    def test_a_page_without_a_body_tag_is_no_head(self, tag: str, rules: TagRules) -> None:
        page = f"<!doctype html><meta charset=utf-8><title>t</title><script>s</script><{tag} open><p>one</{tag}><p>two"
        assert [(segment.text, element.tag) for segment, element in elements_of(page, rules)] == [
            ("one", "p"),
            ("two", "p"),
        ]

    def test_style_sheet_links_are_removed_in_justext_3_with_what_the_parser_put_inside(self) -> None:
        root = around("link")
        root[0][0].set("rel", "StyleSheet alternate")
        assert texts(root, REFERENCE) == ["onethree"]
        root[0][0].set("rel", "canonical")
        assert texts(root, REFERENCE) == ["onetwothree"]

    def test_what_is_removed_is_no_element_of_the_block(self) -> None:
        [segment] = cut("<p>one<script>x</script><svg><text>x</text></svg></p>")
        assert segment.tags_count == 0

    @ALL_RULES
    def test_the_head_comments_instructions_and_doctype_are_no_text(self, rules: TagRules) -> None:
        html = (
            "<?xml version='1.0'?><!DOCTYPE html><!-- x --><p>one<!-- x --> two<?php x ?> three<!-- x --></p><!-- x -->"
        )
        assert texts(html, rules) == ["one two three"]
        html = "<head><title>x</title><meta name=a content=b></head><body><p>one"
        assert texts(html, rules) == ["one"]


@pytest.mark.parametrize("name", ["noframes", "noembed"])
@pytest.mark.parametrize("rules", [MODERN, LENIENT], ids=["modern", "lenient"])
def test_markup_for_old_browsers_is_no_text(rules: TagRules, name: str) -> None:
    assert texts(f"<p>one</p><{name}><p>x</p></{name}>two", rules) == ["one", "two"]


#: Pages, and the texts of their blocks.
TEXTS: list[tuple[str, str, list[str]]] = [
    *((f"a button in {tag.upper()}", f"<{tag}>one <button>two</button></{tag}>", ["one two"])
     for tag in ["h1", "h2", "h3", "h4", "h5", "h6", "summary"]),
    ("a button below another element in H2", "<h2><span><button>one</button></span></h2>", ["one"]),
    ("a button in P", "<p>one <button>two</button></p>", ["one"]),
    ("a button beside H2", "<div><h2>one</h2><button>two</button></div>", ["one"]),
    ("a button nested in H2", "<h2>one <i><button>two</button></i></h2><button>x</button>", ["one two"]),
    ("a button hidden in H2", "<h2>one <button hidden>two</button></h2>", ["one"]),
    ("a button with a removed element inside", "<h2><button>one<svg>x</svg></button></h2>", ["one"]),
    ("hidden: a block", "<p hidden>x</p><p>one", ["one"]),
    ("hidden: an inline element", "<p>one <b hidden>x</b>two", ["one two"]),
    ("hidden: a link", "<p>one <a hidden>x</a>two", ["one two"]),
    ("hidden: all inside", "<div hidden>x<p>x</p></div>one", ["one"]),
    ("hidden: with a value", "<p hidden=hidden>x</p>one", ["one"]),
    ("hidden: in capitals", "<p HIDDEN>x</p>one", ["one"]),
    ("hidden: a BR is no BR", "one<br hidden><br>two", ["one two"]),
    ("hidden: BODY apart", "<body hidden>one", ["one"]),
    ("hidden: HTML apart", "<html hidden><body>one", ["one"]),
    ("shown: streamed by React", "<div hidden id=S:0>two</div><p>one", ["two", "one"]),
    ("shown: its number", "<div hidden id=S:1f><div hidden id=x>x</div>one</div><div hidden id=S>x</div>", ["one"]),
    ("shown: a part of a part",
     "<div hidden id=S:0>one<template id=B:1></template></div><div hidden id=S:1><p>two</p></div>", ["one", "two"]),
    ("shown: rows of a table", "<table hidden><tbody id=S:0><tr><td>one</table><table hidden><tr><td>x</table>",
     ["one"]),
    ("shown: found by searching", "<p hidden=until-found>one</p>two", ["one", "two"]),
    ("shown: the same in capitals", "<p hidden=Until-Found>one</p>two", ["one", "two"]),
    ("shown: a tab's panel", "<div role=tabpanel>one</div><div role=tabpanel hidden>two</div>", ["one", "two"]),
    ("shown: after what expands it", "<p aria-expanded=false>one</p><div hidden>two</div>", ["one", "two"]),
    ("shown: after what controls it", "<button aria-controls=b>x</button><div id=a hidden>one</div>", ["one"]),
    ("shown: before it", "<div hidden>one</div><p aria-expanded=false>more", ["one", "more"]),
    ("shown: an accordion's item", "<h3><button aria-expanded=false>one</button></h3><div hidden>two</div>",
     ["one", "two"]),
    ("shown: a region", "<dt><b><i aria-expanded=false>one</i></b><dd role=region hidden>two", ["one", "two"]),
    ("shown: not behind something else", "<p aria-expanded=false>one</p><p>two</p><div hidden>x</div>", ["one", "two"]),
    ("shown: no dialog", "<p aria-expanded=false>one</p><div role=dialog hidden>x</div>", ["one"]),
    ("shown: no modal box", "<p aria-expanded=false>one</p><div aria-modal=true hidden>x</div>", ["one"]),
    ("shown: no dialog beside the page", "<p aria-expanded=false>one</p><div aria-modal=false hidden>x</div>", ["one"]),
    ("shown: no menu", "<p aria-expanded=false>one</p><ul role=menu hidden><li>x</ul>", ["one"]),
    ("shadow root: open", "one<x-a><template shadowrootmode=open><p>two</p>three</template></x-a>four",
     ["one", "two", "three", "four"]),
    ("shadow root: closed", "<div>one<template shadowrootmode=closed>two</template>three</div>",
     ["one", "two", "three"]),
    ("shadow root: by its old name", "one<template shadowroot=open>two</template>three", ["one", "two", "three"]),
    ("shadow root: in a link", "<a>one<TEMPLATE ShadowRootMode=open>two</TEMPLATE></a>", ["one", "two"]),
    ("shadow root: in another", "<template shadowrootmode=open>one<template shadowrootmode>two</template></template>",
     ["one", "two"]),
    ("shadow root: in a template", "one<template>x<template shadowrootmode=open>x</template></template> two",
     ["one two"]),
    ("shadow root: a template in it", "<template shadowrootmode=open>one<template>x</template> two</template>",
     ["one two"]),
    ("shadow root: a style in it", "<template shadowrootmode=open><style>x</style>one<slot></slot></template>",
     ["one"]),
    ("shadow root: hidden elements in it", "<template shadowrootmode=open><p hidden>x</p>one</template>", ["one"]),
    ("shadow root: no shadow root", "one<template id=a>x</template> two", ["one two"]),
    *((f"two BR with {between} between", f"one<br>{between}<br>two", ["one", "two"])
     for between in ("<b></b>", "<b> </b>", "</b>", " <i></b> ", '<a href="/"></a>', "<script>x</script>", "<img>")),
    ("removed elements split nothing", "<p>one <script><p>x</p></script>two<svg><text>x</text></svg>three",
     ["one twothree"]),
    ("HEADER stays", "<header>one</header>", ["one"]),
    ("blank blocks", "<p> </p><p>&nbsp;</p><p><b> </b></p><div><br></div><p><img></p>", []),
]  # fmt: skip


@pytest.mark.parametrize(("html", "expected"), [c[1:] for c in TEXTS], ids=[c[0] for c in TEXTS])
def test_the_texts_of_a_page(html: str, expected: list[str]) -> None:
    assert texts(html if "<body" in html else f"<body>{html}") == expected


@ALL_RULES
@pytest.mark.parametrize("html", [c[1] for c in TEXTS], ids=[c[0] for c in TEXTS])
def test_the_elements_behind_are_found(html: str, rules: TagRules) -> None:
    assert elements_of(f"<body>{html}<p>last", rules)[-1][1].text == "last"


@pytest.mark.parametrize("attribute", ["shadowrootmode=open", "id=a"])
def test_templates_are_no_shadow_roots_to_published_profiles(attribute: str) -> None:
    page = f"<body>one<template {attribute}>two</template>three"
    assert texts(page, REFERENCE) == texts(page, JAVA) == ["onetwothree"]
    assert texts(page, LENIENT) == (["onethree"] if attribute == "id=a" else ["one", "two", "three"])


def test_hidden_elements_stay_in_justext_3() -> None:
    assert texts("<p hidden>one</p><p>two <b hidden>three</b></p>", REFERENCE) == ["one", "two three"]


WHITE_SPACE = [
    ("runs collapse", "<p>one  two\t\n three", "one two three"),
    ("ends are stripped", "<p>\n one \n</p>", "one"),
    ("no-break space", "<p>one&nbsp;&nbsp;two", "one two"),
    ("Chinese", "<p>我们 的\n书", "我们 的 书"),
    ("ideographic space", "<p>one\u3000two", "one two"),
    ("between inline elements", "<p><b>one</b> <i>two</i>", "one two"),
    ("none between inline elements", "<p><b>one</b><i>two</i>", "onetwo"),
    ("inside inline elements", "<p><b>one </b><i> two</i>", "one two"),
    ("what is not seen is nothing", "<p>o\u00adne\u200btwo\u2060\ufeff", "onetwo"),
]


class TestWhiteSpace:
    @pytest.mark.parametrize(("html", "expected"), [c[1:] for c in WHITE_SPACE], ids=[c[0] for c in WHITE_SPACE])
    def test_runs_collapse_to_one_space(self, html: str, expected: str) -> None:
        assert [(segment.text, segment.collapsed) for segment in cut(html)] == [(expected, expected)]

    @pytest.mark.parametrize(
        ("html", "expected"),
        [
            ("<p>one \n two", "one\ntwo"), ("<p>one\r\ntwo", "one\ntwo"), ("<p>one &#13; two", "one\ntwo"),
            ("<p>one  two", "one two"),
            ("<p><b>one</b> <i>two</i>", "onetwo"),
            ("<p><b>one </b><i>two</i>", "one two"),
            ("<p><b>one </b>\n<i> two</i>", "one two"),
        ],
    )  # fmt: skip
    def test_justext_3_keeps_line_feeds_and_drops_blank_nodes(self, html: str, expected: str) -> None:
        assert texts(html, REFERENCE) == [expected]


PREFORMATTED = [
    ("lines stay", "<pre>one\n  two</pre>", ["one\n  two"]),
    ("spaces inside a line stay", "<pre>one   two</pre>", ["one   two"]),
    ("empty lines around go", "<pre>\n\n one\n\n</pre>", [" one"]),
    ("empty lines inside stay", "<pre>one\n\n\ntwo</pre>", ["one\n\n\ntwo"]),
    ("spaces at the ends of lines go", "<pre>one  \ntwo\t</pre>", ["one\ntwo"]),
    ("inline elements", "<pre><b>one</b>\n  <a href=/>two</a></pre>", ["one\n  two"]),
    ("one BR is a line break", "<pre>one<br>  two</pre>", ["one\n  two"]),
    ("two BR split", "<pre>One.<br><br>Two\nthree.</pre>", ["One.", "Two\nthree."]),
    ("a block inside PRE", "<pre>One.<div>two\n  three</div></pre>", ["One.", "two\n  three"]),
    ("after PRE", "<div><pre>one\ntwo</pre>three\nfour</div>", ["one\ntwo", "three four"]),
    ("blank", "<pre>\n \n</pre>", []),
]


class TestPreformatted:
    @pytest.mark.parametrize(("html", "expected"), [c[1:] for c in PREFORMATTED], ids=[c[0] for c in PREFORMATTED])
    def test_lines_are_kept(self, html: str, expected: list[str]) -> None:
        segments = cut(html)
        assert [segment.text for segment in segments] == expected
        assert [segment.collapsed for segment in segments] == [" ".join(text.split()) for text in expected]

    def test_link_characters_are_those_of_the_collapsed_text(self) -> None:
        [segment] = cut("<pre>see\n     <a href=/>the   long\n  manual</a>\n</pre>")
        assert (segment.text, segment.collapsed) == ("see\n     the   long\n  manual", "see the long manual")
        assert segment.link_characters == len("the long manual")


LINKS: list[tuple[str, str, list[tuple[str, int]]]] = [
    ("none", "<p>one</p>", [("one", 0)]),
    ("all", "<p><a href=x>one two</a></p>", [("one two", 7)]),
    ("a part", "<p>see <a href=/>one</a> too</p>", [("see one too", 3)]),
    ("spaces inside the link's edges count for the link", "<p>see<a href=/> one </a>too</p>", [("see one too", 5)]),
    ("spaces outside do not", "<p>see <a href=/>one</a> too</p>", [("see one too", 3)]),
    ("a run of white space is where it begins", "<p>see <a href=/> one</a> too</p>", [("see one too", 3)]),
    ("a run that begins in the link", "<p><a href=/>one </a> two</p>", [("one two", 4)]),
    ("stripped spaces do not count", "<p> <a href=/> one </a> </p>", [("one", 3)]),
    ("white space before the first word does not", "<p><a href=/> one</a> two", [("one two", 3)]),
    ("runs inside count once", "<p><a href=/>one   \n two</a>", [("one two", 7)]),
    ("an empty link", "<p>one <a href=/></a>two", [("one two", 0)]),
    ("a blank link", "<p>one<a href=/> </a>two", [("one two", 1)]),
    ("two links", "<p><a href=/>one</a>, <a href=/>two</a>", [("one, two", 6)]),
    ("elements in a link", "<p>x<a href=/><b>one</b> <i>two</i></a>", [("xone two", 7)]),
    ("a link in an element", "<p><b>one <a href=/>two</a></b>", [("one two", 3)]),
    ("a BR in a link", "<p>x<a href=/>one<br>two</a>", [("xone two", 7)]),
    ("two BR in a link", "<p><a href=/>one<br><br>two</a>three", [("one", 3), ("twothree", 3)]),
    ("blocks in a link", "<a href=/>one<p>two</p>three</a>four", [("one", 3), ("two", 3), ("threefour", 5)]),
    ("not closed", "<div><a href=/>one<p>two</p></div><p>three", [("one", 3), ("two", 3), ("three", 0)]),
    ("removed elements in a link", "<p><a href=/><svg>x</svg>one</a> two", [("one two", 3)]),
    ("characters are code points", "<p><a href=/>\U0001f600é</a>", [("\U0001f600é", 2)]),
    ("a name of a place is none", "<p><a name=x>one</a> two", [("one two", 0)]),
    ("nor is one that is not closed", "<p><a name=x>one <a href=/>two</a>", [("one two", 3)]),
    ("a script", "<p><a href=' JavaScript:go()'>one</a> two", [("one two", 0)]),
    ("a control", "<p><a href=# role=button>one</a> <a href=#>two</a>", [("one two", 3)]),
    ("what opens a place", "<p><a href=#x role=button>one</a> <a href=/ role=button>two</a>", [("one two", 3)]),
    ("an address in parts of this site", "<p><a href='job.html'>one</a> <a href=Java>two</a>", [("one two", 6)]),
]


class TestLinkCharacters:
    @pytest.mark.parametrize(("html", "expected"), [c[1:] for c in LINKS], ids=[c[0] for c in LINKS])
    def test_they_are_counted_on_collapsed_text(self, html: str, expected: list[tuple[str, int]]) -> None:
        assert [(segment.text, segment.link_characters) for segment in cut(html)] == expected

    def test_nested_links_count_once_and_end_together_in_justext_3(self) -> None:
        root = etree.fromstring("<body>x<a href='/'>one<a href='/'>two</a>three</a>four</body>")
        [segment] = cut(root)
        assert (segment.text, segment.link_characters) == ("xonetwothreefour", 11)
        root = etree.fromstring("<body>x<a href='/'>one<a href='/'>two</a>three</a>four</body>")
        [segment] = cut(root, REFERENCE)
        assert segment.link_characters == 6

    def test_spaces_of_each_node_count_in_justext_3(self) -> None:
        [segment] = cut("<p><a> one </a></p>", REFERENCE)
        assert (segment.text, segment.link_characters) == ("one", 5)


class TestTagsCount:
    @pytest.mark.parametrize(
        ("html", "expected"),
        [
            ("<p>one", [0]),
            ("<p><b>one</b> <i>two</i> <a href=/>three</a><br><img>", [5]),
            ("<p><b><i>one</i></b>", [2]),
            ("<div><b>one</b><p>two <i>x</i><i>x</i></p>three</div>", [1, 2, 0]),
            ("<div><a href=/>one</a></div>", [1]),
            ("<x-y>one</x-y>", [1]),
            ("<h2><button>one</button></h2>", [1]),
        ],
    )
    def test_inline_elements_are_counted_block_by_block(self, html: str, expected: list[int]) -> None:
        assert [segment.tags_count for segment in cut(html)] == expected


#: What a page is, its markup, and of each block the text, the element, the level of the heading, and SELECT.
PLACES = [
    ("text directly in BODY", "one<p>two</p>three", "one:body:0 two:p:0 three:body:0"),
    ("text after a nested block", "<div>one<p>two</p>three</div>", "one:div:0 two:p:0 three:div:0"),
    ("an inline element is no place", "<p><b>one</b>", "one:p:0"),
    ("custom elements are inline", "<x-a>one<p>two</p></x-a>", "one:body:0 two:p:0"),
    ("a heading", "<h3>one</h3>two", "one:h3:3 two:body:0"),
    ("a block in a heading", "<h6><div>one</div></h6>", "one:div:6"),
    ("SELECT", "<select><option>one</select>two", "one:option:0:select two:body:0"),
    ("OPTGROUP", "<select><optgroup><option>one", "one:option:0:select"),
    ("HGROUP is no heading", "<hgroup>one", "one:hgroup:0"),
    ("a heading by its role", "<div role=Heading aria-level=' 3 '><p>one</div>two", "one:p:3 two:body:0"),
    ("one without a level", "<div role=heading>one</div>", "one:div:2"),
    ("one with a level that there is not", "<div role=heading aria-level=7>one</div>", "one:div:2"),
    ("an element that is a heading by its name, too", "<h4 role=heading aria-level=2>one</h4>", "one:h4:4"),
    ("text with a level", "<div role=treeitem aria-level=3>one</div>", "one:div:0"),
    ("H7 is no heading", "<h7>one</h7>", "one:body:0"),
]


@pytest.mark.parametrize(("html", "expected"), [c[1:] for c in PLACES], ids=[c[0] for c in PLACES])
def test_a_block_knows_its_place(html: str, expected: str) -> None:
    found = (
        f"{segment.text}:{segment.tag}:{segment.heading_level}{':select' * segment.in_select}" for segment in cut(html)
    )
    assert " ".join(found) == expected


@pytest.mark.parametrize("rules", [REFERENCE, JAVA, WITHOUT_KINDS])
def test_headings_by_their_role_are_none_as_published(rules: TagRules) -> None:
    assert [segment.heading_level for segment in cut("<div role=heading aria-level=3>one</div>", rules)] == [0]


def test_select_in_a_name_is_a_select_in_justext_3_only() -> None:
    html = "<selectors>one<p>two</p></selectors><p>three"
    assert [s.in_select for s in cut(html, REFERENCE)] == [False, True, False]
    assert [s.in_select for s in cut(html)] == [False, False, False]
    segments = cut("<body><selectors><p>one</p>two</selectors></body>", REFERENCE)
    assert [(s.text, s.tag) for s in segments] == [("one", "p"), ("two", "body")]


class TestNoncharacters:
    """What Unicode reserves for use inside of programs is text like other text."""

    @ALL_RULES
    @pytest.mark.parametrize(
        "html",
        [
            "<p>o\ufdd0ne</p><p>t\ufdd1wo</p>",
            "<p>o&#xFDD0;ne</p><p>t&#xFDD1;wo</p>",
            "<p>o&#64976;ne</p><p>t<!-- \ufdd0\ufdd1 -->&#64977;wo</p>",
        ],
        ids=["as characters", "as hexadecimal references", "as decimal references"],
    )
    def test_they_stay(self, html: str, rules: TagRules) -> None:
        assert texts(html, rules) == ["o\ufdd0ne", "t\ufdd1wo"]

    @ALL_RULES
    @pytest.mark.parametrize("sign", [*"[]{}#<>~_+-ib`,.le()|!$fxhct", " ", "/", "\u0110"])
    def test_they_and_the_letters_of_tokens_mean_nothing(self, sign: str, rules: TagRules) -> None:
        text = f"one\ufdd0{sign}\ufdd1{sign}two"
        root = nested(["html", "body", "div"], text)
        root[0][0].tail = "three"
        segments = cut(root, rules)
        assert [(s.text, s.link_characters, s.tags_count) for s in segments] == [(text, 0, 0), ("three", 0, 0)]


class TestTrees:
    def test_xhtml(self) -> None:
        xhtml = (
            '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head>'
            '<body><h1>one</h1><p>two <a href="x">three</a></p></body></html>'
        )
        root = etree.fromstring(xhtml)
        before = etree.tostring(root)
        parsed = parse_html(root).root
        assert parsed is not None
        assert [(s.text, s.tag, s.link_characters) for s in cut(parsed)] == [("one", "h1", 0), ("two three", "p", 5)]
        assert etree.tostring(root) == before

    @ALL_RULES
    def test_a_subtree_is_read_alone_be_it_a_block_or_inline(self, rules: TagRules) -> None:
        root = tree("<h1>x</h1><div>one<p>two</p>three</div>x<p>x</p>")
        assert texts(select(root, "//div")[0], rules) == ["one", "two", "three"]
        root = tree("<p>x <b>one <a>two</a></b> x</p>")
        assert texts(select(root, "//b")[0], rules) == ["one two"]

    @pytest.mark.parametrize("profile", ["justext", "justext-3.0", "learned"])
    @pytest.mark.parametrize(
        ("page", "path"),
        [
            ("<h2>Head <a href='#h'>#</a></h2><p>x", "//h2/a"),
            ("<div class=katex-display><span><math alttext='x_1'><mi>x</mi></math> a</span></div>", "//span"),
            ("<div hidden><p>x<span hidden>y</span></p></div>", "//p"),
        ],
        ids=["the sign of a permalink", "a formula on lines of its own", "a hidden element"],
    )
    def test_a_subtree_is_extracted_as_its_copy(self, page: str, path: str, profile: str) -> None:
        part = select(tree(page), path)[0]
        copied = etree.fromstring(etree.tostring(part, with_tail=False), etree.HTMLParser())[0][0]
        found, expected = (extract(segment, profile=profile, markdown=True, paths=True) for segment in (part, copied))
        assert [(b.text, b.kind) for b in found.blocks] == [(b.text, b.kind) for b in expected.blocks]
        assert (found.markdown, found.title) == (expected.markdown, expected.title)
        assert all(block.xpath for block in found.blocks)

    def test_a_part_of_what_was_cut_out_has_no_title_of_the_old_tree(self) -> None:
        root = tree("<html lang=de><title>T</title><section><div><p>a</p></div></section>")
        section = select(root, "//section")[0]
        section.getparent().remove(section)
        assert extract(root).title == "T"
        for part in (section, section[0]):
            found = extract(part)
            assert (found.title, found.language, [block.text for block in found.blocks]) == ("", "und", ["a"])

    @ALL_RULES
    @pytest.mark.parametrize("depth", [1_000, 2_900, 5_000, pytest.param(20_000, marks=pytest.mark.full)])
    def test_a_tree_made_by_hand_may_be_deep(self, depth: int, rules: TagRules) -> None:
        root = nested(["html", "body", *["div"] * depth], "one")
        root[0].text = "start"
        assert texts(root, rules) == ["start", "one"]

    @ALL_RULES
    def test_inline_elements_and_links_may_nest_deep(self, rules: TagRules) -> None:
        root = nested(["html", "body", *["b", "a"] * 3_000], "one")
        for link in root.iter("a"):
            link.set("href", "/")
        [segment] = cut(root, rules)
        assert (segment.text, segment.link_characters, segment.tags_count) == ("one", 3, 6_000)


@ALL_RULES
@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_a_block_knows_its_tokens(page: Path, rules: TagRules) -> None:
    """Those of blocks follow one another; they hold its text, and between them there is none."""
    blocks, flow = read_blocks(read_nodes(tree(read_page(page))), rules)
    behind = 0
    for segment in blocks:
        assert behind <= segment.begin <= segment.end <= len(flow.codes)
        assert not visible(flow, behind, segment.begin)
        # What stands beside code is left out of its text.
        if segment.kind != "code" and not segment.image_url:
            assert visible(flow, segment.begin, segment.end) == "".join(segment.text.split())
        behind = segment.end
    assert not visible(flow, behind, len(flow.codes))


def visible(flow: Flow, begin: int, end: int) -> str:
    """The text of some tokens without white space."""
    return "".join("".join(flow.text(i) for i in range(begin, end) if flow.codes[i] in "t$ ").split())


ONE_FOR_ALL = {
    "labels in one element with comments beside it": (
        f"<pre>x</pre><p>x</p><p>y</p><div>{'<span class=lang>c</span>' * 60_000}</div>{'<!---->' * 200_000}<p>x"),
    "labels in elements of one with comments beside it": ("<pre>x</pre><p>x</p><p>y</p>"
        f"<div>{'<div><span class=lang>c</span></div>' * 40_000}</div>{'<!---->' * 300_000}<p>x"),
    "numbers that are not selected, in one another": f"<pre>{'<span style=user-select:none>' * 1400}{'1 ' * 1_000_000}",
}  # fmt: skip


@pytest.mark.parametrize("name", ONE_FOR_ALL)
def test_what_many_elements_have_near_them_is_not_looked_at_for_each(name: str) -> None:
    root = tree(ONE_FOR_ALL[name])
    assert processor_seconds(lambda: read_tree(root, MODERN)) < SECONDS


@pytest.mark.parametrize("name", in_part(["td", "b"], 2))
def test_a_tree_made_by_hand_is_read_once_whatever_its_depth(name: str) -> None:
    root = nested(["body", *[name] * 50_000], "deep")
    with pure():
        assert processor_seconds(lambda: extract(root, language="English")) < SECONDS


@pytest.mark.parametrize("line", ["\n", " \r", "\t\n"])
def test_blank_lines_around_preformatted_text_are_passed_once(line: str) -> None:
    def read() -> None:
        [segment] = cut(f"<pre>\n{line * 500_000}one\n two{line * 500_000}</pre>")
        assert segment.text == "one\n two"

    assert processor_seconds(read) < SECONDS


@pytest.mark.parametrize("rules", [MODERN, LENIENT], ids=["modern", "lenient"])
def test_text_behind_lines_of_code_is_passed_once(rules: TagRules) -> None:
    root = tree(f"<p>{'one<br><code>x = 1<br>y</code><br>' * 15_000}{'x' * 9_000_000}")

    def read() -> None:
        assert len(read_tree(root, rules)) == 30_001

    assert processor_seconds(read) < SECONDS


PERMALINKS = [
    ("a heading's link to itself", "<h2>One <a href='#one'>¶</a></h2>", MODERN, 0),
    ("a heading that is a link to itself", "<h2><a href='#one'>One</a></h2>", MODERN, 0),
    ("behind code", "<h2>One <pre>x = 1</pre><a href='#one'>¶</a></h2>", MODERN, 0),
    ("a link to elsewhere", "<h2>One <a href='/two#one'>two</a></h2>", MODERN, 3),
    ("in a paragraph", "<p>One <a href='#two'>two</a></p>", MODERN, 3),
    ("in Boilerpipe", "<h2>One <a href='#one'>¶</a></h2>", WITHOUT_KINDS, 1),
    ("in the reference", "<h2>One <a href='#one'>¶</a></h2>", REFERENCE, 1),
]


@pytest.mark.parametrize(("html", "rules", "expected"), [c[1:] for c in PERMALINKS], ids=[c[0] for c in PERMALINKS])
def test_a_heading_s_link_to_itself_is_no_navigation(html: str, rules: TagRules, expected: int) -> None:
    root = tree(html)
    assert sum(segment.link_characters for segment in read_tree(root, rules)) == expected


@pytest.mark.parametrize("rules", [MODERN, LENIENT], ids=["modern", "lenient"])
def test_the_sign_of_a_heading_s_link_to_itself_is_no_text(rules: TagRules) -> None:
    root = tree(
        "<h2>One<a href='#one'>¶</a></h2><h2><a href='#x'>2</a> <a href='#two'>Two</a></h2><p><a href='#x'>1</a>"
    )
    assert [segment.text for segment in read_tree(root, rules)] == ["One", "Two", "1"]


def test_what_was_written_before_an_error_is_in_no_block() -> None:
    page = read_nodes(tree("<p>one"))
    page.write_text("from before", is_linked=False)
    assert [block.text for block in read_blocks(page, MODERN)[0]] == ["one"]
