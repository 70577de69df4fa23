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
import os
import re
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lxml import etree

from scrapy_justext.exceptions import InspectionError
from scrapy_justext.inspection.tuner.judging import block_keys

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from scrapy_justext.extraction import Extraction
    from scrapy_justext.inspection.pages import Inspected
    from scrapy_justext.inspection.tuner.judging import BlockKey

#: Whether each marked block of a page is content.
PageMarks = dict["BlockKey", bool]

_LONGEST_SLUG = 40


def read_marks(path: Path) -> dict[str, PageMarks]:
    """The marks of the pages in a file by their ids, none where there is no file.

    Raises :class:`InspectionError` for a file that is none of marks.
    """
    return {name: _marks_of(record) for name, record in _read(path).items()}


def write_marks(path: Path, page: Inspected, extraction: Extraction, marks: PageMarks) -> None:
    """Put a page's marks into a file, the other pages' as they are; without marks the page is taken out.

    The file is whole at any time.  Raises :class:`InspectionError` where it cannot be written.
    """
    records = _read(path)
    name = page_id(page)
    records.pop(name, None)
    if marks:
        records[name] = _record(page, extraction, marks)
    lines = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records.values())
    try:
        # A lone surrogate is none of UTF-8's characters.
        _replace(path, lines.encode("utf-8", "replace"))
    except OSError as error:
        raise InspectionError(str(path), f"cannot be written: {error.strerror}") from error


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
        "id": page_id(page),
        "name": page.name,
        "url": page.url,
        "html": page_html(page),
        "gold": gold_text(extraction, marks),
        "marks": [{"text": text, "nth": nth, "good": good} for (text, nth), good in marks.items()],
    }


def _read(path: Path) -> dict[str, dict[str, Any]]:
    try:
        lines = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise InspectionError(str(path), f"cannot be read: {error.strerror}") from error
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


def _replace(path: Path, content: bytes) -> None:
    """Write a file beside the one that is there, and put it in its place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise
