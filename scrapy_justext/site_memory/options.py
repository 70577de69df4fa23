"""The settings of the memory of sites: what they mean, and their values together."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_justext.conversion import Converter, boolean, one_of, share, whole_number

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Of each setting the default, the converter and the meaning.
ROWS: Mapping[str, tuple[object, Converter, str]] = MappingProxyType(
    {
        "site_memory": (False, boolean, "blocks that many pages of a site repeat are [bad](docs/sites.md)"),
        "site_memory_pages": (5, whole_number, "pages that a site must have shown before repeated blocks are bad"),
        "site_memory_share": (0.1, share, "share of a site's pages; a block on more of them is bad"),
        "site_memory_count": (4, whole_number, "pages of a site; a block on fewer of them is not bad for that"),
        "site_memory_length": (
            30,
            whole_number,
            "characters; shorter blocks, such as headings and lines of dialogue, may be repeated",
        ),
        "site_memory_look": (
            "none",
            one_of("none", "hold", "end"),
            "which items wait for a second look at their page: none; hold: those of a site's first pages; end: all",
        ),
        "site_memory_hold": (1000, whole_number, "items that wait at the most"),
        "site_memory_blocks": (20_000, whole_number, "blocks of a site that are remembered at the most"),
        "site_memory_all_blocks": (1_000_000, whole_number, "blocks of all sites that are remembered at the most"),
    }
)

#: Of the whole crawl: no site and no request can have them of its own.
OF_THE_CRAWL = ("site_memory_hold", "site_memory_blocks", "site_memory_all_blocks")


class MemoryOptions(NamedTuple):
    """The values of the settings, named as there after ``site_memory_``."""

    is_on: bool
    pages: int
    share: float
    minimum: int
    length: int
    look: str
    hold: int
    blocks: int
    all_blocks: int


def memory_options(values: Mapping[str, Any]) -> MemoryOptions:
    """Those among the converted values of all settings."""
    return MemoryOptions(*(values[name] for name in ROWS))
