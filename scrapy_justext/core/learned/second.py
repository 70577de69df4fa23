"""Compute what the second pass looks at: the first pass's probabilities around each block, and words beside content.

Probabilities are averaged and summed over the elements that a block stands in, over blocks of its class and of its
path, its neighbours, its section, and the page.  Words such as "comments" or "read also" are looked for in short blocks
(:mod:`.markers`).  With these go some features of the first pass.  Everything takes time in proportion to the number of
blocks and elements.

*Good text* is text times its probability of being content.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from scrapy_justext.core.kernel.loading import kernel
from scrapy_justext.core.learned.markers import MARKERS
from scrapy_justext.core.learned.table import LEVEL_NAMES, LEVELS, NUMBERS, PAGE_FEATURES, WINDOWS, Feature

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import ModuleType

    from numpy.typing import ArrayLike, NDArray

    from scrapy_justext.core.kernel.second import MarkerReader, SecondComputer
    from scrapy_justext.core.learned.features import Features, PageView

    Floats = NDArray[np.float64]
    Floats32 = NDArray[np.float32]
    Ints = NDArray[np.intp]

#: The kinds of markers: those of the lists, and what looks like a date or a time.
KINDS = (*MARKERS, "date")
#: How many characters a block has at the most in which markers are looked for.
LONGEST_LABEL = 100
#: From this character on, scripts have no spaces between words, or words with characters that are no letters to Python.
_SOUGHT_INSIDE = "\u0900"
_WORD = re.compile(r"\w+")
#: What stands behind the number of a year or a month.
_DATE_WORDS = "年월月"
#: Compiled code has it in its own words.
_DATE = re.compile(rf"\d:\d\d|\d[./-]\d{{1,2}}[./-]\d|\d\s?[{_DATE_WORDS}]|\b(?:19|20)\d\d\b")
_WORDS_OF_PHRASE = 3


def _phrases() -> tuple[dict[str, int], dict[str, int], frozenset[str]]:
    """Return the bits of words and phrases, those of strings that are sought inside words, and first words."""
    phrases: dict[str, int] = {}
    strings: dict[str, int] = {}
    for number, languages in enumerate(MARKERS.values()):
        for phrase in ", ".join(languages.values()).split(", "):
            inside = max(phrase) >= _SOUGHT_INSIDE
            to, key = (strings, phrase) if inside else (phrases, " ".join(_WORD.findall(phrase)))
            to[key] = to.get(key, 0) | 1 << number
    return phrases, strings, frozenset(phrase.split()[0] for phrase in phrases if " " in phrase)


_PHRASES, _STRINGS, _BEGINNINGS = _phrases()
_STRING = re.compile("|".join(sorted(map(re.escape, _STRINGS), key=len, reverse=True)))
_DATE_BIT = 1 << len(MARKERS)


@lru_cache(maxsize=1 << 14)
def marker_bits(text: str) -> int:
    """Return the kinds of the markers in a short text, a bit for each of :data:`KINDS`.

    >>> [kind for number, kind in enumerate(KINDS) if marker_bits("Lesen Sie auch: 3 Kommentare") >> number & 1]
    ['comment', 'related']
    """
    text = text.lower()
    bits = _DATE_BIT if _DATE.search(text) else 0
    if not text.isascii() and max(text) >= _SOUGHT_INSIDE:
        for found in _STRING.findall(text):
            bits |= _STRINGS[found]
    words = _WORD.findall(text)
    for word in words:
        bits |= _PHRASES.get(word, 0)
    if _BEGINNINGS.isdisjoint(words):
        return bits
    for place, word in enumerate(words):
        if word in _BEGINNINGS:
            for end in range(place + 2, place + 1 + _WORDS_OF_PHRASE):
                bits |= _PHRASES.get(" ".join(words[place:end]), 0)
    return bits


def read_markers(texts: Sequence[str]) -> NDArray[np.uint32]:
    """Return the kinds of the markers in each text, a bit for each of :data:`KINDS`; long texts have none."""
    found = [marker_bits(text) if len(text) <= LONGEST_LABEL else 0 for text in texts]
    return np.array(found, "<u4")


@lru_cache(maxsize=1)
def marker_reader(module: ModuleType) -> MarkerReader:
    """Return what finds markers with compiled code."""
    made: MarkerReader = module.MarkerReader(_PHRASES, _STRINGS, _SOUGHT_INSIDE, _DATE_BIT, _DATE_WORDS, LONGEST_LABEL)
    return made


#: What is farther away is as good as not there, in blocks.
FAR = 40
#: Positions of neighbours, counted from the block; the first pass has fewer.
SECOND_OFFSETS = (-4, -3, -2, -1, 1, 2, 3, 4)
#: How many blocks before or ahead are summed.
SIDES = (3, 12)
#: Blocks on each side in which markers are counted.
_NEAR = 5
_MARGIN = max(*WINDOWS, *SIDES)

#: Features of the first pass that go with them.
TAKEN = (
    "units", "words", "link_density", "ends", "ends_per_100", "commas_per_100", "digit_share", "capitalised_share",
    "letter_share", "tags", "repeats", "heading_level", "in_title", "is_sentence_like", "is_code", "is_table",
    "ends_sentence", "ends_colon", "index_share", "units_before_share", "blocks", "page_units", "page_link_density",
    "page_prose", "page_prose_share", "from_first_prose", "to_last_prose", "prose_before", "depth", "from_h1", "h1s",
    "from_heading", "last_level", "class_blocks", "class_link_density", "class_prose_share", "path_blocks",
    "path_units_share", "path_link_density", "path_prose_share",
)  # fmt: skip
_ROWS = {feature.name: row for row, feature in enumerate(NUMBERS)}
_TAKEN_ROWS = [_ROWS[name] for name in TAKEN]

_MEAN, _OF_BLOCKS, _SHARE = "mean probability of {}", "mean probability of the blocks of {}", "good text in {}"
_GROUPS = (("class", "elements of the same class"), ("path", "blocks with the same path"))
_OF_MARKER = (
    ("since", 'blocks since words like "{}"'),
    ("until", 'blocks before words like "{}"'),
    ("before", 'words like "{}" before'),
    ("after", 'words like "{}" ahead'),
    ("near", 'words like "{}" around it'),
    ("heading", 'under a heading like "{}"?'),
)


def _own_features() -> Iterator[tuple[str, str]]:
    yield "first", "probability of the first pass"
    for name, meaning in (("mean", _MEAN), ("blocks_mean", _OF_BLOCKS), ("good_share", _SHARE)):
        for level, element in enumerate(LEVEL_NAMES):
            yield f"{name}_{level}", meaning.format(element)
    for name, group in _GROUPS:
        yield f"mean_{name}", _MEAN.format(group)
        yield f"good_share_{name}", _SHARE.format(group)
    for offset in SECOND_OFFSETS:
        yield f"first_{offset:+d}", f"probability of the block {abs(offset)} {'before' if offset < 0 else 'ahead'}"
    for size in WINDOWS:
        yield f"mean_window_{2 * size + 1}", _MEAN.format(f"the {2 * size + 1} blocks around it")
    for size in SIDES:
        yield f"mean_before_{size}", _MEAN.format(f"the {size} blocks before")
        yield f"mean_after_{size}", _MEAN.format(f"the {size} blocks ahead")
    yield from (
        ("good_before", "share of the good text before"),
        ("good_after", "share of the good text ahead"),
        ("from_good", "blocks since a probable one"),
        ("to_good", "blocks before a probable one"),
        ("gap_before", "text since a probable block"),
        ("gap_after", "text before a probable block"),
        ("heading_first", "probability of the last heading"),
        ("mean_section", _MEAN.format("its section")),
        ("section_first", "probability of the first block of its section"),
        ("in_run", "in the best run of blocks?"),
        ("to_run", "blocks before the best run"),
        ("from_run", "blocks since the best run"),
        ("run_share", "good text in the best run"),
        ("in_best", "in the best element?"),
        ("best_share", _SHARE.format("the best element")),
        ("best_mean", _MEAN.format("the best element")),
        ("page_good", "good text of the page"),
        ("page_mean", _MEAN.format("the page")),
        ("page_blocks_mean", _OF_BLOCKS.format("the page")),
        ("page_count", "probable blocks of the page"),
        ("page_sure", "how sure the first pass is of the page"),
        ("page_h1", "probability of the first H1"),
        ("page_prose_good", "good text of the page that is sentence-like"),
    )
    for kind in KINDS:
        for name, meaning in _OF_MARKER:
            yield f"{name}_{kind}", meaning.format(kind)


OWN = tuple(Feature(name, meaning.rstrip("?"), meaning.endswith("?")) for name, meaning in _own_features())
#: What the trees are asked with: features of the second pass, then :data:`TAKEN`.
SECOND_FEATURES = (*OWN, *(NUMBERS[row] for row in _TAKEN_ROWS))
#: Those that explain no block: they are the same for all of a page, or what the first pass explains.
UNEXPLAINING = PAGE_FEATURES | {
    "first", "run_share", "best_share", "best_mean", "page_good", "page_mean", "page_blocks_mean", "page_count",
    "page_sure", "page_h1", "page_prose_good",
}  # fmt: skip


def second_features(features: Features, first: Floats32) -> Floats32:
    """Return the features of the second pass: a row for each of :data:`SECOND_FEATURES`, a column a block.

    ``first``: the probabilities of the first pass.
    """
    view, modules = features.view, kernel().modules
    assert view is not None
    if modules is None:
        return features_in_python(features, first)
    markers = marker_reader(modules.second).read(view.texts)
    computed = computer(modules.second).compute(features.numbers, first, view.columns, view.element, markers)
    return np.frombuffer(computed, np.float32).reshape(len(SECOND_FEATURES), -1)


@lru_cache(maxsize=1)
def computer(module: ModuleType) -> SecondComputer:
    """Return what computes the features of the second pass with compiled code."""
    made: SecondComputer = module.SecondComputer(
        {
            "own_rows": len(OWN),
            "levels": LEVELS,
            "kinds": len(KINDS),
            "far": FAR,
            "near": _NEAR,
            "offsets": np.array(SECOND_OFFSETS),
            "windows": np.array(WINDOWS),
            "sides": np.array(SIDES),
            "taken": np.array(_TAKEN_ROWS),
            **{name: _ROWS[name] for name in ("units", "heading_level", "is_sentence_like")},
        }
    )
    return made


def features_in_python(features: Features, first: Floats32) -> Floats32:
    """Return what :func:`second_features` gives, without compiled code."""
    assert features.view is not None
    result = np.empty((len(SECOND_FEATURES), len(first)), np.float32)
    row = 0
    for group in _groups(features, features.view, first.astype(np.float64)):
        for values in group:
            result[row] = values
            row += 1
    result[row:] = features.numbers[_TAKEN_ROWS]
    return result


def _groups(features: Features, view: PageView, first: Floats) -> Iterator[Sequence[ArrayLike] | Floats]:
    units, heading_level, is_prose = features.numbers[
        [_ROWS[n] for n in ("units", "heading_level", "is_sentence_like")]
    ]
    units = np.maximum(units.astype(np.float64), 1)
    good = first * units
    last_heading = _last(heading_level > 0)
    yield [first]
    yield from _of_elements(view, first, units, good)
    yield from _of_neighbours(first, units, good)
    yield _of_order(first, units, good)
    yield _of_section(first, units, good, last_heading)
    yield _of_best(view, first, units, good)
    yield _of_page(first, units, good, heading_level == 1, is_prose)
    kinds = read_markers(view.texts).view(np.uint8).reshape(-1, 4)
    markers = np.unpackbits(kinds, axis=1, count=len(KINDS), bitorder="little").T.astype(np.bool_)
    yield _of_markers(markers, last_heading)


def _last(flags: NDArray[np.bool_]) -> Ints:
    """Return the position of the last flag at or before each, in each row; far before the first where there is none."""
    index = np.arange(flags.shape[-1])
    return np.maximum.accumulate(np.where(flags, index, -FAR - 1), axis=-1)


def _next(flags: NDArray[np.bool_]) -> Ints:
    """Return the position of the next flag at or behind each, in each row; far behind the last where there is none."""
    count = flags.shape[-1]
    index = np.arange(count)
    return np.minimum.accumulate(np.where(flags, index, count + FAR)[..., ::-1], axis=-1)[..., ::-1]


def _sums_inside(view: PageView, weights: Floats | None) -> Floats:
    """Sum weights over the blocks inside each element; without weights, count them."""
    ends = view.columns.ends
    sums = np.zeros(len(ends) + 1)
    np.cumsum(np.bincount(view.element, weights, len(ends)), out=sums[1:])
    inside: Floats = sums[ends] - sums[:-1]
    return inside


def _of_elements(view: PageView, first: Floats, units: Floats, good: Floats) -> Iterator[Floats]:
    """Yield the features of the elements around each block, and of blocks of its class and path."""
    total = max(good.sum(), 1.0)
    counts, units_inside, good_inside, first_inside = (
        _sums_inside(view, weights) for weights in (None, units, good, first)
    )
    levels = view.columns.levels(view.element, counts, LEVELS)
    yield (good_inside / np.maximum(units_inside, 1))[levels]
    yield (first_inside / np.maximum(counts, 1))[levels]
    yield (good_inside / total)[levels]
    for groups in (view.columns.classes, view.columns.paths):
        group = groups[view.element]
        good_of_group = np.bincount(group, good)
        yield (good_of_group / np.maximum(np.bincount(group, units), 1))[group][None]
        yield (good_of_group / total)[group][None]


def _padded_sums(values: Floats) -> Floats:
    """Return the sums before each position, from :data:`_MARGIN` positions before the first to as many behind."""
    count = values.shape[-1]
    sums = np.zeros((*values.shape[:-1], count + 1 + 2 * _MARGIN))
    np.cumsum(values, axis=-1, out=sums[..., _MARGIN + 1 : _MARGIN + 1 + count])
    sums[..., _MARGIN + 1 + count :] = sums[..., [_MARGIN + count]]
    return sums


def _span(sums: Floats, start: int, end: int) -> Floats:
    """Return the sums of the positions from ``start`` to ``end``, counted from each."""
    count = sums.shape[-1] - 1 - 2 * _MARGIN
    found: Floats = (
        sums[..., _MARGIN + 1 + end : _MARGIN + 1 + end + count] - sums[..., _MARGIN + start : _MARGIN + start + count]
    )
    return found


def _of_neighbours(first: Floats, units: Floats, good: Floats) -> Iterator[Floats]:
    """Yield the features of single neighbours, and of the blocks around, before and ahead."""
    count = len(first)
    padded = np.zeros(count + 2 * _MARGIN)
    padded[_MARGIN : _MARGIN + count] = first
    yield np.array([padded[_MARGIN + offset : _MARGIN + offset + count] for offset in SECOND_OFFSETS])
    sums = _padded_sums(np.array([good, units]))
    spans = [(-size, size) for size in WINDOWS]
    spans += [span for size in SIDES for span in ((-size, -1), (1, size))]
    for start, end in spans:
        good_sum, units_sum = _span(sums, start, end)
        yield (good_sum / np.maximum(units_sum, 1))[None]


def _of_order(first: Floats, units: Floats, good: Floats) -> list[ArrayLike]:
    """Return the features of what comes before and ahead."""
    count = len(first)
    index, total = np.arange(count), max(good.sum(), 1.0)
    until = np.cumsum(good)
    is_probable = first >= 0.5
    last, following = _last(is_probable), _next(is_probable)
    improbable = np.cumsum(np.where(is_probable, 0, units))
    return [
        (until - good) / total,
        (until[-1] - until) / total,
        np.minimum(index - last, FAR),
        np.minimum(following - index, FAR),
        np.where(last >= 0, improbable - improbable[np.maximum(last, 0)], -1),
        np.where(following < count, improbable[np.minimum(following, count - 1)] - improbable, -1),
    ]


def _of_section(first: Floats, units: Floats, good: Floats, last_heading: Ints) -> list[ArrayLike]:
    """Return the features of the section, which begins with a heading."""
    heading = np.maximum(last_heading, 0)
    means = np.bincount(heading, good) / np.maximum(np.bincount(heading, units), 1)
    return [
        np.where(last_heading >= 0, first[heading], -1),
        means[heading],
        first[np.minimum(heading + 1, len(first) - 1)],
    ]


def _of_best(view: PageView, first: Floats, units: Floats, good: Floats) -> list[ArrayLike]:
    """Return the features of the run and of the element in which probable text most exceeds improbable text."""
    index, total = np.arange(len(first)), max(good.sum(), 1.0)
    margin = (first - 0.5) * units
    before = np.append(0, np.cumsum(margin))
    end = int(np.argmax(before[1:] - np.minimum.accumulate(before)[:-1])) + 1
    start = int(np.argmin(before[:end]))
    inside = _sums_inside(view, margin)
    # The innermost of those with the highest sum.
    best = len(inside) - 1 - int(np.argmax(inside[::-1]))
    is_in_best = (view.element >= best) & (view.element < view.columns.ends[best])
    good_of_best = good[is_in_best].sum()
    return [
        (index >= start) & (index < end),
        np.clip(start - index, 0, FAR),
        np.clip(index - end + 1, 0, FAR),
        good[start:end].sum() / total,
        is_in_best,
        good_of_best / total,
        good_of_best / max(units[is_in_best].sum(), 1.0),
    ]


def _of_page(
    first: Floats, units: Floats, good: Floats, is_h1: NDArray[np.bool_], is_prose: Floats32
) -> list[ArrayLike]:
    """Return the features that are the same for all blocks of the page."""
    total, all_units = good.sum(), units.sum()
    return [
        total,
        total / all_units,
        first.mean(),
        np.count_nonzero(first >= 0.5),
        (np.abs(first - 0.5) * units).sum() / all_units,
        first[is_h1.argmax()] if is_h1.any() else -1,
        (good * is_prose).sum() / max(total, 1.0),
    ]


def _of_markers(markers: NDArray[np.bool_], last_heading: Ints) -> Floats:
    """Return the features of the markers, those of each kind together."""
    count = markers.shape[1]
    index = np.arange(count)
    sums = _padded_sums(markers.astype(np.float64))
    before = sums[:, _MARGIN : _MARGIN + count]
    features = (
        np.minimum(index - _last(markers), FAR),
        np.minimum(_next(markers) - index, FAR),
        before,
        sums[:, -1:] - before - markers,
        _span(sums, -_NEAR, _NEAR),
        markers[:, np.maximum(last_heading, 0)] & (last_heading >= 0),
    )
    return np.stack(features, axis=1).reshape(-1, count)
