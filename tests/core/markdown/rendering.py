"""Markdown rendered to HTML by a library that knows nothing of this one, and the text of that."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import TYPE_CHECKING, NamedTuple

from markdown_it import MarkdownIt

from scrapy_justext.core.blocks import GOOD, Decision
from scrapy_justext.core.elements import Elements
from scrapy_justext.core.markdown.document import to_markdown
from scrapy_justext.core.reading import segment_and_count
from scrapy_justext.core.tags import MODERN
from tests.builders import tree

if TYPE_CHECKING:
    from lxml import etree

    from scrapy_justext.core.tags import TagRules

#: The address of the pages.
URL = "https://example.com/docs/page.html"

_RENDERER = MarkdownIt("commonmark").enable("table")
_SPLITTING = frozenset(
    ["p", "br", "li", "ul", "ol", "blockquote", "pre", "table", "thead", "tbody", "tr", "th", "td", "hr"]
    + [f"h{level}" for level in range(1, 7)]
)


class Case(NamedTuple):
    """A page, and what becomes of it."""

    html: str
    markdown: str


class _Text(HTMLParser):
    """Collects text, with spaces where elements split it; ALT stands for its image."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in _SPLITTING | {"a", "em", "strong", "code", "img"}, tag
        if tag == "img":
            self.parts.append(f" {dict(attrs)['alt'] or ''} ")
        self._split(tag)

    def handle_endtag(self, tag: str) -> None:
        self._split(tag)

    def handle_data(self, data: str) -> None:
        self.parts.append(data)

    def _split(self, tag: str) -> None:
        if tag in _SPLITTING:
            self.parts.append(" ")


def markdown_of(page: str | etree._Element, *, url: str | None = None, rules: TagRules = MODERN) -> str:
    """A page all of whose blocks are good, as Markdown."""
    return page_and_text(page, url=url, rules=rules)[0]


def page_and_text(page: str | etree._Element, *, url: str | None = None, rules: TagRules = MODERN) -> tuple[str, str]:
    """The Markdown of a page all of whose blocks are good, and the text of the blocks."""
    root = tree(page) if isinstance(page, str) else page
    segments, count = segment_and_count(root, rules)
    decisions = [Decision(GOOD, "as the test says")] * len(segments)
    markdown = to_markdown(Elements(root, rules, count), segments, decisions, url=url)
    return markdown, collapse(" ".join(segment.text for segment in segments))


def render(markdown: str) -> str:
    """HTML as CommonMark says, tables as GitHub does."""
    return str(_RENDERER.render(markdown))


def rendered_text(markdown: str) -> str:
    """What a reader sees, white space collapsed."""
    parser = _Text()
    parser.feed(render(markdown))
    parser.close()
    return collapse("".join(parser.parts))


def collapse(text: str) -> str:
    """One space for each run of white space."""
    return " ".join(text.split())
