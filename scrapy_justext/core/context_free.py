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
:data:`KIND_RULES`.  By default only their length counts.  Code and formulas are seldom boilerplate: long enough to be
judged by themselves, they are GOOD.  Small tables stand in sidebars, too, as calendars and opening hours do, so a table
is GOOD where running text is.  Where thresholds leave them to their neighbours, they are SHORT, as the published method
has what cannot be judged by itself.  Links and the copyright sign speak against them as against all blocks.

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
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import compress, count
from operator import ge, gt, lt
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.core.blocks import BAD, GOOD, NEAR_GOOD, SHORT, BlockClass, Decisions, Measurements
from scrapy_justext.core.kernel.loading import kernel
from scrapy_justext.core.parameters import CONTEXT, DROP, KEEP, PROSE
from scrapy_justext.core.tags import CODE, FORMULA, TABLE
from scrapy_justext.core.text import SLICE, in_slices

if TYPE_CHECKING:
    from scrapy_justext.core.blocks import BlockTable
    from scrapy_justext.core.kernel.cut import WordCounter
    from scrapy_justext.core.parameters import Thresholds


class MeasuredPage(NamedTuple):
    """What rules look at."""

    segments: BlockTable
    measured: Measurements
    thresholds: Thresholds

    def kind(self, block: int) -> str:
        """Return the kind of a block."""
        return self.segments.position[block].kind


#: Returns those of some blocks, by their indices in order, that a rule applies to.
Condition = Callable[[MeasuredPage, Sequence[int]], Sequence[int]]


class Rule(NamedTuple):
    """A rule: a row of a table."""

    applies: Condition
    block_class: BlockClass
    words: Callable[[MeasuredPage, int], str]
    """Says of a block why it applies."""


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
) -> tuple[list[int], list[int], list[float], list[float]]:
    """Return the texts' lengths, words, link densities and densities of stop words.

    Words stand between white space.  ``link_characters``: how many of each text's characters are in links.
    """
    if kernel().cut is not None:
        return _counter(stoplist).measure(texts, link_characters)
    word_count: list[int] = []
    stopword_density: list[float] = []
    is_stopword = stoplist.__contains__
    for text in texts:
        words = stopwords = 0
        for part in (text,) if len(text) <= SLICE else in_slices(text):
            found = part.lower().split()
            words += len(found)
            stopwords += sum(map(is_stopword, found))
        word_count.append(words)
        stopword_density.append(stopwords / words if stopwords else 0.0)
    characters = list(map(len, texts))
    # An image without ALT has no characters.
    pairs = zip(link_characters, characters, strict=True)
    link_density = [linked / length if linked else 0.0 for linked, length in pairs]
    return characters, word_count, link_density, stopword_density


@lru_cache(maxsize=64)
def _counter(stoplist: frozenset[str]) -> WordCounter:
    module = kernel().cut
    assert module is not None
    counter: WordCounter = module.WordCounter(stoplist)
    return counter


def classify(
    segments: BlockTable, measured: Measurements, thresholds: Thresholds, *, rules: Sequence[Rule]
) -> Decisions:
    """Decide on each block by the first of ``rules`` that applies; the last of them must."""
    page = MeasuredPage(segments, measured, thresholds)
    deciding = _first_that_apply(rules, page, range(len(segments)))
    classes = deciding.translate(bytes([rule.block_class.code for rule in rules]).ljust(256))
    return Decisions.of_columns(classes, lambda: [rules[number].words(page, i) for i, number in enumerate(deciding)])


# Those of profiles have names, by which they go to other processes.


def classify_as_published(segments: BlockTable, measured: Measurements, thresholds: Thresholds) -> Decisions:
    """Decide by :data:`PUBLISHED_RULES`."""
    return classify(segments, measured, thresholds, rules=PUBLISHED_RULES)


def classify_modern(segments: BlockTable, measured: Measurements, thresholds: Thresholds) -> Decisions:
    """Decide by :data:`MODERN_RULES`."""
    return classify(segments, measured, thresholds, rules=MODERN_RULES)


def classify_as_java(segments: BlockTable, measured: Measurements, thresholds: Thresholds) -> Decisions:
    """Decide by :data:`JAVA_RULES`."""
    return classify(segments, measured, thresholds, rules=JAVA_RULES)


