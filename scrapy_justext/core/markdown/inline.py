"""Runs of text to a line of Markdown.

Emphasis is written where CommonMark reads it as such, whatever stands around it, and left out elsewhere: each
stretch of bold, italics or both has delimiters of its own, which touch no others and stand in no other ("left-flanking
delimiter run" and "right-flanking", CommonMark 0.31.2, 6.2).  Then each end meets its own beginning.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, urljoin

from scrapy_justext.core.markdown.structure import Run
from scrapy_justext.core.text import collapse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from lxml import etree

HARD_BREAK = "\\\n"

#: What means something anywhere in a line.  An underscore inside a word does not, nor does an ampersand that
#: begins no entity.
_SPECIAL = re.compile(r"[\\`*\[\]<|~]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)")
#: What means something at the start of a line: headings, bullets, underlines, quotes, alignments, numbers.
_LINE_START = re.compile(
    r"^(?:(?=#{1,6}(?:\s|$)|[-+](?:\s|$)|=+$|-[-: ]*$|>|:-)|([0-9]{1,9})(?=[.)](?:\s|$)))", re.MULTILINE
)
#: What a heading would lose at its end.
_CLOSING = re.compile(r"(^| )(#+)$")
_BACKTICKS = re.compile("`+")


class Token(NamedTuple):
    """A piece of a line: ``text`` to be escaped, ``code``, or a ``mark`` that stands as it is."""

    kind: str
    value: str


TEXT, CODE, MARK = "text", "code", "mark"


def paragraph(runs: Iterable[Run], resolve: Callable[[str], str | None]) -> str:
    """Runs as the lines of a paragraph.  ``resolve``: HREF to destination, None where it makes no link."""
    text = _join(_tokens(runs, resolve), HARD_BREAK)
    return _LINE_START.sub(lambda match: (match[1] or "") + "\\", text)


def heading(runs: Iterable[Run], resolve: Callable[[str], str | None]) -> str:
    """Runs as the text of a heading, which is bold anyway."""
    plain = (run._replace(style=run.style._replace(is_bold=False)) for run in runs)
    return _CLOSING.sub(r"\1\\\2", _join(_tokens(plain, resolve), " "))


def cell(runs: Iterable[Run], resolve: Callable[[str], str | None]) -> str:
    """Runs as the text of a table's cell."""
    # Readers do not agree on bars in code there.
    barless = (run._replace(style=run.style._replace(is_code=False)) if "|" in run.text else run for run in runs)
    return _join(_tokens(barless, resolve), " ")


def image(text: str, destination: str | None) -> str:
    """An image; its text where it has no destination."""
    escaped = _join([Token(TEXT, text)], " ")
    return escaped if destination is None else f"![{escaped}]({destination})"


