"""Choose the language of a page; names and codes are in :mod:`scrapy_justext.core.language_table`.

``auto`` looks at two things: how the page's longest blocks begin, for which ``py3langid`` returns the
probability of each language, and the language that the page declares, which is often wrong.  A declared
language wins over one that is at most ``DECLARED_WEIGHT`` times as probable by the text.  That is enough to
tell Bosnian from Croatian by the declaration, but too little to take German for English.  Languages that are
written without spaces are recognised by their scripts alone.

The detector is not asked, and its model not loaded, if the text holds more stop words of the declared language than
texts in other languages do (``CONFIRMED_FROM``).

The detector finds one of its languages in any text.  So a language is impossible if the letters are of other scripts,
and improbable below ``IMPROBABLE``.  Names and code are written in Latin letters everywhere.  So Latin letters are no
evidence against a language in another script, and a few of them are no evidence for a language that is written in them.

A text that was read in a wrong encoding says nothing of its language: Chinese becomes accents without letters, which
looks most like Ligurian.  There the page's declaration decides, if it has one.

A page is judged without stop words (``fallback``) if its language has no stoplist, if no language is possible and
probable, or if it has neither text nor a declared language.  Then length and links alone decide, which is jusText's own
language-independent mode.  The user may choose this mode for all pages; their languages are reported all the same.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from contextlib import suppress
from functools import lru_cache
from importlib.metadata import version
from itertools import filterfalse, islice, pairwise
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from platformdirs import user_cache_path

from scrapy_justext.core.language_table import CONFIRMED_FROM, SCRIPTS_OF, Language
from scrapy_justext.core.unsegmented import JAPANESE, KANA_SHARE, MOST_UNITS, script_of, script_of_words, units

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from py3langid.langid import LanguageIdentifier

    from scrapy_justext.core.stoplists import StoplistLibrary

#: Characters of the longest blocks that the language is detected on, and how many blocks at the most.  The longest are
#: those with the most units: an abstract in English has more characters than each Chinese paragraph below it.
SAMPLE_CHARACTERS = 600
SAMPLE_BLOCKS = 5

#: A language is chosen over a declared one only if the text makes it more than so many times as probable.
DECLARED_WEIGHT = 10

#: A page may be in a language without a stoplist from this probability on; below it, the most probable language
#: with a stoplist is chosen.
SURE = 0.5

#: The share of Latin letters from which a text may be in a language that is written in them.
LATIN_SHARE = 1 / 3

#: No language is chosen below this probability, to which a declaration adds its weight.
IMPROBABLE = 0.05

#: Shorter samples do not confirm a declared language: by chance, a few words may all be stop words of two languages.
CONFIRMING_CHARACTERS = 300

#: A declared language that the detector does not know is chosen from this stop-word density on.
DECLARED_DENSITY = 0.3

#: Language tags of a page that are read; those behind them are not.
MOST_TAGS = 64

#: ISO 639-2's code for an undetermined language.
UNDETERMINED = "und"
#: The ``language`` with which stop words do not count.
NONE = "none"
#: Bytes of UTF-8 for a character of a text in Latin letters, at the most.
_MOST_IN_LATIN = 1.5
_ENGLISH = "en"
_LATIN = "LATIN"
_LATIN_ALONE = frozenset({_LATIN})
#: What the model consists of: attributes of the detector, in the order of its arguments.
_MODEL = ("nb_ptc", "nb_pc", "nb_classes", "tk_nextmove", "tk_output", "tk_row")


class LanguageChoice(NamedTuple):
    """The language of a page and why.

    ``language``: None when it has no stop words; ``code``: what results carry;
    ``source``: ``given``, ``detected``, ``declared`` or ``fallback``; ``reason``: in words.
    """

    language: Language | None
    code: str
    source: str
    reason: str


def choice_of(language: Language, source: str, reason: str) -> LanguageChoice:
    """Return the choice of a language that has stop words."""
    return LanguageChoice(language, language.code, source, reason)


def on_purpose(choice: LanguageChoice, how: str) -> LanguageChoice:
    """Return the choice for a page that the user wants judged without its language's stop words: no fallback.

    >>> on_purpose(LanguageChoice(None, "ceb", "fallback", "no stoplist for ceb"), "judged by own stop words")[2:]
    ('detected', 'judged by own stop words; no stoplist for ceb')
    """
    unlisted = "given" if choice.code == UNDETERMINED else "detected"
    source = unlisted if choice.source == "fallback" else choice.source
    return choice._replace(source=source, reason=f"{how}; {choice.reason}")


def declared_tags(values: Sequence[str]) -> list[str]:
    """Return the language tags in the values of ``lang`` attributes and ``Content-Language`` headers.

    >>> declared_tags(["en-GB", "de, fr"])
    ['en-GB', 'de', 'fr']
    """
    tags = (match[0] for value in values for match in re.finditer(r"[^\s,;]+", value))
    return list(dict.fromkeys(islice(tags, MOST_TAGS)))


def choose_language(
    texts: Iterable[str], declared: Sequence[str], library: StoplistLibrary, candidates: Sequence[Language] | None
) -> LanguageChoice:
    """Choose the language of a page by its blocks' texts and the tags it declares; ``candidates``: None for all."""
    sample = _sample(list(texts))
    claims = [claim for tag in declared if (claim := library.find(tag))]
    if candidates is not None:
        claims = [claim for claim in claims if claim in candidates]
    if not any(map(str.isalpha, sample)):
        return _choose_without_text(claims, candidates, "no text to tell")
    if is_garbled(sample):
        return _choose_without_text(claims, candidates, "a text read in a wrong encoding")
    of_script = _unspaced(sample, claims, library)
    if of_script is not None and (candidates is None or of_script in candidates):
        return choice_of(of_script, "detected", "it is written in its script")
    confirmed = _confirmed(claims, sample, library)
    if confirmed is not None:
        return confirmed
    if candidates is None:
        return _choose_among_all(sample, claims, library)
    return _choose_among(candidates, sample, claims, library)


