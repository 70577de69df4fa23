"""The document: paragraphs, headings, code, images as blocks or inside of them, and what is written at all."""

import re

import pytest

from scrapy_justext import extract
from scrapy_justext.core.blocks import BAD, GOOD
from scrapy_justext.core.reading.rules import JAVA, LENIENT, MODERN, TagRules
from tests.builders import REPOSITORY, cut
from tests.core.markdown.rendering import (
    URL,
    Case,
    collapse,
    judged_page_and_text,
    markdown_of,
    page_and_text,
    render,
    rendered_text,
)
from tests.core.markdown.test_bounds import MOST
from tests.core.markdown.test_inline import ESCAPES, INLINE
from tests.core.markdown.test_structure import CONTAINERS, HTML_TABLES, TABLES

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
    "preformatted": Case("<pre>one\n\n  two\n</pre>", "```\none\n\n  two\n```"),
    "preformatted in a language": Case("<pre><code class='hl language-py'>one</code></pre>", "```py\none\n```"),
    "no language": Case("<pre class='language-`~'>one</pre>", "```\none\n```"),
    "backticks in code": Case("<pre>```\none</pre>", "````\n```\none\n````"),
    "each line of code in an element": Case("<pre><div>one</div><div>two</div></pre>", "```\none\ntwo\n```"),
    "two codes": Case("<pre>one</pre><pre>two</pre>", "```\none\n```\n\n```\ntwo\n```"),
}  # fmt: skip


OF_KINDS = {"blocks": BLOCKS, "inline": INLINE, "escapes": ESCAPES, "containers": CONTAINERS, "tables": TABLES,
            "HTML": HTML_TABLES}  # fmt: skip
CASES = {f"{kind}: {name}": case for kind, cases in OF_KINDS.items() for name, case in cases.items()}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_html_becomes_markdown_from_which_the_text_comes_back(case: Case) -> None:
    assert markdown_of(case.html, url=URL) == case.markdown
    markdown, text = page_and_text(case.html, url=URL)
    assert rendered_text(markdown) == text


IMAGES = {
    "image": Case("<p>one<img src=a.png alt='[two]'>", "one\n\n![\\[two\\]](https://example.com/docs/a.png)"),
    "no ALT": Case("<img src=a.png>", "![](https://example.com/docs/a.png)"),
    "data": Case("<img src=data:image/png;x alt=one>", "one"),
    "data without ALT": Case("<p>one<img src=data:image/png;x>", "one"),
    "data whose ALT looks like a heading": Case("<img src=data:image/png;x alt='# one'>", "\\# one"),
    "data in a heading": Case("<h2><img src=data:image/png;x alt='one #'></h2>", "## one \\#"),
    "in a heading": Case("<h2><img src=a.png alt=one></h2>", "## ![one](https://example.com/docs/a.png)"),
    "in a table": Case("<table><tr><th>a<th>b<tr><td><img src=a.png alt=c><td>1</table>",
        "| a | b |\n| --- | --- |\n| ![c](https://example.com/docs/a.png) | 1 |"),
    "in a link": Case("<a href=x>one<img src=a.png alt=b></a>", "[one](https://example.com/docs/x)\n\n"
        "![b](https://example.com/docs/a.png)"),
}  # fmt: skip


@pytest.mark.parametrize("case", IMAGES.values(), ids=IMAGES)
def test_images_where_the_profile_makes_blocks_of_them(case: Case) -> None:
    assert markdown_of(case.html, url=URL, rules=JAVA) == case.markdown


def test_only_good_blocks_are_written_and_when_asked_for() -> None:
    good = "It was the best of times, it was the worst of times. " * 5
    html = f"<ul><li>Home<li>{good}<li><a href=x>About us</a></ul><h2>Of times</h2><p>{good}<p>© 2024"
    found = extract(html, markdown=True)
    assert found.markdown == f"- {good.strip()}\n\n## Of times\n\n{good.strip()}"
    assert rendered_text(found.markdown) == collapse(found.text)
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


