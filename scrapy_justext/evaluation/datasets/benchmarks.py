"""Benchmarks with pages in ``html/`` and a gold standard in JSON, an object a page.

WCXB, the Web Content eXtraction Benchmark, is UTF-8 by definition.  Its objects lie in ``gold.jsonl.gz`` (or
``gold.jsonl``), a line a page with its ``id``, or in the public layout's ``ground-truth/ID.json``.  The gold text,
``main_content``, is needed.  ``url``, ``page_type`` (a string, or an object with one as ``primary``), ``title``,
``with`` and ``without`` (snippets that must and must not be in the extracted text) may be there.  Each field is looked
for at the top level, then in the objects ``ground_truth`` and ``_internal``.

The article extraction benchmark has one file, ``ground-truth.json``: an object of an object an id, with the gold text
as ``articleBody`` and perhaps a ``url``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy_justext.evaluation.datasets import files
from scrapy_justext.evaluation.datasets.documents import Problem
from scrapy_justext.evaluation.datasets.encodings import UTF_8, decode_strictly
from scrapy_justext.evaluation.datasets.files import Content, Item, Listing, UnusableError
from scrapy_justext.exceptions import DataSetError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from scrapy_justext.evaluation.datasets.documents import DataSet

WCXB_FILES = ("gold.jsonl.gz", "gold.jsonl")
ARTICLE_FILE = "ground-truth.json"

_LEVELS = ("ground_truth", "_internal")
_METADATA = ("title", "with", "without")


def open_wcxb(path: Path) -> DataSet:
    """Open WCXB in a folder of either layout; raise :class:`DataSetError`."""
    return files.read_folder("wcxb", path, _find_wcxb, _read_wcxb)


def open_article_benchmark(path: Path) -> DataSet:
    """Open the article extraction benchmark in a folder; raise :class:`DataSetError`."""
    return files.read_folder("article-benchmark", path, _find_articles, _read_article)


def _find(path: Path, records: Mapping[str, Any], bad_records: Sequence[Problem], gold_field: str) -> Listing:
    """Return the pages in ``html/`` with their objects; ``bad_records``: what is wrong with other objects."""
    pages, problems = files.files_by_stem(files.sub_folder(path, "html"), (".html", ".html.gz"))
    golds = {name: text for name, record in records.items() if (text := _text(record, gold_field)) is not None}
    listing = files.pair(pages, golds)
    known = {problem.name for problem in bad_records}
    left_out = [problem for problem in listing.problems if problem.name not in known]
    items = [item._replace(url=_text(records[item.id], "url")) for item in listing.items]
    return Listing(items, [*problems, *bad_records, *left_out])


def _find_wcxb(path: Path) -> Listing:
    files.sub_folder(path, "html")
    records, problems = _wcxb_records(path)
    listing = _find(path, records, problems, "main_content")
    return listing._replace(items=[_with_fields(item, records[item.id]) for item in listing.items])


def _wcxb_records(path: Path) -> tuple[Mapping[str, Any], list[Problem]]:
    """Return the gold standard's objects by their ids, and what is wrong with the others."""
    for file in (path / name for name in WCXB_FILES):
        if file.is_file():
            content = files.read_bytes(file)
            if content is None:
                raise DataSetError("dataset", str(file), "cannot be read")
            records, _, problems = files.parse_lines(content, file.name, ())
            return records, problems
    if not (path / "ground-truth").is_dir():
        raise DataSetError("dataset", f"wcxb:{path}", f"has neither {WCXB_FILES[0]} nor a folder ground-truth")
    gold_files, problems = files.files_by_stem(path / "ground-truth", (".json",))
    found = {name: files.parse_object(files.read_bytes(file)) for name, file in gold_files.items()}
    problems += [Problem("unreadable gold", name) for name, record in found.items() if record is None]
    return {name: record for name, record in found.items() if record is not None}, problems


def _with_fields(item: Item, record: Any) -> Item:
    page_type = _field(record, "page_type")
    if isinstance(page_type, dict):
        page_type = page_type.get("primary")
    return item._replace(
        page_type=page_type if isinstance(page_type, str) else None,
        metadata={name: value for name in _METADATA if (value := _field(record, name)) is not None},
    )


def _field(record: Any, name: str) -> Any:
    """Return a field at the first level that has it; None where none does."""
    levels = [record, *(record.get(level) for level in _LEVELS)] if isinstance(record, dict) else []
    return next((level[name] for level in levels if isinstance(level, dict) and level.get(name) is not None), None)


def _text(record: Any, name: str) -> str | None:
    value = _field(record, name)
    return value if isinstance(value, str) else None


def _read_wcxb(item: Item) -> Content:
    page = item.read_page()
    if decode_strictly(page) is None:
        raise UnusableError("undecodable page")
    return Content(page, UTF_8, str(item.gold))


def _find_articles(path: Path) -> Listing:
    content = files.read_bytes(path / ARTICLE_FILE)
    if content is None:
        raise DataSetError("dataset", f"article-benchmark:{path}", f"has no {ARTICLE_FILE}")
    records = files.parse_object(content)
    if records is None:
        raise DataSetError("dataset", f"article-benchmark:{path}", f"{ARTICLE_FILE} is not a JSON object in UTF-8")
    problems = [Problem("bad id", name) for name in records if not files.is_file_name(name)]
    named = {name: record for name, record in records.items() if files.is_file_name(name)}
    return _find(path, named, problems, "articleBody")


def _read_article(item: Item) -> Content:
    page = item.read_page()
    return Content(page, item.find_encoding(page), str(item.gold))
