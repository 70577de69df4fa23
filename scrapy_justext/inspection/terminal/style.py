"""Whether and how output is coloured, and how wide it may be."""

from __future__ import annotations

import shutil
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple, TextIO

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy_justext.core.blocks import Block

#: Below this a listing cannot be read, whatever the terminal says.
NARROWEST = 48


class Ink(str, Enum):
    """What a piece of output is painted with: parameters of the terminal's SGR sequence."""

    GOOD = "1;32"
    BAD = "31"
    QUIET = "2"
    TITLE = "1"
    DIFFERS = "1;33"


class Style(NamedTuple):
    """``columns``: the width to fit in; None: lines of any length, as in a pipe."""

    columns: int | None = None
    is_coloured: bool = False

    def paint(self, text: str, ink: Ink | None) -> str:
        """``text`` with the colour of ``ink`` around it, where there are colours."""
        return f"\x1b[{ink.value}m{text}\x1b[0m" if self.is_coloured and ink is not None and text else text


def style_of(stream: TextIO | None, environment: Mapping[str, str]) -> Style:
    """The style for a stream: colours on a terminal alone, and none where ``NO_COLOR`` is set (no-color.org).

    None: a stream that is closed.
    """
    if stream is None or not stream.isatty():
        return Style()
    columns = max(shutil.get_terminal_size().columns, NARROWEST)
    return Style(columns, not environment.get("NO_COLOR") and environment.get("TERM") != "dumb")


def class_of(block: Block) -> tuple[str, Ink]:
    """The word and the colour of a block's class."""
    return (block.block_class.value, Ink.GOOD if block.is_good else Ink.BAD)
