"""How pages and gold standards on disk become a data set, and the plainest kind: two folders of one's own.

A reader of a data set lists its pairs of page and gold standard as :class:`Item`, with what it leaves out.  Each pair
is read once when the data set is opened, to know the page's encoding and the digest, and again whenever its document is
asked for.  A pair that cannot be read raises :class:`UnusableError` with the kind of the problem.
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

from scrapy_justext.evaluation.datasets.documents import DataSet, Document, Problem, Snippets
from scrapy_justext.evaluation.datasets.encodings import Encoding, decode_strictly, find_encoding
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

    def read_page(self) -> bytes:
        """Return the page as it is on disk; raise :class:`UnusableError`."""
        return _read_file(self.page, "unreadable page")

    def read_gold(self) -> bytes:
        """Return the gold standard's file; raise :class:`UnusableError`."""
        return self.gold.encode() if isinstance(self.gold, str) else _read_file(self.gold, "unreadable gold")

    def find_encoding(self, page: bytes, declared: str | None = None) -> Encoding:
        """Return the page's encoding; raise :class:`UnusableError` where it is no text."""
        encoding = self.encoding or find_encoding(page, declared)
        if encoding is None:
            raise UnusableError("undecodable page")
        return encoding


class Listing(NamedTuple):
    """The pairs in a folder, and what was left out."""

    items: Sequence[Item]
    problems: Sequence[Problem]


class Content(NamedTuple):
    """What the files of an item hold."""

    html: bytes
    encoding: Encoding
    gold: str
    url: str | None = None
    metadata: Mapping[str, object] = {}
    page_type: str | None = None
    is_markdown: bool = False
    """Whether the gold standard is Markdown, not plain text."""
    snippets: Snippets | None = None


#: Finds the pairs in a data set's folder; raises :class:`DataSetError` where its layout is another one.
Lister = Callable[["Path"], Listing]
#: Reads a pair; raises :class:`UnusableError`.
Reader = Callable[[Item], Content]


def read_folder(kind: str, path: Path, find: Lister, read: Reader) -> DataSet:
    """Return the data set in a folder.

    Raise :class:`DataSetError` for a folder that is missing, or that has no page with its gold standard.
    """
    if not path.is_dir():
        raise DataSetError("dataset", f"{kind}:{path}", "no such folder")
    return read_listing(kind, path, find(path), read)


def read_listing(kind: str, path: Path, listing: Listing, read: Reader) -> DataSet:
    """Return the data set of the pairs that were found at a path; raise :class:`DataSetError` where there is none."""
    spec = f"{kind}:{path}"
    problems = list(listing.problems)
    digest = hashlib.sha256()
    items: dict[str, Item] = {}
    for item in sorted(listing.items, key=lambda item: natural_key(item.id)):
        try:
            content = read(item)
        except UnusableError as error:
            problems.append(Problem(str(error), item.id))
            continue
        items[item.id] = item._replace(encoding=content.encoding)
        gold = content.gold if content.snippets is None else json.dumps(content.snippets)
        for part in (item.id.encode(), content.html, gold.encode()):
            digest.update(b"%d:" % len(part) + part)
    if not items:
        kinds = sorted(Counter(problem.kind for problem in problems).items())
        left_out = "".join(f", {count} {kind}" for kind, count in kinds)
        raise DataSetError("dataset", spec, f"holds no page with its gold standard{left_out}")
    return DataSet(
        kind,
        path,
        path.resolve().name,
        tuple(items),
        partial(_load, spec, read, items),
        tuple(problems),
        digest.hexdigest(),
    )


def _load(spec: str, read: Reader, items: Mapping[str, Item], document_id: str) -> Document:
    """Read a document from disk; raise :class:`DataSetError` where the files are no longer what they were."""
    item = items[document_id]
    try:
        content = read(item)
    except UnusableError as error:
        raise DataSetError("dataset", spec, f"{document_id} has changed since it was opened: {error}") from error
    metadata = {**item.metadata, **content.metadata}
    return Document(
        item.id,
        content.html,
        *content.encoding,
        whole_text(content.gold) if content.is_markdown else content.gold,
        content.url or item.url,
        content.page_type or item.page_type,
        metadata,
        markdown=content.gold if content.is_markdown else None,
        snippets=content.snippets,
    )


