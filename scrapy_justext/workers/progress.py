"""How far the tasks of a command are."""

from __future__ import annotations

import sys
from time import monotonic
from typing import TYPE_CHECKING, Any, TextIO

from scrapy_justext.exceptions import import_if_installed

if TYPE_CHECKING:
    from typing_extensions import Self

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
