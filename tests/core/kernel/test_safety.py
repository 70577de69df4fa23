"""Trees that nobody expects: compiled code reads nothing outside of them, and gives what Python gives.

``python -m tests.core.kernel.sanitized`` runs these tests with code that ends the process at such a read.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree, html

from scrapy_justext import extract
from scrapy_justext.core.flattening import flatten
from scrapy_justext.core.kernel.expressions import EntityError
from scrapy_justext.core.profiles import PROFILES
from tests.builders import cut, nested, pure, tree
from tests.core.kernel.test_kernel import needs_kernel, written
from tests.core.kernel.trees import change, random_tree
from tests.core.test_reading import STYLED
from tests.property.strategies import bodies, soups

pytestmark = needs_kernel

ENTITIES = '<!DOCTYPE html [<!ENTITY e "one\ufdd0"><!ENTITY f "&e;&e;"><!ENTITY g "x<p>y</p>">]>'
PROSE = "It was the best of times, it was the worst of times. " * 4
HOSTILE = {
    "noncharacters": "<div><pre class='\ufdd1;'>\ufdd0</pre>\ufdd1<a href='\ufdd0\ufdd1'>\ufdd1|</a>\ufdd0</div>",
    "characters beside ours": "<div>\ufdcf\ufdd2<p>\uf000\uffef</p>\U0001fdd0</div>",
    "entities": f"{ENTITIES}<html><p title='&f;'>&e;x&f;&g;</p><pre class='a&e;'>y</pre><img alt='&e;'/></html>",
    "entities of code": f"{ENTITIES}<div><table class='&e;highlighttable'><tr><td>&e;</td></tr></table>x</div>",
    "CDATA": "<html><p><![CDATA[x < y]]></p><script><![CDATA[z]]></script><pre><![CDATA[\ufdd0]]></pre></html>",
    "namespaces": "<h xmlns='http://www.w3.org/1999/xhtml'><p xmlns:y='u' y:hidden=''>a<y:select/><y:p>b</y:p></p></h>",
    "beside the root": "<?pi a?><!-- c --><html><p>a<?x y?>b<!-- d --></p></html><?pi z?><!-- \ufdd0 -->",
    "an image that holds": f"<div><img alt='x'>a<blockquote>b</blockquote></img><ul><li>{PROSE}</li></ul>{PROSE}</div>",
    "long": f"<{'x' * 50_000} class='{'y ' * 50_000}'><p>{'é' * 100_000}</p></{'x' * 50_000}>",
    "empty": "<html/>",
}  # fmt: skip


def parsed(xml: str) -> etree._Element:
    return etree.fromstring(xml, etree.XMLParser(resolve_entities=False, strip_cdata=False, huge_tree=True))


def read(root: etree._Element) -> dict[str, Any]:
    """What is read of a tree, by all rules."""
    return {name: (flatten(root, rules), cut(root, rules)) for name, rules in STYLED.items()}


def check(root: etree._Element) -> None:
    found = read(root)
    with pure():
        assert read(root) == found


def extracted(root: etree._Element) -> list[dict[str, Any]]:
    # As dicts: what is made late is to be made here.
    return [extract(root, profile=profile, language="English", markdown=True).to_dict() for profile in PROFILES]


@pytest.mark.parametrize("numbers", [range(150), pytest.param(range(150, 3_000), marks=pytest.mark.full)], ids=str)
def test_random_trees(numbers: range) -> None:
    for number in numbers:
        check(random_tree(number))


@given(page=bodies | soups, profile=st.sampled_from(list(PROFILES)), markdown=st.booleans())
def test_any_page(page: str, profile: str, markdown: bool) -> None:
    found = extract(page, profile=profile, language="English", markdown=markdown).to_dict()
    with pure():
        assert extract(page, profile=profile, language="English", markdown=markdown).to_dict() == found


@pytest.mark.parametrize("xml", HOSTILE.values(), ids=HOSTILE)
def test_each_element_of_a_tree(xml: str) -> None:
    root = parsed(xml)
    for node in root.iter(etree.Element):
        check(node)
    found = extracted(root)
    with pure():
        assert extracted(root) == found


def test_a_table_alone() -> None:
    # Its end has no mark.
    table = parsed("<table><tr><th>a</th><th>b</th></tr><tr><td>c</td><td>d</td></tr></table>")
    check(table)
    check(table[0])


def test_what_is_no_element_of_a_page() -> None:
    for node in (etree.Comment("x"), etree.ProcessingInstruction("x", "y"), etree.Entity("amp")):
        root = parsed("<p>a</p>")
        root.append(node)
        for rules in STYLED.values():
            written(node, rules)
    assert written(root, STYLED["justext"])


def test_what_only_claims_to_be_an_element() -> None:
    claims = type("Claims", (), {"__class__": etree._Element, "__slots__": ()})()
    assert isinstance(claims, etree._Element)
    with pytest.raises(TypeError, match="no element"):
        written(claims, STYLED["justext"])
    with pytest.raises(ValueError, match="without a node"):
        written(etree._Element.__new__(etree._Element), STYLED["justext"])


def test_elements_of_other_classes() -> None:
    own = type("Own", (etree.ElementBase,), {"more": None})
    lookup = etree.ElementDefaultClassLookup(element=own)
    parser = etree.HTMLParser()
    parser.set_element_class_lookup(lookup)
    check(etree.fromstring("<p>a<b>b</b><table><tr><td>c</table>", parser))
    check(html.fromstring("<div>a<p hidden>b</p>c</div>"))


def test_elements_that_are_not_in_their_tree_any_more() -> None:
    root = tree("<div>a<p>b<i>c</i></p>tail</div><p>d")
    part = root[0][0][0]
    root[0][0].remove(part)
    check(part)
    check(root)
    del root
    check(part)


def test_entities_that_are_declared_no_more() -> None:
    """Compiled code does not look for what they stand for; libxml2 does that itself."""
    root = parsed(f"{ENTITIES}<html><p>x&e;y</p><pre class='&f;'>y</pre></html>")
    root.getroottree().docinfo.clear()
    assert written(root[0], STYLED["justext"]).count("x") == 1
    with pytest.raises(EntityError):
        written(root, STYLED["justext"])


def test_elements_behind_the_root() -> None:
    root = etree.fromstring("<p>one</p></body></html><p>two</p><!-- three -->", etree.HTMLParser())
    for node in root.getroottree().getroot().iter(etree.Element):
        check(node)


@pytest.mark.parametrize(
    "raw", [b"\xef\xef\xb7\x90x", b"a\xef<!-- -->\xb7\x90", b"\xff\xef\xb7", b"\xc3<img alt='\xef\xb7'>"]
)
def test_bytes_that_are_no_utf8(raw: bytes) -> None:
    """libxml2 before 2.14 leaves them in the tree, where Python cannot read them."""
    root = etree.fromstring(b"<p>" + raw, etree.HTMLParser(encoding="utf-8"))
    for rules in STYLED.values():
        assert cut(root, rules)


@pytest.mark.full
def test_trees_that_change_between_reads() -> None:
    for number in range(40):
        root = random_tree(number)
        random = Random(number)
        for _ in range(5):
            change(root, random)
            check(root)


@pytest.mark.full
@pytest.mark.parametrize(("is_pure", "depth"), [(False, 200_000), (True, 3_000)], ids=["compiled", "pure"])
def test_a_deep_tree(is_pure: bool, depth: int) -> None:
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


@pytest.mark.full
def test_threads_read_one_tree_and_many() -> None:
    roots = [random_tree(number) for number in range(16)] * 2 + [random_tree(1)] * 16
    expected = [read(root) for root in roots]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(read, roots)) == expected


def test_a_style_that_ends_a_formula_before_a_letter_leaves_it_text() -> None:
    # Read without styles, the dollar stands before a letter, as that of a price.
    page = f"<p>{PROSE}<i>$x^2$</i>what"
    found = extract(page, language="English", markdown=True).markdown
    assert found.endswith("\\$x^2\\$what")
    with pure():
        assert extract(page, language="English", markdown=True).markdown == found
