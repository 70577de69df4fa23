"""How much a text says in any script: its length in units, of which a Latin letter is one.

A Chinese character says three times as much, so that a paragraph has about as many units in every language (the
ratios are those of :data:`~scrapy_justext.core.writings.WRITINGS`).
"""

from __future__ import annotations

import re

#: Code points from, to (inclusive), and the units that a character there counts.
UNITS: tuple[tuple[int, int, float], ...] = (
    (0x0E01, 0x0E4E, 1.4),
    (0x0E81, 0x0EDF, 1.2),
    (0x0F00, 0x0FBC, 0.9),
    (0x1000, 0x109F, 0.8),
    (0x1780, 0x17DD, 1.0),
    (0x3005, 0x3007, 3.0),
    (0x3041, 0x30FF, 2.0),
    (0x3400, 0x9FFF, 3.0),
    (0xAC00, 0xD7A3, 2.2),
    (0xF900, 0xFAFF, 3.0),
    (0xFF66, 0xFF9F, 2.0),
)

#: The most that a character counts.
MOST_UNITS = max(units for _, _, units in UNITS)

_SETS = {
    value: re.compile(f"[{''.join(f'{chr(start)}-{chr(end)}' for start, end, units in UNITS if units == value)}]+")
    for value in {units for _, _, units in UNITS} - {1.0}
}


def units(text: str) -> int:
    """The length of a text in units.

    >>> units("copper"), units("銅壺")
    (6, 6)
    """
    if text.isascii():
        return len(text)
    return round(len(text) + sum((value - 1) * sum(map(len, one.findall(text))) for value, one in _SETS.items()))
