"""What the command prints, on a terminal or into a pipe.

On a terminal, lines fit its width, classes are coloured, and nothing of a page is obeyed: control characters, and those
that turn the direction of the text, are replaced.  In a pipe, each block is one uncut line without colours.  Widths are
those that wcwidth gives (Unicode's East Asian Width; combining marks take no column).

Standard output and standard error may be closed, full, or read by nobody any more.
"""

from __future__ import annotations

import json
import shutil
import sys
from bisect import bisect_right
from io import TextIOWrapper
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple, TextIO

import wcwidth
from wcwidth import clip, ljust, width

from scrapy_justext.core.corpora import CORPUS_FORMATS, CorpusPage
from scrapy_justext.core.tags import CODE, TABLE
from scrapy_justext.crawl.commands import discard_rest, in_json, on_lines, on_one_line
from scrapy_justext.crawl.pages import is_good
from scrapy_justext.exceptions import InspectionError
from scrapy_justext.inspection.pages import describe_page, describe_removed, texts_in

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from scrapy_justext.core.extraction import Block, Extraction
    from scrapy_justext.inspection.pages import Inspection

STANDARD_OUTPUT = "standard output"

#: No listing can be read below this many columns, whatever the terminal says.
NARROWEST = 48

ELLIPSIS = "…"
_GAP = "  "
_CLASS_COLUMNS = len("good")

#: The titles of a listing's columns before reason and text; the third is another where a trained model judges.
_TITLES = ("class", "links", "stops", "chars")
_PROBABILITY = "prob."
_KIND, _ROLE = "kind", "role"
#: Reason and text stand side by side from this many columns for both on, of which the reason gets a share.
_SIDE_BY_SIDE = 73
_REASON_SHARE = 0.42

#: Lines of code, or rows of a table, that are listed at the most where lines have to fit.
_MOST_LINES = 6
#: What stands between the lines of code on one line, and between the cells of a table.
_LINE_END, _CELL_END = " ⏎ ", " │ "

#: Marks a text that one profile keeps and the other does not.
DIFFERS = "*"
#: Stands in place of the number of a block that began further up.
CONTINUED = "│"


