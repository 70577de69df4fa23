"""The blocks of a page, a row each: figures, why, text.

Where there is room, the reason and the text stand side by side, broken into as many lines as the reason takes; in a
narrow terminal the reason stands below a line of text; in a pipe each block is one line, of which nothing is cut.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.inspection.terminal.style import Ink, class_of
from scrapy_justext.inspection.terminal.width import cut, on_one_line, pad, width, wrap

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_justext.core.blocks import Block
    from scrapy_justext.extraction import Extraction
    from scrapy_justext.inspection.terminal.style import Style

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
