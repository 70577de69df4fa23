"""The output while it is unfinished: a folder beside it, with what was written so far and the journal.

::

    OUT.unfinished/rows           what the chunks became, one behind the other; what is behind the journal's length
                                  was written by a run that was ended before it noted that
    OUT.unfinished/journal.json   how far the run got: :class:`Progress`
    OUT.unfinished/.lock          there while a run is going on
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping, Set
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Any

from scrapy_justext.archives.formats import describe
from scrapy_justext.archives.records import Place, Where
from scrapy_justext.archives.work import Position, Trouble
from scrapy_justext.exceptions import ArchiveError
from scrapy_justext.files import locked, write_whole

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import FileIO
    from pathlib import Path

    from scrapy_justext.archives.formats import Format
    from scrapy_justext.archives.work import Result

# How far a run got: a small file that is replaced as a whole.

_VERSION = 1
#: Damaged records and failed pages that are remembered; all are counted.
_REMEMBERED = 1000
BEGINNING = Position(0, Place(), 0)


@dataclass(slots=True)
class Progress:
    """What was done up to a place in the input."""

    position: Position = BEGINNING
    length: int = 0
    """Bytes of the unfinished output that are sound."""
    counts: Counter[str] = field(default_factory=Counter)
    troubles: list[Trouble] = field(default_factory=list)
    seconds: float = 0.0
    """That were spent, by all the runs that it took."""
    is_read: bool = False
    """Whether the whole input was."""

    def add(self, result: Result, behind: Position) -> None:
        """What became of the next chunk."""
        self.position = behind
        self.length += len(result.encoded)
        self.counts.update(result.counts)
        self.troubles += result.troubles[: _REMEMBERED - len(self.troubles)]


def plain(value: Any) -> Any:
    """A value in JSON, the same for values that are the same, in whatever process.

    >>> plain({"b": {2, 1}, "a": ("x", None)})
    {'a': ['x', None], 'b': [1, 2]}
    """
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in sorted(value.items(), key=str)}
    if isinstance(value, Set):
        return sorted((plain(one) for one in value), key=str)
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return value if value is None or isinstance(value, str | int | float) else str(value)


def save(path: Path, task: Mapping[str, Any], progress: Progress) -> None:
    """Write the journal of a run that is to do ``task``; what was there is kept until that is done."""
    position = progress.position
    values = {
        "version": _VERSION,
        "task": task,
        "position": [position.source, *position.place, position.done],
        "length": progress.length,
        "counts": progress.counts,
        "troubles": [[*trouble.where, trouble.what] for trouble in progress.troubles],
        "seconds": progress.seconds,
        "is_read": progress.is_read,
    }
    write_whole(path, json.dumps(values).encode())


def load(path: Path, task: Mapping[str, Any]) -> Progress:
    """How far a run got; raises :class:`ArchiveError` where it was to do something else than ``task``."""
    try:
        values = json.loads(path.read_text("utf-8"))
        found = _progress(values)
    except FileNotFoundError:
        return Progress()
    except (ValueError, KeyError, TypeError) as error:
        raise ArchiveError(path, "is damaged; --restart begins anew") from error
    differing = [name for name in task if values["task"].get(name) != task[name]]
    if differing:
        what = " and ".join(differing)
        advice = "give the same to go on, or --restart to begin anew"
        raise ArchiveError(path.parent, f"was begun with other {what}; {advice}")
    return found


def _progress(values: Mapping[str, Any]) -> Progress:
    if values["version"] != _VERSION:
        raise ValueError("another version's")
    source, offset, skip, done = values["position"]
    return Progress(
        Position(source, Place(offset, skip), done),
        values["length"],
        Counter(values["counts"]),
        [Trouble(Where(file, at), what) for file, at, what in values["troubles"]],
        values["seconds"],
        values["is_read"],
    )


#: Seconds between two entries in the journal: at most so much is done twice.
_INTERVAL = 2.0


class Output:
    """Made by :func:`unfinished`; told of every result."""

    def __init__(self, out: Path, rows: FileIO, task: Mapping[str, Any], progress: Progress) -> None:
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
        save(_folder(self._out) / "journal.json", self._task, self.progress)
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
            progress = load(folder / "journal.json", task)
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


# What a run did, as a table and as JSON.

#: The groups of counts, by what their names begin with, each with its title.
_GROUPS = {
    "skipped": "Not cleaned because",
    "errors": "Errors",
    "language": "Languages",
    "blocks": "Blocks",
}
#: Single counts, with what they are called; those that are 0 are left out but for the first two.
_COUNTS = {
    "records": "records read",
    "rows": "rows written",
    "pages": "pages cleaned",
    "pages_without_good_content": "of them without good content",
    "pages_judged_without_stop_words": "of them judged without stop words",
    "pages_cut_at_depth": "of them cut by the parser",
    "errors": "pages with an error",
    "timeouts": "pages that took too long",
    "crashes": "pages that ended the process",
}


def as_table(progress: Progress) -> str:
    """The summary to read."""
    return "\n".join(_lines(progress))


def _lines(progress: Progress) -> Iterator[str]:
    counts = progress.counts
    for name, title in _COUNTS.items():
        if counts[name] or name in ("records", "rows"):
            yield f"{counts[name]:>9}  {title}"
    for prefix, title in _GROUPS.items():
        group = {name.partition("/")[2]: n for name, n in counts.items() if name.startswith(f"{prefix}/") and n}
        if group:
            yield f"\n{title}"
            yield from (f"{n:>9}  {name}" for name, n in sorted(group.items(), key=lambda one: (-one[1], one[0])))
    pages = counts["pages"]
    if progress.seconds:
        yield f"\n{progress.seconds:>9.1f}  seconds, {pages / progress.seconds:.0f} pages a second"


def as_json(progress: Progress) -> dict[str, Any]:
    """The summary to read by machine.  The counts are named as a crawl's stats are."""
    return {
        "counts": dict(sorted(progress.counts.items())),
        "troubles": [{"file": t.where.file, "offset": t.where.offset, "what": t.what} for t in progress.troubles],
        "seconds": progress.seconds,
    }
