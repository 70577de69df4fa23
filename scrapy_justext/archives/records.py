"""The values that go from readers to the processes that extract; no reading, no extracting."""

from __future__ import annotations

from typing import NamedTuple, Protocol


class Place(NamedTuple):
    """Where in a source reading goes on: at ``offset``, after ``skip`` things read from there on.

    Offsets are in the unit of the source's reader, which alone understands them.
    """

    offset: int = 0
    skip: int = 0


class Where(NamedTuple):
    """Where a record stands, where that is known.

    ``offset``: in bytes, of a Parquet file the row's number; 0 for a file that is a page.
    """

    file: str | None
    offset: int | None


class Document(NamedTuple):
    """A page as the archive has it.  ``body``: a ``str`` is decoded already."""

    url: str | None
    body: bytes | str
    status: int = 200
    headers: tuple[tuple[bytes, bytes], ...] = ()


class Record(Protocol):
    """What may hold a page; picklable."""

    @property
    def where(self) -> Where:
        """Where it stands."""

    @property
    def size(self) -> int:
        """Its bytes, about."""

    def document(self) -> Document | str:
        """The page in it, or why there is none, as the counts name it; may raise ``OSError``."""


class Loaded(NamedTuple):
    """A record whose page is at hand."""

    where: Where
    loaded: Document

    @property
    def size(self) -> int:
        """The characters or bytes of the body."""
        return len(self.loaded.body)

    def document(self) -> Document:
        """The page."""
        return self.loaded


class Skipped(NamedTuple):
    """A record that is no page, and why, as the counts name it."""

    where: Where
    reason: str

    @property
    def size(self) -> int:
        """Nothing is left of it."""
        return 0

    def document(self) -> str:
        """Why there is no page."""
        return self.reason


#: Reasons of records that are damaged: each is reported with its place.
TROUBLES = frozenset({"corrupt", "truncated"})


class Read(NamedTuple):
    """A record with the place behind it, and how many bytes of its source were read up to there."""

    record: Record
    next: Place
    done: int


class Columns(NamedTuple):
    """The names of the columns, or JSON keys, that hold a page; ``content_type`` may be missing from the data."""

    html: str = "html"
    url: str = "url"
    content_type: str = "content_type"


def cell_document(html: object, url: object, content_type: object) -> Document | str:
    """The page in the cells of a row, or why there is none.

    >>> cell_document("<p>Hello", "https://example.org/", None)
    Document(url='https://example.org/', body='<p>Hello', status=200, headers=())
    >>> cell_document(None, "https://example.org/", "text/html")
    'no_html'
    """
    if not isinstance(html, str | bytes):
        return "no_html"
    headers = ((b"Content-Type", content_type.encode("latin-1", "replace")),) if isinstance(content_type, str) else ()
    return Document(url if isinstance(url, str) else None, html, headers=headers)
