# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Compute the features of a page's blocks: a row a block, a column for each row of :mod:`.table`.

There are five groups, in the order of the table:

* the block itself: its text, link density, tags, level as a heading;
* its position on the page, and blocks of the same class or path;
* the elements that it stands in, up to the root;
* its neighbours;
* the names of its element, and of all ancestors.

Every group takes time in proportion to the number of blocks and elements.  Sums over elements and windows are
differences of cumulated sums.

A block is *sentence-like* (prose) if it is at least 70 units long, has a link density below 0.3, and a sentence end,
and is no code, formula or table of data.  No stop words are looked at, so that it means the same in every language.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from scrapy_justext.core.learned.characters import TextMeasurer
from scrapy_justext.core.learned.sums import DOUBLE, FLOAT, INT, Sums, holders
from scrapy_justext.core.learned.table import LEVELS, NAMES, NUMBERS, OFFSETS, WINDOWS
from scrapy_justext.core.learned.tree import ElementColumns, read_elements
from scrapy_justext.core.tags import CODE, FORMULA, TABLE

if TYPE_CHECKING:
    import cython
    from numpy.typing import NDArray

    from scrapy_justext.core.blocks import BlockTable
    from scrapy_justext.core.reading.flow import Flow

_PROSE_UNITS = 70
_PROSE_LINK_DENSITY = 0.3

#: How long a block is that is sought in the title, in characters.
_SHORTEST_IN_TITLE, _LONGEST_IN_TITLE = 4, 200
#: Characters of the title that are read: longer ones are no titles.
_TITLE_READ = 1000
#: "Blocks since a heading" where there is none before.
_NEVER = -10.0
#: Bytes of a set of names.
_SET_SIZE = (len(NAMES) + 7) // 8
#: The lengths of blocks, and the first features of groups.
_UNITS, _OF_POSITION, _OF_ELEMENTS, _OF_NEIGHBOURS, _OF_WINDOWS = (
    [feature.name for feature in NUMBERS].index(name)
    for name in (
        "units",
        "index_share",
        "units_0",
        f"units_{OFFSETS[0]:+d}",
        f"prose_density_window_{2 * WINDOWS[0] + 1}",
    )
)


class NameFlags(NamedTuple):
    """The names of the elements that blocks stand in.  Most blocks share them with others, so each set stands once."""

    flags: NDArray[np.uint8]
    """A row a set, a column for each of :data:`.table.NAMES`."""
    sets: NDArray[np.intp]
    """The set of each block."""


class PageView(NamedTuple):
    """What the second pass reads of a page beside its features."""

    texts: list[str]
    element: array[int]
    """The number of each block's element in :attr:`columns`."""
    columns: ElementColumns


@dataclass(frozen=True, slots=True)
class Features:
    """The features of a page's blocks, in the order of the table."""

    numbers: NDArray[np.float32]
    """A row for each of :data:`.table.NUMBERS`, a column a block."""
    own_names: NameFlags
    """Those of the block's own element."""
    all_names: NameFlags
    """Those of its element and all ancestors."""
    view: PageView | None = None
    """None for a page without blocks, and for one that only a model without a second pass is asked of."""

    @property
    def count(self) -> int:
        """Return the number of blocks."""
        return len(self.numbers.T)

    def lengths(self) -> NDArray[np.float64]:
        """Return the lengths of the blocks in units, at least 1."""
        return np.asarray(np.maximum(self.numbers[_UNITS].astype(np.float64), 1))

    def names(self, blocks: slice) -> NDArray[np.uint8]:
        """Return the flags of some blocks, a row a block."""
        return np.concatenate([names.flags[names.sets[blocks]] for names in (self.own_names, self.all_names)], axis=1)

    def rows(self, blocks: slice = slice(None)) -> NDArray[np.float32]:
        """Return the features of some blocks, a row a block, a column for each of :data:`.table.FEATURES`."""
        return np.concatenate([self.numbers[:, blocks].T, self.names(blocks)], axis=1, dtype=np.float32)

    def inputs(self) -> NDArray[np.float32]:
        """Return what a model is trained on: the same, with numbers transformed."""
        return np.concatenate([transform(self.numbers).T, self.names(slice(None))], axis=1, dtype=np.float32)


