"""The measures by their names."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar
from unicodedata import category

from scrapy_justext.evaluation.libraries import require
from scrapy_justext.evaluation.matching import Match, matching_blocks
from scrapy_justext.evaluation.statistics import mean_of

if TYPE_CHECKING:
    from collections.abc import Mapping

# Text to words, as [D] compares them.
#
# Punctuation becomes a space, control characters and characters outside ASCII are removed, letters are lower-cased, and
# the text is split at white space.  White space and punctuation outside ASCII (the no-break space, dashes,
# typographic quotes) part words like their counterparts within it: removing them first would glue "a—b" to "ab".
# ``keep_non_ascii`` keeps the letters of other scripts, which are all removed otherwise.

_ASCII_SPACES = " \t\n\v\f\r"
_ASCII_CONTROLS = "".join(chr(code) for code in [*range(0x20), 0x7F] if chr(code) not in _ASCII_SPACES)
_TO_SPACE = string.punctuation + _ASCII_SPACES

_ASCII_TABLE = bytes.maketrans(
    (string.ascii_uppercase + _TO_SPACE).encode(), (string.ascii_lowercase + " " * len(_TO_SPACE)).encode()
)
_UNICODE_TABLE = {**str.maketrans(_TO_SPACE, " " * len(_TO_SPACE)), **str.maketrans("", "", _ASCII_CONTROLS)}

_NON_ASCII = re.compile(r"[^\x00-\x7f]")


def split_words(text: str, *, keep_non_ascii: bool = False) -> list[str]:
    r"""The words of a text: lower-cased runs of what is neither white space, punctuation nor control.

    >>> split_words("The naïve—\x07not the “Clever”—one's 2nd\xa0try.")
    ['the', 'nave', 'not', 'the', 'clever', 'one', 's', '2nd', 'try']
    >>> split_words("Ein «naïver» Versuch", keep_non_ascii=True)
    ['ein', 'naïver', 'versuch']
    """
    for character in set(_NON_ASCII.findall(text)):
        if (substitute := _substitute(character)) is not None:
            text = text.replace(character, substitute)
    if keep_non_ascii:
        return text.translate(_UNICODE_TABLE).lower().split()
    # Through bytes: their tables take a sixth of the time that those of str take.
    ascii_only = text.encode("ascii", "ignore")
    return ascii_only.translate(_ASCII_TABLE, _ASCII_CONTROLS.encode()).decode("ascii").split()


@cache
def _substitute(character: str) -> str | None:
    """What stands for a character outside ASCII: a space for what parts words, nothing for a control, else None."""
    if character.isspace() or category(character).startswith("P"):
        return " "
    return "" if category(character) == "Cc" else None


# What a measure says of one document, and how the scores of many become one row.

OK = "ok"
RELEVANT_EMPTY = "relevant_empty"
RETRIEVED_EMPTY = "retrieved_empty"
BOTH_EMPTY = "both_empty"
MISMATCH = "mismatch"

#: The cases that are counted apart. [D]
BOUNDARY_CASES = (RELEVANT_EMPTY, RETRIEVED_EMPTY, BOTH_EMPTY, MISMATCH)


class Sizes(NamedTuple):
    """The sizes of two texts and of what they share, in what the measure counts: words, characters, shingles."""

    relevant: int = 0
    retrieved: int = 0
    common: int = 0


class Scores(NamedTuple):
    """How well a retrieved text covers the relevant one; from 0 to 1, None where undefined."""

    precision: float | None
    recall: float | None
    f1: float | None
    case: str
    """:data:`OK` or one of :data:`BOUNDARY_CASES`."""
    sizes: Sizes = Sizes()


class Means(NamedTuple):
    """What a measure says of many documents; None where it says nothing."""

    precision: float | None
    recall: float | None
    f1: float | None


class Score(Protocol):
    """Compares the text retrieved from a page with its gold standard."""

    def __call__(self, gold: str, retrieved: str, *, keep_non_ascii: bool = False) -> Scores:
        """``keep_non_ascii`` matters to the measures that would remove letters outside ASCII."""


Aggregate = Callable[[Sequence[Scores]], Means]


def mean_scores(scores: Sequence[Scores]) -> Means:
    """The mean of each figure over the documents that have it."""
    return Means(
        mean_of(one.precision for one in scores),
        mean_of(one.recall for one in scores),
        mean_of(one.f1 for one in scores),
    )


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure by its name; called, it scores a document."""

    name: str
    score: Score
    source: str
    """Where it is defined."""
    boundary_counts: bool = False
    """Whether boundary cases are part of the means: [D] leaves them out, the benchmarks have rules for them."""
    aggregate: Aggregate = mean_scores
    """How the documents' scores become those of the data set."""

    def __call__(self, gold: str, retrieved: str, *, keep_non_ascii: bool = False) -> Scores:
        """The scores of a document."""
        return self.score(gold, retrieved, keep_non_ascii=keep_non_ascii)

    def counted(self, scores: Sequence[Scores]) -> list[Scores]:
        """The scores that are part of the means."""
        return [one for one in scores if self.boundary_counts or one.case == OK]


