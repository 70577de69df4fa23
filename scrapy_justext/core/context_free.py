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
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING

from scrapy_justext.core.blocks import BAD, GOOD, NEAR_GOOD, SHORT, Decision, Measurements, Segment, maker
from scrapy_justext.core.parameters import CONTEXT, DROP, KEEP, LENGTH, PROSE
from scrapy_justext.core.tags import CODE, FORMULA, TABLE
from scrapy_justext.core.text import SLICE, in_slices

if TYPE_CHECKING:
    from scrapy_justext.core.parameters import Thresholds

Rule = Callable[["Segment", Measurements, "Thresholds"], "Decision | None"]


#: What is measured of a segment.
_measured = itemgetter(*map(Segment._fields.index, ("collapsed", "link_characters", "link_words", "formulas")))


def measure(segments: Sequence[Segment], stoplist: frozenset[str]) -> list[Measurements]:
    """Measure each segment; ``stoplist`` holds lower-case words."""
    is_stopword = stoplist.__contains__
    rows: list[tuple[int, int, int, float, float]] = []
    for i, (collapsed, link_characters, link_words, formulas) in enumerate(map(_measured, segments)):
        characters = len(collapsed)
        word_count, stopwords = _count(collapsed, is_stopword)
        if not word_count:
            rows.append(NOTHING)
            continue
        # A paragraph with formulas has as many stop words as its words ask for.
        prose, stopwords = _count(segments[i].without_formulas(), is_stopword) if formulas else (word_count, stopwords)
        rows.append((characters, word_count, link_words, link_characters / characters, stopwords / (prose or 1)))
    return list(map(_new_measurements, rows))


def _count(text: str, is_stopword: Callable[[str], bool]) -> tuple[int, int]:
    """Return how many words and stop words a text has."""
    count = stopwords = 0
    for part in (text,) if len(text) <= SLICE else in_slices(text):
        words = part.lower().split()
        count += len(words)
        stopwords += sum(map(is_stopword, words))
    return count, stopwords


_new_measurements = maker(Measurements)

#: The measurements of an image without ALT.
NOTHING = Measurements(0, 0, 0, 0.0, 0.0)


def classify(
    segments: Sequence[Segment], measurements: Sequence[Measurements], thresholds: Thresholds, *, rules: Sequence[Rule]
) -> list[Decision]:
    """Decide on each segment by the first of ``rules`` that applies; the last of them must."""
    decisions: list[Decision] = []
    for segment, measured in zip(segments, measurements, strict=True):
        for rule in rules:
            decision = rule(segment, measured, thresholds)
            if decision is not None:
                decisions.append(decision)
                break
    return decisions


