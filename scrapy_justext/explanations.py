"""Why a page has no good content, in a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy_justext.core.blocks import Block
    from scrapy_justext.core.thresholds import Thresholds
    from scrapy_justext.extraction import Extraction
    from scrapy_justext.settings import Configuration


def explain_no_content(extraction: Extraction, configuration: Configuration) -> str:
    """What a page without good content lacks, by the block that came nearest to being good."""
    blocks = extraction.blocks
    if not blocks:
        return "no good content: the page has no text"
    good = [block for block in blocks if block.is_good]
    found = f"no good content: {len(good)} of {len(blocks)} blocks"
    if good:
        minimum = configuration.min_good_characters
        return f"{found}, {extraction.good_characters} < {minimum} good characters"
    options = configuration.options
    if not options.profile.by_stopwords:
        if any(block.probability is not None for block in blocks):
            nearest = max(blocks, key=lambda block: block.probability or 0)
            return f"{found}; nearest miss: {nearest.characters} characters, {nearest.reason}"
        longest = max(blocks, key=lambda block: block.characters * (1 - block.link_density))
        return f"{found}; longest: {longest.characters} characters, {longest.reason}"
    is_listed = extraction.language_source != "fallback"
    thresholds = options.judging(options.library.find(extraction.language) if is_listed else None).thresholds
    nearest = max(blocks, key=lambda block: _nearness(block, thresholds))
    return f"{found}; nearest miss: {_miss(nearest, thresholds)}"


def _nearness(block: Block, thresholds: Thresholds) -> float:
    """From 0, nothing like content, to 2, nothing missing."""
    if block.link_density > thresholds.max_link_density:
        return 0.0
    return _share(block.characters, thresholds.length_high) + _share(block.stopword_density, thresholds.stopwords_high)


def _share(value: float, of: float) -> float:
    return min(value / of, 1.0) if of else 1.0


def _miss(block: Block, thresholds: Thresholds) -> str:
    """The figures of a block beside the thresholds that it missed.

    Where it missed none of them, something else decided, and its own reason tells.
    """
    missed = []
    if block.link_density > thresholds.max_link_density:
        missed.append(f"link density {block.link_density:.2f} > {thresholds.max_link_density:.2f}")
    if block.stopword_density < thresholds.stopwords_low:
        missed.append(f"stop-word density {block.stopword_density:.2f} < {thresholds.stopwords_low:.2f}")
    length = f"{block.characters} characters"
    if block.characters <= thresholds.length_high:
        length += f" <= {thresholds.length_high}" if not missed else ""
    return ", ".join([length, *missed]) if missed or "<=" in length else f"{length}, {block.reason}"
