"""Markdown rendered to HTML by a library that knows nothing of this one, the HTML of ours, and the text of both."""

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
from scrapy_justext.core.markdown.document import ATTRIBUTES, good_document, to_markdown
from scrapy_justext.core.markdown.html import to_html
from scrapy_justext.core.markdown.inline import SCHEMES
from scrapy_justext.core.markdown.pieces import Piece
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


#: What HTML of ours may hold: elements with their attributes.
_ALLOWED: dict[str, frozenset[str]] = {
    **dict.fromkeys(["p", "br", "ul", "blockquote", "pre", "table", "tr", "em", "strong", "sup", "sub"], frozenset()),
    **{f"h{level}": frozenset() for level in range(1, 7)},
    "a": frozenset(["href"]), "code": frozenset(["class"]), "div": frozenset(["id"]), "img": frozenset(["alt", "src"]),
    "li": frozenset(["value"]), "ol": frozenset(["start"]),
    **dict.fromkeys(["td", "th"], frozenset(["colspan", "rowspan"])),
}  # fmt: skip
_EMPTY_ELEMENTS = frozenset(["br", "img"])


class _Harmless(HTMLParser):
    """Fails for what does not belong into HTML that can be shown as it is."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert {name for name, _ in attrs} <= _ALLOWED[tag], (tag, attrs)
        for name, value in attrs:
            assert value is not None
            assert name not in ("colspan", "rowspan", "start", "value") or value.isdecimal(), (tag, attrs)
            assert name != "class" or re.fullmatch(r"language-[\w+#.-]+", value), (tag, attrs)
            assert name != "id" or re.fullmatch(r"fn-[\w-]+", value), (tag, attrs)
            if name in ("href", "src"):
                scheme = re.match(r"([a-zA-Z][^/?#]*?):", "".join(sign for sign in value if sign > " "))
                assert scheme is None or scheme[1].lower() in SCHEMES, (tag, attrs)
        if tag not in _EMPTY_ELEMENTS:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(decl)

    handle_pi = unknown_decl = handle_comment


def check_harmless(html: str) -> None:
    """Fail for HTML that has anything but our few elements, each closed in its turn, and addresses to follow."""
    parser = _Harmless()
    parser.feed(html)
    parser.close()
    assert parser.open == []


def read_html(html: str, *, has_alts: bool) -> str:
    """What a reader of our HTML sees, white space collapsed; formulas have their signs."""
    parser = _Text(has_alts)
    # As the renderer of Markdown writes references.
    parser.feed(html.replace("<div", "<p").replace('<sup><a href="#fn-', '<sup class="footnote"><a href="#fn-'))
    parser.close()
    return collapse("".join(parser.parts))


def as_read(text: str) -> str:
    """A text with one dollar for each run of them, and for the signs of formulas."""
    return collapse(re.sub(r"\$+", "$", re.sub(r"\\[()\[\]]", "$", text)))


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
    """The Markdown of a page whose blocks ``judge`` tells the classes of, and the text of all blocks.

    The HTML of the same blocks is checked on the way: it is harmless, and a reader of it sees the same.
    """
    pieces, text = _pieces_and_text(page, judge, url=url, rules=rules)
    markdown, html = to_markdown(pieces, tables=tables), to_html(pieces)
    check_harmless(html)
    read, expected = read_html(html, has_alts=rules.images), rendered_text(markdown, has_alts=rules.images)
    # A renderer of Markdown puts footnotes at the end.
    if "fn-" in html or "[!" in markdown:
        assert words_beside_labels(expected.lower()) == words_beside_labels(read.lower())
    else:
        assert as_read(read) == as_read(expected)
    return markdown, text


def _pieces_and_text(
    page: str | etree._Element, judge: Callable[[Segment], BlockClass], *, url: str | None, rules: TagRules
) -> tuple[list[Piece], str]:
    segments, flow = read_blocks(read_nodes(tree(page) if isinstance(page, str) else page), rules)
    flow.let_go(ATTRIBUTES)
    decisions = Decisions(Decision(judge(segment), "as the test says") for segment in segments)
    text = collapse(" ".join(segment.text for segment in segments))
    return good_document(flow, segments, decisions, url=url), text


def html_of(page: str, *, url: str | None = None) -> str:
    """A page all of whose blocks are good, as HTML."""
    return to_html(_pieces_and_text(page, lambda _: GOOD, url=url, rules=MODERN)[0])


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
    # Those of footnotes in our HTML are raised.
    return Counter(re.findall(r"[^\W\d_\u00b2\u00b3\u00b9\u2070-\u2079]{3,}", text))


def without_emojis(text: str) -> str:
    """A text without emojis, which pages may have as images."""
    return collapse("".join(sign for sign in text if unicodedata.category(sign) not in {"So", "Sk", "Cf", "Mn"}))


def collapse(text: str) -> str:
    """One space for each run of white space."""
    return " ".join(text.split())
