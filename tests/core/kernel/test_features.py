"""The compiled features of blocks and measurements of texts: they are those that Python gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_justext.core.elements import Elements
from scrapy_justext.core.learned.characters import _CHARACTERS, TextMeasurements, measure_in_python, measurer
from scrapy_justext.core.learned.features import compute, computer
from scrapy_justext.core.learned.table import NUMBERS
from scrapy_justext.core.learned.tree import read_elements
from scrapy_justext.core.parsing import parse_html
from scrapy_justext.core.reading import segment_and_count
from scrapy_justext.core.tags import LENIENT
from tests.builders import CORPORA, PAGES, corpus_pages, pure, read_page, tree
from tests.core.kernel.test_kernel import compiled, needs_kernel
from tests.core.learned.pages import PROSE, SENTENCES
from tests.property.strategies import bodies, soups

if TYPE_CHECKING:
    from lxml import etree

pytestmark = needs_kernel


def check_texts(texts: list[str]) -> None:
    measured = np.frombuffer(measurer(compiled().features).measure(texts)).reshape(len(TextMeasurements._fields), -1)
    for name, found, expected in zip(TextMeasurements._fields, measured, measure_in_python(texts), strict=True):
        assert np.array_equal(found, expected), name


def check_page(root: etree._Element) -> None:
    segments, count = segment_and_count(root, LENIENT)
    # Pages without text are not measured.
    if segments:
        check_texts(segments.collapsed)
    found = compute(segments, Elements(root, LENIENT, count))
    with pure():
        expected = compute(segments, Elements(root, LENIENT, count))
    for feature, numbers, right in zip(NUMBERS, found.numbers, expected.numbers, strict=True):
        assert numbers == pytest.approx(right, rel=1e-6, abs=1e-6), feature.name
    assert np.array_equal(found.names(slice(None)), expected.names(slice(None)))


def test_in_every_script() -> None:
    check_texts(
        [*SENTENCES.values(), "", " ", "x", ".", "..", ". .", "a.”", "a.”.", "😀 😀.", "\ud800", "A 1 \n B", "ǅ"]
    )


signs = st.sampled_from(["".join(_CHARACTERS.values()), "abcDEF 12$ ก中 한", '..·!? ”"']).flatmap(st.sampled_from)


@given(st.lists(st.text(signs | st.characters()), min_size=1))
def test_on_any_text(texts: list[str]) -> None:
    check_texts(texts)


@pytest.mark.full
def test_on_demo_pages() -> None:
    for page in PAGES.values():
        check_page(tree(read_page(page)))


@pytest.mark.full
@pytest.mark.skipif(not CORPORA.is_dir(), reason=f"{CORPORA} is not there")
@pytest.mark.parametrize("step", [80, pytest.param(8, marks=pytest.mark.full)])
def test_on_labelled_pages(step: int) -> None:
    for page in corpus_pages(step):
        check_page(tree(read_page(page)))


KINDS = [
    f"<h1>Old Harbour</h1><p>{PROSE}", "<h2>One</h2>", "<p>One. Two", f"<p><a href=x>{PROSE}</a>", "<li>", "<br><br>",
    "<pre><code>x = 1</code></pre>", "<table><tr><th>a<th>b<tr><td>c<td>d</table>", "<div class=menu><span><div>",
    "</div></div>", PROSE, *SENTENCES.values(),
]  # fmt: skip


@given(st.lists(st.sampled_from(KINDS), min_size=1, max_size=60), st.sampled_from(["", "One", PROSE * 20]))
def test_on_pages_of_all_kinds_of_blocks(parts: list[str], title: str) -> None:
    check_page(tree(f"<title>{title}</title><body>{''.join(parts)}"))


@given(bodies | soups)
def test_on_any_page(page: str) -> None:
    root = parse_html(page).root
    if root is not None:
        check_page(root)


@pytest.mark.parametrize(
    ("column", "values"), [("parents", [0, 2, 1]), ("ends", [3, 9, 3]), ("classes", [0, -1, 0]), ("paths", [0])]
)
def test_elements_that_cannot_be_are_told(column: str, values: list[int]) -> None:
    root = tree("<p>a<p>b")
    segments, count = segment_and_count(root, LENIENT)
    elements = Elements(root, LENIENT, count)
    columns = read_elements(elements)._replace(**{column: np.array(values)})
    with pytest.raises((ValueError, IndexError)):
        computer(compiled().features).compute(segments, columns, "")


def test_what_is_no_text_is_told() -> None:
    with pytest.raises(TypeError):
        measurer(compiled().features).measure([b"x"])  # type: ignore[list-item]
