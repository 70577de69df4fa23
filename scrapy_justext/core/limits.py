"""Refuse pages that would take the parser minutes, before they are parsed.

libxml2 compares each attribute of an element with all before it.  An element with 100,000 attributes is 1 MB and takes
ten seconds; nothing can interrupt the parser there.

A search that is much cheaper than parsing finds the tags that may be long: those whose first ``>`` is far away, and
those with a ``>`` that may stand in a quoted value, of which it looks at one in 2,000 bytes or more.  Some of them are
no tags, but text in a script or a comment.  Parsers differ in that, and a page could hide attributes behind any
difference.  So if there seem to be too many attributes, the parser itself is asked: it is given the page up to that
point.
"""

from __future__ import annotations

import re
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from lxml import etree

from scrapy_justext.exceptions import PageLimitError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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
#: What is read in search of too many: attributes, and places where they begin, each of which costs as much as several
#: attributes.  On real pages up to 3 MB it was 60,000 at most.
_MOST_READ = 1_000_000
_COST_OF_PLACE = 20
#: What the parser reads at most in search of attributes that are none, in times of the page.
_MOST_PARSED = 3

_TAG_NAME = re.compile(rb"<[a-zA-Z][^\t\n\f\r />]*")
_WHITE_SPACE = b"\t\n\f\r "
_QUOTES = (b'"', b"'")
#: Before a value whose quote is open at the next ``>``.
_OPEN_VALUE = re.compile(rb"""=(?=[\t\n\f\r ]*(?:"[^">]*|'[^'>]*)>)""")
_VALUE = rb"""[\t\n\f\r ]*(?:"[^"]*"|'[^']*'|[^\t\n\f\r >"'][^\t\n\f\r >]*)?"""
_WHOLE_VALUE = re.compile(_VALUE)
_ATTRIBUTE = re.compile(rb"[\t\n\f\r /]*[^\t\n\f\r />][^\t\n\f\r />=]*(?:[\t\n\f\r ]*=" + _VALUE + rb")?")

_MARK = "justext-is-in-a-tag"


class _Place(NamedTuple):
    """A place in what may be a tag."""

    start: int
    attributes: int
    """How many attributes there are behind it, if it is one."""
    end: int
    """Where the tag ends.  Of several places with one end, only one can be in a tag with all of these attributes."""


def check_attributes(data: bytes) -> None:
    """Raise :class:`PageLimitError` for a page with so many attributes in its tags that it takes long to parse.

    ``data``: the page in UTF-8, or in another encoding in which the ASCII characters are what they are in ASCII.
    """
    if len(data) < HARMLESS_PAGE:
        return
    places = _count_attributes(data)
    parsed = 0
    while decisive := _decisive_places(places):
        first = min(decisive)
        parsed += first.start
        if parsed > _MOST_PARSED * len(data) or _is_in_tag(data, first.start):
            raise _too_many()
        places.remove(first)


def _too_many() -> PageLimitError:
    return PageLimitError("too_many_attributes", "too many attributes in its elements")


def _decisive_places(places: Iterable[_Place]) -> list[_Place]:
    """Return the places with the most attributes, so that those of the others are not too many; none if all are not."""
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
    """Return whether the parser takes an attribute at some place for one."""
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, collect_ids=False)
    root = etree.fromstring(b"<p>" + data[:place] + f" {_MARK}>".encode(), parser)
    return any(_MARK in element.attrib for element in root.iter(etree.Element))


def _count_attributes(data: bytes) -> list[_Place]:
    """Return places in all tags that may be long."""
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
            raise _too_many()
    return places


def _pass_attributes(data: bytes, start: int, known: dict[int, tuple[int, int]]) -> tuple[int, int]:
    """Pass attributes up to what is known or the most of a tag, note each, and return what is known of the first."""
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
            if last >= 0 and data[begin:last].rstrip(_WHITE_SPACE).endswith(b"="):
                open_quotes.add(quote)
            elif last >= 0:
                open_quotes.discard(quote)
        if open_quotes:
            for value in _OPEN_VALUE.finditer(data, begin, end + 1):
                if whole := _WHOLE_VALUE.match(data, value.end()):
                    yield whole.end()
