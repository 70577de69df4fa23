"""Context-free classification: decide on each block by its own text.

These are the rules of the jusText page of the NLP Centre, Masaryk University, in its order: :data:`PUBLISHED_RULES`.
The first rule that applies decides.  The page prints ``>`` where densities are compared; both published codes use
``>=``, and so do we.  A rule sees one block, never its neighbours.

==================================================================  =========
rule                                                                class
==================================================================  =========
link density > ``max_link_density``                                 BAD
holds © or the literal ``&copy``                                    BAD
inside SELECT                                                       BAD
characters < ``length_low``, with characters inside links           BAD
characters < ``length_low``                                         SHORT
stop-word density >= ``stopwords_high``, length > ``length_high``   GOOD
stop-word density >= ``stopwords_high``                             NEAR_GOOD
stop-word density >= ``stopwords_low``                              NEAR_GOOD
stop-word density < ``stopwords_low``                               BAD
==================================================================  =========

The Java port has two more rules.  An image is BAD, before all other rules.  A text inside H1 is GOOD,
unless it has too many links or a copyright sign (``no_headlines`` switches this rule off).

Code, formulas and tables of data have few stop words wherever they stand, so they have rules of their own,
:data:`KIND_RULES`.  By default only their length counts.  Code and formulas are seldom boilerplate: they are GOOD if
they are long enough to be judged by themselves.  Small tables also stand in sidebars, such as calendars and opening
hours, so a table has to be as long as GOOD running text.  If thresholds leave a block to its neighbours, it is SHORT,
as in the published method.  Links and the copyright sign speak against these blocks as against all others.

==================================================================  =========
rule                                                                class
==================================================================  =========
always kept                                                         GOOD
always dropped                                                      BAD
link density > ``max_link_density``                                 BAD
holds a copyright sign                                              BAD
left to its neighbours                                              SHORT
a table, length > ``length_high``                                   GOOD
code or a formula, length >= ``length_low``                         GOOD
a table, shorter                                                    NEAR_GOOD
code or a formula, shorter                                          NEAR_GOOD
==================================================================  =========
"""

from __future__ import annotations

import re
from array import array
from functools import lru_cache
from itertools import compress, count
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.core.blocks import BAD, GOOD, NEAR_GOOD, SHORT, BlockClass, BlockTable, Decisions, Measurements
from scrapy_justext.core.parameters import CONTEXT, DROP, KEEP, PROSE
from scrapy_justext.core.tags import KINDS, TABLE
from scrapy_justext.core.text import WordCounter

if TYPE_CHECKING:
    from collections.abc import Callable, MutableSequence, Sequence

    import cython

    from scrapy_justext.core.parameters import Thresholds


class MeasuredPage(NamedTuple):
    """What rules look at."""

    segments: BlockTable
    measured: Measurements
    thresholds: Thresholds

    def kind(self, block: int) -> str:
        """Return the kind of a block."""
        return self.segments.position[block].kind


class Condition(NamedTuple):
    """A number of a block beside a limit."""

    column: Callable[[MeasuredPage], Sequence[float]]
    """Returns the numbers of all blocks; 1 and 0 for true and false."""
    comparison: str
    """How the numbers compare with the limit: ">", "<" or "≥"."""
    limit: Callable[[Thresholds], float]


class Rule(NamedTuple):
    """A rule: a row of a table.  It applies to blocks that meet all its conditions."""

    conditions: tuple[Condition, ...]
    block_class: BlockClass
    words: Callable[[MeasuredPage, int], str]
    """Says why it applies to a block."""


def measure(segments: BlockTable, stoplist: frozenset[str]) -> Measurements:
    """Measure the blocks; ``stoplist`` holds lower-case words."""
    characters, word_count, link_density, stopword_density = measure_texts(
        segments.collapsed, segments.link_characters, stoplist
    )
    if with_formulas := [i for i, extras in segments.extras.items() if extras.formulas]:
        # A paragraph with formulas has as many stop words as its words ask for.
        prose = [segments[i].without_formulas() for i in with_formulas]
        *_, densities = measure_texts(prose, array("i", [0] * len(prose)), stoplist)
        for i, density in zip(with_formulas, densities, strict=True):
            stopword_density[i] = density
    return Measurements(characters, word_count, segments.link_words, link_density, stopword_density)


