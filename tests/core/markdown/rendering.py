"""Markdown rendered to HTML by a library that knows nothing of this one, and the text of that."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from html.parser import HTMLParser
from typing import NamedTuple

from lxml import etree
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin

from scrapy_justext.core.blocks import GOOD, BlockClass, Decision, Decisions, Segment
from scrapy_justext.core.markdown.document import ATTRIBUTES, to_markdown
from scrapy_justext.core.markdown.tables import HTML
from scrapy_justext.core.reading.loading import read_nodes
from scrapy_justext.core.reading.page import read_blocks
from scrapy_justext.core.reading.rules import MODERN, TagRules
from scrapy_justext.core.tags import SCRIPTS
from scrapy_justext.core.text import as_script
from tests.builders import tree

#: The address of the pages.
URL = "https://example.com/docs/page.html"

_RENDERER = MarkdownIt("commonmark").enable("table").use(dollarmath_plugin).use(footnote_plugin)
#: What stands around a formula in the text of a page, by the element that it is rendered as.
_DOLLARS = {"span": "$", "div": "$$"}
#: The links back from footnotes that the renderer writes.
_BACK = frozenset(["↩", "\u21a9\ufe0e"])
_SPLITTING = frozenset(
    ["p", "br", "li", "ul", "ol", "blockquote", "pre", "table", "thead", "tbody", "tr", "th", "td", "hr"]
    + [f"h{level}" for level in range(1, 7)]
)


class Case(NamedTuple):
    """A page, and what becomes of it."""

    html: str
    markdown: str


class _Text(HTMLParser):
    """Collects text, with spaces where elements split it, and formulas in dollars.

    References to footnotes and links back are left out.  ``has_alts``: whether ALT stands for its image.
    """

    def __init__(self, has_alts: bool) -> None:
        super().__init__()
        self._has_alts = has_alts
        self.parts: list[str] = []
        self._in_reference = False
        self._in_formula = False
        self._script = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in _SPLITTING | _DOLLARS.keys() | {"a", "em", "strong", "code", "img", "sup", "sub", "section"}, tag
        self._in_formula = tag in _DOLLARS
        # The renderer gives references a class.
        self._in_reference = (tag == "sup" and bool(attrs)) or (tag == "a" and self._in_reference)
        self._script = tag if tag in SCRIPTS and not attrs else self._script
        self.parts.append(_DOLLARS.get(tag, ""))
        if tag == "img" and self._has_alts:
            self.parts.append(f" {dict(attrs)['alt'] or ''} ")
        self._split(tag)

    def handle_endtag(self, tag: str) -> None:
        self._in_formula = False
        self._in_reference = self._in_reference and tag != "sup"
        self._script = "" if tag in SCRIPTS else self._script
        self.parts.append(_DOLLARS.get(tag, ""))
        self._split(tag)

    def handle_data(self, data: str) -> None:
        is_back = data in _BACK
        # A formula that is a block has lines of its own.
        shown = data.strip() if self._in_formula else data
        if self._script:
            shown, self._script = as_script(shown, is_raised=self._script == "sup"), ""
        self.parts.append("" if self._in_reference or is_back else shown)

    def _split(self, tag: str) -> None:
        if tag in _SPLITTING:
            self.parts.append(" ")


def markdown_of(
    page: str | etree._Element, *, url: str | None = None, rules: TagRules = MODERN, tables: str = HTML
) -> str:
    """A page all of whose blocks are good, as Markdown."""
    return page_and_text(page, url=url, rules=rules, tables=tables)[0]


def page_and_text(
    page: str | etree._Element, *, url: str | None = None, rules: TagRules = MODERN, tables: str = HTML
) -> tuple[str, str]:
    """The Markdown of a page all of whose blocks are good, and the text of the blocks."""
    return judged_page_and_text(page, lambda _: GOOD, url=url, rules=rules, tables=tables)


def judged_page_and_text(
    page: str | etree._Element,
    judge: Callable[[Segment], BlockClass],
    *,
    url: str | None = None,
    rules: TagRules = MODERN,
    tables: str = HTML,
) -> tuple[str, str]:
    """The Markdown of a page whose blocks ``judge`` tells the classes of, and the text of all blocks."""
    segments, flow = read_blocks(read_nodes(tree(page) if isinstance(page, str) else page), rules)
    flow.let_go(ATTRIBUTES)
    decisions = Decisions(Decision(judge(segment), "as the test says") for segment in segments)
    markdown = to_markdown(flow, segments, decisions, url=url, tables=tables)
    return markdown, collapse(" ".join(segment.text for segment in segments))


def render(markdown: str) -> str:
    """HTML as CommonMark says, tables as GitHub does."""
    return str(_RENDERER.render(markdown))


def rendered_text(markdown: str, *, has_alts: bool = False) -> str:
    """What a reader sees, white space collapsed; ``has_alts``: images are blocks, whose text is their ALT."""
    parser = _Text(has_alts)
    parser.feed(render(markdown))
    parser.close()
    return collapse("".join(parser.parts))


def words_beside_labels(text: str) -> Counter[str]:
    """The words of a text, without the numbers and letters by which footnotes are told apart."""
    return Counter(re.findall(r"[^\W\d_]{3,}", text))


def without_emojis(text: str) -> str:
    """A text without emojis, which pages may have as images."""
    return collapse("".join(sign for sign in text if unicodedata.category(sign) not in {"So", "Sk", "Cf", "Mn"}))


def collapse(text: str) -> str:
    """One space for each run of white space."""
    return " ".join(text.split())
