"""Which items are cleaned, what they get of a page, and which page each of them came from."""

from __future__ import annotations

import logging
from contextlib import contextmanager, suppress
from itertools import chain, compress, repeat
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit
from weakref import WeakKeyDictionary, finalize, ref

from itemadapter import ItemAdapter
from scrapy import Item
from scrapy.http import HtmlResponse
from w3lib.url import canonicalize_url

from scrapy_justext.core.blocks import GOOD
from scrapy_justext.core.extraction import part_of
from scrapy_justext.core.parts import DOCUMENTS, Metadata
from scrapy_justext.crawl.links import addresses_of
from scrapy_justext.crawl.logs import in_one_line
from scrapy_justext.crawl.pages import CleanedPage
from scrapy_justext.crawl.settings import PARTS_OF_DUPLICATES
from scrapy_justext.crawl.verdicts import KEPT, MARKED, judge, mark

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Set

    from scrapy.http import Response

    from scrapy_justext.crawl.pages import Outcome
    from scrapy_justext.crawl.settings import Configuration

logger = logging.getLogger(__name__)

#: The parts of an extraction that hold the text of the page.
TEXTS = frozenset({"text", "paragraphs", "blocks", "chunks", *DOCUMENTS})
#: The parts that a page may have no value of.
_MAY_BE_NONE = frozenset(
    {"confidence", "page_type", "page_type_probability", "duplicate_of", "simhash", "minhash", *Metadata._fields}
)


def is_cleaned(item: Any, configuration: Configuration) -> bool:
    """Return whether the fields of an item are filled."""
    classes = configuration.item_classes
    return ItemAdapter.is_item(item) and (not classes or isinstance(item, classes))


def find_targets(item: Any, configuration: Configuration) -> dict[str, str]:
    """Return the parts of an extraction that an item takes, with the field for each: those that it declares."""
    if not is_cleaned(item, configuration):
        return {}
    wanted = {part: field for part, field in configuration.fields.items() if field is not None}
    declared = ItemAdapter.get_field_names_from_class(type(item))
    return wanted if declared is None else {part: field for part, field in wanted.items() if field in declared}


class ItemFields:
    """Fills the fields of items, and warns once a class of what cannot be filled as it should be.

    ``count``: adds to the stats.
    """

    def __init__(self, count: Callable[[str], None]) -> None:
        self._count = count
        # The warnings that the log has, and of which class.
        self._warned: set[tuple[str, type]] = set()

    def targets(self, item: Any, configuration: Configuration) -> dict[str, str]:
        """Return what :func:`find_targets` does; count an item that declares none of the fields."""
        targets = find_targets(item, configuration)
        wanted = [field for field in configuration.fields.values() if field is not None]
        if wanted and not targets and is_cleaned(item, configuration):
            self._count("items_without_fields")
            self._warn_once(
                item,
                "%s declares none of the fields %s: its items pass without clean text. Add one of them, name "
                "others in JUSTEXT_FIELDS, or leave the class out of JUSTEXT_ITEM_CLASSES.",
                ", ".join(wanted),
            )
        return targets

    def fill(self, item: Any, page: CleanedPage) -> None:
        """Write the parts of a page into those fields of an item that are empty."""
        adapter = ItemAdapter(item)
        refused: dict[str, Exception] = {}
        filled: set[str] = set()
        for part, field in find_targets(item, page.configuration).items():
            if is_empty(adapter.get(field)):
                try:
                    adapter[field] = _part_of(page, part, filled)
                    filled.add(part)
                # A frozen item, or one that checks its values: each library has errors of its own.
                except Exception as error:
                    refused[field] = error
        if refused:
            self._count("items_not_filled")
            self._warn_once(
                item,
                "%s does not let its fields %s be set (%s): its items pass without them. If the class is frozen, make "
                "it one that is not, or fill the fields in the spider from get_extraction(response).",
                ", ".join(refused),
                in_one_line(next(iter(refused.values()))),
            )

    def fill_and_mark(self, item: Any, page: Outcome) -> None:
        """Do the same for an item that may be copied or stored; mark it if its text does not show what becomes of it.

        See :mod:`~scrapy_justext.crawl.verdicts`.
        """
        verdict = judge(page)
        if verdict != KEPT:
            _mark(item, page, verdict)
        if isinstance(page, CleanedPage):
            self.fill(item, page)
        if verdict == KEPT:
            _mark(item, page, verdict)

    def check_url(self, item: Any, page: CleanedPage, response: Response) -> None:
        """Warn of an item that is filled by its callback's page, though its field ``url`` names another one."""
        targets = find_targets(item, page.configuration)
        if not targets or not any(is_empty(ItemAdapter(item).get(field)) for field in targets.values()):
            return
        url = other_url(item, response)
        if url is not None:
            self._count("items_of_another_url")
            self._warn_once(
                item,
                "%s: the field url names another page than that of the callback (%s, %s): the item gets the text of "
                "the second. To have that of the first, call scrapy_justext.fill(item, response) in its own callback. "
                "More such items are only counted, as justext/items_of_another_url.",
                url,
                response.url,
            )

    def _warn_once(self, item: Any, warning: str, *details: str) -> None:
        """Log a warning of an item's class, whose name comes first in it, unless the log has it."""
        if (warning, type(item)) not in self._warned:
            self._warned.add((warning, type(item)))
            logger.warning(warning, type(item).__qualname__, *details)


