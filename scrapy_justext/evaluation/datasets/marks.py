"""What a user marked in the tuner of ``scrapy justext PAGE --serve``: a file of JSON Lines in UTF-8, an object a page.

``id``, the page's ``html`` and its content as ``gold`` are needed; ``url`` and ``name`` may be there.  How the
content comes about is told in :mod:`scrapy_justext.inspection.tuner.marks`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scrapy_justext.evaluation.datasets.documents import Problem
from scrapy_justext.evaluation.datasets.encodings import UTF_8
from scrapy_justext.evaluation.datasets.files import (
    Content,
    Item,
    Listing,
    UnusableError,
    is_file_name,
    parse_object,
    read_listing,
)
from scrapy_justext.exceptions import DataSetError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from scrapy_justext.evaluation.datasets.documents import DataSet


@dataclass(frozen=True, slots=True)
class _LineReader:
    """Reads a page from its line; ``starts``: where in the file the lines of the ids begin."""

    starts: Mapping[str, int]

    def __call__(self, item: Item) -> Content:
        try:
            with item.page.open("rb") as file:
                file.seek(self.starts[item.id])
                record = _parse(file.readline())
        except OSError as error:
            raise UnusableError("unreadable page") from error
        # Somebody may have marked more since the file was opened.
        if record is None or record["id"] != item.id:
            raise UnusableError("unreadable page")
        name = record.get("name")
        metadata = {"name": name} if isinstance(name, str) else {}
        return Content(record["html"].encode("utf-8", "replace"), UTF_8, record["gold"], item.url, metadata)


def open_marks(path: Path) -> DataSet:
    """Open a file of marked pages; raise :class:`DataSetError`."""
    spec = f"marks:{path}"
    if not path.is_file():
        raise DataSetError("dataset", spec, "no such file")
    try:
        lines = path.read_bytes().splitlines(keepends=True)
    except OSError as error:
        raise DataSetError("dataset", spec, f"cannot be read: {error.strerror}") from error
    starts: dict[str, int] = {}
    items: list[Item] = []
    problems: list[Problem] = []
    start = 0
    for number, line in enumerate(lines, 1):
        record, place = _parse(line), f"{path.name}, line {number}"
        if record is None:
            problems += [Problem("unreadable gold", place)] if line.strip() else []
        elif not is_file_name(record["id"]):
            problems.append(Problem("bad id", place))
        elif record["id"] in starts:
            problems.append(Problem("duplicate", place))
        else:
            url = record.get("url")
            starts[record["id"]] = start
            items.append(Item(record["id"], path, record["gold"], url if isinstance(url, str) else None))
        start += len(line)
    return read_listing("marks", path, Listing(items, problems), _LineReader(starts))


def _parse(line: bytes) -> dict[str, Any] | None:
    """Return the page of a line; None where it is none."""
    record = parse_object(line)
    whole = record is not None and all(isinstance(record.get(name), str) for name in ("id", "html", "gold"))
    return record if whole else None
