"""Any text, anywhere on any page, comes back."""

import re
from html import escape

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import etree

from scrapy_justext.core.markdown.tables import TABLES
from scrapy_justext.core.parsing import parse_html
from scrapy_justext.core.reading.rules import LENIENT, TagRules
from scrapy_justext.core.text import collapse
from tests.builders import RULES
from tests.core.markdown.rendering import URL, as_read, markdown_of, page_and_text, render, rendered_text
from tests.property.strategies import bodies, soups, strings

#: Where a text can stand; braces for it.
POSITIONS = {
    "paragraph": "<p>{}", "second line": "<p>x<br>{}", "heading": "<h3>{}</h3>",
    "item": "<ul><li>{}<li>x</ul>",
    "numbered item": "<ol><li>{}<li>x</ol>",
    "quote": "<blockquote>{}</blockquote>",
    "preformatted": "<pre>{}</pre>",
    "code": "<p>x <code>{}</code>y",
    "link": "<p>x<a href=/y>{}</a>z",
    "bold": "<p>x<b>{}</b>y",
    "bold and italics": "<p>x<b>{}</b><i>{}</i><b>y</b>",
    "header of a table": "<table><tr><th>{}<th>x<tr><td>1<td>2</table>",
    "cell": "<table><tr><th>x<th>y<tr><td>1<td>{}<tr><td>{}<td>2</table>",
    "code in a cell": "<table><tr><th>x<th>y<tr><td>1<td><code>{}</code><tr><td>2<td>3</table>",
    "address": "<p><a href='{}'>x</a> y",
}  # fmt: skip

signs = st.text(st.sampled_from(list("*_#>|`~[]<&\\!^$+-=1.;:()/\"' \t\n\u00a0xyé€文\u2028")), max_size=25)
#: Texts with much that means something in Markdown or HTML, and any other.
texts = signs | st.text(max_size=40) | st.lists(
    st.sampled_from([
        "* ", "- ", "1. ", "2) ", "> ", "# ", "```", "~~~", "---", "===", "| a | b |", "|---|---|", "[x]: /y",
        "[x](y)", "![x](y)", "<b>", "<!-- x -->", "<http://x.y>", "&amp;", "&#65;", "&lt;", "\\", "\n", "    ", "\t",
        "**x**", "_x_", "http://x.y/_z_", "word", "$", "$$", "$x$", "[^1]", "[^1]: x", "^[x]", "€",
    ]),
    max_size=8,
).map("".join)  # fmt: skip


@pytest.mark.parametrize("position", POSITIONS.values(), ids=POSITIONS)
@given(text=texts)
@example(text="\\|")
@example(text="`|`")
@example(text="\u2028#\x85- x")
@example(text="$$1^$1$$")
def test_any_text_comes_back_from_any_position(position: str, text: str) -> None:
    markdown, expected = page_and_text(position.replace("{}", escape(text)), url=URL)
    assert as_read(rendered_text(markdown)) == as_read(expected)


@given(
    runs=st.lists(st.tuples(st.sampled_from(["", "b", "i", "code", "a href=x", "em", "br", "p"]), signs), max_size=8)
)
def test_styles_side_by_side_come_back(runs: list[tuple[str, str]]) -> None:
    html = "".join(f"<{tag}>{escape(text)}</{tag.split()[0]}>" if tag else escape(text) for tag, text in runs)
    markdown, expected = page_and_text(f"<div>{html}</div>", url=URL)
    assert as_read(rendered_text(markdown)) == as_read(expected)


@pytest.mark.parametrize("rules", [*RULES.values(), LENIENT], ids=[*RULES, "learned"])
@given(page=bodies | soups | strings)
@example(page="<ul><li>x<blockquote><ol><li>y</ol></blockquote>z</ul>w")
@example(page="<ul><math>one</math></ul>")
@example(page="one<br><p><br>two<br><br> <b>three</b>")
def test_any_page_comes_back(page: str, rules: TagRules) -> None:
    root = parse_html(page).root
    if root is None:
        return
    markdown, expected = page_and_text(root, url=URL, rules=rules)
    assert as_read(rendered_text(markdown, has_alts=rules.images)) == as_read(collapse(expected))


tables = st.lists(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.sampled_from(["td", "th"]), signs), max_size=4),
    max_size=4,
)


@pytest.mark.parametrize("wanted", TABLES)
@given(rows=tables)
def test_any_table_comes_back(wanted: str, rows: list[list[tuple[int, int, str, str]]]) -> None:
    html = "".join(
        "<tr>" + "".join(f"<{tag} colspan={x} rowspan={y}>{escape(text)}" for x, y, tag, text in row) for row in rows
    )
    markdown, expected = page_and_text(f"<div><table>{html}</table></div>", tables=wanted)
    assert as_read(rendered_text(markdown)) == as_read(expected)


#: Trees of lists and quotes.
nested = st.recursive(
    st.sampled_from(["x", "<p>y</p>", "<h2>z</h2>", "<pre>v\n\nw</pre>", ""]),
    lambda inner: st.builds(
        lambda tag, several: f"<{tag}>" + "".join(several) + f"</{tag.split()[0]}>",
        st.sampled_from(["ul", "ol", "ol start=3", "li", "li", "li", "blockquote", "div", "pre"]),
        st.lists(inner, max_size=4),
    ),
    max_leaves=20,
)


@given(page=st.lists(nested, max_size=4).map("".join))
def test_any_nesting_comes_back(page: str) -> None:
    markdown, expected = page_and_text(f"<div>{page}</div>")
    assert as_read(rendered_text(markdown)) == as_read(expected)


addresses = st.lists(
    st.sampled_from([
        "java", "JAVA", "script", ":", "alert(1)", "\t", "\n", "\r", " ", "\x01", "\x1f", "&colon;", "&Tab;", "&#58;",
        "data:", "vbscript:", "%0a", "//", "\\", "\ufeff",
    ]),
    max_size=6,
).map("".join)  # fmt: skip


@given(address=addresses)
@example(address="java\nscript:alert(1)")
@example(address="javascript&colon;alert(1)")
def test_no_address_makes_a_script(address: str) -> None:
    page = etree.Element("p")
    link = etree.SubElement(page, "a")
    link.text = "x"
    try:
        link.set("href", address)
    except ValueError:
        return  # a tree cannot hold it
    [scheme] = re.findall(r'href="([a-zA-Z]+):', render(markdown_of(page))) or ["none"]
    assert scheme == "none"
