"""Tables of figures: one type for a terminal, for Markdown and for HTML.

A table is made of columns, each with cells by the names of the rows.  The highest figure of a column stands out.
Figures are compared as they are written: those that look the same are marked the same.  A single figure is not the
highest of any.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.evaluation.kinds import INVENTED

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from scrapy_justext.evaluation.scoring import ExtractorRow

#: Stands for a value that is not defined.
UNDEFINED = "–"
_GAP = "  "


class Cell(NamedTuple):
    """A figure, and a quieter note beside it; a ``strong`` figure stands out."""

    text: str
    aside: str = ""
    strong: bool = False


class TableLine(NamedTuple):
    """A row of a table: what it is about, and its cells."""

    head: Cell
    cells: tuple[Cell, ...]


class Column(NamedTuple):
    """A column of a table: its cells by the names of rows; a row without one has no figure there."""

    head: str
    cells: Mapping[str, Cell]
    group: str = ""
    """A title over several columns."""
    is_compared: bool = False
    """Whether the highest figure stands out."""


class ReportTable(NamedTuple):
    """A table; ``corner``: what the rows are about."""

    caption: str
    corner: str
    heads: tuple[str, ...]
    lines: tuple[TableLine, ...]
    groups: Mapping[str, int] = {}
    """Titles over several columns, and over how many; they cover all columns but the first, or there are none."""
    stacked: bool = False
    """Whether what stands beside figures goes below them, where there are many columns."""

    @property
    def full_heads(self) -> list[str]:
        """The heads, each with the title of its group."""
        titles = [f"{title}, " for title, span in self.groups.items() for _ in range(span)] or [""] * len(self.heads)
        return [f"{title}{head}" for title, head in zip(titles, self.heads, strict=True)]

    def as_text(self, *, with_asides: bool = True, longest_head: int | None = None) -> str:
        """Set the table for a terminal; heads of rows that are longer than ``longest_head`` are cut."""
        lines = [(self.corner, *self.heads)]
        for (head, *_), cells in self.lines:
            shown = head if longest_head is None or len(head) <= longest_head else f"{head[: longest_head - 1]}…"
            parts = ((cell.text, cell.aside if with_asides else "") for cell in cells)
            lines.append((shown, *(" ".join(filter(None, texts)) for texts in parts)))
        return format_columns(lines, right=range(1, len(lines[0])))


def make_table(
    caption: str, heads: Iterable[Cell], columns: Sequence[Column], corner: str = "Extractor", *, stacked: bool = False
) -> ReportTable:
    """Return a table with a line for each head, whose text is the row's name."""
    cells = [_mark_highest(column.cells) if column.is_compared else column.cells for column in columns]
    lines = tuple(TableLine(head, tuple(found.get(head.text, Cell(UNDEFINED)) for found in cells)) for head in heads)
    groups = Counter(column.group for column in columns if column.group)
    return ReportTable(caption, corner, tuple(column.head for column in columns), lines, groups, stacked)


def _mark_highest(cells: Mapping[str, Cell]) -> Mapping[str, Cell]:
    texts = [cell.text for cell in cells.values() if cell.text != UNDEFINED]
    highest = max(texts) if len(texts) > 1 else None
    return {name: cell._replace(strong=cell.text == highest) for name, cell in cells.items()}


