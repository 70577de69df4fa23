"""Standard output and standard error, which may be closed, full, or read by nobody any more."""

from __future__ import annotations

import json
import os
import shutil
import sys
import unicodedata
from contextlib import suppress
from enum import Enum
from functools import lru_cache
from io import TextIOWrapper
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple, TextIO

from scrapy_justext.exceptions import InspectionError
from scrapy_justext.inspection.alignment import Pair, Side, align

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from scrapy_justext.core.blocks import Block
    from scrapy_justext.core.extractor import Extraction
    from scrapy_justext.core.options import Options
    from scrapy_justext.core.parsing import Parsed
    from scrapy_justext.exceptions import JustextError
    from scrapy_justext.inspection.pages import Inspected

STANDARD_OUTPUT = "standard output"


def write(text: str, encoding: str | None = None) -> None:
    """Print, whatever the encoding of standard output lacks; quietly when nobody reads any more.

    ``encoding``: in place of standard output's own.  Raises :class:`InspectionError` where nothing can be printed.
    """
    if not text:
        return
    if sys.stdout is None:
        raise InspectionError(STANDARD_OUTPUT, "cannot be written: it is closed")
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding=encoding, errors="backslashreplace")
    try:
        print(text, flush=True)
    except BrokenPipeError:
        _give_up(sys.stdout)
    except OSError as error:
        _give_up(sys.stdout)
        raise InspectionError(STANDARD_OUTPUT, f"cannot be written: {error.strerror}") from error


def complain(problem: JustextError | str) -> None:
    """Say on one line of standard error what is wrong, where there is somebody to hear it."""
    if sys.stderr is None:
        return
    try:
        print("justext:", " ".join(str(problem).split()), file=sys.stderr, flush=True)
    except OSError:
        _give_up(sys.stderr)


def _give_up(stream: TextIO) -> None:
    """Python writes what is left at its end, and would complain then: that goes nowhere."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


# Whether and how output is coloured, and how wide it may be.

#: Below this a listing cannot be read, whatever the terminal says.
NARROWEST = 48


class Ink(str, Enum):
    """What a piece of output is painted with: parameters of the terminal's SGR sequence."""

    GOOD = "1;32"
    BAD = "31"
    QUIET = "2"
    TITLE = "1"
    DIFFERS = "1;33"


class Style(NamedTuple):
    """``columns``: the width to fit in; None: lines of any length, as in a pipe."""

    columns: int | None = None
    is_coloured: bool = False

    def paint(self, text: str, ink: Ink | None) -> str:
        """``text`` with the colour of ``ink`` around it, where there are colours."""
        return f"\x1b[{ink.value}m{text}\x1b[0m" if self.is_coloured and ink is not None and text else text


def style_of(stream: TextIO | None, environment: Mapping[str, str]) -> Style:
    """The style for a stream: colours on a terminal alone, and none where ``NO_COLOR`` is set (no-color.org).

    None: a stream that is closed.
    """
    if stream is None or not stream.isatty():
        return Style()
    columns = max(shutil.get_terminal_size().columns, NARROWEST)
    return Style(columns, not environment.get("NO_COLOR") and environment.get("TERM") != "dumb")


def class_of(block: Block) -> tuple[str, Ink]:
    """The word and the colour of a block's class."""
    return (block.block_class.value, Ink.GOOD if block.is_good else Ink.BAD)


# How many columns of a terminal a text takes, and text cut or broken to fit.
#
# Widths are those of Unicode's East Asian Width (UAX #11): wide and full-width characters take two columns, marks
# that combine with the character before them none.  Terminals differ on sequences (emoji with joiners, presentation
# selectors); those are measured as the sum of their parts, so that a line may come out shorter than it had to, never
# longer.

ELLIPSIS = "…"

_NO_COLUMN = frozenset({"Mn", "Me", "Cf"})
_TWO_COLUMNS = frozenset({"W", "F"})
#: Vowels and final consonants of Hangul, which the syllable's first consonant has made room for.
_JAMO = ("\u1160", "\u11ff")
#: Makes an emoji, two columns wide, of a symbol; and what is seen, though it is of category Cf: the soft hyphen,
#: signs that span the digits after them.
_ONE_COLUMN = frozenset("\ufe0f\u00ad\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2")

