"""Write a tree as one string: its text, with marks where elements start and end.

Reading a tree node by node from Python costs more than parsing it.  Here compiled code walks the tree and
writes the text of all elements that are not removed, with a mark at each start and end that reading
must know of.  The rest is work on a string.  Where nothing is compiled, or an attribute holds an entity, libxslt does
the same; and :func:`walk`, in Python, if the tree is deeper than libxslt's recursion allows (about 1,500 elements;
today's parsers stop at 2,048, older ones nowhere).  What is written of which element stands in one place,
:func:`treatments`.

The marks are noncharacters, which Unicode reserves for use inside a program.  A page may hold
them all the same; U+FFFD stands for these.

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

Where ``TagRules.kinds`` asks for it:

======================  =========================================================
``INLINE`` + ``SOURCE`` behind what the attributes of a PRE or a TABLE tell of it
``INLINE`` + ``WHOLE``  the same of another element that is code as a whole
``INLINE`` + ``LINE``   inside code, a line starts that is an inline element
``INLINE`` + ``ENDED``  it ends
``INLINE`` + ``MATH``   a formula starts; how many characters of the page's text
                        it stands for follow as a number, none for an element's,
                        and its TeX between dollars, two on lines of its own
``INLINE`` + ``UNMATH`` it ends
``INLINE`` + ``CODE``   an inline element starts that is shown in fixed width
``INLINE`` + ``PLAIN``  it ends
``INLINE`` + ``BEGUN``  code begins that has lines for itself outside of PREs
``INLINE`` + ``FINISHED`` it ends
``INLINE`` + ``PREFIXED`` MathML whose prefix is a part of its name; nothing reads
                        it, see :func:`flatten`
======================  =========================================================

Where ``TagRules.styled`` asks for it:

======================  =========================================================
``INLINE`` + ``LINK``   A starts; its HREF follows, and ``INLINE`` + ``SOURCE``
``INLINE`` + ``ITALIC`` an inline element starts that is shown in italics
``INLINE`` + ``BOLD``   ... in bold
``INLINE`` + ``CODE``   ... in fixed width
``INLINE`` + ``PLAIN``  it ends
``INLINE`` + ``IMAGE``  an IMG, where ``TagRules.kinds`` asks for kinds; what its
                        attributes tell follows, and ``INLINE`` + ``SOURCE``
======================  =========================================================
"""

from __future__ import annotations

import copy
import re
from contextlib import suppress
from dataclasses import replace
from functools import cache, lru_cache
from html import escape
from itertools import chain, repeat
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, cast

from lxml import etree

from scrapy_justext.core import tags
from scrapy_justext.core.formulas.elements import (
    DISPLAY_TEX,
    HOLDER,
    INLINE_TEX,
    PageFormulas,
    are_signs_in,
    search_for_signs,
)
from scrapy_justext.core.kernel.expressions import EntityError
from scrapy_justext.core.kernel.loading import kernel

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence
    from types import ModuleType

    from scrapy_justext.core.kernel.tree import TreeWriter, Watcher
    from scrapy_justext.core.tags import TagRules

BLOCK = "\ufdd0"
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
CODE = "`"
PLAIN = "."
WHOLE = "="
LINE = "l"
ENDED = "e"
MATH = "["
UNMATH = "]"
IMAGE = "!"
BEGUN = "{"
FINISHED = "}"
PREFIXED = "^"

#: The codes of the inline elements that are marked where ``TagRules.styled`` asks for it.
_STYLES = {
    name: code
    for code, names in ((ITALIC, tags.ITALIC), (BOLD, tags.BOLD), (CODE, tags.MONOSPACE))
    for name in sorted(names)
}

#: The marks of the elements that stand in place of formulas.
_FORMULAS = {
    HOLDER: ("", ""),
    INLINE_TEX: (f"{INLINE}{MATH}0$", f"${INLINE}{UNMATH}"),
    DISPLAY_TEX: (f"{INLINE}{MATH}0$$", f"$${INLINE}{UNMATH}"),
}


@lru_cache
def _named_marks(rules: TagRules) -> dict[str, tuple[str, str]]:
    """Return the marks at start and end of the inline elements that have their own, by their names."""
    styles = _STYLES if rules.styled else dict.fromkeys(sorted(tags.MONOSPACE), CODE) if rules.kinds else {}
    return {name: (INLINE + code, INLINE + PLAIN) for name, code in styles.items()} | (_FORMULAS if rules.kinds else {})


