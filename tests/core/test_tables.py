"""Tables of data are one block; tables that lay out a page are not."""

from __future__ import annotations

import pytest

from scrapy_justext.core.reading import segment_tree
from scrapy_justext.core.tags import LENIENT, MODERN, WITHOUT_KINDS, TagRules
from tests.builders import tree


def rows(*cells: str, tag: str = "td") -> str:
    return "".join(f"<tr>{''.join(f'<{tag}>{cell}' for cell in row.split('|'))}" for row in cells)


HEAD = rows("Name|Size", tag="th")
DATA = rows("Fox|12", "Hare|7")
LONG = "A text of an article that somebody has put into a table. " * 8

TABLES = [
    ("with heads", f"<table>{HEAD}{DATA}</table>", ["Name\tSize\nFox\t12\nHare\t7"]),
    ("without heads", f"<table>{DATA}</table>", ["Fox\t12\nHare\t7"]),
    ("a caption stands before it", f"<table><caption>Animals</caption>{DATA}</table>", ["Animals", "Fox\t12\nHare\t7"]),
    ("empty cells", f"<table>{rows('a||c', '|b|', '||')}</table>", ["a\t\tc\n\tb"]),
    ("blocks in cells", "<table><tr><th>a<th>b<tr><td><p>c<p>d<td><ul><li>e<li>f</ul></table>", ["a\tb\nc d\te f"]),
    ("its role lays out", f"<table role=presentation>{DATA}</table>", ["Fox", "12", "Hare", "7"]),
    ("bullets", f"<table>{rows('•|a', '•|b')}</table>", ["•", "a", "•", "b"]),
    ("one row", f"<table>{rows('a|b|c')}</table>", ["a", "b", "c"]),
    ("one column", f"<table>{rows('a', 'b', 'c')}</table>", ["a", "b", "c"]),
    ("a heading inside", f"<table>{rows('<h2>a</h2>|b', 'c|d')}</table>", ["a", "b", "c", "d"]),
    ("a long text inside", f"<table>{HEAD}{rows(f'a|{LONG}')}</table>", ["Name", "Size", "a", LONG.strip()]),
    (
        "the outer of two",
        f"<table>{rows('a|b')}<tr><td>c<td><table>{DATA}</table></table>",
        ["a", "b", "c", "Fox\t12\nHare\t7"],
    ),
    ("cells without a table", "<tr><td>a<td>b", ["a", "b"]),
]


@pytest.mark.parametrize("rules", [MODERN, LENIENT], ids=["modern", "lenient"])
@pytest.mark.parametrize(("markup", "expected"), [c[1:] for c in TABLES], ids=[c[0] for c in TABLES])
def test_a_table_of_data_is_one_block(markup: str, expected: list[str], rules: TagRules) -> None:
    segments = segment_tree(tree(f"<div>{markup}</div>"), rules)
    assert [one.text for one in segments] == expected
    assert [one.kind == "table" for one in segments] == ["\t" in text for text in expected]


def test_other_profiles_see_no_table() -> None:
    assert [one.text for one in segment_tree(tree(f"<table>{DATA}</table>"), WITHOUT_KINDS)] == [
        "Fox",
        "12",
        "Hare",
        "7",
    ]


def test_a_table_has_the_links_of_its_cells() -> None:
    markup = "<p>one</p><table><tr><td><a>two</a><td>three<tr><td>four<td><a>five six</a></table><p>seven</p>"
    _, table, behind = segment_tree(tree(markup), MODERN)
    assert (table.link_characters, table.link_words, table.tags_count, table.tag) == (11, 3, 2, "table")
    assert (table.element, table.start, behind.start) == (3, 3, 22)