#: What turns the direction of all that comes after it, also of what is not the page's.
_BIDI = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
#: What moves the cursor or starts a command in a terminal.
_CONTROLS = dict.fromkeys((*range(0x20), *range(0x7F, 0xA0), *_BIDI), "\ufffd")
_CONTROLS_BUT_LINES = {code: mark for code, mark in _CONTROLS.items() if chr(code) not in "\n\t"}


def on_one_line(text: str) -> str:
    r"""``text`` with white space collapsed and nothing in it that a terminal obeys.

    >>> on_one_line("a \n b\x1b[2J"), on_one_line("a\u202eb\u2066c")
    ('a b�[2J', 'a�b�c')
    """
    return " ".join(text.split()).translate(_CONTROLS)


def on_lines(text: str) -> str:
    r"""``text`` with its lines, and nothing in it that a terminal obeys.

    >>> on_lines("a\n\tb\x1b[2J")
    'a\n\tb�[2J'
    """
    return text.translate(_CONTROLS_BUT_LINES)


@lru_cache(maxsize=4096)
def _columns(character: str) -> int:
    if character in _ONE_COLUMN:
        return 1
    if unicodedata.category(character) in _NO_COLUMN or _JAMO[0] <= character <= _JAMO[1]:
        return 0
    return 2 if unicodedata.east_asian_width(character) in _TWO_COLUMNS else 1


def width(text: str) -> int:
    """The columns that ``text`` takes.

    >>> width("naïve"), width("nai\u0308ve"), width("茶館")
    (5, 5, 4)
    """
    return len(text) if text.isascii() else sum(map(_columns, text))


def pad(text: str, columns: int) -> str:
    """``text`` with spaces after it, so that it takes so many columns."""
    return text + " " * (columns - width(text))


def cut(text: str, columns: int) -> str:
    """``text``, or as much of it as fits before an ellipsis.

    >>> cut("in the teahouse", 8), cut("在茶館裡", 6)
    ('in the …', '在茶…')
    """
    end = _fitting(text, columns)
    return text if end == len(text) else text[: _fitting(text, columns - 1)] + ELLIPSIS


def wrap(text: str, columns: int, lines: int | None = None) -> list[str]:
    """``text`` in lines, broken at spaces where there are any; what more than so many ``lines`` would take is cut.

    >>> wrap("one stop word in ten", 9), wrap("one stop word in ten", 9, 2), wrap("茶館裡的人", 5)
    (['one stop', 'word in', 'ten'], ['one stop', 'word in …'], ['茶館', '裡的', '人'])
    """
    broken: list[str] = []
    while text:
        end = _fitting(text, columns)
        if end == len(text) or len(broken) + 1 == lines:
            broken.append(cut(text, columns))
            break
        space = text.rfind(" ", 0, end + 1)
        # One character at the least, however narrow the column.
        stop = space if space > 0 else max(end, 1)
        broken.append(text[:stop].rstrip())
        text = text[stop:].lstrip()
    return broken or [""]


def _fitting(text: str, columns: int) -> int:
    """How many of the characters fit."""
    if text[: columns + 1].isascii():
        return max(min(len(text), columns), 0)
    used = 0
    for place, character in enumerate(text):
        used += _columns(character)
        if used > columns:
            return place
    return len(text)


# The blocks of a page, a row each: figures, why, text.
#
# Where there is room, the reason and the text stand side by side, broken into as many lines as the reason takes; in a
# narrow terminal the reason stands below a line of text; in a pipe each block is one line, of which nothing is cut.

_GAP = "  "
_TITLES = ("class", "links", "stops", "chars")
#: In place of ``stops`` where a trained model judged.
_PROBABILITY = "prob."
#: Columns for reason and text together from which they stand side by side, and the reason's share of them.
_ROOMY = 84
_REASON_SHARE = 0.42


class _Layout(NamedTuple):
    """How many columns there are for what."""

    number: int
    reason: int
    """0: the reason stands below the text."""
    text: int | None
    """None: as many as it takes."""


def list_blocks(extraction: Extraction, style: Style) -> str:
    """All blocks of a page with class, figures, reason and text; what was decided of the page; counts."""
    blocks = extraction.blocks
    layout = _layout(blocks, style)
    by_model = any(block.probability is not None for block in blocks)
    lines = [_heading(extraction, style), "", _titles(layout, style, by_model=by_model)]
    for block in blocks:
        lines += _row(block, layout, style, by_model=by_model)
    return "\n".join([*lines, "", count(extraction)])