def _choose_without_text(claims: Sequence[Language], candidates: Sequence[Language] | None, why: str) -> LanguageChoice:
    if claims:
        return choice_of(claims[0], "declared", f"declared; {why}")
    if candidates:
        return choice_of(candidates[0], "given", f"the first of those given; {why}")
    return LanguageChoice(None, UNDETERMINED, "fallback", f"{why}, nothing declared")


#: The share of letters that a wrong encoding makes, from which on a text was read in a wrong encoding.
GARBLED = 1 / 3
_LOST = "\ufffd"
_ACCENTED = re.compile("[\xaa\xb5\xba\xc0-\xd6\xd8-\xf6\xf8-\u02ff]")
_PLAIN = re.compile("[a-zA-Z]")
_NO_LETTERS = bytes(code for code in range(128) if not chr(code).isalpha())
_BEYOND_ASCII = re.compile(r"[^\W\d_a-zA-Z]+")


def is_garbled(text: str) -> bool:
    """Return whether a text was read in a wrong encoding.

    Then many letters are lost, or more are accented than plain, or many words have a capital behind a small letter.

    >>> is_garbled("我们爱读书"), is_garbled("我们爱读书".encode("gb18030").decode("latin-1"))
    (False, True)
    """
    in_ascii = text.encode("ascii", "ignore")
    if len(text) - len(in_ascii) < GARBLED * len(in_ascii.translate(None, _NO_LETTERS)):
        # Nothing beyond ASCII is enough, whatever it is.
        return False
    accented, lost = len(_ACCENTED.findall(text)), text.count(_LOST)
    mixed = sum(len(word) for word in _BEYOND_ASCII.findall(text) if _mixes_cases(word))
    if accented <= len(_PLAIN.findall(text)):
        accented = 0
    return max(accented, lost, mixed) >= GARBLED * (sum(map(str.isalpha, text)) + lost)


def _mixes_cases(word: str) -> bool:
    return any(before.islower() and letter.isupper() for before, letter in pairwise(word))


def _sample(texts: Sequence[str]) -> str:
    """Return how the texts begin that say most, of each the same share.

    The longest alone may be in another language: an imprint, a licence, a text by Cicero.  To the detector, a few Greek
    words make an English text Greek, so the texts are all in Latin letters, or all in others: what more is said in.
    """
    by_script: list[list[str]] = [[], []]
    for text in _heaviest(texts):
        by_script[len(text.encode("utf-8", "replace")) > _MOST_IN_LATIN * len(text)].append(text)
    chosen = max(by_script, key=lambda those: sum(map(units, those)))
    share = SAMPLE_CHARACTERS / max(sum(map(len, chosen)), SAMPLE_CHARACTERS)
    return " ".join(text[: int(share * len(text))] for text in chosen)


