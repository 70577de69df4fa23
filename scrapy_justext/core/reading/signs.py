"""What the class of an element tells, by parts of words in it, and what its STYLE does; only data, and the look-up.

Each class is looked at once, when nodes are read, and what it tells is kept as bits.  A rule first asks for its bit.
To give a rule a new word, add it to the row of the rule's sign here.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING

from scrapy_justext.core.reading.nodes import LONG
from scrapy_justext.core.text import collapse

if TYPE_CHECKING:
    import cython

    from scrapy_justext.core.reading.nodes import Nodes

#: The texts that give a sign, by its name.  They may stand anywhere in a class; spaces in them are ends of words.
_PARTS: dict[str, tuple[str, ...]] = {
    # How highlighters and editors name what stands beside code: line numbers, buttons, what editors measure with.
    "GUTTER": (
        "lineno", "line-num", "lines-num", "line_num", "linenum", "ln-num", "blob-num", "gutter",
        "copy-b", "copyb", "copy_b", "btn-copy", "button-copy", "copy-icon", "copy-to", "clipboard",
        "crayon-num", "crayon-toolbar", "crayon-info", "CodeMirror-measure", "pre-numbering",
        # Code Prettify calls code with line numbers as others call the numbers.
        " ln ", " lnt ", " toolbar ", " copy ",
    ),
    # The same of cells and bars of older highlighters.
    "NUMBER_CELL": (" number ",),
    "BAR": (" bar ",),
    # Bars above and below code, and Jupyter's prompts.
    "LABEL": (
        "lang", "copy", "clipboard", "toolbar", "code-head", "codeHead", "codehead", "code-block", "codeblock",
        "code-label",
    ),
    "PROMPT": ("rompt",),
    # Lists of line numbers beside a PRE.
    "NUMBERS": ("line-num", "linenum", "lineno", "line_num", "line-no", "numbering", "gutter"),
    # Inline elements that are a line of code each.
    "LINE": (" line ", "-line "),
    # Signs of the code itself that scripts have made images of.
    "EMOJI": ("emoji", "emoticon", "smil"),
    # Tables that are code, and the first cells of others that are.
    "CODE_TABLE": ("highlighttable", "codehilitetable", "lntable", "rouge-table", "crayon-table", "hljs-ln"),
    "CODE_CELL": (
        "blob-", "gutter", "lineno", "line-num", "lines-num", "line_num", "linenum", "lntd", " code ",
    ),
    # Lists of lines: those of Google's Code Prettify, and the lines of GeSHi.
    "LINENUMS": (" linenums ",),
    "GESHI_LINE": (" de1 ",),
    "CODEMIRROR": (" CodeMirror ",),
    # What stands beside text: links to edit it and to where it is cited, links to itself and from footnotes, boxes that
    # ask for something, copies for readers of screens; and elements that a click shows.
    "EDIT_LINK": (
        "mw-editsection", " editsection ", "secedit", " edit-link", "-edit-link", " edit-section", "-edit-section",
        "viewcode-link", " mw-cite-backlink ",
    ),
    "PERMALINK": (
        "headerlink", "hash-link", "header-anchor", "heading-anchor", "anchor-link", "anchorlink", "anchorjs-link",
        "heading-link", "section-link", "permalink", "doc-anchor", " anchor ", "heading-copy", "section-anchor",
        "footnote-back", "reversefootnote", "pilcrow",
    ),
    "BOX": (
        "newsletter", "signup", "sign-up", "subscri", "paywall", "regwall", " registration", "marketing", "promo-",
        "-promo", "readmore", "read-more", "sharedaddy", "more-from", "also-read", "read-also", "readalso",
        "consent",
    ),
    "ACTIONS": ("flat-list", " buttons ", "actions", "toolbar", "controls", "share"),
    "COPY": (
        "sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text", "screenreader", "offscreen", "off-screen",
    ),
    "PANEL": (
        "tab-", "-tab", "tabs", " tab", "panel", "accordion", "collaps", "toggle", "answer", "expand", "faq", "spoiler",
    ),
    # What stands beside the text of a page, or over it.
    "BESIDE": (
        "footer", "colophon", " bio ", " bio-", "-bio ", "-bio-", "author-b", "authorb", "about-author",
        "about-the-author", "author-info", "author-card", "author-profile", "modal", "popup", "lightbox", "cookie",
        "gdpr", "consent", " disclaimer", "-disclaimer", "disclosure", " copyright", " legal ", " related ",
        " related-", "-related ", "recommended", "recommendation", "more-stories", "recirc", "most-read", "trending",
        " popular",
    ),
    # What explains a word behind it when a pointer is over it.
    "TOOLTIP": ("tooltiptext", "tooltip-text", "tooltip-content"),
    # Images of formulas.
    "DRAWN": (
        " mwe-math-fallback-image-inline ", " mwe-math-fallback-image-display ", " tex ", " latex ", " math ",
        " mathtex ", " mimetex ", " wp-math ", " eeimg ", " ee_img ", " ltx_math ", " ql-img-inline-formula ",
        " ql-img-displayed-equation ", " formula ", " equation ",
    ),
}  # fmt: skip
#: How words begin, or parts of words behind a hyphen, in the classes of formulas and of what holds some; in any case.
_FORMULAS = (
    "katex", "mathjax", "mjx", "mjxc", "math", "tex", "latex", "arithmatex", "ltx_eqn_cell", "ltx_tag_equation", "eqno",
    "equation__number",
)  # fmt: skip
_FORMULA = re.compile(rf"[ _-](?:{'|'.join(_FORMULAS)})(?![a-z])", re.IGNORECASE)
(
    GUTTER, NUMBER_CELL, BAR, LABEL, PROMPT, NUMBERS, LINE, EMOJI, CODE_TABLE, CODE_CELL, LINENUMS, GESHI_LINE,
    CODEMIRROR, EDIT_LINK, PERMALINK, BOX, ACTIONS, COPY, PANEL, BESIDE, TOOLTIP, DRAWN, FORMULA, EDITOR,
) = (1 << i for i in range(len(_PARTS) + 2))  # fmt: skip
#: The first class of DIVs that are code as a whole: those of Ace, CodeMirror, Monaco, Crayon, SyntaxHighlighter and
#: GitHub's files.
_EDITORS = frozenset([
    "ace_editor", "ace_gutter", "ace_scroller", "ace_static_highlight", "CodeMirror", "CodeMirror-code", "cm-content",
    "cm-scroller", "monaco-editor", "crayon-syntax", "syntaxhighlighter", "dp-highlighter", "react-code-file-contents",
])  # fmt: skip


#: Characters that tell which parts may begin; none is shorter.
_WIDTH = 4
#: By their beginnings, the parts that give signs, each with its sign; "" for what :data:`_FORMULA` finds.
_BY_BEGINNING: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
#: How blogs name what a post is about (`tag-newsletter`): such names tell nothing of the element.
_SUBJECTS = (" tag-", " category-")
for _i, _parts in enumerate(_PARTS.values()):
    for _part in _parts:
        _BY_BEGINNING[_part[:_WIDTH]].append((_part, 1 << _i))
for _name in _FORMULAS:
    for _cased in product(" _-", *((x, x.upper()) for x in _name[: _WIDTH - 1])):
        _BY_BEGINNING["".join(_cased)].append(("", FORMULA))
for _name in _EDITORS:
    _BY_BEGINNING[f" {_name}"[:_WIDTH]].append((f" {_name} ", EDITOR))


def _place(text: str) -> int:
    """Return a number for the last four characters of a text."""
    place = 0
    for character in text:
        place = (place << 4 ^ ord(character) * _FACTOR) & _LAST_PLACE
    return place


_FACTOR, _LAST_PLACE = 0x9E37, 0xFFFF
#: A bit for each number of four characters: whether a text that gives a sign begins with them.  Few classes have such.
_BEGINS = bytearray((_LAST_PLACE + 1) // 8)
for _place_of_beginning in map(_place, _BY_BEGINNING):
    _BEGINS[_place_of_beginning >> 3] |= 1 << (_place_of_beginning & 7)


def signs_of_class(names: str) -> int:
    """Return the signs in the class of an element, a bit for each.

    >>> signs_of_class("post-body"), signs_of_class("lineno copy") == GUTTER | LABEL | NUMBERS | CODE_CELL
    (0, True)
    """
    spaced: str = f" {collapse(names)} "
    begins: bytearray = _BEGINS
    signs: cython.int = 0
    place: cython.ulonglong = 0
    i: cython.Py_ssize_t
    character: cython.Py_UCS4
    for i, character in enumerate(spaced):
        place = (place << 4 ^ ord(character) * _FACTOR) & _LAST_PLACE
        if begins[place >> 3] >> (place & 7) & 1:
            signs |= _signs_at(spaced, i + 1 - _WIDTH)
    return signs


def _signs_at(spaced: str, at: int) -> int:
    """Return the signs that begin at a place of a class with spaces around its words."""
    signs = 0
    for part, sign in _BY_BEGINNING.get(spaced[max(at, 0) : at + _WIDTH], ()):
        is_here = spaced.startswith(part, at) if part else _FORMULA.match(spaced, at) is not None
        if is_here and (sign != EDITOR or at == 0) and not spaced.endswith(_SUBJECTS, 0, at):
            signs |= sign
    return signs


# What the STYLE of an element tells.

#: Animated elements declare one of these.
ANIMATION = frozenset(["animation", "animation-name", "transform"])
#: Stands for declarations that move an element off the screen.
OFF_SCREEN = "off screen"
_NO_STYLE = re.compile(r"/\*.*?(?:\*/|\Z)|\"[^\"]*\"|'[^']*'", re.DOTALL)
_SHOWING = re.compile(
    rf"(?:^|[\s;])(display|visibility|position|{'|'.join(sorted(ANIMATION))})\s*:\s*([^\s;!]+)(\s*!\s*important)?"
)
_MOVING_OFF = re.compile(r"(?:^|[\s;])(?:left|top|right|text-indent)\s*:\s*-(?:999|1000)")


def declared_in(nodes: Nodes, node: cython.int) -> dict[str, str]:
    """Return by name what the STYLE of an element declares that shows or hides, as :func:`_read_style` does."""
    style = nodes.attribute(node, "style") or ""
    return _known_style(style) if len(style) <= LONG else _read_style(style)


def _read_style(style: str) -> dict[str, str]:
    """Return what a STYLE declares: the last of each name counts, or the last important one.

    :data:`OFF_SCREEN` is among the names if it moves the element off the screen.
    """
    # Comments and strings are no declarations.
    style = _NO_STYLE.sub(" ", style.lower())
    declared: dict[str, tuple[bool, str]] = {}
    for name, value, weight in _SHOWING.findall(style):
        if weight or not declared.get(name, (False, ""))[0]:
            declared[name] = bool(weight), value
    if _MOVING_OFF.search(style):
        declared[OFF_SCREEN] = False, ""
    return {name: value for name, (_, value) in declared.items()}


#: Many elements have the same.
_known_style = lru_cache(2048)(_read_style)
