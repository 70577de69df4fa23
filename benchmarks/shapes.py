"""Pages that would flood a reader: one shape each, of any size.  Only data.

A shape is a function of the characters that its page is to have, about.  A page of so many times the characters has no
more than so many times the parts.  Names are ``kind: what``.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from math import ceil
from random import Random

Shape = Callable[[int], "str | bytes"]

SENTENCE = "It was the best of times, it was the worst of times, and the age of wisdom that we had before us all. "
GOOD = f"<p>{SENTENCE * 2}</p>"

#: Elements inside one another, at the most: parsers stop at 2,048.
DEEP = 1900


def repeat(part: str, before: str = "", after: str = "") -> Shape:
    """Return a shape of one part, again and again.

    >>> repeat("<br>", "a", "b")(8)
    'a<br><br>b'
    """
    return lambda size: f"{before}{part * ceil(size / len(part))}{after}"


def numbered(part: str, before: str = "", after: str = "") -> Shape:
    """Return a shape whose parts differ: each has its number in place of ``#``.

    >>> numbered("<p id=#>")(16)
    '<p id=0><p id=1>'
    """

    def page(size: int) -> str:
        numbers = map(str, range(ceil(size / len(part))))
        return f"{before}{''.join(part.replace('#', number) for number in numbers)}{after}"

    return page


def nested(opening: str, closing: str = "", inside: str = "one", depth: int = DEEP, *, before: str = "") -> Shape:
    """Return a shape of stacks, ``depth`` deep, the last of them as deep as there is room."""

    def page(size: int) -> str:
        stacks, rest = divmod(ceil(size / len(opening + closing)), depth)
        levels = [*[depth] * stacks, rest]
        return before + "".join(f"{opening * level}{inside}{closing * level}" for level in levels)

    return page


def below(part: str, opening: str = "<div>", after: str = "") -> Shape:
    """Return a shape of parts that all stand at the bottom of one deep stack."""
    return lambda size: repeat(part, opening * min(DEEP, size // (2 * len(opening))), after)(size // 2)


def in_math(shape: Shape) -> Shape:
    """Return a shape inside one formula."""
    return lambda size: f"<p><math>{shape(size)!s}</math>"


def attribute(before: str, part: str, after: str) -> Shape:
    """Return a shape of one value that grows between ``before`` and ``after``, with good text around it."""
    return repeat(part, GOOD + before, after + GOOD)


def encoded(shape: Shape, encoding: str, before: bytes = b"") -> Shape:
    """Return a shape in the bytes of an encoding."""
    return lambda size: before + str(shape(size)).encode(encoding, "replace")


def script(part: str, before: str = "", after: str = "", kind: str = "application/ld+json") -> Shape:
    """Return a shape of one script that grows, on a page with next to no text."""
    return repeat(part, f'<p>x</p><script type="{kind}">{before}', f"{after}</script>")


def scripts(content: str, kind: str = "application/ld+json") -> Shape:
    """Return a shape of many scripts, on a page with next to no text."""
    return repeat(f'<script type="{kind}">{content}</script>', "<p>x</p>")


def _links_with_base(size: int) -> str:
    base = f"https://example.com/{'a/' * (size // 4)}"
    return f"<base href={base}>{GOOD}<p>{f'{SENTENCE}<a href=x.html>one</a> ' * (size // 2 // (len(SENTENCE) + 24))}"


def _base_and_many_links(size: int) -> str:
    links = "".join(f"<a href={i}>x</a>" for i in range(size // 40))
    return f"<base href=https://example.com/{'a/' * (size // 4)}>{links}"


def _long_link(size: int) -> str:
    return f"<a href='/{'x' * (size // 2)}'>{'<p>one ' * (size // 14)}"


def _long_links_inside(size: int) -> str:
    return f"<p><a href='/{'x' * (size // 2)}'>{'one <a href=y>two</a> ' * (size // 44)}"


def _labels_and_comments(size: int) -> str:
    labels = "<span class=lang>c</span>" * (size // 50)
    return f"<pre>x = 1</pre>{GOOD}{GOOD}<div>{labels}</div>{'<!---->' * (size // 14)}<p>x"


def _column_widths(size: int) -> str:
    rows = "<tr><td>x" * (size // 9)
    return f"<table><tr>{'<td>one' * 60}{rows}</table>"


_SENTENCES = {
    "Chinese": "这把铜壶由一整块铜板打造而成，内壁以手工镀锡，壶柄为胡桃木。",
    "Japanese": "この銅のやかんは一枚の銅板から作られ、内側は手作業で錫めっきされています。",
    "Thai": "กาต้มน้ำนี้ทำจากแผ่นทองแดงแผ่นเดียวและเคลือบดีบุกด้วยมือ",
    "Khmer": "កំសៀវនេះធ្វើពីបន្ទះស្ពាន់មួយសន្លឹកនិងស្រោបសំណប៉ាហាំងដោយដៃ",
    "Burmese": "ဤကြေးအိုးကိုကြေးပြားတစ်ခုတည်းဖြင့်ပြုလုပ်ထားသည်။",
    "Tibetan": "ཟངས་ཀྱི་ཇ་ཁོག་འདི་ཟངས་ལེབ་གཅིག་ལས་བཟོས་པ་རེད། ",
    "Korean": "이 구리 주전자는 한 장의 구리판으로 만들어졌습니다. ",
    "Arabic": "صنعت هذه الغلاية من صفيحة واحدة من النحاس، وطليت بالقصدير يدويا. ",
    "Cherokee": "ᎣᏏᏲ ᎠᏂᏴᏫᏯ ᎤᎾᏓᏅᏙ ᎤᎾᎵᎮᎵᏨᎯ ",
}

_BLOCKS = ("address", "article", "aside", "blockquote", "center", "dd", "details", "dialog", "dl", "dt", "fieldset",
           "figure", "footer", "form", "header", "hgroup", "legend", "main", "nav", "pre", "search", "section",
           "summary")  # fmt: skip
_INLINE = ("a", "abbr", "b", "bdo", "code", "font", "i", "label", "mark", "q", "ruby", "small", "span", "u")
_REMOVED = ("audio", "button", "canvas", "datalist", "embed", "iframe", "math", "noscript", "object", "script", "style",
            "svg", "template", "video")  # fmt: skip

TEXT: dict[str, Shape] = {
    "one paragraph": repeat(SENTENCE, "<p>"),
    "one word": repeat("x", "<p>"),
    "one word in good text": repeat("x", f"{GOOD}<p>"),
    "no tags": repeat(SENTENCE),
    "words of a letter": repeat("a ", "<p>"),
    "stop words": repeat("the ", "<p>"),
    "spaces": repeat(" ", "<p>x", "x"),
    "line feeds": repeat("\n", "<p>x", "x"),
    "carriage returns": repeat(" \r", "<p>x", "x"),
    "wide spaces": repeat("\u3000\u2003", "<p>x", "x"),
    "no-break spaces": repeat("\xa0", "<p>x", "x"),
    "zero-width spaces": repeat("\u200b", "<p>x", "x"),
    "form feeds and tabs": repeat("\x0c\t\x0b", "<p>x", "x"),
    "words with wide gaps": repeat("word" + " " * 60, "<p>"),
    "separators": repeat("one\u2028two\u2029", "<p>"),
    "soft hyphens": repeat("so\xadft ", "<p>"),
    "combining": repeat("\u0301", "<p>a"),
    "combining in words": repeat("e\u0301\u0327 ", "<p>"),
    "bidi controls": repeat("\u202eone\u202c \u2066two\u2069 ", "<p>"),
    "joined pictures": repeat("👩‍👩‍👧‍👦", "<p>"),
    "flags": repeat("🇩🇪", "<p>"),
    "NUL": repeat("\0one ", "<p>"),
    "nothing but NUL": repeat("\0", "<p>x"),
    "controls": repeat("\x01\x02\x1f\x7f ", "<p>"),
    "C1 controls": repeat("\x80\x9f\x85 ", "<p>"),
    "noncharacters": repeat("\ufffe\uffff\ufdef ", "<p>"),
    "marks of our own": repeat("one\ufdd0two\ufdd1three\ufdd2", "<p>"),
    "marks in blocks": repeat("one\ufdd0<p>two\ufdd1x"),
    "surrogates": repeat("\ud83d one \ude00 ", "<p>"),
    "private use": repeat("\ue000\U000f0000", "<p>"),
    "replacement characters": repeat("\ufffd ", "<p>"),
    "case that grows": repeat("ßİŉ ", "<p>"),
    "full-width copyright": repeat("（c）", "<p>"),
    "copyright": repeat("<p>© one &copy", "", ""),
    "commas": repeat(",.;:!? ", "<p>"),
    "digits": repeat("1234567890", "<p>"),
    "long numbers in items": repeat("1. ", "<p>"),
    "stars and underscores": repeat("*_", f"{GOOD}<p>"),
    "backticks": repeat("` ``` ", f"{GOOD}<p>"),
    "brackets": repeat("[", f"{GOOD}<p>"),
    "tildes and bars": repeat("~|", f"{GOOD}<p>"),
    "backslashes": repeat("\\", f"{GOOD}<p>"),
    "starts of lines": repeat("# - + 1. &gt; ===<br>", f"{GOOD}<p>"),
    "hashes": repeat("#", f"{GOOD}<h2>one "),
    "dashes in lines": repeat("---<br>", f"{GOOD}<p>"),
    "comparisons": repeat("a < b > c & d ", "<p>"),
    "scripts alternate": repeat("one 这把 กา ", "<p>"),
    "unknown letters": repeat("ᚠᚢᚦ ", "<p>"),
    **{f"{language}, one paragraph": repeat(text, "<p>") for language, text in _SENTENCES.items()},
    **{f"{language}, paragraphs": repeat(f"<p>{text * 4}") for language, text in _SENTENCES.items()},
    "Chinese, a character each": repeat("<p>的"),
    "Chinese, the same character": repeat("的", "<p>"),
    "Thai without spaces between tags": repeat("กา<b>ต้ม</b>", "<p>"),
}

ENTITIES: dict[str, Shape] = {
    "named": repeat("&eacute;&nbsp;&amp;", "<p>"),
    "numbered": repeat("&#65;&#x42; ", "<p>"),
    "huge numbers": repeat("&#99999999999;", "<p>"),
    "one with many digits": repeat("9", "<p>&#", ";"),
    "zero": repeat("&#0;", "<p>"),
    "not closed": repeat("&lt", "<p>"),
    "unknown": repeat("&unknown;", "<p>"),
    "ampersands": repeat("&", "<p>"),
    "long name": repeat("x", "<p>&", ";"),
    "escaped markup": repeat("&lt;p&gt;one&lt;/p&gt;", f"{GOOD}<p>"),
    "escaped twice": repeat("&amp;amp;lt; ", f"{GOOD}<p>"),
    "in attributes": repeat("&amp;", f"{GOOD}<a href='/?", f"'>one</a>{GOOD}"),
}

BREAKS: dict[str, Shape] = {
    "one each": repeat("one<br>"),
    "two each": repeat("one<br><br>"),
    "three each": repeat("one <br> <br> <br>"),
    "nothing else": repeat("<br>", "one", "two"),
    "with spaces": repeat(" <br>\n", "one", "two"),
    "in good text": repeat(f"{SENTENCE}<br>", GOOD),
    "pairs in good text": repeat(f"{SENTENCE}<br><br>", GOOD),
    "in a link": repeat("one<br>", f"{GOOD}<p><a href=/x>"),
    "in bold": repeat("one<br><br>", f"{GOOD}<p><b><i>"),
    "in a heading": repeat("one<br><br>", f"{GOOD}<h2>"),
    "with comments": repeat("<br><!-- x -->"),
    "with content": repeat("<br>one</br>"),
    "word break": repeat("x<wbr>", "<p>"),
    "rules": repeat("one<hr>"),
    "rules alone": repeat("<hr>"),
}

BLOCKS: dict[str, Shape] = {
    "short paragraphs": repeat("<p>x"),
    "closed paragraphs": repeat("<p>one</p>"),
    "different paragraphs": numbered("<p>one #"),
    "good paragraphs": repeat(GOOD),
    "near-good paragraphs": repeat(f"<p>{SENTENCE}"),
    "near-good between good and bad": repeat(f"<p>{SENTENCE}</p><p>x</p>", GOOD),
    "short between good": repeat(f"<p>x</p>{GOOD}"),
    "empty paragraphs": repeat("<p></p>"),
    "empty divisions": repeat("<div></div>"),
    "divisions": repeat("<div>x</div>"),
    "text between paragraphs": repeat("x<p>y</p>"),
    "paragraphs behind the end": repeat("<p>x", "<html><body><p>one</body></html>"),
    "ends of the page": repeat("</html><p>x"),
    "ends of the body": repeat("</body><p>x"),
    "comments behind the end": repeat("<!-- x -->", "<html><body><p>one</body></html>"),
    "ends of paragraphs": repeat("one</p>"),
    "ends that nothing began": repeat("one</div></span>"),
    "unknown ends": repeat("</foo>"),
    "bodies": repeat("<body>x"),
    "pages": repeat("<html><head><title>x</title></head><body><p>one</body></html>"),
    "heads": repeat("<head><title>x</title></head><p>x"),
    "doctypes": repeat("<!DOCTYPE html><p>x"),
    "frames": repeat("<frame>", "<frameset>"),
    "crossed": repeat("<b><p><i>x</b></p></i>"),
    "crossed tables": repeat("<table><b><tr>x</b>"),
    **{f"{name}": repeat(f"<{name}>x</{name}>") for name in _BLOCKS},
    **{f"{name} not closed": repeat(f"<{name}>x") for name in ("section", "center", "form", "blockquote")},
}

HEADINGS: dict[str, Shape] = {
    "alone": repeat("<h2>one</h2>"),
    "before good text": repeat("<h2>one</h2>", after=GOOD),
    "with good text each": repeat(f"<h2>one</h2>{GOOD}"),
    "of all levels": repeat("".join(f"<h{level}>one</h{level}>" for level in range(1, 7))),
    "long, with good text each": repeat(f"<h1>{SENTENCE * 3}</h1>{GOOD}"),
    "not closed": repeat("<h1>x"),
    "blocks in one": repeat("<div>x</div>", f"{GOOD}<h1>", f"</h1>{GOOD}"),
    "in one another": nested("<h1>", inside=GOOD),
    "accordion buttons": repeat(f"<h2><button>one</button></h2>{GOOD}"),
    "long titles": repeat("x", "<title>", f"</title>{GOOD}"),
    "titles": repeat("<title>x</title>"),
    "deep titles": below("<svg><title>x</title></svg>"),
}

LISTS: dict[str, Shape] = {
    "items": repeat("<li>one", "<ul>"),
    "items with bold": repeat("<li>item <b>bold</b></li>", "<ul>", "</ul>"),
    "numbered items": repeat("<li>one", f"{GOOD}<ol>"),
    "numbers of their own": numbered("<li value=#>one", f"{GOOD}<ol>"),
    "huge numbers": repeat("<li value=999999999>one", f"{GOOD}<ol start=999999998 reversed>"),
    "items without a list": repeat(f"<li>{SENTENCE}"),
    "lists of an item": repeat("<ul><li>one</ul>"),
    "lists in lists": nested("<ul><li>one"),
    "lists right in lists": nested("<ul>", inside="<li>one"),
    "lists and quotes": repeat("<li>one<blockquote>two"),
    "quotes": repeat(f"<blockquote>{GOOD}</blockquote>"),
    "quotes in quotes": nested("<blockquote>", inside=GOOD),
    "quoted lines of code": repeat("x\n", f"{GOOD}{'<blockquote><ol start=99999999><li>' * 8}<pre>"),
    "items with good text": repeat(f"<li><p>{SENTENCE}<p>{SENTENCE}", f"{GOOD}<ul>"),
    "definitions": repeat("<dt>one<dd>two", "<dl>"),
    "definitions in definitions": nested("<dl><dd>", inside=GOOD),
    "menus": repeat("<li><a href=/>one</a>", "<ul>"),
    "dir and menu": repeat("<dir><li>x</dir><menu><li>y</menu>"),
}

TABLES: dict[str, Shape] = {
    "rows": repeat(f"<tr><td>{SENTENCE * 3}<td>{SENTENCE * 3}", "<table>"),
    "short rows": repeat("<tr><td>x<td>y", f"{GOOD}<table>"),
    "results in rows": repeat("<tr><td><p><a>x</a><p>y<p>z<td>x", f"{GOOD}<table><tr><th>x<th>y"),
    "cells of one row": repeat("<td>x", "<table><tr>"),
    "rows of one cell": repeat("<tr><td>x", "<table>"),
    "sparse": _column_widths,
    "spans over rows": repeat("<tr>" + "<td rowspan=65000>x" * 8, "<table>", "</table>"),
    "spans over columns": repeat("<tr><td colspan=1000>x<td>y", "<table>"),
    "spans of many digits": repeat("9", "<table><tr><td rowspan=", ">x</table>"),
    "columns": repeat("<col>", "<table>"),
    "captions": repeat("<caption>x</caption>", "<table>"),
    "tables": repeat("<table><tr><td>x</table>"),
    "tables in tables": nested("<table><tr><td>", inside=GOOD),
    "tables in tables, not in cells": nested("<table>", inside=GOOD),
    "tables beside tables in a table": repeat("<table><tr><td>x</table>", "<table><tr><td>"),
    "heads and feet": repeat("<thead><tr><th>x<tbody><tr><td>y<tfoot><tr><td>z", "<table>"),
    "blocks in a cell": repeat("<p>x", f"<table><tr><th>{SENTENCE}<tr><td>"),
    "bars in cells": repeat("<tr><td>a|b<td><code>c|d</code>", f"{GOOD}<table>"),
    "text that belongs before": repeat("x<tr>", "<table>"),
    "spaces in rows": repeat(" <tr> <td> ", "<table>"),
}

PREFORMATTED: dict[str, Shape] = {
    "lines": repeat("a line\n", "<pre>"),
    "blank lines at the start": repeat("\n", f"{GOOD}<pre>\n", "x</pre>"),
    "blank lines at the end": repeat("\n", f"{GOOD}<pre>x", "</pre>"),
    "carriage returns at the start": repeat(" \r", f"{GOOD}<pre>\n", "x</pre>"),
    "spaces before lines": repeat(" " * 70 + "x\n", f"{GOOD}<pre>"),
    "one line": repeat("x ", f"{GOOD}<pre>"),
    "backticks": repeat("`", f"{GOOD}<pre>"),
    "highlighted": repeat("<span class=k>def</span> x\n", f"{GOOD}<pre><code class=language-python>"),
    "blocks of code": repeat("<pre>x = 1\ny = 2</pre>"),
    "in one another": nested("<pre>", inside="one\n\ntwo"),
    "lines of CODE": repeat("<code>x = 1</code><br>", f"{GOOD}<p>"),
    "lines in a CODE": repeat("x = 1<br>", f"{GOOD}<p><code>"),
    "lines in CODE": repeat("<p><code>x = 1<br>y</code>"),
    "lines in CODE between text": repeat("one<br><code>x = 1<br>y</code><br>", f"{GOOD}<p>"),
    "CODE in one another with lines": nested("<code>", inside="x = 1<br>y"),
    "DIVs in CODE": repeat("<div>x = 1;</div>", "<div><code>"),
    "DIVs in CODE in one another": nested("<div><code>", inside="x = 1;<br>y", depth=DEEP // 2),
    "CODE not closed": repeat("<p><code>x = 1<br>y"),
    "lines of an editor": repeat("<div class=cm-line>x = 1</div>", "<div class=cm-content>"),
    "editors": repeat("<div class=CodeMirror><pre>x = 1</pre><pre>y</pre></div>"),
    "editors in one another": nested("<div class='CodeMirror x'>", inside="<div>one</div>"),
    "white space in an editor": repeat("<b> </b>\n ", f"{GOOD}<div class=cm-content>x", "y</div>"),
    "line feeds in an editor": repeat("x\n <i>\n</i>", f"{GOOD}<div class=cm-content>"),
    "lists of lines": repeat("<ol class=linenums><li>x = 1<li>y</ol>"),
    "lists of lines in one another": nested("<ol><li><div class=de1>", depth=DEEP // 3),
    "a table of lines": repeat("<tr>\n <td class=lines-num>1\n <td class=lines-code>\n x = 1\n", "<table>"),
    "text areas": repeat("<textarea>x\ny</textarea>"),
    "labels": repeat("<span class=lang>c</span>", f"{GOOD}<pre>x = 1</pre>"),
    "labels, comments beside them": _labels_and_comments,
    "labels in labels": nested("<div class=lang>", "</div>", "c"),
    "labels of code each": repeat(
        "<div class=code-head><span>python</span><button>Copy</button></div><pre>x = 1</pre>"
    ),
    "a long label": repeat("c ", f"{GOOD}<div class=lang>", "</div><pre>x = 1</pre>"),
    "long labels in one another": repeat("copy ", f"{GOOD}{'<div class=lang>' * 5}", f"{'</div>' * 5}<pre>x = 1</pre>"),
    "a label of many elements": repeat("<i></i>", f"{GOOD}<div class=lang><b>", "</b></div><pre>x = 1</pre>"),
    "line numbers": repeat("<div class=linenum>1</div>", f"{GOOD}<pre>x = 1</pre>"),
    "line numbers of one list": repeat("1 ", f"{GOOD}<div class=linenum>", "</div><pre>x = 1</pre>"),
    "line numbers in one another": below("1 ", "<div class=linenum>", "<pre>x = 1</pre>"),
    "line numbers that are not selected": below("1 ", "<span style=user-select:none>"),
    "line numbers that are not selected, in code": lambda size: (
        f"<pre>{'<span style=user-select:none>' * min(DEEP, size // 60)}{'1 ' * (size // 4)}"
    ),
    "prompts": repeat("<div class=prompt>In [1]:</div><pre>x = 1</pre>"),
    "prompts in one another": below("In [1]: ", "<div class=prompt>"),
    "bars in code": repeat("<div>c</div><code>x = 1</code>", f"{GOOD}<pre>"),
    "bars in one another in code": nested("<pre><div>", inside="c", depth=DEEP // 2),
    "in one element of many classes": lambda size: f"<div class='{'c ' * (size // 4)}'>{'<pre>x</pre>' * (size // 24)}",
    "listing": repeat("x\n", f"{GOOD}<listing>"),
    "plaintext": repeat("x<p>\n", f"{GOOD}<plaintext>"),
}

LINKS: dict[str, Shape] = {
    "in one paragraph": repeat("<a href=x>one</a> "),
    "in a paragraph each": repeat("<p><a href=x>one</a>"),
    "in good text": repeat(f"{SENTENCE * 2}<a href=x>one</a> ", "<p>"),
    "different, in good text": numbered(f"{SENTENCE}<a href=#>one</a> ", "<p>"),
    "not closed": repeat("<p><a href=x>one"),
    "not closed, in one paragraph": repeat("<a href=x>one ", "<p>"),
    "without text": repeat("<a href=x></a>", "<p>x"),
    "letters of a word": repeat("<a href=x>o</a>n", "<p>"),
    "around blocks": repeat("<a href=x><div>one</div></a>"),
    "around all": repeat("<p>one", "<a href=/x>"),
    "with a long BASE": _links_with_base,
    "different, with a long BASE": _base_and_many_links,
    "a long one around blocks": _long_link,
    "others in a long one": _long_links_inside,
    "a long address": attribute("<p><a href='/", "x", "'>one</a>"),
    "a path of many parts": attribute("<p><a href='", "../", "'>one</a>"),
    "parentheses and spaces": attribute("<p><a href='/", "( )", "'>one</a>"),
    "scripts": repeat(f"{SENTENCE}<a href=javascript:x>one</a> ", "<p>"),
    "bases": repeat("<base href=/x>"),
    "images": repeat("<img src=x alt=one>"),
    "images in good text": repeat(f"{GOOD}<img src=x alt=''><h2>x</h2>"),
    "images in links": repeat("<a href=x><img src=y></a>"),
    "an image with a long ALT": attribute("<img src=x alt='", "one ", "'>"),
    "an image of data": attribute("<img alt=x src='data:image/png;base64,", "AAAA", "'>"),
    "a map": repeat("<area href=x alt=one>", "<map>"),
    "in SELECT": repeat("<option><a href=x>one</a>", "<select>"),
    "exclamation marks": repeat("!<a href=x>one</a>", GOOD + "<p>"),
}

INLINE: dict[str, Shape] = {
    **{f"{name}": repeat(f"<{name}>one</{name}>") for name in _INLINE},
    **{f"{name} in one another": nested(f"<{name}>", inside="one") for name in ("b", "span", "font", "a", "code")},
    "not closed": repeat("<b>one"),
    "not closed over paragraphs": repeat("<p><b>one"),
    "formatting over paragraphs": repeat("<b><i><u><p>x"),
    "bold and links": repeat("<b>one</b><a href=x>two</a>", f"<p>{SENTENCE}"),
    "emphasis side by side": repeat("<b>a</b><i>b</i>", GOOD + "<p>"),
    "emphasis that is left out": repeat("<b>a:</b>b", GOOD + "<p>"),
    "empty": repeat("<b></b>", "<p>x"),
    "deep, with blocks": below("<p>x", "<span>"),
    "deep, with words": below("<b>x</b>", "<span>"),
    "nobody's elements": repeat("<x-y>one</x-y>"),
    "elements with long names": repeat("x", "<p>one<a", ">two"),
    "elements of many names": numbered("<x#>one</x#>"),
    "elements with colons": repeat("<o:p>one</o:p>"),
    "elements with quotes": repeat('<foo"bar>one'),
    "ruby": repeat("<ruby>漢<rp>(</rp><rt>kan</rt></ruby>", "<p>"),
    "code": repeat("<code>`a`</code> b ", GOOD + "<p>"),
    "languages": numbered("<p lang=x#>one"),
}

DEEP_AND_WIDE: dict[str, Shape] = {
    "divisions": nested("<div>", inside=GOOD),
    "divisions with text": nested("<div>a"),
    "divisions, closed": nested("<div>", "</div>"),
    "divisions, short stacks": nested("<div>", "</div>", depth=60),
    "sections with text on both sides": nested("<section>a", "b</section>"),
    "too deep": repeat("<div>x"),
    "paragraphs below": below("<p>x"),
    "good paragraphs below": below(GOOD),
    "buttons below": below("<button>x</button>"),
    "hidden below": below("<i hidden>x</i>"),
    "links below": below("<a href=x>one</a> "),
    "headings below": below("<h2>x</h2>"),
    "table cells below": below("<td>x", after=""),
    "selects below": below("<select><option>x</select>"),
    "scripts below": below("<script>x</script>"),
    "articles below": below("<article><p>x</article>", "<span>"),
    "pre below": below("<pre>x\ny</pre>"),
    "a comb": repeat("<div><p>x</p></div>"),
    "a stair": repeat("<div><p>x"),
    "many children with text between": repeat("<i>x</i>y", "<div>"),
    "few names, many paths": numbered("<div class=c#><p>x</div>"),
    "good text at every level": nested(f"<div>{GOOD}"),
    "lists and tables in turn": nested("<ul><li><table><tr><td>", inside=GOOD, depth=DEEP // 5),
}

REMOVED: dict[str, Shape] = {
    **{name: repeat(f"<{name}>x</{name}>one") for name in _REMOVED},
    **{f"{name} in one another": nested(f"<{name}>") for name in ("svg", "object", "template", "noscript", "button")},
    "hidden": repeat("<p hidden>x</p>one"),
    "hidden in hidden": nested("<div hidden>"),
    "hidden panels": repeat("<b aria-expanded=false>x</b><p hidden>one</p>"),
    "hidden with good text": repeat(f"<div hidden>{GOOD}</div>"),
    "hidden by style": repeat("<p style='display:none'>x</p>one"),
    "comments": repeat("<!-- x -->one"),
    "one comment": repeat("x", "<p>one<!--", "--><p>two"),
    "comments not closed": repeat("<!--"),
    "dashes in a comment": repeat("-", "<p>one<!--", "><p>two"),
    "instructions": repeat("<?x y?>one"),
    "instruction not closed": repeat("x", "<p>one<?"),
    "CDATA": repeat("<![CDATA[x]]>one"),
    "conditional comments": repeat("<!--[if IE]>x<![endif]-->one"),
    "one script": repeat("x = 1;", "<p>one<script>", "</script>"),
    "script not closed": repeat("x = 1;", "<p>one<script>"),
    "half ends of a script": repeat("</scrip", "<p>one<script>", "</script>"),
    "comment in a script": repeat("<!--<script>", "<p>one<script>", "</script>"),
    "SVG with text": repeat("<svg><text>x</text><foreignObject><p>y</p></foreignObject></svg>"),
    "an SVG of many paths": repeat('<path d="M0 0"/>', "<p>one<svg>", "</svg>"),
    "MathML": repeat("<math><mi>x</mi><mo>=</mo></math>", "<p>"),
    "shadow roots": repeat(f"<template shadowrootmode=open>{GOOD}</template>"),
    "streamed": numbered(f'<div hidden id="S:#">{GOOD}</div><script>$RC("B:#","S:#")</script>'),
    "meta": repeat("<meta name=x content=y>"),
    "stylesheets": repeat("<link rel=StyleSheet href=x>"),
    "nested stylesheets": nested("<link rel=stylesheet>"),
    "declared languages": numbered("<meta http-equiv=content-language content='x#, en'>"),
    "a long declared language": repeat("x-y, ", "<html lang='", f"'>{GOOD}"),
}

FORMS: dict[str, Shape] = {
    "options": repeat("<option>one", "<select>"),
    "options with values": numbered("<option value=#>Country #", "<form><select>"),
    "groups of options": repeat("<optgroup label=x><option>one", "<select>"),
    "selects": repeat("<select><option>x</select>"),
    "selects in one another": nested("<select>"),
    "selects in their names": repeat("<xselect>one</xselect>"),
    "forms": repeat("<form><input><label>x</label></form>"),
    "forms in one another": nested("<form>"),
    "inputs": repeat("<input value=x>"),
    "labels": repeat("<label>one<input></label>"),
    "field sets": repeat("<fieldset><legend>x</legend>one"),
    "buttons": repeat("<button>x</button>"),
    "buttons not closed": repeat("<button>x"),
    "data lists": repeat("<option>x", "<datalist>"),
    "progress": repeat("<meter>x</meter><progress>y</progress>"),
    "key generators": repeat("<keygen><isindex>"),
}

ATTRIBUTES: dict[str, Shape] = {
    "of one element": numbered(" a#=1", "<p", f">one</p>{GOOD}"),
    "the same again": repeat(" a=1", "<p", f">one</p>{GOOD}"),
    "a long class": attribute("<div class='", "content ", "'>"),
    "a long class without spaces": attribute("<div class='", "aB", "'>"),
    "different classes": numbered("<p class='c# post-#-body'>x"),
    "different names": numbered("<p x#=1>x"),
    "a long ID": attribute("<div id='", "x", "'>"),
    "one ID": repeat("<p id=x>y"),
    "a long style": attribute("<div style='", "display : ", "'>"),
    "a style of spaces": attribute("<div style='display", " ", "'>"),
    "styles": numbered("<p style='width:#px'>x"),
    "events": repeat("<p onclick='a()' data-x=1 aria-hidden=true role=main>x"),
    "without a value": repeat("<p a b c d e f>x"),
    "quotes not closed": repeat("<p a='x>"),
    "signs in place of names": repeat("<p = \" ' / >x"),
    "slashes": repeat("<p////>x"),
    "a tag not closed": repeat("<p "),
    "a long COLSPAN": attribute("<table><tr><td colspan='", "9", "'>x</table>"),
    "languages": repeat("<html lang=en><html lang=de>"),
}

BYTES: dict[str, Shape] = {
    "not UTF-8": lambda size: b"<p>" + b"\xff\xfe" * (size // 2),
    "cut UTF-8": lambda size: b"<p>" + b"\xe4\xb8" * (size // 2),
    "declared wrongly": lambda size: b"<meta charset=ascii><p>" + "é".encode() * (size // 2),
    "cp1252": encoded(repeat("é ’ ", "<p>"), "cp1252"),
    "holes of cp1252": lambda size: b"<meta charset=windows-1252><p>" + b"\x81\x8d" * (size // 2),
    "UTF-16": encoded(repeat(SENTENCE, "<p>"), "utf-16"),
    "half of UTF-16": lambda size: b"\xff\xfe" + b"<\0p\0>\0" + b"\x3d\xd8" * (size // 2) + b"x",
    "UTF-32": encoded(repeat(SENTENCE, "<p>"), "utf-32"),
    "Shift_JIS": encoded(repeat(_SENTENCES["Japanese"], "<meta charset=shift_jis><p>"), "cp932"),
    "GB18030": encoded(repeat(_SENTENCES["Chinese"], "<meta charset=gb2312><p>"), "gb18030"),
    "broken GB18030": lambda size: b"<meta charset=gb18030><p>" + b"\x81\x30\x81" * (size // 3),
    "ISO-2022-JP": encoded(repeat(_SENTENCES["Japanese"], "<meta charset=iso-2022-jp><p>"), "iso2022_jp"),
    "Big5": lambda size: b"<meta charset=big5><p>" + b"\xa4\x40\xff" * (size // 3),
    "UTF-7": lambda size: b"<meta charset=utf-7><p>" + b"+ADw-" * (size // 5),
    "windows-1251 without a declaration": encoded(repeat("Это было лучшее из времён. ", "<p>"), "cp1251"),
    "declarations": repeat("<meta charset=latin-1>"),
    "declaration far away": repeat(" ", after=f"<meta charset=latin-1>{GOOD}"),
    "byte order marks": lambda size: b"\xef\xbb\xbf" * (size // 3) + b"<p>x",
    "random": lambda size: Random(0).randbytes(size),
    "random tags": lambda size: "".join(Random(0).choices("<>/ap ='\"!-&;", k=size)),
}

_DRAWN = "<script src=mathjax.js></script><script>MathJax = {tex: {inlineMath: [['$', '$']]}}</script><p>"
_X = "<math><semantics><mi>x</mi><annotation encoding=TeX>x</annotation></semantics></math>"
_KATEX = f"<span class=katex><span class=katex-mathml>{_X}</span><span class=katex-html>x</span></span> "

FORMULAS: dict[str, Shape] = {
    "small": repeat("<math><mi>x</mi></math> ", "<p>"),
    "with their TeX": repeat(_X, "<p>"),
    "on lines of their own": repeat("<math display=block><mi>x</mi></math>", "<p>"),
    "of KaTeX": repeat(_KATEX, "<p>"),
    "of KaTeX in one another": nested("<span class=katex><span>", "</span></span>", depth=DEEP // 2),
    "of KaTeX in one element of many classes": lambda size: (
        f"<div class='{'c ' * (size // 4)}'>{_KATEX * (size // 2 // len(_KATEX))}"
    ),
    "of MathJax 2": repeat(
        "<span class=MathJax_Preview>x</span><span class=MathJax>x</span><script type=math/tex>x</script> ", "<p>"
    ),
    "of MathJax 2 without scripts": repeat("<span class=MathJax>x</span> ", "<p><math></math>"),
    "of MathJax 2 in one another": nested("<span class=MathJax data-x=y>", "</span>"),
    "of MathJax 2 with MathML": repeat("<span class=MathJax data-mathml='<math><mi>x</mi></math>'></span> ", "<p>"),
    "of MathJax 3": repeat("<mjx-container><mjx-math><mjx-mi>x</mjx-mi></mjx-math></mjx-container> ", "<p>"),
    "of MathJax 3 in one another": nested("<mjx-container>", "</mjx-container>"),
    "of MathJax 3 with fractions in one another": nested(
        "<mjx-mfrac><mjx-num>", "</mjx-num></mjx-mfrac>", "x", DEEP // 2, before="<mjx-container><mjx-math>"
    ),
    "of MathJax 3 with many parts": repeat("<mjx-box><mjx-num>x</mjx-num></mjx-box>", "<mjx-container><mjx-mfrac>"),
    "scripts": repeat("<script type=math/tex>x</script> ", "<p>"),
    "one script": repeat("x ", "<p><script type=math/tex>", "</script>"),
    "one script of comments": repeat("%", "<p><script type=math/tex>", "</script>"),
    "one script of lines of comments": repeat("% x\n", "<p><script type=math/tex>", "</script>"),
    "one script of wrappers": repeat("{\\displaystyle ", "<p><script type=math/tex>", "</script>"),
    "one script of dollars": repeat("$$ ", "<p><script type=math/tex>", "</script>"),
    "one script of spaces": repeat(" ", "<p><script type=math/tex>% x", "]]></script>"),
    "one script of MathML": repeat("<mi>x</mi>", "<p><script type=math/mml><math>", "</math></script>"),
    "a long annotation": repeat("x ", "<p><math><semantics><mi>x</mi><annotation encoding=TeX>"),
    "annotations": repeat("<annotation encoding=MathType>x</annotation>", "<p><math><semantics><mi>x</mi>"),
    "a long ALTTEXT": repeat("word ", "<p><math alttext='", "'><mi>x</mi></math>"),
    "a long word as ALT": repeat("x", "<p><img class=tex alt='", "'>"),
    "images": repeat("<img class=tex alt=x^2> ", "<p>"),
    "images of services": repeat("<img src='/latex.php?latex=x'> ", "<p>"),
    "an image's long address": repeat("latex.php?latex=chart?cht=tx&", "<p><img src='/", "'>"),
    "equations in rows": repeat(
        "<tr><td class=ltx_eqn_cell><math><mi>x</mi></math></td>", "<table class=ltx_eqn_table>"
    ),
    "equations in one row": repeat("<td class=ltx_eqn_cell><math><mi>x</mi></math></td>", "<table><tr>"),
    "spans of math": repeat("<span class='math inline'>\\(x\\)</span> ", "<p>"),
    "MathML side by side": repeat("<mi>x</mi><mo>=</mo>", "<p><math>"),
    "MathML of one word": repeat("x", "<p><math><mi>", "</mi></math>"),
    "MathML of signs": repeat("<mo>", "<p><math><mo>&alpha;</mo>"),
    "MathML in one another": nested("<mrow>", "</mrow>", "<mi>x</mi>"),
    "MathML in one formula": in_math(nested("<mrow><mo>(</mo>", "</mrow>")),
    "MATH in one another": nested("<math>", "</math>", "<mi>x</mi>"),
    "fractions in one another": nested("<math><mfrac><mi>x</mi>", "</mfrac></math>", "<mi>y</mi>", DEEP // 2),
    "brackets in one another": in_math(nested("<mfenced>", "</mfenced>", "<mi>x</mi>")),
    "scripts of scripts": in_math(nested("<msup>", "<mi>x</mi></msup>", "<mi>y</mi>")),
    "roots": in_math(nested("<msqrt><mo>√</mo>", "</msqrt>", "<mi>y</mi>")),
    "tables of MathML": repeat("<mtr><mtd><mi>x</mi></mtd></mtr>", "<math><mo>(</mo><mtable>", "</mtable><mo>)</mo>"),
    "blocks in MathML": repeat("<p>x", "<math>"),
    "HTML in TeX": repeat("\\(a<b>b</b>_c &lt;p&gt;\\) ", _DRAWN),
    "in text": repeat("\\(x\\) ", _DRAWN),
    "on lines of their own in text": repeat("$$x^2$$ ", _DRAWN),
    "between dollars": repeat("$x$ ", _DRAWN),
    "dollars": repeat("$", _DRAWN),
    "numbers of equations": repeat("<span class=eqno>(1)<a>¶</a></span>\\[x\\]", _DRAWN),
    "numbers in one another": nested("<span class=eqno>", inside="(1) one"),
    "a long number": repeat("1.", "<math><mi>x</mi></math><p><span class=eqno>", "x</span>"),
    "dollars apart": repeat("$ ", _DRAWN),
    "dollars and braces": repeat("${$}", _DRAWN),
    "dollars and braces not closed": repeat("${", _DRAWN),
    "prices": repeat("$5 ", _DRAWN),
    "parentheses not closed": repeat("\\(", _DRAWN),
    "brackets not closed": repeat("\\[x ", _DRAWN),
    "brackets closed at the end": repeat("\\[x ", "<p>", "\\]"),
    "dollars not closed": repeat("$$ x ", _DRAWN),
    "environments not closed": repeat("\\begin{align} ", _DRAWN),
    "environments in one another": lambda size: (
        "<p>" + "\\begin{align}" * (size // 30) + "x" + "\\end{align}" * (size // 30)
    ),
    "all kinds not closed": repeat("\\( \\[ $$ \\begin{align} $x ", _DRAWN),
    "backslashes": repeat("\\", _DRAWN),
    "in blocks": repeat("<p>\\(x<p>y\\)", _DRAWN),
    "in links": repeat("<a href=x>\\(x</a>\\)", _DRAWN),
    "in code": repeat("<code>\\(x^2\\)</code>", _DRAWN),
    "in code in one another": nested("<code><i>\\(x^2\\)", "</i></code>", depth=DEEP // 2),
    "in preformatted text": repeat("\\(x^2\\)\n", "<pre>"),
    "breaks in TeX": repeat("<br>", "<p>\\[x^2", "\\]"),
    "elements in TeX": repeat("<i>x</i>", "<p>\\[x^2", "\\]"),
    "a script that tells of dollars": repeat("inlineMath ", "<script>MathJax = '", "'</script><p>$x$ $y$"),
    "marks of our own": repeat("<math><mi>\ufdd0\ufdd1[</mi></math> \ufdd1[1$x$\ufdd1] ", "<p>"),
}

_TEXT = "The kettle is made from one sheet of copper, and it is tinned by hand. "
_LINKED = json.dumps({"@type": "Product", "description": _TEXT})

DATA: dict[str, Shape] = {
    "objects": script("{},", "[", "1]"),
    "lists": script("[],", "[", "1]"),
    "numbers": script("1,", "[", "1]"),
    "strings": script('"x",', "[", "1]"),
    "one number": script("1", "[", "]"),
    "one number with a point": script("1", "[0.", "]"),
    "keys": numbered('"k#":1,', '<p>x<script type="application/ld+json">{', '"":1}</script>'),
    "objects with a text": script('{"text":"x"},', "[", "1]"),
    "objects with a type": script('{"@type":"Thing"},', "[", "1]"),
    "texts": script(f"{_LINKED},", "[", "1]"),
    "different texts": numbered(f'{{"text":"# {_TEXT}"}},', '<p>x<script type="application/ld+json">[', "1]</script>"),
    "texts with markup": numbered(
        f'{{"text":"<p># {_TEXT}"}},', '<p>x<script type="application/ld+json">[', "1]</script>"
    ),
    "texts with markup in turn": numbered(
        f'{{"text":"<p># {_TEXT}"}},{{"text":"# {_TEXT}"}},', '<p>x<script type="application/ld+json">[', "1]</script>"
    ),
    "texts in languages": script('{"text":{"en":"x","de":"y"}},', "[", "1]"),
    "many languages of a text": numbered(
        '"aa-x#":"y",', '<p>x<script type="application/ld+json">{"text":{', '"en":"z"}}</script>'
    ),
    "declared languages": lambda size: (
        "<meta http-equiv=content-language content=xx>" * (size // 100)
        + str(script('{"text":{"@value":"x","@language":"en"}},', "[", "1]")(size // 2))
    ),
    "types": script('"x",', '{"@type":[', '"y"],"text":"z"}'),
    "a long type": script("a/", '{"@type":"', '","text":"z"}'),
    "a long type of letters": script("x", '{"@type":"', '","text":"z"}'),
    "parts of a text": script('"x",', '{"text":[', '"y"]}'),
    "one text": script(_TEXT, '{"text":"', '"}'),
    "one text with markup": script(f"<p>{_TEXT}", '{"text":"', '"}'),
    "one text of entities": script("&amp;amp;lt;", '{"text":"', '"}'),
    "one text of brackets": script("<a", '{"text":"', '"}'),
    "escapes": script("\\u0041", '{"text":"', '"}'),
    "900 deep": script('{"a":' * 900 + "1" + "}" * 900 + ",", "[", "1]"),
    "lists 900 deep": script("[" * 900 + "]" * 900 + ",", "[", "1]"),
    "too deep": script('{"a":'),
    "lists too deep": script("["),
    "not closed": script('{"a":{},'),
    "wrapped": script("/*", "", "{}"),
    "white space before": script(" \n", "", "{}"),
    "many scripts": scripts("{}"),
    "many scripts with a text": scripts(_LINKED),
    "many scripts that are none": scripts("{"),
    "many empty scripts": scripts(""),
    "state of strings": script('"x",', "window.x = [", "1]", kind="text/javascript"),
    "state of texts": script(f'"{_TEXT * 3}",', "window.x = [", "1]", kind="text/javascript"),
    "state of one text": script(_TEXT, 'window.x = "', '"', kind="text/javascript"),
    "state of quotes": script("'", kind="text/javascript"),
    "state of both quotes": script("\"'", kind="text/javascript"),
    "state of quotes in strings": script("\\'", "x = '", kind="text/javascript"),
    "state of escapes": script('\\"', 'x = "', '"', kind="text/javascript"),
    "state of backslashes": script("\\", 'x = "', kind="text/javascript"),
    "state in state": script('\\\\\\"x\\\\\\":\\\\\\"y ', 'x = "{\\"a\\": \\"{', '}\\"}"', kind="text/javascript"),
    "state not closed": script("x ", 'x = "', kind="text/javascript"),
    "state of spaces": script(" ", 'x = "{', '}"', kind="text/javascript"),
    "state of tags": script("<", 'x = "', '"', kind="text/javascript"),
    "state of names": script("cookie consent ", 'x = "', '"', kind="text/javascript"),
    "many states": scripts(f'x = "{_TEXT * 3}"', kind="text/javascript"),
    "many small states": scripts("x", kind="text/javascript"),
}

#: All shapes by their names.
SHAPES: dict[str, Shape] = {
    f"{kind}: {name}": shape
    for kind, shapes in {
        "text": TEXT,
        "entities": ENTITIES,
        "breaks": BREAKS,
        "blocks": BLOCKS,
        "headings": HEADINGS,
        "lists": LISTS,
        "tables": TABLES,
        "preformatted": PREFORMATTED,
        "links": LINKS,
        "inline": INLINE,
        "deep": DEEP_AND_WIDE,
        "removed": REMOVED,
        "forms": FORMS,
        "attributes": ATTRIBUTES,
        "bytes": BYTES,
        "formulas": FORMULAS,
        "data": DATA,
    }.items()
    for name, shape in shapes.items()
}
