"""The text of a block, from the page to one line of Markdown.

The page is flattened once more, with marks for links, emphasis and code (:mod:`~scrapy_justext.core.flattening`), and
the text of each good block is read from it in runs: a run has one style, and leads to one address.

Emphasis is written where CommonMark reads it as such, whatever stands around it, and left out elsewhere.  Each stretch
of bold, italics or both has delimiters of its own, which touch no others and stand in no other, so that each end meets
its own beginning ("left-flanking delimiter run" and "right-flanking", CommonMark 0.31.2, 6.2).

A link gets a destination that is safe to write and to follow; any other becomes plain text.  So does a link for whose
address a page has no room left (:data:`ADDRESSES`): one long BASE would stand in thousands of them.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, urljoin

from scrapy_justext.core import flattening
from scrapy_justext.core.flattening import BLOCK, INLINE, tag_codes
from scrapy_justext.core.reading import flat_text
from scrapy_justext.core.text import collapse, visible_length

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from lxml import etree

    from scrapy_justext.core.blocks import Segment
    from scrapy_justext.core.elements import Elements
    from scrapy_justext.core.tags import TagRules

    #: Gives the destination of what stands in HREF or SRC; None where no link can be made of it.
    Resolve = Callable[[str], str | None]


class TextRun(NamedTuple):
    """A text in one style."""

    text: str = ""
    destination: str | None = None
    """Where its link leads; None outside links.  First as the page has it, then as Markdown has it."""
    is_bold: bool = False
    is_italic: bool = False
    is_code: bool = False
    is_break: bool = False
    """A BR, which has no text."""
    is_markup: bool = False
    """Markdown that stands as it is."""

    def with_text(self, text: str) -> TextRun:
        """Return another text in the same style."""
        return TextRun._make((text, *self[1:]))

    def gap(self, text: str = " ") -> TextRun:
        """Return white space in the same style, but no code."""
        return TextRun(text, self.destination, self.is_bold, self.is_italic)


_BEGINS: dict[str, Callable[[TextRun], TextRun]] = {
    flattening.BOLD: lambda style: style._replace(is_bold=True),
    flattening.ITALIC: lambda style: style._replace(is_italic=True),
    flattening.CODE: lambda style: style._replace(is_code=True),
}
_ENDS = frozenset({flattening.UNLINK, flattening.PLAIN})
_BEGIN_MARKS = [INLINE + code for code in (flattening.LINK, *_BEGINS)]
_END_MARKS = [INLINE + code for code in _ENDS]
#: A mark, with the HREF of a link.
_MARK = re.compile(f"{INLINE}(?:{flattening.LINK}[^{INLINE}]*{INLINE}{flattening.SOURCE}|.)", re.DOTALL)


def styled_text(elements: Elements) -> str:
    """Return the flattened page, with marks for what Markdown writes."""
    return flat_text(elements.root, replace(elements.rules, styled=True))


def good_runs(
    flat: str, rules: TagRules, segments: Sequence[Segment], good: Sequence[bool], resolve: Resolve
) -> Iterator[tuple[int, list[TextRun]]]:
    """Yield the index and the runs of each good block of text, in document order; images have none.

    ``flat``: what :func:`styled_text` returns.
    """
    image = tag_codes(rules).get("img")
    last = max((index for index, is_good in enumerate(good) if is_good), default=-1)
    starts = [*(segment.start for segment in segments), -1]
    # What is open around the text at hand, innermost last, each a run without text.
    styles = [TextRun()]
    index = 0
    for chunk in f"{flattening.CLOSE}{flat}".split(BLOCK):
        if index > last:
            break
        body = chunk[1:]
        if chunk[0] == image:
            index += 1
        elif not body or body.isspace():
            continue
        elif not good[index] and INLINE not in body:
            index += 1
        elif not good[index] and len(styles) == 1 and _is_closed(body):
            index += bool(_MARK.sub("", body).strip())
        else:
            runs = _read(body, styles)
            if rules.text_nodes:
                # Where text is read node by node, blank nodes vanish with the space that they are.
                runs = [run for run in runs if run.is_break or not run.text.isspace()]
            for block in _blocks(runs, starts, index):
                if good[index]:
                    yield index, _resolved(block, resolve)
                index += 1


def _is_closed(body: str) -> bool:
    """Return whether a text that nothing is open around is at most one block, and leaves nothing open."""
    if INLINE + flattening.BREAK in body:
        return False
    return sum(map(body.count, _BEGIN_MARKS)) == sum(map(body.count, _END_MARKS))


def _read(body: str, styles: list[TextRun]) -> list[TextRun]:
    """Return the runs of a text with marks; ``styles``, those open before it, become those open after it."""
    first, *pieces = body.split(INLINE)
    runs = [styles[-1].with_text(first)]
    for piece in pieces:
        code, text = piece[:1], piece[1:]
        if code == flattening.LINK:
            # The text of the link follows behind another mark.
            styles.append(styles[-1]._replace(destination=text))
            continue
        if code in _BEGINS:
            styles.append(_BEGINS[code](styles[-1]))
        elif code in _ENDS:
            styles.pop()
        elif code == flattening.BREAK:
            runs.append(styles[-1]._replace(is_break=True))
        if text:
            runs.append(styles[-1].with_text(text))
    return runs


def _blocks(runs: list[TextRun], starts: Sequence[int], index: int) -> Iterator[list[TextRun]]:
    """Yield the runs of each of the blocks that ``runs`` are: one, or several with BRs between them.

    ``starts``: how much of the page's text is before each block; ``index``: the first block's.
    """
    if not any(run.is_break for run in runs):
        if any(run.text and not run.text.isspace() for run in runs):
            yield runs
        return
    position = starts[index]
    block: list[TextRun] = []
    has_text = False
    for run in runs:
        if length := visible_length(run.text):
            if has_text and position == starts[index + 1]:
                yield block
                index += 1
                block = []
            has_text = True
            position += length
        block.append(run)
    if has_text:
        yield block


def _resolved(runs: list[TextRun], resolve: Resolve) -> list[TextRun]:
    """Return runs with the destinations of their addresses; each link asks for its own once."""
    if all(run.destination is None for run in runs):
        return runs
    found: list[TextRun] = []
    for address, group in groupby(runs, lambda run: run.destination):
        destination = resolve(address) if address is not None else None
        found += (run._replace(destination=destination) for run in group)
    return found


HARD_BREAK = "\\\n"

#: What means something anywhere in a line, the backslash first.
_SPECIAL = "\\`*[]<|~"
#: The places before underscores that are not inside of a word, and before ampersands that begin an entity.
_SPECIAL_HERE = re.compile(r"(?=[_&])(?:(?<![^\W_])(?=_)|(?=_(?![^\W_])|&#?\w+;))")
#: What means something at the start of a line: headings, bullets, underlines, quotes, alignments, numbers.
_LINE_START = re.compile(
    r"^(?:(?=#{1,6}(?:\s|$)|[-+](?:\s|$)|=+$|-[-: ]*$|>|:-)|([0-9]{1,9})(?=[.)](?:\s|$)))", re.MULTILINE
)
#: What a heading would lose at its end.
_CLOSING = re.compile(r"(^| )(#+)$")
_BACKTICKS = re.compile("`+")


def paragraph(runs: Iterable[TextRun]) -> str:
    """Return runs as the lines of a paragraph."""
    return _LINE_START.sub(lambda match: (match[1] or "") + "\\", _line(runs, HARD_BREAK))


def heading(runs: Iterable[TextRun]) -> str:
    """Return runs as the text of a heading, which is bold anyway."""
    return _CLOSING.sub(r"\1\\\2", _line(run._replace(is_bold=False) for run in runs))


def cell(runs: Iterable[TextRun]) -> str:
    """Return runs as the text of a table's cell."""
    # Readers do not agree on bars in code there.
    return _line(run._replace(is_code=False) if "|" in run.text else run for run in runs)


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
    """Return so many backticks that none of ``text`` ends what they begin."""
    return "`" * max([least, *(len(backticks) + 1 for backticks in _BACKTICKS.findall(text))])


