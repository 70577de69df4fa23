"""Which pages thresholds are searched on, and which they are checked on.

Pages of one site are alike, so that a check on pages of the same sites would flatter: pages whose address is known go
together with all others of their registered domain.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_justext.evaluation.libraries import require
from scrapy_justext.exceptions import JustextError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scrapy_justext.evaluation.documents import Document

#: The share of the pages that thresholds are searched on.
TRAINING_SHARE = 2 / 3
#: Fewer pages in either part say nothing.
LEAST = 4


class SplitError(JustextError):
    """Pages that cannot be split into two parts; the message says why."""


class Labelled(NamedTuple):
    """A page as far as the split asks for it."""

    data_set: int
    """Which of the data sets it is in."""
    id: str
    group: str
    """Pages of one group stay together."""


class Split(NamedTuple):
    """The two parts, each in the order in which the pages were given."""

    training: Sequence[Labelled]
    validation: Sequence[Labelled]


def label(data_set: int, document: Document) -> Labelled:
    """A page with its group: the registered domain of its address, else a group of its own."""
    domain = registered_domain(document.url) if document.url else ""
    return Labelled(data_set, document.id, domain or f"{data_set}/{document.id}")


def registered_domain(url: str) -> str:
    """The registered domain of an address, its host where that has none; "" for what is no address.

    >>> registered_domain("https://news.example.co.uk/a"), registered_domain("http://127.0.0.1:8000/")
    ('example.co.uk', '127.0.0.1')
    """
    found = _extract(url)
    return f"{found.domain}.{found.suffix}" if found.domain and found.suffix else str(found.domain)


def _extract(url: str) -> Any:
    global _extractor  # noqa: PLW0603
    if _extractor is None:
        # Scrapy brings the library.  Its own list of suffixes, without looking for a newer one on the network.
        _extractor = require("tldextract", "tldextract").TLDExtract(cache_dir=None, suffix_list_urls=())
    return _extractor(url)


_extractor: Any = None


def split(pages: Sequence[Labelled], seed: int = 0) -> Split:
    """Split pages by their groups, the same way at each call.

    Groups come in an order that a hash of ``seed`` and their names gives; each goes to the part that lacks more of its
    share.  Raises :class:`SplitError` where a part stays too small.
    """
    sizes: dict[str, int] = {}
    for page in pages:
        sizes[page.group] = sizes.get(page.group, 0) + 1
    training = _choose(sorted(sizes, key=lambda group: _digest(seed, group)), sizes)
    parts = Split(
        [page for page in pages if page.group in training], [page for page in pages if page.group not in training]
    )
    if min(map(len, parts)) < LEAST:
        raise SplitError(
            f"{len(pages)} pages of {len(sizes)} sites are too few to search on some and check on others:"
            f" both parts must have {LEAST} pages or more"
        )
    return parts


def _choose(groups: Iterable[str], sizes: dict[str, int]) -> set[str]:
    chosen: set[str] = set()
    training = validation = 0
    for group in groups:
        if training * (1 - TRAINING_SHARE) <= validation * TRAINING_SHARE:
            chosen.add(group)
            training += sizes[group]
        else:
            validation += sizes[group]
    return chosen


def _digest(seed: int, group: str) -> bytes:
    return hashlib.sha256(f"{seed}:{group}".encode("utf-8", "surrogatepass")).digest()
