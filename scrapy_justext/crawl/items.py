"""Which items are cleaned, and which page each of them came from."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary, finalize, ref

from itemadapter import ItemAdapter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.http import Response

    from scrapy_justext.crawl.pages import Outcome
    from scrapy_justext.crawl.settings import Configuration


def is_cleaned(item: Any, configuration: Configuration) -> bool:
    """Return whether the fields of an item are filled."""
    classes = configuration.item_classes
    return ItemAdapter.is_item(item) and (not classes or isinstance(item, classes))


class BlockList(list[dict[str, Any]]):
    """The blocks of a page in an item: a list that is short in the log, where Scrapy writes every item.

    ``str()`` gives all of it, as CSV feeds need.  Its copies and pickles are plain lists.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<{len(self)} blocks>"

    def __str__(self) -> str:
        return list.__repr__(self)

    def __reduce__(self) -> tuple[object, ...]:
        return list, (list(self),)


class _OnItsWay(NamedTuple):
    item: Any
    page: Outcome
    times: int
    """How often the item can still be taken."""


#: Items, of those that cannot tell that they are gone, whose chosen page is remembered.  An extraction takes about as
#: much memory as its page.
MOST_CHOSEN = 1000


class ItemPages:
    """Which page each item came from, while the item is on its way to the pipeline.

    Many kinds of items cannot carry their page, and cannot be hashed.  So an item is known by its ``id()``, and kept
    alive, so that no other object gets the same ``id()``.  An entry is deleted when the pipeline takes it, or else with
    the response that the item came from: once a response is gone, none of its items is on its way any more.

    A chosen page is forgotten with its item.  Dicts, and other items without weak references, cannot tell that they are
    gone: of them, the newest :data:`MOST_CHOSEN` are remembered.
    """

    def __init__(self) -> None:
        self._on_their_way: dict[int, _OnItsWay] = {}
        self._of_response: WeakKeyDictionary[Response, list[int]] = WeakKeyDictionary()
        self._chosen: dict[int, tuple[ref[Any], Outcome]] = {}
        # Oldest first.
        self._chosen_of_kept: dict[int, tuple[Any, Outcome]] = {}

    def __len__(self) -> int:
        return len(self._on_their_way) + len(self._chosen) + len(self._chosen_of_kept)

    def choose(self, item: Any, page: Outcome) -> None:
        """Remember the page that an item gets when it is yielded, whatever response it is yielded for."""
        self.take_chosen(item)
        identity, chosen = id(item), self._chosen
        try:
            chosen[identity] = ref(item, lambda _: chosen.pop(identity, None)), page
        except TypeError:
            self._chosen_of_kept[identity] = item, page
            if len(self._chosen_of_kept) > MOST_CHOSEN:
                del self._chosen_of_kept[next(iter(self._chosen_of_kept))]

    def take_chosen(self, item: Any) -> Outcome | None:
        """Return the page that was chosen for an item, once; else None."""
        found = self._chosen.pop(id(item), None) or self._chosen_of_kept.pop(id(item), None)
        return None if found is None else found[1]

    def remember(self, item: Any, page: Outcome, response: Response) -> None:
        """Remember the page of an item for as long as its response is there."""
        if response not in self._of_response:
            self._of_response[response] = []
            # An item that an earlier pipeline dropped or replaced is never asked for.
            finalize(response, self._forget, self._of_response[response], page).atexit = False
        self._of_response[response].append(id(item))
        self._add(item, page)

    @contextmanager
    def remembering(self, item: Any, page: Outcome) -> Iterator[None]:
        """Remember the page of an item within the context."""
        self._add(item, page)
        try:
            yield
        finally:
            self._forget([id(item)], page)

    def take(self, item: Any) -> Outcome | None:
        """Return the page of an item, or None.  It can be taken as often as it was remembered."""
        known = self._on_their_way.pop(id(item), None)
        if known is None:
            return None
        if known.times > 1:
            self._on_their_way[id(item)] = known._replace(times=known.times - 1)
        return known.page

    def clear(self) -> None:
        """Forget all items."""
        self._on_their_way.clear()
        self._chosen.clear()
        self._chosen_of_kept.clear()

    def _add(self, item: Any, page: Outcome) -> None:
        known = self._on_their_way.get(id(item))
        times = known.times if known is not None and known.page is page else 0
        self._on_their_way[id(item)] = _OnItsWay(item, page, times + 1)

    def _forget(self, identities: list[int], page: Outcome) -> None:
        for identity in identities:
            known = self._on_their_way.get(identity)
            # By now another page's item may have the identity of one that is gone.
            if known is not None and known.page is page:
                del self._on_their_way[identity]
