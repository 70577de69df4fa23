"""Where blocks stand: lists, quotes and tables."""

import re

import pytest
from lxml import etree

from scrapy_justext.core.extractor import extract
from scrapy_justext.core.markdown import tables
from scrapy_justext.core.markdown.structure import DEEPEST
from scrapy_justext.core.reading.rules import REFERENCE, WITHOUT_KINDS
from tests.core.markdown.rendering import URL, Case, html_of, markdown_of, page_and_text, render, rendered_text

HEADED = "<table><tr><th>a<th>b<tr><td>1<td>2</table>"
UNHEADED = HEADED.replace("th>", "td>")
AB_12 = "| a | b |\n| --- | --- |\n| 1 | 2 |"

CONTAINERS = {
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
    "heading and quote in items": Case("<ul><li><h2>one</h2><li><blockquote>two</blockquote></ul>",
        "- ## one\n- > two"),
    "code in an item": Case("<ul><li><pre>one\n\ntwo</pre><li>x</ul>", "- ```\n  one\n\n  two\n  ```\n\n- x"),
    "code in a quote": Case("<blockquote><pre>one\n\ntwo</pre></blockquote>", "> ```\n> one\n>\n> two\n> ```"),
}  # fmt: skip

CALLOUTS = {
    "admonition": ("<div class='admonition warning'><p>Warning<p>one<p>two</div>", "> [!WARNING]\n> one\n>\n> two"),
    "title": ("<div class='admonition tip'><p>Mind<p>one</div>", "> [!TIP]\n> Mind\n>\n> one"),
    "alert": ("<div class='alert alert-danger'>one</div>x", "> [!CAUTION]\n> one\n\nx"),
    "of GitHub": ("<div class='markdown-alert markdown-alert-important'>one</div>", "> [!IMPORTANT]\n> one"),
    "by its attribute": ("<div class=callout data-callout=info>one</div>", "> [!NOTE]\n> one"),
    "quote": ("<blockquote class='callout tip'>one</blockquote>", "> [!TIP]\n> one"),
    "list": ("<aside class='admonition note'><ul><li>one<li>two</ul></aside>", "> [!NOTE]\n>\n> - one\n> - two"),
    "in an item": ("<ul><li>x<div class='admonition note'>one</div></ul>", "- x\n\n  > [!NOTE]\n  > one"),
    "in a callout": ("<div class='admonition note'>one<div class='alert alert-info'>two</div></div>",
        "> [!NOTE]\n> one\n>\n> two"),
    "two": ("<div class='admonition note'>one</div><div class='admonition note'>two</div>",
        "> [!NOTE]\n> one\n\n> [!NOTE]\n> two"),
    "no type": ("<div class=callout>one</div>", "one"),
    "no callout": ("<div class=note>one</div><body class='alert tip'>", "one"),
}  # fmt: skip


@pytest.mark.parametrize(("html", "markdown"), CALLOUTS.values(), ids=CALLOUTS)
def test_callouts_are_written_as_on_github(html: str, markdown: str) -> None:
    assert markdown_of(html) == markdown


TABLES = {
    "header": Case(HEADED, AB_12),
    "head": Case("<table><thead><tr><td>a<td>b</thead><tr><td>1<td>2</table>", AB_12),
    "no header": Case(UNHEADED, "|  |  |\n| --- | --- |\n| a | b |\n| 1 | 2 |"),
    "caption": Case("<table><caption>c</caption><tr><th>a<th>b<tr><td>1<td>2</table>",
        "c\n\n| a | b |\n| --- | --- |\n| 1 | 2 |"),
    "lines, bars and code in cells": Case(
        "<table><tr><td>a<td>c<br>d<tr><td>a|b<td><code>a|b</code> <code>c</code></table>",
        "|  |  |\n| --- | --- |\n| a | c d |\n| a\\|b | a\\|b `c` |"),
    "columns without text": Case("<table><tr><td><td>a<td>b<tr><td><td><tr><td><td>1<td>2</table>",
        "|  |  |\n| --- | --- |\n| a | b |\n| 1 | 2 |"),
    "starts of lines in cells": Case("<table><tr><td># a<td>- b<tr><td>1. c<td>\\</table>",
        "|  |  |\n| --- | --- |\n| # a | - b |\n| 1. c | \\\\ |"),
    "table in an item": Case("<ul><li><table><tr><th>a<th>b<tr><td>1<td>2</table></ul>",
        "- | a | b |\n  | --- | --- |\n  | 1 | 2 |"),
    "one row": Case("<table><tr><td>a<td>b</table>", "a\n\nb"),
    "one column": Case("<table><tr><td>a<tr><td>b</table>", "a\n\nb"),
    "layout by its role": Case("<table role=presentation><tr><td>a<td>b<tr><td>1<td>2</table>", "a\n\nb\n\n1\n\n2"),
    "layout by tables in it": Case("<table><tr><td>a<td>b<tr><td>c<td><table><tr><td>1</table></table>",
        "a\n\nb\n\nc\n\n1"),
    "layout by headings": Case("<table><tr><td>a<td>b<tr><td>c<td><h2>d</h2></table>", "a\n\nb\n\nc\n\n## d"),
    "layout by many blocks": Case("<table><tr><td>a<td>b<tr><td>c<td><p>d<p>e<p>f<p>g</table>",
        "a\n\nb\n\nc\n\nd\n\ne\n\nf\n\ng"),
}  # fmt: skip

