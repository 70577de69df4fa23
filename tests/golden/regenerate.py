"""Writes what is expected of the golden pages and odd trees: ``python -m tests.golden.regenerate``.

Look at the difference before you commit it: it is what the change does to real pages.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from scrapy_justext import extract
from scrapy_justext.core.profiles import PROFILES
from tests.builders import DEMO_SITE
from tests.golden.odd import odd_expectations

FOLDER = Path(__file__).parent
PAGES_FOLDER = FOLDER / "pages"
EXPECTED_FOLDER = FOLDER / "expected"
ODD_FILE = FOLDER / "odd.json"

#: Demo pages that are golden too: an article, a forum, a documentation page, an index, broken markup,
#: other scripts.
DEMO = [
    "news/harbour-bridge.html", "news/broken-markup.html", "forum/thread-loud-chain.html", "docs/configuration.html",
    "shop/copper-kettle.html", "cs/recepty/bramboracka.html", "ar/mawsua/qahwa.html",
]  # fmt: skip


def golden_pages() -> dict[str, Path]:
    """The pages by the name of their expectation."""
    own = {path.stem: path for path in sorted(PAGES_FOLDER.glob("*.html"))}
    return own | {f"demo-{name.removesuffix('.html').replace('/', '-')}": DEMO_SITE / name for name in DEMO}


def describe(page: Path) -> dict[str, Any]:
    """What is expected of a page: per profile its language, and class, reason and text of each block.

    Of a profile that chooses another for the page it is that one's name.
    """
    described: dict[str, Any] = {}
    for profile in PROFILES:
        found = extract(page.read_bytes(), profile=profile)
        if found.profile != profile:
            described[profile] = found.profile
            continue
        described[profile] = {
            "title": found.title,
            "language": [found.language, found.language_source],
            "blocks": [[str(b.block_class), str(b.context_free_class), b.reason, b.text] for b in found.blocks],
        }
    return described


def expected_path(name: str) -> Path:
    """The file of a page's expectation."""
    return EXPECTED_FOLDER / f"{name}.json"


def markdown(page: Path) -> str:
    """A page's Markdown."""
    return extract(page.read_bytes(), url=f"https://example.com/{page.name}", markdown=True).markdown


def markdown_path(name: str) -> Path:
    """The file of a page's Markdown."""
    return EXPECTED_FOLDER / f"{name}.md"


def write(folder: Path = EXPECTED_FOLDER) -> None:
    """Write all expectations, and remove those of pages that are gone."""
    folder.mkdir(exist_ok=True)
    pages = golden_pages()
    for path in (*folder.glob("*.json"), *folder.glob("*.md")):
        if path.stem not in pages:
            path.unlink()
    for name, page in pages.items():
        text = json.dumps(describe(page), ensure_ascii=False, indent=1)
        (folder / f"{name}.json").write_text(f"{text}\n", encoding="utf-8")
        (folder / f"{name}.md").write_text(f"{markdown(page)}\n", encoding="utf-8")


if __name__ == "__main__":
    write()
    ODD_FILE.write_text(odd_expectations(), encoding="utf-8")
