"""Data sets in one file of JSON Lines in UTF-8, an object a page.

``marks``: what a user marked in the tuner of ``scrapy justext PAGE --serve``.  ``id``, the page's ``html`` and its
content as ``gold`` are needed; ``url`` and ``name`` may be there.  How the content comes about is told in
:mod:`scrapy_justext.inspection.tuner.marks`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_justext.evaluation.datasets.documents import Problem
from scrapy_justext.evaluation.datasets.encodings import UTF_8
from scrapy_justext.evaluation.datasets.files import Item, Listing, UnusableError, is_file_name, parse_object
from scrapy_justext.exceptions import DataSetError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from scrapy_justext.evaluation.datasets.documents import Document

_TEXTS = ("html", "gold")


class Records(NamedTuple):
    """The objects of a file by their ids, where their lines start, and what is wrong with the other lines."""

    objects: dict[str, dict[str, Any]]
    starts: dict[str, int]
    problems: list[Problem]


def parse_lines(content: bytes, file_name: str, texts: Sequence[str] = (), id_field: str = "id") -> Records:
    """Return the objects of JSON Lines; ``texts``: the fields that must be strings, beside the one with the id."""
    records = Records({}, {}, [])
    start = 0
    for number, line in enumerate(content.split(b"\n"), 1):
        record, position = parse_object(line), f"{file_name}, line {number}"
        if record is None or not all(isinstance(record.get(name), str) for name in (id_field, *texts)):
            records.problems.extend([Problem("unreadable gold", position)] if line.strip() else [])
        elif not is_file_name(name := record[id_field]):
            records.problems.append(Problem("bad id", position))
        elif name in records.objects:
            records.problems.append(Problem("duplicate", position))
        else:
            records.objects[name], records.starts[name] = record, start
        start += len(line) + 1
    return records


def open_lines(path: Path, texts: Sequence[str], id_field: str = "id") -> Records:
    """Return the objects of a data set that is one file; raise :class:`DataSetError`."""
    if not path.is_file():
        raise DataSetError("dataset", str(path), "no such file")
    try:
        return parse_lines(path.read_bytes(), path.name, texts, id_field)
    except OSError as error:
        raise DataSetError("dataset", str(path), f"cannot be read: {error.strerror}") from error


def read_record(item: Item, texts: Sequence[str], id_field: str = "id") -> dict[str, Any]:
    """Return the object of an item of such a file; raise :class:`UnusableError`."""
    try:
        with item.page.open("rb") as file:
            file.seek(item.start)
            records = parse_lines(file.readline(), item.page.name, texts, id_field)
    except OSError as error:
        raise UnusableError("unreadable page") from error
    # Somebody may have written to the file since it was opened.
    if item.id not in records.objects:
        raise UnusableError("unreadable page")
    return records.objects[item.id]


def text_of(value: object) -> str | None:
    """Return a value that is a text with something in it."""
    return value if isinstance(value, str) and value else None


def find_marks(path: Path) -> Listing:
    """Find the pages that somebody marked."""
    records = open_lines(path, _TEXTS)
    items = [
        Item(
            name,
            path,
            record["gold"],
            text_of(record.get("url")),
            metadata={"name": record["name"]} if isinstance(record.get("name"), str) else {},
            start=records.starts[name],
        )
        for name, record in records.objects.items()
    ]
    return Listing(items, records.problems)


def read_marked(item: Item) -> Document:
    """Read a page and what its marks make of it."""
    record = read_record(item, _TEXTS)
    return item.make_document(record["html"].encode("utf-8", "replace"), record["gold"], UTF_8)
