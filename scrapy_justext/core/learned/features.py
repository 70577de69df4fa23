"""The features of all blocks of a page, in one linear pass: a row a block, a column for each row of the table."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from scrapy_justext.core.learned.characters import Texts, measure_texts
from scrapy_justext.core.learned.names import NAME_BYTES, NAMES, READERS, TAG_BITS
from scrapy_justext.core.learned.table import FEATURES, LEVELS, NUMBERS, OFFSETS, WINDOWS
from scrapy_justext.core.parsing import page_title

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lxml import etree
    from numpy.typing import NDArray

    from scrapy_justext.core.blocks import Segment
    from scrapy_justext.core.elements import Elements

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

# The features of what is around blocks: elements that hold them, and neighbours.

#: What neighbours may have in common with a block; the other rows of them are figures.
_COMPARED = slice(3, 5)


def tree_features(page: Page) -> Floats:
    """Of the element of each block, and of those around it: a row a feature, a column a block."""
    tree = page.tree
    count = len(tree.parents)
    starts, ends = np.arange(count), np.array(tree.ends, np.int64)
    so_far = _in_elements(
        page, page.texts.units, np.ones(len(page.element)), page.link_units, page.prose, np.minimum(page.level, 1)
    )
    inside = np.maximum(so_far[:, ends] - so_far[:, starts], 0.0)
    units, blocks, links, prose, headings = inside
    before = so_far[0, starts]
    total, prose_total = max(units[0], 1.0), max(prose[0], 1.0)
    at_least = np.maximum(units, 1)
    of_elements = np.array(
        [
            units,
            units / total,
            links / at_least,
            blocks,
            prose / prose_total,
            prose / at_least,
            headings / np.maximum(blocks, 1),
            tree.alike,
        ]
    )
    at = _levels(page, tree.parents, blocks)
    so_far_of_blocks = np.cumsum(page.texts.units) - page.texts.units
    place = np.clip((so_far_of_blocks - before[at]) / at_least[at], 0.0, 1.0)
    return np.concatenate([of_elements[:, at].reshape(-1, at.shape[1]), place, before[at] / total])


def _in_elements(page: Page, *weights: NDArray[np.generic]) -> Floats:
    """For each kind of weight, the sums over the blocks of all elements before one, in document order."""
    count = len(page.tree.parents)
    sums = np.zeros((len(weights), count + 1))
    for row, one in zip(sums, weights, strict=True):
        row[1:] = np.bincount(page.element, one, count)
    return np.cumsum(sums, axis=1)


def _levels(page: Page, parents: Sequence[int], blocks: Floats) -> Ints:
    """For each block its element, and those around it that hold more blocks than the one inside, up to the root."""
    counts = blocks.tolist()
    wider = [0] * len(parents)
    for number, parent in enumerate(parents):
        wider[number] = parent if counts[parent] > counts[number] else wider[parent]
    step = np.array(wider, np.int64)
    at = np.empty((LEVELS, len(page.element)), np.int64)
    at[0] = page.element
    for level in range(1, LEVELS):
        at[level] = step[at[level - 1]]
    return at


def neighbour_features(page: Page) -> Floats:
    """Of the blocks before and behind each: a row a feature, a column a block."""
    # From 1 on, as 0 stands for what is outside the page.
    same = np.array([page.tree.classes, page.tree.parents], np.int64)[:, page.element] + 1
    units = page.texts.units
    rows = np.concatenate(
        [
            [units, page.link_density, page.texts.ends],
            same,
            [np.minimum(page.level, 1), page.is_prose],
        ]
    )
    shifted = np.stack([_shifted(rows, offset) for offset in OFFSETS], axis=1)
    shifted[_COMPARED] = shifted[_COMPARED] == same[:, None]
    sums = [_windows(np.array([page.prose, page.link_units, units]), size) for size in WINDOWS]
    sizes = 2 * np.array(WINDOWS) + 1
    prose, links, lengths = np.stack(sums, axis=1)
    at_least = np.maximum(lengths, 1)
    return np.concatenate(
        [
            shifted.reshape(-1, len(units)),
            prose / at_least,
            links / at_least,
            lengths / sizes[:, None],
        ]
    )


def _shifted(rows: Floats, offset: int) -> Floats:
    """The values of the neighbours; 0 outside the page."""
    result = np.zeros(rows.shape)
    if abs(offset) >= rows.shape[1]:
        return result
    if offset < 0:
        result[:, -offset:] = rows[:, :offset]
    else:
        result[:, :-offset] = rows[:, offset:]
    return result


def _windows(rows: Floats, size: int) -> Floats:
    """Sums over ``size`` neighbours on each side and the block itself."""
    count = rows.shape[1]
    sums = np.zeros((len(rows), count + 1))
    np.cumsum(rows, axis=1, out=sums[:, 1:])
    index = np.arange(count)
    stops, starts = np.minimum(index + size + 1, count), np.maximum(index - size, 0)
    total: Floats = np.maximum(sums[:, stops] - sums[:, starts], 0.0)
    return total


# The elements that blocks stand in, as numbers: parents, names, spans; in one pass over them.


class Tree(NamedTuple):
    """The block-level elements of a page in document order, a value each.

    ``parents``: the number of the block-level element around it, 0 for the root; ``ends``: the number behind the
    last one inside it; ``own``: its names, as bits (inline elements between it and its parent count as
    its own); ``all``: those of it and all around it; ``paths``: equal for
    equal chains of element names from the root; ``alike``: how many of its parent's children have its
    name and class; ``depths``: block-level elements around it; ``classes``: equal for equal name and class.
    """

    parents: list[int]
    ends: list[int]
    own: list[int]
    all: list[int]
    paths: list[int]
    alike: list[int]
    depths: list[int]
    classes: list[int]


def read_tree(elements: Elements) -> Tree:
    """The numbers of a page's block-level elements."""
    nodes = elements.nodes
    # Of block-level elements their number and no names, of inline ones the number around them and names up to there.
    known: dict[etree._Element | None, tuple[int, int]] = {nodes[0]: (0, 0)}
    path_numbers: dict[tuple[int, str], int] = {}
    class_numbers: dict[tuple[str, str | None], int] = {}
    root = nodes[0]
    bits, css = read_names(root, root.tag)
    # One list a figure: a row of them for each element would cost twice the time.
    parents, own, around, paths, depths = [0], [bits], [bits], [0], [0]
    classes = [class_numbers.setdefault((root.tag, css), 0)]
    for number, node in enumerate(nodes[1:], 1):
        tag = node.tag
        bits, css = read_names(node, tag)
        parent, inline = known.get(node.getparent()) or _around(node, known)
        bits |= inline
        known[node] = (number, 0)
        parents.append(parent)
        own.append(bits)
        around.append(bits | around[parent])
        depths.append(depths[parent] + 1)
        paths.append(path_numbers.setdefault((paths[parent], tag), len(path_numbers) + 1))
        classes.append(class_numbers.setdefault((tag, css), len(class_numbers)))
    ends = list(range(1, len(nodes) + 1))
    for number in range(len(nodes) - 1, 0, -1):
        ends[parents[number]] = max(ends[parents[number]], ends[number])
    kin = list(zip(parents, classes, strict=True))
    like = Counter(kin)
    return Tree(parents, ends, own, around, paths, [like[key] for key in kin], depths, classes)


