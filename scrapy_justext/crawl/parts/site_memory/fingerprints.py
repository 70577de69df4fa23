"""The texts of a page as 64-bit numbers, which are equal if the texts differ in nothing but digits.

``Updated 3 May: 41 comments`` on one page and ``Updated 12 May: 7 comments`` on the next are one block of the
template, so digits of any script do not count.  Case does: a template writes its texts in one way.  A text that is a
link differs from the same text outside of one: the links to an article have its headline all over the site.  So does a
text that announces another page (:mod:`scrapy_justext.crawl.teasers`): front page, listings and feeds of tags have the
first paragraph of an article.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.crawl.links import NO_LINKS
from scrapy_justext.crawl.teasers import BlockTexts, find_teasers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_justext.core.blocks import BlockTable
    from scrapy_justext.crawl.links import PageLinks

#: Bytes of a fingerprint.  Of a million blocks, two have the same with a probability of 3 in 100 million.
SIZE = 8

_DIGITS = re.compile(r"\d+")
_ASCII_DIGITS = b"0123456789"
#: The bytes with which digits of other scripts and full-width digits begin in UTF-8: the first byte, and the first two
#: if other letters begin with the same one.
_LEADS = (b"\xd9", b"\xdb", b"\xdf", b"\xe0", b"\xe1", b"\xea", b"\xef", b"\xf0")
_LONGER_LEADS = (
    *_LEADS[:4],
    *(b"\xe1" + bytes([second]) for second in b"\x81\x82\x9f\xa0\xa5\xa7\xaa\xad\xae\xb1"),
    *(b"\xea" + bytes([second]) for second in b"\x98\xa3\xa4\xa7\xa9\xaf"),
    b"\xef\xbc",
    b"\xf0",
)


class Fingerprints(NamedTuple):
    """The fingerprints of a page, :data:`SIZE` bytes each.

    ``page`` has those of its address and of all its texts together; one of them suffices to know the page again.
    ``blocks`` has those of its blocks that are long enough, and ``indices`` tells which blocks these are.  Behind these
    it has those of ``addresses``, how many the page has, and of those that it links to.
    """

    page: tuple[bytes, bytes]
    blocks: Sequence[bytes]
    indices: Sequence[int]
    addresses: int = 0


def take_fingerprints(
    segments: BlockTable, url: str, length: int, title: str = "", links: PageLinks = NO_LINKS
) -> Fingerprints:
    """Return the fingerprints of a page, with those of its blocks of ``length`` characters or more.

    ``title``: the text of TITLE; ``links``: the addresses of the page, and those that it links to.

    Images have none: their ALT says little, and their address often carries a number.
    """
    images = {i for i, extras in segments.extras.items() if extras.image_url is not None}
    indices = [i for i, text in enumerate(segments.collapsed) if len(text) >= length and i not in images]
    joined = normalised("\n".join(segments.on_one_line()))
    texts = joined.split(b"\n")
    on_page = BlockTexts(segments.collapsed, segments.link_characters, segments.of_position("heading_level"))
    teasers = find_teasers(on_page, title, range(len(segments)))
    kinds = (b"link" if on_page.is_link(i) else b"teaser" if i in teasers else b"text" for i in indices)
    blocks = [_fingerprint(texts[i], kind) for i, kind in zip(indices, kinds, strict=True)]
    blocks += [_fingerprint(address, b"link to") for address in (*links.own, *links.targets)]
    of_page = _fingerprint(url.encode(), b"url"), _fingerprint(joined, b"page")
    return Fingerprints(of_page, blocks, indices, len(links.own))


def normalised(text: str) -> bytes:
    """Return what of a text is compared, in UTF-8.

    >>> normalised("Page 12 of ٣٤")
    b'Page  of '
    """
    encoded = text.encode("utf-8", "surrogatepass")
    # To look for the digits of all scripts takes ten times as long as all the rest.
    if not text.isascii() and _may_have_other_digits(encoded):
        encoded = _DIGITS.sub("", text).encode("utf-8", "surrogatepass")
    return encoded.translate(None, _ASCII_DIGITS)


def _may_have_other_digits(encoded: bytes) -> bool:
    return any(map(encoded.__contains__, _LEADS)) and any(map(encoded.__contains__, _LONGER_LEADS))


def _fingerprint(text: bytes, kind: bytes) -> bytes:
    return blake2b(text, digest_size=SIZE, person=kind).digest()