#: What pipe tables cannot show.
HTML_TABLES = {
    "cells over columns and rows": Case(
        "<table><tr><th>a<th colspan=2>b<tr><td rowspan=2>1<td>2<td>3<tr><td>4<td>5</table>",
        '<table>\n<tr><th>a</th><th colspan="2">b</th></tr>\n'
        '<tr><td rowspan="2">1</td><td>2</td><td>3</td></tr>\n<tr><td>4</td><td>5</td></tr>\n</table>'),
    "blocks and lines": Case("<table><tr><td><p>a<p>b &lt;<td>c<br>d<tr><td>*a*|b<td><code>c</code></table>",
        "<table>\n<tr><td><p>a</p><p>b &lt;</p></td><td>c<br>d</td></tr>\n"
        "<tr><td>*a*|b</td><td><code>c</code></td></tr>\n</table>"),
    "lists": Case(
        "<table><tr><th>a<th>b<tr><td>c<td>x<ol start=3><li>d<ul><li>e<li>f</ul><li>g</ol><ol><li>h</ol></table>",
        "<table>\n<tr><th>a</th><th>b</th></tr>\n"
        '<tr><td>c</td><td><p>x</p><ol start="3"><li><p>d</p><ul><li>e</li><li>f</li></ul></li><li>g</li></ol>'
        "<ol><li>h</li></ol></td></tr>\n</table>"),
    "quotes": Case("<table><tr><td>a<td>b<tr><td>c<td><blockquote>d</blockquote></table>",
        "<table>\n<tr><td>a</td><td>b</td></tr>\n<tr><td>c</td><td><blockquote>d</blockquote></td></tr>\n</table>"),
    "code": Case("<table><tr><td>a<td>b<tr><td>c<td><pre class=lang-py>if d:\n\n\n    e = '&lt;'</pre></table>",
        "<table>\n<tr><td>a</td><td>b</td></tr>\n" '<tr><td>c</td><td><pre><code class="language-py">'
        "if d:\n&#10;\n    e = '&lt;'</code></pre></td></tr>\n</table>"),
    "links and emphasis": Case(
        "<table><tr><td>a<td colspan=2>b<tr><td><a href='/(x)?a=1&amp;lt;=2'>c <b><i>d</i></b></a> e<td>f</table>",
        '<table>\n<tr><td>a</td><td colspan="2">b</td></tr>\n'
        '<tr><td><a href="https://example.com/(x)?a=1&amp;lt;=2">c <strong><em>d</em></strong></a> e</td>'
        "<td>f</td></tr>\n</table>"),
    "in an item": Case("<ul><li><table><tr><th>a<th>b<tr><td>1<td><p>2<p>3</table></ul>",
        "- <table>\n  <tr><th>a</th><th>b</th></tr>\n  <tr><td>1</td><td><p>2</p><p>3</p></td></tr>\n  </table>"),
    "too many columns": Case("<table><tr><td>a<td colspan=9999>b<td>c<tr><td>d<td>e</table>",
        '<table>\n<tr><td>a</td><td colspan="64">b</td><td>c</td></tr>\n<tr><td>d</td><td>e</td></tr>\n</table>'),
}  # fmt: skip

