"""Compute the features of a page's blocks: a row a block, a column for each row of :mod:`.table`.

A page is first read into arrays with a value a block (:class:`BlockArrays`).  From them come five groups of features,
in the order of the table:

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

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scrapy_justext.core.kernel.loading import kernel
from scrapy_justext.core.learned.characters import TextMeasurements, measure_in_python, measurer
from scrapy_justext.core.learned.names import NAMES
from scrapy_justext.core.learned.table import LEVELS, NUMBERS, OFFSETS, WINDOWS
from scrapy_justext.core.learned.tree import ElementColumns, read_elements
from scrapy_justext.core.parsing import page_title
from scrapy_justext.core.tags import CODE, FORMULA, TABLE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import ModuleType

    from numpy.typing import ArrayLike, NDArray

    from scrapy_justext.core.blocks import BlockTable
    from scrapy_justext.core.elements import Elements
    from scrapy_justext.core.kernel.features import FeatureComputer

    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]
    Ints = NDArray[np.intp]

PROSE_UNITS = 70
PROSE_LINK_DENSITY = 0.3

#: Few of the training pages have formulas.  TeX is much like code.
_CODE = (CODE, FORMULA)

#: How long a block is that is sought in the title, in characters.
_TITLE_PART = range(4, 201)
#: Characters of the title that are read: longer ones are no titles.
_TITLE_READ = 1000
#: "Blocks since a heading" where there is none before.
_NEVER = -10.0


class NameFlags(NamedTuple):
    """The names of the elements that blocks stand in.  Most blocks share them with others, so each set stands once."""

    flags: NDArray[np.uint8]
    """A row a set, a column for each of :data:`.names.NAMES`."""
    sets: Ints
    """The set of each block."""


class PageView(NamedTuple):
    """What the second pass reads of a page beside its features."""

    texts: list[str]
    element: Ints
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

    def names(self, blocks: slice) -> NDArray[np.uint8]:
        """Return the flags of some blocks, a row a block."""
        return np.concatenate([one.flags[one.sets[blocks]] for one in (self.own_names, self.all_names)], axis=1)

    def rows(self, blocks: slice = slice(None)) -> NDArray[np.float32]:
        """Return the features of some blocks, a row a block, a column for each of :data:`.table.FEATURES`."""
        return np.concatenate([self.numbers[:, blocks].T, self.names(blocks)], axis=1, dtype=np.float32)

    def inputs(self) -> NDArray[np.float32]:
        """Return what a model is trained on: the same, with numbers transformed."""
        return np.concatenate([transform(self.numbers).T, self.names(slice(None))], axis=1, dtype=np.float32)


def compute(segments: BlockTable, elements: Elements, title: str | None = None) -> Features:
    """Compute the features of a page's blocks.  ``title``: the page's, if somebody has read it."""
    if not segments:
        none = NameFlags(np.empty((0, len(NAMES)), np.uint8), np.empty(0, np.intp))
        return Features(np.empty((len(NUMBERS), 0), np.float32), none, none)
    columns = read_elements(elements)
    title = (page_title(elements.root) if title is None else title)[:_TITLE_READ].lower()
    modules = kernel().modules
    if modules is None:
        numbers = numbers_in_python(segments, columns, title)
    else:
        computed = computer(modules.features).compute(segments, columns, title)
        numbers = np.frombuffer(computed, np.float32).reshape(len(NUMBERS), -1)
    own_names, all_names = (_name_flags(segments, columns, names) for names in (columns.own_names, columns.all_names))
    view = PageView(segments.collapsed, np.array(segments.element, np.intp), columns)
    return Features(numbers, own_names, all_names, view)


@lru_cache(maxsize=1)
def computer(module: ModuleType) -> FeatureComputer:
    """Return what computes features with compiled code."""
    made: FeatureComputer = module.FeatureComputer(
        measurer(module),
        {
            "rows": len(NUMBERS),
            "levels": LEVELS,
            "offsets": np.array(OFFSETS),
            "windows": np.array(WINDOWS),
            "prose_units": PROSE_UNITS,
            "prose_link_density": PROSE_LINK_DENSITY,
            "code": _CODE,
            "table": TABLE,
            "title_part": _TITLE_PART,
            "never": _NEVER,
        },
    )
    return made


def numbers_in_python(segments: BlockTable, columns: ElementColumns, title: str) -> NDArray[np.float32]:
    """Return the features that are numbers, a row each, without compiled code.

    ``title``: the page's, in lower case.
    """
    numbers = np.empty((len(NUMBERS), len(segments)), np.float32)
    blocks = read_blocks(segments, columns)
    row = 0
    for group in _groups(blocks, segments, title):
        # One group at a time: in full precision, a page of 100,000 blocks takes much memory.
        numbers[row : row + len(group)] = np.asarray(group)
        row += len(group)
    return numbers


def transform(numbers: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return what a model is given of numbers: sign(x) log(1 + |x|)."""
    inputs = np.abs(numbers)
    inputs += 1
    # log1p takes five times as long as log, and tells no more of numbers that are mostly counts and shares.
    np.log(inputs, out=inputs)
    return np.copysign(inputs, numbers, out=inputs)


