"""How many characters of texts the words of a stoplist cover: greedy, longest match first, from left to right.

All texts of a page are looked at together, in columns: the first characters of all matches, then their
second ones, and so on, down a tree of the words.  A loop over the characters would be several times as
dear, and so would a regular expression, which tries one word after the other.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

#: Characters that are looked at together, so that the columns of a huge page stay small.
_BATCH = 1 << 20


#: Cells of a table of all nodes by all characters; a larger one is not made, but a list of those that are filled.
_LARGEST_TABLE = 1 << 21


class _Tree(NamedTuple):
    """The words as a tree; 0 is its root, and at the same time what stands for no node.

    ``characters``: by code point, the number of each character that stands in a word, 0 for all others; one
    entry more than the highest code point.  A step is a node times ``width`` plus a character; it leads to
    ``below``: of that step, or, where ``steps`` lists those that there are in ascending order, at its place
    there.  ``words``: by node, the length of the word that ends there, else 0.  ``inner``: nodes from this
    number on have none below.
    """

    characters: NDArray[np.int64]
    width: int
    steps: NDArray[np.int64] | None
    below: NDArray[np.int32]
    words: NDArray[np.int32]
    inner: int


def covered_characters(texts: Iterable[str], words: frozenset[str]) -> list[int]:
    """For each of the texts, how many of its characters are covered.

    >>> covered_characters(["to be or not to be", "into", ""], frozenset({"to", "not to", "o"}))
    [9, 2, 0]
    """
    return [count for batch in _batches(texts) for count in _cover(batch, words)]


def _batches(texts: Iterable[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for text in texts:
        batch.append(text)
        size += len(text)
        if size >= _BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _cover(texts: Sequence[str], words: frozenset[str]) -> list[int]:
    # Loading it takes a tenth of a second: not before a page needs it.
    import numpy as np  # noqa: PLC0415

    # No word goes on over a line feed.
    longest = _longest_matches("\n".join(texts), _tree(words))
    # A word of one character never reaches into another one, so only the longer ones can stand in each other's way.
    starts = np.flatnonzero(longest > 1)
    starts = starts[_first_come(starts, starts + longest[starts])]
    ends = starts + longest[starts]
    changes = np.zeros(len(longest) + 1, np.int8)
    changes[starts] += 1
    changes[ends] -= 1
    is_covered = (longest == 1) | (np.cumsum(changes[:-1], dtype=np.int8) > 0)
    before = np.concatenate([[0], np.cumsum(is_covered)])
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    text_ends = np.cumsum(lengths + 1) - 1
    counts: list[int] = (before[text_ends] - before[text_ends - lengths]).tolist()
    return counts


def _longest_matches(text: str, tree: _Tree) -> NDArray[np.int32]:
    """The length of the longest word that begins at each character; 0 without one."""
    import numpy as np  # noqa: PLC0415

    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    characters = tree.characters[np.minimum(codes, len(tree.characters) - 1)]
    nodes = _below(tree, characters)
    longest = tree.words[nodes]
    positions = np.flatnonzero((nodes > 0) & (nodes < tree.inner))
    nodes = nodes[positions]
    depth = 1
    while len(positions):
        fits = positions + depth < len(characters)
        positions, nodes = positions[fits], nodes[fits]
        nodes = _below(tree, nodes.astype(np.int64) * tree.width + characters[positions + depth])
        depth += 1
        is_word = tree.words[nodes] > 0
        longest[positions[is_word]] = depth
        goes_on = (nodes > 0) & (nodes < tree.inner)
        positions, nodes = positions[goes_on], nodes[goes_on]
    return longest


def _below(tree: _Tree, steps: NDArray[np.int64]) -> NDArray[np.int32]:
    """The nodes that steps lead to; 0 for those that lead to none."""
    import numpy as np  # noqa: PLC0415

    if tree.steps is None:
        return tree.below[steps]
    places = np.minimum(np.searchsorted(tree.steps, steps), len(tree.steps) - 1)
    return np.where(tree.steps[places] == steps, tree.below[places], 0).astype(np.int32)


def _first_come(starts: NDArray[np.intp], ends: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Which matches stay when those go, from left to right, that begin inside one that stays."""
    import numpy as np  # noqa: PLC0415

    stays = np.ones(len(starts), np.bool_)
    overlaps = starts[1:] < np.maximum.accumulate(ends)[:-1]
    # Most matches touch no other.
    in_question = np.flatnonzero(np.append(overlaps, [False]) | np.append([False], overlaps))
    end = 0
    rows = zip(in_question.tolist(), starts[in_question].tolist(), ends[in_question].tolist(), strict=True)
    for i, start, its_end in rows:
        if start >= end:
            end = its_end
        else:
            stays[i] = False
    return stays


@lru_cache(maxsize=64)
def _tree(words: frozenset[str]) -> _Tree:
    import numpy as np  # noqa: PLC0415

    alphabet = {character: i for i, character in enumerate(sorted(set().union(*words)), start=1)}
    inner = sorted({word[:length] for word in words for length in range(len(word))} | {""})
    nodes = [*inner, *sorted(words - set(inner))]
    numbers = {prefix: number for number, prefix in enumerate(nodes)}
    width = len(alphabet) + 1
    steps = {
        numbers[prefix[:-1]] * width + alphabet[prefix[-1]]: number for prefix, number in numbers.items() if prefix
    }
    is_table = len(inner) * width <= _LARGEST_TABLE or not steps
    listed = None if is_table else np.array(sorted(steps), np.int64)
    if listed is None:
        below = np.zeros(len(inner) * width, np.int32)
        below[list(steps)] = list(steps.values())
    else:
        below = np.array([steps[step] for step in listed.tolist()], np.int32)
    characters = np.zeros(max(map(ord, alphabet), default=0) + 2, np.int64)
    for character, number in alphabet.items():
        characters[ord(character)] = number
    lengths = np.array([len(prefix) if prefix in words else 0 for prefix in nodes], np.int32)
    return _Tree(characters, width, listed, below, lengths, len(inner))
