"""How items and errors look in the log.

Scrapy writes each item there, with all its text, at the level DEBUG.  Some errors are a page of advice in a frame.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter
from scrapy.logformatter import LogFormatter

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.http import Response
    from scrapy.logformatter import LogFormatterResult
    from twisted.python.failure import Failure

#: Characters that are shown of a value, and of an item.
VALUE_CHARACTERS = 50
ITEM_CHARACTERS = 200
#: Characters that are shown of an error.
ERROR_CHARACTERS = 150

#: What frames are drawn with: Unicode's box-drawing characters and block elements.
_FRAMES = re.compile("[\u2500-\u259f]+")


class ShortLogFormatter(LogFormatter):
    """Shows the beginning of each field of an item, in a line."""

    def scraped(self, item: Any, response: Response | Failure | None, spider: Spider) -> LogFormatterResult:
        """Return the entry for an item that passed all pipelines."""
        return _shortened(super().scraped(item, response, spider))

    def dropped(
        self, item: Any, exception: BaseException, response: Response | Failure | None, spider: Spider
    ) -> LogFormatterResult:
        """Return the entry for an item that a pipeline dropped."""
        return _shortened(super().dropped(item, exception, response, spider))

    def item_error(
        self, item: Any, exception: BaseException, response: Response | Failure | None, spider: Spider
    ) -> LogFormatterResult:
        """Return the entry for an item that a pipeline raised an error for."""
        return _shortened(super().item_error(item, exception, response, spider))


def _shortened(entry: LogFormatterResult) -> LogFormatterResult:
    arguments = entry["args"]
    if isinstance(arguments, dict) and ItemAdapter.is_item(arguments.get("item")):
        entry["args"] = {**arguments, "item": show_item(arguments["item"])}
    return entry


def show_item(item: Any) -> str:
    """Return an item in a line.

    >>> show_item({"text": "one two " * 20, "blocks": [{}, {}]})
    "{'text': 'one two one two one two one two one two one two on…' (160 characters), 'blocks': <2 entries>}"
    """
    adapter = ItemAdapter(item)
    shown = ", ".join(f"{name!r}: {_show(adapter[name])}" for name in adapter)
    name = "" if isinstance(item, dict) else type(item).__name__
    return f"{name}{{{shown if len(shown) <= ITEM_CHARACTERS else shown[:ITEM_CHARACTERS] + '…'}}}"


def in_one_line(error: BaseException) -> str:
    r"""Return an error in words, as many as fit into a line.

    >>> in_one_line(ValueError("1 error:\n  too  long")), in_one_line(KeyError())
    ('1 error: too long', 'KeyError')
    >>> in_one_line(OSError("No browser\n╔════╗\n║ Install one. ║\n╚════╝")), in_one_line(ValueError("x" * 151))[-3:]
    ('No browser Install one.', 'xx…')
    """
    words = " ".join(_FRAMES.sub(" ", str(error)).split()) or type(error).__name__
    return words if len(words) <= ERROR_CHARACTERS else words[:ERROR_CHARACTERS] + "…"


def _show(value: object) -> str:
    """Return a value in few characters.

    >>> _show("x" * VALUE_CHARACTERS) == repr("x" * VALUE_CHARACTERS), _show(2**200)
    (True, '16069380442589902755419620923411626025222029937827…')
    """
    if isinstance(value, str):
        is_long = len(value) > VALUE_CHARACTERS
        return f"{value[:VALUE_CHARACTERS] + '…'!r} ({len(value)} characters)" if is_long else repr(value)
    if isinstance(value, list | tuple | dict) and len(value):
        return f"<{len(value)} entries>"
    shown = repr(value)
    return shown if len(shown) <= VALUE_CHARACTERS else shown[:VALUE_CHARACTERS] + "…"
