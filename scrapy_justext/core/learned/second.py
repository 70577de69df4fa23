# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Compute what the second pass looks at: the first pass's probabilities around each block, and words beside content.

Probabilities are averaged and summed over the elements that a block stands in, over blocks of its class and of its
path, its neighbours, its section, and the page.  Words such as "comments" or "read also" are looked for in short blocks
(``markers.txt``).  With these go the numbers of the first pass.  Everything takes time in proportion to the number of
blocks and elements.

*Good text* is text times its probability of being content.  The *best element* is the innermost one whose probable
text most exceeds the improbable.  The *branch* of a block is the outermost element around it that holds not all of
the best one.
"""

from __future__ import annotations

import re
from array import array
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from scrapy_justext.core.learned.sums import DOUBLE, INT, Sums, holders
from scrapy_justext.core.learned.table import LEVEL_NAMES, LEVELS, NUMBERS, PAGE_FEATURES, WINDOWS, features_of
from scrapy_justext.core.text import read_sections
from scrapy_justext.core.unsegmented import lengths_by_first

if TYPE_CHECKING:
    from collections.abc import Iterator

    import cython
    from numpy.typing import NDArray

    from scrapy_justext.core.learned.features import Features, PageView

    Floats32 = NDArray[np.float32]

#: Words and phrases, separated by commas, in lower case.
MARKERS = {
    kind: dict(line.split(": ", 1) for line in lines)
    for kind, lines in read_sections(Path(__file__).with_name("markers.txt")).items()
}


#: The kinds of markers: those of the lists, and what looks like a date or a time.
KINDS = (*MARKERS, "date")
#: How many characters a block has at the most in which markers are looked for.
LONGEST_LABEL = 100
#: From this character on, scripts have no spaces between words, or words with characters that are no letters to Python.
_SOUGHT_INSIDE = "\u0900"
_WORD = re.compile(r"\w+")
_DATE = re.compile(r"\d(?::\d\d|[./-]\d{1,2}[./-]\d|\s?[年월月])|\b(?:19|20)\d\d\b")
_DATE_BIT = 1 << len(MARKERS)
#: What is said of words that phrases begin with; a phrase has two words or three.
_BEGINS = 1 << 30


def _phrases() -> tuple[dict[str, int], dict[str, int]]:
    """Return the bits of words and phrases, and those of strings that are sought inside words."""
    phrases: dict[str, int] = {}
    strings: dict[str, int] = {}
    for number, languages in enumerate(MARKERS.values()):
        for phrase in ", ".join(languages.values()).split(", "):
            inside = max(phrase) >= _SOUGHT_INSIDE
            to, key = (strings, phrase) if inside else (phrases, " ".join(_WORD.findall(phrase)))
            to[key] = to.get(key, 0) | 1 << number
    for beginning in [phrase.split()[0] for phrase in phrases if " " in phrase]:
        phrases[beginning] = phrases.get(beginning, 0) | _BEGINS
    return phrases, strings


_PHRASES, _STRINGS = _phrases()
_LENGTHS = lengths_by_first(frozenset(_STRINGS))
#: The characters of such scripts that strings have: those that any text has, such as dashes, are none.
_INSIDE = frozenset(character for string in _STRINGS for character in string if character >= _SOUGHT_INSIDE)


@lru_cache(maxsize=1 << 14)
def marker_bits(text: str) -> int:
    """Return the kinds of the markers in a short text, a bit for each of :data:`KINDS`.

    >>> [kind for number, kind in enumerate(KINDS) if marker_bits("Lesen Sie auch: 3 Kommentare") >> number & 1]
    ['comment', 'related']
    """
    return _kinds_in(text.lower()) & ~_BEGINS


def _kinds_in(text: str) -> int:
    """Return the kinds of what is in a text in lower case; a regular expression for words takes longer."""
    bits: cython.int = 0
    may_have_strings: cython.bint = False
    # The word before, and the two before with a space, where a phrase may begin with them.
    last: str = ""
    last_two: str = ""
    start: cython.Py_ssize_t = -1
    i: cython.Py_ssize_t
    size: cython.Py_ssize_t = len(text)
    for i in range(size + 1):
        character: cython.Py_UCS4 = text[i] if i < size else " "
        if "a" <= character <= "z":
            start = i if start < 0 else start
            continue
        may_have_strings = may_have_strings or (character > "\x7f" and character in _INSIDE)
        if character.isalnum() if character > "\x7f" else "0" <= character <= "9" or character == "_":
            start = i if start < 0 else start
            # Far quicker than a search, which tries each letter.
            if not bits & _DATE_BIT and character.isdecimal() and _DATE.match(text, i):
                bits |= _DATE_BIT
        elif start >= 0:
            word = text[start:i]
            kinds: cython.int = _PHRASES.get(word, 0)
            if last or last_two:
                bits |= _PHRASES.get(f"{last_two} {word}", 0)
                last_two = f"{last} {word}" if last else ""
                bits |= _PHRASES.get(last_two, 0)
            last = word if kinds & _BEGINS else ""
            bits |= kinds
            start = -1
    return bits | _strings_in(text) if may_have_strings else bits


def _strings_in(text: str) -> int:
    """Return the kinds of the strings in a text: at each place of the longest, behind which the search goes on."""
    bits: cython.int = 0
    i: cython.Py_ssize_t = 0
    while i < len(text):
        step = 1
        for length in _LENGTHS.get(text[i], ()):
            kinds = _STRINGS.get(text[i : i + length], 0)
            if kinds:
                bits |= kinds
                step = length
                break
        i += step
    return bits


def read_markers(texts: list[str]) -> array[int]:
    """Return the kinds of the markers in each text, a bit for each of :data:`KINDS`; long texts have none."""
    return array("i", [marker_bits(text) if len(text) <= LONGEST_LABEL else 0 for text in texts])


#: What is farther away is as good as not there, in blocks.
FAR = _FAR = 40
#: Positions of neighbours, counted from the block; the first pass has fewer.
SECOND_OFFSETS = (-4, -3, -2, -1, 1, 2, 3, 4)
#: How many blocks before or ahead are summed.
SIDES = (3, 12)
#: Blocks on each side in which markers are counted.
_NEAR = 5
#: Levels of headings.
_LEVELS = 6
#: From this probability on, a block is a probable one.
_PROBABLE = 0.5

_ROWS = {feature.name: row for row, feature in enumerate(NUMBERS)}

_MEAN, _OF_BLOCKS, _SHARE = "mean probability of {}", "mean probability of the blocks of {}", "good text in {}"
_GROUPS = (("class", "elements of the same class"), ("path", "blocks with the same path"))
_MARKER_FEATURES = (
    ("since", 'blocks since words like "{}"'),
    ("until", 'blocks before words like "{}"'),
    ("before", 'words like "{}" before'),
    ("after", 'words like "{}" ahead'),
    ("near", 'words like "{}" around it'),
    ("heading", 'under a heading like "{}"?'),
)
_OF_MARKER = len(_MARKER_FEATURES)
_OF_PAGE = 7


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
        ("section_units", "length of its section"),
        ("section_link_density", "link density of its section"),
        ("section_blocks", "blocks of its section"),
        ("mean_branch", _MEAN.format("its branch")),
        ("mean_beside", _MEAN.format("what stands beside its branch")),
        ("good_share_branch", _SHARE.format("its branch")),
        ("branch_units", "text in its branch"),
        ("branch_up", "elements between it and its branch"),
        ("best_up", "elements between the best one and where its branch begins"),
        ("join_depth", "depth where its branch begins"),
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
        for name, meaning in _MARKER_FEATURES:
            yield f"{name}_{kind}", meaning.format(kind)


OWN = features_of(_own_features())
#: The first feature of markers.
_OF_MARKERS = len(OWN) - _OF_MARKER * len(KINDS)
#: What the trees are asked with: features of the second pass, then the numbers of the first one.
SECOND_FEATURES = (*OWN, *NUMBERS)
#: Those that explain no block: they are the same for all of a page, or what the first pass explains.
UNEXPLAINING = PAGE_FEATURES | {
    "first", "run_share", "best_share", "best_mean", "page_good", "page_mean", "page_blocks_mean", "page_count",
    "page_sure", "page_h1", "page_prose_good",
}  # fmt: skip


def second_features(features: Features, first: Floats32, asked: NDArray[np.int32] | None = None) -> Floats32:
    """Return :data:`SECOND_FEATURES`, a row each, of the blocks that are ``asked`` about, a column each; None: all."""
    assert features.view is not None
    if asked is None:
        asked = np.arange(len(first), dtype=np.int32)
    rows = np.empty((len(SECOND_FEATURES), len(asked)), np.float32)
    features.numbers.take(asked, axis=1, out=rows[len(OWN) :], mode="clip")  # the others copy once more
    _SecondPass(features, features.view, first, asked, rows.reshape(-1)).write()
    return rows


class _SecondPass:
    """The blocks of a page; the features of those that are asked about are written one by one.

    ``first``: the probabilities of the first pass; ``good``: good text.
    ``heading``: for each block the last heading up to it; -1 where there is none.
    ``last``, ``following``: the last probable block up to each, and the next from it on; far away where there is none.
    ``improbable``: the text of improbable blocks up to each.
    ``under``: the kinds of the markers in all headings that a block stands under.
    ``branches``, ``joins``: for each element the branch of its blocks, and the element that it begins in.
    """

    def __init__(
        self, features: Features, view: PageView, first: Floats32, asked: NDArray[np.int32], out: Floats32
    ) -> None:
        self.count, self.asked, self.step, self.out, columns = len(first), asked, len(asked), out, view.columns
        self.element, self.ends, self.paths, self.classes = view.element, columns.ends, columns.paths, columns.classes
        self.parents, self.depths = columns.parents, columns.depths
        self.level, self.is_prose, self.link_units = (
            features.numbers[_ROWS[name]] for name in ("heading_level", "is_sentence_like", "link_units")
        )
        chances, units = first.astype(np.float64), features.lengths()
        self.first, self.units, self.good = chances, units, chances * units
        weights = np.ones_like(units), units, self.good, chances, (chances - 0.5) * units
        self.blocks, self.all_units, self.all_good, self.all_first, self.margins = [
            Sums(weight, self.element, columns) for weight in weights
        ]
        self.holders = holders(columns.parents, self.blocks)
        self.total = max(self.all_good.before[self.count], 1)
        self.markers = read_markers(view.texts)
        self.offsets, self.windows, self.sides = array("i", SECOND_OFFSETS), array("i", WINDOWS), array("i", SIDES)
        self.heading, self.last, self.following, self.under = [INT * self.count for _ in range(4)]
        self.marked, self.marked_before, self.marked_next = [INT * (self.count + 1) for _ in range(3)]
        self.improbable, self.section_good, self.section_units, self.section_links, self.section_blocks = [
            DOUBLE * self.count for _ in range(5)
        ]
        self.branches, self.joins = INT * len(self.ends), INT * len(self.ends)
        #: Where the next feature is written.
        self.at = 0

    def write(self) -> None:
        i: cython.int
        self._survey()
        self._find_headings_above()
        self._find_best_run()
        self._find_best_element()
        self._find_branches()
        of_page = self._of_page()
        n: cython.int
        for n in range(self.step):
            self.at, i = n, self.asked[n]
            self._put(self.first[i])
            self._put_elements(i)
            self._put_neighbours(i)
            self._put_order(i)
            self._put_section(i)
            self._put_branch(self.element[i])
            self._put_best(i)
            self._put_page(of_page)
        for n in range(len(KINDS)):
            self._put_markers(n)

    def _put(self, value: cython.double) -> None:
        self.out[self.at] = value
        self.at += self.step

    def _survey(self) -> None:
        """Find the last heading, and probable blocks around each; sum over sections, which begin with a heading."""
        count: cython.int = self.count
        i: cython.int
        heading: cython.int = -1
        last: cython.int = -_FAR - 1
        following: cython.int = count + _FAR
        improbable: cython.double = 0
        for i in range(count):
            if self.level[i] > 0:
                heading = i
            if self.first[i] >= _PROBABLE:
                last = i
            else:
                improbable += self.units[i]
            self.heading[i], self.last[i], self.improbable[i] = heading, last, improbable
            section: cython.int = max(heading, 0)
            self.section_good[section] += self.good[i]
            self.section_units[section] += self.units[i]
            self.section_links[section] += self.link_units[i]
            self.section_blocks[section] += 1
        for i in range(count - 1, -1, -1):
            if self.first[i] >= _PROBABLE:
                following = i
            self.following[i] = following

    def _find_headings_above(self) -> None:
        """Find what the headings say that a block stands under: the last one, and those of higher levels before."""
        levels: list[int] = [0] * (_LEVELS + 1)
        said: cython.int = 0
        i: cython.int
        level: cython.int
        for i in range(self.count):
            if self.level[i] > 0:
                level = min(int(self.level[i]), _LEVELS)
                said = levels[level - 1] | self.markers[i]
                levels[level:] = [said] * (_LEVELS + 1 - level)
            self.under[i] = said

    def _find_best_run(self) -> None:
        """Find the run of blocks in which probable text most exceeds improbable text."""
        before = self.margins.before
        lowest: cython.int = 0
        most: cython.double = 0
        i: cython.int
        for i in range(self.count):
            if before[i] < before[lowest]:
                lowest = i
            margin: cython.double = before[i + 1] - before[lowest]
            if i == 0 or margin > most:
                most = margin
                self.run_start, self.run_end = lowest, i + 1

    def _find_best_element(self) -> None:
        """Find the innermost element in which it does."""
        inside = self.margins.inside
        i: cython.int
        self.best = 0
        for i in range(len(self.ends)):
            if inside[i] >= inside[self.best]:
                self.best = i
        units: cython.double = 0
        self.best_good = 0.0
        for i in range(self.count):
            if self._is_in_best(i):
                self.best_good += self.good[i]
                units += self.units[i]
        self.best_mean = self.best_good / max(units, 1)

    def _find_branches(self) -> None:
        best: cython.int = self.best
        element: cython.int
        for element in range(1, len(self.ends)):
            parent: cython.int = self.parents[element]
            if parent <= best < self.ends[parent]:
                self.branches[element] = element
                self.joins[element] = element if element <= best < self.ends[element] else parent
            else:
                self.branches[element], self.joins[element] = self.branches[parent], self.joins[parent]

    def _is_in_best(self, i: cython.int) -> bool:
        return self.best <= self.element[i] < self.ends[self.best]

    def _of_page(self) -> array[float]:
        count: cython.int = self.count
        i: cython.int
        good: cython.double = self.all_good.before[count]
        units: cython.double = self.all_units.before[count]
        probable: cython.int = 0
        sure: cython.double = 0
        prose: cython.double = 0
        h1: cython.double = -1
        for i in range(count):
            probable += self.first[i] >= _PROBABLE
            sure += abs(self.first[i] - 0.5) * self.units[i]
            prose += self.good[i] * self.is_prose[i]
            if self.level[i] == 1 and h1 < 0:
                h1 = self.first[i]
        mean = self.all_first.before[count] / count
        return array("d", [good, good / units, mean, probable, sure / units, h1, prose / self.total])

    def _put_elements(self, i: cython.int) -> None:
        element: cython.int = self.element[i]
        _level: cython.int
        levels: cython.int = LEVELS
        at: cython.Py_ssize_t = self.at
        for _level in range(levels):
            good: cython.double = self.all_good.inside[element]
            self.out[at] = good / max(self.all_units.inside[element], 1)
            self.out[at + levels * self.step] = self.all_first.inside[element] / self.blocks.inside[element]
            self.out[at + 2 * levels * self.step] = good / self.total
            at += self.step
            element = self.holders[element]
        self.at = at + 2 * levels * self.step
        group: cython.int = self.classes[self.element[i]]
        self._put(self.all_good.of_classes[group] / max(self.all_units.of_classes[group], 1))
        self._put(self.all_good.of_classes[group] / self.total)
        group = self.paths[self.element[i]]
        self._put(self.all_good.of_paths[group] / max(self.all_units.of_paths[group], 1))
        self._put(self.all_good.of_paths[group] / self.total)

    def _put_neighbours(self, i: cython.int) -> None:
        at: cython.int
        size: cython.int
        n: cython.int
        for n in range(len(self.offsets)):
            at = i + self.offsets[n]
            self._put(self.first[at] if 0 <= at < self.count else 0)
        for n in range(len(self.windows)):
            size = self.windows[n]
            self._put_span(i - size, i + size + 1)
        for n in range(len(self.sides)):
            size = self.sides[n]
            self._put_span(i - size, i)
            self._put_span(i + 1, i + size + 1)

    def _put_span(self, start: cython.int, end: cython.int) -> None:
        start = min(max(start, 0), self.count)
        end = min(max(end, 0), self.count)
        units: cython.double = self.all_units.before[end] - self.all_units.before[start]
        self._put((self.all_good.before[end] - self.all_good.before[start]) / max(units, 1))

    def _put_order(self, i: cython.int) -> None:
        until: cython.double = self.all_good.before[i + 1]
        last: cython.int = self.last[i]
        following: cython.int = self.following[i]
        self._put((until - self.good[i]) / self.total)
        self._put((self.all_good.before[self.count] - until) / self.total)
        self._put(min(i - last, _FAR))
        self._put(min(following - i, _FAR))
        self._put(self.improbable[i] - self.improbable[last] if last >= 0 else -1)
        self._put(self.improbable[following] - self.improbable[i] if following < self.count else -1)

    def _put_section(self, i: cython.int) -> None:
        heading: cython.int = max(self.heading[i], 0)
        self._put(self.first[heading] if self.heading[i] >= 0 else -1)
        self._put(self.section_good[heading] / max(self.section_units[heading], 1))
        self._put(self.first[min(heading + 1, self.count - 1)])
        self._put(self.section_units[heading])
        self._put(self.section_links[heading] / max(self.section_units[heading], 1))
        self._put(self.section_blocks[heading])

    def _put_branch(self, element: cython.int) -> None:
        branch: cython.int = self.branches[element]
        around: cython.int = self.parents[branch]
        good: cython.double = self.all_good.inside[branch]
        units: cython.double = self.all_units.inside[branch]
        self._put(good / max(units, 1))
        self._put((self.all_good.inside[around] - good) / max(self.all_units.inside[around] - units, 1))
        self._put(good / self.total)
        self._put(units)
        self._put(self.depths[element] - self.depths[branch])
        self._put(self.depths[self.best] - self.depths[self.joins[element]])
        self._put(self.depths[self.joins[element]])

    def _put_best(self, i: cython.int) -> None:
        self._put(self.run_start <= i < self.run_end)
        self._put(min(max(self.run_start - i, 0), _FAR))
        self._put(min(max(i - self.run_end + 1, 0), _FAR))
        self._put((self.all_good.before[self.run_end] - self.all_good.before[self.run_start]) / self.total)
        self._put(self._is_in_best(i))
        self._put(self.best_good / self.total)
        self._put(self.best_mean)

    def _put_page(self, of_page: array[float]) -> None:
        n: cython.int
        for n in range(_OF_PAGE):
            self._put(of_page[n])

    def _put_markers(self, kind: cython.int) -> None:
        count: cython.int = self.count
        i: cython.int
        n: cython.int
        start: cython.Py_ssize_t = (_OF_MARKERS + _OF_MARKER * kind) * self.step
        marked, before, following, out = self.marked, self.marked_before, self.marked_next, self.out
        last: cython.int = -_FAR - 1
        next_one: cython.int = count + _FAR
        for i in range(count):
            if self.markers[i] >> kind & 1:
                last = i
            before[i] = last
            marked[i + 1] = marked[i] + (last == i)
        if not marked[count]:
            for n in range(2 * self.step):
                out[start + n] = _FAR
            for n in range(2 * self.step, _OF_MARKER * self.step):
                out[start + n] = 0
            return
        for i in range(count - 1, -1, -1):
            if before[i] == i:
                next_one = i
            following[i] = next_one
        for n in range(self.step):
            self.at, i = start + n, self.asked[n]
            self._put(min(i - before[i], _FAR))
            self._put(min(following[i] - i, _FAR))
            self._put(marked[i])
            self._put(marked[count] - marked[i + 1])
            self._put(marked[min(i + _NEAR + 1, count)] - marked[max(i - _NEAR, 0)])
            self._put(self.under[i] >> kind & 1)
