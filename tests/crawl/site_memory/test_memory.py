"""Which blocks are bad: both sides of each limit."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import pytest
from scrapy.utils.reactor import install_reactor
from scrapy.utils.test import get_crawler

from scrapy_justext.core.blocks import BAD
from scrapy_justext.crawl.parts.site_memory.memory import SiteMemoryPart, find_repeated
from scrapy_justext.crawl.parts.site_memory.store import Fingerprints, Sightings
from scrapy_justext.crawl.session import get_session
from scrapy_justext.crawl.settings import configure
from tests import forked
from tests.crawl.crawling import environment

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

CONFIGURATION = replace(configure({}), site_memory_pages=10, site_memory_share=0.5, site_memory_count=4)


def blocks_at(indices: Sequence[int], addresses: int = 0) -> Fingerprints:
    return Fingerprints((b"", b""), (), indices, addresses)


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
    assert bool(find_repeated(blocks_at([0]), Sightings(pages, [held_by]), CONFIGURATION)) is is_bad


@pytest.mark.parametrize(("held_by", "is_bad"), [(3, False), (4, True)])
def test_minimum(held_by: int, is_bad: bool) -> None:
    configuration = replace(CONFIGURATION, site_memory_pages=5, site_memory_share=0.1)
    assert bool(find_repeated(blocks_at([0]), Sightings(5, [held_by]), configuration)) is is_bad


def test_decisions_are_those_of_the_blocks_with_the_indices() -> None:
    found = find_repeated(blocks_at([3, 5, 8]), Sightings(57, [41, 1, 57]), CONFIGURATION)
    assert {i: reason for i, (_, reason) in found.items()} == {
        3: "on 41 of 57 pages of this site",
        8: "on 57 of 57 pages of this site",
    }
    assert {decision.block_class for decision in found.values()} == {BAD}


@pytest.mark.parametrize(
    ("held_by", "linked_by", "is_bad"),
    [(6, 4, False), (7, 4, True), (7, 0, True), (22, 20, False), (23, 20, True), (41, 40, True)],
)
def test_a_block_is_safe_on_as_many_pages_as_link_to_its_page_and_two_unless_most_of_the_site_does(
    held_by: int, linked_by: int, is_bad: bool
) -> None:
    configuration = replace(CONFIGURATION, site_memory_share=0.1)
    # It has two addresses, and holds its own.
    sightings = Sightings(57, [held_by, 1, linked_by + 1, 57])
    assert bool(find_repeated(blocks_at([0], addresses=2), sightings, configuration)) is is_bad


def use_redis() -> None:
    """Begin a crawl with site memory at an address of Redis, where the library for it is not installed."""
    cast("dict[str, Any]", sys.modules)["redis"] = None
    install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")
    get_session(get_crawler(settings_dict={"JUSTEXT_SITE_MEMORY": True, "REDIS_URL": sys.argv[1]}))


@pytest.mark.parametrize(
    "url",
    [
        "redis://user:secret@cache:6379/0",
        "redis://user:sec/secret@cache:6379/0",
        "redis://cache:6379/0?password=secret",
    ],
)
def test_without_the_library_for_redis_the_error_names_no_password(url: str, tmp_path: Path) -> None:
    done = forked.run(f"{__name__}:use_redis", ["test", url], folder=tmp_path, environment=environment())
    log = done.stderr.decode()
    assert log.rstrip().endswith(
        "SettingError: REDIS_URL = 'redis://cache:6379/0': redis is not installed; the extra redis of scrapy-justext "
        "brings it: pip install 'redis>=5.0'"
    )
    assert "secret" not in log


def test_a_crawl_makes_a_memory_only_where_it_is_switched_on() -> None:
    assert list(get_session(get_crawler()).parts) == []
    [part] = get_session(get_crawler(settings_dict={"JUSTEXT_SITE_MEMORY": True})).parts
    assert isinstance(part, SiteMemoryPart)
