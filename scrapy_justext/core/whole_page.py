"""Passes that look at a page as a whole, after the context pass has made every block GOOD or BAD.

**Fallback** (:func:`fall_back`), before headings are restored: if nothing is GOOD, the block that a trained model finds
most probable becomes GOOD, from ``fallback_probability`` on; unless somebody chose that block's class.

**What stands beside the text** (:func:`drop_beside`) is BAD, however much it reads like prose: what a page says of its
author, its owner, its cookies and its other pages.  The markup tells it; where it is most of the good text, it is the
text.

**Repeated text** (:func:`drop_repeated`): pages hold their text twice, for screens and for phones, or as a teaser above
it.  A GOOD block of :data:`REPEATED_UNITS` or more is BAD if :data:`REPEATED_SHARE` of it are sentences of GOOD blocks
further up.  (Runs of five words find as much, at twenty times the cost.)  Code, formulas and tables of data stay: they
repeat themselves on purpose.

**Headline** (:func:`keep_headline`): the one heading that names the page, :func:`find_headline`.  Collections of
labelled pages differ on whether it is content, and so do those who use them: a parameter decides.  In any case the
paths of headings and Markdown name it.
"""

from __future__ import annotations

from itertools import compress, count
from typing import TYPE_CHECKING

from scrapy_justext.core.blocks import BAD, GOOD, Decision
from scrapy_justext.core.tags import WITHOUT_STOPWORDS
from scrapy_justext.core.unsegmented import units

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_justext.core.blocks import Decisions
    from scrapy_justext.core.context_sensitive import Context

#: The share of the good text that stands beside the text at the most: if there is more, it is the text.
MOST_BESIDE = 2 / 3
#: A repeated block has so many characters or units, about 20 words, or more.
REPEATED_UNITS = 100
#: The share of its characters that must stand in sentences further up.
REPEATED_SHARE = 0.5
#: What is read in place of marks, so that a full stop and a space end each sentence; the marks at the end of a text.
_ENDS = {"!": ".", "?": ".", "؟": ".", "।": ".", "。": ". ", "！": ". ", "？": ". "}
_END_MARKS = " .!?…؟।。！？"

#: The text of a page begins with a good block of so many characters or units, or more.
TEXT_UNITS = 70
#: Characters of a headline, and of a TITLE, at the most.
MOST_IN_HEADLINE, MOST_IN_TITLE = 200, 1000
#: A heading in TITLE is the headline if it is at least this share of TITLE: the rest is often the site's name.
TITLE_SHARE = 0.3


def fall_back(context: Context, decisions: Decisions) -> Decisions:
    """Make the most probable block GOOD where none is, if its probability is high enough."""
    floor = context.thresholds.fallback_probability
    if floor is None or GOOD.code in decisions.classes:
        return decisions
    probabilities = [probability or 0.0 for probability in context.probabilities]
    best = max(range(len(probabilities)), key=probabilities.__getitem__, default=None)
    if best is None or best in context.pinned or probabilities[best] < floor:
        return decisions
    reason = f"probability {probabilities[best]:.3g} >= {floor:g}, the highest of a page without good blocks"
    return decisions.with_rows({best: Decision(GOOD, reason)})


def fell_back(context: Context, decisions: Decisions) -> bool:
    """Return whether :func:`fall_back` made a block GOOD; ``decisions``: those after all passes."""
    own = context.context_free.classes
    if GOOD.code in own:
        return False
    # Only the last of all other passes makes a block GOOD that is BAD by itself.
    headline = find_headline(context, decisions) if context.thresholds.keep_headline else None
    return any(own[i] == BAD.code and i != headline for i in compress(range(len(own)), decisions.are_good))


def drop_beside(context: Context, decisions: Decisions) -> Decisions:
    """Make the good blocks BAD that stand beside the text by their markup; do nothing if they are most of it."""
    if not context.thresholds.drop_beside:
        return decisions
    are_good, texts = decisions.are_good, context.segments.collapsed
    beside = [i for i in compress(count(), context.beside) if are_good[i] and i not in context.pinned]
    if not beside or sum(len(texts[i]) for i in beside) >= sum(map(len, compress(texts, are_good))) * MOST_BESIDE:
        return decisions
    return decisions.moved(beside, BAD, "beside the text")