@pytest.mark.parametrize("blocks", [1_000, pytest.param(50_000, marks=pytest.mark.full)])
def test_many_blocks(blocks: int) -> None:
    markdown, text = page_and_text("<ol start=0>" + "<li>one\n<a href='x\ny' title='\n\n'>two</a>" * blocks)
    assert markdown.count("\n") == blocks - 1
    assert markdown.endswith(f"\n{blocks - 1}. one [two](xy)")
    assert len(text) == 8 * blocks - 1


def test_the_example_is_real() -> None:
    page = (REPOSITORY / "docs" / "markdown.md").read_text("utf-8")
    example = page.partition("<!-- example -->")[2].partition("<!-- end -->")[0]
    html, _, rest = example.partition("```html\n")[2].partition("\n```\n")
    markdown = rest.partition("````markdown\n")[2].removesuffix("\n````\n")
    assert markdown_of(html, url="https://example.com/shop/kettle.html") == markdown


def judged(page: str) -> str:
    """The Markdown of a page whose blocks are bad where they say so."""
    return judged_page_and_text(page, lambda segment: BAD if "bad" in segment.text else GOOD)[0]


PAGES_WITH_IMAGES = {
    "in a text": ("<p>one <img src=a.png alt='x [y] $'> two", "one ![x \\[y\\] \\$](a.png) two"),
    "in a link": ("<p><a href=b>one <img src=a.png alt=x></a> two", "[one](b) ![x](a.png) two"),
    "between blocks": ("<p>one<p><img src=a.png alt=x><p>two", "one\n\n![x](a.png)\n\ntwo"),
    "before a caption": ("<figure><img src=a.png><figcaption>one</figcaption></figure>", "![](a.png)\n\none"),
    "in a list": ("<ul><li>one<div><img src=a.png></div><li>two</ul>", "- one\n\n  ![](a.png)\n- two"),
    "between a block and a bad one": ("<p>one<p><img src=a.png><p>bad", "one"),
    "in a bad block": ("<p>one<p>bad <img src=a.png><p>two", "one\n\ntwo"),
    "in a figure with a bad caption": ("<p>one<figure><img src=a.png><figcaption>bad</figcaption></figure><p>two",
     "one\n\n![](a.png)\n\ntwo"),
    "in a figure with a bad caption, beside a bad block": (
     "<p>bad<figure><img src=a.png><figcaption>bad</figcaption></figure><p>two", "two"),
    "below the headline": ("<h1>bad</h1><p>bad<p><img src=a.png><p>one", "![](a.png)\n\none"),
    "below a good headline and a bad block": ("<h1>one</h1><p>bad<p><img src=a.png alt=x><h2>two</h2><p>three",
     "# one\n\n## two\n\nthree"),
    "below the headline, in a figure": (
     "<h1>one</h1><p>bad<figure><img src=a.png><figcaption>bad</figcaption></figure><p>two",
     "# one\n\n![](a.png)\n\ntwo"),
    "below the headline, before a bad block": ("<h1>bad</h1><p><img src=a.png><p>bad<p>one", "one"),
    "below the headline, an avatar": ("<h1>bad</h1><p>bad<img class=avatar src=a.png alt=x><p>one", "one"),
    "below the headline, an avatar alone": ("<h1>bad</h1><div><img class=avatar src=a.png></div><p>one", "one"),
    "below another heading": ("<h2>bad</h2><p><img src=a.png><p>one", "one"),
    "above the headline": ("<p><img src=a.png><h1>bad</h1><p>one", "one"),
    "at the end": ("<p>one<p><img src=a.png>", "one"),
    "a pixel": ("<p>one <img src=a.png width=1 height=1> two", "one two"),
    "a spacer": ("<p>one <img src=/i/spacer.gif> two", "one two"),
    "data": ("<p>one <img src='data:image/gif;base64,R0'> two", "one two"),
    "a script": ("<p>one <img src='javascript:x()'> two", "one two"),
    "a lazy one": ("<p>one <img src='data:image/gif;base64,R0' data-src=a.png> two", "one ![](a.png) two"),
    "a lazy set": ("<p>one <img data-srcset='a.png 1x, b.png 2x'> two", "one ![](a.png) two"),
    "one in NOSCRIPT": ("<p>one <img src='data:,'><noscript><img src=a.png></noscript> two", "one ![](a.png) two"),
    "a picture": ("<p>one <picture><source srcset='a.webp 2x'><img></picture> two", "one ![](a.webp) two"),
    "an icon in a link": ("<p>one <a href=b><img class=icon src=a.png>two</a>", "one [two](b)"),
    "an icon in a heading": ("<h2>one <img alt='the logo' src=a.png></h2>", "## one"),
    "an emoji": ("<p>one <img class=emoji alt=😀 src=a.png>", "one 😀"),
    "in code": ("<pre><code>one\n<img src=a.png>two</code></pre><p>three", "```\none\ntwo\n```\n\nthree"),
    "an emoji in code": ("<p>one <code>print('<img class=emoji alt=😀 src=a.png>')</code> two",
     "one `print('😀')` two"),
    "in a cell": (
     "<table><tr><th>A<th>B<tr><td>one<td>two <img src=a.png alt='x|y'><tr><td>three<td><img src=b.png></table>",
     "| A | B |\n| --- | --- |\n| one | two ![x\\|y](a.png) |\n| three | ![](b.png) |"),
    "in a table in HTML": ("<table><tr><th>A<th>B<tr><td><p>one<p>two<td>three <img src=a.png alt='<'></table>",
     "<table>\n<tr><th>A</th><th>B</th></tr>\n"
     '<tr><td><p>one</p><p>two</p></td><td>three <img src="a.png" alt="&lt;"></td></tr>\n</table>'),
    "in a formula": (r"<p>one \(\alpha <img src=a.png alt='$}'> \beta\) two", "one $\\alpha \\beta$![\\$}](a.png) two"),
}  # fmt: skip