def _first_that_apply(rules: Sequence[Rule], page: MeasuredPage, open_: Sequence[int]) -> bytearray:
    """Return for each block the number of the first rule that applies, which are asked for those that are ``open_``."""
    deciding = bytearray([_OPEN if len(open_) == len(page.segments) else _NOBODY_ASKS]) * len(page.segments)
    for i in open_ if len(open_) < len(deciding) else ():
        deciding[i] = _OPEN
    for number, rule in enumerate(rules):
        found = rule.applies(page, open_)
        for i in found:
            deciding[i] = number
        if found:
            open_ = _those_open(deciding)
    return deciding


def _those_open(deciding: bytearray) -> list[int]:
    """Return the indices of the blocks that no rule has applied to yet."""
    module = kernel().cut
    if module is not None:
        found: list[int] = module.places_of(deciding, _OPEN)
        return found
    return list(compress(count(), deciding.translate(_ARE_OPEN)))


#: In place of the number of a rule: that no rule has applied yet, and that none is asked.
_OPEN, _NOBODY_ASKS = 255, 254
_ARE_OPEN = bytes(number == _OPEN for number in range(256))


def decide_by_kind(
    decisions: Decisions, segments: BlockTable, measured: Callable[[], Measurements], thresholds: Thresholds
) -> Decisions:
    """Return other decisions for code, formulas and tables, unless ``thresholds`` have them judged like prose.

    ``measured``: returns the measurements.
    """
    kinds = {kind for kind, way in _ways(thresholds).items() if way != PROSE}
    if not kinds or kinds.isdisjoint(of_blocks := segments.of_position("kind")):
        return decisions
    judged = [i for i, kind in enumerate(of_blocks) if kind in kinds]
    page = MeasuredPage(segments, measured(), thresholds)
    deciding = _first_that_apply(KIND_RULES, page, judged)
    classes = bytearray(decisions.classes)
    for i in judged:
        classes[i] = KIND_RULES[deciding[i]].block_class.code

    def change(reasons: list[str]) -> None:
        for i in judged:
            reasons[i] = KIND_RULES[deciding[i]].words(page, i)

    return decisions.changed(classes, change)


def _ways(thresholds: Thresholds) -> dict[str, str]:
    """Return by kind how it is judged."""
    return {CODE: thresholds.code, FORMULA: thresholds.formulas, TABLE: thresholds.tables}


def _compared(
    column: Sequence[float], is_so: Callable[[float, float], bool], limit: float, open_: Sequence[int]
) -> Sequence[int]:
    """Return those blocks among the ``open_`` whose number in a column is above a limit, or at least, or below it.

    ``is_so``: ``gt``, ``ge`` or ``lt`` of :mod:`operator`.
    """
    module = kernel().cut
    if module is not None:
        found: list[int] = module.compared(column, is_so.__name__, limit, open_)
        return found
    return [i for i in open_ if is_so(column[i], limit)]


# The conditions, in the order of the tables.


def _is_treated(way: str) -> Condition:
    def applies(page: MeasuredPage, open_: Sequence[int]) -> list[int]:
        ways = _ways(page.thresholds)
        return [i for i in open_ if ways[page.kind(i)] == way]

    return applies


def image(page: MeasuredPage, open_: Sequence[int]) -> list[int]:
    """Find images."""
    is_open = set(open_)
    extras = page.segments.extras
    return sorted(i for i, extra in extras.items() if extra.image_url is not None and i in is_open)


def too_many_links(page: MeasuredPage, open_: Sequence[int]) -> Sequence[int]:
    """Find blocks with a link density above the limit."""
    return _compared(page.measured.link_density, gt, page.thresholds.max_link_density, open_)


def copyright_sign(page: MeasuredPage, open_: Sequence[int]) -> Sequence[int]:
    """Find blocks with a copyright sign, also with an entity for it that was not resolved."""
    return _holding(page, open_, "\xa9", "&copy")


def copyright_entity(page: MeasuredPage, open_: Sequence[int]) -> Sequence[int]:
    """Find blocks with a copyright sign, as the Java port does: an entity counts with its semicolon only."""
    return _holding(page, open_, "\xa9", "&copy;")


