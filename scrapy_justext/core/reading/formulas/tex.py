"""Tell TeX from prose, and take what belongs to the page and not to the formula off it."""

from __future__ import annotations

import re
from operator import and_

from scrapy_justext.core.text import collapse

#: A command, or a script: prose has neither.
_CLEAR = re.compile(r"\\[A-Za-z]{2,}|\\[,;!]|[_^]\{|[A-Za-z0-9)}]\^|(?<![A-Za-z])[A-Za-z]_[A-Za-z0-9](?![A-Za-z0-9])")
_DELIMITED = re.compile(
    r"\s*(?:\$\$(?P<dollars>.+)\$\$|\\\[(?P<brackets>.+)\\\]|\$(?P<dollar>[^$]+)\$|\\\((?P<parentheses>.+)\\\)"
    r"|(?P<environment>\\begin\{(?P<name>[a-z]+\*?)\}.+\\end\{(?P=name)\}))\s*",
    re.DOTALL,
)
_DISPLAY = frozenset(["dollars", "brackets", "environment"])


def is_clear(text: str) -> bool:
    """Return whether a text is TeX beyond doubt."""
    return _CLEAR.search(text) is not None and text.strip() not in _MARKERS


#: With these forums mark where a user's text begins and ends.
_MARKERS = frozenset(["\\begingroup", "\\endgroup"])


def bare_tex(text: str) -> tuple[str, bool | None]:
    r"""Return TeX without the delimiters around it, and whether they are those of a formula on lines of its own.

    None: there were none.

    >>> bare_tex(r"\(x\)"), bare_tex("$$x$$"), bare_tex("x")
    (('x', False), ('x', True), ('x', None))
    """
    match = _DELIMITED.fullmatch(text)
    if match is None:
        return text, None
    name = next(name for name in (*_DISPLAY, "dollar", "parentheses") if match[name] is not None)
    return match[name], name in _DISPLAY


def is_prose(text: str) -> bool:
    """Return whether a text says in words what there is to see, with two of them in a row and no TeX."""
    words = [len(word) > 1 and word.isalpha() for word in text.split()]
    return text.strip() in _MARKERS or (any(map(and_, words, words[1:])) and not is_clear(text))


def is_said_of_tex(text: str) -> bool:
    r"""Return whether what stands between two delimiters is prose that speaks of them.

    It is set off by spaces, begins and ends with a word that is no differential, and has no sign of mathematics.

    >>> is_said_of_tex(r" and \newline and "), is_said_of_tex(r" dx \wedge dy ")
    (True, False)
    """
    return _SAID.fullmatch(text) is not None


_PLAIN_WORD = r"(?!d[A-Za-z]\b)[^\W\d_]{2,}"
_SAID = re.compile(rf"\s+{_PLAIN_WORD}[,;:]?\s[^=+<>^_&{{}}]*(?<=\s){_PLAIN_WORD}[.,;:]?\s+")


def clean_tex(tex: str) -> str:
    r"""Return TeX on one line, without comments and wrappers that say nothing.

    Nothing in it begins as a tag of HTML does, which a renderer of Markdown without formulas would pass on.

    >>> clean_tex("a<b"), clean_tex("% <![CDATA[\nx % the unknown\n+1 %]]>"), clean_tex(r"{\displaystyle x}")
    ('a< b', 'x +1', 'x')
    """
    if "%" in tex:
        *lines, last = _CDATA.sub("", tex).split("\n")
        # TeX reads no further in a line, and a text on one line has to go on.
        tex = "\n".join([*(_COMMENT.split(line, maxsplit=1)[0] for line in lines), last])
    tex = _TAG_START.sub("< ", collapse(tex))
    wrapper = _WRAPPER.match(tex)
    if wrapper is None:
        return tex
    if tex[0] != "{":
        return tex[wrapper.end() :]
    return tex[wrapper.end() : -1].strip() if _is_one_group(tex) else tex


_CDATA = re.compile(r"(?:%\s*)?<!\[CDATA\[|(?:%\s*)?\]\]>")
_TAG_START = re.compile(r"<(?=[A-Za-z/!?])")
_COMMENT = re.compile(r"(?<!\\)%")
_WRAPPER = re.compile(r"\{?\\(?:displaystyle|textstyle)(?![A-Za-z])\s*")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)


def _is_one_group(tex: str) -> bool:
    """Return whether the brace at the start is closed at the end, and not before."""
    depth = 0
    for brace in _BRACE.finditer(tex):
        depth += {"{": 1, "}": -1}.get(brace.group(), 0)
        if depth == 0:
            return brace.end() == len(tex)
    return False
