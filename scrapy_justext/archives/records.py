"""The values that readers hand to the processes that extract: records, each of which may hold a page."""

from __future__ import annotations

from typing import NamedTuple, Protocol


class SourcePosition(NamedTuple):
    """Where reading goes on in a source: at ``offset``, behind the first ``skip`` records there.

    The unit of offsets is known to the source's reader alone.
    """

    offset: int = 0
    skip: int = 0


class Location(NamedTuple):
    """Where a record is, as far as that is known.

    ``offset``: in bytes; in Parquet the row's number; 0 for a file that is a page.
    """

    file: str | None
    offset: int | None


class ArchivedPage(NamedTuple):
    """A page as the archive has it.  ``body``: text where it is decoded already."""

    url: str | None
    body: bytes | str
    status: int = 200
    headers: tuple[tuple[bytes, bytes], ...] = ()


class NoPage(NamedTuple):
    """Why a record has no page to clean, by the name that the counts have for it."""

    reason: str


#: The reasons that mean damage: each such record is reported with its location.
DAMAGE = frozenset({"corrupt", "truncated"})


class Record(Protocol):
    """What may hold a page.  It can be pickled."""

    @property
    def location(self) -> Location:
        """Where it is."""

    @property
    def size(self) -> int:
        """Its bytes, about."""

    def page(self) -> ArchivedPage | NoPage:
        """Return the page in it, or why there is none; may raise ``OSError``."""


class LoadedRecord(NamedTuple):
    """A record whose content is in memory."""

    location: Location
    content: ArchivedPage | NoPage

    @property
    def size(self) -> int:
        """The characters or bytes of the body."""
        return 0 if isinstance(self.content, NoPage) else len(self.content.body)

    def page(self) -> ArchivedPage | NoPage:
        """Return the content."""
        return self.content


class Read(NamedTuple):
    """A record, the position behind it, and how many bytes of its source were read up to there."""

    record: Record
    behind: SourcePosition
    done: int


class PageColumns(NamedTuple):
    """The names of the columns, or JSON keys, that hold a page; the data may lack all but ``html``."""

    html: str = "html"
    url: str = "url"
    content_type: str = "content_type"


def cells_to_page(html: object, url: object, content_type: object) -> ArchivedPage | NoPage:
    """Return the page in the cells of a row, or why there is none.

    >>> cells_to_page("<p>Hello", "https://example.org/", None)
    ArchivedPage(url='https://example.org/', body='<p>Hello', status=200, headers=())
    >>> cells_to_page(None, "https://example.org/", "text/html")
    NoPage(reason='no_html')
    """
    if not isinstance(html, str | bytes):
        return NoPage("no_html")
    headers = ((b"Content-Type", content_type.encode("latin-1", "replace")),) if isinstance(content_type, str) else ()
    return ArchivedPage(url if isinstance(url, str) else None, html, headers=headers)
