"""Context-sensitive classification: decide on blocks by their neighbours and their position in the tree.

A pass takes the decisions so far and returns new ones.  A profile lists its passes in their order.

**Headings** are too short to be judged by themselves.

* :func:`promote`, before the context pass: a SHORT heading with a GOOD block not far ahead becomes NEAR_GOOD.  It looks
  at context-free classes, so one heading never promotes another.
* :func:`promote_images`, after :func:`promote`: an image with a GOOD block not far ahead becomes NEAR_GOOD, in the Java
  port.
* :func:`restore`, after the context pass: a heading becomes GOOD if only the context made it BAD, and a GOOD block is
  not far ahead.  It looks at the classes that the context pass left, so headings made GOOD here promote no others.

The distance is the summed length of the blocks in between; a distance of ``max_heading_distance`` is near enough.  In
the reference :func:`promote` has no effect (issue 45 of miso-belica/jusText).  The Java port also restores headings
whose own text was BAD.  The page that describes it forbids that, and we follow the page.

**Context** (:func:`resolve`): the neighbours decide on SHORT and NEAR_GOOD blocks.  Each run of such blocks lies
between two blocks that are GOOD or BAD; the edges of the page count as BAD.

* Between two GOOD: all GOOD.
* Between two BAD: all BAD.
* Between a GOOD and a BAD one: the NEAR_GOOD block nearest to the BAD side is the border.  It is GOOD, and so is all
  from it to the GOOD side.  All between it and the BAD side is BAD.  Without a NEAR_GOOD block, all is BAD.

GOOD and BAD never change here.  The reference scans outwards from every block, which is quadratic; here every block is
looked at once.

**Short paragraphs**, before the context pass: pages of them have no block that is GOOD by itself.

* :func:`join`: a SHORT block beside a NEAR_GOOD or GOOD one of the same element, parted from it by BRs, is NEAR_GOOD.
* :func:`keep_runs`: the NEAR_GOOD blocks of a run are GOOD if they have ``good_run`` characters together; BAD ones of
  a word or two end no run.

**What leads to a block** (:func:`lead`), at the end: an enumerator that is a block takes the class of what follows.
The CAPTION of a GOOD table of data is GOOD.  A question in a BUTTON, DT or SUMMARY is GOOD right before a GOOD block.
So is, if a trained model was in doubt of it, a heading, any DT or SUMMARY, any question, and the title of a numbered
text.  If a model was in doubt of a question in these elements and of its answer, :func:`keep_answers` keeps both.

**Long tables of data** (:func:`keep_tables`) are GOOD where a trained model is in doubt: to lose one is to lose much.

**The HTML-tree filter** (:func:`select`): the good blocks of an article are generally siblings.  From
Viveros-Jiménez and others, "Improving the Boilerpipe Algorithm for Boilerplate Removal in News Articles Using HTML Tree
Structure" (Computación y Sistemas 22, 2018), for news in Spanish and English.

1. A block's paragraph is the closest element of :data:`~scrapy_justext.core.tags.PARAGRAPHS` around its text, even if
   that element holds other paragraphs (text directly in a DIV beside a P).
2. GOOD blocks whose paragraphs share their n-th ancestor, n = ``tree_depth``, are a group.  Where a paragraph has fewer
   ancestors, the root stands for the n-th.
3. Code, formulas and tables of data belong to the group of the GOOD text before them, if there is any: highlighters and
   style sheets put elements around them that no paragraph has.  The paper is about news, which have none.
4. The group with the most characters stays, the first on a tie; the blocks of the others become BAD.

It trades recall for precision on pages with one article; it is not for forums or lists.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress, count
from math import inf
from operator import eq
from typing import TYPE_CHECKING

from scrapy_justext.core.blocks import BAD, GOOD, NEAR_GOOD, SHORT, BlockClass, Decisions
from scrapy_justext.core.tags import PARAGRAPHS, TABLE, WITHOUT_STOPWORDS
from scrapy_justext.core.text import is_enumerator, is_question

if TYPE_CHECKING:
    from scrapy_justext.core.blocks import BlockTable, Decision
    from scrapy_justext.core.parameters import Thresholds
    from scrapy_justext.core.reading.flow import Flow

#: Characters of a block that ends no run, at the most.
_BETWEEN_POSTS = 16
#: The least probability of headings that stand before good text, and of long tables of data; that of questions.
_DOUBTFUL, _OF_QUESTION = 0.3, 0.2
#: Elements that name the text behind them, as headings do; elements with questions whose answers a click shows.
_NAMING = frozenset(["dt", "summary"])
_ASKING = _NAMING | {"button"}
#: The least characters of a long table, and its highest share of links.
_LONG_TABLE, _MOST_LINKS = 600, 0.9
_GOOD, _NEAR_GOOD, _SHORT, _BAD = GOOD.code, NEAR_GOOD.code, SHORT.code, BAD.code
_UNDECIDED_BAD = bytes.maketrans(bytes((_NEAR_GOOD, _SHORT)), bytes((_BAD, _BAD)))
_UNDECIDED = re.compile(b"[%c%c]+" % (_NEAR_GOOD, _SHORT))
_SHORTS = bytes((_SHORT,))
_JUDGED = (_GOOD, _NEAR_GOOD)
_ALIKE = re.compile(b"%c+|[^%c]+" % (_GOOD, _GOOD))


@dataclass(frozen=True, slots=True)
class Context:
    """A page as the passes see it: plain data, from which they can be run again."""

    segments: BlockTable
    context_free: Decisions
    """The classes by the blocks' own texts, or those that somebody chose."""
    thresholds: Thresholds
    pinned: frozenset[int] = frozenset()
    """The indices of the blocks whose class somebody chose; no pass may change it."""
    groups: Sequence[int] | None = None
    """For each block the number of its group in the tree filter; None where that is not asked for."""
    probabilities: Sequence[float | None] = ()
    """What a trained model gives each block; None for all where there is none."""
    title: str = ""
    """The TITLE's text."""
    beside: bytes = b""
    """For each block 1 if it stands beside the text by its markup, else 0."""

    def with_decisions(self, decisions: Mapping[int, Decision]) -> Context:
        """Return the same page with other decisions for some blocks; those that are pinned already stay."""
        if not decisions:
            return self
        context_free = self.context_free.with_rows({i: new for i, new in decisions.items() if i not in self.pinned})
        return replace(self, context_free=context_free, pinned=self.pinned.union(decisions))

    def pass_through(self, passes: Sequence[Pass]) -> Decisions:
        """Return the decisions that the passes leave."""
        decisions = self.context_free
        for apply in passes:
            decisions = apply(self, decisions)
        return decisions


