"""The document: paragraphs, headings, code, images, and what is written at all."""

from __future__ import annotations

import pytest

from scrapy_justext import extract
from scrapy_justext.core.reading.rules import JAVA
from tests.builders import REPOSITORY
from tests.core.markdown.rendering import URL, Case, collapse, markdown_of, page_and_text, rendered_text

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


@pytest.mark.parametrize("case", BLOCKS.values(), ids=BLOCKS)
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


@pytest.mark.parametrize("blocks", [5_000, pytest.param(50_000, marks=pytest.mark.full)])
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