def _mark(item: Any, page: Outcome, verdict: str) -> None:
    """Mark those of an item's fields that are for text, and have none."""
    adapter = ItemAdapter(item)
    for part, field in find_targets(item, page.configuration).items():
        value = adapter.get(field)
        if part in MARKED and is_empty(value):
            marked = mark(verdict, value)
            # An item that checks its values stays without.
            with suppress(Exception):
                adapter[field] = [marked] if part == "paragraphs" else marked


def is_filled(item: Any, configuration: Configuration) -> bool:
    """Return whether an item has all that a page gives, as after :func:`scrapy_justext.fill`.

    Only its fields can show that, since items are stored and sent to other processes: all fields for text have some.
    An item without such fields has blocks or chunks, or is of a kind that gets fields only when they are filled.
    """
    targets = find_targets(item, configuration)
    if not targets:
        return False
    adapter = ItemAdapter(item)
    values = {part: adapter.get(field) for part, field in targets.items() if part not in _MAY_BE_NONE}
    texts = [bool(values[part]) for part in MARKED & values.keys()]
    has_text = all(texts) if texts else any(values.get(part) for part in TEXTS)
    is_whole = None not in values.values() and bool(values.get("language", has_text))
    return is_whole and (has_text or (not texts and isinstance(item, dict | Item)))


def is_empty(value: object) -> bool:
    """Return whether a field still waits for its value."""
    return value is None or (isinstance(value, str | list) and not value)


def may_be_of_another(item: Any, response: Response) -> bool:
    """Return whether an item is made from another page than a response, by its field ``url``."""
    return not ItemAdapter(item).get("url") or other_url(item, response) is not None


def other_url(item: Any, response: Response) -> str | None:
    """Return the address in the field ``url`` of an item if it is not that of a response; else None.

    A response also has the addresses that were redirected to it, and the one that it calls canonical.
    """
    url = ItemAdapter(item).get("url")
    if not isinstance(url, str) or not url:
        return None
    known_as = addresses_of(response, response.request)
    # Most items have the address as it is; to compare forms takes long.
    if url in known_as or _same_form(url, response.url) in {_same_form(known, response.url) for known in known_as}:
        return None
    canonical = response.css("link[rel~=canonical]::attr(href)").getall() if isinstance(response, HtmlResponse) else []
    is_canonical = _same_form(url, response.url) in {_same_form(known, response.url) for known in canonical}
    return None if is_canonical else url


