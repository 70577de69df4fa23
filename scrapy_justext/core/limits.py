"""Refuse pages that would take the parser minutes, before they are parsed.

libxml2 compares each attribute of an element with all before it.  An element with 100,000 attributes is 1 MB and takes
ten seconds; nothing can interrupt the parser there.

A search that is much cheaper than parsing finds the tags that may be long: those whose first ``>`` is far away, and
those whose first ``>`` may stand in a quoted value.  Some of them are no tags, but text in a script or a comment.
Parsers differ in that, and a page could hide attributes behind any difference.  So if there seem to be too many
attributes, the parser itself is asked: it is given the page up to that point.
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
#: Bytes; shorter tags have a few hundred attributes, which do no harm.
_HARMLESS_TAG = 2000
#: What the squares of the numbers of attributes may add up to: one tag with 22,000, or 500 with 1,000.  A page with
#: more takes two seconds longer than others.
_MOST_SQUARES = 500_000_000
_MOST_IN_TAG = int(_MOST_SQUARES**0.5) + 1
#: What is read in search of too many: attributes, and places where they begin, each of which costs as much as several
#: attributes.  On real pages up to 3 MB it was 60,000 at most.
_MOST_READ = 1_000_000
_COST_OF_PLACE = 20
#: How many times the page is given to the parser at most.
_MOST_GIVEN = 3

_TAG_NAME = re.compile(rb"<[a-zA-Z][^\t\n\f\r />]*")
#: Before a value whose quote is open at the next ``>``.
_OPEN_VALUE = re.compile(rb"""=(?=[\t\n\f\r ]*(?:"[^">]*|'[^'>]*)>)""")
_VALUE = rb"""[\t\n\f\r ]*(?:"[^"]*"|'[^']*'|[^\t\n\f\r >"'][^\t\n\f\r >]*)?"""
_FIRST_VALUE = re.compile(_VALUE)
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
    given = 0
    while suspects := _suspects(places):
        first = min(suspects)
        given += first.start
        if given > _MOST_GIVEN * len(data) or _is_in_tag(data, first.start):
            raise _too_many()
        places.remove(first)


def _too_many() -> PageLimitError:
    return PageLimitError("too_many_attributes", "too many attributes in its elements")


def _suspects(places: Iterable[_Place]) -> list[_Place]:
    """Return the places with the most attributes, so many that those of the others are not too many."""
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
    #: By where an attribute begins: how many there are from there on, and where the tag ends.
    known: dict[int, tuple[int, int]] = {}
    for start in _places_in_long_tags(data):
        passed: list[int] = []
        at = start
        while at not in known and len(passed) < _MOST_IN_TAG and (attribute := _ATTRIBUTE.match(data, at)):
            passed.append(at)
            at = attribute.end()
        count, end = known.get(at, (0, at))
        for at in reversed(passed):
            count = min(count + 1, _MOST_IN_TAG)
            known[at] = count, end
        places.append(_Place(start, count, end))
        if len(known) + _COST_OF_PLACE * len(places) > _MOST_READ:
            raise _too_many()
    return places


def _long_stretches(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield where what stands between two ``>`` begins and ends, if these are far from one another."""
    begin = 0
    while begin + _HARMLESS_TAG <= len(data):
        # Looking back from afar, one step passes most tags.
        nearer = data.rfind(b">", begin, begin + _HARMLESS_TAG)
        if nearer >= 0:
            begin = nearer + 1
            continue
        end = data.find(b">", begin + _HARMLESS_TAG)
        end = len(data) if end < 0 else end
        yield begin, end
        begin = end + 1


def _places_in_long_tags(data: bytes) -> Iterator[int]:
    """Yield places in what may be long tags, behind which the attributes are to be counted."""
    for begin, end in _long_stretches(data):
        # Of several tags without an end, the first is one, and the others are its attributes.
        name = _TAG_NAME.search(data, begin, end)
        if name is not None and end - name.start() > _HARMLESS_TAG:
            yield name.end()
    for value in _OPEN_VALUE.finditer(data):
        yield _FIRST_VALUE.match(data, value.end()).end()  # type: ignore[union-attr]  # it matches nothing, too