def _heaviest(texts: Sequence[str]) -> list[str]:
    """Return the texts that make the sample, each once, the one that says most first.

    >>> _heaviest(["a", "bb", "cc", "ddd", "bb", "f", "漢字"])
    ['漢字', 'ddd', 'bb', 'cc', 'a']
    """
    # Most of a page's hundreds of texts are too short for the sample in any script.
    lengths = sorted(map(len, texts), reverse=True)[:SAMPLE_BLOCKS]
    least = lengths[-1] / MOST_UNITS if lengths else 0
    candidates = dict.fromkeys(text for text in texts if len(text) >= least)
    return sorted(candidates, key=units, reverse=True)[:SAMPLE_BLOCKS]


def _unspaced(sample: str, claims: Sequence[Language], library: StoplistLibrary) -> Language | None:
    """Return the language without spaces that the script of a text tells; None for a text with spaces."""
    japanese = any(JAPANESE.code in claim.codes for claim in claims)
    script = script_of(sample, kana_share=KANA_SHARE / DECLARED_WEIGHT if japanese else KANA_SHARE)
    return None if script is None else library.find(script.code)


def _confirmed(claims: Iterable[Language], sample: str, library: StoplistLibrary) -> LanguageChoice | None:
    """Return the choice of the first declared language that its stop words confirm; None if there is none."""
    if len(sample) < CONFIRMING_CHARACTERS:
        return None
    words = sample.lower().split()
    english = library.words(library.get(_ENGLISH))
    for claim in claims:
        # Many lists were made from texts with English in them.
        own = words if claim.code == _ENGLISH else filterfalse(english.__contains__, words)
        density = sum(map(library.words(claim).__contains__, own)) / len(words)
        if density >= CONFIRMED_FROM.get(claim.code, inf):
            return choice_of(claim, "declared", f"confirmed by its stop words, {density:.2f} of all words")
    return None


def other_languages(texts: Sequence[str], page: str, library: StoplistLibrary) -> list[str | None]:
    """Return the code of each text's language where script or stop words show another than the page's; else None."""
    own = library.find(page)
    others = [language for language in map(library.find, CONFIRMED_FROM) if language not in (None, own)]

    def other(text: str) -> str | None:
        if units(text) < CONFIRMING_CHARACTERS:
            return None
        of_script = _unspaced(text, [], library)
        if of_script is not None:
            return None if of_script == own else of_script.code
        if own is not None and _confirmed([own], text, library):
            return None
        choice = _confirmed(others, text, library)
        return None if choice is None else choice.code

    return [other(text) for text in texts]


def _choose_among_all(sample: str, claims: Sequence[Language], library: StoplistLibrary) -> LanguageChoice:
    detected = detect(sample)
    shares = _shares_of_scripts(sample)
    probabilities = {code: share for code, share in detected.items() if _is_possible(code, shares)}
    for claim in claims:
        is_known = not detected.keys().isdisjoint(claim.codes)
        if not is_known and _density(claim, sample, library) >= DECLARED_DENSITY:
            return choice_of(claim, "declared", "declared, and its stop words fit")
    claimed = {code for claim in claims for code in claim.codes}
    weighed = {code: share * (DECLARED_WEIGHT if code in claimed else 1) for code, share in probabilities.items()}
    best = max(weighed, key=weighed.__getitem__, default=None)
    if best is not None and probabilities[best] < SURE:
        listed = (code for code in weighed if library.find(code) is not None)
        best = max(listed, key=weighed.__getitem__, default=best)
    if best is None:
        return LanguageChoice(None, UNDETERMINED, "fallback", "written in the script of no known language")
    if weighed[best] < IMPROBABLE:
        reason = f"no language is probable: {best} {probabilities[best]:.2f}"
        return LanguageChoice(None, UNDETERMINED, "fallback", reason)
    language = library.find(best)
    reason = f"probability {probabilities[best]:.2f}"
    if language is None:
        return LanguageChoice(None, best, "fallback", f"no stoplist for {best}, {reason}")
    if language in claims and probabilities[best] < max(probabilities.values()):
        return choice_of(language, "declared", f"declared, {reason}")
    return choice_of(language, "detected", reason)