def _value_of(expression: str, name: str) -> str:
    """Return what writes the value of an XPath expression, without our marks.

    ``name``: that of the variable that holds it.
    """
    # Few values have marks of ours, and to look for them takes a tenth of the time of "translate".
    has_marks = " or ".join(f"contains(${name}, '{mark}')" for mark in (BLOCK, INLINE))
    value = _if(has_marks, *(f'<xsl:value-of select="{written}"/>' for written in (_sound(f"${name}"), f"${name}")))
    return f'<xsl:variable name="{name}" select="{escape(expression)}"/>{value}'


def _sound(expression: str) -> str:
    return f"translate({expression}, '{BLOCK}{INLINE}', '\ufffd\ufffd')"


def flatten(
    root: etree._Element,
    rules: TagRules,
    formulas: PageFormulas | None = None,
    watcher: Watcher | None = None,
    *,
    drops_blank: bool = False,
) -> str:
    """Return the text below ``root`` with marks, as ``rules`` say; the tree is left as it was.

    ``formulas``: the page's, if somebody keeps them.
    ``watcher``: what compiled code tells of the elements on the way, if it reads the tree once.
    ``drops_blank``: whether compiled code may leave out white space of which no block is made.
    """
    formulas = formulas or formulas_of(root)
    modules = kernel().modules
    if modules is not None:
        written = writer(modules.tree, rules)
        with suppress(EntityError):
            if rules.kinds and not formulas.is_searched:
                # Most pages have no formulas, and are read once.
                flat = written.write(root, search_for_signs(modules.tree), watcher, drops_blank)
                if flat is not None:
                    formulas.rule_out()
                    return flat
            return "".join(str(written.write(top)) for top in _with_formulas(root, rules, formulas))
    with suppress(etree.XSLTApplyError):
        survey = survey_of(root) if rules.kinds else None
        if survey and not formulas.is_searched and not are_signs_in(*survey):
            flat = by_stylesheet(root, rules, survey, tells_prefixed=True)
            if not has_mark(flat, PREFIXED):
                # What these rules remove may have formulas all the same.
                return flat
        return "".join(by_stylesheet(top, rules, survey) for top in _with_formulas(root, rules, formulas))
    return walk(root, rules, formulas)


def has_mark(flat: str, code: str) -> bool:
    """Return whether a flattened text has an inline mark of a code that is rare in texts."""
    modules = kernel().modules
    if modules is not None:
        found: bool = modules.cut.has_mark(flat, code)
        return found
    # One character is found forty times sooner than two.
    return code in flat and INLINE + code in flat


def without_styles(flat: str) -> str:
    """Return a flattened text in which elements in fixed width are as others; searches for code tell them apart."""
    return flat.replace(INLINE + CODE, INLINE + TAG).replace(INLINE + PLAIN, "")


@lru_cache
def writer(module: ModuleType, rules: TagRules) -> TreeWriter:
    """Return what writes trees with the compiled ``module``."""
    instruction = INLINE + UNTAG if rules.text_nodes else ""
    made: TreeWriter = module.TreeWriter({mode: treatments(rules, mode) for mode in modes_of(rules)}, instruction)
    return made


def by_stylesheet(
    root: etree._Element, rules: TagRules, survey: Survey | None = None, *, tells_prefixed: bool = False
) -> str:
    """Return what :func:`flatten` gives, without compiled code, for a tree of no more than about 1,500 levels.

    ``survey``: the page's, if somebody has made it; ``tells_prefixed``: whether ``PREFIXED`` is written.
    """
    parts = parts_of(survey or survey_of(root)) if rules.kinds else NO_PARTS
    # Of a whole tree, a stylesheet also reads what broken HTML has beside the root.
    part = "" if root.getparent() is None else "."
    if rules.hidden and not _xpath(f"boolean({part}/descendant-or-self::*/@hidden)")(root):
        # All tests of hidden elements ask for this attribute.  To ask each element takes as long as to write it.
        rules = _without_hidden(rules)
    return str(_stylesheet(rules, parts, replaces_marks=_has_marks(root), tells_prefixed=tells_prefixed)(root))