def any_copyright_sign(page: MeasuredPage, open_: Sequence[int]) -> Sequence[int]:
    """Find blocks with a copyright sign, also with one as East Asian pages write it."""
    texts = page.segments.collapsed
    return [
        i
        for i in _holding(page, open_, *_SIGNS, *_WIDE_CS)
        if any(sign in texts[i] for sign in _SIGNS) or _BESIDE_A_SIGN.search(texts[i])
    ]


def _holding(page: MeasuredPage, open_: Sequence[int], *signs: str) -> Sequence[int]:
    """Return the indices of the texts that hold one of ``signs``."""
    if not open_:
        return ()
    texts, module = page.segments.collapsed, kernel().cut
    if module is not None:
        # Most do not even hold the first character of one.
        begun = module.holding_any(texts, "".join({sign[0] for sign in signs}))
    else:
        # Most pages hold none of them: a search in all texts is quicker than one in each, first for a character.
        whole = "\n".join(texts)
        signs = tuple(sign for sign in signs if sign[0] in whole and sign in whole)
        begun = range(len(texts)) if signs else ()
    held = {i for i in begun if any(sign in texts[i] for sign in signs)}
    return [i for i in open_ if i in held] if held else ()


_SIGNS = ("\xa9", "&copy", "ⓒ", "Ⓒ")
#: It also numbers things; only beside the word or a year it is the copyright sign.
_WIDE_CS = ("（c）", "（C）", "（ｃ）", "（Ｃ）")
_BESIDE_A_SIGN = re.compile(
    r"（[cｃ]）\s*(?:copyright|[0-9０-９]{4})|(?:copyright|版权所有|版權所有|著作権)\s*（[cｃ]）", re.IGNORECASE
)


def headline(page: MeasuredPage, open_: Sequence[int]) -> Sequence[int]:
    """Find blocks inside H1, whatever their length."""
    position = page.segments.position
    return () if page.thresholds.no_headlines else [i for i in open_ if position[i].heading_level == 1]


def inside_select(page: MeasuredPage, open_: Sequence[int]) -> list[int]:
    """Find options of forms."""
    are_inside = page.segments.of_position("in_select")
    return [i for i in open_ if are_inside[i]] if True in are_inside else []


def too_short_with_link(page: MeasuredPage, open_: Sequence[int]) -> list[int]:
    """Find blocks that hold a link and are too short to be judged."""
    linked = page.segments.link_characters
    return [i for i in too_short(page, open_) if linked[i]]


def too_short(page: MeasuredPage, open_: Sequence[int]) -> Sequence[int]:
    """Find blocks that are too short to be judged."""
    return _compared(page.measured.characters, lt, page.thresholds.length_low, open_)


def many_stopwords_and_long(page: MeasuredPage, open_: Sequence[int]) -> Sequence[int]:
    """Find running text that is long."""
    return _compared(page.measured.characters, gt, page.thresholds.length_high, many_stopwords(page, open_))


def many_stopwords(page: MeasuredPage, open_: Sequence[int]) -> Sequence[int]:
    """Find running text."""
    return _compared(page.measured.stopword_density, ge, page.thresholds.stopwords_high, open_)


def some_stopwords(page: MeasuredPage, open_: Sequence[int]) -> Sequence[int]:
    """Find what may be running text."""
    return _compared(page.measured.stopword_density, ge, page.thresholds.stopwords_low, open_)


def _long_table(page: MeasuredPage, open_: Sequence[int]) -> Sequence[int]:
    return _compared(page.measured.characters, gt, page.thresholds.length_high, _table(page, open_))


def _table(page: MeasuredPage, open_: Sequence[int]) -> list[int]:
    return [i for i in open_ if page.kind(i) == TABLE]


def _long_enough(page: MeasuredPage, open_: Sequence[int]) -> list[int]:
    long_enough = _compared(page.measured.characters, ge, page.thresholds.length_low, open_)
    return [i for i in long_enough if page.kind(i) != TABLE]


def anything(page: MeasuredPage, open_: Sequence[int]) -> Sequence[int]:
    """Find all blocks that no other rule applies to."""
    return open_