def _groups(
    blocks: BlockArrays, segments: BlockTable, title: str
) -> Iterator[Sequence[ArrayLike] | NDArray[np.float64]]:
    """Yield the groups of features in the order of the table: a row a feature, a column a block."""
    yield _block_features(blocks, segments, title)
    yield _position_features(blocks)
    yield _element_features(blocks)
    yield _neighbour_features(blocks)


class BlockArrays(NamedTuple):
    """A page's blocks: arrays with a value a block, and the elements that they stand in."""

    texts: TextMeasurements
    link_density: Floats
    link_units: Floats
    is_prose: Flags
    prose_units: Floats
    """The units of sentence-like blocks, 0 for others."""
    heading_level: Ints
    """0 where the block is no heading."""
    is_code: Flags
    """Whether it is code or a formula."""
    is_table: Flags
    """Whether it is a table of data."""
    element: Ints
    """The number of its element in :attr:`elements`."""
    elements: ElementColumns


def read_blocks(segments: BlockTable, columns: ElementColumns) -> BlockArrays:
    """Read what the groups of features share."""
    texts = measure_in_python(segments.collapsed)
    link_characters = np.array(segments.link_characters, np.float64)
    link_density = np.minimum(link_characters / np.maximum(texts.characters, 1), 1.0)
    kinds = segments.of_position("kind")
    is_code = np.array([kind in _CODE for kind in kinds])
    is_table = np.array([kind == TABLE for kind in kinds])
    is_prose = (texts.units >= PROSE_UNITS) & (link_density < PROSE_LINK_DENSITY) & (texts.ends > 0)
    is_prose &= ~(is_code | is_table)
    return BlockArrays(
        texts=texts,
        link_density=link_density,
        link_units=texts.units * link_density,
        is_prose=is_prose,
        prose_units=np.where(is_prose, texts.units, 0.0),
        heading_level=np.array(segments.of_position("heading_level"), np.intp),
        is_code=is_code,
        is_table=is_table,
        element=np.array(segments.element, np.intp),
        elements=columns,
    )


def _block_features(blocks: BlockArrays, segments: BlockTable, title: str) -> list[ArrayLike]:
    """Return the features of the blocks themselves."""
    texts = blocks.texts
    units, words = np.maximum(texts.units, 1), np.maximum(texts.words, 1)
    characters = np.maximum(texts.characters, 1)
    tags = np.array(segments.tags_count, np.float64)
    collapsed = segments.collapsed
    index = np.arange(len(collapsed))
    # From the last one to the first, which stays.
    first_place = dict(zip(reversed(collapsed), reversed(range(len(collapsed))), strict=True))
    first = np.fromiter(map(first_place.__getitem__, collapsed), np.intp, len(collapsed))
    return [
        texts.units,
        texts.words,
        blocks.link_density,
        blocks.link_units,
        units / words,
        texts.ends,
        100 * texts.ends / units,
        units / np.maximum(texts.ends, 1),
        texts.commas,
        100 * texts.commas / units,
        texts.digits / characters,
        texts.upper / characters,
        texts.capitalised / words,
        texts.letters / characters,
        texts.marks / characters,
        texts.bars,
        texts.currencies,
        np.minimum(texts.copyrights, 1),
        texts.questions,
        texts.ends_sentence,
        texts.ends_colon,
        texts.begins_upper,
        texts.begins_digit,
        tags,
        tags / words,
        np.bincount(first)[first],
        first < index,
        blocks.heading_level,
        blocks.heading_level > 0,
        _in_title(collapsed, texts.characters, title),
        blocks.is_prose,
        blocks.is_code,
        blocks.is_table,
    ]


