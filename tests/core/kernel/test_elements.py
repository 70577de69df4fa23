"""The compiled reader of elements: it gives what Python gives."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from lxml import etree

from scrapy_justext.core.elements import Elements
from scrapy_justext.core.kernel import check
from scrapy_justext.core.learned.names import NAMES
from scrapy_justext.core.learned.tree import SET_SIZE, ElementColumns, element_reading, read_elements, read_in_python
from scrapy_justext.core.parsing import parse_html
from scrapy_justext.core.reading import segment_and_count
from scrapy_justext.core.tags import LENIENT
from tests.builders import CORPORA, PAGES, corpus_pages, nested, read_page, tree
from tests.core.kernel.test_kernel import needs_kernel
from tests.core.test_reading import STYLED
from tests.property.strategies import bodies, soups

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_justext.core.tags import TagRules

pytestmark = needs_kernel
ALL_RULES = pytest.mark.parametrize("rules", STYLED.values(), ids=STYLED)


def check_elements(root: etree._Element, rules: TagRules = LENIENT) -> None:
    count = segment_and_count(root, rules, watcher=(reading := element_reading(root, rules)))[1]
    expected = read_in_python(Elements(root, rules, count))
    # What is read on the way, and what is read for itself.
    for elements in (Elements(root, rules, count, reading=reading), Elements(root, rules, count)):
        found = read_elements(elements)
        for name in ElementColumns._fields:
            assert np.array_equal(getattr(found, name), getattr(expected, name)), name


ATTRIBUTES: list[dict[str, str]] = [
    {},
    {"class": "post-content"},
    {"class": "sidebar", "id": "Menu"},
    {"class": ""},
    {"class": "post-content", "style": "display: none"},
    {"hidden": "", "aria-hidden": "true", "role": "navigation"},
    {"class": f"{'é' * 299}ads", "itemprop": "articleBody", "data-x": "comment"},
    {"class": f"{'中' * 297} ads", "aria-hidden": "false", "{urn:x}class": "footer"},
]


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_on_demo_pages(page: Path) -> None:
    check_elements(tree(read_page(page)))


@pytest.mark.skipif(not CORPORA.is_dir(), reason=f"{CORPORA} is not there")
@pytest.mark.parametrize("step", [80, pytest.param(8, marks=pytest.mark.full)])
def test_on_labelled_pages(step: int) -> None:
    for page in corpus_pages(step):
        check_elements(tree(read_page(page)))


@ALL_RULES
@given(page=bodies | soups, attributes=st.lists(st.sampled_from(ATTRIBUTES), min_size=1))
def test_on_any_page(rules: TagRules, page: str, attributes: list[dict[str, str]]) -> None:
    root = parse_html(page).root
    assume(root is not None)
    assert root is not None
    for node, given_ in zip(root.iter(etree.Element), cycle(attributes), strict=False):
        for name, value in given_.items():
            node.set(name, value)
    check_elements(root, rules)


@ALL_RULES
@pytest.mark.parametrize("page", check.PAGES)
def test_on_the_pages_of_the_check(rules: TagRules, page: str) -> None:
    check_elements(etree.fromstring(page, etree.HTMLParser()), rules)


def test_on_each_part_of_a_page() -> None:
    root = tree("<div class=menu><a class=ads><p id=main>x</a></p><p class=menu>y<p class=menu>z</div><p>w")
    for part in root.iter(etree.Element):
        check_elements(part)


@pytest.mark.parametrize(
    "xml",
    [
        '<!DOCTYPE html [<!ENTITY e "menu">]><html><p class="&e;">b</p><p class="x&e;">c</p><p>d</p></html>',
        '<html xmlns="http://www.w3.org/1999/xhtml"><p class="menu">a</p></html>',
        "<p><p>a</p><?x y?><p>b<!-- d --></p></p>",
    ],
)
def test_on_xml(xml: str) -> None:
    check_elements(etree.fromstring(xml, etree.XMLParser(resolve_entities=False)))


def test_a_formula_s_element_is_left_to_python() -> None:
    check_elements(tree("<p>a<span class=katex><math><annotation encoding='application/x-tex'>x</annotation></math>b"))


def test_a_tree_made_by_hand_may_be_deep() -> None:
    check_elements(nested(["html", "body", *["div", "b"] * 5_000], "one"))


@given(st.text(st.sampled_from("aAbBzZ[@`{ -_9éÀİ\u0131中")), st.sampled_from(["class", "id", "role"]))
def test_on_any_value(prefix: str, attribute: str) -> None:
    root = tree("<p>a<p>b")
    for i, word in enumerate(["ads", "Ads", "ADS", "sideBar", "navADSx"]):
        root[0][i % 2].set(attribute, f"{prefix}{word}")
        check_elements(root)
        root[0][i % 2].set(attribute, f"{word}{prefix}{word}")
        check_elements(root)


def test_a_set_has_room_for_all_names() -> None:
    assert len(NAMES) <= 8 * SET_SIZE


def test_values_are_forgotten_when_they_are_too_many() -> None:
    page = "".join(f"<p class='menu x{number}'>a" for number in range(20_000))
    check_elements(tree(page))
    check_elements(tree(page))
