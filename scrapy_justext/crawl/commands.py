"""What commands share: settings as options, what they print, how far they are.

**Options.**  What a project sets, its user may set otherwise for one run.  Every setting that decides about blocks or
Markdown is an option of ``scrapy justext`` and ``scrapy justext-archive``, made from the table of settings.

**Output.**  Pages, their addresses and their headers may hold characters that move a terminal's cursor, start a command
in it, or turn the direction of all that comes after them.  Where a person reads, they are replaced; in JSON they are
escaped, which changes no value.  In HTML nothing of a page is markup.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from html import escape
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, TextIO

from scrapy.commands import ScrapyHelpFormatter

from scrapy_justext.core.markdown.tables import TABLES
from scrapy_justext.core.options import PARAMETER_NAMES
from scrapy_justext.core.profiles import PROFILES
from scrapy_justext.crawl.conversion import Converter, boolean, number, rules, share, whole_number
from scrapy_justext.crawl.settings import SETTINGS, Given
from scrapy_justext.exceptions import import_if_installed
from scrapy_justext.files import packaged_text

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Collection, Mapping, Sequence
    from typing import TextIO

    from typing_extensions import Self

#: Settings that are options, too.
NAMES = (
    *("profile", "language", "stoplist", "stoplists_dir"),
    *PARAMETER_NAMES,
    *("min_good_characters", "min_confidence", "drop_types", "markdown_tables", "ruby", "parser"),
)
_REPEATABLE = ("stoplist", *(name for name in PARAMETER_NAMES if SETTINGS[name].convert is rules))

#: The prefix of their names among the parsed options: Scrapy has a ``profile`` of its own.
DEST_PREFIX = "justext_"

#: The names of values in the help, by the converter; of others, the name of the setting in capitals.
_METAVARS: Mapping[Converter, str] = {
    boolean: "YES|NO",
    rules: "RULE",
    **dict.fromkeys((number, whole_number, share), "N"),
}

#: Meanings of options that differ from those of their settings.
_MEANINGS: Mapping[str, str] = {
    "profile": f"one of {', '.join(PROFILES)}",
    "language": "a name, in English or its own, or ISO 639 code; several with commas: one of them for each page; "
    "none: no stop words",
    "stoplist": "a file of stop words in place of the language's",
    "markdown_tables": f"tables in Markdown whose cells hold blocks or reach over others: {', '.join(TABLES)}",
}


def format_sections(sections: Mapping[str, Sequence[tuple[object, str]]]) -> str:
    r"""Return numbers with what they count, below titles; sections without rows are left out.

    Further lines of what is counted are indented.

    >>> print(format_sections({"Items": [(40, "kept")], "Errors": [], "Because": [(2, "empty\nhttps://example.org/")]}))
    Items
           40  kept
    <BLANKLINE>
    Because
            2  empty
                 https://example.org/
    """
    return "\n\n".join("\n".join([title, *map(_row, rows)]) for title, rows in sections.items() if rows)


def _row(row: tuple[object, str]) -> str:
    return f"{row[0]:>9}  {row[1]}".replace("\n", f"\n{' ' * 13}")


def format_columns(lines: Sequence[Sequence[str]], right: Collection[int] = ()) -> str:
    """Set cells in columns, each as wide as its widest cell; those numbered in ``right`` set to the right.

    >>> print(format_columns([("a", "1"), ("bcd", "10")], right=[1]))
    a     1
    bcd  10
    """
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if number in right else cell.ljust(width)
            for number, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def rows_of_stats(stats: Mapping[str, Any], prefix: str) -> list[tuple[Any, str]]:
    """Return what the stats count whose names start with ``prefix``, the highest first; none of 0."""
    rows = [(value, name.removeprefix(prefix)) for name, value in stats.items() if name.startswith(prefix) and value]
    return sorted(rows, key=lambda row: (-row[0], row[1]))


class HelpFormatter(ScrapyHelpFormatter):
    """Scrapy's own, which takes each line that ends in a colon for a heading: no other line ends in one here."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        return [f"{line} " if line.endswith(":") else line for line in super()._split_lines(text, width)]


def option(name: str) -> str:
    """Return how a setting is spelt on the command line.

    >>> option("length_low")
    '--length-low'
    """
    return "--" + name.replace("_", "-")


def add_setting_options(parser: ArgumentParser) -> None:
    """Add an option for each setting that decides about blocks; Scrapy's own ``--profile`` makes way for ours."""
    parser.formatter_class = HelpFormatter
    # An abbreviation that fits one option today may fit two tomorrow.
    parser.allow_abbrev = False
    judging = "defaults are the project's settings, and those of the page's site"
    add = parser.add_argument_group("Judging", judging).add_argument
    for name in NAMES:
        is_repeatable = name in _REPEATABLE
        meaning = (_MEANINGS.get(name) or SETTINGS[name].meaning).replace("`", "").replace("%", "%%")
        add(
            option(name),
            dest=DEST_PREFIX + name,
            action="append" if is_repeatable else "store",
            metavar=_METAVARS.get(SETTINGS[name].convert, name.upper()),
            help=meaning + ("; may be repeated" if is_repeatable else ""),
        )
    # Scrapy times a command where this is set.
    parser.set_defaults(profile=None)


