"""Define the values that go from pass to pass.

A page is first a list of :class:`Segment`, the blocks as they were cut out of the tree.  Beside it go a list of
:class:`Measurements` and a list of :class:`Decision`, with one entry for each segment.  At the end they become the
blocks of an :class:`Extraction`, which users see.
"""

from __future__ import annotations

from collections import deque
from dataclasses import MISSING, dataclass, field, fields
from enum import Enum
from functools import partial
from itertools import repeat
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from scrapy_justext.core.tags import CODE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence


class BlockClass(str, Enum):
    """What a block is: content (``good``) or boilerplate (``bad``), or not decided yet.

    Context-free classification gives all four classes; after the context pass only
    ``good`` and ``bad`` are left.
    """

    GOOD = "good"
    NEAR_GOOD = "near_good"
    SHORT = "short"
    BAD = "bad"

    def __str__(self) -> str:
        return self.value


GOOD: BlockClass
NEAR_GOOD: BlockClass
SHORT: BlockClass
BAD: BlockClass
GOOD, NEAR_GOOD, SHORT, BAD = BlockClass


class Segment(NamedTuple):
    """A block as it was cut out of the tree, before anything is judged."""

    text: str
    """What the user gets."""
    collapsed: str
    """The same on one line, which is what is measured."""
    link_characters: int
    link_words: int
    """Words inside links; a part of a word counts, too."""
    tags_count: int
    tag: str
    """Name of the innermost block-level element around the text."""
    heading_level: int
    """1 to 6 inside H1 to H6, else 0."""
    in_select: bool
    preformatted: bool
    """Inside a PRE."""
    element: int
    """Number of the innermost block-level element, in document order from 1; 0 for text outside all of them."""
    start: int
    """Characters of the page's text before the block.  White space does not count, nor do images, nor formulas that are
    elements."""
    kind: str
    """One of :data:`~scrapy_justext.core.tags.KINDS`."""
    chunk: int
    """The place where it begins in the flattened page, which is split where block-level elements start and end."""
    image_url: str | None = None
    """The SRC of an image, whose text is the ALT; None for text."""
    code_language: str = ""
    """The language that code says it is in."""
    cells: tuple[tuple[DataCell, ...], ...] = ()
    """The cells of a table of data, by rows."""
    formulas: tuple[str, ...] = ()
    """The formulas in the text, in their order, as they stand there."""

    @property
    def keeps_lines(self) -> bool:
        """Return whether it is code or other preformatted text, whose lines mean something."""
        return self.preformatted or self.kind == CODE

    def without_formulas(self) -> str:
        """Return the text on one line, with spaces in place of formulas."""
        parts: list[str] = []
        rest = self.collapsed
        for formula in self.formulas:
            before, _, rest = rest.partition(formula)
            parts.append(before)
        return " ".join([*parts, rest])


class DataCell(NamedTuple):
    """A cell of a table of data."""

    element: int
    """The number of its element."""
    blocks: tuple[Segment, ...]

    @property
    def has_words(self) -> bool:
        """Return whether there are letters or digits in it."""
        return any(character.isalnum() for one in self.blocks for character in one.collapsed)


class Measurements(NamedTuple):
    """What is measured on a segment, for context-free classification.

    ``word_count`` and ``link_words`` are estimates where white space does not delimit words.
    """

    characters: int
    word_count: int
    link_words: int
    link_density: float
    stopword_density: float


class Decision(NamedTuple):
    """The class of a block after some pass, and the rule that decided it, in words.

    ``probability``: that the block is content, if a trained model decided; passes need not keep it.
    """

    block_class: BlockClass
    reason: str
    probability: float | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """A block of a page with its class, the reason for it, and the measurements behind it.

    Lengths are in characters (code points) after white space was collapsed; densities are shares
    from 0 to 1.  The text of a PRE keeps its lines; its measurements are those of the collapsed text.
    """

    text: str
    block_class: BlockClass
    """The final class: ``good`` or ``bad``."""
    context_free_class: BlockClass
    """The class by the block's own text or by a rule of the user's, before its neighbours were looked at."""
    reason: str
    """The rule that decided the final class, in words."""
    is_heading: bool
    heading_level: int
    """1 to 6 inside H1 to H6, else 0."""
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
    """``text``, ``heading``, ``list item``, ``caption`` or ``quote``, by the element that it stands in; ``code``,
    ``formula``, ``table``, ``image``."""
    code_language: str = ""
    """The language of code, as the page's class names have it; empty if unknown, and for all other kinds."""
    heading_path: tuple[str, ...] = ()
    """The texts of the good headings above the block, that of the highest level first; a heading's own is not among
    them."""

    @property
    def is_good(self) -> bool:
        """Return whether the block is content."""
        return self.block_class is BlockClass.GOOD


def make_blocks(columns: Mapping[str, Iterable[object]], count: int) -> tuple[Block, ...]:
    """Return ``count`` blocks.  ``columns``: for each field of a block its values, one for each block."""
    blocks = tuple(map(object.__new__, repeat(Block, count)))
    for name, values in columns.items():
        # The slot itself sets a value at a fifth of what a frozen dataclass takes, and pages have hundreds of blocks.
        deque(map(getattr(Block, name).__set__, blocks, values), maxlen=0)
    return blocks


