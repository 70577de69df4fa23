"""Write a tree as one string: its text, with marks where elements start and end.

Reading a tree node by node from Python costs more than parsing it.  Here libxslt walks the tree and
writes the text of all elements that are not removed, with a mark at each start and end that reading
must know of.  The rest is work on a string.  :func:`flatten` and :func:`walk` return the same string for
the same tree.  The first is fast.  The second is used if the tree is deeper than libxslt's recursion
allows (about 1,500 elements; today's parsers stop at 2,048, older ones nowhere).

The marks are noncharacters, which Unicode reserves for use inside a program.  A page may hold
them all the same: then ``OWN_MARKS`` stands first, and ``replace_marks`` makes U+FFFD of the page's own.

======================  =========================================================
``BLOCK`` + code        a block-level element starts; the code tells which
``BLOCK`` + ``CLOSE``   a block-level element ends
``INLINE`` + ``LINK``   A starts
``INLINE`` + ``UNLINK`` A ends
``INLINE`` + ``TAG``    another inline element starts
``INLINE`` + ``UNTAG``  it ends (only where text is read node by node)
``INLINE`` + ``ENTER``  a SELECT starts that is no block-level element
``INLINE`` + ``LEAVE``  it ends
``INLINE`` + ``BREAK``  a BR
``INLINE`` + ``SOURCE`` inside an IMG, between its ALT and its SRC
======================  =========================================================

Where ``TagRules.styled`` asks for it:

======================  =========================================================
``INLINE`` + ``LINK``   A starts; its HREF follows, and ``INLINE`` + ``SOURCE``
``INLINE`` + ``ITALIC`` an inline element starts that is shown in italics
``INLINE`` + ``BOLD``   ... in bold
``INLINE`` + ``CODE``   ... in fixed width
``INLINE`` + ``PLAIN``  it ends
======================  =========================================================
"""

from __future__ import annotations

from functools import lru_cache, partial
from html import escape
from typing import TYPE_CHECKING, cast

from lxml import etree

from scrapy_justext.core import tags

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from scrapy_justext.core.tags import TagRules

BLOCK = "\ufdd0"
OWN_MARKS = "\ufdd2"
INLINE = "\ufdd1"
CLOSE = "/"
LINK = "<"
UNLINK = ">"
TAG = "+"
UNTAG = "-"
ENTER = "("
LEAVE = ")"
BREAK = "|"
SOURCE = "@"
ITALIC = "i"
BOLD = "b"
CODE = "c"
PLAIN = "."

#: The codes of the inline elements that are marked where ``TagRules.styled`` asks for it.
_STYLES = {
    name: code
    for code, names in ((ITALIC, tags.ITALIC), (BOLD, tags.BOLD), (CODE, tags.MONOSPACE))
    for name in sorted(names)
}

_REPLACE_MARKS = (
    '<xsl:template match="text()">'
    f"<xsl:value-of select=\"translate(., '{BLOCK}{INLINE}', '\ufffd\ufffd')\"/>"
    "</xsl:template>"
)

_ATTRIBUTE = f"<xsl:value-of select=\"translate(@{{}}, '{BLOCK}{INLINE}', '\ufffd\ufffd')\"/>"

#: Braces for the mark at the start.
_IMAGE = (
    '<xsl:template match="img" priority="1">'
    f"<xsl:text>{{}}</xsl:text>{_ATTRIBUTE.format('alt')}<xsl:text>{INLINE}{SOURCE}</xsl:text>"
    f"{_ATTRIBUTE.format('src')}<xsl:text>{BLOCK}{CLOSE}</xsl:text>"
    "</xsl:template>"
)


_TELL_OWN_MARKS = (
    '<xsl:template match="/">'
    f"<xsl:if test=\"contains(., '{BLOCK}') or contains(., '{INLINE}')\"><xsl:text>{OWN_MARKS}</xsl:text></xsl:if>"
    "<xsl:apply-templates/></xsl:template>"
)


def flatten(root: etree._Element, rules: TagRules, *, replace_marks: bool = False) -> str:
    """Return the text below ``root`` with marks, as ``rules`` say; the tree is left as it was."""
    try:
        return str(_stylesheet(rules, replace_marks)(root))
    except etree.XSLTApplyError:
        return walk(root, rules)


@lru_cache
def tag_codes(rules: TagRules) -> dict[str, str]:
    """Return the one-letter code of each block-level element's name.

    Python keeps the letters up to U+00FF, so it makes no new strings for these; no text puts them after
    a noncharacter.
    """
    return {name: chr(0xA1 + i) for i, name in enumerate(sorted(rules.block_level))}


@lru_cache
def _stylesheet(rules: TagRules, replace_marks: bool) -> etree.XSLT:
    return etree.XSLT(etree.XML("".join(_templates(rules, replace_marks))))


