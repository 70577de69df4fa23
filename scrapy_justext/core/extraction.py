"""Define what users see: the extraction of a page, and its blocks.

Most users read a page's text and never its blocks.  So an extraction holds columns, and makes the blocks, and all that
only blocks need, when somebody reads them.
"""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import MISSING, dataclass, field, fields
from functools import partial
from itertools import chain, compress, filterfalse, repeat
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy_justext.core.blocks import BAD, GOOD, BlockClass
from scrapy_justext.core.chunks import BETWEEN_PARAGRAPHS, CHUNK_CHARACTERS, Paragraph, TextChunk, cut_into_chunks
from scrapy_justext.core.parts import NO_METADATA, Metadata
from scrapy_justext.core.tags import CODE, TABLE
from scrapy_justext.core.text import is_enumerator

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence


class BlockColumns:
    """The fields of a page's blocks in columns, each of which is made when it is first read.

    ``makers``, ``of_page``: by the name of a field of :class:`Block`, or of :class:`Extraction`, what makes it.
    """

    __slots__ = ("_made", "_makers", "count", "of_page")

    def __init__(self, count: int, makers: Mapping[str, Callable[[], Sequence[Any]]]) -> None:
        self.count = count
        self.of_page: Mapping[str, Callable[[], object]] = {}
        self._makers = makers
        self._made: dict[str, Sequence[Any]] = {}

    def are_good(self) -> Sequence[bool]:
        """Return for each block whether it is good."""
        if "are_good" not in self._made:
            self._made["are_good"] = [block_class is GOOD for block_class in self["block_class"]]
        return self._made["are_good"]

    def __getitem__(self, name: str) -> Sequence[Any]:
        column = self._made.get(name)
        if column is None:
            column = self._made[name] = self._makers[name]()
        return column

    @staticmethod
    def joined(parts: Sequence[BlockColumns]) -> BlockColumns:
        """Return the columns of the blocks of several parts, one after the other."""

        def column(name: str) -> list[Any]:
            return list(chain.from_iterable(part[name] for part in parts))

        return BlockColumns(sum(part.count for part in parts), {name: partial(column, name) for name in BLOCK_FIELDS})

    def __reduce__(self) -> tuple[Callable[..., BlockColumns], tuple[object, ...]]:
        made = {name: self[name] for name in self._makers}
        alike = [name for name, column in made.items() if len(column) and all(value is column[0] for value in column)]
        differing = {name: column for name, column in made.items() if name not in alike}
        return made_columns, (self.count, differing, {name: made[name][0] for name in alike})

    def blocks(self) -> tuple[Block, ...]:
        """Make the blocks."""
        # A block finds its row by its index, unless other blocks were left out.
        is_whole = list(self["index"]) == list(range(self.count))
        columns: dict[str, Iterable[object]] = {
            name: self[name] for name in BLOCK_FIELDS if not (is_whole and name in Block._late)
        }
        return make_blocks({**columns, "_columns": repeat(self)}, self.count)


def made_columns(
    count: int, columns: Mapping[str, Sequence[Any]], alike: Mapping[str, Any] = MappingProxyType({})
) -> BlockColumns:
    """Return columns that are made already; ``alike``: the values of columns that have only one."""
    columns = {**columns, **{name: [value] * count for name, value in alike.items()}}
    return BlockColumns(count, {name: repeat(column).__next__ for name, column in columns.items()})


class _MadeLate:
    """Makes the fields of ``_late`` from columns when they are first read; without ``_columns``, all are made."""

    __slots__ = ("_columns",)
    _columns: BlockColumns
    _late: ClassVar[frozenset[str]]

    def _make(self, name: str) -> object:
        """Return the value of a field that is not set."""
        raise NotImplementedError

    if not TYPE_CHECKING:
        # Python calls this only for fields that are not set.
        def __getattr__(self, name: str) -> object:
            if name not in self._late:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            value = self._make(name)
            object.__setattr__(self, name, value)
            return value


