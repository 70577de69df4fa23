"""The article extraction benchmark: ``ground-truth.json`` and ``html/ID.html.gz``.

The one file is an object of an object an id, with the gold text as ``articleBody`` and perhaps a ``url``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy_justext.evaluation.datasets.documents import Problem
from scrapy_justext.evaluation.datasets.files import (
    Content,
    Item,
    Listing,
    files_by_stem,
    find_encoding,
    pair,
    read_bytes,
    read_folder,
    sub_folder,
)
from scrapy_justext.evaluation.datasets.wcxb import is_file_name, parse_object
from scrapy_justext.exceptions import DataSetError

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_justext.evaluation.datasets.documents import DataSet

GOLD_FILE = "ground-truth.json"


def open_article_benchmark(path: Path) -> DataSet:
    """The data set in a folder.  Raises :class:`DataSetError`."""
    return read_folder("article-benchmark", path, _find, _read)


def _find(path: Path) -> Listing:
    content = read_bytes(path / GOLD_FILE)
    if content is None:
        raise DataSetError("dataset", f"article-benchmark:{path}", f"has no {GOLD_FILE}")
    records = parse_object(content)
    if records is None:
        raise DataSetError("dataset", f"article-benchmark:{path}", f"{GOLD_FILE} is not a JSON object in UTF-8")
    pages, problems = files_by_stem(sub_folder(path, "html"), (".html", ".html.gz"))
    bad = [Problem("bad id", name) for name in records if not is_file_name(name)]
    golds: dict[str, Path | str] = {
        name: text for name, record in records.items() if is_file_name(name) and (text := _body(record)) is not None
    }
    listing = pair(pages, golds)
    items = [item._replace(url=_url(records[item.id])) for item in listing.items]
    return Listing(items, [*problems, *bad, *listing.problems])


def _body(record: Any) -> str | None:
    body = record.get("articleBody") if isinstance(record, dict) else None
    return body if isinstance(body, str) else None


def _url(record: dict[str, Any]) -> str | None:
    url = record.get("url")
    return url if isinstance(url, str) else None


def _read(item: Item) -> Content | str:
    page = read_bytes(item.page)
    if page is None:
        return "unreadable page"
    encoding = item.encoding or find_encoding(page)
    return "undecodable page" if encoding is None else Content(page, encoding, str(item.gold))
