"""What can be printed of a page, by the names of the options."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.inspection.terminal.comparison import Judgement, compare
from scrapy_justext.inspection.terminal.listing import list_blocks
from scrapy_justext.inspection.terminal.width import on_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from scrapy_justext.extraction import Extraction
    from scrapy_justext.inspection.pages import Inspected
    from scrapy_justext.inspection.terminal.style import Style
    from scrapy_justext.options import Options


class Looked(NamedTuple):
    """A page with what became of it.  ``others``: the options to compare with, if any."""

    page: Inspected
    options: Options
    extraction: Extraction
    others: Options | None = None


def _text(looked: Looked, style: Style) -> str:
    return _for(style, looked.extraction.text)


def _markdown(looked: Looked, style: Style) -> str:
    return _for(style, looked.extraction.markdown)


def _for(style: Style, text: str) -> str:
    """A text as it is for a file or a pipe, and as a terminal can bear it."""
    return text if style.columns is None else on_lines(text)


def _json(looked: Looked, _: Style) -> str:
    return json.dumps(looked.extraction.to_dict(), ensure_ascii=False)


def _blocks(looked: Looked, style: Style) -> str:
    return list_blocks(looked.extraction, style)


def _compared(looked: Looked, style: Style) -> str:
    assert looked.others is not None
    first = Judgement(looked.options, looked.extraction)
    second = Judgement(looked.others, looked.page.extract(looked.others))
    return compare(looked.page.parsed, first, second, style)


DEFAULT_FORMAT = "text"
FORMATS: Mapping[str, Callable[[Looked, Style], str]] = {
    DEFAULT_FORMAT: _text,
    "blocks": _blocks,
    "compare": _compared,
    "json": _json,
    "markdown": _markdown,
}
