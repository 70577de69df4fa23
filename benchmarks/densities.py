"""Calibrate the stop-word densities of each language: ``python -m benchmarks.densities FOLDER``.

Stoplists hold from 10 to 13,000 words, so running text is not as dense in one language as in another.  A language's
thresholds are those with which a long paragraph of its prose passes as often as one of English prose does with
English's.  Translations are compared with what they translate: a source's paragraphs are much the same in all
languages.

FOLDER has the packages of Debian 12 with such texts, unpacked; none of their texts comes with the project::

    apt-get download gnome-user-docs wesnoth-1.16-data mediawiki $(apt-cache pkgnames libreoffice-help-)
    for package in *.deb; do dpkg-deb -x $package FOLDER; done

Paragraphs are joined from neighbouring sentences, and blocks of boilerplate from labels of one to four words, until
they are as long as a block has to be.  Paragraphs with English left in them are not counted.  ``prose`` and ``labels``
have the shares that pass: of the English, of the language with English's threshold, and with its own.  No threshold is
above English's.  The last column has the share of running words that are stop words by wordfreq, if that is installed.
"""

from __future__ import annotations

import gettext
import json
import re
import sys
from collections import defaultdict
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

from lxml import etree, html

from scrapy_justext.core.parameters import Thresholds
from scrapy_justext.core.stoplists import find_library
from scrapy_justext.core.unsegmented import WITH_THRESHOLDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from scrapy_justext.core.language_table import Language

#: The texts of a source by language, then by the key that a text has in all languages.
Texts = defaultdict[str, dict[object, str]]

LIBRARY = find_library()
ENGLISH = LIBRARY.words(LIBRARY.get("en"))
#: What the sources call languages that have other codes here.
CODES = {"nb_NO": "nb", "tt-cyrl": "tt", "kk-cyrl": "kk", "ku-latn": "ku", "sr-ec": "sr", "C": "en", "en-US": "en"}
_DEFAULTS = Thresholds()
LONG, HIGH = _DEFAULTS.length_high, _DEFAULTS.stopwords_high
_GAP = round(HIGH - _DEFAULTS.stopwords_low, 2)
#: Characters of an English sentence, at the least, and words of a label, at the most.
SENTENCE, LABEL = 60, 4
#: The fewest paragraphs of a source, and of a language, that tell something.
LEAST_OF_SOURCE, LEAST = 30, 80
#: English words that hardly any other language has; their share in a text from which on it was left in English.
_ENGLISH_ALONE = frozenset({"the", "and", "with", "your", "you", "this", "that", "from", "have", "when", "which"})
_LEFT_IN_ENGLISH = 0.04
_MALLARD = "{http://projectmallard.org/1.0/}"
_WIKITEXT = re.compile(r"<[^>]*>|\[\[(?:[^\]|]*\|)?|\]\]|'{2,}|\[https?\S*|\[\$\d+ ?|\$\d+|\]|__\w+__|[*#:;=]+(?=\s)")
_TAG = re.compile("<[^>]*>")


class Density(NamedTuple):
    """The stop-word densities of a paragraph in English and in another language."""

    english: float
    own: float


def manuals_of_gnome(folder: Path) -> Texts:
    """Return the paragraphs of GNOME's help."""
    texts = Texts(dict)
    for file in sorted(folder.glob("usr/share/help/*/gnome-help/*.page")):
        root = etree.parse(file).getroot()
        for number, paragraph in enumerate(root.iter(f"{_MALLARD}p")):
            texts[file.parts[-3]][file.name, number] = "".join(map(str, paragraph.itertext()))
    return texts


def manuals_of_libreoffice(folder: Path) -> Texts:
    """Return the paragraphs of LibreOffice's help."""
    texts = Texts(dict)
    for language in folder.glob("usr/share/libreoffice/help/*"):
        for file in sorted(language.glob("text/**/*.html")):
            for paragraph in html.parse(file).getroot().iter("p"):
                texts[language.name][paragraph.get("id")] = str(paragraph.text_content())
    return texts


def stories(folder: Path) -> Texts:
    """Return the messages of Wesnoth, a game: stories, dialogues and a manual."""
    texts = Texts(dict)
    for file in sorted(folder.glob("usr/share/games/wesnoth/*/locale/*/LC_MESSAGES/*.mo")):
        try:
            catalog = gettext.GNUTranslations(file.open("rb"))._catalog  # type: ignore[attr-defined]
        except ValueError:
            # One that was hardly begun says nothing of its plurals.
            continue
        for key, text in catalog.items():
            if isinstance(key, str) and isinstance(text, str):
                texts[file.parts[-3]][key] = _TAG.sub(" ", text)
                texts["en"][key] = _TAG.sub(" ", re.sub("^[^^]{,40}\\^", "", key.split("\4")[-1]))
    return texts


def messages(folder: Path) -> Texts:
    """Return the messages of MediaWiki and its extensions that have no grammar in them."""
    texts = Texts(dict)
    for file in sorted(folder.glob("usr/share/mediawiki/**/i18n/**/*.json")) + sorted(
        folder.glob("var/lib/mediawiki/extensions/**/i18n/**/*.json")
    ):
        for key, text in json.loads(file.read_bytes()).items():
            if isinstance(text, str) and "{{" not in text:
                texts[file.stem][file.parent, key] = _WIKITEXT.sub(" ", text)
    return texts


