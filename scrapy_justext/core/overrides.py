"""Blocks whose class the user chose: by where they stand, or by what they say.

No density tells a byline or a newsletter box from running text.  A rule here does, before the context
pass, so that the neighbours of such a block are judged by what it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict, cast

from lxml import etree
from lxml.cssselect import CSSSelector, SelectorError

from scrapy_justext.core.blocks import BAD, GOOD, Decision
from scrapy_justext.core.flattening import tops
from scrapy_justext.core.reading import segment as cut
from scrapy_justext.exceptions import ParameterError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scrapy_justext.core.blocks import Segment
    from scrapy_justext.core.elements import Elements


class Rules(TypedDict, total=False):
    """The user's own rules, as keywords: each a string or several."""

    keep_css: str | Iterable[str]
    """CSS selectors of elements whose blocks are good before their neighbours are judged."""
    drop_css: str | Iterable[str]
    """CSS selectors of elements whose blocks are bad, also inside of what is kept."""
    drop_text: str | Iterable[str]
    """Regular expressions, searched in the text of blocks that are bad."""


RULE_NAMES = tuple(Rules.__annotations__)

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

    def __reduce__(self) -> tuple[object, ...]:
        # Compiled selectors cannot be pickled.
        keep, drop = ([cast("Any", selector).css for selector, _ in rules] for rules in (self.keep, self.drop))
        return make_selection, (keep, drop, [pattern.pattern for pattern, _ in self.patterns])


def make_selection(
    keep_css: str | Iterable[str] = (), drop_css: str | Iterable[str] = (), drop_text: str | Iterable[str] = ()
) -> Selection:
    """Rules from what a user writes; raises :class:`ParameterError` for what is no selector or pattern.

    What is dropped is dropped also inside of what is kept.
    """
    return Selection(
        drop=tuple(
            (_selector("drop_css", css), Decision(BAD, f"drop_css {css}")) for css in _several("drop_css", drop_css)
        ),
        patterns=tuple(
            (_pattern(pattern), Decision(BAD, f"drop_text {pattern}")) for pattern in _several("drop_text", drop_text)
        ),
        keep=tuple(
            (_selector("keep_css", css), Decision(GOOD, f"keep_css {css}")) for css in _several("keep_css", keep_css)
        ),
    )


def _several(name: str, rules: str | Iterable[str]) -> Iterable[str]:
    if isinstance(rules, str):
        return (rules,)
    if not isinstance(rules, Iterable) or isinstance(rules, bytes):
        raise ParameterError(name, rules, "must be a string or several")
    return rules


def _selector(name: str, css: str) -> CSSSelector:
    try:
        selector = CSSSelector(css, translator="html")
        # Some, of namespaces that nobody declared for one, are told only when they are used.
        selector(etree.Element("html"))
    except (SelectorError, etree.LxmlError, TypeError, RecursionError) as error:
        raise ParameterError(name, css, f"must be a CSS selector: {error}") from error
    return selector


def _pattern(pattern: str) -> re.Pattern[str]:
    # Others could be compiled, too: bytes, for one.
    if not isinstance(pattern, str):
        raise ParameterError("drop_text", pattern, "must be a regular expression: no string")
    try:
        return re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise ParameterError("drop_text", pattern, f"must be a regular expression: {error}") from error


def choose(selection: Selection, segments: Sequence[Segment], elements: Elements) -> dict[int, Decision]:
    """The decisions of the blocks that a rule matches, by their indices."""
    dropped = _selected(selection.drop, segments, elements)
    kept = _selected(selection.keep, segments, elements)
    chosen = {}
    for i, segment in enumerate(segments):
        decision = dropped.get(i) or first_match(selection.patterns, segment.collapsed) or kept.get(i)
        if decision is not None:
            chosen[i] = decision
    return chosen


def first_match(patterns: Sequence[PatternRule], text: str) -> Decision | None:
    """The decision of the first pattern that is found in a text on one line."""
    return next((decision for pattern, decision in patterns if pattern.search(text)), None)


def _selected(rules: Sequence[SelectorRule], segments: Sequence[Segment], elements: Elements) -> dict[int, Decision]:
    """The decisions of selectors on segments, by their indices."""
    matched: dict[etree._Element, Decision] = {}
    for selector, decision in rules:
        for top in tops(elements.root):
            for node in cast("list[etree._Element]", selector(top)):
                matched.setdefault(node, decision)
    if not matched:
        return {}
    nodes, decision_at = elements.nodes, elements.inherited(matched.get)
    around = ((i, decision_at(nodes[one.element])) for i, one in enumerate(segments))
    found = {i: decision for i, decision in around if decision is not None}
    inline = {node: decision for node, decision in matched.items() if node.tag not in elements.rules.block_level}
    return _inside_inline(inline, elements) | found if inline else found


# Noncharacters, as the marks of flattening are; these stand in the text itself.  The number of a matched element
# stands between the first two.
_START, _NUMBERED, _END = _MARKS = "\ufdd3\ufdd4\ufdd5"
_PARTS = re.compile(f"{_START}\\d+{_NUMBERED}|{_END}|[^{_MARKS}]+")


def _inside_inline(matched: Mapping[etree._Element, Decision], elements: Elements) -> dict[int, Decision]:
    """The decisions on the blocks whose whole text stands in inline elements, by their indices.

    A copy of the page, in which marks stand at both ends of these elements, is cut into blocks once more.
    """
    decisions = list(matched.values())
    root = _marked_copy(list(matched), elements.root)
    found: dict[int, Decision] = {}
    around: list[Decision] = []
    index = 0
    for segment in cut(root, elements.rules):
        inside: list[Decision | None] = []
        for part in _PARTS.findall(segment.collapsed):
            if part[0] == _START:
                around.append(decisions[int(part[1:-1])])
            elif part == _END:
                around.pop()
            elif not part.isspace():
                inside.append(around[0] if around else None)
        # Elements without text make blocks of nothing but marks.
        if inside or segment.image_url is not None:
            first = inside[0] if inside else None
            if first is not None and None not in inside:
                found[index] = first
            index += 1
    return found


def _marked_copy(matched: Sequence[etree._Element], root: etree._Element) -> etree._Element:
    """A copy of the page with marks at both ends of some elements."""
    numbers = {node: number for number, node in enumerate(matched)}
    copied = [deepcopy(top) for top in tops(root)]
    copies = [copy for top in copied for copy in top.iter()]
    marked = {}
    for node, copy in zip((node for top in tops(root) for node in top.iter()), copies, strict=True):
        copy.tail = _without_marks(copy.tail)
        if isinstance(copy.tag, str):
            copy.text = _without_marks(copy.text)
        if node in numbers:
            marked[copy] = numbers[node]
    for copy, number in marked.items():
        copy.text = f"{_START}{number}{_NUMBERED}{copy.text or ''}"
        if len(copy):
            copy[-1].tail = f"{copy[-1].tail or ''}{_END}"
        else:
            copy.text += _END
    if len(copied) == 1:
        return copied[0]
    # What stands beside the root in broken markup cannot stand beside its copy.
    around = etree.Element("tops")
    around.extend(copied)
    return around


def _without_marks(text: str | None) -> str | None:
    return text and re.sub(f"[{_MARKS}]", "\ufffd", text)
