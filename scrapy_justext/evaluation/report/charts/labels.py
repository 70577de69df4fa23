"""Where the names of points go so that they cover neither each other nor a point."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: Half the side of a point and its surroundings, in the unit of the boxes.
_POINT = 5.0

#: Directions in which a name is tried: first beside its point, then over and under it, then farther away.
_DIRECTIONS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))
_RINGS = (1.0, 2.0, 3.2, 4.6)


class Box(NamedTuple):
    """A rectangle."""

    left: float
    bottom: float
    right: float
    top: float

    @property
    def area(self) -> float:
        """Its area."""
        return (self.right - self.left) * (self.top - self.bottom)

    def overlap(self, other: Box) -> float:
        """The area that both cover.

        >>> Box(0, 0, 2, 2).overlap(Box(1, 1, 3, 3)), Box(0, 0, 1, 1).overlap(Box(2, 0, 3, 1))
        (1, 0)
        """
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.top, other.top) - max(self.bottom, other.bottom)
        return width * height if width > 0 and height > 0 else 0


class Label(NamedTuple):
    """A name's place, and whether it is so far from its point that a line must lead there."""

    box: Box
    far: bool


def place_labels(
    points: Sequence[tuple[float, float]], sizes: Sequence[tuple[float, float]], frame: Box
) -> list[Label]:
    """A place within the frame for each point's name of a given width and height: the nearest that is free.

    Where none is free, the one that covers least.
    """
    taken = [Box(x - _POINT, y - _POINT, x + _POINT, y + _POINT) for x, y in points]
    labels: list[Label] = []
    for point, size in zip(points, sizes, strict=True):
        best = min(_candidates(point, size), key=lambda label: _cost(label.box, taken, frame))
        labels.append(best)
        taken.append(best.box)
    return labels


def _candidates(point: tuple[float, float], size: tuple[float, float]) -> Iterator[Label]:
    (x, y), (width, height) = point, size
    for ring in _RINGS:
        for across, up in _DIRECTIONS:
            reach = _POINT + 1.0 if ring == _RINGS[0] else _POINT + (ring - 1.0) * 14.0
            # A name above or below its point is centred on it, one aslant begins or ends there.
            left = x + across * reach - (0.0 if across > 0 else width if across < 0 else width / 2)
            bottom = (
                y
                + up * (reach if not across else reach * 0.8 + height / 2)
                - (height / 2 if across else (0.0 if up > 0 else height))
            )
            yield Label(Box(left, bottom, left + width, bottom + height), ring != _RINGS[0])


def _cost(box: Box, taken: Sequence[Box], frame: Box) -> float:
    outside = box.area - box.overlap(frame)
    return round(sum(box.overlap(other) for other in taken) + 4 * outside, 6)