#: The page and the decisions so far -> decisions.
Pass = Callable[[Context, Decisions], Decisions]

#: Characters of a heading in a path; a longer one is cut, since every block below it carries it.
MOST_IN_PATH = 160


def promote(context: Context, decisions: Decisions) -> Decisions:
    """Make SHORT headings before a GOOD block NEAR_GOOD."""
    classes = decisions.classes
    headings = [i for i in _headings(context) if classes[i] == _SHORT]
    return rescue(headings, NEAR_GOOD, "heading", context, decisions)


def restore(context: Context, decisions: Decisions) -> Decisions:
    """Make headings GOOD that only their context made BAD, and that have a GOOD block near enough ahead."""
    classes, own = decisions.classes, context.context_free.classes
    headings = [i for i in _headings(context) if classes[i] == _BAD != own[i]]
    return rescue(headings, GOOD, "heading", context, decisions)


def promote_images(context: Context, decisions: Decisions) -> Decisions:
    """Make images before a GOOD block NEAR_GOOD, headings or not; do nothing without ``rescue_images``."""
    if not context.thresholds.rescue_images:
        return decisions
    images = [i for i, extras in context.segments.extras.items() if extras.image_url is not None]
    images = [i for i in images if i not in context.pinned]
    return rescue(images, NEAR_GOOD, "image", context, decisions)


def join(context: Context, decisions: Decisions) -> Decisions:
    """Make SHORT blocks NEAR_GOOD that stand in one element with a block beside them that is judged by its words."""
    classes, elements = decisions.classes, context.segments.element
    joined: set[int] = set()
    # Few elements have more than one block.
    pairs = [(i, i + 1) for i in compress(count(), map(eq, elements, elements[1:]))]
    for judged, beside in (*pairs, *((right, left) for left, right in reversed(pairs))):
        if classes[beside] == _SHORT and (classes[judged] in _JUDGED or judged in joined):
            joined.add(beside)
    return decisions.moved(joined, NEAR_GOOD, "beside longer text of its element")


