"""The compiled second pass: markers, features and trees give what those in Python give."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from scrapy_justext.core.elements import Elements
from scrapy_justext.core.learned.features import compute
from scrapy_justext.core.learned.markers import MARKERS
from scrapy_justext.core.learned.second import (
    LONGEST_LABEL,
    OWN,
    computer,
    features_in_python,
    marker_reader,
    read_markers,
    second_features,
)
from scrapy_justext.core.learned.trees import Trees
from scrapy_justext.core.parsing import parse_html
from scrapy_justext.core.reading import segment_and_count
from scrapy_justext.core.tags import LENIENT
from tests.builders import CORPORA, PAGES, corpus_pages, read_page, tree
from tests.core.kernel.test_features import KINDS as PARTS
from tests.core.kernel.test_kernel import compiled, needs_kernel
from tests.core.learned.pages import computed
from tests.property.strategies import bodies, soups

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lxml import etree
    from numpy.typing import NDArray

    from scrapy_justext.core.learned.features import Features

pytestmark = needs_kernel


def check_markers(texts: Sequence[str]) -> None:
    found = np.frombuffer(marker_reader(compiled().second).read(list(texts)), np.uint32).tolist()
    different = [row for row in zip(texts, found, read_markers(texts).tolist(), strict=True) if row[1] != row[2]]
    assert not different


def check_features(features: Features, first: NDArray[Any]) -> None:
    values = first.astype(np.float32)
    found, expected = second_features(features, values), features_in_python(features, values)
    # Sums of all of a page are rounded otherwise.
    assert np.allclose(found, expected, rtol=1e-6, atol=1e-6)


def check_page(root: etree._Element) -> None:
    segments, count = segment_and_count(root, LENIENT)
    if segments:
        features = compute(segments, Elements(root, LENIENT, count))
        check_markers(segments.collapsed)
        for seed in range(2):
            check_features(features, np.random.default_rng(seed).random(features.count))
        check_features(features, np.arange(features.count) % 2)


PHRASES = [phrase for languages in MARKERS.values() for one in languages.values() for phrase in one.split(", ")]
#: What is in no list, and all that a date may have, with digits and white space of other scripts.
SIGNS = [
    "",
    " ",
    "x",
    "_",
    "-",
    "\u3000",
    "\xa0",
    "İ",
    "ß",
    "́",
    "1",
    "20",
    "19",
    "٣",
    "²",
    ":",
    ".",
    "/",
    "年",
    "월",
    "\U0001d7ce",
]


class TestMarkers:
    def test_every_phrase(self) -> None:
        check_markers([*PHRASES, *map(str.upper, PHRASES), *map(str.title, PHRASES)])
        check_markers([f"x {phrase}, {other}" for phrase, other in pairwise(PHRASES)])

    @pytest.mark.parametrize(
        "text",
        [
            "10:15", "1:5", "12/05/2024", "1.2.3", "1.23.4", "1.234.5", "1-2", "2024年", "5 月", "5  月", "2019",
            "x2019", "2019x", "2119", "1999.", "20190", "٣:٤٥", "1\u30002", "5\u3000월", "19٩٩", "", "1",
            "1:", "1.", "1.2.",
        ],
    )  # fmt: skip
    def test_dates(self, text: str) -> None:
        check_markers([text, f"a {text}", f"{text} b", f"a{text}b", f"_{text}_", f"é{text}é"])

    def test_of_texts_that_are_longer_in_lower_case(self) -> None:
        check_markers(["İ" * length for length in range(LONGEST_LABEL - 1, LONGEST_LABEL + 2)])

    @given(st.lists(st.lists(st.sampled_from(PHRASES) | st.sampled_from(SIGNS) | st.characters()).map("".join)))
    def test_on_any_text(self, texts: list[str]) -> None:
        check_markers(texts)

    @given(st.lists(st.lists(st.sampled_from(PHRASES).flatmap(st.sampled_from), max_size=30).map("".join)))
    def test_on_any_mixture_of_characters(self, texts: list[str]) -> None:
        check_markers(texts)

    def test_what_is_no_text_is_told(self) -> None:
        with pytest.raises(TypeError):
            marker_reader(compiled().second).read([b"x"])  # type: ignore[list-item]


class TestFeatures:
    def test_on_demo_pages(self) -> None:
        for page in PAGES.values():
            check_page(tree(read_page(page)))

    @pytest.mark.skipif(not CORPORA.is_dir(), reason=f"{CORPORA} is not there")
    @pytest.mark.parametrize("step", [80, pytest.param(8, marks=pytest.mark.full)])
    def test_on_labelled_pages(self, step: int) -> None:
        for page in corpus_pages(step):
            check_page(tree(read_page(page)))

    @given(
        st.lists(st.sampled_from([*PARTS, "<h2>Comments</h2>", "<p>Share", "<p>2 May 2019"]), min_size=1, max_size=60),
        st.data(),
    )
    def test_on_pages_of_all_kinds_of_blocks(self, parts: list[str], data: st.DataObject) -> None:
        features = computed(f"<body>{''.join(parts)}<p>x")
        numbers = st.sampled_from([0, 0.25, 0.5, 1]) | st.floats(0, 1, width=32)
        check_features(features, data.draw(arrays(np.float32, features.count, elements=numbers)))

    @given(bodies | soups)
    def test_on_any_page(self, page: str) -> None:
        root = parse_html(page).root
        if root is not None:
            check_page(root)

    @pytest.mark.parametrize(
        ("changed", "value"),
        [
            ("parents", np.array([0, 2, 1, 1, 1])),
            ("ends", np.array([3, 9, 3, 3, 3])),
            ("ends", np.array([3])),
            ("classes", np.array([0, -1, 0, 0, 0])),
            ("paths", np.array([0])),
            ("element", np.array([1, 5])),
            ("element", np.array([-1, 1])),
            ("element", np.array([1])),
            ("first", np.zeros(3, np.float32)),
            ("numbers", np.zeros((3, 2), np.float32)),
            ("numbers", np.zeros((0, 2), np.float32)),
            ("markers", b""),
        ],
    )
    def test_pages_that_cannot_be_are_told(self, changed: str, value: Any) -> None:
        features = computed("<p>a<p>b")
        assert features.view is not None
        given: dict[str, Any] = {
            "numbers": features.numbers,
            "first": np.zeros(2, np.float32),
            "columns": features.view.columns,
            "element": features.view.element,
            "markers": bytes(8),
        }
        assert len(computer(compiled().second).compute(**given)) % 8 == 0
        if changed in given:
            given[changed] = value
        else:
            given["columns"] = features.view.columns._replace(**{changed: value})
        with pytest.raises((ValueError, IndexError)):
            computer(compiled().second).compute(**given)

    @pytest.mark.parametrize("constant", [{"own_rows": len(OWN) + 1}, {"kinds": 33}])
    def test_other_tables_are_told(self, monkeypatch: pytest.MonkeyPatch, constant: dict[str, int]) -> None:
        made = compiled().second.SecondComputer

        def changed(constants: dict[str, Any]) -> Any:
            return made(constants | constant)

        monkeypatch.setattr(compiled().second, "SecondComputer", changed, raising=False)
        with pytest.raises(ValueError, match=r"features|kinds"):
            computer.__wrapped__(compiled().second)


class TestTrees:
    @given(st.integers(1, 9), st.integers(0, 8), st.integers(0, 600), st.integers(0, 9))
    def test_they_are_asked_alike(self, trees: int, levels: int, blocks: int, seed: int) -> None:
        random = np.random.default_rng(seed)
        features = random.integers(0, 3, (5, blocks)).astype(np.float32)
        asked = Trees(
            random.integers(0, 5, (trees, levels)).astype(np.int16),
            random.integers(0, 3, (trees, levels)).astype(np.float32),
            random.random((trees, 1 << levels), np.float32),
        )
        # Numpy sums the trees of a single block in another order.
        assert np.allclose(asked.log_odds(features), asked.log_odds_in_python(features), rtol=1e-6)
        # Which features weighed most does not depend on who sums.
        assert np.array_equal(asked.weights(features), asked.weights_in_python(features))

    @pytest.mark.parametrize(
        ("columns", "borders", "leaves"),
        [([[2]], [[0]], [[1, 2]]), ([[-1]], [[0]], [[1, 2]]), ([[0]], [[0]], [[1]]), ([[0]], [[0, 1]], [[1, 2]])],
    )
    def test_trees_that_cannot_be_are_told(self, columns: Any, borders: Any, leaves: Any) -> None:
        trees = Trees(np.array(columns, np.int16), np.array(borders, np.float32), np.array(leaves, np.float32))
        with pytest.raises(ValueError, match=r"trees|features"):
            trees.log_odds(np.zeros((2, 3), np.float32))
        with pytest.raises(ValueError, match=r"trees|features"):
            trees.weights(np.zeros((2, 3), np.float32))
