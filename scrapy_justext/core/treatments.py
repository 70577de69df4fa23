"""Say what is written of each element when a tree is flattened, by tests on it: the one definition for all readers.

Compiled code evaluates these treatments itself (:mod:`.kernel.tree`), :mod:`.stylesheet` makes XSLT of them, and
:mod:`.flattening` asks them element by element in very deep trees.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from scrapy_justext.core import tags
from scrapy_justext.core.formulas.elements import DISPLAY_TEX, HOLDER, INLINE_TEX
from scrapy_justext.core.marks import (
    BLOCK,
    BOLD,
    BREAK,
    CLOSE,
    ENDED,
    ENTER,
    FIXED_WIDTH,
    IMAGE,
    INLINE,
    ITALIC,
    LEAVE,
    LINE,
    LINK,
    MATH,
    PLAIN,
    SOURCE,
    TAG,
    UNLINK,
    UNMATH,
    UNTAG,
    WHOLE,
    tag_codes,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_justext.core.tags import TagRules

#: The codes of the inline elements that are marked where ``TagRules.styled`` asks for it.
_STYLES = {
    name: code
    for code, names in ((ITALIC, tags.ITALIC), (BOLD, tags.BOLD), (FIXED_WIDTH, tags.MONOSPACE))
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
    styles = _STYLES if rules.styled else dict.fromkeys(sorted(tags.MONOSPACE), FIXED_WIDTH) if rules.kinds else {}
    return {name: (INLINE + code, INLINE + PLAIN) for name, code in styles.items()} | (_FORMULAS if rules.kinds else {})


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


class Branch(NamedTuple):
    """What is written of an element by an XPath test; None: nothing."""

    test: str
    then: Treatment
    otherwise: Treatment


Treatment: TypeAlias = "Writing | Branch | None"


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
