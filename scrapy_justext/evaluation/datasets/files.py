"""How pages and gold standards on disk become a data set.

A kind of data set has two functions.  One finds its pairs of page and gold standard as :class:`Item`, with what is left
out.  The other reads a pair; it raises :class:`UnusableError` with the kind of the problem where it cannot.  Each pair
is read once when the data set is opened, to know the page's encoding and the digest, and again whenever its document is
asked for.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import zlib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_justext.evaluation.datasets.documents import DataSet, Document, Problem
from scrapy_justext.evaluation.datasets.encodings import UTF_8, Encoding, decode_strictly, find_encoding
from scrapy_justext.evaluation.kinds import whole_text
from scrapy_justext.exceptions import DataSetError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

PAGE_SUFFIXES = (".html", ".htm", ".html.gz", ".htm.gz")


class UnusableError(Exception):
    """A pair that cannot be used; its only argument is the kind of the :class:`Problem`."""


class Item(NamedTuple):
    """Where a page and its gold standard lie."""

    id: str
    page: Path
    gold: Path | str
    """A file, or the text itself where one file holds that of all pages."""
    url: str | None = None
    page_type: str | None = None
    metadata: Mapping[str, object] = {}
    encoding: Encoding | None = None
    """Known once the page has been read."""
    start: int = 0
    """Where its line begins, in a file with a line for each page."""

    def read_page(self) -> bytes:
        """Return the page as it is on disk; raise :class:`UnusableError`."""
        return _read_file(self.page, "unreadable page")

    def read_gold(self) -> bytes:
        """Return the gold standard as it is on disk; raise :class:`UnusableError`."""
        return self.gold.encode() if isinstance(self.gold, str) else _read_file(self.gold, "unreadable gold")

    def decode_gold(self) -> str:
        """Return the gold standard, which is UTF-8 or opens with a byte order mark; raise :class:`UnusableError`."""
        gold = decode_strictly(self.read_gold())
        if gold is None:
            raise UnusableError("undecodable gold")
        return gold

    def find_encoding(self, page: bytes, declared: str | None = None) -> Encoding:
        """Return the page's encoding; raise :class:`UnusableError` where it is no text."""
        encoding = self.encoding or find_encoding(page, declared)
        if encoding is None:
            raise UnusableError("undecodable page")
        return encoding

    def make_document(self, page: bytes, gold: str, encoding: Encoding | None = None, **others: Any) -> Document:
        """Return the document; ``others``: fields of it that only some kinds have."""
        known = encoding or self.find_encoding(page)
        return Document(self.id, page, *known, gold, self.url, self.page_type, self.metadata, **others)


class Listing(NamedTuple):
    """The pairs in a folder, and what was left out."""

    items: Sequence[Item]
    problems: Sequence[Problem]


#: Finds the pairs at a data set's path; raises :class:`DataSetError` where its layout is another one.
Lister = Callable[["Path"], Listing]
#: Reads a pair; raises :class:`UnusableError`.  Where the gold standard is Markdown it leaves the plain text to others.
Reader = Callable[[Item], Document]


def read_data_set(kind: str, find: Lister, read: Reader, path: Path) -> DataSet:
    """Return the data set at a path.

    Raise :class:`DataSetError` where there is none, and where no page has its gold standard.
    """
    listing = find(path)
    problems = list(listing.problems)
    digest = hashlib.sha256()
    items: dict[str, Item] = {}
    for item in sorted(listing.items, key=lambda item: natural_key(item.id)):
        try:
            document = read(item)
        except UnusableError as error:
            problems.append(Problem(str(error), item.id))
            continue
        encoding = Encoding(document.encoding, document.encoding_origin, document.encoding_confidence)
        items[item.id] = item._replace(encoding=encoding)
        gold = document.gold if document.markdown is None else document.markdown
        gold = gold if document.snippets is None else json.dumps(document.snippets)
        for part in (item.id.encode(), document.html, gold.encode()):
            digest.update(b"%d:" % len(part) + part)
    if not items:
        kinds = sorted(Counter(problem.kind for problem in problems).items())
        left_out = "".join(f", {count} {kind}" for kind, count in kinds)
        raise DataSetError("dataset", f"{kind}:{path}", f"holds no page with its gold standard{left_out}")
    load = partial(_load, read, items)
    return DataSet(kind, path, path.resolve().name, tuple(items), load, tuple(problems), digest.hexdigest())


