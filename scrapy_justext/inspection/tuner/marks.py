"""What a user says of blocks, kept in a file that the evaluation framework reads as the data set ``marks:PATH``.

A mark says whether a block is content, whatever class it has under some settings.  The file is JSON Lines in UTF-8, an
object a page that has marks:

===========  ===========================================================================================
``id``       of the page, from its URL, or where it has none from its HTML
``name``     of the page, as the user gave it
``url``      of the page, or null
``html``     the page
``gold``     its content: the blocks that the marks make good, and of the others those that were good
             under the settings when the last mark was made
``marks``    objects with a block's ``text``, ``nth`` (how many of the same text come before it on the
             page) and whether it is ``good``
===========  ===========================================================================================
"""

from __future__ import annotations

import hashlib
import json
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from lxml import etree

from scrapy_justext.exceptions import InspectionError
from scrapy_justext.files import PRIVATE, check_writable, write_whole
from scrapy_justext.inspection.tuner.judging import block_keys

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from scrapy_justext.core.extractor import Extraction
    from scrapy_justext.inspection.pages import Inspected
    from scrapy_justext.inspection.tuner.judging import BlockKey

#: Whether each marked block of a page is content.
PageMarks = dict["BlockKey", bool]

#: When a file was written, how long it is, and which one.
_Stamp = tuple[int, int, int]

_LONGEST_SLUG = 40


def read_marks(path: Path) -> dict[str, PageMarks]:
    """The marks of the pages in a file by their ids, none where there is no file.

    Raises :class:`InspectionError` for a file that is none of marks.
    """
    return {name: _marks_of(record) for name, record in _read(path).items()}


class MarksFile:
    """The marks in a file, which is read again only where somebody else has written it.

    Raises :class:`InspectionError` for a file that is none of marks, and for one that cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._seen: _Stamp | None = None
        self._lines: dict[str, bytes] = {}
        self._marks: dict[str, PageMarks] = {}
        with _told(path, "written"):
            check_writable(path)
        self._refresh()

    def of(self, name: str) -> Mapping[BlockKey, bool]:
        """The marks of a page by its id."""
        return self._marks.get(name, {})

    def mark(self, name: str, page: Inspected, extraction: Extraction, key: BlockKey, good: bool | None) -> None:
        """Mark a block of a page, or take its mark away, and write that; a page without marks is not in the file.

        The file is whole at any time.  Raises :class:`InspectionError` where it cannot be written: then nothing is
        marked either.  Not for two threads at once; :meth:`of` may be called meanwhile.
        """
        self._refresh()
        marks = {one: value for one, value in self.of(name).items() if one != key}
        if good is not None:
            marks[key] = good
        lines = {one: line for one, line in self._lines.items() if one != name}
        if marks:
            lines[name] = _line({"id": name, **_record(page, extraction, marks)})
        with _told(self.path, "written"):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self.path, b"".join(lines.values()), PRIVATE)
            self._seen = _stamp(self.path)
        self._lines = lines
        self._marks = {**self._marks, name: marks}

    def _refresh(self) -> None:
        with _told(self.path, "read"):
            seen = _stamp(self.path)
        if seen != self._seen:
            records = _read(self.path)
            self._lines = {name: _line(record) for name, record in records.items()}
            self._marks = {name: _marks_of(record) for name, record in records.items()}
            self._seen = seen


def page_id(page: Inspected) -> str:
    """What tells a page from others, also when it is looked at another time; usable as a file name.

    A part of its address or name that can be read stands before a digest.
    """
    readable = re.sub(r"[^a-z0-9]+", "-", (page.url or page.name).lower().removeprefix("https://"))
    source = page.url or page_html(page)
    digest = hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"{readable[-_LONGEST_SLUG:].strip('-')}-{digest}".lstrip("-")


def page_html(page: Inspected) -> str:
    """A page as it was parsed; empty for one with nothing to parse."""
    root = page.parsed.root
    return "" if root is None else etree.tostring(root.getroottree(), encoding="unicode", method="html")


def gold_text(extraction: Extraction, marks: Mapping[BlockKey, bool]) -> str:
    """The blocks that marks make good, and of those without a mark the good ones, with a blank line between them."""
    keyed = zip(block_keys(extraction.blocks), extraction.blocks, strict=True)
    return "\n\n".join(block.text for key, block in keyed if block.text and marks.get(key, block.is_good))


def _record(page: Inspected, extraction: Extraction, marks: PageMarks) -> dict[str, Any]:
    return {
        "name": page.name,
        "url": page.url,
        "html": page_html(page),
        "gold": gold_text(extraction, marks),
        "marks": [{"text": text, "nth": nth, "good": good} for (text, nth), good in marks.items()],
    }


def _read(path: Path) -> dict[str, dict[str, Any]]:
    with _told(path, "read"):
        try:
            lines = path.read_bytes().split(b"\n")
        except FileNotFoundError:
            return {}
    records = {}
    for number, line in enumerate(lines, 1):
        if line.strip():
            record = _parse(line)
            if record is None:
                raise InspectionError(str(path), f"line {number} holds no marks of a page")
            records[record["id"]] = record
    return records


def _parse(line: bytes) -> dict[str, Any] | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    is_sound = isinstance(record, dict) and isinstance(record.get("id"), str) and _are_marks(record.get("marks"))
    return record if is_sound else None


def _are_marks(value: object) -> bool:
    kinds = (("text", str), ("nth", int), ("good", bool))
    return isinstance(value, list) and all(
        isinstance(mark, dict) and all(isinstance(mark.get(name), kind) for name, kind in kinds) for mark in value
    )


def _marks_of(record: Mapping[str, Any]) -> PageMarks:
    marks: Iterable[dict[str, Any]] = record["marks"]
    return {(mark["text"], mark["nth"]): mark["good"] for mark in marks}


def _line(record: Mapping[str, Any]) -> bytes:
    # A lone surrogate is none of UTF-8's characters.
    return json.dumps(record, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _stamp(path: Path) -> _Stamp | None:
    """What is another one after a file was written; None: there is no file."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


@contextmanager
def _told(path: Path, how: str) -> Iterator[None]:
    """Turn what the system says into :class:`InspectionError`."""
    try:
        yield
    except OSError as error:
        raise InspectionError(str(path), f"cannot be {how}: {error.strerror}") from error
