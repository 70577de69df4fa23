"""The text of a block: emphasis, code, links, footnotes, formulas, and what is escaped."""

from functools import partial
from html import escape

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scrapy_justext import extract
from scrapy_justext.core.markdown.inline import Resolver, TextRun, cell, destination_of, formula, paragraph
from scrapy_justext.core.reading.loading import read_nodes
from scrapy_justext.core.tags import FORMULA
from scrapy_justext.core.text import collapse
from tests.builders import SECONDS, processor_seconds, tree
from tests.core.markdown.rendering import URL, Case, markdown_of, page_and_text, render, rendered_text

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
    "links of one address": Case("<a href=/x>one</a> <a href=/x>two</a>",
        "[one](https://example.com/x) [two](https://example.com/x)"),
    "link over blocks": Case("<a href=/x><div>one</div><div>two</div></a>",
        "[one](https://example.com/x)\n\n[two](https://example.com/x)"),
    "link without text": Case("one<a href=/x> </a>two", "one two"),
    "link without address": Case("<a name=x>one</a> <a href=''>two</a>", "one two"),
    "exclamation mark before a link": Case("one!<a href=/x>two</a>", "one\\![two](https://example.com/x)"),
    "parentheses and spaces": Case("<a href='/a (b).html'>one</a>", "[one](https://example.com/a%20\\(b\\).html)"),
    "entity in an address": Case("<a href='/?a=1&amp;lt;=2'>one</a>", "[one](https://example.com/?a=1\\&lt;=2)"),
    "other signs in an address": Case("<a href='/<`|\\>\"'>one</a>", "[one](https://example.com/%3C%60%7C%5C%3E%22)"),
    "mail": Case("<a href=mailto:a@b.c>one</a>", "[one](mailto:a@b.c)"),
    "script": Case("<a href='javascript:alert(1)'>one</a>", "one"),
    "script in disguise": Case("<a href=' JAVA\nscript&#58;alert(1)'>one</a>", "one"),
    "script after a control": Case("<a href='&#1;javascript:alert(1)'>one</a>", "one"),
    "data": Case("<a href='data:text/html,x'>one</a> <a href=vbscript:x>two</a>", "one two"),
    "address that is none": Case("<a href='http://[x'>one</a>", "one"),
    "mark in an address": Case("<a href='/\ufdd0\ufdd1'>one</a>", "[one](https://example.com/\ufdd0\ufdd1)"),
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


def test_relative_links_stay_without_an_address_and_make_no_script() -> None:
    html = "<a href='a.html'>one</a> <a href='//example.com'>two</a>"
    assert markdown_of(html) == "[one](a.html) [two](//example.com)"
    assert markdown_of("<a href=x>one</a>", url="file:///home/me/page.html") == "[one](x)"
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


ADDRESSES = st.builds(
    "{}://{}{}".format,
    st.sampled_from(["http", "https", "HTTP", "mailto"]),
    st.sampled_from(["a.b", "a.b:80", "A.B:", "[a"]),
    st.text("/.?#;:@[]&=%aé\\ ()\x01\x85", max_size=12),
)


@given(ADDRESSES, st.sampled_from(["http://a.b/c/d?e#f", "https://x/"]))
@example("http://a.b#", "http://a.b/c")
@example("http://a.b/c;?#", "http://a.b/c")
@example("https://a.b/c/../d?e#f", "https://a.b/c")
def test_whole_addresses_lead_to_the_same_as_with_the_address_of_the_page(address: str, url: str) -> None:
    assert Resolver(read_nodes(tree("<p>one")), url, 0)(address) == destination_of(address, url)


