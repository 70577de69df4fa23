"""Tell code from other preformatted text, and put its lines together.

Highlighters of code write a line as an element of its own, or a row of a table, with line numbers beside it.  The
tokens of a page (:mod:`.flow`) leave out what stands beside code (:mod:`.elements_of_code`).
"""

from __future__ import annotations

import re
from functools import lru_cache
from textwrap import dedent
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.core.reading.nodes import WHITE_SPACE
from scrapy_justext.core.tags import LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_justext.core.reading.flow import Flow

#: Class names by which pages and highlighters say that something is code.
_CODE_CLASS = re.compile(
    r"(?:^|[\s_-])(?:code|codehilite|highlight|hljs|lang(?:uage)?|brush|prettyprint|syntax\w*|shiki|prism|terminal|console"
    r"|listing|programlisting|literal-block|doctest|snippet|src|sourcecode|chroma|rouge|crayon|pygments|wp_syntax|screen"
    r"|blob|codeblock|codebox|codemirror)(?![a-z])",
    re.IGNORECASE,
)
#: Class names that a language's name follows, and names that stand in the place of a language.
_PREFIXED = re.compile(
    r"(?:language|lang|mw-highlight-lang|highlight-source|highlight-text|highlight|src|brush:)-?([\w+#.-]+)",
    re.IGNORECASE,
)
_NO_LANGUAGE = frozenset(["none", "default", "text", "plain", "plaintext", "txt", "nohighlight"])
_SYMBOLS = re.compile(r"[{}()\[\]<>=;$#%&|/\\*+_~^@\"`]")
_SENTENCE_END = re.compile(r"[.!?。！？…][\"'”’)]*\s*$")
_NUMBER = re.compile("[0-9]{1,6}")
#: What is seldom in prose: symbols for each visible character.
_CODE_SYMBOLS = 0.08
#: Lines that a command or an example without symbols may have.
FEW_LINES = 2
#: Words of a line that is a sentence by its end, and of one that is prose without such an end.
_SENTENCE, _LONG_LINE = 5, 20
#: Characters by which preformatted text is judged.
LOOKED_AT = 4000


def is_code(about: str, body: str) -> bool:
    """Return whether a PRE holds code.

    ``about``: the signs near it (:func:`.elements_of_code.about_code`); ``body``: its text, or the start of it.
    """
    return _says_code(about) or _resembles_code(body[:LOOKED_AT])


@lru_cache(maxsize=1 << 10)
def _says_code(about: str) -> bool:
    # The first value is the name of the element inside.
    return not about.startswith(" ") or _CODE_CLASS.search(about) is not None


def _resembles_code(text: str) -> bool:
    if has_symbols(text) or is_line_numbers(text):
        return True
    return text.strip().count("\n") < FEW_LINES and not _SENTENCE_END.search(text)


def has_symbols(text: str) -> bool:
    """Return whether a text has as many symbols as code."""
    return len(_SYMBOLS.findall(text)) >= _CODE_SYMBOLS * len("".join(text.split()))


def reads_as_prose(lines: Sequence[str]) -> bool:
    """Return whether lines are sentences, or as long as those of paragraphs, with few symbols."""
    return any(map(_is_sentence, lines)) and not has_symbols("".join(lines))


def _is_sentence(line: str) -> bool:
    words = len(line.split())
    return words > _LONG_LINE or (words >= _SENTENCE and _SENTENCE_END.search(line) is not None)


@lru_cache(maxsize=1 << 10)
def code_language(about: str) -> str:
    """Return the language that attributes name, in small letters; empty where they name none.

    >>> code_language("code brush: js; highlight"), code_language(" highlight-default notranslate")
    ('js', '')
    """
    # The first value is the name of the element inside.
    words = about.replace("brush: ", "brush:").replace(";", " ").lower().split(" ")[1:]
    for word in words:
        prefixed = _PREFIXED.fullmatch(word)
        if prefixed and (prefixed[1] in LANGUAGES or not word.startswith("highlight")):
            return "" if prefixed[1] in _NO_LANGUAGE else str(prefixed[1])
    return next((word for word in words if word in LANGUAGES), "")


def is_line_numbers(text: str) -> bool:
    """Return whether a text consists of consecutive numbers, as beside lines of code."""
    numbers = text.split()
    if len(numbers) < FEW_LINES or not all(map(_NUMBER.fullmatch, numbers)):
        return False
    first = int(numbers[0])
    return all(int(number) == first + i for i, number in enumerate(numbers))


class CodeText(NamedTuple):
    """The text of an element that holds code."""

    text: str
    pieces: list[str]
    """The same in parts, with those that are left out."""
    inside: list[bool]
    """Of each part, whether it stands in a link."""
    tags_count: int
    links: int
    """How many are open at the end."""