#: The same, where pipe tables are asked for.
PIPES = {
    "cells over columns and rows": Case(
        "<table><tr><th>a<th colspan=2>b<tr><td rowspan=2>1<td>2<td>3<tr><td>4<td>5</table>",
        "| a | b |  |\n| --- | --- | --- |\n| 1 | 2 | 3 |\n|  | 4 | 5 |"),
    "blocks, lines, bars and code": Case(
        "<table><tr><td><p>a<p>b<td>c<br>d<tr><td>a|b<td><code>a|b</code> <code>c</code></table>",
        "|  |  |\n| --- | --- |\n| a b | c d |\n| a\\|b | a\\|b `c` |"),
    "lists and code": Case("<table><tr><td>a<td><ul><li>b<li>c</ul><tr><td>1<td><pre>x = 1;\ny</pre></table>",
        "|  |  |\n| --- | --- |\n| a | b c |\n| 1 | `x = 1; y` |"),
}  # fmt: skip


@pytest.mark.parametrize("case", PIPES.values(), ids=PIPES)
def test_a_table_with_more_than_text_becomes_a_pipe_table_where_it_is_asked_for(case: Case) -> None:
    markdown, text = page_and_text(case.html, url=URL, tables=tables.PIPES)
    assert markdown == case.markdown
    assert rendered_text(markdown) == text


@pytest.mark.parametrize(
    "html",
    [
        "<table><tr><th>a<th>b<tr><td><p>1<p>2<td>3</table>",
        "<table><tr><td>a<td><ul><li>b</ul><tr><td colspan=2>1</table>",
        "<blockquote><table><tr><td>a<td>b<tr><td>1<td>2</table></blockquote>",
        "<table><tr><td>a<td>b<tr><td>1<td><h2>2</h2></table>",
        f"<table><tr><td>a<td>b<tr><td>1<td>{'long ' * 50}</table>",
    ],
)
@pytest.mark.parametrize("wanted", tables.TABLES)
def test_tables_are_the_same_where_each_cell_is_a_block(html: str, wanted: str) -> None:
    assert markdown_of(html, rules=WITHOUT_KINDS, tables=wanted) == markdown_of(html, tables=wanted)


def test_tables_and_lists_of_other_trees_and_profiles() -> None:
    table = etree.XML("<table><tr><td>a</td>x<td>b</td></tr><tr><td>1</td><td>2</td></tr></table>")
    assert markdown_of(table, rules=WITHOUT_KINDS) == "a\n\nx\n\nb\n\n1\n\n2"
    assert "ol" not in REFERENCE.block_level
    assert markdown_of("<ol><li>one<li>two</ol>", rules=REFERENCE) == "1. one\n2. two"


#: What is asked of the renderer: the elements that it makes.
STRUCTURES = {
    "list in a list": ("<ul><li>one<ul><li>two</ul><li>three</ul>", "ul li ul li li"),
    "tight numbers": ("<ol><li>one<ol><li>two</ol><li>x</ol>", "ol li ol li li"),
    "two lists": ("<ul><li>one</ul><ul><li>two</ul>", "ul li ul li"),
    "quotes": ("<blockquote>a<blockquote>b</blockquote></blockquote>", "blockquote p blockquote p"),
    "code in an item": ("<ul><li><pre>a\n\nb</pre></ul>", "ul li pre code"),
    "table in a quote": ("<blockquote><table><tr><th>a<th>b<tr><td>1<td>2</table></blockquote>",
        "blockquote table thead tr th th tbody tr td td"),
    "empty header": (UNHEADED, "table thead tr th th tbody tr td td tr td td"),
    "emphasis": ("<b>a</b><i>b</i> <b><i>c</i></b>", "p strong em strong"),
    "code and link": ("<a href=/x><code>a</code></a>", "p a code"),
    "table in text": ("a | b<br>- | -", "p br"),
}  # fmt: skip


@pytest.mark.parametrize(("html", "elements"), STRUCTURES.values(), ids=STRUCTURES)
def test_a_reader_sees_the_structure(html: str, elements: str) -> None:
    assert " ".join(re.findall(r"<([a-z]\w*)", render(markdown_of(html)))) == elements


