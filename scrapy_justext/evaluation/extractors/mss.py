"""The stretch of a page whose tokens look most like those of articles: ``mss``.

Source: Pasternack and Roth, "Extracting article text from the web with maximum subsequence segmentation" (2009), their
supervised method.  A page is a sequence of tags and stemmed words.  Naive Bayes says how probable it is that a token
belongs to the article, from two features: the token with the two after it (a trigram), and the most recent tag that is
not closed yet.  A token's score is this probability less one half.  The article is the stretch of tokens with the
greatest sum of scores, which one pass finds; markup is then left out of it.

Where the source leaves a choice, or we depart:

* tokens are those of the parsed page, so every tag is closed and the most recent open one is the element that a token
  stands in; attributes are no part of tags.  Elements whose text nobody sees are left out, from BODY's start on;
* words are lower-cased runs of letters and digits, those with a digit are ``1``, and punctuation is no token.  Stemming
  cuts the commonest English endings, in the place of Porter's algorithm;
* classes are as frequent, and features as probable, as they were counted in training, with one added to each count
  (Laplace).  A trigram that was met less than :data:`LEAST` times tells nothing: it is equally probable in both;
* the stretch of an article in training is that of a labelled page which has the most words of the gold text and the
  fewest others (``python -m training.published``);
* the source's rules, which remove forms and lists of links out of the stretch, are not applied.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from itertools import chain
from math import log, tanh
from typing import TYPE_CHECKING, NamedTuple

from lxml import etree

from scrapy_justext.core.parsing import parse_html
from scrapy_justext.core.reading.rules import MODERN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from scrapy_justext.evaluation.extractors.base import FeatureCounts

NAME = "mss"
#: Trigrams that were met less often in training are left out.
LEAST = 20

_WITHOUT_TEXT = frozenset(
    ["head", "script", "style", "noscript", "template", "iframe", "object", "svg", "math", "select", "textarea"]
)
#: A word, and what is no word behind it and before the first of a text.
_WORD = re.compile(r"(?:\A\W+)?(\w+)\W*")
_ENDING = re.compile(r"(?<=[a-z]{3})(?:ingly|edly|ing|ed|ly|es|s|e|y)\Z")
_DIGIT = re.compile(r"\d")


class PageToken(NamedTuple):
    """A tag or a word of a page."""

    form: str
    """A tag as ``<p>`` or ``</p>``, or a stemmed word."""
    inside: str
    """The name of the most recent tag that is not closed."""
    text: str
    """A word as it is, with the signs around it; a line feed for a tag that begins or ends a block."""


def tokens_of(html: str) -> list[PageToken]:
    """Return the tokens of a page.

    >>> [token.form for token in tokens_of("<body><p>Walking in <b>1984</b>!")]
    ['<body>', '<p>', 'walk', 'in', '<b>', '1', '</b>', '</p>', '</body>']
    """
    root = parse_html(html).root
    if root is None:
        return []
    body = root.find("body")
    return list(_tokens(root if body is None else body))


def _tokens(root: etree._Element) -> Iterator[PageToken]:
    inside = ["html"]
    unseen = 0
    for event, element in etree.iterwalk(root, events=("start", "end", "comment", "pi")):
        text = element.text if event == "start" else element.tail if element is not root else None
        border = "\n" if element.tag in MODERN.block_level or element.tag == "br" else ""
        if event == "start":
            unseen += element.tag in _WITHOUT_TEXT
            if not unseen:
                yield PageToken(f"<{element.tag}>", inside[-1], border)
            inside.append(str(element.tag))
        elif event == "end":
            inside.pop()
            if not unseen:
                yield PageToken(f"</{element.tag}>", inside[-1], border)
            unseen -= element.tag in _WITHOUT_TEXT
        if text and not unseen:
            yield from (PageToken(_stem(match[1]), inside[-1], match[0]) for match in _WORD.finditer(text))


@lru_cache(maxsize=65536)
def _stem(word: str) -> str:
    """Return what stands for a word.

    >>> [_stem(word) for word in ("Walking", "walked", "the", "B2B")]
    ['walk', 'walk', 'the', '1']
    """
    return "1" if _DIGIT.search(word) else _ENDING.sub("", word.lower())


def features_of(tokens: Sequence[PageToken]) -> Iterator[tuple[str, str]]:
    """Yield the two features of each token: the trigram that it begins, and the tag that is open.

    >>> list(features_of(tokens_of("<p>Good night")[1:4]))
    [('<p> good night', 'body'), ('good night ', 'p'), ('night  ', 'p')]
    """
    forms = [token.form for token in tokens] + ["", ""]
    trigrams = map(" ".join, zip(forms, forms[1:], forms[2:], strict=False))
    return zip(trigrams, (token.inside for token in tokens), strict=True)


def count_features(tokens: Sequence[PageToken], article: slice) -> tuple[Counter[str], Counter[str]]:
    """Return how often features are met in the article and outside of it; ``""`` counts the tokens."""
    features = list(features_of(tokens))
    sides = features[article], features[: article.start] + features[article.stop :]
    first, second = (Counter(chain(("" for _ in side), chain.from_iterable(side))) for side in sides)
    return first, second


def best_stretch(scores: Iterable[float]) -> slice:
    """Return the first of the stretches with the greatest sum; an empty one where no score is above 0.

    >>> best_stretch([-1, 2, -1, 3, -5, 3])
    slice(1, 4, None)
    """
    best, most = slice(0, 0), 0.0
    start, total = 0, 0.0
    for index, score in enumerate(scores, 1):
        total += score
        if total <= 0:
            start, total = index, 0.0
        elif total > most:
            best, most = slice(start, index), total
    return best


class TokenBayes:
    """The classifier of tokens.  ``counts``: how often features were met in articles and outside of them."""

    def __init__(self, counts: FeatureCounts) -> None:
        totals = counts[""]
        self._prior = log(totals[0] / totals[1])
        trigrams = sum(" " in feature for feature in counts)
        different = {True: trigrams, False: len(counts) - trigrams - 1}
        self._log_odds = {
            feature: log((numbers[0] + 1) / (totals[0] + different[" " in feature]))
            - log((numbers[1] + 1) / (totals[1] + different[" " in feature]))
            for feature, numbers in counts.items()
            if feature
        }

    def extract(self, html: str) -> str:
        """Return the text of a page's article."""
        tokens = tokens_of(html)
        text = "".join(token.text for token in tokens[best_stretch(self.scores(tokens))])
        lines = (" ".join(line.split()) for line in text.split("\n"))
        return "\n".join(line for line in lines if line)

    def scores(self, tokens: Sequence[PageToken]) -> Iterator[float]:
        """Yield how much more probable than one half it is that a token belongs to the article; from -0.5 to 0.5."""
        known = self._log_odds
        for trigram, inside in features_of(tokens):
            # The logistic function of the log-odds, less one half.
            yield tanh((self._prior + known.get(trigram, 0.0) + known.get(inside, 0.0)) / 2) / 2
