r"""The measures over bags: WCXB's of words, the article extraction benchmark's of 4-word shingles.

Both take words as runs of ``\w`` in any script, so ``keep_non_ascii`` is taken for the interface's sake only.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, TypeVar

from scrapy_justext.evaluation.measures.scores import BOTH_EMPTY, OK, Means, Scores, f1_score, mean_scores, score_sizes

if TYPE_CHECKING:
    from collections.abc import Sequence

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