# Words for more than one rule.


# Most blocks of a page are entries of menus, so the same few come again and again.


@lru_cache(maxsize=1024)
def _linked_words(density: float, limit: float) -> str:
    return f"link density {density:.3g} > {limit:g}"


@lru_cache(maxsize=1024)
def _short_words(length: int, low: int, behind: str) -> str:
    return f"short ({length} < {low} characters){behind}"


def _short(page: MeasuredPage, i: int, behind: str = "") -> str:
    return _short_words(page.measured.characters[i], page.thresholds.length_low, behind)


def _stopwords(page: MeasuredPage, i: int) -> str:
    return f"stop-word density {page.measured.stopword_density[i]:.3g}"


def _many_stopwords(page: MeasuredPage, i: int) -> str:
    return f"{_stopwords(page, i)} >= {page.thresholds.stopwords_high:g}"


def _characters(page: MeasuredPage, i: int, compared: str, limit: str) -> str:
    return f"{page.measured.characters[i]} {compared} {getattr(page.thresholds, limit)} characters"


_TOO_MANY_LINKS = Rule(
    too_many_links, BAD, lambda page, i: _linked_words(page.measured.link_density[i], page.thresholds.max_link_density)
)
_SELECT = Rule(inside_select, BAD, lambda *_: "inside SELECT")
_BY_LENGTH_AND_STOPWORDS = (
    Rule(too_short_with_link, BAD, lambda page, i: _short(page, i, " with link characters")),
    Rule(too_short, SHORT, _short),
    Rule(
        many_stopwords_and_long,
        GOOD,
        lambda page, i: f"{_many_stopwords(page, i)}, {_characters(page, i, '>', 'length_high')}",
    ),
    Rule(
        many_stopwords,
        NEAR_GOOD,
        lambda page, i: f"{_many_stopwords(page, i)}, only {_characters(page, i, '<=', 'length_high')}",
    ),
    Rule(some_stopwords, NEAR_GOOD, lambda page, i: f"{_stopwords(page, i)} >= {page.thresholds.stopwords_low:g}"),
    Rule(anything, BAD, lambda page, i: f"{_stopwords(page, i)} < {page.thresholds.stopwords_low:g}"),
)


def _copyright(condition: Condition) -> Rule:
    return Rule(condition, BAD, lambda *_: "copyright sign")


#: The rules of jusText in their order, exactly.
PUBLISHED_RULES = (_TOO_MANY_LINKS, _copyright(copyright_sign), _SELECT, *_BY_LENGTH_AND_STOPWORDS)

#: The same on today's web: © is written in other ways, too.
MODERN_RULES = (_TOO_MANY_LINKS, _copyright(any_copyright_sign), _SELECT, *_BY_LENGTH_AND_STOPWORDS)

#: Those of the Java port: images and headlines first.
JAVA_RULES = (
    Rule(image, BAD, lambda *_: "image"),
    _TOO_MANY_LINKS,
    _copyright(copyright_entity),
    Rule(headline, GOOD, lambda *_: "inside H1"),
    _SELECT,
    *_BY_LENGTH_AND_STOPWORDS,
)

#: Those of code, formulas and tables of data.
KIND_RULES = (
    Rule(_is_treated(KEEP), GOOD, lambda page, i: f"{page.kind(i)}, kept"),
    Rule(_is_treated(DROP), BAD, lambda page, i: f"{page.kind(i)}, dropped"),
    _TOO_MANY_LINKS,
    _copyright(any_copyright_sign),
    Rule(_is_treated(CONTEXT), SHORT, MeasuredPage.kind),
    Rule(_long_table, GOOD, lambda page, i: f"table, {_characters(page, i, '>', 'length_high')}"),
    Rule(_long_enough, GOOD, lambda page, i: f"{page.kind(i)}, {_characters(page, i, '>=', 'length_low')}"),
    Rule(_table, NEAR_GOOD, lambda page, i: f"table, only {_characters(page, i, '<=', 'length_high')}"),
    Rule(anything, NEAR_GOOD, lambda page, i: f"{page.kind(i)}, only {_characters(page, i, '<', 'length_low')}"),
)
