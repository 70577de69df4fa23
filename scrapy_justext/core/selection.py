"""Blocks whose class the user chose: by where they stand, or by what they say.

No density tells a byline or a newsletter box from running text.  A rule here does, before the context
pass, so that the neighbours of such a block are judged by what it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from lxml.cssselect import CSSSelector, SelectorError

from scrapy_justext.core.blocks import BAD, GOOD, Decision
from scrapy_justext.core.flattening import tops
from scrapy_justext.core.segmentation import segment as cut
from scrapy_justext.exceptions import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from lxml import etree

    from scrapy_justext.core.blocks import Segment
    from scrapy_justext.core.elements import Elements


RULE_NAMES = ("keep_css", "drop_css", "drop_text")

#: A compiled rule and the decision for what it matches.
SelectorRule = tuple[CSSSelector, Decision]
PatternRule = tuple["re.Pattern[str]", Decision]


@dataclass(frozen=True, slots=True)
class Selection:
    """The rules in the order in which they count; of each kind, all are looked at.

    ``drop`` and ``keep``: CSS selectors; they decide on blocks inside a matched element, and on those whose
    whole text stands in a matched inline element.  ``patterns``: regular expressions that are searched in
    the block's text on one line, and make it BAD.
    """

    drop: tuple[SelectorRule, ...] = ()
    patterns: tuple[PatternRule, ...] = ()
    keep: tuple[SelectorRule, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.drop or self.patterns or self.keep)


def make_selection(
    keep_css: str | Iterable[str] = (), drop_css: str | Iterable[str] = (), drop_text: str | Iterable[str] = ()
) -> Selection:
    """Rules from what a user writes; raises :class:`ParameterError` for what is no selector or pattern.

    What is dropped is dropped also inside of what is kept.
    """
    return Selection(
        drop=tuple((_selector("drop_css", css), Decision(BAD, f"drop_css {css}")) for css in _several(drop_css)),
        patterns=tuple((_pattern(pattern), Decision(BAD, f"drop_text {pattern}")) for pattern in _several(drop_text)),
        keep=tuple((_selector("keep_css", css), Decision(GOOD, f"keep_css {css}")) for css in _several(keep_css)),
    )


def _several(rules: str | Iterable[str]) -> Iterable[str]:
    return (rules,) if isinstance(rules, str) else rules


def _selector(name: str, css: str) -> CSSSelector:
    try:
        return CSSSelector(css, translator="html")
    except (SelectorError, TypeError) as error:
        raise ParameterError(name, css, f"must be a CSS selector: {error}") from error


def _pattern(pattern: str) -> re.Pattern[str]:
    # Others could be compiled, too: bytes, for one.
    if not isinstance(pattern, str):
        raise ParameterError("drop_text", pattern, "must be a regular expression: no string")
    try:
        return re.compile(pattern)
    except re.error as error:
        raise ParameterError("drop_text", pattern, f"must be a regular expression: {error}") from error


def choose(selection: Selection, segments: Sequence[Segment], elements: Elements) -> dict[int, Decision]:
    """The decisions of the blocks that a rule matches, by their indices."""
    dropped = _selected(selection.drop, elements)
    kept = _selected(selection.keep, elements)
    chosen = {}
    for i, segment in enumerate(segments):
        decision = dropped(segment) or _first_match(selection.patterns, segment.collapsed) or kept(segment)
        if decision is not None:
            chosen[i] = decision
    return chosen


def _first_match(patterns: Sequence[PatternRule], text: str) -> Decision | None:
    return next((decision for pattern, decision in patterns if pattern.search(text)), None)


def _selected(rules: Sequence[SelectorRule], elements: Elements) -> Callable[[Segment], Decision | None]:
    """A function that gives the decision of selectors for a segment."""
    matched: dict[etree._Element, Decision] = {}
    for selector, decision in rules:
        for top in tops(elements.root):
            for node in cast("list[etree._Element]", selector(top)):
                matched.setdefault(node, decision)
    if not matched:
        return lambda _: None
    nodes = elements.nodes
    decision_at = elements.inherited(matched.get)
    inline = _inline_texts(matched, elements)

    def decide(segment: Segment) -> Decision | None:
        node = nodes[segment.element]
        return decision_at(node) or inline.get((node, segment.collapsed))

    return decide


def _inline_texts(
    matched: Mapping[etree._Element, Decision], elements: Elements
) -> dict[tuple[etree._Element, str], Decision]:
    """The decisions on texts that stand in inline elements, by the element of their block and the text."""
    rules = elements.rules
    enclosing = elements.inherited(lambda node: node if node.tag in rules.block_level else None)
    around = elements.inherited(matched.get)
    found: dict[tuple[etree._Element, str], Decision] = {}
    for node, decision in matched.items():
        parent = node.getparent()
        # What stands in another one is that one's.
        if node.tag in rules.block_level or parent is None or around(parent) is not None:
            continue
        block = enclosing(parent)
        for segment in cut(node, rules):
            found[block if block is not None else elements.root, segment.collapsed] = decision
    return found
