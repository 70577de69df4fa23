"""The elements that blocks stand in: their numbers and their paths.

XPaths select the block's element in the page as parsed; DOM paths name it and what is above.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from lxml import etree

from scrapy_justext import Block, extract
from scrapy_justext.core.parsing import parse_html
from scrapy_justext.core.profiles import PROFILES
from scrapy_justext.core.reading.loading import read_nodes
from scrapy_justext.core.reading.page import read_blocks
from scrapy_justext.core.reading.paths import Paths, element_paths
from scrapy_justext.core.reading.rules import MODERN
from tests.builders import (
    PAGES,
    RULES,
    SECONDS,
    all_text,
    ancestors_and_self,
    cut,
    processor_seconds,
    read_page,
    select,
    tree,
)
from tests.products import in_turn
from tests.property.strategies import bodies, soups

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_justext.core.reading.nodes import Nodes
    from scrapy_justext.core.reading.rules import TagRules

EVERY_PROFILE = pytest.mark.parametrize("profile", PROFILES)


def blocks_with_paths(page: str | etree._Element, profile: str = "justext") -> list[Block]:
    return list(extract(page, language="English", profile=profile, paths=True).blocks)


def check(root: etree._Element, blocks: list[Block]) -> None:
    for block in blocks:
        assert block.xpath is not None
        found = select(root, block.xpath)
        assert len(found) == 1, block
        [element] = found
        assert element.tag == block.tag
        assert block.dom_path == ".".join(str(above.tag) for above in ancestors_and_self(element))
        # Comments and removed elements may stand between the words.
        characters = iter(all_text(element) if block.image_url is None else element.get("alt", ""))
        assert all(c in characters for c in block.text if not c.isspace() and c != "\ufffd"), block


@pytest.mark.parametrize(("page", "profile"), in_turn(PAGES, {name: name for name in PROFILES}))
def test_each_block_of_a_demo_page_is_found_by_its_xpath(page: Path, profile: str) -> None:
    root = tree(read_page(page))
    check(root, blocks_with_paths(root, profile))


#: What a page is, its markup, and the XPaths of its blocks' elements in BODY.
ODD = [
    ("text directly in BODY", "one", [""]),
    ("siblings of one name", "<body><p>one</p><div>two</div><p>three</p>", ["/p[1]", "/div[1]", "/p[2]"]),
    ("a block left out before", "<body><p> </p><p>one", ["/p[2]"]),
    ("removed siblings before", "<body><svg><p>x</p></svg><p hidden>x</p><!-- x --><?pi x?><p>one", ["/p[2]"]),
    ("inline elements above", "<body><b><div>x</div></b><b><x-y><div>one</div></x-y></b>",
     ["/b[1]/div[1]", "/b[2]/x-y[1]/div[1]"]),
    ("text after a nested block", "<body><div>one<p>two</p>three</div>", ["/div[1]", "/div[1]/p[1]", "/div[1]"]),
    ("a tag with a colon", "<body><b>x</b><o:p><div>one</div></o:p><o:p><div>two</div></o:p>",
     ["", "/*[2]/div[1]", "/*[3]/div[1]"]),
    ("a tag that XPath would not read", '<body><foo"bar><div>one</div></foo"bar><a1><x{y}><div>two</div></x{y}></a1>',
     ["/*[1]/div[1]", "/a1[1]/*[1]/div[1]"]),
    ("BR runs", "<body><p>one<br><br>two", ["/p[1]"] * 2),
]  # fmt: skip


@pytest.mark.parametrize(("html", "expected"), [c[1:] for c in ODD], ids=[c[0] for c in ODD])
def test_paths_of_odd_pages(html: str, expected: list[str]) -> None:
    root = tree(html)
    blocks = blocks_with_paths(root)
    check(root, blocks)
    assert [block.xpath for block in blocks] == [f"/html[1]/body[1]{path}" for path in expected]


@EVERY_PROFILE
@pytest.mark.parametrize(
    "html",
    [
        "<form><p>one</p><iframe>x</iframe><p>two</p></form><p>three",
        "<h2><button>one</button></h2><button>x</button><h2>two<p>three</p></h2>",
        "<select><option>one</select><select><option>two</select><p>three",
        "<table><tr><td>one<table><tr><td>two</table>three<tr><td>four</table>five",
        "<frameset><frame></frameset>one<p>two</p>",
        "<ul><li>one<ul><li>two</ul>three<li>four</ul>five",
        "<a><p>one</p></a><a><p>two</p></a>", "<textarea>one</textarea><p>two", "<p>one</p></body></html><p>two</p>",
        "<p>on\ufdd0e</p><p>t\ufdd1wo</p>",
    ],
)  # fmt: skip
def test_xpaths_on_odd_pages(html: str, profile: str) -> None:
    root = tree(html)
    blocks = blocks_with_paths(root, profile)
    assert blocks
    check(root, blocks)
    assert "</html>" not in html or [block.text for block in blocks] == ["one", "two"]


@EVERY_PROFILE
@pytest.mark.parametrize("path", ["//div", "//b", "//ul", "//li[2]", "//o"])
def test_a_subtree_s_paths_are_those_in_the_whole_page(path: str, profile: str) -> None:
    root = tree("<!-- x --><p>x</p><div>one<b>two<p>three</p></b><ul><li>x<li>four<o>five<p>six</p></o></ul></div>x")
    subtree = select(root, path)[0]
    blocks = blocks_with_paths(subtree, profile)
    assert blocks
    for block in blocks:
        [element] = select(root, str(block.xpath))
        assert subtree in list(ancestors_and_self(element))
        assert block.text.split()[0] in all_text(element)
        assert block.dom_path == ".".join(str(above.tag) for above in ancestors_and_self(element))


def test_paths_are_made_for_the_elements_that_are_asked_for_however_deep() -> None:
    root = tree("<div><p>one</p><div><p>two</p></div></div>")
    blocks, flow = read_blocks(read_nodes(root), MODERN)
    found = element_paths(flow, root, [blocks[1].element])
    assert found == {blocks[1].element: Paths("/html[1]/body[1]/div[1]/div[1]/p[1]", "html.body.div.div.p")}
    [deep] = blocks_with_paths("<div>" * 600 + "one")
    assert deep.dom_path == "html.body" + ".div" * 600


def test_what_is_around_is_not_read_for_each_path() -> None:
    root = tree(f"<div class='{'c ' * 2_000_000}'>{'<pre>x</pre>' * 20_000}")
    _, flow = read_blocks(read_nodes(root), MODERN)
    assert processor_seconds(lambda: element_paths(flow, root, range(20_000))) < SECONDS


def test_blocks_get_no_paths_when_the_page_s_paths_are_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scrapy_justext.core.reading.paths.MOST_CHARACTERS", 6000)
    blocks = blocks_with_paths("<div>" * 20 + "<p>one" * 20)
    has_path = [block.xpath is not None for block in blocks]
    assert has_path == sorted(has_path, reverse=True)
    assert has_path[0]
    assert not has_path[-1]
    assert sum(len(block.xpath or "") for block in blocks) < 6000
    assert [block.dom_path is not None for block in blocks] == has_path


def test_a_long_name_is_not_copied_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scrapy_justext.core.reading.paths.MOST_CHARACTERS", 10_000)
    made: list[Paths] = []
    below = Paths.below

    def noted(paths: Paths, name: str, step: str) -> Paths:
        made.append(below(paths, name, step))
        return made[-1]

    monkeypatch.setattr(Paths, "below", noted)
    name = "x-" + "y" * 1000
    [block] = blocks_with_paths(f"<{name}>" * 100 + "<p>one")
    assert (block.xpath, block.dom_path) == (None, None)
    assert sum(len(paths.xpath or "") for paths in made) < 20_000


@pytest.mark.parametrize("tag", ["script", "head", "style"])
@EVERY_PROFILE
def test_a_root_that_is_removed_has_no_blocks(tag: str, profile: str) -> None:
    root = etree.Element(tag)
    root.text = "x"
    assert blocks_with_paths(root, profile) == []


def test_entities_left_in_a_tree_are_no_elements() -> None:
    parser = etree.XMLParser(resolve_entities=False)
    root = etree.fromstring('<!DOCTYPE p [<!ENTITY e "x">]><p>one &e; two</p>', parser)
    assert [b.text for b in blocks_with_paths(root, "justext-3.0")] == ["one two"]


@pytest.mark.parametrize(("page", "rules"), in_turn(PAGES, RULES))
def test_blocks_stand_in_the_innermost_block_level_element(page: Path, rules: TagRules) -> None:
    check_elements(tree(read_page(page)), rules)


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
@given(page=bodies | soups)
def test_those_of_any_page_do(rules: TagRules, page: str) -> None:
    root = parse_html(page).root
    if root is not None:
        check_elements(root, rules)


def check_elements(root: etree._Element, rules: TagRules) -> None:
    """Check that blocks have elements that are block-level, or the root, in document order, with all of their text."""
    blocks, flow = read_blocks(page := read_nodes(root), rules)
    assert list(flow.elements) == sorted(flow.elements)
    assert all(page.name(node) in rules.block_level for node in flow.elements[1:])
    for element in blocks:
        node = flow.elements[element.element]
        assert element.tag == page.name(node)
        if element.kind not in ("code", "table"):
            places = {
                flow.place(i)
                for i in range(element.begin, element.end)
                if flow.codes[i] == "t" and flow.text(i).strip()
            }
            assert {innermost(page, place, rules) for place in places} <= {node}


def innermost(page: Nodes, node: int, rules: TagRules) -> int:
    """The nearest block-level element at or around a node; the root without one."""
    while page.name(node) not in rules.block_level:
        node = page.parent[node]
        if node <= 0:
            return page.root
    return node


#: Elements with removed ones around and in them, and those that are numbered: by the profile's name.
REMOVED = {
    "<h2><button><p>a</button></h2><button><p>b</button><p>c": "html body h2 p p",
    "<h2 hidden><button><p>a</button></h2><p>c": "html body p",
    "<h2><button hidden><p>a</button></h2><p>c": "html body h2 p",
    "<span hidden><div hidden><p>a</div></span><p>b": "html body p",
    "<svg><button><p>a</button></svg><h1>b<svg><p>x</svg></h1>": "html body h1",
    "<html hidden><body hidden><p>a": "html body p",
    "<template><p>a</p></template><noscript><p>b</p></noscript><p>c": "html body p",
    "</html><p>a<p hidden>b</p><div>c": "html body p div",
    "<pre>a = 1<div class=lineno><p>b</p></div><div>c</div></pre><img><select><option>d</select>": (
        "html body pre div select option"
    ),
}


@pytest.mark.parametrize("html", REMOVED)
def test_elements_that_are_removed_are_not_numbered(html: str) -> None:
    _, flow = read_blocks(page := read_nodes(tree(html)), MODERN)
    assert " ".join(["html", *map(page.name, flow.elements[1:])]) == REMOVED[html]


@pytest.mark.parametrize("name", ["html", "body"])
def test_html_and_body_are_nothing_beside_code(name: str) -> None:
    root = etree.XML(f'<x><pre>a = 1<{name} class="toolbar"><p>b</p></{name}></pre></x>')
    assert [(segment.text, segment.kind) for segment in cut(root)] == [("a = 1\nb", "code")]
