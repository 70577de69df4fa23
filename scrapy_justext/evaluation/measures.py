r"""How well the text that was retrieved from a page covers its gold standard.

Each measure counts something in the gold standard, in the retrieved text and in what both share.  Precision is the
share of the retrieved text that both have, recall that of the gold standard, F1 their harmonic mean.

A document is a boundary case where one of the texts is empty or where they share nothing.  [D] counts these cases apart
and leaves them out of the means.  The benchmarks have rules of their own for them.

The measures over sequences compare words as [D] does, see :func:`split_words`.  Those over bags take runs of ``\w`` in
any script, so ``keep_non_ascii`` makes no difference to them.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import category

from scrapy_justext.evaluation.statistics import mean_of
from scrapy_justext.exceptions import require

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from difflib import Match

    from scrapy_justext.evaluation.datasets.documents import Snippets

OK = "ok"
RELEVANT_EMPTY = "relevant_empty"
RETRIEVED_EMPTY = "retrieved_empty"
BOTH_EMPTY = "both_empty"
MISMATCH = "mismatch"
#: A page that a simpler measure scored, since this one would take too long.
TOO_LARGE = "too_large"
#: The cases that are counted apart. [D]
BOUNDARY_CASES = (RELEVANT_EMPTY, RETRIEVED_EMPTY, BOTH_EMPTY, MISMATCH)

#: What measures compare: texts, Markdown, or a text with snippets.
TEXT, MARKDOWN, SNIPPETS = "text", "markdown", "snippets"


class Sizes(NamedTuple):
    """The sizes of two texts and of what they share, in what the measure counts: words, characters, shingles."""

    relevant: int = 0
    retrieved: int = 0
    common: int = 0


class Scores(NamedTuple):
    """What a measure says of one document; from 0 to 1, None where undefined."""

    precision: float | None
    recall: float | None
    f1: float | None
    case: str
    """:data:`OK`, :data:`TOO_LARGE` or one of :data:`BOUNDARY_CASES`."""
    sizes: Sizes = Sizes()


#: Precision, recall and F1 of many documents, None where a measure says nothing.
Means = tuple["float | None", "float | None", "float | None"]


def mean_scores(scores: Sequence[Scores]) -> Means:
    """Return the mean of each value over the documents that have it."""
    precision, recall, f1, *_ = zip(*scores, strict=True) if scores else ((),) * 3
    return mean_of(precision), mean_of(recall), mean_of(f1)


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure by its name; called with a gold standard and what was retrieved, it scores a document.

    ``score`` takes both sides, and ``keep_non_ascii``: whether to keep letters outside ASCII.  ``meaning``: what it
    compares, as reports say it.  ``form``: what both sides are, :data:`TEXT`, :data:`MARKDOWN` or :data:`SNIPPETS`.
    ``counted``: the cases that are part of the means.  ``aggregate``: from the documents' scores to the data set's.
    """

    name: str
    score: Callable[..., Scores]
    meaning: str
    form: str = TEXT
    counted: frozenset[str] = frozenset({OK})
    aggregate: Callable[[Sequence[Scores]], Means] = mean_scores

    def __call__(self, gold: str | Snippets, retrieved: str, *, keep_non_ascii: bool = False) -> Scores:
        """Score a document."""
        return self.score(gold, retrieved, keep_non_ascii=keep_non_ascii)


def f_score(precision: float, recall: float, beta: float = 1.0) -> float:
    """Return the harmonic mean in which recall weighs ``beta`` times as much as precision; 0 when both are 0.

    >>> f_score(1.0, 0.5), f_score(1.0, 0.5, 2.0)
    (0.6666666666666666, 0.5555555555555556)
    """
    weighted = beta**2 * precision + recall
    return (1 + beta**2) * precision * recall / weighted if weighted else 0.0


def score_sizes(relevant: int, retrieved: int, common: int) -> Scores:
    """Return precision, recall and F1 of two sizes and the size of what they share, with the boundary cases of [D].

    >>> score_sizes(4, 2, 2)[:4]
    (1.0, 0.5, 0.6666666666666666, 'ok')
    >>> score_sizes(0, 2, 0)[:4], score_sizes(0, 0, 0).case
    ((0.0, None, None, 'relevant_empty'), 'both_empty')
    """
    if relevant and retrieved:
        case = OK if common else MISMATCH
    else:
        case = RETRIEVED_EMPTY if relevant else RELEVANT_EMPTY if retrieved else BOTH_EMPTY
    precision = common / retrieved if retrieved else None
    recall = common / relevant if relevant else None
    f1 = f_score(common / retrieved, common / relevant) if case == OK else None
    return Scores(precision, recall, f1, case, Sizes(relevant, retrieved, common))


