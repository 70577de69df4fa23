"""The table of a page's blocks: columns, and rows that are made when they are read."""

import copy
import pickle

import pytest

from scrapy_justext.core.blocks import BlockTable, Late
from scrapy_justext.core.reading.page import read_tree
from scrapy_justext.core.reading.rules import MODERN
from tests.builders import tree

PAGE = "<h1>one</h1><p>two <a>three</a><pre>four\n five</pre><table><tr><th>a<th>b<tr><td>c<td>d</table><li>six"


def test_rows_are_those_that_are_asked_for_one_by_one() -> None:
    blocks = read_tree(tree(PAGE), MODERN)
    one_by_one = [blocks[i] for i in range(len(blocks))]
    assert [row.text for row in one_by_one] == ["one", "two three", "four\n five", "a\tb\nc\td", "six"]
    assert list(blocks) == one_by_one
    assert list(blocks[2:]) == one_by_one[2:]
    assert list(blocks.taken([0, 2, 3])) == [one_by_one[0], *one_by_one[2:4]]
    assert BlockTable(one_by_one) == blocks


def test_columns_of_positions_and_headings_follow_the_blocks() -> None:
    blocks = read_tree(tree(PAGE), MODERN)
    heading, *others = blocks
    assert list(blocks.of_position("heading_level")) == [1, 0, 0, 0, 0]
    blocks.append(heading)
    assert list(blocks.of_position("heading_level")) == [1, 0, 0, 0, 0, 1]
    blocks.cut_off(4)
    blocks.extend(BlockTable([heading, others[0]]))
    assert list(blocks.of_position("heading_level")) == [1, 0, 0, 0, 1, 0]
    assert list(blocks.of_position("kind")) == ["heading", "text", "code", "table", "heading", "text"]
    blocks = read_tree(tree(PAGE), MODERN)
    assert list(blocks.headings()) == [0]
    blocks.append(blocks[0])
    assert list(blocks.headings()) == [0, 5]
    assert list(blocks.characters_before()) == [0, 3, 12, 21, 28, 31, 34]


def test_a_table_has_its_cells_by_rows() -> None:
    [*_, table, _] = read_tree(tree(PAGE), MODERN)
    assert table.cells is not None
    assert [[block.text for cell in row for block in cell.blocks] for row in table.cells.rows()] == [
        ["a", "b"],
        ["c", "d"],
    ]
    assert pickle.loads(pickle.dumps(table)) == table


@pytest.mark.parametrize("value", [None, 0, [], ()])
def test_what_is_made_late_may_be_nothing(value: object) -> None:
    late = Late(lambda: value)
    assert copy.copy(late)() == pickle.loads(pickle.dumps(late))() == value
