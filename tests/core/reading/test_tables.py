"""Tables of data are one block; tables that lay out a page are not."""

from __future__ import annotations

import pytest

from scrapy_justext.core.reading.page import read_tree
from scrapy_justext.core.reading.rules import LENIENT, MODERN, WITHOUT_KINDS, TagRules
from tests.builders import SECONDS, processor_seconds, tree


def rows(*cells: str, tag: str = "td") -> str:
    return "".join(f"<tr>{''.join(f'<{tag}>{cell}' for cell in row.split('|'))}" for row in cells)


HEAD = rows("Name|Size", tag="th")
DATA = rows("Fox|12", "Hare|7")
LONG = "A text of an article that somebody has put into a table. " * 8


def linked(*texts: str) -> str:
    return "|".join(f"<a href=/>{text}</a>" for text in texts)


def hit(title: str) -> str:
    return f"<p><a href=/>{title}</a><p>What it is about.<p><a href=/>More</a>|Today"


TABLES = [
    ("with heads", f"<table>{HEAD}{DATA}</table>", ["Name\tSize\nFox\t12\nHare\t7"]),
    ("without heads", f"<table>{DATA}</table>", ["Fox\t12\nHare\t7"]),
    ("a caption stands before it", f"<table><caption>Animals</caption>{DATA}</table>", ["Animals", "Fox\t12\nHare\t7"]),
    ("empty cells", f"<table>{rows('a||c', '|b|', '||')}</table>", ["a\t\tc\n\tb"]),
    ("blocks in cells", "<table><tr><th>a<th>b<tr><td><p>c<p>d<td><ul><li>e<li>f</ul></table>", ["a\tb\nc d\te f"]),
    ("its role lays out", f"<table role=presentation>{DATA}</table>", ["Fox", "12", "Hare", "7"]),
    ("bullets", f"<table>{rows('•|a', '•|b')}</table>", ["•", "a", "•", "b"]),
    ("bullets below a title", f"<table><tr><td colspan=2>t{rows('•|a', '•|b')}</table>", ["t", "•", "a", "•", "b"]),
    ("signs behind the text", f"<table>{rows('a|✓', 'b|✗')}</table>", ["a\t✓\nb\t✗"]),
    ("images in cells", f"<table>{rows('|a|b', 'c|<img>|<img>', 'd|<img>|')}</table>", ["\ta\tb\nc\nd"]),
    ("a form in few columns",
     f"<table><tr><td colspan=2>Login{rows('Name|<input>', 'Word|Lost?', '|Remember')}</table>",
     ["Login", "Name", "Word", "Lost?", "Remember"]),
    ("a line below each row", f"<table>{rows('1.|a', '|by b', '2.|c', '|by d')}<tr><td colspan=2>More</table>",
     ["1.", "a", "by b", "2.", "c", "by d", "More"]),
    ("heads, and cells that reach over rows",
     f"<table>{HEAD}<tr><td>Fox<td rowspan=4>12{rows('Hare', 'Owl', 'Elk')}</table>",
     ["Name\tSize\nFox\t12\nHare\nOwl\nElk"]),
    ("heads, and cells that say nothing", f"<table>{HEAD}{rows('Fox|', '|7')}</table>", ["Name\tSize\nFox\n\t7"]),
    ("links alone", f"<table>{rows(linked('a', 'b'), linked('c', 'd'))}</table>", ["a", "b", "c", "d"]),
    ("links below heads", f"<table>{HEAD}{rows(linked('a', 'b'))}</table>", ["Name\tSize\na\tb"]),
    ("results of a search", f"<table>{HEAD}{rows(hit('Fox'), hit('Hare'))}</table>",
     ["Name", "Size", "Fox", "What it is about.", "More", "Today", "Hare", "What it is about.", "More", "Today"]),
    ("a cell like a result in half of the rows", f"<table>{HEAD}{rows(hit('Fox'))}</table>",
     ["Name\tSize\nFox What it is about. More\tToday"]),
    ("lists with links in them",
     f"<table>{HEAD}{rows('<ul><li><a href=/>a</a><li>b<li>c</ul>|d', '<ul><li>e<li><a href=/>f<li>g</ul>|h')}</table>",
     ["Name\tSize\na b c\td\ne f g\th"]),
    ("one row", f"<table>{rows('a|b|c')}</table>", ["a", "b", "c"]),
    ("one column", f"<table>{rows('a', 'b', 'c')}</table>", ["a", "b", "c"]),
    ("a heading inside", f"<table>{rows('<h2>a</h2>|b', 'c|d')}</table>", ["a", "b", "c", "d"]),
    ("a long text inside", f"<table>{HEAD}{rows(f'a|{LONG}')}</table>", ["Name", "Size", "a", LONG.strip()]),
    ("the outer of two", f"<table>{rows('a|b')}<tr><td>c<td><table>{DATA}</table></table>",
     ["a", "b", "c", "Fox\t12\nHare\t7"]),
    ("cells without a table", "<tr><td>a<td>b", ["a", "b"]),
]  # fmt: skip


