"""Benchmarks with pages in a folder of their own and a gold standard in JSON, an object a page.

WCXB, the Web Content eXtraction Benchmark, is UTF-8 by definition.  Its objects lie in ``gold.jsonl.gz`` (or
``gold.jsonl``), a line a page with its ``id``, or in the public layout's ``ground-truth/ID.json``.  The gold text,
``main_content``, is needed.  ``url``, ``page_type`` (a string, or an object with one as ``primary``), ``title``,
``with`` and ``without`` (snippets that must and must not be in the extracted text) may be there.  Each field is looked
for at the top level, then in the objects ``ground_truth`` and ``_internal``.  Other sets have the same layout, with
pages as they were fetched, in encodings of their own: ``labelled``.

The others have one file with an object of an object a page:

* The article extraction benchmark: pages in ``html/``, and ``ground-truth.json``, by ids, with the gold text as
  ``articleBody`` and perhaps a ``url``.
* magic-html's benchmark: pages, UTF-8 whatever they declare, in ``htmls/``, and ``base.json``, by ids, with ``content``
  and perhaps a ``url``; in one folder, or in several beside one another, ``article`` and ``forum``, whose names are the
  page types.
* trafilatura's: pages in ``eval/`` or ``cache/``, and ``evaldata.json``, by addresses, with the name of a page as
  ``file``.  It has no gold texts but :class:`~scrapy_justext.evaluation.datasets.documents.Snippets`: ``with`` and
  ``without``, lists of texts.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from scrapy_justext.evaluation.datasets import files
from scrapy_justext.evaluation.datasets.documents import Problem, Snippets
from scrapy_justext.evaluation.datasets.encodings import UTF_8, decode_strictly
from scrapy_justext.evaluation.datasets.files import Item, Listing, UnusableError, parse_lines, text_of
from scrapy_justext.exceptions import DataSetError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from scrapy_justext.evaluation.datasets.documents import Document

WCXB_FILES = ("gold.jsonl.gz", "gold.jsonl")
ARTICLE_FILE, MAGIC_FILE, TRAFILATURA_FILE = "ground-truth.json", "base.json", "evaldata.json"
#: trafilatura looks for a page in both, in this order.
TRAFILATURA_FOLDERS = ("cache", "eval")
#: Names of folders that tell what the pages in them are.
MAGIC_TYPES = ("article", "forum")

_LEVELS = ("ground_truth", "_internal")
_METADATA = ("title", "with", "without")


def read_utf8(item: Item) -> Document:
    """Read a page that is UTF-8 whatever it declares."""
    page = item.read_page()
    if decode_strictly(page) is None:
        raise UnusableError("undecodable page")
    return item.make_document(page, str(item.gold), UTF_8)


def read_in_own_encoding(item: Item) -> Document:
    """Read a page whose encoding has to be found."""
    return item.make_document(item.read_page(), str(item.gold))


def _field(record: Any, name: str) -> Any:
    """Return a field at the first level that has it; None where none does."""
    levels = [record, *(record.get(level) for level in _LEVELS)] if isinstance(record, dict) else []
    return next((level[name] for level in levels if isinstance(level, dict) and level.get(name) is not None), None)


def _find(
    path: Path, records: Mapping[str, Any], bad_records: Sequence[Problem], gold_field: str, folder: str = "html"
) -> Listing:
    """Return the pages of a folder with their objects; ``bad_records``: what is wrong with other objects."""
    pages, problems = files.files_by_stem(files.sub_folder(path, folder), (".html", ".html.gz"))
    golds = {name: gold for name, record in records.items() if isinstance(gold := _field(record, gold_field), str)}
    listing = files.pair(pages, golds)
    known = {problem.name for problem in bad_records}
    left_out = [problem for problem in listing.problems if problem.name not in known]
    items = [item._replace(url=text_of(_field(records[item.id], "url"))) for item in listing.items]
    return Listing(items, [*problems, *bad_records, *left_out])


def find_wcxb(path: Path) -> Listing:
    """Find the pages of either layout, their types and whatever else is known; raise :class:`DataSetError`."""
    files.sub_folder(path, "html")
    records, problems = _wcxb_records(path)
    listing = _find(path, records, problems, "main_content")
    items = []
    for item in listing.items:
        fields = {name: _field(records[item.id], name) for name in ("page_type", *_METADATA)}
        page_type = fields.pop("page_type")
        page_type = page_type.get("primary") if isinstance(page_type, dict) else page_type
        metadata = {name: value for name, value in fields.items() if value is not None}
        items.append(item._replace(page_type=text_of(page_type), metadata=metadata))
    return listing._replace(items=items)


def _wcxb_records(path: Path) -> tuple[Mapping[str, Any], list[Problem]]:
    """Return the gold standard's objects by their ids, and what is wrong with the others."""
    for file in (path / name for name in WCXB_FILES):
        if file.is_file():
            content = files.read_bytes(file)
            if content is None:
                raise DataSetError("dataset", str(file), "cannot be read")
            lines = parse_lines(content, file.name)
            return lines.objects, lines.problems
    if not (path / "ground-truth").is_dir():
        raise DataSetError("dataset", str(path), f"has neither {WCXB_FILES[0]} nor a folder ground-truth")
    gold_files, problems = files.files_by_stem(path / "ground-truth", (".json",))
    found = {name: files.parse_object(files.read_bytes(file)) for name, file in gold_files.items()}
    problems += [Problem("unreadable gold", name) for name, record in found.items() if record is None]
    return {name: record for name, record in found.items() if record is not None}, problems


