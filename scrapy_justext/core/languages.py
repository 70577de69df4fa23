"""Which language a page is in; what languages are called is in :mod:`scrapy_justext.core.language_table`.

``auto`` looks at two things: the text of the page's longest blocks, of which ``py3langid`` says how probable
each language is, and the language that the page declares, which is evidence but often wrong.  A declared
language wins over one that is at most ``DECLARED_WEIGHT`` times as probable by the text: enough to tell
Bosnian from Croatian by what the page says, too little to take German for English.  Languages that are written
without spaces are told by their scripts alone.

A page in a language that has no stoplist, and one without text to tell, is judged without stop words
(``fallback``): by length and links alone, which is jusText's own language-independent mode.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.core.unsegmented import JAPANESE, KANA_SHARE, script_of, script_of_words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from py3langid.langid import LanguageIdentifier

#: How much more probable than a declared language another one must be by the text to be chosen over it.
DECLARED_WEIGHT = 10

#: A language without a stoplist is believed from this probability on; below it, the most probable of those
#: with one is taken.
SURE = 0.5

#: Stop-word density of a declared language's list, for languages that the detector does not know.
DECLARED_DENSITY = 0.3

#: ISO 639-2's code for an undetermined language.
UNDETERMINED = "und"


@dataclass(frozen=True, slots=True, order=True)
class Language:
    """A language: English name, ISO 639 codes (the first is the one that results carry)."""

    name: str
    codes: tuple[str, ...]

    @property
    def code(self) -> str:
        """The code that results carry."""
        return self.codes[0]


class LanguageChoice(NamedTuple):
    """The language of a page and why.

    ``language``: None when the page is judged without stop words; ``code``: what results carry;
    ``source``: ``given``, ``detected``, ``declared`` or ``fallback``; ``reason``: in words.
    """

    language: Language | None
    code: str
    source: str
    reason: str


class Lists(NamedTuple):
    """The stoplists at hand, as far as choosing needs them."""

    find: Callable[[str], Language | None]
    words: Callable[[Language], frozenset[str]]


OWN_STOPLIST = LanguageChoice(None, UNDETERMINED, "given", "a stoplist was given, no language")


def given(language: Language, reason: str = "given") -> LanguageChoice:
    """Return the choice of a language that was not left to the page."""
    return LanguageChoice(language, language.code, "given", reason)


def normalise(name: str) -> str:
    """Return a name or code as it is compared: letters and digits only, no accents, no case.

    >>> normalise("Norwegian Bokmål"), normalise("pt_BR")
    ('norwegianbokmal', 'ptbr')
    """
    decomposed = unicodedata.normalize("NFKD", name).casefold()
    return "".join(character for character in decomposed if character.isalnum())


def declared_tags(values: Sequence[str]) -> list[str]:
    """Return the language tags in the values of ``lang`` attributes and ``Content-Language`` headers.

    >>> declared_tags(["en-GB", "de, fr"])
    ['en-GB', 'de', 'fr']
    """
    return [tag for value in values for tag in re.split(r"[\s,;]+", value) if tag]


def choose_language(sample: str, declared: Sequence[str], lists: Lists) -> LanguageChoice:
    """Choose the language of a page among all.

    ``sample``: text of its longest blocks; ``declared``: the language tags that it claims.
    """
    claims = [claim for tag in declared if (claim := lists.find(tag))]
    if not sample:
        return _choose_without_text(claims)
    unspaced = _unspaced(sample, claims)
    if unspaced is not None and (language := lists.find(unspaced)) is not None:
        return LanguageChoice(language, language.code, "detected", _WRITTEN_SO)
    probabilities = detect(sample)
    for claim in claims:
        is_known = not probabilities.keys().isdisjoint(claim.codes)
        if not is_known and _density(claim, sample, lists) >= DECLARED_DENSITY:
            return LanguageChoice(claim, claim.code, "declared", "declared, and its stop words fit")
    best = _most_probable(probabilities, claims)
    if probabilities[best] < SURE and lists.find(best) is None:
        listed = {code: share for code, share in probabilities.items() if lists.find(code)}
        best = _most_probable(listed, claims)
    return _choice(best, probabilities, claims, lists)


def _choice(best: str, probabilities: Mapping[str, float], claims: Sequence[Language], lists: Lists) -> LanguageChoice:
    language = lists.find(best)
    reason = f"probability {probabilities[best]:.2f}"
    if language is None:
        return LanguageChoice(None, best, "fallback", f"no stoplist for {best}, {reason}")
    if language in claims and probabilities[best] < max(probabilities.values()):
        return LanguageChoice(language, language.code, "declared", f"declared, {reason}")
    return LanguageChoice(language, language.code, "detected", reason)


def choose_among(candidates: Sequence[Language], sample: str, declared: Sequence[str], lists: Lists) -> LanguageChoice:
    """Choose the language of a page among some.

    Where the detector does not know one of them, it is the one whose stoplist covers most of the text.
    """
    claims = [claim for tag in declared if (claim := lists.find(tag)) and claim in candidates]
    if not sample:
        choice = _choose_without_text(claims)
        return choice if claims else given(candidates[0], "the first of those given; no text to tell")
    unspaced = _unspaced(sample, claims)
    for candidate in candidates:
        if unspaced in candidate.codes:
            return LanguageChoice(candidate, candidate.code, "detected", _WRITTEN_SO)
    scores = _candidate_scores(candidates, sample, lists)
    weighed = {c: scores[c] * (DECLARED_WEIGHT if c in claims else 1) for c in candidates}
    best = max(candidates, key=weighed.__getitem__)
    top = max(candidates, key=scores.__getitem__)
    if best != top:
        return LanguageChoice(best, best.code, "declared", f"declared; {top.code} is as probable")
    return LanguageChoice(best, best.code, "detected", "the most probable of those given")


_WRITTEN_SO = "it is written in its script"


def _unspaced(sample: str, claims: Sequence[Language]) -> str | None:
    """Return the code of the language without spaces that a text is written in; None for one with spaces.

    Their scripts tell them, and the detector does not know all of them.
    """
    japanese = any(JAPANESE.code in claim.codes for claim in claims)
    script = script_of(sample, kana_share=KANA_SHARE / DECLARED_WEIGHT if japanese else KANA_SHARE)
    return None if script is None else script.code


def _choose_without_text(claims: Sequence[Language]) -> LanguageChoice:
    if claims:
        return LanguageChoice(claims[0], claims[0].code, "declared", "declared; no text to tell")
    return LanguageChoice(None, UNDETERMINED, "fallback", "no text to tell, nothing declared")


def _most_probable(probabilities: Mapping[str, float], claims: Sequence[Language]) -> str:
    """Return the most probable code; those of declared languages count more."""
    claimed = {code for claim in claims for code in claim.codes}

    def weighed(code: str) -> float:
        return probabilities[code] * (DECLARED_WEIGHT if code in claimed else 1)

    return max(probabilities, key=weighed)


def _candidate_scores(candidates: Sequence[Language], sample: str, lists: Lists) -> dict[Language, float]:
    probabilities = detect(sample)
    if all(probabilities.keys() & set(candidate.codes) for candidate in candidates):
        return {candidate: sum(probabilities.get(code, 0.0) for code in candidate.codes) for candidate in candidates}
    return {candidate: _density(candidate, sample, lists) for candidate in candidates}


def _density(language: Language, sample: str, lists: Lists) -> float:
    stoplist = lists.words(language)
    if script_of_words(stoplist) is not None:
        return 0.0
    words = sample.lower().split()
    return sum(map(stoplist.__contains__, words)) / max(len(words), 1)


def detect(sample: str) -> dict[str, float]:
    """Return the probability of each language that the detector knows, by code; they sum to 1."""
    return dict(_detector().rank(sample))


@lru_cache(maxsize=1)
def _detector() -> LanguageIdentifier:
    # The model takes 0.65 s and 130 MB to load: not before a page needs it.
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # noqa: PLC0415

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
