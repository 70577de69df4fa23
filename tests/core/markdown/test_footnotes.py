"""Footnotes: their references, and what they hold."""

from __future__ import annotations

import pytest

from scrapy_justext import extract
from tests.core.markdown.rendering import Case, markdown_of, render

NOTES = {
    "in a list, with links back": Case(
        "<p>one<sup id=r1><a href='#n1'>1</a></sup> two<h2>Notes</h2><ol><li id=n1><p>three <a href='#r1'>↩</a></ol>",
        "one[^1] two\n\n## Notes\n\n[^1]: three",
    ),
    "several blocks": Case(
        "<p>one<sup><a href='#n1'>1</a></sup><div id=n1><p>two<ul><li>three</ul><pre>f(x);</pre></div><p>four",
        "one[^1]\n\n[^1]: two\n\n    - three\n\n    ```\n    f(x);\n    ```\n\nfour",
    ),
    "its number first": Case(
        "<p>one <a href='#n1' id=r1>[1]</a>.<p id=n1><a href='#r1'>[1]</a> two", "one [^1].\n\n[^1]: two"
    ),
    "its number in a block": Case(
        "<p>one <a href='#n1'>[1]</a>.<div><a id=n1>1.</a><div>two</div></div>", "one [^1].\n\n[^1]: two"
    ),
    "named anchor": Case(
        "<p>one<a name=r1 href='#n1'>1</a><p><a name=n1 href='#r1'><b>1</b></a> two", "one[^1]\n\n[^1]: two"
    ),
    "its class says it": Case(
        "<p>one<a class=noteref href='#n1'>1</a><p id=n1>two", "one[^1]\n\n[^1]: two"
    ),
    "a sign": Case("<p>one<sup><a href='#n'>*</a></sup><p id=n>* two", "one[^1]\n\n[^1]: two"),
    "two references to one": Case(
        "<p>one<sup><a href='#n'>1</a></sup> two<sup><a href='#n'>1</a></sup><p id=n>three",
        "one[^1] two[^1]\n\n[^1]: three",
    ),
    "links back by letters": Case(
        "<p>one<sup id=a><a href='#n'>[1]</a></sup> two<sup id=b><a href='#n'>[1]</a></sup>"
        "<ol><li id=n>^ <a href='#a'>a</a> <a href='#b'>b</a> three</ol>",
        "one[^1] two[^1]\n\n[^1]: three",
    ),
    "one number twice": Case(
        "<p>one<sup><a href='#a'>1</a></sup> two<sup><a href='#b'>1</a></sup><p id=a>three<p id=b>four",
        "one[^1] two[^1-2]\n\n[^1]: three\n\n[^1-2]: four",
    ),
    "what would make a link or a footnote of it": Case(
        "<p><sup><a href='#n'>1</a></sup>: one<sup><a href='#n'>1</a></sup>(two)<p id=n>three",
        "[^1]\\: one[^1]\\(two)\n\n[^1]: three",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", NOTES.values(), ids=NOTES)
def test_footnotes_are_written_as_such(case: Case) -> None:
    assert markdown_of(case.html) == case.markdown
    shown = render(case.markdown)
    assert 'class="footnotes"' in shown
    assert "[^" not in shown


OTHERS = {
    "a theorem's number": ("<p>see <a href='#t1'>1</a>.<p><a name=t1></a>Theorem 1", "see [1](#t1).\n\nTheorem 1"),
    "a heading": ("<p>see<sup><a href='#t1'>1</a></sup>.<h2 id=t1>one</h2>", "see[1](#t1).\n\n## one"),
    "above": ("<p id=n>one<p>two<sup><a href='#n'>1</a></sup>", "one\n\ntwo[1](#n)"),
    "nowhere": ("<p>two<sup><a href='#n'>1</a></sup>", "two[1](#n)"),
    "the middle of a block": ("<p>two<sup><a href='#n'>1</a></sup><p>x <a name=n></a>one", "two[1](#n)\n\nx one"),
    "one block for several": (
        "<p>a<sup><a href='#n'>1</a></sup> b<sup><a href='#m'>2</a></sup><p><a name=n></a>c<br><br><a name=m></a>d",
        "a[1](#n) b[2](#m)\n\nc\n\nd",
    ),
    "only from a table": (
        "<table><tr><th>a<th>b<sup><a href='#n'>1</a></sup><tr><td>1<td>2</table><p id=n>one",
        "| a | b[1](#n) |\n| --- | --- |\n| 1 | 2 |\n\none",
    ),
    "words": ("<p>see <sup><a href='#n'>the note</a></sup><p id=n>one", "see [the note](#n)\n\none"),
}  # fmt: skip


@pytest.mark.parametrize(("html", "markdown"), OTHERS.values(), ids=OTHERS)
def test_other_links_in_a_page_stay_links(html: str, markdown: str) -> None:
    assert markdown_of(html) == markdown


def test_a_footnote_that_is_boilerplate_is_none() -> None:
    good = "It was the best of times, it was the worst of times. " * 5
    page = f"<p>{good}<sup><a href='#n'>1</a></sup><div id=n><a href=x>Home</a></div>"
    assert extract(page, markdown=True).markdown.endswith("times. [1](#n)")


@pytest.mark.full
@pytest.mark.parametrize("count", [2_000, pytest.param(20_000, marks=pytest.mark.full)])
def test_many_footnotes(count: int) -> None:
    references = "".join(f"<sup><a href='#n{i}'>{i % 9999}</a></sup> word" for i in range(count))
    notes = "".join(f"<li id=n{i}>note" for i in range(count))
    markdown = markdown_of(f"<p>{references}<ol>{notes}</ol>")
    assert markdown.count("]: note") == count
    assert "[^1234]: note" in markdown
