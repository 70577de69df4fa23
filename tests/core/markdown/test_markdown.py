"""What becomes of HTML."""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest

from scrapy_justext import extract
from scrapy_justext.core.markdown.structure import DEEPEST
from scrapy_justext.core.tags import JAVA, REFERENCE
from tests.core.markdown.rendering import collapse, markdown_of, page_and_text, render, rendered_text

URL = "https://example.com/docs/page.html"


class Case(NamedTuple):
    html: str
    markdown: str


BLOCKS = {
    "paragraphs": Case("<p>one<p>two", "one\n\ntwo"),
    "headings": Case("<h1>one</h1><h6>six</h6>", "# one\n\n###### six"),
    "bold headings": Case("<h2><b>one</b> <i>two</i></h2>", "## one *two*"),
    "line break in a heading": Case("<h2>one<br>two</h2>", "## one two"),
    "number signs at the end of a heading": Case("<h2>C #</h2>", "## C \\#"),
    "nothing but number signs": Case("<h2>##</h2>", "## \\##"),
    "line break": Case("<p>one<br>two", "one\\\ntwo"),
    "line breaks at the ends": Case("<p><br>one<br>", "one"),
    "two line breaks": Case("<p>one<br><br>two", "one\n\ntwo"),
    "quote": Case("<blockquote><p>one<p>two</blockquote>", "> one\n>\n> two"),
    "quote after quote": Case("<blockquote>one</blockquote><blockquote>two</blockquote>", "> one\n\n> two"),
    "quote in a quote": Case("<blockquote>one<blockquote>two</blockquote></blockquote>", "> one\n>\n> > two"),
    "list": Case("<ul><li>one<li>two</ul>", "- one\n- two"),
    "numbers": Case("<ol><li>one<li>two</ol>", "1. one\n2. two"),
    "numbers from": Case("<ol start=9><li>one<li>two</ol>", "9. one\n10. two"),
    "a number of its own": Case("<ol><li>one<li value=7>two<li>three</ol>", "1. one\n7. two\n8. three"),
    "numbers downwards": Case("<ol reversed><li>one<li>two</ol>", "2. one\n1. two"),
    "numbers that CommonMark lacks": Case("<ol start=-1><li>one<li>two</ol>", "- one\n\n0. two"),
    "a number too long to read": Case(f"<ol start={'9' * 5000}><li>one</ol>", "1. one"),
    "list in an item": Case("<ul><li>one<ul><li>two</ul><li>three</ul>", "- one\n  - two\n- three"),
    "numbers in an item": Case("<ol><li>one<ol><li>two</ol></ol>", "1. one\n   1. two"),
    "numbers in an item from": Case("<ul><li>one<ol start=2><li>two</ol></ul>", "- one\n\n  2. two"),
    "list right in a list": Case("<ul><li>one</li><ul><li>two</li></ul></ul>", "- one\n  - two"),
    "an item of a list alone": Case("<ul><li><ul><li>one</ul></ul>", "- - one"),
    "paragraphs in an item": Case("<ol><li><p>one<p>two<li>three</ol>", "1. one\n\n   two\n2. three"),
    "list after list": Case("<ul><li>one</ul><ul><li>two</ul><ul><li>three</ul>", "- one\n\n* two\n\n- three"),
    "numbers after numbers": Case("<ol><li>one</ol><ol><li>two</ol>", "1. one\n\n1) two"),
    "numbers after bullets": Case("<ul><li>one</ul><ol><li>two</ol>", "- one\n\n1. two"),
    "item of no list": Case("<div><li>one</li></div>", "- one"),
    "heading and quote in items": Case(
        "<ul><li><h2>one</h2><li><blockquote>two</blockquote></ul>", "- ## one\n- > two"
    ),
    "preformatted": Case("<pre>one\n\n  two\n</pre>", "```\none\n\n  two\n```"),
    "preformatted in a language": Case("<pre><code class='hl language-py'>one</code></pre>", "```py\none\n```"),
    "no language": Case("<pre class='language-`~'>one</pre>", "```\none\n```"),
    "backticks in code": Case("<pre>```\none</pre>", "````\n```\none\n````"),
    "each line of code in an element": Case("<pre><div>one</div><div>two</div></pre>", "```\none\ntwo\n```"),
    "two codes": Case("<pre>one</pre><pre>two</pre>", "```\none\n```\n\n```\ntwo\n```"),
    "code in an item": Case("<ul><li><pre>one\n\ntwo</pre><li>x</ul>", "- ```\n  one\n\n  two\n  ```\n\n- x"),
    "code in a quote": Case("<blockquote><pre>one\n\ntwo</pre></blockquote>", "> ```\n> one\n>\n> two\n> ```"),
}  # fmt: skip

