"""The values that readers hand to the processes that extract: records, each of which may hold a page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_justext.exceptions import UnknownNameError

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Collection, Iterable, Iterator

    from scrapy_justext.tables import ArrowRow

#: How the names of WARC files end.
WARC_SUFFIXES = (".warc", ".warc.gz")


class InputPosition(NamedTuple):
    """Where reading goes on: in the ``source`` of that number at ``offset``, behind the first ``skip`` records there.

    Only the source's reader knows the unit of offsets.  ``done``: the bytes of the source up to there, about.
    """

    source: int = 0
    offset: int = 0
    skip: int = 0
    done: int = 0


BEGINNING = InputPosition()
NO_OTHERS: Mapping[str, Any] = {}


class Location(NamedTuple):
    """Where a record is, as far as that is known.

    ``offset``: in bytes; in Parquet the row's number; 0 for a file that is a page.
    """

    file: str | None
    offset: int | None


class ArchivedPage(NamedTuple):
    """A page as the archive has it.

    ``body``: text where it is decoded already; ``others``: the other columns of its record.
    """

    url: str | None
    body: bytes | str
    status: int = 200
    headers: tuple[tuple[bytes, bytes], ...] = ()
    others: Mapping[str, Any] | ArrowRow = NO_OTHERS


#: The reasons why a record has no page that mean damage: each such record is reported with its location.
REPORTED = frozenset({"corrupt", "truncated"})


class Record(NamedTuple):
    """What may hold a page.  It can be pickled.

    ``content``: the page, or the reason why there is none, by the name that the counts have for it; or a function that
    returns either, or raises ``OSError``.  ``size``: its bytes, about.
    """

    location: Location
    content: ArchivedPage | str | Callable[[], ArchivedPage | str]
    size: int = 0

    def page(self) -> ArchivedPage | str:
        """Return the page in it, or the reason why there is none; may raise ``OSError``."""
        return self.content() if callable(self.content) else self.content


def page_record(location: Location, content: ArchivedPage | str) -> Record:
    """Return a record that is in memory, of the size of the page's body and of what is carried through."""
    if isinstance(content, str):
        return Record(location, content)
    others = 0 if isinstance(content.others, Mapping) else content.others.batch.nbytes
    return Record(location, content, len(content.body) + others)


#: A record, and the position behind it.
Read = tuple[Record, InputPosition]


class PageColumns(NamedTuple):
    """The names of the columns, or JSON keys, that hold a page; the data may lack all but ``html``.

    ``kept``: the other columns that are carried through; None: all.
    """

    html: str = "html"
    url: str = "url"
    content_type: str = "content_type"
    kept: tuple[str, ...] | None = None

    @classmethod
    def of(cls, options: Namespace) -> PageColumns:
        """Return the columns that a command's options name."""
        kept = None if options.columns is None else tuple(filter(None, map(str.strip, options.columns.split(","))))
        return cls(**{field: getattr(options, f"{field}_column") for field in cls().of_page}, kept=kept)

    @property
    def of_page(self) -> dict[str, str]:
        """The names of the columns that hold a page, by what they hold."""
        return {"html": self.html, "url": self.url, "content_type": self.content_type}

    def required(self) -> Iterator[tuple[str, str]]:
        """Yield the columns that the data must have, that of the pages and all that were asked for by another name.

        Each comes with the option that names it.
        """
        usual = PageColumns().of_page
        for field, name in self.of_page.items():
            if field == "html" or name != usual[field]:
                yield name, column_option(field)

    def others(self, names: Iterable[str]) -> list[str]:
        """Return which of the columns of the data are carried through: those that are kept, or all but the HTML.

        The URL has a column of its own in all rows.
        """
        # A column of another name that holds the URL is one more.
        used = {"url"} & {self.url}
        if self.kept is None:
            used.add(self.html)
        return [name for name in names if name not in used and (self.kept is None or name in self.kept)]

    def check_kept(self, names: Collection[str]) -> None:
        """Raise :class:`UnknownNameError` where one that is to be kept is not among the columns of the data."""
        for name in self.kept or ():
            if name not in names:
                raise UnknownNameError(OTHERS_OPTION, name, "column", names)


#: The option of commands that names the columns that are carried through.
OTHERS_OPTION = "--columns"


def column_option(field: str) -> str:
    """Return the option of a command that names the column of one of the fields of :class:`PageColumns`.

    >>> column_option("content_type")
    '--content-type-column'
    """
    return f"--{field.replace('_', '-')}-column"


def cells_to_page(
    html: object, url: object, content_type: object, *, others: Mapping[str, Any] | ArrowRow = NO_OTHERS
) -> ArchivedPage | str:
    """Return the page in the cells of a row, or the reason why there is none.  ``others``: what else is in the row.

    >>> cells_to_page("<p>Hello", "https://example.org/", None)
    ArchivedPage(url='https://example.org/', body='<p>Hello', status=200, headers=(), others={})
    >>> cells_to_page(None, "https://example.org/", "text/html")
    'no_html'
    """
    if not isinstance(html, str | bytes):
        return "no_html"
    kind = as_text(content_type)
    headers = () if kind is None else ((b"Content-Type", kind.encode("latin-1", "replace")),)
    return ArchivedPage(as_text(url), html, headers=headers, others=others)


def as_text(cell: object) -> str | None:
    """Return the text in a cell, which may hold it as bytes; None where it holds no text.

    >>> as_text("text/html"), as_text(b"text/html"), as_text(7)
    ('text/html', 'text/html', None)
    """
    if isinstance(cell, bytes):
        return cell.decode("utf-8", "replace")
    return cell if isinstance(cell, str) else None
