"""What a user marked in the tuner of ``scrapy justext PAGE --serve``: a file of JSON Lines in UTF-8, an object a page.

``id``, the page's ``html`` and its content as ``gold`` are needed; ``url`` and ``name`` may be there.  How the
content comes about is told in :mod:`scrapy_justext.inspection.tuner.marks`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from scrapy_justext.evaluation.datasets.encodings import UTF_8
from scrapy_justext.evaluation.datasets.files import (
    Content,
    Item,
    Listing,
    open_lines,
    parse_lines,
    read_listing,
    read_record,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from scrapy_justext.evaluation.datasets.documents import DataSet

_TEXTS = ("html", "gold")


def open_marks(path: Path) -> DataSet:
    """Open a file of marked pages; raise :class:`DataSetError`."""
    records, starts, problems = parse_lines(open_lines("marks", path), path.name, _TEXTS)
    items = [Item(name, path, record["gold"]) for name, record in records.items()]
    return read_listing("marks", path, Listing(items, problems), partial(_read_mark, starts))


def _read_mark(starts: Mapping[str, int], item: Item) -> Content:
    """Read a page from its line; ``starts``: where in the file the lines of the ids begin."""
    record = read_record(item, starts, _TEXTS)
    url, name = (value if isinstance(value := record.get(field), str) else None for field in ("url", "name"))
    metadata = {} if name is None else {"name": name}
    return Content(record["html"].encode("utf-8", "replace"), UTF_8, record["gold"], url, metadata)
