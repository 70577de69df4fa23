"""Methods from papers, written from their descriptions: ``ttr``, ``ncleaner``, ``ncleaner-nonlexical`` and ``mss``.

Each part opens with its method, and with what was chosen where the paper leaves a choice or where we depart.  The
models of the methods that learn are counts, made by ``python -m training.published``.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from functools import cache, lru_cache
from html import unescape
from itertools import chain
from math import log, sqrt, tanh
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import category

from lxml import etree

from scrapy_justext.core.parsing import parse_html
from scrapy_justext.core.reading.page import read_tree
from scrapy_justext.core.reading.rules import MODERN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from scrapy_justext.evaluation.extractors.base import FeatureCounts

# ``ttr``: the text-to-tag ratio of lines.  Weninger and Hsu, "Text extraction from the web via text-to-tag ratio"
# (2008).
#
# Scripts and comments are stripped and empty lines dropped.  A line's ratio is the number of its ASCII characters
# outside tags, divided by the number of its tags where it has any.  The ratios are smoothed; lines above the standard
# deviation of the smoothed ratios are content.  The deviation is the population's.  A line near an end is smoothed over
# the lines that there are.  White space at the ends of a line does not count; a character reference counts as it is
# written.  A tag over several lines belongs to the line that it starts in; ``<`` that starts no tag is text.  Style
# sheets stay.

#: Lines on each side that a line's ratio is averaged with.
RADIUS = 2

#: A script without its end goes to the end of the page, as it does in a browser; so does a comment.
_STRIPPED = re.compile(r"<script\b.*?(?:</script\s*>|\Z)|<!--.*?(?:-->|\Z)", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[a-z/!?][^<>]*>", re.IGNORECASE)
_LINE_END = re.compile(r"\r\n?|\n")
_NON_ASCII = re.compile(r"[^\x00-\x7f]+")


def content_text(html: str) -> str:
    """Return the text of the lines that are content, those without text left out."""
    lines = split_lines(html)
    if not lines:
        return ""
    smoothed = smooth([ratio for _, ratio in lines], RADIUS)
    # Faster than statistics.pstdev, which computes with fractions.
    mean = fmean(smoothed)
    deviation = sqrt(fmean((ratio - mean) ** 2 for ratio in smoothed))
    return "\n".join(text for (text, _), ratio in zip(lines, smoothed, strict=True) if ratio > deviation and text)


def split_lines(html: str) -> list[tuple[str, float]]:
    r"""Return the text and the ratio of each line that is not empty, scripts and comments stripped.

    >>> split_lines("<p>Caf\u00e9, <b>bars</b>\n\n<br>")
    [('Café, bars', 3.0), ('', 0.0)]
    """
    joined = _TAG.sub(lambda tag: _LINE_END.sub(" ", tag[0]), _STRIPPED.sub("", html))
    measured = []
    for line in filter(None, map(str.strip, _LINE_END.split(joined))):
        outside, tags = _TAG.subn("", line)
        text = " ".join(unescape(_TAG.sub(" ", line)).split())
        measured.append((text, len(_NON_ASCII.sub("", outside)) / max(tags, 1)))
    return measured


def smooth(values: Sequence[float], radius: int) -> list[float]:
    """Return the mean of each value and of those at most ``radius`` away from it.

    >>> smooth([0, 3, 6, 0], 1)
    [1.5, 3.0, 3.0, 3.0]
    """
    return [fmean(values[max(0, line - radius) : line + radius + 1]) for line in range(len(values))]


# ``ncleaner``: character models of clean and of dirty text.  Evert, "A lightweight and efficient tool for cleaning Web
# pages" (2008).
#
# Two models of character n-grams are made: of the segments of pages that people kept, and of those that they deleted.
# A segment is dropped where the dirty model finds it more probable.  The lexical models are those of one language, here
# English.  For ``ncleaner-nonlexical`` every letter becomes ``a`` and every digit ``1`` first: what is left is the
# length of words and the punctuation, in any language.
#
# * Segments are the blocks of this library, not the paragraphs of a text browser's dump, and no rules come before or
#   after the models.
# * The models are made of the blocks of labelled pages: those of which the gold text has at least half the words are
#   clean.  n-grams that were met less than :data:`LEAST_NGRAMS` times are left out.
# * The probability of a character after those before it is smoothed by Witten and Bell's interpolation: it is what was
#   counted after these characters, and what the next shorter context says, as often as different characters were met
#   there.  Below the shortest context all characters are alike.
# * A segment has a beginning and an end, which are characters, too.  Letters beyond ASCII are one letter to the lexical
#   models; digits of any script are ``1`` there; quotes and dashes of typographers count as those of ASCII, other
#   characters as ``#``.

NCLEANER, NCLEANER_NONLEXICAL = "ncleaner", "ncleaner-nonlexical"
#: Characters of the longest n-grams.
ORDER = 3
#: n-grams that were met less often in training are left out.
LEAST_NGRAMS = 10

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


def count_ngrams(blocks: Iterable[str], *, is_lexical: bool) -> Counter[str]:
    """Return how often n-grams of all lengths are met in blocks."""
    counts: Counter[str] = Counter()
    longest = Counter(ngram for block in blocks for ngram in ngrams(symbols(block, is_lexical=is_lexical)))
    for ngram, number in longest.items():
        for start in range(ORDER):
            counts[ngram[start:]] += number
    return counts


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
        self._log_odds = cache(lambda ngram: log(self._probability(ngram, 0) / self._probability(ngram, 1)))

    def clean(self, html: str) -> str:
        """Return the text of the blocks that the clean model finds at least as probable."""
        return "\n".join(block for block in blocks_of(html) if self.log_odds(block) >= 0)

    def log_odds(self, text: str) -> float:
        """Return the logarithm of how much more probable the clean model finds a text."""
        return sum(map(self._log_odds, ngrams(symbols(text, is_lexical=self._is_lexical))))

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


# ``mss``: the stretch of a page whose tokens look most like those of articles.  Pasternack and Roth, "Extracting
# article text from the web with maximum subsequence segmentation" (2009), their supervised method.
#
# A page is a sequence of tags and stemmed words.  Naive Bayes says how probable it is that a token belongs to the
# article, from two features: the token with the two after it (a trigram), and the most recent tag that is not closed
# yet.  A token's score is this probability less one half.  The article is the stretch of tokens with the greatest sum
# of scores, which one pass finds; markup is then left out of it.
#
# * Tokens are those of the parsed page, so every tag is closed and the most recent open one is the element that a token
#   stands in; attributes are no part of tags.  Elements whose text nobody sees are left out, from BODY's start on.
# * Words are lower-cased runs of letters and digits, those with a digit are ``1``, and punctuation is no token.
#   Stemming cuts the commonest English endings, in the place of Porter's algorithm.
# * Classes are as frequent, and features as probable, as they were counted in training, with one added to each count
#   (Laplace).  A trigram that was met less than :data:`LEAST_TRIGRAMS` times tells nothing.
# * The stretch of an article in training is that of a labelled page which has the most words of the gold text and the
#   fewest others.
# * The source's rules, which remove forms and lists of links out of the stretch, are not applied.

MSS = "mss"
#: Trigrams that were met less often in training are left out.
LEAST_TRIGRAMS = 20

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
    root = root if body is None else body
    tokens: list[PageToken] = []
    inside = ["html"]
    unseen = 0
    for event, element in etree.iterwalk(root, events=("start", "end", "comment", "pi")):
        text = element.text if event == "start" else element.tail if element is not root else None
        border = "\n" if element.tag in MODERN.block_level or element.tag == "br" else ""
        if event == "start":
            unseen += element.tag in _WITHOUT_TEXT
            if not unseen:
                tokens.append(PageToken(f"<{element.tag}>", inside[-1], border))
            inside.append(str(element.tag))
        elif event == "end":
            inside.pop()
            if not unseen:
                tokens.append(PageToken(f"</{element.tag}>", inside[-1], border))
            unseen -= element.tag in _WITHOUT_TEXT
        if text and not unseen:
            tokens += [PageToken(_stem(match[1]), inside[-1], match[0]) for match in _WORD.finditer(text)]
    return tokens


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
        return "\n".join(filter(None, (" ".join(line.split()) for line in text.split("\n"))))

    def scores(self, tokens: Sequence[PageToken]) -> Iterator[float]:
        """Yield how much more probable than one half it is that a token belongs to the article; from -0.5 to 0.5."""
        known = self._log_odds
        for trigram, inside in features_of(tokens):
            # The logistic function of the log-odds, less one half.
            yield (tanh((self._prior + known.get(trigram, 0.0) + known.get(inside, 0.0)) / 2) / 2)
