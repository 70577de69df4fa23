"""What the class of an element tells, by parts of words in it; only data, and the look-up.

Classes are looked at once each when nodes are read, and what they tell is kept as bits.  A rule asks for its bit first,
so that it need not look at elements whose class says nothing to it.  A new word of a rule is a word in its row here.
"""

from __future__ import annotations

import re
from functools import lru_cache

#: By the name of a sign, the parts of classes that are it; one with spaces around is a whole class, or its beginning or
#: end.
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
    # What is in all classes of formulas, whatever its case, and in few others.
    "FORMULA": (
        "ath", "ATH", "tex", "TeX", "Tex", "TEX", "mjx", "MJX", "Mjx", "eqno", "Eqno", "EQNO", "ltx_eqn_cell",
        "ltx_tag_equation", "equation__number",
    ),
    # The same of images.
    "DRAWN": ("eeimg", "ee_img", "formula", "equation"),
}  # fmt: skip
(
    GUTTER, NUMBER_CELL, BAR, LABEL, PROMPT, NUMBERS, LINE, EMOJI, CODE_TABLE, CODE_CELL, LINENUMS, GESHI_LINE,
    CODEMIRROR, FORMULA, DRAWN, EDITOR,
) = (1 << i for i in range(len(_PARTS) + 1))  # fmt: skip
_SIGNS = [(1 << i, parts) for i, parts in enumerate(_PARTS.values())]

#: The first class of DIVs that are code as a whole: those of Ace, CodeMirror, Monaco, Crayon, SyntaxHighlighter and
#: GitHub's files.
_EDITORS = frozenset([
    "ace_editor", "ace_gutter", "ace_scroller", "ace_static_highlight", "CodeMirror", "CodeMirror-code", "cm-content",
    "cm-scroller", "monaco-editor", "crayon-syntax", "syntaxhighlighter", "dp-highlighter", "react-code-file-contents",
])  # fmt: skip
#: Most classes have none of these.
_ANY = re.compile("|".join(sorted({re.escape(part) for parts in (*_PARTS.values(), _EDITORS) for part in parts})))


@lru_cache(maxsize=1 << 14)
def signs_of_class(names: str) -> int:
    """Return the signs in the class of an element, a bit for each.

    >>> signs_of_class("post-body"), signs_of_class("lineno copy") == GUTTER | LABEL | NUMBERS | CODE_CELL
    (0, True)
    """
    spaced = f" {names} "
    if _ANY.search(spaced) is None:
        return 0
    found = sum(sign for sign, parts in _SIGNS if any(part in spaced for part in parts))
    first = names.split(maxsplit=1)[:1]
    return found | EDITOR if first and first[0] in _EDITORS else found
