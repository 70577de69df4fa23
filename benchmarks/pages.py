"""Load the pages that the benchmarks run on: real ones where they lie beside the checkout, else the demo site's."""

from __future__ import annotations

import gzip
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
CORPORA = CHECKOUT.parent / "shared" / "corpora"
DEMO_PAGES = CHECKOUT / "example_project" / "demo_site" / "pages"


def load_pages(at_most: int | None = None) -> dict[str, bytes]:
    """Return pages by name, evenly spread when there are more than ``at_most``."""
    files = sorted((CORPORA / "wcxb-dev" / "html").glob("*.html.gz"))
    files += sorted((CORPORA / "cleaneval-dev" / "input").glob("*.html"))
    files = files or sorted(DEMO_PAGES.rglob("*.html"))
    step = max(len(files) // at_most, 1) if at_most else 1
    return {file.name: _read(file) for file in files[::step][:at_most]}


def _read(file: Path) -> bytes:
    data = file.read_bytes()
    return gzip.decompress(data) if file.suffix == ".gz" else data


def origin() -> str:
    """Say where the pages come from."""
    return "real pages (../shared/corpora)" if CORPORA.is_dir() else "the demo site's pages"
