"""The features of all blocks of a page, in one linear pass: a row a block, a column for each row of the table.

"Sentence-like" (prose): at least 70 units long, link density below 0.3, with a sentence end.  No stop words are
looked at, so that it means the same in every language.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scrapy_justext.core.parsing import page_title
from scrapy_justext.learned.characters import Texts, measure_texts
from scrapy_justext.learned.names import NAME_BYTES, NAMES
from scrapy_justext.learned.table import FEATURES, LEVELS, NUMBERS, OFFSETS, WINDOWS
from scrapy_justext.learned.tree import Tree, read_tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_justext.core.blocks import Segment
    from scrapy_justext.core.elements import Elements

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

PROSE_UNITS = 70
PROSE_LINK_DENSITY = 0.3
#: Characters of a block that are looked for in the title.
_TITLE_CHARACTERS = (4, 200)


class _Page(NamedTuple):
    """What the groups of features share: arrays with a value a block, unless they say otherwise."""

    texts: Texts
    link_density: Floats
    link_units: Floats
    is_prose: NDArray[np.bool_]
    prose: Floats
    """The units of sentence-like blocks, 0 for others."""
    level: Ints
    """Of headings; 0 for others."""
    element: Ints
    tree: Tree


def compute(segments: Sequence[Segment], elements: Elements) -> NDArray[np.float32]:
    """The features of a page's blocks."""
    if not segments:
        return np.zeros((0, len(FEATURES)), np.float32)
    page = _read(segments, elements)
    columns = [
        *_block(page, segments, page_title(elements.root).lower()),
        *_place(page),
        *_tree(page),
        *_neighbours(page),
    ]
    features = np.empty((len(segments), len(FEATURES)), np.float32)
    features[:, : len(NUMBERS)] = np.array(columns, np.float32).T
    features[:, len(NUMBERS) :] = _names(page)
    return features


def transform(features: NDArray[np.float32]) -> NDArray[np.float32]:
    """What a model is given: sign(x) log(1 + |x|) of numbers, flags as they are."""
    inputs = features.copy()
    numbers = inputs[:, : len(NUMBERS)]
    inputs[:, : len(NUMBERS)] = np.copysign(np.log1p(np.abs(numbers)), numbers)
    return inputs


def _read(segments: Sequence[Segment], elements: Elements) -> _Page:
    texts = measure_texts([segment.collapsed for segment in segments])
    linked = np.array([segment.link_characters for segment in segments], np.float64)
    density = np.minimum(linked / np.maximum(texts.characters, 1), 1.0)
    is_prose = (texts.units >= PROSE_UNITS) & (density < PROSE_LINK_DENSITY) & (texts.ends > 0)
    return _Page(
        texts,
        density,
        texts.units * density,
        is_prose,
        np.where(is_prose, texts.units, 0.0),
        np.array([segment.place.heading_level for segment in segments], np.int64),
        np.array([segment.element for segment in segments], np.int64),
        read_tree(elements),
    )


def _block(page: _Page, segments: Sequence[Segment], title: str) -> list[Floats]:
    texts = page.texts
    units, words = np.maximum(texts.units, 1), np.maximum(texts.words, 1)
    characters = np.maximum(texts.characters, 1)
    tags = np.array([segment.tags_count for segment in segments], np.float64)
    collapsed = [segment.collapsed for segment in segments]
    counts = Counter(collapsed)
    # Of equal keys the last one stays.
    first = {text: i for i, text in reversed(list(enumerate(collapsed)))}
    repeated = [first[text] < i for i, text in enumerate(collapsed)]
    low, high = _TITLE_CHARACTERS
    in_title = [low <= len(text) <= high and text.lower() in title for text in collapsed]
    return [
        texts.units,
        texts.words,
        page.link_density,
        page.link_units,
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
        np.array([counts[text] for text in collapsed], np.float64),
        np.array(repeated, np.float64),
        page.level.astype(np.float64),
        np.minimum(page.level, 1).astype(np.float64),
        np.array(in_title, np.float64),
        page.is_prose.astype(np.float64),
    ]


def _before(values: Floats) -> Floats:
    """The sum of what comes before each."""
    return np.cumsum(values) - values


def _since(flags: NDArray[np.bool_]) -> Ints:
    """The place of the last flag at or before each; -1 where there is none."""
    places = np.where(flags, np.arange(len(flags)), -1)
    return np.maximum.accumulate(places)


def _place(page: _Page) -> list[Floats]:
    units, prose = page.texts.units, page.prose
    count = len(units)
    index = np.arange(count)
    total, prose_total = max(units.sum(), 1.0), max(prose.sum(), 1.0)
    flagged = np.flatnonzero(page.is_prose)
    first, last = (int(flagged[0]), int(flagged[-1])) if len(flagged) else (count, -1)
    h1, heading = _since(page.level == 1), _since(page.level > 0)
    last_heading = np.maximum(heading, 0)
    prose_before = _before(prose)
    one = np.ones(count)
    columns: list[Floats] = [
        index / count,
        _before(units) / total,
        _before(units),
        one * count,
        one * total,
        one * page.link_units.sum() / total,
        one * prose.sum(),
        one * prose.sum() / total,
        (index - first).astype(np.float64),
        (last - index).astype(np.float64),
        prose_before / prose_total,
        (index < first).astype(np.float64),
        (index > last).astype(np.float64),
        np.array(page.tree.depths, np.float64)[page.element],
        np.where(h1 >= 0, index - h1, -10.0),
        (h1 >= 0).astype(np.float64),
        one * np.count_nonzero(page.level == 1),
        np.where(heading >= 0, index - heading, -10.0),
        np.where(heading >= 0, page.level[last_heading], 0).astype(np.float64),
        prose_before - prose_before[last_heading],
    ]
    classes = _grouped(page, np.array(page.tree.classes, np.int64)[page.element])
    paths = _grouped(page, np.array(page.tree.paths, np.int64)[page.element])
    columns += [classes.units, classes.blocks, classes.link_density, classes.prose / prose_total]
    columns += [paths.blocks, paths.units / total, paths.link_density, paths.prose / prose_total]
    return [*columns, paths.units / paths.blocks]


