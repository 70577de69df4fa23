"""Formulas, and dollars that are none."""

from __future__ import annotations

from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_justext.core.markdown.inline import TextRun, cell, formula, paragraph
from scrapy_justext.core.tags import FORMULA
from scrapy_justext.core.text import collapse
from tests.core.markdown.rendering import URL, Case, markdown_of, page_and_text, render, rendered_text


def math(tex: str, *, is_bold: bool = False, is_code: bool = False) -> TextRun:
    """A formula in a line."""
    return TextRun(tex, is_bold=is_bold, is_code=is_code, kind=FORMULA)


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
        ([math("x", is_bold=True), TextRun(" is *")], "**$x$** is \\*"),
        ([math("x").leading_to("/y")], "[$x$](/y)"),
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


def test_formulas_stay_in_their_blocks() -> None:
    """Those of elements stand for no text: what is around them tells where they belong."""

    def math(tex: str, display: str = "inline") -> str:
        return f'<math display={display} alttext="{tex}"></math>'

    html = f"<p>one{math('a')}{math('b', 'block')}two<br><br>{math('c')} three\\(d\\)<br><br>{math('e', 'block')}"
    assert markdown_of(html).split("\n\n") == ["one$a$", "$$\nb\n$$", "two", "$c$ three$d$", "$$\ne\n$$"]
