"""Footnotes: which links are references, and which blocks hold what they refer to.

A reference is a short link to a place of the same page: a number, a letter or a sign.  It is raised, in brackets, says
by its class or role what it is, or its target links back.  The target begins a good block behind it.  So do theorems
that a text refers to by their numbers, but nothing raises these, and no theorem links back.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, cast

from lxml import etree

from scrapy_justext.core.markdown.structure import Container

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

    from scrapy_justext.core.blocks import Segment
    from scrapy_justext.core.elements import Elements

#: The text of a reference, with the label in it.
_REFERENCE = re.compile(r"\s*(?P<bracket>[\[(])?\s*(?P<label>[0-9]{1,4}|[a-z]{1,2}|[*†‡§¶]{1,3})\s*[.)\]:]?\s*")
_SAYS_REFERENCE = re.compile(r"foot|\bfn|note|cite|\bref", re.IGNORECASE)
#: The text of a link back, and what stands around the label where a footnote begins.
BACK = re.compile(r"[\s\[\]()↩↑⤴⏎↵^\ufe0e\ufe0f]*", re.IGNORECASE)
_OPENING = r"[\s^\[(↑]*"
_CLOSING = r"[\s.)\]:]*"
#: Elements around a reference that may say what it is, and around the mark at the start of a footnote.
_AROUND = 3


class Footnotes(NamedTuple):
    """The footnotes of a page."""

    labels: Mapping[str, str]
    """The label of the footnote that each address leads to, which begins with a number sign."""
    containers: Mapping[etree._Element, Container]
    """What the blocks of each footnote stand in, by the element that holds them."""


NO_FOOTNOTES = Footnotes({}, {})


def find_footnotes(
    elements: Elements,
    good: Iterable[Segment],
    nodes: Mapping[int, etree._Element] | Sequence[etree._Element],
    addresses: Set[str],
) -> Footnotes:
    """Return the footnotes of a page.

    ``good``: its good blocks; ``nodes``: the elements that they stand in, by their numbers.
    ``addresses``: those in the same page that links lead to whose text is that of a reference, as the page has them.
    """
    links = [node for node in elements.root.iter("a") if node.get("href") in addresses] if addresses else []
    references = [(node, match) for node in links if (match := _REFERENCE.fullmatch(_beginning(node)))]
    if not references:
        return NO_FOOTNOTES
    targets = _targets(elements, {_address(node)[1:] for node, _ in references})
    holders = set(targets.values())
    around = elements.inherited(lambda node: node if node in holders else None)
    held: dict[etree._Element | None, Segment] = {}
    for segment in good:
        held.setdefault(around(nodes[segment.element]), segment)
    compared = {node.tag for node in (*targets.values(), *(node for node, _ in references))}
    places = {node: place for place, node in enumerate(elements.root.iter(*compared))}
    names = {name for node, _ in references for name in _names_around(node)}
    linked = [(node, _address(node)[1:]) for node in elements.root.iter("a")]
    links_back = {(name, around(node)) for node, name in linked if name in names}
    labels: dict[str, str] = {}
    containers: dict[etree._Element, Container] = {}
    for node, match in references:
        target = targets.get(_address(node)[1:])
        if target is None or target in containers or target not in held or held[target].heading_level:
            continue
        is_linked = any((name, target) in links_back for name in _names_around(node))
        if places[target] > places[node] and (match["bracket"] or is_linked or _says_reference(node)):
            label = match["label"] if match["label"].isalnum() else str(len(labels) + 1)
            label = label if label not in labels.values() else f"{label}-{len(labels) + 1}"
            labels[_address(node)] = label
            containers[target] = Container(label=label)
    return Footnotes(labels, containers)


def is_reference(text: str) -> bool:
    """Return whether the text of a link to a footnote is that of a reference."""
    return _REFERENCE.fullmatch(text) is not None


def without_label(text: str, label: str) -> str:
    """Return the text of a footnote without its label at the start.

    >>> without_label("[1] See there.", "1"), without_label("1984", "1")
    ('See there.', '1984')
    """
    match = re.match(rf"{_OPENING}(?:{re.escape(label)}(?!\w)|[*†‡§¶]+|$){_CLOSING}", text)
    return text[match.end() :] if match else text


def _beginning(node: etree._Element) -> str:
    """Return the text of a link, or the first of it."""
    return "".join(map(str, islice(node.itertext(), 8)))


def _address(node: etree._Element) -> str:
    return node.get("href") or ""


def _targets(elements: Elements, names: set[str]) -> dict[str, etree._Element]:
    """Return the block-level elements that begin at the places with some names, and hold no other such place."""
    found: dict[str, etree._Element] = {}
    shared: set[etree._Element] = set()
    for node in cast("list[etree._Element]", _NAMED(elements.root)):
        for name in (node.get("id"), node.get("name") if node.tag == "a" else None):
            if name in names and (place := _holder(node, elements.rules.block_level)) is not None:
                holder, is_start = place
                if is_start and name is not None:
                    found.setdefault(name, holder)
                elif not is_start:
                    shared.add(holder)
    return {name: holder for name, holder in found.items() if holder not in shared}


#: Elements that an address may lead to, in document order.
_NAMED = etree.XPath("descendant-or-self::*[@id or @name]")


def _holder(node: etree._Element, block_level: frozenset[str]) -> tuple[etree._Element, bool] | None:
    """Return the block-level element that an element is or stands in, and whether it is at its start; None without."""
    is_start = True
    for _ in range(_AROUND):
        above = node.getparent()
        if node.tag in block_level or above is None:
            break
        is_start = is_start and node.getprevious() is None and not (above.text or "").strip()
        node = above
    return (node, is_start) if node.tag in block_level else None


def _near(node: etree._Element) -> Iterator[etree._Element]:
    """Yield a link, its first child, and the inline elements around it."""
    yield node
    yield from islice(node, 1)
    above = node.getparent()
    for _ in range(_AROUND - 1):
        if above is None or above.tag not in ("sup", "span", "small", "b", "i", "em", "strong", "cite"):
            return
        yield above
        above = above.getparent()


def _says_reference(node: etree._Element) -> bool:
    says = (f"{one.get('class')} {one.get('role')} {one.get('rel')} {one.get('id')}" for one in _near(node))
    return any(one.tag == "sup" for one in _near(node)) or any(map(_SAYS_REFERENCE.search, says))


def _names_around(node: etree._Element) -> Iterator[str]:
    """Yield the names by which a footnote may link back to its reference."""
    for one in _near(node):
        yield from filter(None, (one.get("id"), one.get("name")))
