"""The measures over sequences of words: [D]'s by matching blocks, [C]'s by their characters, CleanEval's by edits."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from scrapy_justext.evaluation.libraries import require
from scrapy_justext.evaluation.measures.matching import Match, matching_blocks
from scrapy_justext.evaluation.measures.scores import score_sizes
from scrapy_justext.evaluation.measures.words import split_words

if TYPE_CHECKING:
    from scrapy_justext.evaluation.measures.scores import Scores


def score_sequence(gold: str, retrieved: str, *, keep_non_ascii: bool = False, autojunk: bool = True) -> Scores:
    """[D]: words in difflib's matching blocks, of the words of each text.  ``autojunk``: as in difflib."""
    relevant, found, matches = _compare(gold, retrieved, keep_non_ascii, autojunk)
    return score_sizes(len(relevant), len(found), sum(match.size for match in matches))


def score_characters(gold: str, retrieved: str, *, keep_non_ascii: bool = False, autojunk: bool = True) -> Scores:
    """[C]: characters of the words in difflib's matching blocks, of the characters of each text's words."""
    relevant, found, matches = _compare(gold, retrieved, keep_non_ascii, autojunk)
    common = sum(_characters(relevant[match.a : match.a + match.size]) for match in matches)
    return score_sizes(_characters(relevant), _characters(found), common)


def score_edits(gold: str, retrieved: str, *, keep_non_ascii: bool = False) -> Scores:
    """CleanEval: words that stay when the retrieved text is edited into the gold standard, of the words of each.

    Edits insert and delete single words, as few as possible: what stays is a longest common subsequence, so that
    precision is 1 less the share of words to delete, recall 1 less the share of words to insert.  (The campaign of
    2007 gave one figure for the distance, with block marks as tokens; extractors here give text without marks.)
    """
    relevant = split_words(gold, keep_non_ascii=keep_non_ascii)
    found = split_words(retrieved, keep_non_ascii=keep_non_ascii)
    distances: Any = require("rapidfuzz.distance", "rapidfuzz")
    common = distances.LCSseq.similarity(*_as_numbers(relevant, found))
    return score_sizes(len(relevant), len(found), common)


@lru_cache(maxsize=4)
def _compare(
    gold: str, retrieved: str, keep_non_ascii: bool, autojunk: bool
) -> tuple[list[str], list[str], list[Match]]:
    """The words of both texts, and their matching blocks; kept, as two measures ask for the same."""
    relevant = split_words(gold, keep_non_ascii=keep_non_ascii)
    found = split_words(retrieved, keep_non_ascii=keep_non_ascii)
    return relevant, found, matching_blocks(relevant, found, autojunk=autojunk)


def _characters(words: list[str]) -> int:
    return len("".join(words))


def _as_numbers(relevant: list[str], found: list[str]) -> tuple[list[int], list[int]]:
    """Words as numbers: comparing their hashes, as is done with other values, could take two words for one."""
    numbers = {word: number for number, word in enumerate(dict.fromkeys([*relevant, *found]))}
    return [numbers[word] for word in relevant], [numbers[word] for word in found]
