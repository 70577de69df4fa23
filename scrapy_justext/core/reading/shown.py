"""Put elements where browsers show them: parts of a page that come late, and what a shadow tree has slots for.

* React streams a part as ``<div hidden id="S:1">``, behind what was ready before it, and puts it where
  ``<template id="B:0">`` stands, in place of all up to the comment ``/$``: what was shown until then.  Parts of parts
  have ``<template id="P:0">``.  A script says which part goes where, ``$RC("B:0","S:1")`` or ``$RS("S:1","P:0")``, or
  a TEMPLATE does by DATA-SID and DATA-BID or DATA-PID.  Else a part goes to the place with its number.
* A parent shows its TEMPLATE with SHADOWROOTMODE.  A child of the parent replaces what is in the SLOT that its
  attribute SLOT names; children without that attribute, and the text between them, go into the SLOT without a name.
  What has no SLOT is not shown.  If there is no SLOT at all, it stays, though browsers do not show it.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.core.reading.nodes import ALL_OF_TEXT, BEHIND, ENTITY, HAS_TEXT, IS_DESCRIBED, MAY_BE_HIDDEN
from scrapy_justext.core.reading.rules import NAMES, is_shadow_root

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable, Iterator

    import cython

    from scrapy_justext.core.reading.nodes import Nodes

#: The name of the place of a part, and what scripts say of two names.
_PLACE = re.compile(r"(.*)[BP]:([0-9a-f]+)", re.DOTALL)
_SAID = re.compile(r'\$R[CRS]\("([^"]+)","([^"]+)"')
#: The number of the name of an element that is none of a block.
_INLINE = NAMES.index("span")
#: Stands for a node that is shown with nothing before it.
_ALONE = -2
#: The comments around what is shown until a part comes.
_BEGIN, _END = "$", "/$"


class _Moves(NamedTuple):
    """What browsers show elsewhere, or not at all.

    A text that leaves the element that it is in or behind gets a node of its own, numbered from ``page.count`` on.
    """

    before: dict[int, int]
    """The part that stands before each TEMPLATE."""
    inside: dict[int, list[int]]
    """What stands in each SLOT in place of its own."""
    until: dict[int, int]
    """By such a TEMPLATE, the comment up to which all behind it was shown until its part came."""
    unslotted: set[int]
    """What has no SLOT beside others that have one."""
    texts: list[tuple[int, int, int]]
    """Of each text with a node of its own, the node that has it, what stands for the name of its own, and its flags."""

    def places(self, page: Nodes) -> Iterator[tuple[int, int]]:
        """Yield each node that is shown elsewhere, with what it is shown in."""
        yield from ((part, page.parent[place]) for place, part in self.before.items())
        yield from ((child, slot) for slot, children in self.inside.items() for child in children)

    def forget(self, lost: set[int]) -> None:
        """Leave parts where they are."""
        for place in [place for place, part in self.before.items() if part in lost]:
            del self.before[place]
            self.until.pop(place, None)

    def moved(self) -> set[int]:
        """Return the nodes that are not shown where they stand."""
        return self.unslotted.union(self.before.values(), *self.inside.values())

    def take_text(self, page: Nodes, node: int, tag: int) -> list[int]:
        """Return a node for the text in an element, which is inline, or behind a node, which has no name; if any."""
        flags = page.flags[node] & (ALL_OF_TEXT if tag == _INLINE else ALL_OF_TEXT << BEHIND)
        if not flags:
            return []
        self.texts.append((node, tag, flags))
        return [page.count + len(self.texts) - 1]


def as_shown(page: Nodes) -> Nodes:
    """Return the nodes of a page in the order in which browsers show them: the page itself if that is its own."""
    templates = page.named("template")
    if not templates:
        return page
    moves = _Moves({}, {}, {}, set(), [])
    _move_parts(page, templates, moves)
    _fill_slots(page, templates, moves)
    for _ in range(_MOST_TRIES):
        if not (moves.before or moves.inside or moves.unslotted):
            return page
        shown = _reordered(page, moves)
        if shown is not None:
            return shown
    return page


#: How often what would stand nowhere is left where it is, and the rest moved again.
_MOST_TRIES = 3


def _move_parts(page: Nodes, templates: list[int], moves: _Moves) -> None:
    ids = _first_by_id(page, templates)
    places = {name: template for name, template in ids.items() if _PLACE.fullmatch(name)}
    parts = _parts_of(page, templates, places) if places else {}
    described = (node for node in range(1, page.count) if page.flags[node] & IS_DESCRIBED)
    named = _first_by_id(page, described) if parts else {}
    for place, name in parts.items():
        part = named.get(name, 0)
        # What is behind it is not moved with it.
        if part and not page.flags[part] >> BEHIND & HAS_TEXT:
            moves.before[places[place]] = part
    for around in {page.parent[place] for place in moves.before}:
        moves.until.update(_shown_until_then(page, around, moves.before))


def _first_by_id(page: Nodes, nodes: Iterable[int]) -> dict[str, int]:
    """Return the first of some nodes with each ID."""
    first: dict[str, int] = {}
    for node in nodes:
        if value := page.attribute(node, "id"):
            first.setdefault(value, node)
    return first


def _parts_of(page: Nodes, templates: list[int], places: Collection[str]) -> dict[str, str]:
    """Return the part of each place, by their names; no two places have the same part."""
    places_of: dict[str, str] = {}
    for left, right in _said(page, templates):
        place, part = (left, right) if left in places else (right, left)
        places_of.setdefault(part, place)
    parts = {place: part for part, place in places_of.items() if place in places}
    for place in places:
        match = _PLACE.fullmatch(place)
        if match and place not in parts and (part := f"{match[1]}S:{match[2]}") not in places_of:
            places_of[part] = place
            parts[place] = part
    return parts


def _said(page: Nodes, templates: list[int]) -> Iterator[tuple[str, str]]:
    """Yield the names of parts and of their places, in either order, by what the page says of them."""
    for script in page.named("script"):
        text = page.text(script)
        if len(text) <= _LONGEST_SCRIPT:
            yield from _SAID.findall(text)
    for template in templates:
        place = page.attribute(template, "data-bid") or page.attribute(template, "data-pid")
        if place and (part := page.attribute(template, "data-sid")):
            yield place, part


#: Characters of a script of React, which has a few thousand; the state of a page may have millions.
_LONGEST_SCRIPT = 1 << 15


def _shown_until_then(page: Nodes, around: int, places: Container[int]) -> Iterator[tuple[int, int]]:
    """Yield the places of parts right in a node, each with the comment that ends what is shown until its part comes.

    The place of a part of a part has none.
    """
    # Of each comment that has begun and not ended, the places behind it.
    begun: list[list[int]] = [[]]
    node = around + 1
    while node < page.end[around]:
        text = page.comment(node)
        if text == _END and len(begun) > 1:
            yield from ((place, node) for place in begun.pop())
        elif text.startswith(_BEGIN):
            begun.append([])
        elif node in places:
            begun[-1].append(node)
        node = page.end[node]


def _fill_slots(page: Nodes, templates: list[int], moves: _Moves) -> None:
    hosts: set[int] = set()
    for template in templates:
        host = page.parent[template]
        # Of several, the first counts.
        if host not in hosts and is_shadow_root(page, template):
            hosts.add(host)
            slots = list(_slots(page, template))
            by_name = _by_slot(page, template, moves) if slots else {}
            for slot in slots:
                if children := by_name.pop(page.attribute(slot, "name") or "", None):
                    moves.inside[slot] = children
            moves.unslotted.update(*by_name.values())


def _by_slot(page: Nodes, template: int, moves: _Moves) -> defaultdict[str, list[int]]:
    """Return what stands in a host beside its shadow tree, by the names of SLOTs; space alone stands in none."""
    host = page.parent[template]
    by_name: defaultdict[str, list[int]] = defaultdict(list)
    unnamed = moves.take_text(page, host, _INLINE)
    node = host + 1
    while node < page.end[host]:
        name = page.attribute(node, "slot") or ""
        is_child = page.tag[node] >= 0 and node != template
        if is_child:
            (by_name[name] if name else unnamed).append(node)
        if name or not is_child:
            unnamed += moves.take_text(page, node, ENTITY)
        node = page.end[node]
    if any(node < page.count or moves.texts[node - page.count][2] & _IS_TEXT for node in unnamed):
        by_name[""] = unnamed
    return by_name


_IS_TEXT = HAS_TEXT | HAS_TEXT << BEHIND


def _slots(page: Nodes, template: int) -> Iterator[int]:
    """Yield the SLOTs of a shadow tree, without those of the shadow trees in it."""
    node = template + 1
    while node < page.end[template]:
        name = page.name(node)
        if name == "slot":
            yield node
        node = page.end[node] if name == "template" and is_shadow_root(page, node) else node + 1


def _reordered(page: Nodes, moves: _Moves) -> Nodes | None:
    """Return the nodes of a page with some moved; None if parts would stand nowhere: these are not moved again."""
    nodes = array("i", range(page.count + len(moves.texts)))
    order = array("i")
    for begin, end in _ranges(page, moves):
        order += nodes[begin:end]
    numbers = array("i", [-1]) * len(nodes)
    _number(order, numbers)
    lost = {part for part in moves.before.values() if numbers[part] < 0}
    if lost:
        # They stand in each other, or in what is gone.
        moves.forget(lost)
        return None
    # A text is described by the node that has it.
    for i, (node, _, _) in enumerate(moves.texts, page.count):
        nodes[i] = node
    around, tag = _taken(page.parent, nodes), _taken(page.tag, nodes)
    flags, signs = _taken(page.flags, nodes), _taken(page.signs, nodes)
    for node, above in moves.places(page):
        around[node] = above
    for part in moves.before.values():
        # The children of a part are moved without its element, so they are not hidden, and no block ends at it.
        tag[part] = _INLINE
        flags[part] &= ~(MAY_BE_HIDDEN | IS_DESCRIBED)
    for slot in moves.inside:
        flags[slot] &= ~ALL_OF_TEXT
    for place in moves.until:
        flags[place] &= ~(ALL_OF_TEXT << BEHIND)
    for i, (node, name, own) in enumerate(moves.texts, page.count):
        tag[i], flags[i], signs[i] = name, own, 0
        flags[node] &= ~own
    around[0] = 0
    parent = _taken(numbers, _taken(around, order))
    parent[0] = -1
    ends = array("i", range(1, len(parent) + 1))
    _put_ends(parent, ends)
    columns = (_taken(tag, order), parent, ends, _taken(flags, order), _taken(signs, order))
    return page.reordered(_taken(nodes, order), columns)


def _number(order: array[int], numbers: array[int]) -> None:
    """Give each node its number in an order."""
    number: cython.int
    for number in range(len(order)):
        numbers[order[number]] = number


def _taken(column: array[int], nodes: array[int]) -> array[int]:
    taken = array("i", bytes(nodes.itemsize * len(nodes)))
    _take(column, nodes, taken)
    return taken


def _take(column: array[int], nodes: array[int], taken: array[int]) -> None:
    i: cython.Py_ssize_t
    for i in range(len(nodes)):
        taken[i] = column[nodes[i]]


def _put_ends(parent: array[int], ends: array[int]) -> None:
    """Make the number behind a node the one behind the last node in it."""
    node: cython.int
    for node in range(len(parent) - 1, 0, -1):
        ends[parent[node]] = max(ends[parent[node]], ends[node])


def _ranges(page: Nodes, moves: _Moves) -> Iterator[tuple[int, int]]:
    """Yield the nodes of a page in the order in which they are shown: the first of some, and that behind the last."""
    moved = moves.moved()
    special = sorted({*moved, *moves.before, *moves.inside})
    # What comes next is the last; with it goes the node that has been moved there, if it begins with one.
    waiting = [(0, page.count, -1)]
    while waiting:
        begin, end, root = waiting.pop()
        if root == _ALONE:
            yield begin, end
            continue
        at = bisect_left(special, begin)
        node = special[at] if at < len(special) else end
        if node >= end:
            yield begin, end
            continue
        yield begin, node
        if node in moved and node != root:
            waiting.append((page.end[node], end, -1))
            continue
        if node in moves.before:
            part = moves.before[node]
            behind = moves.until.get(node, node + 1)
            waiting += [(behind, end, -1), (node, node + 1, _ALONE), (part, page.end[part], part)]
            continue
        yield node, node + 1
        children = moves.inside.get(node)
        waiting.append((node + 1 if children is None else page.end[node], end, -1))
        # Texts with nodes of their own hold nothing.
        waiting += [
            (child, page.end[child] if child < page.count else child + 1, child) for child in reversed(children or ())
        ]
