"""How far a run is: a bar on a terminal, elsewhere a line now and then."""

from __future__ import annotations

import sys
from collections import Counter
from time import monotonic
from typing import TYPE_CHECKING, Any, TextIO

from scrapy_justext.evaluation.libraries import require

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

    from scrapy_justext.evaluation.store import Result

#: Seconds between two lines.
INTERVAL = 30.0


class Steps:
    """To be used in a ``with`` statement, and told of every step.

    ``total``: steps at the end, ``done``: those that are done at the start, ``noun``: what they are.
    """

    def __init__(self, total: int, done: int = 0, noun: str = "steps", stream: TextIO | None = None) -> None:
        self._total = total
        self._done = done
        self._noun = noun
        self._stream = stream or sys.stderr
        self._note = ""
        self._bar: Any = None
        self._next_line = 0.0

    def __enter__(self) -> Self:
        self._next_line = monotonic() + INTERVAL
        if self._stream.isatty():
            tqdm = require("tqdm", "tqdm").tqdm
            self._bar = tqdm(total=self._total, initial=self._done, file=self._stream, unit="", dynamic_ncols=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.close()
        else:
            self._print_line()

    def advance(self, note: str = "") -> None:
        """Count a step; ``note``: what there is to say, for short."""
        self._done += 1
        self._note = note
        if self._bar is not None:
            self._bar.set_postfix_str(note, refresh=False)
            self._bar.update()
        elif monotonic() >= self._next_line:
            self._print_line()

    def _print_line(self) -> None:
        line = f"{self._done} of {self._total} {self._noun}" + (f", {self._note}" if self._note else "")
        print(line, file=self._stream, flush=True)
        self._next_line = monotonic() + INTERVAL


class Progress(Steps):
    """Told of every result; it says how many are failures."""

    def __init__(self, total: int, done: int, stream: TextIO | None = None) -> None:
        super().__init__(total, done, "results", stream)
        self._statuses: Counter[str] = Counter()

    def update(self, result: Result) -> None:
        """Count a result."""
        self._statuses[result.status] += 1
        self.advance(self._troubles())

    def _troubles(self) -> str:
        names = {"failed": "failed", "timeout": "out of time"}
        return ", ".join(f"{self._statuses[status]} {name}" for status, name in names.items() if self._statuses[status])