def decide_by_kind(
    decisions: Sequence[Decision],
    segments: Sequence[Segment],
    measurements: Sequence[Measurements],
    thresholds: Thresholds,
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
    for i, segment in enumerate(segments):
        way = ways.get(segment.kind, PROSE)
        if way == KEEP:
            changed[i] = Decision(GOOD, f"{segment.kind}, kept")
        elif way == DROP:
            changed[i] = Decision(BAD, f"{segment.kind}, dropped")
        elif way in (LENGTH, CONTEXT):
            against = too_many_links(segment, measurements[i], thresholds)
            against = against or any_copyright_sign(segment, measurements[i], thresholds)
            alone = _by_length(segment, measurements[i], thresholds) if way == LENGTH else Decision(SHORT, segment.kind)
            changed[i] = against or alone
    return changed


def _by_length(segment: Segment, measurements: Measurements, thresholds: Thresholds) -> Decision:
    """Make a block without stop words GOOD if it is long, else NEAR_GOOD."""
    length, kind = measurements.characters, segment.kind
    low, high = thresholds.length_low, thresholds.length_high
    if kind == TABLE:
        is_long, compared = length > high, f"> {high}" if length > high else f"<= {high}"
    else:
        is_long, compared = length >= low, f">= {low}" if length >= low else f"< {low}"
    if is_long:
        return Decision(GOOD, f"{kind}, {length} {compared} characters")
    return Decision(NEAR_GOOD, f"{kind}, only {length} {compared} characters")


def too_many_links(segment: Segment, measurements: Measurements, thresholds: Thresholds) -> Decision | None:
    """Make a block with a link density above the limit BAD."""
    if measurements.link_density > thresholds.max_link_density:
        return _too_many_links(measurements.link_density, thresholds.max_link_density)
    return None


def copyright_sign(segment: Segment, measurements: Measurements, thresholds: Thresholds) -> Decision | None:
    """Make a block with a copyright sign BAD, also with an entity for it that was not resolved."""
    if "\xa9" in segment.text or "&copy" in segment.text:
        return _COPYRIGHT
    return None


def copyright_entity(segment: Segment, measurements: Measurements, thresholds: Thresholds) -> Decision | None:
    """Make a block with a copyright sign BAD, as the Java port does: an entity counts with its semicolon only."""
    if "\xa9" in segment.text or "&copy;" in segment.text:
        return _COPYRIGHT
    return None


def any_copyright_sign(segment: Segment, measurements: Measurements, thresholds: Thresholds) -> Decision | None:
    """Make a block with a copyright sign BAD, also with one as East Asian pages write it."""
    text = segment.text
    if "&copy" in text:
        return _COPYRIGHT
    if text.isascii():
        return None
    if "\xa9" in text or "ⓒ" in text or "Ⓒ" in text or any(map(_BESIDE_A_SIGN.search, _around_wide_c(text))):
        return _COPYRIGHT
    return None


def _around_wide_c(text: str) -> Iterator[str]:
    """Yield what stands right before and after each c in full-width parentheses."""
    for sign in _WIDE_C.finditer(text):
        yield text[max(sign.start() - 12, 0) : sign.end() + 12]


#: It also numbers things; only beside the word or a year it is the copyright sign.
_WIDE_C = re.compile("（[cCｃＣ]）")
_BESIDE_A_SIGN = re.compile(
    r"（[cｃ]）\s*(?:copyright|[0-9０-９]{4})|(?:copyright|版权所有|版權所有|著作権)\s*（[cｃ]）", re.IGNORECASE
)


def image(segment: Segment, measurements: Measurements, thresholds: Thresholds) -> Decision | None:
    """Make an image BAD."""
    return _IMAGE if segment.image_url is not None else None


def headline(segment: Segment, measurements: Measurements, thresholds: Thresholds) -> Decision | None:
    """Make a block inside H1 GOOD, whatever its length."""
    if segment.heading_level == 1 and not thresholds.no_headlines:
        return _HEADLINE
    return None


def inside_select(segment: Segment, measurements: Measurements, thresholds: Thresholds) -> Decision | None:
    """Make an option of a form BAD."""
    return _SELECT if segment.in_select else None


def too_short(segment: Segment, measurements: Measurements, thresholds: Thresholds) -> Decision | None:
    """Make a block that is too short to be judged BAD if it holds a link, else SHORT."""
    if measurements.characters >= thresholds.length_low:
        return None
    return _too_short(measurements.characters, thresholds.length_low, segment.link_characters > 0)


def many_stopwords(segment: Segment, measurements: Measurements, thresholds: Thresholds) -> Decision | None:
    """Make running text GOOD if it is long, else NEAR_GOOD."""
    if measurements.stopword_density < thresholds.stopwords_high:
        return None
    density = f"stop-word density {measurements.stopword_density:.3g} >= {thresholds.stopwords_high:g}"
    length, high = measurements.characters, thresholds.length_high
    if length > high:
        return Decision(GOOD, f"{density}, {length} > {high} characters")
    return Decision(NEAR_GOOD, f"{density}, only {length} <= {high} characters")


def some_stopwords(segment: Segment, measurements: Measurements, thresholds: Thresholds) -> Decision | None:
    """Make what may be running text NEAR_GOOD."""
    if measurements.stopword_density < thresholds.stopwords_low:
        return None
    compared = f"{measurements.stopword_density:.3g} >= {thresholds.stopwords_low:g}"
    return Decision(NEAR_GOOD, f"stop-word density {compared}")


def few_stopwords(segment: Segment, measurements: Measurements, thresholds: Thresholds) -> Decision | None:
    """Make what is no running text BAD."""
    compared = f"{measurements.stopword_density:.3g} < {thresholds.stopwords_low:g}"
    return Decision(BAD, f"stop-word density {compared}")


# Most blocks of a page are entries of menus, so the same few decisions come again and again.


@lru_cache(maxsize=1024)
def _too_many_links(density: float, limit: float) -> Decision:
    return Decision(BAD, f"link density {density:.3g} > {limit:g}")


@lru_cache(maxsize=1024)
def _too_short(length: int, low: int, has_link: bool) -> Decision:
    short = f"short ({length} < {low} characters)"
    return Decision(BAD, f"{short} with link characters") if has_link else Decision(SHORT, short)


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