def _line(runs: Iterable[TextRun], line_break: str = " ") -> str:
    """Return runs as Markdown, with ``line_break`` for BRs."""
    parts = [""]
    for (is_markup, is_code), group in groupby(_linked(runs), lambda run: (run.is_markup, run.is_code)):
        text = "".join(run.text for run in group)
        if not is_markup and not is_code:
            parts.append(_escaped(text).replace("\n", line_break))
            continue
        if text.startswith("[") and parts[-1].endswith("!"):
            # No image.
            parts[-1] = f"{parts[-1][:-1]}\\!"
        parts.append(code_span(text) if is_code else text)
    return "".join(parts)


def _escaped(text: str) -> str:
    for character in _SPECIAL:
        text = text.replace(character, f"\\{character}")
    return _SPECIAL_HERE.sub(r"\\", text)


def _linked(runs: Iterable[TextRun]) -> Iterator[TextRun]:
    """Yield runs with the markup of their links and of what is inside."""
    groups = [(target, list(group)) for target, group in groupby(_collapsed(runs), lambda run: run.destination)]
    for i, (target, group) in enumerate(groups):
        if target is None:
            yield from _emphasised(group, ")" if i else "", "[" if i + 1 < len(groups) else "")
            continue
        leading, inner, trailing = _without_gaps(group)
        yield from leading
        if inner:
            yield TextRun("[", is_markup=True)
            yield from _emphasised(inner, "[", "]")
            yield TextRun(f"]({target})", is_markup=True)
        yield from trailing


def _collapsed(runs: Iterable[TextRun]) -> Iterator[TextRun]:
    """Yield the runs with white space collapsed, and none at the ends.

    What is left of it stands in gaps, runs of their own that are no code: a space, or a line feed where BRs are.
    """
    gap: TextRun | None = None
    started = False
    for run in runs:
        if run.is_break:
            gap = run.gap("\n")
        elif gap is None and run.text[:1].isspace():
            gap = run.gap()
        text = collapse(run.text)
        if not text:
            continue
        if gap and started:
            yield gap
        yield run.with_text(text)
        started = True
        gap = run.gap() if run.text[-1].isspace() else None


