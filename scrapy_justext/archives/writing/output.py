"""The output while it is unfinished: a folder beside it, with what was written so far and the journal.

::

    OUT.unfinished/rows           what the chunks became, one behind the other; what is behind the journal's length
                                  was written by a run that was ended before it noted that
    OUT.unfinished/journal.json   see :mod:`.journal`
    OUT.unfinished/.lock          there while a run is going on
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from time import monotonic
from typing import TYPE_CHECKING, Any

from scrapy_justext.archives.errors import ArchiveError, describe
from scrapy_justext.archives.writing import journal
from scrapy_justext.locking import locked

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from io import FileIO
    from pathlib import Path

    from scrapy_justext.archives.work.chunks import Position, Result
    from scrapy_justext.archives.writing.formats import Format

#: Seconds between two entries in the journal: at most so much is done twice.
_INTERVAL = 2.0


class Output:
    """Made by :func:`unfinished`; told of every result."""

    def __init__(self, out: Path, rows: FileIO, task: Mapping[str, Any], progress: journal.Progress) -> None:
        self.progress = progress
        self._out = out
        self._rows = rows
        self._task = task
        self._saved = monotonic()

    def add(self, result: Result, behind: Position) -> None:
        """Append the rows of the next chunk, and note now and then how far the input was read."""
        try:
            _append(self._rows, result.encoded)
        except OSError:
            # Without the part of a chunk that is there the journal may find room.
            with suppress(OSError):
                self._rows.truncate(self.progress.length)
                self.save()
            raise
        self.progress.add(result, behind)
        if monotonic() - self._saved >= _INTERVAL:
            self.save()

    def save(self) -> None:
        """Note how far the input was read."""
        os.fsync(self._rows.fileno())
        now = monotonic()
        self.progress.seconds += now - self._saved
        journal.save(_folder(self._out) / "journal.json", self._task, self.progress)
        self._saved = now

    def finish(self, form: Format) -> None:
        """Put the output where it belongs, all at once."""
        self.progress.is_read = True
        self.save()
        self._rows.close()
        folder = _folder(self._out)
        finished = folder / "rows"
        if form.finish is not None:
            finished = folder / "finished"
            form.finish(folder / "rows", finished)
        finished.replace(self._out)


@contextmanager
def unfinished(out: Path, task: Mapping[str, Any], *, restart: bool) -> Iterator[Output]:
    """The output of a run that is to do ``task``, as far as an earlier run came with it.

    Raises :class:`ArchiveError` where there is a finished one, or one of another task, unless ``restart``; and for
    whatever the operating system says of writing.
    """
    folder = _folder(out)
    try:
        with locked(folder):
            if restart:
                _remove(folder)
            elif out.exists() and not (folder / "rows").exists():
                raise ArchiveError(out, "is there already; --restart makes it anew")
            progress = journal.load(folder / "journal.json", task)
            # No buffer: what did not fit would be tried once more when the file is closed.
            with (folder / "rows").open("ab", buffering=0) as rows:
                rows.truncate(progress.length)
                output = Output(out, rows, task, progress)
                output.save()
                yield output
            _remove(folder)
    except OSError as error:
        is_noted = (folder / "journal.json").exists()
        if not is_noted:
            (folder / "rows").unlink(missing_ok=True)
        kept = "; what was finished is kept, and gone on with when the same is run again" if is_noted else ""
        raise ArchiveError(out, f"cannot be written: {describe(error)}{kept}") from error
    finally:
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()


def _append(file: FileIO, data: bytes) -> None:
    """Write all the bytes; where there is no room for them, a part of them may be there."""
    left = memoryview(data)
    while left:
        left = left[file.write(left) :]


def _folder(out: Path) -> Path:
    return out.with_name(out.name + ".unfinished")


def _remove(folder: Path) -> None:
    """Remove what is in a folder but for the lock, which its holder removes."""
    for path in folder.iterdir():
        if path.name != ".lock":
            path.unlink()
