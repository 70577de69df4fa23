"""Parse pages: bytes, text or a response to a tree.  The only place with parser options.

Pages that would take the parser minutes are refused.  libxml2 compares each attribute of an element with all before it:
an element with 100,000 attributes is 1 MB and takes ten seconds, and nothing can interrupt the parser there.  A search
that is much cheaper than parsing finds the tags that may be long: those whose first ``>`` is far away, and those with a
``>`` that may stand in a quoted value; it reads one such sign in 2,000 bytes or more.  Some finds are no tags, but text
in a script or a comment.  Parsers differ in what they take for text, and a page could hide attributes behind any
difference.  So if there seem to be too many attributes, the parser itself is given the page up to that point.
"""

from __future__ import annotations

import copy
import re
from codecs import BOM_UTF8
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from lxml import etree
from w3lib.encoding import resolve_encoding, to_unicode

from scrapy_justext.core.encodings import (
    SINGLE_BYTE,
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
from scrapy_justext.core.reading.loading import html5_reader, read_nodes
from scrapy_justext.exceptions import PageError, PageLimitError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TypeGuard

    from scrapy_justext.core.reading.nodes import Nodes

#: Bytes; a smaller page is parsed in about two seconds, even if it is all attributes of one element.
HARMLESS_PAGE = 100_000
#: What the squares of the numbers of attributes may add up to: one tag with 22,000, or 500 with 1,000.  A page with
#: more takes two seconds longer than others.
_MOST_SQUARES = 500_000_000
_MOST_IN_TAG = int(_MOST_SQUARES**0.5) + 1
#: Bytes; shorter tags have a few hundred attributes, which do no harm.
_HARMLESS_TAG = 2000
#: Bytes of an attribute with what parts it from the next, at the least.
_SHORTEST = 2
#: Attributes that the search reads; a place where attributes begin counts as several.  On real pages up to 3 MB it was
#: 60,000 at most.
_MOST_READ = 1_000_000
_COST_OF_PLACE = 20
#: How much the parser reads at most to find that attributes are text, as a multiple of the page.
_MOST_PARSED = 3

_TAG_NAME = re.compile(rb"<[a-zA-Z][^\t\n\f\r />]*")
_WHITE_SPACE = b"\t\n\f\r "
_BEFORE_VALUE = b"=" + _WHITE_SPACE
_QUOTES = (b'"', b"'")
#: Before a value whose quote is open at the next ``>``.
_OPEN_VALUE = re.compile(rb"""=(?=[\t\n\f\r ]*(?:"[^">]*|'[^'>]*)>)""")
_VALUE = rb"""[\t\n\f\r ]*(?:"[^"]*"|'[^']*'|[^\t\n\f\r >"'][^\t\n\f\r >]*)?"""
_WHOLE_VALUE = re.compile(_VALUE)
_ATTRIBUTE = re.compile(rb"[\t\n\f\r /]*[^\t\n\f\r />][^\t\n\f\r />=]*(?:[\t\n\f\r ]*=" + _VALUE + rb")?")

_MARK = "justext-is-in-a-tag"
_TOO_MANY = ("too_many_attributes", "too many attributes in its elements")
#: libxml2's ``XML_ERR_RESOURCE_LIMIT``, for which lxml has a name from 6.0.2 on.
_RESOURCE_LIMIT = 114
_XHTML = "{http://www.w3.org/1999/xhtml}"


class _Place(NamedTuple):
    start: int
    attributes: int
    """How many attributes there are behind it, if it is one."""
    end: int
    """Where the tag ends.  Of several places with one end, only one can be in a tag with all of these attributes."""


def check_attributes(data: bytes) -> None:
    """Raise :class:`PageLimitError` for a page with so many attributes in its tags that it takes long to parse.

    ``data``: the page in UTF-8, or in another encoding whose ASCII characters have the bytes that they have in ASCII.
    """
    if len(data) < HARMLESS_PAGE:
        return
    places = _count_attributes(data)
    parsed = 0
    while decisive := _decisive_places(places):
        first = min(decisive)
        parsed += first.start
        if parsed > _MOST_PARSED * len(data) or _is_in_tag(data, first.start):
            raise PageLimitError(*_TOO_MANY)
        places.remove(first)


def _decisive_places(places: Iterable[_Place]) -> list[_Place]:
    """Return the places with the most attributes, without which there are not too many; none if there never were."""
    most: dict[int, int] = {}
    squares = 0
    ordered = sorted(places, key=attrgetter("attributes"))
    for number, place in enumerate(ordered):
        squares += place.attributes**2 - most.get(place.end, 0) ** 2
        most[place.end] = place.attributes
        if squares > _MOST_SQUARES:
            return ordered[number:]
    return []


def _is_in_tag(data: bytes, place: int) -> bool:
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, collect_ids=False)
    root = etree.fromstring(b"<p>" + data[:place] + f" {_MARK}>".encode(), parser)
    return any(_MARK in element.attrib for element in root.iter(etree.Element))


