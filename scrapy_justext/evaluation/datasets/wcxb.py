"""WCXB, the Web Content eXtraction Benchmark: UTF-8 by definition, in two layouts.

One file: ``html/ID.html.gz`` and ``gold.jsonl.gz`` (or ``gold.jsonl``), a line a page with ``id`` and the fields below.
Public: ``html/ID.html.gz`` and ``ground-truth/ID.json``, an object a file with the fields below.

Fields: ``main_content``, the gold text, is needed.  ``url``, ``page_type`` (a string, or an object with one as
``primary``), ``title``, ``with`` and ``without`` (snippets that must and must not be in the extracted text) may be
there.  Each is looked for at the top level, then in the objects ``ground_truth`` and ``_internal``.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from scrapy_justext.evaluation.datasets.documents import Problem
from scrapy_justext.evaluation.datasets.files import (
    DATA_SET,
    Content,
    Encoding,
    Item,
    Listing,
    decode_strictly,
    files_by_stem,
    pair,
    read_bytes,
    read_folder,
    sub_folder,
)
from scrapy_justext.exceptions import DataSetError

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_justext.evaluation.datasets.documents import DataSet

GOLD_FILES = ("gold.jsonl.gz", "gold.jsonl")

_UTF_8 = Encoding("utf-8", DATA_SET, 1.0)
_LEVELS = ("ground_truth", "_internal")
_METADATA = ("title", "with", "without")


def open_wcxb(path: Path) -> DataSet:
    """The data set in a folder of either layout.  Raises :class:`DataSetError`."""
    return read_folder("wcxb", path, _find, _read)


def _find(path: Path) -> Listing:
    pages, problems = files_by_stem(sub_folder(path, "html"), (".html", ".html.gz"))
    records, gold_problems = _records(path)
    golds: dict[str, Path | str] = {}
    for name, record in records.items():
        content = _field(record, "main_content")
        if isinstance(content, str):
            golds[name] = content
    listing = pair(pages, golds)
    items = [_with_fields(item, records[item.id]) for item in listing.items]
    known = {problem.name for problem in gold_problems}
    left_out = [problem for problem in listing.problems if problem.name not in known]
    return Listing(items, [*problems, *gold_problems, *left_out])


def _records(path: Path) -> tuple[dict[str, dict[str, Any]], list[Problem]]:
    """The gold standard's objects by their ids."""
    for name in GOLD_FILES:
        if (path / name).is_file():
            return _records_of_lines(path / name)
    if not (path / "ground-truth").is_dir():
        raise DataSetError("dataset", f"wcxb:{path}", f"has neither {GOLD_FILES[0]} nor a folder ground-truth")
    return _records_of_files(path / "ground-truth")


def _records_of_lines(file: Path) -> tuple[dict[str, dict[str, Any]], list[Problem]]:
    content = read_bytes(file)
    if content is None:
        raise DataSetError("dataset", str(file), "cannot be read")
    records: dict[str, dict[str, Any]] = {}
    problems: list[Problem] = []
    for number, line in enumerate(content.split(b"\n"), 1):
        if not line.strip():
            continue
        record = parse_object(line)
        name = record.get("id") if record else None
        if record is None or not isinstance(name, str):
            problems.append(Problem("unreadable gold", f"{file.name}, line {number}"))
        elif not is_file_name(name):
            problems.append(Problem("bad id", f"{file.name}, line {number}"))
        elif name in records:
            problems.append(Problem("duplicate", f"{file.name}, line {number}"))
        else:
            records[name] = record
    return records, problems


def _records_of_files(folder: Path) -> tuple[dict[str, dict[str, Any]], list[Problem]]:
    files, problems = files_by_stem(folder, (".json",))
    records: dict[str, dict[str, Any]] = {}
    for name, file in files.items():
        record = parse_object(read_bytes(file))
        if record is None:
            problems.append(Problem("unreadable gold", name))
        else:
            records[name] = record
    return records, problems


def parse_object(content: bytes | None) -> dict[str, Any] | None:
    """A JSON object in UTF-8; None where that is something else."""
    text = decode_strictly(content) if content is not None else None
    try:
        value = json.loads(text) if text is not None else None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def is_file_name(name: str) -> bool:
    """Whether an id can name a file, and no other place.

    >>> is_file_name("0001"), is_file_name("../0001"), is_file_name("")
    (True, False, False)
    """
    return name not in ("", ".", "..") and not set(name) & set("/\\\0")


def _with_fields(item: Item, record: dict[str, Any]) -> Item:
    page_type, url = _field(record, "page_type"), _field(record, "url")
    if isinstance(page_type, dict):
        page_type = page_type.get("primary")
    return item._replace(
        url=url if isinstance(url, str) else None,
        page_type=page_type if isinstance(page_type, str) else None,
        metadata={name: value for name in _METADATA if (value := _field(record, name)) is not None},
    )


def _field(record: dict[str, Any], name: str) -> Any:
    """A field at the first level that has it; None where none does."""
    inner = (record.get(level) for level in _LEVELS)
    levels = [record, *(level for level in inner if isinstance(level, dict))]
    return next((level[name] for level in levels if level.get(name) is not None), None)


def _read(item: Item) -> Content | str:
    page = read_bytes(item.page)
    if page is None:
        return "unreadable page"
    if decode_strictly(page) is None:
        return "undecodable page"
    return Content(page, _UTF_8, str(item.gold))
