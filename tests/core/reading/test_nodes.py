"""The nodes of a tree: what lxml has in it, whether compiled code walks over it or Python."""

from __future__ import annotations

import sys
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree, html

from scrapy_justext.core.parsing import parse_html
from scrapy_justext.core.reading import loading
from scrapy_justext.core.reading.loading import PAGES as CHECKED
from scrapy_justext.core.reading.loading import WATCHED, rows
from scrapy_justext.core.reading.nodes import (
    BEHIND,
    COMMENT,
    DOCUMENT,
    ENTITY,
    HAS_SPACE,
    HAS_TEXT,
    INSTRUCTION,
    IS_BLANK,
    IS_DESCRIBED,
    MAY_BE_HIDDEN,
    MAY_BE_TEX,
    SOURCES,
    Nodes,
    read_in_python,
)
from scrapy_justext.core.text import collapse
from tests.builders import PAGES, nested, read_page, tree
from tests.core.reading.trees import change, random_tree
from tests.golden.odd import odd_trees
from tests.property.strategies import bodies, soups

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

COMPILED = loading.loaded()
needs_walk = pytest.mark.skipif(COMPILED.walk is None, reason=COMPILED.reason)


def read_by_python(root: etree._Element) -> Nodes:
    return read_in_python(root, WATCHED)


def read_by_walk(root: etree._Element) -> Nodes:
    assert COMPILED.walk is not None
    made: Nodes = COMPILED.walk.TreeReader(WATCHED).read(root)
    return made


BOTH = pytest.mark.parametrize(
    "read", [read_by_python, pytest.param(read_by_walk, marks=needs_walk)], ids=["python", "walk"]
)
#: The attributes that are kept of a page when its tree is let go of.
KEPT = frozenset(["class", "href", "id", "title"])
WHITE_SPACE = " \n\t\f\xa0\x85\u2003\u2028\u202f\u205f\u3000\u1680\x1c\x1f"
TEXTS = st.text(st.sampled_from(f"{WHITE_SPACE}\x01\u200baé中😀."), max_size=8)


def written(nodes: Nodes) -> list[object]:
    """Return what is written of each text, and of all, some in links."""

    def write(some: Iterable[int]) -> tuple[str, int, int]:
        for i in some:
            nodes.write(i, i % 3 == 0)
            nodes.write(~i, i % 2 == 0)
        return nodes.written()

    return [*(write([i]) for i in range(nodes.count)), write(range(nodes.count))]


def check(root: etree._Element) -> None:
    """Check that both ways of reading a tree give the same nodes, with the tree and without it."""
    found, expected = read_by_walk(root), read_by_python(root)
    assert rows(found) == rows(expected)
    assert written(found) == written(expected)
    elements = [expected.element(node) for node in range(1, expected.count)]
    elements += [etree.Element("p"), *root.iterancestors()]
    assert found.numbers(elements[::-1]) == expected.numbers(elements[::-1])
    for nodes in (found, expected):
        nodes.let_go(KEPT)
    assert rows(found) == rows(expected)
    assert written(found) == written(expected)
    assert found.numbers(elements) == expected.numbers(elements) == [0] * len(elements)


