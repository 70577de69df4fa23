"""The table of a page's blocks: columns, and rows that are made when they are read."""

from __future__ import annotations

from scrapy_justext.core.blocks import BlockTable
from scrapy_justext.core.reading import segment_tree
from scrapy_justext.core.tags import MODERN
from tests.builders import tree

PAGE = "<h1>one</h1><p>two <a>three</a><pre>four\n five</pre><table><tr><th>a<th>b<tr><td>c<td>d</table><li>six"


def test_rows_are_those_that_are_asked_for_one_by_one() -> None:
    blocks = segment_tree(tree(PAGE), MODERN)
    one_by_one = [blocks[i] for i in range(len(blocks))]
    assert [row.text for row in one_by_one] == ["one", "two three", "four\n five", "a\tb\nc\td", "six"]
    assert list(blocks) == one_by_one
    assert list(blocks.rows(1, 4)) == one_by_one[1:4]
    assert list(blocks[2:]) == one_by_one[2:]
    assert BlockTable(one_by_one) == blocks


def test_columns_of_positions_follow_the_blocks() -> None:
    blocks = segment_tree(tree(PAGE), MODERN)
    heading, *others = blocks
    assert list(blocks.of_position("heading_level")) == [1, 0, 0, 0, 0]
    blocks.append(heading)
    assert list(blocks.of_position("heading_level")) == [1, 0, 0, 0, 0, 1]
    blocks.cut_off(4)
    blocks.extend(BlockTable([heading, others[0]]))
    assert list(blocks.of_position("heading_level")) == [1, 0, 0, 0, 1, 0]
    assert list(blocks.of_position("kind")) == ["heading", "text", "code", "table", "heading", "text"]