def _has_marks(root: etree._Element) -> bool:
    """Return whether the text of a page, or of a part of one, holds marks."""
    tops = (root,) if root.getparent() is not None else top_elements(root.getroottree().getroot())
    # As bytes it takes half the time, and most pages have none of the first.
    texts = [etree.tostring(top, encoding="UTF-8", method="text", with_tail=False) for top in tops]
    return any(_MARKED[0][:1] in text and any(mark in text for mark in _MARKED) for text in texts)


_MARKED = (BLOCK.encode(), INLINE.encode())


@lru_cache
def _without_hidden(rules: TagRules) -> TagRules:
    return replace(rules, hidden="")


def chunks_of(flat: str) -> list[str]:
    """Return a flattened page split where block-level elements start and end; ``Segment.chunk`` is an index of it.

    Each chunk begins with the code of its mark.  The root's own text comes before the first mark, as if an element had
    just ended there.
    """
    return f"{CLOSE}{flat}".split(BLOCK)


def read_formula(marked: str) -> tuple[int, str]:
    """Return how much of the page's text a formula stands for, and the formula; ``marked``: what its mark is before.

    >>> read_formula("12$x^2$")
    (12, '$x^2$')
    """
    length, dollar, rest = marked.partition("$")
    return int(length), dollar + rest


def formulas_of(root: etree._Element, most: int | None = None) -> PageFormulas:
    """Return the formulas that are elements of a page; they are not looked for yet.

    ``most``: how many there may be.
    """
    return PageFormulas(top_elements(root), most)


def _with_formulas(root: etree._Element, rules: TagRules, formulas: PageFormulas | None) -> Sequence[etree._Element]:
    """Return copies of the top elements with TeX in place of formulas; ``root`` where there are no formulas."""
    return (rules.kinds and (formulas or formulas_of(root)).copies) or (root,)


@lru_cache
def tag_codes(rules: TagRules) -> dict[str, str]:
    """Return the one-letter code of each block-level element's name.

    Python keeps the letters up to U+00FF, so it makes no new strings for these; no text puts them after
    a noncharacter.
    """
    return {name: chr(0xA1 + i) for i, name in enumerate(sorted(rules.block_level))}


# As many as there are, so that a crawl of several profiles makes none twice.
@lru_cache(maxsize=1024)
def _stylesheet(rules: TagRules, parts: Parts, *, replaces_marks: bool, tells_prefixed: bool) -> etree.XSLT:
    templates = _templates(rules, parts, replaces_marks=replaces_marks, tells_prefixed=tells_prefixed)
    return etree.XSLT(etree.XML("".join(templates)))


#: How nodes inside ``TagRules.keeping``, and inside code, are read.  A mode remembers where a node is; to look at all
#: ancestors of each node would take forever in a deep tree.
_INSIDE = "inside"
_IN_CODE = "code"


class Writing(NamedTuple):
    """What is written of an element.

    ``start``, ``end``: around what is inside.
    ``told``: XPath expressions, whose values follow ``start``, each with what is written behind it.
    ``below``: the mode in which what is inside is read; None if it is not.
    """

    start: str = ""
    end: str = ""
    told: tuple[tuple[str, str], ...] = ()
    below: str | None = ""


class Parts(NamedTuple):
    """Which tests of code a page asks; most pages have no element that passes one.

    To ask all elements takes several times as long as to write them.
    """

    whole: bool
    """Those of elements other than PRE that are code as a whole, and of line numbers beside PREs."""
    labels: bool
    """Those of labels of code."""
    inside: bool
    """Those of what stands in code."""
    named: bool
    """Those of the classes and styles of what stands in code."""


ALL_PARTS, NO_PARTS = Parts(True, True, True, True), Parts(False, False, False, False)


class Branch(NamedTuple):
    """What is written of an element by an XPath test; None: nothing."""

    test: str
    then: Treatment
    otherwise: Treatment


Treatment: TypeAlias = "Writing | Branch | None"


def modes_of(rules: TagRules, parts: Parts = ALL_PARTS) -> list[str]:
    """Return the modes in which nodes are read; the first is that of the root."""
    return ["", *([_INSIDE] if rules.keeping else []), *([_IN_CODE] if rules.kinds and parts.inside else [])]