def _without_gaps(runs: Sequence[TextRun]) -> tuple[Sequence[TextRun], Sequence[TextRun], Sequence[TextRun]]:
    """Return the gaps before, the rest, and the gaps after."""
    start, end = 0, len(runs)
    while start < end and runs[start].text.isspace():
        start += 1
    while end > start and runs[end - 1].text.isspace():
        end -= 1
    return runs[:start], runs[start:end], runs[end:]


def _emphasised(runs: Sequence[TextRun], before: str, after: str) -> Iterator[TextRun]:
    """Yield runs with the markup of their emphasis.

    ``before``, ``after``: the characters around them, empty at the ends of the line.
    """
    groups = [(delimiter, list(group)) for delimiter, group in groupby(runs, _delimiter)]
    for i, (delimiter, group) in enumerate(groups):
        leading, inner, trailing = _without_gaps(group)
        follows = " " if trailing else _edge(groups[i + 1][1][0], 0) if i + 1 < len(groups) else after
        is_marked = bool(delimiter and inner) and _flanks(" " if leading else before, inner, follows)
        markup = [TextRun(delimiter, is_markup=True)] if is_marked else []
        yield from (*leading, *markup, *inner, *markup, *trailing)
        before = " " if trailing else "*" if is_marked else _edge(group[-1], -1)


def _delimiter(run: TextRun) -> str:
    return "**" * run.is_bold + "*" * run.is_italic


def _flanks(before: str, inner: Sequence[TextRun], after: str) -> bool:
    """Return whether delimiters around ``inner`` are read as beginning and end of emphasis."""
    begins = not _may_be_punctuation(_edge(inner[0], 0)) or _sets_apart(before)
    ends = not _may_be_punctuation(_edge(inner[-1], -1)) or _sets_apart(after)
    return begins and ends and before != "*"


def _edge(run: TextRun, at: int) -> str:
    """Return the first or last character of a run as it is written, or one of its kind."""
    return "`" if run.is_code else run.text[at]


def _sets_apart(character: str) -> bool:
    return not character or character.isspace() or _category(character) == "P"


def _may_be_punctuation(character: str) -> bool:
    # Symbols are since CommonMark 0.31.
    return _category(character) in "PS"


def _category(character: str) -> str:
    is_symbol = character in "$+<=>^`|~"
    return "P" if is_symbol else unicodedata.category(character)[0]


#: Schemes that a link may have; ``javascript:``, ``data:`` and all others make no link.
SCHEMES = frozenset(["http", "https", "ftp", "mailto", "tel"])
#: Schemes of pages that relative links are resolved against: those of a file lead nowhere else.
_BASE_SCHEMES = ("http://", "https://")

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
# As browsers read addresses: these vanish, at the ends and anywhere.
_CONTROLS_AND_SPACE = "".join(map(chr, range(0x21)))
_VANISHING = re.compile(r"[\t\n\r]")
#: What ends a destination or means something in it, and what no address may hold: controls and white space.
_TO_QUOTE = '\x7f<>"`|\\\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000'
_QUOTED = {
    character: quote(chr(character)) for character in (*range(0x21), *map(ord, _TO_QUOTE), *range(0x2000, 0x200B))
} | {ord("("): "\\(", ord(")"): "\\)"}
_ENTITY = re.compile(r"&(?=#?\w+;)")


#: Characters of addresses that the links of a page may have together, for each character of the flattened page, and
#: those that every page may have.  Real pages stay far below.
ADDRESSES = 8
LEAST_ADDRESSES = 1 << 18


class Resolver:
    """Gives the destinations of a page's links, until their addresses would flood the page.

    Relative links are resolved against the page's BASE, or against ``url``, its own address.
    ``flat``: the flattened page, whose length says how many characters there may be.
    """

    def __init__(self, root: etree._Element, url: str | None, flat: str) -> None:
        declared = next((node.get("href") or "" for node in root.iter("base") if "href" in node.attrib), "")
        candidates = (_joined(url or "", _clean(declared)), url or "")
        self._base = next((address for address in candidates if address.lower().startswith(_BASE_SCHEMES)), "")
        #: Characters of addresses that it may still read and give.
        self._room = LEAST_ADDRESSES + ADDRESSES * len(flat)
        self._known: dict[str, str | None] = {}

    def __call__(self, address: str) -> str | None:
        """Return the destination of an address; None for one that nobody should follow, and where no room is left."""
        if self._room < 0:
            return None
        if address not in self._known:
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
    joined = _joined(base, address)
    return _ENTITY.sub(r"\\&", joined.translate(_QUOTED)) or None


def _clean(address: str) -> str:
    return _VANISHING.sub("", address.strip(_CONTROLS_AND_SPACE))


def _joined(base: str, address: str) -> str:
    """Return an address made absolute; empty where it is none, as ``http://[``."""
    try:
        return urljoin(base, address)
    except ValueError:
        return ""