def count(extraction: Extraction) -> str:
    """How much of a page is good, in words.

    >>> from scrapy_justext import extract
    >>> count(extract("<p>Home<p>About us", language="English"))
    'good: 0 of 2 blocks, 0 of 12 characters'
    """
    blocks = extraction.blocks
    good = sum(block.is_good for block in blocks)
    characters = sum(block.characters for block in blocks)
    return f"good: {good:,} of {len(blocks):,} blocks, {extraction.good_characters:,} of {characters:,} characters"


def show(block: Block) -> str:
    """A block's text for a listing; the address of an image."""
    text = on_one_line(block.text)
    return text if block.image_url is None else f"[image {on_one_line(block.image_url)}] {text}".rstrip()


def _heading(extraction: Extraction, style: Style) -> str:
    title = on_one_line(extraction.title) or "(no title)"
    language = f"{extraction.language} ({extraction.language_source}: {extraction.language_reason})"
    judged = f"profile {extraction.profile}, language {language}"
    if style.columns is not None:
        title = cut(title, style.columns)
        judged = "\n".join(wrap(judged, style.columns))
    return f"{style.paint(title, Ink.TITLE)}\n{judged}"


def _layout(blocks: Sequence[Block], style: Style) -> _Layout:
    number = len(str(len(blocks)))
    reason = max((width(block.reason) for block in blocks), default=0)
    if style.columns is None:
        return _Layout(number, reason, None)
    rest = style.columns - number - sum(len(_GAP) + len(title) for title in _TITLES) - len(_GAP)
    if rest < _ROOMY:
        return _Layout(number, 0, rest)
    reason = min(reason, int(rest * _REASON_SHARE))
    return _Layout(number, reason, rest - reason - len(_GAP))


def _titles(layout: _Layout, style: Style, *, by_model: bool) -> str:
    named, *figures = _TITLES
    figures[1] = _PROBABILITY if by_model else figures[1]
    last = _GAP.join([pad("reason", layout.reason), "text"] if layout.reason else ["text, reason"])
    return style.paint(_GAP.join(["#".rjust(layout.number), named, *figures, last]), Ink.QUIET)


def _row(block: Block, layout: _Layout, style: Style, *, by_model: bool) -> Iterator[str]:
    word, ink = class_of(block)
    named, *titles = map(len, _TITLES)
    figures = _figures(block, by_model=by_model)
    left = _GAP.join(
        [
            str(block.index).rjust(layout.number),
            style.paint(word, ink) + " " * (named - len(word)),
            *(figure.rjust(columns) for figure, columns in zip(figures, titles, strict=True)),
        ]
    )
    below = " " * (layout.number + sum(len(_GAP) + columns for columns in (named, *titles)))
    for place, right in enumerate(_right(block, layout, style)):
        yield f"{below if place else left}{_GAP}{right}".rstrip()


def _figures(block: Block, *, by_model: bool) -> tuple[str, str, str]:
    share = block.probability if by_model else block.stopword_density
    return (f"{block.link_density:.2f}", "–" if share is None else f"{share:.2f}", str(block.characters))


def _right(block: Block, layout: _Layout, style: Style) -> Iterator[str]:
    """The lines of reason and text."""
    text, ink = show(block), None if block.is_good else Ink.QUIET
    reason = on_one_line(block.reason)
    if layout.text is None:
        yield f"{pad(reason, layout.reason)}{_GAP}{text}"
    elif not layout.reason:
        yield style.paint(cut(text, layout.text), ink)
        yield from (style.paint(line, Ink.QUIET) for line in wrap(reason, layout.text))
    else:
        reasons = wrap(reason, layout.reason)
        texts = wrap(text, layout.text, len(reasons))
        for why, what in zip_longest(reasons, texts, fillvalue=""):
            yield f"{style.paint(pad(why, layout.reason), Ink.QUIET)}{_GAP}{style.paint(what, ink)}"


# Two profiles' classes of one page, side by side, text by text.

_GAP_comparison = "  "
DIFFERS = "*"
#: Before the class of a block that began further up.
CONTINUED = "│"
_CLASS = len("good")


class Judgement(NamedTuple):
    """A page as one profile sees it."""

    options: Options
    extraction: Extraction

    @property
    def name(self) -> str:
        """The profile's."""
        return self.options.profile.name

    @property
    def side(self) -> Side:
        """What is to be aligned of it."""
        return Side(self.extraction.blocks, self.options.profile.tags)


