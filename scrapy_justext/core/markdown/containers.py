"""Lines into lists and block quotes, streamed: each block opens the containers that the one before was not in."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.core.markdown.positions import Container, Item, ListOf, Quote

if TYPE_CHECKING:
    from collections.abc import Sequence


class Lines(NamedTuple):
    """A block of Markdown; ``is_paragraph``: whether the item of a list may follow without a blank line."""

    lines: Sequence[str]
    is_paragraph: bool = False


class Writer:
    """Puts blocks one below the other."""

    def __init__(self) -> None:
        self._written: list[str] = []
        self._containers: Sequence[Container] = ()
        self._after_paragraph = False
        #: The lists that are written with the other bullet or delimiter, since one of their kind is right above.
        self._others: set[ListOf] = set()

    def text(self) -> str:
        """All lines, with no line feed at the end."""
        return "\n".join(self._written)

    def add(self, block: Lines, containers: Sequence[Container]) -> None:
        """Write a block that stands in ``containers``."""
        shared = _shared(self._containers, containers)
        opened = containers[shared:]
        self._tell_apart(shared, opened)
        around = "".join(self._indent(one) for one in containers[:shared])
        if self._written and not self._is_tight(shared, opened):
            self._written.append(around.rstrip())
        first, *rest = block.lines
        self._written.append(f"{around}{''.join(self._marker(one) for one in opened)}{first}")
        indent = around + "".join(self._indent(one) for one in opened)
        self._written += (f"{indent}{line}".rstrip() if not line else f"{indent}{line}" for line in rest)
        self._containers = containers
        self._after_paragraph = block.is_paragraph

    def _tell_apart(self, shared: int, opened: Sequence[Container]) -> None:
        """Make two lists, one right below the other, two."""
        above = self._containers[shared] if shared < len(self._containers) else None
        below = opened[0] if opened else None
        if not isinstance(above, Item) or not isinstance(below, Item) or above.of is below.of:
            return
        if _are_alike(above, below) and (above.of in self._others) == (below.of in self._others):
            self._others ^= {below.of}

    def _is_tight(self, shared: int, opened: Sequence[Container]) -> bool:
        """Whether a block begins an item that needs no blank line before it."""
        if not opened or not isinstance(opened[0], Item) or not self._after_paragraph:
            return False
        item = opened[0]
        if shared < len(self._containers):
            above = self._containers[shared]
            return isinstance(above, Item) and above.of is item.of and _are_alike(above, item)
        # A list inside an item, below its text.  Only 1 begins a list there.
        return shared > 0 and isinstance(self._containers[-1], Item) and item.number in (None, 1)

    def _marker(self, container: Container) -> str:
        if isinstance(container, Quote):
            return "> "
        is_other = container.of in self._others
        if container.number is None:
            return "* " if is_other else "- "
        return f"{container.number}{')' if is_other else '.'} "

    def _indent(self, container: Container) -> str:
        marker = self._marker(container)
        return marker if isinstance(container, Quote) else " " * len(marker)


def _are_alike(one: Item, other: Item) -> bool:
    """Whether both have numbers, or both bullets."""
    return (one.number is None) == (other.number is None)


def _shared(before: Sequence[Container], now: Sequence[Container]) -> int:
    """How many containers two blocks have in common, from the outermost."""
    for i, (one, other) in enumerate(zip(before, now, strict=False)):
        if one is not other:
            return i
    return min(len(before), len(now))
