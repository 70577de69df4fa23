"""Footnotes: which links are references, and which blocks hold what they refer to.

A reference is a short link to a place of the same page: a number, a letter or a sign.  It is raised or in brackets, its
class or role says what it is, or its target links back.  The target begins a good block behind it.  Texts also refer to
theorems by their numbers, but nothing raises these numbers, and no theorem links back.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.core.markdown.inline import MARKUP
from scrapy_justext.core.markdown.structure import Container
from scrapy_justext.core.reading.nodes import HAS_TEXT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Set

    from scrapy_justext.core.blocks import Segment
    from scrapy_justext.core.markdown.inline import TextRun
    from scrapy_justext.core.reading.flow import Flow
    from scrapy_justext.core.reading.nodes import Nodes

#: What is asked of the attributes of references and of what they lead to.
ATTRIBUTES = frozenset(["class", "href", "id", "name", "rel", "role"])

#: The text of a reference, with the label in it.
_REFERENCE = re.compile(r"\s*(?P<bracket>[\[(])?\s*(?P<label>[0-9]{1,4}|[a-z]{1,2}|[*†‡§¶]{1,3})\s*[.)\]:]?\s*")
#: A link, with the first tokens in it.
_LINK = re.compile(r"[<~][^>_\[\]{#]{,32}")
_SAYS_REFERENCE = re.compile(r"foot|\bfn|note|cite|\bref", re.IGNORECASE)
#: The text of a link back, and what stands around the label where a footnote begins.
BACK = re.compile(r"[\s\[\]()↩↑⤴⏎↵^\ufe0e\ufe0f]*", re.IGNORECASE)
_LABELLED = re.compile(r"[\s^\[(↑]*(?:(?P<label>\w+)|[*†‡§¶]+|$)[\s.)\]:]*")
#: Elements around a reference that may say what it is, and around the mark at the start of a footnote.
_AROUND = 3


class Footnotes(NamedTuple):
    """The footnotes of a page."""

    labels: dict[str, str]
    """The label of the footnote that each address leads to, which begins with a number sign."""
    containers: dict[int, Container]
    """What the blocks of each footnote stand in, by the node that holds them."""


def find_footnotes(flow: Flow, good: Iterable[Segment], addresses: Set[str]) -> Footnotes:
    """Return the footnotes of a page by its good blocks; ``addresses``: where links lead that read like references."""
    page = flow.page
    footnotes = Footnotes({}, {})
    references = list(_references(flow, addresses)) if addresses else []
    if not references:
        return footnotes
    targets = _targets(flow, {_name(page, node) for node, _ in references})
    around = page.nearest(set(targets.values()))
    held: dict[int, Segment] = {}
    for segment in good:
        held.setdefault(around[flow.elements[segment.element]], segment)
    names = {name for node, _ in references for name in _names_around(page, node)}
    links_back = {(name, around[node]) for node in page.named("a") if (name := _name(page, node)) in names}
    used: set[str] = set()
    for node, match in references:
        target = targets.get(_name(page, node), 0)
        if not target or target in footnotes.containers or target not in held or held[target].heading_level:
            continue
        is_linked = any((name, target) in links_back for name in _names_around(page, node))
        if target > node and (match["bracket"] or is_linked or _says_reference(page, node)):
            label = match["label"] if match["label"].isalnum() else str(len(footnotes.labels) + 1)
            label = label if label not in used else f"{label}-{len(footnotes.labels) + 1}"
            used.add(label)
            footnotes.labels[f"#{_name(page, node)}"] = label
            footnotes.containers[target] = Container(label=label)
    return footnotes


def _references(flow: Flow, addresses: Set[str]) -> Iterator[tuple[int, re.Match[str]]]:
    for link in _LINK.finditer(flow.codes):
        node = flow.nodes[link.start()]
        if flow.page.attribute(node, "href") in addresses:
            text = (flow.text(i) for i in range(link.start(), link.end()) if flow.codes[i] in "t$")
            if match := _REFERENCE.fullmatch("".join(text)):
                yield node, match


def is_reference(runs: Iterable[TextRun]) -> bool:
    """Return whether the text of a link to a footnote, in runs, is that of a reference."""
    return _REFERENCE.fullmatch("".join(run.text for run in runs if run.kind != MARKUP)) is not None


def without_label(text: str, label: str) -> str:
    """Return the text of a footnote without its label at the start.

    >>> without_label("[1] See there.", "1"), without_label("1984", "1")
    ('See there.', '1984')
    """
    match = _LABELLED.match(text)
    return text[match.end() :] if match and match["label"] in (None, label) else text


def _name(page: Nodes, link: int) -> str:
    return (page.attribute(link, "href") or "")[1:]


def _targets(flow: Flow, names: set[str]) -> dict[str, int]:
    """Return the block-level elements that begin at the places with some names, and hold no other such place."""
    page = flow.page
    holders: dict[str, int] = {}
    shared: set[int] = set()
    for node in range(1, page.count):
        for name in (page.attribute(node, "id"), page.attribute(node, "name") if page.name(node) == "a" else None):
            if name in names and (place := _holder(page, node, flow.rules.block_level)) is not None:
                holder, is_start = place
                if is_start and name is not None:
                    holders.setdefault(name, holder)
                elif not is_start:
                    shared.add(holder)
    return {name: holder for name, holder in holders.items() if holder not in shared}


def _holder(page: Nodes, node: int, block_level: frozenset[str]) -> tuple[int, bool] | None:
    """Return the block-level element that an element is or stands in, and whether it is at its start; None without."""
    is_start = True
    for _ in range(_AROUND):
        above = page.parent[node]
        if page.name(node) in block_level or above <= 0:
            break
        is_start = is_start and not page.node_before(node) and not page.flags[above] & HAS_TEXT
        node = above
    return (node, is_start) if page.name(node) in block_level else None


def _near(page: Nodes, node: int) -> Iterator[int]:
    """Yield a link, its first child, and the inline elements around it."""
    yield node
    yield from islice(page.children(node), 1)
    for _ in range(_AROUND - 1):
        node = page.parent[node]
        if page.name(node) not in ("sup", "span", "small", "b", "i", "em", "strong", "cite"):
            return
        yield node


def _says_reference(page: Nodes, node: int) -> bool:
    return any(
        page.name(near) == "sup"
        or any(_SAYS_REFERENCE.search(page.attribute(near, name) or "") for name in ("class", "role", "rel", "id"))
        for near in _near(page, node)
    )


def _names_around(page: Nodes, node: int) -> Iterator[str]:
    """Yield the names by which a footnote may link back to its reference."""
    for near in _near(page, node):
        yield from filter(None, (page.attribute(near, "id"), page.attribute(near, "name")))
