"""Read what a page says of itself: its title, its languages, its scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_justext.core.reading.loading import read_nodes
from scrapy_justext.core.text import as_seen, collapse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_justext.core.reading.nodes import Nodes


def whole_page(page: Nodes) -> Nodes:
    """Return the nodes of the whole tree that a page may be a part of: its head stands outside."""
    root = page.element(page.root)
    if root is None or root.getroottree().getroot() is root:
        return page
    return read_nodes(root.getroottree().getroot())


def page_title(page: Nodes) -> str:
    """Return the text of the page's TITLE, white space collapsed; empty without one."""
    title = next(_in_head(page, "title"), 0)
    text = collapse(as_seen(page.string(title))) if title else ""
    return text or collapse(as_seen(_misplaced_title(page)))


def _in_head(page: Nodes, name: str) -> Iterator[int]:
    """Yield the elements of a name right in HEAD."""
    for head in page.children(page.root) if page.name(page.root) == "html" else ():
        if page.name(head) == "head":
            yield from (child for child in page.children(head) if page.name(child) == name)


def _misplaced_title(page: Nodes) -> str:
    """Return the text of the first TITLE that stands in no SVG, wherever it is; empty without one."""
    titles = page.named("title")
    # In a deep page, it takes forever to read all ancestors of each title.
    behind_drawings = 0
    drawings = iter([*page.named("svg"), page.count])
    drawing = next(drawings)
    for title in titles:
        while drawing < title:
            behind_drawings = max(behind_drawings, page.end[drawing])
            drawing = next(drawings)
        if title >= behind_drawings:
            return page.string(title)
    return ""


#: HTML parsers know no namespaces: to them the prefix is a part of the name.
_LANG = ("lang", "xml:lang", "{http://www.w3.org/XML/1998/namespace}lang")


def declared_languages(page: Nodes) -> list[str]:
    """Return the language tags that the page declares for itself, in document order."""
    top = page.items(page.root) if page.name(page.root) == "html" else []
    of_html = [value for name, value in top if name in _LANG]
    metas = (meta for meta in _in_head(page, "meta") if (page.attribute(meta, "http-equiv") or "").lower() == _HEADER)
    values = (page.attribute(meta, "content") for meta in metas)
    return of_html + [value for value in values if value is not None]


_HEADER = "content-language"
