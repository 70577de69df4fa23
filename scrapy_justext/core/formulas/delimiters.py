r"""Find the formulas that stand in a page's text as TeX between delimiters, and mark them.

The flattened text (:mod:`~scrapy_justext.core.flattening`) is read once.  A formula is all in one stretch of text: no
block, link, code or other formula begins or ends in it.  A stretch is read from left to right: what opens a formula
and is never closed there is text, and so is all of its kind behind it, so that no stretch is read more often than
there are kinds.

Where a script of the page draws formulas, ``\(…\)``, ``\[…\]`` and ``$$…$$`` are formulas as they are to that script,
and ``$…$`` if the page tells it so.  Elsewhere what they hold has to be TeX beyond doubt.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.core.formulas.elements import check_count
from scrapy_justext.core.formulas.tex import clean_tex, is_clear, is_prose, is_said_of_tex
from scrapy_justext.core.marks import (
    BLOCK,
    BOLD,
    BREAK,
    CLOSE,
    FIXED_WIDTH,
    IMAGE,
    INLINE,
    ITALIC,
    LINK,
    MATH,
    PLAIN,
    SOURCE,
    TAG,
    UNMATH,
    UNTAG,
    WHOLE,
    has_mark,
    tag_codes,
)
from scrapy_justext.core.text import visible_length

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml import etree

    from scrapy_justext.core.tags import TagRules


class Drawing(NamedTuple):
    """What a page's own scripts make of TeX in its text."""

    has_renderer: bool
    by_dollar: bool
    """Whether ``$…$`` is a formula to them."""


def mark_formulas(flat: str, root: etree._Element, rules: TagRules, most: int | None = None) -> str:
    """Return a flattened text with marks for the formulas in it.

    ``most``: how many there may be, and as many things that begin like one; where there are more,
    :class:`~scrapy_justext.exceptions.PageLimitError` is raised.
    """
    if "$" not in flat and "\\" not in flat:
        return flat
    if not rules.styled:
        return _search(flat, root, rules, most)
    # What images tell is no text.
    told = iter(_IMAGE_TELLS.findall(flat))
    bare = _IMAGE_TELLS.sub(_IMAGE, flat)
    marked = _search(bare, root, rules, most)
    return flat if marked is bare else _BARE_IMAGE.sub(lambda mark: mark[0] + next(told), marked)


_IMAGE = INLINE + IMAGE
_BARE_IMAGE = re.compile(_IMAGE)
_IMAGE_TELLS = re.compile(f"{_IMAGE}([^{INLINE}]*)")


def _search(flat: str, root: etree._Element, rules: TagRules, most: int | None) -> str:
    """Return a flattened text with marks for the formulas in it; itself if there can be none."""
    dollars = list(_between_dollars(flat))
    opens = _has_before(flat, "$", ("$",)) or _has_before(flat, "\\", _OPENINGS)
    if not dollars and not opens and "\\" not in flat:
        return flat
    drawing = _drawing(root)
    if drawing.has_renderer or opens or any(map(is_clear, dollars)):
        apart = flat.count("$$") // 2
        # Those are found between single dollars, too.
        check_count(max(len(dollars), apart) + len(_OPENING.findall(flat)), most)
        return "".join(_marked(flat, drawing, rules, is_code=root.tag == "pre"))
    return flat


def _between_dollars(flat: str) -> Iterator[str]:
    """Yield what may be a formula, with the dollars around it."""
    # A character is found ten times sooner than a pattern that begins with it.
    at = flat.find("$")
    while at >= 0:
        match = _BETWEEN_DOLLARS.match(flat, at)
        if match is not None:
            yield match.group()
        at = flat.find("$", at + 1 if match is None else match.end())


def _has_before(flat: str, character: str, others: tuple[str, ...]) -> bool:
    """Return whether a character stands before one of some texts."""
    # As above: one character, then what stands behind it.
    at = flat.find(character)
    while at >= 0:
        if flat.startswith(others, at + 1):
            return True
        at = flat.find(character, at + 1)
    return False


#: Most prices are none.
_BETWEEN_DOLLARS = re.compile(rf"\$(?:[^\s${BLOCK}][^${BLOCK}]*(?<!\s)|[^\s${BLOCK}])\$(?![0-9])")

