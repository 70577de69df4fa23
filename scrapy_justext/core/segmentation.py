"""Cutting a page into blocks.

A block ends where a block-level element starts or ends, at two or more consecutive BR, and around an
image where images are blocks.  Its text is all there is between, white space collapsed; empty
blocks of text are dropped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_justext.core.blocks import Place, Segment, maker
from scrapy_justext.core.flattening import BLOCK, CLOSE, OWN_MARKS, flatten
from scrapy_justext.core.places import Around, Step, descend
from scrapy_justext.core.readers import reader_for

if TYPE_CHECKING:
    from lxml import etree

    from scrapy_justext.core.tags import TagRules


def segment(root: etree._Element, rules: TagRules) -> list[Segment]:
    """The blocks below ``root`` in document order; the tree is left as it was."""
    return segment_and_count(root, rules)[0]


def segment_and_count(root: etree._Element, rules: TagRules) -> tuple[list[Segment], int]:
    """The blocks, and how many block-level elements there are."""
    flat = flat_text(root, rules)
    # Each has a mark at its start and one at its end.
    return _cut(flat, str(root.tag), rules), flat.count(BLOCK) // 2


def flat_text(root: etree._Element, rules: TagRules) -> str:
    """The flattened tree, the page's own marks replaced."""
    flat = flatten(root, rules)
    return flatten(root, rules, replace_marks=True) if flat.startswith(OWN_MARKS) else flat


def _cut(flat: str, root_tag: str, rules: TagRules) -> list[Segment]:
    """The segments of a flattened tree."""
    reader = reader_for(rules)
    here = Step(descend(Place(root_tag), root_tag), rules)
    element = opened = 0
    # The root's own text comes before the first mark, as if an element had just ended there.
    around: Around = [(here, 0)]
    for chunk in f"{CLOSE}{flat}".split(BLOCK):
        code = chunk[0]
        if code == CLOSE:
            here, element = around.pop()
        else:
            around.append((here, element))
            element = opened = opened + 1
            here = here[code]
        if chunk != code and not (body := chunk[1:]).isspace():
            here = reader.read(body, here, element, around)
    return list(map(_new_segment, reader.rows))


_new_segment = maker(Segment)