def compute(segments: BlockTable, flow: Flow, title: str) -> Features:
    """Compute the features of a page's blocks.  ``title``: the page's."""
    if not segments:
        none = NameFlags(np.empty((0, len(NAMES)), np.uint8), np.empty(0, np.intp))
        return Features(np.empty((len(NUMBERS), 0), np.float32), none, none)
    columns = read_elements(flow)
    own_names = _name_flags(segments.element, columns.own_names, columns.sets)
    all_names = _name_flags(segments.element, columns.all_names, columns.sets)
    page = _MeasuredBlocks(segments, columns, title[:_TITLE_READ].lower())
    numbers = np.frombuffer(page.numbers(), np.float32).reshape(len(NUMBERS), -1)
    view = PageView(segments.collapsed, segments.element, columns)
    return Features(numbers, own_names, all_names, view)


def _name_flags(element: array[int], names: array[int], sets: Any) -> NameFlags:
    """Return the names of the blocks; ``names``: those of the elements, by their numbers in ``sets``."""
    chosen = INT * len(element)
    rows = array("i", [-1]) * len(sets)
    used: list[int] = []
    i: cython.int
    for i in range(len(element)):
        number: cython.int = names[element[i]]
        if rows[number] < 0:
            rows[number] = len(used)
            used.append(sets[number])
        chosen[i] = rows[number]
    packed = np.frombuffer(b"".join([names_set.to_bytes(_SET_SIZE, "little") for names_set in used]), np.uint8)
    flags = np.unpackbits(packed.reshape(-1, _SET_SIZE), axis=1, count=len(NAMES), bitorder="little")
    return NameFlags(flags, np.array(chosen, np.intp))


