"""The text of a block, from runs to one line of Markdown: a run has one style, and leads to one address.

Emphasis is written where CommonMark reads it as such, whatever stands around it, and left out elsewhere.  Each stretch
of bold, italics or both has delimiters of its own, which touch no others and stand in no other, so that each end meets
its own beginning ("left-flanking delimiter run" and "right-flanking", CommonMark 0.31.2, 6.2).

A link gets a destination that is safe to write and to follow; any other becomes plain text.  So does a link if the
addresses of the page take too much room (:data:`ADDRESSES`): a long BASE would stand in thousands of them.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cached_property
from itertools import cycle
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, urljoin

from scrapy_justext.core.tags import FORMULA, TEXT
from scrapy_justext.core.text import collapse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import cython

    from scrapy_justext.core.reading.nodes import Nodes

    #: Gives the destination of what stands in HREF or SRC; None where no link can be made of it.
    Resolve = Callable[[str], str | None]


#: What a run may be, beside a text or a formula.
BREAK, MARKUP, REFERENCE = "break", "markup", "reference"


class Image(NamedTuple):
    """An image in a text."""

    alt: str
    source: str
    """Where it comes from, first as the page has it, then as Markdown has it; empty for a sign of text, as an emoji."""
    is_sign: bool = False
    """Whether it says that it is an icon, a logo or somebody's picture."""


class TextRun:
    """A text in one style.

    ``destination``: where its link leads; None outside links.  First as the page has it, then as Markdown has it.
    ``kind``: what it is: text, a BR without text, markup that stands as it is, the label of a footnote that is referred
    to, or a formula as TeX.
    ``image``: the image that it is; None for all else.
    """

    __slots__ = ("destination", "image", "is_bold", "is_code", "is_italic", "kind", "text")

    def __init__(
        self,
        text: str = "",
        destination: str | None = None,
        *,
        is_bold: bool = False,
        is_italic: bool = False,
        is_code: bool = False,
        kind: str = TEXT,
        image: Image | None = None,
    ) -> None:
        self.text = text
        self.destination = destination
        self.is_bold = is_bold
        self.is_italic = is_italic
        self.is_code = is_code
        self.kind = kind
        self.image = image

    def with_text(self, text: str, kind: str = "") -> TextRun:
        """Return another text in the same style, of the same kind if none is given."""
        return TextRun(
            text, self.destination, is_bold=self.is_bold, is_italic=self.is_italic, is_code=self.is_code,
            kind=kind or self.kind, image=self.image,
        )  # fmt: skip

    def leading_to(self, destination: str | None) -> TextRun:
        """Return the same with another destination."""
        run = self.with_text(self.text)
        run.destination = destination
        return run

    def without_code(self, text: str) -> TextRun:
        """Return another text in the same style, but no code."""
        return TextRun(text, self.destination, is_bold=self.is_bold, is_italic=self.is_italic)

    def is_plain(self) -> bool:
        """Return whether it is text without style."""
        has_style = self.is_bold or self.is_italic or self.is_code
        return self.kind == TEXT and not has_style and self.destination is None and self.image is None

    def written(self) -> str:
        """Return its text, that of a formula with its dollars, a reference with its brackets."""
        if self.kind == REFERENCE:
            return f"[^{self.text}]"
        return f"${formula(self.text)}$" if self.kind == FORMULA else self.text


HARD_BREAK = "\\\n"

#: What means something anywhere in a line, the backslash first.
ESCAPED = "\\`*[]<|~$"
#: What means something in some places of a line.
ESCAPED_IN_PLACES = "_&"
#: These places: before underscores that are not inside of a word, and before ampersands that begin an entity.
_SPECIAL_HERE = re.compile(rf"(?=[{ESCAPED_IN_PLACES}])(?:(?<![^\W_])(?=_)|(?=_(?![^\W_])|&#?\w+;))")
#: What means something at the start of a line: headings, bullets, underlines, quotes, alignments, numbers.
_LINE_START = re.compile(
    r"^(?:(?=#{1,6}(?:\s|$)|[-+](?:\s|$)|=+$|-[-: ]*$|>|:-)|([0-9]{1,9})(?=[.)](?:\s|$)))", re.MULTILINE
)
#: What a line begins with that may mean something there.
_STARTS = frozenset("#-+=>:0123456789")
_CLOSING = re.compile(r"(^| )(#+)$")
_BACKTICKS = re.compile("`+")
_ESCAPE_OR_DOLLAR = re.compile(r"\\.|\$", re.DOTALL)
_WRITTEN_AS_MARKUP = frozenset([FORMULA, REFERENCE])


