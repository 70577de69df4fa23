"""Labelled pages: how files become a data set, what every extractor is given, and in which encoding a page is.

The encoding of a page is that of its byte order mark, else the declared one, else the detected one.  The package's own
:mod:`scrapy_justext.core.encodings` is not used: it says neither how sure it is nor that bytes are no text, and it
reads 8 of 1,910 labelled pages in another encoding, so that figures would change.

A kind of data set has two functions.  One yields its pairs of page and gold standard as :class:`Item`, and a
:class:`Problem` for what is left out.  The other reads a pair; it raises :class:`UnusableError` with the kind of the
problem where it cannot.  Each pair is read once when the data set is opened, to know the page's encoding and the
digest, and again whenever its document is asked for.
"""

from __future__ import annotations

import codecs
import gzip
import hashlib
import json
import re
import zlib
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from charset_normalizer import from_bytes
from w3lib.encoding import html_body_declared_encoding, read_bom, resolve_encoding

from scrapy_justext.evaluation.kinds import whole_text
from scrapy_justext.exceptions import DataSetError


class Problem(NamedTuple):
    """A file or a document that was left out, and why."""

    kind: str
    """``no gold``, ``no page``, ``undecodable page``, ``undecodable gold``, ``stray file``, ``duplicate``,
    ``unreadable page``, ``unreadable gold``, ``bad id`` or ``in another set``."""
    name: str
    """The file below the data set's folder, or the document's id."""


class Snippets(NamedTuple):
    """Texts of a page that must be in what is extracted, and texts that must not, as a person chose them."""

    wanted: tuple[str, ...]
    unwanted: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """A page and the text that a person marked as its content."""

    id: str
    """Unique in its data set, usable as a file name."""
    html: bytes = field(repr=False)
    """The page as it is on disk, without the wrapping that the data set put around it."""
    encoding: str
    """Name of a Python codec."""
    encoding_origin: str
    """``bom``, ``declared``, ``detected``, or ``data set`` where the set's definition fixes it."""
    encoding_confidence: float
    """From 0 to 1; 1 unless detected."""
    gold: str = field(repr=False)
    """The gold standard as plain text, empty where the page has no content."""
    markdown: str | None = field(default=None, repr=False, kw_only=True)
    """The gold standard as Markdown, where the data set has it so."""
    snippets: Snippets | None = field(default=None, repr=False, kw_only=True)
    """The gold standard where the data set has no whole texts; ``gold`` is empty then."""
    url: str | None = None
    page_type: str | None = None
    metadata: Mapping[str, object] = field(default_factory=dict, repr=False)
    """Whatever else the data set knows, as JSON values."""

    @property
    def text(self) -> str:
        """The page's text; what cannot be decoded is U+FFFD, and a byte order mark is left out."""
        return self.html.decode(self.encoding, "replace").removeprefix("\ufeff")


@dataclass(frozen=True, slots=True)
class DataSet:
    """Labelled pages of one folder.  It can be pickled when ``load`` can."""

    kind: str
    path: Path
    name: str
    """The folder's name."""
    ids: tuple[str, ...]
    """The ids of the documents, numbers in them in order of their values."""
    load: Callable[[str], Document] = field(repr=False, compare=False)
    """The document of an id, read from disk at each call."""
    problems: tuple[Problem, ...]
    """What was found and left out."""
    digest: str
    """SHA-256 over ids, pages and gold texts, in hexadecimal: equal for equal documents."""
    without: tuple[str, ...] = ()
    """The data sets whose pages were left out, as they were named."""

    @property
    def documents(self) -> Iterator[Document]:
        """All documents, each read when its turn comes."""
        return map(self.load, self.ids)


# Encodings.

BOM, DECLARED, DETECTED, DATA_SET = "bom", "declared", "detected", "data set"

#: A declaration is not believed, and a page not taken, when more than this share of its characters cannot be decoded
#: so; a stray byte in a long page is what browsers show as U+FFFD.
MAX_UNDECODED = 0.01
#: NUL counts too: no text has it, but an encoding of one byte a character decodes even images.
_UNDECODED = re.compile("[\ufffd\0]")