def _shares_of_scripts(sample: str) -> dict[str, float]:
    scripts: Counter[str] = Counter()
    for letter, count in Counter(filter(str.isalpha, sample)).items():
        scripts[unicodedata.name(letter, "?").split()[0]] += count
    return {script: count / scripts.total() for script, count in scripts.items()}


def _is_possible(code: str, shares: Mapping[str, float]) -> bool:
    """Return whether a text may be in a language.  ``shares``: those of scripts in its letters."""
    written = SCRIPTS_OF.get(code, _LATIN_ALONE)
    latin = shares.get(_LATIN, 0.0)
    own = sum(shares.get(script, 0.0) for script in written - _LATIN_ALONE)
    return own > (1 - latin) / 2 or (_LATIN in written and latin >= LATIN_SHARE)


def _choose_among(
    candidates: Sequence[Language], sample: str, claims: Sequence[Language], library: StoplistLibrary
) -> LanguageChoice:
    """Choose a candidate; if the detector does not know all of them, by stop-word densities."""
    probabilities = detect(sample)
    if all(probabilities.keys() & set(candidate.codes) for candidate in candidates):
        scores = {language: sum(probabilities.get(code, 0.0) for code in language.codes) for language in candidates}
    else:
        scores = {language: _density(language, sample, library) for language in candidates}
    top = max(candidates, key=scores.__getitem__)
    best = max(candidates, key=lambda language: scores[language] * (DECLARED_WEIGHT if language in claims else 1))
    if best != top:
        return choice_of(best, "declared", f"declared; {top.code} is as probable")
    return choice_of(best, "detected", "the most probable of those given")


def _density(language: Language, sample: str, library: StoplistLibrary) -> float:
    # One that is given beside own stop words may have no list.
    stoplist = library.words(language) if library.find(language.code) == language else frozenset()
    script = script_of_words(stoplist)
    if script is not None and not script.has_spaces:
        return 0.0
    words = sample.lower().split()
    return sum(map(stoplist.__contains__, words)) / max(len(words), 1)


def detect(sample: str) -> dict[str, float]:
    """Return the probability of each language that the detector knows, by code; they sum to 1."""
    return dict(_detector().rank(sample))


@lru_cache(maxsize=1)
def _detector() -> LanguageIdentifier:
    # Imported, with its model, when a page needs it.
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # noqa: PLC0415

    folder = user_cache_path("scrapy-justext") / f"py3langid-{version('py3langid')}"
    # Later versions may know other arrays.
    with suppress(OSError, ValueError, TypeError):
        *arrays, rows = _unpacked_model(folder)
        return LanguageIdentifier(*arrays, norm_probs=True, tk_row=rows)
    detector = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    with suppress(OSError, AttributeError):
        _unpack_model(detector, folder)
    return detector


# To unpack the model takes 0.65 seconds and 130 MB.  So the first process of a user that needs it leaves it unpacked in
# the folder for such files.  There all processes share it, and read only the parts that a text needs.


def _unpacked_model(folder: Path) -> tuple[Any, ...]:
    import numpy as np  # noqa: PLC0415 (as the model)

    scores, priors, classes, moves, output, rows = (np.load(folder / f"{name}.npy", mmap_mode="r") for name in _MODEL)
    # A text is read byte by byte, for which the numbers of numpy are slow.
    return scores, priors, classes.tolist(), memoryview(moves), output.tolist(), rows.tolist()


def _unpack_model(detector: LanguageIdentifier, folder: Path) -> None:
    """Write the arrays of the model; another process may do so at the same time."""
    import numpy as np  # noqa: PLC0415 (as the model)

    folder.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder.parent, ignore_cleanup_errors=True) as temporary:
        whole = Path(temporary) / folder.name
        whole.mkdir()
        for name in _MODEL:
            np.save(whole / f"{name}.npy", np.asarray(getattr(detector, name)))
        whole.rename(folder)