# Words of a text, as [D] compares them.  White space and punctuation outside ASCII (the no-break space, dashes,
# typographic quotes) part words like their counterparts within it: removing them first would glue "a—b" to "ab".

_TO_SPACE = string.punctuation + string.whitespace
_CONTROLS = "".join(chr(code) for code in [*range(0x20), 0x7F] if chr(code) not in string.whitespace)
_ASCII_TABLE = str.maketrans(_TO_SPACE, " " * len(_TO_SPACE), _CONTROLS)
_NON_ASCII = re.compile(r"[^\x00-\x7f]")


def split_words(text: str, *, keep_non_ascii: bool = False) -> list[str]:
    r"""Return the words of a text: lower-cased runs of what is neither white space, punctuation nor control.

    Characters outside ASCII are removed, those that part words apart.  ``keep_non_ascii`` keeps other scripts' letters.

    >>> split_words("The naïve—\x07not the “Clever”—one's 2nd\xa0try.")
    ['the', 'nave', 'not', 'the', 'clever', 'one', 's', '2nd', 'try']
    >>> split_words("Ein «naïver» Versuch", keep_non_ascii=True)
    ['ein', 'naïver', 'versuch']
    """
    for character in set(_NON_ASCII.findall(text)):
        if (substitute := _substitute(character)) is not None:
            text = text.replace(character, substitute)
    if not keep_non_ascii:
        text = text.encode("ascii", "ignore").decode()
    return text.translate(_ASCII_TABLE).lower().split()


@cache
def _substitute(character: str) -> str | None:
    """Return a space for a character that parts words, nothing for a control, None for any other."""
    if character.isspace() or category(character).startswith("P"):
        return " "
    return "" if category(character) == "Cc" else None


# Measures over sequences of words.


def score_sequence(gold: str, retrieved: str, *, keep_non_ascii: bool = False) -> Scores:
    """Count the words in difflib's matching blocks, as [D] does."""
    first, second, matches = _compare(gold, retrieved, keep_non_ascii)
    return score_sizes(len(first), len(second), sum(match.size for match in matches))


def score_characters(gold: str, retrieved: str, *, keep_non_ascii: bool = False) -> Scores:
    """Count the characters of the words in difflib's matching blocks, as [C] does."""
    first, second, matches = _compare(gold, retrieved, keep_non_ascii)
    common = (word for match in matches for word in first[match.a : match.a + match.size])
    return score_sizes(*(sum(map(len, words)) for words in (first, second, common)))


def score_edits(gold: str, retrieved: str, *, keep_non_ascii: bool = False) -> Scores:
    """Count the words that stay when the retrieved text is edited into the gold standard, as CleanEval does.

    Edits insert and delete single words, as few as possible: what stays is a longest common subsequence.  (The campaign
    of 2007 gave one value for the distance, with block marks as tokens; extractors here give text without marks.)
    """
    first, second = (split_words(text, keep_non_ascii=keep_non_ascii) for text in (gold, retrieved))
    distances: Any = require("rapidfuzz.distance", "evaluation")
    return score_sizes(len(first), len(second), distances.LCSseq.similarity(*_to_numbers(first, second)))


def matching_blocks(first: Sequence[str], second: Sequence[str], *, autojunk: bool = True) -> list[Match]:
    """Return the matching blocks of ``difflib.SequenceMatcher`` without the empty one at their end.

    >>> matching_blocks("x a b c y d".split(), "a b c d".split())
    [Match(a=1, b=0, size=3), Match(a=5, b=3, size=1)]
    """
    library: Any = require("cydifflib", "evaluation")
    blocks: list[Match] = library.SequenceMatcher(None, *_to_numbers(first, second), autojunk).get_matching_blocks()
    return blocks[:-1]


@lru_cache(maxsize=4)
def _compare(gold: str, retrieved: str, keep_non_ascii: bool) -> tuple[list[str], list[str], list[Match]]:
    """Return the words of both texts, and their matching blocks; kept, as two measures ask for the same."""
    first, second = (split_words(text, keep_non_ascii=keep_non_ascii) for text in (gold, retrieved))
    return first, second, matching_blocks(first, second)


def _to_numbers(first: Sequence[str], second: Sequence[str]) -> tuple[list[int], list[int]]:
    """Return numbers for words: libraries compare hashes of other values, and could take two words for one."""
    numbers = {word: number for number, word in enumerate(dict.fromkeys([*first, *second]))}
    return [numbers[word] for word in first], [numbers[word] for word in second]


# Measures over bags.

SHINGLE_WORDS = 4
_WORD = re.compile(r"\w+")


