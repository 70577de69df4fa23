"""Define the values that go from pass to pass.

A page is first a :class:`BlockTable`: the blocks as they were cut out of the tree, in columns.  A row of it is a
:class:`Segment`.  Beside it go the columns of :class:`Measurements`, and those of :class:`Decisions`.
At the end, all become an :class:`~scrapy_justext.core.extraction.Extraction`, which users see.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from enum import Enum
from itertools import accumulate, compress, count
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar, overload

from scrapy_justext.core.tags import CODE

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

Made = TypeVar("Made")
#: A cell of a table of data: the number of its element, and the indices of its first block and of that behind its last.
CellSpan = tuple[int, int, int]


class Late(Generic[Made]):
    """Returns a value that is made at the first call; ``make``, and all that it holds, is let go of then."""

    __slots__ = ("_made", "_make")
    _made: Made

    def __init__(self, make: Callable[[], Made]) -> None:
        self._make: Callable[[], Made] | None = make

    def __call__(self) -> Made:
        """Return the value."""
        make = self._make
        if make is not None:
            made = make()
            # Another thread may have been quicker: all get the same.
            if self._make is not None:
                # In this order, as others look at the second.
                self._made = made
                self._make = None
        return self._made

    def __getstate__(self) -> tuple[Made]:
        # A state that is false would not be set.
        return (self(),)

    def __setstate__(self, state: tuple[Made]) -> None:
        self._make = None
        (self._made,) = state


class BlockClass(str, Enum):
    """What a block is: content (``good``) or boilerplate (``bad``), or not decided yet.

    Context-free classification gives all four classes; after the context pass only
    ``good`` and ``bad`` are left.
    """

    GOOD = "good"
    NEAR_GOOD = "near_good"
    SHORT = "short"
    BAD = "bad"

    code: int
    """The byte that stands for it in a column: its first letter."""

    def __init__(self, value: str) -> None:
        self.code = ord(value[0])

    def __str__(self) -> str:
        return str(self.value)


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
    """The same on one line, as it is measured, though code and tables have lines; ``justext-3.0`` keeps the line
    feeds of the source, as the reference does."""
    link_characters: int
    link_words: int
    """Words inside links; a part of a word counts, too."""
    tags_count: int
    tag: str
    """Name of the innermost block-level element around the text."""
    heading_level: int
    """1 to 6 in headings, else 0."""
    in_select: bool
    preformatted: bool
    """Inside a PRE."""
    element: int
    """Number of the innermost block-level element, in document order from 1; 0 for text outside all of them."""
    begin: int
    """The first of its tokens in the flow of the page."""
    end: int
    """The token behind its last."""
    kind: str
    """One of :data:`~scrapy_justext.core.tags.KINDS`."""
    image_url: str | None = None
    """The SRC of an image, whose text is the ALT; None for text."""
    code_language: str = ""
    """The language that code says it is in."""
    cells: DataCells | None = None
    """The cells of a table of data; None for all else."""
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


class Position(NamedTuple):
    """What a block takes over from the elements around it: fields of :class:`Segment`."""

    tag: str
    heading_level: int
    in_select: bool
    preformatted: bool
    kind: str


class Extras(NamedTuple):
    """What few blocks have: fields of :class:`Segment`."""

    text: str | None = None
    """None where it is the collapsed text."""
    image_url: str | None = None
    code_language: str = ""
    cells: DataCells | None = None
    formulas: tuple[str, ...] = ()


#: What all blocks have, by the columns of :class:`BlockTable`.
BlockRow = tuple[str, Position, int, int, int, int, int, int]
#: The columns of numbers, and all of them.
NUMBERS = ("link_characters", "link_words", "tags_count", "element", "begin", "end")
_COLUMNS = ("collapsed", "position", *NUMBERS)

_NOTHING = Extras()


class BlockTable(Sequence[Segment]):
    """The blocks of a page in document order, in columns; as a sequence, its rows, which are made when they are read.

    Each column is named like the field of :class:`Segment` that it holds.
    """

    __slots__ = ("_kept", "extras", *_COLUMNS)

    def __init__(self, segments: Iterable[Segment] = ()) -> None:
        self.collapsed: list[str] = []
        #: Positions are shared, there are few different ones.
        self.position: list[Position] = []
        self.link_characters = array("i")
        self.link_words = array("i")
        self.tags_count = array("i")
        self.element = array("i")
        self.begin = array("i")
        self.end = array("i")
        #: By the index of the block.
        self.extras: dict[int, Extras] = {}
        #: What :meth:`once` made, by the number of blocks at that time and by its name.
        self._kept: dict[tuple[int, str], Sequence[Any]] = {}
        for segment in segments:
            self.append(segment)

    def add(self, row: BlockRow, extras: Extras | None = None) -> None:
        """Add a block behind the last."""
        if extras is not None:
            self.extras[len(self.collapsed)] = extras
        for column, value in zip(self._columns(), row, strict=True):
            column.append(value)

    def add_numbers(self, numbers: array[int], count: int) -> None:
        """Add the numbers of blocks whose texts and positions are there already: ``count`` in columns of one length."""
        length = len(numbers) // len(NUMBERS)
        for i, name in enumerate(NUMBERS):
            getattr(self, name).extend(numbers[i * length : i * length + count])

    def append(self, segment: Segment) -> None:
        """Add a row behind the last."""
        text = None if segment.text == segment.collapsed else segment.text
        extras = Extras(text, *(getattr(segment, name) for name in Extras._fields[1:]))
        position = Position._make(getattr(segment, name) for name in Position._fields)
        row: Any = (segment.collapsed, position, *(getattr(segment, name) for name in NUMBERS))
        self.add(row, None if extras == _NOTHING else extras)

    def extend(self, other: BlockTable) -> None:
        """Add the blocks of another table behind the last."""
        count = len(self)
        self.extras |= {count + i: extras for i, extras in other.extras.items()}
        for name in _COLUMNS:
            getattr(self, name).extend(getattr(other, name))

    def cut_off(self, first: int) -> None:
        """Remove the blocks from the one with the index ``first`` on."""
        self._kept.clear()
        for name in _COLUMNS:
            del getattr(self, name)[first:]
        # They are in the order of the blocks; it takes long to go through all of them for each table of a page.
        while self.extras and next(reversed(self.extras)) >= first:
            self.extras.popitem()

    def _once(self, name: str, make: Callable[[], Sequence[Any]]) -> Sequence[Any]:
        """Return what ``make`` makes of the blocks so far, under a name; it is made once."""
        key = len(self), name
        made = self._kept.get(key)
        if made is None:
            made = self._kept[key] = make()
        return made

    def of_position(self, name: str) -> Sequence[Any]:
        """Return a column of which :class:`Position` has the field; it is made once."""
        return self._once(name, lambda: list(map(itemgetter(Position._fields.index(name)), self.position)))

    def on_one_line(self) -> Sequence[str]:
        """Return the collapsed texts without the line feeds that ``justext-3.0`` keeps; they are made once."""
        return self._once("on_one_line", lambda: [text.replace("\n", " ") for text in self.collapsed])

    def characters_before(self) -> Sequence[int]:
        """Return how many characters of blocks there are before each block, and in all of them; it is made once."""
        return self._once("characters_before", lambda: list(accumulate(map(len, self.collapsed), initial=0)))

    def headings(self) -> Sequence[int]:
        """Return the indices of headings; they are looked for once."""
        return self._once("headings", lambda: list(compress(count(), self.of_position("heading_level"))))

    def taken(self, indices: Sequence[int]) -> BlockTable:
        """Return a table of the blocks with some indices."""
        taken = BlockTable()
        for name in _COLUMNS:
            getattr(taken, name).extend(map(getattr(self, name).__getitem__, indices))
        if self.extras:
            taken.extras = {new: self.extras[i] for new, i in enumerate(indices) if i in self.extras}
        return taken

    def of_extras(self, name: str) -> list[Any]:
        """Return a column of which :class:`Extras` has the field."""
        column = [getattr(_NOTHING, name)] * len(self)
        for i, extras in self.extras.items():
            column[i] = getattr(extras, name)
        return column

    @property
    def text(self) -> list[str]:
        """Return what the user gets of each block."""
        texts = zip(self.of_extras("text"), self.collapsed, strict=True)
        return [collapsed if text is None else text for text, collapsed in texts]

    def text_of(self, i: int) -> str:
        """Return what the user gets of the block with an index."""
        text = self.extras.get(i, _NOTHING).text
        return self.collapsed[i] if text is None else text

    def __len__(self) -> int:
        return len(self.collapsed)

    @overload
    def __getitem__(self, index: int) -> Segment: ...
    @overload
    def __getitem__(self, index: slice) -> BlockTable: ...
    def __getitem__(self, index: int | slice) -> Segment | BlockTable:
        if isinstance(index, slice):
            return self.taken(range(*index.indices(len(self))))
        i = range(len(self))[index]
        return next(self._rows([i], lambda column: [column[i]]))

    def __iter__(self) -> Iterator[Segment]:
        return self._rows(count(), iter)

    def chosen(self, are_chosen: Sequence[bool]) -> Iterator[Segment]:
        """Yield the rows for which a column is true, in a third of the time that it takes to ask for each."""
        return self._rows(compress(count(), are_chosen), lambda column: compress(column, are_chosen))

    def _rows(self, numbers: Iterable[int], part: Callable[[Sequence[Any]], Iterable[Any]]) -> Iterator[Segment]:
        for i, collapsed, position, linked, link_words, tags, element, begin, end in zip(
            numbers, *map(part, self._columns()), strict=False
        ):
            tag, heading_level, in_select, preformatted, kind = position
            text, image_url, code_language, cells, formulas = self.extras.get(i, _NOTHING)
            row = (
                collapsed if text is None else text, collapsed, linked, link_words, tags, tag, heading_level, in_select,
                preformatted, element, begin, end, kind, image_url, code_language, cells, formulas,
            )  # fmt: skip
            # At a third of the cost of a call; Markdown makes one for each good block.
            yield tuple.__new__(Segment, row)

    def _columns(self) -> list[Any]:
        return [getattr(self, name) for name in _COLUMNS]

    # It changes, so that it has no hash.
    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, BlockTable) else NotImplemented

    __hash__ = None  # type: ignore[assignment]


class DataCells(NamedTuple):
    """The cells of a table of data."""

    blocks: BlockTable
    spans: Sequence[Sequence[CellSpan]]
    """By rows: which of the blocks are in each cell."""

    def rows(self) -> list[list[DataCell]]:
        """Return the cells by rows, each with its blocks."""
        inside = list(self.blocks)
        return [[DataCell(number, tuple(inside[first:end])) for number, first, end in row] for row in self.spans]


class Measurements(NamedTuple):
    """What is measured of blocks, for context-free classification: columns with a value for each block.

    ``word_count`` and ``link_words`` are estimates where white space does not delimit words.
    """

    characters: Sequence[int]
    word_count: Sequence[int]
    link_words: Sequence[int]
    link_density: Sequence[float]
    stopword_density: Sequence[float]


class Decision(NamedTuple):
    """The class of a block after some pass, and the rule that decided it, in words."""

    block_class: BlockClass
    reason: str


class Decisions(Sequence[Decision]):
    """The decisions on a page's blocks after some pass, in columns; as a sequence, its rows.

    ``classes``: a byte for each block, the :attr:`~BlockClass.code` of its class.
    """

    __slots__ = ("_reasons", "classes")

    def __init__(self, rows: Iterable[Decision] = ()) -> None:
        rows = list(rows)
        self.classes = bytes([row.block_class.code for row in rows])
        self._reasons = Late(lambda: [row.reason for row in rows])

    @classmethod
    def of_columns(cls, classes: bytes | bytearray, make_reasons: Callable[[], list[str]]) -> Decisions:
        """Return decisions whose reasons are made when somebody reads one: most are never read."""
        made = cls.__new__(cls)
        made.classes = bytes(classes)
        made._reasons = Late(make_reasons)
        return made

    @property
    def reasons(self) -> list[str]:
        """Return the reasons."""
        return self._reasons()

    @property
    def are_good(self) -> bytes:
        """Return a byte for each block: 1 if it is GOOD, else 0."""
        return self.classes.translate(_ARE_GOOD)

    def block_classes(self) -> list[BlockClass]:
        """Return the classes."""
        return list(map(CLASS_OF.__getitem__, self.classes))

    def changed(self, classes: bytes | bytearray, change: Callable[[list[str]], object]) -> Decisions:
        """Return decisions with other classes; ``change`` puts their reasons into a list when somebody reads one."""

        def reasons() -> list[str]:
            made = self.reasons.copy()
            change(made)
            return made

        return Decisions.of_columns(classes, reasons)

    def moved(self, blocks: Collection[int], to: BlockClass, why: str | Callable[[int], str]) -> Decisions:
        """Return decisions with another class for some blocks; ``why`` goes behind the reason that a block has."""

        def words(i: int, reason: str) -> str:
            return f"{reason}; {why if isinstance(why, str) else why(i)}"

        return self.with_classes(dict.fromkeys(blocks, to), words) if blocks else self

    def with_rows(self, rows: Mapping[int, Decision]) -> Decisions:
        """Return decisions with others for some blocks, by their indices."""
        return self.with_classes({i: row.block_class for i, row in rows.items()}, lambda i, _: rows[i].reason)

    def with_classes(self, moved: Mapping[int, BlockClass], words: Callable[[int, str], str]) -> Decisions:
        """Return decisions with other classes for some blocks; ``words``: makes reasons of indices and old reasons."""
        classes = bytearray(self.classes)
        for i, to in moved.items():
            classes[i] = to.code

        def change(reasons: list[str]) -> None:
            for i in moved:
                reasons[i] = words(i, reasons[i])

        return self.changed(classes, change)

    def __len__(self) -> int:
        return len(self.classes)

    @overload
    def __getitem__(self, index: int) -> Decision: ...
    @overload
    def __getitem__(self, index: slice) -> Decisions: ...
    def __getitem__(self, index: int | slice) -> Decision | Decisions:
        if isinstance(index, slice):
            return Decisions.of_columns(self.classes[index], lambda: self.reasons[index])
        return Decision(CLASS_OF[self.classes[index]], self.reasons[index])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Decisions):
            return NotImplemented
        return self.classes == other.classes and self.reasons == other.reasons

    __hash__ = None  # type: ignore[assignment]


#: The classes by their codes.
CLASS_OF = {block_class.code: block_class for block_class in BlockClass}
_ARE_GOOD = bytes(code == GOOD.code for code in range(256))