def paragraph(runs: Iterable[TextRun]) -> str:
    """Return runs as the lines of a paragraph."""
    text = _line(runs, HARD_BREAK)
    if "\n" not in text and not (text[:1] in _STARTS and _LINE_START.match(text)):
        # As most are; to look for the starts of all lines takes ten times as long.
        return text
    return _LINE_START.sub(lambda match: (match[1] or "") + "\\", text)


def heading(runs: Iterable[TextRun]) -> str:
    """Return runs as the text of a heading, which is bold anyway."""
    text = _line(runs, is_bold=True)
    # What a heading would lose at its end.
    return _CLOSING.sub(r"\1\\\2", text) if text.endswith("#") else text


def cell(runs: Iterable[TextRun]) -> str:
    """Return runs as the text of a table's cell."""
    return _line(map(_without_bar, runs))


def _without_bar(run: TextRun) -> TextRun:
    """Return a run of a cell, in which no bar ends the cell."""
    if "|" not in run.text:
        return run
    if run.kind == FORMULA:
        return run.with_text(run.text.replace("|", r"\|"))
    # Readers do not agree on bars in code, but take the backslash off them elsewhere.
    return run.without_code(run.text) if run.is_code else run


def formula(tex: str) -> str:
    r"""Return TeX as it may stand between dollars.

    >>> formula(r"x \text{ if $y$}"), formula("x\\")
    ('x \\text{ if \\(y\\)}', 'x\\ ')
    """
    signs = cycle((r"\(", r"\)"))
    safe = _ESCAPE_OR_DOLLAR.sub(lambda match: next(signs) if match[0] == "$" else match[0], tex)
    # A backslash would make a character of the dollar behind it.
    return f"{safe} " if (len(safe) - len(safe.rstrip("\\"))) % 2 else safe


def image(text: str, destination: str) -> str:
    """Return an image; ``text``: its ALT, on one line."""
    return f"![{_line([TextRun(text)])}]({destination})"


