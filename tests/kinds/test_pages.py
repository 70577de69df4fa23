"""Pages with their gold: Markdown written by hand, which says nothing that its page does not say."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from lxml import html
from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin

PAGES = Path(__file__).parent / "pages"
NAMES = sorted(path.stem for path in PAGES.glob("*.html"))
GOLD = re.compile(r"---\nlanguage: [a-z]{2}\ntype: [a-z ]+\n---\n(?P<markdown>.+)", re.DOTALL)
FORMULA = re.compile(r"\$[^$]+\$")
WORD = re.compile(r"\w+")
PARSER = MarkdownIt().enable("table").use(dollarmath_plugin).use(footnote_plugin)


def markdown_of(name: str) -> str:
    gold = GOLD.fullmatch((PAGES / f"{name}.md").read_text("utf-8"))
    assert gold is not None, "a gold opens with its language and its type"
    return gold["markdown"]


def tokens_of(name: str) -> Iterator[Token]:
    """The tokens of a gold, those inside a line in place of the line."""
    for token in PARSER.parse(markdown_of(name)):
        yield from token.children or [token]


def text_of(name: str) -> str:
    """The text of a page, and what its images are said to show."""
    page = html.document_fromstring((PAGES / f"{name}.html").read_text("utf-8"))
    shown = [image.get("alt", "") for image in page.iter("img")]
    return " ".join([str(page.xpath("string()")), *shown])


def words_of(token: Token) -> list[str]:
    """The words of a token; a formula has none, as its page may write it in other words than TeX."""
    if token.type in {"html_block", "html_inline"}:
        written = FORMULA.sub("", token.content)
        return WORD.findall(" ".join(html.fragment_fromstring(written, "div").itertext()))
    return WORD.findall(token.content) if token.type in {"text", "code_inline", "image"} else []


def without_spaces(text: str) -> str:
    return "".join(text.split())


def test_each_page_has_its_gold() -> None:
    assert sorted(path.stem for path in PAGES.glob("*.md")) == NAMES
    assert NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_gold_has_the_words_of_its_page(name: str) -> None:
    page = text_of(name)
    words = [word for token in tokens_of(name) for word in words_of(token)]
    assert words
    assert [word for word in words if word not in page] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_gold_has_the_lines_of_code_of_its_page(name: str) -> None:
    page = without_spaces(text_of(name))
    lines = [line for token in tokens_of(name) if token.type == "fence" for line in token.content.splitlines()]
    assert [line for line in lines if without_spaces(line) not in page] == []


@pytest.mark.parametrize("name", NAMES)
def test_each_dollar_of_a_gold_is_a_formula_s_or_a_price_s(name: str) -> None:
    texts = [token.content for token in tokens_of(name) if token.type == "text"]
    assert [text for text in texts if re.search(r"\$(?!\s?\d)", text)] == []