def format_columns(lines: Sequence[Sequence[str]], right: Collection[int] = ()) -> str:
    """Set cells in columns, each as wide as its widest cell; those numbered in ``right`` set to the right.

    >>> print(format_columns([("a", "1"), ("bcd", "10")], right=[1]))
    a     1
    bcd  10
    """
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        _GAP.join(
            cell.rjust(width) if number in right else cell.ljust(width)
            for number, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def format_figure(value: float | None, digits: int = 4) -> str:
    """Write a figure with so many digits after the point.

    >>> format_figure(0.91304), format_figure(None)
    ('0.9130', '–')
    """
    return UNDEFINED if value is None else f"{value:.{digits}f}"


def count_cell(count: int) -> Cell:
    """Return the cell of a number of pages.  Zeros are quiet, so that the others are seen."""
    return Cell(f"{count:,}") if count else Cell("", "0")


# The tables that a run ends with.

#: Titles, with fields of rows and how these are written.
_SUMMARY = {
    "version": ("version", ""),
    "precision": ("precision", ".4f"),
    "recall": ("recall", ".4f"),
    "F1": ("f1", ".4f"),
    "sd": ("f1_sd", ".4f"),
    "pages": ("documents", "d"),
    "failed": ("failed", "d"),
    "empty": ("empty", "d"),
    "ms/page": ("milliseconds", ".1f"),
}
#: What is left out where a terminal is narrow, the first first.
_LEAST = ("version", "empty", "pages", "sd", "ms/page", "failed", "precision", "recall")
#: Names are cut to this many characters before a column is left out.
_SHORTEST_NAME = 16


def format_summary(rows: Sequence[ExtractorRow], width: int) -> str:
    """Set rows of a summary in at most ``width`` characters; leave out columns for that, but not names and F1."""
    columns = []
    for title, (field, form) in _SUMMARY.items():
        values = {row.extractor: getattr(row, field) for row in rows}
        columns.append(Column(title, {name: Cell(format(v, form)) for name, v in values.items() if v is not None}))
    for left_out in range(len(_LEAST) + 1):
        shown = [column for column in columns if column.head not in _LEAST[:left_out]]
        table = make_table("", [Cell(row.extractor) for row in rows], shown, "extractor")
        room = width - max(map(len, table.as_text(longest_head=_SHORTEST_NAME).split("\n")))
        if room >= 0:
            break
    return table.as_text(longest_head=_SHORTEST_NAME + max(room, 0))


def kind_columns(
    by_measure: Mapping[str, Sequence[ExtractorRow]], digits: int, interval_digits: int
) -> tuple[list[Column], list[Column]]:
    """Return the columns of how much of each kind is kept, and of how many pages have what was invented.

    ``by_measure``: rows by the measures over Markdown.  Titles have the numbers of pages that count.
    """

    def similarity(row: ExtractorRow) -> Cell:
        ends = [format_figure(end, interval_digits) for end in (row.f1_low, row.f1_high) if end is not None]
        return Cell(format_figure(row.f1, digits), "–".join(ends))

    kept = []
    for measure, rows in by_measure.items():
        head = f"{measure} ({max(row.relevant for row in rows):,})"
        kept.append(
            Column(head, {row.extractor: similarity(row) for row in rows}, "Similarity (pages)", is_compared=True)
        )
    invented = [
        Column(measure, {row.extractor: count_cell(row.relevant_empty) for row in by_measure[measure]}, "Invented")
        for measure in INVENTED
        if measure in by_measure
    ]
    return kept, invented


def format_kinds(rows: Sequence[ExtractorRow], width: int) -> str:
    """Set the similarities by the measures over Markdown beside one another, with intervals where there is room.

    Below stands what was invented: of how many pages an extractor gave code, for one, where the gold standard has none.
    """
    by_measure: dict[str, list[ExtractorRow]] = {}
    for row in rows:
        by_measure.setdefault(row.measure, []).append(row)
    heads = [Cell(name) for name in dict.fromkeys(row.extractor for row in rows)]
    kept, invented = (make_table("", heads, columns, "extractor") for columns in kind_columns(by_measure, 2, 2))
    shares = kept.as_text()
    if max(map(len, shares.split("\n"))) > width:
        shares = kept.as_text(with_asides=False)
    too_large = sum(row.too_large for row in rows)
    note = f"\n\nTables too large for TEDS, compared as text: {too_large} of all pages and extractors"
    counts = f"Pages that have it, without any in the gold standard\n{invented.as_text()}"
    return f"{shares}\n\n{counts}{note if too_large else ''}"
