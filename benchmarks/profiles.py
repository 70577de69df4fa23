"""Show a page in every profile, side by side: ``python -m benchmarks.profiles [FILE.html]``.

A letter for each profile: G where the block is good, a dot where it is bad, a blank where the profile has no
such block.
"""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.pages import DEMO_PAGES
from scrapy_justext import Extraction, extract
from scrapy_justext.core.profiles import PROFILES

PAGE = DEMO_PAGES / "shop" / "copper-kettle.html"
SHOWN = 60


def side_by_side(page: bytes) -> list[str]:
    """Return a line for each profile, then one for each block that is good in any, in the order of the page."""
    extractions = {name: extract(page, profile=name) for name in PROFILES}
    lines = [f"{'| ' * i}{name}" for i, name in enumerate(extractions)]
    good = {block.text for extraction in extractions.values() for block in extraction.blocks if block.is_good}
    for text in dict.fromkeys(block.text for block in extractions["justext"].blocks if block.text in good):
        marks = " ".join(_mark(extraction, text) for extraction in extractions.values())
        shown = " ".join(text.split())
        lines.append(f"{marks}  {shown if len(shown) <= SHOWN else shown[: SHOWN - 1] + '…'}")
    return lines


def _mark(extraction: Extraction, text: str) -> str:
    """Return the letter for the first block of that text."""
    is_good = next((b.is_good for b in extraction.blocks if b.text == text and b.image_url is None), None)
    return " " if is_good is None else "G" if is_good else "."


def main() -> None:
    """Print the table of a page, the demo site's by default."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else PAGE
    print("\n".join(side_by_side(path.read_bytes())))


if __name__ == "__main__":
    main()
