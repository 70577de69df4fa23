"""Two profiles' classes of one page, side by side, text by text."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.inspection.alignment import Pair, Side, align
from scrapy_justext.inspection.terminal.listing import count, show
from scrapy_justext.inspection.terminal.style import Ink, class_of
from scrapy_justext.inspection.terminal.width import cut, on_one_line, wrap

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_justext.core.blocks import Block
    from scrapy_justext.core.parsing import Parsed
    from scrapy_justext.extraction import Extraction
    from scrapy_justext.inspection.terminal.style import Style
    from scrapy_justext.options import Options

_GAP = "  "
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
    columns = [_columns(one) for one in (left, right)]
    lines = [_titles(names, columns, style)]
    for pair in pairs:
        lines.append(_row(pair, columns, style))
        lines += _reasons(pair, names, columns, style)
    counts = [f"{name}: {count(one.extraction)}" for name, one in zip(names, (left, right), strict=True)]
    differing = sum(pair.differs for pair in pairs)
    if style.columns is not None:
        counts = [line for one in counts for line in wrap(one, style.columns)]
    return "\n".join([*lines, "", *counts, f"{DIFFERS} {differing:,} of {len(pairs):,} texts differ"])


def _columns(one: Judgement) -> int:
    """How wide a profile's column is."""
    return max(len(one.name), len(str(len(one.extraction.blocks))) + 1 + _CLASS)


def _titles(names: Sequence[str], columns: Sequence[int], style: Style) -> str:
    cells = [name.ljust(wide) for name, wide in zip(names, columns, strict=True)]
    return style.paint(_GAP.join([" ", *cells, "text"]), Ink.QUIET)


def _row(pair: Pair, columns: Sequence[int], style: Style) -> str:
    mark = style.paint(DIFFERS, Ink.DIFFERS) if pair.differs else " "
    cells = [
        _cell(block, wide, style, begins=begins)
        for block, begins, wide in zip((pair.left, pair.right), pair.begins, columns, strict=True)
    ]
    text = show(pair.shown)
    if style.columns is not None:
        text = cut(text, _room(columns, style.columns))
    is_kept = any(block is not None and block.is_good for block in (pair.left, pair.right))
    return _GAP.join([mark, *cells, style.paint(text, None if is_kept else Ink.QUIET)]).rstrip()


def _cell(block: Block | None, wide: int, style: Style, *, begins: bool) -> str:
    if block is None:
        return " " * wide
    word, ink = class_of(block)
    number = str(block.index) if begins else CONTINUED
    return number.rjust(wide - _CLASS - 1) + " " + style.paint(word, ink) + " " * (_CLASS - len(word))


def _reasons(pair: Pair, names: Sequence[str], columns: Sequence[int], style: Style) -> Iterator[str]:
    """Why the classes differ, where they do."""
    margin = " " * (1 + sum(columns) + 3 * len(_GAP))
    blocks = (pair.left, pair.right) if pair.differs else ()
    for name, block in zip(names, blocks, strict=False):
        reason = "not there: its elements are removed" if block is None else on_one_line(block.reason)
        line = f"{name}: {reason}"
        broken = [line] if style.columns is None else wrap(line, _room(columns, style.columns))
        yield from (margin + style.paint(one, Ink.QUIET) for one in broken)


def _room(columns: Sequence[int], width: int) -> int:
    """The columns that are left for the text."""
    return width - 1 - sum(columns) - 3 * len(_GAP)
