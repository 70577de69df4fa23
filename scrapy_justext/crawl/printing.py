"""What commands print and reports show: nothing of a page is obeyed by a terminal, or is markup for a browser.

Pages, their addresses and their headers may hold characters that move a terminal's cursor, start a command in it, or
turn the direction of all that comes after them.  Where a person reads, they are replaced; in JSON they are escaped,
which changes no value.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TextIO

#: Characters that turn the direction of all that comes after them, also of what is not the page's.
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
    # All commands of Scrapy import this module, and few make a report.
    from importlib.resources import files  # noqa: PLC0415

    return files("scrapy_justext").joinpath("static", "colours.css").read_text("utf-8")


def complain(command: str, problem: Exception | str) -> None:
    """Say on one line of standard error what is wrong, where there is somebody to hear it."""
    if sys.stderr is None:
        return
    try:
        print(f"{command}:", on_one_line(str(problem)), file=sys.stderr, flush=True)
    except OSError:
        discard_rest(sys.stderr)


def discard_rest(stream: TextIO) -> None:
    """Send what a stream still holds nowhere: Python would write it at its end, and complain then."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
