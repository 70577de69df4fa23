"""Decide on blocks by the user's own rules: by their elements, or by their text.

No measurement tells a byline or a newsletter box from running text, but a rule can.  These rules apply
before the context pass, so that the neighbours of such a block are judged by its right class.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypedDict, cast

from cssselect import parse
from lxml import etree
from lxml.cssselect import LxmlHTMLTranslator, SelectorError

from scrapy_justext.core.blocks import BAD, GOOD, BlockClass, Decision
from scrapy_justext.core.flattening import kept_nodes
from scrapy_justext.core.parsing import top_elements
from scrapy_justext.core.text import visible_length
from scrapy_justext.exceptions import ParameterError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scrapy_justext.core.blocks import BlockTable
    from scrapy_justext.core.elements import Elements


class Rules(TypedDict, total=False):
    """The user's own rules, as keywords: each a string or several."""

    keep_css: str | Iterable[str]
    """CSS selectors of elements whose blocks are good before their neighbours are judged."""
    drop_css: str | Iterable[str]
    """CSS selectors of elements whose blocks are bad, also inside elements that ``keep_css`` selects."""
    drop_text: str | Iterable[str]
    """Regular expressions; a block is bad if one is found in its text."""


RULE_NAMES = tuple(Rules.__annotations__)


class Selector(etree.XPath):
    """One of the selectors, between commas, of a rule."""

    def __init__(self, path: str, css: str) -> None:
        super().__init__(path)
        self.css = css
        """The whole rule."""


#: A compiled rule and the decision for what it matches.
SelectorRule = tuple[Selector, Decision]
PatternRule = tuple["re.Pattern[str]", Decision]


@dataclass(frozen=True, slots=True)
class Selection:
    """The user's rules; ``drop`` is the strongest, then ``patterns``, then ``keep``.

    ``drop`` and ``keep``: CSS selectors; they decide on blocks inside a matched element, and on those whose
    whole text stands in a matched inline element.  ``patterns``: regular expressions, searched in a block's
    text on one line; a block is BAD if one is found.
    """

    drop: tuple[SelectorRule, ...] = ()
    patterns: tuple[PatternRule, ...] = ()
    keep: tuple[SelectorRule, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.drop or self.patterns or self.keep)

    def __reduce__(self) -> tuple[object, ...]:
        # Compiled selectors cannot be pickled.
        keep, drop = (list(dict.fromkeys(selector.css for selector, _ in rules)) for rules in (self.keep, self.drop))
        texts = [pattern.pattern for pattern, _ in self.patterns]
        return partial(make_selection, keep_css=keep, drop_css=drop, drop_text=texts), ()


def make_selection(
    keep_css: str | Iterable[str] = (), drop_css: str | Iterable[str] = (), drop_text: str | Iterable[str] = ()
) -> Selection:
    """Return the rules that a user wrote.  Raises :class:`ParameterError` for a wrong selector or pattern."""
    return Selection(
        drop=_selector_rules("drop_css", drop_css, BAD),
        patterns=tuple(
            (_pattern(pattern), Decision(BAD, f"drop_text {pattern}")) for pattern in _several("drop_text", drop_text)
        ),
        keep=_selector_rules("keep_css", keep_css, GOOD),
    )


def _selector_rules(name: str, rules: str | Iterable[str], block_class: BlockClass) -> tuple[SelectorRule, ...]:
    decisions = ((css, Decision(block_class, f"{name} {css}")) for css in _several(name, rules))
    return tuple((selector, decision) for css, decision in decisions for selector in _selectors(name, css))


def _several(name: str, rules: str | Iterable[str]) -> Iterable[str]:
    if isinstance(rules, str):
        return (rules,)
    if not isinstance(rules, Iterable) or isinstance(rules, bytes):
        raise ParameterError(name, rules, "must be a string or several")
    return rules


def _selectors(name: str, css: str) -> list[Selector]:
    try:
        # As one XPath, libxml2 compares each element that one of them finds with all that the others do.
        selectors = [
            Selector(_TRANSLATOR.selector_to_xpath(one, translate_pseudo_elements=True), css) for one in parse(css)
        ]
        # Some errors show only when a selector is used, such as a namespace that nobody declared.
        for selector in selectors:
            selector(etree.Element("html"))
    except (SelectorError, etree.LxmlError, TypeError, RecursionError) as error:
        raise ParameterError(name, css, f"must be a CSS selector: {error}") from error
    return selectors


