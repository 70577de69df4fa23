"""What a user marked in the tuner of ``scrapy justext PAGE --serve``: a file of JSON Lines in UTF-8, an object a page.

``id``, the page's ``html`` and its content as ``gold`` are needed; ``url`` and ``name`` may be there.  How the
content comes about is told in :mod:`scrapy_justext.inspection.tuner.marks`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scrapy_justext.evaluation.datasets.documents import Problem
from scrapy_justext.evaluation.datasets.files import DATA_SET, Content, Encoding, Item, Listing, read_listing
from scrapy_justext.evaluation.datasets.wcxb import is_file_name, parse_object
from scrapy_justext.exceptions import DataSetError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from scrapy_justext.evaluation.datasets.documents import DataSet

_UTF_8 = Encoding("utf-8", DATA_SET, 1.0)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads a page from its line; ``starts``: where in the file the lines of the ids begin."""

    starts: Mapping[str, int]

    def __call__(self, item: Item) -> Content | str:
        try:
            with item.page.open("rb") as file:
                file.seek(self.starts[item.id])
                record = parse_object(file.readline())
        except OSError:
            return "unreadable page"
        # Somebody may have marked more since the file was opened.
        if record is None or record.get("id") != item.id or not _is_page(record):
            return "unreadable page"
        name = record.get("name")
        metadata = {"name": name} if isinstance(name, str) else {}
        return Content(record["html"].encode("utf-8", "replace"), _UTF_8, record["gold"], item.url, metadata)


def open_marks(path: Path) -> DataSet:
    """The data set in a file.  Raises :class:`DataSetError`."""
    spec = f"marks:{path}"
    if not path.is_file():
        raise DataSetError("dataset", spec, "no such file")
    starts: dict[str, int] = {}
    items: list[Item] = []
    problems: list[Problem] = []
    start = 0
    try:
        lines = path.read_bytes().splitlines(keepends=True)
    except OSError as error:
        raise DataSetError("dataset", spec, f"cannot be read: {error.strerror}") from error
    for number, line in enumerate(lines, 1):
        found = _item(path, line, number, starts)
        if isinstance(found, Item):
            starts[found.id] = start
            items.append(found)
        elif found is not None:
            problems.append(found)
        start += len(line)
    return read_listing("marks", path, Listing(items, problems), _Reader(starts))


def _item(path: Path, line: bytes, number: int, known: Mapping[str, int]) -> Item | Problem | None:
    """The page of a line, or why it is left out; None for an empty line."""
    if not line.strip():
        return None
    record, place = parse_object(line), f"{path.name}, line {number}"
    if record is None or not _is_page(record):
        return Problem("unreadable gold", place)
    name, url = record["id"], record.get("url")
    if not is_file_name(name):
        return Problem("bad id", place)
    if name in known:
        return Problem("duplicate", place)
    return Item(name, path, record["gold"], url if isinstance(url, str) else None)


def _is_page(record: Mapping[str, Any]) -> bool:
    return all(isinstance(record.get(name), str) for name in ("id", "html", "gold"))
