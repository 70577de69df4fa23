"""A page with its classes and the reasons for them, as plain JSON values."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from scrapy_justext.extraction import blocks_to_dicts, extract_parsed
from scrapy_justext.inspection.view.rendering import render

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scrapy_justext.core.blocks import Block
    from scrapy_justext.core.parsing import Parsed
    from scrapy_justext.core.thresholds import Thresholds
    from scrapy_justext.extraction import Extraction
    from scrapy_justext.options import Options


def page_view(
    parsed: Parsed, options: Options, *, url: str | None, declared: Sequence[str] = (), name: str = ""
) -> dict[str, Any]:
    """All that the browser shows of a page, judged with these options.

    ``name``: what the user called the page; its address or title where that is empty.
    ``rendering`` is a whole HTML document without scripts or addresses, in which ``data-block`` tells the
    index of the block that a text belongs to.
    """
    extraction = extract_parsed(parsed, options, url=url, declared=declared)
    profile = options.profile
    return {
        "name": name or url or extraction.title,
        "url": url,
        "title": extraction.title,
        "language": extraction.language,
        "language_source": extraction.language_source,
        "language_reason": extraction.language_reason,
        "profile": profile.name,
        "by_stopwords": profile.by_stopwords,
        "thresholds": asdict(_thresholds(extraction, options)),
        "is_cut": extraction.is_cut,
        "counts": count(extraction.blocks),
        "blocks": block_views(extraction.blocks),
        "rendering": render(parsed.root, profile.tags, extraction.blocks),
    }


def count(blocks: Iterable[Block]) -> dict[str, int]:
    """How many blocks and characters there are, and how many of them are good."""
    blocks = list(blocks)
    classes = Counter(block.block_class.value for block in blocks)
    return {
        "blocks": len(blocks),
        "good": classes["good"],
        "bad": classes["bad"],
        "characters": sum(block.characters for block in blocks),
        "good_characters": sum(block.characters for block in blocks if block.is_good),
    }


def block_views(blocks: Sequence[Block]) -> list[dict[str, Any]]:
    """The fields of each block, less those that say nothing."""
    return [
        {name: value for name, value in row.items() if value is not None and value != ()}
        for row in blocks_to_dicts(blocks)
    ]


def _thresholds(extraction: Extraction, options: Options) -> Thresholds:
    """Those that the page was judged by, which depend on its language."""
    is_listed = extraction.language_source != "fallback"
    return options.judging(options.library.find(extraction.language) if is_listed else None).thresholds