def chosen_settings(arguments: Namespace) -> dict[str, Given]:
    """Return the settings that were given as options."""
    given = {dest: value for dest, value in vars(arguments).items() if dest.startswith(DEST_PREFIX)}
    values = {dest.removeprefix(DEST_PREFIX): value for dest, value in given.items() if value is not None}
    if "stoplist" in values:
        values["stoplist"] = [Path(path) for path in values["stoplist"]]
    return {name: Given(value, option(name)) for name, value in values.items()}


#: Characters that turn the direction of all text after them, also of text that is not the page's.
_BIDI = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
#: Characters that move the cursor or start a command in a terminal.
_CONTROLS = (*range(0x20), *range(0x7F, 0xA0))
_REPLACED = dict.fromkeys((*_CONTROLS, *_BIDI), "\ufffd")
_REPLACED_BUT_LINES = {code: mark for code, mark in _REPLACED.items() if chr(code) not in "\n\t"}
#: Marks of direction, which readers of a text need, and separators, at which some readers of JSON Lines end a line.
_MARKS = (0x061C, 0x200E, 0x200F, 0x2028, 0x2029)
#: JSON itself escapes those below 0x20 in strings; elsewhere they are the ends of its lines.
_ESCAPED = {code: f"\\u{code:04x}" for code in (*_CONTROLS, *_BIDI, *_MARKS) if code >= 0x20}


def on_one_line(text: str) -> str:
    r"""Return ``text`` with white space collapsed and nothing in it that a terminal obeys.

    >>> on_one_line("a \n b\x1b[2J"), on_one_line("a\u202eb\u2066c")
    ('a b\ufffd[2J', 'a\ufffdb\ufffdc')
    """
    return " ".join(text.split()).translate(_REPLACED)


def on_lines(text: str) -> str:
    r"""Return ``text`` with its lines, and nothing in it that a terminal obeys.

    >>> on_lines("a\n\tb\x1b[2J")
    'a\n\tb\ufffd[2J'
    """
    return text.translate(_REPLACED_BUT_LINES)


def in_json(text: str) -> str:
    r"""Return JSON of the same value, with nothing in it that a terminal obeys.

    >>> in_json('"a\x9b\u202eb"')
    '"a\\u009b\\u202eb"'
    """
    return text.translate(_ESCAPED)


def in_html(text: str) -> str:
    r"""Return ``text`` escaped, without what HTML or a file in UTF-8 cannot hold.

    >>> in_html("a\0<\ud800")
    'a&lt;?'
    """
    return escape(text.replace("\0", "").encode(errors="replace").decode())


def colours() -> str:
    """Return the style sheet with the colours of all reports, light and dark."""
    return packaged_text("crawl", "colours.css")


def complain(command: str, problem: Exception | str) -> None:
    """Say on one line of standard error what is wrong, if standard error can be written to."""
    if sys.stderr is None:
        return
    try:
        print(f"{command}:", on_one_line(str(problem)), file=sys.stderr, flush=True)
    except OSError:
        discard_rest(sys.stderr)


def discard_rest(stream: TextIO) -> None:
    """Discard what a stream still holds: Python would try to write it at exit, and complain."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


#: Seconds between two lines of progress.
INTERVAL = 30.0


class Progress:
    """Shows how far a command is, in a ``with`` statement: a bar on a terminal, elsewhere a line now and then.

    ``total``: all steps; ``done``: those that are done already; ``noun``: what the steps are, None for bytes.
    """

    def __init__(self, total: int, done: int, noun: str | None = None, stream: TextIO | None = None) -> None:
        self._total = total
        self._done = self._first_done = done
        self._noun = noun
        self._stream = stream or sys.stderr
        self._note = ""
        self._bar: Any = None
        self._begun = monotonic()
        self._next_line = self._begun + INTERVAL

    def __enter__(self) -> Self:
        library: Any = import_if_installed("tqdm") if self._stream.isatty() else None
        if library is not None:
            unit: dict[str, Any] = {"unit": ""} if self._noun else {"unit": "B", "unit_scale": True}
            size = {"total": self._total, "initial": self._done}
            self._bar = library.tqdm(file=self._stream, dynamic_ncols=True, **size, **unit)
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()
        elif self._noun:
            self._print_line()

    def advance(self, note: str = "", steps: int = 1) -> None:
        """Count steps; ``note``: a few words to show beside them."""
        self._done += steps
        self._note = note
        if self._bar is not None:
            self._bar.set_postfix_str(note, refresh=False)
            self._bar.update(steps)
        elif monotonic() >= self._next_line:
            self._print_line()

    def tell(self, line: str) -> None:
        """Print a line beside the bar."""
        if self._bar is not None:
            self._bar.write(line, file=self._stream)
        else:
            print(line, file=self._stream, flush=True)

    def _print_line(self) -> None:
        now = monotonic()
        if self._noun:
            line = f"{self._done} of {self._total} {self._noun}" + (f", {self._note}" if self._note else "")
        else:
            left = (self._total - self._done) * (now - self._begun) / max(self._done - self._first_done, 1)
            line = f"{self._done / max(self._total, 1):.0%}: {self._note}, {left:.0f} s left"
        self.tell(line)
        self._next_line = now + INTERVAL
