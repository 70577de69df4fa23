r"""Find the formulas that stand in a page's text as TeX between delimiters.

The tokens of a page (:mod:`~scrapy_justext.core.reading.flow`) are read once.  A formula is all in one stretch of text:
no block, link, code or other formula begins or ends in it.  A stretch is read from left to right.  An opening delimiter
that is never closed there is text, and so are all of its kind behind it: no stretch is read more often than there are
kinds.

Where a script of the page draws formulas, ``\(…\)``, ``\[…\]`` and ``$$…$$`` are formulas as they are to that script,
and ``$…$`` if the page tells it so.  Elsewhere what they hold has to be TeX beyond doubt.
"""

from __future__ import annotations

import re
import sys
from array import array
from itertools import chain, repeat
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.core.reading.flow import Flow
from scrapy_justext.core.reading.formulas.elements import check_count
from scrapy_justext.core.reading.formulas.tex import clean_tex, is_clear, is_prose, is_said_of_tex
from scrapy_justext.core.reading.head import whole_page
from scrapy_justext.core.reading.nodes import MAY_BE_TEX

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import cython

    from scrapy_justext.core.reading.nodes import Nodes

_ENVIRONMENTS = "(?:equation|align|gather|multline|eqnarray|alignat|flalign|displaymath|(?:[pbvBV]|small)?matrix|cases)"
_TOKEN = re.compile(rf"\\\\|\\[()\[\]${{}}]|\$\$?|[{{}}]|\\begin\{{{_ENVIRONMENTS}\*?\}}|\\end\{{{_ENVIRONMENTS}\*?\}}")
_CLOSINGS = {"\\(": "\\)", "\\[": "\\]", "$$": "$$", "$": "$"}
#: These stand for tokens in a text that is searched: noncharacters, which Unicode reserves for use inside a program.  A
#: page may have them all the same; U+FFFD stands for those.
_BLOCK, _MARK, _BREAK = "\ufdd0", "\ufdd1", "\ufdd2"
_OTHERS = str.maketrans(dict.fromkeys((_BLOCK, _MARK, _BREAK), "\ufffd"))
_ANY_OTHER = re.compile(f"[{_BLOCK}{_MARK}{_BREAK}]")
_SEARCHED = {" ": " ", "|": _BREAK, **dict.fromkeys("[{#]", _BLOCK), **dict.fromkeys("txhcf,-_", "")}
#: Most prices are none.
_BETWEEN_DOLLARS = re.compile(rf"\$(?:[^\s${_BLOCK}][^${_BLOCK}]*(?<!\s)|[^\s${_BLOCK}])\$(?![0-9])")
#: What opens a formula with a backslash.
_OPENING = re.compile(r"\\(?:[(\[]|begin\{)")
_RENDERERS = ("MathJax", "mathjax", "KaTeX", "katex", "renderMathInElement")
_DOLLAR_OF_KATEX = re.compile(r"""left["']?\s*:\s*["']\$["']""")
_DOLLAR_OF_MATHJAX = re.compile(r"""inlineMath[^$]{0,80}["']\$["']""")


def with_formulas(flow: Flow, most: int | None = None) -> Flow:
    """Return the tokens of a page with one for each formula in its text; raise an error for more than ``most``."""
    stretches = _stretches(flow)
    text = _BLOCK.join(["".join(texts) for _, texts in stretches])
    dollars = _BETWEEN_DOLLARS.findall(text)
    opens = "$$" in text or _OPENING.search(text) is not None
    if not dollars and not opens and "\\" not in text:
        # As on most pages.
        return flow
    by_dollar = _are_dollars_drawn(whole_page(flow.page))
    if by_dollar is None and not opens and not any(map(is_clear, dollars)):
        return flow
    apart = text.count("$$") // 2
    # Those are found between single dollars, too.
    check_count(max(len(dollars), apart) + len(_OPENING.findall(text)), most)
    return _with_formulas(flow, stretches, by_dollar)


def _stretches(flow: Flow) -> list[tuple[int, list[str]]]:
    """Return the stretches of text with two dollars or a backslash: the first token, and what is searched for each."""
    stretches = []
    codes, own = flow.codes, flow.own
    count: cython.Py_ssize_t = len(codes)
    end: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    code: cython.Py_UCS4
    for i, code in enumerate(codes):
        if code == "t" and i >= end and (flow.text_flags(i) & MAY_BE_TEX or (own and i in own)):
            begin: cython.Py_ssize_t = i
            while begin and not _ends_stretch(codes[begin - 1]):
                begin -= 1
            end = i
            dollars: cython.Py_ssize_t = 0
            has_backslash: cython.bint = False
            while end < count and not _ends_stretch(codes[end]):
                text: str = flow.text(end) if codes[end] == "t" else ""
                dollars += text.count("$")
                has_backslash = has_backslash or "\\" in text
                end += 1
            # One dollar is a price.
            if has_backslash or dollars > 1:
                stretches.append((begin, _searched(flow, begin, end)))
    return stretches


def _ends_stretch(code: cython.Py_UCS4) -> cython.bint:
    return code in "[{#]<>()`.le$"


def _searched(flow: Flow, begin: int, end: int) -> list[str]:
    """Return what stands for tokens in a text that is searched."""
    texts = [flow.text(i) if flow.codes[i] == "t" else "" for i in range(begin, end)]
    if _ANY_OTHER.search("".join(texts)):
        texts = [text.translate(_OTHERS) for text in texts]
    return [text or _SEARCHED.get(code, _MARK) for code, text in zip(flow.codes[begin:end], texts, strict=True)]