NOTES = {
    "in a list, with links back": Case(
        "<p>one<sup id=r1><a href='#n1'>1</a></sup> two<h2>Notes</h2><ol><li id=n1><p>three <a href='#r1'>↩</a></ol>",
        "one[^1] two\n\n## Notes\n\n[^1]: three"),
    "several blocks": Case(
        "<p>one<sup><a href='#n1'>1</a></sup><div id=n1><p>two<ul><li>three</ul><pre>f(x);</pre></div><p>four",
        "one[^1]\n\n[^1]: two\n\n    - three\n\n    ```\n    f(x);\n    ```\n\nfour"),
    "its number first": Case("<p>one <a href='#n1' id=r1>[1]</a>.<p id=n1><a href='#r1'>[1]</a> two",
        "one [^1].\n\n[^1]: two"),
    "its number in a block": Case("<p>one <a href='#n1'>[1]</a>.<div><a id=n1>1.</a><div>two</div></div>",
        "one [^1].\n\n[^1]: two"),
    "named anchor": Case("<p>one<a name=r1 href='#n1'>1</a><p><a name=n1 href='#r1'><b>1</b></a> two",
        "one[^1]\n\n[^1]: two"),
    "its class says it": Case("<p>one<a class=noteref href='#n1'>1</a><p id=n1>two", "one[^1]\n\n[^1]: two"),
    "raised in the link": Case("<p>one<a href='#n1' id=r1><sup> <b>[1]</b></sup></a><p id=n1><a href='#r1'><sup>1"
        "</sup></a> two", "one[^1]\n\n[^1]: two"),
    "its number raised": Case("<p>one<a href='#n'><sup>1</sup></a><p id=n> <sup>1 </sup>two<sup>2</sup><sup>n</sup>",
        "one[^1]\n\n[^1]: two<sup>2</sup><sup>n</sup>"),
    "another number raised": Case("<p>one<sup><a href='#n'>1</a></sup><p id=n><sup>14</sup>C",
        "one[^1]\n\n[^1]: <sup>14</sup>C"),
    "a sign": Case("<p>one<sup><a href='#n'>*</a></sup><p id=n>* two", "one[^1]\n\n[^1]: two"),
    "two references to one": Case("<p>one<sup><a href='#n'>1</a></sup> two<sup><a href='#n'>1</a></sup><p id=n>three",
        "one[^1] two[^1]\n\n[^1]: three"),
    "links back by letters": Case("<p>one<sup id=a><a href='#n'>[1]</a></sup> two<sup id=b><a href='#n'>[1]</a></sup>"
        "<ol><li id=n>^ <a href='#a'>a</a> <a href='#b'>b</a> three</ol>", "one[^1] two[^1]\n\n[^1]: three"),
    "one number twice": Case(
        "<p>one<sup><a href='#a'>1</a></sup> two<sup><a href='#b'>1</a></sup><p id=a>three<p id=b>four",
        "one[^1] two[^1-2]\n\n[^1]: three\n\n[^1-2]: four"),
    "what would make a link or a footnote of it": Case(
        "<p><sup><a href='#n'>1</a></sup>: one<sup><a href='#n'>1</a></sup>(two)<p id=n>three",
        "[^1]\\: one[^1]\\(two)\n\n[^1]: three"),
}  # fmt: skip


@pytest.mark.parametrize("case", NOTES.values(), ids=NOTES)
def test_footnotes_are_written_as_such(case: Case) -> None:
    assert markdown_of(case.html) == case.markdown
    shown = render(case.markdown)
    assert 'class="footnotes"' in shown
    assert "[^" not in shown


OTHER_LINKS = {
    "a theorem's number": ("<p>see <a href='#t1'>1</a>.<p><a name=t1></a>Theorem 1", "see [1](#t1).\n\nTheorem 1"),
    "a heading": ("<p>see<sup><a href='#t1'>1</a></sup>.<h2 id=t1>one</h2>", "see[1](#t1).\n\n## one"),
    "above": ("<p id=n>one<p>two<sup><a href='#n'>1</a></sup>", "one\n\ntwo[1](#n)"),
    "nowhere": ("<p>two<sup><a href='#n'>1</a></sup>", "two[1](#n)"),
    "the middle of a block": ("<p>two<sup><a href='#n'>1</a></sup><p>x <a name=n></a>one", "two[1](#n)\n\nx one"),
    "one block for several": (
        "<p>a<sup><a href='#n'>1</a></sup> b<sup><a href='#m'>2</a></sup><p><a name=n></a>c<br><br><a name=m></a>d",
        "a[1](#n) b[2](#m)\n\nc\n\nd"),
    "only from a table": ("<table><tr><th>a<th>b<sup><a href='#n'>1</a></sup><tr><td>1<td>2</table><p id=n>one",
        "| a | b[1](#n) |\n| --- | --- |\n| 1 | 2 |\n\none"),
    "words": ("<p>see <sup><a href='#n'>the note</a></sup><p id=n>one", "see [the note](#n)\n\none"),
}  # fmt: skip


@pytest.mark.parametrize(("html", "markdown"), OTHER_LINKS.values(), ids=OTHER_LINKS)
def test_other_links_in_a_page_stay_links(html: str, markdown: str) -> None:
    assert markdown_of(html) == markdown


HEADING_LINKS = {
    "to itself": ("<h2 id=b><a href='#b'>The bridge</a></h2>", "## The bridge"),
    "to its section": ("<div id=b><h2><a href='#b'>The <i>bridge</i></a></h2></div>", "## The *bridge*"),
    "to another": ("<h2 id=b><a href='#c'>The bridge</a></h2>", "## [The bridge](#c)"),
}


