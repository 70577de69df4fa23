"""The user's marks of blocks, kept in a file that the evaluation framework reads as the data set ``marks:PATH``.

A mark says whether a block is content.  It stays true whatever class the block has under some settings.  The file is
JSON Lines in UTF-8, with an object for each page that has marks:

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
from typing import TYPE_CHECKING, Any

from lxml import etree

from scrapy_justext.exceptions import InspectionError
from scrapy_justext.files import PRIVATE, check_writable, explaining, write_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from scrapy_justext.core.extraction import Block, Extraction
    from scrapy_justext.inspection.pages import InspectedPage

#: A block by its text, and how many blocks of the same text come before it.  It stays the same under other settings,
#: even where these cut the page in another way.
BlockKey = tuple[str, int]

#: Whether each marked block of a page is content.
PageMarks = dict[BlockKey, bool]

#: When a file was written, how long it is, and its inode.
_Stamp = tuple[int, int, int]

#: Characters of a page's address or name that stand in its id.
_READABLE_CHARACTERS = 40


class MarksFile:
    """The marks in a file, which is read again only where somebody else has written it.

    Raises :class:`InspectionError` for a file that holds something else, and for one that cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._stamp: _Stamp | None = None
        self._lines: dict[str, bytes] = {}
        self._marks: dict[str, PageMarks] = {}
        with explaining(path, "written", InspectionError):
            check_writable(path)
        self._refresh()

    def of(self, name: str) -> Mapping[BlockKey, bool]:
        """Return the marks of a page by its id."""
        return self._marks.get(name, {})

    def mark(self, name: str, page: InspectedPage, extraction: Extraction, key: BlockKey, good: bool | None) -> None:
        """Mark a block of a page, or take its mark away where ``good`` is None, and write the file.

        A page without marks is not in the file, which is whole at any time.
        Raises :class:`InspectionError` where it cannot be written: then nothing is marked either.
        Not for two threads at once; :meth:`of` may be called meanwhile.
        """
        self._refresh()
        marks = {marked: value for marked, value in self.of(name).items() if marked != key}
        if good is not None:
            marks[key] = good
        lines = {other: line for other, line in self._lines.items() if other != name}
        if marks:
            lines[name] = _line(
                {
                    "id": name,
                    "name": page.name,
                    "url": page.url,
                    "html": page_html(page),
                    "gold": gold_text(extraction, marks),
                    "marks": [{"text": text, "nth": nth, "good": value} for (text, nth), value in marks.items()],
                }
            )
        with explaining(self.path, "written", InspectionError):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self.path, b"".join(lines.values()), PRIVATE)
            self._stamp = _stamp_of(self.path)
        self._lines = lines
        self._marks = {**self._marks, name: marks}

    def _refresh(self) -> None:
        with explaining(self.path, "read", InspectionError):
            stamp = _stamp_of(self.path)
        if stamp != self._stamp:
            records = _read(self.path)
            self._lines = {name: _line(record) for name, record in records.items()}
            self._marks = {
                name: {(mark["text"], mark["nth"]): mark["good"] for mark in record["marks"]}
                for name, record in records.items()
            }
            self._stamp = stamp


def block_keys(blocks: Iterable[Block]) -> list[BlockKey]:
    """Return the key of each block."""
    seen: dict[str, int] = {}
    keys = []
    for block in blocks:
        text = block.text
        seen[text] = nth = seen.get(text, -1) + 1
        keys.append((text, nth))
    return keys


def page_id(page: InspectedPage) -> str:
    """Return the id of a page, always the same; it can be a file's name, and begins with a part of the address."""
    readable = re.sub(r"[^a-z0-9]+", "-", (page.url or page.name).lower().removeprefix("https://"))
    source = page.url or page_html(page)
    digest = hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"{readable[-_READABLE_CHARACTERS:].strip('-')}-{digest}".lstrip("-")


def page_html(page: InspectedPage) -> str:
    """Return a page as it was parsed; nothing for one with nothing to parse."""
    root = page.parsed.root
    return "" if root is None else etree.tostring(root.getroottree(), encoding="unicode", method="html")


def gold_text(extraction: Extraction, marks: Mapping[BlockKey, bool]) -> str:
    """Join the blocks that marks make good, and of those without a mark the good ones, by blank lines."""
    keyed = zip(block_keys(extraction.blocks), extraction.blocks, strict=True)
    return "\n\n".join(block.text for key, block in keyed if block.text and marks.get(key, block.is_good))


def _read(path: Path) -> dict[str, dict[str, Any]]:
    with explaining(path, "read", InspectionError):
        try:
            lines = path.read_bytes().split(b"\n")
        except FileNotFoundError:
            return {}
    records = {}
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                record = json.loads(line)
            except (ValueError, RecursionError):
                record = None
            if not _has_types(record, {"id": str, "marks": list}) or not all(
                _has_types(mark, {"text": str, "nth": int, "good": bool}) for mark in record["marks"]
            ):
                raise InspectionError(str(path), f"line {number} holds no marks of a page")
            records[record["id"]] = record
    return records


def _has_types(value: Any, types: Mapping[str, type]) -> bool:
    """Return True if a value is an object with values of some types, by their keys."""
    return isinstance(value, dict) and all(isinstance(value.get(name), kind) for name, kind in types.items())


def _line(record: Mapping[str, Any]) -> bytes:
    # UTF-8 has no lone surrogates.
    return json.dumps(record, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _stamp_of(path: Path) -> _Stamp | None:
    """Return what changes whenever a file is written; None where there is no file."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
