"""Formulas, and dollars that are none."""

from __future__ import annotations

from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_justext.core.markdown.inline import TextRun, cell, formula, paragraph
from scrapy_justext.core.markdown.pieces import read_texts
from scrapy_justext.core.marks import BREAK, INLINE, MATH, UNMATH
from scrapy_justext.core.reading.page import read_tree
from scrapy_justext.core.reading.rules import MODERN
from scrapy_justext.core.text import collapse
from tests.builders import tree
from tests.core.markdown.rendering import URL, Case, page_and_text, render, rendered_text


def math(tex: str, length: int = 0) -> TextRun:
    """A formula in a line."""
    return TextRun(tex, formula_length=length)


DOLLARS = {
    "prices": Case("from $5 to $10", "from \\$5 to \\$10"),
    "formula that nobody draws": Case("$x$ $$y$$", "\\$x\\$ \\$\\$y\\$\\$"),
    "in a heading": Case("<h2>$a$</h2>", "## \\$a\\$"),
    "in a link": Case("<a href=/$x$>$a$</a>", "[\\$a\\$](https://example.com/$x$)"),
    "in code": Case("<code>$a</code> $b", "`$a` \\$b"),
    "in preformatted": Case("<pre>$a = $b;</pre>", "```\n$a = $b;\n```"),
    "in a cell": Case(
        "<table><tr><th>$a<th>b<tr><td>$1<td>2</table>", "| \\$a | b |\n| --- | --- |\n| \\$1 | 2 |"
    ),
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
        ([math("x", 1)._replace(is_bold=True), TextRun(" is *")], "**$x$** is \\*"),
        ([math("x")._replace(destination="/y")], "[$x$](/y)"),
        ([math("x")._replace(is_code=True)], "$x$"),
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


def test_formulas_stay_in_their_blocks() -> None:
    """Those of elements stand for no text: what is around them tells where they belong."""

    def marked(length: int, tex: str) -> str:
        return f"{INLINE}{MATH}{length}{tex}{INLINE}{UNMATH}"

    between = (INLINE + BREAK) * 2
    flat = "".join([
        "one", marked(0, "$a$"), marked(0, "$$b$$"), "two", between, marked(0, "$c$"), " three", marked(3, "$d$"),
        between, marked(0, "$$e$$"),
    ])  # fmt: skip
    [segment] = read_tree(tree("<p>one"), MODERN)
    starts = [0, 3, 3, 6, 14]
    segments = [segment._replace(start=start, chunk=1) for start in starts]
    runs = read_texts({1: flat}, {1: segments}, by_nodes=False).runs
    texts = ["".join(run.text for run in runs[id(one)]) for one in segments]
    assert texts == ["onea", "b", "two", "c threed", "e"]