def _count_attributes(data: bytes) -> list[_Place]:
    places: list[_Place] = []
    #: By where an attribute begins: how many have been passed from there on, and where the last of them ends.
    known: dict[int, tuple[int, int]] = {}
    for start in _places_in_long_tags(data):
        count, end = 0, start
        while count < _MOST_IN_TAG:
            more, end = known[end] if end in known else _pass_attributes(data, end, known)
            if not more:
                break
            count += more
        places.append(_Place(start, min(count, _MOST_IN_TAG), end))
        if len(known) + _COST_OF_PLACE * len(places) > _MOST_READ:
            raise PageLimitError(*_TOO_MANY)
    return places


def _pass_attributes(data: bytes, start: int, known: dict[int, tuple[int, int]]) -> tuple[int, int]:
    """Pass attributes up to a known one or the most of a tag, note each, and return what is known of the first."""
    passed: list[int] = []
    end = start
    while end not in known and len(passed) < _MOST_IN_TAG and (attribute := _ATTRIBUTE.match(data, end)):
        passed.append(end)
        end = attribute.end()
    count, end = known.get(end, (0, end))
    for number, at in enumerate(reversed(passed), count + 1):
        known[at] = number, end
    return count + len(passed), end


def _long_steps(data: bytes, longest: int) -> Iterator[tuple[int, int]]:
    """Yield steps from a ``>`` to a later one: where they begin, behind the first, and where the second is.

    A step passes as many ``>`` as it can, but is no longer than the ``longest`` harmless tag, or passes none.
    """
    begin = 0
    while begin + longest <= len(data):
        # Looking back from afar is faster than going from each to the next.
        end = data.rfind(b">", begin, begin + longest)
        if end < 0:
            end = data.find(b">", begin + longest)
            end = len(data) if end < 0 else end
        yield begin, end
        begin = end + 1