@dataclass(frozen=True, slots=True)
class Block(_MadeLate):
    """A block of a page with its class, the reason for it, and the measurements behind it.

    Lengths are in characters (code points) after white space was collapsed; densities are shares
    from 0 to 1.  The text of a PRE keeps its lines; its measurements are those of the collapsed text.
    """

    text: str
    """A table has a row a line, with tabs between the cells."""
    block_class: BlockClass
    """The final class: ``good`` or ``bad``."""
    context_free_class: BlockClass
    """The class by the block's own text or by a rule of the user's, before its neighbours were looked at."""
    reason: str
    """The rule that decided the final class, in words."""
    is_heading: bool
    """Whether it is inside H1 to H6, or a block with the role of a heading."""
    heading_level: int
    """1 to 6 in headings, else 0."""
    tag: str
    """Name of the innermost block-level element that holds the text."""
    link_density: float
    """Characters inside links / characters."""
    stopword_density: float
    """Words in the stoplist / words; in languages without spaces, characters that the stoplist's words cover
    / characters."""
    word_count: int
    """In languages without spaces an estimate, from the characters."""
    characters: int
    link_characters: int
    """Characters inside links."""
    tags_count: int
    """Inline elements inside the block."""
    index: int
    """Position among the blocks of the page, from 0."""
    xpath: str | None = None
    """Selects the block's element in the page as parsed; None unless it was asked for."""
    dom_path: str | None = None
    """Names of the elements from HTML down to the block's, joined by dots; None unless asked for."""
    image_url: str | None = None
    """The SRC of an image, where the profile makes images blocks; else None."""
    image_alt: str | None = None
    """Its ALT, which is the block's text; may be empty."""
    probability: float | None = None
    """The probability that the block is content, if a trained model judges; else None."""
    origin: str = "page"
    """``page`` for text in the page's elements; ``json-ld`` or ``embedded`` for text in a script's data."""
    kind: str = "text"
    """What it is made of, or stands in, such as ``text``, ``heading`` or ``code``."""
    code_language: str = ""
    """The language of code, from the page's class names; empty if unknown, and for all other kinds."""
    heading_path: tuple[str, ...] = ()
    """The texts of the good headings above the block, the highest level first; that of the block itself is not among
    them."""
    role: str | None = None
    """What it is on its page, by a trained model: ``content``, ``comment``, ``post`` (of a forum), ``headline``,
    ``byline``, ``navigation``, ``related``, ``legal``, ``consent`` or ``other``; None for profiles without a model."""

    language: str | None = None
    """ISO 639 code of the block's language where its script or its stop words tell another one than the page's; else
    None, as for blocks of less than 300 characters."""

    _late: ClassVar = frozenset({"heading_path", "reason", "role", "language"})

    @property
    def is_good(self) -> bool:
        """Return whether the block is content."""
        # By a name of its own: to find a member in its class takes ten times as long.
        return self.block_class is GOOD

    def _make(self, name: str) -> object:
        return self._columns[name][self.index]


def make_blocks(columns: Mapping[str, Iterable[object]], count: int) -> tuple[Block, ...]:
    """Return ``count`` blocks.  ``columns``: for each field of a block its values, one for each block."""
    blocks = tuple(map(object.__new__, repeat(Block, count)))
    for name, values in columns.items():
        # The slot itself sets a value at a fifth of what a frozen dataclass takes, and pages have hundreds of blocks.
        deque(map(getattr(Block, name).__set__, blocks, values), maxlen=0)
    return blocks