def _load(read: Reader, items: Mapping[str, Item], document_id: str) -> Document:
    """Read a document from disk; raise :class:`DataSetError` where the files are no longer what they were."""
    item = items[document_id]
    try:
        document = read(item)
    except UnusableError as error:
        changed = f"{document_id} has changed since it was opened: {error}"
        raise DataSetError("dataset", str(item.page), changed) from error
    return document if document.markdown is None else replace(document, gold=whole_text(document.markdown))


def natural_key(name: str) -> list[tuple[int, int, str]]:
    """Sort numbers in names by their values, before letters.

    >>> sorted(["10", "9", "a10", "a9"], key=natural_key)
    ['9', '10', 'a9', 'a10']
    """
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in re.split(r"(\d+)", name) if part]


def sub_folder(path: Path, *names: str) -> Path:
    """Return the first of some folders that a folder has; raise :class:`DataSetError` when it has none."""
    if not path.is_dir():
        raise DataSetError("dataset", str(path), "no such folder")
    for name in names:
        if (path / name).is_dir():
            return path / name
    raise DataSetError("dataset", str(path), f"has no folder {' or '.join(names)}")


def files_by_stem(folder: Path, suffixes: Iterable[str]) -> tuple[dict[str, Path], list[Problem]]:
    """Return the files of a folder that end so, by their names without that; others and duplicates are problems."""
    found: dict[str, Path] = {}
    problems: list[Problem] = []
    for file in sorted(folder.iterdir()):
        suffix = next((suffix for suffix in suffixes if file.name.lower().endswith(suffix)), file.name)
        stem = file.name[: len(file.name) - len(suffix)]
        if not stem or not file.is_file():
            problems.append(Problem("stray file", f"{folder.name}/{file.name}"))
        elif stem in found:
            problems.append(Problem("duplicate", f"{folder.name}/{file.name}"))
        else:
            found[stem] = file
    return found, problems


def pair(pages: Mapping[str, Path], golds: Mapping[str, Path | str]) -> Listing:
    """Return the pages and gold standards of the same name; the others are problems."""
    problems = [
        *(Problem("no gold", name) for name in sorted(pages.keys() - golds.keys(), key=natural_key)),
        *(Problem("no page", name) for name in sorted(golds.keys() - pages.keys(), key=natural_key)),
    ]
    return Listing([Item(name, pages[name], golds[name]) for name in pages if name in golds], problems)


def find_pairs(
    page_folders: Sequence[str],
    page_suffixes: Iterable[str],
    gold_folder: str,
    gold_suffixes: Iterable[str],
    path: Path,
) -> Listing:
    """Return the files of equal names in two folders; the pages are in the first of ``page_folders`` that is there."""
    page_files, page_problems = files_by_stem(sub_folder(path, *page_folders), page_suffixes)
    gold_files, gold_problems = files_by_stem(sub_folder(path, gold_folder), gold_suffixes)
    listing = pair(page_files, gold_files)
    return listing._replace(problems=[*page_problems, *gold_problems, *listing.problems])


find_two_folders = partial(find_pairs, ("input", "html"), PAGE_SUFFIXES, "gold", (".txt",))


def read_pair(item: Item) -> Document:
    """Read a page and a gold text as they are."""
    return item.make_document(item.read_page(), item.decode_gold())


def read_bytes(path: Path) -> bytes | None:
    """Return what a file holds, decompressed where its name ends in ``.gz``; None where it cannot be read."""
    try:
        content = path.read_bytes()
        return gzip.decompress(content) if path.name.lower().endswith(".gz") else content
    except (OSError, EOFError, zlib.error):
        return None