#: The encodings of the web (the WHATWG's Encoding Standard), by Python's names: any other one is mostly an error.
WEB_ENCODINGS = (
    *("ascii", "utf_8", "cp1252", "cp1251", "cp1250", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp1258"),
    *("cp874", "shift_jis", "cp932", "euc_jp", "iso2022_jp", "gb18030", "gbk", "big5", "euc_kr", "cp949", "koi8_r"),
    *("koi8_u", "iso8859_2", "iso8859_5", "iso8859_7", "mac_cyrillic", "utf_16_le", "utf_16_be"),
)


class Encoding(NamedTuple):
    """The encoding of some bytes, how it is known, and how sure that is, as a :class:`Document` has it."""

    name: str
    origin: str
    confidence: float


#: For data sets that are UTF-8 by definition.
UTF_8 = Encoding("utf-8", DATA_SET, 1.0)


def find_encoding(page: bytes, declared: str | None = None) -> Encoding | None:
    r"""Return the encoding of a page; None where the bytes are no text in any.

    ``declared``: what the data set says, which comes after a byte order mark and before what the page says.

    >>> find_encoding(b"caf\xe9", "iso-8859-1")
    Encoding(name='cp1252', origin='declared', confidence=1.0)
    >>> find_encoding(b'<meta charset="utf-8">caf\xc3\xa9', "unset").name
    'utf-8'
    """
    by_bom, _ = read_bom(page)
    if by_bom is not None:
        return Encoding(by_bom, BOM, 1.0) if _fits(page, by_bom) else None
    # A label that names no codec of text is as good as none.
    for name in (resolve_encoding(declared) if declared else None, html_body_declared_encoding(page)):
        if name is not None and _fits(page, name):
            return Encoding(name, DECLARED, 1.0)
    return detect(page)


def detect(body: bytes) -> Encoding | None:
    """Return the likeliest encoding, with a confidence of 1 less the share of improbable characters; None: no text.

    charset-normalizer tries cp1250 before cp1252, and tries no code page that is like one that has fitted.  So cp1252,
    the commonest of the web, is tried by itself.
    """
    matches = [*from_bytes(body, cp_isolation=list(WEB_ENCODINGS))]
    if any(match.encoding not in ("ascii", "utf_8") for match in matches[:1]):
        matches += from_bytes(body, cp_isolation=["cp1252"])
    if not matches:
        return None
    best = min(matches, key=lambda match: (match.chaos, -match.coherence, WEB_ENCODINGS.index(match.encoding)))
    confidence = max(0.0, 1.0 - best.chaos)
    return Encoding(codecs.lookup(best.encoding).name, DETECTED, confidence) if _fits(body, best.encoding) else None


def decode_strictly(body: bytes, encoding: str = "utf-8") -> str | None:
    """Return text by its byte order mark, else in ``encoding``; None where it is not that."""
    by_bom, bom = read_bom(body)
    try:
        return body.removeprefix(bom or b"").decode(by_bom or encoding)
    except UnicodeDecodeError:
        return None


def _fits(page: bytes, encoding: str) -> bool:
    try:
        text = page.decode(encoding, "replace")
    except (LookupError, UnicodeError):  # a codec of Python's that is none of text
        return False
    return isinstance(text, str) and len(_UNDECODED.findall(text)) <= MAX_UNDECODED * len(text)


# From pages and gold standards on disk to a data set.

PAGE_SUFFIXES = (".html", ".htm", ".html.gz", ".htm.gz")


class UnusableError(Exception):
    """A pair that cannot be used; its only argument is the kind of the :class:`Problem`."""


class Item(NamedTuple):
    """Where a page and its gold standard lie.

    ``gold``: a file, or the text itself where one file holds that of all pages.  ``encoding``: known once the page has
    been read.  ``start``: where its line begins, in a file with a line for each page.
    """

    id: str
    page: Path
    gold: Path | str
    url: str | None = None
    page_type: str | None = None
    metadata: Mapping[str, object] = {}
    encoding: Encoding | None = None
    start: int = 0

    def read_page(self) -> bytes:
        """Return the page as it is on disk; raise :class:`UnusableError`."""
        return read_bytes(self.page, "page")

    def read_gold(self) -> str:
        """Return the gold standard, which is UTF-8 or opens with a byte order mark; raise :class:`UnusableError`."""
        gold = self.gold if isinstance(self.gold, str) else decode_strictly(read_bytes(self.gold, "gold"))
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


#: The pairs at a data set's path, and what is left out.
Listing = Iterator[Item | Problem]
#: Finds them; raises :class:`DataSetError` where the layout is another one.
Lister = Callable[[Path], Listing]
#: Reads a pair; raises :class:`UnusableError`.  Where the gold standard is Markdown it leaves the plain text to others.
Reader = Callable[[Item], Document]


def read_data_set(kind: str, find: Lister, read: Reader, path: Path) -> DataSet:
    """Return the data set at a path; raise :class:`DataSetError` where no page has its gold standard."""
    listing = [*find(path)]
    problems = [problem for problem in listing if isinstance(problem, Problem)]
    pairs = [item for item in listing if isinstance(item, Item)]
    digest = hashlib.sha256()
    items: dict[str, Item] = {}
    for item in sorted(pairs, key=lambda item: natural_key(item.id)):
        if item.id in items:
            problems.append(Problem("duplicate", item.page.relative_to(path).as_posix()))
            continue
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


# Pages and gold standards in files of their own.


def sub_folder(path: Path, *names: str) -> Path:
    """Return the first of some folders that a folder has; raise :class:`DataSetError` when it has none."""
    if not path.is_dir():
        raise DataSetError("dataset", str(path), "no such folder")
    for name in names:
        if (path / name).is_dir():
            return path / name
    raise DataSetError("dataset", str(path), f"has no folder {' or '.join(names)}")


def files_by_stem(
    folder: Path, suffixes: Iterable[str], others: Iterable[Path] = ()
) -> Generator[Problem, None, dict[str, Path]]:
    """Return the files of a folder that end so, by their names without that; yield duplicates and what is not known."""
    files: dict[str, Path] = {}
    for file in sorted({*folder.iterdir()}.difference(others)):
        suffix = next((suffix for suffix in suffixes if file.name.lower().endswith(suffix)), file.name)
        stem = file.name[: len(file.name) - len(suffix)]
        if not stem or not file.is_file():
            yield Problem("stray file", f"{folder.name}/{file.name}")
        elif stem in files:
            yield Problem("duplicate", f"{folder.name}/{file.name}")
        else:
            files[stem] = file
    return files


def pair(
    pages: Mapping[str, Path], golds: Mapping[str, Path | str], known: Mapping[str, dict[str, Any]] = {}
) -> Listing:
    """Yield the pages and gold standards of the same name with what is known of them, and the others as problems."""
    for kind, names in (("no gold", pages.keys() - golds.keys()), ("no page", golds.keys() - pages.keys())):
        yield from (Problem(kind, name) for name in sorted(names, key=natural_key))
    yield from (Item(name, pages[name], golds[name], **known.get(name, {})) for name in pages if name in golds)


def find_pairs(
    page_folders: Sequence[str],
    page_suffixes: Iterable[str],
    gold_folder: str,
    gold_suffixes: Iterable[str],
    path: Path,
    known: Mapping[str, dict[str, Any]] = {},
) -> Listing:
    """Yield the files of equal names in two folders; the pages are in the first of ``page_folders`` that is there."""
    pages = yield from files_by_stem(sub_folder(path, *page_folders), page_suffixes)
    golds = yield from files_by_stem(sub_folder(path, gold_folder), gold_suffixes)
    yield from pair(pages, golds, known)


def read_bytes(path: Path, what: str) -> bytes:
    """Return what a file holds, decompressed where its name ends in ``.gz``; raise :class:`UnusableError`."""
    try:
        content = path.read_bytes()
        return gzip.decompress(content) if path.name.lower().endswith(".gz") else content
    except (OSError, EOFError, zlib.error) as error:
        raise UnusableError(f"unreadable {what}") from error


def is_file_name(name: str) -> bool:
    """Return whether an id can name a file, and no other place.

    >>> is_file_name("0001"), is_file_name("../0001"), is_file_name("")
    (True, False, False)
    """
    return name not in ("", ".", "..") and not set(name) & set("/\\\0")


# JSON in UTF-8: an object, or a line with an object for each page.

#: An object by its id, with where its line starts.
LineRecords = dict[str, tuple[dict[str, Any], int]]


def parse_object(content: bytes, texts: Iterable[str] = ()) -> dict[str, Any] | None:
    """Return a JSON object in UTF-8 whose fields ``texts`` are strings; None where that is something else."""
    text = decode_strictly(content)
    try:
        value = json.loads(text) if text is not None else None
    except (ValueError, RecursionError):
        return None
    is_known = isinstance(value, dict) and all(isinstance(value.get(name), str) for name in texts)
    return value if is_known else None


def open_lines(path: Path, texts: Sequence[str]) -> Generator[Problem, None, LineRecords]:
    """Return the objects of a file of JSON Lines, and yield what is wrong with other lines.

    ``texts``: the fields that must be strings, the id first.  Raise :class:`DataSetError` where there is no such file.
    """
    if not path.is_file():
        raise DataSetError("dataset", str(path), "no such file")
    try:
        content = read_bytes(path, "file")
    except UnusableError as error:
        raise DataSetError("dataset", str(path), f"cannot be read: {error.__cause__}") from error
    objects: LineRecords = {}
    start = 0
    for number, line in enumerate(content.split(b"\n"), 1):
        record, where = parse_object(line, texts), f"{path.name}, line {number}"
        if record is None:
            yield from [Problem("unreadable gold", where)] if line.strip() else []
        elif not is_file_name(record[texts[0]]):
            yield Problem("bad id", where)
        elif record[texts[0]] in objects:
            yield Problem("duplicate", where)
        else:
            objects[record[texts[0]]] = record, start
        start += len(line) + 1
    return objects


def read_line(item: Item, texts: Sequence[str]) -> dict[str, Any]:
    """Return the object of an item of such a file; raise :class:`UnusableError`."""
    try:
        with item.page.open("rb") as file:
            file.seek(item.start)
            record = parse_object(file.readline(), texts)
    except OSError as error:
        raise UnusableError("unreadable page") from error
    # Somebody may have written to the file since it was opened.
    if record is None or record[texts[0]] != item.id:
        raise UnusableError("unreadable page")
    return record


def text_of(value: object) -> str | None:
    """Return a value that is a text with something in it."""
    return value if isinstance(value, str) and value else None
