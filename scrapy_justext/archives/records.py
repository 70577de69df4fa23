"""The values that readers hand to the processes that extract: records, each of which may hold a page."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple, Protocol

from scrapy_justext.exceptions import ArchiveError, describe_os_error

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

#: How the names of WARC files end.
WARC_SUFFIXES = (".warc", ".warc.gz")


class InputPosition(NamedTuple):
    """Where reading goes on: in the ``source`` of that number at ``offset``, behind the first ``skip`` records there.

    The unit of offsets is known to the source's reader alone.  ``done``: the bytes of the source up to there, about.
    """

    source: int = 0
    offset: int = 0
    skip: int = 0
    done: int = 0


BEGINNING = InputPosition()


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
    """A record, and the position behind it."""

    record: Record
    behind: InputPosition


class PageColumns(NamedTuple):
    """The names of the columns, or JSON keys, that hold a page; the data may lack all but ``html``."""

    html: str = "html"
    url: str = "url"
    content_type: str = "content_type"

    @classmethod
    def of(cls, options: Namespace) -> PageColumns:
        """Return the columns that a command's options name."""
        return cls(**{field: getattr(options, f"{field}_column") for field in cls._fields})

    def required(self) -> Iterator[tuple[str, str]]:
        """Yield the columns that the data must have, that of the pages and all that were asked for by another name.

        Each comes with the option that names it.
        """
        for field, name, default in zip(self._fields, self, PageColumns(), strict=True):
            if field == "html" or name != default:
                yield name, column_option(field)


def column_option(field: str) -> str:
    """Return the option of a command that names the column of one of the fields of :class:`PageColumns`.

    >>> column_option("content_type")
    '--content-type-column'
    """
    return f"--{field.replace('_', '-')}-column"


def cells_to_page(html: object, url: object, content_type: object) -> ArchivedPage | NoPage:
    """Return the page in the cells of a row, or why there is none.

    >>> cells_to_page("<p>Hello", "https://example.org/", None)
    ArchivedPage(url='https://example.org/', body='<p>Hello', status=200, headers=())
    >>> cells_to_page(None, "https://example.org/", "text/html")
    NoPage(reason='no_html')
    """
    if not isinstance(html, str | bytes):
        return NoPage("no_html")
    kind = as_text(content_type)
    headers = () if kind is None else ((b"Content-Type", kind.encode("latin-1", "replace")),)
    return ArchivedPage(as_text(url), html, headers=headers)


def as_text(cell: object) -> str | None:
    """Return the text in a cell, which may hold it as bytes; None where it holds no text.

    >>> as_text("text/html"), as_text(b"text/html"), as_text(7)
    ('text/html', 'text/html', None)
    """
    if isinstance(cell, bytes):
        return cell.decode("utf-8", "replace")
    return cell if isinstance(cell, str) else None


@contextmanager
def explaining(path: object, action: str) -> Iterator[None]:
    """Raise :class:`ArchiveError` for what the operating system says of a file that is to be read, or written."""
    try:
        yield
    except OSError as error:
        raise ArchiveError(path, f"cannot be {action}: {describe_os_error(error)}") from error