def drop_repeated(context: Context, decisions: Decisions) -> Decisions:
    """Make GOOD blocks BAD whose text stands further up already."""
    if not context.thresholds.drop_repeated:
        return decisions
    position, texts, known = context.segments.position, context.segments.on_one_line(), set[str]()
    good = [i for i in compress(range(len(texts)), decisions.are_good) if position[i].kind not in WITHOUT_STOPWORDS]
    shares: dict[int, float] = {}
    for i, sentences in zip(good, _sentences([texts[i] for i in good]), strict=True):
        if not known.isdisjoint(sentences) and i not in context.pinned and _is_long(texts[i], REPEATED_UNITS):
            # A text of nothing but the marks that end sentences has none.
            share = sum(map(len, filter(known.__contains__, sentences))) / max(sum(map(len, sentences)), 1)
            if share >= REPEATED_SHARE:
                shares[i] = share
                continue
        known.update(sentences)
    return decisions.moved(shares, BAD, lambda i: f"{shares[i]:.0%} of it stands further up")


def _sentences(texts: Sequence[str]) -> Iterator[list[str]]:
    """Yield the sentences of each text, without the marks that end them.

    >>> list(_sentences(["Why? In 1.5 hours. Now!", "春眠。不覺。"]))
    [['Why', 'In 1.5 hours', 'Now'], ['春眠', '不覺']]
    """
    # Joined, as there are hundreds of them; each is on one line.
    joined = "\n".join(text.rstrip(_END_MARKS) for text in texts)
    for mark, end in _ENDS.items():
        joined = joined.replace(mark, end)
    return (text.split(". ") for text in joined.split("\n")) if texts else iter(())


def _is_long(text: str, least: int) -> bool:
    """Return whether a text has so many characters, or units, which takes longer to find."""
    return len(text) >= least or (not text.isascii() and units(text) >= least)


def keep_headline(context: Context, decisions: Decisions) -> Decisions:
    """Make the page's headline GOOD."""
    headline = find_headline(context, decisions) if context.thresholds.keep_headline else None
    if headline is None or decisions.are_good[headline]:
        return decisions
    return decisions.moved([headline], GOOD, "the page's headline")


def find_headline(context: Context, decisions: Decisions) -> int | None:
    """Return the index of the page's headline; None where it has none.

    It is a heading before the page's text: the longest one that stands in TITLE or that TITLE stands in, and the last
    if some are equally long; else the page's only H1.  A heading that somebody made bad is none.
    """
    levels, of_page = context.segments.of_position("heading_level"), context.segments.headings()
    if context.thresholds.no_headings or not of_page:
        return None
    texts, are_good = context.segments.collapsed, decisions.are_good
    start = _start_of_text(context, are_good, levels)
    headings = [i for i in of_page if i < start and len(texts[i]) <= MOST_IN_HEADLINE]
    headings = [i for i in headings if are_good[i] or i not in context.pinned]
    title = _letters(context.title[:MOST_IN_TITLE])
    shared = [(_common(_letters(texts[i]), title), i) for i in headings]
    in_title = [(length, i) for length, i in shared if length and length >= TITLE_SHARE * len(title)]
    if in_title:
        return max(in_title)[1]
    h1s = [i for i in headings if levels[i] == 1]
    return h1s[0] if len(h1s) == levels.count(1) == 1 else None


def _start_of_text(context: Context, are_good: bytes, levels: Sequence[int]) -> int:
    """Return the index of the block that the page's text begins with: a long good one, else the first; else 0."""
    good = [i for i in compress(range(len(levels)), are_good) if not levels[i]]
    long = (i for i in good if _is_long(context.segments.collapsed[i], TEXT_UNITS))
    return next(long, good[0] if good else 0)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _common(left: str, right: str) -> int:
    """Return the length of the shorter of two texts if it stands in the longer one, else 0."""
    shorter, longer = sorted((left, right), key=len)
    return len(shorter) if shorter in longer else 0
