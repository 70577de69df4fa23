"""Blocks that a character model of clean text finds more probable than one of dirty text: ``ncleaner``.

Source: Evert, "A lightweight and efficient tool for cleaning Web pages" (2008).  Two models of character n-grams are
made: of the segments of pages that people kept, and of those that they deleted.  A segment is dropped where the dirty
model finds it more probable.  Neither model knows the markup, nor where on the page a segment stands.  The lexical
models are those of one language, here English.  For ``ncleaner-nonlexical`` every letter becomes ``a`` and every digit
``1`` first: what is left is the length of words and the punctuation, in any language.

Where the source leaves a choice, or we depart:

* segments are the blocks of this library, not the paragraphs of a text browser's dump, and no rules come before or
  after the models;
* the models are made of the blocks of labelled pages: those of which the gold text has at least half the words are
  clean (``python -m training.published``).  n-grams that were met less than :data:`LEAST` times are left out;
* the probability of a character after those before it is smoothed by Witten and Bell's interpolation: it is what was
  counted after these characters, and what the next shorter context says, as often as different characters were met
  there; below the shortest context all characters are alike;
* a segment has a beginning and an end, which are characters, too.  Letters beyond ASCII are one letter to the lexical
  models; digits of any script are ``1`` there; quotes and dashes of typographers count as those of ASCII, other
  characters as ``#``.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from math import log
from typing import TYPE_CHECKING
from unicodedata import category

from scrapy_justext.core.parsing import parse_html
from scrapy_justext.core.reading.page import read_tree
from scrapy_justext.core.reading.rules import MODERN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scrapy_justext.evaluation.extractors.base import FeatureCounts

LEXICAL, NON_LEXICAL = "ncleaner", "ncleaner-nonlexical"
#: Characters of the longest n-grams.
ORDER = 3
#: n-grams that were met less often in training are left out.
LEAST = 10

_EDGE = "\n"
_PLAIN = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "…": "."})


def blocks_of(html: str) -> list[str]:
    r"""Return the texts of the blocks of a page, or of a fragment of one.

    >>> blocks_of("<div>One <b>and</b>   the same<p>Two<script>3</script></div>"), blocks_of("")
    (['One and the same', 'Two'], [])
    """
    root = parse_html(html).root
    return [] if root is None else [block.collapsed for block in read_tree(root, MODERN)]


def symbols(text: str, *, is_lexical: bool) -> str:
    """Return a text in the characters of the models.

    >>> symbols("Café, “2 €”", is_lexical=True), symbols("Café, “2 €”", is_lexical=False)
    ('Cafä, "1 #"', 'aaaa, "1 #"')
    """
    return "".join([_symbol(character, is_lexical) for character in text.translate(_PLAIN)])


@cache
def _symbol(character: str, is_lexical: bool) -> str:
    if character.isspace():
        return " "
    kind = category(character)[0]
    if kind in "LM":
        return "a" if not is_lexical else character if character.isascii() else "ä"
    if kind == "N":
        return "1"
    return character if character.isascii() and character.isprintable() else "#"


def ngrams(text: str) -> Iterator[str]:
    """Yield the longest n-grams of a text of symbols, between its edges."""
    framed = _EDGE * (ORDER - 1) + text + _EDGE
    return (framed[start : start + ORDER] for start in range(len(framed) - ORDER + 1))


class NgramModels:
    """The clean and the dirty model.  ``counts``: how often n-grams of all lengths were met in each kind of text."""

    def __init__(self, counts: FeatureCounts, *, is_lexical: bool) -> None:
        self._is_lexical = is_lexical
        self._counts = counts
        #: By context: how often it was met in each kind of text, and with how many different characters after it.
        self._contexts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
        for ngram, numbers in counts.items():
            context = self._contexts[ngram[:-1]]
            for side, number in enumerate(numbers):
                context[side] += number
                context[side + 2] += number > 0
        self._alike = 1 / (1 + sum(len(ngram) == 1 for ngram in counts))
        self._log_odds = cache(self._find_log_odds)

    def clean(self, html: str) -> str:
        """Return the text of the blocks that the clean model finds at least as probable."""
        return "\n".join(block for block in blocks_of(html) if self.log_odds(block) >= 0)

    def log_odds(self, text: str) -> float:
        """Return the logarithm of how much more probable the clean model finds a text."""
        return sum(map(self._log_odds, ngrams(symbols(text, is_lexical=self._is_lexical))))

    def _find_log_odds(self, ngram: str) -> float:
        return log(self._probability(ngram, 0) / self._probability(ngram, 1))

    def _probability(self, ngram: str, side: int) -> float:
        """Return how probable the last character is after the others, to the clean (0) or the dirty (1) model."""
        shorter = self._probability(ngram[1:], side) if len(ngram) > 1 else self._alike
        if ngram[:-1] not in self._contexts:
            return shorter
        context = self._contexts[ngram[:-1]]
        met, different = context[side], context[side + 2]
        if not met:
            return shorter
        counted = self._counts[ngram][side] if ngram in self._counts else 0
        return (counted + different * shorter) / (met + different)


def count_ngrams(blocks: Iterable[str], *, is_lexical: bool) -> dict[str, int]:
    """Return how often n-grams of all lengths are met in blocks."""
    longest: dict[str, int] = defaultdict(int)
    for block in blocks:
        for ngram in ngrams(symbols(block, is_lexical=is_lexical)):
            longest[ngram] += 1
    counts: dict[str, int] = defaultdict(int)
    for ngram, number in longest.items():
        for start in range(ORDER):
            counts[ngram[start:]] += number
    return counts
