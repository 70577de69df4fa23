"""Flatten a tree by a stylesheet that is made of :mod:`.treatments`: what libxslt does where nothing is compiled.

A stylesheet asks only what can be true on the page at hand: a quick look at it (:func:`survey_of`) tells whether it may
have formulas, or code with parts.
"""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape
from itertools import chain, repeat
from typing import TYPE_CHECKING, NamedTuple

from lxml import etree

from scrapy_justext.core import tags
from scrapy_justext.core.marks import BLOCK, INLINE, PREFIXED, UNTAG, unmarked
from scrapy_justext.core.parsing import top_elements
from scrapy_justext.core.treatments import ALL_PARTS, NO_PARTS, Branch, Parts, modes_of, treatments

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from scrapy_justext.core.tags import TagRules
    from scrapy_justext.core.treatments import Treatment


def by_stylesheet(
    root: etree._Element, rules: TagRules, survey: Survey | None = None, *, tells_prefixed: bool = False
) -> str:
    """Return what :func:`~scrapy_justext.core.flattening.flatten` gives, for a tree of no more than about 1,500 levels.

    ``survey``: the page's, if somebody has made it; ``tells_prefixed``: whether ``PREFIXED`` is written.
    """
    parts = parts_of(survey or survey_of(root)) if rules.kinds else NO_PARTS
    return str(_stylesheet(rules, parts, replaces_marks=_has_marks(root), tells_prefixed=tells_prefixed)(root))


def _has_marks(root: etree._Element) -> bool:
    """Return whether the text of a page, or of a part of one, holds marks."""
    tops = (root,) if root.getparent() is not None else top_elements(root.getroottree().getroot())
    # As bytes it takes half the time, and most pages have none of the first.
    texts = [etree.tostring(top, encoding="UTF-8", method="text", with_tail=False) for top in tops]
    return any(_MARKED[0][:1] in text and any(mark in text for mark in _MARKED) for text in texts)


_MARKED = (BLOCK.encode(), INLINE.encode())


# As many as there are, so that a crawl of several profiles makes none twice.
@lru_cache(maxsize=1024)
def _stylesheet(rules: TagRules, parts: Parts, *, replaces_marks: bool, tells_prefixed: bool) -> etree.XSLT:
    templates = _templates(rules, parts, replaces_marks=replaces_marks, tells_prefixed=tells_prefixed)
    return etree.XSLT(etree.XML("".join(templates)))


def _templates(
    rules: TagRules, parts: Parts = ALL_PARTS, *, replaces_marks: bool, tells_prefixed: bool = False
) -> Iterator[str]:
    """Yield the parts of a stylesheet."""
    yield (
        '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">'
        '<xsl:output method="text" encoding="UTF-8"/>'
    )
    for mode in modes_of(rules, parts):
        of_mode = f' mode="{mode}"' if mode else ""
        found = treatments(rules, mode, parts)
        bodies = {name: _body(treatment) for name, treatment in (dict.fromkeys(_FREQUENT, found["*"]) | found).items()}
        if tells_prefixed:
            bodies["*"] = _if("contains(name(), ':math')", _text(INLINE + PREFIXED)) + bodies["*"]
        for name, body in bodies.items():
            priority = -1 if name == "*" else 0
            yield f'<xsl:template{of_mode} match="{name}" priority="{priority}">{body}</xsl:template>'
        if rules.text_nodes:
            yield f'<xsl:template{of_mode} match="processing-instruction()">{_text(INLINE + UNTAG)}</xsl:template>'
        if replaces_marks:
            yield f'<xsl:template{of_mode} match="text()">{_value_of(".", "text")}</xsl:template>'
    yield "</xsl:stylesheet>"


#: Inline elements that most pages have: to ask them for their names takes longer than to write them.
_FREQUENT = ("b", "em", "i", "img", "label", "picture", "source", "strong")


def _body(treatment: Treatment) -> str:
    """Return the instructions that write what a treatment says.

    Tests are among them: libxslt counts siblings for a pattern with a predicate.
    """
    if treatment is None:
        return ""
    if isinstance(treatment, Branch):
        return _if(treatment.test, _body(treatment.then), _body(treatment.otherwise))
    told = "".join(
        f"{_value_of(expression, f'told{i}')}{_text(behind)}" for i, (expression, behind) in enumerate(treatment.told)
    )
    of_mode = f' mode="{treatment.below}"' if treatment.below else ""
    content = "" if treatment.below is None else f"<xsl:apply-templates{of_mode}/>"
    return f"{_text(treatment.start)}{told}{content}{_text(treatment.end)}"


def _value_of(expression: str, name: str) -> str:
    """Return what writes the value of an XPath expression, without our marks.

    ``name``: that of the variable that holds it.
    """
    # Few values have marks of ours, and to look for them takes a tenth of the time of "translate".
    has_marks = " or ".join(f"contains(${name}, '{mark}')" for mark in (BLOCK, INLINE))
    value = _if(has_marks, *(f'<xsl:value-of select="{written}"/>' for written in (unmarked(f"${name}"), f"${name}")))
    return f'<xsl:variable name="{name}" select="{escape(expression)}"/>{value}'


def _text(marks: str) -> str:
    return f"<xsl:text>{escape(marks)}</xsl:text>" if marks else ""


def _if(test: str, body: str, otherwise: str = "") -> str:
    return (
        f'<xsl:choose><xsl:when test="{escape(test)}">{body}</xsl:when>'
        f"<xsl:otherwise>{otherwise}</xsl:otherwise></xsl:choose>"
    )


