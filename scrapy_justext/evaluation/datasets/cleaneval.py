"""CleanEval 2007, and DAnIEL, which took over its marks.

CleanEval has ``input/N.html`` and ``gold/N.txt``.

A page is wrapped in a tag of its own, ``<text id="its URL" title="…" encoding="…">``; encodings such as ``unset`` and
``unknown`` are met, and titles with anything in them.  A gold standard opens with a line ``URL: …``; the blocks after
it are marked ``<p>``, ``<h>`` (heading) and ``<l>`` (list item).

DAnIEL, news in five languages, has the pages in ``html/`` and the gold standards in ``reference/``, files of the same
names without suffixes.  ``doc_lg.json``, which need not be there, tells the languages by these names.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scrapy_justext.evaluation.datasets.encodings import decode_strictly, detect
from scrapy_justext.evaluation.datasets.files import (
    Content,
    Item,
    Listing,
    UnusableError,
    find_pairs,
    parse_object,
    read_bytes,
    read_folder,
    sub_folder,
)
from scrapy_justext.exceptions import DataSetError

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_justext.evaluation.datasets.documents import DataSet

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


def open_cleaneval(path: Path) -> DataSet:
    """Open a folder with ``input/`` and ``gold/``; raise :class:`DataSetError`."""
    return read_folder("cleaneval", path, _find_cleaneval, _read_cleaneval)


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


def gold_text(text: str) -> str:
    r"""Return a gold standard without its ``URL:`` line and its marks.

    >>> gold_text("URL: http://a.b/\n\n  <h>Title\n\n<p>One < two\n<l> Item")
    'Title\n\n\nOne < two\n\nItem'
    """
    return _MARKER.sub("\n", _URL_LINE.sub("", text)).strip()


def _find_cleaneval(path: Path) -> Listing:
    return find_pairs(sub_folder(path, "input"), (".html", ".htm"), sub_folder(path, "gold"), (".txt",))


def open_daniel(path: Path) -> DataSet:
    """Open a folder with ``html/`` and ``reference/``; raise :class:`DataSetError`."""
    return read_folder("daniel", path, _find_daniel, _read_daniel)


def _find_daniel(path: Path) -> Listing:
    listing = find_pairs(sub_folder(path, "html"), ("",), sub_folder(path, "reference"), ("",))
    file = path / LANGUAGES_FILE
    languages = parse_object(read_bytes(file)) if file.exists() else {}
    if languages is None:
        raise DataSetError("dataset", f"daniel:{path}", f"{LANGUAGES_FILE} is not a JSON object in UTF-8")
    items = [
        item._replace(metadata={"language": languages[item.id]} if item.id in languages else {})
        for item in listing.items
    ]
    return listing._replace(items=items)


def _read_daniel(item: Item) -> Content:
    html, gold = item.read_page(), item.read_gold()
    encoding = item.find_encoding(html)
    return Content(html, encoding, gold_text(_decode_gold(gold, encoding.name)))


def _read_cleaneval(item: Item) -> Content:
    html, attributes = unwrap(item.read_page())
    gold = item.read_gold()
    encoding = item.find_encoding(html, attributes.get("encoding", b"").decode("ascii", "replace"))
    known = {name: value.decode(encoding.name, "replace") for name, value in attributes.items()}
    metadata = {"title": known["title"]} if "title" in known else {}
    return Content(html, encoding, gold_text(_decode_gold(gold, encoding.name)), known.get("id"), metadata)


def _decode_gold(gold: bytes, page_encoding: str) -> str:
    """Decode a gold standard: most are UTF-8, some in the page's encoding, some in neither."""
    for encoding in ("utf-8", page_encoding):
        if (text := decode_strictly(gold, encoding)) is not None:
            return text
    detected = detect(gold)
    if detected is None:
        raise UnusableError("undecodable gold")
    return gold.decode(detected.name, "replace")
