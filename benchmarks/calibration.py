"""Derive the thresholds of some scripts from texts: ``python -m benchmarks.calibration``.

Those of Chinese are not among them: ``benchmarks.languages`` calibrates them on labelled pages.  The others come from
the texts in ``tests/texts``: running prose and boilerplate of each language, and parallel texts.  The texts in
``tests/texts/validation`` are only measured.

* Lengths: jusText's 70 and 200 characters of English, times the characters of parallel texts over those of
  the English ones, to the nearest five.  Japanese pages have paragraphs like Chinese ones: its lengths are the Chinese
  ones times the characters of parallel texts over those of the Chinese ones.
* Stop-word densities: a tenth, and a fifth, of the way from the densest boilerplate to the thinnest prose.  On Chinese
  pages the best ones lie right above the boilerplate, for news have far fewer function words than these texts.
* Characters a word: those of the parallel texts over the words of the English ones.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from statistics import mean, median
from typing import TYPE_CHECKING, Any

from scrapy_justext import extract
from scrapy_justext.core.stoplists import find_library
from scrapy_justext.core.unsegmented import CHINESE, JAPANESE, KOREAN, SCRIPTS, covered_characters

if TYPE_CHECKING:
    from collections.abc import Mapping

TEXTS = Path(__file__).resolve().parent.parent / "tests" / "texts"

#: The files of each language, by its code.
FILES = {
    "zh": ("zh", "zh-Hant"), "ja": ("ja",), "th": ("th",), "lo": ("lo",), "km": ("km",), "my": ("my",), "bo": ("bo",),
}  # fmt: skip
#: The scripts whose thresholds come from these texts.
CALIBRATED_ON_TEXTS = tuple(script for script in SCRIPTS if script is not CHINESE)
SPACED = ("gd", "ha", "lij", "st", "tn", "tt")

ENGLISH_LENGTHS = {"length_low": 70, "length_high": 200}
SHARES_OF_GAP = {"stopwords_low": 0.1, "stopwords_high": 0.2}


def read(name: str) -> Any:
    """Return the texts of a file: lists ``good`` and ``boilerplate``, or parallel texts by language."""
    return json.loads((TEXTS / f"{name}.json").read_text("utf-8"))


def densities(code: str, blocks: list[str]) -> list[float]:
    """Return the stop-word density of each block in a language without spaces."""
    library = find_library()
    covered = covered_characters(blocks, library.words(library.get(code)))
    return [count / len(block) for count, block in zip(covered, blocks, strict=True)]


def derive(code: str) -> tuple[dict[str, float], float]:
    """Return the thresholds of a language, and its characters a word."""
    files = [read(name) for name in FILES[code]]
    thinnest = min(density for file in files for density in densities(code, file["good"]))
    densest = max(density for file in files for density in densities(code, file["boilerplate"]))
    lengths, per_word = derive_lengths(code, FILES[code])
    shares = {name: round(densest + share * (thinnest - densest), 2) for name, share in SHARES_OF_GAP.items()}
    return {**lengths, **shares}, per_word


def derive_lengths(code: str, names: tuple[str, ...]) -> tuple[dict[str, float], float]:
    """Return the lengths of a language, and its characters a word; ``names``: those of its parallel texts."""
    ratio, per_word = parallel_sizes(names)
    lengths: Mapping[str, float] = ENGLISH_LENGTHS
    if code == JAPANESE.code:
        lengths = {name: CHINESE.thresholds[name] for name in ENGLISH_LENGTHS}
        ratio /= parallel_sizes(FILES[CHINESE.code])[0]
    return {name: 5 * round(length * ratio / 5) for name, length in lengths.items()}, per_word


def parallel_sizes(names: tuple[str, ...]) -> tuple[float, float]:
    """Return characters over those of English, and over English words: the means of law and of plain prose."""
    parallel = read("parallel")
    english = parallel["en"]
    ratios, per_word = [], []
    for articles in ([article for article in english if article != "plain"], ["plain"]):
        own = mean(sum(len(parallel[name][article]) for article in articles) for name in names)
        ratios.append(own / sum(len(english[article]) for article in articles))
        per_word.append(own / sum(len(english[article].split()) for article in articles))
    return mean(ratios), round(mean(per_word), 1)


def classes(code: str, blocks: list[str]) -> Counter[str]:
    """Count the context-free classes of blocks."""
    page = "".join(f"<p>{block}</p>" for block in blocks)
    return Counter(block.context_free_class.value for block in extract(page, language=code).blocks)


def main() -> None:
    """Print the thresholds, and what they make of the texts."""
    print(f"{'':8}{'length low, high':>18}{'stop words low, high':>22}{'characters a word':>19}")
    for script in CALIBRATED_ON_TEXTS:
        thresholds, per_word = derive(script.code)
        low, high, stopwords_low, stopwords_high = thresholds.values()
        print(f"{script.code:8}{low:>12.0f}, {high:>4.0f}{stopwords_low:>16}, {stopwords_high:>4}{per_word:>19}")
    lengths, per_word = derive_lengths(KOREAN.code, (KOREAN.code,))
    low, high = lengths.values()
    print(f"{KOREAN.code:8}{low:>12.0f}, {high:>4.0f}{'of 2 pages':>22}{per_word:>19}")
    print(f"\n{'density':28}{'lowest':>8}{'median':>8}{'highest':>8}  classes")
    for code, names in FILES.items():
        for name in (file for stem in names for file in (stem, f"validation/{stem}")):
            for kind in ("good", "boilerplate"):
                blocks = read(name)[kind]
                measured = densities(code, blocks)
                shares = f"{min(measured):8.2f}{median(measured):8.2f}{max(measured):8.2f}"
                counts = ", ".join(
                    f"{number} {kind_of_block}" for kind_of_block, number in classes(code, blocks).items()
                )
                print(f"{name + ' ' + kind:28}{shares}  {counts}")


if __name__ == "__main__":
    main()