@dataclass(frozen=True, slots=True, repr=False)
class Extraction:
    """What was found on a page: plain data without a tree."""

    blocks: tuple[Block, ...]
    """Every block in document order, boilerplate too."""
    language: str
    """ISO 639 code of the stoplist used; without one (``fallback``), of the page's language, ``und`` if unknown."""
    language_source: str
    """``given``, ``detected``, ``declared`` or ``fallback`` (judged without stop words)."""
    language_reason: str
    """Why this language, in words."""
    profile: str
    title: str
    """The TITLE's text; dates and authors are left to other libraries."""
    url: str | None = None
    is_cut: bool = False
    """The parser dropped the end of the page, which nests deeper than 2,048 elements."""
    markdown: str = ""
    """The good blocks as Markdown; empty unless it was asked for."""
    # Extractions of one page are equal in whatever form the page came.
    encoding: str | None = field(default=None, compare=False)
    """Python's name for the encoding of the page; None for one that came as text or as a tree."""
    encoding_source: str | None = field(default=None, compare=False)
    """``mark`` (byte order mark), ``given``, ``declared``, ``detected`` (valid UTF-8), ``guessed``, or
    ``contradiction``: the page is UTF-8 though it declares another encoding."""
    encoding_reason: str | None = field(default=None, compare=False)
    """Why this encoding, in words."""

    def __repr__(self) -> str:
        # A page has hundreds of blocks, which nobody wants in a log.
        good = sum(block.is_good for block in self.blocks)
        of = f" of {self.url}" if self.url else ""
        return f"<Extraction{of}: {good} of {len(self.blocks)} blocks good, {self.language}, {self.profile}>"

    @property
    def paragraphs(self) -> list[str]:
        """Return the texts of the good blocks."""
        # An image without ALT has no text.
        return [block.text for block in self.blocks if block.is_good and block.text]

    @property
    def text(self) -> str:
        """Return the paragraphs, with a blank line between them."""
        return "\n\n".join(self.paragraphs)

    @property
    def good_characters(self) -> int:
        """Return the number of characters in good blocks."""
        return sum(block.characters for block in self.blocks if block.is_good)

    def choose_blocks(self, which: str) -> tuple[Block, ...]:
        """Return the blocks that ``which`` names: the ``good`` ones, or ``all``."""
        return self.blocks if which == "all" else tuple(block for block in self.blocks if block.is_good)

    def to_dict(self) -> dict[str, Any]:
        """Return the same as plain JSON values: dicts, lists, str, numbers, booleans, None."""
        return {
            "text": self.text,
            "paragraphs": self.paragraphs,
            "blocks": blocks_to_dicts(self.blocks),
            **{field.name: getattr(self, field.name) for field in fields(self) if field.name != "blocks"},
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Extraction:
        """Return the extraction of which :meth:`to_dict` made ``values``.

        What has a default may be missing, of the extraction and of its blocks.
        """
        rest = {name: value for name, value in values.items() if name not in ("text", "paragraphs", "blocks")}
        return cls(blocks=_dicts_to_blocks(values["blocks"]), **rest)


BLOCK_FIELDS = tuple(field.name for field in fields(Block))
_BLOCK_DEFAULTS = {field.name: field.default for field in fields(Block) if field.default is not MISSING}

#: What makes plain JSON values of the fields that hold others.
_PLAIN: dict[str, Callable[[Any], Any]] = {
    "block_class": attrgetter("value"),
    "context_free_class": attrgetter("value"),
    "heading_path": list,
}
#: What makes these fields of plain JSON values.
_FROM_PLAIN: dict[str, Callable[[Any], Any]] = {
    "block_class": BlockClass,
    "context_free_class": BlockClass,
    "heading_path": tuple,
}


def blocks_to_dicts(blocks: Iterable[Block], names: Sequence[str] = BLOCK_FIELDS) -> list[dict[str, Any]]:
    """Return some fields of each block as plain JSON values."""
    blocks = tuple(blocks)
    # Field by field: dicts that have their keys are filled faster than dicts that grow.
    empty: dict[str, Any] = dict.fromkeys(names)
    rows = [empty.copy() for _ in blocks]
    for name in names:
        values = map(attrgetter(name), blocks)
        for row, value in zip(rows, map(_PLAIN[name], values) if name in _PLAIN else values, strict=True):
            row[name] = value
    return rows


def _dicts_to_blocks(rows: Sequence[Mapping[str, Any]]) -> tuple[Block, ...]:
    columns: dict[str, Iterable[object]] = {
        name: [row.get(name, _BLOCK_DEFAULTS[name]) for row in rows]
        if name in _BLOCK_DEFAULTS
        else [row[name] for row in rows]
        for name in BLOCK_FIELDS
    }
    for name, restore in _FROM_PLAIN.items():
        columns[name] = map(restore, columns[name])
    return make_blocks(columns, len(rows))


def part_of(extraction: Extraction, part: str, which: str = "all", block_fields: Sequence[str] = BLOCK_FIELDS) -> Any:
    """Return a part of an extraction as plain JSON values.  ``which``: the blocks to return, ``good`` or ``all``."""
    if part != "blocks":
        return getattr(extraction, part)
    return blocks_to_dicts(extraction.choose_blocks(which), block_fields)


Kind = TypeVar("Kind")


def maker(kind: type[Kind]) -> Callable[[tuple[Any, ...]], Kind]:
    """Return a function that makes a named tuple from a plain one, at a third of the cost of calling ``kind``."""
    return cast("Callable[[tuple[Any, ...]], Kind]", partial(tuple.__new__, kind))
