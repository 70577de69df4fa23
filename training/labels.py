"""Label the blocks of a page: how much of each the gold text holds, and how much each counts in training.

A block's words are found in the gold text in two ways: by alignment, and, as gold texts change the order of blocks, by
the trigrams of long blocks.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_justext.core.unsegmented import UNITS
from scrapy_justext.exceptions import require

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

#: Beginnings of the ranges in :data:`UNITS` whose script has spaces between words: Hangul.
_SPACED = (0xAC00,)
_UNSPACED = "".join(f"{chr(start)}-{chr(end)}" for start, end, _ in UNITS if start not in _SPACED)
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")
_CHARACTER = re.compile(f"([{_UNSPACED}])")

#: From so many words on, a block is sought by its trigrams, too.
LONG_BLOCK = 6
#: A block of which this share is aligned is not sought by trigrams.
SURE = 0.8
#: The weight of a block is its number of characters, at most so many, to this power.
MOST_CHARACTERS, POWER = 400, 0.7


def words_of(text: str) -> list[str]:
    """Return the words of a text as WCXB counts them; in writings without spaces, characters are words."""
    return _WORD.findall(text.lower())


def parted(text: str) -> str:
    """Return a text with spaces around the characters of writings that have none, so that measures take them for words.

    >>> parted("In 春眠")
    'In  春  眠 '
    """
    return _CHARACTER.sub(r" \1 ", text)


def soft_labels(blocks: Sequence[Sequence[str]], gold: Sequence[str]) -> NDArray[np.float32]:
    """Return for each block the share of its words that the gold text has.

    The share is that by alignment (longest common subsequence of the page's words and the gold text's); for long blocks
    that by trigrams, where it is larger.

    >>> soft_labels([["home"], ["to", "be", "or", "not"]], ["to", "be", "or", "so"]).tolist()
    [0.0, 0.75]
    """
    in_gold = aligned([word for block in blocks for word in block], gold)
    ends = np.cumsum([len(block) for block in blocks], dtype=np.int64)
    labels = np.array(
        [in_gold[end - len(block) : end].mean() if block else 0 for block, end in zip(blocks, ends, strict=True)],
        np.float32,
    )
    # A text that stands twice on the page, for phones and for screens, is in the gold text once.
    left = Counter(_trigrams(gold))
    for block, label in zip(blocks, labels, strict=True):
        if label >= SURE:
            left.subtract(_trigrams(block))
    for index, block in enumerate(blocks):
        if len(block) >= LONG_BLOCK and labels[index] < SURE:
            own = Counter(_trigrams(block))
            shared = {trigram: min(count, left[trigram]) for trigram, count in own.items() if left[trigram] > 0}
            share = sum(shared.values()) / own.total()
            if share > labels[index]:
                labels[index] = share
                left.subtract(shared)
    return labels


def _trigrams(words: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    return zip(words, words[1:], words[2:], strict=False)


def aligned(words: Sequence[str], gold: Sequence[str]) -> NDArray[np.bool_]:
    """Return for each word whether it is in the longest common subsequence."""
    distances: Any = require("rapidfuzz.distance", "evaluation")
    numbers: dict[str, int] = {}
    first, second = ([numbers.setdefault(word, len(numbers)) for word in text] for text in (words, gold))
    is_common = np.zeros(len(words), np.bool_)
    for code in distances.LCSseq.opcodes(first, second):
        if code.tag == "equal":
            is_common[code.src_start : code.src_end] = True
    return is_common


def block_weights(characters: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return what each block of a page counts in training; all of them together count 1."""
    weights = np.minimum(characters, MOST_CHARACTERS) ** POWER
    total = weights.sum()
    result: NDArray[np.float32] = (weights / total if total else weights).astype(np.float32)
    return result
