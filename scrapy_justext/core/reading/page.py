"""Read a tree: its nodes, the tokens of its text, its blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_justext.core.reading.code_lines import find_code_lines
from scrapy_justext.core.reading.cutting import cut
from scrapy_justext.core.reading.flow import read_flow
from scrapy_justext.core.reading.formulas.delimiters import with_formulas
from scrapy_justext.core.reading.formulas.elements import find_formulas
from scrapy_justext.core.reading.loading import read_nodes
from scrapy_justext.core.reading.shown import as_shown
from scrapy_justext.exceptions import PageLimitError

if TYPE_CHECKING:
    from lxml import etree

    from scrapy_justext.core.blocks import BlockTable
    from scrapy_justext.core.reading.flow import Flow
    from scrapy_justext.core.reading.nodes import Nodes
    from scrapy_justext.core.reading.rules import TagRules


def read_blocks(page: Nodes, rules: TagRules, most: int | None = None) -> tuple[BlockTable, Flow]:
    """Return the blocks of a page, and the tokens that they are made of.

    ``most``: how many blocks there may be.  Block-level elements are counted, also empty ones, and each second BR;
    that is done before blocks are made.  There may be as many formulas, and four times as many elements of these and
    tokens of inline elements.  Raises :class:`~scrapy_justext.exceptions.PageLimitError` if there are more.
    """
    if rules.kinds or rules.hidden:
        page = as_shown(page)
    flow = read_flow(page, rules, find_formulas(page, most) if rules.kinds else {})
    if most is not None:
        _check_counts(flow.codes, most)
    if not rules.kinds:
        return cut(flow), flow
    flow = with_formulas(flow, most)
    return cut(flow, find_code_lines(flow)), flow


def read_tree(root: etree._Element, rules: TagRules) -> BlockTable:
    """Return the blocks of a tree in document order; it is left as it was."""
    return read_blocks(read_nodes(root), rules)[0]


def _check_counts(codes: str, most: int) -> None:
    blocks, breaks = sum(map(codes.count, "[{#")), codes.count("|")
    if blocks + breaks // 2 > most:
        raise PageLimitError("too_many_blocks", f"more blocks than max_blocks allows, {most}")
    if sum(map(codes.count, _INLINE)) > _MARKS_A_BLOCK * most:
        reason = f"more inline elements than max_blocks allows, {_MARKS_A_BLOCK} marks for each of {most} blocks"
        raise PageLimitError("too_many_blocks", reason)


#: The tokens of inline elements; a block costs about as much as so many of them.
_INLINE, _MARKS_A_BLOCK = "<>~+-ib`.le()|!$^v", 4
