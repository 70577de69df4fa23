"""Measure text in scripts that have no spaces between words.

**Stop words.**  Where there are no words to count, the function words of the stoplist (characters and short strings)
are found by greedy longest match over the text, from left to right (:func:`covered_characters`).  The stop-word density
is the share of the characters that they cover.

**Thresholds.**  Lengths are in characters, as everywhere.  A Chinese character says more than a Latin letter, so these
scripts have thresholds of their own (:data:`SCRIPTS`).  So has Korean, though it puts spaces between words, which are
counted as in all other languages (:data:`KOREAN`).  ``benchmarks/languages.py`` calibrates Chinese on labelled pages;
``benchmarks/calibration.py`` derives the others from running text, boilerplate and parallel texts.

**Units.**  Where texts in all scripts are compared, their lengths are in units (:func:`units`).  A Latin letter is one,
a Chinese character three, so that a paragraph has about as many units in every language.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate, groupby
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.core.blocks import Measurements

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from scrapy_justext.core.blocks import BlockTable


#: Characters that are looked at together, so that the columns of a huge page stay small.
_BATCH = 1 << 20


#: The most cells of a table of nodes by characters.  Instead of a larger table, a list of the filled cells is made.
_LARGEST_TABLE = 1 << 21


class _WordTree(NamedTuple):
    """The words as a tree of numbered nodes.  Node 0 is the root; as the end of a step, 0 means that there is no node.

    ``characters``: for each code point the number of its character, 0 for characters in no word; the last entry is for
    all higher code points.
    ``width``: how many of these numbers there are.  A step from a node is ``node * width + character``.
    ``steps``: the steps that exist, in ascending order; None if ``below`` has an entry for every possible step.
    ``below``: the node that a step leads to, at the step's number, or at its index in ``steps``.
    ``words``: for each node, the length of the word that ends there, else 0.
    ``inner``: nodes from this number on have none below them.
    """

    characters: NDArray[np.int64]
    width: int
    steps: NDArray[np.int64] | None
    below: NDArray[np.int32]
    words: NDArray[np.int32]
    inner: int


def covered_characters(texts: Sequence[str], words: frozenset[str]) -> list[int]:
    """Count for each of the texts how many of its characters the words cover.

    All texts of a page are looked at together, in columns: the first characters of all matches, then their second ones,
    and so on, down a tree of the words.  A loop over the characters would take several times as long, and so would a
    regular expression, which tries one word after the other.

    >>> covered_characters(["to be or not to be", "into", ""], frozenset({"to", "not to", "o"}))
    [9, 2, 0]
    """
    ends = accumulate(map(len, texts))
    batches = groupby(zip(ends, texts, strict=True), lambda row: row[0] // _BATCH)
    return [count for _, batch in batches for count in _cover([text for _, text in batch], words)]


def _cover(texts: Sequence[str], words: frozenset[str]) -> list[int]:
    # Loading it takes a tenth of a second: not before a page needs it.
    import numpy as np  # noqa: PLC0415

    # No word goes on over a line feed.
    longest = _longest_matches("\n".join(texts), _word_tree(words))
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


def _longest_matches(text: str, tree: _WordTree) -> NDArray[np.int32]:
    """Return the length of the longest word that begins at each character; 0 without one."""
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


def _below(tree: _WordTree, steps: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the nodes that steps lead to; 0 for those that lead to none."""
    import numpy as np  # noqa: PLC0415

    if tree.steps is None:
        return tree.below[steps]
    indices = np.minimum(np.searchsorted(tree.steps, steps), len(tree.steps) - 1)
    return np.where(tree.steps[indices] == steps, tree.below[indices], 0).astype(np.int32)


