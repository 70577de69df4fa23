"""Tables of figures: one type for a terminal, for Markdown and for HTML.

A table is made of its rows and of columns, each of which shows a cell of a row.  The highest figure of a column stands
out.  Figures are compared as they are written: those that look the same are marked the same.  A single figure is not
the highest of any.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from scrapy_justext.evaluation.kinds import INVENTED

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from scrapy_justext.evaluation.scoring import ExtractorRow

Row = TypeVar("Row")

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


@dataclass(frozen=True, slots=True)
class Column(Generic[Row]):
    """A column of a table; ``group``: a title over several columns; ``is_compared``: whether its highest stands out."""

    head: str
    show: Callable[[Row], Cell]
    group: str = ""
    is_compared: bool = False


class Table(NamedTuple):
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
    caption: str,
    rows: Iterable[Row],
    head: Callable[[Row], Cell],
    columns: Sequence[Column[Row]],
    corner: str = "Extractor",
    *,
    stacked: bool = False,
) -> Table:
    """Return a table with a line for each row; ``head``: what stands in front of it."""
    rows = [*rows]
    cells = [_compare([*map(column.show, rows)], is_compared=column.is_compared) for column in columns]
    lines = tuple(TableLine(head(row), tuple(column[number] for column in cells)) for number, row in enumerate(rows))
    groups = Counter(column.group for column in columns if column.group)
    return Table(caption, corner, tuple(column.head for column in columns), lines, groups, stacked)


def _compare(cells: Sequence[Cell], *, is_compared: bool) -> Sequence[Cell]:
    """Let the highest of some figures from 0 to 1 stand out."""
    texts = [cell.text for cell in cells if cell.text != UNDEFINED]
    if not is_compared or len(texts) < 2:
        return cells
    return [cell._replace(strong=cell.text == max(texts)) for cell in cells]


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


def count_cell(count: int | None) -> Cell:
    """Return the cell of a number of pages.  Zeros are quiet, so that the others are seen."""
    return Cell(f"{count:,}") if count else Cell("", UNDEFINED if count is None else "0")


# The tables that a run ends with.


def _of_field(head: str, field: str, digits: int = 4) -> Column[ExtractorRow]:
    return Column(head, lambda row: Cell(format_figure(getattr(row, field), digits)))


_SUMMARY: tuple[Column[ExtractorRow], ...] = (
    Column("version", lambda row: Cell(row.version)),
    _of_field("precision", "precision"),
    _of_field("recall", "recall"),
    _of_field("F1", "f1"),
    _of_field("sd", "f1_sd"),
    _of_field("pages", "documents", 0),
    _of_field("failed", "failed", 0),
    _of_field("empty", "empty", 0),
    _of_field("ms/page", "milliseconds", 1),
)
#: What is left out where a terminal is narrow, the first first.
_LEAST = ("version", "empty", "pages", "sd", "ms/page", "failed", "precision", "recall")
#: Names are cut to this many characters before a column is left out.
_SHORTEST_NAME = 16


def format_summary(rows: Sequence[ExtractorRow], width: int) -> str:
    """Set rows of a summary in at most ``width`` characters; leave out columns for that, but not names and F1."""
    for left_out in range(len(_LEAST) + 1):
        columns = [column for column in _SUMMARY if column.head not in _LEAST[:left_out]]
        table = make_table("", rows, lambda row: Cell(row.extractor), columns, "extractor")
        lines = table.as_text(longest_head=_SHORTEST_NAME).split("\n")
        room = width - max(map(len, lines))
        if room >= 0:
            break
    return table.as_text(longest_head=_SHORTEST_NAME + max(room, 0))


def kind_columns(
    by_measure: Mapping[str, Mapping[str, ExtractorRow]], digits: int, interval_digits: int
) -> tuple[list[Column[str]], list[Column[str]]]:
    """Return the columns of how much of each kind is kept, and of how many pages have what was invented.

    ``by_measure``: rows by the measures over Markdown and the names of extractors.  Titles have the numbers of pages
    that count.
    """

    def similarity(rows: Mapping[str, ExtractorRow]) -> Callable[[str], Cell]:
        return lambda name: _interval_cell(rows.get(name), digits, interval_digits)

    def count(rows: Mapping[str, ExtractorRow]) -> Callable[[str], Cell]:
        return lambda name: count_cell(rows[name].relevant_empty if name in rows else None)

    pages = {measure: max(row.relevant for row in rows.values()) for measure, rows in by_measure.items()}
    kept = [
        Column(f"{measure} ({pages[measure]:,})", similarity(rows), "Similarity (pages)", is_compared=True)
        for measure, rows in by_measure.items()
    ]
    invented = [
        Column(measure, count(by_measure[measure]), "Invented") for measure in INVENTED if measure in by_measure
    ]
    return kept, invented


def _interval_cell(row: ExtractorRow | None, digits: int, interval_digits: int) -> Cell:
    if row is None or row.f1_low is None or row.f1_high is None:
        return Cell(format_figure(row.f1 if row else None, digits))
    low, high = (format_figure(end, interval_digits) for end in (row.f1_low, row.f1_high))
    return Cell(format_figure(row.f1, digits), f"{low}–{high}")


def format_kinds(rows: Sequence[ExtractorRow], width: int) -> str:
    """Set the similarities by the measures over Markdown beside one another, with intervals where there is room.

    Below stands what was invented: of how many pages an extractor gave code, for one, where the gold standard has none.
    """
    by_measure: dict[str, dict[str, ExtractorRow]] = {}
    for row in rows:
        by_measure.setdefault(row.measure, {})[row.extractor] = row
    names = dict.fromkeys(row.extractor for row in rows)
    kept, invented = (make_table("", names, Cell, columns, "extractor") for columns in kind_columns(by_measure, 2, 2))
    shares = kept.as_text()
    if max(map(len, shares.split("\n"))) > width:
        shares = kept.as_text(with_asides=False)
    too_large = sum(row.too_large for row in rows)
    note = f"\n\nTables too large for TEDS, compared as text: {too_large} of all pages and extractors"
    counts = f"Pages that have it, without any in the gold standard\n{invented.as_text()}"
    return f"{shares}\n\n{counts}{note if too_large else ''}"