def measure_texts(
    texts: list[str], link_characters: array[int], stoplist: frozenset[str]
) -> tuple[array[int], array[int], array[float], array[float]]:
    """Return the texts' lengths, words, link densities and densities of stop words.

    Words stand between white space.  ``link_characters``: how many of each text's characters are in links.
    """
    characters, word_count, stopwords = _counter(stoplist).measure(texts)
    return characters, word_count, _shares(link_characters, characters), _shares(stopwords, word_count)


def _shares(parts: array[int], wholes: array[int]) -> array[float]:
    shares = array("d", bytes(8 * len(parts)))
    _divide(parts, wholes, shares)
    return shares


def _divide(parts: array[int], wholes: array[int], shares: array[float]) -> None:
    i: cython.Py_ssize_t
    for i in range(len(shares)):
        # An image without ALT has no characters.
        if parts[i]:
            shares[i] = parts[i] / wholes[i]


#: One for each stoplist: a crawl has few.
_counter = lru_cache(WordCounter)


def classify(
    segments: BlockTable, measured: Measurements, thresholds: Thresholds, *, rules: Sequence[Rule]
) -> Decisions:
    """Decide on each block by the first of ``rules`` that applies; the last of them must."""
    page = MeasuredPage(segments, measured, thresholds)
    deciding = _first_that_apply(rules, page)
    classes = deciding.translate(bytes([rule.block_class.code for rule in rules]).ljust(256))
    return Decisions.of_columns(classes, lambda: [rules[number].words(page, i) for i, number in enumerate(deciding)])


# The functions of profiles have names, by which they go to other processes.


def classify_as_published(segments: BlockTable, measured: Measurements, thresholds: Thresholds) -> Decisions:
    """Decide by :data:`PUBLISHED_RULES`."""
    return classify(segments, measured, thresholds, rules=PUBLISHED_RULES)


def classify_modern(segments: BlockTable, measured: Measurements, thresholds: Thresholds) -> Decisions:
    """Decide by :data:`MODERN_RULES`."""
    return classify(segments, measured, thresholds, rules=MODERN_RULES)


def classify_as_java(segments: BlockTable, measured: Measurements, thresholds: Thresholds) -> Decisions:
    """Decide by :data:`JAVA_RULES`."""
    return classify(segments, measured, thresholds, rules=JAVA_RULES)


def _first_that_apply(rules: Sequence[Rule], page: MeasuredPage) -> bytearray:
    """Return for each block the number of the first rule that applies."""
    deciding = bytearray([_NONE]) * len(page.segments)
    columns: dict[Callable[[MeasuredPage], Sequence[float]], array[float]] = {}
    for number, rule in enumerate(rules):
        are_so = bytearray(b"\1") * len(deciding)
        for column, comparison, limit in rule.conditions:
            if column not in columns:
                columns[column] = _as_doubles(column(page))
            _compare(columns[column], comparison, limit(page.thresholds), are_so)
        if not _decide(deciding, are_so, number):
            return deciding
    raise ValueError("no rule applies")


#: The number of no rule.
_NONE = 255


def _as_doubles(column: Sequence[float]) -> array[float]:
    if isinstance(column, array) and column.typecode == "d":
        return column
    if not isinstance(column, (array, bytearray)):
        return array("d", column)
    # Python's own way from these makes an object for each number.
    doubles = array("d", bytes(8 * len(column)))
    if isinstance(column, array):
        _copy(column, doubles)
    else:
        _copy_marks(column, doubles)
    return doubles


def _copy(numbers: array[int], to: array[float]) -> None:
    i: cython.Py_ssize_t
    for i in range(len(numbers)):
        to[i] = numbers[i]


def _copy_marks(marks: MutableSequence[int], to: array[float]) -> None:
    i: cython.Py_ssize_t
    for i in range(len(marks)):
        to[i] = marks[i]


