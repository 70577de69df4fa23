"""Parse pages: bytes, text or a response to a tree.  The only place with parser options."""

from __future__ import annotations

import copy
from codecs import BOM_UTF8
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from lxml import etree
from w3lib.encoding import resolve_encoding, to_unicode

from scrapy_justext.core.encodings import (
    UTF_8,
    EncodingChoice,
    PageResponse,
    check_encoding,
    choose_encoding,
    has_encoding,
    has_to_guess,
    is_utf_8,
    stated_encoding,
)
from scrapy_justext.core.limits import HARMLESS_PAGE, check_attributes
from scrapy_justext.core.text import collapse
from scrapy_justext.exceptions import PageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeGuard

#: libxml2's ``XML_ERR_RESOURCE_LIMIT``, for which lxml has a name from 6.0.2 on.
_RESOURCE_LIMIT = 114

_XHTML = "{http://www.w3.org/1999/xhtml}"


class Parsed(NamedTuple):
    """A parsed page: its root, None where there is nothing to parse, and what became of its bytes."""

    root: etree._Element | None
    is_cut: bool
    """The page nests deeper than 2,048 elements; the parser dropped what comes after that point."""
    encoding: EncodingChoice | None = None
    """None for a page that came as text or as a tree."""


#: A page in any of the forms that can be extracted.
Page: TypeAlias = "str | bytes | etree._Element | PageResponse | Parsed"


def parse_html(page: Page, encoding: str | None = None) -> Parsed:
    """Return the tree of a page.

    ``encoding``: that of bytes, from the HTTP header; it is weaker than a byte order mark and stronger than the
    page's own declaration, see :mod:`scrapy_justext.core.encodings`.  A tree is used as it is; one in XHTML's namespace
    is copied without the namespace, and an element that was cut out of a tree without what is behind it.  The tree of a
    response is used if the response was read in the right encoding.
    Raises :class:`PageError` for any other type, and for an encoding that cannot be used; its :class:`PageLimitError`
    for a page that would take the parser minutes, see :mod:`.limits`.
    """
    if isinstance(page, bytes | bytearray | memoryview):
        body = bytes(page)
        return _parse_bytes(body, choose_encoding(body, None if encoding is None else check_encoding(encoding)))
    if isinstance(page, str):
        return _parse_utf8(_encode(page))
    if isinstance(page, etree._ElementTree):
        page = page.getroot()
    if isinstance(page, etree._Element) and isinstance(page.tag, str):
        return Parsed(_html_tree(page), is_cut(page))
    if isinstance(page, Parsed):
        return page
    if is_response(page):
        return _parse_response(page)
    kind = "a comment or processing instruction" if isinstance(page, etree._Element) else type(page).__name__
    raise PageError(f"a page must be str, bytes, an lxml element or a response with text, not {kind}")


def is_response(page: object) -> TypeGuard[PageResponse]:
    """Return True for a response that holds text."""
    # Its selector is not asked for: a response makes it, which takes as long as parsing does.
    if isinstance(page, etree._Element):
        return False
    return isinstance(getattr(page, "body", None), bytes) and has_encoding(page)


def _parse_response(response: PageResponse) -> Parsed:
    """Return the tree of the response's selector, if that is HTML in the right encoding; else parse the body."""
    choice = choose_encoding(response.body, stated_encoding(response))
    if not has_to_guess(response) and resolve_encoding(response.encoding) == choice.name:
        if len(response.body) >= HARMLESS_PAGE:
            check_attributes(_as_utf_8(response.body, choice.name).replace(b"\0", b""))
        selector = response.selector
        if selector.type == "html" and isinstance(selector.root, etree._Element):
            return Parsed(selector.root, is_cut(selector.root), choice)
    return _parse_bytes(response.body, choice)


def _as_utf_8(body: bytes, encoding: str) -> bytes:
    """Return a body in UTF-8."""
    is_sound = encoding == UTF_8 and (body.isascii() or is_utf_8(body, is_whole=True))
    return body if is_sound else _encode(to_unicode(body, encoding))