@pytest.mark.parametrize(
    "html",
    ["<blockquote>" * 2000 + "one", "<ul><li>" * 900 + "one", "<ol><li>one<blockquote>" * 600, "<div>" * 2000 + "one"],
    ids=["quotes", "lists", "lists and quotes", "divisions"],
)
def test_deep_nesting_ends_somewhere(html: str) -> None:
    markdown, text = page_and_text(html)
    assert rendered_text(markdown) == text
    assert max(len(re.findall(r"[->] |[0-9]+\. |    ", line)) for line in markdown.splitlines()) <= 2 * DEEPEST


def test_tables_stay_in_their_quote_and_the_corner_above_two_heads_may_be_empty() -> None:
    table = "<table><tr><th>a<th>b<tr><td>1<td><pre><code>a = 1\n  b = 2\n\nc = 3</code></pre></table>"
    written = extract(f"<blockquote>{table}</blockquote>", tables="keep", markdown=True).markdown
    assert written.startswith("> <table>")
    assert all(line.startswith(">") for line in written.splitlines())
    page = "<table><tr><td></td><th>A<th>B<tr><th>r<td>1<td>2<tr><th>s<td>3<td>4</table>"
    assert extract(page, tables="keep", markdown=True).markdown.startswith("|  | A | B |\n| --- | --- | --- |\n| r |")


HTML = {
    "headings, paragraphs": ("<h1>A <b>b</b></h1><p class=x onclick=y style=z>one<br>two",
        "<h1>A <strong>b</strong></h1>\n<p>one<br>two</p>"),
    "addresses": ("<p><a href=../x?a=1&b=2 onclick=y>one</a> <img src=i.png alt='\"q\"'>",
        '<p><a href="https://example.com/x?a=1&amp;b=2">one</a> '
        '<img src="https://example.com/docs/i.png" alt="&quot;q&quot;"></p>'),
    "scripts": ("<p><a href='javascript:x()'>one</a><script>x()</script>&lt;script&gt;x()&lt;/script&gt;",
        "<p>one&lt;script&gt;x()&lt;/script&gt;</p>"),
    "lists": ("<ol start=3><li>one<ul><li>two<li>three</ul><li value=7>four<li>five</ol>",
        '<ol start="3"><li><p>one</p><ul><li>two</li><li>three</li></ul></li>'
        '<li value="7">four</li><li>five</li></ol>'),
    "quote and callout": ("<blockquote><p>one<p>two</blockquote><div class='admonition tip'>three</div>",
        "<blockquote><p>one</p><p>two</p></blockquote>\n"
        "<blockquote><p><strong>Tip</strong></p><p>three</p></blockquote>"),
    "code": ("<pre><code class='hl language-py'>a &lt; b\n\n  c</code></pre>",
        '<pre><code class="language-py">a &lt; b\n\n  c</code></pre>'),
    "table": ("<table><tr><th colspan=2>a<tr><td>1<td>m<sup>2</sup><tr><td>2<td><p>3<p>4</table>",
        '<table><tr><th colspan="2">a</th></tr><tr><td>1</td><td>m<sup>2</sup></td></tr>'
        "<tr><td>2</td><td><p>3</p><p>4</p></td></tr></table>"),
    "formulas": ("<p>Of $5, <span class='math'>\\(x&lt;y\\)</span>:<p>\\[z\\]",
        "<p>Of $5, \\(x&lt; y\\):</p>\n<p>\\[z\\]</p>"),
    "footnote": ("<p>one<sup><a href='#n1'>1</a></sup><div id=n1>1. two</div>",
        '<p>one<sup><a href="#fn-1">1</a></sup></p>\n<div id="fn-1"><sup>1</sup> two</div>'),
}  # fmt: skip


@pytest.mark.parametrize(("page", "html"), HTML.values(), ids=HTML)
def test_html_has_the_same_structure_and_nothing_else(page: str, html: str) -> None:
    assert html_of(page, url=URL) == html


def test_powers_in_cells_are_no_text_where_markdown_has_a_table_in_html() -> None:
    page = "<table><tr><th colspan=2>a<tr><td>1<td>m<sup>2</sup><tr><td>2<td>3</table>"
    assert "<td>m<sup>2</sup></td>" in markdown_of(page)