def write(text: str, encoding: str | None = None) -> None:
    """Print a text, whatever the encoding of standard output lacks; quietly when nobody reads any more.

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
        discard_rest(sys.stdout)
    except OSError as error:
        discard_rest(sys.stdout)
        raise InspectionError(STANDARD_OUTPUT, f"cannot be written: {error.strerror}") from error


#: The parameters of the terminal's SGR sequence for each kind of output.
_GOOD, _BAD, _QUIET, _TITLE, _DIFFERING = "1;32", "31", "2", "1", "1;33"


class Style(NamedTuple):
    """How output looks.  ``columns``: the width to fit in; None: lines of any length, as in a pipe."""

    columns: int | None = None
    is_coloured: bool = False

    def paint(self, text: str, colour: str | None) -> str:
        """Return ``text`` in a colour, where there are colours."""
        return f"\x1b[{colour}m{text}\x1b[0m" if self.is_coloured and colour is not None and text else text

    def cut(self, text: str, columns: int) -> str:
        """Return ``text``, cut to some columns where output has to fit."""
        return text if self.columns is None else cut(text, columns)

    def wrap(self, text: str, columns: int) -> list[str]:
        """Return ``text`` in lines of some columns where output has to fit, else as one line."""
        return [text] if self.columns is None else wrap(text, columns)


def style_of(stream: TextIO | None, environment: Mapping[str, str]) -> Style:
    """Return the style for a stream: colours on a terminal alone, and none where ``NO_COLOR`` is set (no-color.org).

    None: a stream that is closed.
    """
    if stream is None or not stream.isatty():
        return Style()
    columns = max(shutil.get_terminal_size().columns, NARROWEST)
    return Style(columns, not environment.get("NO_COLOR") and environment.get("TERM") != "dumb")


def show(inspection: Inspection, part: str, style: Style) -> str:
    """Return the ``text`` of a page, its ``markdown`` or ``html``, a page of a corpus, or, as ``json``, all of it."""
    extraction = inspection.extraction
    if part == "json":
        return in_json(json.dumps(extraction.to_dict(), ensure_ascii=False))
    if part in CORPUS_FORMATS:
        corpus = CORPUS_FORMATS[part]
        page = CorpusPage.of(extraction, which=inspection.page.configuration.blocks)
        text = (corpus.begin.encode() + corpus.write(page) + corpus.end.encode()).decode().rstrip("\n")
    else:
        text = getattr(extraction, part)
    return text if style.columns is None else on_lines(text)


def list_blocks(inspection: Inspection, style: Style, kinds: Collection[str] = ()) -> str:
    """List the blocks of a page with class, kind, role, measurements, reason, text, below what was decided of the page.

    The last lines count the good blocks, and the removed text, which made no blocks.  A page that no crawl would clean
    has a reason instead.  ``kinds``: those of the blocks to list; all if empty.
    """
    extraction = inspection.extraction
    blocks = [block for block in extraction.blocks if not kinds or block.kind in kinds]
    layout = _layout(blocks, style)
    notes = [line for note in inspection.notes for line in style.wrap(on_one_line(note), style.columns or 0)]
    if inspection.page.problem is not None:
        name = style.cut(on_one_line(inspection.page.name), style.columns or 0)
        return "\n".join([style.paint(name, _TITLE), *notes])
    lines = [_heading(extraction, style), *notes, "", _titles(layout, style)]
    for block in blocks:
        lines += _row(block, layout, style)
    removed = describe_removed(inspection)
    lines += ["", *([f"{', '.join(kinds)}: {count(blocks)}"] if kinds else ()), count(extraction.blocks)]
    lines += style.wrap(removed, style.columns or 0) if removed else ()
    return "\n".join(lines)


def count(blocks: Sequence[Block]) -> str:
    """Tell how much of some blocks is good.

    >>> from scrapy_justext import extract
    >>> count(extract("<p>Home<p>About us", language="English").blocks)
    'good: 0 of 2 blocks, 0 of 12 characters'
    """
    good = [block.characters for block in blocks if block.is_good]
    characters = sum(block.characters for block in blocks)
    return f"good: {len(good):,} of {len(blocks):,} blocks, {sum(good):,} of {characters:,} characters"


class _Layout(NamedTuple):
    """The columns of a listing: those of the number, of kind, role and reason, of the text.

    Kind, role and reason are 0 where they stand below the text.  ``text``: None for as many as it takes; ``by_model``:
    whether a probability stands in place of the stop words, and blocks have roles.
    """

    number: int
    kind: int
    role: int
    reason: int
    text: int | None
    by_model: bool


def _layout(blocks: Sequence[Block], style: Style) -> _Layout:
    by_model = any(block.probability is not None for block in blocks)
    number = len(str(blocks[-1].index + 1)) if blocks else 1
    reason = max((width(block.reason) for block in blocks), default=0)
    kind = max(len(_KIND), *(len(block.kind) for block in blocks), 0)
    role = max(len(_ROLE), *(len(block.role or "") for block in blocks), 0) if by_model else 0
    if style.columns is None:
        return _Layout(number, kind, role, reason, None, by_model)
    rest = style.columns - number - sum(len(_GAP) + len(title) for title in _TITLES) - len(_GAP)
    beside = rest - sum(len(_GAP) + columns for columns in (kind, role) if columns)
    if beside < _SIDE_BY_SIDE:
        return _Layout(number, 0, 0, 0, rest, by_model)
    reason = min(reason, int(beside * _REASON_SHARE))
    return _Layout(number, kind, role, reason, beside - reason - len(_GAP), by_model)


def _heading(extraction: Extraction, style: Style) -> str:
    title = on_one_line(extraction.title) or "(no title)"
    # The reason of a language that was given is the same word.
    why = ": ".join(dict.fromkeys([extraction.language_source, extraction.language_reason]))
    judged = f"profile {extraction.profile}, language {extraction.language} ({why})"
    columns = style.columns or 0
    notes = [line for words in (judged, describe_page(extraction)) if words for line in style.wrap(words, columns)]
    return "\n".join([style.paint(style.cut(title, columns), _TITLE), *notes])


def _titles(layout: _Layout, style: Style) -> str:
    named, links, stops, characters = _TITLES
    measured = [links, _PROBABILITY if layout.by_model else stops, characters]
    titles = ["#".rjust(layout.number), named, *_cells_of(_KIND, _ROLE, layout), *measured]
    titles += [ljust("reason", layout.reason), "text"] if layout.kind else ["text, reason"]
    return style.paint(_GAP.join(titles), _QUIET)


def _row(block: Block, layout: _Layout, style: Style) -> Iterator[str]:
    """Yield the lines of a block."""
    share = block.probability if layout.by_model else block.stopword_density
    values = (f"{block.link_density:.2f}", "–" if share is None else f"{share:.2f}", str(block.characters))
    cells = [
        str(block.index).rjust(layout.number),
        _class_cell(block, len(_TITLES[0]), style),
        *_cells_of(block.kind, block.role or "", layout),
        *(value.rjust(len(title)) for value, title in zip(values, _TITLES[1:], strict=True)),
    ]
    titles = (*_cells_of("", "", layout), *_TITLES)
    below = " " * (layout.number + sum(len(_GAP) + len(title) for title in titles))
    for number, line in enumerate(_reason_and_text(block, layout, style)):
        yield f"{below if number else _GAP.join(cells)}{_GAP}{line}".rstrip()


def _cells_of(kind: str, role: str, layout: _Layout) -> list[str]:
    """Return the cells of kind and role, in layouts that have columns for them."""
    return [text.ljust(columns) for text, columns in ((kind, layout.kind), (role, layout.role)) if columns]


def _reason_and_text(block: Block, layout: _Layout, style: Style) -> Iterator[str]:
    colour = None if block.is_good else _QUIET
    reason = on_one_line(block.reason)
    if layout.text is None:
        yield f"{ljust(reason, layout.reason)}{_GAP}{_listed_text(block)}"
    elif not layout.kind:
        yield from (style.paint(line, colour) for line in _fitting_text(block, layout.text, 1))
        reason = reason if reason.startswith(block.kind) else f"{block.kind}: {reason}"
        reason = reason if block.role is None else f"{block.role}, {reason}"
        yield from (style.paint(line, _QUIET) for line in wrap(reason, layout.text))
    else:
        reasons = wrap(reason, layout.reason)
        texts = _fitting_text(block, layout.text, len(reasons))
        for left, right in zip_longest(reasons, texts, fillvalue=""):
            yield f"{style.paint(ljust(left, layout.reason), _QUIET)}{_GAP}{style.paint(right, colour)}"


def _fitting_text(block: Block, columns: int, lines: int) -> list[str]:
    """Return the beginning of a block's text in some lines; code and tables keep their own lines."""
    own = _own_lines(block)
    if len(own) == 1:
        return wrap(_listed_text(block), columns, lines)
    more = len(own) - _MOST_LINES
    return [cut(line, columns) for line in [*own[:_MOST_LINES], *([f"{ELLIPSIS} {more:,} more"] if more > 0 else ())]]


