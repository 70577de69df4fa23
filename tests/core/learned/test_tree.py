"""The elements that blocks stand in: the names that their attributes give."""

from __future__ import annotations

import pytest
from lxml import etree

from scrapy_justext.core.learned.names import NAMES
from scrapy_justext.core.learned.tree import read_elements, word_bits
from scrapy_justext.core.reading.loading import read_nodes
from scrapy_justext.core.reading.page import read_blocks
from scrapy_justext.core.reading.rules import MODERN


def names_in(value: str) -> set[str]:
    bits = word_bits(value)
    return {name for position, name in enumerate(NAMES) if bits >> position & 1}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("header-ad", {"header", "ad"}), ("loading", {"error"}),
        ("postContent", {"post", "content"}),
        ("ADS", {"ad"}), ("x-1 42", set()), ("leftSidebar", {"sidebar"}),
    ],
)  # fmt: skip
def test_words_are_found_in_the_parts_of_a_value(value: str, expected: set[str]) -> None:
    assert names_in(value) == expected


@pytest.mark.parametrize("attribute", ["class", "id", "role", "itemprop", "style"])
def test_of_long_values_only_the_beginning_is_read_and_kept(attribute: str) -> None:
    before = word_bits.cache_info().currsize
    values = [f"sidebar display: none {'x' * length} footer visibility: hidden" for length in (1_000_000, 2_000_000)]
    first, second, beginning = (
        read_elements(read_blocks(read_nodes(etree.Element("p", {attribute: value})), MODERN)[1])
        for value in (*values, "sidebar display: none")
    )
    assert first.sets == second.sets == beginning.sets
    assert word_bits.cache_info().currsize <= before + 2
