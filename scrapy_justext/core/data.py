"""Text of a page that stands in data instead of elements: JSON-LD, and the state that scripts start from.

Product and job pages often have their description nowhere else.  No element tells what such a text is, so it is
for pages that show next to nothing.  What a page shows is there, whatever thresholds and rules of the user's make of
it.  Lengths are in units (:mod:`.units`).
"""

from __future__ import annotations

import re
from html import escape, unescape
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple, cast

from scrapy_justext.core.blocks import GOOD, Decision
from scrapy_justext.core.embedded import embedded_texts
from scrapy_justext.core.flattening import tops
from scrapy_justext.core.json_ld import LEAST, json_ld_texts
from scrapy_justext.core.parsing import declared_languages, parse_html
from scrapy_justext.core.segmentation import segment
from scrapy_justext.core.selection import first_match
from scrapy_justext.core.units import units

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

    from lxml import etree

    from scrapy_justext.core.blocks import Segment
    from scrapy_justext.core.elements import Elements
    from scrapy_justext.core.selection import Selection
    from scrapy_justext.core.tags import TagRules

JSON_LD, EMBEDDED, PAGE = "json-ld", "embedded", "page"

#: Units; a page with so many in its content has no need of its data, one with so many in all its blocks no need of
#: what scripts hold.  By validation on WCXB's development set: JSON-LD helps below, and hurts from 300 on.
ENOUGH = 200
#: A block is content from this probability on, also where the user asks for more.
CONTENT_PROBABILITY = 0.5
#: Characters of a page's text in which that of its data is looked for.
MOST_COMPARED = 1 << 16

_WORD = re.compile(r"[^\W_]+")
_MARKUP = re.compile(r"</?[a-zA-Z][^<>]*>|<!--")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]\w{1,30});")
#: An entity that was escaped once more.
_ESCAPED_ENTITY = re.compile(f"&amp;(?={_ENTITY.pattern[1:]})")
#: No text to be shown, whatever markup is around it.
_ESCAPED_CODE = re.compile("&(?:amp;){0,2}lt;(?:script|style)\\b", re.IGNORECASE)
#: How often text may be escaped.
_ESCAPED = 2


class Data(NamedTuple):
    """What a page's data hold.  ``origin``: :data:`JSON_LD` or :data:`EMBEDDED`; ``segments``: blocks of text."""

    origin: str
    segments: list[Segment]


class DataText(NamedTuple):
    """What a page's data add to its blocks; ``decisions``: one a segment."""

    origin: str
    segments: list[Segment]
    decisions: list[Decision]

    @property
    def good(self) -> list[Segment]:
        """The segments that no rule of the user's made bad."""
        return [
            one for one, decision in zip(self.segments, self.decisions, strict=True) if decision.block_class is GOOD
        ]


class Shown(NamedTuple):
    """A page's blocks as they were judged; ``chosen``: the indices of those that the user's rules decided."""

    segments: Sequence[Segment]
    decisions: Sequence[Decision]
    probabilities: Sequence[float | None]
    chosen: Container[int]


def shows_little(segments: Iterable[Segment]) -> bool:
    """Whether blocks have less text than :data:`ENOUGH`."""
    length = 0
    for one in segments:
        length += units(one.collapsed)
        if length >= ENOUGH:
            return False
    return True


def supplement(shown: Shown, elements: Elements, selection: Selection, data: Data | None = None) -> DataText | None:
    """What a page's data add to its blocks; None where those have content of their own.

    ``data``: what was found on the page, where it was looked for.
    """
    content = [
        decision.block_class is GOOD or (probability or 0) >= CONTENT_PROBABILITY
        for decision, probability in zip(shown.decisions, shown.probabilities, strict=True)
    ]
    length = sum(units(one.collapsed) for one, is_content in zip(shown.segments, content, strict=True) if is_content)
    if length >= ENOUGH:
        return None
    data = data or find_data(elements, selection, embedded=shows_little(shown.segments))
    there = _Present(
        [one for i, one in enumerate(shown.segments) if content[i] or i in shown.chosen] if data.segments else []
    )
    segments = [one for one in data.segments if one not in there]
    added = Decision(GOOD, f"from {data.origin}, as the page has only {length} < {ENOUGH} characters of content")
    decisions = [first_match(selection.patterns, one.collapsed) or added for one in segments]
    return DataText(data.origin, segments, decisions) if segments else None


class _Present:
    """The texts of blocks: one by one, and as one run of words in which a text over several of them is found."""

    def __init__(self, segments: Sequence[Segment]) -> None:
        self._texts = {one.collapsed for one in segments}
        self._run = _words(" ".join(one.collapsed for one in segments)[:MOST_COMPARED])

    def __contains__(self, one: Segment) -> bool:
        text = one.collapsed
        return text in self._texts or (units(text) >= LEAST and _words(text) in self._run)


def _words(text: str) -> str:
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def find_data(elements: Elements, selection: Selection, *, embedded: bool = True) -> Data:
    """The blocks of the texts in JSON-LD, and where there are none, of those in embedded state.

    ``embedded``: whether embedded state is looked at.  Scripts in elements that the user dropped are passed over.
    """
    scripts = _scripts(elements, selection)
    linked = [one.text or "" for one in scripts if _is_linked_data(one)]
    others = [one.text or "" for one in scripts if not _is_linked_data(one)] if embedded else []
    languages = declared_languages(elements.root)
    for origin, texts in (
        (JSON_LD, (text for one in linked for text in json_ld_texts(one, languages))),
        (EMBEDDED, (text for one in others for text in embedded_texts(one))),
    ):
        segments = list(segments_of(texts, elements.rules))
        if segments:
            return Data(origin, segments)
    return Data(PAGE, [])


def _is_linked_data(script: etree._Element) -> bool:
    return "ld+json" in (script.get("type") or "").lower()


def _scripts(elements: Elements, selection: Selection) -> list[etree._Element]:
    every = list(tops(elements.root))
    scripts = [one for top in every for one in top.iter("script") if "src" not in one.attrib]
    dropped: Mapping[etree._Element, bool] = {
        node: True
        for selector, _ in selection.drop
        for top in every
        for node in cast("list[etree._Element]", selector(top))
    }
    is_dropped = elements.inherited(dropped.get)
    return [one for one in scripts if not is_dropped(one)] if dropped else scripts


def segments_of(texts: Iterable[str], rules: TagRules) -> Iterator[Segment]:
    """The blocks of texts that may be HTML, escaped or not; of equal texts, those of the first."""
    readable = map(_unescaped, dict.fromkeys(texts))
    for has_markup, group in groupby(readable, lambda text: _MARKUP.search(text) is not None):
        # Markup that is not closed must not reach into the next text.  All else is cut at once, which is far quicker.
        for page in map(_without_escaped_entities, group) if has_markup else ["".join(map(_paragraphs, group))]:
            root = parse_html(f"<body>{page}").root
            yield from [] if root is None else segment(root, rules)


def _without_escaped_entities(html: str) -> str:
    return _ESCAPED_ENTITY.sub("&", html)


def _paragraphs(text: str) -> str:
    """A plain text as HTML, a paragraph a line."""
    return "".join(f"<p>{escape(line)}</p>" for line in text.splitlines())


def _unescaped(text: str) -> str:
    """A text without entities where it is plain; as HTML where it has markup."""
    for _ in range(_ESCAPED):
        if _MARKUP.search(text) and not _ESCAPED_CODE.search(text):
            break
        text = _ENTITY.sub(lambda entity: unescape(entity[0]), text)
    return text
