"""Tables as both kinds of report show them, and how figures are written."""

from __future__ import annotations

from typing import NamedTuple

#: Stands for a figure that is not defined.
UNDEFINED = "–"


class Cell(NamedTuple):
    """A figure, and what stands beside it less loudly; ``strong`` ones stand out."""

    text: str
    aside: str = ""
    strong: bool = False


class Line(NamedTuple):
    """A row of a table: what it is about, and its cells."""

    head: str
    cells: tuple[Cell, ...]
    aside: str = ""


class Group(NamedTuple):
    """A title over several columns."""

    title: str
    span: int


class Table(NamedTuple):
    """A table; ``groups`` cover all columns but the first, or there are none."""

    caption: str
    corner: str
    heads: tuple[str, ...]
    lines: tuple[Line, ...]
    groups: tuple[Group, ...] = ()
    stacked: bool = False
    """Whether what stands beside figures goes below them, where there are many columns."""


def number(value: float | None, digits: int = 4) -> str:
    """A figure, so many digits after the point.

    >>> number(0.91304), number(None)
    ('0.9130', '–')
    """
    return UNDEFINED if value is None else f"{value:.{digits}f}"


def signed(value: float, digits: int = 4) -> str:
    """A difference of figures, its sign shown.

    >>> signed(0.02), signed(-0.02)
    ('+0.0200', '−0.0200')
    """
    return f"{value:+.{digits}f}".replace("-", "−")


def probability(value: float) -> str:
    """How likely, never as a rounded nought.

    >>> probability(0.25), probability(0.00001)
    ('0.250', '<0.001')
    """
    return "<0.001" if value < 0.001 else f"{value:.3f}"