@pytest.mark.parametrize("rules", [MODERN, LENIENT], ids=["modern", "lenient"])
@pytest.mark.parametrize(("markup", "expected"), [c[1:] for c in TABLES], ids=[c[0] for c in TABLES])
def test_a_table_of_data_is_one_block(markup: str, expected: list[str], rules: TagRules) -> None:
    segments = read_tree(tree(f"<div>{markup}</div>"), rules)
    assert [segment.text for segment in segments] == expected
    assert [segment.kind == "table" for segment in segments] == ["\t" in text for text in expected]


def paragraphs(count: int) -> str:
    return "".join(f"<p>{i}" for i in range(count))


ENTRY = "<p><a href=/>Fox</a><p>What it is."
#: Tables on both sides of a limit: what it is, the markup, and whether it is a table of data.
LIMITS = [
    ("400 characters below heads", f"{HEAD}{rows('a|' + 'x' * 400)}", True),
    ("401 characters below heads", f"{HEAD}{rows('a|' + 'x' * 401)}", False),
    ("150 characters without heads", rows("a|b", "c|" + "x" * 150), True),
    ("151 characters without heads", rows("a|b", "c|" + "x" * 151), False),
    ("12 blocks in a cell below heads", f"{HEAD}{rows(f'a|{paragraphs(12)}')}", True),
    ("13 blocks in a cell below heads", f"{HEAD}{rows(f'a|{paragraphs(13)}')}", False),
    ("3 blocks in a cell without heads", rows("a|b", f"c|{paragraphs(3)}"), True),
    ("4 blocks in a cell without heads", rows("a|b", f"c|{paragraphs(4)}"), False),
    ("a link and a text in all cells", f"{HEAD}{rows(f'{ENTRY}|a', f'{ENTRY}|b', f'{ENTRY}|c')}", True),
    ("two links and a text in all cells", f"{HEAD}{rows(*[f'{ENTRY}<p><a href=/>More</a>|a'] * 3)}", False),
    ("4 cells for each with text", f"{HEAD}{rows('a|b', '|' * 11)}", True),
    ("more than 4 cells for each with text", f"{HEAD}{rows('a|b', '|' * 12)}", False),
    ("it has a caption and one row in two columns", f"<caption>x</caption>{rows('a|b', 'c|d')}", True),
    ("a caption makes links data", f"<caption>x</caption>{rows(linked('a', 'b'), linked('c', 'd'))}", True),
]


@pytest.mark.parametrize(("inside", "expected"), [c[1:] for c in LIMITS], ids=[c[0] for c in LIMITS])
def test_a_table_of_data_has_limits(inside: str, expected: bool) -> None:
    assert ("table" in [segment.kind for segment in read_tree(tree(f"<table>{inside}</table>"), MODERN)]) is expected


@pytest.mark.parametrize(
    "attribute", ["role=presentation", "role=None", "class=ltx_equationgroup", "class=ltx_equation"]
)
def test_a_table_may_say_that_it_lays_out_the_page(attribute: str) -> None:
    kinds = [segment.kind for segment in read_tree(tree(f"<table {attribute}>{DATA}</table>"), MODERN)]
    assert kinds == ["text"] * 4


def test_other_profiles_see_no_table() -> None:
    assert [segment.text for segment in read_tree(tree(f"<table>{DATA}</table>"), WITHOUT_KINDS)] == [
        "Fox",
        "12",
        "Hare",
        "7",
    ]


@pytest.mark.full
def test_many_tables_take_as_long_as_they_are_many() -> None:
    root = tree(f"<table>{DATA}</table>" * 15_000)
    assert processor_seconds(lambda: read_tree(root, MODERN)) < SECONDS


def test_a_table_has_the_links_of_its_cells() -> None:
    markup = "<p>one<table><tr><td><a href=/>two</a><td>three<tr><td>four<td><a href=/>five six</a></table><p>seven"
    _, table, behind = read_tree(tree(markup), MODERN)
    assert (table.link_characters, table.link_words, table.tags_count, table.tag) == (11, 3, 2, "table")
    assert (table.element, behind.element) == (3, 10)
