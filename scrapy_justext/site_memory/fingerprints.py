"""The texts of a page as 64-bit numbers, equal where the texts are the same but for case and numbers.

``Updated 3 May: 41 comments`` on one page and ``updated 12 May: 7 Comments`` on the next are one block of the
template, so a run of digits, in any script, counts as one digit.
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
    # White space is collapsed, so no text has a line feed.
    joined = normalised("\n".join(segment.collapsed for segment in segments))
    indices = [
        i for i, segment in enumerate(segments) if len(segment.collapsed) >= length and segment.image_url is None
    ]
    texts = joined.split("\n")
    blocks = [_fingerprint(texts[i], b"block") for i in indices]
    return Fingerprints((_fingerprint(url, b"url"), _fingerprint(joined, b"page")), blocks, indices)


def normalised(text: str) -> str:
    """What of a text is compared.

    >>> normalised("Page 12 of ٣٤")
    'page 0 of 0'
    """
    return _DIGITS.sub("0", text).casefold()


def _fingerprint(text: str, kind: bytes) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=SIZE, person=kind).digest()
