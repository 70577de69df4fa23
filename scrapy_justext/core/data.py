"""Text of a page that stands in data instead of elements: JSON-LD, and the state that scripts start from.

Product and job pages often have their description nowhere else.  No element tells what such a text is, so it is
for pages that show next to nothing.  What cannot be read as JSON is passed over.
"""

from __future__ import annotations

import json
import re
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, NamedTuple, cast

from scrapy_justext.core.blocks import GOOD, Decision
from scrapy_justext.core.parsing import parse_html
from scrapy_justext.core.segmentation import segment
from scrapy_justext.core.text import collapse

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lxml import etree

    from scrapy_justext.core.blocks import Segment
    from scrapy_justext.core.tags import TagRules

JSON_LD, EMBEDDED, PAGE = "json-ld", "embedded", "page"

#: The properties of schema.org that hold a thing's text; of one object, the first that is there.
PROPERTIES = ("articleBody", "text", "reviewBody", "description")
#: Things that a page is not about.
PASSED_OVER = frozenset(
    ["Organization", "WebSite", "Person", "ImageObject", "BreadcrumbList", "SearchAction", "Corporation", "Brand"]
)

#: Characters; a page with so many in good blocks has no need of its data, one with so many in all its blocks no need of
#: what scripts hold.  By validation on WCXB's development set: JSON-LD helps below, and hurts from 300 on.
ENOUGH = 200

#: Characters; a shorter text says nothing.
LEAST_JSON_LD = 60
LEAST_EMBEDDED = 200
#: Characters of a script that are read; longer ones are cut there.
MOST_READ = 1 << 22
#: How often JSON may be written into a string of JSON.
NESTING = 3

#: A string of JSON; an escape outside of one goes by, or each escaped quote would be looked at as a beginning.
_STRING = re.compile(r'\\.|"((?:[^"\\\n]|\\.)*)"')
_CODE = re.compile(r"[{}=;<>|\\_$]|https?:|\(\)")
_SENTENCE = re.compile(r"[\w\"'”’)][.!?](?:\s|$)|[。！？।۔؟]")
#: Signs of code a character, at the most.
_CODE_SHARE = 0.01
#: Characters a space, at the most, in text with spaces between words.
_SPACING = 12
#: From here on scripts are written without them.
_UNSPACED_FROM = 0x0E00


class DataText(NamedTuple):
    """``origin``: :data:`JSON_LD` or :data:`EMBEDDED`; ``segments``: the blocks of the text; ``decision``: theirs."""

    origin: str
    segments: list[Segment]
    decision: Decision


class PageData:
    """The text in a page's data beside its blocks, which are its ``segments``; read when it is first asked for."""

    def __init__(self, root: etree._Element, segments: Sequence[Segment], rules: TagRules) -> None:
        self._root, self._segments, self._rules = root, segments, rules

    @cached_property
    def found(self) -> tuple[str, list[Segment]] | None:
        """Its origin and its blocks, without those that the page shows, too; None where there are none."""
        shown = sum(len(segment.collapsed) for segment in self._segments)
        found = find_data_text(self._root, self._rules, embedded=shown < ENOUGH)
        if found is None:
            return None
        present = {segment.collapsed for segment in self._segments}
        segments = [one for one in found[1] if one.collapsed not in present]
        return (found[0], segments) if segments else None


def supplement(data: PageData, segments: Sequence[Segment], decisions: Sequence[Decision]) -> DataText | None:
    """What a page's data add to its blocks; None where those have content of their own."""
    good = sum(
        len(segment.collapsed)
        for segment, decision in zip(segments, decisions, strict=True)
        if decision.block_class is GOOD
    )
    if good >= ENOUGH or data.found is None:
        return None
    origin, added = data.found
    reason = f"from {origin}, as the page has only {good} < {ENOUGH} good characters"
    return DataText(origin, added, Decision(GOOD, reason))


def find_data_text(root: etree._Element, rules: TagRules, *, embedded: bool = True) -> tuple[str, list[Segment]] | None:
    """The blocks of the page's texts in JSON-LD, and where there are none, of those in embedded state.

    With the origin of the text.  None without any.  ``embedded``: whether embedded state is looked at.
    """
    scripts = cast("list[etree._Element]", root.xpath("//script[not(@src)]"))
    linked = {one: None for one in scripts if "ld+json" in (one.get("type") or "").lower()}
    others = [one for one in scripts if one not in linked] if embedded else []
    for origin, texts in (
        (JSON_LD, (text for one in linked for text in json_ld_texts(one.text or ""))),
        (EMBEDDED, (text for one in others for text in embedded_texts(one.text or ""))),
    ):
        segments = [one for text in dict.fromkeys(texts) for one in _segments(text, rules)]
        if segments:
            return origin, segments
    return None


def json_ld_texts(script: str) -> Iterator[str]:
    """The texts in a script of JSON-LD, in order.

    >>> list(json_ld_texts('{"@graph": [{"@type": "Product", "description": "%s"}]}' % ("A lamp. " * 10)))[0][:14]
    'A lamp. A lamp'
    """
    try:
        waiting = [json.loads(script[:MOST_READ], strict=False)]
    except (ValueError, RecursionError):
        return
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting.extend(reversed(value))
        elif isinstance(value, dict) and not _is_passed_over(value.get("@type")):
            texts = (value.get(name) for name in PROPERTIES)
            text = next((one for one in texts if isinstance(one, str) and len(one) >= LEAST_JSON_LD), None)
            if text is not None:
                yield text
            waiting.extend(reversed([one for one in value.values() if isinstance(one, dict | list)]))


def _is_passed_over(kind: object) -> bool:
    kinds = kind if isinstance(kind, list) else [kind]
    return any(isinstance(one, str) and one in PASSED_OVER for one in kinds)


def embedded_texts(script: str, nesting: int = NESTING) -> Iterator[str]:
    """The strings in a script that read like prose, in order, also those in strings that hold JSON."""
    for match in _STRING.finditer(script[:MOST_READ]):
        if len(match[1] or "") < LEAST_EMBEDDED:
            continue
        try:
            text = json.loads(f'"{match[1]}"', strict=False)
        except ValueError:
            continue
        if is_prose(text):
            yield text
        elif nesting and '"' in text:
            yield from embedded_texts(text, nesting - 1)


def is_prose(text: str) -> bool:
    """Whether a string is running text, and no code or list of names; with or without markup.

    >>> is_prose("The kettle is made from one sheet of copper. " * 6), is_prose("color:#fff;" * 30)
    (True, False)
    """
    plain = _TAG.sub(" ", text)
    if len(plain) < LEAST_EMBEDDED / 2 or not _SENTENCE.search(plain):
        return False
    spaced = plain.count(" ") * _SPACING >= len(plain) or max(map(ord, plain)) >= _UNSPACED_FROM
    return spaced and len(_CODE.findall(plain)) <= _CODE_SHARE * len(plain)


_TAG = re.compile(r"<[^<>]{0,500}>|&[a-z]{2,8};|&#\d{1,6};")


def _segments(text: str, rules: TagRules) -> list[Segment]:
    """The blocks of a text that may be HTML, with entities written out or not."""
    if "<" not in text and "&lt;" in text:
        text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    if "<" not in text:
        text = "".join(f"<p>{escape(line)}" for line in text.splitlines() if collapse(line))
    root = parse_html(f"<body>{text}").root
    return [] if root is None else segment(root, rules)
