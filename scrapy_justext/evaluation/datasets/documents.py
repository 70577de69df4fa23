"""Labelled pages: what every data set is read into, what every extractor is given, and in which encoding a page is.

An encoding is known by the page's byte order mark, else declared, else detected.  :mod:`scrapy_justext.core.encodings`
is not asked.  It does not tell how sure it is, nor that bytes are no text, and it reads some labelled pages in another
encoding: 8 of 1,910, so that figures would change.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from w3lib.encoding import html_body_declared_encoding, read_bom, resolve_encoding

from scrapy_justext.exceptions import require

if TYPE_CHECKING:
    from pathlib import Path


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
class Documents(Sequence[Document]):
    """Documents that are read when asked for, and not kept."""

    ids: tuple[str, ...]
    load: Callable[[str], Document]

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, index: int) -> Document: ...
    @overload
    def __getitem__(self, index: slice) -> Documents: ...
    def __getitem__(self, index: int | slice) -> Document | Documents:
        if isinstance(index, slice):
            return Documents(self.ids[index], self.load)
        return self.load(self.ids[index])


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

    @property
    def documents(self) -> Documents:
        """All documents, each read when it is asked for."""
        return Documents(self.ids, self.load)


# Encodings.

BOM, DECLARED, DETECTED, DATA_SET = "bom", "declared", "detected", "data set"

#: A declaration is not believed, and a page not taken, when more than this share of its characters cannot be decoded
#: so; a stray byte in a long page is what browsers show as U+FFFD.
MAX_UNDECODED = 0.01
#: NUL counts too: no text has it, but an encoding of one byte a character decodes even images.
_UNDECODED = re.compile("[\ufffd\0]")

#: What the web uses (the WHATWG's Encoding Standard), by Python's names: to detect another would mostly be an error.
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

    charset-normalizer tries no code page that is like one which has fitted, and comes to cp1250 before cp1252; so
    the Web's commonest is tried by itself.
    """
    library: Any = require("charset_normalizer", "evaluation")
    matches = [*library.from_bytes(body, cp_isolation=list(WEB_ENCODINGS))]
    if any(match.encoding not in ("ascii", "utf_8") for match in matches[:1]):
        matches += library.from_bytes(body, cp_isolation=["cp1252"])
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
