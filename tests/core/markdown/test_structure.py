"""Where blocks stand: lists, quotes and tables."""

from __future__ import annotations

import re

import pytest

from scrapy_justext.core.markdown.structure import DEEPEST
from scrapy_justext.core.tags import REFERENCE
from tests.core.markdown.rendering import URL, Case, markdown_of, page_and_text, render, rendered_text

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
    "heading and quote in items": Case(
        "<ul><li><h2>one</h2><li><blockquote>two</blockquote></ul>", "- ## one\n- > two"
    ),
    "code in an item": Case("<ul><li><pre>one\n\ntwo</pre><li>x</ul>", "- ```\n  one\n\n  two\n  ```\n\n- x"),
    "code in a quote": Case("<blockquote><pre>one\n\ntwo</pre></blockquote>", "> ```\n> one\n>\n> two\n> ```"),
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
    for kind, cases in (("containers", CONTAINERS), ("tables", TABLES))
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


def test_lists_are_ordered_where_ol_splits_no_blocks() -> None:
    assert "ol" not in REFERENCE.block_level
    assert markdown_of("<ol><li>one<li>two</ol>", rules=REFERENCE) == "1. one\n2. two"


@pytest.mark.parametrize(
    "html",
    ["<blockquote>" * 2000 + "one", "<ul><li>" * 900 + "one", "<ol><li>one<blockquote>" * 600, "<div>" * 2000 + "one"],
    ids=["quotes", "lists", "lists and quotes", "divisions"],
)
def test_deep_nesting_ends_somewhere(html: str) -> None:
    markdown, text = page_and_text(html)
    assert rendered_text(markdown) == text
    assert max(len(re.findall(r"[->] |[0-9]+\. |    ", line)) for line in markdown.splitlines()) <= 2 * DEEPEST