#: The mode of the templates inside ``TagRules.keeping``.  A mode remembers where a node is; to look at all ancestors of
#: each node would take forever in a deep tree.
_INSIDE = "inside"


def _templates(rules: TagRules, replace_marks: bool) -> Iterator[str]:
    yield (
        '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">'
        '<xsl:output method="text" encoding="UTF-8"/>'
    )
    for mode in ("", _INSIDE) if rules.keeping else ("",):
        template = partial(_template, mode, rules.keeping)
        yield from _element_templates(rules, template, is_inside=mode == _INSIDE)
        if rules.images:
            yield _in_mode(_IMAGE.format(BLOCK + tag_codes(rules)["img"]), mode, mode)
        if replace_marks:
            yield _in_mode(_REPLACE_MARKS, mode, mode)
    if not replace_marks:
        yield _TELL_OWN_MARKS
    yield "</xsl:stylesheet>"


def _element_templates(rules: TagRules, template: Callable[..., str], *, is_inside: bool) -> Iterator[str]:
    """Yield the templates of elements and processing instructions, made by ``template``.

    ``is_inside``: whether they are for what is inside ``TagRules.keeping``.
    """
    untag = INLINE + UNTAG if rules.text_nodes else ""
    shown = f"not({rules.hidden})" if rules.hidden else ""
    # Tests are inside the templates: libxslt counts siblings for a pattern with a predicate.
    inline = _body(INLINE + TAG, untag)
    if rules.select_in_name:
        inline = _if("contains(name(), 'select')", _body(INLINE + ENTER, INLINE + LEAVE), inline)
    yield template("*", -1, inline, where=shown)
    yield template("html", 0, _body(INLINE + TAG, untag))
    yield template("br", 0, _body(INLINE + BREAK, untag), where=shown)
    link = _body(INLINE + LINK, INLINE + UNLINK, attribute="href" if rules.styled else "")
    yield template("a", 0, link, where=shown)
    for name, code in _STYLES.items() if rules.styled else ():
        yield template(name, 0, _body(INLINE + code, INLINE + PLAIN), where=shown)
    for name, code in tag_codes(rules).items():
        yield template(name, 0, _body(BLOCK + code, BLOCK + CLOSE), where="" if name in tags.NEVER_HIDDEN else shown)
    if "select" not in rules.block_level:
        yield template("select", 0, _body(INLINE + ENTER, INLINE + LEAVE), where=shown)
    if rules.text_nodes:
        yield template("processing-instruction()", 0, _text(untag))
    for name in sorted(rules.unwrapped):
        yield template(name, 1, _CONTENT)
    for name, where, kept_inside in rules.removed:
        if is_inside and kept_inside:
            continue
        if where:
            stays = f"not({where}) and {shown}" if shown else f"not({where})"
            yield template(name, 2, _body(INLINE + TAG, untag), where=stays)
        else:
            yield template(name, 2, "")


def _template(mode: str, keeping: frozenset[str], pattern: str, priority: int, body: str, *, where: str = "") -> str:
    """Return a template for the nodes that match ``pattern``; the one of the highest ``priority`` applies.

    ``where``: the XPath test of nodes that stay.
    """
    body = _if(where, body) if where else body
    template = f'<xsl:template match="{escape(pattern)}" priority="{priority}">{body}</xsl:template>'
    return _in_mode(template, mode, _INSIDE if pattern in keeping else mode)


def _in_mode(template: str, mode: str, below: str) -> str:
    """Return a template for a mode; what is below its node is read in the mode ``below``."""
    if below:
        template = template.replace("<xsl:apply-templates", f'<xsl:apply-templates mode="{below}"')
    return template.replace("<xsl:template", f'<xsl:template mode="{mode}"', 1) if mode else template


_CONTENT = "<xsl:apply-templates/>"


def _body(start: str, end: str, *, attribute: str = "") -> str:
    """Return what writes the marks of an element around its content.

    ``attribute``: the name of one that is written behind ``start``.
    """
    behind = f"{_ATTRIBUTE.format(attribute)}{_text(INLINE + SOURCE)}" if attribute else ""
    return f"{_text(start)}{behind}{_CONTENT}{_text(end)}"


def _text(marks: str) -> str:
    return f"<xsl:text>{escape(marks)}</xsl:text>" if marks else ""


def _if(test: str, body: str, otherwise: str = "") -> str:
    return (
        f'<xsl:choose><xsl:when test="{escape(test)}">{body}</xsl:when>'
        f"<xsl:otherwise>{otherwise}</xsl:otherwise></xsl:choose>"
    )


def walk(root: etree._Element, rules: TagRules) -> str:
    """Return what :func:`flatten` gives, for a tree of any depth, at several times the cost."""
    parts: list[str] = []
    for event, node, marks in kept_nodes(root, rules):
        if event == "start":
            parts += marks[0], _without_marks(node.text)
        else:
            is_top = node is root or node.getparent() is None
            parts += marks[1], _without_marks(None if is_top else node.tail)
    return "".join(parts)