def keep_runs(context: Context, decisions: Decisions) -> Decisions:
    """Make the NEAR_GOOD blocks of a run GOOD that have ``good_run`` characters together; do nothing if that is 0.

    BAD blocks of few characters end no run: they may be times, names or links between posts.  Headings count for
    nothing.
    """
    least, texts, classes = context.thresholds.good_run, context.segments.collapsed, decisions.classes
    if not least or _NEAR_GOOD not in classes:
        return decisions
    headings = {*context.segments.headings()}
    kept: dict[int, int] = {}
    run: list[int] = []
    length = 0
    for i, block_class in enumerate((*classes, _GOOD)):
        if block_class == _NEAR_GOOD and i not in headings:
            run.append(i)
            length += len(texts[i])
        elif run and (block_class == _GOOD or (block_class == _BAD and len(texts[i]) > _BETWEEN_POSTS)):
            kept |= dict.fromkeys(run, length) if length >= least else {}
            run, length = [], 0
    return decisions.moved(kept, GOOD, lambda i: f"in a run with {kept[i]} near-good characters")


def lead(context: Context, decisions: Decisions) -> Decisions:
    """Give what leads to a block that block's class."""
    classes = bytearray(decisions.classes)
    leads: dict[int, BlockClass] = {}
    # From the last to the first: a block may lead by another one to a third.
    for run in reversed([*_ALIKE.finditer(decisions.classes)]):
        to = GOOD if classes[run.start()] == _GOOD else BAD
        i = run.start() - 1
        while i >= 0 and classes[i] != to.code and i not in context.pinned and _leads(context, i, to):
            classes[i], leads[i] = to.code, to
            i -= 1
    if not leads:
        return decisions
    return decisions.with_classes(leads, lambda _, reason: f"{reason}; as the block that it leads to")


def keep_answers(context: Context, decisions: Decisions) -> Decisions:
    """Make a question whose answer a click shows, and the block behind it, GOOD where a trained model was in doubt."""
    segments = context.segments
    kept: list[int] = []
    for i, tag in enumerate(segments.of_position("tag")[:-1]):
        if tag in _ASKING and is_question(segments.collapsed[i]) and all(_is_doubtful(context, b) for b in (i, i + 1)):
            kept += [block for block in (i, i + 1) if decisions.classes[block] != _GOOD]
    return decisions.moved(kept, GOOD, "a question with its answer")


def keep_tables(context: Context, decisions: Decisions) -> Decisions:
    """Make long tables of data GOOD that a trained model was in doubt of, unless they are links, as navigation is."""
    segments = context.segments
    tables = [i for i, kind in enumerate(segments.of_position("kind")) if kind == TABLE and _is_doubtful(context, i)]
    lengths = {i: length for i in tables if (length := len(segments.collapsed[i])) >= _LONG_TABLE}
    kept = [i for i, length in lengths.items() if segments.link_characters[i] <= _MOST_LINKS * length]
    return decisions.moved(kept, GOOD, "a long table")


def _is_doubtful(context: Context, i: int) -> bool:
    """Return whether a block is not pinned, and a trained model in doubt rather takes it for content."""
    probability = context.probabilities[i]
    return probability is not None and probability >= _DOUBTFUL and i not in context.pinned


def _leads(context: Context, i: int, to: BlockClass) -> bool:
    text = context.segments.collapsed[i]
    if is_enumerator(text):
        return True
    if to is BAD or len(text) > MOST_IN_PATH:
        return False
    probability = context.probabilities[i] if context.probabilities else None
    position, asks = context.segments.position[i], is_question(text)
    if position.tag == "caption" and context.segments.position[i + 1].kind == TABLE:
        return True
    if probability is None:
        return asks and position.tag in _ASKING
    # The title of a numbered text, as of an article of a law, stands between the number and the text.
    is_heading = position.heading_level > 1 or position.tag in _NAMING
    is_title = is_heading or is_enumerator(context.segments.collapsed[i - 1] if i else "")
    leads = is_title or (asks and not position.heading_level)
    return leads and probability >= (_OF_QUESTION if asks else _DOUBTFUL)


def _headings(context: Context) -> Sequence[int]:
    return () if context.thresholds.no_headings else context.segments.headings()


def rescue(rescued: Sequence[int], to: BlockClass, what: str, context: Context, decisions: Decisions) -> Decisions:
    """Give the class ``to`` to those of the blocks ``rescued`` that have a GOOD block near enough ahead."""
    if not rescued or decisions.classes.find(_GOOD, rescued[0]) < 0:
        return decisions
    before, classes = context.segments.characters_before(), decisions.classes
    distances: dict[int, float] = {}
    # From the end of the block to the next good one, from the last block to the first: nothing is counted twice.
    end, distance = len(classes), inf
    for index in reversed(rescued):
        following = classes.find(_GOOD, index + 1, end)
        if following >= 0:
            end, distance = following, 0
        distance += before[end] - before[index + 1]
        end = index + 1
        if distance <= context.thresholds.max_heading_distance:
            distances[index] = distance
    classes_of = dict.fromkeys(distances, to)
    return decisions.with_classes(classes_of, lambda i, _: f"{what}, good block {distances[i]} characters ahead")


