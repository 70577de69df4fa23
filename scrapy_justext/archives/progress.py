"""How far a run is: a bar on a terminal, elsewhere a line now and then."""

from __future__ import annotations

import sys
from time import monotonic
from typing import TYPE_CHECKING, Any

from scrapy_justext.archives.errors import part

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

    from scrapy_justext.archives.work.chunks import Trouble

#: Seconds between two lines.
INTERVAL = 30.0


class Bar:
    """To be used in a ``with`` statement, and told how many bytes of the input are done.

    ``total``: all of them; ``done``: those that are done at the start, with ``pages`` pages.
    """

    def __init__(self, total: int, done: int, pages: int) -> None:
        self._done = self._start = done
        self._start_pages = pages
        self._begun = monotonic()
        self._next_line = self._begun + INTERVAL
        self._total = total
        self._tqdm: Any = part("tqdm").tqdm(
            total=total, initial=done, unit="B", unit_scale=True, dynamic_ncols=True, disable=None, file=sys.stderr
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._tqdm.close()

    def advance(self, done: int, pages: int) -> None:
        """So many bytes are done by now, with so many pages."""
        now = monotonic()
        rate = (pages - self._start_pages) / max(now - self._begun, 1e-9)
        self._tqdm.set_postfix_str(f"{pages} pages, {rate:.0f} a second", refresh=False)
        self._tqdm.update(done - self._done)
        self._done = done
        if self._tqdm.disable and now >= self._next_line:
            self._next_line = now + INTERVAL
            left = (self._total - done) * (now - self._begun) / max(done - self._start, 1)
            share = done / max(self._total, 1)
            print(f"{share:.0%}: {pages} pages, {rate:.0f} a second, {left:.0f} s left", file=sys.stderr, flush=True)

    def tell(self, trouble: Trouble) -> None:
        """Say what is wrong with a record."""
        where = trouble.where
        self._tqdm.write(f"{where.file}, {where.offset}: {trouble.what}", file=sys.stderr)