def treatments(rules: TagRules, mode: str, parts: Parts = ALL_PARTS) -> dict[str, Treatment]:
    """Return what is written of elements in a mode, by their names; that of ``*`` is for all others."""
    untag = INLINE + UNTAG if rules.text_nodes else ""
    beside_code = tags.BESIDE_CODE if parts.named else tags.UNNAMED_BESIDE_CODE
    gone = " or ".join(test for test in (rules.hidden, beside_code if mode == _IN_CODE else "") if test)
    inline: Treatment = Writing(INLINE + TAG, untag)
    if rules.select_in_name:
        inline = Branch("contains(name(), 'select')", Writing(INLINE + ENTER, INLINE + LEAVE), inline)
    if mode == _IN_CODE:
        inline = Branch(tags.LINE_OF_CODE, Writing(INLINE + LINE, INLINE + ENDED), inline)
    blocks = {name: _block(name, BLOCK + code, rules, parts) for name, code in tag_codes(rules).items()}
    found = {"*": inline, "br": Writing(INLINE + BREAK, untag), "a": _link(rules, mode, untag)}
    found |= {name: Writing(*marks) for name, marks in _named_marks(rules).items()}
    if rules.styled and rules.kinds:
        found["img"] = Writing(INLINE + IMAGE, told=((tags.ABOUT_IMAGE, INLINE + SOURCE),))
    if mode == _IN_CODE:
        emoji = Writing(INLINE + TAG, untag, (("@alt", ""),))
        found["img"] = Branch(tags.EMOJI_IN_CODE, emoji, found.get("img", inline))
    found |= blocks
    if "select" not in rules.block_level:
        found["select"] = Writing(INLINE + ENTER, INLINE + LEAVE)
    found = {name: _unless(gone, one) for name, one in found.items() if name not in tags.NEVER_HIDDEN}
    found |= {name: Branch(tags.LABEL_OF_CODE, None, found.get(name, found["*"])) for name in _labels(rules, parts)}
    found |= {"html": inline} | {name: one for name, one in blocks.items() if name in tags.NEVER_HIDDEN}
    if rules.images:
        # It is written though it is hidden.
        found["img"] = blocks["img"]
    found |= dict.fromkeys(rules.unwrapped, Writing())
    for name, where, kept_inside in rules.removed:
        if where:
            found[name] = _unless(" or ".join(test for test in (where, gone) if test), blocks.get(name, inline))
        elif not kept_inside or mode != _INSIDE:
            found[name] = None
    return {name: _with_modes(name, one, mode, rules.keeping) for name, one in found.items()}


def _labels(rules: TagRules, parts: Parts) -> Sequence[str]:
    """Return the names of the elements of which some are labels of code."""
    return tags.LABELS if rules.kinds and parts.labels else ()


def _unless(test: str, treatment: Treatment) -> Treatment:
    return Branch(test, None, treatment) if test else treatment


def _link(rules: TagRules, mode: str, untag: str) -> Treatment:
    told = (("@href", INLINE + SOURCE),) if rules.styled else ()
    link: Treatment = Writing(INLINE + LINK, INLINE + UNLINK, told)
    # For Markdown, they are links as all others.
    if rules.kinds and mode == _INSIDE and not rules.styled:
        link = Branch(tags.PERMALINK, Writing(INLINE + TAG, untag), link)
    # In no mode nothing stands in a heading, if these have one of their own.
    may_be_sign = rules.kinds and (mode or not rules.keeping.issuperset(tags.HEADING_LEVELS))
    return Branch(tags.PERMALINK_SIGN, None, link) if may_be_sign else link


def _block(name: str, start: str, rules: TagRules, parts: Parts) -> Treatment:
    """Return what is written of a block-level element; what is inside code is read in a mode of its own."""
    end = BLOCK + CLOSE
    if rules.images and name == "img":
        return Writing(start, end, (("@alt", INLINE + SOURCE), ("@src", "")), below=None)
    if not rules.kinds:
        return Writing(start, end)
    element = Writing(start, end, ((tags.ABOUT[name], INLINE + SOURCE),) if name in tags.ABOUT else ())
    if name == "pre":
        return element._replace(below=_IN_CODE if parts.inside else "")
    treatment: Treatment = element
    if parts.whole and name in tags.CODE_AS_A_WHOLE:
        whole = Writing(start, end, ((tags.ABOUT_WHOLE[name], INLINE + WHOLE),), below=_IN_CODE)
        treatment = Branch(tags.CODE_AS_A_WHOLE[name], whole, treatment)
    if parts.whole and name in tags.LINE_NUMBERS:
        numbers = Writing(start, end, ((f"'{tags.NUMBERS}'", INLINE + WHOLE),))
        treatment = Branch(tags.LINE_NUMBERS[name], numbers, treatment)
    return treatment


