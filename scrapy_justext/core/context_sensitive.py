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

**The HTML-tree filter** (:func:`select`): the good blocks of an article are generally siblings.  From the paper on a
precision-improving content filter over Boilerpipe, for news in Spanish and English.

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

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING

from scrapy_justext.core.blocks import BAD, GOOD, NEAR_GOOD, SHORT, BlockClass, Decision, Reason, new_decision
from scrapy_justext.core.tags import PARAGRAPHS, WITHOUT_STOPWORDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml import etree

    from scrapy_justext.core.blocks import BlockTable
    from scrapy_justext.core.elements import Elements
    from scrapy_justext.core.parameters import Thresholds


@dataclass(frozen=True, slots=True)
class Context:
    """A page as the passes see it: plain data, from which they can be run again."""

    segments: BlockTable
    context_free: Sequence[Decision]
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

    def with_decisions(self, decisions: Mapping[int, Decision]) -> Context:
        """Return the same page with other decisions for some blocks; those that are pinned already stay."""
        context_free = list(self.context_free)
        for i, decision in decisions.items():
            if i not in self.pinned:
                context_free[i] = decision
        return replace(self, context_free=context_free, pinned=self.pinned.union(decisions))

    def pass_through(self, passes: Sequence[Pass]) -> Sequence[Decision]:
        """Return the decisions that the passes leave."""
        decisions = self.context_free
        for apply in passes:
            decisions = apply(self, decisions)
        return decisions


#: The page and the decisions so far -> decisions.
Pass = Callable[[Context, Sequence[Decision]], list[Decision]]

#: Characters of a heading in a path; a longer one is cut, since every block below it carries it.
MOST_IN_PATH = 160


def promote(context: Context, decisions: Sequence[Decision]) -> list[Decision]:
    """Make SHORT headings before a GOOD block NEAR_GOOD."""
    headings = [i for i in _headings(context) if decisions[i].block_class is SHORT]
    return rescue(headings, NEAR_GOOD, "heading", context, decisions)


def restore(context: Context, decisions: Sequence[Decision]) -> list[Decision]:
    """Make headings GOOD that only their context made BAD, and that have a GOOD block near enough ahead."""
    headings = [
        i
        for i in _headings(context)
        if decisions[i].block_class is BAD and context.context_free[i].block_class is not BAD
    ]
    return rescue(headings, GOOD, "heading", context, decisions)


def promote_images(context: Context, decisions: Sequence[Decision]) -> list[Decision]:
    """Make images before a GOOD block NEAR_GOOD, headings or not; do nothing without ``rescue_images``."""
    if not context.thresholds.rescue_images:
        return list(decisions)
    images = [i for i, extras in context.segments.extras.items() if extras.image_url is not None]
    images = [i for i in images if i not in context.pinned]
    return rescue(images, NEAR_GOOD, "image", context, decisions)


def _headings(context: Context) -> list[int]:
    """Return the indices of the blocks that are treated as headings."""
    if context.thresholds.no_headings:
        return []
    return [i for i, level in enumerate(context.segments.of_position("heading_level")) if level]


def rescue(
    rescued: Sequence[int], to: BlockClass, what: str, context: Context, decisions: Sequence[Decision]
) -> list[Decision]:
    """Give the class ``to`` to those of the blocks ``rescued`` that have a GOOD block near enough ahead."""
    result = list(decisions)
    if not rescued:
        return result
    goods = [i for i, decision in enumerate(decisions) if decision.block_class is GOOD]
    before = list(accumulate(map(len, context.segments.collapsed), initial=0))
    for index in rescued:
        following = bisect_right(goods, index)
        if following == len(goods):
            break
        # From the end of the block to the next good one.
        distance = before[goods[following]] - before[index + 1]
        if distance <= context.thresholds.max_heading_distance:
            result[index] = Decision(to, Reason(("{}, good block {} characters ahead", what, distance)))
    return result


def heading_paths(
    segments: BlockTable, decisions: Sequence[Decision], headline: int | None = None
) -> Iterator[tuple[str, ...]]:
    """Yield for each block the texts of the GOOD headings above it, by level.

    A heading is above what follows it, down to the next GOOD one of its level or a higher one.  The one with the index
    ``headline`` is above all that follows it, whatever its class.
    """
    path: tuple[str, ...] = ()
    above: list[tuple[int, str]] = []
    for i, (text, position, decision) in enumerate(zip(segments.collapsed, segments.position, decisions, strict=True)):
        level = position.heading_level
        if level and text and (decision.block_class is GOOD or i == headline):
            while above and above[-1][0] >= level:
                above.pop()
            yield tuple(text for _, text in above)
            above.append((0 if i == headline else level, _shortened(text)))
            path = tuple(text for _, text in above)
        else:
            yield path


