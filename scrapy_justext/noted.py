"""Which page an item came from, while the item is on its way to the pipeline.

Items cannot tell: many kinds of them have no room for it, and no hash to look them up by.  So they are known by their
identity, and held, so that no other object gets it meanwhile.  An entry goes when the pipeline takes it, or else with
the response that the item came from: of a response that is gone, no item is on its way any more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary, finalize

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.http import Response

    from scrapy_justext.cleaned import Page


class _Noted(NamedTuple):
    """``times``: how often the item was noted, less how often it was taken."""

    item: Any
    page: Page
    times: int


class NotedItems:
    """The items of one crawl that are on their way."""

    def __init__(self) -> None:
        self._noted: dict[int, _Noted] = {}
        self._of_response: WeakKeyDictionary[Response, list[int]] = WeakKeyDictionary()

    def __len__(self) -> int:
        return len(self._noted)

    def note(self, item: Any, page: Page, response: Response) -> None:
        """Remember the page of an item, as long as its response is there."""
        if response not in self._of_response:
            self._of_response[response] = []
            # An item that an earlier pipeline dropped or replaced is never asked for.
            finalize(response, self._forget, self._of_response[response], page).atexit = False
        self._of_response[response].append(id(item))
        self._note(item, page)

    def note_for_once(self, item: Any, page: Page) -> Callable[[], None]:
        """Remember the page of an item until what is returned gets called."""
        self._note(item, page)
        return lambda: self._forget([id(item)], page)

    def take(self, item: Any) -> Page | None:
        """The page of an item, forgotten when it was asked for as often as noted; None without one."""
        noted = self._noted.pop(id(item), None)
        if noted is None:
            return None
        if noted.times > 1:
            self._noted[id(item)] = noted._replace(times=noted.times - 1)
        return noted.page

    def clear(self) -> None:
        """Forget all."""
        self._noted.clear()

    def _note(self, item: Any, page: Page) -> None:
        noted = self._noted.get(id(item))
        times = noted.times if noted is not None and noted.page is page else 0
        self._noted[id(item)] = _Noted(item, page, times + 1)

    def _forget(self, identities: list[int], page: Page) -> None:
        for identity in identities:
            noted = self._noted.get(identity)
            # By now another page's item may have the identity of one that is gone.
            if noted is not None and noted.page is page:
                del self._noted[identity]
