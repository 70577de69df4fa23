"""Context-free classification: decide on each block by its own text.

These are the rules of the jusText page of the NLP Centre, Masaryk University, in its order.  The first
rule that applies decides.  The page prints ``>`` where densities are compared; both published codes use
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
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol, cast

from scrapy_justext.core.blocks import BAD, GOOD, NEAR_GOOD, SHORT, Decision, Measurements, Reason, new_decision
from scrapy_justext.core.kernel.loading import kernel
from scrapy_justext.core.parameters import CONTEXT, DROP, KEEP, LENGTH
from scrapy_justext.core.tags import CODE, FORMULA, TABLE
from scrapy_justext.core.text import SLICE, in_slices

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scrapy_justext.core.blocks import BlockTable
    from scrapy_justext.core.kernel.cut import WordCounter
    from scrapy_justext.core.parameters import Thresholds


class Rule(Protocol):
    """A rule: it decides on those of the blocks ``open_``, by their indices, that it applies to."""

    def __call__(
        self, segments: BlockTable, measured: Measurements, thresholds: Thresholds, open_: Sequence[int]
    ) -> Mapping[int, Decision]:
        """Return the decisions by the indices of their blocks."""


def measure(segments: BlockTable, stoplist: frozenset[str]) -> Measurements:
    """Measure the blocks; ``stoplist`` holds lower-case words."""
    word_count, stopwords = count_words(segments.collapsed, stoplist)
    prose = word_count
    if with_formulas := [i for i, extras in segments.extras.items() if extras.formulas]:
        # A paragraph with formulas has as many stop words as its words ask for.
        prose, stopwords = word_count[:], stopwords[:]
        counts = count_words([segments[i].without_formulas() for i in with_formulas], stoplist)
        for i, words, stop in zip(with_formulas, *counts, strict=True):
            prose[i], stopwords[i] = words, stop
    characters = list(map(len, segments.collapsed))
    # An image without ALT has no characters.
    pairs = zip(segments.link_characters, characters, strict=True)
    link_density = [linked / length if length else 0.0 for linked, length in pairs]
    stopword_density = [count / words if words else 0.0 for count, words in zip(stopwords, prose, strict=True)]
    return Measurements(characters, word_count, segments.link_words, link_density, stopword_density)


def count_words(texts: Sequence[str], stoplist: frozenset[str]) -> tuple[list[int], list[int]]:
    """Return how many words and stop words the texts have, each of which has its words between white space."""
    if kernel().cut is not None:
        return _counter(stoplist).count(texts)
    word_counts, stopword_counts = [], []
    is_stopword = stoplist.__contains__
    for text in texts:
        words = stopwords = 0
        for part in (text,) if len(text) <= SLICE else in_slices(text):
            found = part.lower().split()
            words += len(found)
            stopwords += sum(map(is_stopword, found))
        word_counts.append(words)
        stopword_counts.append(stopwords)
    return word_counts, stopword_counts


@lru_cache(maxsize=64)
def _counter(stoplist: frozenset[str]) -> WordCounter:
    module = kernel().cut
    assert module is not None
    counter: WordCounter = module.WordCounter(stoplist)
    return counter


def classify(
    segments: BlockTable, measured: Measurements, thresholds: Thresholds, *, rules: Sequence[Rule]
) -> list[Decision]:
    """Decide on each block by the first of ``rules`` that applies; the last of them must."""
    decisions: list[Decision | None] = [None] * len(segments)
    open_: Sequence[int] = range(len(segments))
    for rule in rules:
        if decided := rule(segments, measured, thresholds, open_):
            for i, decision in decided.items():
                decisions[i] = decision
            open_ = [i for i in open_ if i not in decided]
    return cast("list[Decision]", decisions)


def decide_by_kind(
    decisions: Sequence[Decision], segments: BlockTable, measured: Measurements, thresholds: Thresholds
) -> Sequence[Decision]:
    """Return other decisions for code, formulas and tables, which have few stop words wherever they stand.

    By default only their length counts.  Code and formulas are seldom boilerplate: long enough to be judged by itself
    (``length_low``), they are GOOD.  Small tables stand in sidebars, too, as calendars and opening hours do, so a table
    is GOOD where running text is, above ``length_high``.  What is shorter is NEAR_GOOD.  Where ``thresholds`` leave
    them to their neighbours, they are SHORT, as the published method has what cannot be judged by itself.  Links and
    the copyright sign speak against them as against all blocks.
    """
    ways = {CODE: thresholds.code, FORMULA: thresholds.formulas, TABLE: thresholds.tables}
    changed = list(decisions)
    judged = []
    kinds = segments.of_position("kind")
    for i, kind in [(i, kind) for i, kind in enumerate(kinds) if kind in ways]:
        way = ways[kind]
        if way == KEEP:
            changed[i] = Decision(GOOD, f"{kind}, kept")
        elif way == DROP:
            changed[i] = Decision(BAD, f"{kind}, dropped")
        elif way in (LENGTH, CONTEXT):
            judged.append(i)
            alone = _by_length(kind, measured.characters[i], thresholds) if way == LENGTH else Decision(SHORT, kind)
            changed[i] = alone
    for rule in (any_copyright_sign, too_many_links):
        for i, against in rule(segments, measured, thresholds, judged).items():
            changed[i] = against
    return changed


def _by_length(kind: str, length: int, thresholds: Thresholds) -> Decision:
    """Make a block without stop words GOOD if it is long, else NEAR_GOOD."""
    low, high = thresholds.length_low, thresholds.length_high
    if kind == TABLE:
        is_long, compared = length > high, f"> {high}" if length > high else f"<= {high}"
    else:
        is_long, compared = length >= low, f">= {low}" if length >= low else f"< {low}"
    if is_long:
        return Decision(GOOD, f"{kind}, {length} {compared} characters")
    return Decision(NEAR_GOOD, f"{kind}, only {length} {compared} characters")


def too_many_links(
    segments: BlockTable, measured: Measurements, thresholds: Thresholds, open_: Sequence[int]
) -> Mapping[int, Decision]:
    """Make blocks with a link density above the limit BAD."""
    density, limit = measured.link_density, thresholds.max_link_density
    return {i: _too_many_links(density[i], limit) for i in open_ if density[i] > limit}


def copyright_sign(
    segments: BlockTable, measured: Measurements, thresholds: Thresholds, open_: Sequence[int]
) -> Mapping[int, Decision]:
    """Make blocks with a copyright sign BAD, also with an entity for it that was not resolved."""
    return dict.fromkeys(_holding(segments.collapsed, open_, "\xa9", "&copy"), _COPYRIGHT)


def copyright_entity(
    segments: BlockTable, measured: Measurements, thresholds: Thresholds, open_: Sequence[int]
) -> Mapping[int, Decision]:
    """Make blocks with a copyright sign BAD, as the Java port does: an entity counts with its semicolon only."""
    return dict.fromkeys(_holding(segments.collapsed, open_, "\xa9", "&copy;"), _COPYRIGHT)


def any_copyright_sign(
    segments: BlockTable, measured: Measurements, thresholds: Thresholds, open_: Sequence[int]
) -> Mapping[int, Decision]:
    """Make blocks with a copyright sign BAD, also with one as East Asian pages write it."""
    texts = segments.collapsed
    found = [
        *_holding(texts, open_, "\xa9", "&copy", "ⓒ", "Ⓒ"),
        *(i for i in _holding(texts, open_, *_WIDE_CS) if _BESIDE_A_SIGN.search(texts[i])),
    ]
    return dict.fromkeys(found, _COPYRIGHT)


def _holding(texts: Sequence[str], open_: Sequence[int], *signs: str) -> set[int]:
    """Return the indices of the texts that hold one of ``signs``."""
    if not open_:
        return set()
    # Most pages hold none of them: one search for a character in all texts is quicker than one in each.
    page = "\n".join(texts)
    found: set[int] = set()
    for sign in signs:
        if sign[0] in page:
            found.update([i for i in open_ if sign in texts[i]])
    return found


#: It also numbers things; only beside the word or a year it is the copyright sign.
_WIDE_CS = ("（c）", "（C）", "（ｃ）", "（Ｃ）")
_BESIDE_A_SIGN = re.compile(
    r"（[cｃ]）\s*(?:copyright|[0-9０-９]{4})|(?:copyright|版权所有|版權所有|著作権)\s*（[cｃ]）", re.IGNORECASE
)


def image(
    segments: BlockTable, measured: Measurements, thresholds: Thresholds, open_: Sequence[int]
) -> Mapping[int, Decision]:
    """Make images BAD."""
    images = {i for i, extras in segments.extras.items() if extras.image_url is not None}
    return dict.fromkeys(images.intersection(open_), _IMAGE)


def headline(
    segments: BlockTable, measured: Measurements, thresholds: Thresholds, open_: Sequence[int]
) -> Mapping[int, Decision]:
    """Make blocks inside H1 GOOD, whatever their length."""
    if thresholds.no_headlines:
        return {}
    position = segments.position
    return {i: _HEADLINE for i in open_ if position[i].heading_level == 1}


def inside_select(
    segments: BlockTable, measured: Measurements, thresholds: Thresholds, open_: Sequence[int]
) -> Mapping[int, Decision]:
    """Make options of forms BAD."""
    position = segments.position
    return {i: _SELECT for i in open_ if position[i].in_select}


def too_short(
    segments: BlockTable, measured: Measurements, thresholds: Thresholds, open_: Sequence[int]
) -> Mapping[int, Decision]:
    """Make blocks that are too short to be judged BAD if they hold a link, else SHORT."""
    length, low, linked = measured.characters, thresholds.length_low, segments.link_characters
    return {i: _too_short(length[i], low, linked[i] > 0) for i in open_ if length[i] < low}


def many_stopwords(
    segments: BlockTable, measured: Measurements, thresholds: Thresholds, open_: Sequence[int]
) -> Mapping[int, Decision]:
    """Make running text GOOD if it is long, else NEAR_GOOD."""
    density, length = measured.stopword_density, measured.characters
    least, high = thresholds.stopwords_high, thresholds.length_high
    decisions = {}
    for i in open_:
        if density[i] >= least:
            block_class, form = (GOOD, _LONG) if length[i] > high else (NEAR_GOOD, _NOT_LONG)
            decisions[i] = new_decision((block_class, Reason((form, density[i], least, length[i], high)), None))
    return decisions


_LONG = "stop-word density {:.3g} >= {:g}, {} > {} characters"
_NOT_LONG = "stop-word density {:.3g} >= {:g}, only {} <= {} characters"


def some_stopwords(
    segments: BlockTable, measured: Measurements, thresholds: Thresholds, open_: Sequence[int]
) -> Mapping[int, Decision]:
    """Make what may be running text NEAR_GOOD."""
    density, low = measured.stopword_density, thresholds.stopwords_low
    return {
        i: new_decision((NEAR_GOOD, Reason(("stop-word density {:.3g} >= {:g}", density[i], low)), None))
        for i in open_
        if density[i] >= low
    }


def few_stopwords(
    segments: BlockTable, measured: Measurements, thresholds: Thresholds, open_: Sequence[int]
) -> Mapping[int, Decision]:
    """Make what is no running text BAD."""
    density, low = measured.stopword_density, thresholds.stopwords_low
    return {i: new_decision((BAD, Reason(("stop-word density {:.3g} < {:g}", density[i], low)), None)) for i in open_}


# Most blocks of a page are entries of menus, so the same few decisions come again and again.


@lru_cache(maxsize=1024)
def _too_many_links(density: float, limit: float) -> Decision:
    return Decision(BAD, Reason(("link density {:.3g} > {:g}", density, limit)))


@lru_cache(maxsize=1024)
def _too_short(length: int, low: int, has_link: bool) -> Decision:
    short = Reason(("short ({} < {} characters)", length, low))
    return Decision(BAD, Reason(("{} with link characters", short))) if has_link else Decision(SHORT, short)


_COPYRIGHT = Decision(BAD, "copyright sign")
_SELECT = Decision(BAD, "inside SELECT")
_IMAGE = Decision(BAD, "image")
_HEADLINE = Decision(GOOD, "inside H1")

#: The rules of jusText in their order, exactly.
PUBLISHED_RULES: tuple[Rule, ...] = (
    too_many_links,
    copyright_sign,
    inside_select,
    too_short,
    many_stopwords,
    some_stopwords,
    few_stopwords,
)

#: The same on today's web: © is written in other ways, too.
MODERN_RULES: tuple[Rule, ...] = (too_many_links, any_copyright_sign, *PUBLISHED_RULES[2:])

#: Those of the Java port: images and headlines first.
JAVA_RULES: tuple[Rule, ...] = (
    image,
    too_many_links,
    copyright_entity,
    headline,
    inside_select,
    too_short,
    many_stopwords,
    some_stopwords,
    few_stopwords,
)