#: What opens a formula behind a backslash.
_OPENINGS = ("(", "[", "begin{")
_OPENING = re.compile(rf"\\(?:{'|'.join(map(re.escape, _OPENINGS))})")

_RENDERERS = ("MathJax", "mathjax", "KaTeX", "katex", "renderMathInElement")
_DOLLAR_OF_KATEX = re.compile(r"""left["']?\s*:\s*["']\$["']""")
_DOLLAR_OF_MATHJAX = re.compile(r"""inlineMath[^$]{0,80}["']\$["']""")


def _drawing(root: etree._Element) -> Drawing:
    has_renderer = by_dollar = False
    for script in root.getroottree().getroot().iter("script"):
        text = script.text or ""
        source = script.get("src") or ""
        if any(name in source or name in text for name in _RENDERERS):
            has_renderer = True
            found = _DOLLAR_OF_MATHJAX.search(text) or _DOLLAR_OF_KATEX.search(text)
            by_dollar = by_dollar or found is not None
    return Drawing(has_renderer, by_dollar)


#: The marks that a formula may have inside.
_PASSED = frozenset({TAG, UNTAG, BREAK, ITALIC, BOLD, PLAIN, IMAGE})
#: One of them; an image has two.
_INLINE_MARK = re.compile(f"{INLINE}(?:{IMAGE}{INLINE}{SOURCE}|.)", re.DOTALL)
_MARK = re.compile(f"({_INLINE_MARK.pattern})", re.DOTALL)


def _marked(flat: str, drawing: Drawing, rules: TagRules, *, is_code: bool) -> Iterator[str]:
    """Yield the parts of a flattened text, with marks for the formulas in them."""
    preformatted = tag_codes(rules)["pre"]
    # For each styled element that is open, whether it is code; how many block-level elements are open in a PRE.
    styles: list[bool] = []
    inside = int(is_code)
    has_whole = has_mark(flat, WHOLE)
    first, *chunks = flat.split(BLOCK)
    yield from _marked_in_chunk(first, styles, drawing, rules, is_preformatted=is_code)
    for chunk in chunks:
        if inside or chunk[0] == preformatted:
            inside += -1 if chunk[0] == CLOSE else 1
        if "$" in chunk or "\\" in chunk:
            yield BLOCK + chunk[0]
            yield from _marked_in_chunk(chunk[1:], styles, drawing, rules, is_preformatted=inside > 0)
        else:
            # As most have no formula.
            yield BLOCK + chunk
            for style in "".join(_STYLE.findall(chunk)).replace(FIXED_WIDTH + PLAIN, "") if INLINE in chunk else ():
                _go_through(style, styles)
        if has_whole and not inside:
            inside = int(INLINE + WHOLE in chunk)


def _marked_in_chunk(
    chunk: str, styles: list[bool], drawing: Drawing, rules: TagRules, *, is_preformatted: bool
) -> Iterator[str]:
    """Yield the parts of a text between two marks of block-level elements, with marks for the formulas in them.

    ``styles``: tells for each styled element that is open whether it is code; it goes on with the chunk.
    """
    stretch: list[str] = []
    is_source = False
    pieces = _MARK.split(chunk)
    for text, mark in zip(pieces[::2], [*pieces[1::2], ""], strict=True):
        stretch.append(text)
        if mark and mark[1] in _PASSED and not (mark[1] == PLAIN and styles and styles[-1]):
            stretch.append(mark)
        else:
            whole = "".join(stretch)
            is_source = is_source or mark in _ENDS_OF_SOURCE
            yield whole if is_source or is_preformatted or True in styles else _with_marks(whole, drawing)
            yield mark
            stretch = []
            is_source = mark == INLINE + MATH or (mark == INLINE + LINK and rules.styled)
        if mark == INLINE + WHOLE:
            is_preformatted = True
        _go_through(mark[1:], styles)


def _go_through(code: str, styles: list[bool]) -> None:
    """Keep a list of the styled elements that are open, whether each is code, at the mark with a ``code``."""
    if code in _STYLE_CODES:
        styles.append(code == FIXED_WIDTH)
    elif code == PLAIN and styles:
        styles.pop()


