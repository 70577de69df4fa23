"""The compiled measurements of texts: they are those that Python gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_justext.core.learned.characters import _CHARACTERS, TextMeasurements, measure_in_python, measure_texts
from scrapy_justext.core.reading import segment_tree
from scrapy_justext.core.tags import LENIENT
from tests.builders import CORPORA, PAGES, corpus_pages, read_page, tree
from tests.core.kernel.test_kernel import needs_kernel
from tests.core.learned.pages import SENTENCES

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = needs_kernel


def check_texts(texts: list[str]) -> None:
    found, expected = measure_texts(texts), measure_in_python(texts)
    for name in TextMeasurements._fields:
        assert np.array_equal(getattr(found, name), getattr(expected, name)), name


def check_page(page: Path) -> None:
    # Pages without text are not measured.
    if texts := [segment.collapsed for segment in segment_tree(tree(read_page(page)), LENIENT)]:
        check_texts(texts)


def test_in_every_script() -> None:
    check_texts(
        [*SENTENCES.values(), "", " ", "x", ".", "..", ". .", "a.”", "a.”.", "😀 😀.", "\ud800", "A 1 \n B", "ǅ"]
    )


signs = st.sampled_from(["".join(_CHARACTERS.values()), "abcDEF 12$ ก中 한", '..·!? ”"']).flatmap(st.sampled_from)


@given(st.lists(st.text(signs | st.characters()), min_size=1))
def test_on_any_text(texts: list[str]) -> None:
    check_texts(texts)


def test_on_demo_pages() -> None:
    for page in PAGES.values():
        check_page(page)


@pytest.mark.skipif(not CORPORA.is_dir(), reason=f"{CORPORA} is not there")
@pytest.mark.parametrize("step", [80, pytest.param(8, marks=pytest.mark.full)])
def test_on_labelled_pages(step: int) -> None:
    for page in corpus_pages(step):
        check_page(page)


def test_what_is_no_text_is_told() -> None:
    with pytest.raises(TypeError):
        measure_texts([b"x"])  # type: ignore[list-item]