def _compare(column: array[float], sign: cython.Py_UCS4, limit: cython.double, are_so: MutableSequence[int]) -> None:
    """Take the mark from the blocks whose number does not meet a condition."""
    i: cython.Py_ssize_t
    for i in range(len(are_so)):
        if sign == ">":
            is_so: cython.bint = column[i] > limit
        else:
            is_so = column[i] < limit if sign == "<" else column[i] >= limit
        if not is_so:
            are_so[i] = 0


def _decide(deciding: MutableSequence[int], are_so: Sequence[int], rule: cython.int) -> int:
    """Give a rule's number to the blocks with a mark that have none; return how many are left."""
    left: cython.int = 0
    i: cython.Py_ssize_t
    for i in range(len(deciding)):
        if deciding[i] == _NONE:
            if are_so[i]:
                deciding[i] = rule
            else:
                left += 1
    return left


def decide_by_kind(
    decisions: Decisions, segments: BlockTable, measured: Callable[[], Measurements], thresholds: Thresholds
) -> Decisions:
    """Return other decisions for code, formulas and tables, unless ``thresholds`` have them judged like prose.

    ``measured``: returns the measurements.
    """
    kinds = kinds_by_rules(thresholds)
    if not kinds or kinds.isdisjoint(of_blocks := segments.of_position("kind")):
        return decisions
    judged = [i for i, kind in enumerate(of_blocks) if kind in kinds]
    measurements = Measurements._make([[column[i] for i in judged] for column in measured()])
    others = classify(segments.taken(judged), measurements, thresholds, rules=KIND_RULES)
    places = {i: place for place, i in enumerate(judged)}
    classes = dict(zip(judged, others.block_classes(), strict=True))
    return decisions.with_classes(classes, lambda i, _: others.reasons[places[i]])


def kinds_by_rules(thresholds: Thresholds) -> set[str]:
    """Return the kinds of blocks that :data:`KIND_RULES` judge: those that are not judged like prose."""
    return {kind for kind, way in _ways(thresholds).items() if way != PROSE}


def _ways(thresholds: Thresholds) -> dict[str, str]:
    """Return by kind how it is judged."""
    return {name: getattr(thresholds, kind.parameter) for name, kind in KINDS.items() if kind.parameter}


# The columns that conditions look at.


_link_density, _stopword_density, _length, _link_characters = (
    attrgetter(column)
    for column in (
        "measured.link_density", "measured.stopword_density", "measured.characters", "segments.link_characters"
    )
)  # fmt: skip


def _is_in_select(page: MeasuredPage) -> Sequence[int]:
    return bytearray(page.segments.of_position("in_select"))


def _is_linked_prose(page: MeasuredPage) -> Sequence[int]:
    """Tell which blocks are sentences that hold links, or that stand in links and have the stop words of prose."""
    are_so = bytearray(len(page.segments))
    if not page.thresholds.linked_prose:
        return are_so
    texts, link_characters = page.segments.collapsed, page.segments.link_characters
    densities, words = page.measured.link_density, page.measured.word_count
    stopwords = page.measured.stopword_density
    low, high = page.thresholds.length_low, page.thresholds.stopwords_high
    for i in compress(count(), link_characters):
        is_inside = densities[i] <= _MOST_LINKED and words[i] >= _LEAST_WORDS
        if is_inside or (len(texts[i]) >= low and stopwords[i] >= high):
            are_so[i] = _ENDS_SENTENCE.search(texts[i], max(0, len(texts[i]) - _LONGEST_END)) is not None
    return are_so


#: The share of links in a sentence that holds them, and its words at the least.
_MOST_LINKED, _LEAST_WORDS = 0.5, 4
#: Characters of the end of a sentence, with what stands around it.
_LONGEST_END = 8
_ENDS_SENTENCE = re.compile(r"[.!?…。！？؟।]['\"”’»)\]]*$")


def _is_table(page: MeasuredPage) -> Sequence[bool]:
    return [kind == TABLE for kind in page.segments.of_position("kind")]


def _is_treated(way: str) -> Callable[[MeasuredPage], Sequence[bool]]:
    def column(page: MeasuredPage) -> Sequence[bool]:
        ways = _ways(page.thresholds)
        return [ways[kind] == way for kind in page.segments.of_position("kind")]

    return column


