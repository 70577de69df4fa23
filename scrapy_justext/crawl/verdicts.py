r"""Note in an item that was filled what becomes of it, if its text does not show that.

An item that ``fill`` filled may be copied, or stored in JOBDIR or Redis, before it is yielded: then its fields are all
that is left of its page.  An item with text is filled, and passes.  An item without text would look unfilled, and get
the text of another page.  And text does not show that the page is to be dropped, say for its language.
So ``fill`` writes a mark into the fields that get no text, or none that may be kept.  It is white space, whose first
two characters stand in no text.  The pipeline takes it out again.

>>> mark(POOR, None).isspace(), read(mark(POOR, None)), read("Some text"), read("\n")
(True, ('poor', None), None, None)
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter
from scrapy import Item

from scrapy_justext.core.parts import DOCUMENTS
from scrapy_justext.crawl.pages import SWITCHED_OFF, UncleanedPage

if TYPE_CHECKING:
    from scrapy_justext.crawl.pages import Outcome

#: The parts of an extraction whose fields can hold a mark; ``paragraphs`` as a list of one.
MARKED = frozenset({"text", *DOCUMENTS, "paragraphs"})

#: How a mark begins: the separators of paragraphs and of lines, which no page writes one behind the other.
SIGN = "\u2029\u2028"

#: What becomes of an item: it is dropped, as its page is without good content,
POOR = "poor"
#: or repeats another page,
REPEATED = "repeated"
#: or cannot be cleaned;
UNWANTED = "unwanted"
#: it passes, as its page cannot be cleaned,
UNCLEANED = "uncleaned"
#: or the plugin is switched off for it;
OFF = "off"
#: it is filled: its page is kept, whether it has text or not.
KEPT = "kept"


_VERDICTS = (POOR, REPEATED, UNWANTED, UNCLEANED, OFF, KEPT)
_EMPTY: tuple[Any, ...] = (None, "", [])


def mark(verdict: str, empty: object) -> str:
    """Return the mark for a field.  ``empty``: the value that it has without one: None, "" or []."""
    return SIGN + "\n" * _VERDICTS.index(verdict) + "\t" * _EMPTY.index(empty)


#: What marks say: what becomes of the item, and the empty value that stood in their place.
_MARKS = {mark(verdict, empty): (verdict, empty) for verdict, empty in product(_VERDICTS, _EMPTY)}


def read(value: object) -> tuple[str, Any] | None:
    """Return what the value of a field says if it is a mark: the verdict and the empty value; else None."""
    if isinstance(value, list) and len(value) == 1:
        [value] = value
    return _MARKS.get(value) if isinstance(value, str) and value.startswith(SIGN) else None


def find_verdict(item: Any) -> str | None:
    """Return what an item's mark says; None for an item without one."""
    marks = filter(None, map(read, ItemAdapter(item).values()))
    return next((verdict for verdict, _ in marks), None)


def take_verdict(item: Any) -> str | None:
    """Return the same, and empty the fields that hold marks, those of items in the item's fields, too."""
    for value in list(ItemAdapter(item).values()):
        for inner in value if isinstance(value, list | tuple) else (value,):
            if ItemAdapter.is_item(inner):
                _take(inner)
    return _take(item)


def _take(item: Any) -> str | None:
    # Blocks are dicts, too, and there are hundreds of them: no adapter is made for those.
    fields = item.items() if isinstance(item, dict) else ItemAdapter(item).items()
    marks = {field: mark for field, value in fields if (mark := read(value)) is not None}
    if not marks:
        return None
    adapter = ItemAdapter(item)
    for field, (_, empty) in marks.items():
        if empty is None and isinstance(item, dict | Item):
            # It most likely was not there.
            del adapter[field]
        else:
            adapter[field] = list(empty) if isinstance(empty, list) else empty
    return next(iter(marks.values()))[0]


def judge(page: Outcome) -> str:
    """Return what becomes of the items of a page."""
    if isinstance(page, UncleanedPage):
        if page.reason in SWITCHED_OFF:
            return OFF
        return UNWANTED if page.configuration.drop_uncleaned else UNCLEANED
    if page.why_repeated is not None:
        return REPEATED
    return KEPT if page.is_good or page.configuration.drop != "item" else POOR