@dataclass(frozen=True, slots=True, repr=False)
class Extraction(_MadeLate):
    """What was found on a page: plain data without a tree."""

    blocks: tuple[Block, ...]
    """Every block in document order, boilerplate too."""
    language: str
    """ISO 639 code of the page's language, whatever stop words judge it; ``und`` if unknown."""
    language_source: str
    """``given``, ``detected``, ``declared`` or ``fallback`` (judged without stop words)."""
    language_reason: str
    """Why this language, in words."""
    profile: str
    """The profile that judged the page; the one that ``auto`` chose."""
    title: str
    """The TITLE's text."""
    url: str | None = None
    """What was given, else that of the response."""
    is_cut: bool = False
    """The parser dropped the end of the page, which nests deeper than 2,048 elements."""
    confidence: float | None = None
    """The F1 to be expected of the text, from 0 to 1, by a trained model; None for profiles without one, and for pages
    without blocks."""
    page_type: str | None = None
    """``article``, ``collection``, ``documentation``, ``forum``, ``listing``, ``product`` or ``service``; None for
    pages without blocks, and for profiles without a trained model unless types were asked for."""
    page_type_probability: float | None = None
    """The probability that this is the page's type."""
    is_fallback: bool = False
    """Nothing was good, so the most probable block was made good, by ``fallback_probability``."""
    markdown: str = ""
    """The good blocks as Markdown; empty unless it was asked for."""
    html: str = ""
    """The good blocks as HTML without classes and scripts, which can be shown as it is; empty unless it was asked
    for."""
    metadata: Metadata = NO_METADATA
    """What the page declares about itself; empty unless it was asked for."""
    # Extractions of one page are equal in whatever form the page came.
    declared_language: str | None = field(default=None, compare=False)
    """The first language tag that the page or its HTTP headers declare, such as ``en-GB``; None if there is none."""
    encoding: str | None = field(default=None, compare=False)
    """Python's name for the encoding of the page; None for one that came as text or as a tree."""
    encoding_source: str | None = field(default=None, compare=False)
    """``mark`` (byte order mark), ``given``, ``declared``, ``detected`` (valid UTF-8), ``guessed``, or
    ``contradiction``: the page is UTF-8 though its header says or it declares another encoding."""
    encoding_reason: str | None = field(default=None, compare=False)
    """Why this encoding, in words."""

    _late: ClassVar = frozenset({"blocks", "confidence", "page_type", "page_type_probability"})

    @classmethod
    def of_columns(cls, columns: BlockColumns, **values: Any) -> Extraction:
        """Return an extraction that makes its blocks of ``columns`` when they are read; ``values``: all else."""
        made = cls(blocks=(), **values)
        for name in ("blocks", *columns.of_page):
            object.__delattr__(made, name)
        object.__setattr__(made, "_columns", columns)
        return made

    def parts(self) -> tuple[BlockColumns, dict[str, Any]]:
        """Return the arguments of :meth:`of_columns` from which a copy is made."""
        values = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "blocks"}
        return self._table(), values

    def _table(self) -> BlockColumns:
        """Return the columns that the blocks are made of, or those of the blocks that it was made with."""
        columns: BlockColumns | None = getattr(self, "_columns", None)
        if columns is None:
            made = {name: list(map(attrgetter(name), self.blocks)) for name in BLOCK_FIELDS}
            columns = made_columns(len(self.blocks), made)
        return columns

    def __reduce__(self) -> tuple[Callable[..., Extraction], tuple[object, ...]]:
        # Not the method itself: once Scrapy has imported Twisted, methods of classes cannot be pickled.
        return _restored, self.parts()

    def __repr__(self) -> str:
        # A page has hundreds of blocks, which nobody wants in a log.
        classes = self.column("block_class")
        of = f" of {self.url}" if self.url else ""
        good = sum(block_class is GOOD for block_class in classes)
        return f"<Extraction{of}: {good} of {len(classes)} blocks good, {self.language}, {self.profile}>"

    def column(self, name: str) -> list[Any]:
        """Return the values of a field of all blocks, in their order; the blocks are not made for it.

        Raises :class:`AttributeError` if blocks have no such field.

        >>> from scrapy_justext import extract
        >>> extract("<p>Home<p>About us").column("characters")
        [4, 8]
        """
        if name not in BLOCK_FIELDS:
            raise AttributeError(f"blocks have no field {name!r}")
        return list(self._table()[name])

    def with_bad(self, reasons: Mapping[int, str]) -> Extraction:
        """Return the extraction with some blocks made bad, and these texts no longer among headings.

        Its Markdown and HTML stay as they are: they are written from the page's tree.
        ``reasons``: why, by the index of the block.
        """
        columns, values = self.parts()
        removed = {columns["text"][i] for i in reasons if columns["heading_level"][i]}

        def replaced(name: str, values: Mapping[int, Any]) -> Callable[[], Sequence[Any]]:
            return lambda: [values.get(i, value) for i, value in enumerate(columns[name])]

        makers: dict[str, Callable[[], Sequence[Any]]] = {
            **{name: partial(columns.__getitem__, name) for name in BLOCK_FIELDS},
            "block_class": replaced("block_class", dict.fromkeys(reasons, BAD)),
            "reason": replaced("reason", reasons),
            "role": lambda: [
                "other" if i in reasons and role == "content" else role for i, role in enumerate(columns["role"])
            ],
            "heading_path": lambda: [
                tuple(filterfalse(removed.__contains__, path)) for path in columns["heading_path"]
            ],
        }
        return Extraction.of_columns(BlockColumns(columns.count, makers), **values)

    def with_documents(self, documents: Mapping[str, str]) -> Extraction:
        """Return the extraction with other Markdown or HTML, by the names of the fields."""
        columns, values = self.parts()
        return Extraction.of_columns(columns, **{**values, **documents})

    @property
    def paragraphs(self) -> list[str]:
        """Return the texts of the good blocks; one that only numbers the next stands before it."""
        if self.profile in _AS_PUBLISHED:
            return [text for text in self._of_good("text") if text]
        return numbered(self._of_good("text"))

    @property
    def text(self) -> str:
        """Return the paragraphs, with a blank line between them."""
        return BETWEEN_PARAGRAPHS.join(self.paragraphs)

    @property
    def languages(self) -> dict[str, float]:
        """Return the languages of the good blocks by their codes, with their shares of the characters, most first."""
        characters: Counter[str] = Counter()
        for own, count in zip(*map(self._of_good, ("language", "characters")), strict=True):
            characters[own or self.language] += count
        total = characters.total()
        return {code: round(count / total, 3) for code, count in characters.most_common() if count}

    @property
    def comments(self) -> list[str]:
        """Return the texts of the blocks, good or bad, whose role is ``comment``; those of forums are posts."""
        table = self._table()
        return [text for text, role in zip(table["text"], table["role"], strict=True) if role == "comment" and text]

    def chunks(self, characters: int = CHUNK_CHARACTERS) -> list[TextChunk]:
        """Return the text in pieces for retrieval, none of them longer than so many ``characters``.

        They are cut at headings and between blocks; blocks that are too long, between sentences.

        Raises :class:`~scrapy_justext.exceptions.ParameterError` for less than one character.

        >>> from scrapy_justext import extract
        >>> page = extract("<p>" + "It was the best of times, it was the worst of times. It was so. " * 5)
        >>> [(chunk.text, chunk.start, chunk.end) for chunk in page.chunks(70)][0]
        ('It was the best of times, it was the worst of times. It was so.', 0, 63)
        """
        names = ("text", "index", "is_heading", "kind", "heading_path")
        paragraphs = (
            Paragraph(text, index, is_heading, kind in (CODE, TABLE), path)
            for text, index, is_heading, kind, path in zip(*map(self._of_good, names), strict=True)
            # An image without ALT has no text.
            if text
        )
        return cut_into_chunks(paragraphs, characters)

    @property
    def simhash(self) -> str | None:
        """Return the SimHash of the good blocks, 16 hexadecimal digits; None for less than an n-gram of text."""
        from scrapy_justext.core.ngrams import simhash  # noqa: PLC0415 (it needs numpy)

        return simhash(self._of_good("text"))

    @property
    def minhash(self) -> list[int] | None:
        """Return the MinHash of the good blocks, 128 numbers of 32 bits; None for less than an n-gram of text."""
        from scrapy_justext.core.ngrams import minhash  # noqa: PLC0415 (it needs numpy)

        return minhash(self._of_good("text"))

    @property
    def good_characters(self) -> int:
        """Return the number of characters in good blocks."""
        return sum(self._of_good("characters"))

    def _of_good(self, name: str) -> list[Any]:
        table = self._table()
        return list(compress(table[name], table.are_good()))

    def block_columns(self, names: Iterable[str], which: str = "all") -> dict[str, list[Any]]:
        """Return some fields of the blocks that ``which`` names as plain JSON values, a list for each field."""
        read = self._table().__getitem__ if which == "all" else self._of_good
        return {name: list(map(_PLAIN[name][0], read(name)) if name in _PLAIN else read(name)) for name in names}

    def block_dicts(self, names: Sequence[str], which: str = "all") -> list[dict[str, Any]]:
        """Return the same as :meth:`block_columns`, a dict for each block."""
        # Column by column: dicts that have their keys are filled faster than dicts that grow.
        empty: dict[str, Any] = dict.fromkeys(names)
        columns = self.block_columns({**empty, "index": None}, which)
        rows = [empty.copy() for _ in columns["index"]]
        for name in empty:
            for row, value in zip(rows, columns[name], strict=True):
                row[name] = value
        return rows

    def _make(self, name: str) -> object:
        return self._columns.blocks() if name == "blocks" else self._columns.of_page[name]()

    def to_dict(self) -> dict[str, Any]:
        """Return the same as plain JSON values: dicts, lists, str, numbers, booleans, None."""
        return {
            "text": self.text,
            "paragraphs": self.paragraphs,
            "blocks": self.block_dicts(BLOCK_FIELDS),
            **{field.name: getattr(self, field.name) for field in fields(self) if field.name != "blocks"},
            "metadata": self.metadata._asdict(),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Extraction:
        """Return the extraction of which :meth:`to_dict` made ``values``.

        What has a default may be missing, of the extraction and of its blocks.
        """
        columns: dict[str, list[Any]] = {
            name: [row.get(name, _DEFAULTS[name]) if name in _DEFAULTS else row[name] for row in values["blocks"]]
            for name in BLOCK_FIELDS
        }
        for name, (_, restore) in _PLAIN.items():
            columns[name] = list(map(restore, columns[name]))
        rest = {name: value for name, value in values.items() if name not in ("text", "paragraphs", "blocks")}
        rest["metadata"] = Metadata(**rest.get("metadata", {}))
        return cls.of_columns(made_columns(len(values["blocks"]), columns), **rest)


#: Profiles that must have the same paragraphs as the methods that they are named after.
_AS_PUBLISHED = ("justext-3.0", "justext-java", "boilerpipe", "boilerpipe-article")

BLOCK_FIELDS = tuple(field.name for field in fields(Block))
_DEFAULTS = {field.name: field.default for field in fields(Block) if field.default is not MISSING}

#: For fields that hold no plain JSON values: what makes such values of them, and what makes the fields of such values.
#: ``value`` would call a function in Python.
_CLASS = (attrgetter("_value_"), BlockClass)
_PLAIN: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "block_class": _CLASS,
    "context_free_class": _CLASS,
    "heading_path": (list, tuple),
}


