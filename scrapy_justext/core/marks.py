"""Define the marks in a flattened page, which tell where elements start and end.

The marks are noncharacters, which Unicode reserves for use inside a program.  A page may hold
them all the same; U+FFFD stands for these.

===========================  =========================================================
``BLOCK`` + code             a block-level element starts; the code tells which
``BLOCK`` + ``CLOSE``        a block-level element ends
``INLINE`` + ``LINK``        A starts
``INLINE`` + ``UNLINK``      A ends
``INLINE`` + ``TAG``         another inline element starts
``INLINE`` + ``UNTAG``       it ends (only where text is read node by node)
``INLINE`` + ``ENTER``       a SELECT starts that is no block-level element
``INLINE`` + ``LEAVE``       it ends
``INLINE`` + ``BREAK``       a BR
``INLINE`` + ``SOURCE``      inside an IMG, between its ALT and its SRC
===========================  =========================================================

Where ``TagRules.kinds`` asks for it:

===========================  =========================================================
``INLINE`` + ``SOURCE``      behind what the attributes of a PRE or a TABLE tell of it
``INLINE`` + ``WHOLE``       the same of another element that is code as a whole
``INLINE`` + ``LINE``        inside code, a line starts that is an inline element
``INLINE`` + ``ENDED``       it ends
``INLINE`` + ``MATH``        a formula starts; how many characters of the page's text
                             it stands for follow as a number, none for an element's,
                             and its TeX between dollars, two on lines of its own
``INLINE`` + ``UNMATH``      it ends
``INLINE`` + ``FIXED_WIDTH`` an inline element starts that is shown in fixed width
``INLINE`` + ``PLAIN``       it ends
``INLINE`` + ``BEGUN``       code begins that has lines for itself outside of PREs
``INLINE`` + ``FINISHED``    it ends
``INLINE`` + ``PREFIXED``    MathML whose prefix is a part of its name; nothing reads
                             it, see :func:`~scrapy_justext.core.flattening.flatten`
===========================  =========================================================

Where ``TagRules.styled`` asks for it:

===========================  =========================================================
``INLINE`` + ``LINK``        A starts; its HREF follows, and ``INLINE`` + ``SOURCE``
``INLINE`` + ``ITALIC``      an inline element starts that is shown in italics
``INLINE`` + ``BOLD``        ... in bold
``INLINE`` + ``FIXED_WIDTH`` ... in fixed width
``INLINE`` + ``PLAIN``       it ends
``INLINE`` + ``IMAGE``       an IMG, where ``TagRules.kinds`` asks for kinds; what its
                             attributes tell follows, and ``INLINE`` + ``SOURCE``
===========================  =========================================================
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy_justext.core.reading.rules import TagRules

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
FIXED_WIDTH = "`"
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

#: Any mark of an inline element.
MARK = re.compile(f"{INLINE}.", re.DOTALL)


@lru_cache
def tag_codes(rules: TagRules) -> dict[str, str]:
    """Return the one-letter code of each block-level element's name.

    Python keeps the letters up to U+00FF, so it makes no new strings for these; no text puts them after
    a noncharacter.
    """
    return {name: chr(0xA1 + i) for i, name in enumerate(sorted(rules.block_level))}


def chunks_of(flat: str) -> list[str]:
    """Return a flattened page split where block-level elements start and end; ``Segment.chunk`` is an index of it.

    Each chunk begins with the code of its mark.  The root's own text comes before the first mark, as if an element had
    just ended there.
    """
    return f"{CLOSE}{flat}".split(BLOCK)


def has_mark(flat: str, code: str) -> bool:
    """Return whether a flattened text has an inline mark of a code that is rare in texts."""
    # One character is found forty times sooner than two.
    return code in flat and INLINE + code in flat


def without_styles(flat: str) -> str:
    """Return a flattened text in which elements in fixed width are as others; searches for code tell them apart."""
    return flat.replace(INLINE + FIXED_WIDTH, INLINE + TAG).replace(INLINE + PLAIN, "")


def read_formula(marked: str) -> tuple[int, str]:
    """Return how much of the page's text a formula stands for, and the formula; ``marked``: what its mark is before.

    >>> read_formula("12$x^2$")
    (12, '$x^2$')
    """
    length, dollar, rest = marked.partition("$")
    return int(length), dollar + rest


def without_marks(text: str | None) -> str:
    """Return a text of a page with U+FFFD in place of what would be marks; empty for None."""
    return (text or "").replace(BLOCK, "\ufffd").replace(INLINE, "\ufffd")


def unmarked(expression: str) -> str:
    """Return an XPath expression for the value of another one, with U+FFFD in place of what would be marks."""
    return f"translate({expression}, '{BLOCK}{INLINE}', '\ufffd\ufffd')"