def _parse_bytes(body: bytes, encoding: EncodingChoice) -> Parsed:
    return _parse_utf8(_as_utf_8(body, encoding.name))._replace(encoding=encoding)


def _parse_utf8(data: bytes) -> Parsed:
    data = data.removeprefix(BOM_UTF8).replace(b"\0", b"")
    if not data or data.isspace():
        return Parsed(None, is_cut=False)
    check_attributes(data)
    # Nobody asks this tree for an element by its ID; without that table parsing is a fifth faster.
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, collect_ids=False)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError:
        # Nothing but a doctype or the like.
        root = None
    if root is None or not isinstance(root.tag, str):
        return Parsed(None, is_cut=False)
    return Parsed(root, is_cut(root))


def _encode(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        # Surrogates: two that belong together are one character, a lone one is none.
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


def is_cut(root: etree._Element) -> bool:
    """Return whether the parser gave up on a page that nests deeper than 2,048 elements.

    It then drops the rest without a word, but the parser's log ends with that error.
    """
    parser = root.getroottree().parser
    last = parser.error_log.last_error if parser is not None else None
    return last is not None and last.type == _RESOURCE_LIMIT


def _html_tree(root: etree._Element) -> etree._Element:
    # What was cut out of a tree still has the text behind it, which is none of it, and XPath begins at that tree.
    top = [root, *root.iterancestors()][-1]
    is_cut_out = top.tail is not None or root.getroottree().getroot() is not top
    if not is_cut_out and not str(root.tag).startswith(_XHTML):
        return root
    root = copy.deepcopy(root)
    root.tail = None
    for element in root.iter(f"{_XHTML}*"):
        element.tag = str(element.tag).removeprefix(_XHTML)
    return root


def top_elements(root: etree._Element) -> Iterator[etree._Element]:
    """Yield ``root``, and the elements beside it at the top of the tree, which broken HTML has behind its end."""
    yield root
    if root.getparent() is None:
        yield from root.itersiblings(etree.Element)


def page_title(root: etree._Element) -> str:
    """Return the text of the page's TITLE, white space collapsed; empty without one."""
    top = root.getroottree().getroot()
    title = next(_in_head(top, "title"), None)
    return collapse(_text_of(title) if title is not None else "") or collapse(_misplaced_title(top))


def _in_head(top: etree._Element, name: str) -> Iterator[etree._Element]:
    """Yield the elements of a name right in HEAD, whatever else there is; XPath takes twenty times as long."""
    for head in top.iterchildren("head") if top.tag == "html" else ():
        yield from head.iterchildren(name)


def _text_of(element: etree._Element) -> str:
    # Most have nothing but text, and XPath takes long to begin.
    return str(_TEXT(element)) if len(element) else element.text or ""


_TEXT = etree.XPath("string()")


def _misplaced_title(root: etree._Element) -> str:
    """Return the text of the first TITLE that stands in no SVG, wherever it is; empty without one."""
    for part in top_elements(root):
        # As one XPath, it looks at all ancestors of each TITLE, which takes forever in a deep tree.
        titles = etree.iterwalk(part, events=("start",), tag=("title", "svg"))
        for _, node in titles:
            if node.tag == "title":
                return _text_of(node)
            titles.skip_subtree()
    return ""


#: HTML parsers know no namespaces: to them the prefix is a part of the name.
_LANG = ("lang", "xml:lang", "{http://www.w3.org/XML/1998/namespace}lang")


def declared_languages(root: etree._Element) -> list[str]:
    """Return the language tags that the page declares for itself, in document order."""
    top = root.getroottree().getroot()
    of_html = [str(value) for name, value in top.items() if top.tag == "html" and name in _LANG]
    metas = (meta for meta in _in_head(top, "meta") if meta.get("http-equiv", "").lower() == "content-language")
    return of_html + [str(meta.get("content")) for meta in metas if "content" in meta.attrib]