def _own_lines(block: Block) -> list[str]:
    """Return the lines of code or the rows of a table; the text of another block on one line."""
    if block.kind not in (CODE, TABLE):
        return [on_one_line(block.text)]
    lines = on_lines(block.text).split("\n")
    return [line.expandtabs(4) if block.kind == CODE else line.replace("\t", _CELL_END) for line in lines]


def _listed_text(block: Block) -> str:
    """Return the text of a block on one line, with the address of an image before it."""
    text = _LINE_END.join(_own_lines(block))
    return text if block.image_url is None else f"[image {on_one_line(block.image_url)}] {text}".rstrip()


def _class_cell(block: Block, columns: int, style: Style) -> str:
    word = block.block_class.value
    return style.paint(word, _GOOD if block.is_good else _BAD) + " " * (columns - len(word))


# Two profiles cut a page at different elements and remove different ones, so neither the blocks nor their texts
# correspond.  Positions in the page do: those of its texts in document order.  Time and memory are linear in the size
# of the page.

#: Where a text stands: before the first child of a node, or behind the node, where those inside come first; then its
#: part, where formulas part it.
TextPlace = tuple[int, int, int, int]


class AlignedBlocks(NamedTuple):
    """A stretch of the page, and the block of each profile that holds it; None where a profile has removed it."""

    left: Block | None
    right: Block | None
    begins: tuple[bool, bool]
    """Whether the blocks begin here; otherwise they began further up."""

    @property
    def differs(self) -> bool:
        """Whether one profile keeps the text and the other does not."""
        is_kept = [block is not None and block.is_good for block in (self.left, self.right)]
        return is_kept[0] is not is_kept[1]

    @property
    def shown(self) -> Block:
        """The block whose text is shown here: the one that begins here, or the shorter of two."""
        blocks = (self.left, self.right)
        here = [block for block, begins in zip(blocks, self.begins, strict=True) if begins and block is not None]
        return min(here, key=lambda block: block.characters)


