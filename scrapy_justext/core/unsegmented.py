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
from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.core.blocks import Measurements

if TYPE_CHECKING:
    from collections.abc import Iterable

    import cython

    from scrapy_justext.core.blocks import BlockTable

HAN = r"\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
KANA = r"\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\uff66-\uff9f"
#: Spellings of pages, with the spellings of stoplists: the zero-width space, which Khmer, Burmese and Thai pages put
#: where a line may break, and two Burmese marks that many people type in another order than Unicode's canonical one.
_SPELLINGS = (("\u200b", ""), ("\u103a\u1037", "\u1037\u103a"))
_ASCII_WORD = re.compile("[A-Za-z0-9]+")


def covered_characters(texts: Iterable[str], words: frozenset[str]) -> list[int]:
    """Count for each of the texts how many of its characters the words cover.

    >>> covered_characters(["to be or not to be", "into", ""], frozenset({"to", "not to", "o"}))
    [9, 2, 0]
    """
    lengths = lengths_by_first(words)
    return [_count_covered(text, words, lengths) for text in texts]


@lru_cache(maxsize=64)
def lengths_by_first(words: frozenset[str]) -> dict[str, list[int]]:
    """Return the lengths of the words that begin with each character, the longest first."""
    lengths: defaultdict[str, set[int]] = defaultdict(set)
    for word in words:
        lengths[word[:1]].add(len(word))
    return {first: sorted(of_words, reverse=True) for first, of_words in lengths.items()}


def _count_covered(text: str, words: frozenset[str], lengths: dict[str, list[int]]) -> int:
    i: cython.Py_ssize_t = 0
    covered: cython.Py_ssize_t = 0
    length: cython.Py_ssize_t
    while i < len(text):
        for length in lengths.get(text[i], ()):
            # At the end of the text, a part of it that is shorter.
            if (part := text[i : i + length]) in words:
                covered += len(part)
                i += len(part)
                break
        else:
            i += 1
    return covered


class Script(NamedTuple):
    """A script with thresholds of its own."""

    code: str
    """Code of the language that is mostly written in it."""
    characters: str
    """Its characters, as in a set of a regular expression."""
    characters_per_word: float
    """The mean; where there are no spaces, it estimates how many words a text has."""
    length: tuple[int, int]
    """``length_low`` and ``length_high``."""
    stopwords: tuple[float, float]
    """``stopwords_low`` and ``stopwords_high``."""
    has_spaces: bool = False
    """Whether spaces part its words, so that they are counted as in most scripts."""

    @property
    def thresholds(self) -> dict[str, float]:
        """Return its own thresholds by their names."""
        names = ("length_low", "length_high", "stopwords_low", "stopwords_high")
        return dict(zip(names, (*self.length, *self.stopwords), strict=True))


CHINESE = Script("zh", HAN, 1.5, length=(15, 25), stopwords=(0.1, 0.12))
JAPANESE = Script("ja", HAN + KANA, 2.4, length=(25, 40), stopwords=(0.1, 0.14))
SCRIPTS = (
    CHINESE,
    JAPANESE,
    Script("th", r"\u0e01-\u0e3a\u0e40-\u0e4e", 4.1, length=(50, 150), stopwords=(0.21, 0.23)),
    Script("lo", r"\u0e81-\u0ece\u0edc-\u0edf", 4.6, length=(60, 165), stopwords=(0.22, 0.23)),
    Script("km", r"\u1780-\u17d3\u17dc\u17dd", 5.3, length=(70, 195), stopwords=(0.1, 0.12)),
    Script("my", r"\u1000-\u103f\u104c-\u108f", 7.1, length=(90, 255), stopwords=(0.18, 0.21)),
    Script("bo", r"\u0f00\u0f0b\u0f0c\u0f35-\u0f39\u0f40-\u0fbc", 6.5, length=(80, 235), stopwords=(0.18, 0.21)),
)
KOREAN = Script("ko", r"\uac00-\ud7a3", 2.8, length=(35, 100), stopwords=(0.2, 0.25), has_spaces=True)

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
    for typed, meant in _SPELLINGS:
        prose = [text.replace(typed, meant) for text in prose]
    texts = [text.lower() for text in prose] if has_case else prose
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


def estimate_words(text: str, script: Script) -> int:
    """Estimate how many words a text has: in ASCII by white space and punctuation, else by characters; at least 1.

    >>> estimate_words("我们在Python里写程序。", CHINESE)
    6
    """
    if text.isascii():
        return max(len(text.split()), 1)
    words = _ASCII_WORD.findall(text)
    return max(round((len(text) - sum(map(len, words))) / script.characters_per_word) + len(words), 1)


def _count(characters: str, text: str) -> int:
    return sum(map(len, _pattern(characters).findall(text)))


@lru_cache
def _pattern(characters: str) -> re.Pattern[str]:
    return re.compile(f"[{characters}]+")


#: Code points from, to (inclusive), and the units of a character there: about as many as the characters of English that
#: say the same.
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
#: The bytes with which these characters, and a few others, begin in UTF-8.
_FIRST_BYTES = bytes([0xE0, 0xE1, *range(0xE3, 0xEE), 0xEF])

_SETS = {
    value: "".join(f"{chr(start)}-{chr(end)}" for start, end, units in UNITS if units == value)
    for value in {units for _, _, units in UNITS} - {1.0}
}


def units(text: str) -> int:
    """Return the length of a text in units.

    >>> units("copper"), units("銅壺")
    (6, 6)
    """
    if text.isascii():
        return len(text)
    # Most texts that are not ASCII have dashes or accents: bytes show that in a fifth of the time.
    encoded = text.encode(errors="replace")
    if len(encoded.translate(None, _FIRST_BYTES)) == len(encoded):
        return len(text)
    return round(len(text) + sum((value - 1) * _count(characters, text) for value, characters in _SETS.items()))