def f1_score(precision: float, recall: float) -> float:
    """The harmonic mean, 0 when both are 0.

    >>> f1_score(1.0, 0.5)
    0.6666666666666666
    """
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def f_score(precision: float, recall: float, beta: float) -> float:
    """The weighted harmonic mean, in which recall counts ``beta`` times as much as precision; 0 when both are 0.

    >>> f_score(1.0, 0.5, 1.0), f_score(1.0, 0.5, 2.0)
    (0.6666666666666666, 0.5555555555555556)
    """
    weighted = beta**2 * precision + recall
    return (1 + beta**2) * precision * recall / weighted if weighted else 0.0


def score_sizes(relevant: int, retrieved: int, common: int) -> Scores:
    """Precision, recall and F1 of two sizes and the size of what they share, with the boundary cases of [D].

    >>> score_sizes(4, 2, 2)[:4]
    (1.0, 0.5, 0.6666666666666666, 'ok')
    >>> score_sizes(0, 2, 0)[:4], score_sizes(0, 0, 0).case
    ((0.0, None, None, 'relevant_empty'), 'both_empty')
    """
    case = _find_case(relevant, retrieved, common)
    precision = common / retrieved if retrieved else None
    recall = common / relevant if relevant else None
    f1 = f1_score(common / retrieved, common / relevant) if case == OK else None
    return Scores(precision, recall, f1, case, Sizes(relevant, retrieved, common))


def _find_case(relevant: int, retrieved: int, common: int) -> str:
    if not relevant:
        return RELEVANT_EMPTY if retrieved else BOTH_EMPTY
    if not retrieved:
        return RETRIEVED_EMPTY
    return OK if common else MISMATCH


# The measures over bags: WCXB's of words, the article extraction benchmark's of 4-word shingles.
#
# Both take words as runs of ``\w`` in any script, so ``keep_non_ascii`` is taken for the interface's sake only.

_T = TypeVar("_T")

SHINGLE_WORDS = 4

_WORD = re.compile(r"\w+")


def score_bag(gold: str, retrieved: str, *, keep_non_ascii: bool = False) -> Scores:  # noqa: ARG001
    """WCXB: lower-cased words, each as often as it is in both texts.

    Where the gold standard is empty all figures are 1 if nothing was retrieved, else 0; where only the retrieved text
    is, or where nothing is shared, they are 0.
    """
    relevant, found = find_words(gold.lower()), find_words(retrieved.lower())
    scores = score_sizes(len(relevant), len(found), _common(Counter(relevant), Counter(found)))
    if scores.case == OK:
        return scores
    value = 1.0 if scores.case == BOTH_EMPTY else 0.0
    return scores._replace(precision=value, recall=value, f1=value)


def score_shingles(gold: str, retrieved: str, *, keep_non_ascii: bool = False) -> Scores:  # noqa: ARG001
    """Shingles of four words, case kept, each as often as it is in both texts; a shorter text is one shingle."""
    relevant, found = _shingles(find_words(gold)), _shingles(find_words(retrieved))
    return score_sizes(relevant.total(), found.total(), _common(relevant, found))


def aggregate_shingles(scores: Sequence[Scores]) -> Means:
    """The article extraction benchmark's figures for a data set, None where a figure has no document.

    Precision is the mean over the documents of which something was retrieved, recall that over the documents whose gold
    standard is not empty; F1 is the harmonic mean of these two means, not the mean of the documents' F1.  So says the
    benchmark's own program, ``evaluate.py``.  (That it divides each document's counts by their sum first changes no
    precision and no recall.)  Where both means are 0 it fails; here F1 is 0.
    """
    precision, recall, _ = mean_scores(scores)
    return Means(precision, recall, None if precision is None or recall is None else f1_score(precision, recall))


def find_words(text: str) -> list[str]:
    """The words of a text: runs of what is a letter, digit or underscore in any script."""
    return _WORD.findall(text)


def _shingles(words: list[str]) -> Counter[tuple[str, ...]]:
    if not words:
        return Counter()
    starts = range(max(1, len(words) - SHINGLE_WORDS + 1))
    return Counter(tuple(words[start : start + SHINGLE_WORDS]) for start in starts)


def _common(relevant: Counter[_T], found: Counter[_T]) -> int:
    return (relevant & found).total()


# The measures over sequences of words: [D]'s by matching blocks, [C]'s by their characters, CleanEval's by edits.


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


_ALL = (
    Measure("sequence", score_sequence, "[D]: word sequences, difflib's matching blocks"),
    Measure("character", score_characters, "[C]: the characters of the matching words"),
    Measure("bag", score_bag, "WCXB: bags of words", boundary_counts=True),
    Measure(
        "shingle",
        score_shingles,
        "article extraction benchmark: bags of four-word shingles",
        boundary_counts=True,
        aggregate=aggregate_shingles,
    ),
    Measure("edit", score_edits, "CleanEval: words that the fewest insertions and deletions leave"),
)

MEASURES: Mapping[str, Measure] = MappingProxyType({measure.name: measure for measure in _ALL})