def _shortened(text: str) -> str:
    return text if len(text) <= MOST_IN_PATH else f"{text[: MOST_IN_PATH - 1].rstrip()}…"


def resolve(context: Context, decisions: Sequence[Decision]) -> list[Decision]:
    """Make every decision GOOD or BAD."""
    resolved = list(decisions)
    resolver = _Resolver()
    for start, end in _undecided_runs(decisions):
        before = decisions[start - 1].block_class if start else BAD
        after = decisions[end].block_class if end < len(decisions) else BAD
        resolved[start:end] = resolver.resolve(decisions[start:end], before, after)
    return resolved


def _undecided_runs(decisions: Sequence[Decision]) -> Iterator[tuple[int, int]]:
    """Yield the bounds of the runs of SHORT and NEAR_GOOD."""
    start = -1
    for i, decision in enumerate(decisions):
        block_class = decision.block_class
        if block_class is SHORT or block_class is NEAR_GOOD:
            start = i if start < 0 else start
        elif start >= 0:
            yield start, i
            start = -1
    if start >= 0:
        yield start, len(decisions)


class _Resolver:
    """Decides on runs of undecided blocks; of blocks that share a decision, as short ones do, it is made once."""

    def __init__(self) -> None:
        #: By the end of the reason, then by the identity of the decision before.
        self._made: defaultdict[str, dict[int, Decision]] = defaultdict(dict)

    def resolve(self, run: Sequence[Decision], before: BlockClass, after: BlockClass) -> list[Decision]:
        """Return the decisions on a run between two decided blocks."""
        if before is after:
            return self._all(run, before, "{}; between good blocks" if before is GOOD else "{}; between bad blocks")
        if before is BAD:
            return self.resolve(run[::-1], after, before)[::-1]
        good = _last_near_good(run) + 1
        if not good:
            return self._all(run, BAD, "{}; beside a bad block, no near-good one in between")
        return [
            *self._all(run[:good], GOOD, "{}; on the good side of the nearest near-good block"),
            *self._all(run[good:], BAD, "{}; on the bad side of the nearest near-good block"),
        ]

    def _all(self, run: Sequence[Decision], block_class: BlockClass, form: str) -> list[Decision]:
        made = self._made[form]
        for decision in run:
            if id(decision) not in made:
                made[id(decision)] = new_decision((block_class, Reason((form, decision.reason)), None))
        return list(map(made.__getitem__, map(id, run)))


def _last_near_good(run: Sequence[Decision]) -> int:
    """Return the index of the last NEAR_GOOD in a run; -1 without one."""
    for i in range(len(run) - 1, -1, -1):
        if run[i].block_class is NEAR_GOOD:
            return i
    return -1


def number_groups(elements: Elements, segments: BlockTable, depth: int) -> list[int]:
    """Return for each block the number of its group, to which it belongs if it is GOOD."""
    nodes = elements.innermost(segments, PARAGRAPHS)
    paragraph_of = elements.inherited(_if_paragraph)
    numbers: dict[etree._Element, int] = {}
    groups = []
    for node in nodes:
        paragraph = paragraph_of(node)
        top = elements.root if paragraph is None else elements.ancestor(paragraph, depth)
        groups.append(numbers.setdefault(top, len(numbers)))
    return groups


def select(context: Context, decisions: Sequence[Decision]) -> list[Decision]:
    """Make the good blocks outside the main group BAD; do nothing if blocks have no groups.

    Pinned blocks stay, and count in no group.
    """
    selected = list(decisions)
    groups: defaultdict[int, list[int]] = defaultdict(list)
    around: int | None = None  # the group of the good text last seen
    position, texts = context.segments.position, context.segments.collapsed
    for i, number in enumerate(context.groups or ()):
        if decisions[i].block_class is GOOD and i not in context.pinned:
            if position[i].kind not in WITHOUT_STOPWORDS:
                around = number
            groups[number if around is None else around].append(i)
    if not groups:
        return selected
    # Of equals, max gives the first.
    main = max(groups.values(), key=lambda group: sum(len(texts[i]) for i in group))
    for group in groups.values():
        if group is not main:
            for i in group:
                selected[i] = Decision(BAD, Reason(("{}; outside the main group", decisions[i].reason)))
    return selected


def _if_paragraph(node: etree._Element) -> etree._Element | None:
    return node if node.tag in PARAGRAPHS else None
