"""Corpora that were labelled for research: CleanEval 2007, DAnIEL, which took over its marks, and L3S-GN1.

CleanEval has ``input/N.html`` and ``gold/N.txt``.  A page is wrapped in a tag of its own,
``<text id="its URL" title="…" encoding="…">``; encodings such as ``unset`` and ``unknown`` are met, and titles with
anything in them.  A gold standard opens with a line ``URL: …``; the blocks after it are marked ``<p>``, ``<h>``
(heading) and ``<l>`` (list item).

DAnIEL, news in five languages, has the pages in ``html/`` and the gold standards in ``reference/``, files of the same
names without suffixes.  ``doc_lg.json``, which need not be there, tells the languages by these names.

L3S-GN1 has news pages as they were in ``input/``, and in ``gold/`` the same pages annotated: text stands inside
``<span class="x-nc-selN">``: 1 headline, 2 full text, 3 supplemental, 4 related content, 5 comments; 1 and 2 are the
gold text ([D]).  Of nested spans the innermost counts.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from lxml import etree

from scrapy_justext.core.parsing import parse_html
from scrapy_justext.core.reading.rules import MODERN
from scrapy_justext.evaluation.datasets.encodings import decode_strictly, detect, find_encoding
from scrapy_justext.evaluation.datasets.files import (
    PAGE_SUFFIXES,
    Item,
    Listing,
    UnusableError,
    find_pairs,
    parse_object,
    read_bytes,
)
from scrapy_justext.exceptions import DataSetError

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_justext.evaluation.datasets.documents import Document

LANGUAGES_FILE = "doc_lg.json"

_BOM = rb"(?P<bom>\xef\xbb\xbf)?"
#: As it should be; with quotes in the title; without an encoding.
_OPENINGS = tuple(
    re.compile(_BOM + rb"\s*(?P<tag><text\b" + attributes + rb">)")
    for attributes in (rb'(?:\s+[\w:-]+\s*=\s*"[^"]*")*\s*', rb'[^\r\n]*?\sencoding\s*=\s*"[^"\r\n]*"\s*', rb"[^>]*")
)
_CLOSING = re.compile(rb"</text>\s*\Z")
_ATTRIBUTE = re.compile(rb'\s(id|title|encoding)\s*=\s*"(.*?)"(?=\s+[\w:-]+\s*=|\s*>)', re.DOTALL)

_URL_LINE = re.compile(r"\A\s*URL:[^\n]*\n?")
_MARKER = re.compile(r"[ \t]*</?[phl]>[ \t]*", re.IGNORECASE)

find_cleaneval = partial(find_pairs, ("input",), (".html", ".htm"), "gold", (".txt",))


def read_cleaneval(item: Item) -> Document:
    """Read a page out of its wrapping, and its gold standard."""
    page, attributes = unwrap(item.read_page())
    encoding = item.find_encoding(page, attributes.get("encoding", b"").decode("ascii", "replace"))
    known = {name: value.decode(encoding.name, "replace") for name, value in attributes.items()}
    metadata = {"title": known["title"]} if "title" in known else {}
    gold = _decode_gold(item.read_gold(), encoding.name)
    return item._replace(url=known.get("id"), metadata=metadata).make_document(page, gold, encoding)


def unwrap(page: bytes) -> tuple[bytes, dict[str, bytes]]:
    """Return a page without the tag around it, and the attributes of that tag.

    >>> unwrap(b'<text id="http://a.b/" title="x > y" encoding="utf8"><p>Hello</text>')
    (b'<p>Hello', {'id': b'http://a.b/', 'title': b'x > y', 'encoding': b'utf8'})
    """
    for opening in _OPENINGS:
        if match := opening.match(page):
            attributes = {name.decode(): value for name, value in _ATTRIBUTE.findall(match["tag"])}
            return (match["bom"] or b"") + _CLOSING.sub(b"", page[match.end() :]), attributes
    return page, {}


def _decode_gold(gold: bytes, page_encoding: str) -> str:
    """Return a gold standard without marks: most are UTF-8, some in the page's encoding, some in neither."""
    for encoding in ("utf-8", page_encoding):
        if (text := decode_strictly(gold, encoding)) is not None:
            return gold_text(text)
    detected = detect(gold)
    if detected is None:
        raise UnusableError("undecodable gold")
    return gold_text(gold.decode(detected.name, "replace"))


def gold_text(text: str) -> str:
    r"""Return a gold standard without its ``URL:`` line and its marks.

    >>> gold_text("URL: http://a.b/\n\n  <h>Title\n\n<p>One < two\n<l> Item")
    'Title\n\n\nOne < two\n\nItem'
    """
    return _MARKER.sub("\n", _URL_LINE.sub("", text)).strip()


def find_daniel(path: Path) -> Listing:
    """Find DAnIEL's pages and their languages; raise :class:`DataSetError`."""
    listing = find_pairs(("html",), ("",), "reference", ("",), path)
    file = path / LANGUAGES_FILE
    languages = parse_object(read_bytes(file)) if file.exists() else {}
    if languages is None:
        raise DataSetError("dataset", str(path), f"{LANGUAGES_FILE} is not a JSON object in UTF-8")
    items = [
        item._replace(metadata={"language": languages[item.id]} if item.id in languages else {})
        for item in listing.items
    ]
    return listing._replace(items=items)


def read_daniel(item: Item) -> Document:
    """Read a page and its gold standard."""
    page = item.read_page()
    encoding = item.find_encoding(page)
    return item.make_document(page, _decode_gold(item.read_gold(), encoding.name), encoding)


GOLD_LABELS = frozenset({"1", "2"})

_LABEL = re.compile(r"(?:^|\s)x-nc-sel(\d+)(?=\s|$)")
_WITHOUT_TEXT = frozenset({"script", "style", "head"})

find_l3s = partial(find_pairs, ("input",), PAGE_SUFFIXES, "gold", PAGE_SUFFIXES)


def read_l3s(item: Item) -> Document:
    """Read a page, and what is labelled in its annotated twin."""
    gold = item.read_gold()
    encoding = find_encoding(gold)
    if encoding is None:
        raise UnusableError("undecodable gold")
    return item.make_document(item.read_page(), labelled_text(gold.decode(encoding.name, "replace")))


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
        text = element.text if event == "start" else element.tail
        if event == "start":
            match = _LABEL.search(element.get("class", ""))
            labels.append(None if element.tag in _WITHOUT_TEXT else match[1] if match else labels[-1])
        elif event == "end":
            labels.pop()
        pieces.append("\n" if element.tag in MODERN.block_level or element.tag == "br" else "")
        pieces.append(re.sub(r"\s+", " ", text or "") if labels[-1] in GOLD_LABELS else "")
    lines = (" ".join(line.split()) for line in "".join(pieces).split("\n"))
    return "\n".join(filter(None, lines))
