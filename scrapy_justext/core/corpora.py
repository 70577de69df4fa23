"""Pages in the formats of text corpora: prevertical, plain text, TEI.

``prevert``: a DOC for each page and a P for each block, as SpiderLing, onion and jusText's own command
(``--format=detailed``) name them; the tags have lines of their own, and no other line begins with ``<``.
``txt``: a paragraph has a line of its own, and a blank line ends a page.
``tei``: a teiCorpus of TEI P5, a TEI for each page, with the elements that trafilatura writes.
"""

from __future__ import annotations

import re
from html import escape
from itertools import groupby, starmap
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_justext.core.extraction import numbered
from scrapy_justext.core.tags import CODE, HEADING_LEVELS, LIST_ITEM, QUOTE, TABLE, TEXT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from scrapy_justext.core.extraction import Extraction

#: The fields of blocks that are written.
FIELDS_OF_BLOCKS = ("text", "block_class", "context_free_class", "is_heading", "heading_level", "kind", "language")

#: Characters that XML does not have: with a single one, nobody can read the whole file.
NOT_IN_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TEI_BEGIN = """<?xml version="1.0" encoding="UTF-8"?>
<teiCorpus xmlns="http://www.tei-c.org/ns/1.0">
<teiHeader><fileDesc><titleStmt><title>Pages cleaned by scrapy-justext</title></titleStmt>\
<publicationStmt><p>Unpublished.</p></publicationStmt><sourceDesc><p>Web pages.</p></sourceDesc></fileDesc></teiHeader>
"""


class CorpusPage(NamedTuple):
    """A page as corpora hold it; what is empty or None is not written."""

    blocks: Sequence[Mapping[str, Any]]
    """In their order, with bad ones if they are to be written: the text of each, and the fields that are known."""
    url: str | None = None
    title: str | None = None
    language: str | None = None
    crawled: str | None = None
    """When it was fetched, as ISO 8601 writes it."""

    @classmethod
    def of(cls, extraction: Extraction, *, which: str = "good", crawled: str | None = None) -> CorpusPage:
        """Return the page of an extraction.  ``which``: the blocks to write, ``good`` or ``all``."""
        blocks = extraction.block_dicts(FIELDS_OF_BLOCKS, which)
        return cls(blocks, extraction.url, extraction.title, extraction.language, crawled)

    def good(self) -> Iterator[Mapping[str, Any]]:
        """Yield the good blocks that have text."""
        for block in self.blocks:
            if block["text"] and block.get("block_class", "good") == "good":
                yield block


class CorpusFormat(NamedTuple):
    """How a page is written, and what stands around all pages of a file."""

    page: Callable[[CorpusPage], str]
    begin: str = ""
    end: str = ""

    def write(self, page: CorpusPage) -> bytes:
        """Return a page in UTF-8; nothing for one without good text."""
        # Text never holds half of a character, but an address in a script may.
        return self.page(page).encode("utf-8", "replace") if any(page.good()) else b""


def _prevertical(page: CorpusPage) -> str:
    # SpiderLing has the date by the second name, to the minute.
    date = page.crawled and page.crawled[:16].replace("T", " ")
    of_page = {
        "url": page.url, "title": page.title, "lang": page.language, "crawled": page.crawled, "crawl_date": date,
    }  # fmt: skip
    lines = [f"<doc{_attributes(of_page)}>"]
    for block in page.blocks:
        of_block = {
            "class": block.get("block_class", "good"),
            "cfclass": (block.get("context_free_class") or "").replace("_", ""),
            "heading": f"{block['is_heading']:d}" if "is_heading" in block else None,
            "lang": block.get("language"),
        }
        if text := [escape(line, quote=False) for line in _lines(block["text"])]:
            lines += [f"<p{_attributes(of_block)}>", *text, "</p>"]
    return "\n".join([*lines, "</doc>", ""])


def _plain_text(page: CorpusPage) -> str:
    texts = numbered(block["text"] for block in page.good())
    return "\n".join([*(line for text in texts for line in _lines(text)), "", ""])


def _lines(text: str) -> Iterator[str]:
    """Yield the lines of a block that hold anything."""
    return (line.rstrip() for line in _in_xml(text).replace("\r", " ").split("\n") if line.strip())


def _in_xml(text: str) -> str:
    return NOT_IN_XML.sub("\ufffd", text)


def _attributes(values: Mapping[str, str | None]) -> str:
    return "".join(f' {name}="{escape(" ".join(_in_xml(value).split()))}"' for name, value in values.items() if value)


def _tei(page: CorpusPage) -> str:
    title, url = escape(_in_xml(page.title or "")), escape(_in_xml(page.url or ""))
    source = f'<bibl>{title}<ptr type="URL" target="{url}"/></bibl>' if url else "<p/>"
    date = f'<creation><date type="download">{escape(_in_xml(page.crawled))}</date></creation>' if page.crawled else ""
    language = page.language and f'<langUsage><language ident="{escape(page.language)}"/></langUsage>'
    profile = f"<profileDesc>{date}{language or ''}</profileDesc>" if date or language else ""
    return "\n".join([
        f'<TEI><teiHeader><fileDesc><titleStmt><title type="main">{title}</title></titleStmt>'
        f"<publicationStmt><p/></publicationStmt><sourceDesc>{source}</sourceDesc></fileDesc>{profile}</teiHeader>",
        '<text><body><div type="entry">',
        *starmap(_tei_part, groupby(page.good(), _kind)),
        "</div></body></text></TEI>",
        "",
    ])  # fmt: skip


def _kind(block: Mapping[str, Any]) -> str:
    level = block.get("heading_level")
    return f"h{level}" if level else block.get("kind") or TEXT


def _tei_part(kind: str, blocks: Iterable[Mapping[str, Any]]) -> str:
    texts = [escape(_in_xml(block["text"]), quote=False) for block in blocks]
    if kind == LIST_ITEM:
        return f'<list rend="ul">{_elements("item", texts)}</list>'
    if kind == TABLE:
        tables = (_elements("row", (_elements("cell", row.split("\t")) for row in text.split("\n"))) for text in texts)
        return _elements("table", tables)
    if kind in HEADING_LEVELS:
        # A HEAD may only stand at the start of its DIV.
        return "\n".join(f'<ab type="header" rend="{kind}">{text}</ab>' for text in texts)
    name = {CODE: "code", QUOTE: "quote"}.get(kind)
    return _elements("p", texts if name is None else (f"<{name}>{text}</{name}>" for text in texts))


def _elements(name: str, contents: Iterable[str]) -> str:
    return "\n".join(f"<{name}>{content}</{name}>" for content in contents)


#: By the end of the name of a file, and the name of the format of a feed.
CORPUS_FORMATS: dict[str, CorpusFormat] = {
    "prevert": CorpusFormat(_prevertical),
    "txt": CorpusFormat(_plain_text),
    "tei": CorpusFormat(_tei, _TEI_BEGIN, "</teiCorpus>\n"),
}