def leave_out(data_set: DataSet, others: Iterable[DataSet]) -> DataSet:
    """Return a data set without the pages that are, byte for byte, in one of others, too.

    Raise :class:`DataSetError` where no page is left.
    """
    known = {_digest_page(document) for other in others for document in other.documents}
    if not known:
        return data_set
    ids = tuple(document.id for document in data_set.documents if _digest_page(document) not in known)
    if len(ids) == len(data_set.ids):
        return data_set
    if not ids:
        raise DataSetError("dataset", f"{data_set.kind}:{data_set.path}", "has no page that the other sets have not")
    left_out = tuple(Problem("in another set", name) for name in data_set.ids if name not in set(ids))
    digest = hashlib.sha256("\0".join((data_set.digest, *ids)).encode()).hexdigest()
    return replace(data_set, ids=ids, problems=(*data_set.problems, *left_out), digest=digest)


def _digest_page(document: Document) -> bytes:
    return hashlib.sha256(document.html).digest()


def natural_key(name: str) -> list[tuple[int, int, str]]:
    """Sort numbers in names by their values, before letters.

    >>> sorted(["10", "9", "a10", "a9"], key=natural_key)
    ['9', '10', 'a9', 'a10']
    """
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in re.split(r"(\d+)", name) if part]


def sub_folder(path: Path, *names: str) -> Path:
    """Return the first of some folders that a folder has; raise :class:`DataSetError` when it has none."""
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


def find_pairs(pages: Path, page_suffixes: Iterable[str], golds: Path, gold_suffixes: Iterable[str]) -> Listing:
    """Return the files of equal names in two folders."""
    page_files, page_problems = files_by_stem(pages, page_suffixes)
    gold_files, gold_problems = files_by_stem(golds, gold_suffixes)
    listing = pair(page_files, gold_files)
    return listing._replace(problems=[*page_problems, *gold_problems, *listing.problems])


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


def parse_lines(
    content: bytes, file_name: str, texts: Sequence[str], id_field: str = "id"
) -> tuple[dict[str, dict[str, Any]], dict[str, int], list[Problem]]:
    """Return the objects of JSON Lines by their ids, and where their lines start; the other lines are problems.

    ``texts``: the fields that must be strings, beside the one with the id.
    """
    records: dict[str, dict[str, Any]] = {}
    starts: dict[str, int] = {}
    problems: list[Problem] = []
    start = 0
    for number, line in enumerate(content.split(b"\n"), 1):
        record, position = parse_object(line), f"{file_name}, line {number}"
        if record is None or not all(isinstance(record.get(name), str) for name in (id_field, *texts)):
            problems += [Problem("unreadable gold", position)] if line.strip() else []
        elif not is_file_name(record[id_field]):
            problems.append(Problem("bad id", position))
        elif record[id_field] in records:
            problems.append(Problem("duplicate", position))
        else:
            records[record[id_field]], starts[record[id_field]] = record, start
        start += len(line) + 1
    return records, starts, problems


def open_lines(kind: str, path: Path) -> bytes:
    """Return a data set that is one file; raise :class:`DataSetError`."""
    if not path.is_file():
        raise DataSetError("dataset", f"{kind}:{path}", "no such file")
    try:
        return path.read_bytes()
    except OSError as error:
        raise DataSetError("dataset", f"{kind}:{path}", f"cannot be read: {error.strerror}") from error


def read_record(item: Item, starts: Mapping[str, int], texts: Sequence[str], id_field: str = "id") -> dict[str, Any]:
    """Return the object of an item of such a file, as :func:`parse_lines` does; raise :class:`UnusableError`."""
    try:
        with item.page.open("rb") as file:
            file.seek(starts[item.id])
            records, _, _ = parse_lines(file.readline(), item.page.name, texts, id_field)
    except OSError as error:
        raise UnusableError("unreadable page") from error
    # Somebody may have written to the file since it was opened.
    if item.id not in records:
        raise UnusableError("unreadable page")
    return records[item.id]


def is_file_name(name: str) -> bool:
    """Return whether an id can name a file, and no other place.

    >>> is_file_name("0001"), is_file_name("../0001"), is_file_name("")
    (True, False, False)
    """
    return name not in ("", ".", "..") and not set(name) & set("/\\\0")


# The kind ``pairs``: pages in ``input/`` or ``html/``, texts of the same names in ``gold/``.


def open_pairs(path: Path) -> DataSet:
    """Open two folders: pages, and texts in ``.txt``, which is UTF-8 or opens with a byte order mark."""
    return read_folder("pairs", path, _find_pairs, _read_pair)


def _find_pairs(path: Path) -> Listing:
    return find_pairs(sub_folder(path, "input", "html"), PAGE_SUFFIXES, sub_folder(path, "gold"), (".txt",))


def _read_pair(item: Item) -> Content:
    page, gold = item.read_page(), decode_strictly(item.read_gold())
    encoding = item.find_encoding(page)
    if gold is None:
        raise UnusableError("undecodable gold")
    return Content(page, encoding, gold)