def _places_in_long_tags(data: bytes) -> Iterator[int]:
    """Yield places in what may be long tags, behind which the attributes are to be counted.

    A long tag that begins in a step goes on at the end of it.  If there is a ``>``, it is in a value.
    """
    #: The quotes that may have begun a value: those behind an equals sign which have not come again.
    open_quotes: set[bytes] = set()
    # Of tags with as many attributes as they can have, the squares add up to this times the size of the page.
    longest = max(_HARMLESS_TAG, _MOST_SQUARES * _SHORTEST**2 // len(data))
    for begin, end in _long_steps(data, longest):
        if end - begin >= longest:
            # Of several tags without an end, the first is one, and the others are its attributes.
            name = _TAG_NAME.search(data, begin, end)
            if name is not None and end - name.start() > longest:
                yield name.end()
        for quote in _QUOTES:
            last = data.rfind(quote, begin, end)
            if last < 0:
                continue
            # Most end a value: then the byte before tells it.
            if data[last - 1] in _BEFORE_VALUE and data[begin:last].rstrip(_WHITE_SPACE).endswith(b"="):
                open_quotes.add(quote)
            else:
                open_quotes.discard(quote)
        if open_quotes:
            for value in _OPEN_VALUE.finditer(data, begin, end + 1):
                if whole := _WHOLE_VALUE.match(data, value.end()):
                    yield whole.end()


class Parsed(NamedTuple):
    """A parsed page: its root, None where there is nothing to parse, and what became of its bytes."""

    root: etree._Element | None
    is_cut: bool
    """The page nests deeper than 2,048 elements, 512 with HTML5; the parser dropped what comes after that point."""
    encoding: EncodingChoice | None = None
    """None for a page that came as text or as a tree."""
    nodes: Nodes | None = None
    """The nodes of a page that was parsed as browsers do, which has no tree."""

    def read(self) -> Nodes | None:
        """Return the nodes; None where there is nothing to parse."""
        return self.nodes if self.root is None else read_nodes(self.root)


#: A page in any of the forms that can be extracted.
Page: TypeAlias = "str | bytes | etree._Element | PageResponse | Parsed"


#: What parses bytes and text.
PARSERS = LXML, HTML5 = "lxml", "html5"


def parse_html(page: Page, encoding: str | None = None, parser: str = LXML) -> Parsed:
    """Return the tree of a page.

    ``parser``: one of :data:`PARSERS`, for all but trees.
    ``encoding``: that of bytes, from the HTTP header; it is weaker than a byte order mark and stronger than the
    page's own declaration, see :mod:`scrapy_justext.core.encodings`.  A tree is used as it is; one in XHTML's namespace
    is copied without the namespace, and an element that was cut out of a tree without what is behind it.  The tree of a
    response is used if the response was read in the right encoding.
    Raises :class:`PageError` for any other type, and for an encoding that cannot be used; its :class:`PageLimitError`
    for a page that would take the parser minutes.
    """
    if isinstance(page, bytes | bytearray | memoryview):
        body = bytes(page)
        return _parse_bytes(body, choose_encoding(body, None if encoding is None else check_encoding(encoding)), parser)
    if isinstance(page, str):
        return _parse_utf8(_encode(page), parser)
    if isinstance(page, etree._ElementTree):
        page = page.getroot()
    if isinstance(page, etree._Element) and isinstance(page.tag, str):
        return Parsed(_html_tree(page), is_cut(page))
    if isinstance(page, Parsed):
        return page
    if is_response(page):
        return _parse_response(page, parser)
    kind = "a comment or processing instruction" if isinstance(page, etree._Element) else type(page).__name__
    raise PageError(f"a page must be str, bytes, an lxml element or a response with text, not {kind}")


def is_response(page: object) -> TypeGuard[PageResponse]:
    """Return True for a response that holds text."""
    # Its selector is not asked for: a response makes it, which takes as long as parsing does.
    if isinstance(page, etree._Element):
        return False
    return isinstance(getattr(page, "body", None), bytes) and has_encoding(page)


def _parse_response(response: PageResponse, parser: str) -> Parsed:
    """Return the tree of the response's selector, if that is HTML in the right encoding; else parse the body."""
    choice = choose_encoding(response.body, stated_encoding(response))
    if not has_to_guess(response) and resolve_encoding(response.encoding) == choice.name:
        if len(response.body) >= HARMLESS_PAGE:
            has_ascii = choice.name == UTF_8 or choice.name in SINGLE_BYTE
            body = response.body if has_ascii else _as_utf_8(response.body, choice.name)
            check_attributes(body.replace(b"\0", b""))
        selector = response.selector
        if selector.type == "html" and isinstance(selector.root, etree._Element):
            return Parsed(selector.root, is_cut(selector.root), choice)
    return _parse_bytes(response.body, choice, parser)


def _as_utf_8(body: bytes, encoding: str) -> bytes:
    is_sound = encoding == UTF_8 and (body.isascii() or is_utf_8(body, is_whole=True))
    return body if is_sound else _encode(to_unicode(body, encoding))


def _parse_bytes(body: bytes, encoding: EncodingChoice, parser: str) -> Parsed:
    return _parse_utf8(_as_utf_8(body, encoding.name), parser)._replace(encoding=encoding)


def _parse_utf8(data: bytes, parser: str) -> Parsed:
    data = data.removeprefix(BOM_UTF8).replace(b"\0", b"")
    if not data or data.isspace():
        return Parsed(None, is_cut=False)
    check_attributes(data)
    if parser == HTML5:
        nodes, is_too_deep = html5_reader()(data)
        return Parsed(None, is_cut=is_too_deep, nodes=nodes)
    # Nobody asks this tree for an element by its ID; without that table parsing is a fifth faster.
    made = etree.HTMLParser(encoding="utf-8", huge_tree=True, collect_ids=False)
    try:
        root = etree.fromstring(data, made)
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
    """Return whether the parser dropped the end of a page that nests deeper than 2,048 elements, as its log tells."""
    parser = root.getroottree().parser
    last = parser.error_log.last_error if parser is not None else None
    return last is not None and last.type == _RESOURCE_LIMIT


def _html_tree(root: etree._Element) -> etree._Element:
    # An element that was cut out of a tree still has the text behind it, and XPath still begins at that tree.
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
