"""Decide on blocks by the user's own rules: by their elements, or by their text.

No measurement tells a byline or a newsletter box from running text, but a rule can.  These rules apply
before the context pass, so that the neighbours of such a block are judged by its right class.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict, cast

from cssselect import parse
from lxml import etree
from lxml.cssselect import LxmlHTMLTranslator, SelectorError

from scrapy_justext.core.blocks import BAD, GOOD, BlockClass, Decision
from scrapy_justext.core.parsing import top_elements
from scrapy_justext.exceptions import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from scrapy_justext.core.blocks import BlockTable
    from scrapy_justext.core.reading.flow import Flow
    from scrapy_justext.core.reading.nodes import Nodes

_TRANSLATOR = LxmlHTMLTranslator()


class Rules(TypedDict, total=False):
    """The user's own rules, as keywords: each a string or several."""

    keep_css: str | Iterable[str]
    """CSS selectors of elements whose blocks are good before their neighbours are judged."""
    drop_css: str | Iterable[str]
    """CSS selectors of elements whose blocks are bad, also inside elements that ``keep_css`` selects."""
    drop_text: str | Iterable[str]
    """Regular expressions; a block is bad if one is found in its text."""


RULE_NAMES = tuple(Rules.__annotations__)

#: A compiled rule and the decision for what it matches; a rule with commas is several selectors.
SelectorRule = tuple[etree.XPath, Decision]
PatternRule = tuple["re.Pattern[str]", Decision]


@dataclass(frozen=True, slots=True)
class Selection:
    """The user's rules; ``drop`` is the strongest, then ``patterns``, then ``keep``.

    ``drop`` and ``keep``: CSS selectors; they decide on blocks inside a matched element, and on those whose
    whole text stands in a matched inline element.  ``patterns``: regular expressions, searched in a block's
    text on one line; a block is BAD if one is found.  ``given``: what they are made of.
    """

    drop: tuple[SelectorRule, ...] = ()
    patterns: tuple[PatternRule, ...] = ()
    keep: tuple[SelectorRule, ...] = ()
    given: tuple[tuple[str, ...], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.drop or self.patterns or self.keep)

    def __reduce__(self) -> tuple[object, ...]:
        # Compiled selectors cannot be pickled.
        return make_selection, self.given


def make_selection(
    keep_css: str | Iterable[str] = (), drop_css: str | Iterable[str] = (), drop_text: str | Iterable[str] = ()
) -> Selection:
    """Return the rules that a user wrote.  Raises :class:`ParameterError` for a wrong selector or pattern."""
    given = dict(zip(RULE_NAMES, map(_several, RULE_NAMES, (keep_css, drop_css, drop_text)), strict=True))

    def selectors(name: str, block_class: BlockClass) -> tuple[SelectorRule, ...]:
        decisions = ((css, Decision(block_class, f"{name} {css}")) for css in given[name])
        return tuple((selector, decision) for css, decision in decisions for selector in _selectors(name, css))

    return Selection(
        drop=selectors("drop_css", BAD),
        patterns=tuple((_pattern(text), Decision(BAD, f"drop_text {text}")) for text in given["drop_text"]),
        keep=selectors("keep_css", GOOD),
        given=tuple(given.values()),
    )


def _several(name: str, rules: str | Iterable[str]) -> tuple[str, ...]:
    if not isinstance(rules, Iterable) or isinstance(rules, bytes):
        raise ParameterError(name, rules, "must be a string or several")
    return (rules,) if isinstance(rules, str) else tuple(rules)


def _selectors(name: str, css: str) -> list[etree.XPath]:
    try:
        # In a single XPath, libxml2 compares each element that one selector finds with all that the others find.
        paths = (_TRANSLATOR.selector_to_xpath(selector, translate_pseudo_elements=True) for selector in parse(css))
        selectors = list(map(etree.XPath, paths))
        # Some errors show only when a selector is used, such as a namespace that nobody declared.
        for selector in selectors:
            selector(etree.Element("html"))
    except (SelectorError, etree.LxmlError, TypeError, RecursionError) as error:
        raise ParameterError(name, css, f"must be a CSS selector: {error}") from error
    return selectors


def _pattern(pattern: str) -> re.Pattern[str]:
    # Bytes could be compiled, too.
    if not isinstance(pattern, str):
        raise ParameterError("drop_text", pattern, "must be a regular expression: no string")
    try:
        return re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise ParameterError("drop_text", pattern, f"must be a regular expression: {error}") from error


def choose(selection: Selection, segments: BlockTable, flow: Flow) -> dict[int, Decision]:
    """Return the decisions of the blocks that a rule matches, by their indices."""
    dropped = _selected(selection.drop, segments, flow)
    kept = _selected(selection.keep, segments, flow)
    chosen = {}
    for i, text in enumerate(segments.on_one_line()):
        decision = dropped.get(i) or first_match(selection.patterns, text) or kept.get(i)
        if decision is not None:
            chosen[i] = decision
    return chosen


def first_match(patterns: Sequence[PatternRule], text: str) -> Decision | None:
    """Return the decision of the first pattern that is found in a text on one line."""
    return next((decision for pattern, decision in patterns if pattern.search(text)), None)


def _selected(rules: Sequence[SelectorRule], segments: BlockTable, flow: Flow) -> dict[int, Decision]:
    page = flow.page
    matched: dict[int, Decision] = {}
    for selector, decision in rules:
        for node in matched_nodes(selector, page):
            matched.setdefault(node, decision)
    if not matched:
        return {}
    nearest = page.nearest(matched)
    around = [nearest[flow.elements[element]] for element in segments.element]
    decisions = {i: matched[node] for i, node in enumerate(around) if node}
    inline = [node for node in matched if page.name(node) not in flow.rules.block_level]
    return _inside_inline(inline, matched, segments, flow) | decisions if inline else decisions


def matched_nodes(selector: etree.XPath, page: Nodes) -> Iterator[int]:
    """Yield the nodes of the elements that a selector finds on a page."""
    for top in top_elements(page.element(page.root)):
        yield from page.numbers(cast("list[etree._Element]", selector(top)))


def _inside_inline(
    inline: Iterable[int], matched: Mapping[int, Decision], segments: BlockTable, flow: Flow
) -> dict[int, Decision]:
    """Return the decisions on the blocks whose whole text stands in inline elements; the first element decides."""
    page = flow.page
    # Those inside another one are left out.
    outermost = [0] * page.count
    chosen = frozenset(inline)
    for node in range(1, page.count):
        outermost[node] = outermost[page.parent[node]] or (node if node in chosen else 0)
    decisions: dict[int, Decision] = {}
    for i, (begin, end) in enumerate(zip(segments.begin, segments.end, strict=True)):
        texts = (token for token in range(begin, end) if flow.codes[token] in "t$" and not flow.text(token).isspace())
        around = [outermost[flow.place(token)] for token in texts]
        if around and all(around):
            decisions[i] = matched[around[0]]
    return decisions
