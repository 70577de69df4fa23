"""The texts of a page as 64-bit numbers, equal where the texts are the same but for case and numbers.

``Updated 3 May: 41 comments`` on one page and ``updated 12 May: 7 Comments`` on the next are one block of the
template, so digits, of any script, do not count.  A text that is a link is another than the same text
outside of one: that of an article's headline stands in the links to it all over the site.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_justext.core.blocks import Segment

#: Bytes of a fingerprint.  Of a million blocks, two have the same with a probability of 3 in 100 million.
SIZE = 8

_DIGITS = re.compile(r"\d+")
_ASCII_DIGITS = b"0123456789"
#: What the digits of other scripts, and the full-width ones, begin with in UTF-8.
_OTHER_DIGITS = (
    *(b"\xd9", b"\xdb", b"\xdf", b"\xe0", b"\xe1\x81", b"\xe1\x82", b"\xe1\x9f", b"\xe1\xa0", b"\xe1\xa5"),
    *(b"\xe1\xa7", b"\xe1\xaa", b"\xe1\xad", b"\xe1\xae", b"\xe1\xb1"),
    *(b"\xea\x98", b"\xea\xa3", b"\xea\xa4", b"\xea\xa7", b"\xea\xa9", b"\xea\xaf", b"\xef\xbc", b"\xf0"),
)


class Fingerprints(NamedTuple):
    """A page as a memory sees it.

    ``page``: those of its address and of all its texts together, of which one suffices to know it again;
    ``blocks``: those of its blocks that are long enough, each of :data:`SIZE` bytes; ``indices``: of these blocks.
    """

    page: tuple[bytes, bytes]
    blocks: Sequence[bytes]
    indices: Sequence[int]


def take_fingerprints(segments: Sequence[Segment], url: str, length: int) -> Fingerprints:
    """The fingerprints of a page whose blocks of ``length`` characters or more are remembered.

    Images have none: their ALT says little, and their address often carries a number.
    """
    indices = [
        i for i, segment in enumerate(segments) if len(segment.collapsed) >= length and segment.image_url is None
    ]
    # White space is collapsed, so no text has a line feed.
    joined = normalised("\n".join(segment.collapsed for segment in segments))
    texts = joined.split(b"\n")
    blocks = [_fingerprint(texts[i], b"link" if _is_link(segments[i]) else b"text") for i in indices]
    return Fingerprints((_fingerprint(url.encode(), b"url"), _fingerprint(joined, b"page")), blocks, indices)


def _is_link(segment: Segment) -> bool:
    return 2 * segment.link_characters > len(segment.collapsed)


def normalised(text: str) -> bytes:
    """What of a text is compared, in UTF-8.

    >>> normalised("Page 12 of ٣٤")
    b'page  of '
    """
    folded = text.casefold()
    encoded = folded.encode("utf-8", "surrogatepass")
    # To look for the digits of all scripts takes ten times as long as all the rest.
    if not folded.isascii() and any(map(encoded.__contains__, _OTHER_DIGITS)):
        encoded = _DIGITS.sub("", folded).encode("utf-8", "surrogatepass")
    return encoded.translate(None, _ASCII_DIGITS)


def _fingerprint(text: bytes, kind: bytes) -> bytes:
    return blake2b(text, digest_size=SIZE, person=kind).digest()