def _is_image(page: MeasuredPage) -> Sequence[bool]:
    return [url is not None for url in page.segments.of_extras("image_url")]


def _is_headline(page: MeasuredPage) -> Sequence[bool]:
    """Tell which blocks are inside H1, whatever their length."""
    levels = page.segments.of_position("heading_level")
    return [False] * len(levels) if page.thresholds.no_headlines else [level == 1 for level in levels]


def _has_sign(page: MeasuredPage) -> Sequence[int]:
    """Tell which blocks have a copyright sign, also an entity for it that was not resolved."""
    return _holding(page.segments.collapsed, "\xa9", "&copy")


def _has_sign_or_entity(page: MeasuredPage) -> Sequence[int]:
    """Tell which blocks have a copyright sign, as the Java port does: an entity counts with its semicolon only."""
    return _holding(page.segments.collapsed, "\xa9", "&copy;")


def _has_any_sign(page: MeasuredPage) -> Sequence[int]:
    """Tell which blocks have a copyright sign, also one as East Asian pages write it."""
    texts = page.segments.collapsed
    are_held = _holding(texts, *_SIGNS, _WIDE)
    for i in compress(count(), are_held):
        text = texts[i]
        are_held[i] = any(sign in text for sign in _SIGNS) or _BESIDE_A_SIGN.search(text) is not None
    return are_held


def _holding(texts: Sequence[str], *signs: str) -> bytearray:
    """Return a byte for each text: whether it holds one of ``signs``."""
    are_held = bytearray(len(texts))
    in_ascii = [sign for sign in signs if sign.isascii()]
    i: cython.Py_ssize_t
    text: str
    sign: str
    for i in range(len(texts)):
        text = texts[i]
        for sign in in_ascii if text.isascii() else signs:
            if sign in text:
                are_held[i] = True
    return are_held


_SIGNS = ("\xa9", "&copy", "ⓒ", "Ⓒ")
#: A letter in brackets, which also numbers things: it is the copyright sign only beside the word or a year.
_WIDE = "（"
_BESIDE_A_SIGN = re.compile(
    r"（[cｃ]）\s*(?:copyright|[0-9０-９]{4})|(?:copyright|版权所有|版權所有|著作権)\s*（[cｃ]）", re.IGNORECASE
)


def _above_none(_: Thresholds) -> int:
    return 0


def _is(column: Callable[[MeasuredPage], Sequence[int]]) -> Condition:
    """Return the condition that a column is true, or above 0."""
    return Condition(column, ">", _above_none)


_IS_TOO_SHORT = Condition(_length, "<", attrgetter("length_low"))
_IS_LONG_ENOUGH = Condition(_length, "≥", attrgetter("length_low"))
_IS_LONG = Condition(_length, ">", attrgetter("length_high"))
_HAS_MANY_STOPWORDS = Condition(_stopword_density, "≥", attrgetter("stopwords_high"))
_HAS_SOME_STOPWORDS = Condition(_stopword_density, "≥", attrgetter("stopwords_low"))
_IS_NO_TABLE = Condition(_is_table, "<", lambda _: 1)


# Words for more than one rule.


def _short(page: MeasuredPage, i: int, behind: str = "") -> str:
    return f"short ({page.measured.characters[i]} < {page.thresholds.length_low} characters){behind}"


def _stopwords(page: MeasuredPage, i: int) -> str:
    return f"stop-word density {page.measured.stopword_density[i]:.3g}"


def _many_stopwords(page: MeasuredPage, i: int) -> str:
    return f"{_stopwords(page, i)} >= {page.thresholds.stopwords_high:g}"


def _characters(page: MeasuredPage, i: int, compared: str, limit: str) -> str:
    return f"{page.measured.characters[i]} {compared} {getattr(page.thresholds, limit)} characters"