def code_span(text: str) -> str:
    """Code of one line.

    >>> code_span("a"), code_span("`a` b")
    ('`a`', '`` `a` b ``')
    """
    fence = fence_for(text, 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def fence_for(text: str, least: int) -> str:
    """So many backticks that none of ``text`` ends what they begin."""
    return "`" * max([least, *(len(run) + 1 for run in _BACKTICKS.findall(text))])


def _join(tokens: Iterable[Token], line_break: str) -> str:
    parts: list[str] = []
    merged = [(kind, "".join(token.value for token in group)) for kind, group in groupby(tokens, lambda one: one.kind)]
    for i, (kind, value) in enumerate(merged):
        if kind == TEXT:
            text = _SPECIAL.sub(r"\\\g<0>", value)
            if text.endswith("!") and merged[i + 1 : i + 2] and merged[i + 1][1].startswith("["):
                # No image.
                text = f"{text[:-1]}\\!"
            parts.append(text.replace("\n", line_break))
        else:
            parts.append(code_span(value) if kind == CODE else value)
    return "".join(parts)


def _tokens(runs: Iterable[Run], resolve: Callable[[str], str | None]) -> Iterator[Token]:
    resolved = [
        run if run.style.href is None else run._replace(style=run.style._replace(href=resolve(run.style.href)))
        for run in collapsed(runs)
    ]
    groups = [(href, list(group)) for href, group in groupby(resolved, lambda run: run.style.href)]
    for i, (href, group) in enumerate(groups):
        if href is None:
            yield from _emphasised(group, ")" if i else "", "[" if i + 1 < len(groups) else "")
            continue
        before, inner, after = _without_gaps(group)
        yield from map(_token, before)
        if inner:
            yield Token(MARK, "[")
            yield from _emphasised(inner, "[", "]")
            yield Token(MARK, f"]({href})")
        yield from map(_token, after)


def collapsed(runs: Iterable[Run]) -> Iterator[Run]:
    """The runs with white space collapsed; what is left of it stands in runs of its own, a line feed for BRs.

    There is none at the ends.
    """
    gap: Run | None = None
    started = False
    for run in runs:
        if run.is_break or run.text[:1].isspace():
            gap = _wider(gap, run)
        text = collapse(run.text)
        if not text:
            continue
        if gap and started:
            yield gap
        yield Run(text, run.style)
        started = True
        gap = Run(" ", run.style) if run.text[-1].isspace() else None


def _wider(gap: Run | None, run: Run) -> Run:
    if run.is_break:
        return Run("\n", run.style)
    return gap or Run(" ", run.style)


def _without_gaps(runs: Sequence[Run]) -> tuple[Sequence[Run], Sequence[Run], Sequence[Run]]:
    """White space before, the rest, white space after."""
    start, end = 0, len(runs)
    while start < end and runs[start].text.isspace():
        start += 1
    while end > start and runs[end - 1].text.isspace():
        end -= 1
    return runs[:start], runs[start:end], runs[end:]


def _emphasised(runs: Sequence[Run], before: str, after: str) -> Iterator[Token]:
    """Runs with their emphasis; ``before``, ``after``: the characters around them, empty at the ends of the line."""
    groups = [(mark, list(group)) for mark, group in groupby(runs, _delimiter)]
    for i, (mark, group) in enumerate(groups):
        leading, inner, trailing = _without_gaps(group)
        yield from map(_token, leading)
        follows = " " if trailing else _edge(groups[i + 1][1][0], 0) if i + 1 < len(groups) else after
        is_marked = bool(mark and inner) and _flanks(" " if leading else before, inner, follows)
        if is_marked:
            yield Token(MARK, mark)
        yield from map(_token, inner)
        if is_marked:
            yield Token(MARK, mark)
        yield from map(_token, trailing)
        before = " " if trailing else "*" if is_marked else _edge(group[-1], -1)


def _delimiter(run: Run) -> str:
    return "**" * run.style.is_bold + "*" * run.style.is_italic


def _flanks(before: str, inner: Sequence[Run], after: str) -> bool:
    """Whether delimiters around ``inner`` are read as beginning and end of emphasis."""
    begins = not _may_be_punctuation(_edge(inner[0], 0)) or _sets_apart(before)
    ends = not _may_be_punctuation(_edge(inner[-1], -1)) or _sets_apart(after)
    return begins and ends and before != "*"


def _edge(run: Run, at: int) -> str:
    """The first or last character of a run as it is written, or one of its kind."""
    return "`" if _token(run).kind == CODE else run.text[at]


def _sets_apart(character: str) -> bool:
    return not character or character.isspace() or _category(character) == "P"


def _may_be_punctuation(character: str) -> bool:
    # Symbols are since CommonMark 0.31.
    return _category(character) in "PS"


def _category(character: str) -> str:
    is_symbol = character in "$+<=>^`|~"
    return "P" if is_symbol else unicodedata.category(character)[0]


def _token(run: Run) -> Token:
    is_code = run.style.is_code and not run.text.isspace()
    return Token(CODE if is_code else TEXT, run.text)


# Where links lead: HREF and SRC to destinations that are safe to write and to follow.

#: Schemes that a link may have; ``javascript:``, ``data:`` and all others make no link.
SCHEMES = frozenset(["http", "https", "ftp", "mailto", "tel"])
#: Schemes of pages that relative links are resolved against: those of a file lead nowhere else.
_BASE_SCHEMES = ("http://", "https://")

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
# As browsers read addresses: these vanish, at the ends and anywhere.
_CONTROLS_AND_SPACE = "".join(map(chr, range(0x21)))
_VANISHING = re.compile(r"[\t\n\r]")
#: What ends a destination or means something in it, and what no address may hold.
_TO_QUOTE = re.compile(r"""[\x00-\x20\x7f<>"`|\\]|\s""")
_TO_ESCAPE = re.compile(r"[()]|&(?=#?\w+;)")


def resolver(root: etree._Element, url: str | None) -> Callable[[str], str | None]:
    """A function that gives the destination of what stands in an attribute; None where no link can be made of it."""
    base = base_of(root, url)
    return cache(lambda address: destination(address, base))


def base_of(root: etree._Element, url: str | None) -> str:
    """What relative addresses of a page are relative to; empty when that is not known."""
    declared = next((node.get("href") or "" for node in root.iter("base") if "href" in node.attrib), "")
    candidates = (_join_links(url or "", _clean(declared)) or "", url or "")
    return next((one for one in candidates if one.lower().startswith(_BASE_SCHEMES)), "")


def destination(address: str, base: str = "") -> str | None:
    r"""An address as a link's destination in Markdown; None for one that nobody should follow.

    >>> destination("a (b).html", "https://example.com/x/")
    'https://example.com/x/a%20\\(b\\).html'
    >>> destination(" java\nscript:alert(1)")
    """
    address = _clean(address)
    scheme = _SCHEME.match(address)
    if not address or (scheme and scheme[1].lower() not in SCHEMES):
        return None
    joined = _join_links(base, address)
    if not joined:
        return None
    return _TO_ESCAPE.sub(r"\\\g<0>", _TO_QUOTE.sub(lambda match: quote(match[0]), joined))


def _clean(address: str) -> str:
    return _VANISHING.sub("", address.strip(_CONTROLS_AND_SPACE))


def _join_links(base: str, address: str) -> str | None:
    try:
        return urljoin(base, address)
    except ValueError:
        # As "http://[".
        return None
