"""How much of each block the gold text holds, and how much each block weighs."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_justext.exceptions import require

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

_WORD = re.compile(r"\w+")

#: Words; a block of so many is looked for by its trigrams, too, as gold texts change the order of blocks.
LONG_BLOCK = 6
#: A block with so much of it aligned is not looked for by trigrams.
SURE = 0.8
#: A block weighs its characters, at most so many, to this power.
MOST_CHARACTERS, POWER = 400, 0.7


def words_of(text: str) -> list[str]:
    """The words of a text as WCXB counts them."""
    return _WORD.findall(text.lower())


def soft_labels(blocks: Sequence[Sequence[str]], gold: Sequence[str]) -> NDArray[np.float32]:
    """For the words of each block, the share of them that the gold text has.

    By alignment (longest common subsequence of the page's words and the gold text's); for long blocks by
    trigrams where that is more.

    >>> soft_labels([["home"], ["to", "be", "or", "not"]], ["to", "be", "or", "so"]).tolist()
    [0.0, 0.75]
    """
    aligned = _aligned([word for block in blocks for word in block], gold)
    ends = np.cumsum([len(block) for block in blocks], dtype=np.int64)
    labels = np.array(
        [aligned[end - len(block) : end].mean() if block else 0 for block, end in zip(blocks, ends, strict=True)],
        np.float32,
    )
    # A text that stands twice on the page, for phones and for screens, is in the gold text once.
    left = Counter(_trigrams(gold))
    left.subtract(
        Counter(one for block, label in zip(blocks, labels, strict=True) if label >= SURE for one in _trigrams(block))
    )
    for i, block in enumerate(blocks):
        if len(block) >= LONG_BLOCK and labels[i] < SURE:
            own = Counter(_trigrams(block))
            found = {one: min(count, left[one]) for one, count in own.items() if left[one] > 0}
            share = sum(found.values()) / own.total()
            if share > labels[i]:
                labels[i] = share
                left.subtract(found)
    return labels


def _trigrams(words: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    return zip(words, words[1:], words[2:], strict=False)


def _aligned(words: Sequence[str], gold: Sequence[str]) -> NDArray[np.bool_]:
    distances: Any = require("rapidfuzz.distance", "evaluation")
    numbers: dict[str, int] = {}
    first, second = ([numbers.setdefault(word, len(numbers)) for word in one] for one in (words, gold))
    aligned = np.zeros(len(words), np.bool_)
    for code in distances.LCSseq.opcodes(first, second):
        if code.tag == "equal":
            aligned[code.src_start : code.src_end] = True
    return aligned


def block_weights(characters: NDArray[np.float64]) -> NDArray[np.float32]:
    """What each block of a page counts in training; all of them together 1."""
    weights = np.minimum(characters, MOST_CHARACTERS) ** POWER
    total = weights.sum()
    result: NDArray[np.float32] = (weights / total if total else weights).astype(np.float32)
    return result
