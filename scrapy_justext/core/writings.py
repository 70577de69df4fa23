"""Languages that white space does not cut into words: their scripts, and what a character of them says.

Where there are no words to count, the function words of the stoplist (characters and short strings) are
counted by greedy longest match over the text; the stop-word density is the share of the characters that
they cover.  Lengths are in characters as everywhere, but a Chinese character says more than a Latin
letter, so that these languages have thresholds of their own.  ``benchmarks/calibration.py`` derives them from
running text, boilerplate and parallel texts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from scrapy_justext.core.blocks import Figures, maker
from scrapy_justext.core.context_free import NOTHING
from scrapy_justext.core.coverage import covered_characters

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scrapy_justext.core.blocks import Segment

HAN = r"\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
KANA = r"\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\uff66-\uff9f"


@dataclass(frozen=True)
class Writing:
    """A way of writing without spaces.

    ``code``: of the language that is mostly written so; ``characters``: a regular expression's set of them;
    ``characters_per_word``: the mean, to estimate how many words a text has; ``thresholds``: those that
    differ from a profile's.
    """

    code: str
    characters: str
    characters_per_word: float
    thresholds: Mapping[str, float]


def _writing(
    code: str, characters: str, per_word: float, *, length: tuple[int, int], stopwords: tuple[float, float]
) -> Writing:
    names = ("length_low", "length_high", "stopwords_low", "stopwords_high")
    return Writing(code, characters, per_word, dict(zip(names, (*length, *stopwords), strict=True)))


CHINESE = _writing("zh", HAN, 1.5, length=(20, 55), stopwords=(0.14, 0.16))
JAPANESE = _writing("ja", HAN + KANA, 2.4, length=(30, 85), stopwords=(0.16, 0.21))
WRITINGS = (
    CHINESE,
    JAPANESE,
    _writing("th", r"\u0e01-\u0e3a\u0e40-\u0e4e", 4.1, length=(50, 150), stopwords=(0.24, 0.28)),
    _writing("lo", r"\u0e81-\u0ece\u0edc-\u0edf", 4.6, length=(60, 165), stopwords=(0.23, 0.24)),
    _writing("km", r"\u1780-\u17d3\u17dc\u17dd", 5.3, length=(70, 195), stopwords=(0.13, 0.16)),
    _writing("my", r"\u1000-\u103f\u104c-\u108f", 7.1, length=(90, 255), stopwords=(0.22, 0.25)),
    _writing("bo", r"\u0f00\u0f0b\u0f0c\u0f35-\u0f39\u0f40-\u0fbc", 6.5, length=(80, 235), stopwords=(0.22, 0.26)),
)

#: The share of the letters from which a text counts as written without spaces.  A third of the letters is more
#: than a third of the words.
SHARE = 1 / 3

#: The share of kana among Han characters and kana from which a text is Japanese, not Chinese.
KANA_SHARE = 0.1


def writing_of(text: str, *, kana_share: float = KANA_SHARE) -> Writing | None:
    """The writing of a text; None where most of it has spaces.

    >>> [one and one.code for one in map(writing_of, ["春眠不覺曉", "春はあけぼの", "spring", "ฤดูร้อน"])]
    ['zh', 'ja', None, 'th']
    """
    if not _pattern("".join(one.characters for one in WRITINGS)).search(text):
        return None
    counts = {one.code: _count(one.characters, text) for one in WRITINGS}
    best = max(WRITINGS, key=lambda one: counts[one.code])
    letters = sum(map(str.isalpha, text))
    if counts[best.code] < SHARE * letters:
        return None
    if best in (CHINESE, JAPANESE):
        return JAPANESE if _count(KANA, text) >= kana_share * counts["ja"] else CHINESE
    return best


@lru_cache(maxsize=256)
def writing_of_words(stoplist: frozenset[str]) -> Writing | None:
    """The writing that a stoplist is made for."""
    return writing_of("".join(sorted(stoplist)))


def measure_unspaced(segments: Sequence[Segment], stoplist: frozenset[str], writing: Writing) -> list[Figures]:
    """The figures of each segment of a page in a language without spaces."""
    # None of these scripts has cases; a list may hold a word of one that does.
    has_case = any(word != word.upper() for word in stoplist)
    texts = [_comparable(segment.collapsed, has_case=has_case) for segment in segments]
    covered = covered_characters(texts, stoplist)
    rows: list[tuple[int, int, int, float, float]] = []
    for segment, text, stopwords in zip(segments, texts, covered, strict=True):
        characters = len(segment.collapsed)
        if not text:
            rows.append(NOTHING._replace(characters=characters))
            continue
        words = estimate_words(text, writing)
        density = segment.link_characters / characters
        rows.append((characters, words, round(density * words), density, stopwords / len(text)))
    return list(map(maker(Figures), rows))


def _comparable(text: str, *, has_case: bool) -> str:
    """The text as stop words are looked for in it."""
    for typed, meant in _SPELLINGS:
        text = text.replace(typed, meant)
    return text.lower() if has_case else text


#: What stoplists have not, and what stands there for it: the zero-width space, which Khmer, Burmese and Thai pages put
#: where a line may break, and two Burmese marks that many type in the other order than Unicode's canonical one.
_SPELLINGS = (("\u200b", ""), ("\u103a\u1037", "\u1037\u103a"))


def estimate_words(text: str, writing: Writing) -> int:
    """Words in ASCII by white space and punctuation, all else by the characters; at least 1.

    >>> estimate_words("我们在Python里写程序。", CHINESE)
    6
    """
    if text.isascii():
        return max(len(text.split()), 1)
    words = _ASCII_WORD.findall(text)
    return max(round((len(text) - sum(map(len, words))) / writing.characters_per_word) + len(words), 1)


_ASCII_WORD = re.compile("[A-Za-z0-9]+")


def _count(characters: str, text: str) -> int:
    return sum(map(len, _pattern(characters).findall(text)))


@lru_cache
def _pattern(characters: str) -> re.Pattern[str]:
    return re.compile(f"[{characters}]+")
