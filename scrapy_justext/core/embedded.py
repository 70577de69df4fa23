"""The prose in scripts that hold a page's state.

No name tells what such a text is, so that it is taken by how it reads: sentences, little of what code has, none of what
is said about cookies and forms.  Strings are those of JavaScript; JSON may be written into a string.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scrapy_justext.core.units import MOST_UNITS, units
from scrapy_justext.core.writings import writing_of

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Units of a string that counts, at the least.
LEAST = 200
#: Characters of a script that are read; longer ones are cut there.
MOST_READ = 1 << 22
#: How often JSON may be written into a string of JSON.
NESTING = 3

#: A string; an escape outside of one goes by, or each escaped quote would be looked at as a beginning.  An apostrophe
#: in a word begins none.
_STRING = re.compile(r"""\\.|"((?:[^"\\\n]|\\.)*)"|(?<!\w)'((?:[^'\\\n]|\\.)*)'""")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL)
_CONTROLS = {"n": "\n", "r": "\n", "t": " ", "b": "", "f": "\n", "v": "\n", "0": ""}
#: What a string that holds JSON begins with, or has inside.
_JSON = re.compile(r"""\A\s*(?:[\[{]\s*["'\[{]|\[\s*(?:[-.\d]{1,30}|null|true|false)\s*,)|"\s*:\s*["\[{]""")

_CODE = re.compile(r"[{}=;<>|\\_$]|https?:|\(\)")
_SENTENCE = re.compile(r"[\w\"'”’)][.!?](?:\s|$)|[。！？।۔؟]")
_TAG = re.compile(r"<[^<>]{0,500}>|&[a-z]{2,8};|&#\d{1,6};")
#: Signs of code a character, at the most.
_CODE_SHARE = 0.01
#: Characters a space, at the most, in text with spaces between words.
_SPACING = 12

#: The name that a string is given, at the end of what is before it.
_NAME = re.compile(r"""([\w$-]{1,60})["']?\s{0,9}[:=]\s{0,9}[\[(]?\s{0,9}\Z""")
_NAME_READ = 90
#: What names of messages have inside.
_MESSAGE_NAME = re.compile(
    "cookie|consent|gdpr|ccpa|privacy|error|invalid|validat|required|warning|placeholder|tooltip", re.IGNORECASE
)
#: What messages to the user of a site say; each alternative is one sign.
_MESSAGE = re.compile(
    r"\bcookie|\bconsent|\bgdpr\b|privacy policy|third[- ]part|opt[- ]?out|personal data|your preferences|datenschutz"
    r"|einwilligung|please (?:enter|correct|fill|enable)|(?:field|value|address|e-?mail|password|name) is required"
    r"|\b(?:in)?valid (?:e-?mail|phone|number|date|address|value)|try again|went wrong|error (?:has )?occurred"
    r"|at least \d+ characters|required field|enable javascript",
    re.IGNORECASE,
)
#: Different signs from which a text is such a message, and units for each sign at the most.
_MESSAGE_SIGNS = 2
_MESSAGE_SPACING = 150
#: Units; a longer text is about such things.
_MOST_MESSAGE = 1000


def embedded_texts(script: str, nesting: int = NESTING) -> Iterator[str]:
    r"""The strings in a script that read like prose, in order, also those in strings that hold JSON.

    >>> text = "The kettle is made from one sheet of copper. " * 6
    >>> list(embedded_texts("let page = '{\"d\": \"%s\"}'" % text)) == [text]
    True
    """
    script = script[:MOST_READ]
    for match in _STRING.finditer(script):
        written = match[1] or match[2] or ""
        if len(written) * MOST_UNITS < LEAST:
            continue
        text = _ESCAPE.sub(_escaped, written) if "\\" in written else written
        if not _JSON.search(text) and is_prose(text):
            if not _is_message(text, script[max(match.start() - _NAME_READ, 0) : match.start()]):
                yield text
        elif nesting:
            yield from embedded_texts(text, nesting - 1)


def _escaped(escape: re.Match[str]) -> str:
    """What an escape stands for."""
    code = escape[1] or escape[2]
    return chr(int(code, 16)) if code else _CONTROLS.get(escape[3], escape[3])


def is_prose(text: str) -> bool:
    """Whether a string is running text, and no code or list of names; with or without markup.

    >>> is_prose("The kettle is made from one sheet of copper. " * 6), is_prose("color:#fff;" * 30)
    (True, False)
    """
    plain = _TAG.sub(" ", text)
    if units(text) < LEAST or units(plain) < LEAST / 2 or not _SENTENCE.search(plain):
        return False
    spaced = plain.count(" ") * _SPACING >= len(plain) or writing_of(plain) is not None
    return spaced and len(_CODE.findall(plain)) <= _CODE_SHARE * len(plain)


def _is_message(text: str, before: str) -> bool:
    """Whether a string is what a site says to its user, by its name in the script or by its words."""
    name = _NAME.search(before)
    if name and _MESSAGE_NAME.search(name[1]):
        return True
    length = units(text)
    if length > _MOST_MESSAGE:
        return False
    signs = [one.lower() for one in _MESSAGE.findall(text)]
    return len(set(signs)) >= _MESSAGE_SIGNS and len(signs) * _MESSAGE_SPACING >= length