@pytest.mark.parametrize(("html", "markdown"), HEADING_LINKS.values(), ids=HEADING_LINKS)
def test_a_heading_does_not_link_to_itself(html: str, markdown: str) -> None:
    assert markdown_of(html) == markdown


def test_a_footnote_that_is_boilerplate_is_none() -> None:
    good = "It was the best of times, it was the worst of times. " * 5
    page = f"<p>{good}<sup><a href='#n'>1</a></sup><div id=n><a href=x>Home</a></div>"
    assert extract(page, markdown=True).markdown.endswith("times. [1](#n)")


@pytest.mark.full
def test_many_footnotes() -> None:
    count = 8_000
    references = "".join(f"<sup><a href='#n{i}'>{i % 9999}</a></sup> word" for i in range(count))
    notes = "".join(f"<li id=n{i}>{i % 9999}. note" for i in range(count))
    page = f"<p>{references}<ol>{notes}</ol>"
    markdown = markdown_of(page)
    assert markdown.count("]: note") == count
    assert "[^1234]: note" in markdown
    read = partial(
        extract,
        page,
        markdown=True,
        length_low=0,
        length_high=0,
        stopwords_low=0,
        stopwords_high=0,
        max_link_density=1.0,
    )
    assert processor_seconds(read) < SECONDS / 5


def math(tex: str, destination: str | None = None, *, is_bold: bool = False, is_code: bool = False) -> TextRun:
    """A formula in a line."""
    return TextRun(tex, destination, is_bold=is_bold, is_code=is_code, kind=FORMULA)


DOLLARS = {
    "prices": Case("from $5 to $10", "from \\$5 to \\$10"),
    "formula that nobody draws": Case("$x$ $$y$$", "\\$x\\$ \\$\\$y\\$\\$"),
    "in a heading": Case("<h2>$a$</h2>", "## \\$a\\$"),
    "in a link": Case("<a href=/$x$>$a$</a>", "[\\$a\\$](https://example.com/$x$)"),
    "in code": Case("<code>$a</code> $b", "`$a` \\$b"),
    "in preformatted": Case("<pre>$a = $b;</pre>", "```\n$a = $b;\n```"),
    "in a cell": Case("<table><tr><th>$a<th>b<tr><td>$1<td>2</table>", "| \\$a | b |\n| --- | --- |\n| \\$1 | 2 |"),
}  # fmt: skip


@pytest.mark.parametrize("case", DOLLARS.values(), ids=DOLLARS)
def test_dollars_of_the_text_begin_no_formula(case: Case) -> None:
    markdown, text = page_and_text(case.html, url=URL)
    assert markdown == case.markdown
    assert "math" not in render(markdown)
    assert rendered_text(markdown) == text


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ([TextRun("so "), math("a_1*b_2*c"), TextRun(" is")], "so $a_1*b_2*c$ is"),
        ([math("\\alpha < [x] & \\\\")], "$\\alpha < [x] & \\\\$"),
        ([math("x", is_bold=True), TextRun(" is *")], "**$x$** is \\*"),
        ([math("x", "/y")], "[$x$](/y)"),
        ([math("x", is_code=True)], "$x$"),
        ([TextRun("$5 for "), math("\\$5")], "\\$5 for $\\$5$"),
    ],
)
def test_nothing_is_escaped_in_a_formula(runs: list[TextRun], expected: str) -> None:
    assert paragraph(runs) == expected


def test_a_bar_of_a_formula_ends_no_cell() -> None:
    text = cell([math("|x| + \\|y\\|")])
    table = f"| {text} | b |\n| --- | --- |\n| 1 | 2 |"
    assert '<th><span class="math inline">|x| + \\|y\\|</span></th>' in render(table)


@given(tex=st.text(st.sampled_from(list("\\$ab{}^_*[]<&`|~ ")), min_size=1, max_size=12).map(collapse).filter(bool))
def test_any_tex_is_one_formula(tex: str) -> None:
    shown = render(paragraph([TextRun("so "), math(tex), TextRun(" is")]))
    assert shown == f'<p>so <span class="math inline">{escape(formula(tex).strip())}</span> is</p>\n'


IN_LINE, APART = "<script type=math/tex>{}</script>", "<script type='math/tex; mode=display'>{}</script>"


def test_formulas_stay_in_their_blocks() -> None:
    a, b, c, d, e = IN_LINE.format("a"), APART.format("b"), IN_LINE.format("c"), IN_LINE.format("d"), APART.format("e")
    markdown = markdown_of(f"<div>one{a}{b}two<br><br>{c} three{d}<br><br>{e}</div>")
    assert markdown == "one$a$\n\n$$\nb\n$$\n\ntwo\n\n$c$ three$d$\n\n$$\ne\n$$"
