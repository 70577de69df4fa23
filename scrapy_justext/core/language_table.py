"""What languages there are: names, codes, scripts, densities.  The tables stand beside, in ``language_table.txt``."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from scrapy_justext.core.text import read_sections

_TABLES = read_sections(Path(__file__).with_suffix(".txt"))
#: For each row the words before the bar, and those behind it.
_ROWS = [[part.split() for part in row.partition("|")[::2]] for row in _TABLES["listed"]]


@dataclass(frozen=True, slots=True, order=True)
class Language:
    """A language: English name, ISO 639 codes (the first is the one that results carry)."""

    name: str
    codes: tuple[str, ...]

    @property
    def code(self) -> str:
        """Return the code that results carry."""
        return self.codes[0]


def normalise(name: str) -> str:
    """Return a name or code as it is compared: letters and digits only, no accents, no case.

    >>> normalise("Norwegian Bokmål"), normalise("pt_BR")
    ('norwegianbokmal', 'ptbr')
    """
    decomposed = unicodedata.normalize("NFKD", name).casefold()
    return "".join(character for character in decomposed if character.isalnum())


def primary(tag: str) -> str:
    """Return the first part of a language tag, which names the language.

    >>> primary("pt_BR")
    'pt'
    """
    return re.split("[-_]", tag.strip().lower())[0]


#: Stoplist names with the ISO 639 codes of the language and other names for it; the first code is the one that results
#: carry.
LANGUAGES = {name: tuple(codes) for (name, *codes), _ in _ROWS}

#: The English names of the languages that have no stoplist, by the code that results carry.
UNLISTED = dict(map(str.split, _TABLES["unlisted"]))

#: What languages are called in themselves, by stoplist name.
OWN_NAMES = {name: tuple(own) for (name, *_), own in _ROWS}

#: The scripts of the languages that the detector knows, by the first words of the names of their characters in Unicode.
#: Languages that are not here are written in Latin letters.
SCRIPTS_OF = {
    code: frozenset(script for script, *codes in map(str.split, _TABLES["scripts"]) if code in codes)
    for code in " ".join(_TABLES["scripts"]).split()
    if code.islower()
}

#: The stop-word density from which a text can only be in a language, by the language's code: at most one in a hundred
#: texts of 300 characters in any other of 72 languages reaches it.  The texts were translated messages of programs, and
#: labelled pages.  Words of the English list count in no other list: many lists have some from English texts.
#: Languages that are missing are too close to another one (Danish, Indonesian, Croatian), or could not be measured.
CONFIRMED_FROM = {code: float(density) for density, *codes in map(str.split, _TABLES["confirmed"]) for code in codes}

#: The thresholds for pages in a language, by its code: the high one, which the table has, and the low one as far below
#: it as English's.  They are for the lists that come with the library: as much of a language's long prose passes as of
#: English prose with the defaults (``python -m benchmarks.densities``).  Languages that are missing have the defaults:
#: as much prose or more passes with these, or there were too few texts.
STOPWORD_DENSITIES = {
    code: {"stopwords_low": round(float(density) - 0.02, 2), "stopwords_high": float(density)}
    for density, *codes in map(str.split, _TABLES["passing"])
    for code in codes
}
