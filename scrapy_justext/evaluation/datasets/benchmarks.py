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
from typing import TYPE_CHECKING, Any, cast

from scrapy_justext.evaluation.datasets import files
from scrapy_justext.evaluation.datasets.documents import Problem, Snippets
from scrapy_justext.evaluation.datasets.encodings import UTF_8, decode_strictly
from scrapy_justext.evaluation.datasets.files import Content, Item, Listing, UnusableError
from scrapy_justext.exceptions import DataSetError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from scrapy_justext.evaluation.datasets.documents import DataSet

WCXB_FILES = ("gold.jsonl.gz", "gold.jsonl")
ARTICLE_FILE, MAGIC_FILE, TRAFILATURA_FILE = "ground-truth.json", "base.json", "evaldata.json"
#: trafilatura looks for a page in both, in this order.
TRAFILATURA_FOLDERS = ("cache", "eval")
#: Names of folders that tell what the pages in them are.
MAGIC_TYPES = ("article", "forum")

_LEVELS = ("ground_truth", "_internal")
_METADATA = ("title", "with", "without")


def open_wcxb(path: Path) -> DataSet:
    """Open WCXB in a folder of either layout; raise :class:`DataSetError`."""
    return files.read_folder("wcxb", path, _find_wcxb, _read_wcxb)


def open_labelled(path: Path) -> DataSet:
    """Open pages in WCXB's layout that are in encodings of their own; raise :class:`DataSetError`."""
    return files.read_folder("labelled", path, _find_wcxb, _read_in_own_encoding)


def open_article_benchmark(path: Path) -> DataSet:
    """Open the article extraction benchmark in a folder; raise :class:`DataSetError`."""
    return files.read_folder("article-benchmark", path, _find_articles, _read_in_own_encoding)


def open_magic_html(path: Path) -> DataSet:
    """Open magic-html's benchmark, or a part of it, in a folder; raise :class:`DataSetError`."""
    return files.read_folder("magic-html", path, _find_magic, _read_wcxb)


def open_trafilatura(path: Path) -> DataSet:
    """Open trafilatura's benchmark in a folder; raise :class:`DataSetError`."""
    return files.read_folder("trafilatura", path, _find_snippets, _read_snippets)


def _find(
    path: Path, records: Mapping[str, Any], bad_records: Sequence[Problem], gold_field: str, folder: str = "html"
) -> Listing:
    """Return the pages of a folder with their objects; ``bad_records``: what is wrong with other objects."""
    pages, problems = files.files_by_stem(files.sub_folder(path, folder), (".html", ".html.gz"))
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
    records, problems = _by_file_name(_read_object("article-benchmark", path, ARTICLE_FILE))
    return _find(path, records, problems, "articleBody")


def _read_in_own_encoding(item: Item) -> Content:
    page = item.read_page()
    return Content(page, item.find_encoding(page), str(item.gold))


def _read_object(kind: str, path: Path, name: str) -> dict[str, Any]:
    """Return the object of objects in a file; raise :class:`DataSetError`."""
    content = files.read_bytes(path / name)
    if content is None:
        raise DataSetError("dataset", f"{kind}:{path}", f"has no {name}")
    records = files.parse_object(content)
    if records is None:
        raise DataSetError("dataset", f"{kind}:{path}", f"{name} is not a JSON object in UTF-8")
    return records


def _by_file_name(records: Mapping[str, Any]) -> tuple[dict[str, Any], list[Problem]]:
    """Return the objects whose ids can name files; the others are problems."""
    named = {name: record for name, record in records.items() if files.is_file_name(name)}
    return named, [Problem("bad id", name) for name in records if name not in named]


def _find_magic(path: Path) -> Listing:
    parts = [path] if (path / MAGIC_FILE).is_file() else sorted(file.parent for file in path.glob(f"*/{MAGIC_FILE}"))
    listings = [_find_magic_part(part) for part in parts or [path]]
    found = [item for listing in listings for item in listing.items]
    items = {item.id: item for item in reversed(found)}
    duplicates = (item.page for item in found if items[item.id] is not item)
    problems = [
        *(problem for listing in listings for problem in listing.problems),
        *(Problem("duplicate", str(page.relative_to(path))) for page in duplicates),
    ]
    return Listing([*items.values()], problems)


def _find_magic_part(path: Path) -> Listing:
    records, problems = _by_file_name(_read_object("magic-html", path, MAGIC_FILE))
    listing = _find(path, records, problems, "content", "htmls")
    page_type = path.name if path.name in MAGIC_TYPES else None
    return listing._replace(items=[item._replace(page_type=page_type) for item in listing.items])


def _find_snippets(path: Path) -> Listing:
    items: dict[str, Item] = {}
    problems: list[Problem] = []
    for url, record in _read_object("trafilatura", path, TRAFILATURA_FILE).items():
        name = _text(record, "file") or ""
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


def _read_snippets(item: Item) -> Content:
    page, texts = item.read_page(), item.metadata
    snippets = Snippets(*(tuple(cast("list[str]", texts[field])) for field in ("with", "without")))
    return Content(page, item.find_encoding(page), "", snippets=snippets)
