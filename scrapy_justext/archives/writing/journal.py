"""How far a run got: a small file that is replaced as a whole."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scrapy_justext.archives.errors import ArchiveError
from scrapy_justext.archives.records import Place, Where
from scrapy_justext.archives.work.chunks import Position, Trouble

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_justext.archives.work.chunks import Result

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
    draft = path.with_suffix(".new")
    try:
        with draft.open("w", encoding="utf-8") as file:
            json.dump(values, file)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise


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
