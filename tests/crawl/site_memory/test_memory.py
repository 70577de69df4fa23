"""Which blocks are bad: both sides of each limit."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scrapy_justext.core.blocks import BAD
from scrapy_justext.crawl.settings import configure
from scrapy_justext.crawl.site_memory.memory import find_repeated
from scrapy_justext.crawl.site_memory.store import Sightings

CONFIGURATION = replace(configure({}), site_memory_pages=10, site_memory_share=0.5, site_memory_count=4)


@pytest.mark.parametrize(
    ("pages", "held_by", "is_bad"),
    [
        (57, 41, True),
        (9, 9, False),
        (10, 10, True),
        (10, 5, False),
        (10, 6, True),
        (11, 6, True),
        (12, 6, False),
        (0, 0, False),
    ],
)
def test_pages_and_share(pages: int, held_by: int, is_bad: bool) -> None:
    assert bool(find_repeated([0], Sightings(pages, [held_by]), CONFIGURATION)) is is_bad


@pytest.mark.parametrize(("held_by", "is_bad"), [(3, False), (4, True)])
def test_minimum(held_by: int, is_bad: bool) -> None:
    configuration = replace(CONFIGURATION, site_memory_pages=5, site_memory_share=0.1)
    assert bool(find_repeated([0], Sightings(5, [held_by]), configuration)) is is_bad


def test_decisions_are_those_of_the_blocks_with_the_indices() -> None:
    found = find_repeated([3, 5, 8], Sightings(57, [41, 1, 57]), CONFIGURATION)
    assert {i: reason for i, (_, reason, _) in found.items()} == {
        3: "on 41 of 57 pages of this site",
        8: "on 57 of 57 pages of this site",
    }
    assert {decision.block_class for decision in found.values()} == {BAD}
