"""Two folders of one's own: ``input/`` or ``html/`` with pages, ``gold/`` with texts of the same names.

Pages end in ``.html``, ``.htm`` or ``.html.gz``; texts in ``.txt``, which is UTF-8 or opens with a byte order mark.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_justext.evaluation.datasets.files import (
    Content,
    Item,
    Listing,
    decode_strictly,
    find_encoding,
    find_pairs,
    read_bytes,
    read_folder,
    sub_folder,
)

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_justext.evaluation.datasets.documents import DataSet

PAGE_SUFFIXES = (".html", ".htm", ".html.gz", ".htm.gz")


def open_pairs(path: Path) -> DataSet:
    """The data set in a folder.  Raises :class:`DataSetError`."""
    return read_folder("pairs", path, _find, _read)


def _find(path: Path) -> Listing:
    return find_pairs(sub_folder(path, "input", "html"), PAGE_SUFFIXES, sub_folder(path, "gold"), (".txt",))


def _read(item: Item) -> Content | str:
    page, gold = read_bytes(item.page), read_bytes(item.gold) if not isinstance(item.gold, str) else None
    if page is None or gold is None:
        return "unreadable page" if page is None else "unreadable gold"
    encoding = item.encoding or find_encoding(page)
    if encoding is None:
        return "undecodable page"
    text = decode_strictly(gold)
    return "undecodable gold" if text is None else Content(page, encoding, text)