class Survey(NamedTuple):
    """What tells quickly that a page has neither formulas that are elements nor code with parts; most have neither."""

    tops: Sequence[etree._Element]
    """The elements at the top of its tree."""
    classes: str
    """The words in the classes of the elements that are asked for it, each once, with spaces around.

    No two of them stand as they do in a class.
    """


def survey_of(root: etree._Element) -> Survey:
    """Return what tells of formulas and code on a page."""
    tops = list(top_elements(root))
    # All of them are held: of an element that is let go of, lxml passes all ancestors up to one that is held.
    nodes = list(chain.from_iterable(top.iter(*_CLASSED) for top in tops))
    # Of many elements, few values.
    values = set(map(etree._Element.get, nodes, repeat("class"), repeat("")))
    return Survey(tops, _spaced(" ".join({*" ".join(values).split()})))


def parts_of(survey: Survey) -> Parts:
    """Return which tests of code a page asks."""
    tops = survey.tops
    has_code = any(next(top.iter("pre"), None) is not None for top in tops)
    whole = any(_is_passed(test, survey, has_code) for test in _OUTSIDE)
    parts = list(inside_any(pre for top in tops for pre in top.iter("pre"))) if has_code else []
    told = _spaced(" ".join({f"{node.get('class', '')} {node.get('style', '')}" for node in parts}))
    named = whole or _holds_any(told, _WORDS_BESIDE_CODE)
    inside = named or _holds_any(told, _WORDS_OF_LINES) or any(map(_may_be_part, parts))
    return Parts(whole, _is_passed(_LABELS, survey, has_code), inside, named)


def _is_passed(test: _OutsideTest, survey: Survey, has_code: bool) -> bool:
    """Return whether any element passes a test; ``has_code``: whether the page has PREs."""
    # Menus and layouts have some of these words.
    sought = [word for word in (test.words if has_code else test.words_alone) if word in survey.classes]
    if not sought:
        return False
    nodes = [node for top in survey.tops for node in top.iter(*test.names)]
    # Of many elements, few classes.
    classes = {node.get("class", "") for node in nodes}
    asked = classes if test.inside else {one for one in classes if _holds_any(_spaced(one), sought)}
    return bool(asked) and any(test.is_passed(node) for node in nodes if node.get("class", "") in asked)


def _holds_any(text: str, words: Iterable[str]) -> bool:
    return any(map(text.__contains__, words))


def _spaced(text: str) -> str:
    """Return the words of a text with a space around each."""
    return f" {' '.join(text.split())} "


def _may_be_part(node: etree._Element) -> bool:
    return (
        node.tag in ("button", "textarea", "img", "div")
        or node.get("data-line") is not None
        # In a heading, a link to itself is none.
        or node.get("href", "").startswith("#")
    )


def inside_any(outer: Iterable[etree._Element]) -> Iterator[etree._Element]:
    """Yield what is inside of some elements, once, however many of these are in one another."""
    inside: set[etree._Element] = set()
    for around in outer:
        if around not in inside:
            below = list(around.iterdescendants(etree.Element))
            inside.update(below)
            yield from below


def _words_of(*tests: str) -> Sequence[str]:
    """Return the texts that XPath tests look for; those in a list with spaces around all, each with such spaces.

    >>> _words_of("contains(@class, 'ln-') or contains(' line row ', @class) or translate(@class, 'x', '')")
    [' line ', ' row ', 'ln-', 'x']
    """
    texts = {text for test in tests for text in re.findall("'([^']*)'", test) if text.strip()}
    lists = {text for text in texts if text[0] == " "}
    return sorted({f" {word} " for text in lists for word in text.split()} | (texts - lists))


class _OutsideTest(NamedTuple):
    """A test of elements that are code as a whole, or stand beside code."""

    names: tuple[str, ...]
    """Those of the elements."""
    inside: tuple[str, ...]
    """Those of elements inside whose classes it asks for, too."""
    words: Sequence[str]
    """One of them is in the classes that it asks for, on a page with PREs."""
    words_alone: Sequence[str]
    """The same on a page without PREs."""
    is_passed: etree.XPath


def _outside(test: str, *names: str, inside: tuple[str, ...] = (), is_near_code: bool = False) -> _OutsideTest:
    """Return a test of elements of some names; ``is_near_code``: no element passes it on a page without PREs."""
    words = _words_of(test)
    return _OutsideTest(names, inside, words, () if is_near_code else words, etree.XPath(f"boolean({test})"))


_OUTSIDE = (
    _outside(tags.CODE_AS_A_WHOLE["table"], "table", inside=("td",)),
    _outside(tags.CODE_AS_A_WHOLE["div"], "div"),
    _outside(tags.CODE_AS_A_WHOLE["ol"], "ol", inside=("div",)),
    *(_outside(test, name, is_near_code=True) for name, test in tags.LINE_NUMBERS.items()),
)
_LABELS = _outside(tags.LABEL_OF_CODE, *tags.LABELS)._replace(
    words=tags.WORDS_OF_LABELS, words_alone=tags.WORDS_OF_PROMPTS
)
#: The names of the elements whose classes tell of code, or of formulas.
_CLASSED = tuple(sorted({"code", "span"}.union(*((*test.names, *test.inside) for test in (*_OUTSIDE, _LABELS)))))
#: What is in the classes and styles of parts of code.
_WORDS_BESIDE_CODE, _WORDS_OF_LINES = _words_of(tags.NAMED_BESIDE_CODE), _words_of(tags.LINE_OF_CODE)