def _are_dollars_drawn(page: Nodes) -> bool | None:
    """Return whether ``$…$`` is a formula to the page's scripts that draw TeX; None without such a script."""
    by_dollar = None
    for script in page.named("script"):
        text, source = page.text(script), page.attribute(script, "src") or ""
        if any(name in source or name in text for name in _RENDERERS):
            by_dollar = by_dollar or bool(_DOLLAR_OF_MATHJAX.search(text) or _DOLLAR_OF_KATEX.search(text))
    return by_dollar


def _with_formulas(flow: Flow, stretches: Iterable[tuple[int, list[str]]], by_dollar: bool | None) -> Flow:
    writer = _Writer(flow)
    # How many elements are open that are code: block-level ones, and inline ones.
    inside = fixed = counted = 0
    for begin, texts in stretches:
        for i in range(counted, begin):
            code = flow.codes[i]
            if code in "{#" or (code == "[" and (inside or flow.page.name(flow.nodes[i]) == "pre")):
                inside += 1
            elif code == "]" and inside:
                inside -= 1
            elif code in "`.":
                fixed += 1 if code == "`" else -1
        counted = begin
        spans = [] if inside or fixed else list(_spans("".join(texts), by_dollar))
        if spans:
            writer.write(begin, texts, spans)
    return writer.flow()


class _Span(NamedTuple):
    begin: int
    end: int
    formula: str


_NONE = _Span(sys.maxsize, sys.maxsize, "")


class _Writer:
    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._codes: list[str] = []
        self._nodes = array("i")
        self._own: dict[int, str] = {}
        # How many tokens of the page are written.
        self._read = 0

    def flow(self) -> Flow:
        """Return the tokens; those of the page if there is nothing to write."""
        flow = self._flow
        if not self._read:
            return flow
        self._copy(self._read, len(flow.codes))
        return Flow(flow.page, flow.rules, "".join(self._codes), self._nodes, self._own)

    def _copy(self, begin: int, end: int) -> None:
        own, shift = self._flow.own, len(self._nodes) - begin
        self._own |= {i + shift: own[i] for i in range(begin, end) if i in own}
        self._codes.append(self._flow.codes[begin:end])
        self._nodes.extend(self._flow.nodes[begin:end])

    def _add(self, code: str, node: int, text: str) -> None:
        self._own[len(self._nodes)] = text
        self._codes.append(code)
        self._nodes.append(node)

    def write(self, begin: int, texts: Sequence[str], spans: Sequence[_Span]) -> None:
        """Write what comes before a stretch of text, and the stretch, from a token on, with formulas in it."""
        self._copy(self._read, begin)
        self._read = begin + len(texts)
        # What begins or ends in a formula does so behind it.
        behind: list[int] = []
        at = 0
        coming = chain(spans, repeat(_NONE))
        span = next(coming)
        for i, text in enumerate(texts, begin):
            if self._flow.codes[i] == "t" and text:
                span = self._write_text(i, at, span, coming, behind)
            elif not span.begin < at < span.end:
                self._copy(i, i + 1)
            elif self._flow.codes[i] not in "| ":
                behind.append(i)
            at += len(text)

    def _write_text(self, i: int, at: int, span: _Span, coming: Iterator[_Span], behind: list[int]) -> _Span:
        """Write a text that begins ``at`` a place of its stretch; return the formula at or behind its end."""
        text, node = self._flow.text(i), self._flow.nodes[i]
        here, stop = at, at + len(text)
        while here < stop:
            if here < span.begin:
                until = min(span.begin, stop)
                self._add("t", node, text[here - at : until - at])
                here = until
                continue
            if here == span.begin:
                self._add("$", node, span.formula)
            here = min(span.end, stop)
            if here == span.end:
                for mark in behind:
                    self._copy(mark, mark + 1)
                behind.clear()
                span = next(coming)
        return span


def _spans(text: str, by_dollar: bool | None) -> Iterator[_Span]:
    at = depth = 0
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
        formula = _formula(text[opening.start() : end], opening.group(), by_dollar, text[end : end + 1])
        if formula:
            yield _Span(opening.start(), end, formula)
            at = end
        elif opening.group() == "$":
            # It may open a formula in its turn.
            at = token.start()
        opening = None


def _closes(opening: str, sign: str, depth: int) -> bool:
    if opening == "$":
        return sign[0] == "$" and depth <= 0
    if opening == "$$":
        return sign == "$$" and depth <= 0
    return sign == (_CLOSINGS.get(opening) or opening.replace("begin", "end", 1))


def _formula(source: str, opening: str, by_dollar: bool | None, behind: str) -> str:
    """Return a formula as TeX between dollars; ``source``: it with its delimiters; empty for what is none."""
    is_environment = opening.startswith("\\begin")
    length = 0 if is_environment else len(opening)
    # A BR is white space.
    inside = source[length : len(source) - length].replace(_BREAK, " ").replace(_MARK, "")
    tex = clean_tex(inside)
    if not tex or not (is_environment or _is_formula(inside, opening, by_dollar, behind)):
        return ""
    dollars = "$" if opening in ("$", "\\(") else "$$"
    return f"{dollars}{tex}{dollars}"


def _is_formula(inside: str, opening: str, by_dollar: bool | None, behind: str) -> bool:
    if opening != "$":
        return by_dollar is not None or (is_clear(inside) and not is_said_of_tex(inside))
    if inside[0].isspace() or inside[-1].isspace() or behind.isdecimal():
        return False
    # Variables of a shell.
    if not by_dollar and (behind.isalpha() or behind == "_"):
        return False
    return is_clear(inside) or (by_dollar is True and not is_prose(inside))