INLINE = {
    "emphasis": Case("<i>one</i> <b>two</b> <em><strong>three</strong></em>", "*one* **two** ***three***"),
    "white space inside": Case("one <b> two </b>three", "one **two** three"),
    "emphasis inside of words": Case("o<b>n</b>e", "o**n**e"),
    "emphasis that CommonMark lacks": Case("<b>one:</b>two", "one:two"),
    "emphasis before punctuation": Case("<b>one:</b>, <b>(two)</b>.", "**one:**, **(two)**."),
    "emphasis side by side": Case("<b>one</b><i>two</i>", "**one**two"),
    "emphasis of one kind side by side": Case("<b>one</b><b>two</b>", "**onetwo**"),
    "emphasis over a line": Case("<b>one<br>two</b>", "**one\\\ntwo**"),
    "nothing in emphasis": Case("one <b> </b><i></i>two", "one two"),
    "symbols in emphasis": Case("x<b>€</b>y", "x€y"),
    "code": Case("one <code>a*b</code> <kbd>c</kbd>", "one `a*b` `c`"),
    "code with backticks": Case("<code>`a</code> <code>a``b</code>", "`` `a `` ```a``b```"),
    "emphasised code": Case("<b><code>one</code> two</b>", "**`one` two**"),
    "code side by side": Case("<code>one</code><b><code>two</code></b>", "`one`**`two`**"),
    "code side by side in emphasis that is left out": Case("<code>one</code><b><code>two</code></b>x", "`onetwo`x"),
    "link": Case("<a href=x.html>one</a>", "[one](https://example.com/docs/x.html)"),
    "link of the page": Case("<a href='#x'>one</a>", f"[one]({URL}#x)"),
    "emphasis in a link": Case("<a href=/x>one <b>two</b></a>", "[one **two**](https://example.com/x)"),
    "link in emphasis": Case("<b>one <a href=/x>two</a></b>", "**one** [**two**](https://example.com/x)"),
    "link around white space": Case("one<a href=/x> two </a>three", "one [two](https://example.com/x) three"),
    "links of one address": Case(
        "<a href=/x>one</a> <a href=/x>two</a>", "[one](https://example.com/x) [two](https://example.com/x)"
    ),
    "link over blocks": Case(
        "<a href=/x><div>one</div><div>two</div></a>", "[one](https://example.com/x)\n\n[two](https://example.com/x)"
    ),
    "link without text": Case("one<a href=/x> </a>two", "one two"),
    "link without address": Case("<a name=x>one</a> <a href=''>two</a>", "one two"),
    "exclamation mark before a link": Case("one!<a href=/x>two</a>", "one\\![two](https://example.com/x)"),
    "parentheses and spaces": Case(
        "<a href='/a (b).html'>one</a>", "[one](https://example.com/a%20\\(b\\).html)"
    ),
    "entity in an address": Case("<a href='/?a=1&amp;lt;=2'>one</a>", "[one](https://example.com/?a=1\\&lt;=2)"),
    "other signs in an address": Case(
        "<a href='/<`|\\>\"'>one</a>", "[one](https://example.com/%3C%60%7C%5C%3E%22)"
    ),
    "mail": Case("<a href=mailto:a@b.c>one</a>", "[one](mailto:a@b.c)"),
    "script": Case("<a href='javascript:alert(1)'>one</a>", "one"),
    "script in disguise": Case("<a href=' JAVA\nscript&#58;alert(1)'>one</a>", "one"),
    "script after a control": Case("<a href='&#1;javascript:alert(1)'>one</a>", "one"),
    "data": Case("<a href='data:text/html,x'>one</a> <a href=vbscript:x>two</a>", "one two"),
    "address that is none": Case("<a href='http://[x'>one</a>", "one"),
    "mark in an address": Case("<a href='/\ufdd0\ufdd1'>one</a>", "[one](https://example.com/\ufffd\ufffd)"),
}  # fmt: skip

