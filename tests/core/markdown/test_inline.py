"""The text of a block: emphasis, code, links and what is escaped."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scrapy_justext.core.markdown.inline import Resolver, destination_of
from scrapy_justext.core.reading.loading import read_nodes
from tests.builders import tree
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

CASES = {
    f"{kind}: {name}": case
    for kind, cases in (("inline", INLINE), ("escapes", ESCAPES))
    for name, case in cases.items()
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_html_becomes_markdown(case: Case) -> None:
    assert markdown_of(case.html, url=URL) == case.markdown


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_text_comes_back(case: Case) -> None:
    markdown, text = page_and_text(case.html, url=URL)
    assert rendered_text(markdown) == text


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


def test_links_of_a_file_are_left_alone() -> None:
    assert markdown_of("<a href=x>one</a>", url="file:///home/me/page.html") == "[one](x)"
