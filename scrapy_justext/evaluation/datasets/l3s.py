"""L3S-GN1: ``input/`` with news pages as they were, ``gold/`` with the same pages annotated.

In the annotated pages text stands inside ``<span class="x-nc-selN">``: 1 headline, 2 full text, 3 supplemental, 4
related content, 5 comments; 1 and 2 are the gold text ([D]).  Of nested spans the innermost counts.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lxml import etree

from scrapy_justext.core.parsing import parse_html
from scrapy_justext.core.reading.rules import MODERN
from scrapy_justext.evaluation.datasets import files
from scrapy_justext.evaluation.datasets.encodings import find_encoding
from scrapy_justext.evaluation.datasets.files import Content, Item, Listing, UnusableError

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_justext.evaluation.datasets.documents import DataSet

GOLD_LABELS = frozenset({"1", "2"})

_LABEL = re.compile(r"(?:^|\s)x-nc-sel(\d+)(?=\s|$)")
_WITHOUT_TEXT = frozenset({"script", "style", "head"})


def open_l3s(path: Path) -> DataSet:
    """Open a folder with ``input/`` and ``gold/``; raise :class:`DataSetError`."""
    return files.read_folder("l3s-gn1", path, _find_l3s, _read_l3s)


def _find_l3s(path: Path) -> Listing:
    return files.find_pairs(
        files.sub_folder(path, "input"), files.PAGE_SUFFIXES, files.sub_folder(path, "gold"), files.PAGE_SUFFIXES
    )


def _read_l3s(item: Item) -> Content:
    page, gold = item.read_page(), item.read_gold()
    encoding, gold_encoding = item.find_encoding(page), find_encoding(gold)
    if gold_encoding is None:
        raise UnusableError("undecodable gold")
    return Content(page, encoding, labelled_text(gold.decode(gold_encoding.name, "replace")))


def labelled_text(html: str) -> str:
    r"""Return the text of an annotated page that is labelled as headline or full text, a line a block.

    >>> labelled_text('<h1><span class="x-nc-sel1">News</span></h1><span class="x-nc-sel2">One <b>two</b></span> three')
    'News\nOne two'
    """
    root = parse_html(html).root
    if root is None:
        return ""
    pieces: list[str] = []
    labels: list[str | None] = [None]
    for event, element in etree.iterwalk(root, events=("start", "end", "comment", "pi")):
        if event == "start":
            _open_element(element, labels, pieces)
        elif event == "end":
            labels.pop()
            pieces.append(_border(element))
        if event != "start" and labels[-1] in GOLD_LABELS:
            pieces.append(_collapse(element.tail))
    lines = (_collapse(line).strip() for line in "".join(pieces).split("\n"))
    return "\n".join(line for line in lines if line)


def _open_element(element: etree._Element, labels: list[str | None], pieces: list[str]) -> None:
    """Note the label that holds inside an element, and the text it opens with."""
    match = _LABEL.search(element.get("class", ""))
    labels.append(None if element.tag in _WITHOUT_TEXT else match[1] if match else labels[-1])
    pieces.append(_border(element))
    if labels[-1] in GOLD_LABELS:
        pieces.append(_collapse(element.text))


def _border(element: etree._Element) -> str:
    return "\n" if element.tag in MODERN.block_level or element.tag == "br" else ""


def _collapse(text: str | None) -> str:
    return re.sub(r"\s+", " ", text or "")