ESCAPES = {
    "stars": Case("*one* **two**", "\\*one\\* \\*\\*two\\*\\*"),
    "underscores": Case("_one_ snake_case a__b", "\\_one\\_ snake_case a\\_\\_b"),
    "brackets": Case("[one](two) ![x]", "\\[one\\](two) !\\[x\\]"),
    "backslashes": Case("one\\* \\", "one\\\\\\* \\\\"),
    "backticks": Case("`one`", "\\`one\\`"),
    "tags": Case("&lt;b&gt; 1 &lt; 2", "\\<b> 1 \\< 2"),
    "entities": Case("&amp;amp; &amp;#65; AT&amp;T &amp; x", "\\&amp; \\&#65; AT&T & x"),
    "entity over elements": Case("&amp;<b>amp</b>;", "&**amp**;"),
    "entity over elements that are left out": Case("&amp;<b>amp;</b>x", "\\&amp;x"),
    "tildes": Case("~~one~~", "\\~\\~one\\~\\~"),
    "bar": Case("a | b", "a \\| b"),
    "heading": Case("# one", "\\# one"),
    "no heading": Case("#one", "#one"),
    "bullets": Case("- one<br>+ two<br>-x", "\\- one\\\n\\+ two\\\n-x"),
    "bullet alone": Case("-", "\\-"),
    "numbers": Case("1. one<br>2) two<br>3.x<br>4.", "1\\. one\\\n2\\) two\\\n3.x\\\n4\\."),
    "year": Case("1984. one", "1984\\. one"),
    "number too long": Case("1234567890. one", "1234567890. one"),
    "quote": Case("&gt; one", "\\> one"),
    "underlines": Case("one<br>===<br>two<br>---", "one\\\n===\\\ntwo\\\n\\---"),
    "underline of equals signs": Case("one<br>===", "one\\\n\\==="),
    "rules": Case("***<p>- - -<p>_ _ _", "\\*\\*\\*\n\n\\- - -\n\n\\_ \\_ \\_"),
    "table": Case("a<br>:--<br>--:", "a\\\n\\:--\\\n\\--:"),
    "number before emphasis that is left out": Case("<b>1.</b> one", "**1.** one"),
    "tabs": Case("\tone\ttwo", "one two"),
}  # fmt: skip

TABLES = {
    "header": Case(
        "<table><tr><th>a<th>b<tr><td>1<td>2</table>", "| a | b |\n| --- | --- |\n| 1 | 2 |"
    ),
    "head": Case(
        "<table><thead><tr><td>a<td>b</thead><tr><td>1<td>2</table>", "| a | b |\n| --- | --- |\n| 1 | 2 |"
    ),
    "no header": Case("<table><tr><td>a<td>b<tr><td>1<td>2</table>", "|  |  |\n| --- | --- |\n| a | b |\n| 1 | 2 |"),
    "caption": Case(
        "<table><caption>c</caption><tr><th>a<th>b<tr><td>1<td>2</table>", "c\n\n| a | b |\n| --- | --- |\n| 1 | 2 |"
    ),
    "cells over columns and rows": Case(
        "<table><tr><th>a<th colspan=2>b<tr><td rowspan=2>1<td>2<td>3<tr><td>4<td>5</table>",
        "| a | b |  |\n| --- | --- | --- |\n| 1 | 2 | 3 |\n|  | 4 | 5 |",
    ),
    "blocks, lines, bars and code in cells": Case(
        "<table><tr><td><p>a<p>b<td>c<br>d<tr><td>a|b<td><code>a|b</code> <code>c</code></table>",
        "|  |  |\n| --- | --- |\n| a b | c d |\n| a\\|b | a\\|b `c` |",
    ),
    "starts of lines in cells": Case(
        "<table><tr><td># a<td>- b<tr><td>1. c<td>\\</table>",
        "|  |  |\n| --- | --- |\n| # a | - b |\n| 1. c | \\\\ |",
    ),
    "table in an item": Case(
        "<ul><li><table><tr><th>a<th>b<tr><td>1<td>2</table></ul>", "- | a | b |\n  | --- | --- |\n  | 1 | 2 |"
    ),
    "one row": Case("<table><tr><td>a<td>b</table>", "a\n\nb"),
    "one column": Case("<table><tr><td>a<tr><td>b</table>", "a\n\nb"),
    "layout by its role": Case("<table role=presentation><tr><td>a<td>b<tr><td>1<td>2</table>", "a\n\nb\n\n1\n\n2"),
    "layout by tables in it": Case(
        "<table><tr><td>a<td>b<tr><td>c<td><table><tr><td>1</table></table>", "a\n\nb\n\nc\n\n1"
    ),
    "layout by headings": Case("<table><tr><td>a<td>b<tr><td>c<td><h2>d</h2></table>", "a\n\nb\n\nc\n\n## d"),
    "layout by lists": Case("<table><tr><td>a<td>b<tr><td>c<td><ul><li>d</ul></table>", "a\n\nb\n\nc\n\n- d"),
    "layout by many blocks": Case(
        "<table><tr><td>a<td>b<tr><td>c<td><p>d<p>e<p>f<p>g</table>", "a\n\nb\n\nc\n\nd\n\ne\n\nf\n\ng"
    ),
    "too many columns": Case(
        "<table><tr><td>a<td colspan=9999>b<td>c<tr><td>d<td>e</table>", "a\n\nb\n\nc\n\nd\n\ne"
    ),
}  # fmt: skip