def _with_modes(name: str, treatment: Treatment, mode: str, keeping: frozenset[str]) -> Treatment:
    """Return the treatment with a mode wherever none is chosen yet."""
    if isinstance(treatment, Branch):
        then, otherwise = (_with_modes(name, one, mode, keeping) for one in treatment[1:])
        return Branch(treatment.test, then, otherwise)
    if treatment is None or treatment.below != "":
        return treatment
    return treatment._replace(below=_INSIDE if name in keeping and mode != _IN_CODE else mode)


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


def _text(marks: str) -> str:
    return f"<xsl:text>{escape(marks)}</xsl:text>" if marks else ""


def _if(test: str, body: str, otherwise: str = "") -> str:
    return (
        f'<xsl:choose><xsl:when test="{escape(test)}">{body}</xsl:when>'
        f"<xsl:otherwise>{otherwise}</xsl:otherwise></xsl:choose>"
    )


def walk(root: etree._Element, rules: TagRules, formulas: PageFormulas | None = None) -> str:
    """Return what :func:`flatten` gives, for a tree of any depth, at several times the cost."""
    return "".join(_walk(_alone(top), rules) for top in _with_formulas(root, rules, formulas))


def _alone(root: etree._Element) -> etree._Element:
    """Return a copy of a part of a tree, around which tests of XPath see nothing; a whole tree as it is."""
    if root.getparent() is None:
        return root
    copied = copy.deepcopy(root)
    copied.tail = None
    return copied


def _walk(root: etree._Element, rules: TagRules) -> str:
    parts: list[str] = []
    # Nothing is left in it that is a formula.
    for event, node, marks in kept_nodes(root, rules, PageFormulas(()), telling=True):
        if event == "start":
            # An image that is a block is what its attributes tell, whatever it holds in a tree of XML.
            parts += marks[0], _without_marks(None if rules.images and node.tag == "img" else node.text)
        else:
            is_top = node is root or node.getparent() is None
            parts += marks[1], _without_marks(None if is_top else node.tail)
    return "".join(parts)


def kept_nodes(
    root: etree._Element, rules: TagRules, formulas: PageFormulas | None = None, *, telling: bool = False
) -> Iterator[tuple[str, etree._Element, tuple[str, str]]]:
    """Yield the start and end of each element that is not removed, in document order, with its marks.

    ``telling``: whether what the attributes of links, code and tables tell follows their marks; it may be long.
    Of removed elements, comments and processing instructions it yields only the end, since the text
    behind them (``tail``) is still to be read.  So it does of a formula's element, whose text is none of the page's.
    """
    # With their parents: of an element that is let go of, lxml passes all ancestors up to one that is held.
    removed = {node: node.getparent() for node in removed_elements(root, rules, formulas)}
    for top in top_elements(root):
        yield from _kept_below(top, rules, removed, telling=telling)


def removed_elements(
    root: etree._Element, rules: TagRules, formulas: PageFormulas | None = None
) -> Iterator[etree._Element]:
    """Yield the removed elements, also those inside other removed ones; some come twice."""
    alone = _alone(root)
    removed = _removed_by_rules(alone, rules)
    if alone is root:
        yield from removed
    else:
        originals = dict(zip(alone.iter(), root.iter(), strict=True))
        yield from map(originals.__getitem__, removed)
    if rules.kinds:
        yield from (formulas or formulas_of(root)).found


def _removed_by_rules(root: etree._Element, rules: TagRules) -> Iterator[etree._Element]:
    tests = _removal_tests(rules)
    kept_inside = [name for name, _, kept in rules.removed if kept]
    has_parts = rules.kinds and parts_of(survey_of(root)) != NO_PARTS
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
        if has_parts:
            inside_code = (node for node in in_code(top) if node.tag not in tags.NEVER_HIDDEN)
            yield from filter(_is_beside_code, inside_code)
            yield from cast("list[etree._Element]", _labels_of_code(top))


