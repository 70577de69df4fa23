"""A folder of pages and gold standards read into a data set, whatever its layout."""

from __future__ import annotations

import gzip
import hashlib
import re
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.evaluation.documents import DataSet, DataSetError, Document, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from scrapy_justext.evaluation.datasets.encodings import Encoding


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


#: Finds the pairs in a data set's folder; raises :class:`DataSetError` where its layout is another one.
Lister = Callable[["Path"], Listing]
#: Reads a pair; a string says why it cannot be used, as in :attr:`Problem.kind`.
Reader = Callable[[Item], "Content | str"]


@dataclass(frozen=True, slots=True)
class Loader:
    """The document of an id, read from disk."""

    spec: str
    read: Reader
    items: Mapping[str, Item]

    def __call__(self, document_id: str) -> Document:
        """Raises :class:`DataSetError` where the files are no longer what they were."""
        item = self.items[document_id]
        content = self.read(item)
        if isinstance(content, str):
            raise DataSetError("dataset", self.spec, f"{document_id} has changed since it was opened: {content}")
        return _document(item, content)


def read_folder(kind: str, path: Path, find: Lister, read: Reader) -> DataSet:
    """The data set in a folder; each page is read once, to know its encoding and the set's digest.

    Raises :class:`DataSetError` for a folder that is missing, or that has no page with its gold standard.
    """
    if not path.is_dir():
        raise DataSetError("dataset", f"{kind}:{path}", "no such folder")
    return read_listing(kind, path, find(path), read)


def read_listing(kind: str, path: Path, listing: Listing, read: Reader) -> DataSet:
    """The data set of the pairs that were found at a path, each of which is read once.

    Raises :class:`DataSetError` where there is no page with its gold standard.
    """
    spec = f"{kind}:{path}"
    problems = list(listing.problems)
    digest = hashlib.sha256()
    items: dict[str, Item] = {}
    for item in sorted(listing.items, key=lambda one: natural_key(one.id)):
        content = read(item)
        if isinstance(content, str):
            problems.append(Problem(content, item.id))
            continue
        items[item.id] = item._replace(encoding=content.encoding)
        for part in (item.id.encode(), content.html, content.gold.encode()):
            digest.update(b"%d:" % len(part) + part)
    if not items:
        raise DataSetError("dataset", spec, f"holds no page with its gold standard{_in_words(problems)}")
    return DataSet(
        kind, path, path.resolve().name, tuple(items), Loader(spec, read, items), tuple(problems), digest.hexdigest()
    )


def _document(item: Item, content: Content) -> Document:
    return Document(
        item.id,
        content.html,
        content.encoding.name,
        content.encoding.origin,
        content.encoding.confidence,
        content.gold,
        content.url or item.url,
        item.page_type,
        {**item.metadata, **content.metadata},
    )


def _in_words(problems: Sequence[Problem]) -> str:
    kinds = sorted({problem.kind for problem in problems})
    return "".join(f", {sum(one.kind == kind for one in problems)} {kind}" for kind in kinds)


def natural_key(name: str) -> list[tuple[int, int, str]]:
    """Sorts numbers in names by their values, before letters.

    >>> sorted(["10", "9", "a10", "a9"], key=natural_key)
    ['9', '10', 'a9', 'a10']
    """
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in re.split(r"(\d+)", name) if part]


def sub_folder(path: Path, *names: str) -> Path:
    """The first of some folders in a folder; raises :class:`DataSetError` when there is none."""
    for name in names:
        if (path / name).is_dir():
            return path / name
    raise DataSetError("dataset", str(path), f"has no folder {' or '.join(names)}")


def files_by_stem(folder: Path, suffixes: Iterable[str]) -> tuple[dict[str, Path], list[Problem]]:
    """The files of a folder that end so, by their names without that; the others, and second ones of a name."""
    found: dict[str, Path] = {}
    problems: list[Problem] = []
    for file in sorted(folder.iterdir()):
        suffix = next((one for one in suffixes if file.name.lower().endswith(one)), None)
        stem = file.name[: -len(suffix)] if suffix else ""
        if not stem or not file.is_file():
            problems.append(Problem("stray file", f"{folder.name}/{file.name}"))
        elif stem in found:
            problems.append(Problem("duplicate", f"{folder.name}/{file.name}"))
        else:
            found[stem] = file
    return found, problems


def pair(pages: Mapping[str, Path], golds: Mapping[str, Path | str]) -> Listing:
    """Pages and gold standards of the same name; the others are problems."""
    problems = [
        *(Problem("no gold", name) for name in sorted(pages.keys() - golds.keys(), key=natural_key)),
        *(Problem("no page", name) for name in sorted(golds.keys() - pages.keys(), key=natural_key)),
    ]
    return Listing([Item(name, pages[name], golds[name]) for name in pages if name in golds], problems)


def find_pairs(pages: Path, page_suffixes: Iterable[str], golds: Path, gold_suffixes: Iterable[str]) -> Listing:
    """The files of equal names in two folders."""
    page_files, page_problems = files_by_stem(pages, page_suffixes)
    gold_files, gold_problems = files_by_stem(golds, gold_suffixes)
    listing = pair(page_files, gold_files)
    return listing._replace(problems=[*page_problems, *gold_problems, *listing.problems])


def read_bytes(path: Path) -> bytes | None:
    """What a file holds, decompressed where its name ends in ``.gz``; None where it cannot be read."""
    try:
        content = path.read_bytes()
        return gzip.decompress(content) if path.name.lower().endswith(".gz") else content
    except (OSError, EOFError, zlib.error):
        return None
