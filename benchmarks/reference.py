"""Measure how far the profile ``justext-3.0`` is from ``justext`` 3.0.2: ``python -m benchmarks.reference``.

Both get the same text and the English stoplist; compared are the text, the heading flag, the context-free class and
the class of each block.
"""

from __future__ import annotations

import importlib
from difflib import SequenceMatcher
from typing import Any

from benchmarks.pages import load_pages, origin
from scrapy_justext import extract
from scrapy_justext.core.encodings import choose_encoding

Row = tuple[str, bool, str, str]


def reference_blocks(module: Any, text: str, stoplist: frozenset[str]) -> list[Row]:
    """Return the blocks of the reference; none for a page that it raises on."""
    try:
        paragraphs = module.justext(text, stoplist)
    except Exception as error:
        print(f"  the reference raises {type(error).__name__}: {error}")
        return []
    names = {"neargood": "near_good"}
    return [(p.text, p.heading, names.get(p.cf_class, p.cf_class), p.class_type) for p in paragraphs]


def our_blocks(text: str) -> list[Row]:
    """Return our blocks."""
    extraction = extract(text, language="English", profile="justext-3.0")
    return [(b.text, b.is_heading, b.context_free_class.value, b.block_class.value) for b in extraction.blocks]


def main() -> None:
    """Print the pages that differ, and the share of equal blocks."""
    module: Any = importlib.import_module("justext")
    stoplist = module.get_stoplist("English")
    pages = load_pages()
    equal = total = 0
    for name, body in pages.items():
        text = body.decode(choose_encoding(body).name, "replace").removeprefix("\ufeff")
        theirs, ours = reference_blocks(module, text, stoplist), our_blocks(text)
        total += max(len(theirs), len(ours))
        if theirs == ours:
            equal += len(ours)
            continue
        same = sum(match.size for match in SequenceMatcher(None, theirs, ours, autojunk=False).get_matching_blocks())
        equal += same
        print(f"{name}: {same} equal blocks of {len(theirs)} in the reference, {len(ours)} here")
    print(f"{len(pages)} pages, {origin()}: {equal} of {total} blocks equal ({equal / total:.4%})")


if __name__ == "__main__":
    main()