def heading_paths(segments: BlockTable, decisions: Decisions, headline: int | None = None) -> list[tuple[str, ...]]:
    """Return for each block the texts of the GOOD headings above it, by level.

    A heading is above what follows it, down to the next GOOD one of its level or a higher one.  The one with the index
    ``headline`` is above all that follows it, whatever its class.
    """
    levels, texts, are_good = segments.of_position("heading_level"), segments.collapsed, decisions.are_good
    paths: list[tuple[str, ...]] = []
    path: tuple[str, ...] = ()
    above: list[tuple[int, str]] = []
    # Of hundreds of blocks, few are headings.
    for i in segments.headings():
        if texts[i] and (are_good[i] or i == headline):
            while above and above[-1][0] >= levels[i]:
                above.pop()
            paths += [path] * (i - len(paths))
            paths.append(tuple(text for _, text in above))
            is_short = len(texts[i]) <= MOST_IN_PATH
            text = texts[i] if is_short else f"{texts[i][: MOST_IN_PATH - 1].rstrip()}…"
            above.append((0 if i == headline else levels[i], text))
            path = tuple(text for _, text in above)
    return paths + [path] * (len(levels) - len(paths))


def resolve(context: Context, decisions: Decisions) -> Decisions:  # noqa: ARG001 (passes share one signature)
    """Make every decision GOOD or BAD."""
    before = decisions.classes
    classes = bytearray(before.translate(_UNDECIDED_BAD))
    # Between two bad blocks, all is good from the first to the last that is near-good or good, if any is good.
    end = 0
    while (good := before.find(_GOOD, end)) >= 0:
        start = before.rfind(_BAD, end, good) + 1
        end = before.find(_BAD, good)
        end = len(before) if end < 0 else end
        kept = before[start:end].rstrip(_SHORTS)
        last = start + len(kept)
        first = last - len(kept.lstrip(_SHORTS))
        classes[first:last] = bytes((_GOOD,)) * (last - first)

    def change(reasons: list[str]) -> None:
        for run in _UNDECIDED.finditer(before):
            why = _why(before, *run.span())
            for i in range(*run.span()):
                reasons[i] += f"; {why[classes[i] == _GOOD]}"

    return decisions.changed(classes, change)


def _why(classes: bytes, start: int, end: int) -> tuple[str, str]:
    """Return in words why the blocks of an undecided run are bad, and why they are good."""
    before = classes[start - 1] if start else _BAD
    after = classes[end] if end < len(classes) else _BAD
    if before == after:
        return "between bad blocks", "between good blocks"
    if classes.find(_NEAR_GOOD, start, end) < 0:
        return "beside a bad block, no near-good one in between", ""
    side = "side of the nearest near-good block"
    return f"on the bad {side}", f"on the good {side}"


def number_groups(flow: Flow, segments: BlockTable, depth: int) -> list[int]:
    """Return for each block the number of its group, to which it belongs if it is GOOD."""
    page = flow.page
    nearest = page.nearest({node for node in range(1, page.count) if page.name(node) in PARAGRAPHS})
    numbers: dict[int, int] = {}
    groups = []
    for begin, end in zip(segments.begin, segments.end, strict=True):
        node = nearest[flow.place_of(begin, end)]
        for _ in range(depth):
            node = page.parent[node] if node > page.root else 0
        groups.append(numbers.setdefault(node if node > 0 else page.root, len(numbers)))
    return groups


def select(context: Context, decisions: Decisions) -> Decisions:
    """Make the good blocks outside the main group BAD; blocks that are pinned stay, and count in no group."""
    groups: defaultdict[int, list[int]] = defaultdict(list)
    around: int | None = None  # the group of the good text last seen
    position, texts = context.segments.position, context.segments.collapsed
    for i, number in compress(enumerate(context.groups or ()), decisions.are_good):
        if i not in context.pinned:
            if position[i].kind not in WITHOUT_STOPWORDS:
                around = number
            groups[number if around is None else around].append(i)
    if not groups:
        return decisions
    # Of equals, max gives the first.
    main = max(groups.values(), key=lambda group: sum(len(texts[i]) for i in group))
    outside = [i for group in groups.values() if group is not main for i in group]
    return decisions.moved(outside, BAD, "outside the main group")