@pytest.mark.parametrize(("page", "markdown"), PAGES_WITH_IMAGES.values(), ids=PAGES_WITH_IMAGES)
def test_an_image_stands_where_it_is_on_the_page(page: str, markdown: str) -> None:
    assert judged(page) == markdown


@pytest.mark.parametrize(("page", "_"), PAGES_WITH_IMAGES.values(), ids=PAGES_WITH_IMAGES)
@pytest.mark.parametrize("rules", [MODERN, LENIENT], ids=["justext", "learned"])
def test_images_change_no_text(page: str, _: str, rules: TagRules) -> None:
    assert not [segment for segment in cut(page, rules) if segment.image_url is not None]
    markdown, text = page_and_text(page, rules=rules)
    assert re.sub(" ?😀", "", rendered_text(markdown)) == text


def test_addresses_are_absolute_and_safe_and_noscript_repeats_none() -> None:
    markdown = markdown_of("<p>one <img src='/a (b).png' alt='\"x\"'> two", url=URL)
    assert render(markdown) == ('<p>one <img src="https://example.com/a%20(b).png" alt="&quot;x&quot;" /> two</p>\n')
    page = "<p>one<p><img data-src=a.png><noscript><img src=a.png></noscript><p>two"
    assert markdown_of(page, rules=LENIENT) == "one\n\n![](a.png)\n\ntwo"


BASE = f"<base href=https://example.com/{'a/' * 10_000}>"
SHAPES = {
    "a long BASE": f"{BASE}{'<p>one <img src=x>' * 1000}",
    "a long BASE, images apart": f"{BASE}<p>x{'<p><img src=x><p>y' * 1000}",
    "a long BASE, images in cells": f"{BASE}<table><tr><th>a<th>b{'<tr><td>x<td><img src=x>' * 1000}</table>",
    "a set of sources": f"<p>x<picture><source srcset={'a' * 10_000}>{'<img>' * 2_000}",
    "NOSCRIPT": f"<p>x<img><noscript>{'<img src=x>' * 2000}</noscript>",
    "escapes": f"<p>x<img src=a alt='{'*' * 20_000}'>",
}


@pytest.mark.parametrize(("page", "rules"), list(zip(SHAPES.values(), [MODERN, LENIENT] * 3, strict=True)), ids=SHAPES)
def test_images_do_not_flood_a_page(page: str, rules: TagRules) -> None:
    assert len(markdown_of(page, url=URL, rules=rules)) <= MOST * len(page)