def _in_title(texts: Sequence[str], lengths: Floats, title: str) -> Flags:
    """Return which texts are part of the title."""
    found = np.zeros(len(texts), np.bool_)
    # No text gets shorter in lower case.
    fits = (lengths >= _TITLE_PART[0]) & (lengths <= min(_TITLE_PART[-1], len(title)))
    found[[place for place in np.flatnonzero(fits).tolist() if texts[place].lower() in title]] = True
    return found


def _position_features(blocks: BlockArrays) -> list[ArrayLike]:
    """Return the features of the position on the page, and of blocks of the same class or path."""
    units, prose, level = blocks.texts.units, blocks.prose_units, blocks.heading_level
    count = len(units)
    index, every = np.arange(count), np.ones(count)
    page_units, page_prose = max(units.sum(), 1.0), max(prose.sum(), 1.0)
    prose_blocks = np.flatnonzero(blocks.is_prose)
    first_prose, last_prose = (prose_blocks[0], prose_blocks[-1]) if len(prose_blocks) else (count, -1)
    units_before, prose_before = _sums_before(units), _sums_before(prose)
    h1, heading = _last_position(level == 1), _last_position(level > 0)
    last_heading = np.maximum(heading, 0)
    class_units, class_blocks, class_link_density, class_prose = _sums_by_group(blocks, blocks.elements.classes)
    path_units, path_blocks, path_link_density, path_prose = _sums_by_group(blocks, blocks.elements.paths)
    return [
        index / count,
        units_before / page_units,
        units_before,
        every * count,
        every * page_units,
        every * blocks.link_units.sum() / page_units,
        every * prose.sum(),
        every * prose.sum() / page_units,
        index - first_prose,
        last_prose - index,
        prose_before / page_prose,
        index < first_prose,
        index > last_prose,
        blocks.elements.depths[blocks.element],
        np.where(h1 >= 0, index - h1, _NEVER),
        h1 >= 0,
        every * np.count_nonzero(level == 1),
        np.where(heading >= 0, index - heading, _NEVER),
        np.where(heading >= 0, level[last_heading], 0),
        prose_before - prose_before[last_heading],
        class_units,
        class_blocks,
        class_link_density,
        class_prose / page_prose,
        path_blocks,
        path_units / page_units,
        path_link_density,
        path_prose / page_prose,
        path_units / path_blocks,
    ]


def _sums_before(values: Floats) -> Floats:
    return np.cumsum(values) - values


def _last_position(flags: Flags) -> Ints:
    """Return the position of the last flag at or before each; -1 where there is none."""
    return np.maximum.accumulate(np.where(flags, np.arange(len(flags)), -1))


def _sums_by_group(blocks: BlockArrays, groups: Ints) -> tuple[Floats, Floats, Floats, Floats]:
    """Return for each block the units, number, link density and sentence-like units of all blocks of its group.

    ``groups``: the groups of the elements.
    """
    group = groups[blocks.element]

    def total(weights: Floats) -> Floats:
        sums: Floats = np.bincount(group, weights).astype(np.float64)[group]
        return sums

    units = total(blocks.texts.units)
    link_density = total(blocks.link_units) / np.maximum(units, 1)
    return units, total(np.ones(len(group))), link_density, total(blocks.prose_units)