SOURCES: Mapping[str, Callable[[Path], Texts]] = {
    "GNOME": manuals_of_gnome,
    "LibreOffice": manuals_of_libreoffice,
    "Wesnoth": stories,
    "MediaWiki": messages,
}


def measure(text: str, words: frozenset[str]) -> float:
    """Return the stop-word density of a text in a language with spaces."""
    tokens = text.lower().split()
    return sum(map(words.__contains__, tokens)) / len(tokens)


def pairs(english: Mapping[object, str], own: Mapping[object, str]) -> Iterator[tuple[str, str]]:
    """Yield the texts that are translated, with their English."""
    for key, text in own.items():
        before, after = " ".join(english.get(key, "").split()), " ".join(text.split())
        if before and after and before != after and measure(after, _ENGLISH_ALONE) < _LEFT_IN_ENGLISH:
            yield before, after


def is_label(english: str) -> bool:
    """Return whether a text is one to four words of a menu."""
    return len(english.split()) <= LABEL and english[0].isupper() and english[-1].isalnum() and "%" not in english


def join(texts: Iterable[tuple[str, str]], words: frozenset[str]) -> list[Density]:
    """Return the densities of neighbouring texts that are joined until both languages have a long block."""
    densities, blocks = [], ("", "")
    for english, own in texts:
        blocks = (f"{blocks[0]} {english}", f"{blocks[1]} {own}")
        if min(map(len, blocks)) > LONG:
            densities.append(Density(measure(blocks[0], ENGLISH), measure(blocks[1], words)))
            blocks = ("", "")
    return densities


def passing(densities: Iterable[float], threshold: float) -> float:
    """Return the share of densities that are not below a threshold."""
    return mean(density >= threshold for density in densities)


def find_threshold(sources: Sequence[Sequence[Density]]) -> float:
    """Return the highest threshold that as much prose passes as English prose passes English's.

    It is a number of hundredths; all sources count alike.
    """
    wanted = mean(passing((density.english for density in source), HIGH) for source in sources)
    hundredths = (step / 100 for step in range(100, -1, -1))
    return next(
        threshold
        for threshold in hundredths
        if mean(passing((density.own for density in source), threshold) for source in sources) >= wanted
    )


def shares(densities: Sequence[Density], threshold: float) -> str:
    """Return the shares that pass: in English, in the language with English's threshold and with its own."""
    if not densities:
        return ""
    english, own = zip(*densities, strict=True)
    return f"{passing(english, HIGH):.2f}, {passing(own, HIGH):.2f}, {passing(own, threshold):.2f}"


def coverage(code: str, words: frozenset[str]) -> str:
    """Return the share of a language's running words that are stop words, by wordfreq."""
    if find_spec("wordfreq") is None:
        return ""
    wordfreq = import_module("wordfreq")
    if code not in wordfreq.available_languages():
        return ""
    frequencies = wordfreq.get_frequency_dict(code)
    return f"{sum(frequencies.get(word, 0.0) for word in words):.2f}"


def row(language: Language, sources: Mapping[str, Sequence[tuple[str, str]]]) -> str | None:
    """Return the row of a language, with the densities that follow; None if there is too little of it."""
    words = LIBRARY.words(language)
    prose, labels = {}, []
    for name, translated in sources.items():
        paragraphs = join((pair for pair in translated if len(pair[0]) >= SENTENCE), words)
        if len(paragraphs) >= LEAST_OF_SOURCE:
            prose[name] = paragraphs
        # Neighbours have words in common, so the order is drawn.
        menu = {pair for pair in translated if is_label(pair[0])}
        labels += join(sorted(menu, key=lambda pair: (crc32(pair[0].encode()), pair)), words)
    paragraphs = [density for of_source in prose.values() for density in of_source]
    if len(paragraphs) < LEAST:
        return None
    high = min(find_threshold(list(prose.values())), HIGH)
    numbers = ", ".join(f"{name} {len(of_source)}" for name, of_source in prose.items())
    densities = f"{round(high - _GAP, 2)} | {high}"
    measured = f"{numbers} | {shares(paragraphs, high)} | {shares(labels, high)} | {coverage(language.code, words)}"
    return f"| {language.name.replace('_', ' ')} | {len(words)} | {densities} | {measured} |"


def main() -> None:
    """Print the table of `docs/languages.md`."""
    texts = {name: read(Path(sys.argv[1])) for name, read in SOURCES.items()}
    english = {name: own for name, code, own in _by_language(texts) if code == "en"}
    print("| language | words | low | high | paragraphs | prose | labels | wordfreq |\n" + "| --- " * 8 + "|")
    for language in LIBRARY.languages:
        if language.code not in {"en", *(script.code for script in WITH_THRESHOLDS)}:
            sources: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
            for name, code, own in _by_language(texts):
                if code == language.code:
                    sources[name] += pairs(english[name], own)
            if line := row(language, sources):
                print(line)


def _by_language(texts: Mapping[str, Texts]) -> Iterator[tuple[str, str, dict[object, str]]]:
    for name, of_source in texts.items():
        for called, own in of_source.items():
            yield name, CODES.get(called, called), own


if __name__ == "__main__":
    main()
