"""The HTML-tree filter: the good blocks of an article are generally siblings.

From the paper on a precision-improving content filter over Boilerpipe, for news in Spanish and English.
Over the blocks that are GOOD:

1. a block's paragraph is the closest element of :data:`~scrapy_justext.core.tags.PARAGRAPHS` around its
   text, also where that holds other paragraphs (text directly in a DIV beside a P);
2. blocks whose paragraphs share their n-th ancestor, n = ``tree_depth``, are a group; where a paragraph
   has fewer ancestors, the root stands for the n-th;
3. the group with the most characters stays, the first on a tie; the others become BAD.

It trades recall for precision on pages with one article; it is not for forums or lists.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from scrapy_justext.core.blocks import BAD, GOOD, Decision
from scrapy_justext.core.tags import PARAGRAPHS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lxml import etree

    from scrapy_justext.core.blocks import Segment
    from scrapy_justext.core.context import Context
    from scrapy_justext.core.elements import Elements


def number_groups(elements: Elements, segments: Sequence[Segment], depth: int) -> list[int]:
    """For each block the number of its group, should it be GOOD."""
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
    """The good blocks outside the main group made BAD; nothing where blocks have no groups.

    Blocks that the user pinned stay, and count in no group.
    """
    selected = list(decisions)
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for i, number in enumerate(context.groups or ()):
        if decisions[i].block_class is GOOD and i not in context.pinned:
            groups[number].append(i)
    if not groups:
        return selected
    # Of equals, max gives the first.
    main = max(groups.values(), key=lambda group: sum(len(context.segments[i].collapsed) for i in group))
    for group in groups.values():
        if group is not main:
            for i in group:
                selected[i] = Decision(BAD, f"{decisions[i].reason}; outside the main group")
    return selected


def _if_paragraph(node: etree._Element) -> etree._Element | None:
    return node if node.tag in PARAGRAPHS else None