def transform(numbers: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return what a model is given of numbers: sign(x) log(1 + |x|)."""
    inputs = np.abs(numbers)
    inputs += 1
    # log1p takes five times as long as log, and tells no more of numbers that are mostly counts and shares.
    np.log(inputs, out=inputs)
    return np.copysign(inputs, numbers, out=inputs)


class _MeasuredBlocks:
    """The blocks of a page, of which there is at least one; the features are written one by one.

    ``repeats``: by the first block with a text, how often it stands on the page; ``first``: that block.
    ``link_units``: units in links; ``prose_units``: those of sentence-like blocks, 0 for others.
    """

    def __init__(self, segments: BlockTable, columns: ElementColumns, title: str) -> None:
        count = self.count = len(segments)
        self.columns, self.title, self.texts, self.element = columns, title, segments.collapsed, segments.element
        self.parents, self.paths, self.classes = columns.parents, columns.paths, columns.classes
        self.depths, self.alike = columns.depths, columns.alike
        self.tags, self.link_characters = segments.tags_count, segments.link_characters
        self.kinds, self.level = segments.of_position("kind"), array("i", segments.of_position("heading_level"))
        self.offsets, self.windows = array("i", OFFSETS), array("i", WINDOWS)
        self.first, self.repeats = INT * count, INT * count
        self.is_code, self.is_table, self.is_prose = [bytearray(count) for _ in range(3)]
        self.link_density, self.units, self.ends, self.link_units, self.prose_units, self.is_heading = [
            DOUBLE * count for _ in range(6)
        ]
        self.out = FLOAT * (len(NUMBERS) * count)
        #: Where the next feature is written, and how far away the one behind that is.
        self.at, self.step, self.h1s = 0, count, 0
        self.text = TextMeasurer()

    def numbers(self) -> array[float]:
        """Return the features that are numbers: a row a feature, a column a block."""
        i: cython.int
        self._find_repeats()
        for i in range(self.count):
            self._put_block(i)
        equal = array("d", [1.0]) * self.count
        self.blocks, self.all_units, self.links, self.prose, self.headings = [
            Sums(weights, self.element, self.columns)
            for weights in (equal, self.units, self.link_units, self.prose_units, self.is_heading)
        ]
        self.holders = holders(self.parents, self.blocks)
        self.page_units = max(self.all_units.before[self.count], 1)
        self.page_prose = max(self.prose.before[self.count], 1)
        self._put_position()
        for i in range(self.count):
            self._put_elements(i)
            self._put_neighbours(i)
        return self.out

    def _put(self, value: cython.double) -> None:
        self.out[self.at] = value
        self.at += self.step

    def _find_repeats(self) -> None:
        seen: dict[str, int] = {}
        i: cython.int
        for i in range(self.count):
            self.first[i] = seen.setdefault(self.texts[i], i)
            self.repeats[self.first[i]] += 1

    def _put_block(self, i: cython.int) -> None:
        text = self.text
        text.measure(self.texts[i])
        units: cython.double = max(text.units, 1)
        words: cython.double = max(text.words, 1)
        characters: cython.double = max(text.characters, 1)
        link_density: cython.double = min(self.link_characters[i] / characters, 1)
        kind: str = self.kinds[i]
        # Few of the training pages have formulas.  TeX is much like code.
        is_code: cython.bint = kind in (CODE, FORMULA)
        is_table: cython.bint = kind == TABLE
        is_prose: cython.bint = text.units >= _PROSE_UNITS and link_density < _PROSE_LINK_DENSITY and text.ends > 0
        is_prose = is_prose and not (is_code or is_table)
        self.units[i], self.ends[i], self.link_density[i] = text.units, text.ends, link_density
        self.link_units[i], self.prose_units[i] = text.units * link_density, text.units if is_prose else 0
        self.is_code[i], self.is_table[i], self.is_prose[i] = is_code, is_table, is_prose
        self.is_heading[i] = self.level[i] > 0
        self.h1s += self.level[i] == 1
        self.at = i
        self._put(text.units)
        self._put(text.words)
        self._put(link_density)
        self._put(self.link_units[i])
        self._put(units / words)
        self._put(text.ends)
        self._put(100 * text.ends / units)
        self._put(units / max(text.ends, 1))
        self._put(text.commas)
        self._put(100 * text.commas / units)
        self._put(text.digits / characters)
        self._put(text.upper / characters)
        self._put(text.capitalised / words)
        self._put(text.letters / characters)
        self._put(text.marks / characters)
        self._put(text.bars)
        self._put(text.currencies)
        self._put(text.copyrights > 0)
        self._put(text.questions)
        self._put(text.ends_sentence)
        self._put(text.ends_colon)
        self._put(text.begins_upper)
        self._put(text.begins_digit)
        self._put(self.tags[i])
        self._put(self.tags[i] / words)
        self._put(self.repeats[self.first[i]])
        self._put(self.first[i] < i)
        self._put(self.level[i])
        self._put(self.level[i] > 0)
        self._put(self._is_in_title(self.texts[i]))
        self._put(is_prose)
        self._put(is_code)
        self._put(is_table)

    def _is_in_title(self, text: str) -> bool:
        # No text gets shorter in lower case.
        if not _SHORTEST_IN_TITLE <= len(text) <= min(_LONGEST_IN_TITLE, len(self.title)):
            return False
        return text.lower() in self.title

    def _put_position(self) -> None:
        """Put the features of the position on the page, and of blocks of the same class or path."""
        count: cython.int = self.count
        i: cython.int
        first_prose: cython.int = self.is_prose.find(1)
        last_prose: cython.int = self.is_prose.rfind(1)
        if first_prose < 0:
            first_prose = count
        h1: cython.int = -1
        heading: cython.int = -1
        links: cython.double = self.links.before[count]
        all_prose: cython.double = self.prose.before[count]
        for i in range(count):
            element: cython.int = self.element[i]
            if self.level[i] > 0:
                heading = i
            if self.level[i] == 1:
                h1 = i
            last: cython.int = max(heading, 0)
            self.at = _OF_POSITION * count + i
            self._put(i / count)
            self._put(self.all_units.before[i] / self.page_units)
            self._put(self.all_units.before[i])
            self._put(count)
            self._put(self.page_units)
            self._put(links / self.page_units)
            self._put(all_prose)
            self._put(all_prose / self.page_units)
            self._put(i - first_prose)
            self._put(last_prose - i)
            self._put(self.prose.before[i] / self.page_prose)
            self._put(i < first_prose)
            self._put(i > last_prose)
            self._put(self.depths[element])
            self._put(i - h1 if h1 >= 0 else _NEVER)
            self._put(h1 >= 0)
            self._put(self.h1s)
            self._put(i - heading if heading >= 0 else _NEVER)
            self._put(self.level[last])
            self._put(self.prose.before[i] - self.prose.before[last])
            group: cython.int = self.classes[element]
            self._put(self.all_units.of_classes[group])
            self._put(self.blocks.of_classes[group])
            self._put(self.links.of_classes[group] / max(self.all_units.of_classes[group], 1))
            self._put(self.prose.of_classes[group] / self.page_prose)
            group = self.paths[element]
            self._put(self.blocks.of_paths[group])
            self._put(self.all_units.of_paths[group] / self.page_units)
            self._put(self.links.of_paths[group] / max(self.all_units.of_paths[group], 1))
            self._put(self.prose.of_paths[group] / self.page_prose)
            self._put(self.all_units.of_paths[group] / self.blocks.of_paths[group])

    def _put_elements(self, i: cython.int) -> None:
        element: cython.int = self.element[i]
        level: cython.int
        levels: cython.int = LEVELS
        self.step = levels * self.count
        for level in range(levels):
            units: cython.double = self.all_units.inside[element]
            length: cython.double = max(units, 1)
            blocks: cython.double = self.blocks.inside[element]
            prose: cython.double = max(self.prose.inside[element], 0)
            before: cython.double = self.all_units.before_elements[element]
            self.at = (_OF_ELEMENTS + level) * self.count + i
            self._put(units)
            self._put(units / self.page_units)
            self._put(max(self.links.inside[element], 0) / length)
            self._put(blocks)
            self._put(prose / self.page_prose)
            self._put(prose / length)
            self._put(self.headings.inside[element] / blocks)
            self._put(self.alike[element])
            self._put(min(max((self.all_units.before[i] - before) / length, 0), 1))
            self._put(before / self.page_units)
            element = self.holders[element]

    def _put_neighbours(self, i: cython.int) -> None:
        count: cython.int = self.count
        n: cython.int
        at: cython.int
        element: cython.int = self.element[i]
        self.step = len(self.offsets) * count
        for n in range(len(self.offsets)):
            at = i + self.offsets[n]
            # What is outside the page is 0.
            if 0 <= at < count:
                beside: cython.int = self.element[at]
                self.at = (_OF_NEIGHBOURS + n) * count + i
                self._put(self.units[at])
                self._put(self.link_density[at])
                self._put(self.ends[at])
                self._put(self.classes[beside] == self.classes[element])
                self._put(self.parents[beside] == self.parents[element])
                self._put(self.level[at] > 0)
                self._put(self.is_prose[at])
                self._put(self.is_code[at] or self.is_table[at])
        self.step = len(self.windows) * count
        for n in range(len(self.windows)):
            size: cython.int = self.windows[n]
            first: cython.int = max(i - size, 0)
            end: cython.int = min(i + size + 1, count)
            units: cython.double = max(self.all_units.before[end] - self.all_units.before[first], 0)
            length: cython.double = max(units, 1)
            self.at = (_OF_WINDOWS + n) * count + i
            self._put(max(self.prose.before[end] - self.prose.before[first], 0) / length)
            self._put(max(self.links.before[end] - self.links.before[first], 0) / length)
            self._put(units / (2 * size + 1))