def align(left: Inspection, right: Inspection) -> list[AlignedBlocks]:
    """Align the blocks of a page that was judged twice; each block of both begins in exactly one row.

    Rows are in document order.  Blocks out of the page's scripts come last.
    """
    (left_begun, left_at), (right_begun, right_at) = map(_blocks_by_position, (left, right))
    rows = [
        AlignedBlocks(left_at(position), right_at(position), (position in left_begun, position in right_begun))
        for position in sorted(left_begun | right_begun)
    ]
    pairs = zip_longest(*(side.extraction.blocks[len(side.judged.page.segments) :] for side in (left, right)))
    return rows + [AlignedBlocks(first, second, (first is not None, second is not None)) for first, second in pairs]


def _blocks_by_position(inspection: Inspection) -> tuple[set[TextPlace], Callable[[TextPlace], Block | None]]:
    """Return the positions where blocks begin, and a function that returns the block that holds the text at one."""
    begun: set[TextPlace] = set()
    blocks: dict[TextPlace, Block] = {}
    flow = inspection.flow
    of_blocks = iter(()) if flow is None else texts_in(flow, inspection.judged.page.segments)
    for texts, block in zip(of_blocks, inspection.extraction.blocks, strict=False):
        assert flow is not None
        positions = [(node, 1, 0, part) if node >= 0 else (flow.page.end[~node], 0, node, part) for node, part in texts]
        begun.add(positions[0])
        blocks |= dict.fromkeys(positions, block)
    places = sorted(blocks)

    def block_at(position: TextPlace) -> Block | None:
        last = bisect_right(places, position) - 1
        # A part of a text may be all of it here.
        is_here = last >= 0 and places[last][:3] == position[:3]
        return blocks[places[last]] if is_here else None

    return begun, block_at