def code_span(text: str) -> str:
    """Return code of one line.

    >>> code_span("a"), code_span("`a` b")
    ('`a`', '`` `a` b ``')
    """
    fence = fence_for(text, 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def fence_for(text: str, least: int) -> str:
    """Return backticks in a number that does not occur in ``text``, so that none there ends the code."""
    return "`" * max(least, 1 + max(map(len, _BACKTICKS.findall(text)), default=0))


def _line(runs: Iterable[TextRun], line_break: str = " ", *, is_bold: bool = False) -> str:
    """Return runs as Markdown, with ``line_break`` for BRs; ``is_bold``: whether all is bold anyway."""
    parts = list(runs)
    if len(parts) == 1 and parts[0].is_plain():
        # As most are.
        return _escaped(collapse(parts[0].text))
    return _LineWriter(line_break, is_bold=is_bold).line(collapsed_runs(parts))


def _escaped(text: str) -> str:
    for character in ESCAPED:
        # Most texts have few of them.
        if character in text:
            text = text.replace(character, f"\\{character}")
    return _SPECIAL_HERE.sub(r"\\", text) if any(map(text.__contains__, ESCAPED_IN_PLACES)) else text


def collapsed_runs(runs: Iterable[TextRun]) -> list[TextRun]:
    """Return the runs with white space collapsed into gaps: runs of a space, or of a line feed where BRs are."""
    gap: TextRun | None = None
    collapsed: list[TextRun] = []
    run: TextRun
    for run in runs:
        if run.kind == BREAK:
            gap = run.without_code("\n")
        elif gap is None and run.text[:1].isspace():
            gap = run.without_code(" ")
        text = collapse(run.text)
        if not text:
            continue
        if gap is not None and collapsed:
            collapsed.append(gap)
        collapsed.append(run if text == run.text else run.with_text(text))
        gap = run.without_code(" ") if run.text[-1].isspace() else None
    return collapsed


class _LineWriter:
    """Writes collapsed runs on one line, with ``line_break`` for BRs; ``is_bold``: whether all is bold anyway."""

    def __init__(self, line_break: str, *, is_bold: bool) -> None:
        self.line_break = line_break
        self.is_bold = is_bold
        self.parts: list[str] = []
        # The texts at hand, and what they are: TEXT, MARKUP, or empty for code.
        self.texts: list[str] = []
        self.kind = TEXT

    def line(self, runs: list[TextRun]) -> str:
        begin: cython.Py_ssize_t = 0
        end: cython.Py_ssize_t
        count: cython.Py_ssize_t = len(runs)
        first: TextRun
        run: TextRun
        while begin < count:
            first, end = runs[begin], begin
            while end < count:
                run = runs[end]
                if run.destination != first.destination:
                    break
                end += 1
            if first.destination is None:
                self.add_emphasised(runs[begin:end], ")" if begin else "", "[" if end < count else "")
            else:
                self.add_link(runs[begin:end], first.destination)
            begin = end
        self.end_part()
        return "".join(self.parts)

    def add_link(self, runs: list[TextRun], destination: str) -> None:
        leading, inner, trailing = _without_gaps(runs)
        self.add_all(leading)
        if inner:
            self.add("[", MARKUP)
            self.add_emphasised(inner, "[", "]")
            self.add(f"]({destination})", MARKUP)
            self.add_all(trailing)

    def add_emphasised(self, runs: list[TextRun], before: str, after: str) -> None:
        """Write runs with their emphasis; ``before``, ``after``: the characters around them, empty at the ends."""
        i: cython.Py_ssize_t = 0
        end: cython.Py_ssize_t
        count: cython.Py_ssize_t = len(runs)
        while i < count:
            signs = self.signs_of(runs[i])
            end = i + 1
            while end < count and self.signs_of(runs[end]) == signs:
                end += 1
            if not signs and end - i == count:
                # As most are.
                self.add_all(runs)
                return
            leading, inner, trailing = _without_gaps(runs[i:end])
            follows = " " if trailing else _edge(runs[end], 0) if end < count else after
            is_marked = bool(signs and inner) and _flanks(" " if leading else before, inner, follows)
            self.add_all(leading)
            if is_marked:
                self.add(signs, MARKUP)
            self.add_all(inner)
            if is_marked:
                self.add(signs, MARKUP)
            self.add_all(trailing)
            before = " " if trailing else "*" if is_marked else _edge(runs[end - 1], -1)
            i = end

    def signs_of(self, run: TextRun) -> str:
        if run.is_bold and not self.is_bold:
            return "***" if run.is_italic else "**"
        return "*" if run.is_italic else ""

    def add_all(self, runs: list[TextRun]) -> None:
        run: TextRun
        for run in runs:
            kind = MARKUP if run.kind in _WRITTEN_AS_MARKUP else "" if run.is_code else run.kind
            self.add(run.written(), kind)

    def add(self, text: str, kind: str) -> None:
        """Write a text of a kind; empty for code."""
        if kind != self.kind:
            self.end_part()
            self.kind = kind
        self.texts.append(text)

    def end_part(self) -> None:
        if not self.texts:
            return
        text = "".join(self.texts)
        last = self.parts[-1] if self.parts else ""
        self.texts = []
        if self.kind == TEXT:
            if text[0] in "(:" and last.endswith("]"):
                # Behind a reference, neither a link's address nor a footnote.
                self.parts += "\\", text[0]
                text = text[1:]
            self.parts.append(_escaped(text).replace("\n", self.line_break))
            return
        if text[0] == "[" and last.endswith(("!", "^")):
            # No image, and no footnote.
            self.parts[-1] = f"{last[:-1]}\\{last[-1]}"
        self.parts.append(text if self.kind == MARKUP else code_span(text))


def _without_gaps(runs: list[TextRun]) -> tuple[list[TextRun], list[TextRun], list[TextRun]]:
    start: cython.Py_ssize_t = 0
    end: cython.Py_ssize_t = len(runs)
    while start < end and runs[start].text.isspace():
        start += 1
    while end > start and runs[end - 1].text.isspace():
        end -= 1
    return runs[:start], runs[start:end], runs[end:]


def _flanks(before: str, inner: list[TextRun], after: str) -> bool:
    """Return whether delimiters around ``inner`` are read as beginning and end of emphasis."""
    # Inside, symbols are punctuation since CommonMark 0.31.
    begins = _category(_edge(inner[0], 0)) not in "PS" or _category(before) in " P"
    ends = _category(_edge(inner[-1], -1)) not in "PS" or _category(after) in " P"
    return begins and ends and before != "*"


def _edge(run: TextRun, at: cython.Py_ssize_t) -> str:
    """Return the first or last character of a run as it is written, or one of its kind."""
    if run.kind == FORMULA:
        return "$"
    if run.kind == REFERENCE:
        return "["
    return "`" if run.is_code else run.text[at]


def _category(character: str) -> str:
    """Return the category of a character: P for punctuation, S for symbols, a space for white space and none."""
    if not character or character.isspace():
        return " "
    return "P" if character in "$+<=>^`|~" else unicodedata.category(character)[0]


#: Schemes that a link may have; ``javascript:``, ``data:`` and all others make no link.
SCHEMES = frozenset(["http", "https", "ftp", "mailto", "tel"])
#: Schemes of pages that relative links are resolved against: those of a file lead nowhere else.
_BASE_SCHEMES = ("http://", "https://")

#: Addresses that lead to the same wherever they stand.
_WHOLE_ADDRESS = re.compile(r"https?://[A-Za-z0-9.-]+(?::[0-9]+)?(?:/[^\0- ?#;]*)?(?:\?[^\0- #]+)?(?:#[^\0- ]+)?")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
# As browsers read addresses: these vanish, at the ends and anywhere.
_CONTROLS_AND_SPACE = "".join(map(chr, range(0x21)))
_VANISHING = re.compile(r"[\t\n\r]")
#: What ends a destination or means something in it, and what no address may hold: controls and white space.
_TO_QUOTE = '\x7f<>"`|\\\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000'
_QUOTED = {
    character: quote(chr(character)) for character in (*range(0x21), *map(ord, _TO_QUOTE), *range(0x2000, 0x200B))
} | {ord("("): "\\(", ord(")"): "\\)"}
_TO_BE_QUOTED = re.compile(f"[{re.escape(''.join(map(chr, _QUOTED)))}]")
_ENTITY = re.compile(r"&(?=#?\w+;)")

#: Characters of addresses that the links of a page may have together, for each character that is read of its good
#: blocks, addresses included, and those that every page may have.  Real pages stay far below.
ADDRESSES = 12
LEAST_ADDRESSES = 1 << 18


class Resolver:
    """Gives the destinations of a page's links, until their addresses would flood the page.

    Relative links are resolved against the page's BASE, or against ``url``, its own address.
    ``read``: how many characters of good blocks are read, which says how many addresses there may be.
    """

    def __init__(self, page: Nodes, url: str | None, read: int) -> None:
        self._page = page
        self._url = url
        #: Characters of addresses that it may still read and give.
        self._room = LEAST_ADDRESSES + ADDRESSES * read
        self._known: dict[str, str | None] = {}

    @cached_property
    def _base(self) -> str:
        addresses = (self._page.attribute(node, "href") for node in self._page.named("base"))
        declared = next((address for address in addresses if address is not None), "")
        candidates = (_joined(self._url or "", _clean(declared)), self._url or "")
        return next((address for address in candidates if address.lower().startswith(_BASE_SCHEMES)), "")

    def __call__(self, address: str) -> str | None:
        """Return the destination of an address; None for one that nobody should follow, and where no room is left."""
        if self._room < 0:
            return None
        if address not in self._known:
            if _WHOLE_ADDRESS.fullmatch(address):
                # To look for the base is dear; most pages link to other sites with whole addresses.
                self._known[address] = _quoted(address)
            else:
                self._room -= len(self._base)
                self._known[address] = destination_of(address, self._base)
        destination = self._known[address]
        self._room -= len(destination or "")
        return None if self._room < 0 else destination


def destination_of(address: str, base: str = "") -> str | None:
    r"""Return an address as a link's destination in Markdown; None for one that nobody should follow.

    >>> destination_of("a (b).html", "https://example.com/x/")
    'https://example.com/x/a%20\\(b\\).html'
    >>> destination_of(" java\nscript:alert(1)")
    """
    address = _clean(address)
    scheme = _SCHEME.match(address)
    if not address or (scheme and scheme[1].lower() not in SCHEMES):
        return None
    return _quoted(_joined(base, address)) or None


def _quoted(address: str) -> str:
    """Return an address with all characters quoted that end a destination or mean something in it."""
    # Most have nothing to be quoted, and to look for it takes a fifth of the time.
    quoted = address.translate(_QUOTED) if _TO_BE_QUOTED.search(address) else address
    return _ENTITY.sub(r"\\&", quoted) if "&" in quoted else quoted


def _clean(address: str) -> str:
    stripped = address.strip(_CONTROLS_AND_SPACE)
    return stripped if stripped.isprintable() else _VANISHING.sub("", stripped)


def _joined(base: str, address: str) -> str:
    """Return an address made absolute; empty where it is none, as ``http://[``."""
    try:
        return urljoin(base, address)
    except ValueError:
        return ""