def read_names(node: etree._Element, tag: str) -> tuple[int, str | None]:
    """An element's own names, as bits; and its class."""
    bits = TAG_BITS.get(tag, 0)
    css = None
    for name, value in cast("list[tuple[str, str]]", node.items()):
        read = READERS.get(name)
        if read is not None:
            bits |= read(value)
            if name == "class":
                css = value
    return bits, css


def _around(node: etree._Element, known: dict[etree._Element | None, tuple[int, int]]) -> tuple[int, int]:
    """The number of the nearest block-level element around a node, and the names of inline ones up to there."""
    parent = node.getparent()
    passed = []
    found = None
    while parent is not None and (found := known.get(parent)) is None:
        passed.append(parent)
        parent = parent.getparent()
    number, bits = found or (0, 0)
    for inline in reversed(passed):
        bits |= read_names(inline, str(inline.tag))[0]
        known[inline] = (number, bits)
    return number, bits


# A page as arrays: what the groups of features share.
#
# "Sentence-like" (prose): at least 70 units long, link density below 0.3, with a sentence end.  No stop words are
# looked at, so that it means the same in every language.

PROSE_UNITS = 70
PROSE_LINK_DENSITY = 0.3


class Page(NamedTuple):
    """Arrays with a value a block, unless they say otherwise."""

    texts: Texts
    link_density: Floats
    link_units: Floats
    is_prose: NDArray[np.bool_]
    prose: Floats
    """The units of sentence-like blocks, 0 for others."""
    level: Ints
    """Of headings; 0 for others."""
    element: Ints
    """The number of the block's element in the tree."""
    tree: Tree


def read_page(segments: Sequence[Segment], elements: Elements) -> Page:
    """The arrays of a page."""
    texts = measure_texts([segment.collapsed for segment in segments])
    linked = np.array([segment.link_characters for segment in segments], np.float64)
    density = np.minimum(linked / np.maximum(texts.characters, 1), 1.0)
    is_prose = (texts.units >= PROSE_UNITS) & (density < PROSE_LINK_DENSITY) & (texts.ends > 0)
    return Page(
        texts,
        density,
        texts.units * density,
        is_prose,
        np.where(is_prose, texts.units, 0.0),
        np.array([segment.heading_level for segment in segments], np.int64),
        np.array([segment.element for segment in segments], np.int64),
        read_tree(elements),
    )


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