def compare(left: Inspection, right: Inspection, style: Style) -> str:
    """List the number and the class of each text's block by two profiles, with the reasons where they differ.

    If no crawl would clean the page by one of them, only the reason is shown.
    """
    sums = []
    for side in (left, right):
        outcome = count(side.extraction.blocks) if side.page.problem is None else on_one_line(side.notes[0])
        sums += style.wrap(f"{side.extraction.profile}: {outcome}", style.columns or 0)
    if any(side.page.problem is not None for side in (left, right)):
        return "\n".join(sums)
    extractions = (left.extraction, right.extraction)
    rows = align(left, right)
    columns = [
        max(len(extraction.profile), len(str(len(extraction.blocks))) + 1 + _CLASS_COLUMNS)
        for extraction in extractions
    ]
    names = [extraction.profile for extraction in extractions]
    titles = [name.ljust(wide) for name, wide in zip(names, columns, strict=True)]
    lines = [style.paint(_GAP.join([" ", *titles, "text"]), _QUIET)]
    for row in rows:
        lines += _aligned_lines(row, names, columns, style)
    differing = sum(row.differs for row in rows)
    return "\n".join([*lines, "", *sums, f"{DIFFERS} {differing:,} of {len(rows):,} texts differ"])


def compare_all(pages: Sequence[Sequence[Inspection]]) -> str:
    """Return what two profiles made of several pages together."""
    lines = [f"{len(pages)} pages"]
    for sides in zip(*pages, strict=True):
        empty = sum(not is_good(side.extraction, side.page.configuration) for side in sides)
        good = sum(side.extraction.good_characters for side in sides)
        profile = sides[0].extractor.options.profile.name
        lines.append(f"{profile}: {empty:,} without good content; {good:,} good characters")
    return "\n".join(lines)


def _aligned_lines(row: AlignedBlocks, names: Sequence[str], columns: Sequence[int], style: Style) -> Iterator[str]:
    """Yield the line of a text, and below it the reasons of the profiles where they differ."""
    margin = len(DIFFERS) + sum(columns) + 3 * len(_GAP)
    text_columns = (style.columns or 0) - margin
    mark = style.paint(DIFFERS, _DIFFERING) if row.differs else " "
    blocks = (row.left, row.right)
    cells = [
        _aligned_cell(block, wide, style, begins=begins)
        for block, begins, wide in zip(blocks, row.begins, columns, strict=True)
    ]
    text = style.cut(_listed_text(row.shown), text_columns)
    is_kept = any(block is not None and block.is_good for block in blocks)
    yield _GAP.join([mark, *cells, style.paint(text, None if is_kept else _QUIET)]).rstrip()
    for name, block in zip(names, blocks, strict=True) if row.differs else ():
        reason = "not there: its elements are removed" if block is None else on_one_line(block.reason)
        for line in style.wrap(f"{name}: {reason}", text_columns):
            yield " " * margin + style.paint(line, _QUIET)


def _aligned_cell(block: Block | None, columns: int, style: Style, *, begins: bool) -> str:
    if block is None:
        return " " * columns
    number = str(block.index) if begins else CONTINUED
    return f"{number.rjust(columns - _CLASS_COLUMNS - 1)} {_class_cell(block, _CLASS_COLUMNS, style)}"


def cut(text: str, columns: int) -> str:
    """Return ``text``, or as much of it as fits before an ellipsis.

    >>> cut("in the teahouse", 8), cut("在茶館裡", 6)
    ('in the …', '在茶…')
    """
    return text if _beginning(text, columns) == text else _beginning(text, columns - 1) + ELLIPSIS


def wrap(text: str, columns: int, lines: int | None = None) -> list[str]:
    """Return ``text`` in lines, broken at spaces where there are any, and cut after some ``lines``.

    >>> wrap("one stop word in ten", 9), wrap("one stop word in ten", 9, 2), wrap("茶館裡的人", 5)
    (['one stop', 'word in', 'ten'], ['one stop', 'word in …'], ['茶館', '裡的', '人'])
    """
    if lines is not None:
        # The rest would take long to be broken; with a little of it, a text is seen to be cut.
        text = _beginning(text, columns * lines + 2)
    return wcwidth.wrap(text, columns, max_lines=lines, placeholder=f" {ELLIPSIS}", break_on_hyphens=False) or [""]


def _beginning(text: str, columns: int) -> str:
    """Return as much of ``text`` as fits, not half of a wide character."""
    return clip(text, 0, max(columns, 0), fillchar="")
