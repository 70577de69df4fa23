"""Tell which text of a page made no blocks, because the elements around it were removed.

Reading notes what it removes (:mod:`~scrapy_justext.core.reading.flow`), and does not look into it; this does, when
somebody asks.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from w3lib.html import remove_tags

from scrapy_justext.core.reading.rules import is_hidden
from scrapy_justext.core.text import collapse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_justext.core.reading.flow import Flow
    from scrapy_justext.core.reading.nodes import Nodes
    from scrapy_justext.inspection.pages import Inspection

#: Elements whose text nobody is meant to read.
_NO_PROSE = frozenset({"head", "meta", "script", "style", "title"})

#: Elements that hold markup as text.
_MARKUP = frozenset({"iframe", "noembed", "noframes"})

#: What elements are called that are removed for another reason than their name.
_HIDDEN, _BESIDE_CODE, _OF_FORMULA = "hidden element", "element beside code", "element of a formula"


class RemovedText(NamedTuple):
    """The elements with text that were removed for one reason, those inside other removed ones left out."""

    why: str
    """The name of the elements in capitals; in words for those that are removed for another reason."""
    elements: int
    characters: int
    """Characters of text in them, white space collapsed."""

    def __str__(self) -> str:
        """Return what is printed."""
        what = self.why if self.elements == 1 else self.why.replace("element", "elements")
        return f"{self.elements:,} {what} ({self.characters:,} characters)"


def describe_removed(inspection: Inspection) -> str:
    """Return in words which text of a page was removed; "" where none was."""
    flow = inspection.flow
    removed = [] if flow is None else removed_text(flow)
    return f"removed: {', '.join(map(str, removed))}" if removed else ""


def removed_text(flow: Flow) -> list[RemovedText]:
    """Return the text that rules remove from a page, by the reason, most of it first."""
    lengths: defaultdict[str, list[int]] = defaultdict(list)
    for code, node in zip(flow.codes, flow.nodes, strict=True):
        if code in "xhcf" and (length := len(collapse("".join(_texts(flow.page, node))))):
            lengths[_reason(flow, code, node)].append(length)
    removed = [RemovedText(why, len(found), sum(found)) for why, found in lengths.items()]
    return sorted(removed, key=lambda one: (-one.characters, one.why))


def _texts(page: Nodes, node: int) -> Iterator[str]:
    """Yield the texts in an element, but for those that nobody is meant to read."""
    end = page.end[node]
    # What stands behind the elements that have ended here, innermost first.
    behind: list[int] = []
    inside = node
    while inside < end:
        while behind and page.end[behind[-1]] == inside:
            yield page.tail(behind.pop())
        name = page.name(inside)
        if name not in _NO_PROSE:
            yield remove_tags(page.text(inside)) if name in _MARKUP else page.text(inside)
        if inside != node:
            behind.append(inside)
        inside = page.end[inside] if name in _NO_PROSE else inside + 1
    while behind:
        yield page.tail(behind.pop())


def _reason(flow: Flow, code: str, node: int) -> str:
    if code == "x":
        is_gone = flow.rules.hidden and is_hidden(flow.page, node)
        return _HIDDEN if is_gone else flow.page.name(node).upper()
    return {"h": _HIDDEN, "c": _BESIDE_CODE, "f": _OF_FORMULA}[code]