def _same_form(url: str, base: str) -> str:
    """Return an address without the parts in which addresses of one page may differ.

    >>> _same_form("http://www.example.org/a/?b=2&a=1#top", ""), _same_form("/a?a=1&b=2", "https://example.org/b")
    ('example.org/a?a=1&b=2', 'example.org/a?a=1&b=2')
    """
    try:
        parts = urlsplit(canonicalize_url(urljoin(base, url)))
    except ValueError:
        # It is no address.
        return url
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.netloc.removeprefix('www.')}{parts.path.rstrip('/')}{query}"


def _part_of(page: CleanedPage, part: str, filled: Set[str]) -> Any:
    """Return a part of a page as plain values.  ``filled``: the parts that the item has got, the text before blocks."""
    if part in ("crawled", "fetched"):
        return getattr(page, part)
    if part == "pages":
        return [of_article._asdict() for of_article in page.pages]
    repeats, configuration = page.repeats, page.configuration
    if part in PARTS_OF_DUPLICATES:
        of_page = (False, None) if repeats is None else (repeats.is_page, repeats.first_url)
        return dict(zip(("is_duplicate", "duplicate_of"), of_page, strict=True))[part]
    if part != "blocks":
        return part_of(page.extraction, part, chunk_characters=configuration.chunk_characters)
    names = configuration.fields_of_blocks(beside_text="text" in filled)
    blocks = page.extraction.block_dicts(names, configuration.blocks)
    if page.pages:
        blocks = _with_pages(blocks, page)
    if repeats is not None:
        for block, index in zip(blocks, page.extraction.block_dicts(("index",), configuration.blocks), strict=True):
            block["is_duplicate"] = index["index"] in repeats.blocks
    return blocks


def _with_pages(blocks: list[dict[str, Any]], page: CleanedPage) -> list[dict[str, Any]]:
    """Return the blocks of an article of several pages, each with the address of its page."""
    urls = chain.from_iterable(repeat(of_article.url, of_article.blocks) for of_article in page.pages)
    wanted = [page.configuration.blocks == "all" or of is GOOD for of in page.extraction.column("block_class")]
    return [{**block, "page_url": url} for block, url in zip(blocks, compress(urls, wanted), strict=True)]


#: How many items without weak references have their chosen page remembered.  An extraction takes about as much memory
#: as its page.
MOST_CHOSEN = 1000
#: What is known of an item that is not on its way.
_UNKNOWN = None, None, 0


class ItemPages:
    """Which page each item came from, while the item is on its way to the pipeline.

    Many kinds of items cannot carry their page, and cannot be hashed.  So an item is known by its ``id()``, and kept
    alive, so that no other object gets the same ``id()``.  An entry is deleted when the pipeline takes it, or else with
    the response that the item came from: once a response is gone, none of its items is on its way any more.

    A chosen page is forgotten with its item.  For dicts, and other items without weak references, nobody knows when
    they are gone: only the newest :data:`MOST_CHOSEN` of them are remembered.
    """

    def __init__(self) -> None:
        # With the page of each, and how often the item can still be taken.
        self._on_their_way: dict[int, tuple[Any, Outcome, int]] = {}
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
        chosen = self._chosen.pop(id(item), None) or self._chosen_of_kept.pop(id(item), None)
        return None if chosen is None else chosen[1]

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
        _, page, times = self._on_their_way.pop(id(item), _UNKNOWN)
        if page is not None and times > 1:
            self._on_their_way[id(item)] = item, page, times - 1
        return page

    def clear(self) -> None:
        """Forget all items."""
        self._on_their_way.clear()
        self._chosen.clear()
        self._chosen_of_kept.clear()

    def _add(self, item: Any, page: Outcome) -> None:
        _, known, times = self._on_their_way.get(id(item), _UNKNOWN)
        self._on_their_way[id(item)] = item, page, times + 1 if known is page else 1

    def _forget(self, identities: list[int], page: Outcome) -> None:
        for identity in identities:
            # By now another page's item may have the identity of one that is gone.
            if self._on_their_way.get(identity, _UNKNOWN)[1] is page:
                del self._on_their_way[identity]