def code_text(
    flow: Flow, begin: int, end: int, *, is_preformatted: bool, is_text: bool = False, is_numbers: bool = False,
    links: int = 0,
) -> CodeText:  # fmt: skip
    """Return the text of code from its tokens, a line of code a line.

    ``begin``, ``end``: the tokens inside the element.
    ``is_preformatted``: whether all of it stands in a PRE.
    ``is_text``: whether it is shown as text is, where a line feed is a space.
    ``is_numbers``: whether it is the numbers of lines, each in an element: these stay apart in ``pieces``.
    ``links``: how many are open.
    """
    writer = _CodeWriter(is_text=is_text, links=links)
    depth = 0
    # How many elements were open where the outermost PRE began.
    outermost = 0 if is_preformatted else _NONE
    writer.lines.begin()
    for i in range(begin, end):
        token = flow.codes[i]
        if token in "t ":
            writer.add(flow.text(i))
        elif token in "[{#]":
            writer.write(is_preformatted=outermost != _NONE)
            if token == "]":
                writer.lines.end()
                outermost = _NONE if depth == outermost else outermost
                depth -= 1
            else:
                writer.lines.begin()
                depth += 1
                is_pre = flow.page.name(flow.nodes[i]) == "pre"
                outermost = depth if outermost == _NONE and is_pre else outermost
        elif token in _STARTS or token in _ENDS:
            writer.tags_count += token in _STARTS
            # A text goes on behind an element that changes nothing, as highlighters put each word into one.  White
            # space by itself may be dropped.
            if not (token in _PASSIVE and outermost != _NONE and not is_numbers and writer.is_visible):
                writer.write(is_preformatted=outermost != _NONE)
                writer.begin(token)
            if token == "$":
                writer.add(flow.text(i))
                writer.write(is_preformatted=outermost != _NONE)
    writer.write(is_preformatted=outermost != _NONE)
    return CodeText(writer.lines.text(), writer.pieces, writer.inside, writer.tags_count, writer.links)


#: No PRE has begun.
_NONE = -1


#: The codes of tokens that count as inline elements, those that end some, and those that change nothing of the text
#: behind them.
_STARTS, _ENDS, _PASSIVE = "+ib`!~<l|$^", ">e", "+ib`!~^"


class _CodeWriter:
    """Writes texts of code, once it is known where they end."""

    def __init__(self, *, is_text: bool, links: int) -> None:
        self.lines = _Lines(is_text=is_text)
        self.pieces: list[str] = []
        self.inside: list[bool] = []
        self.tags_count = 0
        self.links = links
        #: Whether the text at hand is more than white space.
        self.is_visible = False
        self._text: list[str] = []

    def begin(self, token: str) -> None:
        """Do what a token asks for."""
        if token == "|":
            self.lines.feed()
        elif token == "l":
            self.lines.begin()
        elif token == "e":
            self.lines.end()
        elif token == "<":
            self.links += 1
        elif token == ">":
            self.links = max(self.links - 1, 0)

    def add(self, text: str) -> None:
        """Add to the text at hand."""
        self._text.append(text)
        self.is_visible = self.is_visible or not text.isspace()

    def write(self, *, is_preformatted: bool) -> None:
        """Write the text at hand."""
        if self._text:
            text = "".join(self._text)
            self.lines.add(text, is_preformatted=is_preformatted)
            self.pieces.append(text)
            self.inside.append(self.links > 0)
            self._text = []
        self.is_visible = False


class _Lines:
    """Puts code together from elements that are a line each, and from text that has line feeds of its own."""

    def __init__(self, *, is_text: bool) -> None:
        self._is_text = is_text
        self._parts: list[str] = []
        #: Whether an element has ended whose line has no line feed yet.
        self._owes = False
        self._is_at_start = True
        #: Whether text came since the last element began.
        self._has_text = False
        #: White space outside PREs that is the markup's if no text follows on its line.
        self._waiting: list[str] = []
        #: Whether lines may begin with white space of the markup.
        self._is_indented = False

    def begin(self) -> None:
        """Begin a line, if text stands on the one at hand or the one before is owed."""
        self._waiting.clear()
        if self._owes or not self._is_at_start:
            self._feed()
        self._has_text = False

    def end(self) -> None:
        """End a line; text that begins with a line feed does so, too."""
        self._waiting.clear()
        self._owes = not (self._has_text and self._is_at_start)

    def feed(self) -> None:
        """End a line, as a BR does."""
        self._waiting.clear()
        self._add("\n")

    def add(self, text: str, *, is_preformatted: bool) -> None:
        """Add text; outside PREs, white space around a line belongs to the markup, up to and with its line feeds."""
        if is_preformatted:
            self._add(text)
            return
        shown = text.strip(WHITE_SPACE)
        before, behind = text.split(shown, 1) if shown else (text, "")
        self._waiting.append(before)
        if shown:
            space = "".join(self._waiting)
            if (self._owes or self._is_at_start) and "\n" in space:
                space = space[space.rindex("\n") + 1 :]
                self._is_indented = True
            self._add(_on_one_line(space + shown) if self._is_text else space + shown)
            self._waiting = [behind]

    def text(self) -> str:
        """Return all lines, without white space at their ends and empty lines around them."""
        lines = "".join(self._parts).translate(_SHOWN_AS)
        return lines_of(dedent(lines) if self._is_indented else lines)

    def _add(self, text: str) -> None:
        if self._owes:
            if text.lstrip(" \t\r")[:1] == "\n":
                self._owes = False
            elif text.isspace():
                return
            else:
                self._feed()
        self._parts.append(text)
        self._is_at_start = text.endswith("\n")
        self._has_text = True

    def _feed(self) -> None:
        self._parts.append("\n")
        self._owes, self._is_at_start = False, True


def _on_one_line(text: str) -> str:
    return _LINE_FEEDS.sub(" ", text) if "\n" in text else text


_LINE_FEEDS = re.compile(r"[ \t\r\f]*\n[ \t\r\n\f]*")
#: Signs that editors write for spaces and empty lines.
_SHOWN_AS = {0xA0: " ", 0x200B: None, 0xFEFF: None}


def lines_of(raw: str) -> str:
    """Return the lines of preformatted text, without white space at their ends and empty lines around them."""
    return "\n".join(map(str.rstrip, raw.splitlines())).strip("\n")
