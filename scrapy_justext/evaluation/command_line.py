"""What the commands share: converters of arguments, and tables for a terminal."""

from __future__ import annotations

import math
import os
from argparse import ArgumentTypeError
from contextlib import suppress
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.evaluation.kinds import INVENTED

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Callable, Collection, Iterable, Sequence

    from scrapy_justext.evaluation.scoring import ExtractorRow

#: Stands for a value that is not defined.
UNDEFINED = "–"
_GAP = "  "
#: The name of an extractor is cut to this many characters before a column of values is left out.
_SHORTEST_NAME = 16


def whole_number(least: int) -> Callable[[str], int]:
    """Return a converter for argparse of whole numbers from ``least`` on."""

    def convert(text: str) -> int:
        with suppress(ValueError):
            if int(text) >= least:
                return int(text)
        allowed = "above 0" if least == 1 else f"of {least} or more"
        raise ArgumentTypeError(f"{text!r} is not a whole number {allowed}")

    return convert


def seconds(text: str) -> float:
    """Convert an argument to a number of seconds."""
    with suppress(ValueError):
        if 0 < float(text) < math.inf:
            return float(text)
    raise ArgumentTypeError(f"{text!r} is not a number of seconds above 0")


def add_pages_and_processes(parser: ArgumentParser) -> None:
    """Add the arguments on pages and processes of all commands that extract."""
    jobs, limit = "processes (default: one a core)", "first N pages of each data set"
    parser.add_argument("--jobs", type=whole_number(1), default=os.cpu_count() or 1, metavar="N", help=jobs)
    parser.add_argument("--limit", type=whole_number(1), default=None, metavar="N", help=limit)
    letters = "measure words with letters beyond ASCII whole, for other scripts"
    parser.add_argument("--keep-non-ascii", action="store_true", help=letters)


class Column(NamedTuple):
    """A column of a table; those with the lowest ``weight`` are left out first."""

    title: str
    field: str
    form: str
    weight: int

    def show(self, row: ExtractorRow) -> str:
        """Return the cell of a row."""
        value = getattr(row, self.field)
        return UNDEFINED if value is None else format(value, self.form)


_COLUMNS = (
    Column("extractor", "extractor", "", 9),
    Column("version", "version", "", 1),
    Column("precision", "precision", ".4f", 7),
    Column("recall", "recall", ".4f", 7),
    Column("F1", "f1", ".4f", 8),
    Column("sd", "f1_sd", ".4f", 4),
    Column("pages", "documents", "d", 3),
    Column("failed", "failed", "d", 6),
    Column("empty", "empty", "d", 2),
    Column("ms/page", "milliseconds", ".1f", 5),
)


def format_table(rows: Sequence[ExtractorRow], width: int) -> str:
    """Set rows of a summary in at most ``width`` characters; leave out columns for that, but not names and F1."""
    shown = list(_COLUMNS)
    while True:
        lines = [[column.title for column in shown], *([column.show(row) for column in shown] for row in rows)]
        names, *others = ([*map(len, cells)] for cells in zip(*lines, strict=True))
        room = width - sum(len(_GAP) + max(lengths) for lengths in others)
        if min(max(names), _SHORTEST_NAME) <= room or len(shown) == 2:
            break
        shown.remove(min(shown, key=attrgetter("weight")))
    room = max(room, _SHORTEST_NAME)
    for line in lines:
        line[0] = line[0] if len(line[0]) <= room else line[0][: room - 1] + "…"
    return format_columns(lines, right=range(1, len(shown)))


def format_kinds(rows: Sequence[ExtractorRow], width: int) -> str:
    """Set the similarities by the measures over Markdown beside one another, with intervals where there is room.

    Titles have the numbers of pages that count.  Below stands what was invented: of how many pages an extractor gave
    code, for one, where the gold standard has none.
    """
    names = tuple(dict.fromkeys(row.extractor for row in rows))
    by_name = {(row.extractor, row.measure): row for row in rows}
    pages = {row.measure: 0 for row in rows}
    for row in rows:
        pages[row.measure] = max(pages[row.measure], row.relevant)
    measures = [f"{measure} ({count})" for measure, count in pages.items()]
    invented = [measure for measure in pages if measure in INVENTED]

    def lines(titles: Sequence[str], measures: Iterable[str], show: Callable[[ExtractorRow | None], str]) -> str:
        cells = [[name, *(show(by_name.get((name, measure))) for measure in measures)] for name in names]
        return format_columns([("extractor", *titles), *cells], right=range(1, len(titles) + 1))

    shares = lines(measures, pages, _show_with_interval)
    if max(map(len, shares.split("\n"))) > width:
        shares = lines(measures, pages, lambda row: UNDEFINED if row is None or row.f1 is None else f"{row.f1:.2f}")
    counts = lines(invented, invented, lambda row: UNDEFINED if row is None else str(row.relevant_empty))
    too_large = sum(row.too_large for row in rows)
    note = f"\n\nTables too large for TEDS, compared as text: {too_large} of all pages and extractors"
    return f"{shares}\n\nPages that have it, without any in the gold standard\n{counts}{note if too_large else ''}"


def _show_with_interval(row: ExtractorRow | None) -> str:
    if row is None or row.f1 is None:
        return UNDEFINED
    interval = f" {row.f1_low:.2f}–{row.f1_high:.2f}" if row.f1_low is not None and row.f1_high is not None else ""
    return f"{row.f1:.2f}{interval}"


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