@needs_walk
class TestWalk:
    """Compiled code gives what Python gives."""

    @given(page=bodies | soups)
    def test_of_any_page(self, page: str) -> None:
        root = parse_html(page).root
        if root is not None:
            check(root)

    @pytest.mark.parametrize("numbers", [range(150), pytest.param(range(150, 3_000), marks=pytest.mark.full)], ids=str)
    def test_of_random_trees(self, numbers: range) -> None:
        for number in numbers:
            check(random_tree(number))

    def test_of_trees_that_change_between_reads(self) -> None:
        for number in range(40):
            root = random_tree(number)
            random = Random(number)
            for _ in range(5):
                change(root, random)
                check(root)

    @pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
    def test_of_demo_pages(self, page: Path) -> None:
        check(tree(read_page(page)))

    @pytest.mark.parametrize("page", CHECKED)
    def test_of_the_pages_of_the_check(self, page: str) -> None:
        check(etree.fromstring(page, etree.HTMLParser()))

    @pytest.mark.parametrize("name", odd_trees())
    def test_of_each_element_of_odd_trees(self, name: str) -> None:
        for part in odd_trees()[name].iter(etree.Element):
            check(part)

    def test_of_elements_that_are_not_in_their_tree_any_more(self) -> None:
        root = tree("<div>a<p>b<i>c</i></p>tail</div><p>d")
        part = root[0][0][0]
        root[0][0].remove(part)
        part.addnext(etree.Element("p"))
        part.addprevious(etree.Comment("e"))
        check(part)
        check(root)
        # Its document has another root then, and none at last.
        etree.Element("div").append(root)
        del root
        check(part)

    def test_of_deep_trees_and_elements_of_other_classes(self) -> None:
        own = type("Own", (etree.ElementBase,), {"more": None})
        parser = etree.HTMLParser()
        parser.set_element_class_lookup(etree.ElementDefaultClassLookup(element=own))
        check(etree.fromstring("<p>a<b>b</b><table><tr><td>c</table>", parser))
        check(html.fromstring("<div>a<p hidden>b</p>c</div>"))
        check(nested(["html", "body", *["div", "b"] * 1_500], "one"))

    def test_of_names_that_share_a_place_in_memory(self) -> None:
        page = "".join(f"<x{number}>a</x{number}><y{number} class=c{number}>" for number in range(3_000))
        for _ in range(2):
            check(tree(page))

    @given(st.lists(st.sampled_from(["lineno", "copy", "line", "x", "é", "code" * 200]), max_size=9), st.integers(0, 9))
    def test_of_any_class(self, names: list[str], spaces: int) -> None:
        root = tree("<p>a<p>b")
        root[0][0].set("class", (" " * spaces).join(names))
        root[0][1].set("class", " ".join(names))
        check(root)

    @given(st.lists(st.lists(st.tuples(TEXTS, st.booleans())), max_size=2))
    def test_of_what_is_written(self, runs: list[list[tuple[str, bool]]]) -> None:
        nodes = (read_by_walk(tree("<p>x")), read_by_python(tree("<p>x")))
        for run in runs:
            for text, is_linked in run:
                for reading in nodes:
                    reading.write_text(text, is_linked)
            found, expected = (reading.written() for reading in nodes)
            assert found == expected
            assert found[0] == collapse("".join(text for text, _ in run))

    def test_of_all_characters(self) -> None:
        characters = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]
        text = "a".join(characters)
        for nodes in (read_by_walk(tree("<p>x")), read_by_python(tree("<p>x"))):
            nodes.write_text(text, is_linked=True)
            collapsed = " ".join(text.split())
            assert nodes.written() == (collapsed, len(collapsed), len(text.split()))

    def test_of_each_character_by_itself(self) -> None:
        root = etree.Element("p")
        for code in (9, 10, 13, *range(0x20, 0x3100), *range(0xFE00, 0xFFFE)):
            etree.SubElement(root, "i").text = chr(code)
        assert list(read_by_walk(root).flags) == list(read_by_python(root).flags)

    def test_of_classes_that_are_alike_in_their_bits(self) -> None:
        # Those of one length that differ in a few bits of two words had one number under a weaker function.
        flipped = {7: 0x40, 12: 0x02, 15: 0x40}
        page = ""
        for number in range(40):
            name = f"a{number:02} lineno{number:02}-yzz"
            twin = "".join(chr(ord(character) ^ flipped.get(i, 0)) for i, character in enumerate(name))
            page += f"<p class='{twin}'><p class='{name}'>"
        check(tree(page))

    def test_of_values_that_may_hide(self) -> None:
        told = ["display: NONE", "left:-999px", f"{'x' * 600}hidden", "Heading", "é tooltip", "block"]
        root = tree("".join(f"<p style='{value}'><p role='{value}'>" for value in [*told, "", "x", "x" * 600] * 2))
        check(root)
        flags = [bool(flag & MAY_BE_HIDDEN) for flag in read_by_walk(root).flags]
        assert flags[-36:] == [*[True] * 12, *[False] * 6] * 2

    def test_of_classes_that_share_a_place_in_memory(self) -> None:
        read = COMPILED.walk.TreeReader(WATCHED).read  # type: ignore[union-attr]
        # Of values of one length that differ in a letter, some share one.
        names = [f"{'x' * 20}{number:05}{'lineno' * (number % 2)}" for number in range(20_000)]
        root = tree("".join(f"<p class='{name}'>" for name in names))
        expected = rows(read_by_python(root))
        for _ in range(2):
            assert rows(read(root)) == expected

    def test_what_only_claims_to_be_an_element_is_reported(self) -> None:
        claims = type("Claims", (), {"__class__": etree._Element, "__slots__": ()})()
        assert isinstance(claims, etree._Element)
        with pytest.raises(TypeError, match="no element"):
            read_by_walk(claims)
        with pytest.raises(ValueError, match="without a node"):
            read_by_walk(etree._Element.__new__(etree._Element))
        with pytest.raises(TypeError, match="no element"):
            read_by_walk(tree("<p>a")).numbers([claims])

    @pytest.mark.parametrize(
        "node", [etree.Comment("x"), etree.ProcessingInstruction("x", "y"), etree.Entity("amp")], ids=str
    )
    def test_what_is_no_element_of_a_page_is_read(self, node: etree._Element) -> None:
        assert read_by_walk(node).count == 2
        root = tree("<p>a")
        root[0].append(node)
        assert read_by_walk(node).count == 2