#: Before these marks stands what attributes tell.
_ENDS_OF_SOURCE = frozenset({INLINE + SOURCE, INLINE + WHOLE})
_STYLE_CODES = frozenset({FIXED_WIDTH, ITALIC, BOLD})
_STYLE = re.compile(f"{INLINE}([{FIXED_WIDTH}{ITALIC}{BOLD}{PLAIN}])")

_ENVIRONMENTS = "(?:equation|align|gather|multline|eqnarray|alignat|flalign|displaymath|(?:[pbvBV]|small)?matrix|cases)"
_TOKEN = re.compile(rf"\\\\|\\[()\[\]${{}}]|\$\$?|[{{}}]|\\begin\{{{_ENVIRONMENTS}\*?\}}|\\end\{{{_ENVIRONMENTS}\*?\}}")
_CLOSINGS = {"\\(": "\\)", "\\[": "\\]", "$$": "$$", "$": "$"}


def _with_marks(text: str, drawing: Drawing) -> str:
    """Return a stretch of text with marks for the formulas in it."""
    if "\\" not in text and "$" not in text:
        return text
    parts: list[str] = []
    done = at = depth = 0
    opening: re.Match[str] | None = None
    #: What has opened a formula that is not closed in this stretch.
    unclosed: set[str] = set()
    while True:
        token = _TOKEN.search(text, at)
        if token is None:
            if opening is None:
                break
            unclosed.add(opening.group()[:6])
            at, opening = opening.end(), None
            continue
        at, sign = token.end(), token.group()
        if opening is None:
            if sign[:6] not in unclosed and (sign in _CLOSINGS or sign.startswith("\\begin")):
                opening, depth = token, 0
            continue
        depth += {"{": 1, "}": -1}.get(sign, 0)
        if not _closes(opening.group(), sign, depth):
            continue
        end = token.start() + len(_CLOSINGS.get(opening.group(), sign))
        formula = _formula(text[opening.start() : end], opening.group(), drawing, text[end : end + 1])
        if formula:
            parts += text[done : opening.start()], formula
            done = at = end
        elif opening.group() == "$":
            # It may open a formula in its turn.
            at = token.start()
        opening = None
    return "".join([*parts, text[done:]])


def _closes(opening: str, sign: str, depth: int) -> bool:
    if opening == "$":
        return sign[0] == "$" and depth <= 0
    if opening == "$$":
        return sign == "$$" and depth <= 0
    return sign == (_CLOSINGS.get(opening) or opening.replace("begin", "end", 1))


def _formula(source: str, opening: str, drawing: Drawing, behind: str) -> str:
    """Return a formula with its marks; ``source``: it with its delimiters; empty for what is none."""
    is_environment = opening.startswith("\\begin")
    length = 0 if is_environment else len(opening)
    raw = source[length : len(source) - length]
    # A BR is white space; what else there is, is told behind the formula: something may have begun in it.
    marks = _INLINE_MARK.findall(raw)
    inside = _INLINE_MARK.sub("", raw.replace(INLINE + BREAK, " ")) if marks else raw
    tex = clean_tex(inside)
    if not tex or not (is_environment or _is_formula(inside, opening, drawing, behind)):
        return ""
    dollars = "$" if opening in ("$", "\\(") else "$$"
    told = "".join(mark for mark in marks if mark[1] != BREAK)
    read = visible_length(_INLINE_MARK.sub("", source))
    return f"{INLINE}{MATH}{read}{dollars}{tex}{dollars}{INLINE}{UNMATH}{told}"


def _is_formula(inside: str, opening: str, drawing: Drawing, behind: str) -> bool:
    if opening != "$":
        return drawing.has_renderer or (is_clear(inside) and not is_said_of_tex(inside))
    if inside[0].isspace() or inside[-1].isspace() or behind.isdecimal():
        return False
    # Variables of a shell.
    if not drawing.by_dollar and (behind.isalpha() or behind == "_"):
        return False
    return is_clear(inside) or (drawing.by_dollar and not is_prose(inside))