def kept_nodes(root: etree._Element, rules: TagRules) -> Iterator[tuple[str, etree._Element, tuple[str, str]]]:
    """Yield the start and end of each element that is not removed, in document order, with its marks.

    Of removed elements, comments and processing instructions it yields only the end, since the text
    behind them (``tail``) is still to be read.
    """
    removed = set(removed_elements(root, rules))
    for top in top_elements(root):
        yield from _kept_below(top, rules, removed)


def removed_elements(root: etree._Element, rules: TagRules) -> Iterator[etree._Element]:
    """Yield the removed elements, also those inside other removed ones; some come twice."""
    tests = _removal_tests(rules)
    kept_inside = [name for name, _, kept in rules.removed if kept]
    for top in top_elements(root):
        inside = _inside(top, rules.keeping, kept_inside)
        for node in top.iter(*tests):
            test = tests[node.tag]
            if (test is None or test(node)) and node not in inside:
                yield node
        if rules.hidden:
            for node in cast("list[etree._Element]", _hidden(rules)(top)):
                if node.tag not in tags.NEVER_HIDDEN:
                    yield node


@lru_cache
def _hidden(rules: TagRules) -> etree.XPath:
    return etree.XPath(f"descendant-or-self::*[{rules.hidden}]")


def _inside(top: etree._Element, outer: Iterable[str], names: Sequence[str]) -> set[etree._Element]:
    """Return the elements of some names that stand inside elements with an ``outer`` name."""
    found: set[etree._Element] = set()
    if not names or next(top.iter(*names), None) is None:
        return found
    depth = 0
    for event, node in etree.iterwalk(top, events=("start", "end"), tag=(*outer, *names)):
        if node.tag not in names:
            depth += 1 if event == "start" else -1
        elif depth:
            found.add(node)
    return found


@lru_cache
def _removal_tests(rules: TagRules) -> dict[str, etree.XPath | None]:
    """Return the names of elements that are removed, each with the test that tells which; None: all of the name."""
    return {name: etree.XPath(f"boolean({where})") if where else None for name, where, _ in rules.removed}


def top_elements(root: etree._Element) -> Iterator[etree._Element]:
    """Yield ``root``, and the elements beside it at the top of the tree, which broken HTML has behind its end."""
    yield root
    if root.getparent() is None:
        yield from root.itersiblings(etree.Element)


def _kept_below(
    top: etree._Element, rules: TagRules, removed: set[etree._Element]
) -> Iterator[tuple[str, etree._Element, tuple[str, str]]]:
    open_marks: list[tuple[str, str]] = []
    events = etree.iterwalk(top, events=("start", "end", "comment", "pi"))
    for event, node in events:
        if not isinstance(node.tag, str):
            untag = INLINE + UNTAG if event == "pi" and rules.text_nodes else ""
            yield "end", node, ("", untag)
        elif event == "end":
            yield event, node, open_marks.pop()
        elif node in removed:
            open_marks.append(_NO_MARKS)
            events.skip_subtree()
        else:
            open_marks.append(_marks(node, rules))
            yield event, node, open_marks[-1]


_NO_MARKS = ("", "")


def _marks(node: etree._Element, rules: TagRules) -> tuple[str, str]:
    """Return the marks at an element's start and end."""
    name = node.tag
    if name in rules.unwrapped:
        return _NO_MARKS
    if name not in rules.block_level:
        return _styled_marks(node, rules) or _inline_marks(name, rules)
    start = BLOCK + tag_codes(rules)[name]
    if name == "img":
        alt, source = (_without_marks(node.get(attribute)) for attribute in ("alt", "src"))
        start = f"{start}{alt}{INLINE}{SOURCE}{source}"
    return start, BLOCK + CLOSE


def _styled_marks(node: etree._Element, rules: TagRules) -> tuple[str, str] | None:
    if not rules.styled:
        return None
    if node.tag == "a":
        return f"{INLINE}{LINK}{_without_marks(node.get('href'))}{INLINE}{SOURCE}", INLINE + UNLINK
    code = _STYLES.get(node.tag)
    return (INLINE + code, INLINE + PLAIN) if code else None


def _inline_marks(name: str, rules: TagRules) -> tuple[str, str]:
    untag = INLINE + UNTAG if rules.text_nodes else ""
    if name == "a":
        return INLINE + LINK, INLINE + UNLINK
    if name == "br":
        return INLINE + BREAK, untag
    if name == "select" or (rules.select_in_name and "select" in name):
        return INLINE + ENTER, INLINE + LEAVE
    return INLINE + TAG, untag


def _without_marks(text: str | None) -> str:
    return (text or "").replace(BLOCK, "\ufffd").replace(INLINE, "\ufffd")