def find_words(text: str) -> list[str]:
    """Return the words of a text: runs of what is a letter, digit or underscore in any script."""
    return _WORD.findall(text)


def score_bag(gold: str, retrieved: str, *, keep_non_ascii: bool = False) -> Scores:  # noqa: ARG001
    """Count lower-cased words, each as often as it is in both texts, as WCXB does.

    Where the gold standard is empty all values are 1 if nothing was retrieved, else 0.  Where only the retrieved text
    is empty, or where nothing is shared, they are 0.
    """
    return _with_zeros(_score_bags(*(Counter(find_words(text.lower())) for text in (gold, retrieved))))


def score_shingles(gold: str, retrieved: str, *, keep_non_ascii: bool = False) -> Scores:  # noqa: ARG001
    """Count shingles of four words, case kept, each as often as it is in both texts; a shorter text is one shingle."""
    bags: list[Counter[Any]] = []
    for words in map(find_words, (gold, retrieved)):
        starts = range(max(1, len(words) - SHINGLE_WORDS + 1)) if words else ()
        bags.append(Counter(tuple(words[start : start + SHINGLE_WORDS]) for start in starts))
    return _score_bags(*bags)


def _score_bags(first: Counter[Any], second: Counter[Any]) -> Scores:
    return score_sizes(first.total(), second.total(), (first & second).total())


def _with_zeros(scores: Scores) -> Scores:
    """Return scores that are 0 in boundary cases, and 1 where there was nothing and nothing was retrieved."""
    if scores.case == OK:
        return scores
    value = 1.0 if scores.case == BOTH_EMPTY else 0.0
    return scores._replace(precision=value, recall=value, f1=value)


def aggregate_shingles(scores: Sequence[Scores]) -> Means:
    """Return the article extraction benchmark's values for a data set, None where a value has no document.

    Precision is the mean over the documents of which something was retrieved, recall the mean over those whose gold
    standard is not empty; F1 is the harmonic mean of these two means, as in the benchmark's ``evaluate.py``.  (The
    benchmark first divides each document's counts by their sum, which changes neither.)  If both means are 0, the
    benchmark fails; here F1 is 0.
    """
    precision, recall, _ = mean_scores(scores)
    return precision, recall, None if precision is None or recall is None else f_score(precision, recall)


# A measure over snippets.


def score_snippets(gold: Snippets, retrieved: str, *, keep_non_ascii: bool = False) -> Scores:  # noqa: ARG001
    """Count the snippets that are in the retrieved text, as trafilatura's evaluation does; all white space is alike."""
    text = " ".join(retrieved.split())
    wanted, unwanted = (sum(" ".join(snippet.split()) in text for snippet in snippets) for snippets in gold)
    return _with_zeros(score_sizes(len(gold.wanted), wanted + unwanted, wanted))


def aggregate_snippets(scores: Sequence[Scores]) -> Means:
    """Return precision, recall and F1 of the snippets of all documents together, None where there are none.

    So does trafilatura's ``tests/eval_common.py``.  There, nothing was retrieved of a document that failed; here such
    documents are counted apart, as for all measures.
    """
    if not scores:
        return None, None, None
    totals = (sum(sizes) for sizes in zip(*(document.sizes for document in scores), strict=True))
    precision, recall, f1 = (value or 0.0 for value in score_sizes(*totals)[:3])
    return precision, recall, f1


_ALL_CASES = frozenset({OK, *BOUNDARY_CASES})

_IN_ORDER = "Words in their order: those in the matching blocks of both texts, as difflib finds them."
_CHARACTERS = "The characters of the words that the measure sequence matches, so that long words weigh more."
_BAG = "Words regardless of their order, each as often as it is in both texts, as in WCXB."
_SHINGLES = "Runs of four words regardless of their order, as in the article extraction benchmark."
_EDIT = "Words that stay when the fewest words are deleted and inserted to make one text of the other, as in CleanEval."
_SNIPPETS = "Texts that must be in what is extracted, and texts that must not, as in trafilatura's evaluation."

_OF_TEXTS = (
    Measure("sequence", score_sequence, _IN_ORDER),
    Measure("character", score_characters, _CHARACTERS),
    Measure("bag", score_bag, _BAG, TEXT, _ALL_CASES),
    Measure("shingle", score_shingles, _SHINGLES, TEXT, _ALL_CASES, aggregate_shingles),
    Measure("edit", score_edits, _EDIT),
)
#: Measures over pairs of texts.
MEASURES: Mapping[str, Measure] = {measure.name: measure for measure in _OF_TEXTS}
SNIPPET_MEASURE = Measure("snippets", score_snippets, _SNIPPETS, SNIPPETS, _ALL_CASES, aggregate_snippets)
