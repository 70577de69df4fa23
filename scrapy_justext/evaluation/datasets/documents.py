"""Labelled pages: what every data set is read into, and what every extractor is given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, overload

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
    """Texts of a page that a person chose to tell good extractions from bad ones."""

    wanted: tuple[str, ...]
    """Those that must be in what is extracted."""
    unwanted: tuple[str, ...]
    """Those that must not."""


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
