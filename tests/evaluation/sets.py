"""Small data sets, and the extractors that misbehave on them."""

from __future__ import annotations

import hashlib
from functools import partial
from typing import TYPE_CHECKING

from scrapy_justext.evaluation.datasets.documents import DataSet, Document

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

STORY = "It was the best of times, it was the worst of times, it was the age of wisdom. " * 4
PAGE = f"<html><body><ul><li><a href=/>Home</a></ul><p>{STORY}</p><p>Second. {STORY}</p></body></html>"


def make_document(html: str | bytes = PAGE, name: str = "1", url: str | None = None) -> Document:
    """A document of a page, in UTF-8."""
    body = html.encode() if isinstance(html, str) else html
    return Document(name, body, "utf-8", "declared", 1.0, "gold", url=url)


def read_document(folder: Path, name: str) -> Document:
    """The document of a file."""
    return make_document((folder / f"{name}.html").read_bytes(), name)


def make_data_set(folder: Path, pages: Mapping[str, str]) -> DataSet:
    """A data set of pages by their ids, written into a folder of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, page in pages.items():
        (folder / f"{name}.html").write_text(page, encoding="utf-8")
    digest = hashlib.sha256(repr(sorted(pages.items())).encode()).hexdigest()
    return DataSet("pairs", folder, folder.name, tuple(pages), partial(read_document, folder), (), digest)


def write_pairs(folder: Path, pages: Mapping[str, str]) -> Path:
    """A plain pair of folders, the gold text of each page the same."""
    for below in ("input", "gold"):
        (folder / below).mkdir(parents=True, exist_ok=True)
    for name, page in pages.items():
        (folder / "input" / f"{name}.html").write_text(page, encoding="utf-8")
        (folder / "gold" / f"{name}.txt").write_text(STORY, encoding="utf-8")
    return folder


def write_plugin(folder: Path) -> Path:
    """A folder that, on ``sys.path``, is an installed package with the extractors of tests.evaluation.hostile."""
    information = folder / "hostile-1.0.dist-info"
    information.mkdir(parents=True)
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: hostile\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text(
        "[scrapy_justext.extractors]\n"
        "hostile = tests.evaluation.hostile:make_hostile\n"
        "friendly = tests.evaluation.hostile:make_friendly\n"
        "unloadable = tests.evaluation.hostile:make_unloadable\n"
        "misnamed = tests.evaluation.hostile:make_misnamed\n"
        "missing = tests.evaluation.hostile:make_missing\n"
        "dies-in-worker = tests.evaluation.hostile:make_dying\n"
        "slow-to-warm = tests.evaluation.hostile:make_slow_to_warm\n"
    )
    return folder
