"""In which encoding a labelled page is: by byte order mark, else declared, else detected."""

from __future__ import annotations

import codecs
import gzip
import hashlib
import re
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from w3lib.encoding import html_body_declared_encoding, read_bom, resolve_encoding

from scrapy_justext.evaluation.datasets.documents import DataSet, Document, Problem
from scrapy_justext.exceptions import DataSetError, require

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

BOM, DECLARED, DETECTED, DATA_SET = "bom", "declared", "detected", "data set"

#: A declaration is not believed, and a page not taken, when more than this share of its characters cannot be decoded
#: so; a stray byte in a long page is what browsers show as U+FFFD.
MAX_UNDECODED = 0.01

#: What the web uses (the WHATWG's Encoding Standard), by Python's names: others are guessed wrongly rather than met.
WEB_ENCODINGS = (
    *("ascii", "utf_8", "cp1252", "cp1251", "cp1250", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp1258"),
    *("cp874", "shift_jis", "cp932", "euc_jp", "iso2022_jp", "gb18030", "gbk", "big5", "euc_kr", "cp949", "koi8_r"),
    *("koi8_u", "iso8859_2", "iso8859_5", "iso8859_7", "mac_cyrillic", "utf_16_le", "utf_16_be"),
)


#: Where in them those begin that any other text fits too.
_FROM_CODE_PAGES = 2


class Encoding(NamedTuple):
    """The encoding of some bytes, how it is known, and how sure that is."""

    name: str
    """Of a Python codec."""
    origin: str
    """:data:`BOM`, :data:`DECLARED`, :data:`DETECTED` or :data:`DATA_SET`."""
    confidence: float
    """From 0 to 1; 1 unless detected."""


def find_encoding(page: bytes, declared: str | None = None) -> Encoding | None:
    r"""The encoding of a page; None where the bytes are no text in any.

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
    """The likeliest encoding, with a confidence of 1 less the share of improbable characters; None: no text.

    charset-normalizer tries no code page that is like one which has fitted, and comes to cp1250 before cp1252; so
    the Web's commonest is tried by itself.
    """
    library: Any = require("charset_normalizer", "evaluation")
    matches = [*library.from_bytes(body, cp_isolation=list(WEB_ENCODINGS))]
    if any(one.encoding in WEB_ENCODINGS[_FROM_CODE_PAGES:] for one in matches[:1]):
        matches += library.from_bytes(body, cp_isolation=["cp1252"])
    if not matches:
        return None
    best = min(matches, key=lambda one: (one.chaos, -one.coherence, WEB_ENCODINGS.index(one.encoding)))
    confidence = max(0.0, 1.0 - best.chaos)
    return Encoding(codecs.lookup(best.encoding).name, DETECTED, confidence) if _fits(body, best.encoding) else None


def decode_strictly(body: bytes, encoding: str = "utf-8") -> str | None:
    """Text by its byte order mark, else in ``encoding``; None where it is not that."""
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
    if not isinstance(text, str):
        return False
    undecoded = len(_UNDECODED.findall(text))
    return undecoded <= MAX_UNDECODED * len(text)


#: NUL is in no page of text: a declared encoding of one byte decodes images too.
_UNDECODED = re.compile("[\ufffd\0]")


# A folder of pages and gold standards read into a data set, whatever its layout.


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