@BOTH
class TestNodes:
    """What nodes tell is what lxml tells."""

    def test_the_columns_of_a_page(self, read: Callable[[etree._Element], Nodes]) -> None:
        root = etree.fromstring(
            "<!--a--><r>b<p hidden='' class='lineno'> <i id='i'/>$<?d e?> </p><!--f-->&#160;</r><?h?>"
        )
        page = read(root)
        assert [page.name(node) for node in range(page.count)] == ["", "", "r", "p", "i", "", "", ""]
        assert list(page.tag)[:2] == [DOCUMENT, COMMENT]
        assert list(page.tag)[5:] == [INSTRUCTION, COMMENT, INSTRUCTION]
        assert list(page.parent) == [-1, 0, 0, 2, 3, 3, 2, 0]
        assert list(page.end) == [8, 2, 7, 6, 5, 6, 7, 8]
        assert list(page.flags) == [
            0, 0, HAS_TEXT, HAS_SPACE | MAY_BE_HIDDEN | IS_DESCRIBED, (HAS_TEXT | MAY_BE_TEX) << BEHIND | IS_DESCRIBED,
            HAS_SPACE << BEHIND, (HAS_TEXT | IS_BLANK) << BEHIND, 0,
        ]  # fmt: skip
        assert [bool(signs) for signs in page.signs] == [False, False, False, True, False, False, False, False]
        assert (page.root, page.count) == (2, 8)

    def test_entities_are_nodes_and_names_with_a_namespace_have_it(
        self, read: Callable[[etree._Element], Nodes]
    ) -> None:
        parser = etree.XMLParser(resolve_entities=False)
        page = read(etree.fromstring('<!DOCTYPE p [<!ENTITY e "x">]><p a="1&e;2">one&e; two</p>', parser))
        assert (page.count, page.tag[2], page.text(1), page.text(2), page.tail(2)) == (3, ENTITY, "one", "", " two")
        assert page.attribute(1, "a") == "1x2"
        root = etree.fromstring("<p xmlns:u='v'><u:p u:id='a' id='b'/><u:p/><x-y/></p>")
        page = read(root)
        assert [page.name(node) for node in range(1, 5)] == ["p", "{v}p", "{v}p", "x-y"]
        assert page.tag[1] != page.tag[2] == page.tag[3]
        assert (page.attribute(2, "id"), page.attribute(1, "id"), page.attribute(3, "id")) == ("b", None, None)
        assert page.items(2) == [("{v}id", "a"), ("id", "b")]

    def test_nothing_is_around_a_part_of_a_tree(self, read: Callable[[etree._Element], Nodes]) -> None:
        root = etree.fromstring("<r><!-- a --><p>b<i/>c</p>d<q/></r>")
        page = read(root[1])
        assert [page.name(node) for node in range(page.count)] == ["", "p", "i"]
        assert (page.text(1), page.tail(1), page.tail(2), page.flags[1]) == ("b", "", "c", HAS_TEXT)
        assert (page.next(1), page.previous(1), page.node_before(1)) == (0, 0, 0)

    def test_what_was_cut_out_of_a_tree_is_read_alone(self, read: Callable[[etree._Element], Nodes]) -> None:
        root = etree.fromstring("<r><p>a</p><i/></r>")
        part = root[0]
        root.remove(part)
        part.addnext(etree.Element("p"))
        assert read(part).count == 2
        behind = tree("<p>one</p></body></html><p>two</p>").getnext()
        assert behind is not None
        assert read(behind).string(0) == "onetwo"

    def test_what_is_near_a_node_is_what_lxml_says(self, read: Callable[[etree._Element], Nodes]) -> None:
        for number in range(60):
            root = random_tree(number)
            page = read(root)
            numbers = {page.element(node): node for node in range(1, page.count)}
            assert page.element(0) is None
            assert page.element(page.root) is next(top for top in numbers if isinstance(top.tag, str))
            for element, node in numbers.items():
                inside = element.iterchildren(etree.Element) if isinstance(element.tag, str) else ()
                children = [numbers[child] for child in inside]
                assert page.children(node) == children
                assert page.first(node) == (children[0] if children else 0)
                if node > 1 and page.parent[node] > 0:
                    around = element.getparent()
                    assert around is not None
                    behind, before = element.itersiblings(etree.Element), element.itersiblings(preceding=True)
                    beside = list(before)
                    assert page.parent[node] == numbers[around]
                    assert page.next(node) == next((numbers[sibling] for sibling in behind), 0)
                    assert page.node_before(node) == (numbers[beside[0]] if beside else 0)
                    elements = [sibling for sibling in beside if isinstance(sibling.tag, str)]
                    assert page.previous(node) == (numbers[elements[0]] if elements else 0)
                assert page.string(node) == string_of(element)

    def test_what_is_kept_of_a_tree_is_nothing_written(self, read: Callable[[etree._Element], Nodes]) -> None:
        page = read(tree("<p class=a id=b>c<a href=d rel=e>f</a>g"))
        node = page.root + 2
        assert (page.name(node), page.text(node), page.tail(node + 1)) == ("p", "c", "g")
        page.let_go(frozenset(["class", "href"]))
        assert page.items(node) == [("class", "a")]
        assert [page.attribute(node, name) for name in ("class", "id")] == ["a", None]
        assert [page.attribute(node + 1, name) for name in ("href", "rel")] == ["d", None]
        assert (page.name(node), page.text(node), page.tail(node + 1), page.element(node)) == ("p", "", "", None)
        page = read(tree("<p>one<p>two"))
        page.write_text("three", is_linked=True)
        page.let_go(KEPT)
        assert page.written() == ("", 0, 0)
        page.write_text("four", is_linked=False)
        assert page.written() == ("four", 0, 0)

    def test_the_nearest_of_some_around_each(self, read: Callable[[etree._Element], Nodes]) -> None:
        page = read(tree("<div><p>a<b>b</b></p>c</div><p>d"))
        assert page.nearest({3, 5}) == [0, 0, 0, 3, 3, 5, 0][: page.count]

    @pytest.mark.parametrize(
        "raw", [b"\xef\xef\xb7\x90x", b"a\xef<!-- -->\xb7\x90", b"\xff\xef\xb7", b"\xc3<img alt='\xef\xb7'>"]
    )
    def test_bytes_that_are_no_utf_8_are_read(self, raw: bytes, read: Callable[[etree._Element], Nodes]) -> None:
        """libxml2 before 2.14 leaves them in the tree, where Python cannot read them."""
        page = read(etree.fromstring(b"<p>" + raw, etree.HTMLParser(encoding="utf-8")))
        assert page.string(page.root)


def string_of(element: etree._Element, *, is_inside: bool = False) -> str:
    if not isinstance(element.tag, str):
        return ""
    text = "" if is_inside and element.tag in SOURCES else element.text or ""
    return text + "".join(string_of(child, is_inside=True) + (child.tail or "") for child in element)


def test_a_tree_that_is_read_is_left_as_it_was() -> None:
    for number in range(30):
        root = random_tree(number)
        before = etree.tostring(root.getroottree())
        for read in (read_by_python, loading.read_nodes):
            read(root).let_go(KEPT)
        assert etree.tostring(root.getroottree()) == before


def test_elements_behind_the_root_are_read() -> None:
    root = tree("<p>one</p></body></html><p>two</p><!-- three -->")
    page = loading.read_nodes(root)
    assert page.string(0) == "onetwo"
    tops = [node for node in range(1, page.count) if page.parent[node] == 0]
    assert [page.string(node) for node in tops] == [string_of(top) for top in [root, *root.itersiblings()]]
    assert page.element(tops[1]) is root.getnext()
