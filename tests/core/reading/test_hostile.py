"""Trees that nobody expects are read without a fault; :mod:`.sanitized` looks at memory, too."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from scrapy_justext import extract
from scrapy_justext.core.profiles import PROFILES
from tests.builders import PAGES, RULES, cut, nested, pure, read_page, tree
from tests.core.reading.trees import change, random_tree
from tests.property.strategies import bodies, soups

if TYPE_CHECKING:
    from scrapy_justext.core.blocks import Segment

PROSE = "It was the best of times, it was the worst of times. " * 4
ENTITIES = '<!DOCTYPE html [<!ENTITY e "one\ufdd0"><!ENTITY f "&e;&e;"><!ENTITY g "x<p>y</p>">]>'
HOSTILE = {
    "noncharacters": "<div><pre class='\ufdd1;'>\ufdd0</pre>\ufdd1<a href='\ufdd0\ufdd1'>\ufdd1|</a>\ufdd0</div>",
    "entities": f"{ENTITIES}<html><p title='&f;'>&e;x&f;&g;</p><pre class='a&e;'>y</pre><img alt='&e;'/></html>",
    "an image that holds": f"<div><img alt='x'>a<blockquote>b</blockquote></img><ul><li>{PROSE}</li></ul>{PROSE}</div>",
    "long": f"<{'x' * 50_000} class='{'y ' * 50_000}'><p>{'é' * 100_000}</p></{'x' * 50_000}>",
    "empty": "<html/>",
}  # fmt: skip


def read(root: etree._Element) -> dict[str, list[Segment]]:
    """What is read of a tree, by all rules."""
    return {name: cut(root, rules) for name, rules in RULES.items()}


def extracted(root: etree._Element | str) -> list[dict[str, Any]]:
    # As dicts: what is made late is to be made here.
    return [extract(root, profile=profile, language="English", markdown=True).to_dict() for profile in PROFILES]


@pytest.mark.parametrize("numbers", [range(150), pytest.param(range(150, 3_000), marks=pytest.mark.full)], ids=str)
def test_random_trees_are_read_alike_without_compiled_code(numbers: range) -> None:
    roots = [random_tree(number) for number in numbers]
    found = [read(root) for root in roots]
    with pure():
        assert [read(root) for root in roots] == found


@pytest.mark.parametrize("number", range(40))
def test_trees_that_change_between_reads_are_read_as_they_are(number: int) -> None:
    root = random_tree(number)
    random = Random(number)
    for _ in range(5):
        change(root, random)
        found = read(root)
        with pure():
            assert read(root) == found


@given(page=bodies | soups, profile=st.sampled_from(list(PROFILES)), markdown=st.booleans())
def test_any_page_is_extracted_alike_without_compiled_code(page: str, profile: str, markdown: bool) -> None:
    found = extract(page, profile=profile, language="English", markdown=markdown).to_dict()
    with pure():
        assert extract(page, profile=profile, language="English", markdown=markdown).to_dict() == found


@pytest.mark.parametrize("xml", HOSTILE.values(), ids=HOSTILE)
def test_hostile_trees_are_extracted(xml: str) -> None:
    parser = etree.XMLParser(resolve_entities=False, strip_cdata=False, huge_tree=True)
    root = etree.fromstring(xml, parser)
    found = extracted(root)
    with pure():
        assert extracted(root) == found


def test_entities_that_are_declared_no_more_are_no_text() -> None:
    root = etree.fromstring(f"{ENTITIES}<html><p>x&e;y</p></html>", etree.XMLParser(resolve_entities=False))
    root.getroottree().docinfo.clear()
    assert [segment.text for segment in cut(root)] == ["xy"]


@pytest.mark.parametrize(
    ("xml", "path"),
    [
        ('<div><p>a</p><section><p hidden="">b</p><p>c</p></section></div>', "section"),
        ("<html><head><title>a</title></head><html><head><title>b</title></head><p>c</p></html></html>", "html"),
        # An element has siblings there, and is none of them.
        ("<div><p>a</p><article>b</article></div>", "p"),
    ],
)
@pytest.mark.parametrize("profile", PROFILES)
def test_what_was_cut_out_of_a_tree_is_extracted_as_its_copy(profile: str, xml: str, path: str) -> None:
    root = etree.XML(xml)
    part = root.find(path)
    assert part is not None
    root.remove(part)
    behind = etree.Element("p")
    behind.text = "d"
    part.addnext(behind)
    copied = etree.XML(etree.tostring(part, with_tail=False))
    readings = [extract(segment, profile=profile, markdown=True) for segment in (copied, part)]
    with pure():
        readings.append(extract(part, profile=profile, markdown=True))
    expected, *others = [(segment.title, segment.markdown, segment.column("text")) for segment in readings]
    assert others == [expected, expected]


@pytest.mark.parametrize(("is_pure", "depth"), [(False, 60_000), (True, 3_000)], ids=["compiled", "pure"])
def test_a_deep_tree_is_extracted(is_pure: bool, depth: int) -> None:
    """For Python it is not as deep: lxml looks at all ancestors whenever it lets go of an element."""
    root = very_deep(depth)
    if not is_pure:
        assert extract(root, language="English").blocks[0].text == "one"
        return
    with pure():
        assert extract(root, language="English").blocks[0].text == "one"


def very_deep(depth: int) -> etree._Element:
    """Elements in one another, from the innermost on: else lxml looks at all ancestors of each."""
    step = 500
    root = nested(["div", "b", "pre", "i"] * (step // 4), "one")
    for _ in range(depth // step - 1):
        around = nested(["div", "b", "table", "tr", "td"] * (step // 5), "")
        list(around.iter("td"))[-1].append(root)
        root = around
    return root


def test_threads_read_trees_and_extract_pages() -> None:
    roots = [random_tree(number) for number in range(16)] * 2 + [random_tree(1)] * 16
    pages = [read_page(page) for page in PAGES.values()]
    expected = [read(root) for root in roots]
    extracted = [extract(page, language="English") for page in pages]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(read, roots)) == expected
        assert list(pool.map(lambda page: extract(page, language="English"), pages * 4)) == extracted * 4


def test_a_style_that_ends_a_formula_before_a_letter_leaves_it_text() -> None:
    # Read without styles, the dollar stands before a letter, as that of a price.
    found = extract(f"<p>{PROSE}<i>$x^2$</i>what", language="English", markdown=True).markdown
    assert found.endswith("\\$x^2\\$what")


def test_a_table_alone_is_one_block() -> None:
    table = tree("<table><tr><th>a<th>b<tr><td>c<td>d</table>").find(".//table")
    assert table is not None
    assert [segment.text for segment in cut(table)] == ["a\tb\nc\td"]
    assert [segment.text for segment in cut(table[0])] == ["a", "b"]