def compare(parsed: Parsed, left: Judgement, right: Judgement, style: Style) -> str:
    """Number and class of each text's block in both, marked where one keeps it and the other does not; counts."""
    pairs = align(parsed.root, left.side, right.side)
    names = (left.name, right.name)
    columns = [_columns_comparison(one) for one in (left, right)]
    lines = [_titles_comparison(names, columns, style)]
    for pair in pairs:
        lines.append(_row_comparison(pair, columns, style))
        lines += _reasons(pair, names, columns, style)
    counts = [f"{name}: {count(one.extraction)}" for name, one in zip(names, (left, right), strict=True)]
    differing = sum(pair.differs for pair in pairs)
    if style.columns is not None:
        counts = [line for one in counts for line in wrap(one, style.columns)]
    return "\n".join([*lines, "", *counts, f"{DIFFERS} {differing:,} of {len(pairs):,} texts differ"])


def _columns_comparison(one: Judgement) -> int:
    """How wide a profile's column is."""
    return max(len(one.name), len(str(len(one.extraction.blocks))) + 1 + _CLASS)


def _titles_comparison(names: Sequence[str], columns: Sequence[int], style: Style) -> str:
    cells = [name.ljust(wide) for name, wide in zip(names, columns, strict=True)]
    return style.paint(_GAP_comparison.join([" ", *cells, "text"]), Ink.QUIET)


def _row_comparison(pair: Pair, columns: Sequence[int], style: Style) -> str:
    mark = style.paint(DIFFERS, Ink.DIFFERS) if pair.differs else " "
    cells = [
        _cell(block, wide, style, begins=begins)
        for block, begins, wide in zip((pair.left, pair.right), pair.begins, columns, strict=True)
    ]
    text = show(pair.shown)
    if style.columns is not None:
        text = cut(text, _room(columns, style.columns))
    is_kept = any(block is not None and block.is_good for block in (pair.left, pair.right))
    return _GAP_comparison.join([mark, *cells, style.paint(text, None if is_kept else Ink.QUIET)]).rstrip()


def _cell(block: Block | None, wide: int, style: Style, *, begins: bool) -> str:
    if block is None:
        return " " * wide
    word, ink = class_of(block)
    number = str(block.index) if begins else CONTINUED
    return number.rjust(wide - _CLASS - 1) + " " + style.paint(word, ink) + " " * (_CLASS - len(word))


def _reasons(pair: Pair, names: Sequence[str], columns: Sequence[int], style: Style) -> Iterator[str]:
    """Why the classes differ, where they do."""
    margin = " " * (1 + sum(columns) + 3 * len(_GAP_comparison))
    blocks = (pair.left, pair.right) if pair.differs else ()
    for name, block in zip(names, blocks, strict=False):
        reason = "not there: its elements are removed" if block is None else on_one_line(block.reason)
        line = f"{name}: {reason}"
        broken = [line] if style.columns is None else wrap(line, _room(columns, style.columns))
        yield from (margin + style.paint(one, Ink.QUIET) for one in broken)


def _room(columns: Sequence[int], width: int) -> int:
    """The columns that are left for the text."""
    return width - 1 - sum(columns) - 3 * len(_GAP_comparison)


# What can be printed of a page, by the names of the options.


class Looked(NamedTuple):
    """A page with what became of it.  ``others``: the options to compare with, if any."""

    page: Inspected
    options: Options
    extraction: Extraction
    others: Options | None = None


def _text(looked: Looked, style: Style) -> str:
    return _for(style, looked.extraction.text)


def _markdown(looked: Looked, style: Style) -> str:
    return _for(style, looked.extraction.markdown)


def _for(style: Style, text: str) -> str:
    """A text as it is for a file or a pipe, and as a terminal can bear it."""
    return text if style.columns is None else on_lines(text)


def _json(looked: Looked, _: Style) -> str:
    return json.dumps(looked.extraction.to_dict(), ensure_ascii=False)


def _blocks(looked: Looked, style: Style) -> str:
    return list_blocks(looked.extraction, style)


def _compared(looked: Looked, style: Style) -> str:
    assert looked.others is not None
    first = Judgement(looked.options, looked.extraction)
    second = Judgement(looked.others, looked.page.extract(looked.others))
    return compare(looked.page.parsed, first, second, style)


DEFAULT_FORMAT = "text"
FORMATS: Mapping[str, Callable[[Looked, Style], str]] = {
    DEFAULT_FORMAT: _text,
    "blocks": _blocks,
    "compare": _compared,
    "json": _json,
    "markdown": _markdown,
}