def _element_features(blocks: BlockArrays) -> Floats:
    """Return the features of the elements that blocks stand in, those of each feature from the inside out."""
    columns = blocks.elements
    weights = (
        blocks.texts.units,
        np.ones(len(blocks.element)),
        blocks.link_units,
        blocks.prose_units,
        blocks.heading_level > 0,
    )
    before = _sums_before_elements(blocks, weights)
    units, count, links, prose, headings = inside = before[:, columns.ends]
    inside -= before[:, :-1]
    np.maximum(inside, 0, out=inside)
    page_units, page_prose = max(units[0], 1.0), max(prose[0], 1.0)
    at_least_one = np.maximum(units, 1)
    levels = columns.levels(blocks.element, count, LEVELS)
    features = np.empty((8 + 2, LEVELS, len(blocks.element)))
    by_element = (
        units,
        units / page_units,
        links / at_least_one,
        count,
        prose / page_prose,
        prose / at_least_one,
        headings / np.maximum(count, 1),
        columns.alike,
        at_least_one,
        before[0],
    )
    for to, values in zip(features, by_element, strict=True):
        to[:] = values[levels]
    position, start = features[-2:]
    np.divide(_sums_before(blocks.texts.units) - start, position, out=position)
    np.clip(position, 0, 1, out=position)
    start /= page_units
    return features.reshape(-1, len(blocks.element))


def _sums_before_elements(blocks: BlockArrays, weights: Sequence[NDArray[np.generic]]) -> Floats:
    """Sum each kind of weight over the blocks of all elements before each, in document order; at the end, over all."""
    count = len(blocks.elements.parents)
    sums = np.zeros((len(weights), count + 1))
    for row, weight in zip(sums, weights, strict=True):
        np.cumsum(np.bincount(blocks.element, weight, count), out=row[1:])
    return sums


def _neighbour_features(blocks: BlockArrays) -> Floats:
    """Return the features of single neighbours, and of windows around each block."""
    units, element = blocks.texts.units, blocks.element
    rows = (
        units,
        blocks.link_density,
        blocks.texts.ends,
        # From 1 on, as 0 stands for what is outside the page.
        blocks.elements.classes[element] + 1,
        blocks.elements.parents[element] + 1,
        blocks.heading_level > 0,
        blocks.is_prose,
        blocks.is_code | blocks.is_table,
    )
    single = _of_neighbours(rows, len(units))
    for row in (3, 4):
        single[row] = single[row] == rows[row]
    prose, links, lengths = _window_sums((blocks.prose_units, blocks.link_units, units), len(units))
    at_least_one = np.maximum(lengths, 1)
    lengths /= 2 * np.array(WINDOWS)[:, None] + 1
    features = (single.reshape(-1, len(units)), prose / at_least_one, links / at_least_one, lengths)
    return np.concatenate(features)


def _of_neighbours(rows: Sequence[NDArray[np.generic]], count: int) -> Floats:
    """Return for each row the values of the neighbours at each of the offsets; 0 outside the page."""
    margin = max(OFFSETS)
    padded = np.zeros((len(rows), count + 2 * margin))
    for to, row in zip(padded, rows, strict=True):
        to[margin : margin + count] = row
    found = np.empty((len(rows), len(OFFSETS), count))
    for place, offset in enumerate(OFFSETS):
        found[:, place] = padded[:, margin + offset : margin + offset + count]
    return found


def _window_sums(rows: Sequence[Floats], count: int) -> Floats:
    """Sum each row over each block and its neighbours on both sides, for each size of a window."""
    margin = max(WINDOWS)
    before = np.zeros((len(rows), count + 1 + 2 * margin))
    for to, row in zip(before, rows, strict=True):
        np.cumsum(row, out=to[margin + 1 : margin + 1 + count])
    before[:, margin + 1 + count :] = before[:, [margin + count]]
    sums = np.empty((len(rows), len(WINDOWS), count))
    for place, size in enumerate(WINDOWS):
        behind = margin + size + 1
        np.subtract(
            before[:, behind : behind + count], before[:, margin - size : margin - size + count], out=sums[:, place]
        )
    return np.maximum(sums, 0, out=sums)


def _name_flags(segments: BlockTable, columns: ElementColumns, names: Ints) -> NameFlags:
    """Return the names of the blocks; ``names``: the sets of the elements."""
    modules = kernel().modules
    if modules is None:
        used, sets = np.unique(names[np.array(segments.element)], return_inverse=True)
    else:
        renumbered = modules.features.renumbered(names, segments.element)
        used, sets = (np.frombuffer(numbers, np.intp) for numbers in renumbered)
    packed = columns.name_sets[used]
    return NameFlags(np.unpackbits(packed, axis=1, count=len(NAMES), bitorder="little"), sets)
