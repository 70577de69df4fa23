"""The features of all blocks of a page, in one linear pass: a row a block, a column for each row of the table."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scrapy_justext.core.parsing import page_title
from scrapy_justext.learned.names import NAME_BYTES, NAMES
from scrapy_justext.learned.page import read_page
from scrapy_justext.learned.surroundings import neighbour_features, tree_features
from scrapy_justext.learned.table import FEATURES, NUMBERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from scrapy_justext.core.blocks import Segment
    from scrapy_justext.core.elements import Elements
    from scrapy_justext.learned.page import Page

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

#: Characters of a block that are looked for in the title.
_TITLE_CHARACTERS = (4, 200)
#: Longer titles are no titles.
_TITLE_READ = 1000


def compute(segments: Sequence[Segment], elements: Elements) -> NDArray[np.float32]:
    """The features of a page's blocks."""
    if not segments:
        return np.zeros((0, len(FEATURES)), np.float32)
    page = read_page(segments, elements)
    title = page_title(elements.root)[:_TITLE_READ].lower()
    features = np.empty((len(segments), len(FEATURES)), np.float32)
    start = 0
    for group in (partial(_block, page, segments, title), *(partial(one, page) for one in _OF_PAGE)):
        # One group at a time: in full precision, a page of 100,000 blocks takes much memory.
        rows = np.asarray(group())
        features[:, start : start + len(rows)] = rows.T
        start += len(rows)
    return features


def transform(features: NDArray[np.float32]) -> NDArray[np.float32]:
    """What a model is given: sign(x) log(1 + |x|) of numbers, flags as they are."""
    inputs = features.copy()
    numbers = features[:, : len(NUMBERS)]
    # log1p takes five times as long as log, and tells no more of numbers that are mostly counts and shares.
    inputs[:, : len(NUMBERS)] = np.copysign(np.log(np.abs(numbers) + 1), numbers)
    return inputs


def _block(page: Page, segments: Sequence[Segment], title: str) -> list[Floats]:
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


def _place(page: Page) -> list[Floats]:
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


def _grouped(page: Page, group: Ints) -> _Grouped:
    def total(weights: Floats) -> Floats:
        sums: Floats = np.bincount(group, weights).astype(np.float64)[group]
        return sums

    units = total(page.texts.units)
    return _Grouped(units, total(np.ones(len(group))), total(page.link_units) / np.maximum(units, 1), total(page.prose))


def _names(page: Page) -> NDArray[np.uint8]:
    """The names of each block's own element, and of all around it."""
    used, places = np.unique(page.element, return_inverse=True)
    parts = [_bits([masks[number] for number in used.tolist()]) for masks in (page.tree.own, page.tree.all)]
    return np.concatenate(parts, axis=1)[places].T


def _bits(masks: Sequence[int]) -> NDArray[np.uint8]:
    data = b"".join([mask.to_bytes(NAME_BYTES, "little") for mask in masks])
    packed = np.frombuffer(data, np.uint8).reshape(len(masks), NAME_BYTES)
    return np.unpackbits(packed, axis=1, bitorder="little")[:, : len(NAMES)]


#: The groups behind that of the blocks themselves, in the order of the table: a row a feature, a column a block.
_OF_PAGE = (_place, tree_features, neighbour_features, _names)