_is_beside_code, _is_permalink_sign = (
    etree.XPath(f"boolean({test})") for test in (tags.BESIDE_CODE, tags.PERMALINK_SIGN)
)
_labels_of_code = etree.XPath(
    f"descendant-or-self::*[({' or '.join(f'self::{name}' for name in tags.LABELS)}) and {tags.LABEL_OF_CODE}]"
)


def about(node: etree._Element) -> str:
    """Return what the attributes of a PRE or a TABLE tell of it."""
    return str(_xpath(_sound(tags.ABOUT[str(node.tag)]))(node))


def in_code(top: etree._Element) -> Iterator[etree._Element]:
    """Yield the elements inside a PRE, or another element that is code as a whole, at or below ``top``."""
    return _inside_any(cast("list[etree._Element]", _beginnings_of_code(top)))


def _inside_any(outer: Iterable[etree._Element]) -> Iterator[etree._Element]:
    """Yield what is inside of some elements, once, however many of these are in one another."""
    inside: set[etree._Element] = set()
    for around in outer:
        if around not in inside:
            below = list(around.iterdescendants(etree.Element))
            inside.update(below)
            yield from below


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
    parts = list(_inside_any(pre for top in tops for pre in top.iter("pre"))) if has_code else []
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


_beginnings_of_code = etree.XPath(
    "descendant-or-self::*[self::pre or "
    + " or ".join(f"self::{name} and ({test})" for name, test in tags.CODE_AS_A_WHOLE.items())
    + "]"
)


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
    top: etree._Element, rules: TagRules, removed: Container[etree._Element], *, telling: bool
) -> Iterator[tuple[str, etree._Element, tuple[str, str]]]:
    open_marks: list[tuple[str, str]] = []
    # The elements around with a mode of their own, and the modes.
    modes: list[tuple[etree._Element | None, str]] = [(None, "")]
    by_mode = _treatments_by_mode(rules)
    events = etree.iterwalk(top, events=("start", "end", "comment", "pi"))
    for event, node in events:
        if node.tag is etree.Entity and event == "start":
            # It has an end, too, of which comments have none.
            continue
        if not isinstance(node.tag, str):
            untag = INLINE + UNTAG if event == "pi" and rules.text_nodes else ""
            yield "end", node, ("", untag)
        elif event == "end":
            if modes[-1][0] is node:
                modes.pop()
            yield event, node, open_marks.pop()
        elif node in removed or (rules.kinds and node.tag == "a" and _is_permalink_sign(node)):
            open_marks.append(_NO_MARKS)
            events.skip_subtree()
        else:
            mode = modes[-1][1]
            writing = _written_of(node, by_mode[mode])
            open_marks.append((writing.start + (_told(node, writing) if telling else ""), writing.end))
            if writing.below is None:
                events.skip_subtree()
            elif writing.below != mode:
                modes.append((node, writing.below))
            yield event, node, open_marks[-1]


_NO_MARKS = ("", "")


@lru_cache
def _treatments_by_mode(rules: TagRules) -> dict[str, dict[str, Treatment]]:
    return {mode: treatments(rules, mode) for mode in modes_of(rules)}


def _written_of(node: etree._Element, by_name: dict[str, Treatment]) -> Writing:
    """Return what is written of an element that is not removed."""
    treatment = by_name.get(str(node.tag), by_name["*"])
    while isinstance(treatment, Branch):
        test, then, otherwise = treatment
        if then is None or otherwise is None:
            treatment = then or otherwise
        else:
            treatment = then if _xpath(f"boolean({test})")(node) else otherwise
    return treatment or Writing()


def _told(node: etree._Element, writing: Writing) -> str:
    """Return what the attributes of an element tell."""
    return "".join(f"{_xpath(_sound(expression))(node)!s}{behind}" for expression, behind in writing.told)


_xpath = cache(etree.XPath)


def _without_marks(text: str | None) -> str:
    return (text or "").replace(BLOCK, "\ufffd").replace(INLINE, "\ufffd")