_TRANSLATOR = LxmlHTMLTranslator()


def _pattern(pattern: str) -> re.Pattern[str]:
    # Bytes could be compiled, too.
    if not isinstance(pattern, str):
        raise ParameterError("drop_text", pattern, "must be a regular expression: no string")
    try:
        return re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise ParameterError("drop_text", pattern, f"must be a regular expression: {error}") from error


def choose(selection: Selection, segments: BlockTable, elements: Elements) -> dict[int, Decision]:
    """Return the decisions of the blocks that a rule matches, by their indices."""
    dropped = _selected(selection.drop, segments, elements)
    kept = _selected(selection.keep, segments, elements)
    chosen = {}
    for i, text in enumerate(segments.on_one_line()):
        decision = dropped.get(i) or first_match(selection.patterns, text) or kept.get(i)
        if decision is not None:
            chosen[i] = decision
    return chosen


def first_match(patterns: Sequence[PatternRule], text: str) -> Decision | None:
    """Return the decision of the first pattern that is found in a text on one line."""
    return next((decision for pattern, decision in patterns if pattern.search(text)), None)


def _selected(rules: Sequence[SelectorRule], segments: BlockTable, elements: Elements) -> dict[int, Decision]:
    """Return the decisions of selectors on segments, by their indices."""
    matched: dict[etree._Element, Decision] = {}
    for selector, decision in rules:
        for top in top_elements(elements.root):
            for node in cast("list[etree._Element]", selector(top)):
                matched.setdefault(node, decision)
    if not matched:
        return {}
    nodes, decision_above = elements.nodes, elements.inherited(matched.get)
    above = ((i, decision_above(nodes[element])) for i, element in enumerate(segments.element))
    found = {i: decision for i, decision in above if decision is not None}
    inline = {node: decision for node, decision in matched.items() if node.tag not in elements.rules.block_level}
    return _inside_inline(_stretches(inline, elements), segments) | found if inline else found


class _Stretch(NamedTuple):
    """A stretch of a page's text that stands in an inline element; its ends are counted as ``Segment.start`` is."""

    start: int
    end: int
    decision: Decision


def _stretches(matched: Mapping[etree._Element, Decision], elements: Elements) -> list[_Stretch]:
    """Return the text inside each of the matched elements, in order; those inside another one are left out."""
    stretches: list[_Stretch] = []
    outermost: etree._Element | None = None
    start = length = 0
    for event, node, _ in kept_nodes(elements.root, elements.rules):
        if event == "start":
            if outermost is None and node in matched:
                outermost, start = node, length
            length += visible_length(node.text)
            continue
        if node is outermost:
            outermost = None
            if start < length:
                stretches.append(_Stretch(start, length, matched[node]))
        if node is not elements.root and node.getparent() is not None:
            length += visible_length(node.tail)
    return stretches


def _inside_inline(stretches: Sequence[_Stretch], segments: BlockTable) -> dict[int, Decision]:
    """Return the decisions on the blocks whose whole text stands in stretches, by their indices."""
    # Where one stretch begins at the end of another, a block may stand in both.
    reach = [stretch.end for stretch in stretches]
    for i in range(len(stretches) - 2, -1, -1):
        if stretches[i + 1].start == reach[i]:
            reach[i] = reach[i + 1]
    starts = [stretch.start for stretch in stretches]
    found: dict[int, Decision] = {}
    # The text of a formula may be another than the page's: a block ends where the next one starts.
    last = (one.start + visible_length(one.without_formulas()) for one in segments[-1:])
    ends = [*segments.start[1:], *last]
    for index, (start, end) in enumerate(zip(segments.start, ends, strict=True)):
        at = bisect_right(starts, start) - 1
        if at >= 0 and start < stretches[at].end and end <= reach[at] and segments[index].image_url is None:
            found[index] = stretches[at].decision
    return found