def numbered(texts: Iterable[str]) -> list[str]:
    """Return texts without empty ones; one that only numbers the next stands before it.

    >>> numbered(["1.", "First", "", "2.", "3."])
    ['1. First', '2. 3.']
    """
    joined, number = [], ""
    for text in texts:
        if is_enumerator(text):
            number = f"{number}{text} "
        # An image without ALT has no text.
        elif text:
            joined.append(f"{number}{text}")
            number = ""
    return [*joined, number.rstrip()] if number else joined


def _restored(columns: BlockColumns, values: Mapping[str, Any]) -> Extraction:
    return Extraction.of_columns(columns, **values)


def part_of(
    extraction: Extraction,
    part: str,
    which: str = "all",
    block_fields: Sequence[str] = BLOCK_FIELDS,
    chunk_characters: int = CHUNK_CHARACTERS,
) -> Any:
    """Return a part of an extraction as plain JSON values; ``which``: the blocks to return, ``good`` or ``all``."""
    if part == "blocks":
        return extraction.block_dicts(block_fields, which)
    if part == "chunks":
        return [chunk.to_dict() for chunk in extraction.chunks(chunk_characters)]
    if part == "languages":
        return [{"language": code, "share": share} for code, share in extraction.languages.items()]
    return getattr(extraction.metadata if part in Metadata._fields else extraction, part)