_TOO_MANY_LINKS = Rule(
    (Condition(_link_density, ">", attrgetter("max_link_density")),),
    BAD,
    lambda page, i: f"link density {page.measured.link_density[i]:.3g} > {page.thresholds.max_link_density:g}",
)
_SELECT = Rule((_is(_is_in_select),), BAD, lambda *_: "inside SELECT")
_SHORT_WITH_LINKS = Rule(
    (_IS_TOO_SHORT, _is(_link_characters)), BAD, lambda page, i: _short(page, i, " with link characters")
)
_BY_LENGTH_AND_STOPWORDS = (
    _SHORT_WITH_LINKS,
    Rule((_IS_TOO_SHORT,), SHORT, _short),
    Rule(
        (_HAS_MANY_STOPWORDS, _IS_LONG),
        GOOD,
        lambda page, i: f"{_many_stopwords(page, i)}, {_characters(page, i, '>', 'length_high')}",
    ),
    Rule(
        (_HAS_MANY_STOPWORDS,),
        NEAR_GOOD,
        lambda page, i: f"{_many_stopwords(page, i)}, only {_characters(page, i, '<=', 'length_high')}",
    ),
    Rule(
        (_HAS_SOME_STOPWORDS,), NEAR_GOOD, lambda page, i: f"{_stopwords(page, i)} >= {page.thresholds.stopwords_low:g}"
    ),
    Rule((), BAD, lambda page, i: f"{_stopwords(page, i)} < {page.thresholds.stopwords_low:g}"),
)


def _copyright(column: Callable[[MeasuredPage], Sequence[int]]) -> Rule:
    return Rule((_is(column),), BAD, lambda *_: "copyright sign")


#: The rules of jusText in their order, exactly.
PUBLISHED_RULES = (_TOO_MANY_LINKS, _copyright(_has_sign), _SELECT, *_BY_LENGTH_AND_STOPWORDS)

_IS_NO_LINKED_PROSE = Condition(_is_linked_prose, "<", lambda _: 1)
#: The same on today's web: © is written in other ways, too, and prose that is linked is no menu.
MODERN_RULES = (
    _TOO_MANY_LINKS._replace(conditions=(*_TOO_MANY_LINKS.conditions, _IS_NO_LINKED_PROSE)),
    _copyright(_has_any_sign),
    _SELECT,
    Rule(_TOO_MANY_LINKS.conditions, SHORT, lambda page, i: f"linked prose, {_TOO_MANY_LINKS.words(page, i)}"),
    _SHORT_WITH_LINKS._replace(conditions=(*_SHORT_WITH_LINKS.conditions, _IS_NO_LINKED_PROSE)),
    *_BY_LENGTH_AND_STOPWORDS[1:],
)

#: Those of the Java port: images and headlines first.
JAVA_RULES = (
    Rule((_is(_is_image),), BAD, lambda *_: "image"),
    _TOO_MANY_LINKS,
    _copyright(_has_sign_or_entity),
    Rule((_is(_is_headline),), GOOD, lambda *_: "inside H1"),
    _SELECT,
    *_BY_LENGTH_AND_STOPWORDS,
)

#: Those of code, formulas and tables of data.
KIND_RULES = (
    Rule((_is(_is_treated(KEEP)),), GOOD, lambda page, i: f"{page.kind(i)}, kept"),
    Rule((_is(_is_treated(DROP)),), BAD, lambda page, i: f"{page.kind(i)}, dropped"),
    _TOO_MANY_LINKS,
    _copyright(_has_any_sign),
    Rule((_is(_is_treated(CONTEXT)),), SHORT, MeasuredPage.kind),
    Rule((_is(_is_table), _IS_LONG), GOOD, lambda page, i: f"table, {_characters(page, i, '>', 'length_high')}"),
    Rule(
        (_IS_NO_TABLE, _IS_LONG_ENOUGH),
        GOOD,
        lambda page, i: f"{page.kind(i)}, {_characters(page, i, '>=', 'length_low')}",
    ),
    Rule((_is(_is_table),), NEAR_GOOD, lambda page, i: f"table, only {_characters(page, i, '<=', 'length_high')}"),
    Rule((), NEAR_GOOD, lambda page, i: f"{page.kind(i)}, only {_characters(page, i, '<', 'length_low')}"),
)