def _read_file(path: Path, problem: str) -> bytes:
    content = read_bytes(path)
    if content is None:
        raise UnusableError(problem)
    return content


def parse_object(content: bytes | None) -> dict[str, Any] | None:
    """Return a JSON object in UTF-8; None where that is something else."""
    text = decode_strictly(content) if content is not None else None
    try:
        value = json.loads(text) if text is not None else None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def is_file_name(name: str) -> bool:
    """Return whether an id can name a file, and no other place.

    >>> is_file_name("0001"), is_file_name("../0001"), is_file_name("")
    (True, False, False)
    """
    return name not in ("", ".", "..") and not set(name) & set("/\\\0")


# Data sets in one file of JSON Lines in UTF-8, an object a page.


class LineRecords(NamedTuple):
    """The objects of a file by their ids, where their lines start, and what is wrong with the other lines."""

    objects: dict[str, dict[str, Any]]
    starts: dict[str, int]
    problems: list[Problem]


def parse_lines(content: bytes, file_name: str, texts: Sequence[str] = (), id_field: str = "id") -> LineRecords:
    """Return the objects of JSON Lines; ``texts``: the fields that must be strings, beside the one with the id."""
    records = LineRecords({}, {}, [])
    start = 0
    for number, line in enumerate(content.split(b"\n"), 1):
        record, position = parse_object(line), f"{file_name}, line {number}"
        if record is None or not all(isinstance(record.get(name), str) for name in (id_field, *texts)):
            records.problems.extend([Problem("unreadable gold", position)] if line.strip() else [])
        elif not is_file_name(name := record[id_field]):
            records.problems.append(Problem("bad id", position))
        elif name in records.objects:
            records.problems.append(Problem("duplicate", position))
        else:
            records.objects[name], records.starts[name] = record, start
        start += len(line) + 1
    return records


def open_lines(path: Path, texts: Sequence[str], id_field: str = "id") -> LineRecords:
    """Return the objects of a data set that is one file; raise :class:`DataSetError`."""
    if not path.is_file():
        raise DataSetError("dataset", str(path), "no such file")
    try:
        return parse_lines(path.read_bytes(), path.name, texts, id_field)
    except OSError as error:
        raise DataSetError("dataset", str(path), f"cannot be read: {error.strerror}") from error


def read_record(item: Item, texts: Sequence[str], id_field: str = "id") -> dict[str, Any]:
    """Return the object of an item of such a file; raise :class:`UnusableError`."""
    try:
        with item.page.open("rb") as file:
            file.seek(item.start)
            records = parse_lines(file.readline(), item.page.name, texts, id_field)
    except OSError as error:
        raise UnusableError("unreadable page") from error
    # Somebody may have written to the file since it was opened.
    if item.id not in records.objects:
        raise UnusableError("unreadable page")
    return records.objects[item.id]


def text_of(value: object) -> str | None:
    """Return a value that is a text with something in it."""
    return value if isinstance(value, str) and value else None


# ``marks``: what a user marked in the tuner of ``scrapy justext PAGE --serve``.  ``id``, the page's ``html`` and its
# content as ``gold`` are needed; ``url`` and ``name`` may be there.  How the content comes about is told in
# :mod:`scrapy_justext.inspection.marks`.

_MARKED = ("html", "gold")


def find_marks(path: Path) -> Listing:
    """Find the pages that somebody marked."""
    records = open_lines(path, _MARKED)
    items = []
    for name, record in records.objects.items():
        metadata = {"name": record["name"]} if isinstance(record.get("name"), str) else {}
        url = text_of(record.get("url"))
        items.append(Item(name, path, record["gold"], url, None, metadata, start=records.starts[name]))
    return Listing(items, records.problems)


def read_marked(item: Item) -> Document:
    """Read a page and what its marks make of it."""
    record = read_record(item, _MARKED)
    return item.make_document(record["html"].encode("utf-8", "replace"), record["gold"], UTF_8)