def _first_come(starts: NDArray[np.intp], ends: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return which matches stay: from left to right, a match that begins inside one that stays is dropped."""
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
def _word_tree(words: frozenset[str]) -> _WordTree:
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
    return _WordTree(characters, width, listed, below, lengths, len(inner))


HAN = r"\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
KANA = r"\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\uff66-\uff9f"


@dataclass(frozen=True)
class Script:
    """A script with thresholds of its own."""

    code: str
    """Code of the language that is mostly written in it."""
    characters: str
    """Its characters, as in a set of a regular expression."""
    characters_per_word: float
    """The mean; where there are no spaces, it estimates how many words a text has."""
    thresholds: Mapping[str, float]
    """Those that differ from a profile's."""
    has_spaces: bool = False
    """Whether spaces part its words, so that they are counted as in most scripts."""


def _script(
    code: str, characters: str, per_word: float, *, length: tuple[int, int], stopwords: tuple[float, float]
) -> Script:
    names = ("length_low", "length_high", "stopwords_low", "stopwords_high")
    return Script(code, characters, per_word, dict(zip(names, (*length, *stopwords), strict=True)))


CHINESE = _script("zh", HAN, 1.5, length=(15, 25), stopwords=(0.1, 0.12))
JAPANESE = _script("ja", HAN + KANA, 2.4, length=(25, 40), stopwords=(0.1, 0.14))
SCRIPTS = (
    CHINESE,
    JAPANESE,
    _script("th", r"\u0e01-\u0e3a\u0e40-\u0e4e", 4.1, length=(50, 150), stopwords=(0.21, 0.23)),
    _script("lo", r"\u0e81-\u0ece\u0edc-\u0edf", 4.6, length=(60, 165), stopwords=(0.22, 0.23)),
    _script("km", r"\u1780-\u17d3\u17dc\u17dd", 5.3, length=(70, 195), stopwords=(0.1, 0.12)),
    _script("my", r"\u1000-\u103f\u104c-\u108f", 7.1, length=(90, 255), stopwords=(0.18, 0.21)),
    _script("bo", r"\u0f00\u0f0b\u0f0c\u0f35-\u0f39\u0f40-\u0fbc", 6.5, length=(80, 235), stopwords=(0.18, 0.21)),
)
KOREAN = replace(_script("ko", r"\uac00-\ud7a3", 2.8, length=(35, 100), stopwords=(0.2, 0.25)), has_spaces=True)

#: Those with thresholds of their own, with spaces or without.
WITH_THRESHOLDS = (*SCRIPTS, KOREAN)

#: The share of the letters from which a text counts as one without spaces.  A third of the letters is more
#: than a third of the words.
SHARE = 1 / 3

#: The share of kana among Han characters and kana from which a text is Japanese, not Chinese.
KANA_SHARE = 0.1


def script_of(text: str, *, kana_share: float = KANA_SHARE) -> Script | None:
    """Return the script of a text; None where most of it has spaces.

    >>> [script and script.code for script in map(script_of, ["春眠不覺曉", "春はあけぼの", "spring", "ฤดูร้อน"])]
    ['zh', 'ja', None, 'th']
    """
    if not _pattern("".join(script.characters for script in SCRIPTS)).search(text):
        return None
    counts = {script.code: _count(script.characters, text) for script in SCRIPTS}
    best = max(SCRIPTS, key=lambda script: counts[script.code])
    letters = sum(map(str.isalpha, text))
    if counts[best.code] < SHARE * letters:
        return None
    if best in (CHINESE, JAPANESE):
        return JAPANESE if _count(KANA, text) >= kana_share * counts["ja"] else CHINESE
    return best


@lru_cache(maxsize=256)
def script_of_words(stoplist: frozenset[str]) -> Script | None:
    """Return the script that a stoplist is made for; None for one without thresholds of its own."""
    text = "".join(sorted(stoplist))
    return script_of(text) or (KOREAN if _count(KOREAN.characters, text) > len(text) / 2 else None)


def measure_unspaced(segments: BlockTable, stoplist: frozenset[str], script: Script) -> Measurements:
    """Measure the blocks of a page in a language without spaces."""
    # None of these scripts has cases; a list may hold a word of one that does.
    has_case = any(word != word.upper() for word in stoplist)
    prose, counted = segments.collapsed.copy(), {}
    for i, extras in segments.extras.items():
        if extras.formulas:
            prose[i], counted[i] = segments[i].without_formulas(), segments.collapsed[i]
    texts = [_comparable(text, has_case=has_case) for text in prose]
    characters = list(map(len, segments.collapsed))
    word_count = [estimate_words(counted.get(i, text), script) if text else 0 for i, text in enumerate(texts)]
    density = [
        linked / length if text else 0.0
        for linked, length, text in zip(segments.link_characters, characters, texts, strict=True)
    ]
    link_words = [round(share * words) for share, words in zip(density, word_count, strict=True)]
    covered = covered_characters(texts, stoplist)
    stopword_density = [count / len(text) if text else 0.0 for count, text in zip(covered, texts, strict=True)]
    return Measurements(characters, word_count, link_words, density, stopword_density)


def _comparable(text: str, *, has_case: bool) -> str:
    """Return the text in which stop words are looked for."""
    for typed, meant in _SPELLINGS:
        text = text.replace(typed, meant)
    return text.lower() if has_case else text


#: Spellings of pages, with the spellings of stoplists: the zero-width space, which Khmer, Burmese and Thai pages put
#: where a line may break, and two Burmese marks that many people type in another order than Unicode's canonical one.
_SPELLINGS = (("\u200b", ""), ("\u103a\u1037", "\u1037\u103a"))


def estimate_words(text: str, script: Script) -> int:
    """Estimate how many words a text has: in ASCII by white space and punctuation, else by characters; at least 1.

    >>> estimate_words("我们在Python里写程序。", CHINESE)
    6
    """
    if text.isascii():
        return max(len(text.split()), 1)
    words = _ASCII_WORD.findall(text)
    return max(round((len(text) - sum(map(len, words))) / script.characters_per_word) + len(words), 1)


_ASCII_WORD = re.compile("[A-Za-z0-9]+")


def _count(characters: str, text: str) -> int:
    return sum(map(len, _pattern(characters).findall(text)))


@lru_cache
def _pattern(characters: str) -> re.Pattern[str]:
    return re.compile(f"[{characters}]+")


#: Code points from, to (inclusive), and the units that a character there counts: about as many as a text of
#: English has characters for each of the same text there.
UNITS: tuple[tuple[int, int, float], ...] = (
    (0x0E01, 0x0E4E, 1.4),
    (0x0E81, 0x0EDF, 1.2),
    (0x0F00, 0x0FBC, 0.9),
    (0x1000, 0x109F, 0.8),
    (0x1780, 0x17DD, 1.0),
    (0x3005, 0x3007, 3.0),
    (0x3041, 0x30FF, 2.0),
    (0x3400, 0x9FFF, 3.0),
    (0xAC00, 0xD7A3, 2.2),
    (0xF900, 0xFAFF, 3.0),
    (0xFF66, 0xFF9F, 2.0),
)

#: The most that a character counts.
MOST_UNITS = max(units for _, _, units in UNITS)
#: The bytes that these characters begin with in UTF-8; a few others begin with these, too.
_FIRST_BYTES = bytes([0xE0, 0xE1, *range(0xE3, 0xEE), 0xEF])

_SETS = {
    value: re.compile(f"[{''.join(f'{chr(start)}-{chr(end)}' for start, end, units in UNITS if units == value)}]+")
    for value in {units for _, _, units in UNITS} - {1.0}
}


def units(text: str) -> int:
    """Return the length of a text in units.

    >>> units("copper"), units("銅壺")
    (6, 6)
    """
    # Most texts that are not ASCII have dashes or accents: it takes a fifth of the time to see that in bytes.
    encoded = b"" if text.isascii() else text.encode(errors="replace")
    if len(encoded.translate(None, _FIRST_BYTES)) == len(encoded):
        return len(text)
    return round(
        len(text) + sum((value - 1) * sum(map(len, pattern.findall(text))) for value, pattern in _SETS.items())
    )
