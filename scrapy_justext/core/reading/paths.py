"""Tell where elements are: paths that select them, and the names of all above them."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lxml import etree

    from scrapy_justext.core.reading.flow import Flow

#: Names that XPath takes for a name: others (``o:p``, ``foo"bar``) stand as ``*[n]``.
_PLAIN_NAME = re.compile(r"[A-Za-z_][\w.-]*")


class Paths(NamedTuple):
    """Where an element is: ``xpath`` selects it in the whole page, ``dom_path`` names it and all above it.

    Both cost as much as the rest of an extraction, so they are made only when asked for.
    """

    xpath: str | None
    dom_path: str | None

    def below(self, name: str, step: str) -> Paths:
        """Return the paths of a child."""
        return Paths(f"{self.xpath}/{step}", f"{self.dom_path}.{name}" if self.dom_path else name)


#: Those of elements that get none.
NO_PATHS = Paths(None, None)

#: Characters of all paths of a page together; 50 to 100 MB.  Pages that people read stay far below.
MOST_CHARACTERS = 50_000_000


@dataclass(slots=True)
class _Open:
    """An element that has started and not ended yet, with the number of its children so far, by name."""

    node: int
    name: str
    step: str
    paths: Paths | None = None
    """None while nobody has asked for them."""
    children: Counter[str] = field(default_factory=Counter)


def element_paths(flow: Flow, root: etree._Element | None, numbers: Iterable[int]) -> dict[int, Paths]:
    """Return the paths of some block-level elements by their numbers, which are those of ``Segment.element``.

    ``root``: the tree that was read; None if lxml did not make it.  Once the paths of a page have
    :data:`MOST_CHARACTERS`, the elements that follow get none.
    """
    order = flow.page.order
    wanted: dict[int, list[int]] = {}
    for number in sorted({*numbers}):
        node = flow.elements[number]
        wanted.setdefault(order[node] if order else node, []).append(number)
    page = flow.page.original or flow.page
    paths: dict[int, Paths] = {}
    open_ = [_Open(0, "", "", Paths("", "")) if root is None else _around(root)]
    left = MOST_CHARACTERS
    last = max(wanted, default=0)
    for node in range(1, last + 1):
        if page.tag[node] < 0:
            continue
        while page.end[open_[-1].node] <= node:
            open_.pop()
        name = page.name(node)
        open_.append(_Open(node, name, _step(open_[-1].children, name)))
        if node in wanted:
            left -= _make_paths(open_, left)
            paths |= dict.fromkeys(wanted[node], open_[-1].paths or NO_PATHS)
            if left <= 0:
                break
    return paths


def _make_paths(open_: Sequence[_Open], most: int) -> int:
    """Give paths to the open elements that have none yet; return how many characters they have.

    It stops when there are ``most``: a long name has as many copies as elements are inside.
    """
    first = next(i for i in range(len(open_) - 1, -1, -1) if open_[i].paths is not None)
    made = 0
    for above, element in pairwise(open_[first:]):
        assert above.paths is not None
        paths = element.paths = above.paths.below(element.name, element.step)
        made += sum(map(len, filter(None, paths)))
        if made >= most:
            break
    return made


def _step(siblings: Counter[str], name: str) -> str:
    """Return the XPath step to the next element ``name``; ``siblings`` counts it."""
    siblings[name] += 1
    siblings["*"] += 1
    return f"{name}[{siblings[name]}]" if _PLAIN_NAME.fullmatch(name) else f"*[{siblings['*']}]"


def _around(root: etree._Element) -> _Open:
    """Return what is around ``root``, with the elements before it counted: its parent, or the document."""
    around = _Open(0, "", "", Paths("", ""))
    for node in [*reversed(list(root.iterancestors())), root]:
        for sibling in node.itersiblings(preceding=True):
            if isinstance(sibling.tag, str):
                _step(around.children, sibling.tag)
        if node is not root:
            name, paths = str(node.tag), around.paths
            assert paths is not None
            around = _Open(0, name, "", paths.below(name, _step(around.children, name)))
    return around