def _read_object(path: Path, name: str) -> dict[str, Any]:
    """Return the object of objects in a file; raise :class:`DataSetError`."""
    content = files.read_bytes(path / name)
    if content is None:
        raise DataSetError("dataset", str(path), f"has no {name}")
    records = files.parse_object(content)
    if records is None:
        raise DataSetError("dataset", str(path), f"{name} is not a JSON object in UTF-8")
    return records


def _find_by_id(file: str, gold_field: str, folder: str, path: Path) -> Listing:
    """Return the pages of a folder whose objects are in one file, by ids that can name files."""
    records = _read_object(path, file)
    named = {name: record for name, record in records.items() if files.is_file_name(name)}
    return _find(path, named, [Problem("bad id", name) for name in records if name not in named], gold_field, folder)


find_articles = partial(_find_by_id, ARTICLE_FILE, "articleBody", "html")


def find_magic(path: Path) -> Listing:
    """Find the pages of magic-html's benchmark, or of a part of it; raise :class:`DataSetError`."""
    parts = [path] if (path / MAGIC_FILE).is_file() else sorted(file.parent for file in path.glob(f"*/{MAGIC_FILE}"))
    items: dict[str, Item] = {}
    problems: list[Problem] = []
    for part in parts or [path]:
        listing = _find_by_id(MAGIC_FILE, "content", "htmls", part)
        problems += listing.problems
        for item in listing.items:
            if item.id in items:
                problems.append(Problem("duplicate", str(item.page.relative_to(path))))
            else:
                items[item.id] = item._replace(page_type=part.name if part.name in MAGIC_TYPES else None)
    return Listing([*items.values()], problems)


def find_snippets(path: Path) -> Listing:
    """Find the pages of trafilatura's benchmark; raise :class:`DataSetError`."""
    items: dict[str, Item] = {}
    problems: list[Problem] = []
    for url, record in _read_object(path, TRAFILATURA_FILE).items():
        name = text_of(_field(record, "file")) or ""
        texts = {field: _field(record, field) for field in ("with", "without")}
        page = next((file for folder in TRAFILATURA_FOLDERS if (file := path / folder / name).is_file()), None)
        item_id = re.sub(r"\.html?$", "", name)
        if not files.is_file_name(item_id):
            problems.append(Problem("bad id", url))
        elif item_id in items:
            problems.append(Problem("duplicate", url))
        elif not all(_are_texts(value) for value in texts.values()) or not any(texts.values()):
            problems.append(Problem("unreadable gold", url))
        elif page is None:
            problems.append(Problem("no page", url))
        else:
            items[item_id] = Item(item_id, page, "", url, metadata=texts)
    return Listing([*items.values()], problems)


def _are_texts(value: object) -> bool:
    """Return whether a value is a list of texts that are not blank: a blank one is in every extraction."""
    return isinstance(value, list) and all(isinstance(text, str) and text.strip() for text in value)


def read_snippets(item: Item) -> Document:
    """Read a page, which has snippets in the place of a gold text."""
    snippets = Snippets(*(tuple(cast("list[str]", item.metadata[field])) for field in ("with", "without")))
    return item.make_document(item.read_page(), "", snippets=snippets)