CASES = {
    f"{kind}: {name}": case
    for kind, cases in (("blocks", BLOCKS), ("inline", INLINE), ("escapes", ESCAPES), ("tables", TABLES))
    for name, case in cases.items()
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_html_becomes_markdown(case: Case) -> None:
    assert markdown_of(case.html, url=URL) == case.markdown


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_text_comes_back(case: Case) -> None:
    markdown, text = page_and_text(case.html, url=URL)
    assert rendered_text(markdown) == text


#: What is asked of the renderer: the elements that it makes.
STRUCTURES = {
    "list in a list": ("<ul><li>one<ul><li>two</ul><li>three</ul>", "ul li ul li li"),
    "tight numbers": ("<ol><li>one<ol><li>two</ol><li>x</ol>", "ol li ol li li"),
    "two lists": ("<ul><li>one</ul><ul><li>two</ul>", "ul li ul li"),
    "quotes": ("<blockquote>a<blockquote>b</blockquote></blockquote>", "blockquote p blockquote p"),
    "code in an item": ("<ul><li><pre>a\n\nb</pre></ul>", "ul li pre code"),
    "table in a quote": (
        "<blockquote><table><tr><th>a<th>b<tr><td>1<td>2</table></blockquote>",
        "blockquote table thead tr th th tbody tr td td",
    ),
    "empty header": (
        "<table><tr><td>a<td>b<tr><td>1<td>2</table>", "table thead tr th th tbody tr td td tr td td"
    ),
    "emphasis": ("<b>a</b><i>b</i> <b><i>c</i></b>", "p strong em strong"),
    "code and link": ("<a href=/x><code>a</code></a>", "p a code"),
    "table in text": ("a | b<br>- | -", "p br"),
}  # fmt: skip


@pytest.mark.parametrize(("html", "elements"), STRUCTURES.values(), ids=STRUCTURES)
def test_a_reader_sees_the_structure(html: str, elements: str) -> None:
    assert " ".join(re.findall(r"<([a-z]\w*)", render(markdown_of(html)))) == elements


def test_relative_links_stay_without_an_address() -> None:
    html = "<a href='a.html'>one</a> <a href='//example.com'>two</a>"
    assert markdown_of(html) == "[one](a.html) [two](//example.com)"


def test_an_entity_in_a_relative_address_makes_no_script() -> None:
    html = render(markdown_of("<a href='javascript&amp;colon;alert(1)'>one</a>"))
    assert "javascript&amp;colon;" in html


@pytest.mark.parametrize(
    ("base", "expected"),
    [
        ("/other/", "https://example.com/other/x"),
        ("https://example.org/", "https://example.org/x"),
        ("javascript:alert(1)", "https://example.com/docs/x"),
        ("http://[", "https://example.com/docs/x"),
        ("", "https://example.com/docs/x"),
    ],
)
def test_base_comes_before_the_address_of_the_page(base: str, expected: str) -> None:
    assert markdown_of(f"<base href='{base}'><p><a href=x>one</a>", url=URL) == f"[one]({expected})"


def test_links_of_a_file_are_left_alone() -> None:
    assert markdown_of("<a href=x>one</a>", url="file:///home/me/page.html") == "[one](x)"


IMAGES = {
    "image": Case("<p>one<img src=a.png alt='[two]'>", "one\n\n![\\[two\\]](https://example.com/docs/a.png)"),
    "no ALT": Case("<img src=a.png>", "![](https://example.com/docs/a.png)"),
    "data": Case("<img src=data:image/png;x alt=one>", "one"),
    "data without ALT": Case("<p>one<img src=data:image/png;x>", "one"),
    "data whose ALT looks like a heading": Case("<img src=data:image/png;x alt='# one'>", "\\# one"),
    "data in a heading": Case("<h2><img src=data:image/png;x alt='one #'></h2>", "## one \\#"),
    "in a heading": Case("<h2><img src=a.png alt=one></h2>", "## ![one](https://example.com/docs/a.png)"),
    "in a table": Case(
        "<table><tr><th>a<th>b<tr><td><img src=a.png alt=c><td>1</table>",
        "| a | b |\n| --- | --- |\n| ![c](https://example.com/docs/a.png) | 1 |",
    ),
    "in a link": Case("<a href=x>one<img src=a.png alt=b></a>", "[one](https://example.com/docs/x)\n\n"
                      "![b](https://example.com/docs/a.png)"),
}  # fmt: skip


@pytest.mark.parametrize("case", IMAGES.values(), ids=IMAGES)
def test_images_where_the_profile_makes_blocks_of_them(case: Case) -> None:
    assert markdown_of(case.html, url=URL, rules=JAVA) == case.markdown


def test_lists_are_ordered_where_ol_splits_no_blocks() -> None:
    assert "ol" not in REFERENCE.block_level
    assert markdown_of("<ol><li>one<li>two</ol>", rules=REFERENCE) == "1. one\n2. two"


def test_only_good_blocks_are_written() -> None:
    good = "It was the best of times, it was the worst of times. " * 5
    html = f"<ul><li>Home<li>{good}<li><a href=x>About us</a></ul><h2>Of times</h2><p>{good}<p>© 2024"
    found = extract(html, markdown=True)
    assert found.markdown == f"- {good.strip()}\n\n## Of times\n\n{good.strip()}"
    assert rendered_text(found.markdown) == collapse(found.text)


def test_it_is_made_when_asked_for() -> None:
    good = "It was the best of times, it was the worst of times. " * 5
    assert extract(f"<p>{good}").markdown == ""
    assert extract(f"<p>{good}").to_dict()["markdown"] == ""
    assert extract(f"<p>{good}", markdown=True).to_dict()["markdown"] == good.strip()


def test_text_from_json_ld_is_written_too() -> None:
    html = f"""<script type="application/ld+json">{{"description": "<p>{"A *lamp*. " * 20}</p>"}}</script>"""
    found = extract(html, profile="learned", markdown=True)
    assert found.paragraphs
    assert found.markdown == ("A \\*lamp\\*. " * 20).strip()


@pytest.mark.parametrize("page", ["", " ", "<!DOCTYPE html>", "<p>Home"])
def test_no_content_no_markdown(page: str) -> None:
    assert extract(page, markdown=True).markdown == ""


@pytest.mark.parametrize(
    "html",
    ["<blockquote>" * 2000 + "one", "<ul><li>" * 900 + "one", "<ol><li>one<blockquote>" * 600, "<div>" * 2000 + "one"],
    ids=["quotes", "lists", "lists and quotes", "divisions"],
)
def test_deep_nesting_ends_somewhere(html: str) -> None:
    markdown, text = page_and_text(html)
    assert rendered_text(markdown) == text
    assert max(len(re.findall(r"[->] |[0-9]+\. |    ", line)) for line in markdown.splitlines()) <= 2 * DEEPEST


def test_100_000_blocks() -> None:
    markdown, text = page_and_text("<ol start=0>" + "<li>one\n<a href='x\ny' title='\n\n'>two</a>" * 100_000)
    assert markdown.count("\n") == 99_999
    assert markdown.endswith("\n99999. one [two](xy)")
    assert len(text) == 800_000 - 1