class _Grouped(NamedTuple):
    """Sums over the blocks of a group, for each block those of its own."""

    units: Floats
    blocks: Floats
    link_density: Floats
    prose: Floats


def _grouped(page: _Page, group: Ints) -> _Grouped:
    def total(weights: Floats) -> Floats:
        sums: Floats = np.bincount(group, weights).astype(np.float64)[group]
        return sums

    units = total(page.texts.units)
    return _Grouped(units, total(np.ones(len(group))), total(page.link_units) / np.maximum(units, 1), total(page.prose))


def _tree(page: _Page) -> list[Floats]:
    tree = page.tree
    count = len(tree.parents)
    starts, ends = np.arange(count), np.array(tree.ends, np.int64)

    def below(weights: Floats) -> Floats:
        sums = np.concatenate([[0.0], np.cumsum(np.bincount(page.element, weights, count))])
        inside: Floats = np.maximum(sums[ends] - sums[starts], 0.0)
        return inside

    units, blocks = below(page.texts.units), below(np.ones(len(page.element)))
    links, prose = below(page.link_units), below(page.prose)
    headings = below((page.level > 0).astype(np.float64))
    before = np.concatenate([[0.0], np.cumsum(np.bincount(page.element, page.texts.units, count))])[starts]
    total, prose_total = max(units[0], 1.0), max(prose[0], 1.0)
    at = _levels(page, tree.parents, blocks)
    at_least = np.maximum(units, 1)
    of_elements: list[Floats] = [
        units,
        units / total,
        links / at_least,
        blocks,
        prose / prose_total,
        prose / at_least,
        headings / np.maximum(blocks, 1),
        np.array(tree.alike, np.float64),
    ]
    columns = [values[numbers] for values in of_elements for numbers in at]
    so_far = _before(page.texts.units)
    columns += [np.clip((so_far - before[numbers]) / at_least[numbers], 0.0, 1.0) for numbers in at]
    return columns + [before[numbers] / total for numbers in at]


def _levels(page: _Page, parents: Sequence[int], blocks: Floats) -> list[Ints]:
    """For each block its element, and those around it that hold more blocks than the one inside, up to the root."""
    counts = blocks.tolist()
    wider = [0] * len(parents)
    for number, parent in enumerate(parents):
        wider[number] = parent if counts[parent] > counts[number] else wider[parent]
    step = np.array(wider, np.int64)
    at = [page.element]
    for _ in range(LEVELS - 1):
        at.append(step[at[-1]])
    return at


def _neighbours(page: _Page) -> list[Floats]:
    parents = np.array(page.tree.parents, np.int64)[page.element]
    classes = np.array(page.tree.classes, np.int64)[page.element]
    values: list[Floats] = [page.texts.units, page.link_density, page.texts.ends]
    flags: list[Floats] = [np.minimum(page.level, 1).astype(np.float64), page.is_prose.astype(np.float64)]
    columns = [_shifted(one, offset) for one in values for offset in OFFSETS]
    columns += [_same(one, offset) for one in (classes, parents) for offset in OFFSETS]
    columns += [_shifted(one, offset) for one in flags for offset in OFFSETS]
    for sums in (page.prose, page.link_units):
        columns += [_window(sums, size) / np.maximum(_window(page.texts.units, size), 1) for size in WINDOWS]
    return columns + [_window(page.texts.units, size) / (2 * size + 1) for size in WINDOWS]


def _shifted(values: Floats, offset: int) -> Floats:
    """The values of the neighbours; 0 outside the page."""
    result = np.zeros(len(values))
    if abs(offset) >= len(values):
        return result
    if offset < 0:
        result[-offset:] = values[:offset]
    else:
        result[:-offset] = values[offset:]
    return result


def _same(values: Ints, offset: int) -> Floats:
    """1 where the neighbour has the same value."""
    # From 1 on, as 0 stands for what is outside the page.
    numbers = (values + 1).astype(np.float64)
    same: Floats = (_shifted(numbers, offset) == numbers).astype(np.float64)
    return same


def _window(values: Floats, size: int) -> Floats:
    """Sums over ``size`` neighbours on each side and the block itself."""
    sums = np.concatenate([[0.0], np.cumsum(values)])
    index = np.arange(len(values))
    stops, starts = np.minimum(index + size + 1, len(values)), np.maximum(index - size, 0)
    total: Floats = np.maximum(sums[stops] - sums[starts], 0.0)
    return total


def _names(page: _Page) -> NDArray[np.uint8]:
    """The names of each block's own element, and of all around it."""
    tree = page.tree
    parts = [_bits(masks)[page.element] for masks in (tree.own, tree.all)]
    return np.concatenate(parts, axis=1)


def _bits(masks: Sequence[int]) -> NDArray[np.uint8]:
    data = b"".join([mask.to_bytes(NAME_BYTES, "little") for mask in masks])
    packed = np.frombuffer(data, np.uint8).reshape(len(masks), NAME_BYTES)
    return np.unpackbits(packed, axis=1, bitorder="little")[:, : len(NAMES)]
